/* python_source.c: --export torch and --export jax: a trained model as readable Python, its numbers in an .npz beside it.
 *
 * Both read the same but for the names of functions: array operations line by line, as --emit=arrays prints them. What
 * depends on nothing but constants is computed once, when the file is imported. */
#include "commands/export/array_line.h"

#include "files/io.h"
#include "files/number.h"
#include "files/table/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Dialect {
    const char *name, *module, *activation[PDE_ACTIVATIONS];
    const char *join;        /* of arrays, along an axis */
    const char *head, *body; /* body: what stands before the operations */
} Dialect;

static const Dialect torch = {
    .name = "torch",
    .module = "torch",
    .join = "torch.cat",
    .activation =
        {
#define ACTIVATION(name, what, c, torch_text, ...) torch_text,
#include "contract/activation.def"
#undef ACTIVATION
        },
    .head = "import os\n\nimport numpy\nimport torch\n\n"
            "_HERE = os.path.splitext(os.path.abspath(__file__))[0]\n"
            "DATA = numpy.load(_HERE + \".npz\")\n",
    .body = "\n\nclass Solution(torch.nn.Module):\n"
            "    \"\"\"Solution()(x): x [N, POINT], one point a row, the time last; [N, "
            "fields].\"\"\"\n\n"
            "    def __init__(self):\n"
            "        super().__init__()\n"
            "        self.W = torch.nn.ParameterList([torch.from_numpy(DATA[f\"W{k + 1}\"]) for k "
            "in range(LAYERS)])\n"
            "        self.b = torch.nn.ParameterList([torch.from_numpy(DATA[f\"b{k + 1}\"]) for k "
            "in range(LAYERS)])\n"
            "        for name, value in CONSTANTS.items():\n"
            "            self.register_buffer(name, torch.as_tensor(value), persistent=False)\n\n"
            "    def network(self, z):\n"
            "        for k in range(LAYERS - 1):\n"
            "            z = activation(z @ self.W[k] + self.b[k])\n"
            "        return (z @ self.W[-1] + self.b[-1]) * self.scale\n\n"
            "    def forward(self, x):\n"};

static const Dialect jax = {
    .name = "jax",
    .module = "jnp",
    .join = "jnp.concatenate",
    .activation =
        {
#define ACTIVATION(name, what, c, torch_text, jax_text, ...) jax_text,
#include "contract/activation.def"
#undef ACTIVATION
        },
    .head = "import os\n\nimport jax\nimport jax.numpy as jnp\nimport numpy\n\n"
            "jax.config.update(\"jax_enable_x64\", True)  # else the numbers below are rounded to "
            "float32\n"
            "_HERE = os.path.splitext(os.path.abspath(__file__))[0]\n"
            "DATA = numpy.load(_HERE + \".npz\")\n",
    .body = "\n\nPARAMETERS = {f\"{w}{k + 1}\": jnp.asarray(DATA[f\"{w}{k + 1}\"]) for k in "
            "range(LAYERS) for w in \"Wb\"}\n\n\n"
            "def network(parameters, z):\n"
            "    for k in range(1, LAYERS):\n"
            "        z = activation(z @ parameters[f\"W{k}\"] + parameters[f\"b{k}\"])\n"
            "    return (z @ parameters[f\"W{LAYERS}\"] + parameters[f\"b{LAYERS}\"]) * "
            "CONSTANTS[\"scale\"]\n\n\n"
            "def solution(x, parameters=PARAMETERS):\n"
            "    \"\"\"x [N, POINT], one point a row, the time last; [N, fields].\"\"\"\n"};

/* What both need, with what differs between them by name. */
static const char helpers[] = "\n\ndef place(at, *loops):\n"
                              "    \"\"\"at + the sum of step * j over loops of (axis from the "
                              "end, step, count), with an axis for each.\"\"\"\n"
                              "    value = numpy.full((1,) * AXES, at)\n"
                              "    for axis, step, count in loops:\n"
                              "        shape = [1] * AXES\n"
                              "        shape[-axis] = count\n"
                              "        value = value + step * numpy.arange(count).reshape(shape)\n"
                              "    return value\n\n\n"
                              "def inside(position, size):\n"
                              "    \"\"\"What lies outside stands beside a factor 0.\"\"\"\n"
                              "    return numpy.clip(position, 0, size - 1)\n";

static void put_call(const ArrayLine *line, int k, int *next, Buffer *out) {
    ArrayPlace p;
    *next = array_place(line, k, &p);
    buffer_printf(out, "place(%lld", (long long)p.at);
    for (int i = 0; i < p.loops; i++)
        buffer_printf(out, ", (%d, %lld, %lld)", p.loop[i].axis, (long long)p.loop[i].step,
                      (long long)p.loop[i].count);
    buffer_text(out, ")");
}

/* The constants of the module: positions in a point, numbers of indices, entries of tensors. */
static void put_constant(const Problem *p, const ArrayLine *line, Buffer *out) {
    int next;
    buffer_printf(out, "    \"%s\": ", line->word[0]);
    if (array_word_is(line, 2, "x")) {
        buffer_text(out, "inside(");
        put_call(line, 3, &next, out);
        buffer_text(out, ", POINT)");
    } else if (array_word_is(line, 2, "index")) {
        put_call(line, 3, &next, out);
        buffer_text(out, " * 1.0");
    } else {
        const PlanTensor *t = &p->plan.tensor[array_tensor(p, line->word[3])];
        buffer_printf(out, "DATA[\"%s\"][", t->name);
        for (int k = 4, r = 0; r < t->rank; r++, k = next + 1) {
            buffer_text(out, r ? ", inside(" : "inside(");
            put_call(line, k, &next, out);
            buffer_printf(out, ", %lld)", (long long)plan_extent(&p->plan, t->extent[r]));
        }
        buffer_text(out, "]");
    }
    buffer_text(out, ",\n");
}

static bool has_constant(const ArrayLine *line) {
    return array_word_is(line, 2, "x") || array_is_constant(line);
}

/* ---- operations ---- */

typedef struct Writer {
    const ExportModel *m;
    const Dialect *d;
    Buffer *out;
    const char *indent;
} Writer;

/* `name` is of numpy's names that PyTorch or JAX have otherwise. */
static const char *spelling(const Writer *w, const char *name) {
    static const char *const other[][3] = {{"abs", "torch.abs", "jnp.abs"},
                                           {"erf", "torch.special.erf", "jax.scipy.special.erf"},
                                           {"erfc", "torch.special.erfc", "jax.scipy.special.erfc"},
                                           {"asin", "torch.asin", "jnp.arcsin"},
                                           {"acos", "torch.acos", "jnp.arccos"},
                                           {"atan", "torch.atan", "jnp.arctan"},
                                           {"larger", "torch.maximum", "jnp.maximum"},
                                           {"smaller", "torch.minimum", "jnp.minimum"}};
    for (size_t k = 0; k < sizeof other / sizeof *other; k++)
        if (strcmp(other[k][0], name) == 0)
            return other[k][w->d == &torch ? 1 : 2];
    return NULL;
}

/* Where only arrays will do, a number becomes one. */
static void put_array(const Writer *w, const char *word) {
    if (array_value_number(word) >= 0)
        buffer_text(w->out, word);
    else
        buffer_printf(w->out, w->d == &torch ? "x.new_tensor(%s)" : "jnp.asarray(%s)", word);
}

static void put_reduction(const Writer *w, const ArrayLine *l) {
    const char *op = l->word[2], *x = l->word[3], *axis = l->word[4];
    const bool extreme = strcmp(op, "max") == 0 || strcmp(op, "min") == 0;
    if (w->d == &torch)
        buffer_printf(w->out, "torch.%s%s(%s, -%s, keepdim=True)", extreme ? "a" : "", op, x, axis);
    else
        buffer_printf(w->out, "jnp.%s(%s, -%s, keepdims=True)", op, x, axis);
}

static void put_operation(const Writer *w, const ArrayLine *l) {
    const char *op = l->word[2], *x = l->words > 3 ? l->word[3] : "", *module = w->d->module;
    char text[NUMBER_TEXT_MAX];
    if (strcmp(op, "add") == 0) {
        buffer_printf(w->out, "%s + %s", x, l->word[4]);
    } else if (strcmp(op, "mul") == 0) {
        buffer_printf(w->out, "%s * %s", x, l->word[4]);
    } else if (strcmp(op, "pow") == 0) {
        put_array(w, x);
        buffer_printf(w->out, " ** %s", l->word[4]);
    } else if (strcmp(op, "zero") == 0) {
        buffer_printf(w->out, "1.0 * (%s == 0)", x);
    } else if (strcmp(op, "step") == 0) {
        buffer_printf(w->out, "1.0 * (%s > 0)", x);
    } else if (strcmp(op, "within") == 0) {
        buffer_printf(w->out, "1.0 * ((%s >= %s) & (%s <= %s))", x, l->word[4], x, l->word[5]);
    } else if (strcmp(op, "where") == 0) {
        buffer_printf(w->out, "%s.where(%s > 0, %s, 0.0)", module, x, l->word[4]);
    } else if (strcmp(op, "sum") == 0 || strcmp(op, "prod") == 0 || strcmp(op, "max") == 0 ||
               strcmp(op, "min") == 0) {
        put_reduction(w, l);
    } else if (strcmp(op, "net") == 0) {
        buffer_printf(w->out, "n[:, %s].reshape((-1,) + (1,) * AXES)", x);
    } else if (strcmp(op, "unknown") == 0) {
        buffer_text(w->out, number_print(array_unknown(w->m->session, x), text));
    } else {
        const char *other = spelling(w, op);
        buffer_printf(w->out, "%s%s%s(", other ? other : module, other ? "" : ".", other ? "" : op);
        put_array(w, x);
        if (l->words > 4) {
            buffer_text(w->out, ", ");
            put_array(w, l->word[4]);
        }
        buffer_text(w->out, ")");
    }
}

static void put_value(const Writer *w, const ArrayLine *l) {
    const char *from = w->d == &torch ? "self." : "CONSTANTS[\"",
               *end = w->d == &torch ? "" : "\"]";
    buffer_printf(w->out, "%s%s = ", w->indent, l->word[0]);
    if (array_word_is(l, 2, "x"))
        buffer_printf(w->out, "x[:, %s%s%s]", from, l->word[0], end);
    else if (array_is_constant(l))
        buffer_printf(w->out, "%s%s%s", from, l->word[0], end);
    else
        put_operation(w, l);
    buffer_text(w->out, "\n");
}

/* The features, then the network, once, and what is made of it. */
static void put_network(const Writer *w, const Buffer *features) {
    const char *self = w->d == &torch ? "self.network(" : "network(parameters, ";
    if (features->size == 0)
        buffer_printf(w->out, "%sn = %sx)\n", w->indent, self);
    else
        buffer_printf(w->out, "%sn = %s%s([%s], 1))\n", w->indent, self, w->d->join,
                      features->data);
}

static void put_feature(const Writer *w, const ArrayLine *l, Buffer *features) {
    const char *module = w->d->module;
    buffer_printf(features,
                  "%s%s.broadcast_to(%s, (len(x),) + tuple(%s.shape[-AXES:])).reshape(len(x), -1)",
                  features->size ? ", " : "", module, l->word[1], l->word[1]);
}

/* Lines come in the order of their use: features before the first `net`. */
static void put_function(const Writer *w) {
    const char *text = w->m->arrays;
    Buffer features = {0}, fields = {0};
    ArrayLine l;
    bool network = false;
    while (array_line(&text, &l)) {
        const bool net = array_word_is(&l, 2, "net");
        if (net && !network) {
            put_network(w, &features);
            network = true;
        }
        if (array_word_is(&l, 1, "="))
            put_value(w, &l);
        else if (array_word_is(&l, 0, "feature"))
            put_feature(w, &l, &features);
        else if (array_word_is(&l, 0, "field"))
            buffer_printf(&fields, "%s%s.broadcast_to(%s, (len(x),) + (1,) * AXES).reshape(-1)",
                          fields.size ? ", " : "", w->d->module, l.word[2]);
    }
    buffer_printf(w->out, "%sreturn %s.stack([%s], -1)\n", w->indent, w->d->module,
                  fields.data ? fields.data : "");
    buffer_free(&features);
    buffer_free(&fields);
}

/* Text of others in a docstring: no backslashes, no three quotes. */
static void put_title(const Session *s, const Dialect *d, Buffer *out) {
    const Plan *plan = &s->problem->plan;
    buffer_printf(out,
                  "\"\"\"A trained solution, written by pderun --export %s.\n\nfields: ", d->name);
    for (int f = 0; f < plan->fields; f++)
        buffer_printf(out, "%s%s", f ? ", " : "", plan->field[f].name);
    buffer_text(out, "\"\"\"\n");
}

static void put_constants(const ExportModel *m, Buffer *out) {
    const char *text = m->arrays;
    char number[NUMBER_TEXT_MAX];
    ArrayLine l;
    buffer_text(out, "\n\nCONSTANTS = {\n    \"scale\": numpy.array([");
    for (int k = 0; k < m->session->problem->outputs; k++)
        buffer_printf(out, "%s%s", k ? ", " : "", number_print(m->scale[k], number));
    buffer_text(out, "]),\n");
    while (array_line(&text, &l))
        if (array_word_is(&l, 1, "=") && has_constant(&l))
            put_constant(m->session->problem, &l, out);
    buffer_text(out, "}\n");
}

static void put_source(const ExportModel *m, const Dialect *d, Buffer *out) {
    const Session *s = m->session;
    const char *text = m->arrays;
    ArrayLine point = {0}, axes = {0};
    array_line(&text, &point);
    array_line(&text, &axes);
    put_title(s, d, out);
    buffer_text(out, d->head);
    buffer_printf(out, "POINT = %s  # numbers of a point\nAXES = %s\nLAYERS = %d\n", point.word[1],
                  axes.word[1], s->network.layers);
    buffer_text(out, helpers);
    put_constants(m, out);
    buffer_printf(out, "\n\ndef activation(z):\n    return %s\n",
                  d->activation[s->settings.activation]);
    buffer_text(out, d->body);
    const Writer w = {m, d, out, d == &torch ? "        " : "    "};
    put_function(&w);
}

/* ---- numbers ---- */

static Status write_numbers(const ExportModel *m, const char *path, Error *error) {
    const Problem *p = m->session->problem;
    Array array[2 * PDE_MAX_LAYERS + PLAN_TENSORS_MAX];
    char names[2 * PDE_MAX_LAYERS][NETWORK_NAME_MAX];
    int n = network_arrays(&m->session->network, "", m->theta, names, array);
    for (int k = 0; k < p->plan.tensors; k++) {
        const PlanTensor *t = &p->plan.tensor[k];
        Array *to = &array[n++];
        *to = (Array){t->name, ARRAY_F64, t->rank, {0}, p->tensor64[k]};
        for (int r = 0; r < t->rank; r++)
            to->shape[r] = (uint64_t)plan_extent(&p->plan, t->extent[r]);
    }
    return npz_write(path, array, (size_t)n, error);
}

static Status export_python(const ExportModel *m, const Dialect *d, Error *error) {
    Buffer text = {0}, beside = {0};
    Status status = array_program_check(m, d->name, error);
    if (status != STATUS_OK)
        return status;
    if (!table_named(m->out, ".py"))
        return error_set(error, STATUS_OPTION_VALUE,
                         "--out %s: a Python file ends in .py; its numbers stand beside it in a "
                         ".npz",
                         m->out);
    if (!d->activation[m->session->settings.activation])
        return error_set(error, STATUS_OPTION_VALUE, "--export %s knows no activation '%s'",
                         d->name, pde_activation_name(m->session->settings.activation));
    put_source(m, d, &text);
    buffer_printf(&beside, "%.*s.npz", (int)strlen(m->out) - 3, m->out);
    status = buffer_status(&beside, error);
    if (status == STATUS_OK)
        status = buffer_status(&text, error);
    if (status == STATUS_OK)
        status = write_numbers(m, beside.data, error);
    if (status == STATUS_OK)
        status = io_write_atomic(m->out, &(Bytes){text.data, text.size}, 1, error);
    buffer_free(&text);
    buffer_free(&beside);
    return status;
}

Status export_torch(const ExportModel *m, Error *error) {
    return export_python(m, &torch, error);
}

Status export_jax(const ExportModel *m, Error *error) {
    return export_python(m, &jax, error);
}
