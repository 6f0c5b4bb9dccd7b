/* touch.c: see touch.h. Twelve points on a line between two points of the domain, then twelve about the least of
 * them, and so on: where 1 - cos(x_1) is 0 it is so to rounding. */
#include "eval/touch.h"

#include <math.h>

#include "base/compilation.h"

enum { LINES = 6, ZOOMS = 16 };
static const double ZERO = 1e-13; /* in parts of the largest value on the line */
static const double NEAR = 1e-4, FURTHER = 1e-3, MARGIN = 0.1; /* between them a power is seen */

typedef struct Line {
    Probe *probe;
    const double *from, *to; /* [d] */
    double from_t, to_t;
    double zero; /* where it was found, 0..1 */
} Line;

static void put_points(const Line *l, double lo, double hi) {
    int64_t d = l->probe->values.d;
    for (uint32_t p = 0; p < PROBE_POINTS; p++) {
        double s = lo + (hi - lo) * p / (PROBE_POINTS - 1);
        for (int64_t i = 0; i < d; i++)
            l->probe->x[p * d + i] = l->from[i] + s * (l->to[i] - l->from[i]);
        l->probe->t[p] = l->from_t + s * (l->to_t - l->from_t);
    }
}

static double largest(const double *value) {
    double most = 0;
    for (uint32_t p = 0; p < PROBE_POINTS; p++)
        most = fmax(most, fabs(value[p]));
    return most;
}

/* The points end at the least value, which is neither end of the line; false: there is none, or it is not 0. */
static bool ends_at_zero(Line *l, Ref e) {
    double value[PROBE_POINTS], lo = 0, hi = 1, most = 0, least = HUGE_VAL;
    for (int zoom = 0; zoom < ZOOMS; zoom++) {
        put_points(l, lo, hi);
        if (!probe_eval(l->probe, e, value))
            return false;
        uint32_t at = 0;
        for (uint32_t p = 1; p < PROBE_POINTS; p++)
            at = value[p] < value[at] ? p : at;
        if (zoom == 0 && (at == 0 || at == PROBE_POINTS - 1))
            return false;
        most = zoom == 0 ? largest(value) : most;
        least = fmin(least, value[at]);
        double width = (hi - lo) / (PROBE_POINTS - 1), middle = lo + width * at;
        lo = fmax(0, middle - width);
        hi = fmin(1, middle + width);
        l->zero = middle;
    }
    return fabs(least) <= ZERO * most && region_depth(&l->probe->region, l->probe->x) > 0;
}

/* The largest value at this distance on either side. */
static double size_at(const Line *l, Ref e, double distance) {
    double value[PROBE_POINTS];
    put_points(l, l->zero - distance, l->zero + distance);
    bool known = probe_eval(l->probe, e, value);
    return known ? fmax(fabs(value[0]), fabs(value[PROBE_POINTS - 1])) : (double)NAN;
}

/* Never too high. */
static int order_of(const Line *l, Ref e) {
    double near = size_at(l, e, NEAR), further = size_at(l, e, FURTHER);
    double power = log(further / near) / log(FURTHER / NEAR) + MARGIN;
    return isfinite(power) && power >= 1 ? (int)power : 0;
}

bool touch_find(Compilation *c, Ref e, Ref beside, int *order) {
    Probe probe;
    if (!probe_open(c, ir_mul2(c->ir, e, beside), 0, &probe))
        return false;
    int64_t d = probe.values.d;
    double *point = NEW_ARRAY(&c->arena, double, PROBE_POINTS *d + 1), t[PROBE_POINTS];
    for (int64_t i = 0; i < PROBE_POINTS * d; i++)
        point[i] = probe.x[i];
    for (uint32_t p = 0; p < PROBE_POINTS; p++)
        t[p] = probe.t[p];
    for (uint32_t k = 0; k < LINES; k++) {
        Line line = {&probe,
                     point + (size_t)2 * k * (size_t)d,
                     point + (size_t)(2 * k + 1) * (size_t)d,
                     t[2 * k],
                     t[2 * k + 1],
                     0};
        if (!ends_at_zero(&line, e))
            continue;
        *order = order_of(&line, beside);
        return true;
    }
    return false;
}
