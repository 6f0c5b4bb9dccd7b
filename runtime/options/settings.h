/* settings.h: the options of a run as numbers and table rows. */
#ifndef PDE_RUNTIME_OPTIONS_SETTINGS_H
#define PDE_RUNTIME_OPTIONS_SETTINGS_H

#include "engine/engine.h"
#include "options/config.h"

/* Steps above it number what is drawn apart from training (stream.h). */
#define ITERATIONS_MOST INT64_C(3000000000)

typedef enum Terms { TERMS_NONE, TERMS_SAMPLE, TERMS_ALL, TERMS_EXACT } Terms;

typedef enum Algorithm {
#define ALGORITHM(name, value, gradient, text) ALGORITHM_##name,
#include "options/algorithm.def"
    ALGORITHMS
} Algorithm;

typedef enum Estimator { ESTIMATOR_COORDINATE, ESTIMATOR_RADEMACHER, ESTIMATOR_NORMAL } Estimator;

typedef enum NaturalSpaceChoice {
    NATURAL_SPACE_AUTO,
    NATURAL_SPACE_ROWS,
    NATURAL_SPACE_PARAMETERS
} NaturalSpaceChoice;

typedef enum NonFinite { NON_FINITE_STOP, NON_FINITE_SKIP, NON_FINITE_ROLLBACK } NonFinite;
typedef enum Initialisation { INIT_PYTORCH, INIT_XAVIER } Initialisation;

typedef enum Divide { DIVIDE_POINTS, DIVIDE_AUTO, DIVIDE_COORDINATES } Divide;

typedef struct Settings {
    Algorithm algorithm;
    Estimator estimator;
    bool per_point, slice_sets; /* index sets per point; those of a slice are equal */
    int64_t slices;             /* of time, along paths; 0: independent points */
    int64_t points, terms, value_terms;
    bool points_auto, terms_auto; /* to be decided by auto_sizes.h */
    int accumulate;
    PdePrecision precision;
    int threads;
    struct Ranks *ranks; /* the processes that share its steps; NULL: one */
    Divide divide;       /* what they divide beside the points */
    int64_t width;
    int depth;
    PdeActivation activation;
    Initialisation init;
    double init_first; /* factor of the first layer's weights */
    PdeOptimConfig optimiser;
    PdeRateConfig rate;
    double clip;                /* 0: not */
    double damping, step_limit; /* natural; 0: no limit */
    int64_t jacobian_bytes;     /* natural: of rows that are stored whole */
    NaturalSpaceChoice natural_space;
    bool momentum_auto; /* natural: 1 - rate */
    int64_t adam_first; /* natural: iterations of Adam before */
    int64_t fresh;      /* iterations with the same points; 0: all */
    uint64_t seed;
    double fall_back; /* 0: never */
    int64_t iterations, log_every, checkpoint_every, patience, test_points, held_out;
    double average; /* part of the iterations over which parameters are averaged; 0: none */
    int keep;
    double time_limit, stop_below; /* NaN: none */
    NonFinite non_finite;
    int report;       /* a session for this task of the plan alone, a report; 0: training */
    bool lattice;     /* quasi-random points */
    int64_t resample; /* proposals for each point; 1: every one is taken */
    int attack_steps; /* 0: points stay where they are drawn */
    double attack_size;
    int64_t attack_terms;
    bool balance; /* weights of the losses: balance.c */
    int64_t balance_every;
    double balance_keep;
    bool scale_auto, scale_none; /* none: residuals are not divided either */
    double scale;                /* if not automatic */
} Settings;

Status settings_read(const Config *config, Settings *settings, Error *error);
const char *algorithm_name(Algorithm algorithm);
const char *algorithm_text(Algorithm algorithm);
Terms algorithm_value(Algorithm algorithm);
Terms algorithm_gradient(Algorithm algorithm);

#endif
