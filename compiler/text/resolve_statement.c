/* resolve_statement.c: the pass resolve, statement by statement: what each one binds, and which names it may use.
 *
 * Requires and establishes: what resolve.c says, for one statement of the program or of stdlib. */
#include "text/resolve.h"

#include "base/compilation.h"

#include <string.h>

/* ---- statements ----------------------------------------------------------------------------- */

/* The parameters of a function, one by one, then its indices and its value. */
static void walk_function(Resolver *r, const Ast *def, const Ast *head, uint32_t at,
                          const Scope *scope) {
    if (at < head->n) {
        const Ast *parameter = head->kid[at];
        const Scope *same = resolve_scope(scope, parameter->name);
        if (same) {
            Str text = sym_str(r->c, parameter->name);
            Diag *d = diag(r->c, E0302, parameter->span, (int)text.n, text.s, "a parameter");
            diag_also(r->c, d, same->span, "first here");
        }
        Scope inner = {.outer = scope, .name = parameter->name, .span = parameter->span};
        walk_function(r, def, head, at + 1, &inner);
        return;
    }
    resolve_indices(r, def->kid[0], 1, scope, resolve_inside_value, def, 1);
}

static void walk_define(Resolver *r, const Ast *def) {
    const Ast *target = def->kid[0];
    if (target->kind == AST_CALL)
        walk_function(r, def, target, 0, NULL);
    else if (target->kind == AST_SUBSCRIPT && target->kid[0]->kind == AST_CALL)
        walk_function(r, def, target->kid[0], 0, NULL);
    else
        resolve_indices(r, target, 1, NULL, resolve_inside_value, def, 1);
}

static void check_target(Resolver *r, const Ast *target, const char *statement, bool unknowns) {
    Compilation *c = r->c;
    const Symbol *s = symbol_find(c, target->name);
    if (s && (s->kind == SYMBOL_FIELD || (unknowns && s->kind == SYMBOL_UNKNOWN)))
        return;
    Str text = sym_str(c, target->name);
    Diag *d = diag(c, E0316, target->span, statement, (int)text.n, text.s,
                   s ? symbol_kind_text(s->kind) : "not declared");
    if (s)
        diag_also(c, d, s->span, "declared here");
    Suggestion near = suggest_start(text);
    for (uint32_t i = 0; i < c->symbols->list.n; i++)
        if (c->symbols->list.at[i].kind == SYMBOL_FIELD)
            suggest_offer(&near, sym_str(c, c->symbols->list.at[i].name));
    if (near.best.n)
        diag_fix(c, d, false, target->span, near.best.s, "did you mean %s?", near.best.s);
}

typedef struct DomainRow {
    const char *name, *arguments, *others;
    uint32_t indexed;
} DomainRow;

static const DomainRow domains[] = {
#define DOMAIN(name, arity, arguments, indexed, bounded, needs, parts, said, others, what)         \
    {#name, arguments, others, indexed},
#include "runtime/contract/domain.def"
};
enum { DOMAINS = sizeof domains / sizeof *domains };

/* Is it one of the words between blanks? */
static bool is_word_of(Str text, const char *words) {
    for (const char *at = words; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        if (n == text.n && memcmp(at, text.s, n) == 0)
            return true;
        at += n;
    }
    return false;
}

static const char *all_domains(Compilation *c) {
    Text out = {.arena = &c->arena};
    for (size_t i = 0; i < DOMAINS; i++)
        text_printf(&out, "%s%s(%s)",
                    i == 0            ? ""
                    : i + 1 < DOMAINS ? ", "
                                      : " and ",
                    domains[i].name, domains[i].arguments);
    return text_cstr(&out);
}

static void check_domain(Resolver *r, const Ast *domain) {
    Str text = sym_str(r->c, domain->name);
    Suggestion near = suggest_start(text);
    const char *other = NULL;
    for (size_t i = 0; i < DOMAINS; i++) {
        if (sym_is(r->c, domain->name, domains[i].name)) {
            if (domains[i].indexed)
                features_bind(r->c, domain);
            resolve_kids(r, domain, NULL);
            return;
        }
        suggest_offer(&near, (Str){domains[i].name, strlen(domains[i].name)});
        other = is_word_of(text, domains[i].others) ? domains[i].name : other;
    }
    Diag *d = diag(r->c, E0311, domain->name_span, (int)text.n, text.s);
    diag_note(r->c, d, "there are %s", all_domains(r->c));
    if (other || near.best.n)
        diag_fix(r->c, d, false, domain->name_span, other ? other : near.best.s, "did you mean %s?",
                 other ? other : near.best.s);
}

static void check_field_arguments(Resolver *r, const Ast *field) {
    for (uint32_t i = 0; i < field->n; i++) {
        const Ast *a = field->kid[i];
        const Symbol *s = a->kind == AST_NAME ? symbol_find(r->c, a->name) : NULL;
        if (s && (s->kind == SYMBOL_SPACE || s->kind == SYMBOL_TIME))
            continue;
        Str text = source_text(r->c, a->span);
        Diag *d = diag(r->c, E0310, a->span, (int)text.n, text.s);
        if (a->kind == AST_NAME && !s)
            resolve_suggest(r, d, a->span, a->name, NULL, false);
    }
}

static void walk_at(Resolver *r, const Ast *at) {
    for (uint32_t i = 0; at && i < at->n; i++) {
        const Ast *target = at->kid[i]->kid[0];
        resolve_expression(r, target->kind == AST_SUBSCRIPT ? target->kid[0] : target, NULL);
        resolve_indices(r, target, 1, NULL, resolve_inside_value, at->kid[i], 1);
    }
}

/* The index of `for k = 1..m` counts the observations: it stands in the data and in the places. */
static void walk_observation(Resolver *r, const Ast *s) {
    const Ast *at = s->kid[3], *range = s->kid[4];
    Scope scope = {.index = true};
    if (range) {
        resolve_kids(r, range, NULL);
        scope.name = range->name;
        scope.span = range->name_span;
    }
    const Scope *inner = range ? &scope : NULL;
    resolve_expression(r, s->kid[0], inner);
    resolve_expression(r, s->kid[1], inner);
    if (s->kid[2])
        resolve_expression(r, s->kid[2], NULL);
    for (uint32_t i = 0; i < at->n; i++) {
        const Ast *target = at->kid[i]->kid[0];
        resolve_expression(r, target->kind == AST_SUBSCRIPT ? target->kid[0] : target, NULL);
        resolve_indices(r, target, 1, inner, resolve_inside_value, at->kid[i], 1);
    }
}

/* inner and outer are words of their own: no name of the problem. */
static void walk_condition(Resolver *r, const Ast *s) {
    if (s->op == COND_OBSERVE) {
        walk_observation(r, s);
        return;
    }
    for (uint32_t i = 0; i < 3; i++)
        if (s->kid[i])
            resolve_expression(r, s->kid[i], NULL);
    for (uint32_t i = 0; s->n > 3 && i < s->kid[3]->n; i++) {
        const Ast *face = s->kid[3]->kid[i], *name = face;
        if (face->kind == AST_EQ)
            name = face->kid[0]->kind == AST_SUBSCRIPT ? face->kid[0]->kid[0] : face->kid[0];
        if (symbol_find(r->c, name->name)) /* check_faces.c says what else is wrong */
            resolve_expression(r, name, NULL);
        if (face->kind == AST_EQ)
            resolve_indices(r, face->kid[0], 1, NULL, resolve_inside_value, face, 1);
    }
}

static void walk_random(Resolver *r, const Ast *s) {
    const Ast *range = s->kid[2];
    if (range)
        resolve_kids(r, range, NULL);
    resolve_indices(r, s->kid[0], 1, NULL, resolve_inside_law, s, 1);
    if (s->kid[3])
        resolve_expression(r, s->kid[3], NULL);
}

/* Only features are expressions; the other values of settings are words of their own. */
static void walk_settings(Resolver *r, const Ast *solve) {
    for (uint32_t i = 0; i < solve->n; i++) {
        const Ast *value = solve->kid[i]->kid[0];
        for (uint32_t j = 0; value->kind == AST_CALL && j < value->n; j++)
            if (value->kid[j]->kind == AST_ARG && value->kid[j]->kid[0]->kind == AST_LIST) {
                features_bind(r->c, value->kid[j]->kid[0]);
                resolve_expression(r, value->kid[j]->kid[0], NULL);
            }
    }
}

void resolve_statement(Resolver *r, const Ast *s) {
    Compilation *c = r->c;
    switch (s->kind) {
    case AST_DOMAIN:
        check_domain(r, s->kid[0]);
        if (s->n > 1)
            resolve_expression(r, s->kid[1], NULL);
        break;
    case AST_FIELD:
        for (uint32_t i = 0; i < s->n; i++)
            check_field_arguments(r, s->kid[i]);
        break;
    case AST_LET:
        for (uint32_t i = 0; i < s->n; i++)
            walk_define(r, s->kid[i]);
        break;
    case AST_CONDITION:
        walk_condition(r, s);
        break;
    case AST_RANDOM:
        walk_random(r, s);
        break;
    case AST_SAMPLE:
        resolve_indices(r, s->kid[0], 1, NULL, resolve_inside_law, s, 1);
        break;
    case AST_EXACT:
        check_target(r, s->kid[0], "exact", true);
        resolve_expression(r, s->kid[1], NULL);
        break;
    case AST_ANSATZ:
        check_target(r, s->kid[0], "ansatz", false);
        r->net_allowed = true;
        resolve_expression(r, s->kid[1], NULL);
        r->net_allowed = false;
        break;
    case AST_REFERENCE:
        check_target(r, s->kid[0], "reference", true);
        resolve_expression(r, s->kid[1], NULL);
        walk_at(r, s->kid[2]);
        if (s->kid[3])
            resolve_expression(r, s->kid[3], NULL);
        break;
    case AST_REPORT:
        resolve_expression(r, s->kid[0], NULL);
        walk_at(r, s->kid[1]);
        break;
    case AST_EIGEN: {
        const Symbol *u = symbol_find(c, s->name);
        Str text = sym_str(c, s->name);
        if (!u || u->kind != SYMBOL_UNKNOWN)
            diag(c, E0316, s->name_span, "eigen", (int)text.n, text.s,
                 u ? symbol_kind_text(u->kind) : "not declared");
        break;
    }
    case AST_COORDINATES:
        for (uint32_t i = 0; i < s->kid[0]->n; i++) /* sine(x): the transform is checked later */
            resolve_expression(r, s->kid[0]->kid[i], NULL);
        break;
    case AST_SOLVE:
        walk_settings(r, s);
        break;
    case AST_DATA:
        for (uint32_t i = 2; i < s->n; i++)
            resolve_kids(r, s->kid[i], NULL);
        break;
    case AST_SOURCE:
    case AST_ERROR:
        break;
    default:
        resolve_kids(r, s, NULL);
        break;
    }
}
