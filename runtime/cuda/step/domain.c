/* domain.c: the domains on a device, one after the other, and their table: the launches of what runtime/step/domain.c
 * does on the host, in the same order. */
#include "cuda/step/domain.h"

#include "engine/stream.h"
#include "step/points.h"

#include <assert.h>

/* ---- what several share ---- */

static int64_t x_stride(const CudaTask *t) {
    return t->s->host->problem->n_in * PDE_LANES;
}

static int64_t normal_stride(const CudaTask *t) {
    return t->s->host->problem->d * PDE_LANES;
}

static int64_t lanes_of(const CudaTask *t) {
    return t->s->groups * PDE_LANES;
}

/* Numbers of the points' rows that are read or written so often. */
static double rows_moved(const CudaTask *t, int times) {
    return cuda_bytes(t->s, times * lanes_of(t) * t->s->host->problem->d);
}

static DevProject projection(const CudaTask *t) {
    const Problem *q = t->s->host->problem;
    return (DevProject){.x = t->x,
                        .stride = x_stride(t),
                        .points = t->s->host->settings.points,
                        .d = q->d,
                        .low = q->space[0].argument[1],
                        .high = q->space[0].argument[2],
                        .semiaxis = t->s->semiaxis};
}

/* ---- ball and annulus; the ball that an ellipsoid is made of ---- */

static void put_radius(CudaTask *t, double low, double high, bool ring, bool boundary) {
    assert(low >= 0 && low <= high);
    CudaSession *s = t->s;
    const Problem *q = s->host->problem;
    const Points *p = t->points;
    int64_t points = lanes_of(t);
    bool radial = p->space_sample[0] >= 0 && q->plan.sample[p->space_sample[0]].law == LAW_radial;
    cuda_points_numbers(t, true);
    int64_t chunks = cuda_points_norms(t);
    DevRadius radius = {.state = t->state,
                        .partial = t->partial,
                        .chunks = chunks,
                        .points = points,
                        .factor = t->factor,
                        .outward = t->outward,
                        .low = low,
                        .high = high,
                        .d = (double)q->d,
                        .ring = ring,
                        .boundary = boundary,
                        .radial = radial,
                        .seed = s->host->settings.seed,
                        .radius_stream = cuda_points_stream(t, STREAM_RADIUS),
                        .face_stream = cuda_points_stream(t, STREAM_FACE)};
    CUDA_EACH(s, radius, radius, points, 8 * (double)(points * chunks));
    DevScale scale = {.x = t->x,
                      .normal = boundary ? t->normal : NULL,
                      .stride = x_stride(t),
                      .normal_stride = normal_stride(t),
                      .d = q->d,
                      .groups = s->groups,
                      .factor = t->factor,
                      .outward = t->outward};
    CUDA_EACH(s, scale, scale, points * q->d, rows_moved(t, scale.normal ? 5 : 3));
}

static bool is_ring(const CudaTask *t) {
    return t->s->host->problem->space[0].domain == DOMAIN_annulus;
}

static double inner_radius(const CudaTask *t) {
    return is_ring(t) ? t->s->host->problem->space[0].argument[1] : 0;
}

static double outer_radius(const CudaTask *t) {
    return t->s->host->problem->space[0].argument[is_ring(t) ? 2 : 1];
}

static void round_inside(CudaTask *t) {
    put_radius(t, inner_radius(t), outer_radius(t), is_ring(t), false);
}

static void round_boundary(CudaTask *t) {
    put_radius(t, inner_radius(t), outer_radius(t), is_ring(t), true);
}

static void round_project(CudaTask *t) {
    CudaSession *s = t->s;
    const Problem *q = s->host->problem;
    int64_t lanes = lanes_of(t), n = lanes * q->d;
    DevInside inside = {.partial = t->partial,
                        .factor = t->factor,
                        .chunks = cuda_points_norms(t),
                        .points = s->host->settings.points,
                        .lanes = lanes,
                        .low = inner_radius(t),
                        .high = outer_radius(t)};
    CUDA_EACH(s, inside, inside, lanes, 8 * (double)(lanes * inside.chunks));
    DevScale scale = {
        .x = t->x, .stride = x_stride(t), .d = q->d, .groups = s->groups, .factor = t->factor};
    CUDA_EACH(s, scale, scale, n, rows_moved(t, 3));
}

/* ---- box ---- */

static void draw_box(CudaTask *t, void *normal) {
    CudaSession *s = t->s;
    const Problem *q = s->host->problem;
    cuda_points_numbers(t, false);
    DevBox a = {.state = t->state,
                .x = t->x,
                .normal = normal,
                .stride = x_stride(t),
                .normal_stride = normal_stride(t),
                .d = q->d,
                .groups = s->groups,
                .low = q->space[0].argument[1],
                .high = q->space[0].argument[2],
                .seed = s->host->settings.seed,
                .stream = cuda_points_stream(t, STREAM_FACE)};
    CUDA_EACH(s, box, a, lanes_of(t) * q->d, rows_moved(t, normal ? 3 : 2));
}

static void box_inside(CudaTask *t) {
    draw_box(t, NULL);
}

static void box_boundary(CudaTask *t) {
    draw_box(t, t->normal);
}

static void box_project(CudaTask *t) {
    DevProject a = projection(t);
    CUDA_EACH(t->s, box_back, a, a.points, rows_moved(t, 2));
}

/* ---- the whole space ---- */

static void stay(CudaTask *t) {
    (void)t;
}

/* ---- simplex ---- */

static void draw_simplex(CudaTask *t, void *normal) {
    CudaSession *s = t->s;
    cuda_points_numbers(t, false);
    DevSimplex a = {.state = t->state,
                    .x = t->x,
                    .normal = normal,
                    .stride = x_stride(t),
                    .normal_stride = normal_stride(t),
                    .d = s->host->problem->d,
                    .points = lanes_of(t),
                    .seed = s->host->settings.seed,
                    .radius_stream = cuda_points_stream(t, STREAM_RADIUS),
                    .face_stream = cuda_points_stream(t, STREAM_FACE)};
    CUDA_EACH(s, simplex, a, a.points, rows_moved(t, normal ? 5 : 4));
}

static void simplex_inside(CudaTask *t) {
    draw_simplex(t, NULL);
}

static void simplex_boundary(CudaTask *t) {
    draw_simplex(t, t->normal);
}

static void simplex_project(CudaTask *t) {
    DevProject a = projection(t);
    CUDA_EACH(t->s, simplex_back, a, a.points, rows_moved(t, 4));
}

/* ---- ellipsoid ---- */

static void ellipsoid_inside(CudaTask *t) {
    CudaSession *s = t->s;
    put_radius(t, 0, 1, false, false);
    DevStretch a = {.x = t->x,
                    .stride = x_stride(t),
                    .d = s->host->problem->d,
                    .groups = s->groups,
                    .semiaxis = s->semiaxis};
    CUDA_EACH(s, stretch, a, lanes_of(t) * a.d, rows_moved(t, 2));
}

static void ellipsoid_boundary(CudaTask *t) {
    CudaSession *s = t->s;
    assert(t->normal && s->semiaxis);
    DevEllipsoid a = {.state = t->state,
                      .x = t->x,
                      .normal = t->normal,
                      .stride = x_stride(t),
                      .normal_stride = normal_stride(t),
                      .d = s->host->problem->d,
                      .points = lanes_of(t),
                      .tries = DOMAIN_TRIES,
                      .semiaxis = s->semiaxis,
                      .seed = s->host->settings.seed,
                      .space_stream = cuda_points_stream(t, STREAM_SPACE),
                      .face_stream = cuda_points_stream(t, STREAM_FACE)};
    CUDA_EACH(s, ellipsoid, a, a.points, rows_moved(t, 5));
}

static void ellipsoid_project(CudaTask *t) {
    DevProject a = projection(t);
    CUDA_EACH(t->s, ellipsoid_back, a, a.points, rows_moved(t, 3));
}

/* ---- the table ---- */

/* In the order of DeviceDomain. By position: a row that leaves an operation out is a warning, and warnings are errors. */
#define OPERATIONS_ball round_inside, round_boundary, round_project
#define OPERATIONS_box box_inside, box_boundary, box_project
#define OPERATIONS_annulus round_inside, round_boundary, round_project
#define OPERATIONS_torus box_inside, NULL, stay
#define OPERATIONS_R NULL, NULL, stay
#define OPERATIONS_simplex simplex_inside, simplex_boundary, simplex_project
#define OPERATIONS_ellipsoid ellipsoid_inside, ellipsoid_boundary, ellipsoid_project

const DeviceDomain *cuda_domain(const CudaTask *t) {
    static const DeviceDomain table[] = {
#define DOMAIN(name, arguments, argument_names, indexed, bounded, needs, others, text)             \
    {OPERATIONS_##name},
#include "contract/domain.def"
    };
    return &table[t->s->host->problem->space[0].domain];
}
