/* intern.c: each distinct name once, as a small number. Open addressing, FNV-1a. */
#include "base/compilation.h"

#include <string.h>

typedef struct Interner {
    VEC(Str) names; /* by Sym; entry 0 is "no name" */
    Sym *slot;      /* hash table of Syms, 0: free */
    uint32_t slots; /* a power of two */
} Interner;

static uint64_t hash_bytes(const char *s, size_t n) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 1099511628211u;
    return h ^ (h >> 29);
}

static uint32_t slot_of(const Interner *in, const char *s, size_t n) {
    uint32_t at = (uint32_t)hash_bytes(s, n) & (in->slots - 1);
    for (;; at = (at + 1) & (in->slots - 1)) {
        Sym sym = in->slot[at];
        if (sym == 0 || (in->names.at[sym].n == n && memcmp(in->names.at[sym].s, s, n) == 0))
            return at;
    }
}

static void rehash(Compilation *c, Interner *in, uint32_t slots) {
    in->slot = NEW_ARRAY(&c->arena, Sym, slots);
    in->slots = slots;
    for (Sym sym = 1; sym < in->names.n; sym++)
        in->slot[slot_of(in, in->names.at[sym].s, in->names.at[sym].n)] = sym;
}

static Interner *interner(Compilation *c) {
    if (!c->interner) {
        Interner *in = NEW(&c->arena, Interner);
        Str none = {"", 0};
        VEC_PUSH(&c->arena, in->names, none);
        rehash(c, in, 256);
        c->interner = in;
    }
    return c->interner;
}

Sym intern(Compilation *c, const char *s, size_t n) {
    if (n == 0)
        return 0;
    Interner *in = interner(c);
    uint32_t at = slot_of(in, s, n);
    if (in->slot[at])
        return in->slot[at];
    char *copy = arena_alloc(&c->arena, n + 1);
    memcpy(copy, s, n);
    Str name = {copy, n};
    Sym sym = in->names.n;
    VEC_PUSH(&c->arena, in->names, name);
    in->slot[at] = sym;
    if (in->names.n * 2 > in->slots)
        rehash(c, in, in->slots * 2);
    return sym;
}

Sym intern_cstr(Compilation *c, const char *s) {
    return intern(c, s, strlen(s));
}

Str sym_str(const Compilation *c, Sym s) {
    Str none = {"", 0};
    return c->interner && s < c->interner->names.n ? c->interner->names.at[s] : none;
}

bool sym_is(const Compilation *c, Sym s, const char *text) {
    Str name = sym_str(c, s);
    return name.n == strlen(text) && memcmp(name.s, text, name.n) == 0;
}

const char *sym_cstr(const Compilation *c, Sym s) {
    return sym_str(c, s).s;
}
