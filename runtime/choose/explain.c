/* explain.c: see explain.h. */
#include "choose/explain.h"

#include "choose/judge.h"
#include "files/json.h"
#include "files/number.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Had another finalist a smaller estimate, or one that is as good? */
static bool is_tied(const Race *r) {
    bool tied = false;
    for (int k = 0; r->estimated && k < r->count; k++)
        tied = tied || (k != r->winner && r->candidate[k].stage == STAGE_TRAINED &&
                        judge_ties(&r->candidate[k], &r->candidate[r->winner]));
    return tied;
}

static const char *fate_text(const Race *r, int k) {
    const Candidate *c = &r->candidate[k];
    const bool tied = is_tied(r);
    if (k == r->winner)
        return !r->raced ? "the only one"
               : tied    ? "chosen: least measure of those that the estimates do not tell apart"
               : r->estimated ? "chosen: least estimated error"
                              : "chosen: least measure";
    switch (c->stage) {
    case STAGE_FAILED:
        return c->why;
    case STAGE_OPEN:
        return "not tried";
    case STAGE_TRIED:
        return "discarded by its measure at a quarter";
    case STAGE_TRAINED:
        return r->estimated && !(tied && judge_ties(c, &r->candidate[r->winner]))
                   ? "larger estimated error"
                   : "larger measure";
    }
    return "";
}

static void put_number(Buffer *out, double value, int width) {
    char number[NUMBER_TEXT_MAX];
    buffer_printf(out, " %-*s", width,
                  isfinite(value) ? number_print_digits(value, 3, number) : "-");
}

void explain_table(const Race *r, Buffer *out) {
    assert(r->winner < r->count);
    int width = 9;
    for (int k = 0; k < r->count; k++)
        width = (int)fmax(width, (double)strlen(r->candidate[k].name));
    buffer_printf(out, "  %-*s  %-10s %-9s %-9s %-9s\n", width, "candidate", "iterations",
                  "measure", "error", "why");
    for (int k = 0; k < r->count; k++) {
        const Candidate *c = &r->candidate[k];
        buffer_printf(out, "  %-*s  %-10lld", width, c->name, (long long)c->done);
        put_number(out, c->measure, 9);
        put_number(out, c->error, 9);
        buffer_printf(out, " %s\n", fate_text(r, k));
    }
}

/* ---------------------------------------------------------------------------------------- rules */

static void put_rule(const Candidate *c, Option option, const char *why, Buffer *out) {
    const ConfigValue *v = &c->config.value[option];
    bool tweaked = false;
    if (!v->text || v->source != CONFIG_CHOSEN)
        return;
    for (int k = 0; k < c->tweaks; k++)
        tweaked = tweaked || c->tweak[k].option == option;
    buffer_printf(out, "  %-11s %-15s %s\n", option_name(option), v->text,
                  tweaked ? "the race chose it" : why);
}

void explain_rules(const Race *r, Buffer *out) {
    assert(r->winner >= 0 && r->winner < r->count);
    const Candidate *c = &r->candidate[r->winner];
    Facts f = facts_of(&c->problem, r->budget.seconds);
    char why[160];
    bool natural = config_is(&c->config, OPTION_OPTIMISER, "natural");
    const PlanVariant *v = &c->problem.plan.variant;
    put_rule(c, OPTION_VARIANT, "", out);
    for (int k = 0; k < v->reasons; k++)
        buffer_printf(out, "  %-11s %s\n", "", v->because[k]);
    put_rule(c, OPTION_OPTIMISER,
             natural ? "whole residuals cost little here" : "its sums have to be sampled", out);
    put_rule(c, OPTION_ALGORITHM,
             rule_sums(&f) == SUMS_EXACT  ? "every sum has a closed form"
             : rule_sums(&f) == SUMS_FULL ? "the sums are short"
                                          : "the sums are long and have no closed form",
             out);
    snprintf(why, sizeof why, natural ? "for %lld inputs and %.0f s" : "least variance in the time",
             (long long)f.inputs, f.seconds);
    put_rule(c, OPTION_POINTS, why, out);
    put_rule(c, OPTION_TERMS, "least variance in the time", out);
    put_rule(c, OPTION_WIDTH, "many cheap steps are worth more than a wide network", out);
    put_rule(c, OPTION_ACTIVATION, "smooth in all derivatives", out);
    put_rule(c, OPTION_PRECISION,
             rule_precision(&f) == PDE_F64     ? "few inputs: errors fall below single precision"
             : c->problem.precision == PDE_F64 ? "first steps in float32 were not finite"
                                               : "many inputs: rounding is no limit",
             out);
    put_rule(c, OPTION_RATE, "falls to 0 with the last iteration", out);
    put_rule(c, OPTION_SCALE, "as the trial found it", out);
    put_rule(c, OPTION_ITERATIONS, "what the time allows", out);
}

/* -------------------------------------------------------------------------------------- commands */

/* A word of the shell, in quotes where it needs them. */
static void put_word(Buffer *out, const char *text) {
    bool plain =
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+/=:,") ==
        strlen(text);
    buffer_text(out, plain ? "" : "'");
    for (const char *at = text; *at; at++)
        buffer_printf(out, *at == '\'' ? "'\\''" : "%c", *at);
    buffer_text(out, plain ? "" : "'");
}

static void put_option(Buffer *out, Option option, const char *text) {
    buffer_printf(out, " --%s ", option_name(option));
    put_word(out, text);
}

static void put_stated(const Config *c, ConfigSource from, ConfigSource to, Buffer *out) {
    for (Option i = 0; i < OPTION_COUNT; i++) {
        const ConfigValue *v = &c->value[i];
        if (v->source >= from && v->source <= to && v->text && option_table[i].span != SPAN_CALL)
            put_option(out, i, v->text);
    }
}

static void put_pairs(const Config *c, Buffer *out) {
    for (size_t k = 0; k < c->pair_count; k++)
        buffer_printf(out, " --set %s=%s", c->pair[k].name, c->pair[k].value);
}

void explain_command(const Race *r, Buffer *out) {
    const Config *c = &r->candidate[r->winner].config;
    buffer_text(out, "pderun ");
    put_word(out, c->module);
    put_option(out, OPTION_EFFORT, "none");
    put_stated(c, CONFIG_CHOSEN, CONFIG_CHOSEN, out);
    put_stated(c, CONFIG_FILE, CONFIG_COMMAND_LINE, out);
    put_pairs(c, out);
}

void explain_repeat(const Race *r, Buffer *out) {
    const Config *c = &r->candidate[r->winner].config;
    char number[32];
    buffer_text(out, "pderun ");
    put_word(out, c->module);
    if (config_is_stated(c, OPTION_TIME))
        put_option(out, OPTION_TIME, config_text(c, OPTION_TIME));
    else
        put_option(out, OPTION_EFFORT, config_text(c, OPTION_EFFORT));
    put_stated(c, CONFIG_FILE, CONFIG_COMMAND_LINE, out);
    put_pairs(c, out);
    if (!config_is_stated(c, OPTION_ITERATIONS)) {
        snprintf(number, sizeof number, "%lld", (long long)r->iterations);
        put_option(out, OPTION_ITERATIONS, number);
    }
    buffer_printf(out, " --%s ", option_name(OPTION_RACE));
    for (int k = 0; k < r->count; k++)
        buffer_printf(out, "%s%lld", k ? "," : "", (long long)r->candidate[k].slot);
}

/* ------------------------------------------------------------------------------------ statements */

/* What pdec wrote of the variant: statements, and at their end a network with its features. */
static const char NETWORK[] = "solve {\n  network mlp(";

static void put_network(const Candidate *c, const char *arguments, Buffer *out) {
    const Config *g = &c->config;
    size_t line = strcspn(arguments, "\n"), n = line > 0 ? line - 1 : 0; /* without its bracket */
    const char *between = n > 0 ? ", " : "";
    double scale;
    buffer_printf(out, "solve {\n  network    mlp(%.*s", (int)n, arguments);
    if (!strstr(arguments, "width = ")) {
        buffer_printf(out, "%swidth = %s, depth = %s, activation = %s", between,
                      config_text(g, OPTION_WIDTH), config_text(g, OPTION_DEPTH),
                      config_text(g, OPTION_ACTIVATION));
        between = ", ";
    }
    if (number_read(config_text(g, OPTION_SCALE), &scale))
        buffer_printf(out, "%sscale = %s", between, config_text(g, OPTION_SCALE));
    buffer_text(out, ")\n");
}

static void put_method(const Candidate *c, Buffer *out) {
    const Config *g = &c->config;
    if (algorithm_gradient(c->settings.algorithm) == TERMS_SAMPLE)
        buffer_printf(out, "  method     sdgd(algorithm = %s, terms = %s, points = %s)\n",
                      config_text(g, OPTION_ALGORITHM), config_text(g, OPTION_TERMS),
                      config_text(g, OPTION_POINTS));
    else
        buffer_printf(out, "  method     %s(points = %s)\n", config_text(g, OPTION_ALGORITHM),
                      config_text(g, OPTION_POINTS));
    buffer_printf(out, "  optimiser  %s(rate = %s", config_text(g, OPTION_OPTIMISER),
                  config_text(g, OPTION_RATE));
    if (config_is(g, OPTION_OPTIMISER, "natural"))
        buffer_printf(out, ", damping = %s, momentum = %s", config_text(g, OPTION_DAMPING),
                      config_text(g, OPTION_MOMENTUM));
    buffer_text(out, ")\n");
}

void explain_statements(const Race *r, Buffer *out) {
    const Candidate *c = &r->candidate[r->winner];
    const char *added = c->problem.plan.variant.statements;
    const char *network = added ? strstr(added, NETWORK) : NULL;
    size_t n = network ? (size_t)(network - added) : added ? strlen(added) : 0;
    if (n > 0)
        buffer_printf(out, "%.*s%s", (int)n, added, added[n - 1] == '\n' ? "" : "\n");
    put_network(c, network ? network + strlen(NETWORK) : "", out);
    put_method(c, out);
    buffer_printf(out, "  precision  %s\n  iterations %lld\n}\n",
                  config_text(&c->config, OPTION_PRECISION), (long long)r->iterations);
}

/* ------------------------------------------------------------------------------------------ JSON */

static void put_text(JsonWriter *json, const char *key,
                     void (*print)(const Race *race, Buffer *out), const Race *r) {
    Buffer text = {0};
    print(r, &text);
    json_key(json, key);
    json_put_text(json, text.failed || !text.data ? "" : text.data);
    buffer_free(&text);
}

static void put_value(JsonWriter *json, const char *key, double value) {
    json_key(json, key);
    if (isfinite(value))
        json_put_number(json, value);
    else
        json_put_null(json);
}

void explain_json(const Race *r, Buffer *out) {
    JsonWriter json = {.out = out, .indent = 2};
    json_begin_object(&json);
    json_key(&json, "candidates");
    json_begin_array(&json);
    for (int k = 0; k < r->count; k++) {
        const Candidate *c = &r->candidate[k];
        json_begin_object(&json);
        json_key(&json, "name");
        json_put_text(&json, c->name);
        json_key(&json, "slot");
        json_put_integer(&json, c->slot);
        json_key(&json, "iterations");
        json_put_integer(&json, c->done);
        put_value(&json, "measure", c->measure);
        put_value(&json, "estimated_error", c->error);
        put_value(&json, "standard_error", c->noise);
        json_key(&json, "chosen");
        json_put_boolean(&json, k == r->winner);
        json_key(&json, "why");
        json_put_text(&json, fate_text(r, k));
        json_end_object(&json);
    }
    json_end_array(&json);
    json_key(&json, "iterations");
    json_put_integer(&json, r->iterations);
    json_key(&json, "seconds");
    json_put_number(&json, r->seconds);
    put_text(&json, "table", explain_table, r);
    put_text(&json, "rules", explain_rules, r);
    put_text(&json, "command", explain_command, r);
    put_text(&json, "repeat", explain_repeat, r);
    put_text(&json, "statements", explain_statements, r);
    json_end_object(&json);
    buffer_text(out, "\n");
}
