/* choose_command.c: see choose_command.h; and pderun --suggest. */
#include "commands/choose_command.h"

#include "choose/explain.h"
#include "commands/pderun.h"
#include "engine/ranks/ranks.h"
#include "files/io.h"
#include "files/say.h"
#include "load/variant.h"
#include "train/run_frame.h"

#include <stdio.h>
#include <stdlib.h>

static void say_line(void *context, const char *line) {
    (void)context;
    say("%s\n", line);
    (void)say_end();
}

static void print(const Race *race, const char *heading,
                  void (*explain)(const Race *race, Buffer *out)) {
    Buffer text = {0};
    explain(race, &text);
    if (!text.failed && text.size > 0) {
        say("%s\n", heading);
        say_lines(text.data, text.size);
    }
    buffer_free(&text);
}

static void print_command(const Race *race, const char *heading,
                          void (*explain)(const Race *race, Buffer *out)) {
    Buffer text = {0};
    explain(race, &text);
    if (!text.failed)
        say("%s\n  %s\n", heading, text.data);
    buffer_free(&text);
}

static void print_race(const Race *race) {
    if (race->raced)
        print(race, "", explain_table);
    print(race, "chosen", explain_rules);
    print_command(race, "this run again, to the bit:", explain_repeat);
    print_command(race, "the same settings without the race:", explain_command);
    say("\n");
    (void)say_end();
}

/* The scale that the trial has found is one number only where there is one output. */
static Status settle(Race *race, Error *error) {
    Candidate *c = &race->candidate[race->winner];
    Buffer text = {0};
    Status status = STATUS_OK;
    buffer_printf(&text, "%lld", (long long)race->iterations);
    status = buffer_status(&text, error);
    if (status == STATUS_OK && race->budget.iterations == 0)
        status = config_override(&c->config, OPTION_ITERATIONS, text.data, error);
    buffer_free(&text);
    if (status != STATUS_OK || c->problem.outputs != 1 ||
        config_is(&c->config, OPTION_SCALE, "none"))
        return status;
    buffer_number(&text, c->state.output_scale[0]);
    status = buffer_status(&text, error);
    if (status == STATUS_OK)
        status = config_choose(&c->config, OPTION_SCALE, text.data, error);
    buffer_free(&text);
    return status;
}

static Status take_over(Race *race, ModuleFile *module, Config *config, Start *start,
                        Error *error) {
    Candidate *c = &race->candidate[race->winner];
    Status status = STATUS_OK;
    for (Option i = 0; i < OPTION_COUNT && status == STATUS_OK; i++)
        if (c->config.value[i].source == CONFIG_CHOSEN)
            status = i == OPTION_ITERATIONS
                         ? config_override(config, i, c->config.value[i].text, error)
                         : config_choose(config, i, c->config.value[i].text, error);
    if (status == STATUS_OK)
        status = variant_select(module, config->module, config_text(config, OPTION_VARIANT), error);
    explain_json(race, &start->json);
    if (status == STATUS_OK)
        status = buffer_status(&start->json, error);
    start->state = c->state;
    c->state = (State){0};
    start->made = true;
    return status;
}

static Status race_and_print(const ModuleFile *module, const Plan *plan, const Config *config,
                             Race *race, Error *error) {
    const RaceHooks hooks = {NULL, say_line, frame_hooks(NULL).interrupt};
    Status status = race_run(module, plan, config, &hooks, race, error);
    if (status == STATUS_OK)
        status = settle(race, error);
    if (status == STATUS_OK)
        print_race(race);
    return status;
}

/* A race against the clock would end differently on each rank; one whose lengths are stated is the same on all. */
static Status check_ranks(const Config *config, Error *error) {
    if (ranks_count(config->ranks) == 1 ||
        (config_is_stated(config, OPTION_RACE) && config_is_stated(config, OPTION_ITERATIONS)))
        return STATUS_OK;
    return error_set(
        error, STATUS_OPTION_CONFLICT,
        "several processes do not choose the settings that the file leaves open: run one "
        "process (pderun --suggest prints what it chooses, and the command that repeats it "
        "here), state a method in solve { }, or give --effort none");
}

Status choose_start(ModuleFile *module, Config *config, Start *start, Error *error) {
    Plan *plan;
    Status status = module_plan(module, &plan, error);
    if (status == STATUS_OK && effort_applies(config, plan))
        status = check_ranks(config, error);
    Race *race =
        status == STATUS_OK && effort_applies(config, plan) ? calloc(1, sizeof *race) : NULL;
    if (status == STATUS_OK && effort_applies(config, plan)) {
        status = race ? race_and_print(module, plan, config, race, error)
                      : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for candidates");
        if (status == STATUS_OK)
            status = take_over(race, module, config, start, error);
    }
    if (race)
        race_close(race);
    free(race);
    module_plan_close(plan);
    return status;
}

Status start_write(const Start *start, const Run *run, Error *error) {
    char path[RUN_PATH_MAX];
    const Bytes bytes = {start->json.data, start->json.size};
    return start->made && !run->follows
               ? io_write_atomic(run_path(run, "choice.json", path), &bytes, 1, error)
               : STATUS_OK;
}

Status start_verdict(VerdictKind verdict, Error *error) {
    return verdict == VERDICT_WORSE
               ? error_set(error, STATUS_WORSE_THAN_TRIVIAL,
                           "the answer is worse than one that needs no training: give it more time "
                           "(--effort thorough), or state features that the solution depends on")
               : STATUS_OK;
}

void start_free(Start *start) {
    state_free(&start->state);
    buffer_free(&start->json);
    *start = (Start){0};
}

Status run_suggest(ModuleFile *module, const Config *config, Error *error) {
    Plan *plan;
    Race *race = calloc(1, sizeof *race);
    Status status = module_plan(module, &plan, error);
    if (status == STATUS_OK && !race)
        status = error_set(error, STATUS_OUT_OF_MEMORY, "no memory for candidates");
    if (status == STATUS_OK)
        status = race_and_print(module, plan, config, race, error);
    if (status == STATUS_OK)
        print(race, "for the file:", explain_statements);
    if (race)
        race_close(race);
    free(race);
    module_plan_close(plan);
    return status;
}
