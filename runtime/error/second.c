/* second.c: see second.h. */
#include "error/second.h"

#include <math.h>

/* Part of E[e^2] + variance that is the square of the error itself: what a path says of e on its way is right in the
 * mean only. */
static double share_of(const ErrorPoint *p) {
    double square = p->error * p->error + p->variance;
    return square > 0 ? fmin(fmax(p->product / square, 0), 1) : 0;
}

/* Means of what is bounded, over the paths that were not lost. */
static WalkSecond mean_of(const WalkSecond *path, int64_t count) {
    WalkSecond m = {0};
    double n = 0;
    for (int64_t k = 0; k < count; k++)
        n += !isnan(path[k].most);
    for (int64_t k = 0; k < count; k++)
        if (!isnan(path[k].most)) {
            m.most += path[k].most / n;
            m.drift += path[k].drift / n;
            m.beyond += path[k].beyond / n;
        }
    return m;
}

double second_share(const ErrorPoint *p, const WalkSecond *path, double *fine, double *coarse,
                    int64_t count) {
    double share = share_of(p);
    for (int64_t k = 0; k < count; k++) {
        fine[k] -= share * path[k].part;
        if (coarse)
            coarse[k] -= share * path[k].part;
    }
    return share;
}

double second_slope(const WalkFacts *f, const ErrorPoint *p) {
    return -f->bend_slope * p->variance / 2;
}

double second_rest(const WalkFacts *f, const ErrorPoint *p, const WalkSecond *path,
                   const WalkSecond *shifted, int64_t count, double share) {
    double square = p->error * p->error + p->variance;
    double rest = fabs(f->bend_slope) * p->variance / 4 + f->bend_diagonal * square;
    if (!path)
        return rest;
    WalkSecond m = mean_of(path, count);
    if (shifted) {
        WalkSecond more = mean_of(shifted, count);
        m.beyond = more.beyond;
        m.drift = fmax(m.drift, more.drift);
    }
    double known = share * m.most, again = square > 0 ? 2 * known * known / sqrt(square) : 0;
    return rest + (1 - share) * m.most + sqrt(m.drift * p->variance) + m.beyond + again;
}
