/* tile.h: points that go through the network together, between jets.c (the network) and combine.c
 * (the kernels of the equations). */
#ifndef PDE_RUNTIME_CUDA_STEP_TILE_H
#define PDE_RUNTIME_CUDA_STEP_TILE_H

#include "cuda/step/device_session.h"

typedef struct Tile {
    CudaSession *s;
    CudaRoute *r;
    CudaScratch w;
    int64_t first, points;
    const void *rows; /* tangents of the first layer */
    int64_t rows_point;
    const CudaRows *to; /* NULL: the gradient is summed over the points */
    int64_t residual;   /* with `to`: the one that is carried back */
    bool inputs_only;   /* seeds of the first layer are wanted, no gradient of parameters */
} Tile;

/* Residuals from the jets, with gradient also their seeds. */
void cuda_combine(Tile *tile, int part, bool gradient);
/* Seeds of all residuals, each with its multiplier, or of one of them, as the way back takes them.
 */
void cuda_fold(Tile *tile, const void *multiplier, double scale);
/* The fields of the problem from the network's values: into the route's residual. */
void cuda_fields(Tile *tile);

#endif
