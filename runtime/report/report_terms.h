/* report_terms.h: the terms of every residual as the report shows them, from the module's plan. */
#ifndef PDE_RUNTIME_REPORT_REPORT_TERMS_H
#define PDE_RUNTIME_REPORT_REPORT_TERMS_H

#include "files/modfile.h"
#include "report/report.h"

enum { REPORT_TERMS_MAX = 48, REPORT_ROUTE_MAX = 96 };

/* owner of the JSON that the terms' texts lie in; reportterms_free frees it */
typedef struct ReportTerms {
    void *json;
    ReportTerm term[REPORT_TERMS_MAX];
    char route[REPORT_TERMS_MAX][REPORT_ROUTE_MAX], order[REPORT_TERMS_MAX][16];
    size_t count;
} ReportTerms;

/* As many terms as fit; none if the module's plan has no list of them. */
void reportterms_read(const ModuleFile *module, ReportTerms *terms);
void reportterms_free(ReportTerms *terms);

#endif
