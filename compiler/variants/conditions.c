/* conditions.c: see conditions.h. */
#include "variants/conditions.h"

#include <string.h>

#include "base/compilation.h"
#include "ir/problem.h"
#include "variants/find.h"

static const ConditionRow *row_of(const Compilation *c, const Ast *s) {
    for (uint32_t k = 0; k < c->problem->condition.n; k++)
        if (c->problem->condition.at[k].ast == s)
            return &c->problem->condition.at[k];
    return NULL;
}

/* Do the data depend on the place? Such data of a boundary are not put into the
 * trial function: a formula that holds in the whole domain would bring the
 * solution with it, one that does not may be anything inside. */
static bool varies(const Compilation *c, const ConditionRow *row) {
    Ir *ir = c->ir;
    Ref zero[1] = {ir_const(ir, 0)};
    Ref data = c->problem->field.n == 1 ? ir_replace_fields(ir, row->residual, OP_FIELD, 1, zero)
                                        : row->residual;
    return ir_contains(ir, data, OP_SPACE) || ir_contains(ir, data, OP_TIME);
}

static bool suits(const Compilation *c, const ConditionRow *row, Stating how) {
    const bool boundary = row->where == COND_BOUNDARY;
    if (how == STATE_LOSSES || row->where == COND_OBSERVE || row->index ||
        has_kink(c->ir, row->residual) || (how == STATE_EXACT_TIME && boundary) ||
        (how == STATE_EXACT_BOUNDARY && !boundary))
        return false;
    return row->exactly || !boundary || !varies(c, row);
}

/* Where the statement's last word or its weight begins. */
static Span ending(const Compilation *c, const Ast *s) {
    uint32_t from = s->kid[1]->span.hi;
    Str text = source_text(c, (Span){from, s->span.hi});
    const char *word = s->flag ? "exactly" : "weight";
    size_t n = strlen(word);
    for (size_t k = 0; k + n <= text.n && (s->flag || s->kid[2]); k++)
        if (memcmp(text.s + k, word, n) == 0) {
            for (; k > 0 && text.s[k - 1] == ' '; k--)
                ;
            return (Span){from + (uint32_t)k, s->span.hi};
        }
    return (Span){s->span.hi, s->span.hi};
}

uint32_t conditions_state(Compilation *c, Stating how, Edits *edits, Text *reasons) {
    uint32_t exact = 0;
    for (uint32_t k = 0; k < c->program->n; k++) {
        const Ast *s = c->program->kid[k];
        const ConditionRow *row = s->kind == AST_CONDITION ? row_of(c, s) : NULL;
        if (!row)
            continue;
        const bool wanted = how == STATE_AS_WRITTEN ? s->flag : suits(c, row, how);
        Place place = source_place(c, s->span.lo);
        exact += wanted;
        if (wanted == s->flag)
            continue;
        edit_replace(c, edits, ending(c, s), wanted ? " exactly" : "");
        text_printf(reasons,
                    wanted ? "a condition met exactly, as its data are smooth (at %u:%u)\n"
                    : has_kink(c->ir, row->residual)
                        ? "a condition as a loss, as its data have a kink (at %u:%u)\n"
                        : "a condition as a loss (at %u:%u)\n",
                    place.line, place.column);
    }
    return exact;
}
