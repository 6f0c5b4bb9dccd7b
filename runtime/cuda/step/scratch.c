/* scratch.c: memory of the rows of a tile of points, and how many points a tile may have. */
#include "cuda/step/device_session.h"

#include <assert.h>

enum {
    ALIGNMENT = 256,
    MOST_POINTS = 65520 /* of a tile: a grid has no more rows of blocks than 65,535 */
};

typedef struct Carve {
    char *base;
    size_t used, real;
} Carve;

static void *carve(Carve *c, int64_t numbers) {
    assert(numbers >= 0);
    void *p = c->base ? c->base + c->used : NULL;
    c->used += ((size_t)numbers * c->real + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return p;
}

static int64_t widest(const CudaSession *s) {
    int64_t h = 1;
    for (int l = 0; l < s->hidden; l++)
        h = s->host->network.width[l + 1] > h ? s->host->network.width[l + 1] : h;
    return h;
}

/* Values, adjoints and their seeds: matrices of points x h. */
static void carve_values(const CudaSession *s, const CudaRoute *r, int64_t points, Carve *c,
                         CudaScratch *w) {
    bool taylor = r->order > 2, adjoint = !taylor && r->K > 0;
    bool slope = r->slope != NULL || adjoint;
    int orders = taylor ? 5 : 3, seeds = taylor ? r->order : 2;
    size_t before = c->used;
    for (int l = 0; l < s->hidden; l++)
        for (int m = 1; m <= seeds; m++)
            w->sbar[l][m] = carve(c, points * s->host->network.width[l + 1]);
    w->sbar_bytes = c->used - before;
    for (int l = 0; l < s->hidden; l++) {
        int64_t n = points * s->host->network.width[l + 1];
        for (int m = 0; m <= orders; m++)
            w->s[l][m] = carve(c, n);
        w->lambda[l] = carve(c, slope ? n * s->outputs : 0);
        w->g[l] = carve(c, slope ? n * s->outputs : 0);
        w->c[l] = carve(c, slope ? n * s->outputs : 0);
        w->cbar[l] = carve(c, adjoint ? n * s->outputs : 0);
    }
    w->z = carve(c, points * widest(s));
    w->bar[0] = carve(c, points * widest(s));
    w->bar[1] = carve(c, points * widest(s));
    w->gbar = carve(c, adjoint ? points * s->outputs * s->h1 : 0);
    w->n = carve(c, points * s->outputs);
    w->nbar = carve(c, points * s->outputs);
}

/* What the combine kernel reads and writes of a point. */
static void carve_jets(const CudaSession *s, const CudaRoute *r, int64_t points, Carve *c,
                       CudaScratch *w) {
    int64_t E = r->residuals, nk = s->outputs * r->K;
    for (int m = 0; m < r->order; m++)
        w->d[m] = carve(c, points * nk);
    w->seed = carve(c, points * r->order * nk);
    size_t before = c->used;
    w->seed_n = carve(c, points * E * s->outputs);
    for (int m = 0; m < r->order; m++)
        w->seed_d[m] = carve(c, points * E * nk);
    w->seed_bytes = c->used - before;
}

size_t cuda_scratch_carve(const CudaSession *s, const CudaRoute *r, int64_t points, char *base,
                          CudaScratch *w) {
    Carve c = {.base = base, .real = s->real};
    bool taylor = r->order > 2;
    int64_t rows = taylor ? points * r->order * r->K : points * r->K2;
    *w = (CudaScratch){0};
    carve_values(s, r, points, &c, w);
    carve_jets(s, r, points, &c, w);
    w->r = carve(&c, (r->point_rows ? points : 1) * r->K * s->h1);
    for (int l = 0; l < s->hidden && rows > 0; l++) {
        int64_t n = rows * s->host->network.width[l + 1];
        bool top = l == s->hidden - 1;
        w->t[l] = carve(&c, taylor || l > 0 ? n : 0);
        w->a[l] = carve(&c, taylor || !top ? n : 0);
    }
    w->tbar[0] = carve(&c, rows * widest(s));
    w->tbar[1] = carve(&c, rows * widest(s));
    return c.used;
}

size_t cuda_scratch_bytes(const CudaSession *s, int64_t points) {
    size_t most = 0;
    for (int i = s->score ? -1 : 0; i < s->routes; i++) {
        CudaScratch w;
        const CudaRoute *r = i < 0 ? cuda_score_route(s->score) : s->route[i];
        size_t size = cuda_scratch_carve(s, r, points, NULL, &w);
        most = size > most ? size : most;
    }
    return most;
}

/* The largest tile of at most `most` points whose rows fit in `room` bytes: all, or whole groups.
 */
static int64_t largest_tile(const CudaSession *s, int64_t most, size_t room) {
    int64_t low = 0, high = problem_groups(most);
    if (cuda_scratch_bytes(s, most) <= room)
        return most;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (cuda_scratch_bytes(s, middle * PDE_LANES) <= room)
            low = middle;
        else
            high = middle;
    }
    return low * PDE_LANES;
}

Status cuda_scratch_open(CudaSession *s, int64_t most, Error *error) {
    assert(most > 0);
    size_t used = (size_t)cuda_session_bytes(s), memory = s->backend->memory;
    most = most < MOST_POINTS ? most : MOST_POINTS;
    s->tile = largest_tile(s, most, memory == 0 ? SIZE_MAX : memory > used ? memory - used : 0);
    if (s->tile == 0)
        return error_set(
            error, STATUS_OUT_OF_MEMORY,
            "a step needs more memory than %s has (%.1f GB): %.1f GB are for parameters "
            "and points, and the rest does not hold %d points; --accumulate, fewer "
            "--points or a smaller --width need less",
            s->backend->name, (double)s->backend->memory / 1e9, cuda_session_bytes(s) / 1e9,
            PDE_LANES);
    s->scratch = cuda_buffer(s, USE_rows, (int64_t)cuda_scratch_bytes(s, s->tile), 1);
    return STATUS_OK;
}
