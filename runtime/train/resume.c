/* resume.c: what is given again as it was is taken from the checkpoint, as if it were not given: so an
 * option that implies others implies nothing new in mid-run. */
#define _POSIX_C_SOURCE 200809L
#include "train/resume.h"

#include "files/number.h"
#include "load/plan_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Resume {
    Config *config;
    const Config *stored;
    const ModuleFile *module;
    Buffer *notes;
} Resume;

static bool same_rate(const char *a, const char *b) {
    RateText x, y;
    if (!config_read_rate(a, &x) || !config_read_rate(b, &y) ||
        strcmp(x.schedule, y.schedule) != 0 || x.count != y.count)
        return false;
    for (int k = 0; k < x.count; k++)
        if (x.argument[k] != y.argument[k])
            return false;
    return true;
}

/* `auto` is what the run has chosen. */
static bool same_value(Option option, const ConfigValue *given, const ConfigValue *stored) {
    OptionKind kind = option_table[option].kind;
    if (kind == KIND_CHOICE_OR_INTEGER && isnan(given->number))
        return true;
    if (!given->text || !stored->text)
        return !given->text && !stored->text;
    if (kind == KIND_RATE)
        return same_rate(given->text, stored->text);
    if (isnan(given->number) || isnan(stored->number))
        return strcmp(given->text, stored->text) == 0;
    return given->number == stored->number;
}

static const char *text_of(const ConfigValue *value) {
    return value->text ? value->text : "not set";
}

static Status refuse(const char *option, const char *name, const char *before, const char *given,
                     Error *error) {
    return error_set(
        error, STATUS_RESUME_CHANGES,
        "this run was begun with --%s %s%s%s, and --resume cannot change that to %s: leave the "
        "option out, or start a new run in another directory (--out)",
        option, name, *name ? "=" : "", before, given);
}

/* A schedule is spread over all iterations. */
static void note_schedule(const Resume *r) {
    RateText rate;
    const char *text = r->config->value[OPTION_RATE].source == CONFIG_COMMAND_LINE
                           ? config_text(r->config, OPTION_RATE)
                           : config_text(r->stored, OPTION_RATE);
    if (text && config_read_rate(text, &rate) && strcmp(rate.schedule, "constant") != 0)
        buffer_printf(r->notes, "; with it changes the rate, as %s is spread over all iterations",
                      text);
}

static Status compare_value(const Resume *r, Option option, Error *error) {
    ConfigValue *given = &r->config->value[option];
    const ConfigValue *stored = &r->stored->value[option];
    const OptionRow *row = &option_table[option];
    if (given->source < CONFIG_FILE || row->span == SPAN_CALL || row->kind == KIND_PAIR)
        return STATUS_OK;
    if (same_value(option, given, stored)) {
        given->source = given->text ? CONFIG_DEFAULT : CONFIG_UNSET;
    } else if (given->source == CONFIG_FILE) {
        buffer_printf(
            r->notes,
            "the configuration file has %s = %s, the run that goes on has %s, which stays\n",
            row->name, text_of(given), text_of(stored));
    } else if (row->span == SPAN_FIXED) {
        return refuse(row->name, "", text_of(stored), text_of(given), error);
    } else {
        buffer_printf(r->notes, "--%s was %s and is %s from here on", row->name, text_of(stored),
                      text_of(given));
        if (option == OPTION_ITERATIONS)
            note_schedule(r);
        buffer_text(r->notes, "\n");
    }
    return STATUS_OK;
}

/* The value of a dim or param in the problem itself; NaN: there is none of that name. */
static double own_value(const ModuleFile *module, const char *name) {
    Plan *plan = calloc(1, sizeof *plan);
    Bytes json;
    double value = (double)NAN;
    if (plan && module_section(module, ".pde.plan", &json) &&
        plan_parse(json, plan, NULL) == STATUS_OK) {
        for (int k = 0; k < plan->dims; k++)
            value = strcmp(plan->dim[k].name, name) == 0 ? (double)plan->dim[k].value : value;
        for (int k = 0; k < plan->params; k++)
            value = strcmp(plan->param[k].name, name) == 0 ? plan->param[k].value : value;
        plan_free(plan);
    }
    free(plan);
    return value;
}

/* A name that the problem does not have is left to whoever sets it. */
static Status compare_pair(const Resume *r, ConfigPair *pair, Error *error) {
    const char *stored = config_pair(r->stored, pair->name);
    double given = 0, before = 0;
    char number[NUMBER_TEXT_MAX];
    number_read(pair->value, &given);
    if (stored)
        number_read(stored, &before);
    else
        before = own_value(r->module, pair->name);
    if (given == before || isnan(before)) {
        pair->source = isnan(before) ? pair->source : CONFIG_DEFAULT;
        return STATUS_OK;
    }
    if (pair->source == CONFIG_COMMAND_LINE)
        return refuse("set", pair->name, number_print(before, number), pair->value, error);
    buffer_printf(r->notes,
                  "the configuration file sets %s = %s, the run that goes on has %s, which stays\n",
                  pair->name, pair->value, number_print(before, number));
    char *copy = strdup(number);
    if (!copy)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the options");
    free(pair->value);
    pair->value = copy;
    return STATUS_OK;
}

Status resume_options(Config *config, Bytes json, const ModuleFile *module, Buffer *notes,
                      Error *error) {
    Config stored;
    const Resume r = {config, &stored, module, notes};
    Status status = config_init(&stored, error);
    if (status == STATUS_OK)
        status = config_read_json(&stored, CONFIG_RESUMED, json, "the checkpoint", error);
    for (Option i = 0; i < OPTION_COUNT && status == STATUS_OK; i++)
        status = compare_value(&r, i, error);
    for (size_t k = 0; k < config->pair_count && status == STATUS_OK; k++)
        if (config->pair[k].source >= CONFIG_FILE)
            status = compare_pair(&r, &config->pair[k], error);
    config_free(&stored);
    return status == STATUS_OK
               ? config_read_json(config, CONFIG_RESUMED, json, "the checkpoint", error)
               : status;
}
