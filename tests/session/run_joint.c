/* run_joint.c: conditions of one kind have one set of points and one pass through the network. Losses and gradient must
 * be those of every condition alone, on the same points, and points must be where their kind says. Conditions on other
 * parts of the boundary, with derivatives, and observations keep points of their own. */
#define STAND_IN CONDITIONS_MODULE
#include "run_support.h"

#include "runtime/measure/heldout.h"

static const char *const options[] = {"--points", "37",   "--width",     "9",
                                      "--depth",  "3",    "--precision", "float64",
                                      "--effort", "none", "--threads",   "2"};
enum { OPTIONS = sizeof options / sizeof *options };

/* The same session on another module. */
static bool parts_open(Rig *rig) {
    ModuleFile module;
    return rig_open(rig, options, OPTIONS) && (rig_close(rig), true) &&
           config_init(&rig->config, &rig->error) == STATUS_OK &&
           module_read(PARTS_MODULE, &module, &rig->error) == STATUS_OK &&
           problem_open(&module, &rig->config, rig->settings.precision, &rig->problem,
                        &rig->error) == STATUS_OK &&
           session_open(&rig->problem, &rig->settings, &rig->s, &rig->error) == STATUS_OK;
}

TEST conditions_of_a_kind_have_one_set_of_points(void) {
    Rig rig;
    ASSERT(rig_open(&rig, options, OPTIONS));
    session_draw(&rig.s, 3);
    int joint = 0;
    for (int i = 0; i < rig.s.tasks; i++) {
        const Task *t = &rig.s.task[i];
        joint += joint_has(rig.s.joint, t);
        ASSERT(!t->lead || t->lead->plan->kind == t->plan->kind);
        for (int64_t b = 0; t->plan->kind == PLAN_boundary && b < 37; b++) {
            double x = points_coordinate(&t->points, b, 0), y = points_coordinate(&t->points, b, 1);
            ASSERT_IN_RANGE(1.0, fmax(fabs(x), fabs(y)), 1e-12);
        }
        for (int64_t b = 0; t->plan->kind == PLAN_initial && b < 37; b++)
            ASSERT_IN_RANGE(0.0, points_coordinate(&t->points, b, 2), 0.0);
        for (int64_t b = 0; t->lead && b < 37; b++)
            ASSERT_IN_RANGE(points_coordinate(&t->lead->points, b, 0),
                            points_coordinate(&t->points, b, 0), 0.0);
    }
    ASSERT_EQ(4, joint);
    rig_close(&rig);
    PASS();
}

TEST gradient_is_that_of_each_alone(bool parts) {
    Rig rig;
    ASSERT(parts ? parts_open(&rig) : rig_open(&rig, options, OPTIONS));
    session_draw(&rig.s, 3);
    double *together = rig_gradient(&rig, 3), loss[PLAN_TASKS_MAX];
    for (int i = 0; i < rig.s.tasks; i++)
        loss[i] = rig.s.task[i].loss;
    double *alone = malloc((size_t)rig.s.network.size * sizeof *alone);
    pde_gradient_begin(rig.s.engine);
    for (int i = 0; i < rig.s.tasks; i++) {
        session_task_gradient(&rig.s.task[i], 3);
        ASSERT(loss[i] > 0);
        ASSERT_IN_RANGE(rig.s.task[i].loss, loss[i], 1e-12 * loss[i]);
    }
    pde_gradient_store(rig.s.engine);
    pde_engine_get(rig.s.engine, PDE_SLOT_GRADIENT, alone);
    ASSERT_IN_RANGE(0.0, distance(together, alone, rig.s.network.size), 1e-12);
    free(together);
    free(alone);
    rig_close(&rig);
    PASS();
}

/* Of eight conditions two pairs are alike: on the left and on the right. */
TEST only_the_same_parts_share(void) {
    Rig rig;
    ASSERT(parts_open(&rig));
    session_draw(&rig.s, 3);
    int joint = 0;
    for (int i = 0; i < rig.s.tasks; i++) {
        const Task *t = &rig.s.task[i];
        joint += joint_has(rig.s.joint, t);
        ASSERT(!joint_has(rig.s.joint, t) || t->plan->kind == PLAN_boundary);
        for (int64_t b = 0; joint_has(rig.s.joint, t) && b < 37; b++)
            ASSERT_IN_RANGE(t->plan->face[0].side == SIDE_low ? -1.0 : 1.0,
                            points_coordinate(&t->points, b, 0), 0.0);
    }
    ASSERT_EQ(9, rig.s.tasks);
    ASSERT_EQ(4, joint);
    rig_close(&rig);
    PASS();
}

/* Held-out losses draw one condition's points after the other's, batch by batch: those in three batches must be those
 * in one. */
TEST points_drawn_alone_are_right(void) {
    Rig rig[2];
    const char *whole[OPTIONS];
    double loss[2][PLAN_TASKS_MAX];
    memcpy(whole, options, sizeof whole);
    whole[1] = "111";
    ASSERT(rig_open(&rig[0], options, OPTIONS) && rig_open(&rig[1], whole, OPTIONS));
    for (int k = 0; k < 2; k++)
        held_out_parts(&rig[k].s, 111, 0, loss[k], NULL);
    for (int i = 0; i < rig[0].s.tasks; i++)
        ASSERT_IN_RANGE(loss[1][i], loss[0][i], 1e-12 * loss[1][i]);
    rig_close(&rig[0]);
    rig_close(&rig[1]);
    PASS();
}

/* What somebody puts in the place of one condition's points does not stay. */
TEST moved_points_are_drawn_again(void) {
    Rig rig;
    ASSERT(rig_open(&rig, options, OPTIONS));
    session_draw(&rig.s, 3);
    for (int i = 0; i < rig.s.tasks; i++) {
        Points *p = &rig.s.task[i].points;
        double before = points_coordinate(p, 5, 0);
        points_set_coordinate(p, 5, 0, 7);
        points_run_programs(p);
        points_draw(p, rig.s.settings.seed, 3, 0);
        ASSERT_EQ(before, points_coordinate(p, 5, 0));
    }
    rig_close(&rig);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(conditions_of_a_kind_have_one_set_of_points);
    RUN_TESTp(gradient_is_that_of_each_alone, false);
    RUN_TESTp(gradient_is_that_of_each_alone, true);
    RUN_TEST(only_the_same_parts_share);
    RUN_TEST(points_drawn_alone_are_right);
    RUN_TEST(moved_points_are_drawn_again);
    GREATEST_MAIN_END();
}
