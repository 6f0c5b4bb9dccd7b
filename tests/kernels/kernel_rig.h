/* kernel_rig.h: generated kernels, compiled by the system's C compiler and called as the runtime would,
 * with an analytic function in the network's place. */
#ifndef PDE_KERNEL_RIG_H
#define PDE_KERNEL_RIG_H

#include <setjmp.h>

#include "compiler/base/compilation.h"
#include "compiler/eval/eval.h"
#include "runtime/contract/kernel_abi.h"
#include "compiler/kernel/kernels.h"
#include "compiler/plan/plan.h"
#include "compiler/eval/domain_points.h"

enum {
    LANES = 16,
    NET_TERMS = 3,
    OUTPUTS_MAX = 4,
    INPUTS_MAX = 48,
    UNKNOWNS_MAX = 8,
    BLOCKS_MAX = 64
};

/* One compiled module. owner: build_close. */
typedef struct Build {
    void *library;
    bool single; /* real is float */
} Build;

/* N_o(z) = sum_m size sin(slope . z + phase): derivatives of every order in closed form. */
typedef struct Wave {
    long double size, phase, slope[INPUTS_MAX];
} Wave;

/* A problem at one d, with numbers for everything. owner: rig_close. */
typedef struct Rig {
    Compilation c;
    jmp_buf on_fail;
    Values values; /* dims, params, unknowns, auxiliaries; every tensor */
    Regions region;
    int64_t d, vector,
        n_in; /* coordinates; entries of the network's vector input; all its inputs */
    uint32_t n_out, n_unknown, n_aux;
    Wave wave[OUTPUTS_MAX][NET_TERMS];
    double scale[OUTPUTS_MAX];
    double x[LANES][INPUTS_MAX], t[LANES], normal[LANES][INPUTS_MAX], aux[4];
    long double z[LANES][INPUTS_MAX]; /* what the network sees */
    double unknown[UNKNOWNS_MAX];
    uint64_t random; /* state of rig_uniform */
} Rig;

typedef enum Opened { RIG_OPEN, RIG_TOO_SMALL, RIG_WRONG } Opened;

/* Reads and compiles a file with d in place of its dimension. TOO_SMALL: it names entries past d.
 * Otherwise, where it cannot be used, with the messages printed. */
Opened rig_open(Rig *rig, const char *path, long d);
void rig_close(Rig *rig);
/* Points of a task of this kind; false where the network's inputs cannot be evaluated. */
bool rig_points(Rig *rig, TaskKind kind);
double rig_uniform(Rig *rig, double lo, double hi);

/* Compiles the source in the folder; false with the compiler's words printed. */
bool build_open(Build *b, Rig *rig, const char *folder, bool single);
void build_close(Build *b);
/* Gives dims and params their values. */
void build_configure(const Build *b, Rig *rig);
typedef void AnyFunction(void);
AnyFunction *build_function(const Build *b, const char *format, ...) PDE_PRINTF(2, 3);

/* The oracle at every lane; false with the reason printed. */
bool rig_oracle(Rig *rig, Ref e, long double out[LANES]);
/* The derivative of output o along n directions (entries [n_in]) at a lane. */
long double rig_derivative(const Rig *rig, uint32_t o, int lane, uint32_t n,
                           const double *const *direction);

/* Numbers as the kernel's real and back. */
void pack(const Build *b, void *to, const double *from, size_t n);
void unpack(const Build *b, double *to, const void *from, size_t n);

/* Inputs of kernels in the build's real, made of the rig's numbers. owner: the rig's arena. */
typedef struct Inputs {
    void *x, *aux, *normal, *unknown;
    const void **tensor;
} Inputs;
Inputs rig_inputs(Rig *rig, const Build *b);
PdePointArgs inputs_point_args(const Inputs *in);

#endif
