/* state.c: see state.h. */
#include "choose/state.h"

#include "engine/real.h"
#include "step/natural/natural.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void state_free(State *state) {
    for (int i = 0; i < state->slots; i++)
        free(state->slot[i]);
    *state = (State){0};
}

Status state_take(const Session *s, State *state, Error *error) {
    assert(s->network.size > 0);
    size_t size = (size_t)s->network.size * real_size(s->settings.precision);
    state_free(state);
    pde_engine_whole(s->engine);
    for (int i = 0; i <= pde_engine_slots(s->engine); i++) {
        state->slot[i] = malloc(size);
        state->slots = i + 1;
        if (!state->slot[i])
            return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a candidate's network");
        pde_engine_get(s->engine, i, state->slot[i]);
    }
    state->updates = pde_engine_updates(s->engine);
    state->balanced = s->balanced;
    state->caution = natural_of(s) ? natural_caution(natural_of(s)) : 1;
    memcpy(state->output_scale, s->output_scale, sizeof state->output_scale);
    memcpy(state->unknown_limit, s->unknown_limit, sizeof state->unknown_limit);
    memcpy(state->unknown, s->unknown, sizeof state->unknown);
    memcpy(state->unknown_state, s->unknown_state, sizeof state->unknown_state);
    for (int i = 0; i < s->tasks; i++) {
        state->residual_scale[i] = s->task[i].residual_scale;
        state->balance[i] = s->task[i].balance;
    }
    return STATUS_OK;
}

void state_begin(const State *state, Session *s) {
    assert(state->slots > 0 && state->slot[0]);
    pde_engine_set(s->engine, PDE_SLOT_PARAMETERS, state->slot[0]);
    memcpy(s->output_scale, state->output_scale, sizeof s->output_scale);
    memcpy(s->unknown_limit, state->unknown_limit, sizeof s->unknown_limit);
    memcpy(s->unknown, state->unknown, sizeof s->unknown);
    for (int i = 0; i < s->tasks; i++) {
        s->task[i].residual_scale = state->residual_scale[i];
        s->task[i].balance = state->balance[i];
    }
    session_unknowns_changed(s);
}

void state_give(const State *state, Session *s) {
    assert(state->slots == 1 + pde_engine_slots(s->engine));
    state_begin(state, s);
    for (int i = 1; i < state->slots; i++)
        pde_engine_set(s->engine, i, state->slot[i]);
    pde_engine_set_updates(s->engine, state->updates);
    memcpy(s->unknown_state, state->unknown_state, sizeof s->unknown_state);
    s->balanced = state->balanced;
    if (natural_of(s))
        natural_set_caution(natural_of(s), state->caution);
}
