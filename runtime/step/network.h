/* network.h: the parameters of an MLP as named arrays, and their initial values. */
#ifndef PDE_RUNTIME_STEP_NETWORK_H
#define PDE_RUNTIME_STEP_NETWORK_H

#include "files/array.h"
#include "files/safetensors.h"
#include "options/settings.h"

typedef struct Network {
    int layers;
    int64_t width[PDE_MAX_LAYERS + 1]; /* n_in, h1, ..., n_out */
    PdePrecision precision;
    int64_t size; /* parameters */
} Network;

Network network_of(const Settings *settings, int64_t n_in, int64_t n_out);
/* Initial parameters into to[size] reals, canonical order. */
void network_initialise(const Network *network, const Settings *settings, void *to);

enum { NETWORK_NAME_MAX = 32 };
/* 2 * layers arrays "PREFIXW1", "PREFIXb1", ... that view `data` in canonical order; `names` holds
 * their names. Returns how many. */
int network_arrays(const Network *network, const char *prefix, const void *data,
                   char (*names)[NETWORK_NAME_MAX], Array *array);
/* The other way round: finds the arrays in a file and checks their shapes. */
Status network_read(const Network *network, const char *prefix, const Safetensors *file, void *data,
                    Error *error);

#endif
