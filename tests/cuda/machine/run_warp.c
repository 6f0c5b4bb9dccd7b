/* run_warp.c: operations between the threads of a warp. */
#include "ops.h"
#include "run.h"

#include <string.h>

/* The threads of warp w that are among the lanes, as bits. */
static uint32_t here(const Run *r, const Lanes *lanes, int w) {
    uint32_t bits = 0;
    for (int k = 0; k < 32 && 32 * w + k < r->threads; k++) {
        int lane = r->thread_lane[32 * w + k];
        if (lane >= lanes->lo && lane < lanes->hi && (!lanes->mask || lanes->mask[lane]))
            bits |= 1u << k;
    }
    return bits;
}

static uint32_t living(const Run *r, int w) {
    uint32_t bits = 0;
    for (int k = 0; k < 32 && 32 * w + k < r->threads; k++)
        if (r->alive[r->thread_lane[32 * w + k]])
            bits |= 1u << k;
    return bits;
}

static uint32_t word(const Lanes *lanes, Row row, int lane) {
    return ((const uint32_t *)row_at(lanes, row))[lane];
}

static uint64_t value_of(const Lanes *lanes, Row row, int lane) {
    return row.width == 8   ? ((const uint64_t *)row_at(lanes, row))[lane]
           : row.width == 1 ? ((const uint8_t *)row_at(lanes, row))[lane]
                            : word(lanes, row, lane);
}

static void set(const Lanes *lanes, Row row, int lane, uint32_t value) {
    if (row.offset == NO_ROW)
        return;
    if (row.width == 1)
        ((uint8_t *)row_at(lanes, row))[lane] = value != 0;
    else
        ((uint32_t *)row_at(lanes, row))[lane] = value;
}

/* Which thread of the warp a shuffle reads; *inside: within its segment. (PTX ISA, shfl) */
static int shuffle_from(int op, int me, uint32_t b, uint32_t c, int *inside) {
    int bval = (int)(b & 31), cval = (int)(c & 31), segment = (int)(c >> 8 & 31);
    int max = (me & segment) | (cval & ~segment), min = me & segment, j;
    if (op == SHUFFLE_UP) {
        j = me - bval;
        *inside = j >= max;
    } else if (op == SHUFFLE_DOWN) {
        j = me + bval;
        *inside = j <= max;
    } else if (op == SHUFFLE_XOR) {
        j = me ^ bval;
        *inside = j <= max;
    } else {
        j = min | (bval & ~segment);
        *inside = j <= max;
    }
    return *inside ? j : me;
}

typedef struct Warp {
    uint32_t members; /* those that take part with this thread */
    uint32_t value[32];
    uint64_t wide[32];
} Warp;

static uint32_t reduce(const Insn *in, const Warp *warp) {
    uint32_t sum = 0;
    int first = 1;
    for (int k = 0; k < 32; k++) {
        if (!(warp->members >> k & 1))
            continue;
        uint32_t x = warp->value[k];
        int less = in->is_signed ? (int32_t)x < (int32_t)sum : x < sum;
        if (first)
            sum = x;
        else if (in->op == REDUCE_ADD)
            sum += x;
        else if (in->op == REDUCE_MIN)
            sum = less ? x : sum;
        else if (in->op == REDUCE_MAX)
            sum = less ? sum : x;
        else
            sum = in->op == REDUCE_AND ? sum & x : in->op == REDUCE_OR ? sum | x : sum ^ x;
        first = 0;
    }
    return sum;
}

static uint32_t collective(const Insn *in, const Warp *warp, int me) {
    uint32_t votes = 0, same = 0;
    for (int k = 0; k < 32; k++) {
        if (!(warp->members >> k & 1))
            continue;
        votes |= (uint32_t)(warp->value[k] != 0) << k;
        same |= (uint32_t)(warp->wide[k] == warp->wide[me]) << k;
    }
    switch (in->op) {
    case WARP_ALL:
        return votes == warp->members;
    case WARP_ANY:
        return votes != 0;
    case WARP_UNI:
        return votes == 0 || votes == warp->members;
    case WARP_BALLOT:
        return votes;
    case MATCH_ANY:
        return same;
    case MATCH_ALL:
        return same == warp->members ? warp->members : 0;
    default:
        return reduce(in, warp);
    }
}

static void gather(const Run *r, const Insn *in, const Lanes *lanes, int w, uint32_t bits,
                   Warp *warp) {
    memset(warp, 0, sizeof *warp);
    for (int k = 0; k < 32; k++) {
        if (!(bits >> k & 1)) {
            warp->value[k] = 0xFFFFFFFFu; /* NaN: shows where an absent thread's value is used */
            continue;
        }
        int lane = r->thread_lane[32 * w + k];
        warp->wide[k] = in->source[0].offset == NO_ROW ? 0 : value_of(lanes, in->source[0], lane);
        warp->value[k] = (uint32_t)warp->wide[k];
    }
}

static void one_warp(Run *r, const Insn *in, const Lanes *lanes, int w, uint32_t bits) {
    Warp warp;
    gather(r, in, lanes, w, bits, &warp);
    uint32_t result[32], second[32];
    for (int k = 0; k < 32; k++) {
        if (!(bits >> k & 1))
            continue;
        int lane = r->thread_lane[32 * w + k], inside = 1;
        warp.members =
            in->source[3].offset == NO_ROW ? bits : word(lanes, in->source[3], lane) & bits;
        if (in->op == WARP_ACTIVE) {
            result[k] = bits;
        } else if (in->op >= SHUFFLE_UP && in->op <= SHUFFLE_INDEX) {
            int from = shuffle_from(in->op, k, word(lanes, in->source[1], lane),
                                    word(lanes, in->source[2], lane), &inside);
            result[k] = warp.value[from];
        } else {
            result[k] = collective(in, &warp, k);
        }
        second[k] = (uint32_t)inside;
    }
    for (int k = 0; k < 32; k++) {
        if (!(bits >> k & 1))
            continue;
        int lane = r->thread_lane[32 * w + k];
        set(lanes, in->dst, lane, result[k]);
        set(lanes, in->vec[0], lane, second[k]);
    }
    if (in->op == WARP_SYNC)
        r->warp_epoch[w]++;
}

/* All threads that a mask names must be here, unless they have ended. */
static int complete(const Run *r, const Insn *in, const Lanes *lanes, int w, uint32_t bits) {
    for (int k = 0; k < 32 && in->source[3].offset != NO_ROW; k++) {
        if (!(bits >> k & 1))
            continue;
        uint32_t wanted = word(lanes, in->source[3], r->thread_lane[32 * w + k]) & living(r, w);
        if ((wanted & ~bits) || !(wanted >> k & 1))
            return 0;
    }
    return 1;
}

int run_warp(Run *r, const Frame *frame, const Insn *in, const Lanes *lanes, int last_try) {
    int warps = (r->threads + 31) / 32;
    uint32_t bits[64];
    for (int w = 0; w < warps; w++) {
        bits[w] = here(r, lanes, w);
        if (bits[w] && !complete(r, in, lanes, w, bits[w])) {
            if (!last_try)
                return 0;
            run_report(r, frame, in, r->thread_lane[32 * w + __builtin_ctz(bits[w])],
                       FOUND_DIVERGED_WARP, "threads that the mask names are elsewhere");
            return 1;
        }
    }
    for (int w = 0; w < warps; w++)
        if (bits[w])
            one_warp(r, in, lanes, w, bits[w]);
    return 1;
}
