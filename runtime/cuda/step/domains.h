/* domains.h: the domains on a device, all that is particular to one: the arguments of its kernels, the kernels, and
 * what launches them, as runtime/step/domain/ has them for the processor, with the same numbers.
 * It is read three ways: by everyone for the arguments; by the compiler of kernels, where KERNEL is defined (after
 * kernels/points.cuh); and by domain.c for the launches, where DOMAIN_LAUNCHES is. */
#ifndef PDE_RUNTIME_CUDA_STEP_DOMAINS_H
#define PDE_RUNTIME_CUDA_STEP_DOMAINS_H

/* Rows of abi/engine.def: a kernel and its arguments. */
#define DOMAIN_KERNELS(ROW)                                                                        \
    ROW(simplex, DevSimplex)                                                                       \
    ROW(stretch, DevStretch)                                                                       \
    ROW(ellipsoid, DevEllipsoid)                                                                   \
    ROW(box_back, DevProject)                                                                      \
    ROW(simplex_back, DevProject)                                                                  \
    ROW(ellipsoid_back, DevProject)

/* Uniform numbers become points of the simplex; of its boundary where there are normals. */
typedef struct DevSimplex {
    const DevState *state;
    DevReal *x, *normal;
    int64_t stride, normal_stride, d, points;
    uint64_t seed;
    uint32_t radius_stream, face_stream;
} DevSimplex;

typedef struct DevStretch {
    DevReal *x;
    int64_t stride, d, groups;
    const double *semiaxis; /* [d] */
} DevStretch;

/* Points of an ellipsoid's boundary, and the normals. */
typedef struct DevEllipsoid {
    const DevState *state;
    DevReal *x, *normal;
    int64_t stride, normal_stride, d, points, tries;
    const double *semiaxis; /* [d] */
    uint64_t seed;
    uint32_t space_stream, face_stream;
} DevEllipsoid;

#endif

#ifdef KERNEL /* ---------------------------------------------------------------- the kernels */

/* Row 0 of a point. */
DEVICE int64_t first_row(int64_t point, int64_t stride) {
    return point / PDE_LANES * stride + point % PDE_LANES;
}

KERNEL(simplex, DevSimplex) {
    int64_t point = thread_number(), face = a.d;
    if (point >= a.points)
        return;
    real *x = a.x + first_row(point, a.stride);
    double sum = 0, root = pde_sqrt((double)a.d);
    for (int64_t i = 0; i < a.d; i++) {
        x[i * PDE_LANES] = -PDE_FN(log_unit)(x[i * PDE_LANES]);
        sum += (double)x[i * PDE_LANES];
    }
    if (a.normal) {
        real *normal = a.normal + first_row(point, a.normal_stride);
        double place = uniform_of(a.state, a.seed, a.face_stream, point) * ((double)a.d + root);
        face = (int64_t)place;
        for (int64_t i = 0; i < a.d; i++)
            normal[i * PDE_LANES] =
                face < a.d ? (i == face ? (real)-1 : (real)0) : (real)(1 / root);
        if (face < a.d) {
            sum -= (double)x[face * PDE_LANES];
            x[face * PDE_LANES] = 0;
        }
    }
    if (!a.normal || face < a.d)
        sum -= pde_log(uniform_of(a.state, a.seed, a.radius_stream, point));
    real factor = (real)(1 / sum);
    for (int64_t i = 0; i < a.d; i++)
        x[i * PDE_LANES] *= factor;
}

KERNEL(stretch, DevStretch) {
    int64_t i = thread_number(), rows = a.d * PDE_LANES, group = i / rows, at = i % rows;
    if (group < a.groups)
        a.x[group * a.stride + at] *= (real)a.semiaxis[at / PDE_LANES];
}

/* Normals of rows 4 quad .. 4 quad + 3. */
DEVICE void normal_quad(const DevEllipsoid *a, uint32_t stream, uint32_t number, int64_t quad,
                        real y[4]) {
    uint32_t word[4];
    pde_random_block(a->seed, stream, a->state->now.draw, number, (uint32_t)quad, word);
    PDE_FN(normal_pair)(word[0], word[1], &y[0], &y[1]);
    PDE_FN(normal_pair)(word[2], word[3], &y[2], &y[3]);
}

KERNEL(ellipsoid, DevEllipsoid) {
    int64_t point = thread_number();
    if (point >= a.points)
        return;
    real *x = a.x + first_row(point, a.stride),
         *normal = a.normal + first_row(point, a.normal_stride);
    uint32_t number = point_number(a.state, point), word[4];
    double square = 1, slope = 1, inverse = 0;
    for (int64_t i = 0; i < a.d; i++)
        inverse += 1 / a.semiaxis[i] * (1 / a.semiaxis[i]);
    for (uint32_t attempt = 0, found = 0; !found && attempt < (uint32_t)a.tries; attempt++) {
        double weighted = 0, entry = 0;
        int64_t longer = -1;
        square = 0;
        pde_random_block(a.seed, a.face_stream, a.state->now.draw, number, attempt, word);
        double place = pde_uniform(word[1]) * inverse, more = -2 * pde_log(pde_uniform(word[2]));
        for (int64_t quad = 0; quad * 4 < a.d; quad++) {
            real y[4];
            normal_quad(&a, a.space_stream | attempt << 16, number, quad, y);
            for (int m = 0; m < 4 && quad * 4 + m < a.d; m++) {
                int64_t i = quad * 4 + m;
                double e = (double)y[m], b = 1 / a.semiaxis[i];
                x[i * PDE_LANES] = y[m];
                square += e * e;
                weighted += e * b * (e * b);
                if (longer < 0 && ((place -= b * b) < 0 || i + 1 == a.d)) {
                    longer = i;
                    entry = (e < 0 ? -1 : 1) * pde_sqrt(e * e + more);
                }
            }
        }
        if (pde_uniform(word[0]) < 0.5) {
            double b = 1 / a.semiaxis[longer];
            x[longer * PDE_LANES] = (real)entry;
            square += more;
            weighted += more * b * b;
        }
        slope = pde_sqrt(weighted / square);
        double c = pde_sqrt(inverse / (double)a.d);
        found = pde_uniform(word[3]) * (slope * slope + c * c) <= 2 * c * slope;
    }
    for (int64_t i = 0; i < a.d; i++) {
        double y = (double)x[i * PDE_LANES] / pde_sqrt(square);
        x[i * PDE_LANES] = (real)(a.semiaxis[i] * y);
        normal[i * PDE_LANES] = (real)(y / (a.semiaxis[i] * slope));
    }
}

/* ---- back into the domain after an attack's move ---- */

KERNEL(box_back, DevProject) {
    int64_t point = thread_number();
    if (point >= a.points)
        return;
    real *x = a.x + first_row(point, a.stride);
    for (int64_t i = 0; i < a.d; i++) {
        double to = (double)x[i * PDE_LANES];
        x[i * PDE_LANES] = (real)(to < a.low ? a.low : to > a.high ? a.high : to);
    }
}

DEVICE void scale_back(const DevProject *a, real *x, double factor) {
    for (int64_t i = 0; i < a->d && factor != 1; i++)
        x[i * PDE_LANES] = (real)(factor * (double)x[i * PDE_LANES]);
}

KERNEL(simplex_back, DevProject) {
    int64_t point = thread_number();
    if (point >= a.points)
        return;
    real *x = a.x + first_row(point, a.stride);
    double sum = 0;
    for (int64_t i = 0; i < a.d; i++) {
        if (x[i * PDE_LANES] < 0)
            x[i * PDE_LANES] = 0;
        sum += (double)x[i * PDE_LANES];
    }
    scale_back(&a, x, sum > 1 ? 1 / sum : 1);
}

KERNEL(ellipsoid_back, DevProject) {
    int64_t point = thread_number();
    if (point >= a.points)
        return;
    real *x = a.x + first_row(point, a.stride);
    double scaled = 0;
    for (int64_t i = 0; i < a.d; i++) {
        double y = (double)x[i * PDE_LANES] / a.semiaxis[i];
        scaled += y * y;
    }
    scale_back(&a, x, scaled > 1 ? 1 / pde_sqrt(scaled) : 1);
}

#endif

#ifdef DOMAIN_LAUNCHES /* ---------------------------------------------------- their launches */

/* ---- ball and annulus ---- */

static bool is_ring(const CudaTask *t) {
    return t->s->host->problem->space[0].domain == DOMAIN_annulus;
}

static double inner_radius(const CudaTask *t) {
    return is_ring(t) ? t->s->host->problem->space[0].argument[1] : 0;
}

static double outer_radius(const CudaTask *t) {
    return t->s->host->problem->space[0].argument[is_ring(t) ? 2 : 1];
}

static void round_inside(CudaTask *t) {
    put_radius(t, inner_radius(t), outer_radius(t), is_ring(t), false);
}

static void round_boundary(CudaTask *t) {
    put_radius(t, inner_radius(t), outer_radius(t), is_ring(t), true);
}

static void round_project(CudaTask *t) {
    CudaSession *s = t->s;
    const Problem *q = s->host->problem;
    int64_t lanes = lanes_of(t), n = lanes * q->d;
    DevInside inside = {.partial = t->partial,
                        .factor = t->factor,
                        .chunks = cuda_points_norms(t),
                        .points = s->host->settings.points,
                        .lanes = lanes,
                        .low = inner_radius(t),
                        .high = outer_radius(t)};
    CUDA_EACH(s, inside, inside, lanes, 8 * (double)(lanes * inside.chunks));
    DevScale scale = {
        .x = t->x, .stride = x_stride(t), .d = q->d, .groups = s->groups, .factor = t->factor};
    CUDA_EACH(s, scale, scale, n, rows_moved(t, 3));
}

/* ---- box ---- */

static void draw_box(CudaTask *t, void *normal) {
    CudaSession *s = t->s;
    const Problem *q = s->host->problem;
    cuda_points_numbers(t, false);
    DevBox a = {.state = t->state,
                .x = t->x,
                .normal = normal,
                .stride = x_stride(t),
                .normal_stride = normal_stride(t),
                .d = q->d,
                .groups = s->groups,
                .low = q->space[0].argument[1],
                .high = q->space[0].argument[2],
                .seed = s->host->settings.seed,
                .stream = cuda_points_stream(t, STREAM_FACE)};
    CUDA_EACH(s, box, a, lanes_of(t) * q->d, rows_moved(t, normal ? 3 : 2));
}

static void box_inside(CudaTask *t) {
    draw_box(t, NULL);
}

static void box_boundary(CudaTask *t) {
    draw_box(t, t->normal);
}

static void box_project(CudaTask *t) {
    DevProject a = projection(t);
    CUDA_EACH(t->s, box_back, a, a.points, rows_moved(t, 2));
}

/* ---- the whole space ---- */

static void stay(CudaTask *t) {
    (void)t;
}

/* ---- simplex ---- */

static void draw_simplex(CudaTask *t, void *normal) {
    CudaSession *s = t->s;
    cuda_points_numbers(t, false);
    DevSimplex a = {.state = t->state,
                    .x = t->x,
                    .normal = normal,
                    .stride = x_stride(t),
                    .normal_stride = normal_stride(t),
                    .d = s->host->problem->d,
                    .points = lanes_of(t),
                    .seed = s->host->settings.seed,
                    .radius_stream = cuda_points_stream(t, STREAM_RADIUS),
                    .face_stream = cuda_points_stream(t, STREAM_FACE)};
    CUDA_EACH(s, simplex, a, a.points, rows_moved(t, normal ? 5 : 4));
}

static void simplex_inside(CudaTask *t) {
    draw_simplex(t, NULL);
}

static void simplex_boundary(CudaTask *t) {
    draw_simplex(t, t->normal);
}

static void simplex_project(CudaTask *t) {
    DevProject a = projection(t);
    CUDA_EACH(t->s, simplex_back, a, a.points, rows_moved(t, 4));
}

/* ---- ellipsoid ---- */

static void ellipsoid_inside(CudaTask *t) {
    CudaSession *s = t->s;
    put_radius(t, 0, 1, false, false);
    DevStretch a = {.x = t->x,
                    .stride = x_stride(t),
                    .d = s->host->problem->d,
                    .groups = s->groups,
                    .semiaxis = s->semiaxis};
    CUDA_EACH(s, stretch, a, lanes_of(t) * a.d, rows_moved(t, 2));
}

static void ellipsoid_boundary(CudaTask *t) {
    CudaSession *s = t->s;
    assert(t->normal && s->semiaxis);
    DevEllipsoid a = {.state = t->state,
                      .x = t->x,
                      .normal = t->normal,
                      .stride = x_stride(t),
                      .normal_stride = normal_stride(t),
                      .d = s->host->problem->d,
                      .points = lanes_of(t),
                      .tries = DOMAIN_TRIES,
                      .semiaxis = s->semiaxis,
                      .seed = s->host->settings.seed,
                      .space_stream = cuda_points_stream(t, STREAM_SPACE),
                      .face_stream = cuda_points_stream(t, STREAM_FACE)};
    CUDA_EACH(s, ellipsoid, a, a.points, rows_moved(t, 5));
}

static void ellipsoid_project(CudaTask *t) {
    DevProject a = projection(t);
    CUDA_EACH(t->s, ellipsoid_back, a, a.points, rows_moved(t, 3));
}

/* ---- the rows ---- */

/* In the order of DeviceDomain. By position: a row that leaves an operation out is a warning, and warnings are errors. */
#define OPERATIONS_ball round_inside, round_boundary, round_project
#define OPERATIONS_box box_inside, box_boundary, box_project
#define OPERATIONS_annulus round_inside, round_boundary, round_project
#define OPERATIONS_torus box_inside, NULL, stay
#define OPERATIONS_R NULL, NULL, stay
#define OPERATIONS_simplex simplex_inside, simplex_boundary, simplex_project
#define OPERATIONS_ellipsoid ellipsoid_inside, ellipsoid_boundary, ellipsoid_project

#endif
