/* 07_sums.c: the kernels of 07_sums.pde as pdec prints them, at d coordinates and in one number type: prints what
 * the point program makes of one group of points, and the combine kernel of d terms. Built once for each number
 * type by 07_sums.sh; the points are the same numbers in both. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>

#include KERNELS

#ifdef PDE_DOUBLE
typedef double number;
#else
typedef float number; /* `real` of the kernels is double again at their end */
#endif

const int64_t pde_dim_d = DIMENSION;

int main(void) {
    const int64_t d = DIMENSION;
    number *x = malloc((size_t)(d * PDE_LANES) * sizeof *x),
           *second = malloc((size_t)d * sizeof *x);
    uint32_t *index = malloc((size_t)d * sizeof *index), random = 1;
    if (!x || !second || !index)
        return 1;
    for (int64_t i = 0; i < d; i++) {
        for (int l = 0; l < PDE_LANES; l++) {
            random = random * 1664525u + 1013904223u;
            x[i * PDE_LANES + l] = (number)(random >> 8) / 16777216;
        }
        second[i] = x[i * PDE_LANES];
        index[i] = (uint32_t)i;
    }
    number scalar[8 * PDE_LANES] = {0}, residual = 0, network = 0;
    const uint32_t *const set[1] = {index};
    const int64_t count[1] = {d}, block[2] = {0, d};
    const double factor[1] = {1}, scale[1] = {1}, *const weight[1] = {NULL};
    const PdePointArgs points = {.x = x, .out = scalar};
    const PdeCombineArgs terms = {.x = x,
                                  .scalar = scalar,
                                  .set = set,
                                  .count = count,
                                  .factor = factor,
                                  .block = block,
                                  .weight = weight,
                                  .directions = d,
                                  .output_scale = scale,
                                  .n = &network,
                                  .d = {second, second},
                                  .residual = &residual};
    pde_points_0(&points);
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < PDE_LANES; l++)
            printf("scalar%d.%d %.17g\n", k, l, (double)scalar[k * PDE_LANES + l]);
    for (int k = 0; k < 2 * PDE_LANES; k++)
        scalar[k] = 0;
    pde_combine_0(&terms);
    printf("terms %.17g\n", (double)residual);
    return 0;
}
