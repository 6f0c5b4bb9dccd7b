/* pderun: trains and uses the modules that pdec writes. This file reads the command line, chooses
 * the action, and turns a status into a message and an exit code. */
#include "commands/pderun.h"

#include "compiler/pdec.h"
#include "contract/version.h"
#include "cuda/device/device.h"
#include "engine/engine.h"
#include "engine/ranks/ranks.h"
#include "files/say.h"
#include "library/arrays.h"
#include "library/expression.h"
#include "load/jit.h"
#include "open_named.h"
#include "options/option.h"
#include "tensor/tnn_module.h"
#include "train/processes.h"

#include <string.h>

static Status print_buffer(Buffer *text, Error *error) {
    Status status = buffer_status(text, error);
    if (status == STATUS_OK)
        say_lines(text->data, text->size);
    buffer_free(text);
    return status;
}

static void explain_one(Status status) {
    char text[STATUS_CODE_MAX];
    say("%s: %s\n\n%s\n", status_code(status, text), status_summary(status),
        status_explain(status));
}

/* Messages of both programs: who reads E0401 after pderun FILE.pde need not know whose it is. */
static Status explain(const char *code, Error *error) {
    Status status;
    const char *of_pdec = pdec_explain(code);
    if (strcmp(code, "all") == 0) {
        for (size_t k = 0; status_nth(k, &status); k++) {
            explain_one(status);
            say("\n");
        }
        say("'pdec --explain all' has the messages about problems.\n");
        return STATUS_OK;
    }
    if (of_pdec) {
        say_lines(of_pdec, strlen(of_pdec));
        return STATUS_OK;
    }
    if (!status_parse(code, &status))
        return error_set(error, STATUS_OPTION_VALUE,
                         "no error has the code '%.20s'; 'all' shows every one", code);
    explain_one(status);
    return STATUS_OK;
}

static void show_version(void) {
    say("pderun %s\n  commit      %s\n  LLVM        %s\n  processor   ", PDE_VERSION, pde_commit,
        jit_llvm_version());
    const char *name;
    for (PdeIsa isa = PDE_ISA_BASE; (name = pde_isa_name(isa)); isa++)
        say("%s%s%s", isa > PDE_ISA_BASE ? ", " : "", name,
            isa == pde_isa_best() ? " (used here)" : "");
    say("\n");
}

/* Actions that need no module; true if there was one. */
static bool act_without_module(const Config *config, Status *status, Error *error) {
    Buffer text = {0};
    if (config_is_set(config, OPTION_HELP)) {
        option_help(&text, 80, config_is(config, OPTION_HELP, "all"));
        *status = print_buffer(&text, error);
    } else if (config_flag(config, OPTION_VERSION)) {
        show_version();
        *status = STATUS_OK;
    } else if (config_is_set(config, OPTION_EXPLAIN)) {
        *status = explain(config_text(config, OPTION_EXPLAIN), error);
    } else if (config_flag(config, OPTION_BUILD_MPI)) {
        *status = processes_build(error);
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

/* Expressions in --what are compiled into a module of their own. */
static Status predict(ModuleFile *module, Config *config, Error *error) {
    const ProblemHow how = {.cache = config->cache,
                            .allow_data = config_text(config, OPTION_ALLOW_DATA)};
    int expressions = 0;
    Status status = expressions_compile(module, config->module, config_text(config, OPTION_WHAT),
                                        &how, &expressions, error);
    return status == STATUS_OK ? run_predict(module, config, expressions, error) : status;
}

/* C is made of the module's kernels, everything else of what the compiler says about them. */
static Status export(ModuleFile *module, Config *config, Error *error) {
    Buffer arrays = {0};
    Status status = STATUS_OK;
    if (!config_is(config, OPTION_EXPORT, "c"))
        status = arrays_of_module(module, config, &arrays, error);
    if (status == STATUS_OK)
        status = run_export(module, config, arrays.data, error);
    buffer_free(&arrays);
    return status;
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
        return predict(module, config, error);
    if (config_is_set(config, OPTION_EXPORT))
        return export(module, config, error);
    if (config_is_set(config, OPTION_ERROR))
        return run_error(module, config, error);
    if (config_flag(config, OPTION_SUGGEST))
        return run_suggest(module, config, error);
    return run_training(module, config, error);
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
    bool shown = false;
    status = processes_join(config, error);
    if (status != STATUS_OK)
        return status;
    status = named_run(config, &shown, error);
    if (status != STATUS_OK || shown)
        return status;
    status = config_read_file(config, error);
    if (status != STATUS_OK)
        return status;
    open_cache(config);
    status = named_open(config, &module, error);
    if (status != STATUS_OK)
        return status;
    if (status == STATUS_OK)
        status = module_prepare(&module, config, error);
    if (status == STATUS_OK)
        status = act_on_module(&module, config, error);
    module_free(&module);
    return status;
}

int main(int argc, char **argv) {
    Config config = {0};
    Error error = {0};
    say_begin();
    Status status = config_init(&config, &error);
    if (status == STATUS_OK) {
        status = run(argc, argv, &config, &error);
    }
    if (!say_end() && status == STATUS_OK)
        status = error_set(&error, STATUS_CANNOT_WRITE, "cannot write standard output");
    if (status != STATUS_OK && ranks_speaks(config.ranks, status)) {
        say_again();
        char code[STATUS_CODE_MAX];
        const char *message = error.message[0] ? error.message : status_summary(status);
        say_error("pderun: error[%s]: ", status_code(status, code));
        say_error_lines(message, strlen(message));
        say_error("\n");
        if (status != STATUS_INTERRUPTED)
            say_error("  'pderun --explain %s' says more\n", code);
    }
    ranks_close(config.ranks, status, &error);
    config_free(&config);
    return status_exit_code(status);
}
