/* points.c: the launches that draw the points of a task and run its point programs, in the order of
 * runtime/step/points.c. */
#include "cuda/step/domain.h"

#include <assert.h>

#include "engine/stream.h"

/* Arithmetic of a random normal, and of a term of a program (a sine and some products): about. */
static const double NUMBER_FLOPS = 25;

PdePointLaunch cuda_point_launch(const CudaTask *t) {
    const CudaSession *s = t->s;
    const Problem *q = s->host->problem;
    return (PdePointLaunch){.group0 = {.x = t->x,
                                       .aux = t->aux,
                                       .normal = t->normal,
                                       .tensor = s->tensor,
                                       .unknown = t->unknown,
                                       .out = t->scalar},
                            .x = q->n_in * PDE_LANES,
                            .aux = q->aux_rows * PDE_LANES,
                            .normal = q->d * PDE_LANES,
                            .out = t->points->c.scalars * PDE_LANES};
}

void cuda_point_run(CudaSession *s, BackendKernel *kernel, const PdePointLaunch *a, int64_t groups,
                    double moved) {
    assert(kernel && groups > 0);
    Launch launch = {.kernel = kernel,
                     .grid = {(uint32_t)groups, 1, 1},
                     .block = {PDE_LANES, PDE_LAUNCH_ROWS, 1},
                     .argument = a,
                     .size = sizeof *a,
                     .bytes = moved,
                     .flops = NUMBER_FLOPS * moved / (double)s->real};
    backend_launch(s->backend, &launch);
}

static uint32_t stream(const CudaTask *t, StreamUse use, int sub) {
    return stream_of(use, t->points->c.role, t->points->c.task, sub);
}

/* of_path: the points of a path share their numbers. */
static void random_rows(CudaTask *t, uint32_t stream_number, bool normal, bool of_path,
                        int64_t rows, void *to, int64_t stride) {
    assert(rows >= 0 && stride > 0);
    CudaSession *s = t->s;
    DevRandom a = {.state = t->state,
                   .out = to,
                   .stride = stride,
                   .rows = rows,
                   .groups = s->groups,
                   .seed = s->host->settings.seed,
                   .stream = stream_number,
                   .normal = normal,
                   .slices = of_path ? t->points->c.slices : 0};
    int64_t n = s->groups * PDE_LANES * ((rows + 3) / 4);
    CUDA_EACH(s, random, a, n, cuda_bytes(s, 4 * n));
    s->backend->flops += NUMBER_FLOPS * 4 * (double)n;
}

uint32_t cuda_points_stream(const CudaTask *t, StreamUse use) {
    return stream(t, use, 0);
}

void cuda_points_numbers(CudaTask *t, bool normal) {
    const Problem *q = t->s->host->problem;
    random_rows(t, stream(t, STREAM_SPACE, 0), normal, false, q->d, t->x, q->n_in * PDE_LANES);
}

/* Standard numbers into `rows` rows at `to`, then the sample statement's transformation. */
static void draw_sample(CudaTask *t, int sample, StreamUse use, int sub, int64_t rows, void *to,
                        int64_t stride) {
    assert(sample >= 0 && sample < t->s->host->problem->plan.samples);
    const PlanSample *law = &t->s->host->problem->plan.sample[sample];
    bool space = use == STREAM_SPACE;
    random_rows(t, stream(t, use, sub), law->base == BASE_NORMAL, !space, rows, to, stride);
    if (space && t->points->c.slices)
        cuda_paths_walk(t);
    PdePointLaunch a = cuda_point_launch(t);
    a.group0.out = to;
    a.out = stride;
    cuda_point_run(t->s, t->sample[sample], &a, t->s->groups,
                   cuda_bytes(t->s, 2 * rows * t->s->groups * PDE_LANES));
}

static void draw_time(CudaTask *t) {
    static const int pinned[] = {
#define ROW(name, boundary, time) time,
        PLAN_TASK_KINDS(ROW)
#undef ROW
    };
    CudaSession *s = t->s;
    const Problem *q = s->host->problem;
    void *row = cuda_at(s, t->x, q->d * PDE_LANES);
    int pin = pinned[t->points->c.kind];
    if (t->points->time_sample >= 0 && !pin) {
        draw_sample(t, t->points->time_sample, STREAM_TIME, 0, 1, row, q->n_in * PDE_LANES);
        return;
    }
    DevTime a = {.state = t->state,
                 .row = row,
                 .stride = q->n_in * PDE_LANES,
                 .points = s->groups * PDE_LANES,
                 .start = q->time[pin ? pin - 1 : 0],
                 .length = pin ? 0 : q->time[1] - q->time[0],
                 .seed = s->host->settings.seed,
                 .stream = stream(t, STREAM_TIME, 0)};
    CUDA_EACH(s, time, a, a.points, cuda_bytes(s, a.points));
}

int64_t cuda_points_norms(CudaTask *t) {
    CudaSession *s = t->s;
    const Problem *q = s->host->problem;
    DevNorms a = {t->x, q->n_in * PDE_LANES, q->d, (q->d + DEV_CHUNK - 1) / DEV_CHUNK, t->partial};
    Launch launch = {.kernel = s->kernel[ENGINE_norms],
                     .grid = {(uint32_t)(s->groups * a.chunks), 1, 1},
                     .block = {PDE_LANES, PDE_LANES, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .bytes = cuda_bytes(s, s->groups * PDE_LANES * q->d)};
    backend_launch(s->backend, &launch);
    return a.chunks;
}

static void draw_space(CudaTask *t) {
    const Points *p = t->points;
    const Problem *q = t->s->host->problem;
    const PlanSample *law = p->space_sample[0] < 0 ? NULL : &q->plan.sample[p->space_sample[0]];
    if (t->points->c.kind == PLAN_boundary)
        cuda_domain(t)->boundary(t);
    else if (law && law->base != BASE_DOMAIN)
        draw_sample(t, p->space_sample[0], STREAM_SPACE, 0, q->d, t->x, q->n_in * PDE_LANES);
    else
        cuda_domain(t)->inside(t);
}

void cuda_points_draw(CudaTask *t) {
    CudaSession *s = t->s;
    const Problem *q = s->host->problem;
    if (t->points->c.slices)
        cuda_paths_times(t);
    else if (q->plan.time)
        draw_time(t);
    for (int i = 0; i < q->plan.auxes; i++) {
        int64_t end = i + 1 < q->plan.auxes ? q->aux_first[i + 1] : q->aux_rows;
        draw_sample(t, t->points->aux_sample[i], STREAM_AUX, i, end - q->aux_first[i],
                    cuda_at(s, t->aux, q->aux_first[i] * PDE_LANES), q->aux_rows * PDE_LANES);
    }
    draw_space(t);
    cuda_points_programs(t);
}

void cuda_points_programs(CudaTask *t) {
    CudaSession *s = t->s;
    double all = cuda_bytes(s, s->groups * PDE_LANES * s->host->problem->n_in);
    PdePointLaunch a = cuda_point_launch(t);
    if (t->features) {
        a.group0.out = t->inputs;
        a.out = s->inputs * PDE_LANES;
        cuda_point_run(s, t->features, &a, s->groups, 2 * all);
    }
    if (t->program) {
        a = cuda_point_launch(t);
        /* about a pass over the points for each sum that becomes a scalar */
        cuda_point_run(s, t->program, &a, s->groups, all * (1 + t->points->c.scalars));
    }
}
