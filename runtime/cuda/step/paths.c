/* paths.c: the launches of points along paths (--slices): see runtime/step/paths.c, which has measured
 * the correlations. */
#include "cuda/step/device_session.h"

#include <assert.h>

void cuda_paths_open(CudaTask *t) {
    const Points *p = t->points;
    if (p->c.slices == 0)
        return;
    t->keep = cuda_buffer(t->s, USE_points, p->c.slices, sizeof *t->keep);
    if (t->keep)
        backend_upload(t->s->backend, t->keep, p->keep, (size_t)p->c.slices * sizeof *t->keep);
}

void cuda_paths_times(CudaTask *t) {
    CudaSession *s = t->s;
    const Problem *q = s->host->problem;
    const Points *p = t->points;
    bool law = p->time_sample >= 0;
    DevSlices a = {.row = cuda_at(s, t->x, q->d * PDE_LANES),
                   .stride = q->n_in * PDE_LANES,
                   .points = s->groups * PDE_LANES,
                   .slices = p->c.slices,
                   .past = !p->widest_first,
                   .start = law ? 0 : q->time[0],
                   .length = law ? 1 : q->time[1] - q->time[0]};
    CUDA_EACH(s, slices, a, a.points, cuda_bytes(s, a.points));
    if (!law)
        return;
    PdePointLaunch run = cuda_point_launch(t);
    run.group0.out = a.row;
    run.out = a.stride;
    cuda_point_run(s, t->sample[p->time_sample], &run, s->groups, cuda_bytes(s, 2 * a.points));
}

void cuda_paths_walk(CudaTask *t) {
    assert(t->points->c.slices > 0);
    CudaSession *s = t->s;
    const Problem *q = s->host->problem;
    int64_t points = s->host->settings.points, slices = t->points->c.slices;
    DevWalk a = {.x = t->x,
                 .keep = t->keep,
                 .stride = q->n_in * PDE_LANES,
                 .points = points,
                 .slices = slices,
                 .d = q->d};
    CUDA_EACH(s, walk, a, (points + slices - 1) / slices * q->d, cuda_bytes(s, 2 * points * q->d));
}
