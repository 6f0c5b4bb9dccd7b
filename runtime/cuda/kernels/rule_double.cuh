/* rule_double.cuh: before engine/optim_rule_body.h once more, for unknown numbers. */
#undef RULE_NUMBER
#undef RULE_FACTOR
#undef RULE
#undef RULE_ROOT
#define RULE_NUMBER double
#define RULE_FACTOR double
#define RULE(name) double_##name
#define RULE_ROOT(v, root, epsilon) (1 / (pde_sqrt(v) * (root) + (epsilon)))
