/* Worker threads wait for a region by spinning for a few microseconds and then sleep, so that a
 * step of many short regions pays no wake-ups and an idle or shared machine is not burdened.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "engine/threads.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { SPINS = 4000 };

typedef struct Worker {
    PdePool *pool;
    int index;
    pthread_t thread;
} Worker;

struct PdePool {
    int size, started;
    PdeTask *task, *later_task;
    void *context, *later_context;
    long tasks, first;  /* of this region, and the first one's number */
    long later;         /* those put off, which come first */
    atomic_long next;   /* next task of the region */
    atomic_uint region; /* number of the current region; its change starts the workers */
    atomic_int busy;    /* workers that have not finished the region */
    atomic_int quit;
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    Worker worker[];
};

static void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Numbers too small for a normal exponent (an optimiser's decaying second moments) cost a hundred
 * cycles each; tasks see them as zero, on every thread alike. Returns the mode to restore.
 */
static unsigned long flush_tiny_numbers(void) {
#if defined(__x86_64__)
    unsigned mode = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(mode | 0x8040u);
    return mode;
#elif defined(__aarch64__)
    unsigned long mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    __asm__ volatile("msr fpcr, %0" : : "r"(mode | 1ul << 24));
    return mode;
#else
    return 0;
#endif
}

static void restore_mode(unsigned long mode) {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr((unsigned)mode);
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
#else
    (void)mode;
#endif
}

static void take_tasks(PdePool *pool, int worker) {
    for (;;) {
        long i = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (i >= pool->later + pool->tasks)
            return;
        if (i < pool->later)
            pool->later_task(pool->later_context, i, worker);
        else
            pool->task(pool->context, pool->first + i - pool->later, worker);
    }
}

static unsigned wait_region(PdePool *pool, unsigned seen) {
    for (int i = 0; i < SPINS; i++) {
        unsigned now = atomic_load_explicit(&pool->region, memory_order_acquire);
        if (now != seen)
            return now;
        pause_briefly();
    }
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->region) == seen)
        pthread_cond_wait(&pool->start, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    return atomic_load(&pool->region);
}

static void *work(void *argument) {
    Worker *me = argument;
    PdePool *pool = me->pool;
    unsigned seen = 0;
    flush_tiny_numbers();
    for (;;) {
        seen = wait_region(pool, seen);
        if (atomic_load(&pool->quit))
            return NULL;
        take_tasks(pool, me->index);
        if (atomic_fetch_sub(&pool->busy, 1) == 1) {
            pthread_mutex_lock(&pool->lock);
            pthread_cond_signal(&pool->done);
            pthread_mutex_unlock(&pool->lock);
        }
    }
}

static void open_region(PdePool *pool) {
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->busy, pool->started);
    atomic_fetch_add(&pool->region, 1);
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
}

static void run_together(PdePool *pool, PdeTask *task, void *context, long first, long tasks) {
    pool->task = task;
    pool->context = context;
    pool->first = first;
    pool->tasks = tasks;
    atomic_store(&pool->next, 0);
    open_region(pool);
    take_tasks(pool, 0);
    for (int i = 0; i < SPINS && atomic_load(&pool->busy); i++)
        pause_briefly();
    if (!atomic_load(&pool->busy))
        return;
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->busy))
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void pde_pool_run_from(PdePool *pool, PdeTask *task, void *context, long first, long tasks) {
    assert(first >= 0 && tasks >= 0);
    unsigned long mode = flush_tiny_numbers();
    if (pool->started > 0 && tasks + pool->later > 1) {
        run_together(pool, task, context, first, tasks);
    } else {
        for (long i = 0; i < pool->later; i++)
            pool->later_task(pool->later_context, i, 0);
        for (long i = 0; i < tasks; i++)
            task(context, first + i, 0);
    }
    pool->later = 0;
    restore_mode(mode);
}

void pde_pool_run(PdePool *pool, PdeTask *task, void *context, long tasks) {
    pde_pool_run_from(pool, task, context, 0, tasks);
}

void pde_pool_later(PdePool *pool, PdeTask *task, void *context, long tasks) {
    assert(tasks >= 0 && task);
    if (pool->later)
        pde_pool_run(pool, task, context, 0);
    pool->later_task = task;
    pool->later_context = context;
    pool->later = tasks;
}

PdePool *pde_pool_create(int threads) {
    if (threads <= 0)
        threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (threads < 1)
        threads = 1;
    PdePool *pool = calloc(1, sizeof *pool + (size_t)threads * sizeof(Worker));
    if (!pool)
        return NULL;
    pool->size = threads;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (int i = 1; i < threads; i++) {
        Worker *w = &pool->worker[i];
        w->pool = pool;
        w->index = i;
        if (pthread_create(&w->thread, NULL, work, w))
            break;
        pool->started++;
    }
    return pool;
}

void pde_pool_destroy(PdePool *pool) {
    if (!pool)
        return;
    atomic_store(&pool->quit, 1);
    open_region(pool);
    for (int i = 1; i <= pool->started; i++)
        pthread_join(pool->worker[i].thread, NULL);
    pthread_cond_destroy(&pool->start);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

int pde_pool_size(const PdePool *pool) {
    return pool->size;
}
