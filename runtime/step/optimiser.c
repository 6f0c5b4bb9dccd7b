/* optimiser.c: from a row of optim.def to its class, and calls of what a class may leave out. */
#include "step/optimiser.h"

#include <assert.h>

const OptimiserClass *optimiser_class(PdeOptimiser kind) {
    static const OptimiserClass *const of[] = {
#define OPTIMISER(name, class, ...) &optimiser_##class,
#include "contract/optim.def"
#undef OPTIMISER
    };
    assert(kind >= 0 && kind < PDE_OPTIMISERS);
    return of[kind];
}

Status optimiser_imply(Config *config, const Problem *problem, Error *error) {
    const OptimiserClass *class =
        optimiser_class((PdeOptimiser)config->value[OPTION_OPTIMISER].integer);
    return class->imply ? class->imply(config, problem, error) : STATUS_OK;
}

Status optimiser_open(Session *s, Error *error) {
    assert(!s->optimiser.class);
    s->optimiser.class = optimiser_class(s->settings.optimiser.kind);
    return s->optimiser.class->open ? s->optimiser.class->open(s, &s->optimiser.self, error)
                                    : STATUS_OK;
}

void optimiser_close(Session *s) {
    if (s->optimiser.class && s->optimiser.class->close && s->optimiser.self)
        s->optimiser.class->close(s->optimiser.self);
    s->optimiser = (Optimiser){NULL, NULL};
}

void optimiser_restart(Session *s) {
    assert(s->optimiser.class);
    if (s->optimiser.class->restart)
        s->optimiser.class->restart(s->optimiser.self);
}

void optimiser_save(const Session *s, JsonWriter *json) {
    assert(s->optimiser.class);
    if (s->optimiser.class->save)
        s->optimiser.class->save(s->optimiser.self, json);
}

void optimiser_load(Session *s, const struct json_t *from) {
    if (s->optimiser.class->load)
        s->optimiser.class->load(s->optimiser.self, from);
}

int optimiser_arrays(const Session *s, Array to[OPTIMISER_ARRAYS_MAX]) {
    int count = s->optimiser.class->arrays ? s->optimiser.class->arrays(s->optimiser.self, to) : 0;
    assert(count <= OPTIMISER_ARRAYS_MAX);
    return count;
}

Status optimiser_read(Session *s, const Safetensors *file, Error *error) {
    return s->optimiser.class->read ? s->optimiser.class->read(s->optimiser.self, file, error)
                                    : STATUS_OK;
}

int optimiser_columns(const Session *s, NamedNumber to[OPTIMISER_COLUMNS_MAX]) {
    int count =
        s->optimiser.class->columns ? s->optimiser.class->columns(s->optimiser.self, to) : 0;
    assert(count <= OPTIMISER_COLUMNS_MAX);
    return count;
}

void optimiser_describe(const Session *s, const Config *config, Buffer *to) {
    if (s->optimiser.class->describe)
        s->optimiser.class->describe(s, s->optimiser.self, config, to);
}

void *optimiser_self(const Session *s, const OptimiserClass *class) {
    return s->optimiser.class == class ? s->optimiser.self : NULL;
}
