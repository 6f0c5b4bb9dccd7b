/* parts.c: see parts.h; and the table of the domains. */
#include "step/domain/parts.h"

#include "contract/rng.h"
#include "engine/real.h"
#include "engine/tree_sum.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static const double BY_DRIFT = 0.25; /* part of the gap that a step's drift may take */
static const double BY_NOISE = 0.3;  /* standard deviation of a step, in parts of the gap */

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

void parts_scale(const Problem *q, void *x, int64_t d, const double *factor) {
    BY_PRECISION(scale, x, 0, d, factor);
}

void parts_affine(const Problem *q, void *x, int64_t d, double a, double b) {
    BY_PRECISION(affine, x, 0, d, a, b);
}

void parts_exponential(const Problem *q, void *x, int64_t d, double sum[PDE_LANES]) {
    BY_PRECISION(exponential, x, d, sum);
}

void parts_stretch(const Problem *q, void *x, int64_t d, const double *by) {
    BY_PRECISION(stretch, x, d, by);
}

uint32_t parts_point(const Points *p, int64_t group, int lane) {
    return p->first + (uint32_t)(group * PDE_LANES + lane);
}

const Space *parts_space(const Points *p, int space) {
    assert(space >= 0 && space < p->c.problem->spaces);
    return &p->c.problem->space[space];
}

void *parts_normals(const Points *p, int space, int64_t group) {
    const Problem *q = p->c.problem;
    assert(p->normal);
    return real_at(q->precision, p->normal, (group * q->d + q->space[space].first) * PDE_LANES);
}

void parts_clear(const Problem *q, int64_t rows, void *x) {
    memset(x, 0, (size_t)(rows * PDE_LANES) * real_size(q->precision));
}

double parts_square(const Points *p, int space, int64_t group, int lane) {
    TreeSum sum = {0};
    for (int64_t c = p->chunk[space]; c < p->chunk[space + 1]; c++)
        tree_sum_leaf(&sum, p->partial[(group * p->chunks + c) * PDE_LANES + lane]);
    return tree_sum(&sum);
}

void parts_scale_point(Points *p, const Space *x, int64_t point, double factor) {
    for (int64_t i = x->first; i < x->first + x->d && factor != 1; i++)
        points_set_coordinate(p, point, i, factor * points_coordinate(p, point, i));
}

double parts_at_zero(const Space *x) {
    (void)x;
    return 0;
}

void parts_symmetric(const Space *x, bool diagonal, double reach, double range[2]) {
    range[1] = diagonal ? reach / sqrt((double)x->d) : reach;
    range[0] = -range[1];
}

double parts_least(double a, double b) {
    return a < b ? a : b;
}

double parts_time_to(double gap, double towards, double variance, double longer) {
    double by_drift = towards > 0 ? longer * BY_DRIFT * gap / towards : HUGE_VAL;
    double by_noise = variance > 0 ? longer * BY_NOISE * BY_NOISE * gap * gap / variance : HUGE_VAL;
    return parts_least(by_drift, by_noise);
}

/* ---- the table: the rows are in the other files; one that is missing does not link ---- */

#define DOMAIN(name, ...) extern const DomainOps domain_##name;
#include "contract/domain.def"

const DomainOps *domain_of(const Space *x) {
    static const DomainOps *const table[] = {
#define DOMAIN(name, ...) &domain_##name,
#include "contract/domain.def"
    };
    assert(x->domain < DOMAINS);
    return table[x->domain];
}

bool parts_ends(const Space *own, int64_t coordinate, int side) {
    return own->reflects ? !own->reflects[2 * coordinate + side] : !own->reflects_all;
}

static bool any_part(const Space *own, bool reflecting) {
    bool any = !own->reflects && own->reflects_all == reflecting;
    for (int64_t k = 0; own->reflects && k < 2 * own->d && !any; k++)
        any = own->reflects[k] == reflecting;
    return any;
}

bool domain_ends(const Space *own) {
    return any_part(own, false);
}

bool domain_reflects(const Space *own) {
    return any_part(own, true);
}

void parts_nearer(DomainPart *best, double gap, int64_t coordinate, int side) {
    if (gap < best->gap)
        *best = (DomainPart){gap, coordinate, side};
}
