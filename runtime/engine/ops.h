/* The table of entry points that each compiled variant exports to engine.c. */
#ifndef PDE_RUNTIME_ENGINE_OPS_H
#define PDE_RUNTIME_ENGINE_OPS_H

#include "engine/engine.h"

typedef struct PdeOps {
    const char *name;
    PdeEngine *(*create)(const PdeEngineConfig *config);
    void (*destroy)(PdeEngine *engine);
    int (*threads)(const PdeEngine *engine);
    int64_t (*size)(const PdeEngine *engine);
    int (*slots)(const PdeEngine *engine);
    void (*get)(const PdeEngine *engine, int slot, void *to);
    void (*set)(PdeEngine *engine, int slot, const void *from);
    int (*confine)(PdeEngine *engine, const uint8_t *live);
    int64_t (*live)(const PdeEngine *engine, int64_t *to);
    int64_t *(*updates)(PdeEngine *engine);
    int (*batch_serves)(const PdeEngine *engine, const PdeBatchConfig *config);
    PdeBatch *(*batch_create)(PdeEngine *engine, const PdeBatchConfig *config);
    void (*value)(PdeEngine *engine, PdeBatch *batch, const PdeTaskSpec *task);
    void (*gradient_begin)(PdeEngine *engine);
    int (*gradient_add)(PdeEngine *engine, PdeBatch *batch, const PdeTaskSpec *task);
    int (*gradient_finite)(const PdeEngine *engine);
    int (*gradient_store)(PdeEngine *engine);
    double (*gradient_norm)(PdeEngine *engine);
    void (*gradient_scale)(PdeEngine *engine, double factor);
    void (*update)(PdeEngine *engine, double rate);
    void (*input_gradient)(PdeEngine *engine, PdeBatch *batch, int output, void *to);
    void (*reverse)(PdeEngine *engine, PdeBatch *batch, const PdeTaskSpec *task);
    void (*adjoint)(PdeEngine *engine, PdeBatch *batch, int block, void *to);
    PdeJacobian *(*jacobian_create)(PdeEngine *engine, const PdeJacobianPart *part, int parts,
                                    int64_t most);
    void (*jacobian_destroy)(PdeJacobian *jacobian);
    int64_t (*jacobian_rows)(const PdeJacobian *jacobian);
    int (*jacobian_blocks)(const PdeJacobian *jacobian);
    int64_t (*jacobian_bytes)(const PdeJacobian *jacobian);
    void (*jacobian_begin)(PdeJacobian *jacobian);
    void (*jacobian_add)(PdeJacobian *jacobian, int part, const PdeTaskSpec *task);
    void (*jacobian_gram)(PdeJacobian *jacobian, double *k);
    void (*jacobian_times)(PdeJacobian *jacobian, int slot, double *out);
    void (*jacobian_transposed)(PdeJacobian *jacobian, const double *s);
    PdeNormal *(*normal_create)(PdeEngine *engine, const PdeJacobianPart *part, int parts,
                                int64_t more);
    void (*normal_destroy)(PdeNormal *normal);
    int64_t (*normal_bytes)(const PdeNormal *normal);
    void (*normal_add)(PdeNormal *normal, int part, const PdeTaskSpec *task);
    void (*normal_sum)(PdeNormal *normal, const double *r, const double *more, struct Tiled *a,
                       double *g);
    void (*tile_pack)(const double *tile, double *to);
    void (*tile_minus)(double *c, const double *a, const double *b, int64_t rows, int64_t columns,
                       int diagonal);
    int (*gradient_set)(PdeEngine *engine, const void *from);
    int (*keep)(PdeEngine *engine);
    void (*undo)(PdeEngine *engine);
    int (*set_optimiser)(PdeEngine *engine, const PdeOptimConfig *config);
    void (*forget)(PdeEngine *engine);
    double (*norm)(const PdeEngine *engine, int slot);
    void (*run)(PdeEngine *engine, PdeRegion *task, void *context, long tasks);
    void (*later)(PdeEngine *engine, PdeRegion *task, void *context, long tasks);
    const PdeRanks *(*ranks)(const PdeEngine *engine,
                             int64_t **room); /* room[ranks + 1], or NULL */
    void (*whole)(PdeEngine *engine);
    void (*random_fill)(PdeLaw law, uint64_t seed, uint32_t stream, uint32_t step, uint32_t point0,
                        int64_t i0, int64_t i1, void *to, double *squares);
} PdeOps;

/* Every engine begins with its table; every batch with the pieces engine.c serves itself. */
struct PdeEngine {
    const PdeOps *ops;
};

struct PdeJacobian {
    const PdeOps *ops;
};

struct PdeNormal {
    const PdeOps *ops;
};

struct PdeBatch {
    void *x;
    int64_t directions, rotated;
    PdeDirections block[PDE_MAX_BLOCKS];
    void (*destroy)(PdeBatch *batch);
};

#endif
