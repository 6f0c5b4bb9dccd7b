/* state_image.h: the engine's parameters and optimiser state in canonical order, as files have them. Each has addresses
 * of its own, but only one is in memory at a time: at a million dimensions each takes half a gigabyte. */
#ifndef PDE_RUNTIME_TRAIN_STATE_IMAGE_H
#define PDE_RUNTIME_TRAIN_STATE_IMAGE_H

#include "engine/engine.h"
#include "files/buffer.h"

/* owner of the addresses; {0} is empty. */
typedef struct Images {
    const PdeEngine *engine;
    void *at[1 + PDE_STATES_MAX]; /* by slot; NULL: none */
    size_t size;                  /* bytes of each */
    int present;                  /* the slot that is in memory; -1: none */
} Images;

enum { STATE_PREFIX_MAX = 20 };

/* What a slot's arrays are called by in a checkpoint: nothing, "m.", "v.", "state3." ...; out is returned. */
const char *state_prefix(int slot, char out[STATE_PREFIX_MAX]);

/* One for the parameters and each slot of the optimiser. */
Status images_open(Images *images, const PdeEngine *engine, size_t size, Error *error);
void images_close(Images *images);
/* Room for one slot, for the caller to fill; what another held is gone. */
void *images_room(Images *images, int slot);
/* The slot as the engine has it now. */
void *images_get(Images *images, int slot);
/* Fetches whatever image a part lies in. The parameters may have changed since: call images_forget first. */
Supply images_supply(Images *images);
void images_forget(Images *images);

#endif
