/* c_source.c: --export c: a trained model as one C file that needs nothing but the C library.
 *
 * It is the module's own kernels (which compile alone), the values of dims, params and constants, the parameters, and a
 * plain forward pass between them. */
#include "commands/export/export.h"

#include "files/io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const activation_text[PDE_ACTIVATIONS] = {
#define ACTIVATION(name, what, c, ...) c,
#include "contract/activation.def"
#undef ACTIVATION
};

static void put_array(Buffer *out, const char *name, const double *value, int64_t n) {
    buffer_printf(out, "static const double %s[] = {", name);
    for (int64_t i = 0; i < n; i++) {
        buffer_text(out, i % 8 == 0 ? "\n    " : " ");
        if (isfinite(value[i]))
            buffer_number(out, value[i]);
        else
            buffer_text(out, isnan(value[i]) ? "NAN" : value[i] > 0 ? "INFINITY" : "-INFINITY");
        buffer_text(out, ",");
    }
    buffer_text(out, n > 0 ? "\n};\n" : "0};\n");
}

/* Dims and params, which the kernels declare. */
static void put_constants(const Problem *p, Buffer *out) {
    JitConstant constant[PROBLEM_CONSTANTS_MAX];
    const size_t n = problem_constants(&p->plan, constant);
    for (size_t i = 0; i < n; i++)
        if (constant[i].is_integer)
            buffer_printf(out, "const int64_t %s = %lld;\n", constant[i].name,
                          (long long)constant[i].integer);
        else
            buffer_printf(out, "const double %s = %a;\n", constant[i].name, constant[i].number);
}

static void put_tensors(const Problem *p, Buffer *out) {
    char name[32];
    for (int i = 0; i < p->plan.tensors; i++) {
        snprintf(name, sizeof name, "model_constant%d", i);
        put_array(out, name, p->tensor64[i], p->tensor_size[i]);
    }
    buffer_text(out, "static const void *const model_constants[] = {");
    for (int i = 0; i < p->plan.tensors; i++)
        buffer_printf(out, "model_constant%d, ", i);
    buffer_text(out, "0};\n");
}

static void put_network(const Session *s, const double *theta, const double *scale, Buffer *out) {
    const Network *n = &s->network;
    buffer_printf(out, "enum { MODEL_LAYERS = %d };\nstatic const int64_t model_width[] = {",
                  n->layers);
    int64_t widest = 0;
    for (int l = 0; l <= n->layers; l++) {
        buffer_printf(out, "%lld, ", (long long)n->width[l]);
        widest = n->width[l] > widest ? n->width[l] : widest;
    }
    buffer_printf(out, "};\nenum { MODEL_WIDEST = %lld };\n", (long long)widest);
    put_array(out, "model_scale", scale, s->problem->outputs);
    put_array(out, "model_unknown", s->unknown, s->problem->plan.unknowns);
    buffer_text(out, "/* for each layer W[in][out], then b[out] */\n");
    put_array(out, "model_parameters", theta, n->size);
    buffer_printf(out, "static double model_activation(double z) { return %s; }\n",
                  activation_text[s->settings.activation]);
}

/* What stands for the functions below; the rest of the text is the same for every model. */
static void put_sizes(const Problem *p, Buffer *out) {
    buffer_printf(
        out,
        "enum { MODEL_POINT = %lld, MODEL_FIELDS = %d, MODEL_AUX = %lld, MODEL_KNOWN = %d, "
        "MODEL_FEATURES = %d };\n",
        (long long)p->n_in, p->plan.fields, (long long)p->aux_rows, p->plan.evaluate_scalars,
        p->kernels.features != NULL);
    buffer_printf(out, "#define MODEL_POINTS_KERNEL pde_points_%d\n", p->plan.evaluate_task);
    buffer_text(out, p->kernels.features ? "#define MODEL_FEATURES_KERNEL pde_features\n"
                                         : "#define MODEL_FEATURES_KERNEL(args) (void)(args)\n");
}

static const char functions[] =
    "\n/* The network at its inputs, one layer after the other. */\n"
    "static void model_network(const double *input, double *output, double *work) {\n"
    "    const double *at = model_parameters;\n"
    "    double *now = work, *next = work + MODEL_WIDEST;\n"
    "    for (int64_t i = 0; i < model_width[0]; i++)\n"
    "        now[i] = input[i * PDE_LANES];\n"
    "    for (int l = 0; l < MODEL_LAYERS; l++) {\n"
    "        const int64_t n = model_width[l], m = model_width[l + 1];\n"
    "        for (int64_t k = 0; k < m; k++) {\n"
    "            double z = at[n * m + k];\n"
    "            for (int64_t i = 0; i < n; i++)\n"
    "                z += now[i] * at[i * m + k];\n"
    "            next[k] = l + 1 < MODEL_LAYERS ? model_activation(z) : z;\n"
    "        }\n"
    "        at += (n + 1) * m;\n"
    "        double *before = now;\n"
    "        now = next;\n"
    "        next = before;\n"
    "    }\n"
    "    for (int64_t k = 0; k < model_width[MODEL_LAYERS]; k++)\n"
    "        output[k] = now[k];\n"
    "}\n"
    "\n/* u[MODEL_FIELDS] at x[MODEL_POINT], the time last; 0, or -1 without memory. */\n"
    "int model_value(const double *x, double *u) {\n"
    "    const int64_t lanes = PDE_LANES, inputs = MODEL_FEATURES ? model_width[0] : MODEL_POINT;\n"
    "    double *point = calloc((size_t)((MODEL_POINT + MODEL_AUX + MODEL_KNOWN + inputs + 1) * "
    "lanes +\n"
    "                                    2 * MODEL_WIDEST + model_width[MODEL_LAYERS]), "
    "sizeof(double));\n"
    "    if (!point)\n"
    "        return -1;\n"
    "    double *aux = point + MODEL_POINT * lanes, *known = aux + MODEL_AUX * lanes;\n"
    "    double *input = known + (MODEL_KNOWN + 1) * lanes, *work = input + inputs * lanes;\n"
    "    double *output = work + 2 * MODEL_WIDEST;\n"
    "    for (int64_t i = 0; i < MODEL_POINT * lanes; i++)\n"
    "        point[i] = x[i / lanes];\n"
    "    PdePointArgs at = {0};\n"
    "    at.x = point;\n"
    "    at.aux = aux;\n"
    "    at.tensor = model_constants;\n"
    "    at.unknown = model_unknown;\n"
    "    at.out = known;\n"
    "    MODEL_POINTS_KERNEL(&at);\n"
    "    at.out = input;\n"
    "    MODEL_FEATURES_KERNEL(&at);\n"
    "    model_network(MODEL_FEATURES ? input : point, output, work);\n"
    "    PdeCombineArgs args = {0};\n"
    "    args.x = point;\n"
    "    args.aux = aux;\n"
    "    args.tensor = model_constants;\n"
    "    args.unknown = model_unknown;\n"
    "    args.scalar = known;\n"
    "    args.output_scale = model_scale;\n"
    "    args.n = output;\n"
    "    args.residual = u;\n"
    "    pde_fields(&args);\n"
    "    free(point);\n"
    "    return 0;\n"
    "}\n"
    "\n/* gradient[MODEL_POINT] of one field, by differences of fourth order: good to nine digits "
    "or so. */\n"
    "int model_gradient(const double *x, int field, double *gradient) {\n"
    "    static const double weight[4] = {1, -8, 8, -1}, step[4] = {-2, -1, 1, 2};\n"
    "    double *near = malloc(sizeof(double) * MODEL_POINT), u[MODEL_FIELDS];\n"
    "    int failed = near ? 0 : -1;\n"
    "    for (int64_t i = 0; i < MODEL_POINT && !failed; i++) {\n"
    "        const double h = 2e-4;\n"
    "        gradient[i] = 0;\n"
    "        memcpy(near, x, sizeof(double) * MODEL_POINT);\n"
    "        for (int k = 0; k < 4 && !failed; k++) {\n"
    "            near[i] = x[i] + step[k] * h;\n"
    "            failed = model_value(near, u);\n"
    "            gradient[i] += weight[k] * u[field] / (12 * h);\n"
    "        }\n"
    "    }\n"
    "    free(near);\n"
    "    return failed;\n"
    "}\n";

static Status put_model(const Session *s, const double *theta, const double *scale, Buffer *out,
                        Error *error) {
    const Problem *p = s->problem;
    Bytes source;
    Status status = module_require(&p->module, ".pde.src", &source, error);
    if (status != STATUS_OK)
        return status;
    if (!activation_text[s->settings.activation])
        return error_set(error, STATUS_OPTION_VALUE, "--export knows no activation '%s'",
                         pde_activation_name(s->settings.activation));
    buffer_text(out,
                "/* A trained model, written by pderun --export c. It needs the C library only:\n"
                " * cc -O2 -c FILE.c, linked with -lm.\n"
                " *   int model_value(const double *x, double *u);\n"
                " *   int model_gradient(const double *x, int field, double *gradient);\n"
                " * x: the coordinates, the time last; u: the fields");
    for (int f = 0; f < p->plan.fields; f++)
        buffer_printf(out, "%s %s", f ? "," : "", p->plan.field[f].name);
    buffer_text(out, ". */\n#define PDE_DOUBLE\n#include <stdlib.h>\n");
    buffer_bytes(out, source.data, source.size);
    buffer_text(out, "\n/* ---- the model ---- */\n\n");
    put_constants(p, out);
    put_tensors(p, out);
    put_sizes(p, out);
    put_network(s, theta, scale, out);
    buffer_text(out, functions);
    return buffer_status(out, error);
}

Status export_c(const ExportModel *m, Error *error) {
    Buffer text = {0};
    Status status = put_model(m->session, m->theta, m->scale, &text, error);
    if (status == STATUS_OK)
        status = io_write_atomic(m->out, &(Bytes){text.data, text.size}, 1, error);
    buffer_free(&text);
    return status;
}
