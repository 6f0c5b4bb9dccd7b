/* The Jacobian of stacked residuals against explicit rows (the engine's own gradients, one residual
 * at a time) and against finite differences: K = J J', J phi, J' s, and J'J, for every kind of direction,
 * several batches, parts of one residual, several residuals, and every number of threads.
 */
#include "explicit_rows.h"

/* A Gram block with weights that are not 0 or 1, beside other directions. */
static const Problem grams[] = {
    {"gram", 3, {60, 33, 9, 1}, PDE_ACT_tanh, 17, 1, {{PDE_DIR_GRAM, 2, 33, 0}}},
    {"gram, position, time",
     4,
     {45, 20, 12, 9, 1},
     PDE_ACT_tanh,
     19,
     3,
     {{PDE_DIR_GRAM, 2, 20, 0}, {PDE_DIR_POSITION, 1, 1, 0}, {PDE_DIR_UNIT, 1, 1, 0}}},
    {"gram, dense, point dense",
     3,
     {40, 17, 9, 1},
     PDE_ACT_sin,
     18,
     3,
     {{PDE_DIR_GRAM, 2, 17, 0}, {PDE_DIR_DENSE, 1, 3, 0}, {PDE_DIR_POINT_DENSE, 1, 2, 0}}},
    {"gram, two outputs",
     3,
     {700, 20, 9, 2},
     PDE_ACT_tanh,
     21,
     2,
     {{PDE_DIR_GRAM, 2, 20, 0}, {PDE_DIR_UNIT, 1, 2, 0}}},
    {"gram beside order 3",
     3,
     {40, 17, 9, 1},
     PDE_ACT_tanh,
     11,
     2,
     {{PDE_DIR_UNIT, 3, 2, 0}, {PDE_DIR_GRAM, 2, 17, 0}}},
    {"gram, depth 2", 2, {30, 9, 1}, PDE_ACT_gelu, 7, 1, {{PDE_DIR_GRAM, 2, 9, 0}}},
};

enum { GRAMS = sizeof grams / sizeof grams[0] };

/* Largest differences of K, J phi and J' s from explicit rows, relative to their largest entry. */
typedef struct Difference {
    double k, times, transposed;
} Difference;

static Difference compare(const Case *c, PdeJacobian *j, const double *rows, long m) {
    double *k = malloc((size_t)(m * m) * sizeof *k), *phi = malloc((size_t)c->n * sizeof *phi);
    double *s = malloc((size_t)m * sizeof *s), *out = malloc((size_t)m * sizeof *out);
    double *g = calloc((size_t)c->n, sizeof *g), top = 0;
    void *real = malloc((size_t)c->n * sizeof(double));
    Difference d = {0};
    for (long i = 0; i < c->n; i++) {
        phi[i] = check_random();
        set_real(c, real, i, phi[i]);
        phi[i] = get_real(c, real, i);
    }
    for (long i = 0; i < m; i++)
        s[i] = check_random();
    pde_engine_set(c->e, PDE_SLOT_STATE, real);
    pde_jacobian_gram(j, k);
    for (long a = 0; a < m; a++)
        top = fmax(top, product(rows + a * c->n, rows + a * c->n, c->n));
    for (long a = 0; a < m; a++)
        for (long b = 0; b < m; b++)
            d.k = fmax(d.k,
                       fabs(k[a * m + b] - product(rows + a * c->n, rows + b * c->n, c->n)) / top);
    pde_jacobian_times(j, PDE_SLOT_STATE, out);
    double size = sqrt(top) * norm_of(phi, c->n);
    for (long a = 0; a < m; a++)
        d.times = fmax(d.times, fabs(out[a] - product(rows + a * c->n, phi, c->n)) / size);
    for (long a = 0; a < m; a++)
        for (long i = 0; i < c->n; i++)
            g[i] += s[a] * rows[a * c->n + i];
    pde_jacobian_transposed(j, s);
    pde_gradient_store(c->e);
    pde_engine_get(c->e, PDE_SLOT_GRADIENT, real);
    double *got = malloc((size_t)c->n * sizeof *got);
    for (long i = 0; i < c->n; i++)
        got[i] = get_real(c, real, i);
    d.transposed = distance_of(got, g, c->n) / norm_of(g, c->n);
    free(k);
    free(phi);
    free(s);
    free(out);
    free(g);
    free(real);
    free(got);
    return d;
}

/* most: bytes of stored rows, so that J is made in blocks of columns; 0: whole */
TEST matches_explicit_rows(const Problem *p, int f64, int uniform, PdeIsa isa, int64_t most) {
    Case c;
    if (!case_open_on(&c, p, f64, 2, isa, uniform))
        SKIPm("no such instruction set here");
    double *rows = malloc((size_t)(p->points * c.n) * sizeof *rows);
    double tolerance = f64 ? 1e-11 : 2e-5;
    explicit_rows(&c, rows);
    PdeJacobian *j = pde_jacobian_create(c.e, &(PdeJacobianPart){c.q, 0}, 1, most);
    ASSERT(j);
    ASSERT(most == 0 ? pde_jacobian_blocks(j) == 1 : pde_jacobian_blocks(j) > 1);
    ASSERT_EQ(p->points, pde_jacobian_rows(j));
    for (int again = 0; again < 2; again++) {
        PdeTaskSpec task = {.combine = check_combine, .context = &c, .scale = 1};
        pde_jacobian_begin(j);
        pde_jacobian_add(j, 0, &task);
        Difference d = compare(&c, j, rows, p->points);
        if (d.k > tolerance || d.times > tolerance || d.transposed > tolerance)
            fprintf(stderr, "%s: K %.1e, J phi %.1e, J's %.1e\n", p->name, d.k, d.times,
                    d.transposed);
        ASSERT_IN_RANGE(0.0, d.k, tolerance);
        ASSERT_IN_RANGE(0.0, d.times, tolerance);
        ASSERT_IN_RANGE(0.0, d.transposed, tolerance);
    }
    PdeTaskSpec task = {.combine = check_combine, .context = &c, .scale = 1};
    PdeJacobianPart part = {c.q, 0};
    if (most == 0)
        ASSERT_IN_RANGE(0.0, normal_difference(&c, &part, &task, 1, rows, p->points), tolerance);
    pde_jacobian_destroy(j);
    free(rows);
    case_close(&c);
    PASS();
}

/* More rows than a group holds, in more tiles than one, and of points that do not fill the last. */
TEST normal_in_groups(int f64) {
    static const Problem p = {"many",
                              3,
                              {3, 20, 11, 1},
                              PDE_ACT_tanh,
                              2301,
                              2,
                              {{PDE_DIR_UNIT, 2, 3, 0}, {PDE_DIR_POINT_DENSE, 1, 1, 0}}};
    Case c;
    ASSERT(case_open_on(&c, &p, f64, 2, PDE_ISA_BEST, 0));
    double *rows = malloc((size_t)(p.points * c.n) * sizeof *rows);
    explicit_rows(&c, rows);
    PdeTaskSpec task = {.combine = check_combine, .context = &c, .scale = 1};
    PdeJacobianPart part = {c.q, 0};
    double d = normal_difference(&c, &part, &task, 1, rows, p.points);
    if (getenv("PDE_FIGURES"))
        fprintf(stderr, "J'J of %ld rows: %.1e\n", p.points, d);
    ASSERT_IN_RANGE(0.0, d, f64 ? 1e-12 : 1e-8); /* sums in float32: 5e-8 */
    free(rows);
    case_close(&c);
    PASS();
}

/* J phi against (R(theta + h phi) - R(theta - h phi)) / 2h, which knows nothing of gradients. */
TEST matches_finite_differences(const Problem *p, int uniform) {
    const double h = 1e-5;
    Case c;
    ASSERT(case_open_on(&c, p, 1, 1, PDE_ISA_BEST, uniform));
    size_t m = (size_t)p->points, n = (size_t)c.n;
    double *phi = malloc(n * sizeof *phi), *moved = malloc(n * sizeof *moved);
    double *out = malloc(m * sizeof *out), *k = malloc(m * m * sizeof *k);
    double *r[2] = {malloc(m * sizeof **r), malloc(m * sizeof **r)}, top = 0;
    for (size_t i = 0; i < n; i++)
        phi[i] = check_random();
    PdeJacobian *j = pde_jacobian_create(c.e, &(PdeJacobianPart){c.q, 0}, 1, 0);
    PdeTaskSpec task = {.combine = check_combine, .context = &c, .scale = 1};
    pde_engine_set(c.e, PDE_SLOT_STATE, phi);
    pde_jacobian_begin(j);
    pde_jacobian_add(j, 0, &task);
    pde_jacobian_gram(j, k);
    pde_jacobian_times(j, PDE_SLOT_STATE, out);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < n; i++)
            moved[i] = c.theta[i] + (side ? -h : h) * phi[i];
        load_theta(&c, moved);
        task.residual = r[side];
        pde_value(c.e, c.q, &task);
    }
    for (size_t b = 0; b < m; b++)
        top = fmax(top, fabs(out[b]));
    for (size_t b = 0; b < m; b++)
        ASSERT_IN_RANGE((r[0][b] - r[1][b]) / (2 * h), out[b], 1e-7 * top);
    pde_jacobian_destroy(j);
    free(phi);
    free(moved);
    free(out);
    free(k);
    free(r[0]);
    free(r[1]);
    case_close(&c);
    PASS();
}

/* A second case on the first one's engine: other points, directions and seeds. */
static int case_beside(Case *two, const Case *one, const Problem *p, int uniform) {
    Case fresh;
    if (!case_open_on(&fresh, p, one->f64, 1, PDE_ISA_BEST, uniform))
        return 0;
    PdeBatchConfig batch = {.points = p->points, .blocks = p->blocks, .residuals = 1};
    for (int i = 0; i < p->blocks; i++)
        batch.block[i] = p->block[i];
    PdeBatch *q = pde_batch_create(one->e, &batch);
    pde_batch_destroy(fresh.q);
    pde_engine_destroy(fresh.e);
    *two = fresh;
    two->e = one->e;
    two->q = q;
    if (!q)
        return 0;
    check_counter = 100000;
    for (long i = 0; i < check_groups(p->points) * two->n_in * PDE_LANES; i++)
        set_real(two, pde_batch_x(q), i, check_random());
    fill_directions(two);
    return 1;
}

static void case_leave(Case *c) {
    pde_batch_destroy(c->q);
    free(c->theta);
    free(c->seed);
    free(c->out);
    free(c->multiplier);
}

/* Two batches with directions of every kind: other rows (stacked losses), or the same rows. */
TEST batches_stack(const Problem *p, const Problem *o, int uniform, int same_rows, int64_t most) {
    Case c, other;
    ASSERT(case_open_on(&c, p, 1, 2, PDE_ISA_BEST, uniform));
    ASSERT(case_beside(&other, &c, o, uniform));
    long b = p->points, m = same_rows ? b : b + o->points;
    double *rows = calloc((size_t)((b + o->points) * c.n), sizeof *rows), *second = rows + b * c.n;
    explicit_rows(&c, rows);
    explicit_rows(&other, second);
    for (long i = 0; i < o->points * c.n; i++)
        second[i] *= 0.5;
    for (long i = 0; same_rows && i < b * c.n; i++)
        rows[i] += second[i];
    const PdeJacobianPart part[] = {{c.q, 0}, {other.q, same_rows ? 0 : b}};
    PdeJacobian *j = pde_jacobian_create(c.e, part, 2, most);
    PdeTaskSpec task = {.combine = check_combine, .context = &c, .scale = 1};
    PdeTaskSpec half = {.combine = check_combine, .context = &other, .scale = 0.5};
    ASSERT(j);
    pde_jacobian_begin(j);
    pde_jacobian_add(j, 0, &task);
    pde_jacobian_add(j, 1, &half);
    Difference d = compare(&c, j, rows, m);
    ASSERT_IN_RANGE(0.0, d.k, 1e-11);
    ASSERT_IN_RANGE(0.0, d.times, 1e-11);
    ASSERT_IN_RANGE(0.0, d.transposed, 1e-11);
    const PdeTaskSpec both[] = {task, half};
    if (most == 0)
        ASSERT_IN_RANGE(0.0, normal_difference(&c, part, both, 2, rows, m), 1e-11);
    pde_jacobian_destroy(j);
    free(rows);
    case_leave(&other);
    case_close(&c);
    PASS();
}

/* Residuals (R, 2 R + N^2 / 2): rows in the order of points, then residuals. */
static void pair_combine(void *context, const PdeJet *jet) {
    Case *c = context;
    PdeJet one = *jet;
    check_combine(c, &one);
    double n = ((const double *)jet->n)[0], *r = jet->residual;
    r[1] = 2 * r[0] + n * n / 2;
    if (!jet->seed_n)
        return;
    double *seed_n = jet->seed_n;
    for (long o = 0; o < c->n_out; o++)
        seed_n[c->n_out + o] = 2 * seed_n[o];
    seed_n[c->n_out] += n;
    for (int m = 0; m < c->order; m++) {
        double *seed = jet->seed_d[m];
        for (long i = 0; i < c->each; i++)
            seed[c->each + i] = 2 * seed[i];
    }
}

TEST several_residuals(const Problem *p) {
    Case c;
    ASSERT(case_open(&c, p, 1));
    PdeBatchConfig config = {
        .points = p->points, .blocks = p->blocks, .residuals = 2, .x = pde_batch_x(c.q)};
    for (int i = 0; i < p->blocks; i++)
        config.block[i] = p->block[i];
    PdeBatch *two = pde_batch_create(c.e, &config), *one = c.q;
    ASSERT(two);
    c.q = two;
    fill_directions(&c);
    long m = 2 * p->points;
    double *rows = malloc((size_t)(m * c.n) * sizeof *rows);
    double *multiplier = malloc((size_t)m * sizeof *multiplier);
    PdeTaskSpec task = {
        .combine = pair_combine, .context = &c, .multiplier = multiplier, .scale = 1};
    for (long a = 0; a < m; a++) {
        for (long i = 0; i < m; i++)
            multiplier[i] = i == a;
        pde_gradient_begin(c.e);
        pde_gradient_add(c.e, two, &task);
        pde_gradient_store(c.e);
        pde_engine_get(c.e, PDE_SLOT_GRADIENT, rows + a * c.n);
    }
    PdeJacobian *j = pde_jacobian_create(c.e, &(PdeJacobianPart){two, 0}, 1, 0);
    pde_jacobian_begin(j);
    pde_jacobian_add(j, 0, &task);
    Difference d = compare(&c, j, rows, m);
    ASSERT_IN_RANGE(0.0, d.k, 1e-11);
    ASSERT_IN_RANGE(0.0, d.times, 1e-11);
    ASSERT_IN_RANGE(0.0, d.transposed, 1e-11);
    PdeJacobianPart part = {two, 0};
    ASSERT_IN_RANGE(0.0, normal_difference(&c, &part, &task, 1, rows, m), 1e-11);
    pde_jacobian_destroy(j);
    free(rows);
    free(multiplier);
    pde_batch_destroy(one);
    case_close(&c);
    PASS();
}

TEST bits_do_not_depend_on_threads(const Problem *p, int f64, int uniform) {
    const int threads[] = {1, 2, 4};
    size_t m = (size_t)p->points;
    double *k = malloc(3 * m * m * sizeof *k), *t = malloc(3 * m * sizeof *t);
    double *s = malloc(m * sizeof *s);
    void *theta[3];
    size_t bytes = 0;
    for (size_t i = 0; i < m; i++)
        s[i] = (double)(i % 64) - 20;
    for (int i = 0; i < 3; i++) {
        Case c;
        ASSERT(case_open_on(&c, p, f64, threads[i], PDE_ISA_BEST, uniform));
        PdeJacobian *j = pde_jacobian_create(c.e, &(PdeJacobianPart){c.q, 0}, 1, 0);
        PdeTaskSpec task = {.combine = check_combine, .context = &c, .scale = 1};
        bytes = (size_t)c.n * (f64 ? sizeof(double) : sizeof(float));
        theta[i] = malloc(bytes);
        pde_engine_get(c.e, PDE_SLOT_PARAMETERS, theta[i]);
        pde_engine_set(c.e, PDE_SLOT_STATE, theta[i]);
        pde_jacobian_begin(j);
        pde_jacobian_add(j, 0, &task);
        pde_jacobian_gram(j, k + (size_t)i * m * m);
        pde_jacobian_times(j, PDE_SLOT_STATE, t + (size_t)i * m);
        pde_jacobian_transposed(j, s);
        pde_update(c.e, 0.01);
        pde_engine_get(c.e, PDE_SLOT_PARAMETERS, theta[i]);
        pde_jacobian_destroy(j);
        case_close(&c);
    }
    for (size_t i = 1; i < 3; i++) {
        ASSERT_MEM_EQ(k, k + i * m * m, m * m * sizeof *k);
        ASSERT_MEM_EQ(t, t + i * m, m * sizeof *t);
        ASSERT_MEM_EQ(theta[0], theta[i], bytes);
    }
    free(k);
    free(t);
    free(s);
    for (int i = 0; i < 3; i++)
        free(theta[i]);
    PASS();
}

/* J'J of more rows than a group, and its solution: by one thread and by more. */
TEST normal_bits_do_not_depend_on_threads(const Problem *p, int f64, int uniform) {
    const int threads[] = {1, 2, 4};
    double *a[3] = {NULL}, *g[3] = {NULL};
    size_t bytes = 0, columns = 0;
    Error error;
    ASSERT_EQ(STATUS_OK, lapack_open(4, &error));
    for (int i = 0; i < 3; i++) {
        Case c;
        ASSERT(case_open_on(&c, p, f64, threads[i], PDE_ISA_BEST, uniform));
        if (c.n > 5000) { /* J'J would be large */
            case_close(&c);
            SKIP();
        }
        PdeJacobianPart part = {c.q, 0};
        PdeTaskSpec task = {.combine = check_combine, .context = &c, .scale = 1};
        PdeNormal *normal = pde_normal_create(c.e, &part, 1, 0);
        double *r = malloc((size_t)p->points * sizeof *r);
        for (long k = 0; k < p->points; k++)
            r[k] = sin((double)k);
        columns = (size_t)c.n * sizeof(double);
        bytes = (size_t)tiled_size(c.n) * sizeof(double);
        a[i] = malloc(bytes);
        g[i] = malloc(columns);
        Tiled t = {c.n, a[i], aligned_alloc(64, (size_t)tiled_packed(c.n) * sizeof(double))};
        pde_normal_add(normal, 0, &task);
        pde_normal_sum(normal, r, NULL, &t, g[i]);
        tiled_shift(&t, 1e-3 * tiled_trace(&t));
        ASSERT(tiled_factor(c.e, lapack(), &t));
        free(t.packed);
        tiled_solve(lapack(), &t, g[i]);
        pde_normal_destroy(normal);
        case_close(&c);
        free(r);
    }
    for (int i = 1; i < 3; i++) {
        ASSERT_MEM_EQ(a[0], a[i], bytes);
        ASSERT_MEM_EQ(g[0], g[i], columns);
    }
    for (int i = 0; i < 3; i++) {
        free(a[i]);
        free(g[i]);
    }
    PASS();
}

/* The factor's product and the solution's residual, with a last tile that is not full. */
TEST tiles_solve(long n) {
    Case c;
    Error error;
    ASSERT_EQ(STATUS_OK, lapack_open(4, &error));
    ASSERT(case_open_on(&c, &problems[0], 1, 2, PDE_ISA_BEST, 0));
    size_t size = (size_t)(n * n);
    double *whole = calloc(size, sizeof *whole), *b = malloc((size_t)n * sizeof *b);
    Tiled t = {n, calloc((size_t)tiled_size(n), sizeof(double)),
               aligned_alloc(64, (size_t)tiled_packed(n) * sizeof(double))};
    for (long i = 0; i < n; i++)
        for (long j = 0; j <= i; j++)
            whole[i * n + j] = whole[j * n + i] =
                tiled_at(&t, i / TILE, j / TILE)[j % TILE * TILE + i % TILE] =
                    i == j ? 3 * sqrt((double)n) : check_random();
    double trace = tiled_trace(&t);
    ASSERT_IN_RANGE(3 * sqrt((double)n) * (double)n, trace, 1e-9 * trace);
    tiled_shift(&t, 0.5);
    for (long i = 0; i < n; i++) {
        b[i] = sin((double)i);
        whole[i * n + i] += 0.5;
    }
    ASSERT(tiled_factor(c.e, lapack(), &t));
    tiled_solve(lapack(), &t, b);
    for (long i = 0; i < n; i++)
        ASSERT_IN_RANGE(sin((double)i), product(whole + i * n, b, n), 1e-11);
    tiled_at(&t, 0, 0)[0] = -1;
    ASSERT_FALSE(tiled_factor(c.e, lapack(), &t));
    free(whole);
    free(b);
    free(t.packed);
    free(t.m);
    case_close(&c);
    PASS();
}

/* K of a case, owner: caller. */
static double *k_of(Case *c, int64_t most) {
    size_t m = (size_t)c->p->points;
    double *k = malloc(m * m * sizeof *k);
    PdeJacobian *j = pde_jacobian_create(c->e, &(PdeJacobianPart){c->q, 0}, 1, most);
    PdeTaskSpec task = {.combine = check_combine, .context = c, .scale = 1};
    pde_jacobian_begin(j);
    pde_jacobian_add(j, 0, &task);
    pde_jacobian_gram(j, k);
    pde_jacobian_destroy(j);
    return k;
}

static double largest(const double *a, const double *b, long n) {
    double d = 0;
    for (long i = 0; i < n; i++)
        d = fmax(d, fabs(a[i] - (b ? b[i] : 0)));
    return d;
}

/* Is float32 enough for the sums of K? Blocks of 1024 columns are summed in float32, their sums in
 * double. What that loses, beside products of the same float32 rows in double, must be less than what
 * the rows have lost already, beside those of float64: then more digits in the sums would buy nothing.
 */
TEST sums_lose_less_than_rows(void) {
    static const Problem p = {"wide",
                              4,
                              {2000, 64, 64, 64, 1},
                              PDE_ACT_tanh,
                              48,
                              2,
                              {{PDE_DIR_GRAM, 2, 64, 0}, {PDE_DIR_POSITION, 1, 1, 0}}};
    Case single, both;
    ASSERT(case_open_on(&single, &p, 0, 1, PDE_ISA_BEST, 1));
    ASSERT(case_open_on(&both, &p, 1, 1, PDE_ISA_BEST, 1));
    long m = p.points;
    double *rows = malloc((size_t)(m * single.n) * sizeof *rows), *k32 = k_of(&single, 0);
    double *k64 = k_of(&both, 0), *exact = malloc((size_t)(m * m) * sizeof *exact);
    double *blocks = k_of(&single, 1);
    explicit_rows(&single, rows);
    for (long a = 0; a < m; a++)
        for (long b = 0; b < m; b++)
            exact[a * m + b] = product(rows + a * single.n, rows + b * single.n, single.n);
    double top = largest(k64, NULL, m * m);
    double sums = largest(k32, exact, m * m) / top, all = largest(k32, k64, m * m) / top;
    double apart = largest(blocks, k32, m * m) / top;
    if (getenv("PDE_FIGURES"))
        fprintf(stderr, "K in float32: sums %.1e, all %.1e, blocks %.1e\n", sums, all, apart);
    ASSERT(all > 0 && all < 1e-5);
    ASSERT(sums < all);
    ASSERT(apart < all);
    free(rows);
    free(k32);
    free(k64);
    free(exact);
    free(blocks);
    case_close(&single);
    case_close(&both);
    PASS();
}

TEST undo_brings_everything_back(void) {
    Case c;
    ASSERT(case_open(&c, &problems[1], 1));
    double *g = malloc((size_t)c.n * sizeof *g), *was = malloc((size_t)c.n * sizeof *was);
    double before = case_value(&c);
    case_gradient(&c, g);
    pde_engine_get(c.e, PDE_SLOT_STATE, was);
    ASSERT(pde_engine_keep(c.e));
    ASSERT_IN_RANGE(norm_of(c.theta, c.n), pde_engine_norm(c.e, PDE_SLOT_PARAMETERS), 1e-12);
    pde_update(c.e, 0.1);
    ASSERT(case_value(&c) != before);
    pde_engine_undo(c.e);
    ASSERT_EQ(before, case_value(&c));
    pde_engine_get(c.e, PDE_SLOT_STATE, g);
    ASSERT_MEM_EQ(was, g, (size_t)c.n * sizeof *g);
    free(g);
    free(was);
    case_close(&c);
    PASS();
}

SUITE(natural) {
    for (int i = 0; i < PROBLEMS; i++) {
        for (int isa = PDE_ISA_BASE; isa < PDE_ISAS; isa++)
            RUN_TESTp(matches_explicit_rows, &problems[i], 1, 0, (PdeIsa)isa, 0);
        RUN_TESTp(matches_explicit_rows, &problems[i], 0, 0, PDE_ISA_BEST, 0);
        if (problems[i].activation != PDE_ACT_relu3)
            RUN_TESTp(matches_finite_differences, &problems[i], 0);
        RUN_TESTp(bits_do_not_depend_on_threads, &problems[i], 0, 0);
        RUN_TESTp(normal_bits_do_not_depend_on_threads, &problems[i], 0, 0);
        RUN_TESTp(several_residuals, &problems[i]);
        RUN_TESTp(matches_explicit_rows, &problems[i], 1, 0, PDE_ISA_BEST, 1);
        RUN_TESTp(matches_explicit_rows, &problems[i], 0, 0, PDE_ISA_BEST, 1);
    }
    for (int i = 0; i < GRAMS; i++) {
        RUN_TESTp(matches_explicit_rows, &grams[i], 1, 1, PDE_ISA_BEST, 0);
        RUN_TESTp(matches_explicit_rows, &grams[i], 1, 1, PDE_ISA_BEST, 1);
        RUN_TESTp(matches_finite_differences, &grams[i], 1);
        RUN_TESTp(bits_do_not_depend_on_threads, &grams[i], 0, 1);
        RUN_TESTp(normal_bits_do_not_depend_on_threads, &grams[i], 0, 1);
    }
    static const Problem beside[] = {
        {"units", 3, {60, 33, 9, 1}, PDE_ACT_tanh, 17, 1, {{PDE_DIR_UNIT, 2, 20, 0}}},
        {"values", 3, {60, 33, 9, 1}, PDE_ACT_tanh, 30, 0, {{0}}},
        {"normals", 3, {60, 33, 9, 1}, PDE_ACT_tanh, 5, 1, {{PDE_DIR_POINT_DENSE, 1, 1, 0}}},
        {"dense", 3, {60, 33, 9, 1}, PDE_ACT_tanh, 17, 1, {{PDE_DIR_DENSE, 2, 4, 0}}},
        {"point units", 3, {60, 33, 9, 1}, PDE_ACT_tanh, 17, 1, {{PDE_DIR_POINT_UNIT, 2, 4, 0}}},
        {"point sparse", 3, {60, 33, 9, 1}, PDE_ACT_tanh, 17, 1, {{PDE_DIR_POINT_SPARSE, 2, 4, 3}}},
        {"gram again", 3, {60, 33, 9, 1}, PDE_ACT_tanh, 17, 1, {{PDE_DIR_GRAM, 2, 33, 0}}},
    };
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        RUN_TESTp(batches_stack, &grams[0], &beside[i], 1, 0, 0);
        RUN_TESTp(batches_stack, &beside[0], &beside[i], 1, 0, 0);
        RUN_TESTp(batches_stack, &grams[0], &beside[i], 1, 0, 1);
        if (beside[i].points != 17)
            continue;
        RUN_TESTp(batches_stack, &beside[0], &beside[i], 1, 1, 0);
        RUN_TESTp(batches_stack, &beside[0], &beside[i], 1, 1, 1);
    }
    static const Problem affine[] = {
        {"affine",
         3,
         {60, 9, 5, 1},
         PDE_ACT_identity,
         17,
         2,
         {{PDE_DIR_POINT_DENSE, 1, 1, 0}, {PDE_DIR_UNIT, 1, 3, 0}}},
        {"affine values", 3, {60, 9, 5, 1}, PDE_ACT_identity, 30, 0, {{0}}},
        {"affine, two",
         3,
         {60, 9, 5, 1},
         PDE_ACT_identity,
         17,
         1,
         {{PDE_DIR_POINT_DENSE, 1, 2, 0}}},
    };
    for (size_t i = 1; i < sizeof affine / sizeof *affine; i++)
        for (int blocks = 0; blocks < 2; blocks++) {
            RUN_TESTp(batches_stack, &affine[0], &affine[i], 1, 0, blocks);
            RUN_TESTp(batches_stack, &affine[i], &affine[0], 1, i == 2, blocks);
        }
    for (int f64 = 0; f64 < 2; f64++)
        RUN_TESTp(normal_in_groups, f64);
    RUN_TESTp(tiles_solve, 5);
    RUN_TESTp(tiles_solve, 3 * TILE);
    RUN_TESTp(tiles_solve, 2 * TILE + 77);
    RUN_TEST(sums_lose_less_than_rows);
    RUN_TEST(undo_brings_everything_back);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_SUITE(natural);
    GREATEST_MAIN_END();
}
