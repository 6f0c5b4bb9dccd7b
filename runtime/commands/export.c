/* export.c: --export: a trained model for other programs. */
#include "commands/export/export.h"
#include "commands/pderun.h"
#include "commands/trained_model.h"

#include "files/say.h"

#include <stdlib.h>

typedef struct ExportFormat {
    const char *word, *file; /* of --export; where --out does not say */
    Status (*write)(const ExportModel *model, Error *error);
} ExportFormat;

static const ExportFormat formats[] = {{"c", "model.c", export_c},
                                       {"torch", "model.py", export_torch},
                                       {"jax", "model.py", export_jax},
                                       {"onnx", "model.onnx", export_onnx}};

static Status write_model(const Session *s, const Config *config, const char *arrays,
                          Error *error) {
    const ExportFormat *format = formats;
    while (!config_is(config, OPTION_EXPORT, format->word))
        format++;
    const char *out = config_text(config, OPTION_OUT);
    double *theta = NULL, scale[PLAN_FIELDS_MAX];
    Status status = session_parameters(s, &theta, scale, error);
    if (status == STATUS_OK) {
        const ExportModel model = {s, theta, scale, arrays, out ? out : format->file};
        status = format->write(&model, error);
        if (status == STATUS_OK)
            say("%s\n", model.out);
    }
    free(theta);
    return status;
}

Status run_export(ModuleFile *module, const Config *config, const char *arrays, Error *error) {
    Settings settings;
    Problem problem;
    Session session;
    if (!config_is_set(config, OPTION_MODEL))
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--export needs a run: pderun my.run --export c");
    Status status = model_problem(module, config, OPTION_MODEL, &settings, &problem, error);
    if (status != STATUS_OK)
        return status;
    settings.points = PDE_LANES;
    settings.algorithm = problem.plan.task[0].has_exact ? ALGORITHM_exact : ALGORITHM_full;
    settings.estimator = ESTIMATOR_COORDINATE;
    settings.accumulate = 1;
    settings.slices = 0;
    settings.precision = PDE_F64;
    status = session_open(&problem, &settings, &session, error);
    if (status == STATUS_OK) {
        status = model_read(&session, config_text(config, OPTION_MODEL), error);
        if (status == STATUS_OK)
            status = write_model(&session, config, arrays, error);
        session_close(&session);
    }
    problem_close(&problem);
    return status;
}
