/* solve_check.c: the lines of solve { } against runtime/contract/setting.def. */
#include "base/compilation.h"
#include "check/shape.h"

#include <math.h>
#include <string.h>

typedef enum Type {
    INTEGER,
    INTEGER_OR_AUTO,
    NUMBER,
    NUMBER_OR_AUTO,
    WORD,
    LIST,
    CHOICE,
    ACTIVATION,
    RATE
} Type;

static const char *const type_text[] = {"a whole number",
                                        "a whole number or auto",
                                        "a number",
                                        "a number or auto",
                                        "a word",
                                        "a list in [ ]",
                                        "a name with arguments in ( )",
                                        "an activation",
                                        "a number or a schedule"};

typedef struct KeyRow {
    const char *key;
    Type type;
    const char *words; /* of a WORD, separated by | */
} KeyRow;

typedef struct ArgumentRow {
    const char *key, *choice, *argument;
    Type type;
    const char *words;
} ArgumentRow;

typedef struct ChoiceRow {
    const char *key, *name;
} ChoiceRow;

static const KeyRow keys[] = {
#define SETTING(key, type, words, option) {#key, type, words},
#define CHOICE(key, name, option, value)
#define ARGUMENT(key, choice, argument, type, words, option)
#include "runtime/contract/setting.def"
};

static const ChoiceRow choices[] = {
#define SETTING(key, type, words, option)
#define CHOICE(key, name, option, value) {#key, #name},
#define ARGUMENT(key, choice, argument, type, words, option)
#include "runtime/contract/setting.def"
#define OPTIMISER(name, ...) {"optimiser", #name},
#include "runtime/contract/optim.def"
#undef OPTIMISER
};

static const ArgumentRow arguments[] = {
#define SETTING(key, type, words, option)
#define CHOICE(key, name, option, value)
#define ARGUMENT(key, choice, argument, type, words, option)                                       \
    {#key, #choice, #argument, type, words},
#include "runtime/contract/setting.def"
};

static const char *const activations[] = {
#define ACTIVATION(name, ...) #name,
#include "runtime/contract/activation.def"
#undef ACTIVATION
};

static const char *const schedules[] = {
#define SCHEDULE(name, what) #name,
#include "runtime/contract/schedule.def"
#undef SCHEDULE
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool same(Str a, const char *b) {
    return a.n == strlen(b) && memcmp(a.s, b, a.n) == 0;
}

/* `optimizer` is another spelling of optimiser. */
static const char *canonical(Str key) {
    for (size_t i = 0; i < COUNT(keys); i++)
        if (same(key, keys[i].key))
            return strcmp(keys[i].key, "optimizer") == 0 ? "optimiser" : keys[i].key;
    return NULL;
}

static Type type_of(const char *key) {
    size_t i = 0;
    while (strcmp(keys[i].key, key) != 0)
        i++;
    return keys[i].type;
}

static void misnamed(Compilation *c, DiagCode code, const Ast *node, const char *of,
                     const Suggestion *near, const Text *all) {
    Str text = sym_str(c, node->name);
    Diag *d = diag(c, code, node->name_span, (int)text.n, text.s, of);
    if (near->best.n) {
        Text best = {.arena = &c->arena};
        text_str(&best, near->best);
        const char *word = text_cstr(&best);
        diag_fix(c, d, near->distance == 1, node->name_span, word, "did you mean %s?", word);
    } else
        diag_note(c, d, "there is %.*s", (int)all->n, all->s);
}

static void offer(Suggestion *near, Text *all, const char *name) {
    suggest_offer(near, (Str){name, strlen(name)});
    text_printf(all, "%s%s", all->n ? ", " : "", name);
}

static bool one_of(Checker *k, const Ast *value, const char *const *names, size_t n,
                   const char *what) {
    Str text = sym_str(k->c, value->name);
    Suggestion near = suggest_start(text);
    Text all = {.arena = &k->c->arena};
    for (size_t i = 0; i < n; i++) {
        if (same(text, names[i]))
            return true;
        offer(&near, &all, names[i]);
    }
    misnamed(k->c, E0314, value, what, &near, &all);
    return false;
}

static void wrong_type(Checker *k, const Ast *value, Sym name, Type type) {
    Str text = sym_str(k->c, name);
    diag(k->c, E0422, value->span, (int)text.n, text.s, type_text[type]);
}

static void check_features(Checker *k, const Ast *list) {
    for (uint32_t i = 0; i < list->n; i++)
        shape_of(k, list->kid[i], NULL);
}

/* A word that is none of a setting's own, which stand in one text, separated by |. */
static void check_word(Checker *k, const Ast *value, Sym name, const char *words) {
    Str text = sym_str(k->c, value->name);
    Suggestion near = suggest_start(text);
    Text all = {.arena = &k->c->arena};
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, "|");
        if (n == text.n && memcmp(at, text.s, n) == 0)
            return;
        suggest_offer(&near, (Str){at, n});
        text_printf(&all, "%s%.*s", all.n ? ", " : "", (int)n, at);
        at += n + (at[n] == '|');
    }
    misnamed(k->c, E0314, value, sym_cstr(k->c, name), &near, &all);
}

static void check_value(Checker *k, const Ast *value, Sym name, Type type, const char *words) {
    double v = 0;
    bool constant = value->kind != AST_STRING && constant_value(k->c, value, &v);
    bool word = value->kind == AST_NAME;
    switch (type) {
    case INTEGER_OR_AUTO:
        if (word && same(sym_str(k->c, value->name), "auto"))
            break;
        /* fall through */
    case INTEGER:
        if (!constant || v != floor(v) || v < 0 || v > 9e15)
            wrong_type(k, value, name, type);
        break;
    case NUMBER_OR_AUTO:
        if (word && same(sym_str(k->c, value->name), "auto"))
            break;
        /* fall through */
    case NUMBER:
        if (!constant)
            wrong_type(k, value, name, type);
        break;
    case WORD:
        if (word)
            check_word(k, value, name, words);
        else
            wrong_type(k, value, name, type);
        break;
    case LIST:
        if (value->kind == AST_LIST)
            check_features(k, value);
        else
            wrong_type(k, value, name, type);
        break;
    case ACTIVATION:
        if (word)
            one_of(k, value, activations, COUNT(activations), "an activation");
        else
            wrong_type(k, value, name, type);
        break;
    case RATE:
        if (constant)
            break;
        if (value->kind != AST_CALL)
            wrong_type(k, value, name, type);
        else if (one_of(k, value, schedules, COUNT(schedules), "a schedule"))
            for (uint32_t i = 0; i < value->n; i++)
                if (!constant_value(k->c, value->kid[i], &v))
                    wrong_type(k, value->kid[i], value->name, NUMBER);
        break;
    case CHOICE:
        break;
    }
}

static void check_arguments(Checker *k, const char *key, const Ast *call) {
    Str choice = sym_str(k->c, call->name);
    for (uint32_t i = 0; i < call->n; i++) {
        const Ast *a = call->kid[i];
        if (a->kind != AST_ARG) {
            Str text = source_text(k->c, a->span);
            diag(k->c, E0424, a->span, (int)text.n, text.s);
            continue;
        }
        Str name = sym_str(k->c, a->name);
        Suggestion near = suggest_start(name);
        Text all = {.arena = &k->c->arena};
        bool found = false;
        for (size_t r = 0; r < COUNT(arguments) && !found; r++) {
            const ArgumentRow *row = &arguments[r];
            if (strcmp(row->key, key) != 0 ||
                (!same(choice, row->choice) && strcmp(row->choice, "any") != 0))
                continue;
            offer(&near, &all, row->argument);
            found = same(name, row->argument);
            if (found)
                check_value(k, a->kid[0], a->name, row->type, row->words);
        }
        if (!found)
            misnamed(k->c, E0315, a, sym_cstr(k->c, call->name), &near, &all);
    }
}

static void check_choice(Checker *k, const char *key, const Ast *setting) {
    const Ast *value = setting->kid[0];
    if (value->kind != AST_CALL && value->kind != AST_NAME) {
        wrong_type(k, value, setting->name, CHOICE);
        return;
    }
    const char *names[COUNT(choices)];
    size_t n = 0;
    for (size_t i = 0; i < COUNT(choices); i++)
        if (strcmp(choices[i].key, key) == 0)
            names[n++] = choices[i].name;
    if (one_of(k, value, names, n, key) && value->kind == AST_CALL)
        check_arguments(k, key, value);
}

void settings_check(Checker *k, const Ast *solve) {
    for (uint32_t i = 0; i < solve->n; i++) {
        const Ast *setting = solve->kid[i];
        Str key = sym_str(k->c, setting->name);
        const char *known = canonical(key);
        for (uint32_t j = 0; j < i; j++)
            if (solve->kid[j]->name == setting->name) {
                Diag *d = diag(k->c, E0302, setting->name_span, (int)key.n, key.s, "a setting");
                diag_also(k->c, d, solve->kid[j]->name_span, "first given here");
                break;
            }
        Suggestion near = suggest_start(key);
        Text all = {.arena = &k->c->arena};
        for (size_t r = 0; r < COUNT(keys); r++) {
            offer(&near, &all, keys[r].key);
            if (known && strcmp(known, keys[r].key) == 0 && keys[r].type != CHOICE)
                check_value(k, setting->kid[0], setting->name, keys[r].type, keys[r].words);
        }
        if (!known)
            misnamed(k->c, E0313, setting, "", &near, &all);
        else if (type_of(known) == CHOICE)
            check_choice(k, known, setting);
    }
}
