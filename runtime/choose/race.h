/* race.h: candidates train a part of the budget each, and the best goes on.
 *
 * Every variant trains a quarter of its slot with the rules' settings, then so do departures from the rules with the
 * best of them by m2. Two thirds are discarded by m2; the rest finish their slots; the
 * winner has the least estimated error where there are estimates, else the least m2 (judge.h), which also decides
 * between errors that are less than a standard error apart. With budget T and n
 * candidates a slot is T / (2 n), so that the race takes a quarter of T. All lengths are numbers of iterations,
 * rounded to powers of the root of 2: with the same numbers the race is the same to the bit. */
#ifndef PDE_RUNTIME_CHOOSE_RACE_H
#define PDE_RUNTIME_CHOOSE_RACE_H

#include "choose/candidate.h"
#include "choose/effort.h"

enum { CANDIDATES_MAX = 12 };

/* owner of the candidates; race_run, then race_close. */
typedef struct Race {
    Budget budget;
    char variant[PDE_VARIANTS_MAX][PLAN_NAME_MAX]; /* names of those that the module carries */
    int variants,
        count;  /* candidates that there could be with the rules' settings; that there are */
    bool cut;   /* there was no time to open all variants */
    int stated; /* numbers of --race; 0: not stated */
    int64_t stated_slot[CANDIDATES_MAX];
    Candidate candidate[CANDIDATES_MAX];
    int winner;         /* -1: no candidate could be trained */
    bool estimated;     /* the winner was chosen by its estimated error */
    bool raced;         /* there was more than one */
    int64_t iterations; /* of the training that follows */
    double seconds;     /* that the race took */
} Race;

typedef struct RaceHooks {
    void *context;
    void (*say)(void *context, const char *line); /* what happens, a line at a time */
    const volatile sig_atomic_t *interrupt;
} RaceHooks;

/* Chooses for a module whose plan is given. An interrupt ends it with the best so far. */
Status race_run(const ModuleFile *module, const Plan *plan, const Config *config,
                const RaceHooks *hooks, Race *race, Error *error);
void race_close(Race *race);

#endif
