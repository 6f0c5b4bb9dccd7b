/* tnn_module.h: a module with a tensor network, made ready: its operator as tnn.h wants it. */
#ifndef PDE_RUNTIME_TENSOR_TNN_MODULE_H
#define PDE_RUNTIME_TENSOR_TNN_MODULE_H

#include "load/problem_open.h"
#include "options/settings.h"
#include "tensor/tnn.h"

typedef void TensorKernel(const PdeTensorArgs *args);

typedef enum TnnSolver { SOLVER_EIGEN, SOLVER_ALTERNATE, SOLVER_GRADIENT } TnnSolver;

/* owner of problem, dimensions and tnn; tnn_open, then tnn_close. */
typedef struct TnnModule {
    Problem problem;
    Settings settings;
    TnnSolver solver;
    int64_t solve_every;
    TnnProblem operator;
    TnnConfig config;
    int64_t block;     /* dimensions whose activations are held at once */
    bool natural;      /* oscillators: `length` is their own */
    double *dimension; /* [5][d]: centre, half width, kinetic factor, length, and work */
    double exact;      /* eigenvalue from `exact`; NaN: not stated */
    const char *name, *coordinates, *text; /* of the unknown; of the coordinates; what pdec found */
    TensorKernel *functions;
    Tnn tnn;
    TnnRule fine; /* the rule of the score: finer than the one that is trained on */
} TnnModule;

/* Does the module hold a tensor network? */
bool tnn_in_module(const ModuleFile *module);
/* Takes the module over. Everything but the network itself, which tnn_make adds. */
Status tnn_open(ModuleFile *module, const Config *config, TnnModule *m, Error *error);
Status tnn_make(TnnModule *m, Error *error);
void tnn_close(TnnModule *m);

/* What the options ask for; the module is taken over. */
Status tnn_act(ModuleFile *module, Config *config, Error *error);
Status tnn_training(ModuleFile *module, Config *config, Error *error);
Status tnn_plan(ModuleFile *module, const Config *config, Error *error);
Status tnn_selftest(ModuleFile *module, const Config *config, Error *error);

#endif
