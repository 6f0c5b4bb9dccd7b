/* pack: writes a module from hand-written parts, as pdec would.
 * usage: pack OUT.so PLAN.json SOURCE.c F32.bc F64.bc */
#include "runtime/files/io.h"
#include "runtime/files/modfile.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    static const char *const name[] = {".pde.plan", ".pde.src", ".pde.bc32", ".pde.bc64"};
    static const char conf[] = "{\"width\": 128, \"depth\": 4}";
    ModuleBlob blob[5] = {{".pde.conf", 0, {conf, sizeof conf - 1}}};
    Error error = {0};
    if (argc != 6) {
        fprintf(stderr, "usage: pack OUT.so PLAN.json SOURCE.c F32.bc F64.bc\n");
        return 2;
    }
    for (int i = 0; i < 4; i++) {
        char *data;
        size_t size;
        if (io_read_file(argv[i + 2], MODULE_SIZE_MAX, &data, &size, &error) != STATUS_OK)
            break;
        blob[i + 1] = (ModuleBlob){name[i], i < 2 ? 0 : PDE_SECTION_OPTIONAL, {data, size}};
    }
    if (error.status == STATUS_OK)
        module_write(argv[1], blob, 5, "0.1.0", &error);
    for (int i = 1; i < 5; i++)
        free((void *)(uintptr_t)blob[i].bytes.data);
    if (error.status != STATUS_OK)
        fprintf(stderr, "pack: %s\n", error.message);
    return status_exit_code(error.status);
}
