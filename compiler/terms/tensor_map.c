/* tensor_map.c: new orthogonal coordinates. -lap is the same in them; a quadratic potential x'Ax
 * becomes y'(QAQ')y, which is a sum over single coordinates where that matrix is diagonal.
 *
 * sine: Q_ki = sqrt(2/(d+1)) sin(i k pi/(d+1)) diagonalises every tridiagonal matrix with constant
 * diagonals, for any d: diagonal a, neighbours b/2 give mu_k = a + b cos(k pi/(d+1)). A matrix from
 * data is multiplied out, and the result looked at. */
#include "terms/tensor.h"

#include <math.h>
#include <string.h>

#include "base/compilation.h"
#include "eval/domain.h"
#include "eval/bindings.h"

enum { MATRIX_MAX = 512 };

static bool refuse(Compilation *c, Span where, const char *why) {
    Diag *d = diag(c, E0563, where, sym_cstr(c, c->problem->coordinates->name), why);
    diag_note(c, d,
              "only quadratic potentials are rewritten: constants times x_i^2, x_i * x_{i+1} and "
              "products of sums");
    return false;
}

/* value = factor * y with a factor free of y? */
static bool over_power(Ir *ir, const TensorNet *t, Ref value, int power, Ref *factor) {
    *factor = ir_expand(ir, ir_div(ir, value, ir_powi(ir, t->y, power)));
    return ir_is_number(ir, ir_diff(ir, *factor, t->y), 0);
}

/* The quadratic form in x: a_i x_i^2 + sum over pairs of f_i g_j x_i x_j. */
typedef struct Form {
    Ref diagonal;
    VEC(TensorPair) pair; /* factors without y */
} Form;

static bool quadratic_form(Compilation *c, const TensorNet *t, Form *form) {
    Ir *ir = c->ir;
    Span where = c->problem->equation.at[0].ast->span;
    form->diagonal = ir_const(ir, 0);
    if (t->potential && !over_power(ir, t, t->potential, 2, &form->diagonal))
        return refuse(c, where, "its one-body terms are not multiples of squares");
    for (uint32_t m = 0; m < t->pair.n; m++) {
        TensorPair pair = t->pair.at[m];
        if (!over_power(ir, t, t->pair.at[m].first, 1, &pair.first) ||
            !over_power(ir, t, t->pair.at[m].second, 1, &pair.second))
            return refuse(c, pair.where, "these products are not multiples of x_i * x_j");
        VEC_PUSH(&c->arena, form->pair, pair);
    }
    return true;
}

/* ---- y = sine(x) ---- */

static bool map_sine(Compilation *c, TensorNet *t, const Form *form) {
    Ir *ir = c->ir;
    Span where = c->problem->equation.at[0].ast->span;
    Ref coupling = ir_const(ir, 0);
    if (ir_depends(ir, form->diagonal, t->index))
        return refuse(c, where, "the factors of x_i^2 depend on i");
    for (uint32_t m = 0; m < form->pair.n; m++) {
        const TensorPair *pair = &form->pair.at[m];
        if (pair->all)
            return refuse(c, pair->where, "this couples more than neighbours");
        if (ir_depends(ir, pair->first, t->index) || ir_depends(ir, pair->second, t->index))
            return refuse(c, pair->where, "the factors of x_i * x_{i+1} depend on i");
        coupling = ir_add2(ir, coupling, ir_mul2(ir, pair->first, pair->second));
    }
    Ref angle = ir_div(ir, ir_mul2(ir, t->index, ir_atom(ir, OP_PI, 0)),
                       ir_add2(ir, c->problem->d, ir_const(ir, 1)));
    Ref mu = ir_add2(ir, form->diagonal, ir_mul2(ir, coupling, ir_func(ir, FUNC_cos, 1, &angle)));
    Text found = {.arena = &c->arena};
    text_printf(&found, "sine transform: the potential is diagonal for every d, mu_k = ");
    memo_put(ir->index_name, t->index, 0, intern_cstr(c, "k"));
    ir_print(ir, mu, &found);
    t->found = text_cstr(&found);
    t->potential = ir_mul2(ir, mu, ir_powi(ir, t->y, 2));
    t->map = TENSOR_SINE;
    return true;
}

/* ---- y = Q * x ---- */

typedef struct Matrix {
    Compilation *c;
    const TensorNet *t;
    Values values;
    int64_t d;
    double *Q, *A, *B; /* [d][d] */
} Matrix;

static bool entry(Matrix *m, Ref e, int64_t k, double *out) {
    Ir *ir = m->c->ir;
    return values_number(m->c, &m->values,
                         ir_substitute(ir, e, m->t->index, ir_const(ir, (double)(k + 1))),
                         out) == NULL;
}

static bool fill_coupling(Matrix *m, Ref coupling) {
    Ir *ir = m->c->ir;
    double value;
    for (int64_t i = 0; i < m->d; i++)
        for (int64_t j = 0; j < m->d; j++) {
            Ref at = ir_substitute(ir, coupling, m->t->other, ir_const(ir, (double)(j + 1)));
            if (!entry(m, at, i, &value))
                return false;
            m->A[i * m->d + j] += value / 2;
            m->A[j * m->d + i] += value / 2;
        }
    return true;
}

static bool fill_form(Matrix *m, const Form *form) {
    double f, g;
    for (uint32_t p = 0; p < form->pair.n; p++)
        if (form->pair.at[p].coupling && !fill_coupling(m, form->pair.at[p].coupling))
            return false;
    for (int64_t i = 0; i < m->d; i++) {
        if (!entry(m, form->diagonal, i, &f))
            return false;
        m->A[i * m->d + i] += f;
        for (uint32_t p = 0; p < form->pair.n; p++)
            for (int64_t j = i + 1; j < (form->pair.at[p].all ? m->d : i + 2) && j < m->d; j++) {
                if (form->pair.at[p].coupling)
                    break;
                if (!entry(m, form->pair.at[p].first, i, &f) ||
                    !entry(m, form->pair.at[p].second, j, &g))
                    return false;
                m->A[i * m->d + j] += f * g / 2;
                m->A[j * m->d + i] += f * g / 2;
            }
    }
    return true;
}

/* B = X Y' */
static void product(const Matrix *m, const double *X, const double *Y, double *B) {
    for (int64_t i = 0; i < m->d; i++)
        for (int64_t j = 0; j < m->d; j++) {
            double sum = 0;
            for (int64_t k = 0; k < m->d; k++)
                sum += X[i * m->d + k] * Y[j * m->d + k];
            B[i * m->d + j] = sum;
        }
}

/* The largest entry off the diagonal; *most: the largest of all. */
static double off_diagonal(const Matrix *m, const double *B, double *most) {
    double off = 0;
    *most = 0;
    for (int64_t k = 0; k < m->d * m->d; k++) {
        double size = fabs(B[k]);
        *most = size > *most ? size : *most;
        if (k % (m->d + 1) && size > off)
            off = size;
    }
    return off;
}

static bool is_orthogonal(const Matrix *m) {
    double most;
    product(m, m->Q, m->Q, m->B);
    for (int64_t k = 0; k < m->d; k++)
        m->B[k * (m->d + 1)] -= 1;
    (void)off_diagonal(m, m->B, &most);
    return most < 1e-10;
}

static bool open_matrix(Matrix *m, Span where, Sym name) {
    Compilation *c = m->c;
    Ref one = ir_const(c->ir, 1), at[2] = {one, one}, q = ir_indexed(c->ir, OP_TENSOR, name, 2, at);
    NpyFile open = {0};
    const char *wrong = values_collect(c, ir_add2(c->ir, q, c->problem->equation.at[0].residual),
                                       &open, &m->values);
    const EvalTensor *Q = NULL;
    for (uint32_t k = 0; k < m->values.tensor.n; k++)
        if (m->values.tensor.at[k].name == name)
            Q = &m->values.tensor.at[k];
    if (wrong || !Q)
        return refuse(c, where, wrong ? wrong : "the matrix has no values");
    m->d = m->values.d;
    if (m->d > MATRIX_MAX || Q->extent[0] != m->d || Q->extent[1] != m->d)
        return refuse(c, where, "the matrix is not d x d, or d is above 512");
    m->Q = NEW_ARRAY(&c->arena, double, m->d * m->d);
    m->A = NEW_ARRAY(&c->arena, double, m->d * m->d);
    m->B = NEW_ARRAY(&c->arena, double, m->d * m->d);
    memcpy(m->Q, Q->at, (size_t)(m->d * m->d) * sizeof *m->Q);
    return is_orthogonal(m) || refuse(c, where, "the matrix is not orthogonal");
}

static bool map_matrix(Compilation *c, TensorNet *t, const Form *form, const Ast *map) {
    Matrix m = {.c = c, .t = t, .values = {.cap = 0}};
    if (!open_matrix(&m, map->span, map->kid[0]->name))
        return false;
    if (!fill_form(&m, form))
        return refuse(c, c->problem->equation.at[0].ast->span, "its factors have no numbers");
    product(&m, m.Q, m.A, m.B); /* A is symmetric */
    double *D = NEW_ARRAY(&c->arena, double, m.d *m.d), most;
    product(&m, m.B, m.Q, D);
    double off = off_diagonal(&m, D, &most);
    Text found = {.arena = &c->arena};
    if (off > 1e-10 * most) {
        text_printf(&found, "an entry off the diagonal is %.3g, the largest entry %.3g", off, most);
        return refuse(c, map->span, text_cstr(&found));
    }
    text_printf(&found,
                "matrix %s, orthogonal: the potential is diagonal to %.1e of its largest entry",
                sym_cstr(c, map->kid[0]->name), most > 0 ? off / most : 0);
    t->found = text_cstr(&found);
    t->n = (uint32_t)m.d;
    t->eigenvalue = NEW_ARRAY(&c->arena, double, m.d);
    for (int64_t k = 0; k < m.d; k++)
        t->eigenvalue[k] = D[k * (m.d + 1)];
    t->table = ir_indexed(c->ir, OP_AUX, intern_cstr(c, "$mu"), 0, NULL);
    t->potential = ir_mul2(c->ir, t->table, ir_powi(c->ir, t->y, 2));
    t->map = TENSOR_MATRIX;
    return true;
}

/* ---- both ---- */

bool tensor_map(Compilation *c, TensorNet *t) {
    const Problem *p = c->problem;
    if (!p->coordinates)
        return true;
    Form form = {0};
    const Ast *map = p->coordinates->kid[0];
    if (domain_product(c) == PRODUCT_INTERVAL)
        return refuse(c, p->coordinates->span,
                      "a box in x is not one in the new coordinates: use domain x in R(d)");
    if (ir_depends(c->ir, t->kinetic, t->index))
        return refuse(c, p->coordinates->span, "the second derivatives have different factors");
    if (!quadratic_form(c, t, &form))
        return false;
    if (!(map->kind == AST_CALL ? map_sine(c, t, &form) : map_matrix(c, t, &form, map)))
        return false;
    t->pair.n = 0;
    t->constant = ir_add2(c->ir, t->constant, t->own->constant);
    if (t->own->potential)
        t->potential = ir_add2(c->ir, t->potential, t->own->potential);
    for (uint32_t m = 0; m < t->own->pair.n; m++)
        VEC_PUSH(&c->arena, t->pair, t->own->pair.at[m]);
    t->coordinates = p->coordinates->name;
    return true;
}
