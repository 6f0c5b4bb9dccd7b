/* cgen.h: C text for IR expressions: loops over indices, lanes of points, common subexpressions.
 *
 * A Gen writes one function body. In lanes mode values that vary over points are computed for a
 * group of PDE_LANES points at once, in `PDE_EACH_LANE` loops; in point mode for one point, lane
 * `lane`. Sums over the same range run in one loop. */
#ifndef PDE_COMPILER_KERNEL_CGEN_H
#define PDE_COMPILER_KERNEL_CGEN_H

#include "ir/problem.h"

typedef struct Gen Gen;
typedef struct GenScope GenScope;

/* What an atom that the generator does not know stands for (jets, placeholders, scalars): its C
 * expression, or NULL. Called before anything else is tried. */
typedef const char *GenAtom(void *context, Gen *g, Ref e);

struct Gen {
    Compilation *c;
    Text *out;
    bool lanes;
    uint32_t temporaries;
    int depth;                 /* of indentation */
    const char *lane_prologue; /* a line at the start of each lane loop, or NULL */
    GenAtom *atom;
    void *atom_context;
    bool probing; /* atom is only asked whether it knows e: nothing may be recorded */
    GenScope *scope;
    Memo index_name;     /* INDEX -> Sym: its C variable */
    Memo merged;         /* of merge_sums */
    Memo wanted;         /* nodes of the roots that are being written */
    struct Watch *watch; /* values are watched: simple code, no merging; NULL: not */
    uint32_t watch_base; /* row of temporary 0 */
    Ref square;          /* |x|^2, computed in double (cgen_wide.c); 0: as any other sum */
    Span near;           /* the innermost place in the user's text around what is being written */
};

/* An empty function body: what every Gen starts from. */
Gen gen_new(Compilation *c, Text *out, bool lanes);

void gen_line(Gen *g, const char *format, ...) PDE_PRINTF(2, 3);
void gen_open(Gen *g, const char *format, ...) PDE_PRINTF(2, 3); /* a line that opens a block */
void gen_close(Gen *g);
/* A comment: printable ASCII; dots for everything else, backslashes and question marks; cut at 90 characters. */
void gen_comment(Gen *g, const char *text);
/* The lines of the user's file that a statement stands on. */
void gen_quote(Gen *g, Span span);

/* The INDEX is this C variable (an int64_t counting from 1) from here on. */
void gen_name_index(Gen *g, Ref index, const char *name);
/* An integer C expression of an index expression. */
const char *gen_integer(Gen *g, Ref e);

/* Writes statements that compute the roots and then one line for each:
 * sprintf(line[k], value of root k). In lanes mode the lines stand inside a lane loop with index l. */
void gen_values(Gen *g, uint32_t n, const Ref *root, const char *const *line);

/* A loop over the index that computes the roots for each value of it. */
void gen_map(Gen *g, Ref index, const char *name, Ref lo, Ref hi, uint32_t n, const Ref *root,
             const char *const *line);

/* The same where the lines add to `total`, an array over lanes. */
void gen_map_total(Gen *g, Ref index, const char *name, Ref lo, Ref hi, uint32_t n, const Ref *root,
                   const char *const *line, const char *total);

/* A loop that adds to numbers by leaf and tree (contract/leaf.h): its numbers first..last, from 0, of n are called
 * NAME after `from` was added to them; own: by each thread alone. gen_adds says what it adds to, before; `how` is
 * sum or prod. What comes out needs PDE_JOIN as after gen_for. */
typedef struct LeafSum {
    const char *name, *how;
    bool lanes; /* an array over them */
} LeafSum;
typedef struct LeafLoop {
    const char *tag;
    VEC(LeafSum) sum;
} LeafLoop;
typedef struct LeafRange {
    const char *first, *last, *n, *from;
    bool own;
} LeafRange;
void gen_adds(Gen *g, LeafLoop *loop, const char *name, const char *how, bool lanes);
void gen_leaves(Gen *g, LeafLoop *loop, const LeafRange *range, const char *name);
void gen_leaves_end(Gen *g, const LeafLoop *loop);

/* A loop NAME = lo..hi with the index named; gen_close ends it. The threads of a device share outermost
 * loops: in the scope of such a loop gen_is_shared, and what comes out of it needs PDE_JOIN. */
void gen_for(Gen *g, Ref index, const char *name, Ref lo, Ref hi);
bool gen_is_shared(const Gen *g);
/* The scope just pushed is that of a loop which threads share. */
void gen_share(Gen *g);

/* Starts a block of C whose variables end with it. */
void gen_push(Gen *g);
void gen_pop(Gen *g);
const char *gen_text(Gen *g, const char *format, ...) PDE_PRINTF(2, 3);

/* Does e vary from point to point? */
bool gen_varies(const Ir *ir, Ref e);

#endif
