/* probe.c: random numbers in place of points, parameters and networks. */
#include "eval/probe.h"

#include <math.h>

#include "base/compilation.h"
#include "runtime/contract/tensor_rng.h"

/* Every derivative of every network at every point is its own random number: what holds for these
 * holds for all networks. */
static void random_network(void *context, Op op, uint32_t number, uint32_t order,
                           const int64_t *variables, uint32_t points, long double *out) {
    (void)context;
    uint64_t key = (uint64_t)op * 31 + number;
    double normal[4];
    for (uint32_t k = 0; k < order; k++)
        key = (key ^ (uint64_t)(variables[k] + 1)) * 0x100000001B3u;
    for (uint32_t p = 0; p < points; p++) {
        pde_tensor_block(pde_tensor_key(key, "network", 7), TENSOR_NORMAL, p, order, normal);
        out[p] = (long double)normal[0];
    }
}

bool probe_open(Compilation *c, Ref e, uint32_t vary, Probe *probe) {
    NpyFile none = {0};
    *probe = (Probe){.c = c, .values = {.cap = PROBE_DIMENSION, .vary = vary}};
    if (values_collect(c, e, &none, &probe->values) || region_of(c, &probe->values, &probe->region))
        return false;
    int64_t d = probe->values.d;
    probe->x = NEW_ARRAY(&c->arena, double, PROBE_POINTS *d + 1);
    probe->normal = NEW_ARRAY(&c->arena, double, PROBE_POINTS *d + 1);
    probe->in = values_input(&probe->values);
    probe->in.points = PROBE_POINTS;
    probe->in.x = probe->x;
    probe->in.t = c->problem->time ? probe->t : NULL;
    probe->in.normal = probe->normal;
    probe->in.net = random_network;
    probe->in.fuel = PROBE_STEPS;
    for (uint32_t p = 0; p < PROBE_POINTS; p++) {
        region_draw(&probe->region, p, probe->x + p * d, &probe->t[p]);
        region_outward(&probe->region, probe->x + p * d, probe->normal + p * d);
    }
    return true;
}

bool probe_move_to(Probe *probe, AstOp where, const Faces *on) {
    const Regions *r = &probe->region;
    FaceNumbers faces = {0};
    if (on && faces_of(probe->c, &probe->values, r, on, &faces))
        return false;
    for (uint32_t p = 0; p < PROBE_POINTS; p++) {
        double *x = probe->x + p * r->d;
        if (where == COND_BOUNDARY)
            region_to_faces(r, &faces, p, x);
        else
            probe->t[p] = where == COND_INITIAL ? r->t_lo : r->t_hi;
        region_outward(r, x, probe->normal + p * r->d);
    }
    return true;
}

bool probe_eval(Probe *probe, Ref e, double *out) {
    if (eval_double(probe->c->ir, e, &probe->in, out))
        return false;
    for (uint32_t p = 0; p < PROBE_POINTS; p++)
        if (!isfinite(out[p]))
            return false;
    return true;
}
