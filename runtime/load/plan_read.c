/* plan_read.c: reads the plan with jansson. A Reader remembers the first thing that is wrong, so the
 * functions below read on and the caller asks once. */
#include "load/plan_read.h"

#include "contract/domain_part.h"
#include "files/json.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

typedef struct Reader {
    Plan *plan;
    Error *error;
    Status status;
} Reader;

static void wrong(Reader *r, const char *key, const char *what) {
    if (r->status == STATUS_OK)
        r->status = error_set(r->error, STATUS_MODULE_CONTENT, "the plan's \"%s\" %s", key, what);
}

static const json_t *member(Reader *r, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!value)
        wrong(r, key, "is missing");
    return value;
}

static int64_t integer(Reader *r, const json_t *object, const char *key, int64_t low,
                       int64_t high) {
    const json_t *value = member(r, object, key);
    if (!value)
        return low;
    double number = json_number_value(value);
    if (json_is_number(value) && number >= (double)low && number <= (double)high &&
        number == floor(number))
        return json_is_integer(value) ? (int64_t)json_integer_value(value) : (int64_t)number;
    wrong(r, key, "is not a whole number in its range");
    return low;
}

static int64_t integer_or(Reader *r, const json_t *object, const char *key, int64_t low,
                          int64_t high, int64_t standard) {
    const json_t *value = json_object_get(object, key);
    return !value || json_is_null(value) ? standard : integer(r, object, key, low, high);
}

static bool boolean_or(Reader *r, const json_t *object, const char *key, bool standard) {
    const json_t *value = json_object_get(object, key);
    if (!value || json_is_null(value))
        return standard;
    if (!json_is_boolean(value))
        wrong(r, key, "is neither true nor false");
    return json_is_true(value);
}

static const char *text_or_null(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

static const char *text(Reader *r, const json_t *object, const char *key) {
    const char *value = text_or_null(object, key);
    if (!value)
        wrong(r, key, "is not a text");
    return value ? value : "";
}

/* Names of dims, params and tensors become parts of symbols. */
static const char *symbol_name(Reader *r, const json_t *object) {
    const char *name = text(r, object, "name");
    size_t length = strlen(name);
    if (length == 0 || length >= PLAN_NAME_MAX)
        wrong(r, "name", "is empty or too long");
    return name;
}

static int find(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static int word(Reader *r, const json_t *object, const char *key, const char *const *names,
                int count) {
    int i = find(names, count, text(r, object, key));
    if (i < 0)
        wrong(r, key, "is a word this pderun does not know");
    return i < 0 ? 0 : i;
}

static const char *const domain_names[] = {
#define DOMAIN(name, ...) #name,
#include "contract/domain.def"
};
static const bool domain_bounded[] = {
#define DOMAIN(name, arguments, argument_names, indexed, bounded, ...) bounded,
#include "contract/domain.def"
};
static const int domain_parts[] = {
#define DOMAIN(name, arguments, argument_names, indexed, bounded, needs, parts, ...) parts,
#include "contract/domain.def"
};
static const char *const law_names[] = {
#define LAW(name, entry, point, argument_names, text) #name,
#include "contract/law.def"
};
static const char *const task_kind_names[] = {
#define ROW(name, boundary, time) #name,
    PLAN_TASK_KINDS(ROW)
#undef ROW
};
static const char *const block_kind_names[] = {
#define BLOCK(name, engine, follows, what) #name,
#include "contract/block.def"
};
static const PdeDirectionKind block_engine_kinds[] = {
#define BLOCK(name, engine, follows, what) engine,
#include "contract/block.def"
};
static const bool block_families[] = {
#define BLOCK(name, engine, follows, what) follows,
#include "contract/block.def"
};
static const char *const target_names[] = {"space", "time", "aux"};
static const char *const base_names[] = {"", "normal", "uniform"};

static PlanExtent extent(Reader *r, const json_t *value) {
    PlanExtent e = {.dim = -1};
    if (json_is_integer(value)) {
        e.constant = (int64_t)json_integer_value(value);
        return e;
    }
    if (!json_is_object(value)) {
        wrong(r, "extent", "is neither a number nor an object");
        return e;
    }
    const int64_t limit = (int64_t)1 << 40;
    e.coef = integer_or(r, value, "coef", -limit, limit, 0);
    e.constant = integer_or(r, value, "constant", -limit, limit, 0);
    const char *name = text_or_null(value, "dim");
    for (int i = 0; name && i < r->plan->dims; i++)
        if (strcmp(r->plan->dim[i].name, name) == 0)
            e.dim = i;
    if (name && e.dim < 0)
        wrong(r, "dim", "names no dim of the problem");
    return e;
}

/* The array `key`, at most `limit` long; an absent one is empty. */
static const json_t *array(Reader *r, const json_t *object, const char *key, int limit,
                           int *count) {
    const json_t *value = json_object_get(object, key);
    *count = 0;
    if (!value || json_is_null(value))
        return NULL;
    if (!json_is_array(value) || json_array_size(value) > (size_t)limit)
        wrong(r, key, "is not a list, or too long");
    else
        *count = (int)json_array_size(value);
    return value;
}

static void read_names(Reader *r, const json_t *root) {
    Plan *p = r->plan;
    const json_t *list = array(r, root, "dims", PLAN_DIMS_MAX, &p->dims);
    for (int i = 0; i < p->dims; i++) {
        const json_t *o = json_array_get(list, (size_t)i);
        p->dim[i] = (PlanDim){symbol_name(r, o), integer(r, o, "value", 0, (int64_t)1 << 40),
                              integer_or(r, o, "least", 0, (int64_t)1 << 40, 0)};
    }
    list = array(r, root, "params", PLAN_PARAMS_MAX, &p->params);
    for (int i = 0; i < p->params; i++) {
        const json_t *o = json_array_get(list, (size_t)i), *value = member(r, o, "value");
        if (!json_is_number(value))
            wrong(r, "value", "of a param is not a number");
        p->param[i] = (PlanParam){symbol_name(r, o), json_number_value(value),
                                  json_is_true(json_object_get(o, "relied"))};
    }
    list = array(r, root, "follow", PLAN_PARAMS_MAX, &p->followers);
    for (int i = 0; i < p->followers; i++) {
        const json_t *o = json_array_get(list, (size_t)i);
        p->follower[i] = (PlanFollower){text(r, o, "name"), text(r, o, "from")};
    }
}

/* Which sets of variables see which input. */
static void read_reach(Reader *r, const json_t *root) {
    Plan *p = r->plan;
    if (!json_object_get(root, "sets"))
        return;
    const json_t *list = array(r, root, "reach", PLAN_INPUTS_MAX, &p->reaches);
    p->sets = (int)integer(r, root, "sets", 1, PLAN_FIELDS_MAX);
    for (int k = 0; k < p->reaches; k++)
        p->reach[k] = json_integer_value(json_array_get(list, (size_t)k));
    if (p->reaches != p->vectors + p->scalar_inputs)
        wrong(r, "reach", "does not have one entry for each input");
}

static void read_fields(Reader *r, const json_t *root) {
    Plan *p = r->plan;
    const json_t *list = array(r, root, "fields", PLAN_FIELDS_MAX, &p->fields);
    if (p->fields == 0)
        wrong(r, "fields", "is empty");
    for (int i = 0; i < p->fields; i++) {
        const json_t *o = json_array_get(list, (size_t)i);
        p->field[i] =
            (PlanField){text(r, o, "name"), (int)integer(r, o, "output", 0, PLAN_FIELDS_MAX - 1),
                        (int)integer_or(r, o, "exact_scalar", 0, p->evaluate_scalars - 1, -1),
                        (int)integer_or(r, o, "set", 0, PLAN_FIELDS_MAX - 1, 0),
                        json_is_true(json_object_get(o, "free_constant"))};
    }
    list = array(r, root, "unknowns", PLAN_UNKNOWNS_MAX, &p->unknowns);
    for (int i = 0; i < p->unknowns; i++)
        p->unknown[i] = text(r, json_array_get(list, (size_t)i), "name");
    for (int i = 0; i < p->unknowns; i++)
        if (boolean_or(r, json_array_get(list, (size_t)i), "eigen", false))
            p->eigen = i + 1;
}

static void read_tensors(Reader *r, const json_t *root) {
    Plan *p = r->plan;
    const json_t *list = array(r, root, "tensors", PLAN_TENSORS_MAX, &p->tensors);
    for (int i = 0; i < p->tensors; i++) {
        const json_t *o = json_array_get(list, (size_t)i);
        PlanTensor *t = &p->tensor[i];
        t->name = symbol_name(r, o);
        t->rank = (int)integer(r, o, "rank", 0, 2);
        int extents;
        const json_t *e = array(r, o, "extent", 2, &extents);
        if (extents != t->rank)
            wrong(r, "extent", "does not have the tensor's rank");
        for (int k = 0; k < extents; k++)
            t->extent[k] = extent(r, json_array_get(e, (size_t)k));
        t->file = text_or_null(o, "file");
        t->stated = text_or_null(o, "stated");
        t->seed = (uint64_t)integer_or(r, o, "seed", 0, INT64_MAX, 0);
        t->legacy = text_or_null(o, "generator") != NULL;
        t->law = t->file ? LAW_normal : (PlanLaw)word(r, o, "law", law_names, LAWS);
    }
    list = array(r, root, "aux", PLAN_AUX_MAX, &p->auxes);
    for (int i = 0; i < p->auxes; i++) {
        const json_t *o = json_array_get(list, (size_t)i);
        p->aux[i] = (PlanAux){text(r, o, "name"), extent(r, member(r, o, "rows")),
                              boolean_or(r, o, "observed", false)};
    }
}

static void read_samples(Reader *r, const json_t *root) {
    Plan *p = r->plan;
    const json_t *list = array(r, root, "samples", PLAN_SAMPLES_MAX, &p->samples);
    for (int i = 0; i < p->samples; i++) {
        const json_t *o = json_array_get(list, (size_t)i);
        PlanSample *s = &p->sample[i];
        if (integer(r, o, "id", 0, PLAN_SAMPLES_MAX - 1) != i)
            wrong(r, "samples", "is not in the order of its ids");
        s->test = boolean_or(r, o, "test", false);
        s->target = (PlanTarget)word(r, o, "target", target_names, 3);
        if (s->target == TARGET_AUX)
            s->aux = (int)integer(r, o, "aux", 0, p->auxes - 1);
        if (s->target == TARGET_SPACE)
            s->space = (int)integer(r, o, "space", 0, p->spaces - 1);
        s->law = (PlanLaw)word(r, o, "law", law_names, LAWS);
        s->inner =
            text_or_null(o, "inner") ? (PlanLaw)word(r, o, "inner", law_names, LAWS) : LAW_uniform;
        s->base =
            text_or_null(o, "base") ? (PlanBase)word(r, o, "base", base_names, 3) : BASE_DOMAIN;
        if (s->base == BASE_DOMAIN && s->law != LAW_uniform && s->law != LAW_radial)
            wrong(r, "base", "is missing for a law that is not of the domain");
        if (s->base == BASE_DOMAIN && s->law == LAW_radial && s->inner != LAW_uniform)
            wrong(r, "inner", "of a radial law is not uniform");
    }
}

static void read_block(Reader *r, const json_t *o, const PlanTask *task, PlanBlock *b) {
    b->kind = (PlanBlockKind)word(r, o, "kind", block_kind_names, BLOCK_KINDS);
    b->order = (int)integer(r, o, "order", 1, PDE_MAX_ORDER);
    if (block_families[b->kind]) {
        b->family = (int)integer(r, o, "family", 0, task->families - 1);
        b->position = (int)integer_or(r, o, "position", 0, 1, 0);
        b->shift = integer_or(r, o, "shift", -INT32_MAX, INT32_MAX, 0);
        b->uniform = boolean_or(r, o, "uniform", false);
        b->first = integer_or(r, o, "first", -INT32_MAX, INT32_MAX, 0);
        b->with_scalar = boolean_or(r, o, "with_time", false);
        int indices = r->status == STATUS_OK ? task->family[b->family].indices : 2;
        b->neighbour = b->kind == BLOCK_pair && boolean_or(r, o, "neighbour", false);
        bool one_index = b->with_scalar || b->neighbour;
        if (b->position >= indices ||
            (b->kind == BLOCK_pair && !b->neighbour && indices != 2 - one_index))
            wrong(r, "family", "of a block has another number of indices");
    }
    if (b->kind == BLOCK_pair)
        b->sign = (int)integer(r, o, "sign", -2, 2);
    if (b->kind == BLOCK_sparse)
        b->entries = (int)integer(r, o, "entries", 1, PLAN_SPARSE_MAX);
    if (b->kind == BLOCK_gradient)
        b->output = (int)integer(r, o, "output", 0, plan_outputs(r->plan) - 1);
    if (b->kind == BLOCK_scalar || b->with_scalar)
        b->which = (int)integer_or(r, o, "which", 0, r->plan->scalar_inputs - 1, 0);
    if ((b->kind == BLOCK_scalar || b->with_scalar) && r->plan->scalar_inputs == 0)
        wrong(r, "kind", "is a scalar input, and the network has none");
}

static void read_route(Reader *r, const json_t *o, const PlanTask *task, PlanRoute *route) {
    const json_t *list = array(r, o, "blocks", PDE_MAX_BLOCKS, &route->blocks);
    for (int i = 0; i < route->blocks; i++) {
        read_block(r, json_array_get(list, (size_t)i), task, &route->block[i]);
        if (i && route->block[i].order > route->block[i - 1].order)
            wrong(r, "blocks", "is not sorted by falling order");
    }
}

static int read_faces(Reader *r, const json_t *o, PlanTaskKind kind, PlanFace *face) {
    static const char *const sides[] = {"low", "high", "both"};
    int n = 0;
    const json_t *list = array(r, o, "faces", PLAN_FACES_MAX, &n);
    for (int i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, (size_t)i);
        face[i].space = (int)integer(r, one, "space", 0, r->plan->spaces - 1);
        face[i].side = (PlanSide)word(r, one, "side", sides, PLAN_SIDES);
        if (r->status == STATUS_OK && !domain_bounded[r->plan->space[face[i].space].domain])
            wrong(r, "space", "of a part of the boundary has none");
    }
    if (n && kind != PLAN_boundary)
        wrong(r, "faces", "belongs to a boundary");
    return n;
}

static void read_task(Reader *r, const json_t *o, PlanTask *t) {
    t->kind = (PlanTaskKind)word(r, o, "kind", task_kind_names, PLAN_KINDS);
    t->name = text(r, o, "name");
    t->faces = read_faces(r, o, t->kind, t->face);
    if (t->kind == PLAN_observe) {
        t->observed = (int)integer(r, o, "observed", 0, r->plan->auxes);
        t->first_observed = (int)integer(r, o, "first", 0, r->plan->auxes - t->observed);
    }
    const json_t *weight = json_object_get(o, "weight");
    t->claims = json_is_true(json_object_get(o, "claims"));
    t->squares = json_is_true(json_object_get(o, "squares"));
    t->weight = json_is_number(weight) ? json_number_value(weight) : 1;
    if (!(t->weight >= 0))
        wrong(r, "weight", "is negative");
    const json_t *list = array(r, o, "residuals", PLAN_RESIDUALS_MAX, &t->residuals);
    if (t->residuals == 0)
        wrong(r, "residuals", "is empty");
    for (int i = 0; i < t->residuals; i++) {
        const char *name = json_string_value(json_array_get(list, (size_t)i));
        t->residual[i] = name ? name : "";
    }
    t->scalars = (int)integer(r, o, "scalars", 0, PLAN_SCALARS_MAX);
    list = array(r, o, "families", PLAN_FAMILIES_MAX, &t->families);
    for (int i = 0; i < t->families; i++) {
        const json_t *f = json_array_get(list, (size_t)i);
        t->family[i] =
            (PlanFamily){(int)integer(r, f, "indices", 1, 2), boolean_or(r, f, "ordered", false)};
    }
    t->unavailable = text_or_null(o, "unavailable");
    read_route(r, o, t, &t->sampled);
    const json_t *ascent = json_object_get(o, "ascent");
    if (json_is_object(ascent)) {
        t->no_ascent = text_or_null(ascent, "unavailable");
        t->has_ascent = !t->no_ascent;
        t->frozen = integer(r, ascent, "scalars", 0, PLAN_SCALARS_MAX);
        t->frozen_arrays = integer(r, ascent, "arrays", 0, PLAN_SCALARS_MAX);
    }
    const json_t *exact = json_object_get(o, "exact");
    t->has_exact = json_is_object(exact);
    if (t->has_exact)
        read_route(r, exact, t, &t->exact);
}

static bool has_boundary(const Plan *p) {
    for (int i = 0; i < p->spaces; i++)
        if (domain_bounded[p->space[i].domain])
            return true;
    return false;
}

static void read_tasks(Reader *r, const json_t *root) {
    Plan *p = r->plan;
    int count;
    const json_t *list = array(r, root, "tasks", PLAN_TASKS_MAX, &count);
    for (int i = 0; i < count; i++) {
        const json_t *o = json_array_get(list, (size_t)i);
        const char *kind = text_or_null(o, "kind");
        bool report = kind && strcmp(kind, "report") == 0;
        bool watched = boolean_or(r, o, "watched", false);
        *(watched ? &p->watched : report ? &p->reports : &p->tasks) += 1;
        if (i != (watched ? count : report ? p->tasks + p->reports : p->tasks) - 1)
            wrong(r, "tasks", "has a report before a residual");
        if (integer(r, o, "id", 0, PLAN_TASKS_MAX - 1) != i)
            wrong(r, "tasks", "is not in the order of its ids");
        read_task(r, o, &p->task[i]);
        if (p->task[i].kind == PLAN_boundary && !has_boundary(p))
            wrong(r, "kind", "is boundary on the whole space");
        if ((p->task[i].kind == PLAN_initial || p->task[i].kind == PLAN_terminal) && !p->time)
            wrong(r, "kind", "needs a time");
        if (report)
            p->task[i].text = text(r, o, "text");
        if (watched && p->task[i].kind != PLAN_norm)
            wrong(r, "watched", "belongs to a norm");
        if (!report && p->task[i].unavailable && !p->task[i].has_exact && r->status == STATUS_OK)
            r->status = error_set(r->error, STATUS_MODULE_CONTENT,
                                  "there is no way to compute the residual of '%s': %s",
                                  p->task[i].name, p->task[i].unavailable);
    }
    if (p->tasks == 0 && !json_is_object(json_object_get(root, "tensor")))
        wrong(r, "tasks", "is empty");
    list = array(r, root, "sources", PLAN_SOURCES_MAX, &p->sources);
    for (int i = 0; i < p->sources; i++) {
        const json_t *o = json_array_get(list, (size_t)i);
        PlanSource *s = &p->source[i];
        s->name = text(r, o, "name");
        s->task = (int)integer(r, o, "task", 0, p->tasks - 1);
        s->scalar = (int)integer(r, o, "scalar", 0, p->task[s->task].scalars - 1);
    }
}

static void read_references(Reader *r, const json_t *root) {
    Plan *p = r->plan;
    const json_t *list = array(r, root, "references", PLAN_REFERENCES_MAX, &p->references);
    for (int i = 0; i < p->references; i++) {
        const json_t *o = json_array_get(list, (size_t)i);
        p->reference[i] = (PlanReference){(int)integer(r, o, "id", 0, INT32_MAX),
                                          (int)integer(r, o, "field", 0, p->fields - 1)};
    }
}

static void read_process(Reader *r, const json_t *root) {
    static const char *const class_names[] = {"none", "elliptic", "terminal", "initial"};
    PlanProcess *p = &r->plan->process;
    const json_t *o = json_object_get(root, "process");
    if (!o)
        return;
    p->class = (PlanProcessClass)word(r, o, "class", class_names, PROCESS_CLASSES);
    p->why = text_or_null(o, "why");
    p->ranks = (int)integer(r, o, "ranks", 0, PLAN_RANKS_MAX);
    p->matrix = boolean_or(r, o, "matrix", false);
    p->diffuses = boolean_or(r, o, "diffuses", true);
    p->linear = boolean_or(r, o, "linear", false);
    p->logarithm = boolean_or(r, o, "logarithm", false);
    p->low = json_number_or(o, "low", -HUGE_VAL);
    p->high = json_number_or(o, "high", HUGE_VAL);
    const json_t *list = array(r, o, "edges", PLAN_EDGES_MAX, &p->edges);
    for (int i = 0; i < p->edges; i++) {
        const json_t *e = json_array_get(list, (size_t)i);
        PlanEdge *edge = &p->edge[i];
        *edge = (PlanEdge){.where = (PlanTaskKind)word(r, e, "where", task_kind_names, PLAN_KINDS),
                           .task = (int)integer(r, e, "task", -1, r->plan->tasks - 1),
                           .reflects = boolean_or(r, e, "reflects", false)};
        edge->faces = read_faces(r, e, edge->where, edge->face);
    }
    int asked;
    list = array(r, o, "asked", PLAN_TASKS_MAX, &asked);
    for (int i = 0; i < PLAN_TASKS_MAX; i++)
        p->asked[i] = i < asked
                          ? integer(r, json_array_get(list, (size_t)i), "by", -1, (int64_t)1 << 40)
                          : -1;
}

static void read_spaces(Reader *r, const json_t *root) {
    Plan *p = r->plan;
    const json_t *list = array(r, root, "spaces", PLAN_SPACES_MAX, &p->spaces);
    if (p->spaces == 0)
        wrong(r, "spaces", "has no coordinates");
    for (int i = 0; i < p->spaces; i++) {
        const json_t *o = json_array_get(list, (size_t)i);
        p->space[i] = (PlanSpace){text(r, o, "name"), extent(r, member(r, o, "dim")),
                                  (PlanDomain)word(r, o, "domain", domain_names, DOMAINS)};
    }
}

static void read_vectors(Reader *r, const json_t *features) {
    Plan *p = r->plan;
    p->vectors = p->spaces;
    for (int i = 0; i < p->spaces; i++)
        p->vector[i] = p->space[i].d;
    if (!p->has_features)
        return;
    const json_t *list = array(r, features, "vectors", PLAN_VECTORS_MAX, &p->vectors);
    for (int i = 0; i < p->vectors; i++)
        p->vector[i] = extent(r, json_array_get(list, (size_t)i));
}

/* Modules of before there were variants are as they were written. */
static void read_variant(Reader *r, const json_t *root) {
    PlanVariant *v = &r->plan->variant;
    const json_t *object = json_object_get(root, "variant");
    r->plan->automatic = boolean_or(r, root, "automatic", false);
    *v = (PlanVariant){.name = "written", .statements = ""};
    if (!json_is_object(object))
        return;
    v->name = symbol_name(r, object);
    v->statements = text(r, object, "statements");
    const json_t *because = array(r, object, "because", PLAN_REASONS_MAX, &v->reasons);
    for (int k = 0; k < v->reasons; k++) {
        v->because[k] = json_string_value(json_array_get(because, (size_t)k));
        if (!v->because[k]) {
            wrong(r, "because", "is not a list of texts");
            v->because[k] = "";
        }
    }
}

static void read_problem(Reader *r, const json_t *root) {
    Plan *p = r->plan;
    p->title = text(r, root, "title");
    read_names(r, root);
    read_spaces(r, root);
    const json_t *time = json_object_get(root, "time");
    p->time = json_is_object(time) ? text(r, time, "name") : NULL;
    const json_t *features = json_object_get(root, "features");
    p->linear = boolean_or(r, root, "linear", false);
    p->inside = boolean_or(r, root, "inside", false);
    p->has_features = json_is_object(features);
    read_vectors(r, features);
    p->scalar_inputs = p->has_features ? (int)integer(r, features, "scalars", 0, PLAN_SCALARS_MAX)
                                       : p->time != NULL;
    const json_t *evaluate = member(r, root, "evaluate");
    p->evaluate_task = (int)integer(r, evaluate, "task", 0, PLAN_TASKS_MAX);
    p->evaluate_scalars = (int)integer(r, evaluate, "scalars", 0, PLAN_SCALARS_MAX);
    read_fields(r, root);
    read_reach(r, root);
    read_tensors(r, root);
    read_samples(r, root);
    read_tasks(r, root);
    read_references(r, root);
    read_process(r, root);
    read_variant(r, root);
}

Status plan_parse(Bytes bytes, Plan *plan, Error *error) {
    *plan = (Plan){0};
    json_error_t where;
    json_t *root = json_loadb(bytes.data, bytes.size, JSON_REJECT_DUPLICATES, &where);
    if (!json_is_object(root)) {
        json_decref(root);
        return error_set(error, STATUS_MODULE_CONTENT, "the plan is not a JSON object");
    }
    plan->document = root;
    Reader r = {.plan = plan, .error = error};
    read_problem(&r, root);
    if (r.status != STATUS_OK)
        plan_free(plan);
    return r.status;
}

void plan_free(Plan *plan) {
    json_decref(plan->document);
    *plan = (Plan){0};
}

const char *plan_domain_name(PlanDomain domain) {
    assert(domain < DOMAINS);
    return domain_names[domain];
}

const char *plan_task_kind_name(PlanTaskKind kind) {
    assert(kind < PLAN_KINDS);
    return task_kind_names[kind];
}

const char *plan_block_kind_name(PlanBlockKind kind) {
    assert(kind < BLOCK_KINDS);
    return block_kind_names[kind];
}

bool plan_block_follows_family(PlanBlockKind kind) {
    assert(kind < BLOCK_KINDS);
    return block_families[kind];
}

PdeDirectionKind plan_block_engine_kind(PlanBlockKind kind) {
    assert(kind < BLOCK_KINDS);
    return block_engine_kinds[kind];
}

bool plan_is_bounded(PlanDomain domain) {
    return domain_bounded[domain];
}
int plan_boundary_parts(PlanDomain domain) {
    return domain_parts[domain];
}
