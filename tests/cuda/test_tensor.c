/* Eigenproblems of tensor networks by the kernels of a device, run as C on the host (emulate.c)
 * with threads in three orders, against LAPACK: single problems A v = e B v that are hard, and
 * passes over the output layers of whole networks, also with pairs of all dimensions, which no
 * example has. The bits must not depend on the order.
 *
 *     test_cuda_tensor [largest]
 *
 * largest: rows of the largest problem; more than the threads of a block unless told. */
#include "emulate.h"
#include "runtime/cuda/tensor/device_tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORDERS = 3 };

static const Problem no_problem = {.precision = PDE_F64};
static int failures;

static void check(bool good, const char *what, double found, double wanted) {
    if (good)
        return;
    printf("%s: %.17g, wanted %.17g\n", what, found, wanted);
    failures++;
}

static void near(const char *what, double found, double wanted, double tolerance) {
    check(fabs(found - wanted) <= tolerance, what, found, wanted);
}

/* ---------------------------------------------------------------------------- single problems */

static double uniform(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0 - 0.5;
}

/* Q = product of random reflections: orthogonal. */
static void orthogonal(int n, double *Q) {
    double *v = malloc((size_t)n * sizeof *v);
    for (int k = 0; k < n * n; k++)
        Q[k] = k % (n + 1) == 0;
    for (int r = 0; r < 3; r++) {
        double square = 0;
        for (int k = 0; k < n; k++) {
            v[k] = uniform();
            square += v[k] * v[k];
        }
        for (int i = 0; i < n; i++) {
            double along = 0;
            for (int k = 0; k < n; k++)
                along += Q[i * n + k] * v[k];
            for (int k = 0; k < n; k++)
                Q[i * n + k] -= 2 * along * v[k] / square;
        }
    }
    free(v);
}

/* M = Q' diag(value) Q */
static void with_values(int n, const double *Q, const double *value, double *M) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += value[k] * Q[k * n + i] * Q[k * n + j];
            M[i * n + j] = sum;
        }
}

static double form(int n, const double *M, const double *v) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum += v[i] * M[i * n + j] * v[j];
    return sum;
}

static void *kept_buffer(CudaTensor *c, size_t bytes) {
    return c->buffer[c->buffers++] = backend_allocate(c->backend, bytes);
}

/* The device's vector; false: it has none. */
static bool device_lowest(int n, const double *A, const double *B, int order, double *vector) {
    size_t square = (size_t)n * (size_t)n;
    Tnn t = {.config = {.rank = 1}};
    CudaTensor *c = calloc(1, sizeof *c);
    DevState state = {.loss = 0};
    Error error = {0};
    *c = (CudaTensor){.t = &t, .backend = emulate_backend(&no_problem, 0, 0, order), .block = 1};
    cuda_engine_kernels(c->backend, c->kernel);
    c->net = (DevTensor){.d = 1, .p = 1, .h = n - 1, .size = n, .matrices = 2};
    c->net.state = kept_buffer(c, sizeof state);
    c->net.theta = kept_buffer(c, (size_t)n * sizeof(double));
    cuda_tensor_open_features(c);
    backend_upload(c->backend, c->features, B, square * sizeof(double));
    backend_upload(c->backend, c->features + square, A, square * sizeof(double));
    cuda_tensor_spectrum(c, 1);
    cuda_tensor_lowest(c, 0, 1);
    backend_download(c->backend, vector, c->net.theta, (size_t)n * sizeof(double));
    backend_download(c->backend, &state, c->net.state, sizeof state);
    check(backend_status(c->backend, &error) == STATUS_OK, error.message, 0, 0);
    cuda_tensor_close(c);
    return !state.unsolved;
}

static bool host_lowest(int n, const double *A, const double *B, double *value) {
    size_t square = (size_t)n * (size_t)n;
    double *memory = malloc((2 * square + (size_t)n + (size_t)tnn_lowest_work(n)) * sizeof(double));
    memcpy(memory, A, square * sizeof(double));
    memcpy(memory + square, B, square * sizeof(double));
    bool ok =
        tnn_lowest(n, memory, memory + square, memory + 2 * square, value, memory + 2 * square + n);
    free(memory);
    return ok;
}

/* Both find the same, to `tolerance` of the eigenvalue or of 1. */
static void compare(const char *name, int n, const double *A, const double *B, double tolerance) {
    double value = 0, *v = calloc((size_t)(ORDERS * n), sizeof *v);
    bool host = host_lowest(n, A, B, &value);
    for (int order = 0; order < ORDERS; order++) {
        double *mine = v + order * n;
        bool device = device_lowest(n, A, B, order, mine);
        check(host == device, name, device, host);
        if (!host || !device)
            continue;
        double norm = form(n, B, mine), scale = fmax(fabs(value), 1);
        near(name, form(n, A, mine) / norm, value, tolerance * scale);
        near("its norm", norm, 1, tolerance);
        check(memcmp(mine, v, (size_t)n * sizeof *v) == 0, "another order, other bits", order, 0);
    }
    free(v);
}

typedef struct Matrices {
    int n;
    double *A, *B, *Q, *value;
} Matrices;

static Matrices matrices_of(int n) {
    size_t square = (size_t)n * (size_t)n;
    double *memory = calloc(3 * square + 2 * (size_t)n, sizeof *memory);
    return (Matrices){n, memory, memory + square, memory + 2 * square, memory + 3 * square};
}

static void any_matrices(int n, double tolerance) {
    Matrices m = matrices_of(n);
    orthogonal(n, m.Q);
    for (int k = 0; k < n; k++)
        m.value[k] = 1.5 + uniform();
    with_values(n, m.Q, m.value, m.B);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            m.A[i * n + j] = m.A[j * n + i] = 4 * uniform();
    compare("any matrices", n, m.A, m.B, tolerance);
    free(m.A);
}

/* B has eigenvalues from 1 to far below what is kept, none near 1e-11; A the same vectors, so that
 * the quotients are 1, 1 + 1/n, ...; below the cut a smaller one would be. */
static void nearly_singular(int n, int lowest) {
    Matrices m = matrices_of(n);
    double *a = m.value + n;
    orthogonal(n, m.Q);
    for (int k = 0; k < n; k++) {
        double exponent = 16.0 * k / (n - 1);
        exponent += exponent > 9.5 && exponent < 12 ? 2.5 : 0;
        m.value[k] = pow(10, -exponent);
        a[k] = m.value[k] * (k < lowest ? 1 : 2 + (double)k / n);
    }
    with_values(n, m.Q, m.value, m.B);
    with_values(n, m.Q, a, m.A);
    compare("B is nearly singular", n, m.A, m.B, 1e-5);
    free(m.A);
}

/* The same feature twice, and a feature that is zero: B is singular; the lowest value is multiple.
 */
static void degenerate(int n, int lowest) {
    Matrices m = matrices_of(n);
    for (int k = 0; k < n; k++) {
        m.B[k * n + k] = k < n - 1;
        m.A[k * n + k] = k < lowest ? -2 : k < n - 1 ? 3 + k : 0;
    }
    if (n > 4) {
        m.B[2 * n + 3] = m.B[3 * n + 2] = 1;
        m.A[2 * n + 3] = m.A[3 * n + 2] = m.A[3 * n + 3] = m.A[2 * n + 2];
    }
    compare("multiple lowest value", n, m.A, m.B, 1e-12);
    free(m.A);
}

/* Entries of A over many orders of magnitude. */
static void graded(int n, double orders) {
    Matrices m = matrices_of(n);
    for (int i = 0; i < n; i++) {
        m.B[i * n + i] = 1;
        for (int j = 0; j <= i; j++)
            m.A[i * n + j] = m.A[j * n + i] =
                (uniform() + 3 * (i == j)) * pow(10, -orders * (i + j) / (2 * n));
    }
    compare("graded", n, m.A, m.B, 1e-13);
    free(m.A);
}

/* What is below 1e-11 of the largest eigenvalue of B is left out, what is above is not. */
static void the_cut(void) {
    const double B[] = {1, 0, 0, 0, 2e-11, 0, 0, 0, 0.5e-11};
    const double A[] = {1, 0, 0, 0, 1e-11, 0, 0, 0, -2.5e-11};
    double v[3] = {0}, value = 0;
    compare("the cut", 3, A, B, 1e-12);
    check(host_lowest(3, A, B, &value) && fabs(value - 0.5) < 1e-12, "the host's cut", value, 0.5);
    check(device_lowest(3, A, B, 0, v), "the cut has a solution", 0, 1);
    near("the direction above the cut", fabs(v[1]) * sqrt(2e-11), 1, 1e-12);
    near("the direction below the cut", v[2], 0, 0);
}

static void no_solution(void) {
    enum { N = 5 };
    double A[N * N], B[N * N], v[N];
    for (int bad = 0; bad < 5; bad++) {
        for (int k = 0; k < N * N; k++)
            A[k] = B[k] = k % (N + 1) == 0;
        if (bad == 0)
            A[7] = A[11] = (double)NAN;
        else if (bad == 1)
            B[7] = B[11] = (double)NAN;
        else if (bad == 2)
            A[0] = (double)INFINITY;
        for (int k = 0; k < N && bad >= 3; k++)
            B[k * (N + 1)] = bad == 3 ? 0 : -1;
        for (int order = 0; order < ORDERS; order++)
            check(!device_lowest(N, A, B, order, v), "a problem without a solution", bad, order);
    }
}

static void single_problems(int largest) {
    const int size[] = {1, 2, 3, 7, 9, 32, 33, 70};
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        any_matrices(size[k], 1e-12);
    any_matrices(largest, 1e-11);
    nearly_singular(9, 1);
    nearly_singular(33, 1);
    nearly_singular(40, 3);
    degenerate(2, 1);
    degenerate(6, 2);
    degenerate(33, 33);
    for (int k = 0; k < 4; k++)
        graded(20 + k, 4 * k);
    const double zero[4] = {0}, unit[4] = {1, 0, 0, 1};
    compare("A is zero", 2, zero, unit, 1e-14);
    compare("one number", 1, (const double[]){-3}, (const double[]){4}, 1e-14);
    the_cut();
    no_solution();
}

/* ------------------------------------------------------------------------------------- networks */

enum { DIMENSIONS = 70 }; /* more than a launch of a sweep takes */

static double centre[DIMENSIONS], half[DIMENSIONS], kinetic[DIMENSIONS];

/* Oscillators; neighbours pull at each other, and all pairs a little, with functions that are not
 * each other's. */
static void functions(void *context, int64_t first, int64_t count, int64_t n, const double *y,
                      double *out) {
    int channels = *(const int *)context;
    for (int64_t i = 0; i < count * n; i++) {
        double x = y[i], pair[] = {-0.5 * x, x, 0.02 * x * x, cos(x)};
        out[i] = (1 + 0.01 * (double)(first + i / n)) * x * x;
        for (int m = 0; m < 2 * channels; m++)
            out[(m + 1) * count * n + i] = pair[m];
    }
}

typedef struct Shape {
    int64_t d;
    int channels, rank, parts, width, passes;
} Shape;

static TnnModule module_of(Shape shape) {
    static int coupled;
    TnnModule m = {.solver = SOLVER_EIGEN, .settings = {.accumulate = shape.parts}};
    m.config = (TnnConfig){.rank = shape.rank,
                           .width = shape.width,
                           .depth = 2,
                           .cells = 1,
                           .nodes = shape.width + 8,
                           .threads = 1,
                           .seed = 3};
    TnnProblem problem = {.d = shape.d,
                          .channels = shape.channels,
                          .all_pairs = {false, true},
                          .constant = 0.25,
                          .centre = centre,
                          .half = half,
                          .kinetic = kinetic,
                          .functions = functions,
                          .context = &coupled};
    Error error = {0};
    coupled = shape.channels;
    for (int i = 0; i < DIMENSIONS; i++) {
        centre[i] = 0.1;
        half[i] = 4;
        kinetic[i] = 1;
    }
    check(tnn_create(&problem, &m.config, 1, &m.tnn, &error) == STATUS_OK, error.message, 0, 0);
    check(tnn_rule_create(2, m.config.nodes, &m.fine, &error) == STATUS_OK, error.message, 0, 0);
    return m;
}

static void free_module(TnnModule *m) {
    tnn_free(&m->tnn);
    tnn_rule_free(&m->fine);
}

/* Passes on the device; all parameters afterwards. found: the value, and that on the finer rule. */
static Status device_passes(TnnModule *m, int passes, int order, double *found, Error *error) {
    CudaTensor *c = NULL;
    Backend *backend = emulate_backend(&no_problem, (int)m->config.activation, 0, order);
    Status status = cuda_tensor_open(m, backend, &c, error);
    if (status == STATUS_OK)
        status = cuda_tensor_push(c, error);
    for (int k = 0; k < passes && status == STATUS_OK; k++)
        status = cuda_tensor_solve(c, error);
    if (status == STATUS_OK)
        status = cuda_tensor_value(c, &found[0], error);
    if (status == STATUS_OK)
        status = cuda_tensor_pull(c, error);
    if (status == STATUS_OK)
        status = cuda_tensor_score(c, &found[1], error);
    cuda_tensor_close(c);
    return status;
}

/* The value, that it is the value of the parameters, and their score. */
static void network(const char *name, Shape shape) {
    double wanted = 0, found[2] = {0}, first = 0, score = 0;
    Error error = {0};
    TnnModule host = module_of(shape);
    for (int k = 0; k < shape.passes; k++)
        check(tnn_solve(&host.tnn, &wanted, &error) == STATUS_OK, error.message, 0, 0);
    for (int order = 0; order < ORDERS; order++) {
        TnnModule m = module_of(shape);
        check(device_passes(&m, shape.passes, order, found, &error) == STATUS_OK, error.message, 0,
              0);
        first = order == 0 ? found[0] : first;
        near(name, found[0], wanted, 1e-8 * fabs(wanted));
        near("the value of the parameters", tnn_value(&m.tnn), found[0], 1e-8 * fabs(wanted));
        check(found[0] == first, "another order, another value", found[0], first);
        check(tnn_score(&m.tnn, &m.fine, &score, &error) == STATUS_OK, error.message, 0, 0);
        near("the score", found[1], score, 1e-12 * fabs(score));
        free_module(&m);
    }
    free_module(&host);
}

/* Both say the same of a network that is not finite. */
static void unsolved(int rank) {
    double value, found[2];
    Error mine = {0}, other = {0};
    TnnModule m = module_of((Shape){3, rank > 1 ? 2 : 0, rank, 1, 6, 1});
    m.tnn.theta[m.tnn.size + 1] = (double)NAN;
    check(device_passes(&m, 1, 0, found, &mine) == STATUS_NON_FINITE, mine.message, rank, 0);
    check(tnn_solve(&m.tnn, &value, &other) == STATUS_NON_FINITE, other.message, rank, 0);
    check(strcmp(mine.message, other.message) == 0, mine.message, rank, 0);
    free_module(&m);
}

int main(int argc, char **argv) {
    single_problems(argc > 1 ? atoi(argv[1]) : DEV_THREADS + 5);
    network("independent", (Shape){5, 0, 1, 1, 6, 3});
    network("independent, in parts", (Shape){5, 0, 1, 2, 6, 3});
    network("independent, of rank 2", (Shape){3, 0, 2, 1, 6, 3});
    network("neighbours", (Shape){4, 1, 3, 1, 6, 3});
    network("neighbours, of rank 1", (Shape){DIMENSIONS, 1, 1, 1, 6, 3});
    network("all pairs", (Shape){5, 2, 1, 1, 6, 3});
    network("all pairs, in parts", (Shape){5, 2, 3, 3, 6, 3});
    network("neighbours, wide", (Shape){2, 1, 4, 1, 32, 12});
    unsolved(1);
    unsolved(2);
    printf("%s\n", failures ? "FAILED" : "ok");
    return failures > 0;
}
