/* accept.c: points of a domain with `where`: those that do not belong to it are drawn again, by other seeds, until all
 * do. What is declared is in points.h. */
#include "step/points.h"

#include "contract/rng.h"
#include "engine/real.h"

#include <assert.h>

/* Points of a domain with `where`: tries before it is given up, of those at the beginning, and the least share. */
enum { ACCEPT_TRIES = 1000000, ACCEPT_LOOKS = 20000 };
static const double ACCEPT_LEAST = 1e-4;

/* Rows of a group that say where its points are, and where they stand among those of the accepted ones. */
typedef struct RowBlock {
    void *at;
    int64_t rows;
} RowBlock;

static int64_t row_blocks(const Points *p, int64_t group, RowBlock block[3]) {
    const Problem *q = p->c.problem;
    int64_t normals = p->normal ? q->d : 0;
    block[0] = (RowBlock){real_at(q->precision, p->c.x, group * q->n_in * PDE_LANES), q->n_in};
    block[1] = (RowBlock){
        q->aux_rows ? real_at(q->precision, p->aux, group * q->aux_rows * PDE_LANES) : NULL,
        q->aux_rows};
    block[2] = (RowBlock){
        normals ? real_at(q->precision, p->normal, group * q->d * PDE_LANES) : NULL, normals};
    return q->n_in + q->aux_rows + normals;
}

/* Between the group and its accepted points; lane < 0: all lanes. */
static void move_accepted(const Points *p, int64_t group, int lane, bool back) {
    RowBlock block[3];
    const int64_t rows = row_blocks(p, group, block);
    const PdePrecision precision = p->c.problem->precision;
    int64_t to = group * rows;
    for (int b = 0; b < 3; b++)
        for (int64_t i = 0; i < block[b].rows; i++, to++)
            for (int l = lane < 0 ? 0 : lane; l < (lane < 0 ? PDE_LANES : lane + 1); l++)
                if (back)
                    real_set(precision, block[b].at, i * PDE_LANES + l,
                             real_get(precision, p->accepted, to * PDE_LANES + l));
                else
                    real_set(precision, p->accepted, to * PDE_LANES + l,
                             real_get(precision, block[b].at, i * PDE_LANES + l));
}

/* Draws a group by another seed and says which of its points belong to the domain; how many do. */
static int try_group(const Points *p, int64_t group, uint32_t attempt, bool inside[PDE_LANES]) {
    Points again = *p;
    const Problem *q = p->c.problem;
    double room[PDE_LANES] = {0};
    int n = 0;
    if (attempt)
        again.seed = pde_random_word64(
            p->seed, stream_of(STREAM_AUX, p->c.role, p->c.task, PLAN_SPACES_MAX), 0, attempt, 0);
    points_draw_group(&again, group, true);
    PdePointArgs args = points_args(&again, group);
    args.out = room;
    q->kernels.inside(&args);
    for (int l = 0; l < PDE_LANES; l++)
        n += inside[l] = real_get(q->precision, room, l) > 0.5;
    return n;
}

void accept_draw(Points *p, int64_t group) {
    bool taken[PDE_LANES] = {false}, inside[PDE_LANES];
    int left = PDE_LANES;
    for (uint32_t attempt = 0; left > 0 && attempt < ACCEPT_TRIES; attempt++) {
        (void)try_group(p, group, attempt, inside);
        for (int l = 0; l < PDE_LANES; l++) {
            if (taken[l] || !inside[l])
                continue;
            move_accepted(p, group, l, false);
            taken[l] = true;
            left--;
        }
    }
    assert(left == 0 && "the chance of a point was looked at when the points were made");
    move_accepted(p, group, -1, true);
}

Status accept_check(Points *p, Error *error) {
    bool inside[PDE_LANES];
    long found = 0, tried = 0;
    for (uint32_t attempt = 1; found < 100 && attempt < ACCEPT_LOOKS; attempt++, tried += PDE_LANES)
        found += try_group(p, 0, attempt, inside);
    p->share = (double)found / (double)tried;
    if ((double)found >= ACCEPT_LEAST * (double)tried)
        return STATUS_OK;
    return error_set(error, STATUS_OPTION_CONFLICT,
                     "of %ld points for '%s' only %ld belong to the domain: state a domain that "
                     "surrounds it closely",
                     tried,
                     p->c.kind == PLAN_equation ? "the equation"
                                                : p->c.problem->plan.task[p->c.task].name,
                     found);
}
