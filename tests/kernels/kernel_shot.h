/* kernel_shot.h: one call of a combine kernel: what it is shown, as the runtime would, and what it gives. */
#ifndef PDE_KERNEL_SHOT_H
#define PDE_KERNEL_SHOT_H

#include "kernel_rig.h"

typedef void PointKernel(const PdePointArgs *);
typedef void CombineKernel(const PdeCombineArgs *);
typedef void FamilyKernel(int64_t *);

enum { FAMILIES_MAX = 8, RESIDUALS_MAX = 4 };

/* What a combine kernel is shown and what it gives. owner: the rig's arena. */
typedef struct Shot {
    Rig *rig;
    const Build *b;
    const Task *task;
    const Route *route;
    uint32_t id, n_scalars;
    bool exact;
    Inputs in;
    uint32_t *set[FAMILIES_MAX];
    int64_t count[FAMILIES_MAX], size[FAMILIES_MAX], first[FAMILIES_MAX][2];
    double factor[FAMILIES_MAX];
    int64_t block[BLOCKS_MAX + 1], directions;
    double *dense[BLOCKS_MAX];  /* [n_in][LANES]: kernels' directions */
    double *weight[BLOCKS_MAX]; /* GRAM: [n_in] */
    double *sweep, *gradient;   /* [blocks][LANES]; [n_out][n_in][LANES], in the engine's scale */
    double *direction;          /* [directions][n_in] at the current lane */
    double *n, *d[4];           /* as the engine gives them */
    double *residual, *seed_n, *seed_d[4], *seed_unknown;
    void *scalar, *real_in, *real_out;
} Shot;

/* Zeros that live as long as the rig. */
double *shot_doubles(const Shot *s, size_t n);
/* All terms of family f, counted from the first of their range, as the runtime numbers them. */
void shot_enumerate(Shot *s, uint32_t f);
/* Half of them, at random. */
void shot_draw_subset(Shot *s, uint32_t f);
/* Room for the directions that the sets ask for. */
void shot_layout(Shot *s);
/* The point program. */
void shot_points(const Shot *s);
/* The gradient kernel of block b with this dN/dx: its direction and the sums. */
void shot_gradient(const Shot *s, uint32_t b, const double *gradient, double *out, double *value);
/* Everything that is computed for a group: scalars, directions, weights, sums of gradients. */
void shot_prepare(Shot *s);
/* The jets of a lane. */
void shot_jets(Shot *s, int lane);
/* Calls the kernel at a lane with the jets as they stand. */
void shot_fire(Shot *s, int lane, bool seeds);
/* The size of what is added up in residual e: rounding is measured against it. */
double shot_magnitude(const Shot *s, uint32_t e);

#endif
