/* build.h: the plugin for the MPI of this user: where it is, and how it is made. */
#ifndef PDE_RUNTIME_ENGINE_RANKS_BUILD_H
#define PDE_RUNTIME_ENGINE_RANKS_BUILD_H

#include "files/buffer.h"

enum { RANKS_PATH_MAX = 4200 };

/* The transport to open, into out[RANKS_PATH_MAX]: $PDE_TRANSPORT, or what ranks_build has made. False: neither is
 * there. */
bool ranks_plugin(char *out);

/* Compiles mpi_plugin.c with $MPICC, or mpicc, into the user's cache. */
Status ranks_build(char *out, Error *error);

/* Texts that the build embeds: transport.h and mpi_plugin.c. */
typedef struct RanksText {
    const char *name, *text;
    size_t size;
} RanksText;
extern const RanksText ranks_text[];
extern const size_t ranks_text_count;

#endif
