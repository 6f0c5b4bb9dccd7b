/* feature.c: the list of features, from the tree to the IR (indices: text/feature_bind.c). */
#include "lower/feature.h"

#include <string.h>

#include "base/compilation.h"
#include "eval/domain.h"
#include "ir/net_input.h"
#include "lower/edge.h"
#include "text/symbols.h"

/* The value of network mlp(NAME = ...) if it is of that kind, or NULL. */
static const Ast *network_argument(const Compilation *c, const Ast *solve, const char *name,
                                   AstKind kind) {
    for (uint32_t k = 0; solve && k < solve->n; k++) {
        const Ast *setting = solve->kid[k], *value = setting->kid[0];
        if (strcmp(sym_cstr(c, setting->name), "network") != 0 || value->kind != AST_CALL)
            continue;
        for (uint32_t a = 0; a < value->n; a++)
            if (value->kid[a]->kind == AST_ARG &&
                strcmp(sym_cstr(c, value->kid[a]->name), name) == 0 &&
                value->kid[a]->kid[0]->kind == kind)
                return value->kid[a]->kid[0];
    }
    return NULL;
}

static Feature lower_feature(Compilation *c, const Ast *ast) {
    Feature f = {.ast = ast};
    uint32_t rank = lower_rank(c, ast);
    if (rank == 0) {
        f.value = lower_scalar(c, NULL, ast);
    } else {
        f.index = ir_fresh_index(c->ir);
        f.value = lower_entry(c, ast, f.index);
        if (rank > 1 || !lower_entries(c, ast, &f.size)) {
            diag(c, E0556, ast->span);
            f.size = c->problem->d;
        }
    }
    if (ir_has_net(c->ir, f.value))
        diag(c, E0601, ast->span, "a feature must not depend on the unknown");
    if (edge_calls_exact(c, ast)) {
        Diag *d = diag(c, E0582, ast->span, "this feature");
        diag_note(c, d, "the network would see the answer, and its error would say nothing");
    }
    return f;
}

/* ---- periodic domains ---- */

static bool is_torus(const Compilation *c, const Space *x) {
    return sym_is(c, x->domain, "torus");
}

static const Ast *domain_of(const Compilation *c, Sym name) {
    for (uint32_t k = 0; k < c->program->n; k++)
        if (c->program->kid[k]->kind == AST_DOMAIN && c->program->kid[k]->name == name)
            return c->program->kid[k];
    return NULL;
}

static void add_vector(Compilation *c, Problem *p, const Space *x, Ref index, Ref value) {
    Feature f = {.ast = domain_of(c, x->name), .index = index, .value = value, .size = x->d};
    VEC_PUSH(&c->arena, p->features->at, f);
}

/* What the network sees where a domain is periodic and no features are stated: sine and cosine of its coordinates,
 * once around; the coordinates of other domains and the time as they are. So every function it can be is periodic. */
static void imply_features(Compilation *c, Problem *p) {
    Ir *ir = c->ir;
    p->features = NEW(&c->arena, Features);
    p->features->wide = true;
    p->features->implied = true;
    for (uint32_t k = 0; k < p->space.n; k++) {
        const Space *x = &p->space.at[k];
        for (uint32_t wave = 0; wave < (is_torus(c, x) ? 2u : 1u); wave++) {
            Ref i = ir_fresh_index(ir), at = domain_coordinate(ir, x, i);
            Ref width = ir_sub(ir, x->argument[2], x->argument[1]);
            Ref turn = ir_mul2(ir, ir_const(ir, 2), ir_atom(ir, OP_PI, 0));
            Ref angle = is_torus(c, x)
                            ? ir_div(ir, ir_mul2(ir, turn, ir_sub(ir, at, x->argument[1])), width)
                            : at;
            add_vector(c, p, x, i,
                       is_torus(c, x) ? ir_func(ir, wave ? FUNC_cos : FUNC_sin, 1, &angle) : at);
        }
    }
    if (p->features->at.n > INPUT_VECTORS)
        diag(c, E0559, p->features->at.at[INPUT_VECTORS].ast->span, "vectors");
    if (p->time) {
        Feature t = {.ast = p->features->at.at[0].ast, .value = ir_atom(ir, OP_TIME, 0)};
        VEC_PUSH(&c->arena, p->features->at, t);
    }
    ir->features = p->features;
}

bool features_are_implied(const Compilation *c) {
    return c->problem->features && c->problem->features->implied;
}

void features_lower(Compilation *c, Problem *p) {
    const Ast *list = network_argument(c, p->solve, "features", AST_LIST);
    const Ast *activation = network_argument(c, p->solve, "activation", AST_NAME);
    uint32_t vectors = 0;
    c->ir->linear_net = activation && strcmp(sym_cstr(c, activation->name), "identity") == 0;
    if (!list || list->n == 0) {
        bool torus = false;
        for (uint32_t k = 0; k < p->space.n; k++)
            torus = torus || is_torus(c, &p->space.at[k]);
        if (torus)
            imply_features(c, p);
        return;
    }
    p->features = NEW(&c->arena, Features);
    for (uint32_t k = 0; k < list->n; k++) {
        Feature f = lower_feature(c, list->kid[k]);
        vectors += f.index != 0;
        p->features->wide |= f.index && f.size != p->d;
        VEC_PUSH(&c->arena, p->features->at, f);
    }
    p->features->wide |= vectors > 1;
    if (vectors > INPUT_VECTORS || list->n - vectors > INPUT_SCALARS)
        diag(c, E0559, list->span, vectors > INPUT_VECTORS ? "vectors" : "numbers");
    c->ir->features = p->features;
}

/* ---- fields of fewer variables ---- */

static Diag *refuse_field(Compilation *c, const Field *f, Sym variable, const char *why) {
    Str name = sym_str(c, f->name);
    Diag *d = diag(c, E0583, f->span, (int)name.n, name.s, sym_cstr(c, variable));
    diag_note(c, d, "%s", why);
    return d;
}

/* Is there an input that the field's own part of the network may see? */
static bool sees_anything(const Compilation *c, uint32_t field) {
    for (uint32_t k = 0; k < input_parts(c->problem); k++)
        if (input_reaches(c, k, field))
            return true;
    return false;
}

void features_check_fields(Compilation *c, const Problem *p) {
    VarSet all = problem_variables(p), seen = 0, any = 0;
    for (uint32_t f = 0; p->features && f < p->features->at.n; f++)
        seen |= problem_variables_of(c->ir, p->features->at.at[f].value);
    seen = p->features ? seen : all;
    for (uint32_t k = 0; k < p->field.n; k++)
        any |= p->field.at[k].on;
    for (uint32_t k = 0; k < p->field.n; k++) {
        const Field *f = &p->field.at[k];
        VarSet lacks = seen & ~f->on, nobody = seen & ~any;
        if (nobody)
            refuse_field(c, f, problem_variable_name(p, nobody),
                         p->field.n == 1 ? "the problem has this variable, and its only field does "
                                           "not: leave the variable out, or give it to the field"
                                         : "no field depends on it: leave the variable out, or "
                                           "give it to a field");
        else if (lacks && (tensor_wanted(c) || p->normalise))
            refuse_field(c, f, problem_variable_name(p, lacks),
                         "an eigenfunction depends on all variables of the problem");
        else if (lacks && !sees_anything(c, k))
            refuse_field(c, f, problem_variable_name(p, lacks),
                         "every feature depends on what the field does not: add one of the "
                         "field's own variables to `features`");
    }
}

/* What a field is known or made to be may depend on its own variables only. */
static void check_reads(Compilation *c, const Problem *p, const Field *f, Ref e, Span where,
                        const char *what) {
    VarSet more = e ? problem_variables_of(c->ir, e) & ~f->on : 0;
    if (!more)
        return;
    Str name = sym_str(c, f->name);
    const char *variable = sym_cstr(c, problem_variable_name(p, more));
    diag(c, E0586, where, what, (int)name.n, name.s, variable, variable);
}

void features_check_trials(Compilation *c, const Problem *p) {
    for (uint32_t k = 0; k < p->field.n; k++) {
        const Field *f = &p->field.at[k];
        check_reads(c, p, f, f->exact, f->span, "exact solution");
        if (f->ansatz)
            check_reads(c, p, f, f->trial, f->ansatz->span, "ansatz");
        else
            check_reads(c, p, f, f->trial, f->span, "trial function that `exactly` asks for");
    }
}
