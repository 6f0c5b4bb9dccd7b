/* error_job.c: see error_job.h. */
#include "commands/error_job.h"

#include "files/json.h"
#include "files/number.h"
#include "files/say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Does a report ask for the field itself? */
static bool is_plain(const Problem *q, const PlanTask *report) {
    const char *name = q->plan.field[0].name;
    size_t n = strlen(name);
    return report->text && strncmp(report->text, name, n) == 0 &&
           (report->text[n] == 0 || strncmp(report->text + n, " at ", 4) == 0);
}

static void add_places(ErrorJob *j) {
    const Problem *q = j->q;
    double *at = j->x + j->c.points * q->n_in;
    for (int k = 0; k < q->plan.references; k++, at += q->n_in) {
        double known[2];
        PdePointArgs args = {.tensor = (const void *const *)q->tensor64, .out = known};
        q->kernels.place[k](at);
        q->reference.known[k](&args);
        j->place[j->places++] =
            (ErrorPlace){q->plan.field[q->plan.reference[k].field].name, known[0]};
    }
    for (int k = q->plan.tasks; k < q->plan.tasks + q->plan.reports; k++)
        if (is_plain(q, &q->plan.task[k])) {
            q->kernels.report[k](at);
            at += q->n_in;
            j->place[j->places++] = (ErrorPlace){q->plan.task[k].text, (double)NAN};
        }
}

static Status estimate(ErrorJob *j, Walk *walk, Error *error) {
    const ErrorJobConfig *c = &j->c;
    j->x = calloc((size_t)((c->points + ERROR_PLACES_MAX) * j->q->n_in), sizeof *j->x);
    j->point = calloc((size_t)(c->points + ERROR_PLACES_MAX), sizeof *j->point);
    if (!j->x || !j->point)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for %lld points",
                         (long long)c->points);
    for (int64_t first = 0; first < c->points; first += walk_paths(walk))
        walk_test_points(walk, first,
                         c->points - first < walk_paths(walk) ? c->points - first
                                                              : walk_paths(walk),
                         j->x + first * j->q->n_in);
    add_places(j);
    EstimateConfig config = {.points = c->points + j->places,
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
    if (c->goal > 0) {
        int64_t first = j->places ? c->points : 0;
        config.points -= first;
        config.x += first * j->q->n_in;
        j->goal.half = c->goal;
        status = error_goal_pursue(walk, &config, j->point + first, &j->goal, &j->stopped, error);
        if (status != STATUS_OK || j->stopped)
            return status;
    }
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

static void print_number(const char *before, double v, int digits, const char *after) {
    char text[NUMBER_TEXT_MAX];
    say("%s%s%s", before, number_print_digits(v, digits, text), after);
}

/* As many digits as say something beside the interval. */
static int digits_of(double value, double half) {
    double digits = half > 0 ? ceil(log10(fmax(fabs(value), half) / half)) + 2 : 12;
    return digits < 2 ? 2 : digits > 12 ? 12 : (int)digits;
}

static void print_place(const ErrorPlace *place, const ErrorPoint *p) {
    double corrected = p->value - p->error;
    say("  %s:", place->name);
    print_number(" network ", p->value, digits_of(p->value, p->half), "");
    print_number(", corrected ", corrected, digits_of(corrected, p->half), "");
    print_number(" +- ", p->half, 2, " (95 %)");
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
        json_put_numbers(&json, "value_corrected_half",
                         (const double[]){p->value, p->value - p->error, p->half}, 3);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}
