/* test_kernels.c: the generated kernels against the oracle.
 *
 * Every problem of examples/ and tests/kernels/pde/ is compiled to C, built with the system's compiler in
 * double and in float, and called as the runtime calls it, at several d. The network is an analytic
 * function, so all jets are exact: residuals must equal the oracle's value of the residual, of the
 * whole sum and of a sampled one; seeds must equal differences of the residual. */
#include "greatest.h"

#include <dirent.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agree.h"
#include "runtime/contract/pde_math.h"
#include "compiler/lower/trial.h"

static const double SLOPE = 1e-6, SINGLE = 3e-5;

struct Where where;

bool close_enough(const char *what, double got, double want, double tolerance) {
    where.checks++;
    if ((isnan(got) && isnan(want)) || fabs(got - want) <= tolerance)
        return true;
    printf("%s, d = %ld, task %u, %s: %s is %.17g, not %.17g (%.2g allowed)\n", where.file, where.d,
           where.task, where.what, what, got, want, tolerance);
    return false;
}

/* ---- residuals ---- */

static const Operator *operator_of(Rig *rig, const Task *task, uint32_t e) {
    const Problem *p = rig->c.problem;
    if (task->kind == TASK_EQUATION)
        return &p->operators->at[e];
    if (plan_is_condition(task->kind))
        return &p->operators->at[p->equation.n + task->row];
    Operator *op = NEW(&rig->c.arena, Operator);
    Ref value = task->kind == TASK_NORM ? p->norm.residual : p->report.at[task->row].value;
    split_residual(&rig->c, value, ir_const(rig->c.ir, 1), (Span){0, 0}, op);
    return op;
}

/* Which family of the task a family of one residual is. */
static uint32_t same_family(const Task *task, const Family *f) {
    for (uint32_t k = 0; k < task->family.n; k++) {
        const Family *g = &task->family.at[k];
        if (g->n_index == f->n_index && g->ordered == f->ordered && g->size == f->size &&
            g->lo[0] == f->lo[0] &&
            (f->n_index == 1 || f->ordered || (g->lo[1] == f->lo[1] && g->hi[1] == f->hi[1])))
            return k;
    }
    return UINT32_MAX;
}

/* The residual with its sampled sums written out over the sets of the shot. */
static bool written_out(Shot *s, uint32_t e, long double out[LANES]) {
    Rig *rig = s->rig;
    Compilation *c = &rig->c;
    const Operator *op = operator_of(rig, s->task, e);
    Ref divisor =
        s->task->kind == TASK_EQUATION ? c->problem->equation.at[e].divisor : ir_const(c->ir, 1);
    memset(out, 0, LANES * sizeof *out);
    for (uint32_t k = 0; k < op->term.n; k++) {
        const Term *t = &op->term.at[k];
        long double outside[LANES], value[LANES];
        bool sampled = t->class == TERM_SAMPLED && !s->exact;
        Ref body = ir_div(c->ir, trial_apply(c, c->problem, sampled ? t->body : t->value), divisor);
        if (!sampled) {
            if (!rig_oracle(rig, body, value))
                return false;
            for (int l = 0; l < LANES; l++)
                out[l] += value[l];
            continue;
        }
        uint32_t f = same_family(s->task, &op->family.at[t->family]);
        if (f == UINT32_MAX || !rig_oracle(rig, trial_apply(c, c->problem, t->outside), outside))
            return false;
        for (int64_t j = 0; j < s->count[f]; j++) {
            Ref term = body;
            for (uint32_t q = 0; q < t->n_index; q++)
                term = ir_substitute(
                    c->ir, term, t->index[q],
                    ir_const(c->ir, (double)(s->first[f][q] + s->set[f][j * t->n_index + q])));
            if (!rig_oracle(rig, term, value))
                return false;
            for (int l = 0; l < LANES; l++)
                out[l] += outside[l] * (long double)s->factor[f] * value[l];
        }
    }
    return true;
}

static Ref in_net(const Problem *p, const Task *task, uint32_t e) {
    return task->kind == TASK_EQUATION ? p->equation.at[e].in_net
           : task->kind == TASK_REPORT ? p->report.at[task->row].in_net
           : task->kind == TASK_NORM   ? p->norm.in_net
                                       : p->condition.at[task->row].in_net;
}

static bool residuals_agree(Shot *s, bool whole) {
    long double want[RESIDUALS_MAX][LANES], full[LANES];
    bool ok = true;
    for (uint32_t e = 0; e < s->task->n_residuals; e++)
        if (!written_out(s, e, want[e]))
            return false;
    for (int l = 0; l < LANES; l++) {
        shot_jets(s, l);
        shot_fire(s, l, true);
        for (uint32_t e = 0; e < s->task->n_residuals; e++)
            ok = ok && close_enough("the residual", s->residual[e], (double)want[e][l],
                                    EXACT * shot_magnitude(s, e));
    }
    for (uint32_t e = 0; ok && whole && e < s->task->n_residuals; e++) {
        if (!rig_oracle(s->rig, in_net(s->rig->c.problem, s->task, e), full))
            return false;
        for (int l = 0; l < LANES; l++)
            ok = ok && close_enough("the written residual", (double)want[e][l], (double)full[l],
                                    EXACT * (fabs((double)full[l]) + shot_magnitude(s, e)));
    }
    return ok;
}

/* ---- seeds ---- */

/* dR/d(number) for every residual by differences of sixth order; `again` is called after each change. */
static void differences(Shot *s, double *number, double step, void again(Shot *, int), int lane,
                        double *slope) {
    static const double weight[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
    double saved = *number;
    memset(slope, 0, RESIDUALS_MAX * sizeof *slope);
    for (int k = 1; k <= 3; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            *number = saved + sign * k * step;
            again(s, lane);
            for (uint32_t e = 0; e < s->task->n_residuals; e++)
                slope[e] += sign * weight[k - 1] * s->residual[e] / step;
        }
    *number = saved;
    again(s, lane);
}

static void fire_values(Shot *s, int lane) {
    shot_fire(s, lane, false);
}

static void put_unknowns(Shot *s) {
    const Problem *p = s->rig->c.problem;
    for (uint32_t q = 0; q < s->rig->n_unknown; q++)
        for (uint32_t k = 0; k < s->rig->values.value.n; k++)
            if (s->rig->values.value.at[k].name == p->unknown.at[q].name)
                s->rig->values.value.at[k].value = s->rig->unknown[q];
}

static void fire_anew(Shot *s, int lane) {
    put_unknowns(s);
    shot_prepare(s);
    shot_jets(s, lane);
    shot_fire(s, lane, false);
}

typedef struct Number {
    double *at;
    const double *seed; /* of residual 0 */
    size_t stride;      /* to the seed of the next residual */
    double chain;       /* the seed is this times the difference quotient */
    char name[48];
} Number;

static bool seed_agrees(Shot *s, int lane, const Number *q) {
    double slope[RESIDUALS_MAX], step = 1e-3 * fmax(fabs(*q->at), 1e-3);
    bool ok = true;
    differences(s, q->at, step, fire_values, lane, slope);
    for (uint32_t e = 0; e < s->task->n_residuals; e++) {
        double seed = q->seed[e * q->stride];
        double noise = 100 * DBL_EPSILON * shot_magnitude(s, e) / step * q->chain;
        ok = ok && close_enough(q->name, seed, slope[e] * q->chain, SLOPE * fabs(seed) + noise);
    }
    return ok;
}

static bool unknown_seeds_agree(Shot *s, int lane) {
    bool ok = true;
    double slope[RESIDUALS_MAX], seed[RESIDUALS_MAX * UNKNOWNS_MAX];
    memcpy(seed, s->seed_unknown, sizeof seed);
    for (uint32_t q = 0; q < s->rig->n_unknown; q++) {
        differences(s, &s->rig->unknown[q], 1e-3, fire_anew, lane, slope);
        for (uint32_t e = 0; e < s->task->n_residuals; e++)
            ok =
                ok && close_enough("the seed of an unknown number", seed[e * s->rig->n_unknown + q],
                                   slope[e], SLOPE * fabs(slope[e]) + 1e-10 * shot_magnitude(s, e));
    }
    return ok;
}

static bool seeds_agree(Shot *s, int lane) {
    const Rig *rig = s->rig;
    bool ok = true;
    size_t directions = (size_t)s->directions;
    shot_jets(s, lane);
    shot_fire(s, lane, true);
    for (uint32_t o = 0; ok && o < rig->n_out; o++) {
        Number value = {&s->n[o], &s->seed_n[o], rig->n_out, 1, "the seed of the value"};
        ok = seed_agrees(s, lane, &value);
        for (uint32_t b = 0; ok && b < s->route->block.n; b++) {
            const Block *block = &s->route->block.at[b];
            bool sweep = block->kind == BLOCK_gradient;
            for (int64_t k = s->block[b]; ok && k < s->block[b + 1]; k++)
                for (uint32_t m = 0; ok && m < block->order; m++) {
                    size_t at = o * directions + (size_t)k;
                    Number q = {&s->d[m][at], &s->seed_d[m][at], rig->n_out * directions, 1, ""};
                    if (sweep && o != ir_id(rig->c.ir, block->atom))
                        continue;
                    if (sweep) { /* the sum is given; its direction carries the seed */
                        q.at = &s->sweep[b * LANES + (uint32_t)lane];
                        q.chain = rig->scale[o];
                    }
                    snprintf(q.name, sizeof q.name, "the seed of order %u, block %u", m + 1, b);
                    ok = seed_agrees(s, lane, &q);
                }
        }
    }
    return ok && unknown_seeds_agree(s, lane);
}

/* ---- directions, sums of gradients ---- */

Ref at_index(Rig *rig, Ref e, Ref index, int64_t i) {
    return ir_substitute(rig->c.ir, e, index, ir_const(rig->c.ir, (double)i));
}

/* The entry of a direction in row i of the inputs. */
static Ref vector_entry(Rig *rig, const Block *block, int64_t i) {
    for (uint32_t k = 0;; k++) {
        double size = 0;
        values_number(&rig->c, &rig->values, input_vector_size(rig->c.problem, k), &size);
        if (i < (int64_t)size)
            return at_index(rig, block->entries[k], block->index, i + 1);
        i -= (int64_t)size;
    }
}

static bool entries_agree(Shot *s, uint32_t b) {
    Rig *rig = s->rig;
    const Block *block = &s->route->block.at[b];
    long double want[LANES];
    bool weight = block->kind == BLOCK_gram, ok = true;
    for (int64_t i = 0; i < rig->n_in; i++) {
        Ref entry = i < rig->vector ? vector_entry(rig, block, i)
                    : weight        ? 0
                                    : block->scalar[i - rig->vector];
        if (!rig_oracle(rig, entry ? entry : ir_const(rig->c.ir, 0), want))
            return false;
        for (int l = 0; l < (block->kind == BLOCK_point_dense ? LANES : 1); l++)
            ok = ok && close_enough("an entry of a direction",
                                    weight ? s->weight[b][i] : s->dense[b][i * LANES + l],
                                    (double)want[l], EXACT * (fabs((double)want[l]) + 1e-3));
    }
    return ok;
}

static bool gradient_agrees(Shot *s, uint32_t b) {
    Rig *rig = s->rig;
    const Block *block = &s->route->block.at[b];
    size_t rows = (size_t)(rig->n_in * LANES), o = ir_id(rig->c.ir, block->atom);
    double want[LANES] = {0}, size[LANES] = {0}, *gradient = shot_doubles(s, rows),
           *out = shot_doubles(s, rows);
    bool ok = true;
    for (int64_t i = 1; i <= rig->d; i++) {
        long double f[LANES];
        if (!rig_oracle(rig, at_index(rig, block->entries[0], block->index, i), f))
            return false;
        for (int l = 0; l < LANES; l++) {
            want[l] += (double)f[l];
            size[l] += fabs((double)f[l]);
        }
    }
    for (int l = 0; l < LANES; l++)
        ok = ok && close_enough("the sum over the gradient", s->sweep[b * LANES + (uint32_t)l],
                                want[l], EXACT * (size[l] + 1e-3));
    memcpy(gradient, s->gradient + o * rows, rows * sizeof *gradient);
    for (int64_t i = 0; i < rig->n_in; i++) { /* all lanes at once: each has its own sum */
        double plus[LANES], minus[LANES], step[LANES];
        for (int turn = 0; turn < 2; turn++) {
            for (int l = 0; l < LANES; l++) {
                step[l] = 1e-3 * fabs(s->gradient[o * rows + (size_t)(i * LANES + l)]) + 1e-8;
                gradient[i * LANES + l] += turn ? -2 * step[l] : step[l];
            }
            shot_gradient(s, b, gradient, out, turn ? minus : plus);
        }
        for (int l = 0; l < LANES; l++) {
            gradient[i * LANES + l] = s->gradient[o * rows + (size_t)(i * LANES + l)];
            double slope = (plus[l] - minus[l]) / (2 * step[l]) / rig->scale[o];
            ok = ok && close_enough("the direction of the gradient", s->dense[b][i * LANES + l],
                                    slope, SLOPE * (fabs(slope) + size[l] + 1e-2));
        }
    }
    return ok;
}

static bool blocks_agree(Shot *s) {
    bool ok = true;
    for (uint32_t b = 0; ok && b < s->route->block.n; b++) {
        BlockKind kind = s->route->block.at[b].kind;
        if (kind == BLOCK_dense || kind == BLOCK_point_dense || kind == BLOCK_gram)
            ok = entries_agree(s, b);
        if (kind == BLOCK_gradient)
            ok = gradient_agrees(s, b);
    }
    return ok;
}

/* ---- float against double ---- */

static bool single_agrees(const Shot *exact, const Build *single) {
    Shot s = *exact, x = *exact;
    bool ok = true;
    s.b = single;
    shot_layout(&s);
    shot_prepare(&s);
    for (int l = 0; ok && l < LANES; l += 5) {
        shot_jets(&x, l);
        shot_fire(&x, l, true);
        shot_jets(&s, l);
        shot_fire(&s, l, true);
        for (uint32_t e = 0; ok && e < s.task->n_residuals; e++)
            ok = close_enough("the residual in float", s.residual[e], x.residual[e],
                              SINGLE * shot_magnitude(&x, e));
        size_t n = s.task->n_residuals * s.rig->n_out * (size_t)s.directions;
        for (int m = 0; m < 4; m++)
            for (size_t k = 0; ok && k < n; k++)
                ok = close_enough("a seed in float", s.seed_d[m][k], x.seed_d[m][k],
                                  SINGLE * (fabs(x.seed_d[m][k]) + shot_magnitude(&x, 0)));
    }
    return ok;
}

/* ---- a whole problem ---- */

static bool families_agree(Shot *s) {
    bool ok = true;
    for (uint32_t f = 0; f < s->task->family.n; f++) {
        shot_enumerate(s, f);
        ok = ok && number_agrees(s->rig, "the number of terms", (double)s->size[f],
                                 s->task->family.at[f].size, 0);
    }
    return ok;
}

static bool route_agrees(Rig *rig, const Build *build, const Build *single, uint32_t id,
                         bool exact) {
    const Task *task = &rig->c.problem->plan->task.at[id];
    const Route *route = exact ? &task->exact : &task->sampled;
    if (route->unavailable && !exact)
        printf("%s, task %u: no sampled route: %s\n", where.file, id, route->unavailable);
    if (route->unavailable)
        return exact &&
               build_function(build, exact ? "pde_exact_%u" : "pde_combine_%u", id) == NULL;
    if (task->family.n > FAMILIES_MAX || task->n_residuals > RESIDUALS_MAX ||
        route->block.n > BLOCKS_MAX)
        return false;
    bool ok = true;
    for (int subset = 0; ok && subset <= (!exact && task->family.n > 0); subset++) {
        Shot s = {.rig = rig,
                  .b = build,
                  .task = task,
                  .route = route,
                  .id = id,
                  .exact = exact,
                  .n_scalars = rig->c.problem->kernels->info.scalar[id].at.n};
        where.what = exact ? "exact route" : subset ? "sampled terms" : "all terms";
        ok = families_agree(&s);
        for (uint32_t f = 0; subset && f < task->family.n; f++)
            shot_draw_subset(&s, f);
        shot_layout(&s);
        shot_prepare(&s);
        ok = ok && blocks_agree(&s) && residuals_agree(&s, !subset) &&
             seeds_agree(&s, subset ? 9 : 4);
        ok = ok && single_agrees(&s, single);
    }
    return ok;
}

static bool problem_agrees(Rig *rig, const Build *b, const Build *single) {
    const Problem *p = rig->c.problem;
    bool ok = true;
    build_configure(b, rig);
    build_configure(single, rig);
    where.what = "numbers";
    ok = numbers_agree(rig, b);
    for (uint32_t id = 0; ok && id < p->plan->task.n; id++) {
        where.task = id;
        where.what = "point program";
        ok = rig_points(rig, p->plan->task.at[id].kind) && scalars_agree(rig, b, id) &&
             route_agrees(rig, b, single, id, false) && route_agrees(rig, b, single, id, true);
    }
    where.task = p->plan->task.n;
    where.what = "evaluation";
    ok = ok && rig_points(rig, TASK_EQUATION) && scalars_agree(rig, b, p->plan->task.n) &&
         fields_agree(rig, b) && features_agree(rig, b) && semiaxes_agree(rig, b);
    for (uint32_t k = 0; ok && k < p->sample.n; k++)
        ok = sample_agrees(rig, b, k);
    return ok;
}

static char folder[64];

static Text source_of(Rig *rig) {
    return rig->c.problem->kernels->source;
}

/* One library for all d: the text of the kernels must not depend on it. */
static bool file_agrees(const char *path) {
    static const long sizes[] = {7, 3, 2, 1};
    static Rig rig, first;
    Build b = {0}, single = {0};
    const char *slash = strrchr(path, '/');
    bool ok = true;
    where.file = slash ? slash + 1 : path;
    for (size_t k = 0; ok && k < sizeof sizes / sizeof *sizes; k++) {
        Rig *r = k == 0 ? &first : &rig;
        where.d = sizes[k];
        Opened opened = rig_open(r, path, sizes[k]);
        ok = opened == RIG_OPEN || (opened == RIG_TOO_SMALL && k > 0);
        if (opened != RIG_OPEN) {
            rig_close(r);
            continue;
        }
        if (k == 0)
            ok = build_open(&b, r, folder, false) && build_open(&single, r, folder, true);
        Text text = source_of(r);
        if (ok &&
            (text.n != source_of(&first).n || memcmp(text.s, source_of(&first).s, text.n) != 0)) {
            printf("%s: the kernels are not the same at d = %ld and d = %ld\n", where.file,
                   sizes[0], sizes[k]);
            ok = false;
        }
        ok = ok && problem_agrees(r, &b, &single);
        if (k > 0)
            rig_close(r);
    }
    rig_close(&first);
    build_close(&b);
    build_close(&single);
    return ok;
}

TEST kernels_agree(const char *path) {
    ASSERT(file_agrees(path));
    PASS();
}

/* What the point program of the two-body source costs: the norm by itself, three sums for the rest, and
 * sin and cos of each coordinate once. */
TEST sums_are_merged(void) {
    static Rig rig;
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/elliptic_sine_gordon.pde", PDE_SOURCE_DIR);
    ASSERT_EQ(RIG_OPEN, rig_open(&rig, path, 5));
    const char *text = text_cstr(&rig.c.problem->kernels->source);
    const char *from = strstr(text, "void pde_points_0(const PdePointArgs *a) {");
    ASSERT(from);
    const char *to = strstr(from, "\n}"), *last_loop = strstr(from, "PDE_LEAF(");
    int sums = 0, pairs = 0;
    for (const char *at = from; (at = strstr(at, "+= ")) && at < to; at++)
        sums++;
    for (const char *at = last_loop; at && (at = strstr(at, "sincos")) && at < to; at++)
        pairs++;
    rig_close(&rig);
    ASSERT_EQ(3, sums);
    ASSERT_EQ(2, pairs);
    PASS();
}

TEST sine_and_cosine_together(void) {
    double worst = 0, worst_single = 0;
    for (int k = -200000; k <= 200000; k++) {
        double x = k * 0.05 + k * 1e-7, s, c;
        float fs, fc, fx = (float)x;
        pde_sincos(x, &s, &c);
        pde_sincosf(fx, &fs, &fc);
        worst = fmax(worst, fmax(fabs(s - sin(x)), fabs(c - cos(x))));
        worst_single = fmax(worst_single, fmax(fabs((double)fs - sin((double)fx)),
                                               fabs((double)fc - cos((double)fx))));
    }
    ASSERT(worst < 3e-16);
    ASSERT(worst_single < 1e-7);
    PASS();
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void run_folder(const char *name) {
    char path[1024], *found[256];
    int n = 0;
    snprintf(path, sizeof path, "%s/%s", PDE_SOURCE_DIR, name);
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && n < 256 && (e = readdir(dir));) {
        const char *dot = strrchr(e->d_name, '.');
        char file[2048];
        snprintf(file, sizeof file, "%s/%s", path, e->d_name);
        if (dot && strcmp(dot, ".pde") == 0 && (found[n] = strdup(file)))
            n++;
    }
    if (dir)
        closedir(dir);
    qsort(found, (size_t)n, sizeof *found, by_name);
    for (int k = 0; k < n; k++) {
        RUN_TESTp(kernels_agree, found[k]);
        free(found[k]);
    }
}

SUITE(examples) {
    run_folder("examples");
}
SUITE(other_problems) {
    run_folder("tests/kernels/pde");
}

SUITE(cost) {
    RUN_TEST(sums_are_merged);
    RUN_TEST(sine_and_cosine_together);
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    snprintf(folder, sizeof folder, "test_kernels.XXXXXX"); /* below the build */
    if (!mkdtemp(folder))
        return 1;
    for (int k = 1; k < argc; k++) /* named files only, to look at one */
        if (argv[k][0] != '-')
            printf("%s: %s\n", argv[k], file_agrees(argv[k]) ? "agrees" : "differs");
    if (argc == 1 || argv[1][0] == '-') {
        RUN_SUITE(examples);
        RUN_SUITE(other_problems);
        RUN_SUITE(cost);
    }
    rmdir(folder);
    printf("%u numbers compared\n", where.checks);
    GREATEST_MAIN_END();
}
