/* faces.h: the parts of the boundary that a condition names. */
#ifndef PDE_COMPILER_LOWER_FACES_H
#define PDE_COMPILER_LOWER_FACES_H

#include "eval/domain.h"

/* kid 3 of a condition, if it has one; says (E0584) where a face is none. */
void faces_lower(Compilation *c, const Problem *p, ConditionRow *row);
/* The part's own equation, if it is one. */
bool faces_surface(Compilation *c, const Problem *p, const Face *face, Surface *out);
/* Zero on these parts, of size 1 inside; 0: no such factor is known. */
Ref faces_factor(Compilation *c, const Problem *p, const Faces *faces);
/* Have two parts no point in common: opposite faces, the two spheres? */
bool faces_apart(const Compilation *c, const Problem *p, const Face *a, const Face *b);

#endif
