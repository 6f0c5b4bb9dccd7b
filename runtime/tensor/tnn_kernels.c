/* tnn_kernels.c: the arithmetic of small networks on rows of nodes, for one instruction set. The
 * build compiles this file once per variant, with the flags of engine/kernels/variant.c for double.
 * Rows are aligned and whole vectors long. */
#include "tensor/tnn.h"

#include "engine/kernels/activation.h"
#include "engine/kernels/update.h"

#define JOIN(a, b) a##b
#define NAME_OF(suffix) JOIN(tnn_ops_, suffix)
#define TEXT_OF(suffix) #suffix
#define TEXT(suffix) TEXT_OF(suffix)

static void activate(PdeActivation kind, const double *z, double *const *s, long n) {
    enum { CHUNK = 64 };
    double third[CHUNK]; /* the table writes a third derivative too */
    for (long i = 0; i < n; i += CHUNK) {
        double *const to[] = {s[0] + i, s[1] + i, s[2] + i, third};
        activation_table[kind](z + i, to, least(CHUNK, n - i), 3);
    }
}

/* R rows of the product at once; each row of nodes is read once for all of them. */
#define MIX(R)                                                                                     \
    static void mix_##R(double *out, const double *in, long terms, const double *c, long step_a,   \
                        long step_b, const double *bias, long q8) {                                \
        for (long q = 0; q < q8; q += TNN_PAD) {                                                   \
            enum { V = TNN_PAD / VLEN };                                                           \
            vec sum[R][V];                                                                         \
            for (int a = 0; a < R; a++)                                                            \
                for (int v = 0; v < V; v++)                                                        \
                    sum[a][v] = (vec){0} + (bias ? bias[a] : 0.0);                                 \
            for (long b = 0; b < terms; b++)                                                       \
                for (int v = 0; v < V; v++) {                                                      \
                    vec x = LOAD(in + b * q8 + q + v * VLEN);                                      \
                    for (int a = 0; a < R; a++)                                                    \
                        sum[a][v] += c[a * step_a + b * step_b] * x;                               \
                }                                                                                  \
            for (int a = 0; a < R; a++)                                                            \
                for (int v = 0; v < V; v++)                                                        \
                    STORE(out + a * q8 + q + v * VLEN, sum[a][v]);                                 \
        }                                                                                          \
    }
MIX(8)
MIX(1)

static void mix(double *out, long rows, const double *in, long terms, const double *c, long step_a,
                long step_b, const double *bias, long q8) {
    long a = 0;
    for (; a + 8 <= rows; a += 8)
        mix_8(out + a * q8, in, terms, c + a * step_a, step_a, step_b, bias ? bias + a : NULL, q8);
    for (; a < rows; a++)
        mix_1(out + a * q8, in, terms, c + a * step_a, step_a, step_b, bias ? bias + a : NULL, q8);
}

INLINE void dots_block(double *out, long step, const double *x, int rows, const double *y,
                       int columns, long q8, bool add) {
    vec sum[4][4];
    for (int a = 0; a < rows; a++)
        for (int b = 0; b < columns; b++)
            sum[a][b] = (vec){0};
    for (long q = 0; q < q8; q += VLEN)
        for (int a = 0; a < rows; a++) {
            vec u = LOAD(x + a * q8 + q);
            for (int b = 0; b < columns; b++)
                sum[a][b] += u * LOAD(y + b * q8 + q);
        }
    for (int a = 0; a < rows; a++)
        for (int b = 0; b < columns; b++)
            out[a * step + b] = (add ? out[a * step + b] : 0.0) + vec_sum(sum[a][b]);
}

static void dots(double *out, long step, const double *x, long rows, const double *y, long columns,
                 long q8, bool add) {
    long a = 0, b;
    for (; a + 4 <= rows; a += 4) {
        for (b = 0; b + 4 <= columns; b += 4)
            dots_block(out + a * step + b, step, x + a * q8, 4, y + b * q8, 4, q8, add);
        for (; b < columns; b++)
            dots_block(out + a * step + b, step, x + a * q8, 4, y + b * q8, 1, q8, add);
    }
    for (; a < rows; a++) {
        for (b = 0; b + 4 <= columns; b += 4)
            dots_block(out + a * step + b, step, x + a * q8, 1, y + b * q8, 4, q8, add);
        for (; b < columns; b++)
            dots_block(out + a * step + b, step, x + a * q8, 1, y + b * q8, 1, q8, add);
    }
}

static void update(const PdeOptimConfig *config, double rate, int64_t t, double *w,
                   double *const *state, long at, const double *g, long n) {
    Rule rule = rule_of(config, rate, t);
    update_table[config->kind](&rule, w, state, at, g, n);
}

extern const TnnOps NAME_OF(PDE_VARIANT);
const TnnOps NAME_OF(PDE_VARIANT) = {TEXT(PDE_VARIANT), activate, mix, dots, update};
