/* check.c: the statements of a problem: do they fit together?
 *
 * Requires: names resolved. Establishes: every symbol has its rank and extents; every range is
 * filled (shape.c); domain, time, conditions, ansatz, exact, source, samples and settings are
 * consistent. Well-posedness that needs the operator's form is decided on the IR, not here. */
#include "check/check.h"
#include "pass.h"

#include <math.h>
#include <string.h>

const Ast *check_find(const Compilation *c, AstKind kind) {
    for (uint32_t i = 0; i < c->program->n; i++)
        if (c->program->kid[i]->kind == kind)
            return c->program->kid[i];
    return NULL;
}

Symbol *check_symbol(Compilation *c, Sym name) {
    const Symbol *s = symbol_find(c, name);
    return s ? &c->symbols->list.at[s - c->symbols->list.at] : NULL;
}

static void check_single(Checker *k, AstKind kind, const char *what) {
    const Ast *first = NULL;
    for (uint32_t i = 0; i < k->c->program->n; i++) {
        const Ast *s = k->c->program->kid[i];
        if (s->kind != kind)
            continue;
        if (first) {
            Diag *d = diag(k->c, E0519, s->span, what);
            diag_also(k->c, d, first->span, "the first one");
        } else {
            first = s;
        }
    }
}

/* ---- equations, conditions, solutions ------------------------------------------------------- */

static void check_equation(Checker *k, const Ast *s) {
    shape_sides(k, s->kid[0], s->kid[1]);
    uint32_t kinds = kinds_of(k, s->kid[0]) | kinds_of(k, s->kid[1]);
    if (!(kinds & BIT(SYMBOL_FIELD)))
        diag(k->c, E0517, s->span);
}

static const char *condition_name(AstOp op) {
    return op == COND_BOUNDARY ? "boundary" : op == COND_INITIAL ? "initial" : "terminal";
}

static const Ast *statement_for(const Compilation *c, AstKind kind, Sym name) {
    for (uint32_t i = 0; i < c->program->n; i++) {
        const Ast *s = c->program->kid[i];
        if (s->kind == kind && s->kid[0]->name == name)
            return s;
    }
    return NULL;
}

static const Ast *find_field(Checker *k, const Ast *e) {
    return kinds_find(k, e, BIT(SYMBOL_FIELD));
}

static void check_at(Checker *k, const Ast *at, Span whole, const Binding *b);

static void check_weight(Checker *k, const Ast *weight) {
    double value;
    if (!weight)
        return;
    shape_scalar(k, weight, NULL);
    if (check_constant(k, weight) && constant_value(k->c, weight, &value) && !(value > 0))
        diag(k->c, E0515, weight->span, "the weight");
}

/* Every place must be given, by numbers and data that the index may pick. */
static void check_observation(Checker *k, const Ast *s) {
    Compilation *c = k->c;
    const Ast *range = s->kid[4];
    IndexVar *v = NEW(&c->arena, IndexVar);
    Binding index = {.name = range ? range->name : 0, .index = v};
    if (range) {
        Linear first;
        *v = (IndexVar){.name = range->name, .span = range->name_span, .explicit_range = true};
        v->known = range_linear(k, range->kid[0], NULL, &first) &&
                   range_linear(k, range->kid[1], NULL, &v->hi) && first.rest.coef == 0 &&
                   first.rest.constant == 1;
        v->lo = first;
        if (!v->known)
            diag_note(c, diag(c, E0409, range->span),
                      "observations are counted from 1: for %s = 1..m", sym_cstr(c, range->name));
    }
    shape_scalar(k, s->kid[0], range ? &index : NULL);
    shape_scalar(k, s->kid[1], range ? &index : NULL);
    check_at(k, s->kid[3], s->kid[3]->span, range ? &index : NULL);
    const Ast *field = find_field(k, s->kid[0]), *other = find_field(k, s->kid[1]);
    if (!field) {
        diag(c, E0520, s->span, "observe");
    } else if (other) {
        Str text = sym_str(c, other->name);
        diag(c, E0521, other->span, "what is observed", (int)text.n, text.s);
    }
}

static void check_constraint(Checker *k, const Ast *s) {
    Compilation *c = k->c;
    shape_scalar(k, s->kid[0], NULL);
    shape_scalar(k, s->kid[1], NULL);
    check_weight(k, s->kid[2]);
    if (!sym_is(c, s->name, "integral") && !sym_is(c, s->name, "mean"))
        diag(c, E0587, s->span, "it is on integral(...) or mean(...) of an expression");
    const Ast *other = find_field(k, s->kid[1]);
    Str text = other ? sym_str(c, other->name) : (Str){0};
    if (!find_field(k, s->kid[0]))
        diag(c, E0520, s->span, "constraint");
    else if (other)
        diag(c, E0521, other->span, "what an integral equals", (int)text.n, text.s);
}

static void check_condition(Checker *k, const Ast *s) {
    Compilation *c = k->c;
    if (s->op == COND_CONSTRAINT) {
        check_constraint(k, s);
        return;
    }
    if (s->op == COND_OBSERVE) {
        check_observation(k, s);
        check_weight(k, s->kid[2]);
        return;
    }
    shape_condition(k, s->kid[0], s->kid[1]);
    if (s->op == COND_BOUNDARY && !check_bounded(c)) {
        const Ast *domain = check_find(c, AST_DOMAIN);
        Diag *d = diag(c, E0501, s->name_span);
        if (domain)
            diag_also(c, d, domain->kid[0]->span, "the whole space");
    }
    if (s->op != COND_BOUNDARY && !check_find(c, AST_TIME))
        diag(c, E0502, s->name_span, condition_name(s->op));
    const Ast *field = find_field(k, s->kid[0]);
    if (!field)
        field = find_field(k, s->kid[1]);
    if (!field) {
        diag(c, E0520, s->span, condition_name(s->op));
    } else if (s->flag) {
        const Ast *ansatz = statement_for(c, AST_ANSATZ, field->name);
        if (ansatz) {
            Diag *d = diag(c, E0509, s->span, condition_name(s->op));
            diag_also(c, d, ansatz->span, "the ansatz already builds the trial function");
        }
    }
    if (s->n > 3)
        check_faces(k, s->kid[3]);
    check_weight(k, s->kid[2]);
}

static bool mentions_net(const Compilation *c, const Ast *e) {
    if (e->kind == AST_NAME && sym_is(c, e->name, "net"))
        return true;
    for (uint32_t i = 0; i < e->n; i++)
        if (e->kid[i] && mentions_net(c, e->kid[i]))
            return true;
    return false;
}

static void only_once(Checker *k, const Ast *s, const char *what) {
    for (uint32_t i = 0; i < k->c->program->n; i++) {
        const Ast *other = k->c->program->kid[i];
        if (other == s)
            return;
        if (other->kind == s->kind && other->kid[0]->name == s->kid[0]->name) {
            Str name = sym_str(k->c, s->kid[0]->name);
            Diag *d = diag(k->c, E0508, s->kid[0]->span, what, (int)name.n, name.s);
            diag_also(k->c, d, other->kid[0]->span, "the first one");
            return;
        }
    }
}

static void check_ansatz(Checker *k, const Ast *s) {
    shape_scalar(k, s->kid[1], NULL);
    only_once(k, s, "ansatz");
    if (!mentions_net(k->c, s->kid[1])) {
        Diag *d = diag(k->c, E0510, s->kid[1]->span);
        diag_note(k->c, d, "net stands for the network: ansatz u = (1 - norm(x)^2) * net");
    }
    const Ast *field = find_field(k, s->kid[1]);
    if (field) {
        Str text = sym_str(k->c, field->name);
        diag(k->c, E0521, field->span, "an ansatz", (int)text.n, text.s);
    }
}

static void check_exact(Checker *k, const Ast *s) {
    shape_scalar(k, s->kid[1], NULL);
    only_once(k, s, "exact");
    const Ast *field = kinds_find(k, s->kid[1], BIT(SYMBOL_FIELD) | BIT(SYMBOL_SOURCE));
    if (field) {
        Str text = sym_str(k->c, field->name);
        diag(k->c, E0521, field->span, "an exact solution", (int)text.n, text.s);
    }
}

/* Through lets too, each of them looked into once. */
static bool mentions(Checker *k, const Ast *e, Sym name, bool *seen) {
    if ((e->kind == AST_NAME || e->kind == AST_CALL) && e->name == name)
        return true;
    const Symbol *s =
        e->kind == AST_NAME || e->kind == AST_CALL ? symbol_find(k->c, e->name) : NULL;
    if (s && (s->kind == SYMBOL_LET || s->kind == SYMBOL_FUNCTION)) {
        bool *been = &seen[s - k->c->symbols->list.at];
        if (!*been) {
            *been = true;
            if (mentions(k, s->def->kid[1], name, seen))
                return true;
        }
    }
    for (uint32_t i = 0; i < e->n; i++)
        if (e->kid[i] && mentions(k, e->kid[i], name, seen))
            return true;
    return false;
}

static bool residuals_mention(Checker *k, Sym name) {
    bool *seen = NEW_ARRAY(&k->c->arena, bool, k->c->symbols->list.n + 1);
    for (uint32_t i = 0; i < k->c->program->n; i++) {
        const Ast *s = k->c->program->kid[i];
        if ((s->kind == AST_EQUATION || s->kind == AST_CONDITION) && mentions(k, s, name, seen))
            return true;
    }
    return false;
}

static void check_source(Checker *k, const Ast *s) {
    Compilation *c = k->c;
    if (!check_find(c, AST_EXACT))
        diag(c, E0511, s->span);
    for (uint32_t i = 0; i < s->n; i++) {
        Str name = sym_str(c, s->kid[i]->name);
        if (!residuals_mention(k, s->kid[i]->name))
            diag(c, E0512, s->kid[i]->span, (int)name.n, name.s);
    }
}

/* ---- points --------------------------------------------------------------------------------- */

static void check_place(Checker *k, const Ast *eq, const Binding *b) {
    Compilation *c = k->c;
    const Ast *target = eq->kid[0];
    const Ast *name = target->kind == AST_SUBSCRIPT ? target->kid[0] : target;
    const Symbol *s = symbol_find(c, name->name);
    Str text = sym_str(c, name->name);
    if (!s || (s->kind != SYMBOL_SPACE && s->kind != SYMBOL_TIME)) {
        diag(c, E0429, name->span, (int)text.n, text.s);
        return;
    }
    const Ast *moving =
        kinds_find(k, eq->kid[1], BIT(SYMBOL_FIELD) | BIT(SYMBOL_SPACE) | BIT(SYMBOL_TIME));
    if (moving) {
        Str other = sym_str(c, moving->name);
        diag(c, E0417, moving->span, (int)other.n, other.s,
             symbol_kind_text(symbol_find(c, moving->name)->kind));
    }
    uint32_t subscripts = target->kind == AST_SUBSCRIPT ? target->n - 1 : 0;
    if (subscripts > s->rank) {
        diag(c, E0403, target->span, (int)text.n, text.s,
             s->rank ? "one subscript" : "no subscript", subscripts);
    } else if (subscripts == 0) {
        Shape value = shape_of(k, eq->kid[1], b);
        if (value.rank > s->rank)
            diag(c, E0402, eq->kid[1]->span, (int)text.n, text.s, shape_text(c, value));
    } else if (target->kid[1]->kind == AST_NAME && !symbol_find(c, target->kid[1]->name)) {
        shape_of_target(k, target, eq->kid[1], false, b);
    } else {
        shape_scalar(k, target, NULL);
        shape_scalar(k, eq->kid[1], b);
    }
}

/* All of a coordinate: the time, x, x_i for all i, or each of x_1 .. x_n by number. */
static bool place_given(Compilation *c, const Ast *at, const Symbol *coordinate) {
    double entries = 0, wanted = 0;
    for (uint32_t i = 0; i < at->n; i++) {
        const Ast *target = at->kid[i]->kid[0];
        bool entry = target->kind == AST_SUBSCRIPT;
        if ((entry ? target->kid[0]->name : target->name) != coordinate->name)
            continue;
        if (!entry || target->kid[1]->kind != AST_NUMBER)
            return true;
        entries++;
    }
    Extent extent = coordinate->extent[0];
    const Symbol *dim = extent.coef ? symbol_find(c, extent.dim) : NULL;
    if (dim && !constant_value(c, dim->def->kid[0], &wanted))
        return true;
    wanted = (double)extent.coef * wanted + (double)extent.constant;
    return entries > 0 && entries >= wanted;
}

/* Every coordinate the problem has must be given. */
static void check_at(Checker *k, const Ast *at, Span whole, const Binding *b) {
    Compilation *c = k->c;
    for (uint32_t i = 0; i < at->n; i++)
        check_place(k, at->kid[i], b);
    for (uint32_t i = 0; i < c->symbols->list.n; i++) {
        const Symbol *needed = &c->symbols->list.at[i];
        if ((needed->kind != SYMBOL_SPACE && needed->kind != SYMBOL_TIME) ||
            place_given(c, at, needed))
            continue;
        Str name = sym_str(c, needed->name);
        Diag *d = diag(c, E0430, whole, (int)name.n, name.s);
        diag_also(c, d, needed->span, "declared here");
    }
}

static void check_reference(Checker *k, const Ast *s) {
    shape_scalar(k, s->kid[1], NULL);
    if (s->kid[2])
        check_at(k, s->kid[2], s->kid[2]->span, NULL);
    double samples;
    if (s->kid[3] && (!constant_value(k->c, s->kid[3], &samples) || samples < 1 ||
                      samples > EXPECTATION_SAMPLES_MAX || samples != floor(samples)))
        diag(k->c, E0422, s->kid[3]->span, 7, "samples", "a whole number from 1 to 1000000000");
    const Ast *field = find_field(k, s->kid[1]);
    if (field) {
        Str text = sym_str(k->c, field->name);
        diag(k->c, E0521, field->span, "a reference", (int)text.n, text.s);
    }
}

static void check_report(Checker *k, const Ast *s) {
    shape_scalar(k, s->kid[0], NULL);
    if (s->kid[1])
        check_at(k, s->kid[1], s->kid[1]->span, NULL);
}

static void check_coordinates(Checker *k, const Ast *s) {
    const Ast *e = s->kid[0];
    if (e->kind == AST_CALL && sym_is(k->c, e->name, "sine") && e->n == 1 &&
        e->kid[0]->kind == AST_NAME) {
        const Symbol *x = symbol_find(k->c, e->kid[0]->name);
        if (x && x->kind == SYMBOL_SPACE)
            return;
    }
    if (e->kind == AST_MUL && e->kid[0]->kind == AST_NAME && e->kid[1]->kind == AST_NAME) {
        const Symbol *q = symbol_find(k->c, e->kid[0]->name),
                     *x = symbol_find(k->c, e->kid[1]->name);
        if (q && q->kind == SYMBOL_DATA && q->rank == 2 && x && x->kind == SYMBOL_SPACE)
            return;
    }
    diag(k->c, E0431, e->span);
}

static void check_unknown(Checker *k, const Ast *s) {
    if (s->kid[0])
        check_order(k, s->kid[0], s->kid[1], "the interval");
    if (s->kid[2] && check_constant(k, s->kid[2]))
        shape_scalar(k, s->kid[2], NULL);
}

static void check_normalise(Checker *k, const Ast *s) {
    shape_sides(k, s->kid[0], s->kid[1]);
    const Symbol *x = symbol_find(k->c, s->name);
    Str text = sym_str(k->c, s->name);
    if (!x || x->kind != SYMBOL_SPACE)
        diag(k->c, E0429, s->name_span, (int)text.n, text.s);
    else
        check_conserved(k, s);
}

/* ---- the whole problem ---------------------------------------------------------------------- */

static bool statement_mentions(Checker *k, const Ast *s, const Symbol *field) {
    return mentions(k, s, field->name, NEW_ARRAY(&k->c->arena, bool, k->c->symbols->list.n + 1));
}

/* A field of fewer variables, as the front s(t) of a melting body, may be determined by a condition that joins it with
 * another field. */
static bool condition_determines(Checker *k, const Symbol *field) {
    const Compilation *c = k->c;
    uint32_t variables = 0;
    for (uint32_t i = 0; i < c->symbols->list.n; i++)
        variables += c->symbols->list.at[i].kind == SYMBOL_SPACE ||
                     c->symbols->list.at[i].kind == SYMBOL_TIME;
    for (uint32_t i = 0; i < c->program->n && field->def->n < variables; i++) {
        const Ast *s = c->program->kid[i];
        if (s->kind != AST_CONDITION || !statement_mentions(k, s, field))
            continue;
        for (uint32_t j = 0; j < c->symbols->list.n; j++) {
            const Symbol *other = &c->symbols->list.at[j];
            if (other->kind == SYMBOL_FIELD && other != field && statement_mentions(k, s, other))
                return true;
        }
    }
    return false;
}

static void check_counts(Checker *k) {
    Compilation *c = k->c;
    uint32_t fields = 0, equations = 0;
    const Symbol *last = NULL;
    for (uint32_t i = 0; i < c->symbols->list.n; i++)
        if (c->symbols->list.at[i].kind == SYMBOL_FIELD) {
            last = &c->symbols->list.at[i];
            fields += !condition_determines(k, last);
        }
    for (uint32_t i = 0; i < c->program->n; i++)
        equations += c->program->kid[i]->kind == AST_EQUATION;
    bool observed = false; /* data may say what equations do not */
    for (uint32_t i = 0; i < c->program->n; i++)
        observed = observed || (c->program->kid[i]->kind == AST_CONDITION &&
                                c->program->kid[i]->op == COND_OBSERVE);
    if (!last)
        diag(c, E0505, (Span){0, 0});
    else if (equations == 0)
        diag(c, E0504, last->span);
    else if (equations < fields && !observed)
        diag(c, E0506, last->span, fields, equations);
}

/* `network tnn(...)`: integrals are computed, no points are drawn. */
static bool tensor_network(const Compilation *c) {
    const Ast *solve = check_find(c, AST_SOLVE);
    for (uint32_t i = 0; solve && i < solve->n; i++) {
        const Ast *s = solve->kid[i];
        if (sym_is(c, s->name, "network") &&
            (s->kid[0]->kind == AST_CALL || s->kid[0]->kind == AST_NAME))
            return sym_is(c, s->kid[0]->name, "tnn");
    }
    return false;
}

/* A domain without a boundary has no uniform law: the file must give one. */
static void check_sampling(Checker *k, const Ast *domain) {
    Compilation *c = k->c;
    if (!sym_is(c, domain->kid[0]->name, "R") || tensor_network(c))
        return;
    for (uint32_t i = 0; i < c->program->n; i++) {
        const Ast *s = c->program->kid[i];
        if (s->kind != AST_SAMPLE || s->flag)
            continue;
        const Ast *name = s->kid[0]->kind == AST_SUBSCRIPT ? s->kid[0]->kid[0] : s->kid[0];
        if (name->name == domain->name)
            return;
    }
    Str name = sym_str(c, domain->name);
    Diag *d = diag(c, E0507, domain->kid[0]->span, (int)name.n, name.s);
    diag_note(c, d, "for example: sample %s_i ~ normal(0, 1)", sym_cstr(c, domain->name));
}

static void check_statement(Checker *k, const Ast *s) {
    switch (s->kind) {
    case AST_DOMAIN:
        check_domain(k, s);
        break;
    case AST_TIME:
        check_order(k, s->kid[0], s->kid[1], "the time");
        break;
    case AST_UNKNOWN:
        check_unknown(k, s);
        break;
    case AST_SAMPLE:
        check_sample(k, s);
        break;
    case AST_EXACT:
        check_exact(k, s);
        break;
    case AST_EQUATION:
        check_equation(k, s);
        break;
    case AST_SOURCE:
        check_source(k, s);
        break;
    case AST_CONDITION:
        check_condition(k, s);
        break;
    case AST_ANSATZ:
        check_ansatz(k, s);
        break;
    case AST_REFERENCE:
        check_reference(k, s);
        break;
    case AST_REPORT:
        check_report(k, s);
        break;
    case AST_COORDINATES:
        check_coordinates(k, s);
        break;
    case AST_NORMALISE:
        check_normalise(k, s);
        break;
    case AST_SOLVE:
        settings_check(k, s);
        break;
    default:
        break;
    }
    shape_finish(k);
}

/* Random and data first: lets and equations rest on their extents. */
static void check_tables(Checker *k) {
    for (uint32_t i = 0; i < k->c->program->n; i++) {
        const Ast *s = k->c->program->kid[i];
        if (s->kind == AST_DATA)
            check_data(k, s);
    }
    for (uint32_t i = 0; i < k->c->program->n; i++) {
        const Ast *s = k->c->program->kid[i];
        if (s->kind == AST_RANDOM)
            check_random(k, s);
    }
}

static void check_lets(Checker *k) {
    for (uint32_t i = 0; i < k->c->symbols->list.n; i++)
        if (k->c->symbols->list.at[i].kind == SYMBOL_LET)
            shape_of_let(k, &k->c->symbols->list.at[i]);
    shape_finish(k);
}

void check_run(Compilation *c) {
    Checker k = {.c = c};
    k.let_done = NEW_ARRAY(&c->arena, bool, c->symbols->list.n + 1);
    k.instances = NEW_ARRAY(&c->arena, const Instance *, c->symbols->list.n + 1);
    k.kinds_of_let = NEW_ARRAY(&c->arena, uint32_t, c->symbols->list.n + 1);
    if (!check_constants_order(&k))
        return;
    check_single(&k, AST_TIME, "time");
    check_single(&k, AST_SOLVE, "solve");
    check_single(&k, AST_COORDINATES, "coordinates");
    check_single(&k, AST_EIGEN, "eigen");
    check_counts(&k);
    if (!check_space_extent(&k))
        return;
    check_tables(&k);
    check_lets(&k);
    for (uint32_t i = 0; i < c->program->n; i++)
        check_statement(&k, c->program->kid[i]);
    for (uint32_t i = 0; i < c->program->n; i++)
        if (c->program->kid[i]->kind == AST_DOMAIN)
            check_sampling(&k, c->program->kid[i]);
}

void check_emit(Compilation *c, Text *out) {
    for (uint32_t i = 0; i < c->symbols->list.n; i++) {
        const Symbol *s = &c->symbols->list.at[i];
        Shape shape = {.rank = s->rank, .extent = {s->extent[0], s->extent[1]}};
        if (!s->library)
            text_printf(out, "%-12s %s: %s\n", sym_cstr(c, s->name), symbol_kind_text(s->kind),
                        s->kind == SYMBOL_FUNCTION ? "by its arguments" : shape_text(c, shape));
    }
}
