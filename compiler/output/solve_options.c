/* solve_options.c: the settings of solve { } as pderun's options, for the module's .pde.conf section. */
#include <string.h>

#include "base/compilation.h"
#include "base/json_text.h"
#include "ir/problem.h"
#include "output/output.h"

/* A setting, or an argument of one of its choices, and the option it sets. A NULL option takes the
 * name of the choice itself. */
typedef struct Row {
    const char *key, *choice, *argument, *option;
} Row;

static const Row rows[] = {
    {"network", "mlp", "width", "width"},
    {"network", "mlp", "depth", "depth"},
    {"network", "mlp", "activation", "activation"},
    {"network", "mlp", "init", "init"},
    {"network", "mlp", "init_first", "init-first"},
    {"network", "mlp", "scale", "scale"},
    {"network", "tnn", "rank", "rank"},
    {"network", "tnn", "width", "width"},
    {"network", "tnn", "depth", "depth"},
    {"network", "tnn", "activation", "activation"},
    {"network", "tnn", "cells", "cells"},
    {"network", "tnn", "nodes", "nodes"},
    {"network", "tnn", "halfwidth", "halfwidth"},
    {"method", "alternate", "every", "solve-every"},
    {"method", "sdgd", "algorithm", "algorithm"},
    {"method", "sdgd", "terms", "terms"},
    {"method", "sdgd", "points", "points"},
    {"method", "sdgd", "second", "value-terms"},
    {"method", "sdgd", "sets", "index-sets"},
    {"method", "hte", "directions", "terms"},
    {"method", "hte", "points", "points"},
    {"method", "full", "points", "points"},
    {"method", "exact", "points", "points"},
    {"method", "natural", "points", "points"},
    {"method", "natural", "terms", "terms"},
    {"method", "natural", "damping", "damping"},
    {"method", "natural", "momentum", "momentum"},
    {"optimiser", NULL, "damping", "damping"},
    {"optimiser", NULL, "momentum", "momentum"},
    {"optimiser", NULL, "rate", "rate"},
    {"optimiser", NULL, "beta1", "beta1"},
    {"optimiser", NULL, "beta2", "beta2"},
    {"optimiser", NULL, "epsilon", "epsilon"},
    {"optimiser", NULL, "decay", "decay"},
    {"attack", "sign", "steps", "attack-steps"},
    {"attack", "sign", "size", "attack-size"},
    {"attack", "sign", "terms", "attack-terms"},
    {"weights", "balance", "every", "balance-every"},
    {"weights", "balance", "keep", "balance-keep"},
    {"iterations", NULL, NULL, "iterations"},
    {"seed", NULL, NULL, "seed"},
    {"points", NULL, NULL, "points"},
    {"slices", NULL, NULL, "slices"},
    {"testpoints", NULL, NULL, "test-points"},
    {"precision", NULL, NULL, "precision"},
    {"threads", NULL, NULL, "threads"},
    {"checkpoint", NULL, NULL, "checkpoint-every"},
};

/* Choices that set an option by being chosen. */
typedef struct ChoiceRow {
    const char *key, *choice, *option, *value;
} ChoiceRow;

static const ChoiceRow choices[] = {
    {"method", "eigensolve", "solver", "eigen"},
    {"method", "alternate", "solver", "alternate"},
    {"method", "hte", "estimator", "rademacher"},
    {"method", "full", "algorithm", "full"},
    {"method", "exact", "algorithm", "exact"},
    {"method", "natural", "optimiser", "natural"},
    {"weights", "fixed", "weights", "fixed"},
    {"weights", "balance", "weights", "balance"},
};

static bool word_is(const Compilation *c, Sym name, const char *word) {
    return strcmp(sym_cstr(c, name), word) == 0;
}

static void member(Text *out, const char *name, bool *first) {
    text_str(out, *first ? STR("\n  ") : STR(",\n  "));
    emit_json_string(out, name);
    text_str(out, STR(": "));
    *first = false;
}

/* A number as it is; anything else as the text the user wrote, without spaces. */
static void value(Compilation *c, const Ast *e, const char *option, Text *out) {
    bool choice = strcmp(option, "algorithm") == 0;
    if (e->kind == AST_NUMBER && !choice) {
        text_double(out, e->number);
        return;
    }
    Text t = {.arena = &c->arena};
    Str s = source_text(c, e->span);
    for (size_t k = 0; k < s.n; k++)
        if (s.s[k] > ' ')
            text_bytes(&t, &s.s[k], 1);
    emit_json_string(out, text_cstr(&t));
}

static const char *canonical(const char *key) { return strcmp(key, "optimizer") == 0 ? "optimiser" : key; }

static void setting(Compilation *c, const Ast *s, Text *out, bool *first) {
    const char *key = canonical(sym_cstr(c, s->name));
    const Ast *v = s->kid[0];
    bool call = v->kind == AST_CALL || v->kind == AST_NAME;
    for (size_t k = 0; call && k < sizeof choices / sizeof *choices; k++)
        if (strcmp(choices[k].key, key) == 0 && word_is(c, v->name, choices[k].choice)) {
            member(out, choices[k].option, first);
            emit_json_string(out, choices[k].value);
        }
    if (call && strcmp(key, "optimiser") == 0) {
        member(out, "optimiser", first);
        emit_json_string(out, sym_cstr(c, v->name));
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const Row *r = &rows[k];
        if (strcmp(r->key, key) != 0 || (r->choice && !(call && word_is(c, v->name, r->choice))))
            continue;
        if (!r->argument) {
            member(out, r->option, first);
            value(c, v, r->option, out);
        }
        for (uint32_t a = 0; r->argument && call && a < v->n; a++)
            if (v->kid[a]->kind == AST_ARG && word_is(c, v->kid[a]->name, r->argument)) {
                member(out, r->option, first);
                value(c, v->kid[a]->kid[0], r->option, out);
            }
    }
}

/* The value of a setting, or the argument of its choice; NULL if it is not given. */
static const Ast *given(const Compilation *c, const char *key, const char *argument) {
    const Ast *solve = c->problem->solve;
    for (uint32_t k = 0; solve && k < solve->n; k++) {
        const Ast *v = solve->kid[k]->kid[0];
        if (strcmp(canonical(sym_cstr(c, solve->kid[k]->name)), key) != 0)
            continue;
        if (!argument)
            return v;
        for (uint32_t a = 0; v->kind == AST_CALL && a < v->n; a++)
            if (v->kid[a]->kind == AST_ARG && word_is(c, v->kid[a]->name, argument))
                return v->kid[a]->kid[0];
    }
    return NULL;
}

/* What pderun takes for a tensor network where the file is silent: small networks of sines, whose
 * output layers are solved for. Naming an optimiser or a sampling method asks for gradient steps. */
typedef struct NetDefault {
    const char *key, *argument, *option, *value;
    bool solved; /* only if output layers are solved for */
} NetDefault;

static const NetDefault net_defaults[] = {
    {"network", "width", "width", "32", false},
    {"network", "depth", "depth", "2", false},
    {"network", "activation", "activation", "\"sin\"", false},
    {"precision", NULL, "precision", "\"float64\"", false},
    {"method", "algorithm", "algorithm", "\"full\"", false},
    {"iterations", NULL, "iterations", "100", true},
    {"log", NULL, "log-every", "1", true},
};

static void net_settings(Compilation *c, Text *out, bool *first) {
    const Ast *method = given(c, "method", NULL);
    bool named = method && (method->kind == AST_CALL || method->kind == AST_NAME);
    bool solved = named && word_is(c, method->name, "eigensolve");
    bool other = (named && !solved) || (!named && given(c, "optimiser", NULL));
    bool full = named && word_is(c, method->name, "full");
    if (other && !(named && word_is(c, method->name, "alternate"))) {
        member(out, "solver", first);
        text_str(out, STR("\"gradient\""));
    }
    for (size_t k = 0; k < sizeof net_defaults / sizeof *net_defaults; k++) {
        const NetDefault *row = &net_defaults[k];
        bool chosen = full && strcmp(row->option, "algorithm") == 0;
        if (given(c, row->key, row->argument) || (row->solved && other) || chosen)
            continue;
        member(out, row->option, first);
        text_printf(out, "%s", row->value);
    }
}

void conf_json(Compilation *c, Text *out) {
    bool first = true;
    text_str(out, STR("{"));
    for (uint32_t k = 0; k < c->program->n; k++)
        if (c->program->kid[k]->kind == AST_SOLVE)
            for (uint32_t j = 0; j < c->program->kid[k]->n; j++)
                setting(c, c->program->kid[k]->kid[j], out, &first);
    if (c->problem->tensor_net)
        net_settings(c, out, &first);
    text_str(out, STR("\n}\n"));
}
