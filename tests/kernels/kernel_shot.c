/* kernel_shot.c: see kernel_shot.h. */
#include "kernel_shot.h"

#include <math.h>
#include <string.h>

static size_t jets_of(const Shot *s) {
    return (size_t)(s->rig->n_out * (s->directions + 1));
}

double *shot_doubles(const Shot *s, size_t n) {
    return NEW_ARRAY(&s->rig->c.arena, double, n + 1);
}

void shot_enumerate(Shot *s, uint32_t f) {
    const Family *family = &s->task->family.at[f];
    int64_t range[4] = {1, 0, 1, 1}, n = 0;
    FamilyKernel *kernel = (FamilyKernel *)build_function(s->b, "pde_family_%u_%u", s->id, f);
    if (kernel)
        kernel(range);
    s->set[f] = NEW_ARRAY(&s->rig->c.arena, uint32_t, 2 * INPUTS_MAX * INPUTS_MAX);
    for (int64_t i = range[0]; i <= range[1]; i++) {
        if (family->n_index == 1) {
            s->set[f][n++] = (uint32_t)(i - range[0]);
            continue;
        }
        for (int64_t j = family->ordered ? i + 1 : range[2]; j <= range[3]; j++) {
            s->set[f][2 * n] = (uint32_t)(i - range[0]);
            s->set[f][2 * n++ + 1] = (uint32_t)(j - range[2]);
        }
    }
    s->first[f][0] = range[0];
    s->first[f][1] = range[2];
    s->size[f] = s->count[f] = n;
    s->factor[f] = 1;
}

void shot_draw_subset(Shot *s, uint32_t f) {
    uint32_t n_index = s->task->family.at[f].n_index;
    int64_t keep = s->size[f] / 2;
    if (keep == 0)
        return;
    for (int64_t k = 0; k < keep; k++) {
        int64_t other = k + (int64_t)rig_uniform(s->rig, 0, (double)(s->size[f] - k) - 1e-9);
        for (uint32_t j = 0; j < n_index; j++) {
            uint32_t *a = &s->set[f][k * n_index + j], *b = &s->set[f][other * n_index + j], t = *a;
            *a = *b;
            *b = t;
        }
    }
    s->count[f] = keep;
    s->factor[f] = (double)s->size[f] / (double)keep;
}

void shot_layout(Shot *s) {
    int64_t at = 0;
    for (uint32_t b = 0; b < s->route->block.n; b++) {
        const Block *block = &s->route->block.at[b];
        bool family =
            block->kind == BLOCK_unit || block->kind == BLOCK_pair || block->kind == BLOCK_sparse;
        s->block[b] = at;
        at += family ? s->count[block->family] : block->kind == BLOCK_gram ? s->rig->n_in : 1;
    }
    s->block[s->route->block.n] = s->directions = at;
    s->direction = shot_doubles(s, (size_t)(at * s->rig->n_in));
    s->sweep = shot_doubles(s, BLOCKS_MAX * LANES);
    s->gradient = shot_doubles(s, OUTPUTS_MAX * INPUTS_MAX * LANES);
    s->n = shot_doubles(s, OUTPUTS_MAX);
    for (int m = 0; m < 4; m++) {
        s->d[m] = shot_doubles(s, jets_of(s));
        s->seed_d[m] = shot_doubles(s, RESIDUALS_MAX * jets_of(s));
    }
    s->residual = shot_doubles(s, RESIDUALS_MAX);
    s->seed_n = shot_doubles(s, RESIDUALS_MAX * OUTPUTS_MAX);
    s->seed_unknown = shot_doubles(s, RESIDUALS_MAX * UNKNOWNS_MAX);
    s->real_in = shot_doubles(s, OUTPUTS_MAX + 4 * jets_of(s) + BLOCKS_MAX * LANES);
    s->real_out =
        shot_doubles(s, RESIDUALS_MAX * (1 + OUTPUTS_MAX + UNKNOWNS_MAX + 4 * jets_of(s)));
    s->scalar = shot_doubles(s, s->n_scalars * LANES);
}

void shot_points(const Shot *s) {
    PdePointArgs args = inputs_point_args(&s->in);
    PointKernel *points = (PointKernel *)build_function(s->b, "pde_points_%u", s->id);
    args.out = s->scalar;
    points(&args);
}

/* dN/dx of every output in the engine's scale: what pde_input_gradient gives. */
static void fill_gradient(Shot *s) {
    Rig *rig = s->rig;
    for (uint32_t o = 0; o < rig->n_out; o++)
        for (int64_t i = 0; i < rig->n_in; i++)
            for (int l = 0; l < LANES; l++) {
                double e[INPUTS_MAX] = {0};
                const double *along = e;
                e[i] = 1;
                s->gradient[((int64_t)o * rig->n_in + i) * LANES + l] =
                    (double)rig_derivative(rig, o, l, 1, &along) / rig->scale[o];
            }
}

static PointKernel *block_kernel(const Shot *s, const char *what, uint32_t b) {
    return (PointKernel *)build_function(s->b, "pde_%s%s_%u_%u", s->exact ? "exact_" : "", what,
                                         s->id, b);
}

void shot_gradient(const Shot *s, uint32_t b, const double *gradient, double *out, double *value) {
    size_t rows = (size_t)(s->rig->n_in * LANES);
    PdePointArgs args = inputs_point_args(&s->in);
    void *slope = shot_doubles(s, rows), *to = shot_doubles(s, rows), *sum = shot_doubles(s, LANES);
    pack(s->b, slope, gradient, rows);
    args.gradient = slope;
    args.output_scale = s->rig->scale;
    args.out = to;
    args.value = sum;
    block_kernel(s, "gradient", b)(&args);
    unpack(s->b, out, to, rows);
    unpack(s->b, value, sum, LANES);
}

void shot_prepare(Shot *s) {
    Rig *rig = s->rig;
    size_t rows = (size_t)(rig->n_in * LANES);
    s->in = rig_inputs(rig, s->b);
    shot_points(s);
    fill_gradient(s);
    for (uint32_t b = 0; b < s->route->block.n; b++) {
        const Block *block = &s->route->block.at[b];
        void *to = shot_doubles(s, rows);
        PdePointArgs args = inputs_point_args(&s->in);
        args.out = to;
        s->dense[b] = shot_doubles(s, rows);
        if (block->kind == BLOCK_dense)
            args.x = args.aux = args.normal = NULL;
        if (block->kind == BLOCK_dense || block->kind == BLOCK_point_dense) {
            block_kernel(s, "direction", b)(&args);
            unpack(s->b, s->dense[b], to, rows);
        } else if (block->kind == BLOCK_gram) {
            s->weight[b] = shot_doubles(s, (size_t)rig->n_in);
            block_kernel(s, "weight", b)(&args);
            unpack(s->b, s->weight[b], to, (size_t)rig->n_in);
        } else if (block->kind == BLOCK_gradient) {
            uint64_t o = ir_id(rig->c.ir, block->atom);
            shot_gradient(s, b, s->gradient + o * rows, s->dense[b], s->sweep + b * LANES);
        }
    }
}

static int64_t inside(const Rig *rig, int64_t i) {
    return i < 0 ? 0 : i >= rig->vector ? rig->vector - 1 : i;
}

static PdeCombineArgs args_at(const Shot *s, int lane) {
    return (PdeCombineArgs){.x = s->in.x,
                            .aux = s->in.aux,
                            .normal = s->in.normal,
                            .tensor = s->in.tensor,
                            .unknown = s->in.unknown,
                            .scalar = s->scalar,
                            .lane = lane,
                            .set = (const uint32_t *const *)s->set,
                            .count = s->count,
                            .factor = s->factor,
                            .block = s->block,
                            .output_scale = s->rig->scale};
}

/* What the kernel of a sparse block gives at one lane, added up as vectors. */
static void fill_sparse(Shot *s, uint32_t b, int lane) {
    const Rig *rig = s->rig;
    size_t entries = s->route->block.at[b].n_sparse,
           n = (size_t)(s->block[b + 1] - s->block[b]) * entries;
    uint32_t *row = NEW_ARRAY(&s->rig->c.arena, uint32_t, n + 1);
    double *value = shot_doubles(s, n);
    void *real = shot_doubles(s, n);
    CombineKernel *kernel = (CombineKernel *)build_function(s->b, "pde_sparse_%u_%u", s->id, b);
    PdeCombineArgs args = args_at(s, lane);
    args.sparse_row = row;
    args.sparse_value = real;
    kernel(&args);
    unpack(s->b, value, real, n);
    for (size_t k = 0; k < n; k++)
        s->direction[(s->block[b] + (int64_t)(k / entries)) * rig->n_in + row[k]] += value[k];
}

/* The directions of the current lane, as route.c makes them. */
static void fill_directions(Shot *s, int lane) {
    const Rig *rig = s->rig;
    memset(s->direction, 0, (size_t)(s->directions * rig->n_in) * sizeof *s->direction);
    for (uint32_t b = 0; b < s->route->block.n; b++) {
        const Block *block = &s->route->block.at[b];
        if (block->kind == BLOCK_sparse)
            fill_sparse(s, b, lane);
        for (int64_t k = 0; k < s->block[b + 1] - s->block[b]; k++) {
            double *v = s->direction + (s->block[b] + k) * rig->n_in;
            uint32_t n_index = block->kind == BLOCK_unit || block->kind == BLOCK_pair
                                   ? s->task->family.at[block->family].n_index
                                   : 0;
            const uint32_t *term = n_index ? s->set[block->family] + k * n_index : NULL;
            int64_t first[2] = {0};
            for (uint32_t j = 0; j < n_index; j++)
                first[j] = s->first[block->family][j] - 1;
            switch (block->kind) {
            case BLOCK_unit:
                v[inside(rig, first[block->which] + term[block->which] + block->shift)] = 1;
                break;
            case BLOCK_pair: {
                int64_t i = first[0] + term[0];
                v[inside(rig, i + block->first)] = 1;
                v[block->with_scalar >= 0 ? rig->vector + block->with_scalar
                  : block->neighbour      ? inside(rig, i + block->shift)
                                          : first[1] + term[1]] += block->sign;
                break;
            }
            case BLOCK_scalar:
                v[rig->vector + block->which] = 1;
                break;
            case BLOCK_gram:
                v[k] = 1;
                break;
            case BLOCK_sparse:
                break;
            case BLOCK_dense:
            case BLOCK_point_dense:
            case BLOCK_gradient:
            case BLOCK_position:
            case BLOCK_KIND_COUNT:
                for (int64_t i = 0; i < rig->n_in; i++)
                    v[i] = s->dense[b][i * LANES + (block->kind == BLOCK_dense ? 0 : lane)];
                break;
            }
        }
    }
}

void shot_jets(Shot *s, int lane) {
    const Rig *rig = s->rig;
    fill_directions(s, lane);
    for (uint32_t o = 0; o < rig->n_out; o++) {
        s->n[o] = (double)rig_derivative(rig, o, lane, 0, NULL) / rig->scale[o];
        for (int64_t k = 0; k < s->directions; k++) {
            const double *v = s->direction + k * rig->n_in, *along[4] = {v, v, v, v};
            for (uint32_t m = 0; m < 4; m++)
                s->d[m][o * s->directions + k] =
                    (double)rig_derivative(rig, o, lane, m + 1, along) / rig->scale[o];
        }
    }
}

static char *real_at(const Shot *s, void *base, size_t k) {
    return (char *)base + k * (s->b->single ? 4 : 8);
}

void shot_fire(Shot *s, int lane, bool seeds) {
    const Rig *rig = s->rig;
    size_t jets = jets_of(s), at = 0, r = s->task->n_residuals;
    const double *weight[BLOCKS_MAX];
    memcpy(weight, s->weight, sizeof weight);
    PdeCombineArgs args = args_at(s, lane);
    args.weight = weight;
    args.directions = s->directions;
    pack(s->b, s->real_in, s->n, rig->n_out);
    args.n = s->real_in;
    at += OUTPUTS_MAX;
    for (int m = 0; m < 4; m++, at += jets) {
        args.d[m] = real_at(s, s->real_in, at);
        pack(s->b, real_at(s, s->real_in, at), s->d[m], jets);
    }
    args.sweep = real_at(s, s->real_in, at);
    pack(s->b, real_at(s, s->real_in, at), s->sweep, BLOCKS_MAX * LANES);
    memset(s->real_out, 0,
           RESIDUALS_MAX * (1 + OUTPUTS_MAX + UNKNOWNS_MAX + 4 * jets) * sizeof(double));
    args.residual = s->real_out;
    at = r;
    char *seed_n = real_at(s, s->real_out, at),
         *seed_unknown = real_at(s, s->real_out, at += r * rig->n_out);
    at += r * rig->n_unknown;
    args.seed_n = seeds ? seed_n : NULL;
    args.seed_unknown = seed_unknown;
    size_t n_seeds = r * rig->n_out * (size_t)s->directions;
    for (int m = 0; m < 4; m++, at += n_seeds)
        args.seed_d[m] = real_at(s, s->real_out, at);
    ((CombineKernel *)build_function(s->b, s->exact ? "pde_exact_%u" : "pde_combine_%u", s->id))(
        &args);
    unpack(s->b, s->residual, args.residual, r);
    if (!seeds)
        return;
    unpack(s->b, s->seed_n, seed_n, r * rig->n_out);
    unpack(s->b, s->seed_unknown, seed_unknown, r * rig->n_unknown);
    for (int m = 0; m < 4; m++)
        unpack(s->b, s->seed_d[m], args.seed_d[m], n_seeds);
}

double shot_magnitude(const Shot *s, uint32_t e) {
    const Rig *rig = s->rig;
    double total = fabs(s->residual[e]), largest = 0;
    double *scalar = shot_doubles(s, s->n_scalars * LANES);
    unpack(s->b, scalar, s->scalar, s->n_scalars * LANES);
    for (uint32_t k = 0; k < s->n_scalars * LANES; k++)
        largest = isfinite(scalar[k]) ? fmax(largest, fabs(scalar[k])) : largest;
    for (uint32_t o = 0; o < rig->n_out; o++) {
        total += fabs(s->seed_n[e * rig->n_out + o] * s->n[o]);
        for (int m = 0; m < 4; m++)
            for (int64_t k = 0; k < s->directions; k++)
                total += fabs(s->seed_d[m][(e * rig->n_out + o) * s->directions + k] *
                              s->d[m][o * s->directions + k]);
    }
    return total + largest + 1e-3;
}
