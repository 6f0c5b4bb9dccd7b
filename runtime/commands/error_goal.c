/* error_goal.c: see error_goal.h. Each round is an estimate of its own with as many paths as the variance of the last
 * one asks for: numbers that were looked at before they were found good enough would be too good. */
#include "commands/error_goal.h"

#include <math.h>

enum { ROUNDS_MOST = 8, STEPS_OF_TIME_MOST = 2048, NUMBERS_MOST = 1000000 };
static const double SPARE = 1.2; /* paths beyond what the variance asks for */
static const double SHARE = 0.5; /* of the goal that the steps' bias may take */
static const double LEAST_LEFT =
    0.2; /* of the goal's square that must be left for the paths' noise */

/* What the worst points lack. */
typedef struct Lack {
    double half, bias, paths; /* largest; paths: how many times as many */
    bool bent;                /* the linearisation alone leaves too little room */
} Lack;

static Lack lack_of(const ErrorPoint *point, int64_t count, double goal) {
    Lack l = {.paths = 1};
    for (int64_t p = 0; p < count; p++) {
        const ErrorPoint *e = &point[p];
        double fixed = e->second * e->second, noise = e->half * e->half - fixed - e->bias * e->bias,
               room = goal * goal - fixed - fmin(e->bias * e->bias, SHARE * SHARE * goal * goal);
        l.half = fmax(l.half, e->half);
        l.bias = fmax(l.bias, e->bias);
        l.bent = l.bent || room < LEAST_LEFT * goal * goal;
        l.paths = fmax(l.paths, SPARE * noise / fmax(room, LEAST_LEFT * goal * goal));
    }
    return l;
}

/* The next round; NULL, or what hinders it. */
static const char *next_round(const Lack *l, bool time, double goal, EstimateConfig *c) {
    double paths = ceil(c->paths * l->paths / WALK_BLOCK) * WALK_BLOCK;
    bool coarse = l->bias > SHARE * goal;
    if (l->bent)
        return "what the linearisation may leave out: train on";
    if (coarse && (!time || 2 * c->steps > STEPS_OF_TIME_MOST))
        return "the bias of the steps: train on";
    if (paths * (double)c->points > NUMBERS_MOST)
        return "the number of paths, of which it would take more than a million: train on";
    c->paths = paths > c->paths ? (int)paths : c->paths;
    c->steps *= coarse ? 2 : 1;
    c->seed++;
    return NULL;
}

Status error_goal_pursue(Walk *walk, const EstimateConfig *config, ErrorPoint *point,
                         ErrorGoal *goal, bool *stopped, Error *error) {
    EstimateConfig c = *config;
    bool time = walk_problem(walk)->plan.time;
    goal->hindered = NULL;
    for (int round = 0;; round++) {
        Lack l = lack_of(point, c.points, goal->half);
        goal->found = l.half;
        goal->paths = c.paths;
        goal->steps = c.steps;
        if (l.half <= goal->half)
            return STATUS_OK;
        goal->hindered = round < ROUNDS_MOST ? next_round(&l, time, goal->half, &c)
                                             : "intervals that do not shrink: train on";
        if (goal->hindered)
            return STATUS_OK;
        Status status = estimate_points(walk, &c, point, stopped, error);
        if (status != STATUS_OK || *stopped)
            return status;
    }
}
