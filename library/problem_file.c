#include "library/problem_file.h"

#include "compiler/base/source.h"
#include "compiler/driver/module.h"
#include "compiler/pdec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool problem_file_named(const char *path) {
    const size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".pde") == 0;
}

/* The name that pdec would be given with -o: a module made here and one made there are the same bytes. */
static Status soname_of(const char *name, Buffer *out, Error *error) {
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    const size_t n = strlen(base) - (problem_file_named(base) ? 4 : 0);
    buffer_bytes(out, base, n);
    buffer_text(out, ".so");
    return buffer_status(out, error);
}

static Status make(const char *name, const char *text, size_t size, const ProblemHow *how,
                   const PdecOptions *options, const PdecResult *result, ModuleFile *module,
                   Error *error) {
    const ModuleHow module_how = {NULL, how->cache, NULL};
    Buffer soname = {0}, image = {0};
    Status status = soname_of(name, &soname, error);
    if (status == STATUS_OK)
        status = module_image(soname.data, result, options, text, size, &module_how, &image, error);
    if (status == STATUS_OK)
        status = module_parse(name, image.data, image.size, module, error);
    else
        buffer_free(&image);
    buffer_free(&soname);
    return status;
}

Status problem_text_compile(const char *name, const char *text, size_t size, const ProblemHow *how,
                            ModuleFile *module, Buffer *messages, Error *error) {
    const PdecOptions options = {.module = true,
                                 .variants = !how->no_variants,
                                 .colour = how->colour,
                                 .format = how->json ? PDEC_JSON : PDEC_TEXT,
                                 .allow_data = how->allow_data,
                                 .beside = name};
    PdecResult result;
    *module = (ModuleFile){0};
    const int made = pdec_compile(name, text, size, &options, &result);
    if (result.messages)
        buffer_bytes(messages, result.messages, result.messages_n);
    Status status;
    if (made == PDEC_OK)
        status = make(name, text, size, how, &options, &result, module, error);
    else if (made == PDEC_ENVIRONMENT)
        status = error_set(error, STATUS_OUT_OF_MEMORY, "no memory to compile '%s'", name);
    else
        status = error_set(error, STATUS_PROBLEM_REFUSED, "'%s' has errors", name);
    pdec_result_free(&result);
    return status;
}

static Status read_failed(const char *path, ReadStatus why, Error *error) {
    switch (why) {
    case READ_TOO_LARGE:
        return error_set(error, STATUS_FILE_TOO_LARGE, "'%s' is larger than a problem may be",
                         path);
    case READ_MEMORY:
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory to read '%s'", path);
    case READ_NOT_REGULAR:
        return error_set(error, STATUS_CANNOT_READ, "'%s' is not a regular file", path);
    default:
        return error_set(error, STATUS_CANNOT_READ, "'%s' cannot be read: is it there?", path);
    }
}

Status problem_file_compile(const char *path, const ProblemHow *how, ModuleFile *module,
                            Buffer *messages, Error *error) {
    char *text = NULL;
    size_t size = 0;
    const ReadStatus read = source_read(path, &text, &size);
    *module = (ModuleFile){0};
    if (read != READ_OK)
        return read_failed(path, read, error);
    Status status = problem_text_compile(path, text, size, how, module, messages, error);
    free(text);
    return status;
}
