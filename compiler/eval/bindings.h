/* bindings.h: numbers for everything a problem leaves symbolic, for the oracle and for the checks
 * that look at signs and values. */
#ifndef PDE_COMPILER_EVAL_BINDINGS_H
#define PDE_COMPILER_EVAL_BINDINGS_H

#include "eval/eval.h"
#include "ir/problem.h"
#include "runtime/files/npy.h"

/* owner: Compilation (arena). */
typedef struct Values {
    int64_t
        cap; /* 0, or: dims are at most this, and data files stay closed (random numbers instead) */
    uint32_t
        vary; /* 0, or: every param that does not follow from others is changed, each time differently */
    bool wide; /* by factors of ten and more (1: all smaller, 2: all larger), not by a fifth */
    int64_t d; /* entries of x */
    VEC(EvalValue) value;
    VEC(EvalTensor) tensor;
} Values;

/* Replaces the value of a dim or param by `name=value`, before the program is checked: every later
 * stage sees the problem as if the file said so. Returns NULL or what is wrong (in the arena). */
const char *values_override(Compilation *c, const char *setting);

/* Fills all but cap and vary: dims, params, unknown numbers (the exact value if stated, else the
 * initial one) and the tensors that occur in e. `open` holds a file while it is read, so that an
 * out-of-memory jump leaves it to the caller to free. Returns NULL or what is wrong. */
const char *values_collect(Compilation *c, Ref e, NpyFile *open, Values *out);

/* The value of an expression in dims and params. */
const char *values_number(Compilation *c, const Values *values, Ref e, double *out);

/* Where the file of a `data` statement is: an absolute path; its name as stated where that is too
 * long or not UTF-8. */
const char *values_data_path(Compilation *c, Sym file);

bool values_uses_tensor(Compilation *c, Ref e, Sym name);

/* An EvalInput without points. */
EvalInput values_input(const Values *values);

#endif
