/* fuzz_parse.c: the whole front end on arbitrary bytes. It may reject; it may not crash, leak or
 * hang. The first byte chooses the format of messages and whether fix-its are applied. */
#include "compiler/pdec.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    PdecOptions options = {.format = (PdecFormat)(data[0] % 3),
                           .emit = "check",
                           .colour = (data[0] & 4) != 0,
                           .fix = (data[0] & 8) != 0,
                           .memory_limit = (size_t)256 << 20};
    PdecResult result;
    int status = pdec_compile("f.pde", (const char *)data, size, &options, &result);
    if (status != PDEC_OK && status != PDEC_DIAGNOSTICS)
        abort();
    if (status == PDEC_DIAGNOSTICS && !result.messages)
        abort();
    pdec_result_free(&result);
    return 0;
}
