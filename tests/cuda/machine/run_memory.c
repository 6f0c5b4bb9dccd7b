/* run_memory.c: loads, stores and atomic operations, each checked. */
#include "ops.h"
#include "run.h"

#include <string.h>

/* ---- one lane's address --------------------------------------------------------------------------*/
typedef struct Access {
    unsigned size;
    int reading, writing, atomic;
    Allocation *last; /* the allocation of the lane before */
} Access;

static unsigned char *in_lane_memory(const Frame *frame, int lane, uint64_t address,
                                     unsigned size) {
    for (const Frame *f = frame; f; f = f->parent) {
        uint64_t begin =
            (uint64_t)(uintptr_t)(f->lane_memory + (size_t)lane * f->function->lane_bytes);
        if (address >= begin && address + size <= begin + f->function->lane_bytes)
            return (unsigned char *)(uintptr_t)address;
    }
    return NULL;
}

static unsigned char *global_at(Run *r, const Frame *frame, const Insn *in, int lane,
                                uint64_t address, Access *access) {
    char text[256];
    Allocation *a = access->last;
    if (!a || address < a->address || address - a->address >= a->size)
        a = memory_find(address);
    uint64_t offset = a ? address - a->address : 0;
    if (!a || offset > a->size || access->size > a->size - offset || a->freed) {
        int freed = a && a->freed && offset < a->size;
        run_report(r, frame, in, lane, freed ? FOUND_USE_AFTER_FREE : FOUND_OUT_OF_BOUNDS,
                   memory_describe(address, access->size, text, sizeof text));
        return NULL;
    }
    access->last = a;
    if (access->reading && !memory_is_valid(a, offset, access->size)) {
        run_report(r, frame, in, lane, FOUND_UNINITIALISED,
                   memory_describe(address, access->size, text, sizeof text));
        memory_mark(a, offset, access->size); /* said once */
    }
    if (access->writing) {
        if (a->read_only) {
            run_report(r, frame, in, lane, FOUND_READ_ONLY,
                       memory_describe(address, access->size, text, sizeof text));
            return NULL;
        }
        memory_mark(a, offset, access->size);
    }
    return a->bytes + offset;
}

static Space space_at(const Frame *frame, int lane, uint64_t address) {
    uint64_t shared = (uint64_t)(uintptr_t)shared_window();
    uint64_t param = (uint64_t)(uintptr_t)param_window();
    if (address - shared < SHARED_STATIC_MAX + SHARED_DYNAMIC_MAX)
        return SPACE_SHARED;
    if (address - param < PARAM_MAX)
        return SPACE_PARAM;
    return in_lane_memory(frame, lane, address, 1) ? SPACE_LOCAL : SPACE_GLOBAL;
}

static unsigned char *place(Run *r, const Frame *frame, const Insn *in, int lane, uint64_t address,
                            Access *access) {
    char text[128];
    if (address & (access->size - 1)) { /* sizes are powers of two */
        snprintf(text, sizeof text, "%u bytes at address 0x%llx", access->size,
                 (unsigned long long)address);
        run_report(r, frame, in, lane, FOUND_MISALIGNED, text);
        return NULL;
    }
    Space space = (Space)in->space;
    if (space == SPACE_GENERIC)
        space = space_at(frame, lane, address);
    if (space == SPACE_GLOBAL)
        return global_at(r, frame, in, lane, address, access);
    if (space == SPACE_SHARED)
        return shared_check(r, frame, in, lane, address, access->size, access->reading,
                            access->writing, access->atomic)
                   ? NULL
                   : (unsigned char *)(uintptr_t)address;
    unsigned char *at = in_lane_memory(frame, lane, address, access->size);
    uint64_t param = (uint64_t)(uintptr_t)param_window();
    if (!at && space == SPACE_PARAM && address >= param &&
        address + access->size <= param + r->kernel->param_bytes) {
        if (!access->writing)
            return (unsigned char *)(uintptr_t)address;
        run_report(r, frame, in, lane, FOUND_READ_ONLY, "a parameter of the kernel");
        return NULL;
    }
    if (!at) {
        snprintf(text, sizeof text, "%u bytes outside the thread's %s memory", access->size,
                 space == SPACE_LOCAL ? "local" : "parameter");
        run_report(r, frame, in, lane, FOUND_OUT_OF_BOUNDS, text);
    }
    return at;
}

/* ---- addresses of all lanes ------------------------------------------------------------------------*/
typedef enum { SCATTERED, CONSECUTIVE, EQUAL } Pattern;

WIDE_CLONES static Pattern addresses(Run *r, const Insn *in, const Lanes *lanes, unsigned size) {
    const uint64_t *base = row_at(lanes, in->source[0]);
    uint64_t *to = r->address, first = base[lanes->lo], offset = (uint64_t)in->offset;
    uint64_t apart = 0, differs = 0;
    for (int i = lanes->lo; i < lanes->hi; i++) {
        to[i] = base[i] + offset;
        apart |= base[i] ^ (first + (uint64_t)(i - lanes->lo) * size);
        differs |= base[i] ^ first;
    }
    if (lanes->mask)
        return SCATTERED;
    return !differs ? EQUAL : !apart ? CONSECUTIVE : SCATTERED;
}

/* 32-byte sectors that a warp's access touches; lanes stand for threads in order. */
WIDE_CLONES static uint64_t sectors(const Run *r, const Lanes *lanes, unsigned size) {
    uint64_t count = 0, last = UINT64_MAX;
    const uint64_t *at = r->address;
    if (!lanes->mask && size <= 32) { /* aligned: one sector each */
        for (int i = lanes->lo + 1; i < lanes->hi; i++)
            count += ((at[i] ^ at[i - 1]) >> 5 != 0) | ((i & 31) == 0);
        return count + 1;
    }
    LANES_HERE(i, lanes) {
        uint64_t from = r->address[i] / 32, to = (r->address[i] + size - 1) / 32;
        if (i % 32 == 0)
            last = UINT64_MAX;
        count += to - from + (from != last);
        last = to;
    }
    return count;
}

static void count_access(const Run *r, const Insn *in, const Lanes *lanes, int active,
                         unsigned size, int reading, int writing) {
    if (in->space != SPACE_GLOBAL && in->space != SPACE_GENERIC)
        return;
    uint64_t bytes = (uint64_t)active * size, touched = sectors(r, lanes, size);
    if (reading) {
        soft_counters.read_bytes += bytes;
        soft_counters.read_sectors += touched;
    }
    if (writing) {
        soft_counters.written_bytes += bytes;
        soft_counters.written_sectors += touched;
    }
}

/* The bytes of all lanes at once if they lie together in one allocation with nothing to report. */
static unsigned char *together(const Insn *in, const Run *r, const Lanes *lanes, Pattern pattern,
                               unsigned size, int writing) {
    if (in->space != SPACE_GLOBAL || pattern == SCATTERED)
        return NULL;
    uint64_t first = r->address[lanes->lo];
    size_t all = pattern == EQUAL ? size : (size_t)(lanes->hi - lanes->lo) * size;
    Allocation *a = first % size == 0 ? memory_live(first, all) : NULL;
    if (!a || (writing && a->read_only) ||
        (!writing && !memory_is_valid(a, first - a->address, all)))
        return NULL;
    if (writing)
        memory_mark(a, first - a->address, all);
    return a->bytes + (first - a->address);
}

/* ---- values ------------------------------------------------------------------------------------------*/
static inline void put(const Lanes *lanes, const Insn *in, Row row, int i,
                       const unsigned char *from) {
    uint64_t value = 0;
    if (row.offset == NO_ROW)
        return;
    if (in->size == 4 && row.width == 4) {
        memcpy((uint32_t *)row_at(lanes, row) + i, from, 4);
        return;
    }
    if (in->size == 8) {
        memcpy((uint64_t *)row_at(lanes, row) + i, from, 8);
        return;
    }
    memcpy(&value, from, in->size);
    if (in->is_signed && in->size < 8) {
        int up = 64 - 8 * in->size;
        value = (uint64_t)((int64_t)(value << up) >> up);
    }
    memcpy((unsigned char *)row_at(lanes, row) + (size_t)i * row.width, &value, row.width);
}

static inline void get(const Lanes *lanes, const Insn *in, Row row, int i, unsigned char *to) {
    if (in->size == 4 && row.width == 4) {
        memcpy(to, (uint32_t *)row_at(lanes, row) + i, 4);
        return;
    }
    if (in->size == 8) {
        memcpy(to, (uint64_t *)row_at(lanes, row) + i, 8);
        return;
    }
    memcpy(to, (unsigned char *)row_at(lanes, row) + (size_t)i * row.width, in->size);
}

static int simple(const Insn *in) {
    return in->vector == 1 && in->vec[0].offset != NO_ROW && in->vec[0].width == in->size;
}

static void load_equal(const Insn *in, const Lanes *lanes, const unsigned char *from) {
    if (simple(in) && in->size == 4) {
        uint32_t value, *to = row_at(lanes, in->vec[0]);
        memcpy(&value, from, 4);
        for (int i = lanes->lo; i < lanes->hi; i++)
            to[i] = value;
    } else if (simple(in) && in->size == 8) {
        uint64_t value, *to = row_at(lanes, in->vec[0]);
        memcpy(&value, from, 8);
        for (int i = lanes->lo; i < lanes->hi; i++)
            to[i] = value;
    } else {
        for (int i = lanes->lo; i < lanes->hi; i++)
            for (int k = 0; k < in->vector; k++)
                put(lanes, in, in->vec[k], i, from + (size_t)k * in->size);
    }
}

static void load_consecutive(const Insn *in, const Lanes *lanes, const unsigned char *from) {
    if (simple(in)) {
        memcpy((unsigned char *)row_at(lanes, in->vec[0]) + (size_t)lanes->lo * in->size, from,
               (size_t)(lanes->hi - lanes->lo) * in->size);
        return;
    }
    size_t step = (size_t)in->size * in->vector;
    for (int i = lanes->lo; i < lanes->hi; i++, from += step)
        for (int k = 0; k < in->vector; k++)
            put(lanes, in, in->vec[k], i, from + (size_t)k * in->size);
}

/* ---- instructions --------------------------------------------------------------------------------------*/
void run_load(Run *r, const Frame *frame, const Insn *in, const Lanes *lanes, int active) {
    unsigned size = (unsigned)in->size * in->vector;
    Pattern pattern = addresses(r, in, lanes, size);
    count_access(r, in, lanes, active, size, 1, 0);
    if (in->space == SPACE_PARAM && in->constant_address && pattern == EQUAL &&
        r->address[lanes->lo] + size <=
            (uint64_t)(uintptr_t)param_window() + r->kernel->param_bytes) {
        load_equal(in, lanes, (unsigned char *)(uintptr_t)r->address[lanes->lo]);
        return;
    }
    unsigned char *all = together(in, r, lanes, pattern, size, 0);
    if (all && pattern == EQUAL) {
        load_equal(in, lanes, all);
        return;
    }
    if (all) {
        load_consecutive(in, lanes, all);
        return;
    }
    Access access = {size, 1, 0, 0, NULL};
    int fast = in->space == SPACE_GLOBAL;
    LANES_HERE(i, lanes) {
        uint64_t address = r->address[i];
        Allocation *a = access.last;
        unsigned char *at;
        if (fast && a && !a->valid && address - a->address <= a->size - size && a->size >= size &&
            !(address & (size - 1))) {
            at = a->bytes + (address - a->address);
        } else {
            at = place(r, frame, in, i, address, &access);
            if (!at)
                return;
        }
        for (int k = 0; k < in->vector; k++)
            put(lanes, in, in->vec[k], i, at + (size_t)k * in->size);
    }
}

void run_store(Run *r, const Frame *frame, const Insn *in, const Lanes *lanes, int active) {
    unsigned size = (unsigned)in->size * in->vector;
    Pattern pattern = addresses(r, in, lanes, size);
    count_access(r, in, lanes, active, size, 0, 1);
    unsigned char *all =
        pattern == CONSECUTIVE && simple(in) ? together(in, r, lanes, pattern, size, 1) : NULL;
    if (all) {
        memcpy(all, (unsigned char *)row_at(lanes, in->vec[0]) + (size_t)lanes->lo * size,
               (size_t)(lanes->hi - lanes->lo) * size);
        return;
    }
    Access access = {size, 0, 1, 0, NULL};
    LANES_HERE(i, lanes) {
        unsigned char *at = place(r, frame, in, i, r->address[i], &access);
        if (!at)
            return;
        for (int k = 0; k < in->vector; k++)
            get(lanes, in, in->vec[k], i, at + (size_t)k * in->size);
    }
}

#define ATOM_INTEGER(U, S)                                                                         \
    {                                                                                              \
        U old, x = 0, y = 0, next;                                                                 \
        memcpy(&old, at, sizeof old);                                                              \
        memcpy(&x, value, sizeof x);                                                               \
        memcpy(&y, other, sizeof y);                                                               \
        switch (in->op) {                                                                          \
        case ATOM_ADD:                                                                             \
            next = old + x;                                                                        \
            break;                                                                                 \
        case ATOM_EXCH:                                                                            \
            next = x;                                                                              \
            break;                                                                                 \
        case ATOM_CAS:                                                                             \
            next = old == x ? y : old;                                                             \
            break;                                                                                 \
        case ATOM_MIN:                                                                             \
            next = is_signed ? (U)((S)old < (S)x ? old : x) : old < x ? old : x;                   \
            break;                                                                                 \
        case ATOM_MAX:                                                                             \
            next = is_signed ? (U)((S)old > (S)x ? old : x) : old > x ? old : x;                   \
            break;                                                                                 \
        case ATOM_AND:                                                                             \
            next = old & x;                                                                        \
            break;                                                                                 \
        case ATOM_OR:                                                                              \
            next = old | x;                                                                        \
            break;                                                                                 \
        case ATOM_XOR:                                                                             \
            next = old ^ x;                                                                        \
            break;                                                                                 \
        case ATOM_INC:                                                                             \
            next = old >= x ? 0 : old + 1;                                                         \
            break;                                                                                 \
        default:                                                                                   \
            next = old == 0 || old > x ? x : old - 1;                                              \
            break;                                                                                 \
        }                                                                                          \
        memcpy(at, &next, sizeof next);                                                            \
    }

static void atom(const Insn *in, unsigned char *at, const unsigned char *value,
                 const unsigned char *other) {
    int is_signed = in->type == T_S32 || in->type == T_S64;
    if (in->type == T_F32) {
        float old, x;
        memcpy(&old, at, 4);
        memcpy(&x, value, 4);
        old += x;
        memcpy(at, &old, 4);
    } else if (in->type == T_F64) {
        double old, x;
        memcpy(&old, at, 8);
        memcpy(&x, value, 8);
        old += x;
        memcpy(at, &old, 8);
    } else if (in->size == 4) {
        ATOM_INTEGER(uint32_t, int32_t)
    } else {
        ATOM_INTEGER(uint64_t, int64_t)
    }
}

void run_atom(Run *r, const Frame *frame, const Insn *in, const Lanes *lanes, int active) {
    addresses(r, in, lanes, in->size);
    count_access(r, in, lanes, active, in->size, 1, 1);
    Access access = {in->size, in->op != ATOM_EXCH, 1, 1, NULL};
    LANES_HERE(i, lanes) {
        unsigned char old[8], *at = place(r, frame, in, i, r->address[i], &access);
        if (!at)
            return;
        memcpy(old, at, in->size);
        const unsigned char *value =
            (unsigned char *)row_at(lanes, in->source[1]) + (size_t)i * in->size;
        const unsigned char *other =
            in->source[2].offset == NO_ROW
                ? value
                : (unsigned char *)row_at(lanes, in->source[2]) + (size_t)i * in->size;
        atom(in, at, value, other);
        if (in->dst.offset != NO_ROW)
            memcpy((unsigned char *)row_at(lanes, in->dst) + (size_t)i * in->dst.width, old,
                   in->size);
    }
}
