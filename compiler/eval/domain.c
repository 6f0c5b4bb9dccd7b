/* domain.c: the domains, one after the other, and their table. A new one is a section of this file: nothing else in
 * the compiler must know it.
 * requires: the arguments of a space, where an indexed one has the space's index free. */
#include "eval/domain.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/compilation.h"
#include "eval/volume.h"
#include "runtime/contract/tensor_rng.h"

/* ---- what several share ---- */

Ref domain_coordinate(Ir *ir, const Space *x, Ref index) {
    Ref at = ir_add2(ir, index, x->first);
    return ir_indexed(ir, OP_SPACE, 0, 1, &at);
}

static Ref sum_over_coordinates(Compilation *c, const Space *x, Ref index, Ref body) {
    return ir_reduce(c->ir, OP_SUM, index, ir_const(c->ir, 1), x->d, body);
}

Ref domain_norm_squared(Compilation *c, const Space *x) {
    Ref i = ir_fresh_index(c->ir);
    return sum_over_coordinates(c, x, i, ir_powi(c->ir, domain_coordinate(c->ir, x, i), 2));
}

static double length_of(const double *x, int64_t d) {
    double s = 0;
    for (int64_t i = 0; i < d; i++)
        s += x[i] * x[i];
    return sqrt(s);
}

static void scale_to(const Region *r, double radius, double *x) {
    double length = length_of(x, r->d);
    for (int64_t i = 0; i < r->d && length > 0; i++)
        x[i] *= radius / length;
}

static void fill(const Region *r, int kind, double a, double b, uint32_t number, double *x) {
    pde_tensor_fill(pde_tensor_key(0, "points", 6), kind, a, b, number, (uint32_t)r->first,
                    (uint32_t)r->d, x);
}

static double uniform_number(const Region *r, uint32_t number) {
    double uniform[4];
    pde_tensor_block(pde_tensor_key(0, "radius", 6), TENSOR_UNIFORM, number, r->number, uniform);
    return uniform[0];
}

static Ref no_square(Compilation *c, const Space *x) {
    (void)c;
    (void)x;
    return 0;
}

static void any_square(const Region *r, double range[2]) {
    (void)r;
    range[0] = 0;
    range[1] = HUGE_VAL;
}

static uint32_t no_surfaces(Compilation *c, const Space *x, Surface out[2]) {
    (void)c;
    (void)x;
    (void)out;
    return 0;
}

static double at_zero(const Region *r) {
    (void)r;
    return 0;
}

/* Along the ray through the first point. */
static void walk_ray(const Region *r, const double *first, double along, uint32_t k, double *x) {
    (void)along;
    for (int64_t i = 0; i < r->d && k; i++)
        x[i] = first[i] * (1 + 4 * (double)k);
}

static Ref no_faces(Compilation *c, const Space *x, FaceSide side) {
    (void)c;
    (void)x;
    (void)side;
    return 0;
}

/* The boundary is one part. */
static Ref whole_factor(Compilation *c, const Space *x, const Face *face) {
    (void)face;
    return domain_operations(c, x)->factor(c, x);
}

static void to_whole(const Region *r, int64_t coordinate, FaceSide side, uint32_t number,
                     double *x) {
    (void)coordinate;
    (void)side;
    r->domain->to_boundary(r, number, x);
}

/* Of one coordinate the factor, of all of them the harmonic mean: near 0 where one is, of size 1 elsewhere. */
static Ref mean_of_faces(Compilation *c, const Space *x, const Face *face,
                         Ref (*one)(Compilation *c, const Space *x, FaceSide side, Ref at)) {
    if (face->coordinate)
        return one(c, x, face->side, domain_coordinate(c->ir, x, face->coordinate));
    Ref i = ir_fresh_index(c->ir), at = domain_coordinate(c->ir, x, i);
    Ref inverse = ir_powi(c->ir, one(c, x, face->side, at), -1);
    return ir_div(c->ir, x->d, sum_over_coordinates(c, x, i, inverse));
}

static Ref radius_squared(Compilation *c, const Space *x, int argument) {
    return ir_powi(c->ir, x->argument[argument], 2);
}

/* ---- ball and annulus: lo and hi are radii, the inner one 0 for a ball ---- */

static void ball_ends(const double argument[3], const Region *r, double end[2]) {
    (void)r;
    end[0] = 0;
    end[1] = argument[1];
}

static void two_ends(const double argument[3], const Region *r, double end[2]) {
    (void)r;
    end[0] = argument[1];
    end[1] = argument[2];
}

static Ref ball_volume(Compilation *c, const Space *x) {
    Ref radius = ir_func(c->ir, FUNC_log, 1, &x->argument[1]);
    return ir_add2(c->ir, volume_log_ball(c->ir, x), ir_mul2(c->ir, x->d, radius));
}

static Ref ball_factor(Compilation *c, const Space *x) {
    return ir_sub(c->ir, radius_squared(c, x, 1), domain_norm_squared(c, x));
}

static Ref annulus_volume(Compilation *c, const Space *x) {
    Ir *ir = c->ir;
    Ref hole = ir_pow(ir, ir_div(ir, x->argument[1], x->argument[2]), x->d);
    Ref rest = ir_sub(ir, ir_const(ir, 1), hole), radius = x->argument[2];
    radius = ir_func(ir, FUNC_log, 1, &radius);
    Ref whole = ir_add2(ir, volume_log_ball(ir, x), ir_mul2(ir, x->d, radius));
    return ir_add2(ir, whole, ir_func(ir, FUNC_log, 1, &rest));
}

static Ref annulus_factor(Compilation *c, const Space *x) {
    Ref s = domain_norm_squared(c, x);
    return ir_mul2(c->ir, ir_sub(c->ir, s, radius_squared(c, x, 1)),
                   ir_sub(c->ir, radius_squared(c, x, 2), s));
}

static uint32_t ball_surfaces(Compilation *c, const Space *x, Surface out[2]) {
    out[0] = (Surface){domain_norm_squared(c, x), radius_squared(c, x, 1)};
    return 1;
}

static uint32_t annulus_surfaces(Compilation *c, const Space *x, Surface out[2]) {
    for (int k = 0; k < 2; k++)
        out[k] = (Surface){domain_norm_squared(c, x), radius_squared(c, x, 1 + k)};
    return 2;
}

static void round_square(const Region *r, double range[2]) {
    range[0] = r->lo * r->lo;
    range[1] = r->hi * r->hi;
}

static void round_coordinate(const Region *r, double range[2]) {
    range[0] = -r->hi;
    range[1] = r->hi;
}

static void round_draw(const Region *r, uint32_t number, double *x) {
    fill(r, TENSOR_NORMAL, 0, 1, number, x);
    scale_to(r, r->lo + (r->hi - r->lo) * uniform_number(r, number), x);
}

/* The uniform law: directions of normal numbers, radii by volume. */
static void round_uniform(const Region *r, uint32_t number, double *x) {
    double low = r->lo > 0 ? pow(r->lo / r->hi, (double)r->d) : 0;
    fill(r, TENSOR_NORMAL, 0, 1, number, x);
    scale_to(r, r->hi * pow(low + (1 - low) * uniform_number(r, number), 1 / (double)r->d), x);
}

static void ball_to_boundary(const Region *r, uint32_t number, double *x) {
    (void)number;
    scale_to(r, r->hi, x);
}

static void annulus_to_boundary(const Region *r, uint32_t number, double *x) {
    scale_to(r, number % 2 ? r->lo : r->hi, x);
}

static void along_ray(const Region *r, const double *x, double sign, double *normal) {
    double length = length_of(x, r->d);
    for (int64_t i = 0; i < r->d; i++)
        normal[i] = length > 0 ? sign * x[i] / length : 0;
}

static void ball_outward(const Region *r, const double *x, double *normal) {
    along_ray(r, x, 1, normal);
}

static double ball_gap(const Region *r, const double *x) {
    return r->hi - length_of(x, r->d);
}

static double annulus_gap(const Region *r, const double *x) {
    double length = length_of(x, r->d);
    return fmin(length - r->lo, r->hi - length);
}

static void annulus_outward(const Region *r, const double *x, double *normal) {
    double length = length_of(x, r->d);
    along_ray(r, x, length - r->lo < r->hi - length ? -1 : 1, normal);
}

static Ref annulus_face_factor(Compilation *c, const Space *x, const Face *face) {
    Ref s = domain_norm_squared(c, x), low = radius_squared(c, x, 1),
        high = radius_squared(c, x, 2);
    Ref gap = face->side == FACE_LOW ? ir_sub(c->ir, s, low) : ir_sub(c->ir, high, s);
    return ir_div(c->ir, gap, ir_sub(c->ir, high, low));
}

static void annulus_to_face(const Region *r, int64_t coordinate, FaceSide side, uint32_t number,
                            double *x) {
    (void)coordinate;
    (void)number;
    scale_to(r, side == FACE_LOW ? r->lo : r->hi, x);
}

/* ---- box: lo and hi are the ends of each side ---- */

static Ref box_face_at(Compilation *c, const Space *x, FaceSide side) {
    (void)c;
    return x->argument[side == FACE_LOW ? 1 : 2];
}

static Ref box_gap_to(Compilation *c, const Space *x, FaceSide side, Ref at) {
    Ref low = x->argument[1], high = x->argument[2];
    Ref gap = side == FACE_LOW ? ir_sub(c->ir, at, low) : ir_sub(c->ir, high, at);
    return ir_div(c->ir, gap, ir_sub(c->ir, high, low));
}

static Ref box_face_factor(Compilation *c, const Space *x, const Face *face) {
    return mean_of_faces(c, x, face, box_gap_to);
}

static void box_to_face(const Region *r, int64_t coordinate, FaceSide side, uint32_t number,
                        double *x) {
    if (r->d > 0)
        x[coordinate < 0 ? number % r->d : coordinate] = side == FACE_LOW ? r->lo : r->hi;
}

/* The harmonic mean of 4 (x_i - a)(b - x_i) / (b - a)^2, since a product over d coordinates underflows. */
static Ref box_volume(Compilation *c, const Space *x) {
    Ref side = ir_sub(c->ir, x->argument[2], x->argument[1]);
    return volume_sum_of_logs(c->ir, x, ir_fresh_index(c->ir), side);
}

static Ref box_factor(Compilation *c, const Space *x) {
    Ir *ir = c->ir;
    const Ref *arg = x->argument;
    Ref i = ir_fresh_index(ir), at = domain_coordinate(ir, x, i),
        width = ir_sub(ir, arg[2], arg[1]);
    Ref near = ir_mul2(ir, ir_sub(ir, at, arg[1]), ir_sub(ir, arg[2], at));
    Ref scaled = ir_div(ir, ir_mul2(ir, ir_const(ir, 4), near), ir_powi(ir, width, 2));
    return ir_div(ir, x->d, sum_over_coordinates(c, x, i, ir_powi(ir, scaled, -1)));
}

static void box_coordinate(const Region *r, double range[2]) {
    range[0] = r->lo;
    range[1] = r->hi;
}

static double box_centre(const Region *r) {
    return (r->lo + r->hi) / 2;
}

static void box_draw(const Region *r, uint32_t number, double *x) {
    fill(r, TENSOR_UNIFORM, r->lo, r->hi, number, x);
}

static void box_to_boundary(const Region *r, uint32_t number, double *x) {
    if (r->d > 0)
        x[number / 2 % (uint64_t)r->d] = number % 2 ? r->lo : r->hi;
}

static void box_outward(const Region *r, const double *x, double *normal) {
    int64_t nearest = 0;
    double distance = HUGE_VAL, sign = 1;
    for (int64_t i = 0; i < r->d; i++) {
        double low = x[i] - r->lo, high = r->hi - x[i];
        normal[i] = 0;
        if (fmin(low, high) >= distance)
            continue;
        distance = fmin(low, high);
        nearest = i;
        sign = low < high ? -1 : 1;
    }
    if (r->d)
        normal[nearest] = sign;
}

static double box_gap(const Region *r, const double *x) {
    double gap = HUGE_VAL;
    for (int64_t i = 0; i < r->d; i++)
        gap = fmin(gap, fmin(x[i] - r->lo, r->hi - x[i]));
    return gap;
}

static void box_walk(const Region *r, const double *first, double along, uint32_t k, double *x) {
    (void)first;
    for (int64_t i = 0; i < r->d && k; i++)
        x[i] = r->lo + (r->hi - r->lo) * along;
}

/* ---- torus: a box whose opposite faces are one; it has no boundary ---- */

/* Of a walk that goes on: once around is the same point again. */
static void torus_walk(const Region *r, const double *first, double along, uint32_t k, double *x) {
    (void)first;
    for (int64_t i = 0; i < r->d && k; i++)
        x[i] = r->lo + (r->hi - r->lo) * (along - floor(along));
}

/* ---- the whole space ---- */

static void no_ends(const double argument[3], const Region *r, double end[2]) {
    (void)argument;
    (void)r;
    end[0] = end[1] = 0;
}

static Ref no_factor(Compilation *c, const Space *x) {
    (void)c;
    (void)x;
    return 0;
}

static void any_coordinate(const Region *r, double range[2]) {
    (void)r;
    range[0] = -HUGE_VAL;
    range[1] = HUGE_VAL;
}

static void space_draw(const Region *r, uint32_t number, double *x) {
    fill(r, TENSOR_NORMAL, 0, 1, number, x);
}

static double no_gap(const Region *r, const double *x) {
    (void)r;
    (void)x;
    return HUGE_VAL;
}

static void stay(const Region *r, uint32_t number, double *x) {
    (void)r;
    (void)number;
    (void)x;
}

/* ---- simplex: x_0 = 1 - sum_i x_i is positive as well, so there are d + 1 faces ---- */

static void unit_ends(const double argument[3], const Region *r, double end[2]) {
    (void)argument;
    (void)r;
    end[0] = 0;
    end[1] = 1;
}

/* The harmonic mean of (d + 1) x_i for i = 0 .. d: 1 in the centre. */
static Ref simplex_volume(Compilation *c, const Space *x) {
    return ir_neg(c->ir, volume_log_gamma(c->ir, ir_add2(c->ir, x->d, ir_const(c->ir, 1))));
}

static Ref simplex_factor(Compilation *c, const Space *x) {
    Ir *ir = c->ir;
    Ref i = ir_fresh_index(ir), one = ir_const(ir, 1), faces = ir_add2(ir, x->d, one);
    Ref rest = ir_sub(ir, one, sum_over_coordinates(c, x, i, domain_coordinate(ir, x, i)));
    Ref inverse = sum_over_coordinates(c, x, i, ir_powi(ir, domain_coordinate(ir, x, i), -1));
    return ir_div(ir, ir_powi(ir, faces, 2), ir_add2(ir, inverse, ir_powi(ir, rest, -1)));
}

static double simplex_centre(const Region *r) {
    return 1 / ((double)r->d + 1);
}

/* Exponential numbers over their sum: the uniform law. */
static void simplex_draw(const Region *r, uint32_t number, double *x) {
    double sum = -log(uniform_number(r, number));
    fill(r, TENSOR_UNIFORM, 0, 1, number, x);
    for (int64_t i = 0; i < r->d; i++)
        sum += x[i] = -log(x[i]);
    for (int64_t i = 0; i < r->d; i++)
        x[i] /= sum;
}

static void simplex_to_boundary(const Region *r, uint32_t number, double *x) {
    uint64_t face = number % ((uint64_t)r->d + 1);
    double sum = 0;
    if (face < (uint64_t)r->d) {
        x[face] = 0;
        return;
    }
    for (int64_t i = 0; i < r->d; i++)
        sum += x[i];
    for (int64_t i = 0; i < r->d; i++)
        x[i] /= sum;
}

static void simplex_outward(const Region *r, const double *x, double *normal) {
    double sum = 0, root = sqrt((double)r->d);
    int64_t nearest = 0;
    for (int64_t i = 0; i < r->d; i++) {
        normal[i] = 0;
        sum += x[i];
        nearest = x[i] < x[nearest] ? i : nearest;
    }
    if (r->d && x[nearest] <= (1 - sum) / root)
        normal[nearest] = -1;
    else
        for (int64_t i = 0; i < r->d; i++)
            normal[i] = 1 / root;
}

static double simplex_gap(const Region *r, const double *x) {
    double sum = 0, gap = HUGE_VAL;
    for (int64_t i = 0; i < r->d; i++) {
        sum += x[i];
        gap = fmin(gap, x[i]);
    }
    return fmin(gap, (1 - sum) / sqrt((double)r->d));
}

static Ref simplex_face_at(Compilation *c, const Space *x, FaceSide side) {
    (void)x;
    return side == FACE_LOW ? ir_const(c->ir, 0) : 0;
}

static Ref simplex_gap_to(Compilation *c, const Space *x, FaceSide side, Ref at) {
    (void)side;
    return ir_mul2(c->ir, x->d, at);
}

static Ref simplex_face_factor(Compilation *c, const Space *x, const Face *face) {
    Ref i = ir_fresh_index(c->ir), one = ir_const(c->ir, 1);
    if (face->side == FACE_LOW)
        return mean_of_faces(c, x, face, simplex_gap_to);
    return ir_sub(c->ir, one, sum_over_coordinates(c, x, i, domain_coordinate(c->ir, x, i)));
}

static void simplex_to_face(const Region *r, int64_t coordinate, FaceSide side, uint32_t number,
                            double *x) {
    int64_t face = coordinate >= 0 ? coordinate : r->d > 0 ? number % r->d : 0;
    simplex_to_boundary(r, (uint32_t)(side == FACE_LOW ? face : r->d), x);
}

/* ---- ellipsoid: y_i = x_i / a_i is in the unit ball, whose radii are lo and hi ---- */

static Ref ellipsoid_square(Compilation *c, const Space *x) {
    Ir *ir = c->ir;
    Ref i = x->index, scaled = ir_div(ir, domain_coordinate(ir, x, i), x->argument[1]);
    return sum_over_coordinates(c, x, i, ir_powi(ir, scaled, 2));
}

static Ref ellipsoid_volume(Compilation *c, const Space *x) {
    Ref axes = volume_sum_of_logs(c->ir, x, x->index, x->argument[1]);
    return ir_add2(c->ir, volume_log_ball(c->ir, x), axes);
}

static Ref ellipsoid_factor(Compilation *c, const Space *x) {
    return ir_sub(c->ir, ir_const(c->ir, 1), ellipsoid_square(c, x));
}

/* Semiaxes that are all the same come out of the sum. */
static uint32_t ellipsoid_surfaces(Compilation *c, const Space *x, Surface out[2]) {
    bool same = !ir_depends(c->ir, x->argument[1], x->index);
    out[0] = same ? (Surface){domain_norm_squared(c, x), radius_squared(c, x, 1)}
                  : (Surface){ellipsoid_square(c, x), ir_const(c->ir, 1)};
    return 1;
}

static void ellipsoid_coordinate(const Region *r, double range[2]) {
    range[1] = 0;
    for (int64_t i = 0; i < r->d; i++)
        range[1] = fmax(range[1], r->semiaxis[i]);
    range[0] = -range[1];
}

static void stretch(const Region *r, double *x) {
    for (int64_t i = 0; i < r->d; i++)
        x[i] *= r->semiaxis[i];
}

static void ellipsoid_draw(const Region *r, uint32_t number, double *x) {
    round_draw(r, number, x);
    stretch(r, x);
}

static void ellipsoid_uniform(const Region *r, uint32_t number, double *x) {
    round_uniform(r, number, x);
    stretch(r, x);
}

static void ellipsoid_to_boundary(const Region *r, uint32_t number, double *x) {
    double square = 0;
    (void)number;
    for (int64_t i = 0; i < r->d; i++)
        square += x[i] / r->semiaxis[i] * (x[i] / r->semiaxis[i]);
    for (int64_t i = 0; i < r->d && square > 0; i++)
        x[i] /= sqrt(square);
}

/* Along the ray: never less than the distance, and 0 on the boundary. */
static double ellipsoid_gap(const Region *r, const double *x) {
    double square = 0, length = length_of(x, r->d);
    for (int64_t i = 0; i < r->d; i++)
        square += x[i] / r->semiaxis[i] * (x[i] / r->semiaxis[i]);
    return square > 0 ? length / sqrt(square) - length : HUGE_VAL;
}

/* At the boundary point of the same direction, which is the point itself where it lies there. */
static void ellipsoid_outward(const Region *r, const double *x, double *normal) {
    for (int64_t i = 0; i < r->d; i++)
        normal[i] = x[i] / (r->semiaxis[i] * r->semiaxis[i]);
    double length = length_of(normal, r->d);
    for (int64_t i = 0; i < r->d; i++)
        normal[i] = length > 0 ? normal[i] / length : 0;
}

/* ---- the table ---- */

/* In the order of DomainOps. By position: a row that leaves an operation out is a warning, and warnings are errors. */
#define OPERATIONS_ball                                                                            \
    ball_ends, ball_factor, ball_surfaces, ball_volume, domain_norm_squared, round_square,         \
        round_coordinate, at_zero, round_draw, round_uniform, ball_to_boundary, ball_outward,      \
        ball_gap, walk_ray, PRODUCT_NONE, no_faces, whole_factor, to_whole
#define OPERATIONS_box                                                                             \
    two_ends, box_factor, no_surfaces, box_volume, no_square, any_square, box_coordinate,          \
        box_centre, box_draw, box_draw, box_to_boundary, box_outward, box_gap, box_walk,           \
        PRODUCT_INTERVAL, box_face_at, box_face_factor, box_to_face
#define OPERATIONS_annulus                                                                         \
    two_ends, annulus_factor, annulus_surfaces, annulus_volume, domain_norm_squared, round_square, \
        round_coordinate, at_zero, round_draw, round_uniform, annulus_to_boundary,                 \
        annulus_outward, annulus_gap, walk_ray, PRODUCT_NONE, no_faces, annulus_face_factor,       \
        annulus_to_face
#define OPERATIONS_R                                                                               \
    no_ends, no_factor, no_surfaces, no_factor, no_square, any_square, any_coordinate, at_zero,    \
        space_draw, space_draw, stay, ball_outward, no_gap, walk_ray, PRODUCT_LINE, no_faces,      \
        whole_factor, to_whole
#define OPERATIONS_simplex                                                                         \
    unit_ends, simplex_factor, no_surfaces, simplex_volume, no_square, any_square, box_coordinate, \
        simplex_centre, simplex_draw, simplex_draw, simplex_to_boundary, simplex_outward,          \
        simplex_gap, walk_ray, PRODUCT_NONE, simplex_face_at, simplex_face_factor, simplex_to_face
#define OPERATIONS_ellipsoid                                                                       \
    unit_ends, ellipsoid_factor, ellipsoid_surfaces, ellipsoid_volume, no_square, any_square,      \
        ellipsoid_coordinate, at_zero, ellipsoid_draw, ellipsoid_uniform, ellipsoid_to_boundary,   \
        ellipsoid_outward, ellipsoid_gap, walk_ray, PRODUCT_NONE, no_faces, whole_factor, to_whole

#define OPERATIONS_torus                                                                           \
    two_ends, no_factor, no_surfaces, box_volume, no_square, any_square, box_coordinate,           \
        box_centre, box_draw, box_draw, stay, ball_outward, no_gap, torus_walk, PRODUCT_NONE,      \
        no_faces, whole_factor, to_whole

static const DomainOps table[] = {
#define DOMAIN(name, arguments, argument_names, indexed, bounded, needs, parts, said, others,      \
               text)                                                                               \
    {#name, bounded, indexed, parts, OPERATIONS_##name},
#include "runtime/contract/domain.def"
};

const DomainOps *domain_operations(const Compilation *c, const Space *x) {
    const char *name = sym_cstr(c, x->domain);
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (strcmp(name, table[k].name) == 0)
            return &table[k];
    assert(0 && "a domain that resolve let through");
    return &table[0];
}

bool domain_bounded(const Compilation *c) {
    bool bounded = false;
    for (uint32_t k = 0; k < c->problem->space.n; k++)
        bounded |= domain_operations(c, &c->problem->space.at[k])->bounded;
    return bounded;
}

DomainProduct domain_product(const Compilation *c) {
    const Problem *p = c->problem;
    return p->space.n == 1 && !p->inside ? domain_operations(c, &p->space.at[0])->product
                                         : PRODUCT_NONE;
}
