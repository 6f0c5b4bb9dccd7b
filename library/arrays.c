/* arrays.c: see arrays.h. */
#include "library/arrays.h"

#include "compiler/pdec.h"
#include "library/expression.h"
#include "runtime/commands/trained_model.h"
#include "runtime/load/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTING_MAX = 256 };

typedef struct Numbers {
    char text[PLAN_DIMS_MAX + PLAN_PARAMS_MAX][SETTING_MAX];
    const char *set[PLAN_DIMS_MAX + PLAN_PARAMS_MAX];
    size_t count;
} Numbers;

static void add(const Config *run, const char *name, Numbers *to) {
    const char *value = config_pair(run, name);
    if (!value)
        return;
    snprintf(to->text[to->count], SETTING_MAX, "%s=%s", name, value);
    to->set[to->count] = to->text[to->count];
    to->count++;
}

/* --set of the run. */
static Status collect(const ModuleFile *module, const Config *config, Numbers *to, Error *error) {
    Config run;
    Plan *plan;
    Status status = config_init(&run, error);
    if (status != STATUS_OK)
        return status;
    status = module_plan(module, &plan, error);
    if (status == STATUS_OK) {
        status = model_settings(config, config_text(config, OPTION_MODEL), &run, error);
        for (int k = 0; k < plan->dims && status == STATUS_OK; k++)
            add(&run, plan->dim[k].name, to);
        for (int k = 0; k < plan->params && status == STATUS_OK; k++)
            add(&run, plan->param[k].name, to);
        module_plan_close(plan);
    }
    config_free(&run);
    return status;
}

static Status print(const ModuleFile *module, const Config *config, const Numbers *numbers,
                    Buffer *arrays, Error *error) {
    Bytes source;
    PdecResult result;
    const PdecOptions options = {.emit = "arrays",
                                 .set = numbers->set,
                                 .sets = numbers->count,
                                 .allow_data = config_text(config, OPTION_ALLOW_DATA),
                                 .beside = config->module};
    Status status = module_require(module, ".pde.dbg", &source, error);
    if (status != STATUS_OK)
        return status;
    if (pdec_compile(config->module, source.data, source.size, &options, &result) == PDEC_OK) {
        buffer_bytes(arrays, result.output, result.output_n);
        status = buffer_status(arrays, error);
    } else {
        status = error_set(error, STATUS_PROBLEM_REFUSED, "'%s' has errors", config->module);
        error_add_lines(error, "\n");
        error_add_lines(error, result.messages ? result.messages : "");
    }
    pdec_result_free(&result);
    return status;
}

Status arrays_of_module(const ModuleFile *module, const Config *config, Buffer *arrays,
                        Error *error) {
    Numbers *numbers = calloc(1, sizeof *numbers);
    if (!numbers)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the numbers of the run");
    if (!config_is_set(config, OPTION_MODEL)) {
        free(numbers);
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--export needs a run: pderun my.run --export onnx");
    }
    Status status = collect(module, config, numbers, error);
    if (status == STATUS_OK)
        status = print(module, config, numbers, arrays, error);
    free(numbers);
    return status;
}
