/* problem_file.h: from a problem as it was written to the module that pdec -o would write, in this process.
 *
 * The one place where compiler and runtime meet: neither knows the other. */
#ifndef PDE_LIBRARY_PROBLEM_FILE_H
#define PDE_LIBRARY_PROBLEM_FILE_H

#include "runtime/files/modfile.h"

typedef struct ProblemHow {
    const char *cache;      /* where bitcode is kept between calls, or NULL */
    const char *allow_data; /* folders with data, as of --allow-data, or NULL */
    bool colour, json;      /* of the messages; json: as --diagnostics=json */
    bool no_variants;
} ProblemHow;

/* Is this the name of a problem, which ends in .pde? */
bool problem_file_named(const char *path);

/* The text of the file `name`, whose messages (warnings too) are appended, rendered for a terminal: text of others
 * is visible in them. STATUS_PROBLEM_REFUSED: it has errors, all of them are among the messages. */
Status problem_text_compile(const char *name, const char *text, size_t size, const ProblemHow *how,
                            ModuleFile *module, Buffer *messages, Error *error);
Status problem_file_compile(const char *path, const ProblemHow *how, ModuleFile *module,
                            Buffer *messages, Error *error);

#endif
