/* optim_rule.h: the numbers that the update rules of optim.def take at one update. C subset, for processor and
 * device; the rules themselves are in optim_rule_body.h.
 */
#ifndef PDE_RUNTIME_ENGINE_OPTIM_RULE_H
#define PDE_RUNTIME_ENGINE_OPTIM_RULE_H

/* t is the number of this update, from 1. */
typedef struct PdeRule {
    double rate, beta1, beta2, beta3, epsilon, decay;
    double step, step2; /* rate / (1 - beta1^t), rate / (1 - beta2^t) */
    double root, root3; /* 1 / sqrt(1 - beta2^t), 1 / sqrt(1 - beta3^t) */
    double later;       /* 0 at the first update, then 1 */
} PdeRule;

#endif
