/* radial.c: points at all distances from the centre of a ball. Uniform points of many dimensions lie near its boundary,
 * and a network that is asked for its value at the centre would have to guess it. */
#include <string.h>

#include "base/compilation.h"
#include "variants/find.h"

const char *find_radial(Compilation *c, Spread *out, Finds *finds) {
    static const char law[] = "sample %s ~ radial(uniform)", test[] = "\ntest %s ~ uniform";
    const Problem *p = c->problem;
    if (p->space.n != 1 || p->tensor_net || strcmp(sym_cstr(c, p->space.at[0].domain), "ball") != 0)
        return NULL;
    const PlaceRow *place = asked_place(p);
    if (!place || !ir_is_number(c->ir, place->value, 0))
        return NULL;
    for (uint32_t k = 0; k < p->sample.n; k++)
        if (problem_space(p, p->sample.at[k].target) >= 0)
            return NULL;
    const char *x = sym_cstr(c, p->space.at[0].name);
    Text t = {.arena = &c->arena};
    text_printf(&t, law, x);
    *out = spread_of_domain(c, true);
    find_add(c, finds, FIND_LAW, text_cstr(&t),
             "answers are asked at the centre, where uniform points are rare", out->where);
    Text all = {.arena = &c->arena};
    text_printf(&all, law, x);
    text_printf(&all, test, x);
    return text_cstr(&all);
}
