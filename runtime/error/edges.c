/* edges.c: what conditions say of the error where a path ends or is reflected (walk_state.h).
 *
 * A step that ends at a distance s outside a boundary where d_n e + beta e = h holds is reflected. Along the normal
 * the odd part of e is s d_n e up to s^3, so
 *     e(outside) = e(inside) (1 - beta s) / (1 + beta s) + 2 s h / (1 + beta s). */
#include "error/walk_state.h"

#include "step/route.h"

#include <assert.h>
#include <string.h>

int edges_find(const Walk *w, PlanTaskKind where) {
    const PlanProcess *p = &w->q->plan.process;
    for (int e = 0; e < p->edges; e++)
        if (p->edge[e].where == where)
            return e;
    return EDGE_NONE;
}

static bool is_at(const Walk *w, const Path *p, int edge) {
    if (p->done)
        return false;
    return w->q->plan.process.edge[edge].reflects ? p->overshoot > 0 && p->met == edge
                                                  : p->arrived && !p->settled && p->end == edge;
}

/* Points of the condition: where paths touch the boundary, or are. */
static void fill_points(Walk *w, int edge) {
    assert(edge >= 0 && edge < w->q->plan.process.edges);
    const Problem *q = w->q;
    bool reflects = q->plan.process.edge[edge].reflects;
    for (int64_t p = 0; p < walk_paths_of(w); p++) {
        int64_t lane = p % PDE_LANES, group = p / PDE_LANES;
        const double *x = walk_x(w, group) + lane;
        double *to = w->touch + group * q->n_in * PDE_LANES + lane;
        bool kept = reflects && w->path[p].overshoot > 0;
        for (int64_t i = kept ? q->d : 0; i < q->n_in; i++)
            to[i * PDE_LANES] = x[i * PDE_LANES];
    }
}

static void keep_value(void *context, const PdeJet *jet) {
    Walk *w = context;
    w->edge_n[jet->point] = *(const double *)jet->n;
    w->spec.combine(w->spec.context, jet);
}

/* The condition's residual at touch; NULL: the trial function meets it. */
static const double *residual_at(Walk *w, Task *t) {
    assert(t && t->session == &w->s);
    const Problem *q = w->q;
    memcpy(t->points.c.x, w->touch,
           (size_t)(walk_groups_of(w) * q->n_in * PDE_LANES) * sizeof(double));
    if (t->points.normal)
        memcpy(t->points.normal, w->touch_normal,
               (size_t)(walk_groups_of(w) * q->d * PDE_LANES) * sizeof(double));
    points_run_programs(&t->points);
    Route *r = &t->gradient[0];
    route_prepare(r, w->turn);
    w->spec = route_spec(r);
    PdeTaskSpec spec = w->spec;
    spec.combine = keep_value;
    spec.context = w;
    pde_value(w->s.engine, r->batch, &spec);
    if (!q->plan.process.linear)
        pde_input_gradient(w->s.engine, r->batch, 0, w->edge_slope);
    return r->residual;
}

static void settle(Walk *w, int edge, int64_t group, const Task *t, const double *residual) {
    assert(edge >= 0 && edge < w->q->plan.process.edges && group >= 0 && group < WALK_GROUPS);
    const Problem *q = w->q;
    double number[2 * PDE_LANES]; /* beta and gamma */
    PdePointArgs args = points_args(t ? &t->points : &w->s.task[0].points, group);
    args.x = w->touch + group * q->n_in * PDE_LANES;
    args.normal = w->touch_normal + group * q->d * PDE_LANES;
    args.gradient = (t ? w->edge_slope : w->slope) + group * q->inputs * PDE_LANES;
    args.value = (t ? w->edge_n : w->n) + group * PDE_LANES;
    args.output_scale = w->s.output_scale;
    args.out = number;
    q->kernels.edge[edge](&args);
    for (int l = 0; l < PDE_LANES; l++) {
        Path *p = &w->path[group * PDE_LANES + l];
        double h = residual ? residual[group * PDE_LANES + l] : 0, s = p->overshoot;
        if (!is_at(w, p, edge))
            continue;
        if (!q->plan.process.edge[edge].reflects) {
            p->end_value = h / number[l];
            continue;
        }
        double beta = number[l] / number[PDE_LANES + l];
        p->integral -= p->weight * 2 * s * h / number[PDE_LANES + l] / (1 + beta * s);
        p->weight *= (1 - beta * s) / (1 + beta * s);
        p->overshoot = 0;
    }
}

/* Of one kind: reflections come before ends, whose points take the place of those where paths touched. */
static void settle_kind(Walk *w, bool reflecting) {
    const PlanProcess *process = &w->q->plan.process;
    for (int e = 0; e < process->edges; e++) {
        Task *t = process->edge[e].task < 0 ? NULL : &w->s.task[process->edge[e].task];
        bool any = false;
        for (int64_t p = 0; p < walk_paths_of(w) && !any; p++)
            any = is_at(w, &w->path[p], e);
        if (!any || process->edge[e].reflects != reflecting || (!t && !reflecting))
            continue;
        fill_points(w, e);
        const double *residual = t ? residual_at(w, t) : NULL;
        for (int64_t g = 0; g < walk_groups_of(w); g++)
            settle(w, e, g, t, residual);
    }
}

void edges_settle(Walk *w) {
    settle_kind(w, true);
    settle_kind(w, false);
    for (int64_t p = 0; p < walk_paths_of(w); p++)
        w->path[p].settled = w->path[p].arrived;
}
