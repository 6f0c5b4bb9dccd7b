/* Update rules against their formulas in double, fused against stored, clipping, schedules, and a
 * round trip of every slot.
 */
#include "engine_check.h"

enum { STATES = PDE_STATES_MAX, UPDATES = 4 };

/* One parameter's update, from the papers and in their own letters: s is all that is kept of it. */
static double adan(const PdeOptimConfig *o, double rate, int t, double w, double g, double *s) {
    double b1 = 1 - o->beta1, b2 = 1 - o->beta2, b3 = 1 - o->beta3; /* as the paper counts them */
    double before = t == 1 ? g : s[3], *m = &s[0], *n = &s[1], *v = &s[2];
    *m = (1 - b1) * *m + b1 * g;
    *v = (1 - b2) * *v + b2 * (g - before);
    double ahead = g + (1 - b2) * (g - before);
    *n = (1 - b3) * *n + b3 * ahead * ahead;
    s[3] = g;
    double mh = *m / (1 - pow(1 - b1, t)), vh = *v / (1 - pow(1 - b2, t));
    double nh = *n / (1 - pow(1 - b3, t)), eta = rate / (sqrt(nh) + o->epsilon);
    return (w - eta * (mh + (1 - b2) * vh)) / (1 + o->decay * rate);
}

static double ademamix(const PdeOptimConfig *o, double rate, int t, double w, double g, double *s) {
    double *m1 = &s[0], *v = &s[1], *m2 = &s[2], alpha = 5;
    *m1 = o->beta1 * *m1 + (1 - o->beta1) * g;
    *m2 = o->beta3 * *m2 + (1 - o->beta3) * g;
    *v = o->beta2 * *v + (1 - o->beta2) * g * g;
    double mh = *m1 / (1 - pow(o->beta1, t)), vh = *v / (1 - pow(o->beta2, t));
    return w - rate * ((mh + alpha * *m2) / (sqrt(vh) + o->epsilon) + o->decay * w);
}

static double reference(PdeOptimiser kind, const PdeOptimConfig *o, double rate, int t, double w,
                        double g, double *s) {
    double *m = &s[0], *v = &s[1];
    if (kind == PDE_OPT_lbfgs)
        return w - rate * g;
    if (kind == PDE_OPT_adan)
        return adan(o, rate, t, w, g, s);
    if (kind == PDE_OPT_ademamix)
        return ademamix(o, rate, t, w, g, s);
    if (kind == PDE_OPT_sgd || kind == PDE_OPT_natural) {
        *m = o->beta1 * *m + g + o->decay * w;
        return w - rate * *m;
    }
    if (kind == PDE_OPT_adam)
        g += o->decay * w;
    *m = o->beta1 * *m + (1 - o->beta1) * g;
    *v = o->beta2 * *v + (1 - o->beta2) * g * g;
    double mh = *m / (1 - pow(o->beta1, t)), vh = *v / (1 - pow(o->beta2, t));
    if (kind == PDE_OPT_adamw)
        w -= rate * o->decay * w;
    return w - rate * mh / (sqrt(vh) + o->epsilon);
}

/* The case with another optimiser; 0: no such instruction set here. */
static int open_with(Case *c, const Problem *p, int f64, PdeIsa isa, PdeOptimConfig optim) {
    if (!case_open_on(c, p, f64, 2, isa, 0))
        return 0;
    pde_engine_destroy(c->e);
    pde_batch_destroy(c->q);
    PdeEngineConfig config = {f64 ? PDE_F64 : PDE_F32, isa,   2,   p->layers, p->width,
                              p->activation,           optim, NULL};
    c->e = pde_engine_create(&config);
    PdeBatchConfig batch = {.points = p->points, .blocks = p->blocks, .residuals = 1};
    memcpy(batch.block, p->block, sizeof p->block);
    c->q = pde_batch_create(c->e, &batch);
    load_theta(c, c->theta);
    for (long i = 0; i < check_groups(p->points) * c->n_in * PDE_LANES; i++)
        set_real(c, pde_batch_x(c->q), i, check_random());
    fill_directions(c);
    return 1;
}

/* Steps of the engine (fused, or from the stored gradient) against the formulas. The formulas get
 * the engine's own gradient, which other tests hold to account.
 */
TEST rule_matches_formula(PdeOptimiser kind, int f64, int stored, PdeIsa isa) {
    const Problem *p = &problems[7];
    PdeOptimConfig optim = pde_optim_default(kind);
    Case c;
    optim.decay = 0.1;
    if (!open_with(&c, p, f64, isa, optim))
        SKIPm("no such instruction set here");
    size_t size = (size_t)c.n * sizeof(double);
    double *g = malloc(size), *w = malloc(size), *state = calloc(STATES, size);
    void *got = malloc(size);
    double tolerance = f64 ? 1e-12 : 3e-6;
    memcpy(w, c.theta, size);
    for (int t = 1; t <= UPDATES; t++) {
        PdeTaskSpec task = {.combine = check_combine, .context = &c, .scale = 1};
        pde_gradient_begin(c.e);
        pde_gradient_add(c.e, c.q, &task);
        pde_gradient_store(c.e);
        pde_engine_get(c.e, PDE_SLOT_GRADIENT, got);
        for (long i = 0; i < c.n; i++)
            g[i] = get_real(&c, got, i);
        if (!stored) {
            pde_gradient_begin(c.e);
            pde_gradient_add(c.e, c.q, &task);
        }
        pde_update(c.e, 0.01);
        pde_engine_get(c.e, PDE_SLOT_PARAMETERS, got);
        for (long i = 0; i < c.n; i++) {
            double old = w[i];
            w[i] = reference(kind, &optim, 0.01, t, w[i], g[i], &state[STATES * i]);
            ASSERT_IN_RANGE(w[i], get_real(&c, got, i), tolerance * (1 + fabs(w[i])));
            ASSERT(g[i] == 0 || w[i] != old);
            w[i] = get_real(&c, got, i);
        }
    }
    ASSERT_EQ(UPDATES, pde_engine_updates(c.e));
    free(g);
    free(w);
    free(state);
    free(got);
    case_close(&c);
    PASS();
}

static void take_updates(Case *c, int updates) {
    PdeTaskSpec task = {.combine = check_combine, .context = c, .scale = 1};
    for (int t = 0; t < updates; t++) {
        pde_gradient_begin(c->e);
        pde_gradient_add(c->e, c->q, &task);
        pde_update(c->e, 0.01);
    }
}

/* A rule's state is all in its slots: what goes on from a copy of them has the same bits. */
TEST goes_on_from_its_slots(PdeOptimiser kind, int f64) {
    enum { SLOTS = 1 + PDE_STATES_MAX };
    Case c;
    ASSERT(open_with(&c, &problems[7], f64, PDE_ISA_BEST, pde_optim_default(kind)));
    size_t size = (size_t)c.n * sizeof(double);
    ASSERT_EQ(pde_optim_states(kind), pde_engine_slots(c.e));
    char *then = calloc(SLOTS, size), *now = calloc(2, size);
    take_updates(&c, 2);
    for (int slot = 0; slot <= pde_engine_slots(c.e); slot++)
        pde_engine_get(c.e, slot, then + (size_t)slot * size);
    take_updates(&c, 3);
    pde_engine_get(c.e, PDE_SLOT_PARAMETERS, now);
    for (int slot = 0; slot <= pde_engine_slots(c.e); slot++)
        pde_engine_set(c.e, slot, then + (size_t)slot * size);
    pde_engine_set_updates(c.e, 2);
    take_updates(&c, 3);
    pde_engine_get(c.e, PDE_SLOT_PARAMETERS, now + size);
    ASSERT_EQ(0, memcmp(now, now + size, size));
    ASSERT(memcmp(now, then, size) != 0);
    free(then);
    free(now);
    case_close(&c);
    PASS();
}

TEST clipping_limits_the_norm(int f64) {
    Case c;
    ASSERT(case_open_on(&c, &problems[1], f64, 2, PDE_ISA_BEST, 0));
    double *g = malloc((size_t)c.n * sizeof(double));
    void *raw = malloc((size_t)c.n * sizeof(double));
    case_gradient(&c, g);
    double norm = norm_of(g, c.n), tolerance = f64 ? 1e-12 : 1e-5;
    ASSERT_IN_RANGE(norm, pde_gradient_clip(c.e, norm / 3), tolerance * norm);
    ASSERT_IN_RANGE(norm / 3, pde_gradient_norm(c.e), tolerance * norm);
    ASSERT_IN_RANGE(norm / 3, pde_gradient_clip(c.e, norm), tolerance * norm);
    pde_engine_get(c.e, PDE_SLOT_GRADIENT, raw);
    for (long i = 0; i < c.n; i++)
        ASSERT_IN_RANGE(g[i] / 3, get_real(&c, raw, i), tolerance * norm);
    free(g);
    free(raw);
    case_close(&c);
    PASS();
}

TEST slots_round_trip(PdeIsa isa) {
    Case c;
    if (!case_open_on(&c, &problems[5], 1, 1, isa, 0))
        SKIPm("no such instruction set here");
    double *a = malloc((size_t)c.n * sizeof(double)), *b = malloc((size_t)c.n * sizeof(double));
    ASSERT_EQ(2, pde_engine_slots(c.e));
    for (int slot = 0; slot <= 2; slot++) {
        for (long i = 0; i < c.n; i++)
            a[i] = check_random();
        pde_engine_set(c.e, slot, a);
        pde_engine_get(c.e, slot, b);
        ASSERT_EQ(0, memcmp(a, b, (size_t)c.n * sizeof(double)));
    }
    free(a);
    free(b);
    case_close(&c);
    PASS();
}

/* After an update the engine must be as one that was given the same parameters: nothing it keeps
 * beside them may be stale.
 */
TEST update_leaves_nothing_stale(void) {
    Case a, b;
    ASSERT(case_open(&a, &problems[1], 1));
    ASSERT(case_open(&b, &problems[1], 1));
    size_t size = (size_t)a.n * sizeof(double);
    double *ga = malloc(size), *gb = malloc(size);
    case_gradient(&a, ga);
    pde_update(a.e, 0.1);
    pde_engine_get(a.e, PDE_SLOT_PARAMETERS, gb);
    pde_engine_set(b.e, PDE_SLOT_PARAMETERS, gb);
    case_gradient(&a, ga);
    case_gradient(&b, gb);
    ASSERT_EQ(0, memcmp(ga, gb, size));
    free(ga);
    free(gb);
    case_close(&a);
    case_close(&b);
    PASS();
}

TEST schedules_are_right(void) {
    PdeRateConfig r = {
        .kind = PDE_RATE_linear, .base = 2.0, .final = 0.5, .warmup = 10, .total = 110};
    ASSERT_IN_RANGE(0.2, pde_rate(&r, 0), 1e-15);
    ASSERT_IN_RANGE(2.0, pde_rate(&r, 9), 1e-15);
    ASSERT_IN_RANGE(2.0, pde_rate(&r, 10), 1e-15);
    ASSERT_IN_RANGE(1.5, pde_rate(&r, 60), 1e-15);
    ASSERT_IN_RANGE(1.0, pde_rate(&r, 500), 1e-15);
    r.kind = PDE_RATE_cosine;
    ASSERT_IN_RANGE(1.5, pde_rate(&r, 60), 1e-12);
    ASSERT_IN_RANGE(1.0 + 0.5 * (1 + sqrt(0.5)), pde_rate(&r, 35), 1e-12);
    r.kind = PDE_RATE_exponential;
    ASSERT_IN_RANGE(2 * sqrt(0.5), pde_rate(&r, 60), 1e-12);
    r.kind = PDE_RATE_constant;
    ASSERT_IN_RANGE(2.0, pde_rate(&r, 100), 1e-15);
    r = (PdeRateConfig){.kind = PDE_RATE_power, .base = 3, .total = 10, .offset = 4, .exponent = 2};
    ASSERT_IN_RANGE(3.0 / 25, pde_rate(&r, 0), 1e-15);
    ASSERT_IN_RANGE(3.0 / 10000, pde_rate(&r, 95), 1e-15);
    PASS();
}

SUITE(optimisers) {
    for (int kind = 0; kind < PDE_OPTIMISERS; kind++)
        for (int isa = PDE_ISA_BASE; isa < PDE_ISAS; isa++)
            for (int mode = 0; mode < 4; mode++)
                RUN_TESTp(rule_matches_formula, (PdeOptimiser)kind, mode & 1, mode >> 1,
                          (PdeIsa)isa);
    for (int kind = 0; kind < PDE_OPTIMISERS; kind++)
        for (int f64 = 0; f64 < 2; f64++)
            RUN_TESTp(goes_on_from_its_slots, (PdeOptimiser)kind, f64);
    RUN_TESTp(clipping_limits_the_norm, 0);
    RUN_TESTp(clipping_limits_the_norm, 1);
    for (int isa = PDE_ISA_BASE; isa < PDE_ISAS; isa++)
        RUN_TESTp(slots_round_trip, (PdeIsa)isa);
    RUN_TEST(update_leaves_nothing_stale);
    RUN_TEST(schedules_are_right);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(optimisers);
    GREATEST_MAIN_END();
}
