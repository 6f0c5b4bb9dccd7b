/* candidate.h: one way to solve the problem: a variant of the module with settings of its own, and what training
 * has made of it so far. Only one candidate has a session at a time. */
#ifndef PDE_RUNTIME_CHOOSE_CANDIDATE_H
#define PDE_RUNTIME_CHOOSE_CANDIDATE_H

#include "choose/rules.h"
#include "choose/state.h"

#include <signal.h>

enum { CANDIDATE_NAME_MAX = 96, CANDIDATE_WHY_MAX = 256, TWEAKS_MAX = 6 };

/* A setting in which a candidate departs from the rules. */
typedef struct Tweak {
    Option option;
    const char *value;
} Tweak;

/* How far it came. */
typedef enum Stage { STAGE_FAILED, STAGE_OPEN, STAGE_TRIED, STAGE_TRAINED } Stage;

/* owner of problem, config and state; candidate_open, then candidate_close. */
typedef struct Candidate {
    char name[CANDIDATE_NAME_MAX];
    int tweaks;
    Tweak tweak[TWEAKS_MAX];
    Stage stage;
    char why[CANDIDATE_WHY_MAX]; /* STAGE_FAILED: what went wrong */
    Problem problem;
    Config config; /* of the run, with everything chosen */
    Settings settings;
    State state;
    double step_seconds; /* of its first steps, then of its training */
    int64_t slot, done;  /* iterations of its trial, done of them */
    double measure;      /* m2 (judge.h), in units of the solution; NaN: not measured */
    double error,
        noise; /* estimated rms error of the solution, and what of it may be noise; NaN: none */
    double relative; /* the same over the size of the solution */
} Candidate;

/* Opens the variant `name` of the module with the rules' settings, then the tweaks, and measures a step. What is
 * wrong with it goes to why: others may do. STATUS_OK unless memory is short. */
Status candidate_open(Candidate *candidate, const ModuleFile *module, const Config *config,
                      double seconds, Error *error);
void candidate_close(Candidate *candidate);

/* Trains up to iteration `to` of its slot, by a schedule that ends with the slot, and measures a step. Stops early at an
 * interrupt. */
Status candidate_train(Candidate *candidate, int64_t to, const volatile sig_atomic_t *interrupt,
                       Error *error);
/* The candidate's variant opened once more, in another precision. */
Status candidate_problem(const Candidate *candidate, const ModuleFile *module,
                         PdePrecision precision, Problem *problem, Error *error);
/* A session in which its network is evaluated on whole residuals at `points` points at a time. */
Status candidate_session(const Candidate *candidate, int64_t points, Session *session,
                         Error *error);

#endif
