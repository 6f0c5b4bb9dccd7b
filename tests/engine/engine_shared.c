/* Regions divided among ranks: whatever their number, an engine is left with the bits of one that is alone. Here the
 * ranks are threads of one process, and what they exchange is copied from array to array. */
#define _POSIX_C_SOURCE 200809L
#include "engine_check.h"

#include <pthread.h>

#include "runtime/engine/tiled.h"

enum { RANKS_MOST = 7, STEPS = 2 };

/* ---------------------------------------------------------------------------------- the ranks */

typedef struct Team {
    int ranks;
    pthread_barrier_t barrier;
    const PdePiece *piece[RANKS_MOST]; /* the lists of the exchange that is going on */
    int pieces[RANKS_MOST];
    long exchanges, unlike; /* lists that were not those of rank 0 */
} Team;

typedef struct Member {
    Team *team;
    PdeRanks ranks;
    Case c;
    void (*work)(struct Member *m);
    double *result; /* [results] */
    long results;
} Member;

static void copy_part(const PdePiece *to, const PdePiece *from, int rank) {
    size_t begin = (size_t)from->first[rank] * from->unit;
    size_t size = (size_t)from->first[rank + 1] * from->unit - begin;
    for (int64_t i = 0; i < from->rows; i++) {
        size_t at = (size_t)i * from->stride + begin;
        memcpy((char *)to->at + at, (const char *)from->at + at, size);
    }
}

static void gather(void *self, const PdePiece *piece, int pieces) {
    Member *m = self;
    Team *t = m->team;
    t->piece[m->ranks.rank] = piece;
    t->pieces[m->ranks.rank] = pieces;
    pthread_barrier_wait(&t->barrier);
    if (m->ranks.rank == 0)
        t->exchanges++;
    else
        t->unlike += pieces != t->pieces[0];
    for (int r = 0; r < t->ranks; r++)
        for (int i = 0; i < pieces && r != m->ranks.rank; i++)
            copy_part(&piece[i], &t->piece[r][i], r);
    pthread_barrier_wait(&t->barrier);
}

static void *member_thread(void *context) {
    Member *m = context;
    m->work(m);
    return NULL;
}

/* `work` by so many ranks at once (0: one engine that knows of none), each with an engine of its own. The exchanges. */
static int by_coordinates; /* the first layer is divided, too */

static long run_team(const Problem *p, int f64, int threads, int uniform, int ranks,
                     void (*work)(Member *m), Member *member) {
    Team team = {.ranks = ranks ? ranks : 1};
    pthread_t thread[RANKS_MOST];
    int opened = 1;
    pthread_barrier_init(&team.barrier, NULL, (unsigned)team.ranks);
    for (int r = 0; r < team.ranks; r++) {
        Member *m = &member[r];
        *m = (Member){.team = &team, .work = work};
        m->ranks = (PdeRanks){.rank = r,
                              .ranks = team.ranks,
                              .gather = gather,
                              .self = m,
                              .coordinates = by_coordinates};
        check_ranks = ranks ? &m->ranks : NULL;
        opened = opened && case_open_on(&m->c, p, f64, threads, PDE_ISA_BEST, uniform);
    }
    check_ranks = NULL;
    for (int r = 0; r < team.ranks && opened; r++)
        pthread_create(&thread[r], NULL, member_thread, &member[r]);
    for (int r = 0; r < team.ranks && opened; r++)
        pthread_join(thread[r], NULL);
    pthread_barrier_destroy(&team.barrier);
    return opened && team.unlike == 0 ? team.exchanges : -1;
}

static void close_team(Member *member, int ranks) {
    for (int r = 0; r < (ranks ? ranks : 1); r++) {
        case_close(&member[r].c);
        free(member[r].result);
    }
}

/* ------------------------------------------------------------------------------- what they do */

static void keep_result(Member *m, const void *from, long numbers) {
    m->result = realloc(m->result, (size_t)(m->results + numbers) * sizeof *m->result);
    memcpy(m->result + m->results, from, (size_t)numbers * sizeof *m->result);
    m->results += numbers;
}

/* All slots, as they are in canonical order. */
static void keep_engine(Member *m) {
    pde_engine_whole(m->c.e);
    double *v = malloc((size_t)m->c.n * sizeof *v);
    for (int slot = 0; slot <= pde_engine_slots(m->c.e); slot++) {
        pde_engine_get(m->c.e, slot, v);
        for (long i = m->c.n; i-- > 0;)
            v[i] = get_real(&m->c, v, i);
        keep_result(m, v, m->c.n);
    }
    free(v);
}

/* Residuals of all points, and a note beside each. */
typedef struct Noted {
    Case *c;
    double *note;
} Noted;

static void noting_combine(void *context, const PdeJet *jet) {
    Noted *n = context;
    check_combine(n->c, jet);
    n->note[jet->point] = 1 + get_real(n->c, jet->n, 0);
}

static void take_steps(Member *m) {
    Case *c = &m->c;
    long points = (long)c->p->points;
    double *residual = calloc((size_t)points, sizeof(double)),
           *note = calloc((size_t)points, sizeof(double));
    Noted noted = {c, note};
    PdeTaskSpec task = {.combine = noting_combine,
                        .context = &noted,
                        .scale = 0.01,
                        .residual = residual,
                        .shared = 1,
                        .beside = note,
                        .beside_unit = sizeof *note};
    for (int i = 0; i < STEPS; i++) {
        pde_value(c->e, c->q, &task);
        keep_result(m, residual, points * (c->f64 ? 8 : 4) / 8);
        pde_gradient_begin(c->e);
        pde_gradient_add(c->e, c->q, &task);
        keep_result(m, residual, points * (c->f64 ? 8 : 4) / 8);
        keep_result(m, note, points);
        pde_update(c->e, 1e-3);
    }
    keep_engine(m);
    free(residual);
    free(note);
}

/* K, J phi, and an update by J' s; then the normal equations of the same rows. */
static void take_natural(Member *m) {
    Case *c = &m->c;
    size_t n = (size_t)c->p->points;
    double *k = calloc(n * n, sizeof *k), *along = calloc(n, sizeof *along);
    PdeJacobian *j =
        pde_jacobian_create(c->e, &(PdeJacobianPart){c->q, 0}, 1, m->c.f64 ? 40000 : 0);
    PdeTaskSpec task = {.combine = check_combine, .context = c, .scale = 1, .shared = 1};
    for (int i = 0; i < STEPS; i++) {
        pde_jacobian_begin(j);
        pde_jacobian_add(j, 0, &task);
        pde_jacobian_gram(j, k);
        pde_jacobian_times(j, PDE_SLOT_STATE, along);
        keep_result(m, k, (long)(n * n));
        keep_result(m, along, (long)n);
        pde_jacobian_transposed(j, k);
        pde_update(c->e, 1e-3);
    }
    pde_jacobian_destroy(j);
    PdeNormal *normal = pde_normal_create(c->e, &(PdeJacobianPart){c->q, 0}, 1, 0);
    Tiled a = {.n = c->n};
    a.m = calloc((size_t)tiled_size(c->n), sizeof *a.m);
    double *g = calloc((size_t)c->n, sizeof *g);
    pde_normal_add(normal, 0, &task);
    pde_normal_sum(normal, along, NULL, &a, g);
    keep_result(m, a.m, (long)tiled_size(c->n));
    keep_result(m, g, c->n);
    pde_normal_destroy(normal);
    keep_engine(m);
    free(a.m);
    free(g);
    free(k);
    free(along);
}

/* Adjoints by the points. */
static void take_adjoints(Member *m) {
    Case *c = &m->c;
    long size = check_groups(c->p->points) * c->n_in * PDE_LANES;
    double *to = calloc((size_t)size, sizeof *to);
    PdeTaskSpec task = {.combine = check_combine, .context = c, .scale = 1, .shared = 1};
    pde_reverse(c->e, c->q, &task);
    pde_adjoint(c->e, c->q, -1, to);
    keep_result(m, to, size * (c->f64 ? 8 : 4) / 8);
    free(to);
}

static const char *same_as_alone(const Problem *p, int f64, int uniform, void (*work)(Member *m)) {
    static const int ranks[] = {2, 3, RANKS_MOST};
    static Member alone, member[RANKS_MOST];
    const char *wrong = run_team(p, f64, 1, uniform, 0, work, &alone) < 0 ? "not opened" : NULL;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks && !wrong; i++) {
        int threads = ranks[i] == 2 ? 2 : 1;
        long exchanges = run_team(p, f64, threads, uniform, ranks[i], work, member);
        if (exchanges <= 0)
            wrong = "no exchanges";
        for (int r = 0; r < ranks[i] && !wrong; r++)
            if (member[r].results != alone.results ||
                memcmp(member[r].result, alone.result, (size_t)alone.results * sizeof(double)))
                wrong = "other bits";
        close_team(member, ranks[i]);
    }
    close_team(&alone, 0);
    return wrong;
}

static const size_t problem_count = sizeof problems / sizeof *problems;

TEST steps_have_the_bits_of_one(void) {
    for (size_t i = 0; i < problem_count; i++)
        ASSERT_EQm(problems[i].name, NULL, same_as_alone(&problems[i], (int)i % 2, 0, take_steps));
    PASS();
}

/* Rows of second order that are rotated. */
TEST rotated_steps_too(void) {
    static const Problem p = {
        "rotated", 3, {30, 12, 9, 1}, PDE_ACT_tanh, 21, 1, {{PDE_DIR_UNIT, 2, 25, 0}}};
    ASSERT_EQ(NULL, same_as_alone(&p, 0, 2, take_steps));
    ASSERT_EQ(NULL, same_as_alone(&p, 1, 2, take_steps));
    PASS();
}

TEST natural_steps_too(void) {
    for (size_t i = 0; i < problem_count; i++)
        if (problems[i].blocks > 0 && problems[i].points < 20 && problems[i].width[0] < 50)
            ASSERT_EQm(problems[i].name, NULL,
                       same_as_alone(&problems[i], (int)i % 2, 0, take_natural));
    PASS();
}

TEST adjoints_too(void) {
    for (size_t i = 0; i < problem_count; i += 3)
        ASSERT_EQm(problems[i].name, NULL, same_as_alone(&problems[i], 1, 0, take_adjoints));
    PASS();
}

/* A spec that does not say what its combine writes is no one's to divide. */
static void take_own_steps(Member *m) {
    PdeTaskSpec task = {.combine = check_combine, .context = &m->c, .scale = 0.01};
    pde_gradient_begin(m->c.e);
    pde_gradient_add(m->c.e, m->c.q, &task);
    pde_update(m->c.e, 1e-3);
    keep_engine(m);
}

TEST what_is_not_declared_is_not_divided(void) {
    static Member member[3];
    ASSERT_EQ(0, run_team(&problems[0], 0, 1, 0, 3, take_own_steps, member));
    ASSERT_MEM_EQ(member[0].result, member[2].result, (size_t)member[0].results * sizeof(double));
    close_team(member, 3);
    PASS();
}

/* Steps that ranks divide and steps that they do not, one after the other, and what reads all of W1 between them. */
static void take_mixed(Member *m) {
    Case *c = &m->c;
    long size = check_groups(c->p->points) * c->n_in * PDE_LANES;
    double *to = calloc((size_t)size, sizeof *to);
    for (int i = 0; i < 4; i++) {
        PdeTaskSpec task = {
            .combine = check_combine, .context = c, .scale = 0.01, .shared = i != 2};
        pde_gradient_begin(c->e);
        pde_gradient_add(c->e, c->q, &task);
        if (i == 1)
            pde_gradient_clip(c->e, 1e-3);
        pde_update(c->e, 1e-3);
    }
    pde_input_gradient(c->e, c->q, 0, to);
    keep_result(m, to, size * (c->f64 ? 8 : 4) / 8);
    keep_engine(m);
    free(to);
}

/* Of the first layer, every rank has its coordinates. */
TEST coordinates_too(void) {
    static const Problem long_one = {
        "several leaves",
        3,
        {1700, 9, 6, 1},
        PDE_ACT_tanh,
        11,
        3,
        {{PDE_DIR_GRAM, 2, 9, 0}, {PDE_DIR_PAIR, 2, 7, 0}, {PDE_DIR_POINT_SPARSE, 1, 3, 4}}};
    static void (*const work[])(Member *) = {take_steps, take_mixed, take_adjoints};
    by_coordinates = 1;
    for (size_t k = 0; k < sizeof work / sizeof *work; k++)
        ASSERT_EQ(NULL, same_as_alone(&long_one, (int)k % 2, 0, work[k]));
    for (size_t i = 0; i < problem_count; i++)
        ASSERT_EQm(problems[i].name, NULL,
                   same_as_alone(&problems[i], (int)i % 2, 0, i % 2 ? take_steps : take_mixed));
    by_coordinates = 0;
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(steps_have_the_bits_of_one);
    RUN_TEST(rotated_steps_too);
    RUN_TEST(natural_steps_too);
    RUN_TEST(adjoints_too);
    RUN_TEST(coordinates_too);
    RUN_TEST(what_is_not_declared_is_not_divided);
    GREATEST_MAIN_END();
}
