/* judge.h: how good a candidate is, without the exact solution. m2 discards, the estimated error chooses.
 *
 * m2 = theta * rms residual + rms of what is left of the conditions, both in units of the solution: the residual on
 * points that are the same for all candidates, drawn by the laws of all of them in turn and by the law of the
 * answer; without the largest hundredth, since few points rule an rms. */
#ifndef PDE_RUNTIME_CHOOSE_JUDGE_H
#define PDE_RUNTIME_CHOOSE_JUDGE_H

#include "choose/candidate.h"

/* owner of x; judge_open, then judge_close. */
typedef struct Judge {
    int64_t points, n_in;
    double *x;                    /* [points][n_in] */
    double theta[PLAN_TASKS_MAX]; /* from a task's residual to units of the solution */
    int tasks;
    double seconds; /* of the whole run: what an estimate may cost follows from it */
} Judge;

/* The candidates that were opened say where points lie; the first of them gives theta. */
Status judge_open(Judge *judge, const Candidate *candidate, int count, double seconds,
                  Error *error);
void judge_close(Judge *judge);

/* Sets measure. A candidate that cannot be measured fails, and why is said. */
Status judge_measure(const Judge *judge, Candidate *candidate, Error *error);
/* Sets error, noise and relative; they stay NaN where the equation or the time allows no estimate. */
Status judge_estimate(const Judge *judge, const ModuleFile *module, Candidate *candidate,
                      const volatile sig_atomic_t *interrupt, Error *error);
/* The better of two that were measured alike. */
bool judge_prefers(const Candidate *a, const Candidate *b, bool estimated);
/* How many of index[count], best first, finish their slots: a third, two at least. If these are one variant with other
 * settings, the best of another variant comes to stand behind them: the measure is not sure between variants. */
int judge_finalists(const Candidate *candidate, int *index, int count);
/* Do the estimated errors of two not tell them apart: by less than their standard error? */
bool judge_ties(const Candidate *a, const Candidate *b);
/* Of candidates with estimates, index[0] with the least: the one with the least measure of those that tie with it. */
int judge_best(const Candidate *candidate, const int *index, int count);

/* The root of the mean of values that may be of either sign, without the largest hundredth of them. Reorders. */
double judge_trimmed_root(double *value, int64_t count);

#endif
