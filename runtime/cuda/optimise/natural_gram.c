/* natural_gram.c: K = J J', J phi and J' sol from the rows of J, by the formulas of device_natural.h. */
#include "cuda/optimise/device_natural.h"

#include <assert.h>

enum { COLUMNS = 1024 }; /* of a product whose sums are in float */

/* to[joint0 + ..] rows or columns of M, and of p: c[m][n] = op(a) b with a row of `ldc` numbers */
static void multiply(CudaSession *s, bool transpose_a, int64_t m, int64_t n, int64_t k,
                     const void *a, const void *b, void *c, int64_t ldc) {
    assert(m >= 0 && n >= 0 && k >= 0 && ldc >= n);
    Product p = product_of(transpose_a, false, m, n, k, a, b, c);
    p.ldc = ldc;
    backend_product(s->backend, &p);
}

/* ------------------------------------------------------------------------ vectors, directions */

static void vectors_square(CudaSession *s, CudaNatural *n) {
    int64_t tiles = cuda_blocks(n->vectors, DEV_TILE), size = n->vectors * n->vectors;
    int64_t chunk = (s->inputs + n->vector_chunks - 1) / n->vector_chunks;
    DevVectors a = {n->group, n->vectors_partial, n->vectors, s->inputs, chunk};
    int64_t chunks = (s->inputs + chunk - 1) / chunk, used = tiles * (tiles + 1) / 2;
    Launch launch = {.kernel = s->kernel[ENGINE_natural_vectors],
                     .grid = {(uint32_t)tiles, (uint32_t)tiles, (uint32_t)chunks},
                     .block = {DEV_THREADS, 1, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .flops = 2.0 * DEV_TILE * DEV_TILE * (double)(used * s->inputs),
                     .bytes = cuda_bytes(s, 2 * used * s->inputs * DEV_TILE) +
                              8.0 * DEV_TILE * DEV_TILE * (double)(used * chunks)};
    backend_launch(s->backend, &launch);
    DevJoinDouble j = {n->vectors_square, n->vectors_partial, size, chunks};
    if (n->vectors_partial != n->vectors_square)
        CUDA_EACH(s, natural_join, j, size, 8 * (double)(size * (chunks + 1)));
}

/* to[vector][h1] = v diag(weight) w of every vector */
static void vectors_times(CudaSession *s, const CudaNatural *n, const void *weight, const void *w,
                          void *to) {
    for (int i = 0; i < n->sources; i++) {
        DevProduct p = {.v = n->source[i].v,
                        .weight = weight,
                        .w = w,
                        .lanes = PDE_LANES,
                        .stride = s->inputs * PDE_LANES,
                        .step = PDE_LANES,
                        .rows = n->source[i].rows,
                        .n_in = s->inputs,
                        .h = s->h1};
        cuda_first_product(s, &p, cuda_at(s, to, n->source[i].vector0 * s->h1));
    }
}

/* to[h1][h1] = W1' diag(weight) w */
static void first_times(CudaSession *s, const void *weight, const void *w, void *to) {
    DevProduct p = {.v = s->theta,
                    .weight = weight,
                    .w = w,
                    .lanes = s->h1,
                    .step = s->h1,
                    .rows = s->h1,
                    .n_in = s->inputs,
                    .h = s->h1};
    cuda_first_product(s, &p, to);
}

static void joint_rows(CudaSession *s, const CudaNatural *n, const void *w, const void *weight,
                       const void *along, void *to) {
    int64_t size = n->directions * s->h1;
    DevJointRows a = {to, n->joints, w, weight, along, n->directions, s->h1};
    CUDA_EACH(s, natural_joint_rows, a, size, cuda_bytes(s, 2 * size));
}

/* What a Gram block's pseudo-directions diag(a) W1 R^-1 have in common with vectors, units, pairs.
 */
static void gram_products(CudaSession *s, CudaNatural *n, NaturalGram *g) {
    int64_t h = s->h1;
    DevSolve inverse = {n->identity, g->route->gram_work, g->inverse, h};
    CUDA_EACH(s, solve, inverse, h, 8 * (double)(h * h * h) / 2);
    vectors_times(s, n, g->block->weight, s->theta, n->by_gram);
    multiply(s, false, n->vectors, h, h, n->by_gram, g->inverse, cuda_at(s, n->products, g->joint0),
             n->directions);
    joint_rows(s, n, s->theta, g->block->weight, NULL, n->sparse_rows);
    multiply(s, false, n->directions, h, h, n->sparse_rows, g->inverse, g->sparse, h);
}

/* R^-T W1' diag(a a') W1 R'^-1 */
static void gram_with_gram(CudaSession *s, CudaNatural *n, const NaturalGram *g,
                           const NaturalGram *other) {
    int64_t h = s->h1;
    DevTimes a = {n->weight, g->block->weight, other->block->weight, s->inputs};
    CUDA_EACH(s, natural_times, a, s->inputs, cuda_bytes(s, 3 * s->inputs));
    first_times(s, n->weight, s->theta, n->small_square[0]);
    multiply(s, false, h, h, h, n->small_square[0], other->inverse, n->small_square[1], h);
    multiply(s, true, h, h, h, g->inverse, n->small_square[1],
             cuda_at(s, n->square, g->joint0 * n->directions + other->joint0), n->directions);
}

/* p and M */
static void direction_products(CudaSession *s, CudaNatural *n) {
    int64_t all = n->vectors * n->directions, square = n->directions * n->directions;
    DevProducts p = {n->products,       n->joints,  n->group,
                     n->vectors_square, n->vectors, n->directions};
    CUDA_EACH(s, natural_products, p, all, cuda_bytes(s, 2 * all));
    for (int i = 0; i < n->grams; i++)
        gram_products(s, n, &n->gram[i]);
    DevJointSquare m = {n->square, n->products, n->joints, n->directions, s->h1};
    CUDA_EACH(s, natural_joint_square, m, square, cuda_bytes(s, 2 * square));
    for (int i = 0; i < n->grams; i++)
        for (int k = 0; k < n->grams; k++)
            gram_with_gram(s, n, &n->gram[i], &n->gram[k]);
}

/* ------------------------------------------------------------------------------------------ K */

/* k (+)= a b', with both also b a', for rows of `columns` numbers */
static void add_product(CudaSession *s, CudaNatural *n, const void *a, const void *b,
                        int64_t columns, bool both, bool add) {
    int64_t width = s->real == sizeof(double) ? columns : COLUMNS, size = n->rows * n->rows;
    for (int64_t first = 0, pieces; first < columns; first += pieces * width) {
        pieces = (columns - first) / width;
        pieces = pieces > n->pieces ? n->pieces : pieces;
        if (pieces == 0) {
            pieces = 1;
            width = columns - first;
        }
        Product p = {.transpose_b = true,
                     .m = n->rows,
                     .n = n->rows,
                     .k = width,
                     .a = cuda_at(s, a, first),
                     .b = cuda_at(s, b, first),
                     .c = n->piece,
                     .lda = columns,
                     .ldb = columns,
                     .ldc = n->rows,
                     .stride_a = width,
                     .stride_b = width,
                     .stride_c = size,
                     .count = pieces};
        backend_product(s->backend, &p);
        DevAddParts sum = {n->k, n->piece, n->rows, pieces, both, add || first > 0};
        /* what is read by columns comes in sectors of 32 bytes */
        double each = (double)pieces * (both ? (double)s->real + 32 : (double)s->real) + 16;
        CUDA_EACH(s, natural_add, sum, size, (double)size * each);
    }
}

/* What the columns have of K and of J phi. */
static void add_columns(CudaSession *s, const NaturalColumns *c, bool first) {
    assert(c->count >= 0);
    CudaNatural *n = s->self;
    add_product(s, n, c->left, c->right, c->count, c->joint, !first);
    DevAlong a = {.along = n->along,
                  .row = c->right,
                  .phi = c->joint ? cuda_at(s, n->joint_along, c->first)
                                  : cuda_at(s, s->moment, s->small + c->first),
                  .bar = n->bar,
                  .vector_along = n->vector_along,
                  .carrier = n->carrier,
                  .columns = n->columns,
                  .unknown_phi = s->unknown_moment[0],
                  .n = c->count,
                  .carriers = n->carriers,
                  .h = s->h1,
                  .unknowns = s->host->problem->plan.unknowns,
                  .add = !first};
    Launch launch = {.kernel = s->kernel[ENGINE_natural_along],
                     .grid = {(uint32_t)n->rows, 1, 1},
                     .block = {DEV_THREADS, 1, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .flops = 2 * (double)(n->rows * c->count),
                     .bytes = cuda_bytes(s, 2 * n->rows * c->count)};
    backend_launch(s->backend, &launch);
}

/* phi along vectors and joint directions. */
static void directions_along(CudaSession *s) {
    CudaNatural *n = s->self;
    int64_t h = s->h1;
    const void *phi = s->moment;
    vectors_times(s, n, NULL, phi, n->vector_along);
    if (n->directions > 0)
        joint_rows(s, n, phi, NULL, n->vector_along, n->joint_along);
    for (int i = 0; i < n->grams; i++) {
        const NaturalGram *g = &n->gram[i];
        first_times(s, g->block->weight, phi, n->small_square[0]);
        multiply(s, true, h, h, h, g->inverse, n->small_square[0],
                 cuda_at(s, n->joint_along, g->joint0 * h), h);
    }
}

void cuda_natural_products(CudaSession *s) {
    CudaNatural *n = s->self;
    vectors_square(s, n);
    if (n->directions > 0)
        direction_products(s, n);
    directions_along(s);
}

void cuda_natural_gram(CudaSession *s) {
    CudaNatural *n = s->self;
    int64_t size = n->rows * n->rows;
    cuda_natural_columns(s, add_columns);
    Product p = product_of(false, true, n->seeds, n->seeds, s->h1, n->bar, n->bar, n->bars);
    backend_product(s->backend, &p);
    DevGramRest a = {.k = n->k,
                     .square = n->vectors_square,
                     .bars = n->bars,
                     .carrier = n->carrier,
                     .columns = n->columns,
                     .carriers = n->carriers,
                     .rows = n->rows,
                     .vectors = n->vectors,
                     .seeds = n->seeds,
                     .unknowns = s->host->problem->plan.unknowns};
    CUDA_EACH(s, natural_rest, a, size, 36 * (double)size + cuda_bytes(s, size));
}

/* --------------------------------------------------------------------------------------- J' sol */

static void total(CudaSession *s, void *to, const void *from, const double *sol, int64_t rows,
                  int64_t columns, int64_t stride) {
    DevTotal a = {to, from, sol, rows, columns, stride};
    CUDA_EACH(s, natural_total, a, columns, cuda_bytes(s, rows * columns));
    s->backend->flops += 2 * (double)(rows * columns);
}

/* Seeds of each point, the residuals' added up. */
static void seeds(CudaSession *s, void *to, int64_t to_point, const void *from, int64_t from_row,
                  const double *sol, int64_t residuals, int64_t count) {
    int64_t points = s->host->settings.points;
    DevSeeds a = {to, from, sol, points, residuals, count, to_point, from_row};
    CUDA_EACH(s, natural_seeds, a, points * count, cuda_bytes(s, points * count * (residuals + 1)));
}

/* Columns of one route's own directions: into the seeds that dW1 is made of. */
static void part_seeds(CudaSession *s, const NaturalPart *p, const NaturalColumns *c) {
    const CudaNatural *n = s->self;
    CudaRoute *r = p->route;
    int64_t h = s->h1, E = r->residuals, start = p->joint0 * h, end = start + r->K * h;
    int64_t low = c->first > start ? c->first : start;
    int64_t high = c->first + c->count < end ? c->first + c->count : end;
    const double *sol = n->sol + p->row0;
    const void *from = cuda_at(s, c->right, p->row0 * c->count + low - c->first);
    if (high <= low)
        return;
    total(s, cuda_at(s, r->rbar, low - start), from, sol, s->host->settings.points * E, high - low,
          c->count);
    if (r->each)
        seeds(s, cuda_at(s, r->each, low - start), r->K * h, from, c->count, sol, E, high - low);
}

static void take_columns(CudaSession *s, const NaturalColumns *c, bool first) {
    const CudaNatural *n = s->self;
    (void)first;
    if (!c->joint)
        total(s, cuda_at(s, s->gradient, c->first), c->right, n->sol, n->rows, c->count, c->count);
    for (int i = 0; i < n->parts && c->joint; i++)
        part_seeds(s, &n->part[i], c);
}

void cuda_natural_transposed(CudaSession *s) {
    CudaNatural *n = s->self;
    int64_t h = s->h1;
    cuda_natural_columns(s, take_columns);
    for (int i = 0; i < n->parts; i++) {
        const NaturalPart *p = &n->part[i];
        CudaRoute *r = p->route;
        seeds(s, r->task->z1bar, h, cuda_at(s, n->bar, p->bar0 * h), h, n->sol + p->row0,
              r->residuals, h);
        cuda_gram_reverse(r);
    }
}
