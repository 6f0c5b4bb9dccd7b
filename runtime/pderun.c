/* pderun: trains and uses the modules that pdec writes. This file reads the command line, chooses
 * the action, and turns a status into a message and an exit code. */
#include "commands/pderun.h"

#include "commands/trained_model.h"
#include "cuda/device/device.h"
#include "files/say.h"
#include "load/variant.h"
#include "options/option.h"
#include "tensor/tnn_module.h"
#include "train/run_directory.h"

#include <string.h>

static Status print_buffer(Buffer *text, Error *error) {
    Status status = buffer_status(text, error);
    if (status == STATUS_OK)
        say_lines(text->data, text->size);
    buffer_free(text);
    return status;
}

static Status explain(const char *code, Error *error) {
    Status status;
    char text[STATUS_CODE_MAX];
    if (!status_parse(code, &status))
        return error_set(error, STATUS_OPTION_VALUE, "no error has the code '%.20s'", code);
    say("%s: %s\n\n%s\n", status_code(status, text), status_summary(status),
        status_explain(status));
    return STATUS_OK;
}

/* Actions that need no module; true if there was one. */
static bool act_without_module(const Config *config, Status *status, Error *error) {
    Buffer text = {0};
    if (config_flag(config, OPTION_HELP)) {
        option_help(&text, 80);
        *status = print_buffer(&text, error);
    } else if (config_flag(config, OPTION_VERSION)) {
        say("pderun %s\n", PDE_VERSION);
        *status = STATUS_OK;
    } else if (config_is_set(config, OPTION_EXPLAIN)) {
        *status = explain(config_text(config, OPTION_EXPLAIN), error);
    } else if (config_flag(config, OPTION_DEVICES)) {
        CudaApi api = {0};
        cuda_devices_print(&api, &text);
        cuda_close(&api);
        *status = print_buffer(&text, error);
    } else {
        return false;
    }
    return true;
}

static Status act_on_module(ModuleFile *module, Config *config, Error *error) {
    if (config_flag(config, OPTION_INFO))
        return show_info(module, config, error);
    if (tnn_in_module(module))
        return tnn_act(module, config, error);
    if (config_flag(config, OPTION_PLAN))
        return show_plan(module, config, error);
    if (config_flag(config, OPTION_SELFTEST))
        return run_selftest(module, config, error);
    if (config_is_set(config, OPTION_PREDICT))
        return run_predict(module, config, error);
    if (config_is_set(config, OPTION_ERROR))
        return run_error(module, config, error);
    if (config_flag(config, OPTION_SUGGEST))
        return run_suggest(module, config, error);
    return run_training(module, config, error);
}

/* The run that is used or gone on with, or NULL: none. */
static const char *earlier_run(const Config *config, char *directory) {
    if (config_is_set(config, OPTION_PREDICT))
        return config_text(config, OPTION_MODEL);
    if (config_is_set(config, OPTION_ERROR))
        return config_text(config, OPTION_ERROR);
    return config_flag(config, OPTION_RESUME) && run_directory(config, directory, NULL) == STATUS_OK
               ? directory
               : NULL;
}

/* The variant that the options name, or else the one that the earlier run was of. What is wrong with that run
 * is said where it is read. */
static Status choose_variant(ModuleFile *module, const Config *config, Error *error) {
    char directory[RUN_PATH_MAX];
    const char *run = earlier_run(config, directory);
    Config own;
    Status status = config_init(&own, error);
    if (status != STATUS_OK)
        return status;
    const bool given = config->value[OPTION_VARIANT].source >= CONFIG_FILE;
    const bool of_run = !given && run && model_settings(config, run, &own, NULL) == STATUS_OK;
    status = variant_select(module, config->module,
                            config_text(of_run ? &own : config, OPTION_VARIANT), error);
    config_free(&own);
    return status;
}

static Status read_defaults(const ModuleFile *module, Config *config, Error *error) {
    Bytes json;
    Status status = module_require(module, ".pde.conf", &json, error);
    if (status == STATUS_OK)
        status = config_read_json(config, CONFIG_MODULE, json, "the module", error);
    return status == STATUS_OK ? config_check(config, error) : status;
}

/* A cache that somebody else could write to is not used, which is said. */
static void open_cache(Config *config) {
    Error why = {0};
    if (!config_flag(config, OPTION_INFO) && config_open_cache(config, &why) != STATUS_OK)
        say_error("pderun: the cache of compiled kernels %s ('pderun --explain R510')\n",
                  why.message);
}

static Status run(int argc, char **argv, Config *config, Error *error) {
    ModuleFile module;
    Status status = config_read_arguments(config, argc, argv, error);
    if (status != STATUS_OK || act_without_module(config, &status, error))
        return status;
    if (!config->module)
        return error_set(error, STATUS_NO_MODULE_GIVEN,
                         "name the file that pdec wrote: pderun problem.so");
    status = module_read(config->module, &module, error);
    if (status != STATUS_OK)
        return status;
    status = config_read_file(config, error);
    if (status == STATUS_OK)
        status = choose_variant(&module, config, error);
    if (status == STATUS_OK)
        status = read_defaults(&module, config, error);
    if (status == STATUS_OK)
        open_cache(config);
    if (status == STATUS_OK)
        status = act_on_module(&module, config, error);
    module_free(&module);
    return status;
}

int main(int argc, char **argv) {
    Config config;
    Error error = {0};
    say_begin();
    Status status = config_init(&config, &error);
    if (status == STATUS_OK) {
        status = run(argc, argv, &config, &error);
        config_free(&config);
    }
    if (!say_end() && status == STATUS_OK)
        status = error_set(&error, STATUS_CANNOT_WRITE, "cannot write standard output");
    if (status != STATUS_OK) {
        char code[STATUS_CODE_MAX];
        const char *message = error.message[0] ? error.message : status_summary(status);
        say_error("pderun: error[%s]: ", status_code(status, code));
        say_error_lines(message, strlen(message));
        say_error("\n");
        if (status != STATUS_INTERRUPTED)
            say_error("  'pderun --explain %s' says more\n", code);
    }
    return status_exit_code(status);
}
