/* pde.h: the compiler and the trainer as a library.
 *
 * Nothing is printed, nothing ends the process, and no signal is caught. A function that can fail returns NULL, or a
 * failure that the caller frees. Texts that a function gives by `char **` are freed by pde_text_free, those that it
 * returns belong to the object. Objects of different threads have nothing in common; one PdeRun may be evaluated by
 * several threads at once. Names, values and sizes here do not change while PDE_ABI stays the same. */
#ifndef PDE_H
#define PDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PDE_ABI 1
#if defined(__GNUC__)
#define PDE_PUBLIC __attribute__((visibility("default")))
#else
#define PDE_PUBLIC
#endif

typedef struct PdeFailure PdeFailure;
typedef struct PdeProblem PdeProblem;
typedef struct PdeRun PdeRun;

/* "0.1.0", and the number above of the library that is loaded. */
PDE_PUBLIC const char *pde_version(void);
PDE_PUBLIC int pde_abi(void);
PDE_PUBLIC void pde_text_free(char *text);

/* ---- failures ---- */

/* "R108", as `pderun --explain` takes it. */
PDE_PUBLIC const char *pde_failure_code(const PdeFailure *failure);
/* One sentence, perhaps with lines that show a place. */
PDE_PUBLIC const char *pde_failure_message(const PdeFailure *failure);
/* What the compiler had to say: a JSON object on each line, with code, message, line, column and fix; or "". */
PDE_PUBLIC const char *pde_failure_diagnostics(const PdeFailure *failure);
PDE_PUBLIC void pde_failure_free(PdeFailure *failure);

/* ---- problems ---- */

/* name: what messages call the text, and the file that data lie beside; NULL: "problem.pde". */
PDE_PUBLIC PdeFailure *pde_compile(const char *name, const char *text, size_t size,
                                   PdeProblem **problem);
PDE_PUBLIC PdeFailure *pde_compile_file(const char *path, PdeProblem **problem);
/* Warnings and notes, as of pde_failure_diagnostics. */
PDE_PUBLIC const char *pde_problem_diagnostics(const PdeProblem *problem);
/* What `pdec --emit=STAGE` prints: "terms", "plan", "latex", ... */
PDE_PUBLIC PdeFailure *pde_problem_show(const PdeProblem *problem, const char *stage, char **text);
PDE_PUBLIC void pde_problem_free(PdeProblem *problem);

/* ---- training ---- */

typedef struct PdeProgress {
    uint64_t iteration, iterations; /* done; wanted in all */
    double loss, error;             /* NaN: unknown */
} PdeProgress;

/* At times during a training, in the thread that called; anything but 0 stops it, with a checkpoint. */
typedef int PdeCallback(void *context, const PdeProgress *progress);

/* options: "name=value" as on pderun's command line without dashes ("set=d=100", "effort=quick"), NULL at the end, or
 * NULL. Without out=DIR the run goes to a directory named after the problem, with a number where one is. */
PDE_PUBLIC PdeFailure *pde_solve(const PdeProblem *problem, const char *const *options,
                                 PdeCallback *callback, void *context, PdeRun **run);

/* ---- runs ---- */

/* The directory of a run of pde_solve or pderun. */
PDE_PUBLIC PdeFailure *pde_load(const char *directory, PdeRun **run);
PDE_PUBLIC const char *pde_run_directory(const PdeRun *run);
/* What pderun would have printed; "" of a run that was loaded. */
PDE_PUBLIC const char *pde_run_report(const PdeRun *run);
PDE_PUBLIC const char *pde_run_title(const PdeRun *run);
/* Numbers in a point: the coordinates, and the time where there is one. */
PDE_PUBLIC size_t pde_run_inputs(const PdeRun *run);
PDE_PUBLIC size_t pde_run_fields(const PdeRun *run);
/* NULL past the last. */
PDE_PUBLIC const char *pde_run_field(const PdeRun *run, size_t field);

enum { PDE_QUANTITIES = 32 };
/* what: as of `pderun --predict --what`: names of fields, "grad", "residual", "exact", "source", and any expression,
 * "lap(u), d2(u, x_1)", separated by commas; NULL: all fields. columns[k] is how many numbers the k-th has at a point. */
PDE_PUBLIC PdeFailure *pde_columns(PdeRun *run, const char *what, size_t *quantities,
                                   size_t columns[PDE_QUANTITIES]);
/* x: [rows][inputs]; out: the quantities one after the other, each [rows][columns]. */
PDE_PUBLIC PdeFailure *pde_evaluate(PdeRun *run, const char *what, const double *x, size_t rows,
                                    double *out);
/* The estimated error (value minus truth) of the first field at each point, and half of its 95 % interval; paths: of
 * each point, 0 for 128. Fails with the reason where none can be given. */
PDE_PUBLIC PdeFailure *pde_error_bars(PdeRun *run, const double *x, size_t rows, int paths,
                                      double *error, double *half);
PDE_PUBLIC void pde_run_free(PdeRun *run);

#ifdef __cplusplus
}
#endif

#endif
