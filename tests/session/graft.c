/* graft: a whole module, digests and all, with one section of another: what a broken compiler would write.
 * usage: graft OUT.so IN.so SECTION[=THEIRS] OTHER.so */
#include "runtime/files/modfile.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    ModuleBlob blob[PDE_SECTION_LIMIT];
    ModuleFile in = {0}, other = {0};
    Error error = {0};
    if (argc != 5) {
        fprintf(stderr, "usage: graft OUT.so IN.so SECTION[=THEIRS] OTHER.so\n");
        return 2;
    }
    char *theirs = strchr(argv[3], '=');
    if (theirs)
        *theirs++ = '\0';
    Status status = module_read(argv[2], &in, &error);
    if (status == STATUS_OK)
        status = module_read(argv[4], &other, &error);
    size_t n = status == STATUS_OK ? in.head->section_count : 0;
    for (size_t i = 0; i < n && status == STATUS_OK; i++) {
        const PdeSection *s = &in.section[i];
        blob[i] = (ModuleBlob){.name = s->name, .flags = s->flags};
        const bool taken = strcmp(s->name, argv[3]) == 0;
        status = module_require(taken ? &other : &in, taken && theirs ? theirs : s->name,
                                &blob[i].bytes, &error);
    }
    if (status == STATUS_OK)
        status = module_write(argv[1], blob, n, in.head->version, &error);
    if (status != STATUS_OK)
        fprintf(stderr, "graft: %s\n", error.message);
    module_free(&in);
    module_free(&other);
    return status_exit_code(status);
}
