/* variants.c: from what was found to whole problems. */
#include "variants/variants.h"

#include <string.h>

#include "base/compilation.h"
#include "output/output.h"
#include "variants/edit.h"

typedef struct Builder {
    Compilation *c;
    Variants *out;
} Builder;

/* Adds the features of a kind to a list, and why. */
static void put_features(Builder *b, FindKind kind, Text *list, Variant *v) {
    for (uint32_t k = 0; k < b->out->finds.at.n; k++) {
        const Find *f = &b->out->finds.at.at[k];
        if (f->kind != kind)
            continue;
        text_printf(list, "%s%s", list->n ? ", " : "", f->text);
        VEC_PUSH(&b->c->arena, v->because, find_because(b->c, f));
    }
}

static void add_variant(Builder *b, const char *name) {
    Compilation *c = b->c;
    Variant v = {.name = name};
    Edits edits = {.network = {.arena = &c->arena}};
    Text features = {.arena = &c->arena};
    put_features(b, FIND_INPUT, &features, &v);
    text_printf(&edits.network, "features = [%s]", text_cstr(&features));
    v.text = edit_text(c, &edits);
    v.statements = edit_statements(c, &edits);
    VEC_PUSH(&c->arena, b->out->list, v);
}

const Variants *variants_of(Compilation *c) {
    Variants *out = NEW(&c->arena, Variants);
    Builder b = {c, out};
    Spread spread;
    if (!spread_of_file(c, &spread))
        spread.mean = 0;
    find_inputs(c, &spread, &out->finds);
    if (solve_is_automatic(c))
        add_variant(&b, "plain");
    return out;
}
