/* auto_sizes.h: --points auto and --terms auto: the least squared error of the gradient in the time
 * that a step of the usual size takes (100 points, 100 terms, or what is given), both measured. So
 * a run takes no longer than it would have. What was chosen replaces `auto` in the configuration:
 * checkpoints hold it, and a resumed run does not choose again. */
#ifndef PDE_RUNTIME_MEASURE_AUTO_SIZES_H
#define PDE_RUNTIME_MEASURE_AUTO_SIZES_H

#include "measure/gradient_variance.h"

/* Seconds of a step: fixed + points |B| + terms |I| + both |B||I| + square |B|^2 (natural only). */
typedef struct StepTime {
    double fixed, points, terms, both, square;
} StepTime;

typedef struct Choice {
    bool made;
    int64_t points, terms;
    Spread spread;
    StepTime time;
    double budget; /* seconds of a step */
} Choice;

double choice_seconds(const StepTime *time, int64_t points, int64_t terms);
/* The cheapest step whose error is within 10 % of the least that the budget allows. points, terms:
 * 0 is free, anything else is kept. */
Choice choice_best(const Spread *spread, const StepTime *time, int64_t points, int64_t terms);
/* Decides what is `auto`, in config and in settings; choice->made tells whether anything was. */
Status choice_make(const Problem *problem, Config *config, Settings *settings, Choice *choice,
                   Error *error);
/* The figures, as lines of the header. */
void choice_print(const Choice *choice, const Settings *settings);

#endif
