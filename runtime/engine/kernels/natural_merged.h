/* Rows of an affine network: one vector for each point instead of several.
 *
 * All seeds of a residual are multiples c_s of one m (affine.h), so that its share of dW1, sum_s v_s (c_s m)', is
 * (sum_s c_s v_s) m'. K and J phi see that one vector, with the seed m. It is never stored: blocks of it are made where
 * products are taken. J' s goes to the vectors themselves.
 */
#ifndef PDE_RUNTIME_ENGINE_KERNELS_NATURAL_MERGED_H
#define PDE_RUNTIME_ENGINE_KERNELS_NATURAL_MERGED_H

#include "engine/kernels/natural_state.h"

/* What each vector is multiplied with, from the seeds of the rows just made; their one seed is m. */
static void merge_vectors(const Jacobian *j, const Part *p) {
    const Affine *a = j->e->affine;
    affine_slope(j->e);
    for (long b = 0; b < p->q->points; b++) {
        for (long s = 0; s < p->carriers; s++) {
            const real *bar = carried_of(j, p, s, b, 0);
            double sum = 0;
            for (long h = 0; h < j->e->h1; h++)
                sum += (double)bar[h] * (double)a->unit[h];
            p->merged->seed[s][b] = (real)sum;
        }
        memcpy(bar_of(j, p, 0, b, 0), a->slope, (size_t)j->h * sizeof(real));
    }
}

INLINE const real *merged_vector(const Merged *m, long s, long row, long n_in) {
    return m->source[s]->v + (m->row0[s] + row) * n_in;
}

/* Coordinate i of one lane of a group. */
INLINE double vector_at(const VectorGroup *g, long i, long lane, long n_in) {
    double sum = 0;
    if (!g->merged)
        return (double)g->v[i * PDE_LANES + lane];
    for (long s = 0; s < g->merged->vectors; s++)
        sum += (double)g->merged->seed[s][g->row + lane] *
               (double)merged_vector(g->merged, s, g->row, n_in)[i * PDE_LANES + lane];
    return sum;
}

/* A group's vectors from coordinate i on, in `to` where they have to be made. */
static const real *group_block(const VectorGroup *g, long i, long coordinates, long n_in,
                               real *to) {
    const Merged *m = g->merged;
    if (!m)
        return g->v + i * PDE_LANES;
    for (long s = 0; s < m->vectors; s++) {
        const real *v = merged_vector(m, s, g->row, n_in) + i * PDE_LANES;
        vec seed[LANE_VECS];
        for (int n = 0; n < LANE_VECS; n++)
            seed[n] = LOAD(m->seed[s] + g->row + n * VLEN);
        for (long k = 0; k < coordinates * PDE_LANES; k += PDE_LANES)
            for (int n = 0; n < LANE_VECS; n++) {
                long at = k + n * VLEN;
                vec part = LOAD(v + at) * seed[n];
                if (s > 0)
                    part += LOAD(to + at);
                STORE(to + at, part);
            }
    }
    return to;
}

#endif
