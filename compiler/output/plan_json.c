/* plan_json.c: the plan as JSON: --emit=plan --format=json, and the module's .pde.plan section. */
#include <math.h>
#include <string.h>

#include "base/compilation.h"
#include "base/json_text.h"
#include "eval/bindings.h"
#include "ir/net_input.h"
#include "kernel/kernels.h"
#include "output/oracle_table.h"
#include "output/output.h"
#include "pass.h"
#include "pdec.h"
#include "terms/free_constant.h"
#include "terms/process.h"
#include "plan/ascent.h"
#include "plan/plan.h"
#include "terms/tensor.h"

static void key(Text *out, const char *name) {
    emit_json_string(out, name);
    text_str(out, STR(":"));
}

static void string_member(Text *out, const char *name, const char *value) {
    key(out, name);
    if (value)
        emit_json_string(out, value);
    else
        text_str(out, STR("null"));
}

static void extent(Compilation *c, Extent e, Text *out) {
    text_printf(out, "{\"dim\":");
    if (e.dim)
        emit_json_string(out, sym_cstr(c, e.dim));
    else
        text_str(out, STR("null"));
    text_printf(out, ",\"coef\":%lld,\"constant\":%lld}", (long long)e.coef, (long long)e.constant);
}

/* ---- names and sizes ---- */

/* What a proof relied on may not be set to another value. */
static void relied(const Problem *p, const Symbol *s, Text *out) {
    for (uint32_t k = 0; k < p->relied.n; k++)
        if (p->relied.at[k].name == s->name && s->kind == SYMBOL_PARAM)
            text_str(out, STR(",\"relied\":true"));
        else if (p->relied.at[k].name == s->name)
            text_printf(out, ",\"least\":%.0f", p->relied.at[k].least);
}

/* Params that stand for an expression in others. */
static void followers(Compilation *c, Text *out) {
    bool first = true;
    text_str(out, STR("\"follow\":["));
    for (uint32_t k = 0; k < c->symbols->list.n; k++) {
        const Symbol *s = &c->symbols->list.at[k];
        if (s->kind != SYMBOL_PARAM || !problem_param_follows(c, s))
            continue;
        text_str(out, first ? STR("{") : STR(",{"));
        string_member(out, "name", sym_cstr(c, s->name));
        text_str(out, STR(","));
        string_member(out, "from", ir_text(c->ir, lower_scalar(c, NULL, s->def->kid[0])));
        text_str(out, STR("}"));
        first = false;
    }
    text_str(out, STR("],\n"));
}

static void sizes(Compilation *c, const Values *v, Text *out) {
    bool first = true;
    text_printf(out, "\"dims\":[");
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < c->symbols->list.n; k++) {
            const Symbol *s = &c->symbols->list.at[k];
            if (s->kind != (pass ? SYMBOL_PARAM : SYMBOL_DIM) ||
                (pass && problem_param_follows(c, s)))
                continue;
            for (uint32_t j = 0; j < v->value.n; j++) {
                if (v->value.at[j].name != s->name)
                    continue;
                text_printf(out, "%s{", first ? "" : ",");
                string_member(out, "name", sym_cstr(c, s->name));
                text_str(out, STR(",\"value\":"));
                text_double(out, v->value.at[j].value);
                relied(c->problem, s, out);
                text_str(out, STR("}"));
                first = false;
                break;
            }
        }
        text_printf(out, pass ? "],\n" : "],\n\"params\":[");
        first = true;
    }
    followers(c, out);
}

static void spaces(Compilation *c, Text *out) {
    const Problem *p = c->problem;
    text_printf(out, "\"spaces\":[");
    for (uint32_t k = 0; k < p->space.n; k++) {
        const Space *x = &p->space.at[k];
        text_printf(out, "%s{", k ? "," : "");
        string_member(out, "name", sym_cstr(c, x->name));
        text_printf(out, ",\"dim\":");
        extent(c, x->dimension, out);
        text_str(out, STR(","));
        string_member(out, "domain", sym_cstr(c, x->domain));
        text_str(out, STR("}"));
    }
    text_printf(out, "],\n");
}

static void fields(Compilation *c, const KernelInfo *info, Text *out) {
    const Problem *p = c->problem;
    text_printf(out, "\"fields\":[");
    for (uint32_t f = 0; f < p->field.n; f++) {
        text_printf(out, "%s{", f ? "," : "");
        text_printf(out, "\"name\":\"%s%s\"", problem_is_exponential(c, f) ? "log_" : "",
                    sym_cstr(c, p->field.at[f].name));
        text_printf(out, ",\"output\":%u", f);
        if (info->exact_scalar[f] != UINT32_MAX)
            text_printf(out, ",\"exact_scalar\":%u", info->exact_scalar[f]);
        if (input_divides_fields(c))
            text_printf(out, ",\"set\":%u", input_set_of(p, f));
        if (constant_is_free(c, f))
            text_str(out, STR(",\"free_constant\":true"));
        text_str(out, STR("}"));
    }
    text_printf(out, "],\n\"unknowns\":[");
    for (uint32_t k = 0; k < p->unknown.n; k++) {
        text_printf(out, "%s{", k ? "," : "");
        string_member(out, "name", sym_cstr(c, p->unknown.at[k].name));
        text_printf(out, ",\"eigen\":%s}", p->unknown.at[k].eigen ? "true" : "false");
    }
    text_printf(out, "],\n\"tensors\":[");
    for (uint32_t k = 0; k < p->tensor.n; k++) {
        const TensorRow *t = &p->tensor.at[k];
        text_printf(out, "%s{", k ? "," : "");
        string_member(out, "name", sym_cstr(c, t->name));
        text_printf(out, ",\"rank\":%u,\"extent\":[", t->rank);
        for (uint32_t r = 0; r < t->rank; r++) {
            text_str(out, r ? STR(",") : STR(""));
            extent(c, t->extent[r], out);
        }
        text_printf(out, "],");
        string_member(out, "law", t->law ? sym_cstr(c, t->law->name) : NULL);
        text_printf(out, ",\"seed\":%llu,", (unsigned long long)t->seed);
        text_str(out, t->legacy ? STR("\"generator\":\"mt19937\",") : STR(""));
        string_member(out, "file", t->file ? values_data_path(c, t->file) : NULL);
        text_str(out, STR(","));
        string_member(out, "stated", t->file ? sym_cstr(c, t->file) : NULL);
        text_str(out, STR("}"));
    }
    text_printf(out, "],\n");
}

/* For each input the sets of variables whose fields may see it, as bits. */
static void reaches(const Compilation *c, Text *out) {
    const Problem *p = c->problem;
    uint32_t all = 0;
    for (uint32_t f = 0; f < p->field.n; f++)
        all = input_set_of(p, f) >= all ? input_set_of(p, f) + 1 : all;
    text_printf(out, "\"sets\":%u,\"reach\":[", all);
    for (uint32_t k = 0; k < input_parts(p); k++) {
        uint32_t sets = 0;
        for (uint32_t f = 0; f < p->field.n; f++)
            sets |= input_reaches(c, k, f) ? 1u << input_set_of(p, f) : 0;
        text_printf(out, "%s%u", k ? "," : "", sets);
    }
    text_str(out, STR("],\n"));
}

static void features(Compilation *c, Text *out) {
    const Features *f = c->problem->features;
    bool first = true;
    text_printf(out, "\"features\":{\"vectors\":[");
    for (uint32_t k = 0; k < f->at.n; k++) {
        if (!f->at.at[k].index)
            continue;
        text_str(out, first ? STR("") : STR(","));
        extent(c, feature_entries(c, &f->at.at[k]), out);
        first = false;
    }
    text_printf(out, "],\"scalars\":%u},\n", input_scalars(c->problem));
}

/* ---- sampling ---- */

static bool is_aux(const Problem *p, Sym target) {
    return problem_space(p, target) < 0 && target != p->time;
}

static void samples(Compilation *c, Text *out) {
    const Problem *p = c->problem;
    uint32_t auxes = 0;
    text_printf(out, "\"aux\":[");
    for (uint32_t k = 0; k < p->sample.n; k++) {
        if (!is_aux(p, p->sample.at[k].target))
            continue;
        text_printf(out, "%s{", auxes++ ? "," : "");
        string_member(out, "name", sym_cstr(c, p->sample.at[k].target));
        if (p->sample.at[k].observed)
            text_printf(out, ",\"observed\":true");
        text_printf(out, ",\"rows\":{\"dim\":null,\"coef\":0,\"constant\":1}}");
    }
    text_printf(out, "],\n\"samples\":[");
    auxes = 0;
    for (uint32_t k = 0; k < p->sample.n; k++) {
        const SampleRow *s = &p->sample.at[k];
        if (s->observed) /* these are the last */
            break;
        text_printf(out, "%s{\"id\":%u,\"test\":%s,", k ? "," : "", k, s->test ? "true" : "false");
        int space = problem_space(p, s->target);
        string_member(out, "target", space >= 0 ? "space" : s->target == p->time ? "time" : "aux");
        if (space >= 0)
            text_printf(out, ",\"space\":%d", space);
        if (is_aux(p, s->target))
            text_printf(out, ",\"aux\":%u", auxes++);
        text_str(out, STR(","));
        string_member(out, "law", sym_cstr(c, s->law));
        text_str(out, STR(","));
        string_member(out, "inner", s->inner ? sym_cstr(c, s->inner) : NULL);
        text_str(out, STR(","));
        string_member(out, "base", kernels_sample_base(c, s));
        text_str(out, STR("}"));
    }
    text_printf(out, "],\n");
}

/* ---- tasks ---- */

static const char *block_kind(Compilation *c, const Block *b) {
    Ref x = b->index ? ir_indexed(c->ir, OP_SPACE, 0, 1, &b->index) : 0;
    bool position = b->kind == BLOCK_point_dense && b->entries[0] == x && !c->problem->time &&
                    !c->problem->features;
    return plan_block_name(position ? BLOCK_position : b->kind);
}

static void route(Compilation *c, const Route *r, Text *out) {
    text_printf(out, "[");
    for (uint32_t k = 0; k < r->block.n && !r->unavailable; k++) {
        const Block *b = &r->block.at[k];
        text_printf(out, "%s{", k ? "," : "");
        string_member(out, "kind", block_kind(c, b));
        text_printf(out, ",\"order\":%u", b->order);
        if (b->kind == BLOCK_unit)
            text_printf(out, ",\"family\":%d,\"position\":%u,\"shift\":%lld,\"uniform\":%s",
                        b->family, b->which, (long long)b->shift,
                        b->order == 2 && !b->apart ? "true" : "false");
        if (b->kind == BLOCK_pair) {
            text_printf(
                out,
                ",\"family\":%d,\"with_time\":%s,\"which\":%d,\"position\":%u,\"neighbour\":%s,"
                "\"shift\":%lld,\"first\":%lld,\"sign\":",
                b->family, b->with_scalar >= 0 ? "true" : "false",
                b->with_scalar >= 0 ? b->with_scalar : 0, b->which, b->neighbour ? "true" : "false",
                (long long)b->shift, (long long)b->first);
            text_double(out, b->sign);
        }
        if (b->kind == BLOCK_sparse)
            text_printf(out, ",\"family\":%d,\"entries\":%u", b->family, b->n_sparse);
        if (b->kind == BLOCK_scalar)
            text_printf(out, ",\"which\":%u", b->which);
        if (b->kind == BLOCK_gradient)
            text_printf(out, ",\"output\":%u", (unsigned)ir_id(c->ir, b->atom));
        text_str(out, STR("}"));
    }
    text_printf(out, "]");
}

/* Does the exact solution solve it by the file's numbers only? */
static bool claims(const Problem *p, const Task *t) {
    bool claimed = false;
    for (uint32_t e = 0; t->kind == TASK_EQUATION && e < p->equation.n; e++)
        claimed |= p->equation.at[e].claims;
    if (plan_is_condition(t->kind))
        claimed = p->condition.at[t->row].claims;
    return claimed;
}

static void task_name(Compilation *c, const Task *t, uint32_t e, Text *out) {
    static const char *const kind[] = {"equation", "boundary",   "initial", "terminal",
                                       "observe",  "constraint", "norm",    "report"};
    emit_json_string(out, t->name[e] ? sym_cstr(c, t->name[e]) : kind[t->kind]);
}

/* The auxiliaries that have a law come before those of observations. */
static uint32_t first_aux(const Problem *p) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->sample.n; k++)
        n += !p->sample.at[k].observed && is_aux(p, p->sample.at[k].target);
    return n;
}

/* The parts of the boundary where a condition holds; their coordinates have a kernel. */
static void faces(const Faces *on, Text *out) {
    static const char *const side[] = {"low", "high", "both"};
    text_str(out, STR(",\"faces\":["));
    for (uint32_t k = 0; k < on->n; k++)
        text_printf(out, "%s{\"space\":%u,\"side\":\"%s\"}", k ? "," : "", on->at[k].space,
                    side[on->at[k].side]);
    text_str(out, STR("]"));
}

static void task(Compilation *c, const Values *v, uint32_t id, const Task *t,
                 const KernelInfo *info, Text *out) {
    static const char *const kind[] = {"equation", "boundary",   "initial", "terminal",
                                       "observe",  "constraint", "norm",    "report"};
    const Problem *p = c->problem;
    double weight = 1;
    if (plan_is_condition(t->kind) && p->condition.at[t->row].weight)
        (void)values_number(c, v, p->condition.at[t->row].weight, &weight);
    text_printf(out, "{\"id\":%u,", id);
    string_member(out, "kind", kind[t->kind]);
    text_printf(out, ",\"name\":");
    task_name(c, t, 0, out);
    if (t->kind == TASK_REPORT) {
        const Ast *s = p->report.at[t->row].ast;
        Str text = source_text(c, (Span){s->kid[0]->span.lo, s->span.hi});
        Text words = {.arena = &c->arena};
        text_bytes(&words, text.s, text.n);
        text_printf(out, ",");
        string_member(out, "text", text_cstr(&words));
    }
    if (t->kind == TASK_BOUNDARY && p->condition.at[t->row].on.n)
        faces(&p->condition.at[t->row].on, out);
    if (t->kind == TASK_OBSERVE)
        text_printf(out, ",\"observed\":%u,\"first\":%u", p->condition.at[t->row].observed->n_data,
                    first_aux(p) + p->condition.at[t->row].observed->first);
    if (t->squares)
        text_printf(out, ",\"squares\":true");
    if (t->kind == TASK_NORM && p->norm.watched)
        text_printf(out, ",\"watched\":true");
    if (claims(c->problem, t))
        text_printf(out, ",\"claims\":true");
    text_printf(out, ",\"weight\":");
    text_double(out, weight);
    text_printf(out, ",\"residuals\":[");
    for (uint32_t e = 0; e < t->n_residuals; e++) {
        text_str(out, e ? STR(",") : STR(""));
        task_name(c, t, e, out);
    }
    text_printf(out, "],\"scalars\":%u,\"families\":[", info->scalar[id].at.n);
    for (uint32_t f = 0; f < t->family.n; f++)
        text_printf(out, "%s{\"indices\":%u,\"ordered\":%s}", f ? "," : "", t->family.at[f].n_index,
                    t->family.at[f].ordered ? "true" : "false");
    text_printf(out, "],");
    string_member(out, "unavailable", t->sampled.unavailable);
    text_printf(out, ",\"blocks\":");
    route(c, &t->sampled, out);
    if (t->ascent) {
        text_printf(out, ",\"ascent\":{");
        string_member(out, "unavailable", t->ascent->unavailable);
        text_printf(out, ",\"scalars\":%u,\"arrays\":%u}", t->ascent->scalars, t->ascent->arrays);
    }
    text_printf(out, ",\"exact\":");
    if (t->exact.unavailable) {
        text_str(out, STR("null"));
    } else {
        text_printf(out, "{\"blocks\":");
        route(c, &t->exact, out);
        text_str(out, STR("}"));
    }
    text_str(out, STR("}"));
}

/* The task of a condition, or -1: none, it is met. */
static int condition_task(const Problem *p, uint32_t condition) {
    for (uint32_t k = 0; k < p->plan->task.n; k++) {
        const Task *t = &p->plan->task.at[k];
        if (plan_is_condition(t->kind) && t->row == condition)
            return (int)k;
    }
    return -1;
}

static void process(Compilation *c, Text *out) {
    static const char *const where[] = {"boundary", "initial", "terminal"};
    const Process *process = c->problem->process;
    text_printf(out, ",\n\"process\":{\"class\":\"%s\",", process_class_name(process->class));
    string_member(out, "why", process->why);
    if (isfinite(process->low)) {
        text_str(out, STR(",\"low\":"));
        text_double(out, process->low);
    }
    if (isfinite(process->high)) {
        text_str(out, STR(",\"high\":"));
        text_double(out, process->high);
    }
    text_printf(out, ",\"logarithm\":%s", process->logarithm ? "true" : "false");
    text_printf(out, ",\"ranks\":%u,\"matrix\":%s,\"diffuses\":%s,\"linear\":%s,\"edges\":[",
                process->ranks, process->matrix ? "true" : "false",
                process->diffuses ? "true" : "false", process->linear ? "true" : "false");
    for (uint32_t k = 0; k < process->edge.n; k++) {
        const ProcessEdge *edge = &process->edge.at[k];
        const ConditionRow *row = &c->problem->condition.at[edge->condition];
        text_printf(out, "%s{\"where\":\"%s\",\"task\":%d,\"reflects\":%s", k ? "," : "",
                    where[row->where - COND_BOUNDARY], condition_task(c->problem, edge->condition),
                    edge->reflects ? "true" : "false");
        if (row->where == COND_BOUNDARY)
            faces(&row->on, out);
        text_str(out, STR("}"));
    }
    text_str(out, STR("],\"asked\":["));
    for (uint32_t k = 0; k < process->asked.n; k++)
        text_printf(out, "%s{\"by\":%lld}", k ? "," : "", (long long)process->asked.at[k]);
    text_str(out, STR("]}"));
}

/* Reasons stand one a line. */
static void variant(Compilation *c, Text *out) {
    const PdecVariant *v = c->variant;
    text_printf(out, ",\n\"automatic\":%s,\n\"variant\":{",
                solve_is_automatic(c) ? "true" : "false");
    string_member(out, "name", v ? v->name : "written");
    text_str(out, STR(",\"because\":["));
    for (const char *line = v ? v->because : ""; *line;) {
        size_t n = strcspn(line, "\n");
        Text one = {.arena = &c->arena};
        text_bytes(&one, line, n);
        emit_json_string(out, text_cstr(&one));
        line += n + (line[n] == '\n');
        text_str(out, *line ? STR(",") : STR(""));
    }
    text_str(out, STR("],"));
    string_member(out, "statements", v ? v->statements : "");
    text_str(out, STR("}"));
}

void plan_json(Compilation *c, Text *out) {
    const Problem *p = c->problem;
    Values v = {.cap = 0};
    NpyFile open = {0};
    const char *wrong = values_collect(c, ir_const(c->ir, 0), &open, &v);
    if (!p->kernels)
        kernels_run(c); /* the numbers of scalars come from the kernels */
    const KernelInfo *info = &p->kernels->info;
    text_printf(out, "{");
    string_member(out, "title", p->title ? sym_cstr(c, p->title) : "");
    text_printf(out, ",\n");
    string_member(out, "trouble", wrong);
    text_printf(out, ",\n");
    sizes(c, &v, out);
    spaces(c, out);
    text_printf(out, "\"time\":");
    if (p->time) {
        text_str(out, STR("{"));
        string_member(out, "name", sym_cstr(c, p->time));
        text_str(out, STR("},\n"));
    } else {
        text_str(out, STR("null,\n"));
    }
    if (p->inside)
        text_str(out, STR("\"inside\":true,\n"));
    if (c->ir->linear_net)
        text_str(out, STR("\"linear\":true,\n"));
    if (p->features)
        features(c, out);
    if (input_divides_fields(c))
        reaches(c, out);
    fields(c, info, out);
    samples(c, out);
    text_printf(out, "\"tasks\":[");
    for (uint32_t k = 0; k < p->plan->task.n; k++) {
        text_str(out, k ? STR(",\n") : STR("\n"));
        task(c, &v, k, &p->plan->task.at[k], info, out);
    }
    text_printf(out, "],\n\"sources\":[");
    bool first = true;
    for (uint32_t k = 0; k < p->source.n; k++) {
        if (p->source.at[k].of_condition)
            continue;
        text_printf(out, "%s{", first ? "" : ",");
        first = false;
        string_member(out, "name", sym_cstr(c, p->source.at[k].name));
        text_printf(out, ",\"task\":0,\"scalar\":%u}", info->source_scalar[k]);
    }
    text_printf(out, "],\n\"references\":[");
    first = true;
    for (uint32_t k = 0; k < p->reference.n; k++) {
        if (!problem_is_point_value(c, &p->reference.at[k]))
            continue;
        text_printf(out, "%s{\"id\":%u,\"field\":%d}", first ? "" : ",", k,
                    problem_field(p, p->reference.at[k].target));
        first = false;
    }
    text_printf(out, "],\n\"evaluate\":{\"task\":%u,\"scalars\":%u}", info->n_tasks,
                info->scalar[info->n_tasks].at.n);
    if (p->process)
        process(c, out);
    variant(c, out);
    text_printf(out, ",\n\"terms\":");
    terms_json_list(c, out);
    text_printf(out, ",\n\"expected\":");
    expected_json(c, info, out);
    tensor_json(c, out);
    text_str(out, STR("}\n"));
}
