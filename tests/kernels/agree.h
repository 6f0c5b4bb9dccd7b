/* agree.h: does what the generated kernels compute agree with the oracle? Each answers, and prints what does not. */
#ifndef PDE_KERNELS_AGREE_H
#define PDE_KERNELS_AGREE_H

#include "kernel_shot.h"

/* What is being compared, for the message. */
struct Where {
    const char *file;
    long d;
    uint32_t task;
    const char *what;
    unsigned checks;
};
extern struct Where where;

static const double EXACT = 1e-11;

/* test_kernels.c */
bool close_enough(const char *what, double got, double want, double tolerance);
/* e with this number in the place of the index. */
Ref at_index(Rig *rig, Ref e, Ref index, int64_t i);

/* agree_points.c */
bool scalars_agree(Rig *rig, const Build *b, uint32_t id);
bool fields_agree(Rig *rig, const Build *b);
bool features_agree(Rig *rig, const Build *b);
bool semiaxes_agree(Rig *rig, const Build *b);
bool sample_agrees(Rig *rig, const Build *b, uint32_t k);
bool numbers_agree(Rig *rig, const Build *b);
/* One number that is e at these values; `otherwise` where e is none. */
bool number_agrees(Rig *rig, const char *what, double got, Ref e, double otherwise);

#endif
