/* law.c: points where the information comes from. Answers at the points of the
 * file's law depend on the data along the paths of the equation's own process
 * that start there; a network that sees only the file's points is small in its
 * residual where it is asked and wrong where it takes its values from. With D =
 * sigma sigma' by unit of time and s the share of the time since the start, a
 * coordinate is normal with the start's variance plus D s t, or the same for
 * logarithms where D is proportional to x^2. */
#include <string.h>

#include "base/compilation.h"
#include "eval/domain.h"
#include "eval/bindings.h"
#include "text/symbols.h"
#include "variants/find.h"

typedef struct Walk {
    Compilation *c;
    Ir *ir;
    const Spread *file;
    Diffusion d;
    Spread *out;
    Ref start;    /* the point where answers are asked; 0: the file's law */
    Ref elapsed;  /* time since the start, in t and a chance */
    Ref variance; /* of the start */
} Walk;

const PlaceRow *asked_place(const Problem *p) {
    for (uint32_t k = 0; k < p->reference.n; k++)
        for (uint32_t j = 0; j < p->reference.at[k].n_at && j < 8; j++)
            if (p->reference.at[k].at[j].all)
                return &p->reference.at[k].at[j];
    for (uint32_t k = 0; k < p->report.n; k++)
        for (uint32_t j = 0; j < p->report.at[k].n_at && j < 8; j++)
            if (p->report.at[k].at[j].all)
                return &p->report.at[k].at[j];
    return NULL;
}

static Ref chance(Walk *w, const char *wanted, bool normal) {
    Spread *s = w->out;
    const char *name = find_free_name(w->c, wanted);
    s->chance[s->chances++] = (Chance){name, normal};
    return ir_atom(w->ir, OP_AUX, intern_cstr(w->c, name));
}

/* The file's law of x was made with paths in mind, or is stated beside a law
 * for tests: it stays. */
static bool is_designed(const Compilation *c) {
    const Problem *p = c->problem;
    for (uint32_t k = 0; p->solve && k < p->solve->n; k++)
        if (strcmp(sym_cstr(c, p->solve->kid[k]->name), "slices") == 0)
            return true;
    for (uint32_t k = 0; k < p->sample.n; k++) {
        const SampleRow *s = &p->sample.at[k];
        if (s->test || problem_space(p, s->target) < 0)
            return true;
        for (uint32_t a = 0; a < s->n_args && a < 4; a++)
            if (ir_contains(c->ir, s->args[a], OP_TIME) || ir_contains(c->ir, s->args[a], OP_AUX))
                return true;
    }
    return false;
}

static bool is_plain(const Ir *ir, Ref e) {
    return !ir_contains(ir, e, OP_SPACE) && !ir_contains(ir, e, OP_TIME) && !ir_has_net(ir, e);
}

static Ref root(Ir *ir, Ref e) {
    return ir_pow(ir, e, ir_const(ir, 0.5));
}

/* Factors that all coordinates share: v_k sqrt(strength * elapsed) g. */
static void add_ranks(Walk *w, int power) {
    Ir *ir = w->ir;
    for (uint32_t r = 0; r < w->d.ranks && r < 3 && w->out->chances < SPREAD_CHANCES; r++) {
        Ref v = without_coordinate(w->c, w->d.vector[r], w->d.index, power);
        if (!v || !is_plain(ir, w->d.strength[r]))
            continue;
        Ref g = chance(w, r == 0 ? "g" : r == 1 ? "h" : "w", true);
        v = ir_substitute(ir, v, w->d.index, w->out->index);
        Ref step =
            ir_mul2(ir, v, ir_mul2(ir, root(ir, ir_mul2(ir, w->d.strength[r], w->elapsed)), g));
        w->out->law_mean = ir_add2(ir, w->out->law_mean, step);
    }
}

/* b = level + slope x, without time or other coordinates: else the drift is left out. */
static void read_drift(const Walk *w, Ref *level, Ref *slope) {
    Ir *ir = w->ir;
    Ref x = ir_indexed(ir, OP_SPACE, 0, 1, &w->d.index), zero = ir_const(ir, 0);
    *slope = ir_diff(ir, w->d.drift, x);
    *level = ir_substitute(ir, w->d.drift, x, zero);
    if (!is_plain(ir, *slope) || !is_plain(ir, *level)) /* another coordinate is in one of them */
        *slope = *level = zero;
    *slope = ir_substitute(ir, *slope, w->d.index, w->out->index);
    *level = ir_substitute(ir, *level, w->d.index, w->out->index);
}

static Ref growth(const Walk *w, Ref slope, double times) {
    Ref power = ir_mul2(w->ir, ir_const(w->ir, times), ir_mul2(w->ir, slope, w->elapsed));
    return ir_func(w->ir, FUNC_exp, 1, &power);
}

/* (exp(times slope elapsed) - 1) / (times slope), which is the elapsed time where slope is 0. */
static Ref gained(const Walk *w, Ref slope, double times) {
    Ir *ir = w->ir;
    if (ir_is_number(ir, slope, 0))
        return w->elapsed;
    return ir_div(ir, ir_sub(ir, growth(w, slope, times), ir_const(ir, 1)),
                  ir_mul2(ir, ir_const(ir, times), slope));
}

/* dX = (level + slope X) dt + sqrt(D) dW with D constant. */
static void walk_normal(Walk *w, Ref D) {
    Ir *ir = w->ir;
    Spread *s = w->out;
    Ref level, slope;
    read_drift(w, &level, &slope);
    s->law_mean = ir_add2(ir, ir_mul2(ir, s->law_mean, growth(w, slope, 1)),
                          ir_mul2(ir, level, gained(w, slope, 1)));
    s->law_deviation = root(ir, ir_add2(ir, ir_mul2(ir, w->variance, growth(w, slope, 2)),
                                        ir_mul2(ir, D, gained(w, slope, 2))));
    add_ranks(w, 0);
}

/* The start of log x: a mean m of x, and a variance that log x has by a file's lognormal law, or that is matched. */
static Ref log_variance(const Walk *w, Ref m) {
    Ir *ir = w->ir;
    if (w->file->logarithmic)
        return w->variance;
    return ir_func(ir, FUNC_log1p, 1, (Ref[]){ir_div(ir, w->variance, ir_powi(ir, m, 2))});
}

/* The same for log x: D is that of dX / X. */
static void walk_lognormal(Walk *w, Ref D) {
    Ir *ir = w->ir;
    Spread *s = w->out;
    Ref level, slope, m = s->law_mean;
    read_drift(w, &level, &slope);
    Ref log_start = log_variance(w, m);
    Ref all = D;
    for (uint32_t r = 0; r < w->d.ranks; r++) {
        Ref v = without_coordinate(w->c, w->d.vector[r], w->d.index, 1);
        if (v)
            all = ir_add2(ir, all, ir_mul2(ir, w->d.strength[r], ir_powi(ir, v, 2)));
    }
    all = ir_substitute(ir, all, w->d.index, s->index);
    D = ir_substitute(ir, D, w->d.index, s->index);
    if (ir_is_number(ir, level, 0)) {
        s->law_mean = ir_add2(ir, ir_func(ir, FUNC_log, 1, &m), ir_mul2(ir, slope, w->elapsed));
    } else {
        Ref mean = ir_add2(ir, ir_mul2(ir, m, growth(w, slope, 1)),
                           ir_mul2(ir, level, gained(w, slope, 1)));
        s->law_mean = ir_func(ir, FUNC_log, 1, &mean);
    }
    Ref variance = ir_add2(ir, log_start, ir_mul2(ir, all, w->elapsed));
    s->law_mean = ir_sub(ir, s->law_mean, ir_mul2(ir, ir_const(ir, 0.5), variance));
    s->law_deviation = root(ir, ir_add2(ir, log_start, ir_mul2(ir, D, w->elapsed)));
    s->logarithmic = s->positive = true;
    add_ranks(w, 1);
}

/* A lognormal law's is exp(m + s^2 / 2). */
static Ref mean_of_x(const Walk *w) {
    Ir *ir = w->ir;
    Ref half = ir_mul2(ir, ir_const(ir, 0.5), ir_powi(ir, w->file->deviation, 2));
    Ref power = ir_add2(ir, w->file->mean, half);
    return w->file->logarithmic ? ir_func(ir, FUNC_exp, 1, &power) : w->file->mean;
}

/* Where the walk begins: the file's law, or a mixture of it with the point
 * where answers are asked. */
static void begin(Walk *w) {
    Ir *ir = w->ir;
    const Problem *p = w->c->problem;
    Ref t = ir_atom(ir, OP_TIME, 0);
    Ref since = w->d.forward ? ir_sub(ir, t, p->t_lo) : ir_sub(ir, p->t_hi, t);
    const PlaceRow *place = asked_place(p);
    Ref mean = mean_of_x(w);
    w->out->index = w->file->index;
    w->out->law_mean = mean;
    w->variance = ir_powi(ir, w->file->deviation, 2);
    if (place && is_plain(ir, place->value)) {
        Ref mix = chance(w, "s", false);
        w->start = ir_substitute(ir, place->value, place->index, w->file->index);
        w->out->law_mean = ir_add2(ir, w->start, ir_mul2(ir, mix, ir_sub(ir, mean, w->start)));
        w->variance = ir_mul2(ir, mix, w->variance);
        w->elapsed = since;
    } else {
        w->elapsed = ir_mul2(ir, chance(w, "s", false), since);
    }
}

static Ref at_mean(Walk *w, Ref e) {
    Ref x = ir_indexed(w->ir, OP_SPACE, 0, 1, &w->d.index);
    Ref m = ir_substitute(w->ir, w->file->mean, w->file->index, w->d.index);
    e = ir_substitute(w->ir, e, x, m);
    return is_plain(w->ir, e) ? e : 0;
}

bool find_law(Compilation *c, const Spread *file, Spread *out, Finds *finds) {
    Ir *ir = c->ir;
    Walk w = {.c = c, .ir = ir, .file = file, .d = diffusion_of(c), .out = out};
    const Problem *p = c->problem;
    *out = (Spread){.where = w.d.where};
    if (!w.d.known || !file->known || !p->time || !p->space.n || domain_bounded(c) ||
        p->tensor_net || is_designed(c))
        return false;
    Ref constant = without_coordinate(c, w.d.diagonal, w.d.index, 0);
    Ref square = constant ? 0 : without_coordinate(c, w.d.diagonal, w.d.index, 2);
    bool has_rank_of_x = w.d.ranks && without_coordinate(c, w.d.vector[0], w.d.index, 1) &&
                         !without_coordinate(c, w.d.vector[0], w.d.index, 0);
    if (constant && ir_is_number(ir, constant, 0) && has_rank_of_x) {
        square = constant;
        constant = 0;
    }
    if (file->logarithmic && !square)
        return false; /* its moments are those of the logarithm */
    Ref line = constant || square ? 0 : without_coordinate(c, w.d.diagonal, w.d.index, 1);
    Ref frozen = constant || square || line ? 0 : at_mean(&w, w.d.diagonal);
    if ((square || line) && !file->positive)
        frozen = at_mean(&w, w.d.diagonal), square = line = 0;
    if (!constant && !square && !line && !frozen)
        return false;
    begin(&w);
    if (square)
        walk_lognormal(&w, square);
    else if (line) /* CIR: its relative variance at the mean */
        walk_lognormal(&w, ir_div(ir, line, ir_substitute(ir, file->mean, file->index, w.d.index)));
    else
        walk_normal(&w, ir_substitute(ir, constant ? constant : frozen, w.d.index, out->index));
    if (out->law_mean == file->mean && out->law_deviation == file->deviation && !out->logarithmic)
        return false; /* the file's law is the one that the process keeps */
    out->known = true;
    spread_settle(c, out);
    find_add(c, finds, FIND_LAW, spread_statements(c, out, false),
             w.start ? "the equation's own process from where answers are asked "
                       "to the file's law"
                     : "the equation's own process, started by the file's law",
             out->where);
    return true;
}

const char *spread_statements(Compilation *c, const Spread *s, bool keep_test) {
    Text t = {.arena = &c->arena};
    const char *i = find_free_name(c, "i"), *x = sym_cstr(c, c->problem->space.at[0].name);
    memo_put(c->ir->index_name, s->index, 0, intern_cstr(c, i));
    for (uint32_t k = 0; k < s->chances; k++)
        text_printf(&t, "sample %s ~ %s\n", s->chance[k].name,
                    s->chance[k].normal ? "normal(0, 1)" : "uniform(0, 1)");
    text_printf(&t, "sample %s_%s ~ %s(%s, ", x, i, s->logarithmic ? "lognormal" : "normal",
                ir_text(c->ir, s->law_mean));
    text_printf(&t, "%s)", ir_text(c->ir, s->law_deviation));
    for (uint32_t k = 0; keep_test && k < c->program->n; k++) {
        const Ast *a = c->program->kid[k];
        if (a->kind != AST_SAMPLE || a->flag)
            continue;
        Str text = source_text(c, (Span){a->kid[0]->span.lo, a->span.hi});
        text_printf(&t, "\ntest ");
        text_bytes(&t, text.s, text.n);
    }
    return text_cstr(&t);
}
