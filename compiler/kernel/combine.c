/* combine.c: the combine kernel of a route: from the network's jets at one point to the residuals,
 * and to the seeds of the reverse sweep.
 *
 * For a residual R(jets, S) with sampled sums S = factor * sum_k body_k(jets), the seed of a jet is
 *     dR/djet + sum over S of dR/dS * factor * d body_k / d jet
 * and all these derivatives are taken symbolically here. */
#include "kernel/combine.h"

#include <assert.h>

#include "base/compilation.h"
#include "plan/ascent.h"

typedef struct Combine {
    Gen g;
    const Task *task;
    const Route *route;
    Scalars *scalars;
    const SampledSum *sum; /* whose body is being written, or NULL */
    Memo names;            /* jet atom or placeholder -> Sym of its C variable */
} Combine;

/* ---- names ---- */

static void add_subscript(Combine *cb, Text *t, Ref variable) {
    Ir *ir = cb->g.c->ir;
    double k;
    Ref at;
    if (ir_is(ir, variable, OP_TANGENT)) {
        text_str(t, STR("_"));
        for (uint32_t v = 0; v < ir_arity(ir, variable); v++)
            add_subscript(cb, t, ir_kid(ir, variable, v));
        return;
    }
    if (ir_is(ir, variable, OP_TIME)) {
        text_str(t, STR("t"));
        return;
    }
    if (!input_entry(ir, variable, &at)) {
        text_printf(t, "f%u", input_slot(cb->g.c->problem, ir, variable) + 1);
        return;
    }
    for (uint32_t j = 0; cb->sum && j < 2; j++)
        if (cb->sum->index[j] && ir_is_const(ir, ir_sub(ir, at, cb->sum->index[j]), &k)) {
            text_printf(t, "%c", "ij"[j]);
            if (k > 0 || k < 0)
                text_printf(t, "%s%d", k > 0 ? "p" : "m", (int)(k > 0 ? k : -k));
            return;
        }
    text_printf(t, ir_is_const(ir, at, &k) ? "%d" : "x", (int)(ir_is_const(ir, at, &k) ? k : 0));
}

static const char *jet_name(Combine *cb, Ref atom) {
    Compilation *c = cb->g.c;
    Ref sym;
    if (memo_get(&cb->names, atom, 0, &sym))
        return sym_cstr(c, sym);
    Text t = {.arena = &c->arena};
    if (ir_is(c->ir, atom, OP_NET)) {
        text_printf(&t, "%s", sym_cstr(c, c->ir->net_name[ir_id(c->ir, atom)]));
        for (uint32_t k = 0; k < ir_arity(c->ir, atom); k++) {
            text_printf(&t, k ? "" : "_");
            add_subscript(cb, &t, ir_kid(c->ir, atom, k));
        }
    } else {
        text_printf(&t, "j_%s", sym_cstr(c, (Sym)ir_id(c->ir, atom)) + 1); /* without the $ */
    }
    Sym name = intern_cstr(c, text_cstr(&t));
    memo_put(&cb->names, atom, 0, name);
    return sym_cstr(c, name);
}

/* ---- atoms ---- */

static bool is_jet(const Jets *jets, Ref e) {
    for (uint32_t k = 0; k < jets->n; k++)
        if (jets->at[k].atom == e)
            return true;
    return false;
}

static uint32_t scalar_number(Compilation *c, Scalars *s, Ref e) {
    for (uint32_t k = 0; k < s->at.n; k++)
        if (s->at.at[k] == e)
            return k;
    VEC_PUSH(&c->arena, s->at, e);
    return s->at.n - 1;
}

static const char *combine_atom(void *context, Gen *g, Ref e) {
    Combine *cb = context;
    Ir *ir = g->c->ir;
    if (plan_is_placeholder(ir, e) || (cb->sum && is_jet(&cb->sum->jet, e)) ||
        is_jet(&cb->route->jet, e))
        return jet_name(cb, e);
    bool data = !ir_has_net(ir, e) && !ir->node.at[e].has_index && !ir_contains(ir, e, OP_AUX);
    bool plain = ir_arity(ir, e) == 0 || ir_is(ir, e, OP_SPACE) || ir_is(ir, e, OP_OUTWARD);
    if (!data || plain || !gen_varies(ir, e))
        return NULL;
    if (g->probing)
        return "";
    return gen_text(g, "scalar[%u * PDE_LANES + lane]", scalar_number(g->c, cb->scalars, e));
}

/* ---- reading jets ---- */

/* Does the block have a direction for each term? */
static bool follows_family(BlockKind kind) {
    return kind == BLOCK_unit || kind == BLOCK_pair || kind == BLOCK_sparse;
}

/* The sum of a jet's parts; `moving` is the position within its block. */
static const char *jet_parts(Combine *cb, const Jet *jet, const char *moving) {
    Gen *g = &cb->g;
    const char *text = NULL;
    for (uint32_t k = 0; k < jet->n; k++) {
        const JetPart *part = &jet->part[k];
        bool moves = follows_family(cb->route->block.at[part->block].kind);
        const char *d = gen_text(g, "d%u[%u * directions + block[%u]%s]", part->order, jet->output,
                                 part->block, moves ? moving : "");
        if (part->coef < 1 || part->coef > 1) {
            Text t = {.arena = &g->c->arena};
            text_double(&t, part->coef);
            d = gen_text(g, "R(%s) * %s", text_cstr(&t), d);
        }
        text = text ? gen_text(g, "%s + %s", text, d) : d;
    }
    return text;
}

/* The directions of a block, with their weights w: a loop that adds to nothing (NULL), or to `sum`. Only jets
 * of the point have such loops, so that threads may share them. */
static void open_block(Gen *g, uint32_t b, LeafLoop *sum) {
    const char *from = gen_text(g, "block[%u]", b);
    const char *n = gen_text(g, "block[%u + 1] - %s", b, from);
    if (sum)
        gen_leaves(g, sum, &(LeafRange){"0", gen_text(g, "%s - 1", n), n, from, false}, "k");
    else
        gen_open(g, "PDE_EACH_TERM(k, block[%u], block[%u + 1]) {", b, b);
    gen_line(g, "const real w = weight[%u] ? R(weight[%u][k - block[%u]]) : R(1);", b, b, b);
}

static void read_jet(Combine *cb, const Jet *jet, const char *moving) {
    Gen *g = &cb->g;
    const char *name = jet_name(cb, jet->atom);
    uint32_t o = jet->output, b = jet->part[0].block;
    LeafLoop leaves = {0};
    switch (jet->kind) {
    case JET_LINEAR:
        if (jet->n == 0)
            gen_line(g, "const real %s = scale%u * n[%u];", name, o, o);
        else
            gen_line(g, "const real %s = scale%u * (%s);", name, o, jet_parts(cb, jet, moving));
        break;
    case JET_GRAM:
    case JET_SQUARES:
        gen_line(g, "real %s = R(0);", name);
        gen_adds(g, &leaves, name, "sum", false);
        open_block(g, b, &leaves);
        if (jet->kind == JET_GRAM)
            gen_line(g, "%s += w * scale%u * d2[%u * directions + k];", name, o, o);
        else
            gen_line(g, "%s += w * PDE_FN(square)(scale%u * d1[%u * directions + k]);", name, o, o);
        gen_leaves_end(g, &leaves);
        gen_line(g, "PDE_JOIN(sum, %s)", name);
        break;
    case JET_GRADIENT:
        gen_line(g, "const real %s = sweep[%u * PDE_LANES + lane];", name, b);
        break;
    }
    gen_line(g, "(void)%s;", name);
}

/* A loop over the sampled indices of a family, which adds to nothing (NULL), or to `sums`. */
static void open_family_loop(Combine *cb, uint32_t family, const Ref *index, LeafLoop *sums) {
    Gen *g = &cb->g;
    const Family *f = &cb->task->family.at[family];
    static const char *const name[2] = {"i", "j"};
    const char *count = gen_text(g, "count[%u]", family);
    gen_push(g);
    gen_share(g);
    if (sums)
        gen_leaves(g, sums, &(LeafRange){"0", gen_text(g, "%s - 1", count), count, "0", false},
                   "k");
    else
        gen_open(g, "PDE_EACH_TERM(k, 0, %s) {", count);
    assert(f->n_index <= 2);
    for (uint32_t j = 0; j < f->n_index && j < 2; j++) {
        const char *at = f->n_index == 1 ? "k" : j == 0 ? "2 * k" : "2 * k + 1";
        Ref lo = f->ordered ? f->lo[0] : f->lo[j];
        gen_line(g, "const int64_t %s = %s + set[%u][%s];", name[j], gen_integer(g, lo), family,
                 at);
        gen_line(g, "(void)%s;", name[j]);
        gen_name_index(g, index[j], name[j]);
        memo_put(&g->index_name, index[j], 1, lo);
        memo_put(&g->index_name, index[j], 2, f->ordered ? f->hi[0] : f->hi[j]);
    }
}

/* The same for a sum, with its jets read. */
static void open_sum_loop(Combine *cb, const SampledSum *sum, LeafLoop *sums) {
    cb->sum = sum;
    open_family_loop(cb, sum->family, sum->index, sums);
    for (uint32_t k = 0; k < sum->jet.n; k++)
        read_jet(cb, &sum->jet.at[k], " + k");
}

static void close_sum_loop(Combine *cb, const LeafLoop *sums) {
    if (sums)
        gen_leaves_end(&cb->g, sums);
    else
        gen_close(&cb->g);
    gen_pop(&cb->g);
    cb->sum = NULL;
}

static void write_sum(Combine *cb, const SampledSum *sum) {
    Gen *g = &cb->g;
    const char *name = jet_name(cb, sum->placeholder);
    static const char *const index_name[2] = {"i", "j"};
    LeafLoop leaves = {0};
    for (int j = 0; j < 2; j++)
        if (sum->index[j])
            memo_put(g->c->ir->index_name, sum->index[j], 0, intern_cstr(g->c, index_name[j]));
    gen_comment(g, ir_text(g->c->ir, sum->body));
    gen_line(g, "real %s = R(0);", name);
    gen_adds(g, &leaves, name, "sum", false);
    open_sum_loop(cb, sum, &leaves);
    const char *line = gen_text(g, "%s += %%s;", name);
    gen_values(g, 1, &sum->body, &line);
    close_sum_loop(cb, &leaves);
    gen_line(g, "PDE_JOIN(sum, %s)", name);
    gen_line(g, "%s *= R(factor[%u]);", name, sum->family);
}

/* ---- seeds ---- */

/* Where the seeds of a jet's part lie, and what is added there per unit of the jet's seed. Those of a
 * moving block have a place for each term; the others have one that all terms add to. */
typedef struct SeedPlace {
    const char *place, *rate;
    bool moves;
} SeedPlace;

static SeedPlace seed_place(Combine *cb, uint32_t e, const Jet *jet, uint32_t k,
                            const char *moving) {
    Gen *g = &cb->g;
    uint32_t o = jet->output, at = e * g->c->problem->field.n + o;
    if (jet->n == 0)
        return (SeedPlace){gen_text(g, "seed_n[%u]", at), gen_text(g, "scale%u", o), false};
    const JetPart *part = &jet->part[k];
    bool moves = follows_family(cb->route->block.at[part->block].kind);
    Text coef = {.arena = &g->c->arena};
    text_double(&coef, part->coef);
    return (SeedPlace){gen_text(g, "seed_d%u[%u * directions + block[%u]%s]", part->order, at,
                                part->block, moves ? moving : ""),
                       gen_text(g, "R(%s) * scale%u", text_cstr(&coef), o), moves};
}

static uint32_t seed_places(const Jet *jet) {
    return jet->n ? jet->n : 1;
}

/* Adds `value` (a C expression) times the jet's own derivative to the seeds of residual e. */
static void add_seed(Combine *cb, uint32_t e, const Jet *jet, const char *value) {
    Gen *g = &cb->g;
    uint32_t o = jet->output, at = e * g->c->problem->field.n + o, b = jet->part[0].block;
    switch (jet->kind) {
    case JET_LINEAR:
        for (uint32_t k = 0; k < seed_places(jet); k++) {
            SeedPlace seed = seed_place(cb, e, jet, k, "");
            gen_line(g, "PDE_ONCE %s += %s * (%s);", seed.place, seed.rate, value);
        }
        break;
    case JET_GRAM:
    case JET_SQUARES:
        open_block(g, b, NULL);
        if (jet->kind == JET_GRAM)
            gen_line(g, "seed_d2[%u * directions + k] += w * scale%u * (%s);", at, o, value);
        else
            gen_line(g,
                     "seed_d1[%u * directions + k] += w * R(2) * PDE_FN(square)(scale%u) * d1[%u * "
                     "directions + k] * (%s);",
                     at, o, o, value);
        gen_close(g);
        break;
    case JET_GRADIENT:
        gen_line(g, "PDE_ONCE seed_d1[%u * directions + block[%u]] += scale%u * (%s);", at, b, o,
                 value);
        break;
    }
}

/* The collectors of the places that all terms of a sum add to: declared before its loop, delivered after. */
static void write_collectors(Combine *cb, uint32_t e, const SampledSum *sum, LeafLoop *sums) {
    Gen *g = &cb->g;
    for (uint32_t j = 0; j < sum->jet.n; j++)
        for (uint32_t k = 0; k < seed_places(&sum->jet.at[j]); k++) {
            SeedPlace seed = seed_place(cb, e, &sum->jet.at[j], k, "");
            if (seed.moves)
                continue;
            const char *name = gen_text(g, "c%u_%u_%u", e, j, k);
            if (!sums) {
                gen_line(g, "PDE_DELIVER(%s, %s)", name, seed.place);
                continue;
            }
            gen_line(g, "real %s = R(0);", name);
            gen_adds(g, sums, name, "sum", false);
        }
}

/* Within the loop of a sum: the seeds of its own jet j. */
static void add_term_seed(Combine *cb, uint32_t e, const SampledSum *sum, uint32_t j,
                          const char *value) {
    Gen *g = &cb->g;
    const Jet *jet = &sum->jet.at[j];
    for (uint32_t k = 0; k < seed_places(jet); k++) {
        SeedPlace seed = seed_place(cb, e, jet, k, " + k");
        if (seed.moves)
            gen_line(g, "%s += %s * (%s);", seed.place, seed.rate, value);
        else
            gen_line(g, "c%u_%u_%u += %s * (%s);", e, j, k, seed.rate, value);
    }
}

/* A number that starts with dR/dy, for y a jet of the point or an unknown, and collects what the sampled
 * sums add. */
typedef struct Running {
    Ref y;
    const char *name;
} Running;

typedef VEC(Running) Runnings;

static void start_running(Combine *cb, uint32_t e, Runnings *out) {
    Gen *g = &cb->g;
    const Problem *p = g->c->problem;
    const Route *r = cb->route;
    for (uint32_t k = 0; k < r->jet.n + p->unknown.n; k++) {
        bool jet = k < r->jet.n;
        Ref y = jet ? r->jet.at[k].atom
                    : ir_atom(g->c->ir, OP_UNKNOWN, p->unknown.at[k - r->jet.n].name);
        const char *name = gen_text(g, jet ? "G%u_%u" : "Q%u_%u", e, jet ? k : k - r->jet.n);
        const char *line = gen_text(g, "real %s = %%s;", name);
        Ref slope = ir_diff(g->c->ir, r->residual[e], y);
        gen_values(g, 1, &slope, &line);
        VEC_PUSH(&g->c->arena, *out, ((Running){y, name}));
    }
}

/* `macro`(name) for every running number that this sum adds to; before its loop they are told to it. */
static void share_running(Combine *cb, const SampledSum *sum, const Runnings *all,
                          const char *format, LeafLoop *sums) {
    Gen *g = &cb->g;
    for (uint32_t k = 0; k < all->n; k++) {
        if (ir_is_number(g->c->ir, ir_diff(g->c->ir, sum->body, all->at[k].y), 0))
            continue;
        gen_line(g, format, all->at[k].name);
        if (sums)
            gen_adds(g, sums, all->at[k].name, "sum", false);
    }
}

/* What one sampled sum, by which the residual changes at the rate `outer`, adds to the seeds. */
static void write_sum_seeds(Combine *cb, uint32_t e, uint32_t s, Ref outer, const Runnings *all) {
    Gen *g = &cb->g;
    Ir *ir = g->c->ir;
    const SampledSum *sum = &cb->route->sum.at[s];
    const char *line = gen_text(g, "const real F%u_%u = R(factor[%u]) * (%%s);", e, s, sum->family);
    gen_values(g, 1, &outer, &line);
    LeafLoop leaves = {0};
    share_running(cb, sum, all, "PDE_SPLIT(%s)", &leaves);
    write_collectors(cb, e, sum, &leaves);
    LeafLoop *sums = leaves.sum.n ? &leaves : NULL;
    open_sum_loop(cb, sum, sums);
    for (uint32_t k = 0; k < all->n; k++) {
        Ref slope = ir_diff(ir, sum->body, all->at[k].y);
        if (ir_is_number(ir, slope, 0))
            continue;
        line = gen_text(g, "%s += F%u_%u * (%%s);", all->at[k].name, e, s);
        gen_values(g, 1, &slope, &line);
    }
    for (uint32_t k = 0; k < sum->jet.n; k++) {
        Ref slope = ir_diff(ir, sum->body, sum->jet.at[k].atom);
        const char *value = gen_text(g, "s%u_%u", e, k);
        line = gen_text(g, "const real %s = F%u_%u * (%%s);", value, e, s);
        gen_values(g, 1, &slope, &line);
        add_term_seed(cb, e, sum, k, value);
    }
    close_sum_loop(cb, sums);
    share_running(cb, sum, all, "PDE_JOIN(sum, %s)", NULL);
    write_collectors(cb, e, sum, NULL);
}

/* Seeds of one residual. */
static void write_seeds(Combine *cb, uint32_t e) {
    Gen *g = &cb->g;
    Ir *ir = g->c->ir;
    const Problem *p = g->c->problem;
    const Route *r = cb->route;
    Runnings all = {0};
    start_running(cb, e, &all);
    for (uint32_t s = 0; s < r->sum.n; s++) {
        Ref outer = ir_diff(ir, r->residual[e], r->sum.at[s].placeholder);
        if (!ir_is_number(ir, outer, 0))
            write_sum_seeds(cb, e, s, outer, &all);
    }
    for (uint32_t k = 0; k < r->jet.n; k++)
        add_seed(cb, e, &r->jet.at[k], all.at[k].name);
    for (uint32_t q = 0; q < p->unknown.n; q++)
        gen_line(g, "PDE_ONCE seed_unknown[%u] = %s;", e * p->unknown.n + q,
                 all.at[r->jet.n + q].name);
}

/* ---- what points that climb the residual hold fixed (ascent.h) ---- */

static void write_frozen_sum(Combine *cb, const Ascent *a, uint32_t s) {
    Gen *g = &cb->g;
    const SampledSum *sum = &cb->route->sum.at[s];
    const char *d = gen_integer(g, g->c->problem->d);
    uint32_t first = a->array[s];
    if (first == UINT32_MAX)
        return;
    gen_line(g, "PDE_EACH_TERM(k, 0, %s)", d);
    gen_line(g, "    frozen[(%u + %u * %s + k) * PDE_LANES + lane] = R(0);", a->scalars, first, d);
    gen_line(g, "PDE_TOGETHER");
    open_sum_loop(cb, sum, NULL);
    gen_line(g, "frozen[(%u + %u * %s + i - 1) * PDE_LANES + lane] = R(factor[%u]);", a->scalars,
             first, d, sum->family);
    for (uint32_t k = 0; k < sum->jet.n; k++)
        gen_line(g, "frozen[(%u + %u * %s + i - 1) * PDE_LANES + lane] = %s;", a->scalars,
                 first + 1 + k, d, jet_name(cb, sum->jet.at[k].atom));
    close_sum_loop(cb, NULL);
}

static void write_frozen(Combine *cb) {
    Gen *g = &cb->g;
    const Route *r = cb->route;
    const Ascent *a = cb->task->ascent;
    uint32_t row = 0;
    if (!a || a->unavailable || r != &cb->task->sampled)
        return;
    gen_open(g, "if (a->frozen) {");
    gen_line(g, "real *frozen = (real *)a->frozen;");
    for (uint32_t k = 0; k < r->jet.n; k++)
        gen_line(g, "PDE_ONCE frozen[%u * PDE_LANES + lane] = %s;", row++,
                 jet_name(cb, r->jet.at[k].atom));
    for (uint32_t s = 0; s < r->sum.n; s++)
        gen_line(g, "PDE_ONCE frozen[%u * PDE_LANES + lane] = %s;", row++,
                 jet_name(cb, r->sum.at[s].placeholder));
    for (uint32_t e = 0; e < cb->task->n_residuals; e++)
        gen_line(g, "PDE_ONCE frozen[%u * PDE_LANES + lane] = residual[%u];", row++, e);
    for (uint32_t s = 0; s < r->sum.n; s++)
        write_frozen_sum(cb, a, s);
    gen_close(g);
}

/* ---- the kernel ---- */

static void write_locals(Combine *cb) {
    Gen *g = &cb->g;
    kernel_pointers(g);
    gen_line(g, "const real *scalar = (const real *)a->scalar, *n = (const real *)a->n, *sweep = "
                "(const real *)a->sweep;");
    gen_line(g, "const real *d1 = (const real *)a->d[0], *d2 = (const real *)a->d[1];");
    gen_line(g, "const real *d3 = (const real *)a->d[2], *d4 = (const real *)a->d[3];");
    gen_line(g, "const int64_t lane = a->lane, directions = a->directions, *count = a->count, "
                "*block = a->block;");
    gen_line(g, "const uint32_t *const *set = a->set;");
    gen_line(g, "const double *factor = a->factor, *const *weight = a->weight;");
    gen_line(g, "real *residual = (real *)a->residual;");
    gen_line(
        g,
        "(void)scalar, (void)n, (void)sweep, (void)d1, (void)d2, (void)d3, (void)d4, (void)lane;");
    gen_line(g, "(void)directions, (void)count, (void)block, (void)set, (void)factor, "
                "(void)weight, (void)residual;");
    for (uint32_t o = 0; o < g->c->problem->field.n; o++) {
        gen_line(g, "const real scale%u = R(a->output_scale[%u]);", o, o);
        gen_line(g, "(void)scale%u;", o);
    }
}

static void begin(Combine *cb, Compilation *c, Text *out, Scalars *scalars, const Task *task,
                  const Route *route) {
    *cb =
        (Combine){.task = task, .route = route, .scalars = scalars, .names = {.arena = &c->arena}};
    cb->g = gen_new(c, out, false);
    cb->g.atom = combine_atom;
    cb->g.atom_context = cb;
}

void combine_write(Compilation *c, Text *out, const char *name, const Task *task,
                   const Route *route, Scalars *scalars) {
    Combine cb;
    begin(&cb, c, out, scalars, task, route);
    Gen *g = &cb.g;
    kernel_open(g, KERNEL_COMBINE, name);
    write_locals(&cb);
    for (uint32_t k = 0; k < route->jet.n; k++)
        read_jet(&cb, &route->jet.at[k], "");
    for (uint32_t s = 0; s < route->sum.n; s++)
        write_sum(&cb, &route->sum.at[s]);
    for (uint32_t e = 0; e < task->n_residuals; e++) {
        gen_comment(g, ir_text(c->ir, route->residual[e]));
        const char *line = gen_text(g, "PDE_ONCE residual[%u] = %%s;", e);
        gen_values(g, 1, &route->residual[e], &line);
    }
    write_frozen(&cb);
    gen_line(g, "if (!a->seed_n)");
    gen_line(g, "    return;");
    gen_line(g, "real *seed_n = (real *)a->seed_n, *seed_unknown = (real *)a->seed_unknown;");
    gen_line(g, "real *seed_d1 = (real *)a->seed_d[0], *seed_d2 = (real *)a->seed_d[1];");
    gen_line(g, "real *seed_d3 = (real *)a->seed_d[2], *seed_d4 = (real *)a->seed_d[3];");
    gen_line(g, "(void)seed_n, (void)seed_unknown, (void)seed_d1, (void)seed_d2, (void)seed_d3, "
                "(void)seed_d4;");
    for (uint32_t e = 0; e < task->n_residuals; e++)
        write_seeds(&cb, e);
    kernel_close(g, KERNEL_COMBINE, name, task->family.n);
}

void combine_write_sparse(Compilation *c, Text *out, const char *name, const Task *task,
                          const Block *block, Scalars *scalars) {
    Combine cb;
    begin(&cb, c, out, scalars, task, NEW(&c->arena, Route));
    Gen *g = &cb.g;
    const char *rows = gen_integer(g, input_vector_rows(c->problem, c->ir));
    kernel_open(g, KERNEL_COMBINE, name);
    write_locals(&cb);
    gen_line(g, "const int64_t inputs = %s + %u;", rows, input_scalars(c->problem));
    gen_line(g, "uint32_t *sparse_row = a->sparse_row;");
    gen_line(g, "real *sparse_value = (real *)a->sparse_value;");
    open_family_loop(&cb, (uint32_t)block->family, block->place, NULL);
    for (uint32_t e = 0; e < block->n_sparse; e++) {
        const char *line = gen_text(g, "sparse_value[k * %u + %u] = %%s;", block->n_sparse, e);
        gen_values(g, 1, &block->sparse[e].value, &line);
        gen_line(g, "const int64_t row%u = %s; /* outside only where the value is 0 */", e,
                 gen_integer(g, block->sparse[e].row));
        gen_line(g,
                 "sparse_row[k * %u + %u] = (uint32_t)(row%u >= 0 && row%u < inputs ? row%u : 0);",
                 block->n_sparse, e, e, e, e);
    }
    close_sum_loop(&cb, NULL);
    kernel_close(g, KERNEL_COMBINE, name, task->family.n);
}

void combine_write_fields(Compilation *c, Text *out, Scalars *scalars) {
    Problem *p = c->problem;
    Route *route = NEW(&c->arena, Route);
    for (uint32_t f = 0; f < p->field.n; f++)
        VEC_PUSH(&c->arena, route->jet,
                 ((Jet){.kind = JET_LINEAR,
                        .output = f,
                        .atom = ir_indexed(c->ir, OP_NET, f, 0, NULL)}));
    Combine cb;
    begin(&cb, c, out, scalars, NULL, route);
    kernel_open(&cb.g, KERNEL_COMBINE, "fields");
    write_locals(&cb);
    for (uint32_t f = 0; f < p->field.n; f++)
        read_jet(&cb, &route->jet.at[f], "");
    for (uint32_t f = 0; f < p->field.n; f++) {
        const char *line = gen_text(&cb.g, "PDE_ONCE residual[%u] = %%s;", f);
        Ref value = problem_scored(c, f, p->field.at[f].trial);
        gen_values(&cb.g, 1, &value, &line);
    }
    kernel_close(&cb.g, KERNEL_COMBINE, "fields", 0);
}
