/* run_shared.c: accesses to shared memory: bounds, bytes never written, and races between barriers. */
#include "run.h"

#include <string.h>

enum { ATOMIC = 0xFFFF };

/* Marks the variables of the module; between them lie guards. */
void shared_begin(Run *r) {
    const Module *m = r->kernel->module;
    uint64_t base = (uint64_t)(uintptr_t)shared_window();
    memset(r->shared_declared, 0, m->shared_used + 64);
    for (int k = 0; k < m->nvariables; k++) {
        const Variable *v = &m->variables[k];
        if (v->space == SPACE_SHARED && !v->dynamic)
            memset(r->shared_declared + (v->address - base), 1, v->size);
    }
}

static int in_bounds(const Run *r, uint64_t offset, unsigned size) {
    if (offset >= SHARED_STATIC_MAX)
        return offset - SHARED_STATIC_MAX + size <= r->launch->dynamic_shared;
    uint64_t used = r->kernel->module->shared_used;
    return offset + size <= used && r->shared_declared[offset] &&
           r->shared_declared[offset + size - 1];
}

/* Did another thread touch it since the last barrier that both passed? */
static int conflict(const Run *r, int thread, uint32_t epoch, int other, uint16_t warp_epoch) {
    if (epoch != r->epoch || other == thread)
        return 0;
    if (other == ATOMIC)
        return 1;
    return other / 32 != thread / 32 || warp_epoch == r->warp_epoch[thread / 32];
}

static const char *race(const Run *r, const Shadow *s, int thread, int writing, int atomic,
                        int *other) {
    *other = s->writer;
    if (!(atomic && s->writer == ATOMIC) &&
        conflict(r, thread, s->write_epoch, s->writer, s->write_warp))
        return writing ? "write after write" : "read after write";
    if (!writing || (atomic && s->reader == ATOMIC))
        return NULL;
    *other = s->reader;
    if (conflict(r, thread, s->read_epoch, s->reader, s->read_warp))
        return "write after read";
    *other = s->reader2;
    return conflict(r, thread, s->read_epoch, s->reader2, s->read_warp) ? "write after read" : NULL;
}

static void record(const Run *r, Shadow *s, int thread, int reading, int writing, int atomic) {
    uint16_t me = atomic ? ATOMIC : (uint16_t)thread, warp = r->warp_epoch[thread / 32];
    if (writing) {
        s->write_epoch = r->epoch;
        s->writer = me;
        s->write_warp = warp;
    }
    if (reading && !atomic) {
        if (s->read_epoch != r->epoch) {
            s->reader = s->reader2 = me;
        } else if (s->reader2 == s->reader || s->reader2 / 32 == s->reader / 32) {
            s->reader2 = me;
        }
        s->read_epoch = r->epoch;
        s->read_warp = warp;
    }
}

int shared_check(Run *r, const Frame *frame, const Insn *in, int lane, uint64_t address,
                 unsigned size, int reading, int writing, int atomic) {
    uint64_t offset = address - (uint64_t)(uintptr_t)shared_window();
    char text[160];
    if (!in_bounds(r, offset, size)) {
        snprintf(text, sizeof text,
                 "%u bytes of shared memory at %s offset %lld (%u bytes dynamic)", size,
                 offset < SHARED_STATIC_MAX ? "static" : "dynamic",
                 (long long)(offset < SHARED_STATIC_MAX ? offset : offset - SHARED_STATIC_MAX),
                 r->launch->dynamic_shared);
        run_report(r, frame, in, lane, FOUND_OUT_OF_BOUNDS, text);
        return 1;
    }
    int thread = r->lane_thread[lane];
    for (uint64_t at = offset; at < offset + size; at += 4 - at % 4) {
        Shadow *s = &r->shadow[at / 4];
        unsigned count = size < 4 ? size : 4;
        uint8_t bits = (uint8_t)(((1u << count) - 1) << at % 4);
        if (s->block != r->block_serial) {
            s->block = r->block_serial;
            s->written = 0;
        }
        if (reading && (s->written & bits) != bits) {
            snprintf(text, sizeof text,
                     "shared memory at offset %llu was not written by this block",
                     (unsigned long long)at);
            run_report(r, frame, in, lane, FOUND_UNINITIALISED, text);
            s->written |= bits;
        }
        if (writing)
            s->written |= bits;
        int other = 0;
        const char *what = size < 4 ? NULL : race(r, s, thread, writing, atomic, &other);
        if (what) {
            snprintf(text, sizeof text,
                     "%s at offset %llu with no barrier between, the other thread is %d%s", what,
                     (unsigned long long)at, other,
                     other == ATOMIC ? " (an atomic operation)" : "");
            run_report(r, frame, in, lane, FOUND_RACE, text);
        }
        record(r, s, thread, reading, writing, atomic);
    }
    return 0;
}
