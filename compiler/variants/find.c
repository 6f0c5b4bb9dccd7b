/* find.c: the list of what was found. */
#include "variants/find.h"

#include "base/compilation.h"
#include "text/symbols.h"

void find_add(Compilation *c, Finds *finds, FindKind kind, const char *text, const char *reason,
              Span where) {
    VEC_PUSH(&c->arena, finds->at, ((Find){kind, text, reason, where}));
}

const char *find_because(Compilation *c, const Find *find) {
    Text t = {.arena = &c->arena};
    Place place = source_place(c, find->where.lo);
    text_printf(&t, "%s: %s (at %u:%u)", find->text, find->reason, place.line, place.column);
    return text_cstr(&t);
}

const char *find_index_name(Compilation *c) {
    static const char *const names[] = {"i", "j", "k", "l", "m", "n", "p", "q", "ii", "jj", "kk"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!symbol_find(c, intern_cstr(c, names[k])))
            return names[k];
    return "index";
}
