/* predict.c: --predict: a trained model at the rows of a file, each quantity of --what as DIR/NAME.npy, or all of them
 * as one .csv or .npz. */
#include "commands/pderun.h"
#include "commands/predictor.h"
#include "commands/trained_model.h"

#include "files/table/table.h"
#include "train/run_directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_FILE_MAX ((size_t)1 << 40)

/* The quantities' values, in one piece of memory. */
typedef struct Values {
    double *x, *all, *out[PREDICT_QUANTITIES];
} Values;

static Status values_open(const Predictor *p, const Array *points, Values *v, Error *error) {
    const int64_t rows = (int64_t)points->shape[0], n_in = (int64_t)points->shape[1];
    int64_t columns = 0;
    *v = (Values){0};
    for (int k = 0; k < predictor_quantities(p); k++)
        columns += predictor_columns(p, k);
    v->x = calloc((size_t)(rows * n_in) + 1, sizeof *v->x);
    v->all = calloc((size_t)(rows * columns) + 1, sizeof *v->all);
    if (!v->x || !v->all)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for %lld points", (long long)rows);
    for (int64_t i = 0; i < rows * n_in; i++)
        v->x[i] = array_value(points, (size_t)i);
    double *at = v->all;
    for (int k = 0; k < predictor_quantities(p); k++) {
        v->out[k] = at;
        at += rows * predictor_columns(p, k);
    }
    return STATUS_OK;
}

/* A quantity's name as one of a file: d2(u,x_1) becomes d2_u_x_1. */
static void file_name(const char *name, char *out, size_t size) {
    size_t n = 0;
    for (; *name && n + 1 < size; name++) {
        const bool kept = strchr("._", *name) || (*name >= '0' && *name <= '9') ||
                          (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
        if (kept)
            out[n++] = *name;
        else if (n > 0 && out[n - 1] != '_')
            out[n++] = '_';
    }
    while (n > 0 && out[n - 1] == '_')
        n--;
    out[n] = '\0';
}

static Status write_values(const Predictor *p, const Values *v, int64_t rows, const char *out,
                           Error *error) {
    Array array[PREDICT_QUANTITIES];
    char name[PREDICT_QUANTITIES][128];
    const int count = predictor_quantities(p);
    for (int k = 0; k < count; k++) {
        const int64_t columns = predictor_columns(p, k);
        file_name(predictor_name(p, k), name[k], sizeof name[k]);
        array[k] = (Array){name[k],
                           ARRAY_F64,
                           columns > 1 ? 2 : 1,
                           {(uint64_t)rows, (uint64_t)columns},
                           v->out[k]};
    }
    return table_write(array, count, out, error);
}

static Status with_points(const Problem *problem, const Settings *settings, const Config *config,
                          int expressions, const Array *points, Error *error) {
    if (points->rank != 2 || (int64_t)points->shape[1] != problem->n_in)
        return error_set(error, STATUS_BAD_ARRAY_FILE,
                         "the points must be an array of %lld columns: %lld coordinates%s",
                         (long long)problem->n_in, (long long)problem->d,
                         problem->plan.time ? " and time" : "");
    Predictor *p = NULL;
    Values v = {0};
    const char *out = config_text(config, OPTION_OUT);
    Status status = predictor_open(problem, settings, config_text(config, OPTION_MODEL),
                                   config_text(config, OPTION_WHAT), expressions, &p, error);
    if (status != STATUS_OK)
        return status;
    status = values_open(p, points, &v, error);
    if (status == STATUS_OK) {
        predictor_run(p, v.x, (int64_t)points->shape[0], v.out);
        status = write_values(p, &v, (int64_t)points->shape[0], out ? out : ".", error);
    }
    free(v.x);
    free(v.all);
    predictor_close(p);
    return status;
}

Status run_predict(ModuleFile *module, const Config *config, int expressions, Error *error) {
    Settings settings;
    Problem problem;
    NpyFile file;
    if (!config_is_set(config, OPTION_MODEL))
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--predict needs --model, the directory of the run that trained it");
    Status status = model_problem(module, config, OPTION_MODEL, &settings, &problem, error);
    if (status != STATUS_OK)
        return status;
    status = points_read(config_text(config, OPTION_PREDICT), POINTS_FILE_MAX, &file, error);
    if (status == STATUS_OK) {
        status = with_points(&problem, &settings, config, expressions, &file.array, error);
        npy_free(&file);
    }
    problem_close(&problem);
    return status;
}
