/* predictor.h: quantities of a trained model at points. One predictor belongs to one thread at a time; several of one
 * problem may run at once. */
#ifndef PDE_RUNTIME_COMMANDS_PREDICTOR_H
#define PDE_RUNTIME_COMMANDS_PREDICTOR_H

#include "step/session.h"

enum { PREDICT_QUANTITIES = 32 };

/* A list, separated by commas, of: names of fields, `exact` (or exact.FIELD), `source` (or a source's name),
 * `residual` (with all terms), `grad` (or grad.FIELD), and expressions. predict_item moves *list to the next one and
 * returns its length; predict_is_expression: it is not a name. */
size_t predict_item(const char **list);
bool predict_is_expression(const char *item, size_t length);

typedef struct Predictor Predictor;

/* problem: opened in double; it stays the caller's, and must live as long. expressions: how many of the list's the
 * problem was compiled with, as its last reports (library/expression.h). what NULL: all fields. */
Status predictor_open(const Problem *problem, const Settings *settings, const char *directory,
                      const char *what, int expressions, Predictor **predictor, Error *error);
int predictor_quantities(const Predictor *predictor);
const char *predictor_name(const Predictor *predictor, int quantity);
int64_t predictor_columns(const Predictor *predictor, int quantity);
/* x: [rows][n_in]; out: for each quantity [rows][columns]. */
void predictor_run(Predictor *predictor, const double *x, int64_t rows, double *const *out);
void predictor_close(Predictor *predictor);

#endif
