/* kernel_rig.c: see kernel_rig.h. */
#include "kernel_rig.h"

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ir/net_input.h"
#include "compiler/base/limits.h"
#include "compiler/pass.h"

/* ---- the problem ---- */

double rig_uniform(Rig *rig, double lo, double hi) {
    rig->random = rig->random * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(rig->random >> 11) / 9007199254740992.0;
}

/* Errors that say only that an entry past d is asked for? Any others are printed. */
static Opened judge_messages(Rig *rig) {
    Text out = {.arena = &rig->c.arena};
    diag_render(&rig->c, DIAG_TEXT, false, &out);
    bool small = true;
    for (const char *at = text_cstr(&out); (at = strstr(at, "error[")); at++)
        small =
            small && (strncmp(at, "error[E0408]", 12) == 0 || strncmp(at, "error[E0434]", 12) == 0);
    if (!small)
        printf("%s", text_cstr(&out));
    return small ? RIG_TOO_SMALL : RIG_WRONG;
}

static Opened compile_text(Rig *rig, const char *path, long d) {
    char *text, setting[32];
    size_t n;
    if (source_read(path, &text, &n) != READ_OK) {
        printf("cannot read %s\n", path);
        return RIG_WRONG;
    }
    source_add(&rig->c, path, text, n, false);
    free(text);
    snprintf(setting, sizeof setting, "d=%ld", d);
    if (pass_run(&rig->c, PASS_parse, PASS_parse, NULL)) {
        const char *why = values_override(&rig->c, setting);
        if (why)
            printf("%s\n", why);
        if (!why && pass_run(&rig->c, PASS_resolve, PASS_c, NULL))
            return RIG_OPEN;
    }
    return judge_messages(rig);
}

static void add_value(Rig *rig, Sym name, double v) {
    for (uint32_t k = 0; k < rig->values.value.n; k++)
        if (rig->values.value.at[k].name == name) {
            rig->values.value.at[k].value = v;
            return;
        }
    VEC_PUSH(&rig->c.arena, rig->values.value, ((EvalValue){name, v}));
}

static int64_t extent_of(Rig *rig, Extent e) {
    double v = 0;
    values_number(&rig->c, &rig->values, lower_extent(&rig->c, e), &v);
    return v > 0 ? (int64_t)v : 0;
}

static void fill_tensors(Rig *rig) {
    const Problem *p = rig->c.problem;
    rig->values.tensor.n = 0;
    for (uint32_t k = 0; k < p->tensor.n; k++) {
        const TensorRow *row = &p->tensor.at[k];
        EvalTensor t = {.name = row->name, .rank = row->rank, .extent = {1, 1}};
        for (uint32_t r = 0; r < row->rank; r++)
            t.extent[r] = extent_of(rig, row->extent[r]);
        int64_t n = t.extent[0] * t.extent[1];
        double *at = NEW_ARRAY(&rig->c.arena, double, n + 1);
        for (int64_t j = 0; j < n; j++)
            at[j] = rig_uniform(rig, 0.2, 1.5);
        t.at = at;
        VEC_PUSH(&rig->c.arena, rig->values.tensor, t);
    }
}

static void fill_network(Rig *rig) {
    for (uint32_t o = 0; o < rig->n_out; o++) {
        rig->scale[o] = rig_uniform(rig, 0.5, 2);
        for (int m = 0; m < NET_TERMS; m++) {
            Wave *w = &rig->wave[o][m];
            w->size = (long double)rig_uniform(rig, 0.3, 0.9);
            w->phase = (long double)rig_uniform(rig, 0, 6);
            for (int64_t i = 0; i < rig->n_in; i++)
                w->slope[i] = (long double)rig_uniform(rig, -1, 1);
        }
    }
}

static bool is_aux(const Problem *p, Sym target) {
    return problem_space(p, target) < 0 && target != p->time;
}

Opened rig_open(Rig *rig, const char *path, long d) {
    *rig = (Rig){.random = (uint64_t)d * 977 + 5};
    rig->c.arena = (Arena){.limit = LIMIT_ARENA_BYTES, .on_fail = &rig->on_fail};
    rig->c.scratch = rig->c.arena;
    if (setjmp(rig->on_fail) != 0) {
        printf("%s: out of memory or past a limit\n", path);
        return RIG_WRONG;
    }
    Opened opened = compile_text(rig, path, d);
    if (opened != RIG_OPEN)
        return opened;
    const Problem *p = rig->c.problem;
    NpyFile none = {0};
    const char *why = values_collect(&rig->c, ir_const(rig->c.ir, 0), &none, &rig->values);
    if (!why)
        why = region_of(&rig->c, &rig->values, &rig->region);
    rig->d = rig->values.d;
    double vector = 0;
    if (!why)
        why = values_number(&rig->c, &rig->values, input_vector_rows(p, rig->c.ir), &vector);
    rig->vector = (int64_t)vector;
    rig->n_in = rig->vector + input_scalars(p);
    rig->n_out = p->field.n;
    rig->n_unknown = p->unknown.n;
    if (why || rig->n_in > INPUTS_MAX || rig->n_out > OUTPUTS_MAX ||
        rig->n_unknown > UNKNOWNS_MAX) {
        printf("%s: %s\n", path, why ? why : "too large for this test");
        return RIG_WRONG;
    }
    fill_tensors(rig);
    why = region_of(&rig->c, &rig->values, &rig->region); /* semiaxes may be tensors */
    if (why) {
        printf("%s: %s\n", path, why);
        return RIG_WRONG;
    }
    fill_network(rig);
    for (uint32_t k = 0; k < rig->n_unknown; k++)
        add_value(rig, p->unknown.at[k].name, rig->unknown[k] = rig_uniform(rig, 0.3, 0.8));
    for (uint32_t k = 0; k < p->sample.n; k++)
        if (is_aux(p, p->sample.at[k].target) && rig->n_aux < 4) {
            rig->aux[rig->n_aux] = rig_uniform(rig, 0.2, 0.8);
            add_value(rig, p->sample.at[k].target, rig->aux[rig->n_aux++]);
        }
    return RIG_OPEN;
}

void rig_close(Rig *rig) {
    arena_free(&rig->c.scratch);
    arena_free(&rig->c.arena);
}

/* The inputs of the network: the point itself, or the features. */
static bool fill_inputs(Rig *rig) {
    Ir *ir = rig->c.ir;
    const Features *f = rig->c.problem->features;
    for (int l = 0; l < LANES && !f; l++)
        for (int64_t i = 0; i < rig->n_in; i++)
            rig->z[l][i] = (long double)(i < rig->d ? rig->x[l][i] : rig->t[l]);
    int64_t first = 0, slot = rig->vector;
    for (uint32_t k = 0; f && k < f->at.n; k++) {
        const Feature *one = &f->at.at[k];
        long double value[LANES];
        int64_t *at = one->index ? &first : &slot,
                entries = one->index ? extent_of(rig, feature_entries(&rig->c, one)) : 1;
        for (int64_t i = 0; i < entries; i++, ++*at) {
            Ref e = one->index
                        ? ir_substitute(ir, one->value, one->index, ir_const(ir, (double)i + 1))
                        : one->value;
            if (!rig_oracle(rig, e, value))
                return false;
            for (int l = 0; l < LANES; l++)
                rig->z[l][*at] = value[l];
        }
    }
    return true;
}

bool rig_points(Rig *rig, TaskKind kind) {
    for (uint32_t l = 0; l < LANES; l++) {
        region_draw(&rig->region, 100 * (uint32_t)kind + l, rig->x[l], &rig->t[l]);
        if (kind == TASK_BOUNDARY) {
            region_to_boundary(&rig->region, l, rig->x[l]);
            region_outward(&rig->region, rig->x[l], rig->normal[l]);
        }
        if (kind == TASK_INITIAL || kind == TASK_TERMINAL)
            rig->t[l] = kind == TASK_INITIAL ? rig->region.t_lo : rig->region.t_hi;
    }
    return fill_inputs(rig);
}

/* ---- the stand-in network ---- */

static long double wave_derivative(const Rig *rig, const Wave *w, int lane, uint32_t order,
                                   long double factor) {
    long double angle = w->phase + (long double)order * acosl(0);
    for (int64_t i = 0; i < rig->n_in; i++)
        angle += w->slope[i] * rig->z[lane][i];
    return w->size * factor * sinl(angle);
}

long double rig_derivative(const Rig *rig, uint32_t o, int lane, uint32_t n,
                           const double *const *direction) {
    long double total = 0;
    for (int m = 0; m < NET_TERMS; m++) {
        const Wave *w = &rig->wave[o][m];
        long double factor = 1;
        for (uint32_t k = 0; k < n; k++) {
            long double along = 0;
            for (int64_t i = 0; i < rig->n_in; i++)
                along += w->slope[i] * (long double)direction[k][i];
            factor *= along;
        }
        total += wave_derivative(rig, w, lane, n, factor);
    }
    return total;
}

/* The place among the inputs of a variable of the oracle: an entry, time or a scalar feature. */
static int64_t input_place(const Rig *rig, int64_t variable) {
    const Features *f = rig->c.problem->features;
    int64_t place = rig->vector;
    if (variable > 0)
        return variable - 1;
    for (int64_t k = 0; f && k < -1 - variable; k++)
        place += !f->at.at[k].index;
    return place;
}

static void oracle_net(void *context, Op op, uint32_t number, uint32_t order,
                       const int64_t *variables, uint32_t points, long double *out) {
    const Rig *rig = context;
    for (uint32_t l = 0; l < points; l++) {
        out[l] = op == OP_NET ? 0 : (long double)NAN;
        for (int m = 0; m < NET_TERMS; m++) {
            const Wave *w = &rig->wave[number][m];
            long double factor = 1;
            for (uint32_t k = 0; k < order; k++)
                factor *= w->slope[input_place(rig, variables[k])];
            out[l] += wave_derivative(rig, w, (int)l, order, factor);
        }
    }
}

bool rig_oracle(Rig *rig, Ref e, long double out[LANES]) {
    EvalInput in = values_input(&rig->values);
    in.points = LANES;
    in.stride = INPUTS_MAX;
    in.x = &rig->x[0][0];
    in.t = rig->t;
    double normal[LANES * INPUTS_MAX];
    for (int64_t l = 0; l < LANES; l++)
        memcpy(normal + l * rig->d, rig->normal[l], (size_t)rig->d * sizeof *normal);
    in.normal = normal;
    in.net = oracle_net;
    in.net_context = rig;
    const char *why = eval_long_double(rig->c.ir, e, &in, out);
    if (why)
        printf("the oracle: %s: %s\n", ir_text(rig->c.ir, e), why);
    return !why;
}

/* ---- compiling ---- */

static bool write_file(const char *path, const char *bytes, size_t n) {
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, n, f) == n;
    return (f ? fclose(f) == 0 : false) && ok;
}

/* Definitions of dims and params; not const, so that one library serves every d. */
static const char *constants_text(Rig *rig) {
    Text t = {.arena = &rig->c.arena};
    text_printf(&t, "#include <stdint.h>\n");
    for (uint32_t k = 0; k < rig->c.symbols->list.n; k++) {
        const Symbol *s = &rig->c.symbols->list.at[k];
        if (s->kind == SYMBOL_DIM)
            text_printf(&t, "int64_t pde_dim_%s;\n", sym_cstr(&rig->c, s->name));
        if (s->kind == SYMBOL_PARAM)
            text_printf(&t, "double pde_param_%s;\n", sym_cstr(&rig->c, s->name));
    }
    return text_cstr(&t);
}

bool build_open(Build *b, Rig *rig, const char *folder, bool single) {
    char source[512], constants[512], library[512], command[2560];
    Text text = {.arena = &rig->c.arena};
    *b = (Build){.single = single};
    kernels_emit(&rig->c, &text);
    const char *companion = constants_text(rig);
    snprintf(source, sizeof source, "%s/kernels.c", folder);
    snprintf(constants, sizeof constants, "%s/constants.c", folder);
    snprintf(library, sizeof library, "%s/kernels-%s.so", folder, single ? "float" : "double");
    snprintf(command, sizeof command,
             "cc -std=c11 -Wall -Wextra -Werror -O1 -ffp-contract=off -fno-math-errno "
             "-fno-trapping-math -fPIC "
             "-shared -Wl,-Bsymbolic %s -o '%s' '%s' '%s' -lm",
             single ? "" : "-DPDE_DOUBLE", library, source, constants);
    if (!write_file(source, text.s, text.n) ||
        !write_file(constants, companion, strlen(companion)) || system(command) != 0)
        return false;
    b->library = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!b->library)
        printf("%s\n", dlerror());
    remove(source);
    remove(constants);
    remove(library);
    return b->library != NULL;
}

void build_close(Build *b) {
    if (b->library)
        dlclose(b->library);
    b->library = NULL;
}

void build_configure(const Build *b, Rig *rig) {
    for (uint32_t k = 0; k < rig->c.symbols->list.n; k++) {
        const Symbol *s = &rig->c.symbols->list.at[k];
        char name[256];
        if (s->kind != SYMBOL_DIM && s->kind != SYMBOL_PARAM)
            continue;
        snprintf(name, sizeof name, "pde_%s_%s", s->kind == SYMBOL_DIM ? "dim" : "param",
                 sym_cstr(&rig->c, s->name));
        void *at = dlsym(b->library, name);
        for (uint32_t j = 0; at && j < rig->values.value.n; j++) {
            const EvalValue *v = &rig->values.value.at[j];
            if (v->name == s->name && s->kind == SYMBOL_DIM)
                *(int64_t *)at = (int64_t)v->value;
            else if (v->name == s->name)
                *(double *)at = v->value;
        }
    }
}

AnyFunction *build_function(const Build *b, const char *format, ...) {
    char name[256];
    va_list args;
    va_start(args, format);
    vsnprintf(name, sizeof name, format, args);
    va_end(args);
    void *at = dlsym(b->library, name);
    AnyFunction *f;
    memcpy(&f, &at, sizeof f);
    return f;
}

/* ---- numbers ---- */

void pack(const Build *b, void *to, const double *from, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (b->single)
            ((float *)to)[k] = (float)from[k];
        else
            ((double *)to)[k] = from[k];
}

void unpack(const Build *b, double *to, const void *from, size_t n) {
    for (size_t k = 0; k < n; k++)
        to[k] = b->single ? (double)((const float *)from)[k] : ((const double *)from)[k];
}

Inputs rig_inputs(Rig *rig, const Build *b) {
    Arena *a = &rig->c.arena;
    size_t lanes = LANES;
    double *x = NEW_ARRAY(a, double, INPUTS_MAX *LANES),
           *normal = NEW_ARRAY(a, double, INPUTS_MAX *LANES);
    double *aux = NEW_ARRAY(a, double, 4 * LANES);
    for (size_t l = 0; l < lanes; l++) {
        for (size_t i = 0; i < (size_t)rig->d; i++) {
            x[i * lanes + l] = rig->x[l][i];
            normal[i * lanes + l] = rig->normal[l][i];
        }
        if (rig->c.problem->time)
            x[(size_t)rig->d * lanes + l] = rig->t[l];
        for (size_t k = 0; k < 4; k++)
            aux[k * lanes + l] = rig->aux[k];
    }
    Inputs in = {.x = NEW_ARRAY(a, double, INPUTS_MAX *LANES),
                 .normal = NEW_ARRAY(a, double, INPUTS_MAX *LANES),
                 .aux = NEW_ARRAY(a, double, 4 * LANES),
                 .unknown = NEW_ARRAY(a, double, UNKNOWNS_MAX),
                 .tensor = NEW_ARRAY(a, const void *, rig->values.tensor.n + 1)};
    pack(b, in.x, x, INPUTS_MAX * lanes);
    pack(b, in.normal, normal, INPUTS_MAX * lanes);
    pack(b, in.aux, aux, 4 * lanes);
    pack(b, in.unknown, rig->unknown, UNKNOWNS_MAX);
    for (uint32_t k = 0; k < rig->values.tensor.n; k++) {
        const EvalTensor *t = &rig->values.tensor.at[k];
        size_t n = (size_t)(t->extent[0] * t->extent[1]);
        void *at = NEW_ARRAY(a, double, n + 1);
        pack(b, at, t->at, n);
        in.tensor[k] = at;
    }
    return in;
}

PdePointArgs inputs_point_args(const Inputs *in) {
    return (PdePointArgs){.x = in->x,
                          .aux = in->aux,
                          .normal = in->normal,
                          .tensor = in->tensor,
                          .unknown = in->unknown};
}
