/* K = J J': joint directions made orthonormal, vectors split by them, and the product of rows. */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_NATURAL_GRAM_H
#define PDE_RUNTIME_ENGINE_KERNELS_NATURAL_GRAM_H

#include "engine/kernels/natural_rows.h"
#include "engine/kernels/natural_square.h"

/* ------------------------------------------------------------------ products with directions */

/* t (h1 numbers) becomes t R^-1: products with diag(a) W1 become those with pseudo-directions. */
static void gram_coordinates(const Batch *q, double *t) {
    long n = q->engine->h1;
    const double *u = q->gram_work;
    for (long k = 0; k < n; k++) {
        t[k] /= u[k * n + k];
        for (long i = k + 1; i < n; i++)
            t[i] -= t[k] * u[k * n + i];
    }
}

/* t = v' diag(a) W1 for one lane of a group, from v' W1 and the weights that are not 1 */
static void weighted_vector(const Part *p, const real *a, const VectorGroup *g, long lane,
                            double *t) {
    const Engine *e = p->q->engine;
    const Source *s = g->source;
    for (long h = 0; h < e->h1; h++)
        t[h] = (double)s->value[(h / NR * s->rows + g->row + lane) * NR + h % NR];
    for (long m = 0; m < p->excepts; m++) {
        long i = p->except[m];
        double f = ((double)a[i] - 1) * (double)g->v[i * PDE_LANES + lane];
        for (long h = 0; h < e->h1; h++)
            t[h] += f * (double)e->theta[(h / NR * e->n_in + i) * NR + h % NR];
    }
}

/* to[others + units] = products of one vector with the joint directions as they are */
static void products_with_joint(const Jacobian *j, long group, long lane, double *t, double *to) {
    const VectorGroup *g = &j->group[group];
    for (long u = 0; u < j->units; u++)
        to[j->others + u] = vector_at(g, j->coordinate[u], lane, j->e->n_in);
    for (int i = 0; i < j->parts; i++) {
        const Part *p = &j->part[i];
        for (int b = 0; b < p->q->blocks; b++) {
            const Block *k = &p->q->block[b];
            if (k->kind == PDE_DIR_GRAM) {
                weighted_vector(p, p->q->base.block[b].weight, g, lane, t);
                gram_coordinates(p->q, t);
                memcpy(to + p->other0[b], t, (size_t)k->count * sizeof *t);
            }
            for (long m = 0; k->kind == PDE_DIR_DENSE && m < k->count; m++)
                to[p->other0[b] + m] = square_at(&j->square_vectors, group * PDE_LANES + lane,
                                                 p->dense0[b] * PDE_LANES + m);
        }
    }
}

/* -------------------------------------------------------------------------- orthonormal basis */

/* x := L^-1 x; a direction that depends on earlier ones has a zero column, and no share. */
static void factor_solve(const Jacobian *j, double *x) {
    long n = joint_count(j);
    for (long k = 0; k < n && !j->identity; k++) {
        const double *row = j->factor + k * j->capacity;
        double sum = x[k];
        for (long i = 0; i < k; i++)
            sum -= row[i] * x[i];
        x[k] = row[k] > 0 ? sum / row[k] : 0;
    }
}

/* Cholesky factor of a positive semidefinite matrix in the lower half of j->factor. */
static void factor_make(Jacobian *j) {
    const double least_pivot = sizeof(real) == 4 ? 1e-6 : 1e-12;
    long n = joint_count(j), stride = j->capacity;
    double *f = j->factor;
    for (long k = 0; k < n; k++) {
        double *row = f + k * stride, diagonal = row[k];
        for (long i = 0; i < k; i++) {
            const double *other = f + i * stride;
            double sum = row[i];
            for (long m = 0; m < i; m++)
                sum -= row[m] * other[m];
            row[i] = other[i] > 0 ? sum / other[i] : 0;
        }
        double pivot = diagonal;
        for (long i = 0; i < k; i++)
            pivot -= row[i] * row[i];
        row[k] = pivot > least_pivot * diagonal ? sqrt(pivot) : 0;
    }
}

typedef struct Weighted {
    Jacobian *j;
    const real *left, *right, *weight;
} Weighted;

static void weighted_task(void *context, long node, int worker) {
    const Weighted *t = context;
    const Jacobian *j = t->j;
    const Engine *e = j->e;
    WeightedProduct p = {e, t->left, t->right, t->weight, e->block + worker * j->h * DIM_BLOCK};
    node_sum(&j->leaves, node, weighted_product, &p, j->partial + node * e->h1 * j->h, e->h1 * j->h,
             j->waiting + worker * j->leaves.level * j->largest);
}

/* to[h1][h] = left' diag(weight) right, h1 rows of j->h numbers */
static void weighted_square(Jacobian *j, const real *left, const real *right, const real *weight,
                            double *to) {
    const Engine *e = j->e;
    Weighted t = {j, left, right, weight};
    pde_pool_run(e->pool, weighted_task, &t, j->leaves.nodes);
    for (long k = 0; k < e->h1; k++)
        for (long h = 0; h < j->h; h++)
            to[k * j->h + h] = nodes_joined_double(
                &j->leaves, j->partial + (h / NR * e->h1 + k) * NR + h % NR, e->h1 * j->h);
}

/* Rows x[h1][j->h] := R^-T x */
static void gram_rows_solve(const Jacobian *j, const Batch *q, double *x) {
    long n = j->e->h1;
    for (long k = 0; k < n; k++) {
        double *row = x + k * j->h, inverse = 1 / q->gram_work[k * n + k];
        for (long h = 0; h < j->h; h++)
            row[h] *= inverse;
        for (long i = k + 1; i < n; i++) {
            double f = q->gram_work[k * n + i];
            for (long h = 0; h < j->h; h++)
                x[i * j->h + h] -= f * row[h];
        }
    }
}

/* Products of the pseudo-directions of two Gram blocks: V' V2 = R^-T (W1' diag(a a2) W1) R2^-1. */
static void gram_with_gram(Jacobian *j, const Part *p, int b, const Part *p2, int b2) {
    const Engine *e = j->e;
    const real *a = p->q->base.block[b].weight, *a2 = p2->q->base.block[b2].weight;
    real *weight = j->along;
    double *t = j->joint;
    for (long i = 0; i < e->n_in; i++)
        weight[i] = a[i] * a2[i];
    weighted_square(j, e->theta, e->theta, weight, t);
    gram_rows_solve(j, p->q, t);
    for (long k = 0; k < e->h1; k++) {
        gram_coordinates(p2->q, t + k * j->h);
        for (long m = 0; m < e->h1; m++) {
            double v = t[k * j->h + m];
            j->factor[(p->other0[b] + k) * j->capacity + p2->other0[b2] + m] = v;
            j->factor[(p2->other0[b2] + m) * j->capacity + p->other0[b] + k] = v;
        }
    }
}

/* Products of all joint directions with those of one block, rows of j->factor. */
static void joint_products(Jacobian *j, const Part *p, int b) {
    const Engine *e = j->e;
    const Block *k = &p->q->block[b];
    double *t = j->scratch, *to = t + j->h;
    for (long m = 0; k->kind == PDE_DIR_DENSE && m < k->count; m++) {
        products_with_joint(j, p->dense0[b] + m / PDE_LANES, m % PDE_LANES, t, to);
        for (long i = 0; i < joint_count(j); i++) {
            j->factor[(p->other0[b] + m) * j->capacity + i] = to[i];
            j->factor[i * j->capacity + p->other0[b] + m] = to[i];
        }
    }
    if (k->kind != PDE_DIR_GRAM)
        return;
    const real *a = p->q->base.block[b].weight;
    for (long u = 0; u < j->units; u++) {
        long i = j->coordinate[u];
        for (long h = 0; h < e->h1; h++)
            t[h] = (double)a[i] * (double)e->theta[(h / NR * e->n_in + i) * NR + h % NR];
        gram_coordinates(p->q, t);
        for (long m = 0; m < k->count; m++) {
            j->factor[(p->other0[b] + m) * j->capacity + j->others + u] = t[m];
            j->factor[(j->others + u) * j->capacity + p->other0[b] + m] = t[m];
        }
    }
    for (int i = 0; i < j->parts; i++) {
        int at;
        if (gram_block(j->part[i].q, &at))
            gram_with_gram(j, p, b, &j->part[i], at);
    }
}

/* What the weights of a Gram block are; 1 if its pseudo-directions are orthonormal and orthogonal
 * to all units.
 */
static int gram_weights(const Jacobian *j, Part *p, int b) {
    const real *a = p->q->base.block[b].weight;
    int ok = 1;
    p->excepts = 0;
    for (long i = 0; i < j->e->n_in; i++) {
        if (a[i] == 1)
            continue;
        p->except[p->excepts++] = (uint32_t)i;
        ok &= a[i] == 0;
    }
    for (long u = 0; u < j->units; u++)
        ok &= a[j->coordinate[u]] == 0;
    return ok;
}

static void joint_orthonormal(Jacobian *j) {
    int blocks = 0;
    j->identity = 1;
    for (int i = 0; i < j->parts; i++)
        for (int b = 0; b < j->part[i].q->blocks; b++) {
            PdeDirectionKind kind = j->part[i].q->block[b].kind;
            if (kind == PDE_DIR_DENSE)
                j->identity = 0;
            if (kind != PDE_DIR_GRAM)
                continue;
            j->identity &= gram_weights(j, &j->part[i], b) && blocks++ == 0;
        }
    if (j->identity)
        return;
    for (long k = 0; k < joint_count(j); k++) {
        memset(j->factor + k * j->capacity, 0, (size_t)j->capacity * sizeof(double));
        j->factor[k * j->capacity + k] = 1;
    }
    for (int i = 0; i < j->parts; i++)
        for (int b = 0; b < j->part[i].q->blocks; b++)
            joint_products(j, &j->part[i], b);
    factor_make(j);
}

/* ------------------------------------------------------------------------------ vectors, rows */

static void eta_task(void *context, long group, int worker) {
    Jacobian *j = context;
    const VectorGroup *g = &j->group[group];
    double *t = j->scratch + worker * j->scratch_size, *x = t + j->h;
    for (long l = 0; l < PDE_LANES; l++) {
        real *eta = j->eta + (group * PDE_LANES + l) * j->eta_stride;
        memset(eta, 0, (size_t)j->eta_stride * sizeof(real));
        if (g->row + l >= g->source->rows)
            continue;
        products_with_joint(j, group, l, t, x);
        factor_solve(j, x);
        for (long k = 0; k < joint_count(j); k++)
            eta[k] = (real)x[k];
    }
}

/* Rbar := L' Rbar: rows below k are still as they were when row k is made. */
static void rotate_joint(const Jacobian *j, real *u) {
    long n = joint_count(j);
    for (long k = 0; k < n; k++) {
        real *to = u + k * j->h, d = (real)j->factor[k * j->capacity + k];
        for (long h = 0; h < j->h; h += VLEN)
            STORE(to + h, LOAD(to + h) * d);
        for (long i = k + 1; i < n; i++) {
            real f = (real)j->factor[i * j->capacity + k];
            const real *from = u + i * j->h;
            for (long h = 0; h < j->h && f != 0; h += VLEN)
                STORE(to + h, LOAD(to + h) + LOAD(from + h) * f);
        }
    }
}

/* u += what a part's vectors have along the joint directions, for row number `at` of the part */
static void add_vectors(const Jacobian *j, const Part *p, long at, real *u) {
    for (long s = 0; s < p->vectors; s++) {
        const real *eta = j->eta + vector_of(p, s, at / p->q->residuals) * j->eta_stride;
        const real *bar = bar_of(j, p, s, at / p->q->residuals, at % p->q->residuals);
        for (long k = 0; k < joint_count(j); k++)
            for (long h = 0; h < j->h; h += VLEN)
                STORE(u + k * j->h + h, LOAD(u + k * j->h + h) + LOAD(bar + h) * eta[k]);
    }
}

static void joint_task(void *context, long r, int worker) {
    Jacobian *j = context;
    real *u = row_of(j, r) + j->small;
    (void)worker;
    if (!j->identity)
        rotate_joint(j, u);
    for (int i = 0; i < j->parts; i++) {
        const Part *p = &j->part[i];
        long at = r - p->row0;
        if (at >= 0 && at < part_rows(p))
            add_vectors(j, p, at, u);
    }
}

#endif
