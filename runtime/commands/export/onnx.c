/* onnx.c: --export onnx: a trained model as an ONNX graph in double: x [N, point], and one output [N] for each field.
 *
 * Array operations line by line, as --emit=arrays prints them. ONNX runtimes lack some functions in double: tan, sinh and
 * cosh are made of others; erf, erfc, asin, acos and atan are taken in float32, good to seven digits. */
#include "commands/export/array_line.h"
#include "commands/export/onnx_file.h"

#include "contract/version.h"
#include "files/io.h"
#include "files/number.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Where a graph ends: larger messages cannot be read. */
#define ONNX_BYTES_MAX ((size_t)0x7FFFFFFF)
#define TABLE_MAX ((int64_t)1 << 28)

typedef struct Maker {
    const ExportModel *m;
    OnnxGraph g;
    OnnxName *value; /* of vK */
    int64_t values, capacity;
    int64_t axes, point;
    OnnxName network, features[ARRAY_WORDS];
    int n_features;
    bool has_network;
    Status status;
    Error *error;
} Maker;

static OnnxName number(Maker *k, double v) {
    return onnx_doubles(&k->g, 0, NULL, &v);
}

static OnnxName unary(Maker *k, const char *op, OnnxName x) {
    return onnx_node(&k->g, &(OnnxNode){.op = op, .inputs = 1, .input = {x}});
}

static OnnxName binary(Maker *k, const char *op, OnnxName x, OnnxName y) {
    return onnx_node(&k->g, &(OnnxNode){.op = op, .inputs = 2, .input = {x, y}});
}

static OnnxName scaled(Maker *k, double factor, OnnxName x) {
    return binary(k, "Mul", x, number(k, factor));
}

static OnnxName cast(Maker *k, OnnxName x, int type) {
    return onnx_node(
        &k->g,
        &(OnnxNode){.op = "Cast", .attribute = "to", .integer = type, .inputs = 1, .input = {x}});
}

static OnnxName single(Maker *k, const char *op, OnnxName x) {
    return cast(k, unary(k, op, cast(k, x, ONNX_FLOAT)), ONNX_DOUBLE);
}

static OnnxName reshape(Maker *k, OnnxName x, int rank, const int64_t *shape) {
    return binary(k, "Reshape", x, onnx_integers(&k->g, 1, &(int64_t){rank}, shape));
}

/* ---- functions ---- */

static OnnxName complement(Maker *k, OnnxName erf) {
    return binary(k, "Sub", number(k, 1), erf);
}

/* (exp(x) + sign exp(-x)) / 2 */
static OnnxName hyperbolic(Maker *k, double sign, OnnxName x) {
    const OnnxName up = unary(k, "Exp", x), down = unary(k, "Exp", unary(k, "Neg", x));
    return scaled(k, 0.5, binary(k, "Add", up, scaled(k, sign, down)));
}

static OnnxName function(Maker *k, const char *name, OnnxName x) {
    static const char *const same[][2] = {{"sin", "Sin"},  {"cos", "Cos"}, {"tanh", "Tanh"},
                                          {"exp", "Exp"},  {"log", "Log"}, {"abs", "Abs"},
                                          {"sign", "Sign"}};
    static const char *const narrow[][2] = {
        {"asin", "Asin"}, {"acos", "Acos"}, {"atan", "Atan"}, {"erf", "Erf"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(name, same[i][0]) == 0)
            return unary(k, same[i][1], x);
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        if (strcmp(name, narrow[i][0]) == 0)
            return single(k, narrow[i][1], x);
    if (strcmp(name, "erfc") == 0)
        return complement(k, single(k, "Erf", x));
    if (strcmp(name, "tan") == 0)
        return binary(k, "Div", unary(k, "Sin", x), unary(k, "Cos", x));
    if (strcmp(name, "sinh") == 0 || strcmp(name, "cosh") == 0)
        return hyperbolic(k, name[0] == 's' ? -1 : 1, x);
    if (strcmp(name, "expm1") == 0)
        return binary(k, "Sub", unary(k, "Exp", x), number(k, 1));
    assert(strcmp(name, "log1p") == 0);
    return unary(k, "Log", binary(k, "Add", x, number(k, 1)));
}

enum { POSTFIX_MAX = 8 };

static bool is_binary(const char *op) {
    static const char *const known[] = {"Add", "Sub", "Mul", "Div", "Max", "Pow"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(op, known[i]) == 0)
            return true;
    return false;
}

/* One operation of a formula in postfix, on the values that it has so far. */
static void postfix(Maker *k, const char *word, OnnxName z, OnnxName *stack, int *n) {
    double v;
    assert(*n < POSTFIX_MAX);
    if (strcmp(word, "z") == 0) {
        stack[(*n)++] = z;
    } else if (number_read(word, &v)) {
        stack[(*n)++] = number(k, v);
    } else if (strcmp(word, "dup") == 0) {
        assert(*n > 0);
        stack[*n] = stack[*n - 1];
        (*n)++;
    } else if (is_binary(word)) {
        assert(*n > 1);
        (*n)--;
        stack[*n - 1] = binary(k, word, stack[*n - 1], stack[*n]);
    } else {
        assert(*n > 0);
        const bool narrow = strcmp(word, "Erf") == 0;
        stack[*n - 1] = (narrow ? single : unary)(k, word, stack[*n - 1]);
    }
}

static OnnxName activation(Maker *k, OnnxName z) {
    static const char *const formula[] = {
#define ACTIVATION(name, what, c, torch, jax, onnx) onnx,
#include "contract/activation.def"
#undef ACTIVATION
    };
    OnnxName stack[POSTFIX_MAX];
    int n = 0;
    for (const char *at = formula[k->m->session->settings.activation]; *at; at += strspn(at, " ")) {
        char word[32] = {0};
        const size_t length = strcspn(at, " ");
        assert(length < sizeof word);
        memcpy(word, at, length);
        postfix(k, word, z, stack, &n);
        at += length;
    }
    assert(n == 1);
    return stack[0];
}

/* ---- positions, constants ---- */

/* position[..] = at + sum of step * j with k->axes axes, cut to 0 .. size - 1 where size > 0. */
static int64_t *positions(Maker *k, const ArrayPlace *p, int64_t size, int64_t *shape,
                          int64_t *total) {
    *total = 1;
    for (int64_t a = 0; a < k->axes; a++)
        shape[a] = 1;
    for (int i = 0; i < p->loops; i++) {
        shape[k->axes - p->loop[i].axis] = p->loop[i].count;
        *total *= p->loop[i].count;
    }
    int64_t *at = *total <= TABLE_MAX ? calloc((size_t)*total, sizeof *at) : NULL;
    if (!at && k->status == STATUS_OK)
        k->status = error_set(k->error, STATUS_OUT_OF_MEMORY, "no memory for positions");
    for (int64_t n = 0; at && n < *total; n++) {
        int64_t rest = n, v = p->at;
        for (int64_t a = k->axes - 1; a >= 0; rest /= shape[a--])
            for (int i = 0; i < p->loops; i++)
                if (k->axes - p->loop[i].axis == a)
                    v += p->loop[i].step * (rest % shape[a]);
        at[n] = size == 0 ? v : v < 0 ? 0 : v >= size ? size - 1 : v;
    }
    return at;
}

static OnnxName coordinates(Maker *k, const ArrayLine *l) {
    ArrayPlace p;
    int64_t shape[ARRAY_WORDS], total;
    array_place(l, 3, &p);
    int64_t *at = positions(k, &p, k->point, shape, &total);
    if (!at)
        return onnx_name("x");
    const OnnxName table = onnx_integers(&k->g, (int)k->axes, shape, at);
    free(at);
    return onnx_node(&k->g, &(OnnxNode){.op = "Gather",
                                        .attribute = "axis",
                                        .integer = 1,
                                        .inputs = 2,
                                        .input = {onnx_name("x"), table}});
}

static OnnxName indices(Maker *k, const ArrayLine *l) {
    ArrayPlace p;
    int64_t shape[ARRAY_WORDS], total;
    array_place(l, 3, &p);
    int64_t *at = positions(k, &p, 0, shape, &total);
    if (!at)
        return onnx_name("x");
    const OnnxName table = onnx_integers(&k->g, (int)k->axes, shape, at);
    free(at);
    return cast(k, table, ONNX_DOUBLE);
}

/* Entries of a tensor; of two subscripts each has axes of its own. */
static OnnxName entries(Maker *k, const ArrayLine *l) {
    const Problem *q = k->m->session->problem;
    const int t = array_tensor(q, l->word[3]), rank = q->plan.tensor[t].rank;
    ArrayPlace p[2], both = {0};
    for (int r = 0, at = 4; r < rank; r++) {
        const int64_t columns =
            r + 1 < rank ? plan_extent(&q->plan, q->plan.tensor[t].extent[1]) : 1;
        at = array_place(l, at, &p[r]) + 1;
        both.at += columns * p[r].at;
        for (int i = 0; i < p[r].loops && both.loops < ARRAY_LOOPS; i++) {
            both.loop[both.loops] = p[r].loop[i];
            both.loop[both.loops++].step *= columns;
        }
    }
    int64_t shape[ARRAY_WORDS], total;
    int64_t *at = positions(k, &both, q->tensor_size[t], shape, &total);
    double *value = at ? calloc((size_t)total, sizeof *value) : NULL;
    OnnxName name = onnx_name("x");
    for (int64_t n = 0; value && n < total; n++)
        value[n] = q->tensor64[t][at[n]];
    if (value)
        name = onnx_doubles(&k->g, (int)k->axes, shape, value);
    else if (k->status == STATUS_OK)
        k->status = error_set(k->error, STATUS_OUT_OF_MEMORY, "no memory for constants");
    free(at);
    free(value);
    return name;
}

/* ---- operations ---- */

static OnnxName operand(Maker *k, const char *word) {
    const int64_t v = array_value_number(word);
    double literal = 0;
    if (v >= 0) {
        assert(v < k->values);
        return k->value[v];
    }
    const bool ok = number_read(word, &literal);
    assert(ok);
    (void)ok;
    return number(k, literal);
}

static OnnxName condition(Maker *k, const char *op, OnnxName x, OnnxName y) {
    return cast(k, binary(k, op, x, y), ONNX_DOUBLE);
}

static OnnxName reduction(Maker *k, const char *op, OnnxName x, const char *axis_word) {
    int64_t axis = 0;
    number_read_integer(axis_word, &axis);
    axis = -axis;
    if (strcmp(op, "sum") == 0)
        return binary(k, "ReduceSum", x, onnx_integers(&k->g, 1, &(int64_t){1}, &axis));
    return onnx_node(&k->g, &(OnnxNode){.op = strcmp(op, "prod") == 0  ? "ReduceProd"
                                              : strcmp(op, "max") == 0 ? "ReduceMax"
                                                                       : "ReduceMin",
                                        .attribute = "axes",
                                        .integer = axis,
                                        .inputs = 1,
                                        .input = {x}});
}

/* [N, inputs] of the features, or x, through the layers; times the scales. */
static void make_network(Maker *k) {
    const Network *n = &k->m->session->network;
    const double *at = k->m->theta;
    OnnxName z = k->n_features ? k->features[0] : onnx_name("x");
    for (int f = 1; f < k->n_features; f++)
        z = onnx_node(&k->g, &(OnnxNode){.op = "Concat",
                                         .attribute = "axis",
                                         .integer = 1,
                                         .inputs = 2,
                                         .input = {z, k->features[f]}});
    for (int l = 0; l < n->layers; l++) {
        const int64_t in = n->width[l], out = n->width[l + 1];
        const OnnxName W = onnx_doubles(&k->g, 2, (int64_t[]){in, out}, at);
        const OnnxName b = onnx_doubles(&k->g, 1, &out, at + in * out);
        z = binary(k, "Add", binary(k, "MatMul", z, W), b);
        if (l + 1 < n->layers)
            z = activation(k, z);
        at += (in + 1) * out;
    }
    const int64_t outputs = k->m->session->problem->outputs;
    k->network = binary(k, "Mul", z, onnx_doubles(&k->g, 1, &outputs, k->m->scale));
    k->has_network = true;
}

static OnnxName output_of_network(Maker *k, const char *word) {
    int64_t which = 0, shape[ARRAY_WORDS];
    number_read_integer(word, &which);
    if (!k->has_network)
        make_network(k);
    for (int64_t a = 0; a <= k->axes; a++)
        shape[a] = a ? 1 : -1;
    const OnnxName column = onnx_node(
        &k->g, &(OnnxNode){.op = "Gather",
                           .attribute = "axis",
                           .integer = 1,
                           .inputs = 2,
                           .input = {k->network, onnx_integers(&k->g, 1, &(int64_t){1}, &which)}});
    return reshape(k, column, (int)k->axes + 1, shape);
}

static OnnxName operation(Maker *k, const ArrayLine *l) {
    static const char *const of_two[][2] = {
        {"add", "Add"}, {"mul", "Mul"}, {"pow", "Pow"}, {"larger", "Max"}, {"smaller", "Min"}};
    const char *op = l->word[2];
    if (strcmp(op, "x") == 0)
        return coordinates(k, l);
    if (strcmp(op, "index") == 0)
        return indices(k, l);
    if (strcmp(op, "tensor") == 0)
        return entries(k, l);
    if (strcmp(op, "unknown") == 0)
        return number(k, array_unknown(k->m->session, l->word[3]));
    if (strcmp(op, "net") == 0)
        return output_of_network(k, l->word[3]);
    const OnnxName x = operand(k, l->word[3]);
    for (size_t i = 0; i < sizeof of_two / sizeof *of_two; i++)
        if (strcmp(op, of_two[i][0]) == 0)
            return binary(k, of_two[i][1], x, operand(k, l->word[4]));
    if (strcmp(op, "sum") == 0 || strcmp(op, "prod") == 0 || strcmp(op, "max") == 0 ||
        strcmp(op, "min") == 0)
        return reduction(k, op, x, l->word[4]);
    if (strcmp(op, "zero") == 0)
        return condition(k, "Equal", x, number(k, 0));
    if (strcmp(op, "step") == 0)
        return condition(k, "Greater", x, number(k, 0));
    if (strcmp(op, "within") == 0)
        return binary(k, "Mul", condition(k, "GreaterOrEqual", x, operand(k, l->word[4])),
                      condition(k, "LessOrEqual", x, operand(k, l->word[5])));
    if (strcmp(op, "where") == 0)
        return onnx_node(&k->g, &(OnnxNode){.op = "Where",
                                            .inputs = 3,
                                            .input = {binary(k, "Greater", x, number(k, 0)),
                                                      operand(k, l->word[4]), number(k, 0)}});
    return function(k, op, x);
}

static void keep(Maker *k, OnnxName value) {
    if (k->values == k->capacity) {
        const int64_t capacity = k->capacity ? 2 * k->capacity : 256;
        OnnxName *more = realloc(k->value, (size_t)capacity * sizeof *more);
        if (!more) {
            k->status = error_set(k->error, STATUS_OUT_OF_MEMORY, "no memory for the graph");
            return;
        }
        k->value = more;
        k->capacity = capacity;
    }
    k->value[k->values++] = value;
}

/* With a row for each point, also where nothing depends on it. */
static OnnxName with_rows(Maker *k, OnnxName value) {
    int64_t shape[ARRAY_WORDS];
    for (int64_t a = 0; a <= k->axes; a++)
        shape[a] = a ? 1 : -1;
    const OnnxName first = onnx_node(
        &k->g,
        &(OnnxNode){.op = "Gather",
                    .attribute = "axis",
                    .integer = 1,
                    .inputs = 2,
                    .input = {onnx_name("x"), onnx_integers(&k->g, 0, NULL, &(int64_t){0})}});
    return binary(k, "Add", value, scaled(k, 0, reshape(k, first, (int)k->axes + 1, shape)));
}

/* The input is x: a field of that name has another. */
static const char *output_name(const char *field) {
    return strcmp(field, "x") == 0 ? "x.field" : field;
}

static void make_line(Maker *k, const ArrayLine *l) {
    if (array_word_is(l, 0, "feature")) {
        assert(k->n_features < ARRAY_WORDS);
        k->features[k->n_features++] =
            reshape(k, with_rows(k, operand(k, l->word[1])), 2, (int64_t[]){0, -1});
    } else if (array_word_is(l, 0, "field")) {
        const OnnxName flat = reshape(k, with_rows(k, operand(k, l->word[2])), 1, (int64_t[]){-1});
        onnx_output(&k->g, &flat, output_name(l->word[1]));
    } else if (array_word_is(l, 1, "=")) {
        keep(k, operation(k, l));
    } else if (array_word_is(l, 0, "point")) {
        number_read_integer(l->word[1], &k->point);
    } else if (array_word_is(l, 0, "axes")) {
        number_read_integer(l->word[1], &k->axes);
    }
}

static Status write_graph(Maker *k) {
    const Plan *plan = &k->m->session->problem->plan;
    const char *output[PLAN_FIELDS_MAX];
    Buffer file = {0};
    for (int f = 0; f < plan->fields; f++)
        output[f] = output_name(plan->field[f].name);
    onnx_finish(&k->g, &(OnnxEnds){"pderun", PDE_VERSION, k->point, plan->fields, output}, &file);
    Status status = buffer_status(&file, k->error);
    if (status == STATUS_OK && file.size > ONNX_BYTES_MAX)
        status = error_set(k->error, STATUS_OPTION_VALUE,
                           "the model is larger than the 2 GB of an ONNX file; --export c, torch "
                           "and jax have no such limit");
    if (status == STATUS_OK)
        status = io_write_atomic(k->m->out, &(Bytes){file.data, file.size}, 1, k->error);
    buffer_free(&file);
    return status;
}

Status export_onnx(const ExportModel *m, Error *error) {
    Maker k = {.m = m, .status = array_program_check(m, "onnx", error), .error = error};
    const char *text = m->arrays;
    ArrayLine l;
    if (k.status != STATUS_OK)
        return k.status;
    while (k.status == STATUS_OK && array_line(&text, &l))
        make_line(&k, &l);
    if (k.status == STATUS_OK)
        k.status = write_graph(&k);
    buffer_free(&k.g.nodes);
    buffer_free(&k.g.initialisers);
    free(k.value);
    return k.status;
}
