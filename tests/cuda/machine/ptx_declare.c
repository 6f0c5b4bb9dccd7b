/* ptx_declare.c: types, names, variables and registers of PTX. */
#include "ptx_lex.h"
#include "soft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    Type type;
    uint8_t size;
} types[] = {{".pred", T_PRED, 1}, {".b8", T_B8, 1},    {".u8", T_U8, 1},   {".s8", T_S8, 1},
             {".b16", T_B16, 2},   {".u16", T_U16, 2},  {".s16", T_S16, 2}, {".b32", T_B32, 4},
             {".u32", T_U32, 4},   {".s32", T_S32, 4},  {".f32", T_F32, 4}, {".b64", T_B64, 8},
             {".u64", T_U64, 8},   {".s64", T_S64, 8},  {".f64", T_F64, 8}, {".f16", T_B16, 2},
             {".bf16", T_B16, 2},  {".f16x2", T_B32, 4}};

Type type_named(const char *text) {
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        if (strcmp(types[k].name + 1, text) == 0)
            return types[k].type;
    return T_NONE;
}

int type_size(Type t) {
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        if (types[k].type == t)
            return types[k].size;
    return 0;
}

void *grow(Parser *p, void *list, int count, int *cap, size_t size) {
    if (count < *cap)
        return list;
    *cap = *cap ? 2 * *cap : 64;
    void *larger = realloc(list, (size_t)*cap * size);
    if (!larger)
        parse_fail(p, "out of memory");
    return larger;
}

char *copy_name(Parser *p, const char *at, size_t length) {
    char *text = malloc(length + 1);
    if (!text)
        parse_fail(p, "out of memory");
    memcpy(text, at, length);
    text[length] = 0;
    return text;
}

char *copy_word(Parser *p) {
    if (p->token.kind != LEX_WORD)
        parse_fail(p, "a name expected");
    char *text = copy_name(p, p->token.at, p->token.length);
    lex_next(p);
    return text;
}

uint32_t parse_number(Parser *p) {
    if (p->token.kind != LEX_NUMBER)
        parse_fail(p, "a number expected");
    uint32_t value = (uint32_t)p->token.bits;
    lex_next(p);
    return value;
}

uint64_t align_up(uint64_t x, uint64_t to) {
    return (x + to - 1) / to * to;
}

Row new_row(Parser *p, uint8_t width) {
    Function *f = p->function;
    f->row_bytes = (uint32_t)align_up(f->row_bytes, width);
    Row row = {f->row_bytes, width};
    f->row_bytes += width;
    return row;
}

Name *find_name(Parser *p, const char *at, size_t length) {
    size_t digits = length;
    while (digits > 0 && at[digits - 1] >= '0' && at[digits - 1] <= '9')
        digits--;
    for (int k = p->nnames - 1; k >= 0; k--) {
        Name *n = &p->names[k];
        if (n->count < 0 ? n->length == length && memcmp(n->at, at, length) == 0
                         : n->length == digits && digits < length && memcmp(n->at, at, digits) == 0)
            return n;
    }
    return NULL;
}

static Name *add_name(Parser *p, NameKind kind) {
    if (p->nnames == (int)(sizeof p->names / sizeof p->names[0]))
        parse_fail(p, "too many names");
    Name *n = &p->names[p->nnames++];
    *n = (Name){.at = p->token.at, .length = p->token.length, .kind = kind, .count = -1};
    lex_next(p);
    return n;
}

/* ---- declarations ---------------------------------------------------------------------------------*/
/* .align 8 .b8 name[32]   .u64 .ptr .align 1 name */
Declaration parse_declaration(Parser *p) {
    Declaration d = {T_NONE, 0, 0, 1, 0, NULL, 0};
    while (p->token.kind == LEX_WORD && p->token.at[0] == '.') {
        int is_align = lex_is(p, ".align");
        for (size_t k = 0; k < sizeof types / sizeof types[0] && d.type == T_NONE; k++)
            if (lex_is(p, types[k].name))
                d.type = types[k].type;
        lex_next(p);
        if (is_align && d.type == T_NONE)
            d.align = parse_number(p);
        else if (is_align)
            parse_number(p); /* of what a pointer points to */
    }
    if (d.type == T_NONE)
        parse_fail(p, "a type that is not supported");
    if (p->token.kind != LEX_WORD)
        parse_fail(p, "a name expected");
    d.at = p->token.at;
    d.length = p->token.length;
    lex_next(p);
    while (lex_accept(p, '[')) {
        if (lex_sign(p, ']'))
            d.unsized = 1;
        else
            d.elements *= parse_number(p);
        lex_expect(p, ']');
    }
    d.size = (uint32_t)type_size(d.type) * d.elements;
    if (d.align == 0)
        d.align = (uint32_t)type_size(d.type);
    return d;
}

Function *ptx_function(Module *m, const char *name) {
    for (int k = 0; k < m->nfunctions; k++)
        if (strcmp(m->functions[k]->name, name) == 0)
            return m->functions[k];
    return NULL;
}

uint64_t function_address(const Function *f) {
    for (int k = 0; k < f->module->nfunctions; k++)
        if (f->module->functions[k] == f)
            return UINT64_C(0xF0000000000) + (uint64_t)k * 16;
    return 0;
}

Variable *ptx_variable(Module *m, const char *name, const Function *inside) {
    for (int k = m->nvariables - 1; k >= 0; k--) {
        Variable *v = &m->variables[k];
        if ((!v->owner || v->owner == inside) && strcmp(v->name, name) == 0)
            return v;
    }
    return NULL;
}

/* The value of an element: a number, a name, generic(name), name + number. */
static uint64_t initial_value(Parser *p) {
    if (p->token.kind == LEX_NUMBER || lex_sign(p, '-')) {
        int negative = lex_accept(p, '-');
        uint64_t bits = p->token.bits;
        if (p->token.kind != LEX_NUMBER)
            parse_fail(p, "a number expected");
        lex_next(p);
        return negative ? 0 - bits : bits;
    }
    int generic = lex_is(p, "generic");
    if (generic) {
        lex_next(p);
        lex_expect(p, '(');
    }
    char *name = copy_word(p);
    Variable *v = ptx_variable(p->module, name, NULL);
    Function *f = ptx_function(p->module, name);
    free(name);
    if (!v && !f)
        parse_fail(p, "an initial value refers to an unknown name");
    if (generic)
        lex_expect(p, ')');
    uint64_t value = v ? v->address : function_address(f);
    if (lex_accept(p, '+'))
        value += parse_number(p);
    return value;
}

static void initialise(Parser *p, unsigned char *bytes, const Declaration *d) {
    size_t size = (size_t)type_size(d->type), at = 0;
    int depth = 0;
    do {
        while (lex_accept(p, '{'))
            depth++;
        if (!lex_sign(p, '}')) {
            uint64_t value = initial_value(p);
            if (at + size > d->size)
                parse_fail(p, "too many initial values");
            memcpy(bytes + at, &value, size);
            at += size;
        }
        while (depth > 0 && lex_accept(p, '}'))
            depth--;
    } while (lex_accept(p, ','));
}

static void place_shared(Parser *p, Variable *v, const Declaration *d) {
    Module *m = p->module;
    uint64_t base = (uint64_t)(uintptr_t)shared_window();
    v->dynamic = (uint8_t)d->unsized;
    if (d->unsized) {
        v->address = base + SHARED_STATIC_MAX;
        return;
    }
    uint32_t align = d->align < 16 ? 16 : d->align;
    m->shared_used = (uint32_t)align_up(m->shared_used + 32, align); /* 32: a guard */
    v->address = base + m->shared_used;
    m->shared_used += d->size;
    if (m->shared_used + 32 > SHARED_STATIC_MAX)
        parse_fail(p, "too much static shared memory");
    if (p->function)
        p->function->shared_bytes =
            (uint32_t)align_up(p->function->shared_bytes, d->align) + d->size;
}

void declare_variable(Parser *p, Space space, int is_const) {
    Module *m = p->module;
    lex_next(p);
    Declaration d = parse_declaration(p);
    m->variables = grow(p, m->variables, m->nvariables, &m->variables_cap, sizeof *m->variables);
    Variable *v = &m->variables[m->nvariables++];
    *v = (Variable){.name = copy_name(p, d.at, d.length),
                    .space = (uint8_t)space,
                    .size = d.size,
                    .owner = p->function};
    if (space == SPACE_SHARED) {
        place_shared(p, v, &d);
    } else {
        Allocation *a = memory_alloc(d.size ? d.size : 1, 1);
        if (!a)
            parse_fail(p, "out of memory");
        a->name = v->name;
        a->read_only = is_const;
        memset(a->bytes, 0, a->size);
        memory_mark(a, 0, a->size);
        v->address = a->address;
        if (lex_accept(p, '='))
            initialise(p, a->bytes, &d);
    }
    lex_expect(p, ';');
}

void declare_lane_variable(Parser *p, NameKind kind) {
    lex_next(p);
    Declaration d = parse_declaration(p);
    p->lane_used = (uint32_t)align_up(p->lane_used, d.align < 8 ? 8 : d.align);
    if (p->nnames == (int)(sizeof p->names / sizeof p->names[0]))
        parse_fail(p, "too many names");
    p->names[p->nnames++] = (Name){d.at, d.length, kind, -1, 8, p->lane_used, d.size};
    p->lane_used += d.size;
    if (p->lane_used > p->function->lane_bytes)
        p->function->lane_bytes = (uint32_t)align_up(p->lane_used, 16);
    lex_expect(p, ';');
}

void declare_registers(Parser *p) {
    lex_next(p);
    uint8_t width = 0;
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++)
        if (lex_is(p, types[k].name))
            width = types[k].size;
    if (width == 0)
        parse_fail(p, "registers of a type that is not supported");
    if (width == 1 && !lex_is(p, ".pred"))
        width = 2; /* registers of 8 bits are kept in 16 */
    lex_next(p);
    do {
        Name *n = add_name(p, NAME_REGISTER);
        n->width = width;
        int count = 1;
        if (lex_accept(p, '<')) {
            count = n->count = (int)parse_number(p);
            lex_expect(p, '>');
        }
        n->offset = new_row(p, width).offset;
        p->function->row_bytes += (uint32_t)(count > 0 ? count - 1 : 0) * width;
        if (width > 1)
            p->function->registers += count * (width > 4 ? 2 : 1);
    } while (lex_accept(p, ','));
    lex_expect(p, ';');
}
