/* tnn_residual.c: ||H psi - lambda psi|| / ||psi||, within which of lambda an eigenvalue of a self-adjoint H lies.
 *
 * H - lambda is a sum over chains of factors, one for each dimension: nothing yet, a term that is finished, the first
 * factor of a pair that is open. Its square is carried along by pairs of such states, one for either H. Second
 * derivatives are those of the polynomial through the slopes at the nodes of a cell. */
#include "tensor/tnn.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { START, DONE, OPEN, STATES_MAX = OPEN + TNN_CHANNELS_MAX };
enum { ONE, OWN, FIRST, SECOND, FACTORS_MAX = 2 + 2 * TNN_CHANNELS_MAX };

/* From one state to another by a factor. */
typedef struct Move {
    int from, to, factor;
} Move;

typedef struct Residual {
    const Tnn *t;
    const TnnRule *rule;
    int states, factors, moves;
    Move move[2 + 1 + 3 * TNN_CHANNELS_MAX];
    double *slope;  /* [n][n]: of the polynomial through the nodes of a cell */
    double *memory; /* of rows */
    TnnRows rows;
    double *row;      /* [factors][p][q8]: every factor times every function */
    double *weighted; /* [q8] */
    double *gram;     /* [factors * p][factors * p] */
    double *state[2]; /* [p * p][states * states] */
} Residual;

static void list_moves(Residual *r) {
    const TnnProblem *q = &r->t->problem;
    int n = 0;
    r->move[n++] = (Move){START, START, ONE};
    r->move[n++] = (Move){DONE, DONE, ONE};
    r->move[n++] = (Move){START, DONE, OWN};
    for (int m = 0; m < q->channels; m++) {
        r->move[n++] = (Move){START, OPEN + m, FIRST + 2 * m};
        r->move[n++] = (Move){OPEN + m, DONE, SECOND + 2 * m};
        if (q->all_pairs[m])
            r->move[n++] = (Move){OPEN + m, OPEN + m, ONE};
    }
    r->moves = n;
}

/* By barycentric weights. */
static void make_slope(const TnnRule *rule, double *slope) {
    int n = rule->nodes / rule->cells;
    const double *x = rule->at;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
            double log_ratio = 0, sign = 1;
            if (i == j)
                continue;
            for (int k = 0; k < n; k++) { /* w_j / w_i */
                if (k != i) {
                    log_ratio += log(fabs(x[i] - x[k]));
                    sign *= x[i] < x[k] ? -1 : 1;
                }
                if (k != j) {
                    log_ratio -= log(fabs(x[j] - x[k]));
                    sign *= x[j] < x[k] ? -1 : 1;
                }
            }
            slope[i * n + j] = sign * exp(log_ratio) / (x[i] - x[j]);
            sum -= slope[i * n + j];
        }
        slope[i * n + i] = sum;
    }
}

static bool open_residual(Residual *r, const Tnn *t, const TnnRule *rule) {
    int64_t q8 = rule->padded, p = t->config.rank, n = rule->nodes / rule->cells;
    int64_t held = tnn_held_size(&t->config, q8);
    *r = (Residual){.t = t,
                    .rule = rule,
                    .states = OPEN + t->problem.channels,
                    .factors = FIRST + 2 * t->problem.channels};
    list_moves(r);
    int64_t states = (int64_t)r->states * r->states, rows = r->factors * p;
    r->slope = calloc((size_t)(n * n), sizeof(double));
    r->memory = aligned_alloc(
        64, (size_t)tnn_row(held + tnn_shared_size(&t->problem, &t->config, q8)) * sizeof(double));
    r->row = aligned_alloc(64, (size_t)tnn_row(rows * q8 + q8) * sizeof(double));
    r->gram = calloc((size_t)(rows * rows), sizeof(double));
    for (int k = 0; k < 2; k++)
        r->state[k] = calloc((size_t)(p * p * states), sizeof(double));
    if (!r->slope || !r->memory || !r->row || !r->gram || !r->state[0] || !r->state[1])
        return false;
    memset(r->row, 0, (size_t)(rows * q8 + q8) * sizeof(double)); /* padded nodes are not filled */
    r->weighted = r->row + rows * q8;
    r->rows = tnn_rows_at(&t->config, q8, r->memory, r->memory + held);
    make_slope(rule, r->slope);
    return true;
}

static void close_residual(Residual *r) {
    free(r->slope);
    free(r->memory);
    free(r->row);
    free(r->gram);
    free(r->state[0]);
    free(r->state[1]);
}

/* (-a d2/dy2 + v) phi_j of dimension i. */
static void own_factor(Residual *r, int64_t i) {
    const TnnProblem *q = &r->t->problem;
    int64_t q8 = r->rule->padded, p = r->t->config.rank, n = r->rule->nodes / r->rule->cells;
    double stiffness = q->kinetic[i] / (q->half[i] * q->half[i]);
    for (int64_t j = 0; j < p; j++)
        for (int64_t at = 0; at < r->rule->nodes; at++) {
            const double *slope = r->rows.slope + j * q8 + at / n * n;
            double second = 0;
            for (int64_t k = 0; k < n; k++)
                second += r->slope[at % n * n + k] * slope[k];
            r->row[(OWN * p + j) * q8 + at] =
                r->rows.functions[at] * r->rows.phi[j * q8 + at] - stiffness * second;
        }
}

/* gram: of all factors of the dimension that own_factor was called for; own minus energy. */
static void integrate(Residual *r, double energy) {
    const Tnn *t = r->t;
    int64_t q8 = r->rule->padded, p = t->config.rank, rows = r->factors * p;
    for (int64_t j = 0; j < p; j++)
        for (int64_t at = 0; at < r->rule->nodes; at++) {
            double phi = r->rows.phi[j * q8 + at];
            r->row[(ONE * p + j) * q8 + at] = phi;
            r->row[(OWN * p + j) * q8 + at] -= energy * phi;
            for (int f = FIRST; f < r->factors; f++)
                r->row[(f * p + j) * q8 + at] = r->rows.functions[(f - 1) * q8 + at] * phi;
        }
    for (int64_t a = 0; a < rows; a++) {
        for (int64_t at = 0; at < q8; at++)
            r->weighted[at] = r->row[a * q8 + at] * r->rule->weight[at];
        t->ops->dots(r->gram + a * rows, rows, r->weighted, 1, r->row, rows, q8, false);
    }
}

static void step(Residual *r, const double *from, double *to) {
    int64_t p = r->t->config.rank, rows = r->factors * p, n = (int64_t)r->states * r->states;
    memset(to, 0, (size_t)(p * p * n) * sizeof *to);
    for (int64_t j = 0; j < p; j++)
        for (int64_t k = 0; k < p; k++) {
            double norm = sqrt(r->gram[j * rows + j] * r->gram[k * rows + k]);
            for (int a = 0; a < r->moves; a++)
                for (int b = 0; b < r->moves; b++) {
                    const Move *x = &r->move[a], *y = &r->move[b];
                    double g = r->gram[(x->factor * p + j) * rows + y->factor * p + k] / norm;
                    to[(j * p + k) * n + x->to * r->states + y->to] +=
                        g * from[(j * p + k) * n + x->from * r->states + y->from];
                }
        }
}

/* What dimension i has of the energy, about: that of the first function. */
static double energy_of(Residual *r, int64_t i) {
    int64_t q8 = r->rule->padded, p = r->t->config.rank;
    double own = 0, one = 0;
    tnn_hidden(r->t, r->rule, i, &r->rows);
    tnn_output(r->t, r->rule, i, &r->rows);
    tnn_functions_at(r->t, r->rule, i, &r->rows);
    own_factor(r, i);
    for (int64_t at = 0; at < r->rule->nodes; at++) {
        double phi = r->rows.phi[at], w = r->rule->weight[at];
        own += w * phi * r->row[OWN * p * q8 + at];
        one += w * phi * phi;
    }
    return one > 0 ? own / one : 0;
}

double tnn_residual(const Tnn *t, const TnnRule *rule, double lambda) {
    assert(rule->cells > 0 && rule->nodes % rule->cells == 0);
    Residual r;
    double out = (double)NAN, rest = lambda - t->problem.constant, norm = 0, square = 0;
    int64_t p = t->config.rank, d = t->problem.d;
    if (open_residual(&r, t, rule)) {
        for (int64_t i = 0; i < d; i++)
            rest -= energy_of(&r, i);
        int64_t n = (int64_t)r.states * r.states;
        for (int64_t k = 0; k < p * p; k++)
            r.state[0][k * n + START * r.states + START] = 1;
        for (int64_t i = 0; i < d;
             i++) { /* small numbers are added: little is lost by cancellation */
            integrate(&r, energy_of(&r, i) + rest / (double)d);
            step(&r, r.state[i % 2], r.state[(i + 1) % 2]);
        }
        const double *c = tnn_coefficients(t), *last = r.state[d % 2];
        for (int64_t k = 0; k < p * p; k++) {
            norm += c[k / p] * c[k % p] * last[k * n + START * r.states + START];
            square += c[k / p] * c[k % p] * last[k * n + DONE * r.states + DONE];
        }
        out = norm > 0 ? sqrt(fmax(square, 0) / norm) : (double)NAN;
    }
    close_residual(&r);
    return out;
}
