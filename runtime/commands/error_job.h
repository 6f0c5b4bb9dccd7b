/* error_job.h: the estimated error of a network, on the test law and at the points that a file names, as it is printed
 * by `pderun --error`, and at the end of a run. */
#ifndef PDE_RUNTIME_COMMANDS_ERROR_JOB_H
#define PDE_RUNTIME_COMMANDS_ERROR_JOB_H

#include "commands/error_goal.h"

enum {
    ERROR_PLACES_MAX = PLAN_REFERENCES_MAX + PLAN_TASKS_MAX,
    ERROR_SLICES = 2, /* along x_1, and along the diagonal */
    ERROR_SLICE_POINTS = 15
};

/* The error along a line through the domain. */
typedef struct ErrorSlice {
    double at[ERROR_SLICE_POINTS], error[ERROR_SLICE_POINTS], low[ERROR_SLICE_POINTS],
        high[ERROR_SLICE_POINTS];
} ErrorSlice;

/* A point that the file names. */
typedef struct ErrorPlace {
    const char *name; /* of what is asked for, as it was written: "V at x_i = 1" */
    double known;     /* NaN: not known */
    int report;       /* number of the report; -1: a reference */
    int64_t by;       /* k: the derivative by x_k is asked for; 0: the field itself */
    bool missing;     /* it was not estimated: the time was over */
} ErrorPlace;

typedef struct ErrorJobConfig {
    int64_t points; /* of the test law */
    int paths, steps;
    double
        goal; /* half of the intervals wanted at the points that the file names, else at all; 0: any */
    bool slices; /* along lines, too */
    uint64_t seed;
    double seconds_most; /* given up where it would take longer; 0: as long as it takes */
    const volatile sig_atomic_t *stop;
} ErrorJobConfig;

/* owner of x and point; release with error_job_free. */
typedef struct ErrorJob {
    const Problem *q;
    ErrorJobConfig c;
    int places; /* their points follow those of the test law */
    int values; /* so many of them first; the others ask for derivatives */
    ErrorPlace place[ERROR_PLACES_MAX];
    double *x;
    ErrorPoint *point;
    ErrorSlice slice[ERROR_SLICES]; /* of c.slices */
    ErrorSum sum;                   /* of the test law */
    ErrorGoal goal;
    bool stopped;               /* no result: it would have taken too long, or was told to stop */
    bool incomplete;            /* some place is missing */
    char why[ESTIMATE_WHY_MAX]; /* no bar can be given, and why; "": one is given */
} ErrorJob;

/* problem: opened in double; theta, output_scale: the network that settings made. */
Status error_job_run(const Problem *problem, const Settings *settings, const double *theta,
                     const double *output_scale, const ErrorJobConfig *config, ErrorJob *job,
                     Error *error);
void error_job_free(ErrorJob *job);
/* All that is known, in a few lines. brief: without what the exact solution says. */
void error_job_print(const ErrorJob *job, bool brief);
/* Is there a bar? */
bool error_job_has(const ErrorJob *job);
/* As JSON, one object. */
void error_job_write(const ErrorJob *job, Buffer *out);

#endif
