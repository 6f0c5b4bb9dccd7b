/* hook.c: the hooks that a session has, one after the other. */
#include "step/hook.h"

#include <assert.h>

static const StepHook *const hooks[] = {
#define ROW(name) &hook_##name,
    STEP_HOOKS(ROW)
#undef ROW
};

/* EACH(s, does) { ... }: with `hook` and its `self` */
#define EACH(s, does)                                                                              \
    for (int k = 0; k < STEP_HOOK_COUNT; k++)                                                      \
        if ((s)->hook[k].on && hooks[k]->does)

Status hooks_open(Session *s, Error *error) {
    Status status = STATUS_OK;
    for (int k = 0; k < STEP_HOOK_COUNT && status == STATUS_OK; k++) {
        if (!hooks[k]->wanted(&s->settings))
            continue;
        assert(!s->hook[k].on);
        s->hook[k].on = true;
        status = hooks[k]->open(s, &s->hook[k].self, error);
    }
    return status;
}

void hooks_close(Session *s) {
    EACH(s, close) {
        if (s->hook[k].self)
            hooks[k]->close(s->hook[k].self);
        s->hook[k].self = NULL;
    }
}

void hooks_group(Session *s, int64_t group, const PdePointArgs *args) {
    EACH(s, group)
    hooks[k]->group(s->hook[k].self, group, args);
}

void hooks_before(Session *s, uint32_t step) {
    EACH(s, before)
    hooks[k]->before(s->hook[k].self, step);
}

void hooks_after(Session *s, int64_t iteration) {
    assert(iteration > 0);
    EACH(s, after)
    hooks[k]->after(s->hook[k].self, iteration);
}

void hooks_unknowns(Session *s) {
    EACH(s, unknowns)
    hooks[k]->unknowns(s->hook[k].self);
}

void hooks_restart(Session *s) {
    EACH(s, restart)
    hooks[k]->restart(s->hook[k].self);
}

void hooks_save(const Session *s, JsonWriter *json) {
    EACH(s, save)
    hooks[k]->save(s->hook[k].self, json);
}

bool hooks_load(Session *s, const struct json_t *from, const char **refused) {
    EACH(s, load)
    if (!hooks[k]->load(s->hook[k].self, from)) {
        *refused = hooks[k]->name;
        return false;
    }
    return true;
}

int hooks_arrays(const Session *s, HookNames *names, Array *to) {
    int count = 0;
    EACH(s, arrays)
    count += hooks[k]->arrays(s->hook[k].self, names, to + count);
    assert(count <= HOOK_ARRAYS_MAX);
    return count;
}

Status hooks_read(Session *s, const Safetensors *file, Error *error) {
    Status status = STATUS_OK;
    EACH(s, read)
    status = status == STATUS_OK ? hooks[k]->read(s->hook[k].self, file, error) : status;
    return status;
}

void hooks_result(Session *s) {
    EACH(s, result)
    hooks[k]->result(s->hook[k].self);
}

const double *hooks_unknowns_of_result(const Session *s) {
    const double *unknown = NULL;
    EACH(s, result_unknowns)
    unknown = hooks[k]->result_unknowns(s->hook[k].self);
    return unknown ? unknown : s->unknown;
}

int hooks_columns(const Session *s, HookNames *names, NamedNumber *to) {
    int count = 0;
    EACH(s, columns)
    count += hooks[k]->columns(s->hook[k].self, names, to + count);
    assert(count <= HOOK_COLUMNS_MAX);
    return count;
}

void hooks_describe(const Session *s, const Config *config, Buffer *to) {
    EACH(s, describe)
    hooks[k]->describe(s->hook[k].self, config, to);
}
