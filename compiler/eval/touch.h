/* touch.h: does a function that is never below 0 reach 0 inside the domain, on a surface? Looked for along lines. */
#ifndef PDE_COMPILER_EVAL_TOUCH_H
#define PDE_COMPILER_EVAL_TOUCH_H

#include "eval/probe.h"

/* beside: what is asked at the place that is found. True: *order says how fast it goes to 0 there, as s^order with the
 * distance s; 0: it does not. A point or a line where e is 0 in more dimensions is not found, and nothing along the
 * boundary. */
bool touch_find(Compilation *c, Ref e, Ref beside, int *order);

#endif
