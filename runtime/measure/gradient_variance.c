#include "measure/gradient_variance.h"

#include "engine/real.h"
#include "step/route.h"

#include <math.h>
#include <stdlib.h>

enum { PILOT_POINTS = 32, PILOT_TERMS = 16, PILOT_SETS = 16, PILOT_STEPS = 100, BATCHES = 48 };
static const double PILOT_RATE = 1e-3;

/* -------------------------------------------------------------------------- analysis of variance
 */

Components spread_components(const double *gram, int64_t sets, int64_t points) {
    int64_t n = sets * points;
    double all = 0, own = 0, of_points = 0, of_sets = 0, M = (double)sets, P = (double)points;
    for (int64_t i = 0; i < n; i++) {
        own += gram[i * n + i];
        for (int64_t j = 0; j < n; j++) {
            double v = gram[i * n + j];
            all += v;
            of_points += i % points == j % points ? v : 0;
            of_sets += i / points == j / points ? v : 0;
        }
    }
    all /= M * P;
    of_points /= M;
    of_sets /= P;
    Components c = {0};
    if (sets > 1 && points > 1)
        c.rest = (own - of_points - of_sets + all) / ((P - 1) * (M - 1));
    if (points > 1)
        c.point = ((of_points - all) / (P - 1) - c.rest) / M;
    if (sets > 1)
        c.set = ((of_sets - all) / (M - 1) - c.rest) / P;
    c.mean = all / (M * P) - c.point / P - c.set / M - c.rest / (M * P);
    return c;
}

double spread_error(const Spread *s, int64_t points, int64_t terms) {
    double B = (double)points, share = 0;
    if (s->most > 0 && (s->endless || terms < s->most))
        share = 1 / (double)terms - (s->endless ? 0 : 1 / (double)s->most);
    return s->points / B + (s->terms + s->both / B) * share / s->draws + s->bias * share * share;
}

/* --------------------------------------------------------------------------------------- pilot */

static bool is_sampled(const Task *t) {
    return plan_task_has_terms(t->plan) &&
           algorithm_gradient(t->session->settings.algorithm) == TERMS_SAMPLE;
}

/* owner of its memory */
typedef struct Layout {
    int64_t rows, sets; /* residuals of all points; sets */
    double *residual;   /* [sets][rows]: what the algorithm multiplies a gradient with */
    double *k;          /* [sets * rows]^2: products of the residuals' gradients */
    double *gram;       /* [sets * points]^2 */
    PdeJacobian *jacobian;
} Layout;

static bool layout_open(Layout *l, const Task *t) {
    PdeJacobianPart part[PDE_MAX_BATCHES];
    *l = (Layout){.rows = t->session->settings.points * t->plan->residuals,
                  .sets = is_sampled(t) ? t->gradients : 1};
    for (int m = 0; m < t->gradients; m++)
        part[m] = (PdeJacobianPart){t->gradient[m].batch, l->sets > 1 ? m * l->rows : 0};
    size_t n = (size_t)(l->sets * l->rows), p = (size_t)(l->sets * t->session->settings.points);
    l->residual = calloc(n, sizeof *l->residual);
    l->k = calloc(n * n, sizeof *l->k);
    l->gram = calloc(p * p, sizeof *l->gram);
    l->jacobian = pde_jacobian_create(t->session->engine, part, t->gradients, 0);
    return l->residual && l->k && l->gram && l->jacobian;
}

static void layout_close(Layout *l) {
    free(l->residual);
    free(l->k);
    free(l->gram);
    pde_jacobian_destroy(l->jacobian);
}

static void fill_layout(Layout *l, Task *t) {
    PdePrecision precision = t->session->settings.precision;
    bool drawn = t->values && t->value->terms == TERMS_SAMPLE;
    if (t->values && !drawn)
        session_task_value(t, STEP_PILOT);
    pde_jacobian_begin(l->jacobian);
    for (int m = 0; m < t->gradients; m++) {
        Route *r = &t->gradient[m];
        if (drawn) /* a set of the value's own for each of the gradient's */
            session_task_value(t, STEP_PILOT - (uint32_t)m);
        route_prepare(r, STEP_PILOT);
        PdeTaskSpec spec = route_spec(r);
        spec.scale = l->sets > 1 ? 1 : 1.0 / t->gradients;
        pde_jacobian_add(l->jacobian, m, &spec);
        for (int64_t i = 0; i < l->rows; i++)
            l->residual[(l->sets > 1 ? m : 0) * l->rows + i] =
                real_get(precision, t->values ? t->value_residual : r->residual, i);
    }
    pde_jacobian_gram(l->jacobian, l->k);
}

/* Residuals of a point belong together: y = c sum_e R_e grad R_e. */
static void collapse(Layout *l, const Task *t) {
    double c = 2 * session_task_weight(t) / (t->residual_scale * t->residual_scale);
    int64_t E = t->plan->residuals, n = l->sets * l->rows, p = n / E;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            l->gram[i / E * p + j / E] += c * c * l->residual[i] * l->residual[j] * l->k[i * n + j];
}

/* The squared norm of the mean over points of Cov(R_I, grad R_I), which one set for both adds to
 * the mean gradient: products of a set with itself less those of different sets. */
static double squared_bias(const Layout *l, const Task *t) {
    double c = 2 * session_task_weight(t) / (t->residual_scale * t->residual_scale), sum = 0;
    double M = (double)l->sets, P = (double)t->session->settings.points;
    int64_t n = l->sets * l->rows;
    double *weight = calloc((size_t)n, sizeof *weight);
    if (t->values || l->sets < 2 || !weight) {
        free(weight);
        return 0;
    }
    for (int64_t i = 0; i < n; i++) {
        double others = -l->residual[i];
        for (int64_t m = 0; m < l->sets; m++)
            others += l->residual[m * l->rows + i % l->rows];
        weight[i] = c / (M * P) * (l->residual[i] - others / (M - 1));
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            sum += weight[i] * weight[j] * l->k[i * n + j];
    free(weight);
    return sum;
}

/* Sets were drawn independently of each other, each without repetition: the variance of one is that
 * of a term times 1 / n - 1 / |K|. */
static void add_task(const Task *t, const Components *c, double bias, Spread *s) {
    const Route *r = &t->gradient[0];
    double share = 0;
    if (is_sampled(t)) {
        int64_t n = r->probes ? t->session->settings.terms : r->widest, most = 0;
        for (int f = 0; f < t->plan->families; f++)
            if (t->session->problem->family[t->id][f].size > most)
                most = t->session->problem->family[t->id][f].size;
        s->endless = s->endless || r->probes;
        s->most = most > s->most ? most : s->most;
        share = 1 / (double)n - (r->probes ? 0 : 1 / (double)most);
    }
    s->points += fmax(0, c->point);
    s->terms += share > 0 ? fmax(0, c->set) / share : 0;
    s->both += share > 0 ? fmax(0, c->rest) / share : 0;
    s->bias += share > 0 ? bias / (share * share) : 0;
    s->signal += fmax(0, c->mean);
}

Status spread_here(Session *s, Spread *spread, Error *error) {
    *spread = (Spread){.draws = 1};
    for (int i = 0; i < s->tasks; i++) {
        Task *t = &s->task[i];
        Layout l;
        bool ok = layout_open(&l, t);
        if (ok) {
            fill_layout(&l, t);
            collapse(&l, t);
            Components c = spread_components(l.gram, l.sets, s->settings.points);
            add_task(t, &c, squared_bias(&l, t), spread);
        }
        layout_close(&l);
        if (!ok)
            return error_set(error, STATUS_OUT_OF_MEMORY,
                             "no memory for the pilot that chooses points and terms");
    }
    double sum = spread->points + spread->terms + spread->both + spread->bias + spread->signal;
    return isfinite(sum) ? STATUS_OK
                         : error_set(error, STATUS_NON_FINITE,
                                     "residuals of the pilot that chooses points and terms are not "
                                     "finite: give --points and --terms as numbers");
}

Settings spread_pilot(const Problem *problem, const Settings *settings) {
    Settings s = *settings;
    int64_t least = INT64_MAX;
    for (int i = 0; i < problem->plan.tasks; i++)
        for (int f = 0; f < problem->plan.task[i].families; f++)
            least = problem->family[i][f].size < least ? problem->family[i][f].size : least;
    s.points = PILOT_POINTS;
    s.terms = s.value_terms = least / 2 < 1 ? 1 : least / 2 < PILOT_TERMS ? least / 2 : PILOT_TERMS;
    if (algorithm_gradient(s.algorithm) == TERMS_SAMPLE)
        s.accumulate =
            BATCHES / problem->plan.tasks < PILOT_SETS ? BATCHES / problem->plan.tasks : PILOT_SETS;
    s.optimiser = pde_optim_default(PDE_OPT_adam);
    s.adam_first = 0;
    return s;
}

Status spread_measure(Session *s, Spread *spread, Error *error) {
    for (uint32_t i = 0; i < PILOT_STEPS; i++)
        if (!session_step(s, i, PILOT_RATE))
            break;
    for (int i = 0; i < s->tasks; i++)
        points_draw(&s->task[i].points, s->settings.seed, STEP_PILOT, 0);
    return spread_here(s, spread, error);
}
