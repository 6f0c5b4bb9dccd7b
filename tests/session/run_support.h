/* A session on the hand-written stand-in module, from options as they would be typed. */
#ifndef RUN_SUPPORT_H
#define RUN_SUPPORT_H

#include "greatest.h"

#include "runtime/engine/real.h"
#include "runtime/measure/evaluate.h"
#include "runtime/measure/scales/scales.h"
#include "runtime/step/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Rig {
    Config config;
    Settings settings;
    Problem problem;
    Session s;
    Error error;
} Rig;

static bool rig_open_module(Rig *rig, const char *path, const char *const *option, int count) {
    char *argv[32] = {(char *)(uintptr_t) "pderun", (char *)(uintptr_t)path};
    ModuleFile module;
    memset(rig, 0, sizeof *rig);
    for (int i = 0; i < count; i++)
        argv[2 + i] = (char *)(uintptr_t)option[i];
    return config_init(&rig->config, &rig->error) == STATUS_OK &&
           config_read_arguments(&rig->config, 2 + count, argv, &rig->error) == STATUS_OK &&
           settings_read(&rig->config, &rig->settings, &rig->error) == STATUS_OK &&
           module_read(path, &module, &rig->error) == STATUS_OK &&
           problem_open(&module, &rig->config, rig->settings.precision, &rig->problem,
                        &rig->error) == STATUS_OK &&
           session_open(&rig->problem, &rig->settings, &rig->s, &rig->error) == STATUS_OK;
}

static bool rig_open(Rig *rig, const char *const *option, int count) {
    return rig_open_module(rig, STAND_IN, option, count);
}

static void rig_close(Rig *rig) {
    session_close(&rig->s);
    problem_close(&rig->problem);
    config_free(&rig->config);
}

/* The whole gradient of a step on the points that are there; owner: caller. */
static inline double *rig_gradient(Rig *rig, uint32_t step) {
    double *g = malloc((size_t)rig->s.network.size * sizeof *g);
    session_gradient_here(&rig->s, step);
    pde_gradient_store(rig->s.engine);
    pde_engine_get(rig->s.engine, PDE_SLOT_GRADIENT, g);
    return g;
}

/* Number of a two-element set, whatever its order. */
static inline int set_number(const uint32_t *set) {
    uint32_t a = set[0] < set[1] ? set[0] : set[1], b = set[0] < set[1] ? set[1] : set[0];
    return (int)(b * (b - 1) / 2 + a);
}

/* Of a from b, relative to b. */
static inline double distance(const double *a, const double *b, int64_t n) {
    double difference = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(difference / size);
}

#endif
