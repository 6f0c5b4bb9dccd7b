/* solve_options.c: the settings of solve { } as pderun's options, for the module's .pde.conf section. */
#include <string.h>

#include "base/compilation.h"
#include "base/json_text.h"
#include "ir/problem.h"
#include "output/output.h"

/* A setting, or an argument of one of its choices, and the option it sets. */
typedef struct Row {
    const char *key, *choice, *argument, *option;
} Row;

static const Row rows[] = {
#define SETTING(key, type, words, option) {#key, NULL, NULL, option},
#define CHOICE(key, name, option, value)
#define ARGUMENT(key, choice, argument, type, words, option) {#key, #choice, #argument, option},
#include "runtime/contract/setting.def"
};

/* Choices that set an option by being chosen. */
typedef struct ChoiceRow {
    const char *key, *choice, *option, *value;
} ChoiceRow;

static const ChoiceRow choices[] = {
#define SETTING(key, type, words, option)
#define CHOICE(key, name, option, value) {#key, #name, option, value},
#define ARGUMENT(key, choice, argument, type, words, option)
#include "runtime/contract/setting.def"
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

/* A number as it is; a word with - for _; anything else as the text the user wrote, without spaces. */
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
            text_bytes(&t, e->kind == AST_NAME && s.s[k] == '_' ? "-" : &s.s[k], 1);
    emit_json_string(out, text_cstr(&t));
}

static const char *canonical(const char *key) {
    return strcmp(key, "optimizer") == 0 ? "optimiser" : key;
}

/* Is the value v of a setting this choice? Rows without one, and those of `any`, apply to all. */
static bool is_choice(const Compilation *c, const char *choice, const Ast *v) {
    if (!choice || strcmp(choice, "any") == 0)
        return true;
    return (v->kind == AST_CALL || v->kind == AST_NAME) && word_is(c, v->name, choice);
}

static void setting(Compilation *c, const Ast *s, Text *out, bool *first) {
    const char *key = canonical(sym_cstr(c, s->name));
    const Ast *v = s->kid[0];
    bool call = v->kind == AST_CALL || v->kind == AST_NAME;
    for (size_t k = 0; call && k < sizeof choices / sizeof *choices; k++)
        if (*choices[k].option && strcmp(choices[k].key, key) == 0 &&
            word_is(c, v->name, choices[k].choice)) {
            member(out, choices[k].option, first);
            emit_json_string(out, choices[k].value);
        }
    if (call && strcmp(key, "optimiser") == 0) {
        member(out, "optimiser", first);
        emit_json_string(out, sym_cstr(c, v->name));
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const Row *r = &rows[k];
        if (!*r->option || strcmp(r->key, key) != 0 || !is_choice(c, r->choice, v))
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
    {"report", NULL, "log-every", "1", true},
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

bool solve_is_automatic(const Compilation *c) {
    return !given(c, "network", NULL) && !given(c, "method", NULL) && !given(c, "optimiser", NULL);
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
