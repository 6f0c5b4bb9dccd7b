/* variants.c: from what was found to whole problems.
 *
 * Six kinds of features, conditions exact or as losses: more than these gained
 * nothing in a trial over 21 problems. Whatever is proposed has been compiled
 * once: what the compiler refuses is dropped without a word. */
#include "variants/variants.h"

#include <string.h>

#include "base/compilation.h"
#include "ir/net_input.h"
#include "lower/feature.h"
#include "lower/mean.h"
#include "lower/observe.h"
#include "output/output.h"
#include "variants/conditions.h"

enum { NUMBERS_MOST = 14, PRODUCT_DIMENSION = 3 };

typedef struct Builder {
    Compilation *c;
    Variants *out;
    Spread spread;
    const char *law;    /* statements in place of the file's law; NULL: it stays */
    const char *ansatz; /* NULL: none is proposed */
    const Ast *met;     /* the condition that it meets */
    Stating stating;
} Builder;

/* ---- texts ---- */

/* Features under derivatives of high order grow to expressions that no run could afford: what needs more memory
 * than this to compile is no proposal, which bounds the time as well. */
#define MEMORY_MOST ((size_t)64 << 20)

static bool compiles(const char *text) {
    PdecOptions options = {.format = PDEC_SHORT, .memory_limit = MEMORY_MOST};
    PdecResult result;
    bool ok = pdec_compile("variant", text, strlen(text), &options, &result) == PDEC_OK;
    pdec_result_free(&result);
    return ok;
}

static const Ast *file_law(const Compilation *c) {
    for (uint32_t k = 0; k < c->program->n; k++)
        if (c->program->kid[k]->kind == AST_SAMPLE)
            return c->program->kid[k];
    return NULL;
}

/* Everything but the features: conditions, law, trial function. */
static void put_statements(Builder *b, Stating how, Edits *edits, Variant *v) {
    Compilation *c = b->c;
    Text reasons = {.arena = &c->arena};
    (void)conditions_state(c, b->ansatz ? STATE_LOSSES : how, edits, &reasons);
    for (const char *line = reasons.n ? text_cstr(&reasons) : ""; *line && v;) {
        Text one = {.arena = &c->arena};
        size_t n = strcspn(line, "\n");
        text_bytes(&one, line, n);
        VEC_PUSH(&c->arena, v->because, text_cstr(&one));
        line += n + 1;
    }
    if (b->law && file_law(c))
        edit_replace(c, edits, file_law(c)->span, b->law);
    else if (b->law)
        edit_add(c, edits, b->law);
    if (b->ansatz)
        edit_add(c, edits, b->ansatz);
    for (uint32_t k = 0; v && k < b->out->finds.at.n; k++) {
        const Find *f = &b->out->finds.at.at[k];
        if (f->kind == FIND_LAW || f->kind == FIND_UNKNOWN)
            VEC_PUSH(&c->arena, v->because, find_because(c, f));
    }
}

/* Adds the features of a kind to a list, and why; returns how many. */
static uint32_t put_features(Builder *b, FindKind kind, Text *list, Variant *v) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < b->out->finds.at.n; k++) {
        const Find *f = &b->out->finds.at.at[k];
        if (f->kind != kind || count == NUMBERS_MOST)
            continue;
        text_printf(list, "%s%s", list->n ? ", " : "", f->text);
        VEC_PUSH(&b->c->arena, v->because, find_because(b->c, f));
        count++;
    }
    return count;
}

static bool has(const Builder *b, FindKind kind) {
    for (uint32_t k = 0; k < b->out->finds.at.n; k++)
        if (b->out->finds.at.at[k].kind == kind)
            return true;
    return false;
}

/* The time, and what of the inputs is not the time: the first are the
 * coordinates of each space. */
static void put_inputs(Builder *b, bool x, bool t, Text *list, Variant *v) {
    uint32_t spaces = b->c->problem->space.n;
    for (uint32_t k = 0; k < b->out->finds.at.n; k++) {
        const Find *f = &b->out->finds.at.at[k];
        if (f->kind != FIND_INPUT)
            continue;
        if (spaces > 0 ? x : t) {
            text_printf(list, "%s%s", list->n ? ", " : "", f->text);
            VEC_PUSH(&b->c->arena, v->because, find_because(b->c, f));
        }
        spaces -= spaces > 0;
    }
}

/* ---- variants ---- */

typedef struct Kind {
    const char *name;
    bool x, products, numbers, linear;
} Kind;

static const char *name_of(Builder *b, const Kind *kind, Stating how, uint32_t exact) {
    Text t = {.arena = &b->c->arena};
    bool losses = b->c->problem->condition.n > 0 && exact == 0 && how != STATE_AS_WRITTEN;
    text_printf(&t, "%s%s%s", kind->name, losses && !b->ansatz ? "-soft" : "",
                !b->law            ? ""
                : b->spread.radial ? "-radial"
                                   : "-process");
    return text_cstr(&t);
}

static uint32_t exact_conditions(Builder *b, Stating how) {
    Edits none = {.network = {.arena = &b->c->arena}};
    Text reasons = {.arena = &b->c->arena};
    return conditions_state(b->c, how, &none, &reasons);
}

static void add_variant(Builder *b, const Kind *kind, Stating how) {
    Compilation *c = b->c;
    Variant v = {.name = name_of(b, kind, how, exact_conditions(b, how))};
    Edits edits = {.network = {.arena = &c->arena}};
    Text features = {.arena = &c->arena};
    if (b->out->list.n == PDEC_VARIANTS || (kind->linear && c->problem->time) ||
        (kind->products && !has(b, FIND_PRODUCT)) ||
        (kind->numbers && !kind->products && !has(b, FIND_REDUCTION)))
        return;
    put_inputs(b, kind->x, false, &features, &v);
    if (kind->products)
        (void)put_features(b, FIND_PRODUCT, &features, &v);
    put_inputs(b, false, true, &features, &v);
    if (kind->numbers)
        (void)put_features(b, FIND_REDUCTION, &features, &v);
    put_statements(b, how, &edits, &v);
    text_printf(&edits.network, "features = [%s]", text_cstr(&features));
    if (kind->linear)
        text_printf(&edits.network, ", width = 16, depth = 2, activation = identity");
    v.text = edit_text(c, &edits);
    v.statements = edit_statements(c, &edits);
    if (compiles(v.text))
        VEC_PUSH(&c->arena, b->out->list, v);
}

static void add_variants(Builder *b) {
    static const Kind kinds[] = {
        {"reductions", false, false, true, false}, {"reductions+x", true, false, true, false},
        {"products", true, true, true, false},     {"products-linear", true, true, true, true},
        {"plain", true, false, false, false},
    };
    static const int second[] = {0, 1, 2, 4};
    const bool both = exact_conditions(b, b->stating) > 0 && b->stating != STATE_AS_WRITTEN;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        add_variant(b, &kinds[k], b->stating);
    for (size_t k = 0; both && k < sizeof second / sizeof *second; k++)
        add_variant(b, &kinds[second[k]], STATE_LOSSES);
}

/* ---- what the compiler accepts ---- */

/* The problem with this statement of its conditions, and one feature (NULL:
 * none). */
static bool is_accepted(Builder *b, Stating how, const char *feature) {
    Edits edits = {.network = {.arena = &b->c->arena}};
    put_statements(b, how, &edits, NULL);
    if (feature)
        text_printf(&edits.network, "features = [%s%s%s]", feature, b->c->problem->time ? ", " : "",
                    b->c->problem->time ? sym_cstr(b->c, b->c->problem->time) : "");
    return compiles(edit_text(b->c, &edits));
}

static bool has_ansatz(const Problem *p) {
    for (uint32_t f = 0; f < p->field.n; f++)
        if (p->field.at[f].ansatz)
            return true;
    return false;
}

static void choose_stating(Builder *b) {
    if (has_ansatz(b->c->problem) || b->ansatz || b->c->problem->tensor_net) {
        b->stating = STATE_AS_WRITTEN;
        return;
    }
    for (b->stating = STATE_EXACT; b->stating < STATE_LOSSES; b->stating++)
        if (exact_conditions(b, b->stating) > 0 && is_accepted(b, b->stating, NULL))
            return;
}

/* Leaves out features that do not compile by themselves. */
static void sieve(Builder *b) {
    uint32_t kept = 0;
    Finds *f = &b->out->finds;
    for (uint32_t k = 0; k < f->at.n; k++) {
        bool tried = f->at.at[k].kind == FIND_REDUCTION || f->at.at[k].kind == FIND_PRODUCT;
        if (!tried || is_accepted(b, b->stating, f->at.at[k].text))
            f->at.at[kept++] = f->at.at[k];
    }
    f->at.n = kept;
}

static void drop(Finds *f, FindKind kind) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < f->at.n; k++)
        if (f->at.at[k].kind != kind)
            f->at.at[kept++] = f->at.at[k];
    f->at.n = kept;
}

const Variants *variants_of(Compilation *c) {
    Variants *out = NEW(&c->arena, Variants);
    const bool alone = c->problem->space.n == 1; /* laws and products are of one vector */
    const bool plain = !observe_any(c->problem) && !mean_any(c->problem) &&
                       !c->problem->inside; /* points of one law, too */
    if (c->problem->equation.n == 0 || c->problem->space.n == 0 || features_are_implied(c) ||
        input_divides_fields(c))
        return out;
    Builder b = {.c = c, .out = out, .spread = spread_of_file(c)};
    Spread law;
    b.stating = STATE_AS_WRITTEN;
    b.ansatz = plain ? find_ansatz(c, &out->finds, &b.met) : NULL;
    if (b.ansatz && !is_accepted(&b, b.stating, NULL)) {
        b.ansatz = NULL;
        drop(&out->finds, FIND_UNKNOWN);
    }
    if (alone && plain && find_law(c, &b.spread, &law, &out->finds))
        b.law = spread_statements(c, &law, true);
    else if (alone && plain)
        b.law = find_radial(c, &law, &out->finds);
    if (b.law && is_accepted(&b, b.stating, NULL)) {
        b.spread = law;
    } else if (b.law) {
        b.law = NULL;
        drop(&out->finds, FIND_LAW);
    }
    Spread inputs = b.spread;
    if (alone)
        find_logarithm(c, &inputs);
    choose_stating(&b);
    find_inputs(c, &inputs, &out->finds);
    find_reductions(c, &b.spread, &out->finds);
    if (alone)
        find_products(c, &inputs, &out->finds);
    sieve(&b);
    if (solve_is_automatic(c))
        add_variants(&b);
    return out;
}
