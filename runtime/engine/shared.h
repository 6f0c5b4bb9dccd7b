/* shared.h: several processes that take the same steps and divide the tasks of a region among them ("ranks").
 *
 * Every rank has all parameters, points and directions, and calls the engine in the same order. Of a region it makes
 * its share of the tasks; then the ranks give each other what these wrote, so that afterwards all have the memory that
 * one process would have. Numbers are copied and never added on the way: bits cannot depend on the number of ranks.
 * Which regions are shared is the engine's business; all others every rank makes for itself.
 *
 * With `coordinates` a rank updates its rows of the first layer only, and the others learn of them when they need them:
 * some by name, all before anything reads all. */
#ifndef PDE_RUNTIME_ENGINE_SHARED_H
#define PDE_RUNTIME_ENGINE_SHARED_H

#include <stddef.h>
#include <stdint.h>

/* An array of which each rank has written a part: in each of its rows, which are `stride` bytes apart, the units
 * first[r] .. first[r + 1] - 1, of `unit` bytes each, are rank r's. */
typedef struct PdePiece {
    void *at;
    int64_t rows;
    size_t stride, unit;
    const int64_t *first; /* [ranks + 1] */
} PdePiece;

typedef struct PdeRanks {
    int rank, ranks;
    int coordinates; /* the first layer is divided, too: who asks for all of it says so (pde_engine_whole) */
    int every; /* this one makes the shares of all: to count what they would exchange (--plan) */
    /* Every rank calls it with the same list, whose own parts are there; after it all parts are. Where that fails, it
     * remembers the reason (engine/ranks/ranks.h), later calls do nothing, and what is in the arrays is worth nothing. */
    void (*gather)(void *self, const PdePiece *piece, int pieces);
    void *self;
} PdeRanks;

/* The first of n tasks that is rank r's; that of `ranks` is n. */
static inline int64_t pde_share(const PdeRanks *ranks, int rank, int64_t n) {
    return n * rank / ranks->ranks;
}

/* What this rank makes of n tasks: *first .. *last - 1. */
static inline void pde_own_share(const PdeRanks *ranks, int64_t n, int64_t *first, int64_t *last) {
    int divided = ranks && !ranks->every;
    *first = divided ? pde_share(ranks, ranks->rank, n) : 0;
    *last = divided ? pde_share(ranks, ranks->rank + 1, n) : n;
}

#endif
