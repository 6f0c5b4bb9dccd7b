/* race.c: see race.h. */
#include "choose/race.h"

#include "choose/judge.h"
#include "files/number.h"
#include "load/variant.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOT_LEAST = 8, FINAL_LEAST = 4 };
static const double RACE_SHARE = 0.5; /* of the budget, if all candidates finished their slots */
static const double OPEN_SHARE = 0.2; /* after which no further candidate is opened */

/* ----------------------------------------------------------------------------------- who takes part */

/* Beside each variant with the rules' settings: departures from the rules that pay on some problems, tried with the
 * problem as it is written and with the first variant. */
typedef struct Departure {
    const char *name;
    Tweak tweak;
    int64_t least, most; /* tried with so many inputs */
} Departure;

static const Departure departure[] = {
    {"scale 1", {OPTION_SCALE, "1"}, 0, INT64_MAX},
    {"sin", {OPTION_ACTIVATION, "sin"}, 0, 16},
    {"256 points", {OPTION_POINTS, "256"}, 0, 16},
    {"96 points", {OPTION_POINTS, "96"}, 17, INT64_MAX},
};

static Candidate *add(Race *r, const char *variant) {
    assert(r->count >= 0 && r->count <= CANDIDATES_MAX);
    const double share = 2.5; /* seconds of the budget for each: a trial has to show something */
    if (r->count >= CANDIDATES_MAX || r->count >= fmax(3, r->budget.seconds / share))
        return NULL;
    Candidate *c = &r->candidate[r->count++];
    *c = (Candidate){.tweak = {{OPTION_VARIANT, variant}}, .tweaks = 1};
    snprintf(c->name, sizeof c->name, "%s", variant);
    return c;
}

static void add_departure(Race *r, const char *variant, const Departure *d) {
    Candidate *c = add(r, variant);
    if (!c)
        return;
    c->tweak[c->tweaks++] = d->tweak;
    snprintf(c->name, sizeof c->name, "%s, %s", variant, d->name);
}

static Status variant_name(const ModuleFile *module, const char *path, int k, char *name,
                           Error *error) {
    ModuleFile variant = {0};
    Bytes json;
    Plan *plan = calloc(1, sizeof *plan);
    Status status = plan ? variant_open(module, path, k, &variant, error)
                         : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a plan");
    if (status == STATUS_OK)
        status = module_require(&variant, ".pde.plan", &json, error);
    if (status == STATUS_OK)
        status = plan_parse(json, plan, error);
    if (status == STATUS_OK) {
        snprintf(name, PLAN_NAME_MAX, "%s", plan->variant.name);
        plan_free(plan);
    }
    module_free(&variant);
    free(plan);
    return status;
}

/* Settings that somebody stated are not tried otherwise. */
static Status line_up(Race *r, const ModuleFile *module, const Plan *plan, const Config *config,
                      Error *error) {
    int variants = variant_count(module);
    Status status = STATUS_OK;
    int64_t inputs = plan_coordinates(plan) + (plan->time != NULL);
    if (config_is_stated(config, OPTION_VARIANT))
        variants = 0;
    for (int k = 0; k < variants && status == STATUS_OK; k++)
        status = variant_name(module, config->module, k, r->variant[k], error);
    if (status != STATUS_OK)
        return status;
    const char *first = config_is_stated(config, OPTION_VARIANT)
                            ? config_text(config, OPTION_VARIANT)
                            : VARIANT_WRITTEN;
    add(r, first);
    for (int k = 0; k < variants; k++)
        add(r, r->variant[k]);
    for (size_t k = 0; k < sizeof departure / sizeof *departure; k++) {
        const Departure *d = &departure[k];
        if (config_is_stated(config, d->tweak.option) || inputs < d->least || inputs > d->most)
            continue;
        if (variants > 0)
            add_departure(r, r->variant[0], d);
        if (variants < 3)
            add_departure(r, first, d);
    }
    return STATUS_OK;
}

/* ------------------------------------------------------------------------------------ how long */

/* Reads the next number of --race; 0: there is none. */
static int64_t next_count(const char **text) {
    double value = 0;
    char number[NUMBER_TEXT_MAX];
    size_t length = strcspn(*text, ",");
    if (length == 0 || length >= sizeof number)
        return 0;
    snprintf(number, sizeof number, "%.*s", (int)length, *text);
    *text += length + ((*text)[length] == ',');
    return number_read(number, &value) && value >= 1 && value <= (double)ITERATIONS_MOST
               ? (int64_t)value
               : 0;
}

/* A race of fewer candidates than there could be was cut short by its time. */
static void take_stated(Race *r, const char *text) {
    int count = 1;
    for (; *text; text++)
        count += *text == ',';
    r->count = count < r->count ? count : r->count;
}

static Status stated_slots(Race *r, const char *text, Error *error) {
    for (int k = 0; k < r->count; k++) {
        r->candidate[k].slot = next_count(&text);
        if (r->candidate[k].slot == 0)
            return error_set(error, STATUS_OPTION_VALUE,
                             "--race takes %d whole numbers separated by commas, one for each "
                             "candidate",
                             r->count);
    }
    return STATUS_OK;
}

static Status set_slots(Race *r, const Config *config, Error *error) {
    assert(r->count > 0);
    double share = RACE_SHARE / (double)r->count;
    if (config_is_stated(config, OPTION_RACE))
        return stated_slots(r, config_text(config, OPTION_RACE), error);
    for (int k = 0; k < r->count; k++) {
        Candidate *c = &r->candidate[k];
        double iterations = r->budget.iterations > 0 ? share * (double)r->budget.iterations
                                                     : share * r->budget.seconds / c->step_seconds;
        c->slot = effort_round(c->stage == STAGE_FAILED ? 1 : iterations, SLOT_LEAST);
    }
    return STATUS_OK;
}

static void set_final(Race *r, double left) {
    assert(r->winner >= 0 && r->winner < r->count);
    const Candidate *c = &r->candidate[r->winner];
    r->iterations = r->budget.iterations > 0 ? r->budget.iterations
                                             : effort_round(left / c->step_seconds, FINAL_LEAST);
}

/* ------------------------------------------------------------------------------------- the race */

static void tell(const RaceHooks *h, const char *format, ...) {
    char line[512];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    h->say(h->context, line);
}

/* What takes long to open takes long to train as well: those that are left then stay out. A stated --race says how
 * many took part, so that it is the same race whatever the clock says. */
static Status open_all(Race *r, const ModuleFile *module, const Config *config, Error *error) {
    Status status = STATUS_OK;
    double start = seconds_now(), most = OPEN_SHARE * r->budget.seconds;
    const bool stated = config_is_stated(config, OPTION_RACE);
    for (int k = 0; k < r->count && status == STATUS_OK; k++) {
        if (k > 0 && !stated && seconds_now() - start > most)
            r->count = k;
        else
            status = candidate_open(&r->candidate[k], module, config, r->budget.seconds, error);
    }
    return status;
}

/* The indices of the candidates of a stage, best first. */
static int ranked(const Race *r, Stage stage, bool estimated, int *index) {
    int count = 0;
    for (int k = 0; k < r->count; k++) {
        if (r->candidate[k].stage != stage)
            continue;
        int at = count++;
        for (; at > 0 && judge_prefers(&r->candidate[k], &r->candidate[index[at - 1]], estimated);
             at--)
            index[at] = index[at - 1];
        index[at] = k;
    }
    return count;
}

static Status try_all(Race *r, const Judge *judge, const RaceHooks *h, Error *error) {
    Status status = STATUS_OK;
    for (int k = 0; k < r->count && status == STATUS_OK && !*h->interrupt; k++) {
        Candidate *c = &r->candidate[k];
        if (c->stage != STAGE_OPEN)
            continue;
        status = candidate_train(c, (c->slot + 3) / 4, h->interrupt, error);
        if (status == STATUS_OK && c->stage == STAGE_OPEN)
            status = judge_measure(judge, c, error);
        if (c->stage == STAGE_OPEN)
            c->stage = STAGE_TRIED;
    }
    return status;
}

static Status finish_best(Race *r, const Judge *judge, const ModuleFile *module, const RaceHooks *h,
                          Error *error) {
    int index[CANDIDATES_MAX], tried = ranked(r, STAGE_TRIED, false, index);
    int keep = (tried + 2) / 3 > 1 ? (tried + 2) / 3 : tried < 2 ? tried : 2;
    Status status = STATUS_OK;
    for (int k = 0; k < keep && status == STATUS_OK && !*h->interrupt; k++) {
        Candidate *c = &r->candidate[index[k]];
        status = candidate_train(c, c->slot, h->interrupt, error);
        if (status == STATUS_OK && c->stage == STAGE_TRIED)
            status = judge_measure(judge, c, error);
        if (status == STATUS_OK && c->stage == STAGE_TRIED)
            status = judge_estimate(judge, module, c, h->interrupt, error);
        if (c->stage == STAGE_TRIED)
            c->stage = STAGE_TRAINED;
    }
    return status;
}

/* Candidates are compared by what all of them have. */
static void choose(Race *r) {
    int index[CANDIDATES_MAX], count = ranked(r, STAGE_TRAINED, false, index);
    r->estimated = count > 0;
    for (int k = 0; k < count; k++)
        r->estimated = r->estimated && isfinite(r->candidate[index[k]].error) &&
                       isfinite(r->candidate[index[k]].noise);
    count = ranked(r, STAGE_TRAINED, r->estimated, index);
    if (count == 0)
        count = ranked(r, STAGE_TRIED, false, index);
    if (count == 0)
        count = ranked(r, STAGE_OPEN, false, index);
    r->winner = count > 0 ? index[0] : -1;
}

static Status race_all(Race *r, const ModuleFile *module, const RaceHooks *h, Error *error) {
    Judge judge;
    Status status = judge_open(&judge, r->candidate, r->count, r->budget.seconds, error);
    if (status == STATUS_OK)
        status = try_all(r, &judge, h, error);
    if (status == STATUS_OK)
        status = finish_best(r, &judge, module, h, error);
    judge_close(&judge);
    return status;
}

static Status no_candidate(const Race *r, Error *error) {
    assert(r->count > 0 && r->winner < 0);
    return error_set(error, STATUS_OPTION_CONFLICT, "no network could be chosen: %s",
                     r->candidate[0].why);
}

Status race_run(const ModuleFile *module, const Plan *plan, const Config *config,
                const RaceHooks *h, Race *r, Error *error) {
    double start = seconds_now();
    *r = (Race){.budget = effort_budget(config), .winner = -1};
    Status status = line_up(r, module, plan, config, error);
    r->possible = r->count;
    if (config_is_stated(config, OPTION_RACE))
        take_stated(r, config_text(config, OPTION_RACE));
    const int invited = r->count;
    if (status == STATUS_OK && invited > 1)
        tell(h, "choosing between %d candidates", invited);
    if (status == STATUS_OK)
        status = open_all(r, module, config, error);
    r->raced = r->count > 1;
    if (status == STATUS_OK && r->count < invited)
        tell(h, "no time to try more than %d of them", r->count);
    if (status == STATUS_OK)
        status = set_slots(r, config, error);
    if (status == STATUS_OK && r->raced)
        status = race_all(r, module, h, error);
    if (status != STATUS_OK)
        return status;
    choose(r);
    if (r->winner < 0)
        return no_candidate(r, error);
    r->seconds = seconds_now() - start;
    set_final(r, fmax(r->budget.seconds - r->seconds, r->budget.seconds / 4));
    return STATUS_OK;
}

void race_close(Race *r) {
    for (int k = 0; k < r->count; k++)
        candidate_close(&r->candidate[k]);
    *r = (Race){.winner = -1};
}
