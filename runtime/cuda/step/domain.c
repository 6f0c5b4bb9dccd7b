/* domain.c: what the domains of domains.h share when they are launched, and their table. */
#include "cuda/step/domain.h"

#include "engine/stream.h"
#include "step/domain.h"
#include "step/points.h"

#include <assert.h>

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

/* Points on spheres, or between two of them. */
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

#define DOMAIN_LAUNCHES
#include "cuda/step/domains.h"

const DeviceDomain *cuda_domain(const CudaTask *t) {
    static const DeviceDomain table[] = {
#define DOMAIN(name, arguments, argument_names, indexed, bounded, needs, parts, said, others,      \
               text)                                                                               \
    {OPERATIONS_##name},
#include "contract/domain.def"
    };
    return &table[t->s->host->problem->space[0].domain];
}
