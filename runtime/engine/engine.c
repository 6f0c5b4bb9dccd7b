/* The engine's public calls: choice of a compiled variant, checks of a configuration, dispatch.
 * All arithmetic is in kernels/, compiled once per number type and instruction set.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "engine/engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/ops.h"

extern const PdeOps pde_ops_f32_base, pde_ops_f64_base;
#ifdef PDE_HAVE_X86_VARIANTS
extern const PdeOps pde_ops_f32_avx2, pde_ops_f64_avx2, pde_ops_f32_avx512, pde_ops_f64_avx512;
#endif

static PdeIsa best_isa(void) {
#ifdef PDE_HAVE_X86_VARIANTS
    __builtin_cpu_init();
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi2");
    int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl");
    return avx512 ? PDE_ISA_AVX512 : avx2 ? PDE_ISA_AVX2 : PDE_ISA_BASE;
#else
    return PDE_ISA_BASE;
#endif
}

PdeIsa pde_isa_best(void) {
    return best_isa();
}

const char *pde_isa_name(PdeIsa isa) {
#ifdef PDE_HAVE_X86_VARIANTS
    static const char *const name[PDE_ISAS] = {"base", "avx2", "avx512"};
#else
    static const char *const name[PDE_ISAS] = {"base"};
#endif
    return isa < PDE_ISAS ? name[isa] : NULL;
}

/* NULL if this build or this processor lacks the variant. */
static const PdeOps *choose(PdePrecision precision, PdeIsa isa) {
    static const PdeOps *const table[2][PDE_ISAS] = {
#ifdef PDE_HAVE_X86_VARIANTS
        {&pde_ops_f32_base, &pde_ops_f32_avx2, &pde_ops_f32_avx512},
        {&pde_ops_f64_base, &pde_ops_f64_avx2, &pde_ops_f64_avx512},
#else
        {&pde_ops_f32_base, NULL, NULL},
        {&pde_ops_f64_base, NULL, NULL},
#endif
    };
    PdeIsa best = best_isa();
    if (isa == PDE_ISA_BEST)
        isa = best;
    return isa <= best ? table[precision == PDE_F64][isa] : NULL;
}

/* Used by every variant. Huge pages save the address translations of a long first layer. */
void *pde_memory_zeroed(size_t bytes);

void *pde_memory_zeroed(size_t bytes) {
    const size_t huge = (size_t)2 << 20;
    size_t align = bytes >= 2 * huge ? huge : 64;
    size_t size = (bytes + align) / align * align;
    void *p = size > bytes ? aligned_alloc(align, size) : NULL;
    if (!p)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (align == huge)
        madvise(p, size, MADV_HUGEPAGE);
#endif
    memset(p, 0, size);
    return p;
}

PdeEngine *pde_engine_create(const PdeEngineConfig *c) {
    if (c->layers < 2 || c->layers > PDE_MAX_LAYERS)
        return NULL;
    if ((unsigned)c->activation >= PDE_ACTIVATIONS)
        return NULL;
    if ((unsigned)c->optimiser.kind >= PDE_OPTIMISERS)
        return NULL;
    for (int i = 0; i <= c->layers; i++)
        if (c->width[i] < 1 || c->width[i] > INT32_MAX)
            return NULL;
    const PdeOps *ops = choose(c->precision, c->isa);
    return ops ? ops->create(c) : NULL;
}

void pde_engine_destroy(PdeEngine *e) {
    if (e)
        e->ops->destroy(e);
}

const char *pde_engine_isa_name(const PdeEngine *e) {
    return e->ops->name;
}

int pde_engine_threads(const PdeEngine *e) {
    return e->ops->threads(e);
}

int64_t pde_engine_size(const PdeEngine *e) {
    return e->ops->size(e);
}

int pde_engine_slots(const PdeEngine *e) {
    return e->ops->slots(e);
}

void pde_engine_get(const PdeEngine *e, int slot, void *to) {
    assert(slot >= PDE_SLOT_PARAMETERS && to);
    e->ops->get(e, slot, to);
}

void pde_engine_set(PdeEngine *e, int slot, const void *from) {
    assert(slot >= PDE_SLOT_PARAMETERS && from);
    e->ops->set(e, slot, from);
}

int pde_engine_confine(PdeEngine *e, const uint8_t *live) {
    assert(live);
    return e->ops->confine(e, live);
}

int64_t pde_engine_live(const PdeEngine *e, int64_t *to) {
    return e->ops->live(e, to);
}

int64_t pde_engine_updates(const PdeEngine *e) {
    return *e->ops->updates((PdeEngine *)e);
}

void pde_engine_set_updates(PdeEngine *e, int64_t updates) {
    assert(updates >= 0);
    *e->ops->updates(e) = updates;
}

int pde_batch_serves(const PdeEngine *e, const PdeBatchConfig *c) {
    return e->ops->batch_serves(e, c);
}

PdeBatch *pde_batch_create(PdeEngine *e, const PdeBatchConfig *c) {
    return e->ops->batch_create(e, c);
}

void pde_batch_destroy(PdeBatch *b) {
    if (b)
        b->destroy(b);
}

void *pde_batch_x(PdeBatch *b) {
    return b->x;
}

PdeDirections *pde_batch_directions(PdeBatch *b, int block) {
    assert(block >= 0 && block < PDE_MAX_BLOCKS);
    return &b->block[block];
}

int64_t pde_batch_direction_count(const PdeBatch *b) {
    return b->directions;
}

int64_t pde_batch_rotated(const PdeBatch *b) {
    return b->rotated;
}

void pde_value(PdeEngine *e, PdeBatch *b, const PdeTaskSpec *task) {
    e->ops->value(e, b, task);
}

void pde_gradient_begin(PdeEngine *e) {
    e->ops->gradient_begin(e);
}

int pde_gradient_add(PdeEngine *e, PdeBatch *b, const PdeTaskSpec *task) {
    return e->ops->gradient_add(e, b, task);
}

int pde_gradient_finite(const PdeEngine *e) {
    return e->ops->gradient_finite(e);
}

int pde_gradient_store(PdeEngine *e) {
    return e->ops->gradient_store(e);
}

double pde_gradient_norm(PdeEngine *e) {
    return e->ops->gradient_norm(e);
}

void pde_gradient_scale(PdeEngine *e, double factor) {
    e->ops->gradient_scale(e, factor);
}

double pde_gradient_clip(PdeEngine *e, double limit) {
    assert(limit > 0);
    if (!pde_gradient_store(e))
        return -1.0;
    double norm = pde_gradient_norm(e);
    if (norm > limit)
        pde_gradient_scale(e, limit / norm);
    return norm;
}

void pde_update(PdeEngine *e, double rate) {
    e->ops->update(e, rate);
}

PdeJacobian *pde_jacobian_create(PdeEngine *e, const PdeJacobianPart *part, int parts,
                                 int64_t most) {
    assert(parts > 0);
    return e->ops->jacobian_create(e, part, parts, most);
}

void pde_jacobian_destroy(PdeJacobian *j) {
    if (j)
        j->ops->jacobian_destroy(j);
}

int64_t pde_jacobian_rows(const PdeJacobian *j) {
    return j->ops->jacobian_rows(j);
}

int pde_jacobian_blocks(const PdeJacobian *j) {
    return j->ops->jacobian_blocks(j);
}

int64_t pde_jacobian_bytes(const PdeJacobian *j) {
    return j->ops->jacobian_bytes(j);
}

void pde_jacobian_begin(PdeJacobian *j) {
    j->ops->jacobian_begin(j);
}

void pde_jacobian_add(PdeJacobian *j, int part, const PdeTaskSpec *task) {
    assert(part >= 0 && task);
    j->ops->jacobian_add(j, part, task);
}

void pde_jacobian_gram(PdeJacobian *j, double *k) {
    j->ops->jacobian_gram(j, k);
}

void pde_jacobian_times(PdeJacobian *j, int slot, double *out) {
    j->ops->jacobian_times(j, slot, out);
}

void pde_jacobian_transposed(PdeJacobian *j, const double *s) {
    j->ops->jacobian_transposed(j, s);
}

PdeNormal *pde_normal_create(PdeEngine *e, const PdeJacobianPart *part, int parts, int64_t more) {
    return e->ops->normal_create(e, part, parts, more);
}

void pde_normal_destroy(PdeNormal *n) {
    if (n)
        n->ops->normal_destroy(n);
}

int64_t pde_normal_bytes(const PdeNormal *n) {
    return n->ops->normal_bytes(n);
}

void pde_normal_add(PdeNormal *n, int part, const PdeTaskSpec *task) {
    n->ops->normal_add(n, part, task);
}

void pde_normal_sum(PdeNormal *n, const double *r, const double *more, struct Tiled *a, double *g) {
    n->ops->normal_sum(n, r, more, a, g);
}

int pde_gradient_set(PdeEngine *e, const void *from) {
    return e->ops->gradient_set(e, from);
}

int pde_engine_keep(PdeEngine *e) {
    return e->ops->keep(e);
}

void pde_engine_undo(PdeEngine *e) {
    e->ops->undo(e);
}

int pde_engine_set_optimiser(PdeEngine *e, const PdeOptimConfig *config) {
    return e->ops->set_optimiser(e, config);
}

void pde_engine_forget(PdeEngine *e) {
    e->ops->forget(e);
}

double pde_engine_norm(const PdeEngine *e, int slot) {
    return e->ops->norm(e, slot);
}

void pde_input_gradient(PdeEngine *e, PdeBatch *b, int output, void *to) {
    e->ops->input_gradient(e, b, output, to);
}

void pde_reverse(PdeEngine *e, PdeBatch *b, const PdeTaskSpec *task) {
    e->ops->reverse(e, b, task);
}

void pde_adjoint(PdeEngine *e, PdeBatch *b, int block, void *to) {
    e->ops->adjoint(e, b, block, to);
}

void pde_engine_run(PdeEngine *e, PdeRegion *task, void *context, long tasks) {
    e->ops->run(e, task, context, tasks);
}

void pde_engine_later(PdeEngine *e, PdeRegion *task, void *context, long tasks) {
    e->ops->later(e, task, context, tasks);
}

void pde_engine_share(const PdeEngine *e, int64_t n, int64_t *first, int64_t *last) {
    int64_t *room;
    pde_own_share(e->ops->ranks(e, &room), n, first, last);
}

void pde_engine_gather(PdeEngine *e, void *at, int64_t n, size_t unit) {
    int64_t *room;
    const PdeRanks *ranks = e->ops->ranks(e, &room);
    for (int r = 0; ranks && r <= ranks->ranks; r++)
        room[r] = pde_share(ranks, r, n);
    if (ranks)
        ranks->gather(ranks->self, &(PdePiece){at, 1, 0, unit, room}, 1);
}

void pde_engine_whole(PdeEngine *e) {
    e->ops->whole(e);
}

int pde_engine_ranks(const PdeEngine *e) {
    int64_t *room;
    const PdeRanks *ranks = e->ops->ranks(e, &room);
    return ranks ? ranks->ranks : 1;
}

void pde_random_fill(const PdeEngine *e, PdeLaw law, uint64_t seed, uint32_t stream, uint32_t step,
                     uint32_t point0, int64_t i0, int64_t i1, void *to, double *squares) {
    assert(i0 >= 0 && i0 <= i1);
    e->ops->random_fill(law, seed, stream, step, point0, i0, i1, to, squares);
}
