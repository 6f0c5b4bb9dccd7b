/* ptx_decode.c: an instruction from its name and operands. What PTX says in one instruction may become
 * several: vectors in mov, conversions between widths of registers, second results. */
#include "ops.h"
#include "ptx_decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the name, cut at its dots --------------------------------------------------------------------*/

static Opcode *cut(Parser *p, Opcode *o, const char *text) {
    memset(o, 0, sizeof *o);
    snprintf(o->text, sizeof o->text, "%s", text);
    for (char *at = o->text; at; at = strchr(at, '.') ? strchr(at, '.') : NULL) {
        if (*at == '.')
            *at++ = 0;
        if (o->count == PARTS_MAX)
            parse_fail(p, "unsupported instruction");
        o->part[o->count++] = at;
    }
    o->type = type_named(o->part[o->count - 1]);
    return o;
}

int has(const Opcode *o, const char *part) {
    for (int k = 1; k < o->count; k++)
        if (strcmp(o->part[k], part) == 0)
            return 1;
    return 0;
}

/* Modifiers that change how, not what, is computed are taken out of the name. */
static void take_modifiers(Opcode *o) {
    int kept = 1;
    for (int k = 1; k < o->count; k++) {
        const char *s = o->part[k];
        if (strcmp(s, "rn") == 0 || strcmp(s, "full") == 0 || strcmp(s, "uni") == 0)
            continue;
        if (strcmp(s, "rz") == 0)
            o->mode |= MODE_RZ;
        else if (strcmp(s, "rm") == 0)
            o->mode |= MODE_RM;
        else if (strcmp(s, "rp") == 0)
            o->mode |= MODE_RP;
        else if (strcmp(s, "ftz") == 0)
            o->mode |= MODE_FTZ;
        else if (strcmp(s, "sat") == 0)
            o->saturate = 1;
        else if (strcmp(s, "approx") == 0)
            o->approx = 1;
        else
            o->part[kept++] = o->part[k];
    }
    o->count = kept;
}

static void key_of(const Opcode *o, char *key, size_t room) {
    size_t used = 0;
    for (int k = 0; k < o->count; k++)
        used += (size_t)snprintf(key + used, used < room ? room - used : 0, "%s%s", k ? "_" : "",
                                 o->part[k]);
}

/* ---- instructions and rows -------------------------------------------------------------------------*/
Insn *emit(Parser *p, Kind kind) {
    Function *f = p->function;
    f->code = grow(p, f->code, f->ncode, &f->code_cap, sizeof *f->code);
    Insn *in = &f->code[f->ncode++];
    memset(in, 0, sizeof *in);
    in->kind = (uint8_t)kind;
    in->guard = p->guard;
    in->guard_not = p->guard_not;
    in->line = p->insn_line;
    in->dst = (Row){NO_ROW, 0};
    for (int k = 0; k < 4; k++)
        in->source[k] = (Row){NO_ROW, 0};
    return in;
}

static Insn *emit_alu(Parser *p, const char *key, Row dst, const Row *sources) {
    const AluOp *op = alu_find(key);
    if (!op)
        parse_fail(p, "unsupported instruction %s", key);
    Insn *in = emit(p, K_ALU);
    in->run = op->run;
    in->dst = dst;
    for (int k = 0; k < 4 && op->src[k]; k++)
        in->source[k] = sources[k];
    in->flops = op->flops;
    return in;
}

static Row constant(Parser *p, uint64_t bits, uint8_t width, uint8_t per_lane) {
    Function *f = p->function;
    if (width < 8)
        bits &= (UINT64_C(1) << (8 * width)) - 1;
    for (int k = 0; k < f->nconstants; k++) {
        const Constant *c = &f->constants[k];
        if (c->bits == bits && c->row.width == width && c->per_lane == per_lane)
            return c->row;
    }
    f->constants = grow(p, f->constants, f->nconstants, &f->constants_cap, sizeof *f->constants);
    Constant *c = &f->constants[f->nconstants++];
    *c = (Constant){new_row(p, width), bits, per_lane};
    return c->row;
}

static const char *const special_names[SR_COUNT] = {
    "%tid.x",       "%tid.y",       "%tid.z",       "%ntid.x",     "%ntid.y",
    "%ntid.z",      "%ctaid.x",     "%ctaid.y",     "%ctaid.z",    "%nctaid.x",
    "%nctaid.y",    "%nctaid.z",    "%laneid",      "%warpid",     "%lanemask_lt",
    "%lanemask_le", "%lanemask_eq", "%lanemask_ge", "%lanemask_gt"};

static int is_text(const Operand *o, const char *text) {
    return o->at && strlen(text) == o->length && memcmp(text, o->at, o->length) == 0;
}

/* The row of a register, or of the address of a variable or function. */
static Row named_row(Parser *p, const Operand *o, uint8_t width) {
    Function *f = p->function;
    for (int k = 0; k < SR_COUNT; k++) {
        if (is_text(o, special_names[k])) {
            if (f->special[k].offset == NO_ROW)
                f->special[k] = new_row(p, 4);
            return f->special[k];
        }
    }
    if (is_text(o, "WARP_SZ"))
        return constant(p, 32, width, 0);
    Name *n = find_name(p, o->at, o->length);
    if (n && n->kind == NAME_REGISTER) {
        uint32_t index = n->count < 0 ? 0 : (uint32_t)strtoul(o->at + n->length, NULL, 10);
        if (n->count >= 0 && index >= (uint32_t)n->count)
            parse_fail(p, "no register %.*s", (int)o->length, o->at);
        return (Row){n->offset + index * n->width, n->width};
    }
    if (width < 4)
        width = 8;
    if (n && n->kind == NAME_ENTRY)
        return constant(p, (uint64_t)(uintptr_t)param_window() + n->offset, width, 0);
    if (n)
        return constant(p, n->offset, width, 1);
    char name[512];
    snprintf(name, sizeof name, "%.*s", (int)o->length, o->at);
    Variable *v = ptx_variable(p->module, name, f);
    Function *target = ptx_function(p->module, name);
    if (!v && !target)
        parse_fail(p, "unknown name %s", name);
    if (v && v->space == SPACE_SHARED && v->owner != f && !v->dynamic) {
        int before = f->nconstants;
        Row row = constant(p, v->address, width, 0);
        f->shared_bytes += f->nconstants > before ? (uint32_t)v->size : 0;
        return row;
    }
    return constant(p, v ? v->address : function_address(target), width, 0);
}

static void convert(Parser *p, Row to, Row from, int is_signed) {
    char key[32];
    if (from.width == 1 || to.width == 1)
        parse_fail(p, "a predicate where a number is expected");
    snprintf(key, sizeof key, "cvt_%c%d_%c%d", is_signed ? 's' : 'u', 8 * to.width,
             is_signed ? 's' : 'u', 8 * from.width);
    emit_alu(p, key, to, &from);
}

Row source_row(Parser *p, const Operand *o, uint8_t width) {
    if (o->kind == O_NUMBER) {
        uint64_t bits = width == 1 ? o->bits != 0 : o->bits;
        return constant(p, bits, width, 0);
    }
    if (o->kind != O_NAME)
        parse_fail(p, "an operand of another kind expected");
    Row row = named_row(p, o, width);
    if (o->negated) {
        Row inverse = new_row(p, 1);
        emit_alu(p, "not_pred", inverse, &row);
        return inverse;
    }
    if (row.width == width)
        return row;
    Row converted = new_row(p, width);
    convert(p, converted, row, 0);
    return converted;
}

Row result_row(Parser *p, const Operand *o, uint8_t width) {
    if (o->kind == O_SINK)
        return new_row(p, width);
    Name *n = o->kind == O_NAME ? find_name(p, o->at, o->length) : NULL;
    if (!n || n->kind != NAME_REGISTER)
        parse_fail(p, "a register expected");
    return named_row(p, o, width);
}

/* ---- operations on registers ----------------------------------------------------------------------*/
int is_signed_type(Type t) {
    return t == T_S8 || t == T_S16 || t == T_S32 || t == T_S64;
}

static Row carry_row(Parser *p) {
    if (p->carry.offset == NO_ROW)
        p->carry = new_row(p, 1);
    return p->carry;
}

static void decode_alu(Parser *p, const Opcode *o, const char *key, const Operand *operands,
                       int count) {
    const AluOp *op = alu_find(key);
    if (!op)
        parse_fail(p, "unsupported instruction");
    int carries = op->src[3] == 1, wanted = 0;
    while (wanted < 4 && op->src[wanted])
        wanted++;
    int given = count - 1;
    if (!carries && given != wanted)
        parse_fail(p, "unsupported form of an instruction");
    Row sources[4];
    for (int k = 0; k < given; k++)
        sources[k] = source_row(p, &operands[1 + k], op->src[k]);
    if (carries) {
        sources[2] = given > 2 ? sources[2] : sources[0];
        sources[3] = carry_row(p);
    }
    Row dst = result_row(p, &operands[0], op->dst), result = dst;
    if (dst.width != op->dst)
        result = new_row(p, op->dst);
    Insn *in = emit_alu(p, key, result, sources);
    in->counted = 1;
    if (o->mode) {
        in->inner = in->run;
        in->run = alu_in_mode;
        in->float_mode = o->mode;
    }
    if (o->saturate) {
        if (o->type != T_F32 && o->type != T_F64)
            parse_fail(p, "unsupported instruction");
        Insn *s = emit(p, K_ALU);
        s->run = op->dst == 4 ? alu_saturate_f32 : alu_saturate_f64;
        s->dst = result;
    }
    if (dst.width != op->dst) {
        Type t = o->count > 1 ? type_named(o->part[1]) : T_NONE;
        convert(p, dst, result, is_signed_type(t));
    }
}

/* setp.lt.and.f32 p|q, a, b, c */
static void decode_setp(Parser *p, Opcode *o, Operand *operands, int count) {
    const char *combine = NULL;
    static const char *const combines[] = {"and", "or", "xor"};
    for (int k = 1; k < o->count; k++)
        for (int i = 0; i < 3; i++)
            if (strcmp(o->part[k], combines[i]) == 0) {
                combine = combines[i];
                memmove(o->part + k, o->part + k + 1,
                        (size_t)(o->count - k - 1) * sizeof o->part[0]);
                o->count--;
            }
    char key[128];
    key_of(o, key, sizeof key);
    int two = count == (combine ? 5 : 4);
    if (!two && !combine) {
        decode_alu(p, o, key, operands, count);
        return;
    }
    const AluOp *op = alu_find(key);
    if (!op)
        parse_fail(p, "unsupported instruction");
    const Operand *rest = operands + 1 + two;
    Row sources[2] = {source_row(p, &rest[0], op->src[0]), source_row(p, &rest[1], op->src[1])};
    Row outcome = new_row(p, 1), inverse = new_row(p, 1);
    Row other = combine ? source_row(p, &rest[2], 1) : (Row){NO_ROW, 0};
    Insn *in = emit_alu(p, key, outcome, sources);
    in->counted = 1;
    if (o->mode) {
        in->inner = in->run;
        in->run = alu_in_mode;
        in->float_mode = o->mode;
    }
    emit_alu(p, "not_pred", inverse, &outcome);
    char logic[16];
    snprintf(logic, sizeof logic, "%s_pred", combine ? combine : "mov");
    Row first[2] = {outcome, other}, second[2] = {inverse, other};
    emit_alu(p, logic, result_row(p, &operands[0], 1), first);
    if (two)
        emit_alu(p, logic, result_row(p, &operands[1], 1), second);
}

/* mov.b64 {lo, hi}, x   mov.b64 x, {lo, hi}   mov.b32 with halves of 16 bits */
static void decode_mov_vector(Parser *p, Operand *operands, uint8_t width) {
    const char *names[2][3] = {{"low_b32", "high_b32", "pair_b32"},
                               {"low_b64", "high_b64", "pair_b64"}};
    const char **name = names[width == 8];
    uint8_t half = (uint8_t)(width / 2);
    Operand *vector = operands[0].kind == O_VECTOR ? &operands[0] : &operands[1];
    if (vector->count != 2 || width < 4)
        parse_fail(p, "unsupported form of mov");
    if (vector == &operands[0]) {
        Row from = source_row(p, &operands[1], width);
        Row copies[2] = {new_row(p, half), new_row(p, half)};
        for (int k = 0; k < 2; k++)
            emit_alu(p, name[k], copies[k], &from)->counted = k == 0;
        for (int k = 0; k < 2; k++) {
            if (vector->items[k].kind == O_SINK)
                continue;
            Row to = result_row(p, &vector->items[k], half);
            if (to.width != half)
                parse_fail(p, "unsupported form of mov");
            emit_alu(p, half == 4 ? "mov_b32" : "mov_b16", to, &copies[k]);
        }
    } else {
        Row sources[2] = {source_row(p, &vector->items[0], half),
                          source_row(p, &vector->items[1], half)};
        emit_alu(p, name[2], result_row(p, &operands[0], width), sources)->counted = 1;
    }
}

static void decode_mov(Parser *p, const Opcode *o, Operand *operands, int count) {
    uint8_t width = (uint8_t)type_size(o->type);
    if (count == 2 && (operands[0].kind == O_VECTOR || operands[1].kind == O_VECTOR)) {
        decode_mov_vector(p, operands, width);
        return;
    }
    if (count == 2 &&
        (is_text(&operands[1], "%clock") || is_text(&operands[1], "%clock64") ||
         is_text(&operands[1], "%globaltimer") || is_text(&operands[1], "%clock_hi"))) {
        Insn *in = emit(p, K_CLOCK);
        in->dst = result_row(p, &operands[0], width);
        in->counted = 1;
        return;
    }
    char key[128];
    key_of(o, key, sizeof key);
    decode_alu(p, o, key, operands, count);
}

/* ---- memory -----------------------------------------------------------------------------------------*/
static Space space_of(const Opcode *o, uint8_t *is_const) {
    *is_const = 0;
    if (has(o, "global"))
        return SPACE_GLOBAL;
    if (has(o, "shared") || has(o, "shared::cta"))
        return SPACE_SHARED;
    if (has(o, "local"))
        return SPACE_LOCAL;
    if (has(o, "param") || has(o, "param::entry") || has(o, "param::func"))
        return SPACE_PARAM;
    if (has(o, "const")) {
        *is_const = 1;
        return SPACE_GLOBAL;
    }
    return SPACE_GENERIC;
}

static Row address_row(Parser *p, const Operand *o, Insn *about) {
    about->offset = (int64_t)o->bits;
    if (!o->at) {
        about->offset = 0;
        about->constant_address = 1;
        return constant(p, o->bits, 8, 0);
    }
    Name *n = find_name(p, o->at, o->length);
    Operand base = {.kind = O_NAME, .at = o->at, .length = o->length};
    about->constant_address = !n || n->kind == NAME_ENTRY;
    return source_row(p, &base, 8);
}

/* The rows of a vector or of a single register. */
static int value_rows(Parser *p, const Operand *o, Insn *about, int result) {
    const Operand *items = o->kind == O_VECTOR ? o->items : o;
    int count = o->kind == O_VECTOR ? o->count : 1;
    uint8_t width = about->size < 2 ? 2 : about->size;
    if (count > VECTOR_MAX)
        parse_fail(p, "unsupported instruction");
    for (int k = 0; k < count; k++) {
        if (result)
            about->vec[k] =
                items[k].kind == O_SINK ? (Row){NO_ROW, 0} : result_row(p, &items[k], width);
        else if (items[k].kind == O_NUMBER)
            about->vec[k] = source_row(p, &items[k], width);
        else
            about->vec[k] = named_row(p, &items[k], width);
        if (about->vec[k].offset != NO_ROW && about->vec[k].width < about->size)
            parse_fail(p, "a register is too narrow");
    }
    return count;
}

static void decode_memory(Parser *p, const Opcode *o, Operand *operands, int count, int store) {
    Insn about = {0};
    if (count != 2 || operands[store ? 0 : 1].kind != O_ADDRESS || o->type == T_NONE)
        parse_fail(p, "unsupported instruction");
    about.size = (uint8_t)type_size(o->type);
    about.is_signed = (uint8_t)is_signed_type(o->type);
    Row base = address_row(p, &operands[store ? 0 : 1], &about);
    about.vector = (uint8_t)value_rows(p, &operands[store ? 1 : 0], &about, !store);
    uint8_t is_const;
    Space space = space_of(o, &is_const);
    Insn *in = emit(p, store ? K_STORE : K_LOAD);
    in->size = about.size;
    in->is_signed = about.is_signed;
    in->vector = about.vector;
    in->offset = about.offset;
    in->constant_address = about.constant_address;
    memcpy(in->vec, about.vec, sizeof in->vec);
    in->source[0] = base;
    in->space = (uint8_t)space;
    in->is_const = is_const;
    in->type = (uint8_t)o->type;
    in->counted = 1;
}

static void decode_atom(Parser *p, const Opcode *o, Operand *operands, int count, int returns) {
    static const char *const names[] = {"add", "exch", "cas", "min", "max",
                                        "and", "or",   "xor", "inc", "dec"};
    int op = -1;
    for (int k = 0; k < (int)(sizeof names / sizeof names[0]); k++)
        if (has(o, names[k]))
            op = k;
    Operand *rest = operands + returns;
    int nvalues = count - returns - 1;
    if (op < 0 || o->type == T_NONE || rest[0].kind != O_ADDRESS ||
        nvalues != (op == ATOM_CAS ? 2 : 1) || has(o, "noftz"))
        parse_fail(p, "unsupported instruction");
    Insn about = {0};
    uint8_t size = (uint8_t)type_size(o->type), unused;
    if (size < 4)
        parse_fail(p, "unsupported instruction");
    Row base = address_row(p, &rest[0], &about);
    Row values[2] = {source_row(p, &rest[1], size), {NO_ROW, 0}};
    if (nvalues == 2)
        values[1] = source_row(p, &rest[2], size);
    Row dst = returns ? result_row(p, &operands[0], size) : (Row){NO_ROW, 0};
    Insn *in = emit(p, K_ATOM);
    in->op = (uint8_t)op;
    in->size = size;
    in->type = (uint8_t)o->type;
    in->vector = 1;
    in->space = (uint8_t)space_of(o, &unused);
    in->offset = about.offset;
    in->source[0] = base;
    in->source[1] = values[0];
    in->source[2] = values[1];
    in->dst = dst;
    in->counted = 1;
    in->flops = o->type == T_F32 || o->type == T_F64;
}

/* ---- all instructions -------------------------------------------------------------------------------*/
static int among(const char *name, const char *list) {
    size_t length = strlen(name);
    for (const char *at = strstr(list, name); at; at = strstr(at + 1, name))
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0))
            return 1;
    return 0;
}

void decode(Parser *p, const char *opcode, Operand *operands, int count) {
    Opcode cutting, *o = cut(p, &cutting, opcode);
    const char *base = o->part[0];
    if (among(base, "ld ldu st"))
        decode_memory(p, o, operands, count, base[0] == 's');
    else if (among(base, "atom red"))
        decode_atom(p, o, operands, count, base[0] == 'a');
    else if (among(base, "bra brx"))
        decode_branch(p, o, operands, count);
    else if (among(base, "call"))
        decode_call(p, operands, count);
    else if (among(base, "ret exit"))
        emit(p, base[0] == 'r' && !p->function->is_entry ? K_RETURN : K_EXIT)->counted = 1;
    else if (among(base, "trap brkpt"))
        emit(p, K_TRAP);
    else if (among(base, "shfl vote match redux activemask") ||
             (among(base, "bar barrier") && has(o, "warp")))
        decode_warp(p, o, operands, count);
    else if (among(base, "bar barrier"))
        decode_barrier(p, o, operands, count);
    else if (among(base, "membar fence nanosleep prefetch prefetchu discard griddepcontrol"))
        emit(p, K_NOP)->counted = 1;
    else if (among(base, "cvta"))
        decode_alu(p, o, "mov_u64", operands, count);
    else if (among(base, "mov"))
        decode_mov(p, o, operands, count);
    else if (among(base, "setp")) {
        take_modifiers(o);
        decode_setp(p, o, operands, count);
    } else {
        char key[128];
        take_modifiers(o);
        if (o->approx && o->type == T_F64 && (o->mode & MODE_FTZ) && among(base, "rcp rsqrt"))
            snprintf(key, sizeof key, "%s_half_f64", base);
        else
            key_of(o, key, sizeof key);
        decode_alu(p, o, key, operands, count);
    }
}
