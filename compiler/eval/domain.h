/* domain.h: what the compiler must know of a domain: one row of operations for each row of domain.def. */
#ifndef PDE_COMPILER_EVAL_DOMAIN_H
#define PDE_COMPILER_EVAL_DOMAIN_H

#include "ir/problem.h"
#include "runtime/contract/domain_part.h"

/* The domain of one space as numbers. */
typedef struct Region {
    const struct DomainOps *domain;
    int64_t d, first;       /* its coordinates are first .. first + d - 1 of a point */
    uint32_t number;        /* which space it is */
    double lo, hi;          /* as the domain's row says; with a boundary: lo < hi, or it is empty */
    const double *semiaxis; /* [d] where an argument is indexed, else NULL */
} Region;

/* Where an expression equals another on a part of the boundary. */
typedef struct Surface {
    Ref from, to;
} Surface;

/* Can a tensor network integrate it coordinate by coordinate? */
typedef enum DomainProduct { PRODUCT_NONE, PRODUCT_INTERVAL, PRODUCT_LINE } DomainProduct;

typedef struct DomainOps {
    const char *name;
    bool bounded;
    uint32_t indexed; /* the argument that is */
    unsigned parts;   /* of its boundary: domain_part.h */

    /* lo and hi of a Region, from the values of the arguments. */
    void (*ends)(const double argument[3], const Region *r, double end[2]);
    /* A smooth function that vanishes on the boundary and is of size 1 inside; 0: there is no boundary. */
    Ref (*factor)(Compilation *c, const Space *x);
    /* The parts of the boundary that are one equation each, two at the most; 0: they are too many. */
    uint32_t (*surfaces)(Compilation *c, const Space *x, Surface out[2]);
    /* The logarithm of the volume; 0: it is infinite. */
    Ref (*log_volume)(Compilation *c, const Space *x);
    /* A sum that nearly all of a domain of many dimensions has close to its value on the boundary, so that it is
     * kept in double (cgen_wide.c); 0: none. */
    Ref (*square)(Compilation *c, const Space *x);
    /* Between which values that sum and a coordinate lie. */
    void (*square_range)(const Region *r, double range[2]);
    void (*coordinate_range)(const Region *r, double range[2]);
    double (*centre)(const Region *r); /* every coordinate of the centre */

    /* Point `number` of a fixed sequence; of one of the uniform law; moved to the boundary, on a part that `number` chooses; the outward normal
     * at the boundary point nearest to x; how far that is, negative from outside; a walk from `first` that goes on beyond the boundary, 0 <= k. */
    void (*draw)(const Region *r, uint32_t number, double *x);
    void (*uniform)(const Region *r, uint32_t number, double *x);
    void (*to_boundary)(const Region *r, uint32_t number, double *x);
    void (*outward)(const Region *r, const double *x, double *normal);
    double (*gap)(const Region *r, const double *x);
    void (*walk)(const Region *r, const double *first, double along, uint32_t k, double *x);

    DomainProduct product;

    /* The parts of the boundary: where a coordinate is on its face; 0: the domain has no faces at that end. */
    Ref (*face_at)(Compilation *c, const Space *x, FaceSide side);
    /* A smooth function that vanishes there alone and is of size 1 inside; a point moved there, `coordinate` from 0,
     * -1: one that `number` chooses. Not for FACE_BOTH. */
    Ref (*face_factor)(Compilation *c, const Space *x, const Face *face);
    void (*to_face)(const Region *r, int64_t coordinate, FaceSide side, uint32_t number, double *x);
} DomainOps;

const DomainOps *domain_operations(const Compilation *c, const Space *x);
/* Coordinate `index`, from 1, of a space. */
Ref domain_coordinate(Ir *ir, const Space *x, Ref index);
/* Has any of the spaces a boundary? */
bool domain_bounded(const Compilation *c);
/* Of the problem: several spaces have none. */
DomainProduct domain_product(const Compilation *c);
/* sum_i x_i^2 */
Ref domain_norm_squared(Compilation *c, const Space *x);

#endif
