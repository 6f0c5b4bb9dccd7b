/* route.h: creating and using the routes of a task (session.h has the structs). */
#ifndef PDE_RUNTIME_STEP_ROUTE_H
#define PDE_RUNTIME_STEP_ROUTE_H

#include "step/session.h"

typedef struct RouteConfig {
    Task *task;
    Terms terms;     /* TERMS_SAMPLE, TERMS_ALL or TERMS_EXACT */
    int64_t sample;  /* TERMS_SAMPLE: terms of each family, or probes */
    bool probes;     /* TERMS_SAMPLE by random directions through the exact kernel */
    bool entries;    /* a residual for each sampled term (vector_rows.h) */
    int part, parts; /* of K, or the number of this independent draw */
    StreamUse stream;
    void *x;             /* points that are another batch's, with products of its own; or NULL */
    PdeBatch *points_of; /* the batch whose points are used, NULL for the first of a task */
} RouteConfig;

Status route_create(const RouteConfig *config, Route *route, Error *error);
void route_free(Route *route);
/* Whether the directions of second derivatives are rotated (engine/kernels/rotate.h). */
bool route_rotates(const PlanRoute *plan, const Settings *settings);
/* First values (from 0) of a family's indices: sets count from there. */
void route_first(const Route *route, int family, uint32_t base[2]);
/* Dense directions of one group of points, after the group's points were drawn. */
void route_group(Route *route, int64_t group, const PdePointArgs *args);
/* Directions that depend on no point. */
void route_fixed_directions(Route *route);
PdeTaskSpec route_spec(Route *route);
int route_residuals(const Route *route); /* of each point */

#endif
