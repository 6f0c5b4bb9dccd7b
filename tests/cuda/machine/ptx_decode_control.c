/* ptx_decode_control.c: instructions that steer: branches, calls, barriers, and what the lanes of a warp do together. */
#include "ops.h"
#include "ptx_decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- control ------------------------------------------------------------------------------------------*/
static void add_fixup(Parser *p, const Operand *label) {
    p->fixups = grow(p, p->fixups, p->nfixups, &p->fixups_cap, sizeof *p->fixups);
    p->fixups[p->nfixups++] = (Fixup){p->function->ncode - 1, *label};
}

void decode_branch(Parser *p, const Opcode *o, Operand *operands, int count) {
    if (strcmp(o->part[0], "brx") == 0) {
        if (count != 2)
            parse_fail(p, "unsupported instruction");
        Row index = source_row(p, &operands[0], 4);
        Insn *in = emit(p, K_BRANCH_INDEX);
        in->source[0] = index;
        in->counted = 1;
        add_fixup(p, &operands[1]);
        return;
    }
    emit(p, K_BRANCH)->counted = 1;
    add_fixup(p, &operands[0]);
}

static void lane_place(Parser *p, const Operand *o, uint32_t *place, uint32_t *size) {
    Name *n = o->kind == O_NAME ? find_name(p, o->at, o->length) : NULL;
    if (!n || n->kind != NAME_PARAM)
        parse_fail(p, "unsupported form of call");
    *place = n->offset;
    *size = n->size;
}

/* call (returns), target, (arguments) [, prototype]; both lists may be absent */
void decode_call(Parser *p, Operand *operands, int count) {
    CallArgs *call = calloc(1, sizeof *call);
    if (!call)
        parse_fail(p, "out of memory");
    int at = 0;
    if (at < count && operands[at].kind == O_VECTOR) {
        Operand *list = &operands[at++];
        if (list->count > 4)
            parse_fail(p, "unsupported form of call");
        for (int k = 0; k < list->count; k++)
            lane_place(p, &list->items[k], &call->ret[k], &call->ret_size[k]);
        call->nreturns = list->count;
    }
    if (at == count)
        parse_fail(p, "unsupported form of call");
    Operand *target = &operands[at++];
    if (at < count && operands[at].kind == O_VECTOR) {
        Operand *list = &operands[at++];
        if (list->count > 32)
            parse_fail(p, "unsupported form of call");
        for (int k = 0; k < list->count; k++)
            lane_place(p, &list->items[k], &call->arg[k], &call->arg_size[k]);
        call->nargs = list->count;
    }
    char name[512];
    snprintf(name, sizeof name, "%.*s", (int)target->length, target->at);
    call->target = ptx_function(p->module, name);
    Row pointer = {NO_ROW, 0};
    if (!call->target)
        pointer = source_row(p, target, 8);
    Insn *in = emit(p, K_CALL);
    in->call = call;
    in->source[0] = pointer;
    in->counted = 1;
}

void decode_barrier(Parser *p, const Opcode *o, Operand *operands, int count) {
    int reduces = has(o, "red");
    if (has(o, "arrive") || (!reduces && !has(o, "sync")))
        parse_fail(p, "unsupported instruction");
    int at = reduces ? 1 : 0;
    int extra = count - at - 1 - reduces;
    if (extra != 0 || count <= at || operands[at].kind != O_NUMBER)
        parse_fail(p, "unsupported form of a barrier: a part of the block");
    Row predicate = reduces ? source_row(p, &operands[at + 1], 1) : (Row){NO_ROW, 0};
    Insn *in = emit(p, K_BARRIER);
    in->offset = (int64_t)operands[at].bits;
    in->counted = 1;
    if (reduces) {
        in->op = has(o, "and") ? BARRIER_AND : has(o, "or") ? BARRIER_OR : BARRIER_COUNT;
        in->dst = result_row(p, &operands[0], in->op == BARRIER_COUNT ? 4 : 1);
        in->source[0] = predicate;
    }
}

static int warp_op(const Opcode *o) {
    const char *base = o->part[0];
    if (strcmp(base, "bar") == 0)
        return WARP_SYNC;
    if (strcmp(base, "vote") == 0)
        return has(o, "all")   ? WARP_ALL
               : has(o, "any") ? WARP_ANY
               : has(o, "uni") ? WARP_UNI
                               : WARP_BALLOT;
    if (strcmp(base, "shfl") == 0)
        return has(o, "up")     ? SHUFFLE_UP
               : has(o, "down") ? SHUFFLE_DOWN
               : has(o, "bfly") ? SHUFFLE_XOR
                                : SHUFFLE_INDEX;
    if (strcmp(base, "match") == 0)
        return has(o, "any") ? MATCH_ANY : MATCH_ALL;
    if (strcmp(base, "redux") == 0)
        return has(o, "add")   ? REDUCE_ADD
               : has(o, "min") ? REDUCE_MIN
               : has(o, "max") ? REDUCE_MAX
               : has(o, "and") ? REDUCE_AND
               : has(o, "or")  ? REDUCE_OR
                               : REDUCE_XOR;
    return WARP_ACTIVE;
}

void decode_warp(Parser *p, const Opcode *o, Operand *operands, int count) {
    int op = warp_op(o);
    Row dst = {NO_ROW, 0}, second = {NO_ROW, 0}, source[4];
    for (int k = 0; k < 4; k++)
        source[k] = (Row){NO_ROW, 0};
    if (op == WARP_SYNC) {
        source[3] = source_row(p, &operands[0], 4);
    } else if (op == WARP_ACTIVE) {
        dst = result_row(p, &operands[0], 4);
    } else if (op <= WARP_BALLOT) {
        dst = result_row(p, &operands[0], op == WARP_BALLOT ? 4 : 1);
        source[0] = source_row(p, &operands[1], 1);
        source[3] = source_row(p, &operands[2], 4);
    } else if (op <= SHUFFLE_INDEX) {
        if (!has(o, "sync"))
            parse_fail(p, "unsupported instruction: shfl without .sync");
        int two = count == 6;
        dst = result_row(p, &operands[0], 4);
        if (two)
            second = result_row(p, &operands[1], 1);
        for (int k = 0; k < 4; k++)
            source[k] = source_row(p, &operands[1 + two + k], 4);
    } else {
        dst = result_row(p, &operands[0], 4);
        source[0] = source_row(p, &operands[count - 2], (uint8_t)type_size(o->type));
        source[3] = source_row(p, &operands[count - 1], 4);
    }
    Insn *in = emit(p, K_WARP);
    in->op = (uint8_t)op;
    in->dst = dst;
    in->vec[0] = second;
    memcpy(in->source, source, sizeof source);
    in->is_signed = (uint8_t)is_signed_type(o->type);
    in->counted = 1;
}
