/* problem_domain.c: the coordinate vectors of a problem and their domains, as numbers. See problem_domain.h. */
#include "load/problem_domain.h"

#include "engine/real.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

Status problem_set_spaces(Problem *p, Error *error) {
    const Plan *plan = &p->plan;
    for (p->spaces = 0; p->spaces < plan->spaces; p->spaces++) {
        Space *x = &p->space[p->spaces];
        *x = (Space){.domain = plan->space[p->spaces].domain,
                     .d = plan_extent(plan, plan->space[p->spaces].d),
                     .first = p->d};
        if (x->d < 1)
            return error_set(error, STATUS_OPTION_VALUE, "the domain has %lld coordinates",
                             (long long)x->d);
        p->d += x->d;
    }
    return STATUS_OK;
}

bool problem_take_constants(Problem *p, ConstantsKernel *constants) {
    double value[3 * PLAN_SPACES_MAX + 2] = {0};
    if (constants(value) != 3 * p->spaces + 2)
        return false;
    for (int k = 0; k < p->spaces; k++)
        memcpy(p->space[k].argument, value + (ptrdiff_t)3 * k, sizeof p->space[k].argument);
    memcpy(p->time, value + (ptrdiff_t)3 * p->spaces, sizeof p->time);
    return true;
}

typedef enum DomainNeeds { NOTHING, RADIUS, INTERVAL, RADII, SEMIAXES } DomainNeeds;

static bool domain_is_valid(const Space *x) {
    static const DomainNeeds needs_of[] = {
#define DOMAIN(name, arguments, argument_names, indexed, bounded, needs, ...) needs,
#include "contract/domain.def"
    };
    const double *a = x->argument;
    bool ok = true;
    switch (needs_of[x->domain]) {
    case NOTHING:
        return true;
    case RADIUS:
        return a[1] > 0;
    case INTERVAL:
        return a[1] < a[2];
    case RADII:
        return a[1] > 0 && a[1] < a[2];
    case SEMIAXES:
        for (int64_t i = 0; i < x->d; i++)
            ok = ok && x->semiaxis[i] > 0 && isfinite(x->semiaxis[i]);
        return ok;
    }
    return false;
}

/* Its indexed argument must be there: after the random and data constants. */
Status problem_check_domain(const Problem *p, Error *error) {
    for (int k = 0; k < p->spaces; k++)
        if (!domain_is_valid(&p->space[k]))
            return error_set(error, STATUS_OPTION_VALUE, "the %s is empty with these parameters",
                             plan_domain_name(p->space[k].domain));
    if (p->plan.time && !(p->time[0] < p->time[1]))
        return error_set(error, STATUS_OPTION_VALUE, "the time interval is empty");
    return STATUS_OK;
}

/* Where an argument of the domain is indexed: a kernel has it, the same in every lane. */
Status problem_evaluate_semiaxes(Problem *p, Error *error) {
    static const bool indexed_of[] = {
#define DOMAIN(name, arguments, argument_names, indexed, ...) indexed,
#include "contract/domain.def"
    };
    bool any = false;
    for (int k = 0; k < p->spaces; k++)
        any = any || indexed_of[p->space[k].domain];
    if (!any)
        return STATUS_OK;
    PointKernel *kernel = (PointKernel *)jit_find(p->kernels.jit, "pde_semiaxes");
    if (!kernel)
        return error_set(error, STATUS_MODULE_CONTENT, "the kernels lack the semiaxes");
    void *rows = calloc((size_t)(p->d * PDE_LANES), real_size(p->precision));
    p->semiaxis = calloc((size_t)p->d + 1, sizeof *p->semiaxis);
    if (rows && p->semiaxis)
        kernel(&(PdePointArgs){.tensor = (const void *const *)p->tensor, .out = rows});
    for (int64_t i = 0; i < p->d && rows && p->semiaxis; i++)
        p->semiaxis[i] = real_get(p->precision, rows, i * PDE_LANES);
    for (int k = 0; k < p->spaces && p->semiaxis; k++)
        if (indexed_of[p->space[k].domain])
            p->space[k].semiaxis = p->semiaxis + p->space[k].first;
    bool ok = rows && p->semiaxis;
    free(rows);
    return ok ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the domain");
}
