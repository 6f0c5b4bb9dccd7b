/* first.c: what has to do with W1 over all coordinates: rows of the first layer that are products
 * with it (points, dense directions, pseudo-directions of Gram blocks), and its gradient. */
#include "cuda/step/device_session.h"

#include <assert.h>
#include <stdlib.h>

enum { PRODUCT_CHUNKS = 64, PRODUCT_LEAST = 512 };

/* ----------------------------------------------------------------------------------- products */

int64_t cuda_product_chunks(const CudaSession *s) {
    int64_t chunks = s->inputs / PRODUCT_LEAST;
    return chunks < 1 ? 1 : chunks > PRODUCT_CHUNKS ? PRODUCT_CHUNKS : chunks;
}

void cuda_first_product(CudaSession *s, const DevProduct *product, void *to) {
    assert(product->rows >= 0 && product->h > 0);
    DevProduct a = *product;
    int64_t chunks = cuda_product_chunks(s), n = a.rows * a.h;
    int64_t tiles = cuda_blocks(a.rows, DEV_TILE), columns = cuda_blocks(a.h, DEV_TILE);
    a.chunk = (a.n_in + chunks - 1) / chunks;
    chunks = (a.n_in + a.chunk - 1) / a.chunk;
    a.partial = chunks > 1 ? s->partial : to;
    Launch launch = {.kernel = s->kernel[ENGINE_product],
                     .grid = {(uint32_t)columns, (uint32_t)tiles, (uint32_t)chunks},
                     .block = {DEV_THREADS, 1, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .flops = 2.0 * DEV_TILE * DEV_TILE * (double)(tiles * columns * a.n_in),
                     .bytes =
                         cuda_bytes(s, a.n_in * (tiles * a.h + columns * a.rows) + chunks * n)};
    backend_launch(s->backend, &launch);
    DevJoin j = {to, s->partial, n, chunks};
    if (chunks > 1)
        CUDA_EACH(s, join, j, n, cuda_bytes(s, n * (chunks + 1)));
}

static void dense_products(CudaRoute *r) {
    CudaSession *s = r->task->s;
    for (int i = 0; i < r->blocks; i++) {
        const CudaBlock *k = &r->block[i];
        if (k->kind != PDE_DIR_DENSE && k->kind != PDE_DIR_POINT_DENSE)
            continue;
        DevProduct p = {.v = k->v,
                        .w = s->theta,
                        .lanes = PDE_LANES,
                        .stride = s->inputs * PDE_LANES,
                        .step = PDE_LANES,
                        .rows = k->kind == PDE_DIR_DENSE ? k->count : s->host->settings.points,
                        .n_in = s->inputs,
                        .h = s->h1};
        cuda_first_product(s, &p, k->value);
    }
}

/* The h1 pseudo-directions of a Gram block. */
static void gram_factor(CudaRoute *r) {
    CudaSession *s = r->task->s;
    for (int i = 0; i < r->blocks; i++) {
        if (r->block[i].kind != PDE_DIR_GRAM)
            continue;
        DevProduct p = {.v = s->theta,
                        .weight = r->block[i].weight,
                        .w = s->theta,
                        .lanes = s->h1,
                        .step = s->h1,
                        .rows = s->h1,
                        .n_in = s->inputs,
                        .h = s->h1};
        cuda_first_product(s, &p, r->gram);
        DevCholesky a = {r->gram, r->gram_work, r->gram_factor, s->h1};
        CUDA_EACH(s, cholesky, a, 1, 8 * (double)(s->h1 * s->h1 * s->h1) / 3);
    }
}

void cuda_gram_reverse(CudaRoute *r) {
    CudaSession *s = r->task->s;
    for (int i = 0; i < r->blocks; i++) {
        if (r->block[i].kind != PDE_DIR_GRAM)
            continue;
        DevSolve a = {cuda_at(s, r->rbar, r->block[i].row0 * s->h1), r->gram_work, r->gram_bar,
                      s->h1};
        CUDA_EACH(s, solve, a, s->h1, 8 * (double)(s->h1 * s->h1 * s->h1) / 2);
    }
}

void cuda_first_rows(CudaRoute *r) {
    dense_products(r);
    gram_factor(r);
}

/* ---------------------------------------------------------------------------------------- dW1 */

/* W1 gram_bar of coordinates first .. end-1, for every Gram block. */
static void gram_tile(CudaSession *s, const CudaFirst *from, int64_t first, int64_t end) {
    assert(first >= 0 && first < end && end <= s->inputs);
    for (int64_t i = 0; i < from->grams; i++) {
        const CudaRoute *r = from->gram_route[i];
        Product p = product_of(false, false, end - first, s->h1, s->h1,
                               cuda_at(s, s->theta, first * s->h1), r->gram_bar, r->gram_product);
        backend_product(s->backend, &p);
    }
}

/* Tile by tile. */
void cuda_first_gradient(CudaSession *s, const CudaFirst *from, void *store) {
    assert(from->grams == 0 || s->gram_rows > 0);
    int64_t step = from->grams > 0 ? s->gram_rows : s->inputs, points = 0;
    int slots = pde_engine_slots(s->host->engine);
    for (int i = 0; i < s->tasks; i++)
        points += s->groups * PDE_LANES;
    for (int64_t first = 0; first < s->inputs; first += step) {
        int64_t end = first + step < s->inputs ? first + step : s->inputs,
                n = (end - first) * s->h1;
        gram_tile(s, from, first, end);
        DevFirst a = {.state = s->state,
                      .moved = cuda_moved(s, 0),
                      .gradient = store,
                      .source = from->source,
                      .entries = from->entries,
                      .gram = from->gram,
                      .sources = from->sources,
                      .lists = from->lists,
                      .grams = from->grams,
                      .first = first,
                      .end = end,
                      .h = s->h1};
        uint32_t columns = cuda_blocks(s->h1, DEV_TILE);
        int64_t tiles = cuda_blocks(end - first, DEV_TILE);
        Launch launch = {
            .kernel = s->kernel[ENGINE_first],
            .grid = {cuda_blocks(end - first, DEV_TILE), columns, 1},
            .block = {DEV_THREADS, 1, 1},
            .argument = &a,
            .size = sizeof a,
            .flops = 2 * (double)n * (double)points,
            .bytes = cuda_bytes(s, (store ? n : 2 * (1 + slots) * n) +
                                       (end - first + tiles * DEV_TILE) * points * columns)};
        backend_launch(s->backend, &launch);
    }
}

/* What a route has of dW1: sources of whole rows, and entries of single coordinates. */
typedef struct FirstTables {
    DevSource *source;
    DevEntries *entries;
    DevGramTerm *gram;
} FirstTables;

static void route_terms(CudaSession *s, const CudaRoute *r, const FirstTables *to, CudaFirst *f) {
    for (int b = 0; b < r->blocks; b++) {
        const CudaBlock *k = &r->block[b];
        const void *shared = cuda_at(s, r->rbar, k->row0 * s->h1);
        const void *each = cuda_at(s, r->each, k->row0 * s->h1);
        DevEntries e = {.index = k->index,
                        .coefficient = k->coefficient,
                        .bar = shared,
                        .count = k->count,
                        .halves = k->kind == PDE_DIR_PAIR ? 2 : k->entries,
                        .each = k->kind == PDE_DIR_POINT_SPARSE,
                        .per = k->count,
                        .inner = s->h1};
        int64_t stride = s->inputs * PDE_LANES, points = s->host->settings.points;
        if (k->kind == PDE_DIR_DENSE)
            to->source[f->sources++] = (DevSource){k->v, shared, k->count, stride, s->h1};
        if (k->kind == PDE_DIR_POINT_DENSE)
            to->source[f->sources++] = (DevSource){k->v, each, points, stride, r->K * s->h1};
        if (k->kind == PDE_DIR_GRAM) {
            to->gram[f->grams] = (DevGramTerm){k->weight, r->gram_product};
            f->gram_route[f->grams++] = r;
        }
        if (k->kind == PDE_DIR_POINT_UNIT || k->kind == PDE_DIR_POINT_SPARSE) {
            e.bar = each;
            e.count = points * k->count;
            e.outer = r->K * s->h1;
        }
        if (k->index)
            to->entries[f->lists++] = e;
    }
}

Status cuda_first_open(CudaSession *s, bool rows, CudaFirst *f, Error *error) {
    size_t most = (size_t)s->tasks + (size_t)s->routes * PDE_MAX_BLOCKS;
    FirstTables to = {calloc(most, sizeof *to.source), calloc(most, sizeof *to.entries),
                      calloc(most, sizeof *to.gram)};
    *f = (CudaFirst){.gram_route = calloc(most, sizeof *f->gram_route)};
    bool ok = to.source && to.entries && to.gram && f->gram_route;
    for (int i = 0; i < s->tasks && ok; i++) {
        const CudaTask *t = &s->task[i];
        to.source[f->sources++] = (DevSource){t->inputs, t->z1bar, s->host->settings.points,
                                              s->inputs * PDE_LANES, s->h1};
        for (int m = 0; m < (rows ? t->rows : t->gradients); m++)
            route_terms(s, rows ? &t->row[m] : &t->gradient[m], &to, f);
    }
    if (ok) {
        f->source = cuda_table(s, USE_directions, to.source, f->sources, sizeof *to.source);
        f->entries = cuda_table(s, USE_directions, to.entries, f->lists, sizeof *to.entries);
        f->gram = cuda_table(s, USE_directions, to.gram, f->grams, sizeof *to.gram);
    }
    free(to.source);
    free(to.entries);
    free(to.gram);
    return ok ? STATUS_OK
              : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a table of the first layer");
}

void cuda_first_close(CudaFirst *f) {
    free((void *)f->gram_route);
}
