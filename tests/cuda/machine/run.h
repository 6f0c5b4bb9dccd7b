/* run.h: the state of a block that is being run.
 *
 * Threads stand in lanes; lane_thread says which thread is in a lane (the order of threads can be
 * reversed or shuffled), and operations go through lanes upwards. Lanes that are at the same
 * instruction form a group. The group furthest behind runs first, so that diverged threads meet
 * again. In other orders than the normal one, lanes are cut into units that run one after another up
 * to a barrier. */
#ifndef SOFT_RUN_H
#define SOFT_RUN_H

#include "soft.h"

typedef struct Frame {
    Function *function;
    size_t stride;
    unsigned char *rows, *lane_memory;
    struct Frame *parent, *next; /* next: in the function's list of idle frames */
    const CallArgs *call;
    int return_pc, depth, users; /* users: groups here and frames above */
} Frame;

typedef enum { G_READY, G_BARRIER, G_WARP } GroupState;

typedef struct Group {
    Frame *frame;
    int pc, lo, hi, count, unit, tried;
    GroupState state;
    uint32_t *mask; /* filled in only if count < hi - lo */
} Group;

typedef struct Shadow { /* of four bytes of shared memory */
    uint32_t write_epoch, read_epoch, block;
    uint16_t writer, reader, reader2, write_warp, read_warp;
    uint8_t written; /* which of the four bytes, in this block */
} Shadow;

typedef struct Run {
    const Launch *launch;
    Function *kernel;
    int threads;
    size_t stride;
    int *lane_thread, *thread_lane;
    uint8_t *alive; /* by lane */
    int nalive;
    Group **groups;
    int ngroups, groups_cap;
    Group **spare;
    int nspare, spare_cap;
    uint32_t *guard_mask;
    uint64_t *address;
    int block[3];
    uint32_t epoch, block_serial;
    uint16_t warp_epoch[64];
    uint8_t *shared_declared; /* by byte of the static window */
    Shadow *shadow;
    uint64_t random, steps;
    int error; /* a CUresult; the launch goes on only if soft */
    int fatal;
    const Insn *said; /* of the last finding that did not end the launch */
} Run;

/* Loops over lanes, for the instruction sets the machine may have. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define WIDE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE_CLONES
#endif

#define LANES_HERE(i, lanes)                                                                       \
    for (int i = (lanes)->lo; i < (lanes)->hi; i++)                                                \
        if (!(lanes)->mask || (lanes)->mask[i])

static inline void *row_at(const Lanes *lanes, Row row) {
    return lanes->rows + (size_t)row.offset * lanes->stride;
}

/* run_memory.c; active: how many lanes */
void run_load(Run *r, const Frame *frame, const Insn *in, const Lanes *lanes, int active);
void run_store(Run *r, const Frame *frame, const Insn *in, const Lanes *lanes, int active);
void run_atom(Run *r, const Frame *frame, const Insn *in, const Lanes *lanes, int active);
/* run_warp.c; 0 if lanes that take part are not here yet */
int run_warp(Run *r, const Frame *frame, const Insn *in, const Lanes *lanes, int last_try);
/* run_shared.c: what to say about an access to shared memory; 0 if all is well */
void shared_begin(Run *r);
int shared_check(Run *r, const Frame *frame, const Insn *in, int lane, uint64_t address,
                 unsigned size, int reading, int writing, int atomic);
/* A finding at a lane; error is what the launch will return, fatal ends it at once. */
void run_report(Run *r, const Frame *frame, const Insn *in, int lane, SoftFinding kind,
                const char *text);
uint64_t run_random(Run *r);

enum {
    CU_ILLEGAL_ADDRESS = 700,
    CU_MISALIGNED = 716,
    CU_LAUNCH_FAILED = 719,
    CU_TIMEOUT = 702,
    CU_ILLEGAL_INSTRUCTION = 715,
    CU_ASSERT = 710
};

#endif
