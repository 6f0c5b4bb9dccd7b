/* state_image.c: pages that are given back to the system between uses keep their addresses. */
#define _DEFAULT_SOURCE
#include "train/state_image.h"

#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>

const char *state_prefix(int slot, char out[STATE_PREFIX_MAX]) {
    assert(slot >= 0 && slot <= PDE_STATES_MAX);
    static const char *const first[] = {"", "m.", "v."};
    if (slot < (int)(sizeof first / sizeof *first))
        snprintf(out, STATE_PREFIX_MAX, "%s", first[slot]);
    else
        snprintf(out, STATE_PREFIX_MAX, "state%d.", slot);
    return out;
}

Status images_open(Images *m, const PdeEngine *engine, size_t size, Error *error) {
    assert(size > 0 && pde_engine_slots(engine) <= PDE_STATES_MAX);
    *m = (Images){.engine = engine, .size = size, .present = -1};
    for (int i = 0; i <= pde_engine_slots(engine); i++) {
        void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) {
            images_close(m);
            return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for checkpoints");
        }
        m->at[i] = at;
    }
    return STATUS_OK;
}

void images_close(Images *m) {
    for (int i = 0; i <= PDE_STATES_MAX; i++)
        if (m->at[i])
            munmap(m->at[i], m->size);
    *m = (Images){0};
}

void images_forget(Images *m) {
    if (m->present >= 0)
        (void)madvise(m->at[m->present], m->size, MADV_DONTNEED);
    m->present = -1;
}

void *images_room(Images *m, int slot) {
    assert(slot >= 0 && slot <= PDE_STATES_MAX && m->at[slot]);
    if (m->present != slot)
        images_forget(m);
    m->present = slot;
    return m->at[slot];
}

void *images_get(Images *m, int slot) {
    void *to = images_room(m, slot);
    pde_engine_get(m->engine, slot, to);
    return to;
}

static void ready(void *context, const void *data) {
    Images *m = context;
    for (int i = 0; i <= PDE_STATES_MAX; i++) {
        const char *first = m->at[i], *byte = data;
        if (first && byte >= first && byte < first + m->size && m->present != i)
            images_get(m, i);
    }
}

Supply images_supply(Images *m) {
    return (Supply){ready, m};
}
