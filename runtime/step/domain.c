/* domain.c: the domains, one after the other, and their table (points.h): how points are drawn in each and on its boundary, and
 * what brings them back. A new one is a section of this file (and of runtime/cuda/step/domain.c for devices).
 * requires: x holds the standard numbers that DomainOps.round says; on a boundary the normals have room.
 * promises: the same bits for any number of threads: sums run in a fixed order. */
#include "step/points.h"

#include "contract/rng.h"
#include "engine/real.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define real float
#define ROWS(name) name##_f32
#define LOG(u) pde_log_unitf(u)
#include "engine/lane_rows.h"
#undef real
#undef ROWS
#undef LOG
#define real double
#define ROWS(name) name##_f64
#define LOG(u) pde_log_unit(u)
#include "engine/lane_rows.h"
#undef real
#undef ROWS
#undef LOG

/* For the number type of the problem q. */
#define BY_PRECISION(name, x, ...)                                                                 \
    (q->precision == PDE_F64 ? name##_f64(x, __VA_ARGS__) : name##_f32(x, __VA_ARGS__))

/* ---- what several share ---- */

static uint32_t point_of(const Points *p, int64_t group, int lane) {
    return p->first + (uint32_t)(group * PDE_LANES + lane);
}

static const Space *space_of(const Points *p, int space) {
    assert(space >= 0 && space < p->c.problem->spaces);
    return &p->c.problem->space[space];
}

static void *normals_of(const Points *p, int space, int64_t group) {
    const Problem *q = p->c.problem;
    assert(p->normal);
    return real_at(q->precision, p->normal, (group * q->d + q->space[space].first) * PDE_LANES);
}

static void clear_rows(const Problem *q, int64_t rows, void *x) {
    memset(x, 0, (size_t)(rows * PDE_LANES) * real_size(q->precision));
}

/* |x|^2 of the standard normals, as points.c has summed it. */
static double square_of(const Points *p, int space, int64_t group, int lane) {
    double sum = 0;
    for (int64_t c = p->chunk[space]; c < p->chunk[space + 1]; c++)
        sum += p->partial[(group * p->chunks + c) * PDE_LANES + lane];
    return sum;
}

static double between(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

static void scale_point(Points *p, const Space *x, int64_t point, double factor) {
    for (int64_t i = x->first; i < x->first + x->d && factor != 1; i++)
        points_set_coordinate(p, point, i, factor * points_coordinate(p, point, i));
}

static double at_zero(const Space *x) {
    (void)x;
    return 0;
}

static void symmetric(const Space *x, bool diagonal, double reach, double range[2]) {
    range[1] = diagonal ? reach / sqrt((double)x->d) : reach;
    range[0] = -range[1];
}

/* ---- ball and annulus ---- */

static double inner_radius(const Space *own) {
    return own->domain == DOMAIN_annulus ? own->argument[1] : 0;
}

static double outer_radius(const Space *own) {
    return own->argument[own->domain == DOMAIN_annulus ? 2 : 1];
}

/* Between r and R (r = 0: in a ball), so that points are uniform in the domain; by a radial law the radius is. */
static double radius_of(const Points *p, int space, uint32_t point, double r, double R) {
    int sample = p->space_sample[space];
    double u = points_uniform(p, STREAM_RADIUS, space, point);
    if (sample >= 0 && p->c.problem->plan.sample[sample].law == LAW_radial)
        return r + (R - r) * u;
    double d = (double)p->c.problem->space[space].d, inner = pow(r / R, d);
    return R * pow(inner + u * (1 - inner), 1 / d);
}

static void round_inside(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = space_of(p, space);
    double factor[PDE_LANES];
    for (int l = 0; l < PDE_LANES; l++) {
        double r = radius_of(p, space, point_of(p, group, l), inner_radius(own), outer_radius(own));
        factor[l] = r / sqrt(square_of(p, space, group, l));
    }
    BY_PRECISION(scale, x, 0, own->d, factor);
}

/* Both spheres of an annulus have half of the points. */
static void round_boundary(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = space_of(p, space);
    double low = inner_radius(own), high = outer_radius(own), factor[PDE_LANES], outward[PDE_LANES];
    void *normal = normals_of(p, space, group);
    for (int l = 0; l < PDE_LANES; l++) {
        int64_t none;
        PlanSide side = points_side(p, space, point_of(p, group, l), &none);
        bool inner = low > 0 && points_uniform(p, STREAM_FACE, space, point_of(p, group, l)) < 0.5;
        inner = side == SIDE_both ? inner : side == SIDE_low;
        double length = sqrt(square_of(p, space, group, l));
        factor[l] = (inner ? low : high) / length;
        outward[l] = (inner ? -1 : 1) / length;
    }
    memcpy(normal, x, (size_t)(own->d * PDE_LANES) * real_size(q->precision));
    BY_PRECISION(scale, x, 0, own->d, factor);
    BY_PRECISION(scale, normal, 0, own->d, outward);
}

static void round_project(Points *p, int space, int64_t point, double square) {
    const Space *own = space_of(p, space);
    double low = inner_radius(own), high = outer_radius(own);
    double length = sqrt(square);
    scale_point(p, own, point,
                length > high                ? high / length
                : length > 0 && length < low ? low / length
                                             : 1);
}

static void round_reach(const Space *own, bool diagonal, double range[2]) {
    symmetric(own, diagonal, outer_radius(own), range);
}

/* ---- box ---- */

static void box_inside(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = space_of(p, space);
    (void)group;
    BY_PRECISION(affine, x, 0, own->d, own->argument[1], own->argument[2]);
}

static void box_boundary(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = space_of(p, space);
    void *normal = normals_of(p, space, group);
    box_inside(p, space, group, x);
    clear_rows(q, own->d, normal);
    for (int l = 0; l < PDE_LANES; l++) {
        uint64_t word =
            pde_random_word64(p->seed, stream_of(STREAM_FACE, p->c.role, p->c.task, space), p->step,
                              point_of(p, group, l), 0);
        int64_t face = (int64_t)pde_random_below(word, 2 * (uint64_t)own->d), coordinate;
        PlanSide side = points_side(p, space, point_of(p, group, l), &coordinate);
        if (side != SIDE_both)
            face = 2 * (coordinate < 0 ? face / 2 : coordinate) + (side == SIDE_high);
        real_set(q->precision, x, face / 2 * PDE_LANES + l, own->argument[face % 2 ? 2 : 1]);
        real_set(q->precision, normal, face / 2 * PDE_LANES + l, face % 2 ? 1 : -1);
    }
}

static void box_project(Points *p, int space, int64_t point, double square) {
    const Space *own = space_of(p, space);
    (void)square;
    for (int64_t i = own->first; i < own->first + own->d; i++)
        points_set_coordinate(
            p, point, i,
            between(points_coordinate(p, point, i), own->argument[1], own->argument[2]));
}

static double box_centre(const Space *own) {
    return (own->argument[1] + own->argument[2]) / 2;
}

static void box_reach(const Space *own, bool diagonal, double range[2]) {
    (void)diagonal;
    range[0] = own->argument[1];
    range[1] = own->argument[2];
}

/* ---- torus: inside as a box, without a boundary ---- */

static void torus_project(Points *p, int space, int64_t point, double square) {
    const Space *own = space_of(p, space);
    double low = own->argument[1], width = own->argument[2] - low;
    (void)square;
    for (int64_t i = own->first; i < own->first + own->d; i++) {
        double turns = (points_coordinate(p, point, i) - low) / width;
        points_set_coordinate(p, point, i, low + width * (turns - floor(turns)));
    }
}

/* ---- the whole space ---- */

static void stay(Points *p, int space, int64_t point, double square) {
    (void)p;
    (void)space;
    (void)point;
    (void)square;
}

static void space_reach(const Space *own, bool diagonal, double range[2]) {
    symmetric(own, diagonal, 3, range); /* of a standard normal: nearly all of it */
}

/* ---- simplex: x_i = e_i / (e_0 + .. + e_d) of exponential numbers e is uniform ---- */

static void simplex_inside(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = space_of(p, space);
    double sum[PDE_LANES];
    BY_PRECISION(exponential, x, own->d, sum);
    for (int l = 0; l < PDE_LANES; l++)
        sum[l] =
            1 / (sum[l] - pde_log(points_uniform(p, STREAM_RADIUS, space, point_of(p, group, l))));
    BY_PRECISION(scale, x, 0, own->d, sum);
}

/* The faces x_i = 0 have area 1 / (d - 1)! each, the one where the sum is 1 has sqrt(d) of that. On a face the same
 * holds of the other exponential numbers. */
static void simplex_boundary(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = space_of(p, space);
    double sum[PDE_LANES], root = sqrt((double)own->d);
    void *normal = normals_of(p, space, group);
    BY_PRECISION(exponential, x, own->d, sum);
    clear_rows(q, own->d, normal);
    for (int l = 0; l < PDE_LANES; l++) {
        uint32_t point = point_of(p, group, l);
        double place = points_uniform(p, STREAM_FACE, space, point) * ((double)own->d + root);
        int64_t face = (int64_t)place, coordinate;
        PlanSide side = points_side(p, space, point, &coordinate);
        if (side == SIDE_low && coordinate < 0) /* one of the first d faces */
            coordinate = (int64_t)(place * (double)own->d / ((double)own->d + root));
        if (side != SIDE_both)
            face = side == SIDE_low ? coordinate : own->d;
        if (face < own->d) {
            sum[l] -= real_get(q->precision, x, face * PDE_LANES + l);
            sum[l] -= pde_log(points_uniform(p, STREAM_RADIUS, space, point));
            real_set(q->precision, x, face * PDE_LANES + l, 0);
            real_set(q->precision, normal, face * PDE_LANES + l, -1);
        } else {
            for (int64_t i = 0; i < own->d; i++)
                real_set(q->precision, normal, i * PDE_LANES + l, 1 / root);
        }
        sum[l] = 1 / sum[l];
    }
    BY_PRECISION(scale, x, 0, own->d, sum);
}

static void simplex_project(Points *p, int space, int64_t point, double square) {
    const Space *own = space_of(p, space);
    double sum = 0;
    (void)square;
    for (int64_t i = own->first; i < own->first + own->d; i++) {
        double x = fmax(0, points_coordinate(p, point, i));
        points_set_coordinate(p, point, i, x);
        sum += x;
    }
    scale_point(p, own, point, sum > 1 ? 1 / sum : 1);
}

static double simplex_centre(const Space *own) {
    return 1 / ((double)own->d + 1);
}

static void simplex_reach(const Space *own, bool diagonal, double range[2]) {
    range[0] = 0;
    range[1] = diagonal ? 1 / (double)own->d : 2 / ((double)own->d + 1);
}

/* ---- ellipsoid: x_i = a_i y_i ---- */

static void ellipsoid_inside(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = space_of(p, space);
    double factor[PDE_LANES];
    for (int l = 0; l < PDE_LANES; l++)
        factor[l] =
            radius_of(p, space, point_of(p, group, l), 0, 1) / sqrt(square_of(p, space, group, l));
    BY_PRECISION(scale, x, 0, own->d, factor);
    BY_PRECISION(stretch, x, own->d, own->semiaxis);
}

/* A try at one point of the boundary, from the normals y: a direction y / length, its image's normal over `slope`. */
typedef struct Try {
    double length, slope;
    int64_t longer; /* this entry became longer (to `entry`), -1: none */
    double entry;
    bool accepted;
} Try;

/* The area of an ellipsoid over that of the unit sphere is in proportion to s = sqrt(sum_i (y_i / a_i)^2) there.
 * Directions are proposed by the larger density s^2 + c^2, c^2 the mean of 1 / a_i^2, and kept with the probability
 * 2 c s / (s^2 + c^2), which is 0.57 on average at the least, however different the semiaxes are. The density s^2 is
 * a mixture: entry k, chosen by 1 / a_k^2, has its square lengthened by that of two more normals. */
static Try try_direction(const Points *p, int space, const void *y, int lane, uint32_t point,
                         uint32_t number) {
    const Problem *q = p->c.problem;
    const Space *own = space_of(p, space);
    uint32_t word[4];
    double inverse = 0, square = 0, weighted = 0;
    Try t = {.longer = -1};
    pde_random_block(p->seed, stream_of(STREAM_FACE, p->c.role, p->c.task, space), p->step, point,
                     number, word);
    for (int64_t i = 0; i < own->d; i++) {
        double e = real_get(q->precision, y, i * PDE_LANES + lane), b = 1 / own->semiaxis[i];
        inverse += b * b;
        square += e * e;
        weighted += e * b * (e * b);
    }
    if (pde_uniform(word[0]) < 0.5) {
        double place = pde_uniform(word[1]) * inverse, more = -2 * pde_log(pde_uniform(word[2]));
        int64_t k = 0;
        for (; k + 1 < own->d; k++) {
            double b = 1 / own->semiaxis[k];
            if ((place -= b * b) < 0)
                break;
        }
        double e = real_get(q->precision, y, k * PDE_LANES + lane), b = 1 / own->semiaxis[k];
        t.longer = k;
        t.entry = (e < 0 ? -1 : 1) * sqrt(e * e + more);
        square += more;
        weighted += more * b * b;
    }
    double s = sqrt(weighted / square), c = sqrt(inverse / (double)own->d);
    t.length = sqrt(square);
    t.slope = s;
    t.accepted = pde_uniform(word[3]) * (s * s + c * c) <= 2 * c * s;
    return t;
}

static void ellipsoid_boundary(const Points *p, int space, int64_t group, void *x) {
    const Problem *q = p->c.problem;
    const Space *own = space_of(p, space);
    void *normal =
        normals_of(p, space, group); /* holds the normals of further tries until the end */
    Try found[PDE_LANES] = {{0}};
    for (uint32_t number = 0, left = PDE_LANES; left && number < DOMAIN_TRIES; number++) {
        if (number)
            pde_random_fill(
                p->c.engine, PDE_LAW_NORMAL, p->seed,
                stream_of(STREAM_SPACE, p->c.role, p->c.task, space * DOMAIN_TRIES + (int)number),
                p->step, point_of(p, group, 0), 0, own->d, normal, NULL);
        for (int l = 0; l < PDE_LANES; l++) {
            if (found[l].accepted)
                continue;
            found[l] =
                try_direction(p, space, number ? normal : x, l, point_of(p, group, l), number);
            left -= found[l].accepted;
            for (int64_t i = 0; i < own->d && number; i++)
                real_set(q->precision, x, i * PDE_LANES + l,
                         real_get(q->precision, normal, i * PDE_LANES + l));
        }
    }
    for (int l = 0; l < PDE_LANES; l++) {
        if (found[l].longer >= 0)
            real_set(q->precision, x, found[l].longer * PDE_LANES + l, found[l].entry);
        for (int64_t i = 0; i < own->d; i++) {
            int64_t at = i * PDE_LANES + l;
            double y = real_get(q->precision, x, at) / found[l].length;
            real_set(q->precision, x, at, own->semiaxis[i] * y);
            real_set(q->precision, normal, at, y / (own->semiaxis[i] * found[l].slope));
        }
    }
}

static void ellipsoid_project(Points *p, int space, int64_t point, double square) {
    const Space *own = space_of(p, space);
    double scaled = 0;
    (void)square;
    for (int64_t i = 0; i < own->d; i++) {
        double y = points_coordinate(p, point, own->first + i) / own->semiaxis[i];
        scaled += y * y;
    }
    scale_point(p, own, point, scaled > 1 ? 1 / sqrt(scaled) : 1);
}

static void ellipsoid_reach(const Space *own, bool diagonal, double range[2]) {
    double inverse = 0;
    for (int64_t i = 0; i < (diagonal ? own->d : 1); i++)
        inverse += 1 / (own->semiaxis[i] * own->semiaxis[i]);
    range[1] = 1 / sqrt(inverse);
    range[0] = -range[1];
}

/* ---- the table ---- */

/* In the order of DomainOps. By position: a row that leaves an operation out is a warning, and warnings are errors. */
#define OPERATIONS_ball true, round_inside, round_boundary, round_project, at_zero, round_reach
#define OPERATIONS_box false, box_inside, box_boundary, box_project, box_centre, box_reach
#define OPERATIONS_annulus true, round_inside, round_boundary, round_project, at_zero, round_reach
#define OPERATIONS_torus false, box_inside, NULL, torus_project, box_centre, box_reach
#define OPERATIONS_R false, NULL, NULL, stay, at_zero, space_reach
#define OPERATIONS_simplex                                                                         \
    false, simplex_inside, simplex_boundary, simplex_project, simplex_centre, simplex_reach
#define OPERATIONS_ellipsoid                                                                       \
    true, ellipsoid_inside, ellipsoid_boundary, ellipsoid_project, at_zero, ellipsoid_reach

const DomainOps *domain_of(const Space *x) {
    static const DomainOps table[] = {
#define DOMAIN(name, arguments, argument_names, indexed, bounded, needs, others, text)             \
    {OPERATIONS_##name},
#include "contract/domain.def"
    };
    assert(x->domain < DOMAINS);
    return &table[x->domain];
}
