/* network.h: the parameters of an MLP as named arrays, and their initial values. */
#ifndef PDE_RUNTIME_STEP_NETWORK_H
#define PDE_RUNTIME_STEP_NETWORK_H

#include "files/array.h"
#include "files/safetensors.h"
#include "load/problem_open.h"
#include "options/settings.h"

typedef struct Network {
    int layers;
    int64_t width[PDE_MAX_LAYERS + 1]; /* n_in, h1, ..., n_out */
    PdePrecision precision;
    int64_t size; /* parameters */
    int64_t live; /* of them those that may be other than zero */
} Network;

Network network_of(const Settings *settings, const Problem *problem);
/* Fields of fewer variables (plan.sets > 0): hidden units are divided among the sets of variables, an input leads only
 * to the units of sets that have it, and units lead only to their own set. So live[size], in canonical order: 1, or 0
 * where a parameter is zero. */
void network_confine(const Network *network, const Plan *plan, uint8_t *live);
/* Weights as large as if each part had been initialised by itself. */
void network_scale_parts(const Network *network, const Settings *settings, const uint8_t *live,
                         void *to);
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
