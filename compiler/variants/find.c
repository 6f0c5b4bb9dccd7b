/* find.c: the list of what was found, and what several rules ask. */
#include "variants/find.h"

#include <string.h>

#include "base/compilation.h"
#include "text/symbols.h"

void find_add(Compilation *c, Finds *finds, FindKind kind, const char *text, const char *reason,
              Span where) {
    VEC_PUSH(&c->arena, finds->at, ((Find){kind, text, reason, where}));
}

const char *find_because(Compilation *c, const Find *find) {
    Text t = {.arena = &c->arena};
    Place place = source_place(c, find->where.lo);
    for (const char *s = find->text; *s; s++) /* one line, whatever the number of statements */
        text_bytes(&t, *s == '\n' ? "; " : s, *s == '\n' ? 2 : 1);
    text_printf(&t, ": %s (at %u:%u)", find->reason, place.line, place.column);
    return text_cstr(&t);
}

const char *find_free_name(Compilation *c, const char *wanted) {
    static const char *const other[] = {"j", "k", "l", "m", "n", "p", "q"};
    if (!symbol_find(c, intern_cstr(c, wanted)))
        return wanted;
    for (size_t k = 0; strcmp(wanted, "i") == 0 && k < sizeof other / sizeof *other; k++)
        if (!symbol_find(c, intern_cstr(c, other[k])))
            return other[k];
    for (uint32_t k = 1;; k++) {
        Text t = {.arena = &c->arena};
        text_printf(&t, "%s%s%u", wanted, wanted, k);
        if (!symbol_find(c, intern_cstr(c, text_cstr(&t))))
            return text_cstr(&t);
    }
}

bool has_kink(const Ir *ir, Ref e) {
    if (ir_is(ir, e, OP_FUNC)) {
        uint64_t f = ir_id(ir, e);
        if (f == FUNC_abs || f == FUNC_sign || f == FUNC_step || f == FUNC_max || f == FUNC_min)
            return true;
    }
    if (ir_is(ir, e, OP_MAX) || ir_is(ir, e, OP_MIN) || ir_is(ir, e, OP_ARGMAX) ||
        ir_is(ir, e, OP_ARGMIN))
        return true;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        if (has_kink(ir, ir_kid(ir, e, k)))
            return true;
    return false;
}

Ref without_coordinate(Compilation *c, Ref e, Ref index, int power) {
    Ir *ir = c->ir;
    Ref x = ir_indexed(ir, OP_SPACE, 0, 1, &index);
    Ref unit = ir_powi(ir, x, power), left = ir_const(ir, 0);
    const bool sum = ir_is(ir, e, OP_ADD);
    for (uint32_t k = 0; k < (sum ? ir_arity(ir, e) : 1); k++)
        left = ir_add2(ir, left, ir_div(ir, sum ? ir_kid(ir, e, k) : e, unit));
    left = ir_expand(ir, left);
    bool plain = !ir_contains(ir, left, OP_SPACE) && !ir_contains(ir, left, OP_TIME) &&
                 !ir_contains(ir, left, OP_AUX) && !ir_has_net(ir, left);
    return plain ? left : 0;
}
