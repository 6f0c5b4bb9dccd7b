/* noise.c: the random part of a step (walk_state.h).
 *
 * On the whole space its numbers are normal. In a domain they are bounded, so that a step can be kept inside: d
 * numbers are uniform on the sphere of radius sqrt(d + 2) with probability d / (d + 2) and 0 otherwise, which agrees
 * with normal numbers in all moments up to the fifth; one number is likewise +-sqrt(3) or 0. */
#include "error/walk_state.h"

#include "contract/rng.h"
#include "engine/stream.h"
#include "error/exit.h"

#include <math.h>
#include <string.h>

/* What a stream of a path's numbers is for; ranks lie between. */
enum { NOISE_DIAGONAL = 0, NOISE_MATRIX = 1 + PLAN_RANKS_MAX, NOISE_LENGTHS };

/* The two ways of walk_stream are independent of each other. */
static uint32_t stream_at(const Walk *w, int use, uint32_t step) {
    return stream_of(STREAM_WALK, w->refills ? ROLE_TRAIN : ROLE_TEST, use, (int)step);
}

static void draw_once(const Walk *w, int64_t group, int use, uint32_t step, int64_t rows,
                      double *to) {
    pde_random_fill(w->s.engine, PDE_LAW_NORMAL, w->run.seed, stream_at(w, use, step),
                    walk_stream(w, group / 2), 0, 0, rows, to, NULL);
}

static double uniform_of(const Walk *w, int64_t group, int use, int lane) {
    int64_t slot = group / 2;
    uint32_t stream = stream_at(w, NOISE_LENGTHS + use, walk_step(w, slot));
    return pde_uniform(
        pde_random_word(w->run.seed, stream, walk_stream(w, slot), (uint32_t)lane, 0));
}

/* From the sphere of any radius to the law above. */
static void bound(const Walk *w, int64_t group, int use, int64_t rows, double *z) {
    double square[PDE_LANES] = {0}, factor[PDE_LANES], n = (double)rows;
    for (int64_t i = 0; i < rows * PDE_LANES; i += PDE_LANES)
        for (int l = 0; l < PDE_LANES; l++)
            square[l] += z[i + l] * z[i + l];
    for (int l = 0; l < PDE_LANES; l++) {
        bool moves = uniform_of(w, group, use, l) < n / (n + 2);
        factor[l] = moves && square[l] > 0 ? sqrt((n + 2) / square[l]) : 0;
    }
    for (int64_t i = 0; i < rows * PDE_LANES; i += PDE_LANES)
        for (int l = 0; l < PDE_LANES; l++)
            z[i + l] *= factor[l];
}

/* Numbers of a group for one step; second: as many, scratch. The second group of a block has those of the first, negated. */
static void draw(const Walk *w, int64_t group, int use, int64_t rows, double *to, double *second) {
    uint32_t step = walk_step(w, group / 2);
    if (exit_exists(w->q)) {
        draw_once(w, group, use, step, rows, to);
        bound(w, group, use, rows, to);
    } else if (w->run.coarse) {
        draw_once(w, group, use, 2 * step, rows, to);
        draw_once(w, group, use, 2 * step + 1, rows, second);
        for (int64_t i = 0; i < rows * PDE_LANES; i++)
            to[i] = (to[i] + second[i]) / sqrt(2);
    } else
        draw_once(w, group, use, step, rows, to);
    for (int64_t i = 0; group & 1 && i < rows * PDE_LANES; i++)
        to[i] = -to[i];
}

/* to_i += scale_i sum_k L_ik z_k */
static void add_matrix(const Walk *w, const Coefficients *c, const double *divisor, const double *z,
                       double *to) {
    int64_t d = w->q->d;
    for (int64_t i = 0; i < d; i++) {
        double sum[PDE_LANES] = {0};
        for (int64_t k = 0; k <= i; k++)
            for (int l = 0; l < PDE_LANES; l++)
                sum[l] += w->factor[i * d + k] * z[k * PDE_LANES + l];
        for (int l = 0; l < PDE_LANES; l++)
            to[i * PDE_LANES + l] += c->scale[i * PDE_LANES + l] * sum[l] / sqrt(fabs(divisor[l]));
    }
}

void noise_make(Walk *w, Rows *rows, const Coefficients *c, int64_t group, const double *divisor) {
    const PlanProcess *p = &w->q->plan.process;
    int64_t n = w->q->d * PDE_LANES;
    double extra[4 * PDE_LANES], second[4 * PDE_LANES];
    draw(w, group, NOISE_DIAGONAL, w->q->d, rows->noise, rows->scaled);
    for (int64_t i = 0; i < n; i += PDE_LANES)
        for (int l = 0; l < PDE_LANES; l++) {
            double square = c->diagonal[i + l] / divisor[l];
            rows->scaled[i + l] = sqrt(square > 0 ? square : 0) * rows->noise[i + l];
        }
    for (int r = 0; r < p->ranks; r++) {
        draw(w, group, NOISE_DIAGONAL + 1 + r, 1, extra, second);
        for (int64_t i = 0; i < n; i++) {
            int l = (int)(i % PDE_LANES);
            rows->scaled[i] += sqrt(fmax(c->strength[r * PDE_LANES + l] / divisor[l], 0)) *
                               c->vector[r][i] * extra[l];
        }
    }
    if (w->factor) { /* numbers of its own: those of the diagonal are taken */
        draw(w, group, NOISE_MATRIX, w->q->d, rows->noise, rows->second);
        add_matrix(w, c, divisor, rows->noise, rows->scaled);
    }
}
