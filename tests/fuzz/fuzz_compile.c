/* fuzz_compile.c: the whole compiler on arbitrary bytes: all passes, plan, kernels and the parts of a
 * module. It may reject; it may not crash, leak, hang or report an internal error. */
#include "compiler/pdec.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const stage[] = {"expanded", "terms", "plan", "c", NULL};
    if (size == 0)
        return 0;
    PdecOptions options = {.emit = stage[data[0] % 5],
                           .json = (data[0] & 8) != 0,
                           .module = (data[0] & 16) != 0,
                           .variants = size % 8 == 0,
                           .memory_limit = (size_t)256 << 20};
    PdecResult result;
    int status = pdec_compile("f.pde", (const char *)data, size, &options, &result);
    if (status != PDEC_OK && status != PDEC_DIAGNOSTICS && status != PDEC_USAGE)
        abort();
    if (status == PDEC_DIAGNOSTICS && !result.messages)
        abort();
    pdec_result_free(&result);
    return 0;
}
