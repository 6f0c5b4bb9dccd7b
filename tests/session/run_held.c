/* run_held.c: the loss on held-out points, over ALL pairs of index sets, in float64: the mean over
 * them of R_I R_J must be the loss of the whole sum on the same points. */
#include "run_support.h"

#include "runtime/measure/heldout.h"

enum { SETS = 15, DRAWS = 20000, HELD = 7, MANY = 3 };

#define COMMON                                                                                     \
    "--precision=float64", "--set=d=6", "--width=5", "--depth=3", "--threads=1", "--no-cache"

static double loss_of(const char *algorithm, const char *points, int64_t held, bool *ok) {
    Rig rig;
    const char *option[] = {COMMON, algorithm, points, "--terms=2"};
    *ok = rig_open(&rig, option, (int)(sizeof option / sizeof option[0]));
    if (!*ok)
        return (double)NAN;
    double loss = held_out_loss(&rig.s, held, 0);
    rig_close(&rig);
    return loss;
}

/* All terms, however they are summed and however the points are divided into batches. */
TEST whole_sums_agree(void) {
    bool ok[4];
    double full = loss_of("--algorithm=full", "--points=7", HELD, &ok[0]);
    double parts = loss_of("--algorithm=full", "--points=3", HELD, &ok[1]);
    double exact = loss_of("--algorithm=exact", "--points=2", HELD, &ok[2]);
    double one = loss_of("--algorithm=1", "--points=4", HELD, &ok[3]);
    ASSERT(ok[0] && ok[1] && ok[2] && ok[3] && full > 0);
    ASSERT_IN_RANGE(full, parts, 1e-12 * full);
    ASSERT_IN_RANGE(full, exact, 1e-10 * full);
    ASSERT_IN_RANGE(full, one, 1e-10 * full);
    PASS();
}

/* Independent of the training points, whatever step comes first. */
TEST points_are_of_their_own(void) {
    Rig rig;
    const char *option[] = {COMMON, "--algorithm=3", "--terms=2", "--points=3"};
    ASSERT(rig_open(&rig, option, (int)(sizeof option / sizeof option[0])));
    double first = held_out_loss(&rig.s, HELD, 0), x[2];
    x[0] = points_coordinate(&rig.s.task[0].points, 0, 0);
    for (uint32_t step = 0; step < 50; step++) {
        session_gradient(&rig.s, step);
        x[1] = points_coordinate(&rig.s.task[0].points, 0, 0);
        ASSERT(x[0] != x[1]);
    }
    ASSERT_EQ(first, held_out_loss(&rig.s, HELD, 0)); /* the same points and sets again */
    ASSERT(first != held_out_loss(&rig.s, HELD, 1));
    rig_close(&rig);
    PASS();
}

/* The mean over every pair (I, J), each once: one batch, so that a draw has one pair. */
TEST product_is_unbiased(const char *algorithm) {
    Rig rig;
    bool ok, seen[SETS * SETS] = {false};
    int found = 0;
    double full = loss_of("--algorithm=full", "--points=3", MANY, &ok), mean = 0, square = 0;
    const char *option[] = {COMMON, algorithm, "--terms=2", "--points=3"};
    ASSERT(ok);
    ASSERT(rig_open(&rig, option, (int)(sizeof option / sizeof option[0])));
    Task *t = &rig.s.task[0];
    const Route *other = t->values ? t->value : &t->gradient[0];
    for (uint32_t draw = 0; draw < DRAWS && found < SETS * SETS; draw++) {
        double loss = held_out_loss(&rig.s, MANY, draw);
        int first = set_number(t->gradient[0].set[0]); /* I: drawn last */
        uint32_t step = STEP_HELD_OUT - 2 * draw;
        route_prepare(t->values ? t->value : &t->gradient[0], step);
        int key = first * SETS + set_number(other->set[0]);
        if (seen[key])
            continue;
        seen[key] = true;
        found++;
        mean += loss / (SETS * SETS);
        square += loss * loss / (SETS * SETS);
    }
    ASSERT_EQ(SETS * SETS, found);
    ASSERT_IN_RANGE(full, mean, 1e-11 * full);
    ASSERT(square - mean * mean > 1e-6 * full * full); /* there is a variance to average */
    rig_close(&rig);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(whole_sums_agree);
    RUN_TEST(points_are_of_their_own);
    RUN_TESTp(product_is_unbiased, "--algorithm=2");
    RUN_TESTp(product_is_unbiased, "--algorithm=3");
    GREATEST_MAIN_END();
}
