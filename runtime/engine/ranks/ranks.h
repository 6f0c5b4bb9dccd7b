/* ranks.h: the processes of one run: what they give each other, and what becomes of all when one fails.
 *
 * Every rank makes the same calls in the same order (engine/shared.h). A message says what it is and which number it
 * has: ranks that have come apart find out. After the first failure, which names a rank, nothing more is exchanged;
 * ranks_status says it, and whoever asks ends. NULL is a process alone, for all of these. */
#ifndef PDE_RUNTIME_ENGINE_RANKS_RANKS_H
#define PDE_RUNTIME_ENGINE_RANKS_RANKS_H

#include "engine/ranks/launcher.h"
#include "engine/shared.h"
#include "files/buffer.h"

/* owner of everything; ranks_open, then ranks_close. */
typedef struct Ranks Ranks;

/* plugin: path of a transport. seconds: how long a rank is waited for. */
Status ranks_open(const Launcher *launcher, const char *plugin, double seconds, Ranks **ranks,
                  Error *error);
/* So many that there are not: this process makes the shares of all, and what they would exchange is counted. NULL without
 * memory. */
Ranks *ranks_imagined(int ranks);
/* status: how this rank ends. Where the others do not know of a failure yet, they are told. */
void ranks_close(Ranks *ranks, Status status, const Error *error);

/* For an engine, which divides points, or the coordinates of the first layer as well; NULL for a process alone. */
const PdeRanks *ranks_shared(const Ranks *ranks, bool coordinates);
int ranks_number(const Ranks *ranks); /* of this rank, 0 for a process alone */
int ranks_count(const Ranks *ranks);
int ranks_here(const Ranks *ranks); /* those on this machine */
const char *ranks_library(const Ranks *ranks);

/* The failure, if there was one. */
Status ranks_status(const Ranks *ranks, Error *error);
/* Does this rank say how the run ends? Of several that could, the first. */
bool ranks_speaks(const Ranks *ranks, Status status);

/* Rank 0's bytes for all. */
Status ranks_give(Ranks *ranks, void *bytes, size_t size, Error *error);
/* Are these bytes the same on all ranks? `what` they are, for the message, which names a rank that has others. */
Status ranks_same(Ranks *ranks, const char *what, Bytes bytes, Error *error);
/* Bits that any rank has set, in all. */
Status ranks_any(Ranks *ranks, unsigned *bits, Error *error);

typedef struct RanksCount {
    int64_t exchanges,
        sent; /* sent: bytes to each of the others; of imagined ranks the most of one */
    double seconds;
} RanksCount;
RanksCount ranks_counted(const Ranks *ranks);

#endif
