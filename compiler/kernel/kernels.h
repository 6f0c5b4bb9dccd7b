/* kernels.h: the generated source of a problem: point programs, combine kernels, samplers. */
#ifndef PDE_COMPILER_KERNEL_KERNELS_H
#define PDE_COMPILER_KERNEL_KERNELS_H

#include "kernel/cgen.h"
#include "kernel/watch_kernels.h"
#include "plan/plan.h"

/* Numbers that a task's point program hands to its combine kernel, in order. */
typedef struct Scalars {
    VEC(Ref) at;
} Scalars;

/* Filled while the kernels are written; the module's plan reports it. */
typedef struct KernelInfo {
    uint32_t n_tasks;
    Scalars *scalar; /* [n_tasks + 1]: per task; the last is for evaluation */
    uint32_t *
        exact_scalar; /* [fields]: which scalar of the evaluation is the exact solution; -1u none */
    uint32_t *source_scalar; /* [sources]: which scalar of task 0 is the source */
} KernelInfo;

/* The problem's own kernels, without the common prelude. owner: the arena. */
typedef struct Kernels {
    Text source;
    size_t numbers_at; /* where in it what only the host has begins */
    KernelInfo info;
} Kernels;

/* The standard law ("normal" or "uniform") that a sample statement's kernel turns into its own; NULL: a law of
 * the domain, which the runtime draws. */
const char *kernels_sample_base(const Compilation *c, const SampleRow *row);

/* The same kernels once more, watching their values. */
void kernels_write_watching(Compilation *c, Watch *watch, KernelInfo *info, Text *out);

/* prefix<a> or prefix<a>_<b>; b UINT32_MAX: none */
const char *kernel_numbered(Compilation *c, const char *prefix, uint32_t a, uint32_t b);
/* pde_NAME(double *out): n numbers of the problem. */
void kernel_numbers(Compilation *c, Text *out, const char *name, uint32_t n, const Ref *value);
/* The coordinates of the parts of the boundary where a condition holds, from 1; 0: of none. Nothing where it holds everywhere. */
void kernel_faces(Compilation *c, Text *out, const char *name, const Faces *on);

/* A value that a lane loop reads under a name of its own: for Gen's atom, with this as its context. */
typedef struct NamedAtom {
    Ref atom;
    const char *name;
} NamedAtom;
const char *kernel_named_atom(void *context, Gen *g, Ref e);

/* direction_kernels.c: the kernels of one route's blocks, and of the network's inputs. */
void kernels_directions(Compilation *c, Text *out, bool exact, uint32_t task, const Route *r,
                        Scalars *scalars);
void kernels_features(Compilation *c, Text *out);

/* What stands before them: fast mathematics, the dialect, the argument structs. */
void kernels_prelude(Text *out);

#endif
