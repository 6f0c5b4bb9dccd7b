#define _POSIX_C_SOURCE 200809L
#include "library/failure.h"

#include <stdlib.h>
#include <string.h>

struct PdeFailure {
    char code[STATUS_CODE_MAX], message[ERROR_MESSAGE_MAX];
    char *diagnostics;
    bool fixed; /* not from malloc */
};

PdeFailure *failure_make(const Error *error, const Buffer *diagnostics) {
    static PdeFailure no_memory = {"R303", "no memory", NULL, true}; /* never written to */
    PdeFailure *failure = calloc(1, sizeof *failure);
    if (!failure)
        return &no_memory;
    status_code(error->status, failure->code);
    const char *message = error->message[0] ? error->message : status_summary(error->status);
    memcpy(failure->message, message, strnlen(message, sizeof failure->message - 1));
    if (diagnostics && diagnostics->data)
        failure->diagnostics = strdup(diagnostics->data);
    return failure;
}

const char *pde_failure_code(const PdeFailure *failure) {
    return failure->code;
}

const char *pde_failure_message(const PdeFailure *failure) {
    return failure->message;
}

const char *pde_failure_diagnostics(const PdeFailure *failure) {
    return failure->diagnostics ? failure->diagnostics : "";
}

void pde_failure_free(PdeFailure *failure) {
    if (!failure || failure->fixed)
        return;
    free(failure->diagnostics);
    free(failure);
}

void pde_text_free(char *text) {
    free(text);
}

const char *pde_version(void) {
    return PDE_VERSION;
}

int pde_abi(void) {
    return PDE_ABI;
}

Status module_copy(const ModuleFile *module, const char *path, ModuleFile *copy, Error *error) {
    char *data = malloc(module->size + 1);
    *copy = (ModuleFile){0};
    if (!data)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the module");
    memcpy(data, module->data, module->size);
    return module_parse(path, data, module->size, copy, error);
}
