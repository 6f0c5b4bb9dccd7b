/* optim_rule_body.h: the update rules of optim.def: a parameter w, its state s and its gradient g.
 * Compiled for the processor (several parameters in a vector, unknown numbers in double) and for the
 * device. Included once for each type of number, with
 *   RULE_NUMBER, RULE_FACTOR   the type of w, s and g, and of what they are multiplied with
 *   RULE(name)        names of this type's functions
 *   RULE_INLINE
 *   RULE_ROOT(v, root, epsilon)   1 / (root sqrt(v) + epsilon)
 */

typedef struct RULE(Rule) {
    RULE_FACTOR rate, beta1, beta2, beta3, epsilon, decay, step, step2, root, root3, later;
} RULE(Rule);

RULE_INLINE RULE(Rule) RULE(rule)(const PdeRule *r) {
    RULE(Rule) k;
    k.rate = (RULE_FACTOR)r->rate;
    k.beta1 = (RULE_FACTOR)r->beta1;
    k.beta2 = (RULE_FACTOR)r->beta2;
    k.beta3 = (RULE_FACTOR)r->beta3;
    k.epsilon = (RULE_FACTOR)r->epsilon;
    k.decay = (RULE_FACTOR)r->decay;
    k.step = (RULE_FACTOR)r->step;
    k.step2 = (RULE_FACTOR)r->step2;
    k.root = (RULE_FACTOR)r->root;
    k.root3 = (RULE_FACTOR)r->root3;
    k.later = (RULE_FACTOR)r->later;
    return k;
}

/* The new w. */
#define UPDATE_RULE(name)                                                                          \
    RULE_INLINE RULE_NUMBER RULE(name)(const RULE(Rule) * k, RULE_NUMBER w, RULE_NUMBER * s,       \
                                       RULE_NUMBER g)

UPDATE_RULE(adam) {
    RULE_NUMBER x = g + w * k->decay;
    s[0] = x + k->beta1 * (s[0] - x);
    s[1] = x * x + k->beta2 * (s[1] - x * x);
    return w - k->step * s[0] * RULE_ROOT(s[1], k->root, k->epsilon);
}

UPDATE_RULE(adamw) {
    s[0] = g + k->beta1 * (s[0] - g);
    s[1] = g * g + k->beta2 * (s[1] - g * g);
    return w * (1 - k->rate * k->decay) - k->step * s[0] * RULE_ROOT(s[1], k->root, k->epsilon);
}

UPDATE_RULE(sgd) {
    s[0] = s[0] * k->beta1 + g + w * k->decay;
    return w - s[0] * k->rate;
}

/* Pagliardini and others 2024, algorithm 1 without its warm-up: m1, v, m2. */
#define ADEMAMIX_ALPHA 5
UPDATE_RULE(ademamix) {
    s[0] = g + k->beta1 * (s[0] - g);
    s[1] = g * g + k->beta2 * (s[1] - g * g);
    s[2] = g + k->beta3 * (s[2] - g);
    return w * (1 - k->rate * k->decay) - (k->step * s[0] + k->rate * ADEMAMIX_ALPHA * s[2]) *
                                              RULE_ROOT(s[1], k->root, k->epsilon);
}

/* Xie and others 2022, algorithm 1, with 1 - beta for its betas and their correction of the means, as their
 * program has it: m, n, v, and the gradient before. */
UPDATE_RULE(adan) {
    RULE_NUMBER change = (g - s[3]) * k->later, ahead = g + change * k->beta2;
    s[0] = g + k->beta1 * (s[0] - g);
    s[1] = ahead * ahead + k->beta3 * (s[1] - ahead * ahead);
    s[2] = change + k->beta2 * (s[2] - change);
    s[3] = g;
    return (w -
            (k->step * s[0] + k->step2 * k->beta2 * s[2]) * RULE_ROOT(s[1], k->root3, k->epsilon)) *
           (1 / (1 + k->rate * k->decay));
}

/* The gradient is J' (K + lambda)^-1 (r - beta1 J m), so that this is the step of step/natural.h. */
UPDATE_RULE(natural) {
    return RULE(sgd)(k, w, s, g);
}

/* A step along the gradient: step/lbfgs/lbfgs.c sets the parameters itself. */
UPDATE_RULE(lbfgs) {
    (void)s;
    return w - g * k->rate;
}

#undef UPDATE_RULE
