/* report_sample.h: a ReportData with every part filled, as a real run would fill it; for the
 * unit test and for whoever wants to look at the page (test_report -o FILE.html). */
#ifndef PDE_TEST_REPORT_SAMPLE_H
#define PDE_TEST_REPORT_SAMPLE_H

#include "runtime/report/report.h"

/* Texts and arrays are static; nothing is to be freed. */
const ReportData *report_sample(void);

#endif
