/* check_laws.c: what is random and what is read: `random`, `data`, `sample` and `test`. */
#include "check/check.h"

#include <math.h>
#include <string.h>

static void check_law(Checker *k, const Ast *law, bool point) {
    static const struct {
        const char *name;
        int entry, point;
        const char *arguments;
    } rows[] = {
#define LAW(name, entry, point, arguments, what) {#name, entry, point, arguments},
#include "runtime/contract/law.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!sym_is(k->c, law->name, rows[i].name))
            continue;
        int given = (int)law->n, wanted = point ? rows[i].point : rows[i].entry;
        if (given == wanted || (point && given == rows[i].entry))
            return;
        if (wanted < 0) {
            diag(k->c, E0427, law->span, rows[i].name);
            return;
        }
        Diag *d = diag(k->c, E0415, law->span, (int)strlen(rows[i].name), rows[i].name,
                       (uint32_t)wanted, law->n);
        diag_note(k->c, d, "write %s(%s)", rows[i].name, rows[i].arguments);
        return;
    }
}

void check_random(Checker *k, const Ast *s) {
    Compilation *c = k->c;
    const Ast *target = s->kid[0], *range = s->kid[2];
    Symbol *symbol =
        check_symbol(c, target->kind == AST_SUBSCRIPT ? target->kid[0]->name : target->name);
    Shape shape = shape_of_target(k, target, s->kid[1], true, NULL);
    check_law(k, s->kid[1], false);
    if (range) {
        Extent lo, hi;
        bool ok = extent_of_expression(c, range->kid[0], &lo) &&
                  extent_of_expression(c, range->kid[1], &hi) && lo.coef == 0 && lo.constant == 1;
        if (!ok || shape.rank != 1 || target->kid[1]->name != range->name)
            diag(c, E0409, range->span);
        else
            shape.extent[0] = hi;
    }
    for (uint32_t a = 0; a < shape.rank; a++)
        if (extent_is_mixed(c, shape.extent[a])) {
            Diag *d = diag(c, E0440, target->span, "a random array",
                           "how long it is does not follow from what it is multiplied by");
            diag_note(c, d, "write the range: for %s = 1..d", sym_cstr(c, target->kid[1]->name));
            break;
        }
    double seed;
    if (s->kid[3] && (!constant_value(c, s->kid[3], &seed) || seed != floor(seed) || seed < 0))
        diag(c, E0422, s->kid[3]->span, 4, "seed", "a whole number");
    const bool has_law =
        sym_is(c, s->kid[1]->name, "normal") || sym_is(c, s->kid[1]->name, "uniform");
    if (s->kid[4] && (!sym_is(c, s->kid[4]->name, "mt19937") || !has_law))
        diag(c, E0422, s->kid[4]->span, 9, "generator", "mt19937, of a normal or uniform law");
    else if (s->kid[4] && s->kid[3] && constant_value(c, s->kid[3], &seed) && seed > 4294967295.0)
        diag(c, E0422, s->kid[3]->span, 4, "seed", "below 2^32 for mt19937");
    symbol->rank = shape.rank;
    symbol->extent[0] = shape.extent[0];
    symbol->extent[1] = shape.extent[1];
}

static const Symbol *last_space(const Compilation *c) {
    const Symbol *last = NULL;
    for (uint32_t i = 0; i < c->symbols->list.n; i++)
        if (c->symbols->list.at[i].kind == SYMBOL_SPACE)
            last = &c->symbols->list.at[i];
    return last;
}

/* for k = 1..m: how long the axis is whose index that is. */
static void data_range(Checker *k, const Ast *s, const Ast *range, Symbol *symbol) {
    const Ast *target = s->kid[0];
    Extent lo, hi;
    bool ok = extent_of_expression(k->c, range->kid[0], &lo) &&
              extent_of_expression(k->c, range->kid[1], &hi) && lo.coef == 0 && lo.constant == 1;
    bool found = false;
    for (uint32_t axis = 1; ok && target->kind == AST_SUBSCRIPT && axis < target->n && axis < 3;
         axis++)
        if (target->kid[axis]->kind == AST_NAME && target->kid[axis]->name == range->name) {
            symbol->extent[axis - 1] = hi;
            found = true;
        }
    if (!found || (symbol->rank > 1 && s->n == 3))
        diag_note(k->c, diag(k->c, E0409, range->span),
                  "each subscript has a range that begins at 1: data X_ki from \"x.npy\" for k = "
                  "1..m, i = 1..2");
}

void check_data(Checker *k, const Ast *s) {
    Compilation *c = k->c;
    const Ast *target = s->kid[0];
    Symbol *symbol =
        check_symbol(c, target->kind == AST_SUBSCRIPT ? target->kid[0]->name : target->name);
    if (symbol->rank > 2)
        diag(c, E0403, target->span, (int)sym_str(c, symbol->name).n, sym_cstr(c, symbol->name),
             "at most two subscripts", symbol->rank);
    symbol->extent[0] = symbol->extent[1] = space_extent(c);
    for (uint32_t a = 2; a < s->n; a++)
        data_range(k, s, s->kid[a], symbol);
    if (s->n == 2 && symbol->rank > 0 && symbol_of_kind(c, SYMBOL_SPACE) != last_space(c))
        diag(
            c, E0440, target->span, "a data array",
            "it would have an entry for each coordinate of one of them, and nothing says of which");
    Str file = sym_str(c, s->kid[1]->name);
    if (file.n < 5 || memcmp(file.s + file.n - 4, ".npy", 4) != 0)
        diag(c, E0428, s->kid[1]->span);
}

static Sym sampled_name(const Ast *s) {
    const Ast *target = s->kid[0];
    return target->kind == AST_SUBSCRIPT ? target->kid[0]->name : target->name;
}

static void check_sampled_once(Checker *k, const Ast *s) {
    for (uint32_t i = 0; k->c->program->kid[i] != s; i++) {
        const Ast *other = k->c->program->kid[i];
        if (other->kind != AST_SAMPLE || other->flag != s->flag ||
            sampled_name(other) != sampled_name(s))
            continue;
        Str name = sym_str(k->c, sampled_name(s));
        Diag *d = diag(k->c, E0508, s->kid[0]->span, s->flag ? "test law" : "sampling law",
                       (int)name.n, name.s);
        diag_also(k->c, d, other->kid[0]->span, "the first one");
        return;
    }
}

void check_sample(Checker *k, const Ast *s) {
    Compilation *c = k->c;
    const Ast *target = s->kid[0];
    const Ast *name = target->kind == AST_SUBSCRIPT ? target->kid[0] : target;
    const Symbol *symbol = symbol_find(c, name->name);
    check_sampled_once(k, s);
    bool whole = target->kind != AST_SUBSCRIPT && symbol->rank == 1;
    if (target->kind == AST_SUBSCRIPT && symbol->kind == SYMBOL_AUX && symbol->def == s) {
        Shape shape = shape_of_target(k, target, s->kid[1], true, NULL);
        check_symbol(c, name->name)->extent[0] = shape.extent[0];
    } else {
        if (symbol->rank != (target->kind == AST_SUBSCRIPT ? target->n - 1 : symbol->rank))
            diag(c, E0403, target->span, (int)sym_str(c, name->name).n, sym_cstr(c, name->name),
                 symbol->rank ? "one subscript" : "no subscript", target->n - 1);
        else
            shape_of_target(k, target, s->kid[1], true, NULL);
    }
    check_law(k, s->kid[1], whole);
    const Ast *field = kinds_find(k, s->kid[1], BIT(SYMBOL_FIELD) | BIT(SYMBOL_SOURCE));
    if (field) {
        Str text = sym_str(c, field->name);
        diag(c, E0417, field->span, (int)text.n, text.s,
             symbol_kind_text(symbol_find(c, field->name)->kind));
    }
}
