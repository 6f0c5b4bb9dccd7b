/* state.h: what training has made of a session, set aside, so that candidates take turns in the memory of one. */
#ifndef PDE_RUNTIME_CHOOSE_STATE_H
#define PDE_RUNTIME_CHOOSE_STATE_H

#include "step/session.h"

/* owner of slot; {0} is empty; release with state_free. */
typedef struct State {
    void *slot[1 + PDE_STATES_MAX]; /* parameters, then the optimiser's */
    int slots;
    int64_t updates, balanced;
    double caution;
    double output_scale[PLAN_FIELDS_MAX];
    double residual_scale[PLAN_TASKS_MAX], balance[PLAN_TASKS_MAX];
    double unknown_limit[PLAN_UNKNOWNS_MAX][3];
    double unknown[PLAN_UNKNOWNS_MAX], unknown_state[2][PLAN_UNKNOWNS_MAX];
} State;

Status state_take(const Session *session, State *state, Error *error);
/* Everything, as if training had not paused. The session has the settings of the one it was taken from. */
void state_give(const State *state, Session *session);
/* Parameters, unknowns and scales alone: a new training begins from there. */
void state_begin(const State *state, Session *session);
void state_free(State *state);

#endif
