/* groups.c: lanes that are at the same instruction: made, cut by a predicate, joined. */
#include "groups.h"

#include <stdlib.h>
#include <string.h>

static Group *take(Run *r) {
    if (r->nspare > 0)
        return r->spare[--r->nspare];
    Group *g = calloc(1, sizeof *g);
    if (!g)
        abort(); /* a test's machine without memory: there is nothing to test */
    g->mask = calloc(r->stride, sizeof *g->mask);
    return g;
}

Group *group_new(Run *r, Frame *frame, int pc, int lo, int hi, int unit) {
    Group *g = take(r);
    uint32_t *mask = g->mask;
    *g = (Group){
        .frame = frame, .pc = pc, .lo = lo, .hi = hi, .count = hi - lo, .unit = unit, .mask = mask};
    if (r->ngroups == r->groups_cap) {
        r->groups_cap = r->groups_cap ? 2 * r->groups_cap : 64;
        r->groups = realloc(r->groups, (size_t)r->groups_cap * sizeof *r->groups);
    }
    r->groups[r->ngroups++] = g;
    frame->users++;
    return g;
}

void group_end(Run *r, Group *g) {
    frame_leave(g->frame);
    for (int k = 0; k < r->ngroups; k++) {
        if (r->groups[k] == g) {
            r->groups[k] = r->groups[--r->ngroups];
            break;
        }
    }
    if (r->nspare == r->spare_cap) {
        r->spare_cap = r->spare_cap ? 2 * r->spare_cap : 64;
        r->spare = realloc(r->spare, (size_t)r->spare_cap * sizeof *r->spare);
    }
    r->spare[r->nspare++] = g;
}

static void fill(Group *g) {
    if (g->count == g->hi - g->lo)
        for (int i = g->lo; i < g->hi; i++)
            g->mask[i] = 0xFFFFFFFFu;
}

/* Bounds and number of the lanes that the mask names inside lo..hi-1. */
WIDE_CLONES static void measure(Group *g, int lo, int hi) {
    while (lo < hi && !g->mask[lo])
        lo++;
    while (hi > lo && !g->mask[hi - 1])
        hi--;
    int count = 0;
    for (int i = lo; i < hi; i++)
        count += g->mask[i] != 0;
    g->lo = lo;
    g->hi = hi;
    g->count = count;
}

void group_join(Run *r, Group *g, Group *other) {
    int lo = g->lo < other->lo ? g->lo : other->lo, hi = g->hi > other->hi ? g->hi : other->hi;
    fill(g);
    fill(other);
    for (int i = lo; i < hi; i++) {
        uint32_t mine = i >= g->lo && i < g->hi ? g->mask[i] : 0;
        uint32_t theirs = i >= other->lo && i < other->hi ? other->mask[i] : 0;
        g->mask[i] = mine | theirs;
    }
    g->count += other->count;
    g->lo = lo;
    g->hi = hi;
    if (other->unit < g->unit)
        g->unit = other->unit;
    group_end(r, other);
}

/* The lanes with chosen[i] leave for a new group at pc; NULL if none would stay or leave. */
Group *group_cut(Run *r, Group *g, const uint32_t *chosen, int pc) {
    Group *other = group_new(r, g->frame, pc, g->lo, g->hi, g->unit);
    int lo = g->lo, hi = g->hi;
    fill(g);
    for (int i = lo; i < hi; i++) {
        other->mask[i] = g->mask[i] & chosen[i];
        g->mask[i] &= ~chosen[i];
    }
    measure(g, lo, hi);
    measure(other, lo, hi);
    return other;
}

/* chosen[i]: whether a lane of the group has the predicate (or, inverted, has not). */
WIDE_CLONES int group_choose(const Group *g, const uint8_t *predicate, int inverted,
                             uint32_t *chosen) {
    uint32_t flip = inverted ? 0xFFFFFFFFu : 0;
    int count = 0;
    if (g->count == g->hi - g->lo) {
        for (int i = g->lo; i < g->hi; i++) {
            chosen[i] = (uint32_t) - (int32_t)predicate[i] ^ flip;
            count -= (int32_t)chosen[i];
        }
    } else {
        for (int i = g->lo; i < g->hi; i++) {
            chosen[i] = ((uint32_t) - (int32_t)predicate[i] ^ flip) & g->mask[i];
            count -= (int32_t)chosen[i];
        }
    }
    return count;
}

/* ---- frames -----------------------------------------------------------------------------------------*/
static void fill_constant(const Frame *frame, const Constant *c) {
    unsigned char *row = frame->rows + (size_t)c->row.offset * frame->stride;
    for (size_t i = 0; i < frame->stride; i++) {
        uint64_t value = c->bits;
        if (c->per_lane)
            value += (uint64_t)(uintptr_t)(frame->lane_memory + i * frame->function->lane_bytes);
        memcpy(row + i * c->row.width, &value, c->row.width);
    }
}

void frame_free_idle(Function *f) {
    while (f->idle) {
        Frame *frame = f->idle;
        f->idle = frame->next;
        free(frame->rows);
        free(frame->lane_memory);
        free(frame);
    }
}

static Frame *frame_new(Function *f, size_t stride) {
    Frame *frame = calloc(1, sizeof *frame);
    size_t bytes = ((size_t)f->row_bytes * stride + 127) / 64 * 64;
    if (!frame)
        abort();
    frame->function = f;
    frame->stride = stride;
    frame->rows = aligned_alloc(64, bytes);
    frame->lane_memory = aligned_alloc(64, ((size_t)f->lane_bytes * stride + 127) / 64 * 64);
    if (!frame->rows || !frame->lane_memory)
        abort();
    memset(frame->rows, 0, bytes);
    memset(frame->lane_memory, 0xFF, (size_t)f->lane_bytes * stride);
    for (int k = 0; k < f->nconstants; k++)
        fill_constant(frame, &f->constants[k]);
    return frame;
}

static uint32_t special(const Run *r, int which, int thread) {
    const unsigned *grid = r->launch->grid, *block = r->launch->block;
    unsigned t = (unsigned)thread, lane = t % 32;
    switch (which) {
    case SR_TID_X:
        return t % block[0];
    case SR_TID_Y:
        return t / block[0] % block[1];
    case SR_TID_Z:
        return t / block[0] / block[1];
    case SR_NTID_X:
    case SR_NTID_Y:
    case SR_NTID_Z:
        return block[which - SR_NTID_X];
    case SR_CTAID_X:
    case SR_CTAID_Y:
    case SR_CTAID_Z:
        return (uint32_t)r->block[which - SR_CTAID_X];
    case SR_NCTAID_X:
    case SR_NCTAID_Y:
    case SR_NCTAID_Z:
        return grid[which - SR_NCTAID_X];
    case SR_LANEID:
        return lane;
    case SR_WARPID:
        return t / 32;
    case SR_LANEMASK_LT:
        return (1u << lane) - 1;
    case SR_LANEMASK_LE:
        return (2u << lane) - 1;
    case SR_LANEMASK_EQ:
        return 1u << lane;
    case SR_LANEMASK_GE:
        return ~((1u << lane) - 1);
    default:
        return ~((2u << lane) - 1);
    }
}

void frame_set_special(const Run *r, Frame *frame) {
    for (int k = 0; k < SR_COUNT; k++) {
        Row row = frame->function->special[k];
        if (row.offset == NO_ROW)
            continue;
        uint32_t *values = (uint32_t *)(void *)(frame->rows + (size_t)row.offset * frame->stride);
        for (int i = 0; i < r->threads; i++)
            values[i] = special(r, k, r->lane_thread[i]);
    }
}

Frame *frame_enter(Run *r, Function *f, Frame *parent) {
    if (f->idle && f->idle->stride != r->stride)
        frame_free_idle(f);
    Frame *frame = f->idle;
    if (frame)
        f->idle = frame->next;
    else
        frame = frame_new(f, r->stride);
    frame->parent = parent;
    frame->depth = parent ? parent->depth + 1 : 0;
    frame->users = 0;
    frame->call = NULL;
    frame_set_special(r, frame);
    return frame;
}

void frame_leave(Frame *frame) {
    while (frame && --frame->users == 0) {
        Frame *parent = frame->parent;
        frame->next = frame->function->idle;
        frame->function->idle = frame;
        frame = parent;
    }
}
