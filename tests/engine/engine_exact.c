/* The same bits for every number of threads; the Gram route against all coordinates; several
 * batches in one gradient; shared points; refusal of what cannot be served.
 */
#include "engine_check.h"

TEST bits_do_not_depend_on_threads(const Problem *p, int f64) {
    static const int threads[] = {1, 2, 4, 7};
    double *first = NULL, *out = NULL;
    for (int t = 0; t < 4; t++) {
        Case c;
        ASSERT(case_open_on(&c, p, f64, threads[t], PDE_ISA_BEST, 0));
        double *g = malloc((size_t)c.n * sizeof(double));
        case_gradient(&c, g);
        if (t == 0) {
            first = g;
            out = malloc((size_t)(c.row * p->points) * sizeof(double));
            memcpy(out, c.out, (size_t)(c.row * p->points) * sizeof(double));
        } else {
            ASSERT_EQ(0, memcmp(first, g, (size_t)c.n * sizeof(double)));
            ASSERT_EQ(0, memcmp(out, c.out, (size_t)(c.row * p->points) * sizeof(double)));
            free(g);
        }
        case_close(&c);
    }
    free(first);
    free(out);
    PASS();
}

/* Three optimiser steps on one, two and four threads end at the same parameters. */
TEST updates_do_not_depend_on_threads(const Problem *p) {
    static const int threads[] = {1, 2, 4};
    float *theta[3];
    long n = 0;
    for (int t = 0; t < 3; t++) {
        Case c;
        ASSERT(case_open_on(&c, p, 0, threads[t], PDE_ISA_BEST, 0));
        PdeTaskSpec task = {.combine = check_combine, .context = &c, .scale = 0.01};
        for (int s = 0; s < 3; s++) {
            pde_gradient_begin(c.e);
            pde_gradient_add(c.e, c.q, &task);
            ASSERT(pde_gradient_finite(c.e));
            pde_update(c.e, 1e-2);
        }
        n = c.n;
        theta[t] = malloc((size_t)n * sizeof(float));
        pde_engine_get(c.e, PDE_SLOT_PARAMETERS, theta[t]);
        case_close(&c);
    }
    ASSERT_EQ(0, memcmp(theta[0], theta[1], (size_t)n * sizeof(float)));
    ASSERT_EQ(0, memcmp(theta[0], theta[2], (size_t)n * sizeof(float)));
    for (int t = 0; t < 3; t++)
        free(theta[t]);
    PASS();
}

/* ---------------------------------------------------------------------------- Gram against all */

typedef struct Sum {
    long K;
    const double *weight; /* per direction, NULL: one */
    double value[64];
} Sum;

/* R = (sum_k w_k N2[k]) (1 + N) + sum_k w_k N1[k]^2, a function that a rotation leaves alone */
static void sum_combine(void *context, const PdeJet *jet) {
    Sum *s = context;
    const double *n = jet->n, *n1 = jet->d[0], *n2 = jet->d[1];
    double lap = 0, square = 0;
    for (long k = 0; k < s->K; k++) {
        double w = s->weight ? s->weight[k] : 1;
        lap += w * n2[k];
        square += w * n1[k] * n1[k];
    }
    *(double *)jet->residual = s->value[jet->point] = lap * (1 + n[0]) + square;
    if (!jet->seed_n)
        return;
    ((double *)jet->seed_n)[0] = lap;
    for (long k = 0; k < s->K; k++) {
        double w = s->weight ? s->weight[k] : 1;
        ((double *)jet->seed_d[0])[k] = 2 * w * n1[k];
        ((double *)jet->seed_d[1])[k] = w * (1 + n[0]);
    }
}

/* extra: ordinary directions of an order beside the sum over all; those of order 3 come first, and then
 * all of them carry Taylor rows */
TEST gram_equals_all_directions(int64_t d, int64_t h1, int hidden, int64_t extra, int order) {
    static const int64_t rest[] = {33, 9};
    int sum = order > 2, beside = 1 - sum;
    Problem all = {"all", hidden + 1, {d, h1}, PDE_ACT_tanh, 21, extra ? 2 : 1, {{0}}};
    all.block[sum] = (PdeDirectionBlock){PDE_DIR_UNIT, 2, d, 0};
    all.block[beside] = (PdeDirectionBlock){PDE_DIR_UNIT, order, extra, 0};
    for (int l = 1; l < hidden; l++)
        all.width[l + 1] = rest[l - 1];
    all.width[hidden + 1] = 1;
    Problem gram = all;
    gram.block[sum] = (PdeDirectionBlock){PDE_DIR_GRAM, 2, h1, 0};
    Case a, b;
    ASSERT(case_open_on(&a, &all, 1, 2, PDE_ISA_BEST, 1));
    ASSERT(case_open_on(&b, &gram, 1, 2, PDE_ISA_BEST, 1));
    double *w = malloc((size_t)(d + extra) * sizeof(double));
    double *ws = w + (sum ? extra : 0), *wb = w + (sum ? 0 : d);
    memcpy(ws, pde_batch_directions(b.q, sum)->weight, (size_t)d * sizeof(double));
    for (long i = 0; i < extra; i++) {
        wb[i] = 1;
        pde_batch_directions(b.q, beside)->index[i] = pde_batch_directions(a.q, beside)->index[i];
    }
    for (long i = 0; i < d; i++)
        pde_batch_directions(a.q, sum)->index[i] = (uint32_t)i;
    memcpy(pde_batch_x(b.q), pde_batch_x(a.q),
           (size_t)(check_groups(21) * d * PDE_LANES) * sizeof(double));
    ASSERT_EQ(0.0, ws[d - 1]);
    Sum sa = {.K = d + extra, .weight = w}, sb = {.K = h1 + extra};
    double *ga = malloc((size_t)a.n * sizeof(double)), *gb = malloc((size_t)a.n * sizeof(double));
    PdeTaskSpec ta = {.combine = sum_combine, .context = &sa, .multiplier = a.multiplier};
    PdeTaskSpec tb = {.combine = sum_combine, .context = &sb, .multiplier = a.multiplier};
    pde_gradient_begin(a.e);
    pde_gradient_add(a.e, a.q, &ta);
    pde_gradient_begin(b.e);
    pde_gradient_add(b.e, b.q, &tb);
    ASSERT(pde_gradient_store(a.e) && pde_gradient_store(b.e));
    pde_engine_get(a.e, PDE_SLOT_GRADIENT, ga);
    pde_engine_get(b.e, PDE_SLOT_GRADIENT, gb);
    ASSERT_IN_RANGE(0.0, distance_of(sa.value, sb.value, 21), 1e-9 * norm_of(sa.value, 21));
    ASSERT_IN_RANGE(0.0, distance_of(ga, gb, a.n), 1e-8 * norm_of(ga, a.n));
    /* the fused update must see the same dW1 as the stored one */
    pde_gradient_begin(b.e);
    pde_gradient_add(b.e, b.q, &tb);
    pde_update(a.e, 1e-2);
    pde_update(b.e, 1e-2);
    pde_engine_get(a.e, PDE_SLOT_PARAMETERS, ga);
    pde_engine_get(b.e, PDE_SLOT_PARAMETERS, gb);
    ASSERT_IN_RANGE(0.0, distance_of(ga, gb, a.n), 1e-6 * norm_of(ga, a.n));
    free(ga);
    free(gb);
    free(w);
    case_close(&a);
    case_close(&b);
    PASS();
}

/* ----------------------------------------------------------------------------------- rotation */

/* rows: more and fewer than h1, with repeated coordinates among them */
TEST rotation_leaves_sums_alone(int64_t rows, int hidden, int64_t outputs, int f64) {
    static const int64_t widths[] = {37, 33, 9};
    Problem p = {"rotated",
                 hidden + 1,
                 {50},
                 PDE_ACT_tanh,
                 21,
                 2,
                 {{.kind = PDE_DIR_UNIT, .order = 2, .count = rows},
                  {.kind = PDE_DIR_UNIT, .order = 1, .count = 3}}};
    for (int l = 0; l < hidden; l++)
        p.width[l + 1] = widths[l];
    p.width[hidden + 1] = outputs;
    Case plain, rotated;
    ASSERT(case_open_on(&plain, &p, f64, 2, PDE_ISA_BEST, 1));
    ASSERT(case_open_on(&rotated, &p, f64, 2, PDE_ISA_BEST, 2));
    double a = case_value(&plain), b = case_value(&rotated), tolerance = f64 ? 1e-11 : 2e-4;
    ASSERT_IN_RANGE(0.0, fabs(a - b), tolerance * fabs(a));
    double *g = malloc((size_t)plain.n * sizeof(double)),
           *h = malloc((size_t)plain.n * sizeof(double));
    case_gradient(&plain, g);
    case_gradient(&rotated, h);
    ASSERT_IN_RANGE(0.0, distance_of(g, h, plain.n), tolerance * norm_of(g, plain.n));
    /* it was rotated: single second derivatives differ, first ones do not */
    double second = 0, first = 0;
    for (long k = 0; k < rows; k++) {
        first = fmax(first, fabs(plain.out[plain.each + k] - rotated.out[plain.each + k]));
        second =
            fmax(second, fabs(plain.out[2 * plain.each + k] - rotated.out[2 * plain.each + k]));
    }
    ASSERT(first < tolerance && (second > 1e-3 || rows == 1));
    free(g);
    free(h);
    case_close(&plain);
    case_close(&rotated);
    PASS();
}

/* --------------------------------------------------------------------------- several batches */

/* Two batches on the same points, one borrowing x W1 from the other, add to one gradient. */
TEST batches_add_up(const Problem *p) {
    Case c;
    ASSERT(case_open(&c, p, 1));
    PdeBatchConfig config = {
        .points = p->points, .blocks = 1, .residuals = 1, .block = {p->block[0]}, .points_of = c.q};
    PdeBatch *twin = pde_batch_create(c.e, &config);
    ASSERT(twin);
    ASSERT_EQ(pde_batch_x(c.q), pde_batch_x(twin));
    memcpy(pde_batch_directions(twin, 0)->index, pde_batch_directions(c.q, 0)->index,
           (size_t)p->block[0].count * sizeof(uint32_t));
    double *one = malloc((size_t)c.n * sizeof(double)), *two = malloc((size_t)c.n * sizeof(double));
    double *thrice = malloc((size_t)p->points * sizeof *thrice);
    for (long i = 0; i < p->points; i++)
        thrice[i] = 3 * c.multiplier[i];
    case_gradient(&c, one);
    PdeTaskSpec task = {.combine = check_combine, .context = &c, .multiplier = c.multiplier};
    PdeTaskSpec more = {.combine = check_combine, .context = &c, .multiplier = thrice};
    pde_gradient_begin(c.e);
    pde_gradient_add(c.e, c.q, &task);
    pde_gradient_add(c.e, twin, &more);
    pde_gradient_store(c.e);
    pde_engine_get(c.e, PDE_SLOT_GRADIENT, two);
    for (long i = 0; i < c.n; i++)
        two[i] -= 4 * one[i];
    free(thrice);
    ASSERT_IN_RANGE(0.0, norm_of(two, c.n), 1e-13 * norm_of(one, c.n));
    ASSERT(norm_of(one, c.n) > 0.1);
    free(one);
    free(two);
    pde_batch_destroy(twin);
    case_close(&c);
    PASS();
}

/* Two residuals of a point with their own multipliers are the sum of two single ones. */
static void pair_combine(void *context, const PdeJet *jet) {
    Case *c = context;
    const double *n = jet->n, *n2 = jet->d[1];
    double *r = jet->residual, *sn = jet->seed_n, *s2 = jet->seed_d[1];
    r[0] = n[0] * n[0];
    r[1] = n2[1];
    if (!sn)
        return;
    sn[0] = 2 * n[0];
    s2[c->K + 1] = 1;
}

static void single_combine(void *context, const PdeJet *jet) {
    Case *c = context;
    const double *n = jet->n, *n2 = jet->d[1], *m = c->multiplier + 2 * jet->point;
    *(double *)jet->residual = m[0] * n[0] * n[0] + m[1] * n2[1];
    if (!jet->seed_n)
        return;
    *(double *)jet->seed_n = 2 * m[0] * n[0];
    ((double *)jet->seed_d[1])[1] = m[1];
}

TEST residuals_have_their_own_multipliers(void) {
    Problem p = problems[0];
    Case c;
    p.points = 10;
    ASSERT(case_open(&c, &p, 1));
    PdeBatchConfig config = {
        .points = 10, .blocks = 1, .residuals = 2, .block = {p.block[0]}, .x = pde_batch_x(c.q)};
    PdeBatch *two = pde_batch_create(c.e, &config);
    ASSERT(two);
    memcpy(pde_batch_directions(two, 0)->index, pde_batch_directions(c.q, 0)->index,
           (size_t)p.block[0].count * sizeof(uint32_t));
    double m[20], ones[10], *a = malloc((size_t)c.n * sizeof(double)),
                            *b = malloc((size_t)c.n * sizeof(double));
    for (int i = 0; i < 20; i++)
        m[i] = check_random();
    for (int i = 0; i < 10; i++)
        ones[i] = 1;
    PdeTaskSpec pair = {.combine = pair_combine, .context = &c, .multiplier = m};
    PdeTaskSpec single = {.combine = single_combine, .context = &c, .multiplier = ones};
    pde_gradient_begin(c.e);
    pde_gradient_add(c.e, two, &pair);
    pde_gradient_store(c.e);
    pde_engine_get(c.e, PDE_SLOT_GRADIENT, a);
    free(c.multiplier);
    c.multiplier = malloc(sizeof m);
    memcpy(c.multiplier, m, sizeof m);
    pde_gradient_begin(c.e);
    pde_gradient_add(c.e, c.q, &single);
    pde_gradient_store(c.e);
    pde_engine_get(c.e, PDE_SLOT_GRADIENT, b);
    ASSERT(norm_of(b, c.n) > 0.01);
    ASSERT_IN_RANGE(0.0, distance_of(a, b, c.n), 1e-12 * norm_of(b, c.n));
    free(a);
    free(b);
    pde_batch_destroy(two);
    case_close(&c);
    PASS();
}

TEST nonsense_is_refused(void) {
    int64_t width[] = {5, 8, 1}, zero[] = {5, 0, 1};
    PdeEngineConfig good = {
        PDE_F32, PDE_ISA_BEST, 1, 2, width, PDE_ACT_tanh, pde_optim_default(PDE_OPT_adam), NULL};
    PdeEngineConfig bad = good;
    bad.layers = 1;
    ASSERT(!pde_engine_create(&bad));
    bad = good;
    bad.width = zero;
    ASSERT(!pde_engine_create(&bad));
    bad = good;
    bad.activation = PDE_ACTIVATIONS;
    ASSERT(!pde_engine_create(&bad));
    PdeEngine *e = pde_engine_create(&good);
    ASSERT(e);
    PdeBatchConfig gram = {
        .points = 3, .blocks = 1, .residuals = 1, .block = {{PDE_DIR_GRAM, 2, 0, 0}}};
    ASSERT(!pde_batch_create(e, &gram)); /* fewer coordinates than units */
    PdeBatchConfig rising = {.points = 3,
                             .blocks = 2,
                             .residuals = 1,
                             .block = {{PDE_DIR_UNIT, 1, 1, 0}, {PDE_DIR_UNIT, 2, 1, 0}}};
    ASSERT(!pde_batch_create(e, &rising));
    PdeBatchConfig high = {
        .points = 3, .blocks = 1, .residuals = 1, .block = {{PDE_DIR_UNIT, 5, 1, 0}}};
    ASSERT(!pde_batch_create(e, &high));
    pde_engine_destroy(e);
    PASS();
}

TEST infinities_are_seen(void) {
    Case c;
    ASSERT(case_open(&c, &problems[1], 1));
    double *g = malloc((size_t)c.n * sizeof(double));
    case_gradient(&c, g);
    ASSERT(pde_gradient_finite(c.e));
    c.multiplier[3] = HUGE_VAL;
    case_gradient(&c, g);
    ASSERT(!pde_gradient_finite(c.e));
    free(g);
    case_close(&c);
    PASS();
}

SUITE(exact) {
    for (int i = 0; i < PROBLEMS; i++) {
        RUN_TESTp(bits_do_not_depend_on_threads, &problems[i], 0);
        RUN_TESTp(bits_do_not_depend_on_threads, &problems[i], 1);
        RUN_TESTp(updates_do_not_depend_on_threads, &problems[i]);
    }
    RUN_TESTp(gram_equals_all_directions, 60, 33, 3, 0, 2);
    RUN_TESTp(gram_equals_all_directions, 40, 7, 1, 0, 2);
    RUN_TESTp(gram_equals_all_directions, 90, 37, 3, 5, 2);
    RUN_TESTp(gram_equals_all_directions, 40, 7, 2, 3, 3);
    RUN_TESTp(gram_equals_all_directions, 60, 33, 3, 2, 4);
    RUN_TESTp(gram_equals_all_directions, 700, 40, 2, 0, 2);
    for (int f64 = 0; f64 < 2; f64++) {
        RUN_TESTp(rotation_leaves_sums_alone, 11, 3, 1, f64);
        RUN_TESTp(rotation_leaves_sums_alone, 37, 3, 1, f64);
        RUN_TESTp(rotation_leaves_sums_alone, 80, 3, 2, f64);
        RUN_TESTp(rotation_leaves_sums_alone, 45, 1, 2, f64);
        RUN_TESTp(rotation_leaves_sums_alone, 1, 2, 1, f64);
    }
    static const Problem affine = {
        "affine", 3, {20, 9, 5, 1}, PDE_ACT_identity, 19, 1, {{PDE_DIR_UNIT, 1, 4, 0}}};
    RUN_TESTp(batches_add_up, &problems[1]);
    RUN_TESTp(batches_add_up, &affine);
    RUN_TEST(residuals_have_their_own_multipliers);
    RUN_TEST(nonsense_is_refused);
    RUN_TEST(infinities_are_seen);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(exact);
    GREATEST_MAIN_END();
}
