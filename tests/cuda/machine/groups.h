/* groups.h: see groups.c. */
#ifndef SOFT_GROUPS_H
#define SOFT_GROUPS_H

#include "run.h"

Group *group_new(Run *r, Frame *frame, int pc, int lo, int hi, int unit);
void group_end(Run *r, Group *g);
void group_join(Run *r, Group *g, Group *other);
Group *group_cut(Run *r, Group *g, const uint32_t *chosen, int pc);
int group_choose(const Group *g, const uint8_t *predicate, int inverted, uint32_t *chosen);

Frame *frame_enter(Run *r, Function *f, Frame *parent);
void frame_leave(Frame *frame);
void frame_set_special(const Run *r, Frame *frame);
void frame_free_idle(Function *f);

#endif
