/* run_report.h: what stands at the end of a run: errors beside trivial predictors, report.html. */
#ifndef PDE_RUNTIME_COMMANDS_RUN_REPORT_H
#define PDE_RUNTIME_COMMANDS_RUN_REPORT_H

#include "commands/error_job.h"
#include "measure/bounds_held.h"
#include "measure/reference.h"
#include "measure/report_values.h"
#include "measure/verdict.h"
#include "train/train.h"

typedef struct Summary {
    ErrorNorms all, field[PLAN_FIELDS_MAX], trivial[TRIVIALS];
    int references;
    PointValue reference[PLAN_REFERENCES_MAX];
    int asked;
    AskedValue value[PLAN_TASKS_MAX];
    Verdict verdict;
    BoundsHeld bounds;
    bool has_report;
} Summary;

/* Errors on all test points; report.html unless --no-report. bars: the estimated error. Never fails: a part that
 * cannot be made is left out. */
void summary_make(Session *session, Evaluation *evaluation, const Run *run, const Config *config,
                  const TrainResult *result, const ErrorJob *bars, Summary *summary);

#endif
