/* One variant of the engine: the whole of this folder for one number type and instruction set.
 * The build compiles this file once per variant with -DPDE_VARIANT=<suffix> (see engine.c for the
 * list), -DPDE_REAL_F64 for double, and the instruction set's flags.
 */
#include "engine/kernels/natural_apply.h"
#include "engine/kernels/normal.h"
#include "engine/ops.h"
#include "engine/kernels/random.h"
#include "engine/kernels/parameters.h"
#include "engine/kernels/step.h"

#define JOIN(a, b) a##b
#define NAME_OF(suffix) JOIN(pde_ops_, suffix)
#define TEXT_OF(suffix) #suffix
#define TEXT(suffix) TEXT_OF(suffix)

static PdeEngine *engine_create(const PdeEngineConfig *config);

static int engine_threads(const PdeEngine *engine) {
    return pde_pool_size(((const Engine *)engine)->pool);
}

static int engine_slots(const PdeEngine *engine) {
    return ((const Engine *)engine)->slots;
}

static int64_t *engine_updates(PdeEngine *engine) {
    return &((Engine *)engine)->updates;
}

static void engine_run(PdeEngine *engine, PdeRegion *task, void *context, long tasks) {
    pde_pool_run(((Engine *)engine)->pool, task, context, tasks);
}

static void engine_later(PdeEngine *engine, PdeRegion *task, void *context, long tasks) {
    pde_pool_later(((Engine *)engine)->pool, task, context, tasks);
}

static const PdeRanks *engine_ranks(const PdeEngine *engine, int64_t **room) {
    const Engine *e = (const Engine *)engine;
    *room = e->room;
    return e->ranks;
}

extern const PdeOps NAME_OF(PDE_VARIANT);

const PdeOps NAME_OF(PDE_VARIANT) = {
    .name = TEXT(PDE_VARIANT),
    .create = engine_create,
    .destroy = engine_destroy,
    .threads = engine_threads,
    .size = engine_size,
    .slots = engine_slots,
    .get = engine_get,
    .set = engine_set,
    .confine = engine_confine,
    .live = engine_live,
    .updates = engine_updates,
    .batch_serves = batch_serves,
    .batch_create = batch_create,
    .value = step_value,
    .gradient_begin = step_gradient_begin,
    .gradient_add = step_gradient_add,
    .gradient_finite = step_gradient_finite,
    .gradient_store = step_gradient_store,
    .gradient_norm = step_gradient_norm,
    .gradient_scale = step_gradient_scale,
    .update = step_update,
    .input_gradient = step_input_gradient,
    .reverse = step_reverse,
    .adjoint = step_adjoint,
    .jacobian_create = jacobian_create,
    .jacobian_destroy = jacobian_destroy,
    .jacobian_rows = jacobian_rows,
    .jacobian_blocks = jacobian_blocks,
    .jacobian_bytes = jacobian_bytes,
    .jacobian_begin = jacobian_begin,
    .jacobian_add = jacobian_add,
    .jacobian_gram = jacobian_gram,
    .jacobian_times = jacobian_times,
    .jacobian_transposed = jacobian_transposed,
    .normal_create = normal_create,
    .normal_destroy = normal_destroy,
    .normal_bytes = normal_bytes,
    .normal_add = normal_add,
    .normal_sum = normal_sum,
    .tile_pack = tile_pack,
    .tile_minus = tile_minus,
    .gradient_set = step_gradient_set,
    .keep = step_keep,
    .undo = step_undo,
    .set_optimiser = engine_set_optimiser,
    .forget = step_forget,
    .norm = step_norm,
    .run = engine_run,
    .later = engine_later,
    .ranks = engine_ranks,
    .whole = engine_whole,
    .random_fill = random_fill,
};

static PdeEngine *engine_create(const PdeEngineConfig *config) {
    return engine_create_with(&NAME_OF(PDE_VARIANT), config);
}
