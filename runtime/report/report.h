/* report.h: report.html, one file that shows a run: no network, no scripts, light and dark, and
 * fit for printing.
 *
 * The training loop fills a ReportData, whose texts and arrays it keeps; every part may be empty
 * (NULL, 0, NaN) and is then left out. All texts are escaped. */
#ifndef PDE_RUNTIME_REPORT_REPORT_H
#define PDE_RUNTIME_REPORT_REPORT_H

#include "files/buffer.h"
#include "report/log.h"
#include "report/plot.h"

/* A line of a table: settings, seeds, versions, files. */
typedef struct ReportFact {
    const char *name, *value;
    const char *note; /* where it comes from; may be NULL */
} ReportFact;

/* One term of the operator, or one condition, as the plan treats it. */
typedef struct ReportTerm {
    const char *formula; /* plain text */
    const char *mathml;  /* or NULL */
    const char *family;  /* "i = 1..d", "-" */
    const char *order;   /* "second derivatives" */
    const char *route;   /* "sampled, collapsed second order" */
    const char *reason;  /* why that route; may be NULL */
} ReportTerm;

/* A predictor that needs no training, or the trained model itself, against the exact solution on
 * the test points. */
typedef struct ReportError {
    const char *name;
    double relative_l2, relative_max; /* NaN if unknown */
    bool is_model;
} ReportError;

/* The solution along a line through the domain. */
typedef struct ReportSlice {
    const char *title;                /* "x_1, the others 0" */
    const char *axis;                 /* "x_1" */
    const double *at, *model, *exact; /* [count]; exact may be NULL */
    size_t count;
    /* The estimated error of the model, with the ends of its 95 % interval: [bars]; 0: it is not known. */
    const double *bar_at, *bar_error, *bar_low, *bar_high;
    size_t bars;
} ReportSlice;

/* A command to go on with, and what it does. */
typedef struct ReportCommand {
    const char *purpose, *command;
} ReportCommand;

typedef struct ReportData {
    const char *title;
    const char *subtitle;  /* "finished after 10000 iterations", "stopped: ..." */
    const char *equation;  /* plain text, shown if mathml is NULL or not acceptable */
    const char *mathml;    /* <math> elements of equation and conditions */
    const char *source;    /* the .pde text */
    const char *plan_note; /* a sentence on the plan as a whole */

    const LogRow *row; /* the whole log, from log_read */
    size_t row_count;
    const char *error_name; /* "relative L2 error"; what LogRow.error is */
    bool absolute_errors;   /* error[] is not relative: the exact solution is 0 */

    const ReportError *error;
    size_t error_count;
    const ReportTerm *term;
    size_t term_count;
    const ReportSlice *slice;
    size_t slice_count;
    const PlotShare *phase; /* seconds */
    size_t phase_count;
    const ReportFact *highlight; /* large numbers under the title besides error, loss and time */
    size_t highlight_count;
    const ReportFact *setting;
    size_t setting_count;
    const ReportFact *version; /* versions, seeds, machine: what reproduces the run */
    size_t version_count;
    const ReportFact *file; /* name, what is in it */
    size_t file_count;
    const ReportCommand *command;
    size_t command_count;
} ReportData;

/* What stands before and after the sections of a page in this style, for pages of other kinds. */
void report_begin(Buffer *out, const char *title, const char *subtitle);
void report_end(Buffer *out);
/* The whole page. */
void report_html(Buffer *out, const ReportData *data);
/* The page, written atomically. */
Status report_write(const char *path, const ReportData *data, Error *error);

/* The style sheet, in pieces that end with NULL (report_style.c). */
extern const char *const report_style[];

#endif
