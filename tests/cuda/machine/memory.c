/* memory.c: allocations of the device, with exact sizes and a bit for each byte that was written. */
#include "soft.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

enum { PAGE = 4096, GUARD = 4096 };

static struct {
    unsigned char *device, *host; /* the arena: addresses, and where their bytes are */
    size_t size, used;
    Allocation **list; /* by address; never shortened */
    size_t count, cap, last;
    size_t live_bytes;
    int live;
    uint64_t serial;
} memory;

static int reserve(void) {
    if (memory.device)
        return 1;
    for (size_t size = (size_t)1 << 39; size >= (size_t)1 << 32; size /= 2) {
        unsigned char *both =
            mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (both == MAP_FAILED)
            continue;
        memory.device = both;
        memory.host = both + size;
        memory.size = size;
        memory.used = PAGE;
        return 1;
    }
    return 0;
}

Allocation *memory_alloc(size_t size, int of_module) {
    if (!reserve())
        return NULL;
    size_t room = (size + PAGE - 1) / PAGE * PAGE;
    if (room < size || room + GUARD > memory.size - memory.used)
        return NULL;
    if (memory.count == memory.cap) {
        size_t cap = memory.cap ? 2 * memory.cap : 256;
        Allocation **larger = realloc(memory.list, cap * sizeof *larger);
        if (!larger)
            return NULL;
        memory.list = larger;
        memory.cap = cap;
    }
    Allocation *a = calloc(1, sizeof *a);
    unsigned char *valid = calloc((size + 7) / 8 + 1, 1);
    unsigned char *bytes = memory.host + memory.used;
    if (!a || !valid || mprotect(bytes, room, PROT_READ | PROT_WRITE) != 0) {
        free(a);
        free(valid);
        return NULL;
    }
    *a = (Allocation){.address = (uint64_t)(uintptr_t)(memory.device + memory.used),
                      .size = size,
                      .bytes = bytes,
                      .valid = valid,
                      .of_module = of_module};
    a->serial = of_module ? 0 : ++memory.serial;
    memset(bytes, 0xFF, size); /* NaN in every format */
    memory.used += room + GUARD;
    memory.list[memory.count++] = a;
    memory.live += !of_module;
    memory.live_bytes += size;
    soft_counters.allocations += !of_module;
    soft_counters.allocated_bytes += size;
    if (memory.live_bytes > soft_counters.peak_bytes)
        soft_counters.peak_bytes = memory.live_bytes;
    return a;
}

void memory_drop(Allocation *a) {
    if (!a || a->freed)
        return;
    a->freed = 1;
    free(a->valid);
    a->valid = NULL;
    a->name = NULL;
    memory.live -= !a->of_module;
    memory.live_bytes -= a->size;
    size_t room = (a->size + PAGE - 1) / PAGE * PAGE;
    madvise(a->bytes, room, MADV_DONTNEED);
    mprotect(a->bytes, room, PROT_NONE);
}

Allocation *memory_find(uint64_t address) {
    if (memory.count == 0 || address < memory.list[0]->address)
        return NULL;
    Allocation *last = memory.list[memory.last];
    if (address >= last->address && address - last->address < last->size)
        return last;
    size_t low = 0, high = memory.count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (memory.list[middle]->address <= address)
            low = middle;
        else
            high = middle;
    }
    memory.last = low;
    return memory.list[low];
}

Allocation *memory_live(uint64_t address, size_t size) {
    Allocation *a = memory_find(address);
    if (!a || a->freed || address - a->address > a->size || size > a->size - (address - a->address))
        return NULL;
    return a;
}

int memory_free(uint64_t address) {
    Allocation *a = memory_find(address);
    if (!a || a->address != address || a->freed || a->of_module)
        return 0;
    memory_drop(a);
    return 1;
}

size_t memory_used(void) {
    return memory.live_bytes;
}

int memory_live_count(void) {
    return memory.live;
}

void memory_report_leaks(void) {
    for (size_t k = 0; k < memory.count; k++) {
        Allocation *a = memory.list[k];
        if (a->freed || a->of_module)
            continue;
        finding(FOUND_LEAK, NULL, "allocation %llu of %zu bytes was not freed",
                (unsigned long long)a->serial, a->size);
        memory_drop(a); /* as the driver does when a context ends */
    }
}

/* ---- which bytes were written ------------------------------------------------------------------------*/
void memory_mark(Allocation *a, size_t offset, size_t size) {
    if (!a->valid)
        return;
    for (size_t k = offset; k < offset + size;) {
        unsigned char *byte = &a->valid[k / 8];
        if (k % 8 == 0 && offset + size - k >= 8) {
            a->nvalid += 8 - (size_t)__builtin_popcount(*byte);
            *byte = 0xFF;
            k += 8;
        } else {
            a->nvalid += !(*byte >> (k % 8) & 1);
            *byte = (unsigned char)(*byte | 1u << (k % 8));
            k++;
        }
    }
    if (a->nvalid == a->size) {
        free(a->valid);
        a->valid = NULL;
    }
}

int memory_is_valid(const Allocation *a, size_t offset, size_t size) {
    if (!a->valid)
        return 1;
    for (size_t k = offset; k < offset + size;) {
        if (k % 8 == 0 && offset + size - k >= 8) {
            if (a->valid[k / 8] != 0xFF)
                return 0;
            k += 8;
        } else {
            if (!(a->valid[k / 8] >> (k % 8) & 1))
                return 0;
            k++;
        }
    }
    return 1;
}

/* A copy carries along which bytes were written. */
void memory_copy_valid(Allocation *to, size_t at, const Allocation *from, size_t offset,
                       size_t size) {
    if (memory_is_valid(from, offset, size)) {
        memory_mark(to, at, size);
        return;
    }
    for (size_t k = 0; k < size; k++)
        if (memory_is_valid(from, offset + k, 1))
            memory_mark(to, at + k, 1);
}

const char *memory_describe(uint64_t address, size_t size, char *text, size_t room) {
    Allocation *a = memory_find(address);
    if (!a) {
        snprintf(text, room, "address 0x%llx is in no allocation", (unsigned long long)address);
        return text;
    }
    char which[128];
    if (a->name)
        snprintf(which, sizeof which, "variable %s", a->name);
    else
        snprintf(which, sizeof which, "allocation %llu", (unsigned long long)a->serial);
    snprintf(text, room, "%zu bytes at offset %lld of %s (%zu bytes%s)", size,
             (long long)(address - a->address), which, a->size, a->freed ? ", freed" : "");
    return text;
}

/* ---- windows -----------------------------------------------------------------------------------------*/
/* Shared memory: addresses must fit registers of 32 bits. */
unsigned char *shared_window(void) {
    static unsigned char *window;
    size_t size = SHARED_STATIC_MAX + SHARED_DYNAMIC_MAX;
    for (uintptr_t at = 0x20000000; !window && at < 0xE0000000; at += 0x1000000) {
        unsigned char *got = mmap((void *)at, size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (got == MAP_FAILED)
            continue;
        if ((uintptr_t)got + size < UINT32_MAX)
            window = got;
        else
            munmap(got, size);
    }
    return window;
}

unsigned char *param_window(void) {
    static _Alignas(64) unsigned char window[PARAM_MAX];
    return window;
}
