/* stepper.h: where the steps of a run are taken, and what is trained by them. The loop of train.c knows no
 * more than these two tables; another place (ranks) or another model is another table.
 *
 * A Stepper takes steps: the processor or a device, for a session or a tensor network.
 * A Trainee is the host's side of it, whatever takes the steps: a row of the log, checkpoints, what becomes of a
 * number that is not finite. What a table leaves NULL is not needed there. */
#ifndef PDE_RUNTIME_TRAIN_STEPPER_H
#define PDE_RUNTIME_TRAIN_STEPPER_H

#include "measure/evaluate.h"
#include "step/hook.h"
#include "train/run_directory.h"

typedef enum StepEnd {
    STEP_TAKEN,   /* or queued */
    STEP_REFUSED, /* its numbers were not finite, and nothing was changed */
    STEP_SETTLED  /* another would change nothing */
} StepEnd;

/* The first step since the last wait that was refused: it and those after it have changed nothing. */
typedef struct Refusal {
    bool refused;
    int64_t step;
} Refusal;

typedef struct Stepper Stepper;

typedef struct StepperClass {
    const char *name;
    bool queues; /* steps may only be queued: what became of them is known after wait */
    /* What the host has, to where the steps are taken: before the first, and after a change from outside. */
    Status (*push)(Stepper *stepper, Error *error);
    /* Step number `iteration`, from 0. */
    Status (*step)(Stepper *stepper, int64_t iteration, double rate, StepEnd *end, Error *error);
    Status (*wait)(Stepper *stepper, Refusal *refusal, Error *error);
    /* Waits; then parameters, and with state what optimisers keep, are the host's. */
    Status (*pull)(Stepper *stepper, bool state, Error *error);
    /* The number that the parameters are scored by, where they are. NULL: pull, and the host does. */
    Status (*score)(Stepper *stepper, const Evaluation *evaluation, double *score, Error *error);
    /* Lines of the header. */
    void (*print)(const Stepper *stepper);
    void (*close)(Stepper *stepper);
} StepperClass;

struct Stepper {
    const StepperClass *class;
    void *self;
};

/* ------------------------------------------------------------------------------- what is trained */

enum { STEP_COLUMNS_MAX = PLAN_UNKNOWNS_MAX + PLAN_TASKS_MAX + 8 };

typedef struct StepRow {
    double loss, error; /* error NaN: unknown */
    double held;        /* loss on held-out points; NaN: unknown */
    double mark, goal;  /* what the best row goes by; what --stop-below goes by */
    LogValue column[STEP_COLUMNS_MAX];
    size_t columns;
    HookNames names; /* of columns that need one */
} StepRow;

typedef struct Trainee Trainee;

typedef struct TraineeClass {
    const char *name;
    bool last_row; /* a run ends with a row of the log, wherever it is stopped */
    /* Of the last step that was waited for. */
    double (*loss)(const Trainee *trainee);
    /* Scores the parameters. */
    Status (*row)(Trainee *trainee, StepRow *row, Error *error);
    Status (*save)(Trainee *trainee, Run *run, const Config *config, bool best, Error *error);
    /* From the newest checkpoint. */
    Status (*restore)(Trainee *trainee, Run *run, Error *error);
    /* To the parameters with the least loss on held-out points, which `save` has kept. */
    Status (*fall_back)(Trainee *trainee, Run *run, Error *error);
    /* Of a step that was refused: what was not finite. */
    Status (*explain)(Trainee *trainee, int64_t iteration, Error *found, Error *error);
    /* Are the scales those of the solution? Something is said where they were not: training begins anew. */
    bool (*recheck_due)(const Trainee *trainee, int64_t iteration);
    Status (*recheck)(Trainee *trainee, int64_t iteration, Buffer *said, Error *error);
    /* After the last step, unless something failed: the model. */
    Status (*finish)(Trainee *trainee, Run *run, bool failed, Error *error);
} TraineeClass;

struct Trainee {
    const TraineeClass *class;
    void *self;
    Stepper *stepper;
    const Settings *settings;
};

/* What a class may leave out does nothing. */
Status stepper_push(Stepper *stepper, Error *error);
Status stepper_pull(Stepper *stepper, bool state, Error *error);
void stepper_print(const Stepper *stepper);
void stepper_close(Stepper *stepper);

/* session_trainee.c: steps of a session on the processor; a session as what is trained. */
Stepper session_stepper(Session *session);
typedef struct SessionTrainee {
    Session *session;
    Evaluation *evaluation;
} SessionTrainee;
Trainee session_trainee(SessionTrainee *self, Stepper *stepper);

#endif
