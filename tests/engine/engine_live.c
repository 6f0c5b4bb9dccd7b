/* Parameters that are zero and stay so (pde_engine_confine), beside an engine without any whose same parameters are zero:
 * gradients and J'J have what is live of the other's; updates leave the rest at zero.
 */
#include "explicit_rows.h"

static const Problem shapes[] = {
    {"two layers of units", 3, {5, 12, 9, 2}, PDE_ACT_tanh, 40, 1, {{PDE_DIR_UNIT, 2, 5, 0}}},
    {"no directions", 3, {3, 20, 11, 2}, PDE_ACT_gelu, 21, 0, {{0}}},
    {"Gram", 3, {40, 17, 9, 1}, PDE_ACT_tanh, 19, 1, {{PDE_DIR_GRAM, 2, 17, 0}}},
    {"wide", 4, {700, 33, 20, 9, 1}, PDE_ACT_sin, 19, 1, {{PDE_DIR_POINT_DENSE, 2, 2, 0}}},
};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Two of three live, in no order; some of every layer, some biases. */
static uint8_t *some_live(const Case *c) {
    uint8_t *live = malloc((size_t)c->n);
    uint32_t state = 12345;
    for (long i = 0; i < c->n; i++) {
        state = state * 1664525 + 1013904223;
        live[i] = (state >> 8) % 3 != 0;
    }
    return live;
}

/* The same case twice: one confined, the other with zeros where that is. */
static int open_pair(const Problem *p, int f64, Case pair[2], uint8_t **live) {
    for (int k = 0; k < 2; k++)
        if (!case_open_on(&pair[k], p, f64, 2, PDE_ISA_BEST, 1))
            return 0;
    *live = some_live(&pair[0]);
    if (!pde_engine_confine(pair[1].e, *live))
        return 0;
    load_theta(&pair[1], pair[1].theta); /* confined as it is set */
    for (long i = 0; i < pair[0].n; i++)
        pair[0].theta[i] *= (*live)[i];
    load_theta(&pair[0], pair[0].theta);
    return 1;
}

static void close_pair(Case pair[2], uint8_t *live) {
    free(live);
    case_close(&pair[0]);
    case_close(&pair[1]);
}

TEST gradients_have_no_other_entry(const Problem *p, int f64) {
    Case pair[2];
    uint8_t *live;
    ASSERT(open_pair(p, f64, pair, &live));
    long n = pair[0].n, count = 0;
    double *g = malloc((size_t)n * sizeof *g), *h = malloc((size_t)n * sizeof *h);
    ASSERT_EQ(case_value(&pair[0]), case_value(&pair[1]));
    case_gradient(&pair[0], g);
    case_gradient(&pair[1], h);
    for (long i = 0; i < n; i++) {
        ASSERT_EQ(live[i] ? g[i] : 0, h[i]);
        count += live[i];
    }
    ASSERT(count > n / 4 && count < n);
    ASSERT_EQ(count, pde_engine_live(pair[1].e, NULL));
    ASSERT_EQ(n, pde_engine_live(pair[0].e, NULL));
    free(g);
    free(h);
    close_pair(pair, live);
    PASS();
}

/* With the gradient stored before, and without. */
TEST updates_leave_them_zero(const Problem *p, int f64, int stored) {
    Case pair[2];
    uint8_t *live;
    ASSERT(open_pair(p, f64, pair, &live));
    Case *c = &pair[1];
    long n = c->n, moved = 0;
    void *m = calloc((size_t)p->points, sizeof(double)),
         *theta = malloc((size_t)n * sizeof(double));
    for (long b = 0; b < p->points; b++)
        set_real(c, m, b, c->multiplier[b]);
    PdeTaskSpec task = {.combine = check_combine, .context = c, .multiplier = m};
    for (int step = 0; step < 3; step++) {
        pde_gradient_begin(c->e);
        pde_gradient_add(c->e, c->q, &task);
        if (stored)
            pde_gradient_store(c->e);
        pde_update(c->e, 0.1);
    }
    pde_engine_get(c->e, PDE_SLOT_PARAMETERS, theta);
    for (long i = 0; i < n; i++) {
        ASSERT(live[i] || get_real(c, theta, i) == 0);
        moved += live[i] && fabs(get_real(c, theta, i) - c->theta[i]) > 0.01;
    }
    ASSERT(moved > n / 8);
    free(m);
    free(theta);
    close_pair(pair, live);
    PASS();
}

/* J'J and J' r of the live columns: those of explicit rows of the other engine. */
TEST columns_are_the_live_ones(const Problem *p, int f64) {
    Case pair[2];
    uint8_t *live;
    ASSERT(open_pair(p, f64, pair, &live));
    long n = pair[0].n, m = p->points;
    int64_t count = pde_engine_live(pair[1].e, NULL), *at = malloc((size_t)n * sizeof *at);
    if (count > 3000) {
        free(at);
        close_pair(pair, live);
        SKIP();
    }
    double *rows = malloc((size_t)(m * n) * sizeof *rows), *r = malloc((size_t)m * sizeof *r);
    double *g = malloc((size_t)count * sizeof *g), worst = 0, top = 0;
    Tiled a = {count, malloc((size_t)tiled_size(count) * sizeof(double)), NULL};
    PdeTaskSpec task = {.combine = check_combine, .context = &pair[1], .scale = 1};
    explicit_rows(&pair[0], rows);
    for (long i = 0; i < m; i++)
        r[i] = check_random();
    ASSERT_EQ(count, pde_engine_live(pair[1].e, at));
    PdeNormal *normal = pde_normal_create(pair[1].e, &(PdeJacobianPart){pair[1].q, 0}, 1, 0);
    pde_normal_add(normal, 0, &task);
    pde_normal_sum(normal, r, NULL, &a, g);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j <= i + 1; j++) { /* the last: J' r */
            double want = 0;
            for (long k = 0; k < m; k++)
                want += rows[k * n + at[i]] * (j <= i ? rows[k * n + at[j]] : r[k]);
            double got =
                j <= i ? tiled_at(&a, i / TILE, j / TILE)[j % TILE * TILE + i % TILE] : g[i];
            top = fmax(top, fabs(want));
            worst = fmax(worst, fabs(want - got));
        }
    ASSERT_IN_RANGE(0.0, worst, (f64 ? 1e-11 : 2e-5) * top);
    pde_normal_destroy(normal);
    free(a.m);
    free(at);
    free(rows);
    free(r);
    free(g);
    close_pair(pair, live);
    PASS();
}

SUITE(confined) {
    for (int i = 0; i < SHAPES; i++)
        for (int f64 = 0; f64 < 2; f64++) {
            RUN_TESTp(gradients_have_no_other_entry, &shapes[i], f64);
            RUN_TESTp(updates_leave_them_zero, &shapes[i], f64, 0);
            RUN_TESTp(updates_leave_them_zero, &shapes[i], f64, 1);
            RUN_TESTp(columns_are_the_live_ones, &shapes[i], f64);
        }
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(confined);
    GREATEST_MAIN_END();
}
