/* ptx_parse.c: modules, functions and statements of PTX. */
#include "ptx_lex.h"
#include "soft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- statements ----------------------------------------------------------------------------------*/
static Operand operand(Parser *p);

static Operand list(Parser *p, char close) {
    Operand items[64];
    int count = 0;
    while (!lex_sign(p, close)) {
        if (count == 64)
            parse_fail(p, "a list is too long");
        items[count++] = operand(p);
        if (!lex_accept(p, ','))
            break;
    }
    lex_expect(p, close);
    if (p->nitems + count > (int)(sizeof p->items / sizeof p->items[0]))
        parse_fail(p, "an instruction is too long");
    Operand o = {.kind = O_VECTOR, .count = count, .items = p->items + p->nitems};
    memcpy(o.items, items, (size_t)count * sizeof items[0]);
    p->nitems += count;
    return o;
}

static Operand address(Parser *p) {
    Operand o = {.kind = O_ADDRESS};
    if (p->token.kind == LEX_WORD) {
        o.at = p->token.at;
        o.length = p->token.length;
        lex_next(p);
    }
    for (;;) {
        int negative = 0, any = 0;
        while (lex_sign(p, '+') || lex_sign(p, '-')) {
            negative ^= lex_sign(p, '-');
            any = 1;
            lex_next(p);
        }
        if (p->token.kind != LEX_NUMBER) {
            if (any)
                parse_fail(p, "a number expected");
            break;
        }
        o.bits += negative ? 0 - p->token.bits : p->token.bits;
        lex_next(p);
    }
    lex_expect(p, ']');
    return o;
}

static Operand operand(Parser *p) {
    Operand o = {.kind = O_NONE};
    if (lex_accept(p, '{'))
        return list(p, '}');
    if (lex_accept(p, '('))
        return list(p, ')');
    if (lex_accept(p, '['))
        return address(p);
    o.negated = (uint8_t)lex_accept(p, '!');
    int negative = lex_accept(p, '-');
    o.at = p->token.at;
    o.length = p->token.length;
    if (p->token.kind == LEX_NUMBER) {
        o.kind = O_NUMBER;
        o.bits = negative ? 0 - p->token.bits : p->token.bits;
        o.width = p->token.width;
    } else if (p->token.kind == LEX_WORD) {
        o.kind = lex_is(p, "_") ? O_SINK : O_NAME;
    } else {
        parse_fail(p, "an operand expected");
    }
    lex_next(p);
    return o;
}

static void add_label(Parser *p, const Token *name) {
    p->labels = grow(p, p->labels, p->nlabels, &p->labels_cap, sizeof *p->labels);
    Label *label = &p->labels[p->nlabels++];
    *label = (Label){.at = name->at, .length = name->length, .pc = p->function->ncode};
    if (lex_is(p, ".branchtargets")) {
        lex_next(p);
        Operand *items = NULL;
        int count = 0, cap = 0;
        do {
            items = grow(p, items, count, &cap, sizeof *items);
            items[count++] = operand(p);
        } while (lex_accept(p, ','));
        label->table = (Operand){.kind = O_VECTOR, .count = count, .items = items};
        lex_expect(p, ';');
    } else if (lex_is(p, ".callprototype")) {
        while (!lex_accept(p, ';'))
            lex_next(p);
    }
}

static void guard(Parser *p) {
    lex_expect(p, '@');
    p->guard_not = (uint8_t)lex_accept(p, '!');
    Name *n = find_name(p, p->token.at, p->token.length);
    if (!n || n->kind != NAME_REGISTER || n->width != 1)
        parse_fail(p, "a predicate expected");
    uint32_t index = n->count < 0 ? 0 : (uint32_t)strtoul(p->token.at + n->length, NULL, 10);
    p->guard = (Row){n->offset + index, 1};
    lex_next(p);
}

static void instruction(Parser *p) {
    char opcode[128];
    p->insn_line = p->token.line;
    if (p->token.length >= sizeof opcode)
        parse_fail(p, "not an instruction");
    memcpy(opcode, p->token.at, p->token.length);
    opcode[p->token.length] = 0;
    lex_next(p);
    Operand operands[OPERANDS_MAX];
    int count = 0;
    while (!lex_sign(p, ';')) {
        if (count == OPERANDS_MAX)
            parse_fail(p, "too many operands");
        operands[count++] = operand(p);
        if (!lex_accept(p, ',') && !lex_accept(p, '|'))
            break;
    }
    decode(p, opcode, operands, count);
    lex_expect(p, ';');
    p->insn_line = 0;
    p->nitems = 0;
    p->guard = (Row){NO_ROW, 0};
    p->guard_not = 0;
}

static void skip_line(Parser *p) {
    while (p->p < p->end && *p->p != '\n')
        p->p++;
    lex_next(p);
}

static void statement(Parser *p) {
    p->guard = (Row){NO_ROW, 0};
    p->guard_not = 0;
    if (lex_sign(p, '@'))
        guard(p);
    if (p->token.kind != LEX_WORD)
        parse_fail(p, "an instruction expected");
    if (p->token.at[0] != '.') {
        Token name = p->token;
        const char *after = p->p;
        while (*after == ' ' || *after == '\t')
            after++;
        if (*after == ':') {
            lex_next(p);
            lex_expect(p, ':');
            add_label(p, &name);
        } else {
            instruction(p);
        }
    } else if (lex_is(p, ".reg")) {
        declare_registers(p);
    } else if (lex_is(p, ".local")) {
        declare_lane_variable(p, NAME_LOCAL);
    } else if (lex_is(p, ".param")) {
        declare_lane_variable(p, NAME_PARAM);
    } else if (lex_is(p, ".shared")) {
        declare_variable(p, SPACE_SHARED, 0);
    } else if (lex_is(p, ".pragma")) {
        while (!lex_accept(p, ';'))
            lex_next(p);
    } else if (lex_is(p, ".loc") || lex_is(p, ".file")) {
        skip_line(p);
    } else {
        parse_fail(p, "a directive that is not supported");
    }
}

static void block(Parser *p) {
    int names = p->nnames;
    uint32_t lane_used = p->lane_used;
    lex_expect(p, '{');
    while (!lex_sign(p, '}')) {
        if (lex_sign(p, '{'))
            block(p);
        else
            statement(p);
    }
    lex_next(p);
    p->nnames = names;
    p->lane_used = lane_used;
}

/* ---- functions -----------------------------------------------------------------------------------*/
static int find_label(Parser *p, const Operand *name) {
    for (int k = 0; k < p->nlabels; k++)
        if (p->labels[k].length == name->length &&
            memcmp(p->labels[k].at, name->at, name->length) == 0)
            return k;
    p->insn_line = 0;
    parse_fail(p, "no label %.*s", (int)name->length, name->at);
}

static void resolve_labels(Parser *p) {
    for (int k = 0; k < p->nfixups; k++) {
        Insn *in = &p->function->code[p->fixups[k].insn];
        Label *label = &p->labels[find_label(p, &p->fixups[k].name)];
        in->target = label->pc;
        if (in->kind != K_BRANCH_INDEX)
            continue;
        in->ntargets = label->table.count;
        in->targets = calloc((size_t)in->ntargets + 1, sizeof *in->targets);
        if (!in->targets)
            parse_fail(p, "out of memory");
        for (int i = 0; i < in->ntargets; i++)
            in->targets[i] = p->labels[find_label(p, &label->table.items[i])].pc;
    }
    for (int k = 0; k < p->nlabels; k++)
        free(p->labels[k].table.items);
    p->nlabels = p->nfixups = 0;
}

/* Parameters of a kernel lie in the launch's buffer, those of functions in lane memory. */
static Param *parameters(Parser *p, int *count, int is_entry) {
    Function *f = p->function;
    Param *params = NULL;
    int cap = 0;
    *count = 0;
    lex_expect(p, '(');
    while (!lex_accept(p, ')')) {
        if (!lex_is(p, ".param"))
            parse_fail(p, ".param expected");
        lex_next(p);
        Declaration d = parse_declaration(p);
        uint32_t *used = is_entry ? &f->param_bytes : &p->lane_used;
        *used = (uint32_t)align_up(*used, is_entry || d.align > 8 ? d.align : 8);
        params = grow(p, params, *count, &cap, sizeof *params);
        params[(*count)++] = (Param){copy_name(p, d.at, d.length), *used, d.size};
        *used += d.size;
        lex_accept(p, ',');
    }
    if (f->param_bytes > PARAM_MAX)
        parse_fail(p, "too many parameters");
    return params;
}

static void name_parameters(Parser *p, const Param *params, int count) {
    for (int k = 0; k < count; k++) {
        NameKind kind = p->function->is_entry ? NAME_ENTRY : NAME_PARAM;
        p->names[p->nnames++] = (Name){params[k].name,   strlen(params[k].name), kind, -1, 8,
                                       params[k].offset, params[k].size};
    }
}

static Function *new_function(Parser *p, char *name) {
    Module *m = p->module;
    Function *f = calloc(1, sizeof *f);
    m->functions = grow(p, m->functions, m->nfunctions, &m->functions_cap, sizeof *m->functions);
    if (!f)
        parse_fail(p, "out of memory");
    m->functions[m->nfunctions++] = f;
    f->name = name;
    f->module = m;
    return f;
}

static void free_params(Param *params, int count) {
    for (int k = 0; k < count; k++)
        free(params[k].name);
    free(params);
}

static void begin_function(Parser *p, Function *f) {
    f->row_bytes = 0;
    f->ncode = f->nconstants = f->registers = 0;
    f->max_threads = 1024;
    f->dynamic_limit = 48 << 10;
    for (int k = 0; k < SR_COUNT; k++)
        f->special[k] = (Row){NO_ROW, 4};
    p->carry = (Row){NO_ROW, 1};
}

static void function(Parser *p, int is_entry) {
    Function head = {0};
    p->function = &head;
    p->nnames = 0;
    p->lane_used = 0;
    lex_next(p);
    if (lex_sign(p, '('))
        head.returns = parameters(p, &head.nreturns, 0);
    char *name = copy_word(p);
    if (lex_sign(p, '('))
        head.params = parameters(p, &head.nparams, is_entry);
    while (p->token.kind == LEX_WORD) { /* .maxntid 256, 1, 1 and the like */
        int threads = lex_is(p, ".maxntid") || lex_is(p, ".reqntid");
        uint32_t product = 1;
        lex_next(p);
        while (p->token.kind == LEX_NUMBER) {
            product *= parse_number(p);
            if (!lex_accept(p, ','))
                break;
        }
        if (threads)
            head.max_threads = (int)product;
    }
    Function *f = ptx_function(p->module, name);
    if (!f) {
        f = new_function(p, name);
    } else {
        free(name);
        free_params(f->params, f->nparams);
        free_params(f->returns, f->nreturns);
    }
    p->function = f;
    f->is_entry = is_entry;
    f->params = head.params;
    f->nparams = head.nparams;
    f->returns = head.returns;
    f->nreturns = head.nreturns;
    f->param_bytes = head.param_bytes;
    f->lane_bytes = (uint32_t)align_up(p->lane_used, 16);
    if (!lex_accept(p, ';')) {
        begin_function(p, f);
        if (head.max_threads)
            f->max_threads = head.max_threads;
        name_parameters(p, f->returns, f->nreturns);
        name_parameters(p, f->params, f->nparams);
        block(p);
        Operand none = {.kind = O_NONE};
        decode(p, is_entry ? "exit" : "ret", &none, 0); /* falling off the end */
        resolve_labels(p);
        f->row_bytes = (uint32_t)align_up(f->row_bytes, 8);
        f->defined = 1;
    }
    p->function = NULL;
}

static void skip_braces(Parser *p) {
    int depth = 0;
    while (p->token.kind != LEX_END) {
        depth += lex_sign(p, '{') - lex_sign(p, '}');
        int done = lex_sign(p, '}') && depth == 0;
        lex_next(p);
        if (done)
            return;
    }
}

static void module(Parser *p) {
    lex_next(p);
    while (p->token.kind != LEX_END) {
        if (lex_is(p, ".entry"))
            function(p, 1);
        else if (lex_is(p, ".func"))
            function(p, 0);
        else if (lex_is(p, ".global"))
            declare_variable(p, SPACE_GLOBAL, 0);
        else if (lex_is(p, ".const"))
            declare_variable(p, SPACE_GLOBAL, 1);
        else if (lex_is(p, ".shared"))
            declare_variable(p, SPACE_SHARED, 0);
        else if (lex_is(p, ".version") || lex_is(p, ".target") || lex_is(p, ".address_size") ||
                 lex_is(p, ".file") || lex_is(p, ".loc"))
            skip_line(p);
        else if (lex_is(p, ".pragma"))
            skip_line(p);
        else if (lex_is(p, ".section"))
            skip_braces(p);
        else if (lex_is(p, ".visible") || lex_is(p, ".extern") || lex_is(p, ".weak") ||
                 lex_is(p, ".common"))
            lex_next(p);
        else
            parse_fail(p, "a statement that is not supported");
    }
}

void ptx_free(Module *m) {
    if (!m)
        return;
    for (int k = 0; k < m->nfunctions; k++) {
        Function *f = m->functions[k];
        for (int i = 0; i < f->ncode; i++) {
            free(f->code[i].targets);
            free(f->code[i].call);
        }
        free_params(f->params, f->nparams);
        free_params(f->returns, f->nreturns);
        free(f->code);
        free(f->constants);
        free(f->name);
        free(f);
    }
    for (int k = 0; k < m->nvariables; k++) {
        if (m->variables[k].space == SPACE_GLOBAL)
            memory_drop(memory_find(m->variables[k].address));
        free(m->variables[k].name);
    }
    free(m->functions);
    free(m->variables);
    free(m->text);
    free(m);
}

Module *ptx_parse(const char *text, size_t length, char **message) {
    Parser *p = calloc(1, sizeof *p);
    Module *volatile m = calloc(1, sizeof *m);
    char *copy = malloc(length + 1);
    *message = NULL;
    if (!p || !m || !copy) {
        free(p);
        free(m);
        free(copy);
        return NULL;
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    m->text = copy;
    p->module = m;
    p->p = copy;
    p->end = copy + length;
    p->line = 1;
    if (setjmp(p->failed)) {
        *message = strdup(p->message);
        ptx_free(m);
        m = NULL;
    } else {
        module(p);
    }
    free(p->labels);
    free(p->fixups);
    free(p);
    return m;
}
