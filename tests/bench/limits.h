/* What the machine can do at most, measured: the marks that times are compared with. */
#ifndef PDE_BENCH_LIMITS_H
#define PDE_BENCH_LIMITS_H

typedef struct Limits {
    double flops, bytes; /* per millisecond: fused multiply-adds, and a stream like Adam's */
    int threads;
    const char *isa;
} Limits;

/* threads: 0 = one per processor. Both numbers are 0 if there is no memory to measure with. */
Limits bench_limits(int threads);

#endif
