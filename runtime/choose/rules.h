/* rules.h: settings from what the plan says, before anything is trained. Each rule is a function of the facts
 * alone, so that equal problems get equal settings on every machine. */
#ifndef PDE_RUNTIME_CHOOSE_RULES_H
#define PDE_RUNTIME_CHOOSE_RULES_H

#include "load/problem_open.h"

typedef struct Facts {
    int64_t d, inputs; /* of the problem, of the network */
    int64_t terms;     /* most terms of one sum; 0: no sums */
    int order;         /* highest derivative */
    bool time, features;
    bool exact;    /* every sum has a closed form */
    bool samples;  /* every sum may be sampled */
    int residuals; /* of all tasks */
    int outputs;
    double seconds; /* that the run may take */
} Facts;

Facts facts_of(const Problem *problem, double seconds);

/* How the sums are had: exact where every sum has a closed form, full where they are short, else sampled. */
typedef enum Sums { SUMS_EXACT, SUMS_FULL, SUMS_SAMPLED } Sums;

Sums rule_sums(const Facts *facts);
/* The natural gradient needs whole residuals, or it is biased; with sampled ones Adam. */
bool rule_natural(const Facts *facts);
PdePrecision rule_precision(const Facts *facts);
int64_t rule_width(const Facts *facts);
int64_t rule_points(const Facts *facts);
/* Is there time to measure how many sampled points and terms are best? */
bool rule_pilot(const Facts *facts);
PdeActivation rule_activation(const Facts *facts);

#endif
