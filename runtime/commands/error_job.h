/* error_job.h: the estimated error of a network, on the test law and at the points that a file names, as it is printed
 * by `pderun --error`, and at the end of a run. */
#ifndef PDE_RUNTIME_COMMANDS_ERROR_JOB_H
#define PDE_RUNTIME_COMMANDS_ERROR_JOB_H

#include "commands/error_goal.h"

enum { ERROR_PLACES_MAX = PLAN_REFERENCES_MAX + PLAN_TASKS_MAX };

/* A point that the file names. */
typedef struct ErrorPlace {
    const char *name;
    double known; /* NaN: not known */
} ErrorPlace;

typedef struct ErrorJobConfig {
    int64_t points; /* of the test law */
    int paths, steps;
    double
        goal; /* half of the intervals wanted at the points that the file names, else at all; 0: any */
    uint64_t seed;
    double seconds_most; /* given up where it would take longer; 0: as long as it takes */
    const volatile sig_atomic_t *stop;
} ErrorJobConfig;

/* owner of x and point; release with error_job_free. */
typedef struct ErrorJob {
    const Problem *q;
    ErrorJobConfig c;
    int places; /* their points follow those of the test law */
    ErrorPlace place[ERROR_PLACES_MAX];
    double *x;
    ErrorPoint *point;
    ErrorSum sum; /* of the test law */
    ErrorGoal goal;
    bool stopped;               /* no result: it would have taken too long, or was told to stop */
    char why[ESTIMATE_WHY_MAX]; /* no bar can be given, and why; "": one is given */
} ErrorJob;

/* problem: opened in double; theta, output_scale: the network that settings made. */
Status error_job_run(const Problem *problem, const Settings *settings, const double *theta,
                     const double *output_scale, const ErrorJobConfig *config, ErrorJob *job,
                     Error *error);
void error_job_free(ErrorJob *job);
/* All that is known, in a few lines. brief: without what the exact solution says. */
void error_job_print(const ErrorJob *job, bool brief);
/* As JSON, one object. */
void error_job_write(const ErrorJob *job, Buffer *out);

#endif
