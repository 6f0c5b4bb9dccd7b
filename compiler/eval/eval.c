/* eval.c: eval_body.h compiled for double and for long double. */
#include "eval/eval.h"

#include <math.h>
#include <string.h>

#include "base/compilation.h"
#include "ir/net_input.h"
#include "ir/tangent.h"
#include "runtime/contract/draw.h"

/* The free indices (and integration variables) an opened node depends on. */
typedef struct Dependencies {
    uint32_t n;
    Ref *at;
} Dependencies;

/* Entries of the vectors before feature f. */
static int64_t entries_before(const Ir *ir, const EvalInput *in, uint32_t f) {
    int64_t n = 0;
    for (uint32_t k = 0; k < f; k++) {
        if (!ir->features->at.at[k].index)
            continue;
        Extent e = feature_entries(ir->c, &ir->features->at.at[k]);
        n += e.constant;
        for (uint32_t j = 0; j < in->n_values; j++)
            n += in->value[j].name == e.dim ? e.coef * (int64_t)in->value[j].value : 0;
    }
    return n;
}

#define REAL double
#define NAME(f) f##_double
#define MATH(f) f
#define PI_VALUE 3.141592653589793238462643383279502884
#include "eval/eval_body.h"
#undef REAL
#undef NAME
#undef MATH
#undef PI_VALUE

#define REAL long double
#define NAME(f) f##_long_double
#define MATH(f) f##l
#define PI_VALUE 3.141592653589793238462643383279502884L
#include "eval/eval_body.h"
