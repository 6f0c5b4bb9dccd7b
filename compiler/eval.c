/* eval.c: eval_body.h compiled for double and for long double. */
#include "eval.h"

#include <math.h>
#include <string.h>

#include "compilation.h"
#include "expectation.h"
#include "kernels/draw.h"

/* The free indices (and integration variables) an opened node depends on. */
typedef struct Dependencies {
    uint32_t n;
    Ref *at;
} Dependencies;

#define REAL double
#define NAME(f) f##_double
#define MATH(f) f
#define PI_VALUE 3.141592653589793238462643383279502884
#include "eval_body.h"
#undef REAL
#undef NAME
#undef MATH
#undef PI_VALUE

#define REAL long double
#define NAME(f) f##_long_double
#define MATH(f) f##l
#define PI_VALUE 3.141592653589793238462643383279502884L
#include "eval_body.h"
