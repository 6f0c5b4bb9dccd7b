/* first.c: rows of the first layer that are products with W1 over all coordinates: of dense
 * directions, and the pseudo-directions of Gram blocks. */
#include "session.h"

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
