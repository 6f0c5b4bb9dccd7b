/* rule_real.cuh: before engine/optim_rule_body.h, for parameters. */
#define RULE_NUMBER real
#define RULE_FACTOR real
#define RULE(name) real_##name
#define RULE_INLINE DEVICE
#define RULE_ROOT(v, root, epsilon) (1 / (PDE_FN(sqrt)(v) * (root) + (epsilon)))
