/* score.c: the error on the test points of runtime/measure/evaluate.c, batch by batch on the device. Test
 * points are drawn where the training points were, which the next step draws again. */
#include "cuda/step/device_session.h"

#include "engine/real.h"
#include "step/average.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

struct CudaScore {
    CudaTask task; /* points of the first task's memory */
    CudaRoute route;
    DevState *state;
    double *exact, *square; /* [test points][fields]; [fields] */
    bool has_exact;         /* which never changes */
};

CudaRoute *cuda_score_route(CudaScore *c) {
    return &c->route;
}

void cuda_score_close(CudaScore *c) {
    free(c);
}

Status cuda_score_open(CudaSession *s, Error *error) {
    const Problem *q = s->host->problem;
    int64_t points = s->host->settings.points, test = s->host->settings.test_points;
    int64_t fields = q->plan.fields;
    if (!problem_has_exact(q) || test == 0)
        return STATUS_OK;
    CudaScore *c = s->score = calloc(1, sizeof *c);
    if (!c)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the score on a device");
    c->state = cuda_buffer(s, USE_points, 1, sizeof *c->state);
    c->exact = cuda_buffer(s, USE_points, test * fields, sizeof *c->exact);
    c->square = cuda_buffer(s, USE_points, fields, sizeof *c->square);
    c->task = s->task[0];
    c->task.state = c->state;
    c->task.unknown = cuda_buffer(s, USE_points, q->plan.unknowns + 1, s->real);
    c->task.normal = NULL;
    c->task.scalar =
        cuda_buffer(s, USE_points, s->groups * PDE_LANES * q->plan.evaluate_scalars, s->real);
    c->task.program = cuda_generated(s, "points", q->plan.evaluate_task, -1);
    for (int i = 0; i < q->plan.samples; i++)
        if (q->plan.sample[i].base != BASE_DOMAIN)
            c->task.sample[i] = cuda_generated(s, "sample", i, -1);
    c->route = (CudaRoute){.task = &c->task,
                           .residuals = fields,
                           .combine = cuda_generated(s, "fields", -1, -1),
                           .residual = cuda_buffer(s, USE_points, points * fields, s->real)};
    return STATUS_OK;
}

/* Squares of the differences of one batch, from test point `first` on, are added up. */
static void batch(CudaSession *s, CudaScore *c, int64_t first, int64_t points) {
    assert(first >= 0 && first < points);
    int64_t left = points - first, all = s->host->settings.points, fields = c->route.residuals;
    DevBegin begin = {c->state, {.point = (uint32_t)first}};
    CUDA_EACH(s, begin, begin, 1, 0);
    cuda_points_draw(&c->task);
    cuda_task_inputs(&c->task);
    cuda_evaluate_fields(&c->route);
    DevScore a = {.square = c->square,
                  .exact = c->exact + first * fields,
                  .value = c->route.residual,
                  .points = left < all ? left : all,
                  .fields = fields,
                  .add = first > 0};
    Launch launch = {.kernel = s->kernel[ENGINE_score],
                     .grid = {(uint32_t)fields, 1, 1},
                     .block = {DEV_THREADS, 1, 1},
                     .argument = &a,
                     .size = sizeof a,
                     .bytes = 16 * (double)(a.points * fields)};
    backend_launch(s->backend, &launch);
}

Status cuda_session_score(CudaSession *s, const Evaluation *e, double *error_l2, Error *error) {
    CudaScore *c = s->score;
    double square[PLAN_FIELDS_MAX] = {0};
    void *theta = s->theta, *mean = cuda_average_mean(s);
    int unknowns = s->host->problem->plan.unknowns;
    char seen[PLAN_UNKNOWNS_MAX * sizeof(double)];
    *error_l2 = (double)NAN;
    if (!c)
        return STATUS_OK;
    for (int k = 0; k < unknowns; k++)
        real_set(s->host->settings.precision, seen, k,
                 mean ? average_unknowns(average_of(s->host))[k] : s->host->unknown[k]);
    backend_upload(s->backend, c->task.unknown, seen, (size_t)unknowns * s->real);
    if (!c->has_exact)
        backend_upload(s->backend, c->exact, e->exact,
                       (size_t)(e->points * e->fields) * sizeof *e->exact);
    c->has_exact = true;
    c->task.points = &e->draw;
    if (mean)
        s->theta = mean;
    for (int64_t first = 0; first < e->points; first += s->host->settings.points)
        batch(s, c, first, e->points);
    s->theta = theta;
    if (pde_optim_has(s->rule.kind, PDE_ONE_LOSS)) /* its points stay */
        cuda_draw(s);
    backend_download(s->backend, square, c->square, (size_t)e->fields * sizeof *square);
    *error_l2 = evaluation_l2(e, square);
    return backend_status(s->backend, error);
}
