/* trained_model.c: see trained_model.h. */
#define _POSIX_C_SOURCE 200809L
#include "commands/trained_model.h"

#include "engine/real.h"
#include "files/io.h"
#include "files/number.h"
#include "files/safetensors.h"
#include "train/run_directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODEL_FILE_MAX ((size_t)1 << 40)

/* Where data and the cache are looked for is the caller's to say, not the model's; so are the threads. */
static Status take_places(const Config *config, Config *own, Error *error) {
    const char *allowed = config_text(config, OPTION_ALLOW_DATA);
    own->module = strdup(config->module);
    if (!own->module)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the settings");
    if (config->cache && !(own->cache = strdup(config->cache)))
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the settings");
    Status status = allowed ? config_set(own, OPTION_ALLOW_DATA, allowed, error) : STATUS_OK;
    if (status == STATUS_OK && config_is_set(config, OPTION_THREADS))
        status = config_set(own, OPTION_THREADS, config_text(config, OPTION_THREADS), error);
    return status;
}

Status model_settings(const Config *config, const char *directory, Config *own, Error *error) {
    char path[RUN_PATH_MAX], *data;
    size_t size;
    int n = snprintf(path, sizeof path, "%s/config.json", directory);
    if (n < 0 || n >= (int)sizeof path)
        return error_set(error, STATUS_OPTION_VALUE, "the name of the model is too long");
    Status status = io_read_file(path, 1 << 20, &data, &size, error);
    if (status != STATUS_OK)
        return status;
    status = config_read_json(own, CONFIG_RESUMED, (Bytes){data, size}, path, error);
    free(data);
    return status == STATUS_OK ? take_places(config, own, error) : status;
}

Status model_problem(ModuleFile *module, const Config *config, Option option, Settings *settings,
                     Problem *problem, Error *error) {
    Config own;
    Status status = config_init(&own, error);
    if (status != STATUS_OK)
        return status;
    status = model_settings(config, config_text(config, option), &own, error);
    if (status == STATUS_OK)
        status = settings_read(&own, settings, error);
    if (status == STATUS_OK)
        status = problem_open(module, &own, PDE_F64, problem, error);
    config_free(&own);
    return status;
}

Status model_file_read(const char *directory, Safetensors *file, Error *error) {
    char path[RUN_PATH_MAX];
    int n = snprintf(path, sizeof path, "%s/model.safetensors", directory);
    if (n < 0 || n >= (int)sizeof path)
        return error_set(error, STATUS_OPTION_VALUE, "the name of the model is too long");
    return safetensors_read(path, MODEL_FILE_MAX, file, error);
}

Status model_read(Session *s, const char *directory, Error *error) {
    Safetensors file;
    Status status = model_file_read(directory, &file, error);
    if (status != STATUS_OK)
        return status;
    void *theta = calloc((size_t)s->network.size, sizeof(double));
    status = theta ? network_read(&s->network, "", &file, theta, error)
                   : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the model");
    if (status == STATUS_OK)
        pde_engine_set(s->engine, PDE_SLOT_PARAMETERS, theta);
    const char *scale = safetensors_find_text(&file, "output_scale");
    for (int o = 0; o < s->problem->outputs && scale; o++) {
        char text[NUMBER_TEXT_MAX];
        size_t length = strcspn(scale, ",");
        snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : 0), scale);
        if (!number_read(text, &s->output_scale[o]))
            status = error_set(error, STATUS_CHECKPOINT_MISMATCH, "the model's scale is no number");
        scale += length + (scale[length] == ',');
    }
    const Array *unknown = safetensors_find(&file, "unknowns");
    for (int k = 0; k < s->problem->plan.unknowns && unknown; k++)
        s->unknown[k] = array_value(unknown, (size_t)k);
    session_unknowns_changed(s);
    free(theta);
    safetensors_free(&file);
    return status;
}

Status session_parameters(const Session *s, double **to, double output_scale[PLAN_FIELDS_MAX],
                          Error *error) {
    size_t size = (size_t)s->network.size;
    void *theta = calloc(size, sizeof(double));
    *to = calloc(size, sizeof **to);
    bool ok = theta && *to;
    if (ok)
        pde_engine_get(s->engine, PDE_SLOT_PARAMETERS, theta);
    for (size_t i = 0; ok && i < size; i++)
        (*to)[i] = real_get(s->settings.precision, theta, (int64_t)i);
    memcpy(output_scale, s->output_scale, PLAN_FIELDS_MAX * sizeof *output_scale);
    free(theta);
    return ok ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the model");
}

/* Read through a session of its own. */
Status model_parameters(const Problem *q, const Settings *settings, const char *directory,
                        double **theta, double output_scale[PLAN_FIELDS_MAX], Error *error) {
    Session s;
    Settings set = *settings;
    set.points = PDE_LANES;
    set.algorithm = q->plan.task[0].has_exact ? ALGORITHM_exact : ALGORITHM_full;
    set.estimator = ESTIMATOR_COORDINATE;
    set.optimiser = pde_optim_default(PDE_OPT_adam);
    set.slices = 0;
    set.accumulate = 1;
    set.lattice = false;
    set.resample = 1;
    set.attack_steps = 0;
    set.average = 0;
    Status status = session_open(q, &set, &s, error);
    if (status != STATUS_OK)
        return status;
    status = model_read(&s, directory, error);
    if (status == STATUS_OK)
        status = session_parameters(&s, theta, output_scale, error);
    session_close(&s);
    return status;
}
