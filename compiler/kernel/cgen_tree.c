/* cgen_tree.c: loops that add up, by leaf and tree (runtime/contract/leaf.h).
 *
 * Two loops stand inside each other: over the leaves, and over the numbers of one. What the inner one has added
 * up goes into the tree. The names of share.h hide who does which leaf. */
#include "kernel/cgen_internal.h"

#include "base/compilation.h"

void gen_adds(Gen *g, LeafLoop *loop, const char *name, const char *how, bool lanes) {
    VEC_PUSH(&g->c->arena, loop->sum, ((LeafSum){name, how, lanes}));
}

static void each_sum(Gen *g, const LeafLoop *loop, const char *macro) {
    for (uint32_t k = 0; k < loop->sum.n; k++) {
        const LeafSum *s = &loop->sum.at[k];
        gen_line(g, "%s%s(%s, %s, %s)", macro, s->lanes ? "_LANES" : "", loop->tag, s->how,
                 s->name);
    }
}

void gen_leaves(Gen *g, LeafLoop *loop, const LeafRange *r, const char *name) {
    loop->tag = gen_text(g, "%u", g->temporaries++);
    gen_line(g, "PDE_%sTREE(%s, %s, %s, %s)", r->own ? "OWN_" : "", loop->tag, r->first, r->last,
             r->n);
    each_sum(g, loop, "PDE_TOTAL");
    gen_open(g, "PDE_LEAVES(%s) {", loop->tag);
    gen_open(g, "PDE_LEAF(%s, %s, %s) {", loop->tag, name, r->from);
}

void gen_leaves_end(Gen *g, const LeafLoop *loop) {
    gen_close(g);
    each_sum(g, loop, "PDE_NODE");
    gen_close(g);
    each_sum(g, loop, "PDE_ROOT");
}
