/* error_job.c: see error_job.h. */
#include "commands/error_job.h"

#include "error/slope.h"
#include "files/json.h"
#include "files/number.h"
#include "files/say.h"
#include "step/domain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_reports(ErrorJob *j, bool derivatives) {
    const Problem *q = j->q;
    for (int k = 0; k < q->plan.reports; k++) {
        int64_t by = q->plan.process.asked[k];
        const PlanTask *report = &q->plan.task[q->plan.tasks + k];
        bool known = derivatives ? by > 0 && by <= q->d && !q->plan.process.logarithm : by == 0;
        if (!known || !report->text)
            continue;
        q->kernels.report[q->plan.tasks + k](j->x + (j->c.points + j->places) * q->n_in);
        j->place[j->places++] =
            (ErrorPlace){.name = report->text, .known = (double)NAN, .report = k, .by = by};
    }
}

/* Derivatives come last: they are estimated after the others. */
static void add_places(ErrorJob *j) {
    const Problem *q = j->q;
    for (int k = 0; k < q->plan.references; k++) {
        double known[2];
        PdePointArgs args = {.tensor = (const void *const *)q->tensor64, .out = known};
        q->kernels.place[k](j->x + (j->c.points + j->places) * q->n_in);
        q->reference.known[k](&args);
        j->place[j->places++] = (ErrorPlace){.name = q->plan.field[q->plan.reference[k].field].name,
                                             .known = known[0],
                                             .report = -1};
    }
    add_reports(j, false);
    j->values = j->places;
    add_reports(j, true);
}

/* Their points follow those of the places. */
static int64_t slice_points(const ErrorJob *j) {
    return j->c.slices ? ERROR_SLICES * ERROR_SLICE_POINTS : 0;
}

/* The lines of the report (run_report.c), away from their ends, where the boundary is. */
static void add_slices(ErrorJob *j) {
    const Problem *q = j->q;
    double *x = j->x + (j->c.points + j->places) * q->n_in, range[2];
    for (int64_t k = 0; k < slice_points(j); k++, x += q->n_in) {
        bool diagonal = k >= ERROR_SLICE_POINTS;
        double part = ((double)(k % ERROR_SLICE_POINTS) + 0.5) / ERROR_SLICE_POINTS;
        domain_of(&q->space[0])->reach(&q->space[0], diagonal, range);
        double at = range[0] + (range[1] - range[0]) * part;
        for (int64_t i = 0; i < q->d; i++)
            x[i] = diagonal || i == 0 ? at : domain_of(&q->space[0])->centre(&q->space[0]);
        if (q->plan.time)
            x[q->d] = (q->time[0] + q->time[1]) / 2;
        j->slice[diagonal].at[k % ERROR_SLICE_POINTS] = at;
    }
}

static void read_slices(ErrorJob *j) {
    for (int64_t k = 0; k < slice_points(j); k++) {
        const ErrorPoint *p = &j->point[j->c.points + j->places + k];
        ErrorSlice *s = &j->slice[k / ERROR_SLICE_POINTS];
        int64_t at = k % ERROR_SLICE_POINTS;
        s->error[at] = p->error;
        s->low[at] = p->error - p->half;
        s->high[at] = p->error + p->half;
    }
}

/* From the logarithm of the field to the field. */
static void from_logarithm(ErrorPoint *p) {
    double corrected = exp(p->value - p->error);
    p->value = exp(p->value);
    p->error = p->value - corrected;
    p->half = corrected * expm1(p->half);
}

/* With as many paths as the values took. What takes too long is missing, and what comes after it. */
static Status estimate_reports(ErrorJob *j, Walk *walk, EstimateConfig *c, double start,
                               Error *error) {
    const PlanProcess *process = &j->q->plan.process;
    AskedValue asked[PLAN_TASKS_MAX];
    Status status = STATUS_OK;
    int reports = j->places > j->values ? walk_asked(walk, asked) : 0;
    if (j->goal.paths) {
        c->paths = j->goal.paths;
        c->steps = j->goal.steps;
    }
    for (int k = 0; k < j->places && status == STATUS_OK; k++) {
        ErrorPlace *place = &j->place[k];
        ErrorPoint *p = &j->point[j->c.points + k];
        c->points = 1;
        c->x = j->x + (j->c.points + k) * j->q->n_in;
        c->seconds_most = estimate_seconds_left(j->c.seconds_most, start);
        if (place->by > 0) {
            if (!j->incomplete)
                status = slope_point(walk, c, place->by - 1, p, &j->incomplete, error);
            place->missing = j->incomplete;
            p->value = place->report < reports ? asked[place->report].value : (double)NAN;
        } else if (place->report >= 0 && process->logarithm)
            from_logarithm(p);
    }
    return status;
}

static Status estimate(ErrorJob *j, Walk *walk, Error *error) {
    const ErrorJobConfig *c = &j->c;
    double start = seconds_now();
    int64_t most = c->points + ERROR_PLACES_MAX + slice_points(j);
    j->x = calloc((size_t)(most * j->q->n_in), sizeof *j->x);
    j->point = calloc((size_t)most, sizeof *j->point);
    if (!j->x || !j->point)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for %lld points",
                         (long long)c->points);
    for (int64_t first = 0; first < c->points; first += walk_paths(walk))
        walk_test_points(walk, first,
                         c->points - first < walk_paths(walk) ? c->points - first
                                                              : walk_paths(walk),
                         j->x + first * j->q->n_in);
    add_places(j);
    add_slices(j);
    EstimateConfig config = {.points = c->points + j->places + slice_points(j),
                             .x = j->x,
                             .paths = (c->paths + WALK_BLOCK - 1) / WALK_BLOCK * WALK_BLOCK,
                             .steps = c->steps,
                             .two_steps = true,
                             .seed = c->seed,
                             .seconds_most = c->seconds_most,
                             .stop = c->stop};
    Status status = estimate_points(walk, &config, j->point, &j->stopped, error);
    if (status != STATUS_OK || j->stopped)
        return status;
    read_slices(j);
    if (c->goal > 0) {
        int64_t first = j->values ? c->points : 0;
        config.points = j->values ? j->values : c->points;
        config.x += first * j->q->n_in;
        j->goal.half = c->goal;
        status = error_goal_pursue(walk, &config, j->point + first, &j->goal, &j->stopped, error);
        if (status != STATUS_OK || j->stopped)
            return status;
    }
    status = estimate_reports(j, walk, &config, start, error);
    if (status != STATUS_OK || j->stopped)
        return status;
    j->sum = estimate_sum(j->point, c->points);
    char text[ESTIMATE_WHY_MAX];
    const char *doubt = estimate_doubt(walk, &j->sum, text);
    if (doubt)
        snprintf(j->why, sizeof j->why, "%s", doubt);
    return STATUS_OK;
}

Status error_job_run(const Problem *q, const Settings *settings, const double *theta,
                     const double *output_scale, const ErrorJobConfig *config, ErrorJob *job,
                     Error *error) {
    Walk *walk = NULL;
    *job = (ErrorJob){.q = q, .c = *config};
    const char *why = walk_refusal(q);
    if (why) {
        snprintf(job->why, sizeof job->why, "%s", why);
        return STATUS_OK;
    }
    Status status = walk_open(q, settings, theta, output_scale, &walk, error);
    if (status == STATUS_OK)
        status = estimate(job, walk, error);
    walk_close(walk);
    return status;
}

void error_job_free(ErrorJob *j) {
    free(j->x);
    free(j->point);
    *j = (ErrorJob){0};
}

/* ------------------------------------------------------------------------------------------ print */

/* As many digits as say something beside the interval. */
static int digits_of(double value, double half) {
    double digits = half > 0 ? ceil(log10(fmax(fabs(value), half) / half)) + 2 : 12;
    return digits < 2 ? 2 : digits > 12 ? 12 : (int)digits;
}

static void print_number(const char *before, double v, int digits, const char *after) {
    char text[NUMBER_TEXT_MAX];
    say("%s%s%s", before, number_print_digits(v, digits, text), after);
}

/* "V = 6.2174 +- 0.0003 at x_i = 1; the network 6.2169" */
static void print_place(const ErrorPlace *place, const ErrorPoint *p) {
    char number[NUMBER_INTERVAL_MAX];
    const char *at = strstr(place->name, " at ");
    int name = at ? (int)(at - place->name) : (int)strlen(place->name);
    if (place->missing) {
        say("  %.*s has no bar yet%s", name, place->name, at ? at : "");
        print_number("; the network ", p->value, 6, "\n");
        return;
    }
    say("  %.*s = %s%s", name, place->name,
        number_print_interval(p->value - p->error, p->half, number), at ? at : "");
    print_number("; the network ", p->value, digits_of(p->value, p->half), "");
    if (!isnan(place->known))
        print_number(", known ", place->known, digits_of(place->known, p->half) + 1, "");
    say("\n");
}

static void print_sum(const ErrorJob *j, bool brief) {
    const ErrorSum *s = &j->sum;
    if (s->rms_low <= 0) {
        print_number("  relative error        below ", s->rms_high / s->size, 3, " (95 %)");
        print_number(", rms below ", s->rms_high, 3, "");
    } else {
        print_number("  relative error        ", s->rms / s->size, 3, "");
        print_number(" (95 %: ", s->rms_low / s->size, 3, "");
        print_number(" to ", s->rms_high / s->size, 3, ")");
        print_number(", rms ", s->rms, 3, "");
    }
    say("\n");
    print_number("  corrected values      +- ", s->noise, 2, " (95 %)");
    print_number(", of that by the steps ", s->bias, 2, "");
    print_number(", by the linearisation ", s->second, 2, "");
    say("\n");
    if (isnan(s->true_rms) || brief)
        return;
    print_number("  the exact solution    relative error ", s->true_rms / s->size, 3, "");
    print_number(", after correction ", s->corrected_rms / s->size, 3, "");
    say("; %lld of %lld intervals hold it\n", (long long)s->covered, (long long)j->c.points);
}

static void print_goal(const ErrorGoal *goal) {
    print_number("  precision goal        ", goal->half, 3,
                 goal->hindered ? " not reached, +- " : " reached, +- ");
    print_number("", goal->found, 2, "");
    say(" with %d paths from each point", goal->paths);
    if (goal->hindered)
        say("; it is hindered by %s", goal->hindered);
    say("\n");
}

void error_job_print(const ErrorJob *j, bool brief) {
    if (j->why[0]) {
        say("no error bar: %s\n", j->why);
        return;
    }
    if (j->stopped)
        return;
    say("error on the test law, estimated at %lld points by %d paths each\n",
        (long long)j->c.points, j->c.paths);
    print_sum(j, brief);
    for (int k = 0; k < j->places; k++)
        print_place(&j->place[k], &j->point[j->c.points + k]);
    if (j->goal.half > 0)
        print_goal(&j->goal);
}

bool error_job_has(const ErrorJob *j) {
    return j->point && !j->why[0] && !j->stopped;
}

static void write_slice(JsonWriter *json, const ErrorSlice *slice) {
    json_begin_object(json);
    json_put_numbers(json, "at", slice->at, ERROR_SLICE_POINTS);
    json_put_numbers(json, "error", slice->error, ERROR_SLICE_POINTS);
    json_put_numbers(json, "low", slice->low, ERROR_SLICE_POINTS);
    json_put_numbers(json, "high", slice->high, ERROR_SLICE_POINTS);
    json_end_object(json);
}

void error_job_write(const ErrorJob *j, Buffer *out) {
    const ErrorSum *s = &j->sum;
    JsonWriter json = {.out = out};
    json_begin_object(&json);
    if (j->why[0]) {
        json_key(&json, "no_bar");
        json_put_text(&json, j->why);
        json_end_object(&json);
        return;
    }
    const struct {
        const char *name;
        double value;
    } number[] = {{"relative", s->rms / s->size},
                  {"relative_low", s->rms_low / s->size},
                  {"relative_high", s->rms_high / s->size},
                  {"rms", s->rms},
                  {"corrected_half", s->noise},
                  {"by_steps", s->bias},
                  {"by_linearisation", s->second},
                  {"points", (double)j->c.points},
                  {"paths", j->c.paths}};
    for (size_t k = 0; k < sizeof number / sizeof *number; k++) {
        json_key(&json, number[k].name);
        json_put_number(&json, number[k].value);
    }
    json_key(&json, "places");
    json_begin_array(&json);
    for (int k = 0; k < j->places; k++) {
        const ErrorPoint *p = &j->point[j->c.points + k];
        json_begin_object(&json);
        json_key(&json, "name");
        json_put_text(&json, j->place[k].name);
        const double missing = j->place[k].missing ? (double)NAN : 0; /* null */
        json_put_numbers(
            &json, "value_corrected_half",
            (const double[]){p->value, p->value - p->error + missing, p->half + missing}, 3);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_key(&json, "slices");
    json_begin_array(&json);
    for (int k = 0; k < ERROR_SLICES && j->c.slices; k++)
        write_slice(&json, &j->slice[k]);
    json_end_array(&json);
    json_end_object(&json);
}
