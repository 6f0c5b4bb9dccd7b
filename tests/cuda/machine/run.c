/* run.c: a grid of blocks: scheduling of groups, branches, calls and barriers. */
#include "groups.h"
#include "ops.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = 32 };
static const uint64_t STEPS_MAX = UINT64_C(4000000000);

uint64_t run_random(Run *r) { /* splitmix64 */
    uint64_t z = r->random += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

void run_report(Run *r, const Frame *frame, const Insn *in, int lane, SoftFinding kind,
                const char *text) {
    const unsigned *size = r->launch->block;
    unsigned t = (unsigned)r->lane_thread[lane];
    Place where = {frame->function,
                   r->kernel,
                   in,
                   {(int)(t % size[0]), (int)(t / size[0] % size[1]), (int)(t / size[0] / size[1])},
                   {r->block[0], r->block[1], r->block[2]}};
    int goes_on = kind == FOUND_UNINITIALISED || kind == FOUND_RACE;
    if (goes_on && in == r->said)
        soft_counters.found[kind]++; /* one line is enough */
    else
        finding(kind, &where, "%s", text);
    r->said = in;
    r->fatal |= !goes_on;
    if (!r->error || !goes_on)
        r->error = kind == FOUND_OUT_OF_BOUNDS || kind == FOUND_USE_AFTER_FREE ? CU_ILLEGAL_ADDRESS
                   : kind == FOUND_MISALIGNED                                  ? CU_MISALIGNED
                   : kind == FOUND_TIMEOUT                                     ? CU_TIMEOUT
                                                                               : CU_LAUNCH_FAILED;
}

/* ---- control flow -----------------------------------------------------------------------------------*/
static void do_call(Run *r, Group *g, const Insn *in, Function *target) {
    const CallArgs *call = in->call;
    if (!target || !target->defined || target->nparams != call->nargs || g->frame->depth > 1000) {
        run_report(r, g->frame, in, g->lo, FOUND_UNSUPPORTED, "a call of an unknown function");
        return;
    }
    Frame *caller = g->frame, *frame = frame_enter(r, target, caller);
    for (int i = g->lo; i < g->hi; i++) {
        unsigned char *from = caller->lane_memory + (size_t)i * caller->function->lane_bytes;
        unsigned char *to = frame->lane_memory + (size_t)i * target->lane_bytes;
        if (g->count != g->hi - g->lo && !g->mask[i])
            continue;
        for (int k = 0; k < call->nargs; k++)
            memcpy(to + target->params[k].offset, from + call->arg[k], target->params[k].size);
    }
    frame->call = call;
    frame->return_pc = g->pc + 1;
    frame->users = 1; /* the group; its use of the caller passes to the frame */
    g->frame = frame;
    g->pc = 0;
}

static void do_return(Group *g) {
    Frame *frame = g->frame, *caller = frame->parent;
    const Function *f = frame->function;
    for (int i = g->lo; i < g->hi; i++) {
        unsigned char *to = caller->lane_memory + (size_t)i * caller->function->lane_bytes;
        unsigned char *from = frame->lane_memory + (size_t)i * f->lane_bytes;
        if (g->count != g->hi - g->lo && !g->mask[i])
            continue;
        for (int k = 0; k < frame->call->nreturns && k < f->nreturns; k++)
            memcpy(to + frame->call->ret[k], from + f->returns[k].offset, f->returns[k].size);
    }
    g->pc = frame->return_pc;
    g->frame = caller;
    caller->users++;
    frame_leave(frame);
}

static int first_lane(const Group *g) {
    return g->lo; /* bounds are tight */
}

/* Lanes go to different places: all with the place of the first lane go on, the others wait. */
static uint64_t same_target(Run *r, Group *g, const Lanes *lanes, Row row) {
    uint64_t first = 0;
    memcpy(&first, (unsigned char *)row_at(lanes, row) + (size_t)first_lane(g) * row.width,
           row.width);
    int others = 0;
    for (int i = g->lo; i < g->hi; i++) {
        uint64_t value = 0;
        memcpy(&value, (unsigned char *)row_at(lanes, row) + (size_t)i * row.width, row.width);
        int mine = g->count == g->hi - g->lo || g->mask[i];
        r->guard_mask[i] = mine && value != first ? 0xFFFFFFFFu : 0;
        others += r->guard_mask[i] != 0;
    }
    if (others)
        group_cut(r, g, r->guard_mask, g->pc);
    return first;
}

static void do_exit(Run *r, Group *g) {
    for (int i = g->lo; i < g->hi; i++)
        if (g->count == g->hi - g->lo || g->mask[i])
            r->alive[i] = 0;
    r->nalive -= g->count;
    group_end(r, g);
}

/* Returns 1 if the group goes on at g->pc, 0 if the scheduler must look. */
static int control(Run *r, Group *g, const Insn *in, const Lanes *lanes) {
    switch (in->kind) {
    case K_BRANCH:
        g->pc = in->target;
        return 1;
    case K_BRANCH_INDEX: {
        uint64_t index = same_target(r, g, lanes, in->source[0]);
        if (index >= (uint64_t)in->ntargets) {
            run_report(r, g->frame, in, first_lane(g), FOUND_OUT_OF_BOUNDS,
                       "an index of a branch table");
            return 0;
        }
        g->pc = in->targets[index];
        return 0;
    }
    case K_CALL: {
        Function *target = in->call->target;
        if (!target) {
            uint64_t index =
                (same_target(r, g, lanes, in->source[0]) - UINT64_C(0xF0000000000)) / 16;
            Module *m = r->kernel->module;
            target = index < (uint64_t)m->nfunctions ? m->functions[index] : NULL;
        }
        do_call(r, g, in, target);
        return 0;
    }
    case K_RETURN:
        do_return(g);
        return 0;
    case K_EXIT:
        do_exit(r, g);
        return 0;
    case K_BARRIER:
        g->state = G_BARRIER;
        return 0;
    case K_WARP:
        if (!run_warp(r, g->frame, in, lanes, 0)) {
            g->state = G_WARP;
            g->tried = g->count;
            return 0;
        }
        g->pc++;
        return 1;
    default:
        run_report(r, g->frame, in, first_lane(g), FOUND_TRAP, "the kernel stopped itself");
        return 0;
    }
}

/* ---- a group runs until it meets another, waits, or has run long enough ---------------------------------*/
static void do_clock(const Insn *in, const Lanes *lanes, uint64_t time) {
    LANES_HERE(i, lanes)
    memcpy((unsigned char *)row_at(lanes, in->dst) + (size_t)i * in->dst.width, &time,
           in->dst.width);
}

static void run_group(Run *r, Group *g, int limit, uint64_t quantum) {
    uint64_t instructions = 0, flops = 0, steps = 0;
    const Insn *code = g->frame->function->code;
    while (g->pc < limit && !r->fatal && steps < quantum) {
        const Insn *in = &code[g->pc];
        int active = g->count;
        Lanes lanes = {g->frame->rows, g->frame->stride, g->lo, g->hi,
                       g->count == g->hi - g->lo ? NULL : g->mask};
        steps++;
        int plain = in->kind <= K_ATOM || in->kind == K_NOP || in->kind == K_CLOCK;
        if (in->guard.offset != NO_ROW) {
            active = group_choose(g, row_at(&lanes, in->guard), in->guard_not, r->guard_mask);
            if (active == 0) {
                instructions += (uint64_t)g->count * in->counted;
                g->pc++;
                continue;
            }
            if (plain && active < g->count) {
                lanes.mask = r->guard_mask;
            } else if (active < g->count) {
                /* those without the predicate go on behind the instruction */
                for (int i = g->lo; i < g->hi; i++)
                    r->guard_mask[i] = ~r->guard_mask[i];
                if (g->count < g->hi - g->lo)
                    for (int i = g->lo; i < g->hi; i++)
                        r->guard_mask[i] &= g->mask[i];
                group_cut(r, g, r->guard_mask, g->pc + 1);
                instructions += (uint64_t)g->count * in->counted;
                lanes = (Lanes){g->frame->rows, g->frame->stride, g->lo, g->hi,
                                g->count == g->hi - g->lo ? NULL : g->mask};
                control(r, g, in, &lanes);
                break;
            }
        }
        instructions += (uint64_t)active * in->counted;
        flops += (uint64_t)active * in->flops;
        if (in->kind == K_ALU) {
            in->run(in, &lanes);
        } else if (in->kind == K_LOAD) {
            run_load(r, g->frame, in, &lanes, active);
        } else if (in->kind == K_STORE) {
            run_store(r, g->frame, in, &lanes, active);
        } else if (in->kind == K_ATOM) {
            run_atom(r, g->frame, in, &lanes, active);
        } else if (in->kind == K_CLOCK) {
            do_clock(in, &lanes, r->steps + steps);
        } else if (in->kind != K_NOP) {
            if (!control(r, g, in, &lanes))
                break;
            continue;
        }
        g->pc++;
    }
    r->steps += steps;
    soft_counters.thread_instructions += instructions;
    soft_counters.flops += flops;
}

/* ---- the scheduler --------------------------------------------------------------------------------------*/
static int before(const Group *a, const Group *b) {
    if (a->unit != b->unit)
        return a->unit < b->unit;
    if (a->frame->depth != b->frame->depth)
        return a->frame->depth > b->frame->depth;
    return a->pc < b->pc;
}

static Group *next_group(Run *r) {
    Group *best = NULL;
    int wanted = -1, ready = 0;
    if (settings()->order == ORDER_SHUFFLED) {
        for (int k = 0; k < r->ngroups; k++)
            if (r->groups[k]->state == G_READY && run_random(r) % (uint64_t)++ready == 0)
                wanted = r->groups[k]->unit;
    }
    for (int k = 0; k < r->ngroups; k++) {
        Group *g = r->groups[k];
        if (g->state == G_READY && (wanted < 0 || g->unit == wanted) && (!best || before(g, best)))
            best = g;
    }
    return best;
}

/* Joins the groups that are where g is; returns how far g may run before it meets the next. */
static int join_here(Run *r, Group *g) {
    int limit = INT_MAX;
    for (int k = 0; k < r->ngroups; k++) {
        Group *other = r->groups[k];
        if (other == g || other->state != g->state || other->frame != g->frame ||
            (other->unit != g->unit && g->state == G_READY))
            continue;
        if (other->pc == g->pc) {
            group_join(r, g, other);
            k = -1;
            limit = INT_MAX;
        } else if (other->pc > g->pc && other->pc < limit) {
            limit = other->pc;
        }
    }
    return limit;
}

/* Nobody can run but groups that wait for others of their warp. */
static void try_warps(Run *r) {
    for (int k = 0; k < r->ngroups; k++) {
        Group *g = r->groups[k];
        if (g->state != G_WARP)
            continue;
        join_here(r, g);
        if (g->count > g->tried) {
            g->state = G_READY;
            return;
        }
        k = 0;
        for (int i = 0; i < r->ngroups; i++)
            k = r->groups[i] == g ? i : k;
    }
    for (int k = 0; k < r->ngroups; k++) {
        Group *g = r->groups[k];
        if (g->state != G_WARP)
            continue;
        Lanes lanes = {g->frame->rows, g->frame->stride, g->lo, g->hi,
                       g->count == g->hi - g->lo ? NULL : g->mask};
        const Insn *in = &g->frame->function->code[g->pc];
        run_warp(r, g->frame, in, &lanes, 1);
        g->pc++;
        g->state = G_READY;
        return;
    }
}

static void cut_units(Run *r, Group *g) {
    if (settings()->order == ORDER_NORMAL)
        return;
    Frame *frame = g->frame;
    int pc = g->pc, unit = 0;
    frame->users++; /* kept while no group is in it */
    group_end(r, g);
    for (int lo = 0; lo < r->threads; unit++) {
        int size = settings()->order == ORDER_REVERSED ? UNIT : 1 + (int)(run_random(r) % 48);
        int hi = lo + size < r->threads ? lo + size : r->threads;
        group_new(r, frame, pc, lo, hi, unit);
        lo = hi;
    }
    frame->users--;
}

static void reduce_barrier(const Run *r, const Insn *in) {
    uint32_t count = 0;
    for (int k = 0; k < r->ngroups; k++) {
        const Group *g = r->groups[k];
        const uint8_t *p = g->frame->rows + (size_t)in->source[0].offset * g->frame->stride;
        for (int i = g->lo; i < g->hi; i++)
            count += (g->count == g->hi - g->lo || g->mask[i]) && p[i];
    }
    uint32_t result = in->op == BARRIER_COUNT ? count
                      : in->op == BARRIER_OR  ? count > 0
                                              : count == (uint32_t)r->nalive;
    for (int k = 0; k < r->ngroups; k++) {
        const Group *g = r->groups[k];
        unsigned char *to = g->frame->rows + (size_t)in->dst.offset * g->frame->stride;
        for (int i = g->lo; i < g->hi; i++)
            if (g->count == g->hi - g->lo || g->mask[i])
                memcpy(to + (size_t)i * in->dst.width, &result, in->dst.width);
    }
}

static void pass_barrier(Run *r) {
    Group *first = r->groups[0];
    const Insn *in = &first->frame->function->code[first->pc];
    char text[160];
    for (int k = 1; k < r->ngroups; k++) {
        const Group *g = r->groups[k];
        const Insn *other = &g->frame->function->code[g->pc];
        if (other == in)
            continue;
        snprintf(text, sizeof text, "%d threads wait here, %d at the barrier of PTX line %d",
                 first->count, g->count, other->line);
        run_report(r, first->frame, in, first->lo, FOUND_DIVERGED_BARRIER, text);
        return;
    }
    if (r->nalive < r->threads) {
        snprintf(text, sizeof text, "%d of %d threads have ended and never come here",
                 r->threads - r->nalive, r->threads);
        run_report(r, first->frame, in, first->lo, FOUND_DIVERGED_BARRIER, text);
        return;
    }
    if (in->op != BARRIER_SYNC)
        reduce_barrier(r, in);
    r->epoch++;
    join_here(r, first);
    for (int k = 0; k < r->ngroups; k++) {
        r->groups[k]->state = G_READY;
        r->groups[k]->pc++;
    }
    if (r->ngroups == 1)
        cut_units(r, first);
}

static void run_block(Run *r) {
    Frame *frame = frame_enter(r, r->kernel, NULL);
    memset(r->alive, 1, (size_t)r->threads);
    r->nalive = r->threads;
    r->epoch++;
    r->block_serial++;
    r->steps = 0;
    memset(r->warp_epoch, 0, sizeof r->warp_epoch);
    cut_units(r, group_new(r, frame, 0, 0, r->threads, 0));
    while (r->ngroups > 0 && !r->fatal) {
        Group *g = next_group(r);
        if (g) {
            int limit = join_here(r, g);
            uint64_t quantum =
                settings()->order == ORDER_SHUFFLED ? 1 + run_random(r) % 200 : STEPS_MAX;
            run_group(r, g, limit, quantum);
            if (r->steps >= STEPS_MAX && !r->fatal && r->ngroups > 0)
                run_report(r, r->groups[0]->frame, NULL, r->groups[0]->lo, FOUND_TIMEOUT,
                           "too many instructions in a block");
            continue;
        }
        int waiting = 0;
        for (int k = 0; k < r->ngroups; k++)
            waiting += r->groups[k]->state == G_WARP;
        if (waiting)
            try_warps(r);
        else
            pass_barrier(r);
    }
    while (r->ngroups > 0)
        group_end(r, r->groups[0]);
}

/* ---- the grid ------------------------------------------------------------------------------------------*/
static void order_lanes(Run *r) {
    Order order = settings()->order;
    for (int i = 0; i < r->threads; i++)
        r->lane_thread[i] = order == ORDER_REVERSED ? r->threads - 1 - i : i;
    for (int i = r->threads - 1; i > 0 && order == ORDER_SHUFFLED; i--) {
        int k = (int)(run_random(r) % (uint64_t)(i + 1)), t = r->lane_thread[i];
        r->lane_thread[i] = r->lane_thread[k];
        r->lane_thread[k] = t;
    }
    for (int i = 0; i < r->threads; i++)
        r->thread_lane[r->lane_thread[i]] = i;
}

static void run_blocks(Run *r) {
    const unsigned *grid = r->launch->grid;
    uint64_t count = (uint64_t)grid[0] * grid[1] * grid[2];
    uint64_t step = 1, at = 0;
    Order order = settings()->order;
    if (order == ORDER_REVERSED)
        at = count - 1, step = count - 1;
    if (order == ORDER_SHUFFLED) { /* a step prime to the count visits every block once */
        at = run_random(r) % count;
        uint64_t a, b;
        do {
            step = 1 + run_random(r) % count;
            for (a = step, b = count; b;) {
                uint64_t rest = a % b;
                a = b;
                b = rest;
            }
        } while (a != 1);
    }
    for (uint64_t k = 0; k < count && !r->fatal; k++) {
        r->block[0] = (int)(at % grid[0]);
        r->block[1] = (int)(at / grid[0] % grid[1]);
        r->block[2] = (int)(at / grid[0] / grid[1]);
        if (order == ORDER_SHUFFLED)
            order_lanes(r);
        run_block(r);
        at = (at + step) % count;
        soft_counters.blocks++;
    }
}

static void release(Run *r) {
    for (int k = 0; k < r->nspare; k++) {
        free(r->spare[k]->mask);
        free(r->spare[k]);
    }
    free(r->spare);
    free(r->groups);
    free(r->lane_thread);
    free(r->thread_lane);
    free(r->alive);
    free(r->guard_mask);
    free(r->address);
}

void run_forget(Module *m) {
    for (int k = 0; k < m->nfunctions; k++)
        frame_free_idle(m->functions[k]);
}

int run_grid(const Launch *launch) {
    static uint8_t declared[SHARED_STATIC_MAX + 64];
    static Shadow *shadow;
    static uint32_t epoch, block_serial;
    static uint64_t launches;
    if (!shadow)
        shadow = calloc((SHARED_STATIC_MAX + SHARED_DYNAMIC_MAX) / 4, sizeof *shadow);
    Run r = {.launch = launch,
             .kernel = launch->kernel,
             .shadow = shadow,
             .shared_declared = declared,
             .epoch = epoch,
             .block_serial = block_serial};
    r.threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
    r.stride = (size_t)(r.threads + 63) / 64 * 64;
    r.random = settings()->seed * 1000003 + launches++;
    r.lane_thread = calloc(r.stride, sizeof(int));
    r.thread_lane = calloc(r.stride, sizeof(int));
    r.alive = calloc(r.stride, 1);
    r.guard_mask = calloc(r.stride, sizeof(uint32_t));
    r.address = calloc(r.stride, sizeof(uint64_t));
    if (!shadow || !r.lane_thread || !r.thread_lane || !r.alive || !r.guard_mask || !r.address)
        abort();
    memcpy(param_window(), launch->params, launch->kernel->param_bytes);
    order_lanes(&r);
    shared_begin(&r);
    run_blocks(&r);
    epoch = r.epoch;
    block_serial = r.block_serial;
    soft_counters.launches++;
    release(&r);
    return r.error;
}
