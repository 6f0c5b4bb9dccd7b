/* matrix.c: the checks of matrices that the cuBLAS stand-in works on. */
#include "soft.h"

void *pdeSoftCudaMatrix(uint64_t address, size_t width, size_t rows, size_t pitch, size_t align,
                        int reading, int writing, const char *who) {
    char text[256];
    size_t all = rows ? pitch * (rows - 1) + width : 0;
    if (address % align != 0) {
        finding(FOUND_MISALIGNED, NULL, "%s: address 0x%llx", who, (unsigned long long)address);
        return NULL;
    }
    Allocation *a = memory_live(address, all);
    if (!a) {
        Allocation *near = memory_find(address);
        int freed = near && near->freed && address - near->address < near->size;
        finding(freed ? FOUND_USE_AFTER_FREE : FOUND_OUT_OF_BOUNDS, NULL, "%s: %s", who,
                memory_describe(address, all, text, sizeof text));
        return NULL;
    }
    size_t offset = address - a->address;
    if (writing && a->read_only) {
        finding(FOUND_READ_ONLY, NULL, "%s: %s", who,
                memory_describe(address, all, text, sizeof text));
        return NULL;
    }
    for (size_t k = 0; k < rows && a->valid; k++) {
        if (reading && !memory_is_valid(a, offset + k * pitch, width)) {
            finding(FOUND_UNINITIALISED, NULL, "%s: column or vector %zu, %s", who, k,
                    memory_describe(address + k * pitch, width, text, sizeof text));
            return NULL;
        }
        if (writing)
            memory_mark(a, offset + k * pitch, width);
    }
    return a->bytes + offset;
}
