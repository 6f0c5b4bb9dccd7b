#include "train/run_place.h"

#include <stdio.h>
#include <string.h>

enum { NUMBER_MOST = 9999 };

/* examples/heat.pde -> heat.run, heat.2.run, ... in the working directory */
static Status place_numbered(const Config *config, int number, char *out, Error *error) {
    const char *module = config->module;
    const char *name = strrchr(module, '/') ? strrchr(module, '/') + 1 : module;
    const char *dot = strrchr(name, '.');
    const int length = (int)(dot && dot > name ? dot - name : (long)strlen(name));
    const int n = number > 1 ? snprintf(out, RUN_PATH_MAX, "%.*s.%d.run", length, name, number)
                             : snprintf(out, RUN_PATH_MAX, "%.*s.run", length, name);
    return n > 0 && n < RUN_DIRECTORY_MAX
               ? STATUS_OK
               : error_set(error, STATUS_OPTION_VALUE,
                           "the name of the run's directory is too long");
}

static Status place_given(const char *given, char *out, Error *error) {
    const int n = snprintf(out, RUN_PATH_MAX, "%s", given);
    return n > 0 && n < RUN_DIRECTORY_MAX
               ? STATUS_OK
               : error_set(error, STATUS_OPTION_VALUE,
                           "the name of the run's directory is too long");
}

static bool has_checkpoints(const char *directory) {
    char path[RUN_PATH_MAX];
    const int n = snprintf(path, sizeof path, "%s/checkpoints", directory);
    return n > 0 && n < (int)sizeof path && checkpoint_exists(path);
}

Status run_place_latest(const Config *config, char *directory, Error *error) {
    const char *given = config_text(config, OPTION_OUT);
    char next[RUN_PATH_MAX];
    if (given)
        return place_given(given, directory, error);
    Status status = place_numbered(config, 1, directory, error);
    for (int k = 2; k <= NUMBER_MOST && status == STATUS_OK; k++) {
        status = place_numbered(config, k, next, error);
        if (status != STATUS_OK || !has_checkpoints(next))
            break;
        memcpy(directory, next, strlen(next) + 1);
    }
    return status;
}

/* Is what --force would replace a run? Anything else in its place is somebody's, and stays. */
static Status check_replaceable(const char *directory, Error *error) {
    IoList list = {0};
    char path[RUN_PATH_MAX];
    Error ignored = {0};
    if (!io_exists(directory) || has_checkpoints(directory))
        return STATUS_OK;
    const int n = snprintf(path, sizeof path, "%s/config.json", directory);
    Status status = STATUS_OK;
    if (n > 0 && n < (int)sizeof path && !io_exists(path) &&
        io_list_directory(directory, &list, &ignored) == STATUS_OK && list.count > 0 &&
        strcmp(list.name[0], "checkpoints") != 0)
        status = error_set(error, STATUS_OPTION_CONFLICT,
                           "--force replaces a run, and '%s' holds other files", directory);
    io_list_free(&list);
    return status;
}

/* The first directory without a run, or the one that a run going on elsewhere does not hold. */
static Status take_free(const Config *config, Run *run, Buffer *notes, Error *error) {
    char first[RUN_PATH_MAX], directory[RUN_PATH_MAX];
    Status status = place_numbered(config, 1, first, error);
    for (int k = 1; k <= NUMBER_MOST && status == STATUS_OK; k++) {
        Error refused = {0};
        status = place_numbered(config, k, directory, error);
        if (status != STATUS_OK || has_checkpoints(directory))
            continue;
        const Status taken = run_open(directory, RUN_NEW, run, &refused);
        if (taken == STATUS_RUN_LOCKED)
            continue;
        if (taken == STATUS_OK && k > 1)
            buffer_printf(notes,
                          "'%s' keeps the earlier run, this one goes to '%s' (--force replaces the "
                          "earlier one, --resume goes on with the latest)\n",
                          first, directory);
        return taken == STATUS_OK ? taken : error_set(error, taken, "%s", refused.message);
    }
    return status != STATUS_OK ? status
                               : error_set(error, STATUS_OPTION_CONFLICT,
                                           "no free directory for the run: name one with --out");
}

Status run_place_take(const Config *config, Run *run, Buffer *notes, Error *error) {
    const char *given = config_text(config, OPTION_OUT);
    char directory[RUN_PATH_MAX];
    if (config_flag(config, OPTION_RESUME)) {
        Status status = run_place_latest(config, directory, error);
        return status == STATUS_OK ? run_open(directory, RUN_RESUMED, run, error) : status;
    }
    const bool force = config_flag(config, OPTION_FORCE);
    if (!given && !force)
        return take_free(config, run, notes, error);
    Status status =
        given ? place_given(given, directory, error) : place_numbered(config, 1, directory, error);
    if (status == STATUS_OK && force)
        status = check_replaceable(directory, error);
    return status == STATUS_OK ? run_open(directory, force ? RUN_REPLACED : RUN_NEW, run, error)
                               : status;
}
