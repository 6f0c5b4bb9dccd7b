/* terms_print.c: --emit=terms: what the compiler understood of each residual, as text or JSON. */
#include <assert.h>
#include <string.h>

#include "base/compilation.h"
#include "base/json_text.h"
#include "pass.h"
#include "terms/split.h"
#include "terms/tensor.h"

static const char *const CLASS_NAME[] = {
#define TERM(id, name, how) name,
    TERM_CLASSES(TERM)
#undef TERM
};

static void print_place(Compilation *c, Span where, Text *out) {
    Place place = source_place(c, where.lo);
    if (where.hi > where.lo && !place.source->library)
        text_printf(out, "%u:%u", place.line, place.column);
}

static void print_range(Compilation *c, const Family *f, Text *out) {
    static const char *const name[2] = {"i", "j"};
    assert(f->n_index <= 2);
    for (uint32_t k = 0; k < f->n_index && k < 2; k++) {
        if (f->ordered && k == 1) {
            text_printf(out, ", j = i+1..");
        } else {
            text_printf(out, "%s%s = ", k ? ", " : "", name[k]);
            ir_print(c->ir, f->lo[k], out);
            text_printf(out, "..");
        }
        ir_print(c->ir, f->hi[k], out);
    }
}

/* The body with its indices called i and j. */
static const char *body_text(Compilation *c, const Term *t) {
    static const char *const name[2] = {"i", "j"};
    for (uint32_t k = 0; k < t->n_index; k++)
        memo_put(c->ir->index_name, t->index[k], 0, intern_cstr(c, name[k]));
    Ref whole = t->class == TERM_SAMPLED ? ir_mul2(c->ir, t->outside, t->body) : t->value;
    return ir_text(c->ir, whole);
}

static void print_term(Compilation *c, const Term *t, Text *out) {
    const char *label = t->class != TERM_SAMPLED ? "term" : t->n_index == 2 ? "L_ij" : "L_i";
    text_printf(out, "    %-5s = %s\n", label, body_text(c, t));
    text_printf(out, "            %s", CLASS_NAME[t->class]);
    if (t->class != TERM_SOURCE)
        text_printf(out, ", order %u%s", t->order, t->linear ? ", linear" : ", not linear");
    if (t->gram)
        text_printf(out, ", Gram");
    text_printf(out, "\n            %s", t->why);
    if (t->class != TERM_POINTWISE && t->class != TERM_SOURCE && t->where.hi > t->where.lo) {
        Text place = {.arena = &c->arena};
        print_place(c, t->where, &place);
        if (place.n)
            text_printf(out, " (at %s)", text_cstr(&place));
    }
    text_printf(out, "\n");
}

static void print_operator(Compilation *c, const char *what, Sym name, const Ast *ast,
                           const Operator *op, Text *out) {
    text_printf(out, "%s", what);
    if (name)
        text_printf(out, " %s", sym_cstr(c, name));
    text_printf(out, " (at ");
    print_place(c, ast->span, out);
    text_printf(out, "): residual = left - right, a sum of %u term%s\n", op->term.n,
                op->term.n == 1 ? "" : "s");
    for (uint32_t f = 0; f < op->family.n; f++) {
        text_printf(out, "  sampled over ");
        print_range(c, &op->family.at[f], out);
        text_printf(out, ": |K| = ");
        ir_print(c->ir, op->family.at[f].size, out);
        text_printf(out, "\n");
        for (uint32_t k = 0; k < op->term.n; k++)
            if (op->term.at[k].family == (int)f)
                print_term(c, &op->term.at[k], out);
    }
    bool heading = false;
    for (int class = TERM_DIRECTION; class < TERM_CLASS_COUNT; class ++)
        for (uint32_t k = 0; k < op->term.n; k++) {
            if (op->term.at[k].class != (TermClass) class)
                continue;
            if (!heading)
                text_printf(out, "  evaluated in full\n");
            heading = true;
            print_term(c, &op->term.at[k], out);
        }
}

static const char *const WHERE[] = {"boundary", "initial", "terminal", "observe", "constraint"};

static void terms_text(Compilation *c, Text *out) {
    const Problem *p = c->problem;
    for (uint32_t e = 0; e < p->equation.n; e++)
        print_operator(c, "equation", p->equation.at[e].name, p->equation.at[e].ast,
                       &p->operators->at[e], out);
    for (uint32_t k = 0; k < p->condition.n; k++) {
        const ConditionRow *row = &p->condition.at[k];
        const char *state = row->state == CONDITION_BUILT    ? ", met by the trial function"
                            : row->state == CONDITION_PROVEN ? ", met by the ansatz (proven)"
                                                             : ", a loss of its own";
        Text what = {.arena = &c->arena};
        text_printf(&what, "%s condition%s", WHERE[row->where - COND_BOUNDARY], state);
        print_operator(c, text_cstr(&what), 0, row->ast, &p->operators->at[p->equation.n + k], out);
    }
    for (uint32_t k = 0; k < p->source.n; k++) {
        text_printf(out, "source %s = ", sym_cstr(c, p->source.at[k].name));
        ir_print(c->ir, p->source.at[k].value, out);
        text_printf(out, "\n");
    }
}

/* ---- JSON ---- */

static void json_term(Compilation *c, const Term *t, Text *out) {
    text_printf(out, "{\"class\":");
    emit_json_string(out, CLASS_NAME[t->class]);
    text_printf(
        out,
        ",\"family\":%d,\"order\":%u,\"linear\":%s,\"gram\":%s,\"indices\":%u,\"text\":", t->family,
        t->order, t->linear ? "true" : "false", t->gram ? "true" : "false", t->n_index);
    emit_json_string(out, body_text(c, t));
    text_printf(out, ",\"why\":");
    emit_json_string(out, t->why);
    Text place = {.arena = &c->arena};
    if (t->class != TERM_POINTWISE && t->class != TERM_SOURCE)
        print_place(c, t->where, &place);
    text_printf(out, ",\"at\":");
    emit_json_string(out, text_cstr(&place));
    text_printf(out, "}");
}

static void json_operator(Compilation *c, const char *kind, Sym name, const Operator *op,
                          Text *out) {
    text_printf(out, "{\"kind\":");
    emit_json_string(out, kind);
    text_printf(out, ",\"name\":");
    emit_json_string(out, name ? sym_cstr(c, name) : "");
    text_printf(out, ",\"families\":[");
    for (uint32_t f = 0; f < op->family.n; f++) {
        Text range = {.arena = &c->arena};
        print_range(c, &op->family.at[f], &range);
        text_printf(out, "%s{\"range\":", f ? "," : "");
        emit_json_string(out, text_cstr(&range));
        text_printf(out, ",\"size\":");
        emit_json_string(out, ir_text(c->ir, op->family.at[f].size));
        text_printf(out, ",\"ordered\":%s}", op->family.at[f].ordered ? "true" : "false");
    }
    text_printf(out, "],\"terms\":[");
    for (uint32_t k = 0; k < op->term.n; k++) {
        text_printf(out, "%s", k ? "," : "");
        json_term(c, &op->term.at[k], out);
    }
    text_printf(out, "]}");
}

void terms_json_list(Compilation *c, Text *out) {
    const Problem *p = c->problem;
    text_printf(out, "[");
    for (uint32_t e = 0; e < p->equation.n; e++) {
        text_printf(out, "%s", e ? ",\n" : "\n");
        json_operator(c, "equation", p->equation.at[e].name, &p->operators->at[e], out);
    }
    for (uint32_t k = 0; k < p->condition.n; k++) {
        text_printf(out, ",\n");
        json_operator(c, WHERE[p->condition.at[k].where - COND_BOUNDARY], 0,
                      &p->operators->at[p->equation.n + k], out);
    }
    text_printf(out, "]");
}

void terms_emit(Compilation *c, Text *out) {
    if (c->problem->tensor_net && !c->json)
        tensor_print(c, out);
    if (c->json) {
        text_printf(out, "{\"residuals\":");
        terms_json_list(c, out);
        text_printf(out, "}\n");
    } else {
        terms_text(c, out);
    }
}
