/* tnn_dimension.c: one dimension: its network with the derivative carried forward, its integrals,
 * and the way back. Parameters of a dimension: w[h], b[h] of the first layer, W[h][h] (in, out) and
 * b[h] of each further hidden layer, W[h][p] and b[p] of the output. */
#include "tensor/tnn.h"

#include <assert.h>
#include <string.h>

enum { SIGMA, SLOPE, CURVE, TANGENT_IN, TANGENT_OUT, PARTS };

static int64_t widest(const TnnConfig *c) {
    return c->width > c->rank ? c->width : c->rank;
}

int64_t tnn_held_size(const TnnConfig *c, int64_t q8) {
    assert(c->depth >= 2 && q8 > 0);
    return (2 * (int64_t)c->rank + (int64_t)(c->depth - 1) * PARTS * c->width) * q8;
}

int64_t tnn_shared_size(const TnnProblem *p, const TnnConfig *c, int64_t q8) {
    return (4 * widest(c) + 2 + 2 * p->channels) * q8;
}

TnnRows tnn_rows_at(const TnnConfig *c, int64_t q8, double *held, double *shared) {
    TnnRows r = {.phi = held, .slope = held + c->rank * q8, .layer = held + 2 * c->rank * q8};
    for (int k = 0; k < 4; k++, shared += widest(c) * q8)
        r.work[k] = shared;
    r.y = shared;
    r.functions = shared + q8;
    return r;
}

static double *part(const Tnn *t, int64_t q8, const TnnRows *r, int layer, int which) {
    return r->layer + ((int64_t)layer * PARTS + which) * t->config.width * q8;
}

const double *tnn_features(const Tnn *t, int64_t q8, const TnnRows *r, bool derivative) {
    return part(t, q8, r, t->config.depth - 2, derivative ? TANGENT_OUT : SIGMA);
}

void tnn_functions_at(const Tnn *t, const TnnRule *rule, int64_t i, TnnRows *r) {
    for (int q = 0; q < rule->padded; q++)
        r->y[q] = t->problem.centre[i] + t->problem.half[i] * rule->at[q];
    t->problem.functions(t->problem.context, i, 1, rule->padded, r->y, r->functions);
}

/* ----------------------------------------------------------------------------------- forward */

static void first_layer(const Tnn *t, const TnnRule *rule, const double *theta, double *z,
                        double *tangent) {
    int h = t->config.width;
    for (int a = 0; a < h; a++)
        for (int q = 0; q < rule->padded; q++) {
            z[a * rule->padded + q] = theta[a] * rule->at[q] + theta[h + a];
            tangent[a * rule->padded + q] = theta[a];
        }
}

void tnn_hidden(const Tnn *t, const TnnRule *rule, int64_t i, TnnRows *r) {
    assert(i >= 0 && i < t->problem.d && rule->padded > 0);
    const double *theta = t->theta + i * t->size;
    int64_t q8 = rule->padded, h = t->config.width, n = h * q8;
    for (int l = 0; l < t->config.depth - 1; l++) {
        double *z = r->work[0], *tangent = part(t, q8, r, l, TANGENT_IN);
        double *s[] = {part(t, q8, r, l, SIGMA), part(t, q8, r, l, SLOPE),
                       part(t, q8, r, l, CURVE)};
        if (l == 0) {
            first_layer(t, rule, theta, z, tangent);
            theta += 2 * h;
        } else {
            t->ops->mix(z, h, part(t, q8, r, l - 1, SIGMA), h, theta, 1, h, theta + h * h, q8);
            t->ops->mix(tangent, h, part(t, q8, r, l - 1, TANGENT_OUT), h, theta, 1, h, NULL, q8);
            theta += h * h + h;
        }
        t->ops->activate(t->config.activation, z, s, n);
        double *out = part(t, q8, r, l, TANGENT_OUT);
        for (int64_t k = 0; k < n; k++)
            out[k] = s[1][k] * tangent[k];
    }
}

/* The output layer's parameters. */
static double *output_of(const Tnn *t, double *theta) {
    return theta + t->size - (int64_t)(t->config.width + 1) * t->config.rank;
}

void tnn_output(const Tnn *t, const TnnRule *rule, int64_t i, TnnRows *r) {
    assert(i >= 0 && i < t->problem.d && r->phi);
    int64_t q8 = rule->padded, h = t->config.width, p = t->config.rank;
    const double *W = output_of(t, t->theta + i * t->size);
    t->ops->mix(r->phi, p, tnn_features(t, q8, r, false), h, W, 1, p, W + h * p, q8);
    t->ops->mix(r->slope, p, tnn_features(t, q8, r, true), h, W, 1, p, NULL, q8);
    for (int64_t j = 0; j < p; j++)
        for (int64_t q = 0; q < q8; q++) {
            double s = rule->at[q], *value = &r->phi[j * q8 + q], *slope = &r->slope[j * q8 + q];
            *slope = (1 - s * s) * *slope - 2 * s * *value;
            *value *= 1 - s * s;
        }
}

/* -------------------------------------------------------------------------------- integrals */

static void weighted(const double *row, int64_t rows, int64_t q8, const double *weight,
                     const double *function, double *out) {
    for (int64_t j = 0; j < rows; j++)
        for (int64_t q = 0; q < q8; q++)
            out[j * q8 + q] = row[j * q8 + q] * weight[q] * (function ? function[q] : 1);
}

/* a / half^2: derivatives are by s. */
static double stiffness(const Tnn *t, int64_t i) {
    return t->problem.kinetic[i] / (t->problem.half[i] * t->problem.half[i]);
}

void tnn_integrate(const Tnn *t, const TnnRule *rule, int64_t i, TnnRows *r, double *raw) {
    assert(i >= 0 && i < t->problem.d && r->functions);
    int64_t q8 = rule->padded, p = t->config.rank;
    double *w = r->work[0];
    weighted(r->phi, p, q8, rule->weight, NULL, w);
    t->ops->dots(raw, p, w, p, r->phi, p, q8, false);
    double *T = raw + p * p;
    weighted(r->slope, p, q8, rule->weight, NULL, w);
    t->ops->dots(T, p, w, p, r->slope, p, q8, false);
    for (int64_t k = 0; k < p * p; k++)
        T[k] *= stiffness(t, i);
    for (int f = 0; f < t->matrices - 1; f++) {
        weighted(r->phi, p, q8, rule->weight, r->functions + f * q8, w);
        t->ops->dots(T + f * p * p, p, w, p, r->phi, p, q8, f == 0);
    }
}

/* ---------------------------------------------------------------------------------- backward */

/* phi_bar and slope_bar of all nodes, then the boundary factor: seeds of the network's outputs in
 * work[0] (value) and work[1] (derivative). */
static void seed_outputs(const Tnn *t, const TnnRule *rule, int64_t i, TnnRows *r,
                         const double *bar) {
    int64_t q8 = rule->padded, p = t->config.rank;
    double *value = r->work[0], *slope = r->work[1], *one = r->work[2];
    double both = stiffness(t, i);
    memset(value, 0, (size_t)(p * q8) * sizeof *value);
    for (int m = 0; m < t->matrices; m++) {
        const double *B = bar + m * p * p, *f = m == 0 ? NULL : r->functions + (m - 1) * q8;
        for (int transposed = 0; transposed < 2; transposed++) {
            t->ops->mix(one, p, r->phi, p, B, transposed ? 1 : p, transposed ? p : 1, NULL, q8);
            for (int64_t k = 0; k < p * q8; k++)
                value[k] += one[k] * (f ? f[k % q8] : 1);
        }
    }
    t->ops->mix(slope, p, r->slope, p, bar + p * p, p, 1, NULL, q8);
    t->ops->mix(one, p, r->slope, p, bar + p * p, 1, p, NULL, q8);
    for (int64_t k = 0; k < p * q8; k++) {
        double s = rule->at[k % q8], w = rule->weight[k % q8];
        double v = value[k] * w, d = (slope[k] + one[k]) * w * both;
        value[k] = (1 - s * s) * v - 2 * s * d;
        slope[k] = (1 - s * s) * d;
    }
}

static double sum(const double *x, int64_t n) {
    double total = 0;
    for (int64_t k = 0; k < n; k++)
        total += x[k];
    return total;
}

/* A layer with inputs (value, tangent), whose outputs have the seeds (bar, tangent_bar). */
static void layer_gradient(const Tnn *t, int64_t q8, const double *value, const double *tangent,
                           int64_t out, const double *bar, const double *tangent_bar, double *g) {
    int64_t h = t->config.width;
    t->ops->dots(g, out, value, h, bar, out, q8, false);
    t->ops->dots(g, out, tangent, h, tangent_bar, out, q8, true);
    for (int64_t a = 0; a < out; a++)
        g[h * out + a] = sum(bar + a * q8, q8);
}

void tnn_backward(const Tnn *t, const TnnRule *rule, int64_t i, TnnRows *r, const double *bar,
                  double *g) {
    assert(t->config.depth >= 2 && i >= 0 && i < t->problem.d);
    int64_t q8 = rule->padded, h = t->config.width, p = t->config.rank, n = h * q8, out = p;
    int depth = t->config.depth;
    double *value = r->work[0], *tangent = r->work[1], *below = r->work[2], *below_t = r->work[3];
    const double *theta = t->theta + i * t->size;
    int64_t at = t->size - (h + 1) * p;
    seed_outputs(t, rule, i, r, bar);
    for (int l = depth - 2; l >= 0; l--) { /* from the layer above hidden layer l down to it */
        layer_gradient(t, q8, part(t, q8, r, l, SIGMA), part(t, q8, r, l, TANGENT_OUT), out, value,
                       tangent, g + at);
        t->ops->mix(below, h, value, out, theta + at, out, 1, NULL, q8);
        t->ops->mix(below_t, h, tangent, out, theta + at, out, 1, NULL, q8);
        const double *s1 = part(t, q8, r, l, SLOPE), *s2 = part(t, q8, r, l, CURVE);
        const double *in = part(t, q8, r, l, TANGENT_IN);
        for (int64_t k = 0; k < n; k++) {
            below[k] = below[k] * s1[k] + below_t[k] * s2[k] * in[k];
            below_t[k] *= s1[k];
        }
        double *swap = value, *swap_t = tangent;
        value = below;
        tangent = below_t;
        below = swap;
        below_t = swap_t;
        out = h;
        at -= l > 0 ? h * h + h : 2 * h;
    }
    for (int64_t a = 0; a < h; a++) {
        const double *z = value + a * q8, *zt = tangent + a * q8;
        double w = 0;
        for (int64_t q = 0; q < q8; q++)
            w += z[q] * rule->at[q] + zt[q];
        g[a] = w;
        g[h + a] = sum(z, q8);
    }
}
