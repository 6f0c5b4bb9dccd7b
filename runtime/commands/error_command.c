/* error_command.c: pderun --error: the error of a trained model on the test law, and at the points of references
 * and reports, with the corrected values. */
#include "commands/pderun.h"
#include "commands/trained_model.h"

#include "error/estimate.h"
#include "files/number.h"
#include "files/say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_MAX = PLAN_REFERENCES_MAX + PLAN_TASKS_MAX };

/* A point that the file names. owner of nothing */
typedef struct Place {
    const char *name;
    double known; /* NaN: not known */
} Place;

/* owner of x and point */
typedef struct Job {
    const Problem *q;
    Walk *walk;
    EstimateConfig c;
    int64_t test; /* how many test points; the places follow */
    int places;
    Place place[PLACES_MAX];
    double *x;
    ErrorPoint *point;
} Job;

static void print_number(const char *before, double v, int digits, const char *after) {
    char text[NUMBER_TEXT_MAX];
    say("%s%s%s", before, number_print_digits(v, digits, text), after);
}

static void add_places(Job *j) {
    const Problem *q = j->q;
    double *at = j->x + j->test * q->n_in;
    for (int k = 0; k < q->plan.references; k++, at += q->n_in) {
        double known[2];
        PdePointArgs args = {.tensor = (const void *const *)q->tensor64, .out = known};
        q->kernels.place[k](at);
        q->reference.known[k](&args);
        j->place[j->places++] = (Place){q->plan.field[q->plan.reference[k].field].name, known[0]};
    }
}

static void print_point(const Place *place, const ErrorPoint *p) {
    say("  %-10s", place->name);
    print_number(" network ", p->value, 8, "");
    print_number(", corrected ", p->value - p->error, 8, "");
    print_number(" +- ", p->half, 2, " (95 %)");
    if (!isnan(place->known))
        print_number(", known ", place->known, 8, "");
    say("\n");
}

static void print_sum(const Job *j, const ErrorSum *s) {
    bool zero = s->rms_low <= 0;
    say("error on the test law, estimated at %lld points by %d paths each\n", (long long)j->test,
        j->c.paths);
    if (zero) {
        print_number("  rms error             below ", s->rms_high, 3, "");
        print_number(", relative below ", s->rms_high / s->size, 3, " (95 %)");
        say("\n");
    } else {
        print_number("  rms error             ", s->rms, 3, "");
        print_number(" (95 %: ", s->rms_low, 3, "");
        print_number(" to ", s->rms_high, 3, ")");
        say("\n");
        print_number("  relative error        ", s->rms / s->size, 3, "");
        print_number(" (", s->rms_low / s->size, 3, "");
        print_number(" to ", s->rms_high / s->size, 3, ")");
        say("\n");
    }
    print_number("  corrected values are within +- ", s->noise, 2, " (95 %)");
    print_number(", of that by the length of steps ", s->bias, 2, "");
    print_number(", by the linearisation ", s->second, 2, "");
    say("\n");
    if (!isnan(s->true_rms)) {
        print_number("  the exact solution says: rms error ", s->true_rms, 3, "");
        print_number(", after correction ", s->corrected_rms, 3, "");
        say("; %lld of %lld intervals hold it\n", (long long)s->covered, (long long)j->test);
    }
}

static void print_all(const Job *j) {
    char text[ESTIMATE_WHY_MAX];
    ErrorSum sum = estimate_sum(j->point, j->test);
    const char *doubt = estimate_doubt(j->walk, &sum, text);
    if (doubt) {
        say("no error bar: %s\n", doubt);
        return;
    }
    print_sum(j, &sum);
    for (int k = 0; k < j->places; k++)
        print_point(&j->place[k], &j->point[j->test + k]);
}

static Status estimate_all(Job *j, const Config *config, Error *error) {
    const Problem *q = j->q;
    int64_t paths = config_integer(config, OPTION_PATHS);
    j->test = config_integer(config, OPTION_ERROR_POINTS);
    j->x = calloc((size_t)((j->test + PLACES_MAX) * q->n_in), sizeof *j->x);
    j->point = calloc((size_t)(j->test + PLACES_MAX), sizeof *j->point);
    if (!j->x || !j->point)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for %lld points",
                         (long long)j->test);
    for (int64_t first = 0; first < j->test; first += WALK_PATHS)
        walk_test_points(j->walk, first,
                         j->test - first < WALK_PATHS ? j->test - first : WALK_PATHS,
                         j->x + first * q->n_in);
    add_places(j);
    j->c = (EstimateConfig){.points = j->test + j->places,
                            .x = j->x,
                            .paths = (int)((paths + 63) / 64 * 64),
                            .steps = (int)config_integer(config, OPTION_PATH_STEPS),
                            .two_steps = true,
                            .seed = (uint64_t)config_integer(config, OPTION_SEED)};
    bool stopped = false;
    Status status = estimate_points(j->walk, &j->c, j->point, &stopped, error);
    if (status == STATUS_OK)
        print_all(j);
    return status;
}

/* The network of a run, read through a session of its own. */
static Status read_network(const Problem *q, const Settings *settings, const char *directory,
                           double **theta, double *output_scale, Error *error) {
    Session s;
    Settings set = *settings;
    set.points = PDE_LANES;
    set.algorithm = q->plan.task[0].has_exact ? ALGORITHM_exact : ALGORITHM_full;
    set.estimator = ESTIMATOR_COORDINATE;
    set.optimiser = pde_optim_default(PDE_OPT_adam);
    set.slices = 0;
    set.accumulate = 1;
    set.attack_steps = 0;
    set.average = 0;
    Status status = session_open(q, &set, &s, error);
    if (status != STATUS_OK)
        return status;
    status = model_read(&s, directory, error);
    *theta = calloc((size_t)s.network.size, sizeof **theta);
    if (status == STATUS_OK && !*theta)
        status = error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the model");
    if (status == STATUS_OK) {
        pde_engine_get(s.engine, PDE_SLOT_PARAMETERS, *theta);
        memcpy(output_scale, s.output_scale, sizeof s.output_scale);
    }
    session_close(&s);
    return status;
}

static Status with_problem(const Problem *q, const Settings *settings, const Config *config,
                           Error *error) {
    Job job = {.q = q};
    double *theta = NULL, scale[PLAN_FIELDS_MAX];
    const char *why = walk_refusal(q);
    if (why) {
        say("no error bar: %s\n", why);
        return STATUS_OK;
    }
    Status status =
        read_network(q, settings, config_text(config, OPTION_ERROR), &theta, scale, error);
    if (status == STATUS_OK)
        status = walk_open(q, settings, theta, scale, &job.walk, error);
    if (status == STATUS_OK)
        status = estimate_all(&job, config, error);
    walk_close(job.walk);
    free(job.x);
    free(job.point);
    free(theta);
    return status;
}

Status run_error(ModuleFile *module, const Config *config, Error *error) {
    Config own;
    Settings settings;
    Problem problem;
    Status status = config_init(&own, error);
    if (status != STATUS_OK)
        return status;
    status = model_settings(config, config_text(config, OPTION_ERROR), &own, error);
    if (status == STATUS_OK)
        status = settings_read(&own, &settings, error);
    if (status == STATUS_OK)
        status = problem_open(module, &own, PDE_F64, &problem, error);
    config_free(&own);
    if (status != STATUS_OK)
        return status;
    status = with_problem(&problem, &settings, config, error);
    problem_close(&problem);
    return status;
}
