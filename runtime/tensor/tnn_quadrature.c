/* tnn_quadrature.c: Gauss-Legendre nodes by Newton's iteration on P_n, composite rules. */
#include "tensor/tnn.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* P_n(x) and its derivative by the three-term recurrence. */
static double legendre(int n, double x, double *slope) {
    double before = 1, now = x;
    for (int k = 2; k <= n; k++) {
        double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
        before = now;
        now = next;
    }
    *slope = n * (x * now - before) / (x * x - 1);
    return now;
}

/* Node k of n (from the right) and its weight. Newton from Chebyshev's guess meets the k-th zero,
 * which lies nearer to it than any other. */
static void gauss_node(int n, int k, double *at, double *weight) {
    assert(n > 0 && k >= 0 && k < n);
    double x = n == 1 ? 0 : cos(3.14159265358979323846 * (k + 0.75) / (n + 0.5)), slope = 1;
    for (int step = 0; step < 100 && n > 1; step++) {
        double move = legendre(n, x, &slope) / slope;
        x -= move;
        if (fabs(move) < 1e-16)
            break;
    }
    if (n % 2 == 1 && k == n / 2)
        x = 0;
    legendre(n, x, &slope);
    *at = x;
    *weight = n == 1 ? 2 : 2 / ((1 - x * x) * slope * slope);
}

int64_t tnn_row(int64_t n) {
    return (n + TNN_PAD - 1) / TNN_PAD * TNN_PAD;
}

Status tnn_rule_create(int cells, int n, TnnRule *rule, Error *error) {
    assert(cells > 0 && n > 0);
    int nodes = cells * n, padded = (int)tnn_row(nodes);
    *rule = (TnnRule){.nodes = nodes, .padded = padded, .cells = cells};
    rule->at = calloc((size_t)padded, sizeof(double));
    rule->weight = calloc((size_t)padded, sizeof(double));
    if (!rule->at || !rule->weight) {
        tnn_rule_free(rule);
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the quadrature rule");
    }
    for (int k = 0; k < n; k++) {
        double x, w;
        gauss_node(n, n - 1 - k, &x, &w);
        for (int cell = 0; cell < cells; cell++) {
            rule->at[cell * n + k] = -1 + (2 * cell + 1 + x) / cells;
            rule->weight[cell * n + k] = w / cells;
        }
    }
    return STATUS_OK;
}

void tnn_rule_free(TnnRule *rule) {
    free(rule->at);
    free(rule->weight);
    *rule = (TnnRule){0};
}
