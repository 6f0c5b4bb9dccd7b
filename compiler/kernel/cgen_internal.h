/* cgen_internal.h: what the files cgen*.c share with each other only. */
#ifndef PDE_COMPILER_KERNEL_CGEN_INTERNAL_H
#define PDE_COMPILER_KERNEL_CGEN_INTERNAL_H

#include "kernel/cgen.h"

/* Names of values known in a scope. Lane temporaries die with their block; the others live on in
 * the scopes inside. */
struct GenScope {
    GenScope *outer;
    Memo uniform; /* node -> number of u<k> */
    Memo lane;    /* node -> number of t<k>, inside the current lane block */
    Memo array;   /* node -> number of a<k>: one value per lane, or one in point mode */
    VEC(Ref) index;
    bool shared; /* threads of a device share the loop that this is the body of */
    Text *uniform_text, *lane_text;
};

/* cgen.c */
bool gen_find_array(const GenScope *s, Ref e, Ref *number);
/* The C expression for e: an atom as it is, anything else a temporary that is computed once. */
const char *gen_value(Gen *g, Ref e);
/* The form to compute. Point mode keeps the nodes as they are: there they may be data known by name. */
Ref gen_cheapest(Gen *g, Ref e);

/* The array variable a<number> that holds e has its value: watched, if anything is. */
void gen_watch_array(Gen *g, Ref e, uint32_t number, bool varies);

/* cgen_operation.c: the text of one node: of an atom, and of anything else */
const char *gen_atom(Gen *g, Ref e);
const char *gen_operation(Gen *g, Ref e);

/* cgen_wide.c */
/* |x|^2 where the domain is a ball or an annulus, else 0. */
Ref gen_round_square(Compilation *c);
/* Writes |x|^2 of each lane in double, if e is it and this is the place. */
bool gen_take_square(Gen *g, Ref e);
/* An expression in double of numbers and that |x|^2 (then *found), or NULL: e has something else. */
const char *gen_wide(Gen *g, Ref e, bool *found);

/* cgen_loops.c */
/* The reductions that the roots need and that can run in the current scope. */
void gen_reductions(Gen *g, uint32_t n, const Ref *root);
/* gen_leaves over lo..hi with the index named; pieces: those of PDE_RANGE. */
void gen_leaves_of(Gen *g, LeafLoop *loop, bool pieces, Ref index, const char *name, Ref lo,
                   Ref hi);
/* Costly parts of an opened body that its loop does not change, computed before it. */
void gen_invariants(Gen *g, uint32_t n, const Ref *body);

#endif
