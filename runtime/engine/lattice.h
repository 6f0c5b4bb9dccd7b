/* lattice.h: quasi-random numbers: a rank-1 lattice of all points of a draw, with a new shift each time. */
#ifndef PDE_RUNTIME_ENGINE_LATTICE_H
#define PDE_RUNTIME_ENGINE_LATTICE_H

#include <stdint.h>

/* Numbers of a point that come from the lattice: its time, a radius for each space, and the first coordinates. What is
 * beyond is random as ever: lattices help in few dimensions. */
enum { LATTICE_DIMENSIONS = 48 };

typedef struct Lattice {
    int64_t points; /* 0: none; all is random */
    uint32_t generator[LATTICE_DIMENSIONS];
} Lattice;

/* Generators one after the other, each the best of several beside those before it. */
void lattice_make(int64_t points, int dimensions, Lattice *lattice);
/* In (0, 1): component `dimension` of a point. `shift` is of the draw, in [0, 1). */
double lattice_uniform(const Lattice *lattice, uint32_t point, int dimension, double shift);
/* The standard normal number whose distribution function is u, to 1e-9. */
double lattice_normal(double u);

#endif
