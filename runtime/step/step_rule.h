/* step_rule.h: what processor and device decide by the same text: how far unknown numbers move, and what becomes
 * of a step of natural gradient. C subset; optim_rule_body.h was included for double before.
 */
#ifndef PDE_RUNTIME_STEP_STEP_RULE_H
#define PDE_RUNTIME_STEP_STEP_RULE_H

/* ------------------------------------------------------------------------------ unknown numbers */

/* limit: least size, least value, greatest. Unknowns count in parts of their size, which is that of their value:
 * 1e-4 moves by 1e-7 where 100 moves by 0.1. Near 0 it is what the residuals notice (measure/scales/scales.c). */
RULE_INLINE double unknown_size(const double *limit, double value) {
    double size = value < 0 ? -value : value;
    return size > limit[0] ? size : limit[0];
}

RULE_INLINE double unknown_within(const double *limit, double value) {
    double least = value < limit[1] ? limit[1] : value;
    return least > limit[2] ? limit[2] : least;
}

/* Adam in double: the new value of one with its two states and its gradient. */
RULE_INLINE double unknown_moved(const PdeRule *now, const double *limit, double value, double *s,
                                 double g) {
    double_Rule rule = double_rule(now);
    rule.decay = 0;
    rule.step *= unknown_size(limit, value);
    return unknown_within(limit, double_adam(&rule, value, s, g));
}

/* ----------------------------------------------------------------------------- natural gradient */

enum { NATURAL_TRIES = 8 };

/* A gradient step long before; more would overflow in time. */
#define NATURAL_MOST_CAUTION 1e10

/* square: of the length of a step at rate 1; limit: of its length, 0 for none. */
RULE_INLINE int natural_is_long(double rate, double square, double limit) {
    return limit > 0 && rate * rate * square > limit * limit;
}

/* The decrease of the loss in units of what the linear model promised: 1 as promised, below 0 worse. */
RULE_INLINE double natural_quality(double before, double after, double promised) {
    double hoped = before - promised, least = 1e-12 * before;
    return (before - after) / (hoped > least ? hoped : least);
}

/* After a step that is kept: one that holds its promise needs less. */
RULE_INLINE double natural_caution_kept(double caution, double quality) {
    double c = quality < 0.25 ? 2 * caution : quality > 0.75 ? caution / 1.5 : caution;
    return c < 1 ? 1 : c > NATURAL_MOST_CAUTION ? NATURAL_MOST_CAUTION : c;
}

RULE_INLINE double natural_caution_undone(double caution) {
    return 4 * caution > NATURAL_MOST_CAUTION ? NATURAL_MOST_CAUTION : 4 * caution;
}

#endif
