/* A pool of worker threads for short parallel regions.
 * A region is a number of independent tasks taken from a shared counter. Which thread runs a task
 * must not matter: results are made independent of the thread count by the callers. Inside a task
 * subnormal numbers are flushed to zero.
 */
#ifndef PDE_RUNTIME_ENGINE_THREADS_H
#define PDE_RUNTIME_ENGINE_THREADS_H

typedef struct PdePool PdePool;
typedef void PdeTask(void *context, long task, int worker);

/* threads >= 1 (the caller counts as one; 0 = one per online processor); NULL without memory. */
PdePool *pde_pool_create(int threads);
void pde_pool_destroy(PdePool *pool);
int pde_pool_size(const PdePool *pool);

/* Runs task 0..tasks-1 and returns when all are done. worker: 0..size-1. Not reentrant. */
void pde_pool_run(PdePool *pool, PdeTask *task, void *context, long tasks);
/* The same with tasks first .. first+tasks-1. */
void pde_pool_run_from(PdePool *pool, PdeTask *task, void *context, long first, long tasks);

/* Tasks that need not be done at once: the next region does them first, beside its own, and its end is
 * theirs. They fill the time of threads that would wait. One such set at a time.
 */
void pde_pool_later(PdePool *pool, PdeTask *task, void *context, long tasks);

#endif
