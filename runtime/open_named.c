#define _POSIX_C_SOURCE 200809L
#include "open_named.h"

#include "files/json.h"
#include "files/number.h"
#include "files/say.h"
#include "library/problem_file.h"
#include "load/plan_read.h"
#include "report/log.h"
#include "train/run_directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------- a run's directory */

static bool is_directory(const char *path) {
    struct stat info;
    return path && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static Status path_in(const char *directory, const char *name, char *out, Error *error) {
    const int n = snprintf(out, RUN_PATH_MAX, "%s/%s", directory, name);
    return n > 0 && n < RUN_PATH_MAX
               ? STATUS_OK
               : error_set(error, STATUS_OPTION_VALUE, "the name of the run is too long");
}

/* The settings that the run was begun with. */
static Status run_settings(const char *directory, Config *own, Error *error) {
    char path[RUN_PATH_MAX], *data;
    size_t size;
    Status status = path_in(directory, "config.json", path, error);
    if (status == STATUS_OK)
        status = io_read_file(path, 1 << 20, &data, &size, error);
    if (status != STATUS_OK)
        return status;
    status = config_read_json(own, CONFIG_RESUMED, (Bytes){data, size}, path, error);
    free(data);
    return status;
}

static void show_last_row(const char *directory) {
    char number[NUMBER_TEXT_MAX];
    LogRow *row = NULL;
    size_t count = 0;
    Error ignored = {0};
    if (log_read(directory, &row, &count, &ignored) == STATUS_OK && count > 0) {
        const LogRow *last = &row[count - 1];
        say("  loss        %s at iteration %llu\n", number_print_digits(last->loss, 4, number),
            (unsigned long long)last->iteration);
        if (last->error == last->error)
            say("  error       %s\n", number_print_digits(last->error, 4, number));
    }
    free(row);
}

static void show_file(const char *directory, const char *name, const char *what) {
    char path[RUN_PATH_MAX];
    if (path_in(directory, name, path, NULL) == STATUS_OK && io_exists(path))
        say("  %-11s %s\n", what, path);
}

static Status show_run(const char *directory, const ModuleFile *module, Error *error) {
    Config own;
    Plan *plan = calloc(1, sizeof *plan);
    Bytes json;
    Status status = plan ? config_init(&own, error)
                         : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the plan");
    if (status != STATUS_OK) {
        free(plan);
        return status;
    }
    status = run_settings(directory, &own, error);
    if (status == STATUS_OK)
        status = module_require(module, ".pde.plan", &json, error);
    if (status == STATUS_OK)
        status = plan_parse(json, plan, error);
    if (status == STATUS_OK) {
        say("%s: a run of '%s'\n", directory, plan->title);
        for (size_t k = 0; k < own.pair_count; k++)
            say("  %-11s %s\n", own.pair[k].name, own.pair[k].value);
        say("  iterations  %lld asked for\n", (long long)config_integer(&own, OPTION_ITERATIONS));
        show_last_row(directory);
        show_file(directory, "report.html", "report");
        say("values of the solution:  pderun %s --predict POINTS.npy --what u,grad\n"
            "go on with it:           pderun %s --resume --iterations N\n"
            "as one C file:           pderun %s --export c\n"
            "how wrong it is:         pderun --error %s\n",
            directory, directory, directory, directory);
        plan_free(plan);
    }
    config_free(&own);
    free(plan);
    return status;
}

static Status replace_module(Config *config, const char *path, Error *error) {
    free(config->module);
    config->module = strdup(path);
    return config->module ? STATUS_OK
                          : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a name");
}

/* Does an option ask for something other than training? */
static bool has_action(const Config *config) {
    return config_flag(config, OPTION_INFO) || config_flag(config, OPTION_PLAN) ||
           config_flag(config, OPTION_SELFTEST) || config_flag(config, OPTION_SUGGEST) ||
           config_is_set(config, OPTION_PREDICT) || config_is_set(config, OPTION_EXPORT) ||
           config_is_set(config, OPTION_ERROR);
}

/* The module in the directory is the variant that was trained, and nothing else. */
static Status take_variant(Config *config, const char *directory, Error *error) {
    Config own;
    Status status = config_init(&own, error);
    if (status != STATUS_OK)
        return status;
    status = run_settings(directory, &own, error);
    if (status == STATUS_OK && !config_is_stated(config, OPTION_VARIANT))
        status = config_set(config, OPTION_VARIANT, config_text(&own, OPTION_VARIANT), error);
    config_free(&own);
    return status;
}

static Status use_run(Config *config, const char *directory, bool *shown, Error *error) {
    char path[RUN_PATH_MAX];
    Status status = path_in(directory, "config.json", path, error);
    if (status == STATUS_OK && !io_exists(path))
        return error_set(error, STATUS_NOT_A_MODULE,
                         "'%s' is a directory, and no run is in it: it has no config.json",
                         directory);
    if (status == STATUS_OK)
        status = path_in(directory, "module.so", path, error);
    if (status == STATUS_OK && !io_exists(path))
        return error_set(error, STATUS_NO_MODULE_GIVEN,
                         "'%s' has no module.so: name the problem or the module that was trained, "
                         "too",
                         directory);
    const bool uses_model =
        config_is_set(config, OPTION_PREDICT) || config_is_set(config, OPTION_EXPORT);
    if (status == STATUS_OK && uses_model && !config_is_set(config, OPTION_MODEL))
        status = config_set(config, OPTION_MODEL, directory, error);
    const bool resume = config_flag(config, OPTION_RESUME);
    if (status == STATUS_OK && resume && !config_is_set(config, OPTION_OUT))
        status = config_set(config, OPTION_OUT, directory, error);
    *shown = status == STATUS_OK && !resume && !has_action(config);
    if (status == STATUS_OK && !resume && !*shown)
        status = take_variant(config, directory, error);
    if (*shown) {
        ModuleFile module;
        status = module_read(path, &module, error);
        if (status == STATUS_OK) {
            status = show_run(directory, &module, error);
            module_free(&module);
        }
    }
    return status == STATUS_OK ? replace_module(config, path, error) : status;
}

Status named_run(Config *config, bool *shown, Error *error) {
    char directory[RUN_PATH_MAX];
    *shown = false;
    const char *named = config->module;
    if (!named)
        named = config_text(config, OPTION_MODEL);
    if (!named)
        named = config_text(config, OPTION_ERROR);
    if (!named)
        return error_set(error, STATUS_NO_MODULE_GIVEN,
                         "name a problem, a module or a run: pderun my.pde");
    if (config->module && !is_directory(named))
        return STATUS_OK;
    size_t n = strlen(named);
    while (n > 1 && named[n - 1] == '/')
        n--;
    if (n >= sizeof directory)
        return error_set(error, STATUS_OPTION_VALUE, "the name of the run is too long");
    memcpy(directory, named, n);
    directory[n] = '\0';
    return use_run(config, directory, shown, error);
}

/* ------------------------------------------------------------------------- a problem or a module */

static bool use_colour(const Config *config) {
    const char *no_colour = getenv("NO_COLOR");
    if (config_is(config, OPTION_COLOUR, "always"))
        return true;
    return config_is(config, OPTION_COLOUR, "auto") && !(no_colour && no_colour[0]) &&
           isatty(STDERR_FILENO);
}

static Status compile(const Config *config, ModuleFile *module, Error *error) {
    const ProblemHow how = {.cache = config->cache,
                            .allow_data = config_text(config, OPTION_ALLOW_DATA),
                            .colour = use_colour(config)};
    Buffer messages = {0};
    Status status = problem_file_compile(config->module, &how, module, &messages, error);
    if (messages.size > 0)
        say_error_as_is(messages.data); /* rendered: colours are ours, the rest is visible */
    buffer_free(&messages);
    return status;
}

/* What stands beside a name that is no file: "my" for my.pde. */
static Status not_there(const char *name, Error *error) {
    static const char *const ending[] = {".pde", ".so", ".run"};
    char path[RUN_PATH_MAX];
    for (size_t k = 0; k < sizeof ending / sizeof *ending; k++) {
        const int n = snprintf(path, sizeof path, "%s%s", name, ending[k]);
        if (n > 0 && n < (int)sizeof path && io_exists(path))
            return error_set(error, STATUS_CANNOT_READ, "there is no '%s'; did you mean '%s'?",
                             name, path);
    }
    return STATUS_OK;
}

Status named_open(const Config *config, ModuleFile *module, Error *error) {
    const char *name = config->module;
    Status status = io_exists(name) ? STATUS_OK : not_there(name, error);
    if (status != STATUS_OK)
        return status;
    return problem_file_named(name) ? compile(config, module, error)
                                    : module_read(name, module, error);
}
