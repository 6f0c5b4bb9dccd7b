#include "measure/scales/pilot.h"

#include "engine/dense.h"
#include "engine/real.h"
#include "step/route.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *claim(int64_t count, size_t size, bool *ok) {
    assert(count >= 0);
    void *memory = calloc((size_t)count + 1, size);
    *ok = *ok && memory;
    return memory;
}

/* ---------------------------------------------------------------------------------------- jets */

static const Session *session_of(const PilotJets *j) {
    return j->route->task->session;
}

bool pilot_jets_open(PilotJets *j, const Route *route, int64_t outputs, int64_t functions) {
    assert(route->block[0] == 0 && outputs > 0 && functions > 0);
    *j = (PilotJets){
        .route = route, .outputs = outputs, .directions = route->block[route->plan->blocks]};
    size_t size = real_size(session_of(j)->settings.precision);
    int64_t E = route->task->plan->residuals, K = j->directions;
    bool ok = true;
    j->n = claim(outputs, size, &ok);
    j->residual = claim(E, size, &ok);
    j->seed_n = claim(E * outputs, size, &ok);
    j->seed_unknown = claim(E * session_of(j)->problem->plan.unknowns, size, &ok);
    for (int m = 0; m < PDE_MAX_ORDER; m++) {
        j->d[m] = claim(outputs * K, size, &ok);
        j->seed_d[m] = claim(E * outputs * K, size, &ok);
    }
    j->slope = claim(functions * K, sizeof(double), &ok);
    return ok;
}

void pilot_jets_close(PilotJets *j) {
    free(j->n);
    free(j->residual);
    free(j->seed_n);
    free(j->seed_unknown);
    for (int m = 0; m < PDE_MAX_ORDER; m++) {
        free(j->d[m]);
        free(j->seed_d[m]);
    }
    free(j->slope);
}

void pilot_jets_run(const PilotJets *j, int64_t point, bool seeds, double *residual) {
    PdePrecision precision = session_of(j)->settings.precision;
    const uint32_t *set[PLAN_FAMILIES_MAX];
    int64_t E = j->route->task->plan->residuals;
    size_t size = real_size(precision);
    PdeCombineArgs args = route_args(j->route, point, set);
    args.n = j->n;
    args.residual = j->residual;
    args.seed_n = seeds ? j->seed_n : NULL;
    args.seed_unknown = seeds ? j->seed_unknown : NULL;
    if (seeds)
        memset(j->seed_n, 0, (size_t)(E * j->outputs) * size);
    for (int m = 0; m < PDE_MAX_ORDER; m++) {
        args.d[m] = j->d[m];
        args.seed_d[m] = seeds ? j->seed_d[m] : NULL;
        if (seeds)
            memset(j->seed_d[m], 0, (size_t)(E * j->outputs * j->directions) * size);
    }
    j->route->kernel(&args);
    for (int64_t e = 0; e < E; e++)
        residual[e] = real_get(precision, j->residual, e);
}

/* ----------------------------------------------------------------------------------------- fit */

bool pilot_fit_open(PilotFit *f, int64_t rows, int64_t unknowns) {
    bool ok = true;
    *f = (PilotFit){.rows = rows, .unknowns = unknowns};
    f->matrix = claim(rows * unknowns, sizeof(double), &ok);
    f->residual = claim(rows, sizeof(double), &ok);
    f->theta = claim(unknowns, sizeof(double), &ok);
    f->step = claim(unknowns, sizeof(double), &ok);
    f->work = claim(unknowns * unknowns, sizeof(double), &ok);
    return ok;
}

void pilot_fit_close(PilotFit *f) {
    free(f->matrix);
    free(f->residual);
    free(f->theta);
    free(f->step);
    free(f->work);
}

bool pilot_fit_solve(PilotFit *f, double ridge) {
    return dense_least_squares(f->matrix, f->residual, f->rows, f->unknowns, ridge, f->work,
                               f->step);
}

void pilot_fit_move(PilotFit *f, double factor) {
    for (int64_t k = 0; k < f->unknowns; k++)
        f->theta[k] += factor * f->step[k];
}
