/* Time of one training step: two-body Sine-Gordon in the unit ball with a hand-written point
 * program and combine, network [d,128,128,128,1] tanh, Adam, float32.
 *
 *     Laplacian(u) + sin(u) = g,   u = q N,  q = 1 - |x|^2
 *     exact u = q sum_i c_i sin(x_i + cos x_{i+1} + x_{i+1} cos x_i)
 *
 * usage: bench_engine [d] [terms] [algorithm: 3 | 2 | exact] [steps] [threads]
 *                     [isa: 0 base, 1 AVX2, 2 AVX-512]
 * Without arguments: a table over d, terms and algorithms. Limits (FMA peak, Adam-like stream) are
 * measured in the same run; the gradient (x W1 and jets) and the update (dW1 and Adam) are shown as
 * fractions of the peak, the update's traffic as a fraction of the stream.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "limits.h"
#include "runtime/contract/rng.h"
#include "runtime/engine/engine.h"

enum { B = 100, GROUPS = (B + PDE_LANES - 1) / PDE_LANES, CHUNKS = 16, L = PDE_LANES, H = 128 };

typedef enum Algorithm { ALG_2, ALG_3, ALG_EXACT } Algorithm;

typedef struct Bench {
    long d, terms;
    Algorithm algorithm;
    PdeEngine *e;
    PdeBatch *q, *j; /* gradient batch, value batch of algorithm 2 */
    float *c, *x;
    float sum[GROUPS][CHUNKS][4][L];   /* partial sums per group, chunk of coordinates and lane */
    float edge[GROUPS][CHUNKS + 1][L]; /* unscaled first row of each chunk */
    float scale[GROUPS][L], q_of[B], g[B];
    float residual[B], multiplier[B];
    uint32_t step;
    uint64_t subset[4096], table[16384];
} Bench;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static long chunk_start(const Bench *s, long c) {
    return c * (s->d / 4) / CHUNKS * 4 + (c == CHUNKS ? s->d % 4 : 0);
}

static void points_task(void *context, long task, int worker) {
    Bench *s = context;
    long g = task / CHUNKS, c = task % CHUNKS, i0 = chunk_start(s, c), i1 = chunk_start(s, c + 1);
    float *x = s->x + g * s->d * L, sum[L] = {0};
    (void)worker;
    pde_random_fill(s->e, PDE_LAW_NORMAL, 1, 0, s->step, (uint32_t)(g * L), i0, i1, x, NULL);
    for (long i = i0; i < i1; i++)
        for (int l = 0; l < L; l++)
            sum[l] += x[i * L + l] * x[i * L + l];
    memcpy(s->sum[g][c][0], sum, sizeof sum);
    if (i1 > i0)
        memcpy(s->edge[g][c], x + i0 * L, sizeof sum);
}

static void scales(Bench *s) {
    for (long g = 0; g < GROUPS; g++)
        for (int l = 0; l < L; l++) {
            float sum = 0;
            for (int c = 0; c < CHUNKS; c++)
                sum += s->sum[g][c][0][l];
            float r = pde_uniformf(pde_random_word(1, 1, s->step, (uint32_t)(g * L + l), 0));
            s->scale[g][l] = r / sqrtf(sum);
            if (g * L + l < B)
                s->q_of[g * L + l] = 1 - r * r;
        }
}

/* sin and cos of |x| <= pi/2 + a little, both from short polynomials */
static inline float sin_small(float x) {
    float y = x * x, u = -2.3889859e-8f * y + 2.7525562e-6f;
    u = u * y - 1.9840874e-4f;
    u = u * y + 8.3333310e-3f;
    u = u * y - 1.6666667e-1f;
    return u * y * x + x;
}

static inline float cos_small(float x) {
    float y = x * x, u = -2.6051615e-7f * y + 2.4760495e-5f;
    u = u * y - 1.3888378e-3f;
    u = u * y + 4.1666638e-2f;
    u = u * y - 0.5f;
    return u * y + 1.0f;
}

static void source_task(void *context, long task, int worker) {
    Bench *s = context;
    long g = task / CHUNKS, c = task % CHUNKS, i0 = chunk_start(s, c), i1 = chunk_start(s, c + 1);
    float *x = s->x + g * s->d * L;
    float a[L] = {0}, b[L] = {0}, u[L] = {0}, s1[L], c1[L], x1[L], k[L];
    (void)worker;
    if (i0 == i1) {
        memset(s->sum[g][c], 0, sizeof s->sum[g][c]);
        return;
    }
    memcpy(k, s->scale[g], sizeof k);
    for (int l = 0; l < L; l++) {
        x1[l] = x[i0 * L + l] * k[l];
        s1[l] = sin_small(x1[l]);
        c1[l] = cos_small(x1[l]);
    }
    for (long i = i0; i < i1; i++) {
        memcpy(x + i * L, x1, sizeof x1);
        if (i + 1 == s->d)
            break;
        const float *next = i + 1 < i1 ? x + (i + 1) * L : s->edge[g][c + 1];
        float w = s->c[i];
        for (int l = 0; l < L; l++) {
            float x2 = next[l] * k[l], s2 = sin_small(x2), c2 = cos_small(x2);
            float half = 0.5f * (x1[l] + c2 + x2 * c1[l]);
            float sh = sin_small(half), ch = cos_small(half);
            float S = 2 * sh * ch, C = 1 - 2 * sh * sh;
            float p1 = 1 - x2 * s1[l], p2 = c1[l] - s2;
            a[l] -= w * (S * (p1 * p1 + p2 * p2) + C * (x2 * c1[l] + c2));
            b[l] += w * C * (x1[l] * p1 + x2 * p2);
            u[l] += w * S;
            x1[l] = x2;
            s1[l] = s2;
            c1[l] = c2;
        }
    }
    memcpy(s->sum[g][c][1], a, sizeof a);
    memcpy(s->sum[g][c][2], b, sizeof b);
    memcpy(s->sum[g][c][3], u, sizeof u);
}

static void sources(Bench *s) {
    for (long p = 0; p < B; p++) {
        float a = 0, b = 0, u = 0, q = s->q_of[p];
        for (int c = 0; c < CHUNKS; c++) {
            a += s->sum[p / L][c][1][p % L];
            b += s->sum[p / L][c][2][p % L];
            u += s->sum[p / L][c][3][p % L];
        }
        s->g[p] = q * a - 4 * b - 2 * (float)s->d * u + sinf(q * u);
    }
}

/* index: the sampled coordinates; NULL: the exact sum, whose x . grad N is the last direction */
static void combine(const Bench *s, const PdeJet *jet, const uint32_t *index, long terms) {
    const float *n1 = jet->d[0], *n2 = jet->d[1], *n = jet->n;
    const float *x = s->x + jet->point / L * s->d * L + jet->point % L;
    float q = s->q_of[jet->point], lap = 0, cross = 0, f = (float)s->d / (float)terms;
    if (!index)
        f = 1;
    for (long k = 0; k < terms; k++)
        lap += n2[k];
    for (long k = 0; k < terms && index; k++)
        cross += x[index[k] * L] * n1[k];
    if (!index)
        cross = n1[terms];
    *(float *)jet->residual =
        f * (q * lap - 4 * cross) - 2 * (float)s->d * *n + sinf(q * *n) - s->g[jet->point];
    if (!jet->seed_n)
        return;
    float *s1 = jet->seed_d[0], *s2 = jet->seed_d[1];
    *(float *)jet->seed_n = q * cosf(q * *n) - 2 * (float)s->d;
    for (long k = 0; k < terms; k++) {
        s2[k] = f * q;
        if (index)
            s1[k] = -4 * f * x[index[k] * L];
    }
    if (!index)
        s1[terms] = -4;
}

static void combine_gradient(void *context, const PdeJet *jet) {
    Bench *s = context;
    int exact = s->algorithm == ALG_EXACT;
    combine(s, jet, exact ? NULL : pde_batch_directions(s->q, 0)->index, exact ? H : s->terms);
}

static void combine_value(void *context, const PdeJet *jet) {
    Bench *s = context;
    combine(s, jet, pde_batch_directions(s->j, 0)->index, s->terms);
}

static void draw(Bench *s, PdeBatch *batch, uint32_t stream) {
    uint32_t slots = 2;
    while (slots < 2 * (uint32_t)s->terms)
        slots *= 2;
    pde_random_subset(1, stream, s->step, 0, (uint64_t)s->d, (uint32_t)s->terms, s->subset,
                      s->table, slots);
    for (long i = 0; i < s->terms; i++)
        pde_batch_directions(batch, 0)->index[i] = (uint32_t)s->subset[i];
}

static int bench_open(Bench *s, int threads, PdeIsa isa) {
    int64_t width[] = {s->d, H, H, H, 1};
    PdeEngineConfig config = {
        PDE_F32, isa, threads, 4, width, PDE_ACT_tanh, pde_optim_default(PDE_OPT_adam), NULL};
    s->e = pde_engine_create(&config);
    if (!s->e)
        return 0;
    PdeBatchConfig batch = {
        .points = B, .blocks = 1, .residuals = 1, .block = {{PDE_DIR_UNIT, 2, s->terms}}};
    if (s->algorithm == ALG_EXACT) {
        batch.blocks = 2;
        batch.block[0] = (PdeDirectionBlock){PDE_DIR_GRAM, 2, H};
        batch.block[1] = (PdeDirectionBlock){PDE_DIR_POSITION, 1, 1, 0};
    }
    s->q = pde_batch_create(s->e, &batch);
    if (!s->q)
        return 0;
    batch.points_of = s->q;
    if (s->algorithm == ALG_2) {
        /* the value batch is evaluated first, so it owns the points */
        batch.points_of = NULL;
        s->j = pde_batch_create(s->e, &batch);
        if (!s->j)
            return 0;
        pde_batch_destroy(s->q);
        batch.points_of = s->j;
        s->q = pde_batch_create(s->e, &batch);
        if (!s->q)
            return 0;
    }
    s->x = pde_batch_x(s->q);
    s->c = malloc((size_t)s->d * sizeof *s->c);
    long n = (long)pde_engine_size(s->e), at = 0;
    float *theta = malloc((size_t)n * sizeof *theta);
    for (int l = 0; l < 4; l++)
        for (long i = 0; i < (width[l] + 1) * width[l + 1]; i++, at++)
            theta[at] = (2 * pde_uniformf(pde_random_word(5, 2, 0, 0, (uint32_t)at)) - 1) /
                        sqrtf((float)width[l]);
    pde_engine_set(s->e, PDE_SLOT_PARAMETERS, theta);
    free(theta);
    for (long i = 0; i < s->d; i++) {
        float other;
        pde_normal_pairf(pde_random_word(6, 3, 0, 0, (uint32_t)i),
                         pde_random_word(6, 4, 0, 0, (uint32_t)i), &s->c[i], &other);
    }
    return 1;
}

static void bench_close(Bench *s) {
    pde_batch_destroy(s->q);
    pde_batch_destroy(s->j);
    pde_engine_destroy(s->e);
    free(s->c);
}

enum { T_RANDOM, T_SOURCE, T_VALUE, T_GRADIENT, T_UPDATE, T_ALL, PHASES };

static float one_step(Bench *s, double *t) {
    double start = now(), at = start;
    pde_engine_run(s->e, points_task, s, GROUPS * CHUNKS);
    scales(s);
    t[T_RANDOM] = now() - at;
    at = now();
    pde_engine_run(s->e, source_task, s, GROUPS * CHUNKS);
    sources(s);
    t[T_SOURCE] = now() - at;
    at = now();
    if (s->algorithm != ALG_EXACT)
        draw(s, s->q, 10);
    PdeTaskSpec task = {
        .combine = combine_gradient, .context = s, .scale = 2.0 / B, .residual = s->residual};
    if (s->algorithm == ALG_2) {
        draw(s, s->j, 11);
        PdeTaskSpec value = {.combine = combine_value, .context = s, .residual = s->multiplier};
        pde_value(s->e, s->j, &value);
        for (int b = 0; b < B; b++)
            s->multiplier[b] *= 2.0f / B;
        task.multiplier = s->multiplier;
    }
    t[T_VALUE] = now() - at;
    at = now();
    pde_gradient_begin(s->e);
    pde_gradient_add(s->e, s->q, &task);
    t[T_GRADIENT] = now() - at;
    at = now();
    if (pde_gradient_finite(s->e))
        pde_update(s->e, 1e-3);
    t[T_UPDATE] = now() - at;
    t[T_ALL] = now() - start;
    s->step++;
    float loss = 0;
    for (int b = 0; b < B; b++)
        loss += s->residual[b] * s->residual[b] / B;
    return loss;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const char *const algorithm_name[] = {"2", "3", "exact"};

/* multiplications and additions of the gradient and of the update */
static double gradient_flops(const Bench *s) {
    double b = B, h = H, d = (double)s->d, k = s->algorithm == ALG_EXACT ? h : (double)s->terms;
    double jets = 6 * 2 * h * h * k * b, values = 12 * 2 * h * h * b, product = 2 * b * d * h;
    if (s->algorithm == ALG_2)
        product = 0; /* done for the values of J */
    if (s->algorithm == ALG_EXACT)
        product += 2 * d * h * h;
    return jets + values + product;
}

static double update_flops(const Bench *s) {
    double h = H, d = (double)s->d;
    return 2 * B * d * h + (s->algorithm == ALG_EXACT ? 2 * d * h * h : 0);
}

static void run(long d, long terms, Algorithm algorithm, int steps, int threads, PdeIsa isa,
                Limits limit) {
    Bench *s = calloc(1, sizeof *s);
    s->d = d;
    s->terms = terms;
    s->algorithm = algorithm;
    if (!bench_open(s, threads, isa)) {
        printf("%ld %ld %s: cannot be set up\n", d, terms, algorithm_name[algorithm]);
        exit(1);
    }
    double *t = malloc((size_t)steps * PHASES * sizeof *t), best[PHASES];
    float first = 0, last = 0;
    for (int i = -3; i < steps; i++) {
        last = one_step(s, t + (i < 0 ? 0 : i) * PHASES);
        if (i == -3)
            first = last;
    }
    for (int p = 0; p < PHASES; p++) {
        best[p] = 1e30;
        for (int i = 0; i < steps; i++)
            if (t[i * PHASES + p] < best[p])
                best[p] = t[i * PHASES + p];
    }
    double *all = malloc((size_t)steps * sizeof *all);
    for (int i = 0; i < steps; i++)
        all[i] = t[i * PHASES + T_ALL];
    qsort(all, (size_t)steps, sizeof *all, compare);
    printf("%7ld %5ld %6s %8.3f %8.3f | %7.3f %7.3f %7.3f %7.3f %7.3f | %3.0f%% %3.0f%% %3.0f%% | "
           "%.2g -> %.2g\n",
           d, terms, algorithm_name[algorithm], all[0], all[steps / 2], best[T_RANDOM],
           best[T_SOURCE], best[T_VALUE], best[T_GRADIENT], best[T_UPDATE],
           100 * gradient_flops(s) / best[T_GRADIENT] / limit.flops,
           100 * update_flops(s) / best[T_UPDATE] / limit.flops,
           100 * 24.0 * (double)d * H / best[T_UPDATE] / limit.bytes, (double)first, (double)last);
    fflush(stdout);
    free(t);
    free(all);
    bench_close(s);
    free(s);
}

int main(int argc, char **argv) {
    static const long dims[] = {100, 1000, 10000, 100000};
    int threads = argc > 5 ? (int)strtol(argv[5], NULL, 10) : 0;
    PdeIsa isa = argc > 6 ? (PdeIsa)strtol(argv[6], NULL, 10) : PDE_ISA_BEST;
    Limits l = bench_limits(threads);
    printf("%s, %d threads: FMA peak %.1f GFLOP/s, Adam-like stream %.1f GB/s\n", l.isa, l.threads,
           l.flops * 1e-6, l.bytes * 1e-6);
    printf("%7s %5s %6s %8s %8s | %7s %7s %7s %7s %7s | %4s %4s %4s | loss\n", "d", "terms", "alg",
           "min ms", "median", "points", "source", "value", "grad", "update", "grad", "upd", "mem");
    if (argc > 2) {
        const char *name = argc > 3 ? argv[3] : "3";
        Algorithm a = name[0] == '2' ? ALG_2 : name[0] == 'e' ? ALG_EXACT : ALG_3;
        run(strtol(argv[1], NULL, 10), strtol(argv[2], NULL, 10), a,
            argc > 4 ? (int)strtol(argv[4], NULL, 10) : 50, threads, isa, l);
        return 0;
    }
    for (int i = 0; i < 4; i++) {
        int steps = dims[i] > 10000 ? 15 : 50;
        run(dims[i], 100, ALG_3, steps, threads, isa, l);
        run(dims[i], 16, ALG_3, steps, threads, isa, l);
        run(dims[i], 100, ALG_2, steps, threads, isa, l);
        if (dims[i] >= H)
            run(dims[i], H, ALG_EXACT, steps, threads, isa, l);
    }
    return 0;
}
