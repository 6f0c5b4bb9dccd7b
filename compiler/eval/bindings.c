/* bindings.c: dims and params as the file and the command line give them, random and data tensors. */
#include "eval/bindings.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/compilation.h"
#include "base/limits.h"
#include "base/suggest.h"
#include "runtime/contract/mt19937.h"
#include "runtime/contract/tensor_rng.h"
#include "runtime/contract/visible.h"
#include "runtime/files/data_path.h"

enum { NUMBER_STEPS = 20000 }; /* for what only a check wants */

/* ---- --set name=value ---- */

static Ast *find_binding(const Compilation *c, Str name, Suggestion *near, const Ast **statement) {
    for (uint32_t k = 0; k < c->program->n; k++) {
        const Ast *s = c->program->kid[k];
        for (uint32_t i = 0; (s->kind == AST_DIM || s->kind == AST_PARAM) && i < s->n; i++) {
            Str own = sym_str(c, s->kid[i]->name);
            *statement = s;
            if (own.n == name.n && memcmp(own.s, name.s, name.n) == 0)
                return s->kid[i];
            suggest_offer(near, own);
        }
    }
    return NULL;
}

static bool is_decimal(const char *s) {
    size_t digits = 0;
    if (*s == '-' || *s == '+')
        s++;
    for (bool point = false; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
        point |= *s == '.';
        digits += *s != '.';
    }
    if (digits && (*s == 'e' || *s == 'E')) {
        s += s[1] == '-' || s[1] == '+' ? 2 : 1;
        for (digits = 0; *s >= '0' && *s <= '9'; s++)
            digits++;
    }
    return digits > 0 && *s == '\0';
}

const char *values_override(Compilation *c, const char *setting) {
    const char *equals = strchr(setting, '=');
    double v;
    if (!equals || equals == setting)
        return text_format(&c->arena, "--set %s: write --set name=value", setting);
    Str name = {setting, (size_t)(equals - setting)};
    if (strlen(equals + 1) > LIMIT_NUMBER_BYTES || !is_decimal(equals + 1) ||
        !text_read_double(equals + 1, &v))
        return text_format(&c->arena, "--set %s: '%s' is not a number", setting, equals + 1);
    Suggestion near = suggest_start(name);
    const Ast *statement = NULL;
    Ast *bind = find_binding(c, name, &near, &statement);
    if (!bind && near.best.n)
        return text_format(&c->arena,
                           "--set %s: the file has no dim or param '%.*s'; did you mean %.*s?",
                           setting, (int)name.n, name.s, (int)near.best.n, near.best.s);
    if (!bind)
        return text_format(&c->arena, "--set %s: the file has no dim or param '%.*s'", setting,
                           (int)name.n, name.s);
    if (statement->kind == AST_DIM && !(v >= 1 && v <= 1e9 && v - floor(v) <= 0))
        return text_format(&c->arena, "--set %s: a dimension is a whole number from 1 to 1e9",
                           setting);
    Ast *number = ast_new(c, AST_NUMBER, bind->kid[0]->span, 0, NULL);
    number->number = v;
    bind->kid[0] = number;
    return NULL;
}

/* ---- numbers ---- */

EvalInput values_input(const Values *values) {
    return (EvalInput){.d = values->d,
                       .n_values = values->value.n,
                       .value = values->value.at,
                       .n_tensors = values->tensor.n,
                       .tensor = values->tensor.at};
}

const char *values_number(Compilation *c, const Values *values, Ref e, double *out) {
    EvalInput in = values_input(values);
    in.points = 1;
    in.fuel = values->cap ? NUMBER_STEPS : 0;
    return eval_double(c->ir, e, &in, out);
}

static const char *add_number(Compilation *c, Values *values, Sym name, Ref e) {
    EvalValue v = {.name = name};
    const char *why = values_number(c, values, e, &v.value);
    if (!why)
        VEC_PUSH(&c->arena, values->value, v);
    return why;
}

/* What a check wants instead of the stated value. */
static void adjust(const Values *values, const Symbol *s, double *v) {
    if (s->kind == SYMBOL_DIM && values->cap && *v > (double)values->cap)
        *v = (double)(values->cap - values->vary % 2);
    double uniform[4];
    if (s->kind != SYMBOL_PARAM || !values->vary)
        return;
    pde_tensor_block(pde_tensor_key(values->vary, "vary", 4), TENSOR_UNIFORM, s->name, 0, uniform);
    double decades = values->vary == 1 ? -1 : values->vary == 2 ? 1 : 4 * uniform[0] - 2;
    if (fabs(*v) > 0)
        *v *= values->wide ? pow(10, decades) : 0.8 + 0.4 * uniform[0];
    else
        *v = (values->vary % 2 ? 1 : -1) * (0.1 + 0.1 * uniform[0]);
}

/* In order of declaration: a parameter may use those before it. */
static const char *collect_numbers(Compilation *c, Values *values) {
    const char *why = NULL;
    for (uint32_t k = 0; k < c->symbols->list.n && !why; k++) {
        const Symbol *s = &c->symbols->list.at[k];
        if (s->kind != SYMBOL_DIM && s->kind != SYMBOL_PARAM)
            continue;
        why = add_number(c, values, s->name, lower_scalar(c, NULL, s->def->kid[0]));
        if (!why && !(s->kind == SYMBOL_PARAM && problem_param_follows(c, s)))
            adjust(values, s, &values->value.at[values->value.n - 1].value);
    }
    for (uint32_t k = 0; k < c->problem->unknown.n && !why; k++) {
        const UnknownRow *u = &c->problem->unknown.at[k];
        if (u->exact || u->initial)
            why = add_number(c, values, u->name, u->exact ? u->exact : u->initial);
    }
    return why;
}

/* ---- tensors ---- */

static void mark(const Ir *ir, Ref e, bool *seen) {
    if (seen[e])
        return;
    seen[e] = true;
    for (uint32_t k = 0; k < ir_arity(ir, e); k++)
        mark(ir, ir_kid(ir, e, k), seen);
}

static bool uses_tensor(const Ir *ir, uint32_t nodes, const bool *seen, Sym name) {
    for (Ref e = 1; e < nodes; e++)
        if (seen[e] && ir_is(ir, e, OP_TENSOR) && ir_id(ir, e) == name)
            return true;
    return false;
}

bool values_uses_tensor(Compilation *c, Ref e, Sym name) {
    uint32_t nodes = c->ir->node.n;
    bool *seen = NEW_ARRAY(&c->arena, bool, nodes);
    mark(c->ir, e, seen);
    return uses_tensor(c->ir, nodes, seen, name);
}

static const char *fill_random(Compilation *c, const Values *values, const TensorRow *row,
                               int64_t rows, int64_t columns, double *out) {
    static const char *const laws[] = {
#define LAW(name, entry, point, arguments, what) #name,
#include "runtime/contract/law.def"
    };
    const char *law = row->law ? sym_cstr(c, row->law->name) : "normal", *why;
    int kind = 0;
    while (kind <= TENSOR_LOGNORMAL && strcmp(law, laws[kind]) != 0)
        kind++;
    if (kind > TENSOR_LOGNORMAL)
        return text_format(&c->arena, "the law '%s' of %s has no generator", law,
                           sym_cstr(c, row->name));
    double argument[2] = {0, 1};
    for (int k = 0; k < 2; k++)
        if (row->law_args[k] && (why = values_number(c, values, row->law_args[k], &argument[k])))
            return why;
    Str name = sym_str(c, row->name);
    if (row->legacy) {
        mt_fill(row->seed, kind == TENSOR_NORMAL, argument[0], argument[1], rows * columns, out);
        return NULL;
    }
    TensorKey key = pde_tensor_key(row->seed, name.s, name.n);
    for (int64_t r = 0; r < rows; r++)
        pde_tensor_fill(key, kind, argument[0], argument[1], (uint32_t)r, 0, (uint32_t)columns,
                        out + r * columns);
    return NULL;
}

const char *values_data_path(Compilation *c, Sym file) {
    char path[DATA_PATH_MAX];
    uint32_t code;
    if (!data_path_resolve(c->beside, sym_cstr(c, file), path))
        return sym_cstr(c, file);
    for (size_t n = strlen(path), k = 0, taken; k < n; k += taken)
        if (!(taken = pde_utf8_decode(path + k, n - k, &code)))
            return sym_cstr(c, file);
    return text_format(&c->arena, "%s", path);
}

static const char *read_data(Compilation *c, const TensorRow *row, const EvalTensor *tensor,
                             NpyFile *open, double *out) {
    Error error = {0};
    size_t count = 1;
    const char *path = values_data_path(c, row->file);
    if (data_path_check(path, &c->beside, 1, c->allow_data, &error) != STATUS_OK ||
        npy_read(path, LIMIT_ARENA_BYTES, open, &error) != STATUS_OK)
        return text_format(&c->arena, "data %s: %s", sym_cstr(c, row->name), error.message);
    const Array *a = &open->array;
    bool fits = a->rank == (int)tensor->rank;
    for (uint32_t r = 0; r < tensor->rank && fits; r++) {
        fits = a->shape[r] == (uint64_t)tensor->extent[r];
        count *= (size_t)tensor->extent[r];
    }
    for (size_t k = 0; k < count && fits; k++)
        out[k] = array_value(a, k);
    npy_free(open);
    if (fits)
        return NULL;
    Text t = {.arena = &c->arena};
    text_printf(&t, "data %s: the file '%s' does not have the shape [", sym_cstr(c, row->name),
                sym_cstr(c, row->file));
    for (uint32_t r = 0; r < tensor->rank; r++)
        text_printf(&t, "%s%" PRId64, r ? ", " : "", tensor->extent[r]);
    text_str(&t, STR("]"));
    return text_cstr(&t);
}

static const char *collect_tensor(Compilation *c, Values *values, const TensorRow *row,
                                  NpyFile *open) {
    EvalTensor tensor = {.name = row->name, .rank = row->rank, .extent = {1, 1}};
    const char *why;
    double n;
    for (uint32_t r = 0; r < row->rank && r < 2; r++) {
        if ((why = values_number(c, values, lower_extent(c, row->extent[r]), &n)))
            return why;
        tensor.extent[r] = n > 0 ? (int64_t)n : 0;
    }
    int64_t rows = row->rank == 2 ? tensor.extent[0] : 1;
    int64_t columns = row->rank == 0 ? 1 : tensor.extent[row->rank - 1];
    double most = values->cap ? NUMBER_STEPS : LIMIT_ARENA_BYTES / 8;
    if ((double)rows * (double)columns > most)
        return text_format(&c->arena, "%s has too many entries to hold", sym_cstr(c, row->name));
    double *at = NEW_ARRAY(&c->arena, double, rows *columns + 1);
    tensor.at = at;
    why = row->law || values->cap ? fill_random(c, values, row, rows, columns, at)
                                  : read_data(c, row, &tensor, open, at);
    if (!why)
        VEC_PUSH(&c->arena, values->tensor, tensor);
    return why;
}

const char *values_collect(Compilation *c, Ref e, NpyFile *open, Values *out) {
    const Problem *p = c->problem;
    double d = 0;
    const char *why = collect_numbers(c, out);
    if (!why)
        why = values_number(c, out, p->d, &d);
    out->d = (int64_t)d;
    uint32_t nodes = c->ir->node.n;
    bool *seen = NEW_ARRAY(&c->arena, bool, nodes);
    if (e)
        mark(c->ir, e, seen);
    for (uint32_t k = 0; k < p->space.n; k++) /* semiaxes may be random */
        for (int a = 1; a < 3; a++)
            if (p->space.at[k].argument[a])
                mark(c->ir, p->space.at[k].argument[a], seen);
    for (uint32_t k = 0; k < p->tensor.n && !why; k++)
        if (uses_tensor(c->ir, nodes, seen, p->tensor.at[k].name))
            why = collect_tensor(c, out, &p->tensor.at[k], open);
    return why;
}
