/* optimiser.h: who takes the steps of a session. A row of optim.def names its class; the rows that move
 * each parameter by a rule for itself share the class `first`.
 *
 * A class is a table of what it does, in the file that is named after it (first_order.c, natural.c, lbfgs.c).
 * What it leaves NULL it does not need. On a device the class of the same name does the same
 * (cuda/optimise/device_optimiser.h). */
#ifndef PDE_RUNTIME_STEP_OPTIMISER_H
#define PDE_RUNTIME_STEP_OPTIMISER_H

#include "files/json.h"
#include "files/number.h"
#include "files/safetensors.h"
#include "step/session.h"

enum { OPTIMISER_ARRAYS_MAX = 2, OPTIMISER_COLUMNS_MAX = 1 };

struct json_t;

/* Of one step, for --plan. */
typedef struct StepSizes {
    double rows;     /* residuals of all tasks */
    double joint;    /* directions of all tasks */
    double gradient; /* operations of the jets alone */
    double unknowns;
} StepSizes;

typedef struct StepCost {
    double parameters, points, directions, checkpoint; /* bytes */
    double jacobian;                                   /* natural: rows of J, K and its sums */
    double flops, natural, traffic;                    /* per step; natural: part of flops */
    double blocks;                                     /* of columns of J; 0: no J */
    bool normal;                                       /* J is made group by group of its rows */
} StepCost;

typedef struct OptimiserClass {
    const char *name;
    /* Options that go with it, unless they were chosen. */
    Status (*imply)(Config *config, const Problem *problem, Error *error);
    /* After all tasks were created. *self is closed also after a failure. */
    Status (*open)(Session *session, void **self, Error *error);
    void (*close)(void *self);
    /* Draws points, and moves the parameters. False: some number was not finite, and they are as before. */
    bool (*step)(Session *session, void *self, uint32_t step, double rate);
    /* Parameters or their loss were changed from outside: what it has learnt of them is forgotten. */
    void (*restart)(void *self);
    /* What a checkpoint holds of it beside the engine's state: members of an object, and arrays that live as
     * long as *self stays. */
    void (*save)(const void *self, JsonWriter *json);
    void (*load)(void *self, const struct json_t *from);
    int (*arrays)(const void *self, Array to[OPTIMISER_ARRAYS_MAX]);
    Status (*read)(void *self, const Safetensors *file, Error *error);
    /* Columns of the log. */
    int (*columns)(const void *self, NamedNumber to[OPTIMISER_COLUMNS_MAX]);
    /* Lines of the header. */
    void (*describe)(const Session *session, const void *self, const Config *config, Buffer *to);
    /* Adds what a step has beside a gradient and the engine's update. */
    void (*plan)(const Settings *settings, const Network *network, const StepSizes *sizes,
                 StepCost *cost);
} OptimiserClass;

/* optimiser_first and its like, one for each class that optim.def names */
#define OPTIMISER(name, class, ...) extern const OptimiserClass optimiser_##class;
#include "contract/optim.def"
#undef OPTIMISER

const OptimiserClass *optimiser_class(PdeOptimiser kind);
/* As the configuration names it, before there are settings. */
Status optimiser_imply(Config *config, const Problem *problem, Error *error);

/* What the session's own does; nothing where its class has none. */
Status optimiser_open(Session *session, Error *error);
void optimiser_close(Session *session);
void optimiser_restart(Session *session);
void optimiser_save(const Session *session, JsonWriter *json);
void optimiser_load(Session *session, const struct json_t *from);
int optimiser_arrays(const Session *session, Array to[OPTIMISER_ARRAYS_MAX]);
Status optimiser_read(Session *session, const Safetensors *file, Error *error);
int optimiser_columns(const Session *session, NamedNumber to[OPTIMISER_COLUMNS_MAX]);
void optimiser_describe(const Session *session, const Config *config, Buffer *to);
/* Its own part, for the code that knows the class; NULL: the session has another. */
void *optimiser_self(const Session *session, const OptimiserClass *class);

#endif
