/* variant.c: see variant.h. */
#include "load/variant.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool section_of(const ModuleFile *module, int k, Bytes *bytes) {
    char name[PDE_SECTION_NAME_SIZE];
    snprintf(name, sizeof name, ".pde.alt%d", k);
    return module_section(module, name, bytes);
}

int variant_count(const ModuleFile *module) {
    assert(module->data);
    int count = 0;
    Bytes bytes;
    while (count < PDE_VARIANTS_MAX && section_of(module, count, &bytes))
        count++;
    return count;
}

Status variant_open(const ModuleFile *module, const char *path, int k, ModuleFile *variant,
                    Error *error) {
    assert(k >= 0 && k < variant_count(module));
    Bytes bytes;
    *variant = (ModuleFile){0};
    if (k < 0 || k >= PDE_VARIANTS_MAX || !section_of(module, k, &bytes))
        return error_set(error, STATUS_MODULE_SECTION, "the module has no variant %d", k);
    char *copy = malloc(bytes.size + 1);
    if (!copy)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a variant of the module");
    if (bytes.size)
        memcpy(copy, bytes.data, bytes.size);
    return module_parse(path, copy, bytes.size, variant, error);
}

/* Is this the module's own name? Names that are shown go to `known`. */
static Status has_name(const ModuleFile *module, const char *name, Buffer *known, bool *same,
                       Error *error) {
    Bytes json;
    Plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the plan of a variant");
    Status status = module_require(module, ".pde.plan", &json, error);
    if (status == STATUS_OK)
        status = plan_parse(json, plan, error);
    if (status == STATUS_OK) {
        *same = strcmp(plan->variant.name, name) == 0;
        buffer_printf(known, "%s%.60s", known->size ? ", " : "", plan->variant.name);
        plan_free(plan);
    }
    free(plan);
    return status;
}

Status variant_select(ModuleFile *module, const char *path, const char *name, Error *error) {
    assert(module->data && name);
    Buffer known = {0};
    ModuleFile variant = {0};
    bool same = false;
    Status status = has_name(module, name, &known, &same, error);
    if (status != STATUS_OK || same) {
        buffer_free(&known);
        return status;
    }
    const int count = variant_count(module);
    for (int k = 0; k < count && status == STATUS_OK && !same; k++) {
        module_free(&variant);
        status = variant_open(module, path, k, &variant, error);
        if (status == STATUS_OK)
            status = has_name(&variant, name, &known, &same, error);
    }
    if (status == STATUS_OK && !same)
        status = error_set(error, STATUS_OPTION_VALUE, "no variant is called '%.60s'; there are %s",
                           name, known.failed ? "others" : known.data);
    if (status == STATUS_OK) {
        module_free(module);
        *module = variant;
    } else {
        module_free(&variant);
    }
    buffer_free(&known);
    return status;
}

Status module_plan(const ModuleFile *module, Plan **plan, Error *error) {
    Bytes json;
    *plan = calloc(1, sizeof **plan);
    Status status = *plan ? module_require(module, ".pde.plan", &json, error)
                          : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the plan");
    if (status == STATUS_OK)
        status = plan_parse(json, *plan, error);
    if (status != STATUS_OK) {
        free(*plan);
        *plan = NULL;
    }
    return status;
}

void module_plan_close(Plan *plan) {
    if (plan)
        plan_free(plan);
    free(plan);
}
