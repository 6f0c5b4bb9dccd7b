/* error_goal.h: --precision-goal: more paths, and shorter ones of their steps, until intervals are as small as wanted. */
#ifndef PDE_RUNTIME_COMMANDS_ERROR_GOAL_H
#define PDE_RUNTIME_COMMANDS_ERROR_GOAL_H

#include "error/estimate.h"

typedef struct ErrorGoal {
    double half;          /* half of a 95 % interval that is wanted; 0: no goal */
    double found;         /* the largest that was found */
    int paths, steps;     /* with them */
    const char *hindered; /* not reached, by this; NULL: reached */
} ErrorGoal;

/* point: those of config, estimated; estimated anew until all are within the goal, or something hinders. */
Status error_goal_pursue(Walk *walk, const EstimateConfig *config, ErrorPoint *point,
                         ErrorGoal *goal, bool *stopped, Error *error);

#endif
