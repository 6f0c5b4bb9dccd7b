/* choice_report.h: what a run chose for itself, for its report: from choice.json in the run's directory, so that a
 * resumed run tells it as well. */
#ifndef PDE_RUNTIME_COMMANDS_CHOICE_REPORT_H
#define PDE_RUNTIME_COMMANDS_CHOICE_REPORT_H

#include "report/report.h"
#include "train/run_directory.h"

enum { CHOICE_PARTS = 5 };

/* owner of file; choice_report_open, then choice_report_close. */
typedef struct ChoiceReport {
    void *file;
    ReportCommand part[CHOICE_PARTS];
    size_t count; /* 0: the run chose nothing */
} ChoiceReport;

void choice_report_open(const Run *run, ChoiceReport *choice);
void choice_report_close(ChoiceReport *choice);

#endif
