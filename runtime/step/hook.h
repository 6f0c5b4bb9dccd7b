/* hook.h: what is done to a step besides taking it: any number of hooks, in the order of STEP_HOOKS. Each is a
 * table in the file of its name; what it leaves NULL it does not need. On a device the hook of the same name
 * does the same (cuda/step/device_hook.h). */
#ifndef PDE_RUNTIME_STEP_HOOK_H
#define PDE_RUNTIME_STEP_HOOK_H

#include "files/json.h"
#include "files/number.h"
#include "files/safetensors.h"
#include "step/session.h"

enum { HOOK_COLUMNS_MAX = PLAN_TASKS_MAX, HOOK_ARRAYS_MAX = 2 * PDE_MAX_LAYERS };

/* Names that rows of the log and arrays of a checkpoint refer to. */
typedef struct HookNames {
    char task[PLAN_TASKS_MAX][PLAN_NAME_MAX];
    char array[HOOK_ARRAYS_MAX][NETWORK_NAME_MAX];
} HookNames;

typedef struct StepHook {
    const char *name;
    /* Did anyone ask for it? */
    bool (*wanted)(const Settings *settings);
    /* After the tasks were created. *self is closed also after a failure. */
    Status (*open)(Session *session, void **self, Error *error);
    void (*close)(void *self);
    /* Directions of one group of the equation's points, as route_group. */
    void (*group)(void *self, int64_t group, const PdePointArgs *args);
    /* The points of `step` are drawn, its gradient is next. */
    void (*before)(void *self, uint32_t step);
    /* Iteration `iteration`, counted from 1, was taken. */
    void (*after)(void *self, int64_t iteration);
    /* Unknown numbers were changed. */
    void (*unknowns)(void *self);
    /* Training begins anew. */
    void (*restart)(void *self);
    /* What a checkpoint holds of it. load is false where that is of other options. */
    void (*save)(void *self, JsonWriter *json);
    bool (*load)(void *self, const struct json_t *from);
    int (*arrays)(void *self, HookNames *names, Array *to);
    Status (*read)(void *self, const Safetensors *file, Error *error);
    /* The session's parameters and unknown numbers, and those that are the result, change places. */
    void (*result)(void *self);
    /* The unknown numbers of the result; NULL: those of the session. */
    const double *(*result_unknowns)(void *self);
    /* Columns of the log. */
    int (*columns)(void *self, HookNames *names, NamedNumber *to);
    /* Lines of the header. */
    void (*describe)(void *self, const Config *config, Buffer *to);
} StepHook;

#define ROW(name) extern const StepHook hook_##name;
STEP_HOOKS(ROW)
#undef ROW

/* For each hook of the session that does this, in order. */
Status hooks_open(Session *session, Error *error);
void hooks_close(Session *session);
void hooks_group(Session *session, int64_t group, const PdePointArgs *args);
void hooks_before(Session *session, uint32_t step);
void hooks_after(Session *session, int64_t iteration);
void hooks_unknowns(Session *session);
void hooks_restart(Session *session);
void hooks_save(const Session *session, JsonWriter *json);
bool hooks_load(Session *session, const struct json_t *from, const char **refused);
int hooks_arrays(const Session *session, HookNames *names, Array *to);
Status hooks_read(Session *session, const Safetensors *file, Error *error);
/* Called twice, everything is as it was. */
void hooks_result(Session *session);
const double *hooks_unknowns_of_result(const Session *session);
int hooks_columns(const Session *session, HookNames *names, NamedNumber *to);
void hooks_describe(const Session *session, const Config *config, Buffer *to);

#endif
