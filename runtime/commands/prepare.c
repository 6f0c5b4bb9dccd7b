/* prepare.c: what a module is before anything is done with it: one variant, with its own settings. */
#include "commands/pderun.h"

#include "commands/trained_model.h"
#include "load/variant.h"
#include "train/run_place.h"

/* The run that is used or gone on with, or NULL: none. */
static const char *earlier_run(const Config *config, char *directory) {
    if (config_is_set(config, OPTION_PREDICT) || config_is_set(config, OPTION_EXPORT))
        return config_text(config, OPTION_MODEL);
    if (config_is_set(config, OPTION_ERROR))
        return config_text(config, OPTION_ERROR);
    return config_flag(config, OPTION_RESUME) &&
                   run_place_latest(config, directory, NULL) == STATUS_OK
               ? directory
               : NULL;
}

/* The variant that the options name, or else the one that the earlier run was of. What is wrong with that run
 * is said where it is read. */
static Status choose_variant(ModuleFile *module, const Config *config, Error *error) {
    char directory[RUN_PATH_MAX];
    const char *run = earlier_run(config, directory);
    Config own;
    Status status = config_init(&own, error);
    if (status != STATUS_OK)
        return status;
    const bool given = config->value[OPTION_VARIANT].source >= CONFIG_FILE;
    const bool of_run = !given && run && model_settings(config, run, &own, NULL) == STATUS_OK;
    status = variant_select(module, config->module,
                            config_text(of_run ? &own : config, OPTION_VARIANT), error);
    config_free(&own);
    return status;
}

static Status read_defaults(const ModuleFile *module, Config *config, Error *error) {
    Bytes json;
    Status status = module_require(module, ".pde.conf", &json, error);
    if (status == STATUS_OK)
        status = config_read_json(config, CONFIG_MODULE, json, "the module", error);
    return status == STATUS_OK ? config_check(config, error) : status;
}

Status module_prepare(ModuleFile *module, Config *config, Error *error) {
    Status status = choose_variant(module, config, error);
    return status == STATUS_OK ? read_defaults(module, config, error) : status;
}
