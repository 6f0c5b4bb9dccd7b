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
static const double RACE_SHARE = 0.45; /* of the budget, if all candidates finished their slots */
static const double OPEN_SHARE = 0.2;  /* after which no further candidate is opened */

/* ----------------------------------------------------------------------------------- who takes part */

/* Once the variants have been tried with the rules' settings, the best of them is tried with departures from the rules
 * that pay on some problems. */
typedef struct Departure {
    const char *name;
    int tweaks;
    Tweak tweak[2];
    int64_t least, most; /* tried with so many inputs of the network */
} Departure;

static const Departure departure[] = {
    {"scale 1", 1, {{OPTION_SCALE, "1"}}, 0, INT64_MAX},
    {"sin", 1, {{OPTION_ACTIVATION, "sin"}}, 0, 16},
    {"narrow, 512 points", 2, {{OPTION_WIDTH, "16"}, {OPTION_POINTS, "512"}}, 0, 16},
    {"96 points", 1, {{OPTION_POINTS, "96"}}, 17, INT64_MAX},
};

enum { DEPARTURES = sizeof departure / sizeof *departure, DEPARTURES_MOST = 3 };

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

/* Is the logarithm of the unknown learned? Then residuals are by unit of the unknown, and those of the file as it is
 * written cannot stand beside them: where a density is nearly 0, nothing solves its equation best. */
static bool is_logarithmic(const Plan *plan) {
    return plan->fields > 0 && strncmp(plan->field[0].name, "log_", 4) == 0;
}

static Status variant_name(const ModuleFile *module, const char *path, int k, char *name,
                           bool *logarithmic, Error *error) {
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
        *logarithmic = is_logarithmic(plan);
        plan_free(plan);
    }
    module_free(&variant);
    free(plan);
    return status;
}

static Status line_up(Race *r, const ModuleFile *module, const Plan *plan, const Config *config,
                      Error *error) {
    int variants = variant_count(module);
    Status status = STATUS_OK;
    bool logarithmic = false;
    if (config_is_stated(config, OPTION_VARIANT))
        variants = 0;
    for (int k = 0; k < variants && status == STATUS_OK; k++)
        status = variant_name(module, config->module, k, r->variant[k], &logarithmic, error);
    if (status != STATUS_OK)
        return status;
    if (variants == 0 || logarithmic == is_logarithmic(plan))
        (void)add(r, config_is_stated(config, OPTION_VARIANT) ? config_text(config, OPTION_VARIANT)
                                                              : VARIANT_WRITTEN);
    for (int k = 0; k < variants; k++)
        (void)add(r, r->variant[k]);
    return STATUS_OK;
}

/* Settings that somebody stated are not tried otherwise. */
static bool departs(const Departure *d, const Candidate *from, const Config *config) {
    bool stated = false;
    for (int k = 0; k < d->tweaks; k++)
        stated = stated || config_is_stated(config, d->tweak[k].option);
    return !stated && from->problem.inputs >= d->least && from->problem.inputs <= d->most;
}

static Candidate *add_departure(Race *r, const Candidate *from, const Departure *d) {
    assert(from->tweaks == 1 && d->tweaks < TWEAKS_MAX);
    Candidate *c = add(r, from->tweak[0].value);
    for (int k = 0; c && k < d->tweaks; k++)
        c->tweak[c->tweaks++] = d->tweak[k];
    if (c)
        snprintf(c->name, sizeof c->name, "%s, %s", from->name, d->name);
    return c;
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
static Status take_stated(Race *r, const Config *config, Error *error) {
    const char *text = config_text(config, OPTION_RACE);
    if (!config_is_stated(config, OPTION_RACE))
        return STATUS_OK;
    do {
        r->stated_slot[r->stated] = next_count(&text);
        if (r->stated_slot[r->stated++] == 0)
            return error_set(error, STATUS_OPTION_VALUE,
                             "--race takes whole numbers separated by commas, one for each "
                             "candidate");
    } while (*text && r->stated < CANDIDATES_MAX);
    r->count = r->stated < r->count ? r->stated : r->count;
    return STATUS_OK;
}

static void set_slot(Race *r, int k) {
    assert(r->count > 0 && k < r->count);
    Candidate *c = &r->candidate[k];
    double share = RACE_SHARE / (double)(r->variants + DEPARTURES_MOST);
    double iterations = r->budget.iterations > 0 ? share * (double)r->budget.iterations
                                                 : share * r->budget.seconds / c->step_seconds;
    c->slot = r->stated > 0 ? r->stated_slot[k]
                            : effort_round(c->stage == STAGE_FAILED ? 1 : iterations, SLOT_LEAST);
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
    const Stopwatch start = stopwatch_start();
    const double most = OPEN_SHARE * r->budget.seconds;
    for (int k = 0; k < r->count && status == STATUS_OK; k++) {
        if (k > 0 && r->stated == 0 && stopwatch_seconds(start) > most)
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

static bool has_departures(const Race *r, const Config *config) {
    for (int k = 0; k < DEPARTURES; k++)
        if (r->candidate[0].stage != STAGE_FAILED &&
            departs(&departure[k], &r->candidate[0], config))
            return true;
    return false;
}

/* Is there anything to choose between? A stated race of one, or one that was cut to one, had nobody else. */
static bool is_race(const Race *r, const Config *config) {
    return r->count > 1 || (!r->cut && r->stated != 1 && has_departures(r, config));
}

/* Those that differ from the best in one thing each; a stated race says how many there were. */
static Status try_departures(Race *r, const Judge *judge, const ModuleFile *module,
                             const Config *config, const RaceHooks *h, Error *error) {
    int index[CANDIDATES_MAX];
    Status status = STATUS_OK;
    if (r->cut || ranked(r, STAGE_TRIED, false, index) == 0 || *h->interrupt)
        return STATUS_OK;
    const Candidate *best = &r->candidate[index[0]];
    for (int k = 0; k < DEPARTURES && status == STATUS_OK && !*h->interrupt; k++) {
        bool room = r->stated > 0 ? r->count < r->stated : r->count < r->variants + DEPARTURES_MOST;
        Candidate *c = room && departs(&departure[k], best, config)
                           ? add_departure(r, best, &departure[k])
                           : NULL;
        if (!c)
            continue;
        status = candidate_open(c, module, config, r->budget.seconds, error);
        set_slot(r, r->count - 1);
    }
    return status == STATUS_OK ? try_all(r, judge, h, error) : status;
}

static Status finish_best(Race *r, const Judge *judge, const ModuleFile *module, const RaceHooks *h,
                          Error *error) {
    int index[CANDIDATES_MAX], tried = ranked(r, STAGE_TRIED, false, index);
    int keep = judge_finalists(r->candidate, index, tried);
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
    r->winner = count == 0 ? -1 : r->estimated ? judge_best(r->candidate, index, count) : index[0];
}

static Status race_all(Race *r, const ModuleFile *module, const Config *config, const RaceHooks *h,
                       Error *error) {
    Judge judge;
    Status status = judge_open(&judge, r->candidate, r->count, r->budget.seconds, error);
    if (status == STATUS_OK)
        status = try_all(r, &judge, h, error);
    if (status == STATUS_OK)
        status = try_departures(r, &judge, module, config, h, error);
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
    const Stopwatch start = stopwatch_start();
    *r = (Race){.budget = effort_budget(config), .winner = -1};
    Status status = line_up(r, module, plan, config, error);
    r->variants = r->count;
    if (status == STATUS_OK)
        status = take_stated(r, config, error);
    const int invited = r->count;
    if (status == STATUS_OK && invited > 1)
        tell(h, "choosing between %d variants, then between ways to train the best", invited);
    if (status == STATUS_OK)
        status = open_all(r, module, config, error);
    r->cut = r->count < invited;
    if (status == STATUS_OK && r->cut)
        tell(h, "no time to try more than %d of them", r->count);
    for (int k = 0; k < r->count && status == STATUS_OK; k++)
        set_slot(r, k);
    if (status == STATUS_OK && is_race(r, config))
        status = race_all(r, module, config, h, error);
    r->raced = r->count > 1;
    if (status != STATUS_OK)
        return status;
    choose(r);
    if (r->winner < 0)
        return no_candidate(r, error);
    r->seconds = stopwatch_seconds(start);
    set_final(r, fmax(r->budget.seconds - r->seconds, r->budget.seconds / 4));
    return STATUS_OK;
}

void race_close(Race *r) {
    for (int k = 0; k < r->count; k++)
        candidate_close(&r->candidate[k]);
    *r = (Race){.winner = -1};
}
