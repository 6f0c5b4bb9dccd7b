/* domain_points.h: the domain of a problem as numbers, and points in it. */
#ifndef PDE_COMPILER_EVAL_DOMAIN_POINTS_H
#define PDE_COMPILER_EVAL_DOMAIN_POINTS_H

#include "base/limits.h"
#include "eval/bindings.h"
#include "eval/domain.h"

/* The domains of all spaces as numbers. */
typedef struct Regions {
    uint32_t n;
    Region of[LIMIT_SPACES];
    int64_t d;         /* coordinates of all */
    double t_lo, t_hi; /* 0, 0 without time */
} Regions;

/* Parts of the boundary as numbers. */
typedef struct FaceNumbers {
    uint32_t n;
    struct FaceNumber {
        uint32_t space;
        int64_t coordinate; /* from 0; -1: any */
        FaceSide side;
    } at[LIMIT_FACES];
} FaceNumbers;

/* The domains at the given values; returns NULL or what could not be evaluated. */
const char *region_of(Compilation *c, const Values *values, Regions *out);
/* Without a boundary, or not empty. */
bool region_is_valid(const Regions *r);

/* Point `number` of a fixed sequence. On balls and annuli the radius is uniform, on R(d) the law is
 * standard normal. */
void region_draw(const Regions *r, uint32_t number, double *x, double *t);
/* Point `number` of another sequence, by the uniform law. */
void region_draw_uniform(const Regions *r, uint32_t number, double *x);
void region_centre(const Regions *r, double *x);
/* A walk from `first` that goes on beyond the boundary, 0 <= k. */
void region_walk(const Regions *r, const double *first, double along, uint32_t k, double *x);
/* Moves x to the boundary: along its ray, or one coordinate onto a face that `number` chooses. */
void region_to_boundary(const Regions *r, uint32_t number, double *x);
/* The same, onto one of these parts; without any, anywhere on the boundary. */
void region_to_faces(const Regions *r, const FaceNumbers *faces, uint32_t number, double *x);
/* The parts at these values; NULL, or what is wrong: the dimension may be too small for a stated coordinate. */
const char *faces_of(Compilation *c, const Values *values, const Regions *r, const Faces *faces,
                     FaceNumbers *out);
/* Is a point of the boundary on one of the parts, or are there none named? */
bool region_on_faces(const Regions *r, const FaceNumbers *faces, const double *x);
/* How far inside x is, about; negative: outside; infinite where there is no boundary. */
double region_depth(const Regions *r, const double *x);
/* The outward normal at the boundary point nearest to x. */
void region_outward(const Regions *r, const double *x, double *normal);
/* x as a person reads it: "x = (1, 2)", "s = 100, v = 0.04"; with the time where the problem has one and t is not NULL. */
const char *region_place_text(Compilation *c, const Regions *r, const double *x, const double *t);

#endif
