/* run_joint.c: conditions of one kind have one set of points and one pass through the network. Losses and gradient must
 * be those of every condition alone, on the same points, and points must be where their kind says. */
#define STAND_IN CONDITIONS_MODULE
#include "run_support.h"

static const char *const options[] = {"--points", "37",   "--width",     "9",
                                      "--depth",  "3",    "--precision", "float64",
                                      "--effort", "none", "--threads",   "2"};
enum { OPTIONS = sizeof options / sizeof *options };

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

TEST gradient_is_that_of_each_alone(void) {
    Rig rig;
    ASSERT(rig_open(&rig, options, OPTIONS));
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

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(conditions_of_a_kind_have_one_set_of_points);
    RUN_TEST(gradient_is_that_of_each_alone);
    GREATEST_MAIN_END();
}
