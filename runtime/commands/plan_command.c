/* plan_command.c: --info and --plan: what is in a module, and what a run of it costs. */
#define _POSIX_C_SOURCE 200809L
#include "commands/pderun.h"

#include "cuda/session/device_plan.h"
#include "cuda/session/select.h"
#include "engine/ranks/ranks.h"
#include "engine/real.h"
#include "files/number.h"
#include "files/say.h"
#include "load/problem_open.h"
#include "load/variant.h"
#include "measure/auto_sizes.h"
#include "measure/scales/scales.h"
#include "report/progress.h"
#include "step/optimiser.h"
#include "step/route.h"
#include "step/session.h"
#include "step/vector_rows.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { RANKS_USEFUL = 16 }; /* chunks of points that the engine makes at the most */

/* --------------------------------------------------------------------------------------- --info */

static void print_task(const Plan *plan, const PlanTask *t) {
    say("  %-10s %s", plan_task_kind_name(t->kind), t->name);
    for (int f = 0; f < t->families; f++)
        say("%s", t->family[f].indices == 1 ? ", sum over i"
                  : t->family[f].ordered    ? ", sum over i < j"
                                            : ", sum over i, j");
    say("\n             sampled:");
    for (int b = 0; b < t->sampled.blocks; b++)
        say(" %s (order %d)", plan_block_kind_name(t->sampled.block[b].kind),
            t->sampled.block[b].order);
    if (t->has_exact) {
        say("; all terms at once:");
        for (int b = 0; b < t->exact.blocks; b++)
            say(" %s (order %d)", plan_block_kind_name(t->exact.block[b].kind),
                t->exact.block[b].order);
    }
    say("\n");
    (void)plan;
}

static void print_plan(const Plan *plan) {
    char number[NUMBER_TEXT_MAX];
    say("%s\n", plan->title);
    for (int i = 0; i < plan->dims; i++)
        say("  dim        %s = %lld\n", plan->dim[i].name, (long long)plan->dim[i].value);
    for (int i = 0; i < plan->params; i++)
        say("  param      %s = %s\n", plan->param[i].name,
            number_print(plan->param[i].value, number));
    say("  domain     ");
    for (int i = 0; i < plan->spaces; i++)
        say("%s%s", i ? " x " : "", plan_domain_name(plan->space[i].domain));
    say("%s\n", plan->time ? " and time" : "");
    for (int i = 0; i < plan->fields; i++)
        say("  field      %s%s\n", plan->field[i].name,
            plan->field[i].exact_scalar >= 0 ? " (exact solution known)" : "");
    for (int i = 0; i < plan->tensors; i++)
        say("  constant   %s, %s\n", plan->tensor[i].name,
            plan->tensor[i].file ? "from data" : "random");
    for (int i = 0; i < plan->tasks; i++)
        print_task(plan, &plan->task[i]);
}

/* What a variant has that the file does not, and why. */
static Status print_variant(const ModuleFile *variant, Error *error) {
    Bytes json;
    Plan plan;
    Status status = module_require(variant, ".pde.plan", &json, error);
    if (status == STATUS_OK)
        status = plan_parse(json, &plan, error);
    if (status != STATUS_OK)
        return status;
    say("  variant    %s\n", plan.variant.name);
    for (int k = 0; k < plan.variant.reasons; k++)
        say("             %s\n", plan.variant.because[k]);
    plan_free(&plan);
    return STATUS_OK;
}

static Status print_variants(const ModuleFile *module, const char *path, Error *error) {
    Status status = STATUS_OK;
    for (int k = 0; k < variant_count(module) && status == STATUS_OK; k++) {
        ModuleFile variant;
        status = variant_open(module, path, k, &variant, error);
        if (status == STATUS_OK) {
            status = print_variant(&variant, error);
            module_free(&variant);
        }
    }
    return status;
}

Status show_info(const ModuleFile *module, const Config *config, Error *error) {
    Bytes json;
    Plan plan;
    char hex[DIGEST_HEX_SIZE + 1];
    Status status = module_require(module, ".pde.plan", &json, error);
    if (status == STATUS_OK)
        status = plan_parse(json, &plan, error);
    if (status != STATUS_OK)
        return status;
    print_plan(&plan);
    plan_free(&plan);
    status = print_variants(module, config->module, error);
    if (status != STATUS_OK)
        return status;
    say("module\n  written by pdec %.31s, ABI %u.%u, sha256 %s\n", module->head->version,
        module->head->abi_major, module->head->abi_minor, digest_hex(&module->digest, hex));
    for (uint32_t i = 0; i < module->head->section_count; i++)
        say("  %-12s %10llu bytes\n", module->section[i].name,
            (unsigned long long)module->section[i].size);
    return STATUS_OK;
}

/* --------------------------------------------------------------------------------------- --plan */

static double terms_of(const Problem *p, const Settings *set, int t, int f) {
    double size = (double)p->family[t][f].size, terms = (double)set->terms;
    if (algorithm_gradient(set->algorithm) == TERMS_ALL)
        return size / set->accumulate;
    return terms < size ? terms : size;
}

/* Sparse directions: each point has its own entries, rows of W1 and their seeds. Gives the inputs they name. */
static double add_sparse(const Problem *p, const Settings *set, int t, double h, StepCost *c) {
    const PlanRoute *r = &p->plan.task[t].sampled;
    double real = (double)real_size(p->precision), B = (double)set->points, inputs = 0;
    for (int b = 0; b < r->blocks; b++) {
        if (r->block[b].kind != BLOCK_sparse)
            continue;
        double K = terms_of(p, set, t, r->block[b].family), entries = r->block[b].entries;
        c->directions += B * K * (entries * (sizeof(uint32_t) + real + 32) + h * real);
        c->flops += 4 * B * K * entries * h;
        inputs += K * entries;
    }
    return inputs;
}

/* Rows that go through the layers for K directions: fewer where they are rotated (engine/kernels/rotate.h). */
static double jet_rows(const PlanTask *t, const Settings *set, double K, double h) {
    return route_rotates(&t->sampled, set) && K > h ? h : K;
}

/* An earlier task whose points condition t has, too; -1: it has its own. */
static int points_of(const Problem *p, const Settings *set, int t) {
    for (int earlier = 0; earlier < t; earlier++)
        if (joint_shares(p, set, earlier, t))
            return earlier;
    return -1;
}

static bool leads(const Problem *p, const Settings *set, int t) {
    for (int later = t + 1; later < p->plan.tasks; later++)
        if (points_of(p, set, later) == t)
            return true;
    return false;
}

/* Conditions that have the points of another and, with `passes`, its way through the network. */
static int sharing(const Problem *p, const Settings *set, bool passes) {
    int n = 0;
    for (int t = 0; t < p->plan.tasks && (!passes || joint_passes(set)); t++)
        n += points_of(p, set, t) >= 0;
    return n;
}

/* What session.c and the engine will allocate, from sizes alone, so that a run that cannot fit is
 * refused before anything is allocated. */
static StepCost cost_of(const Problem *p, const Settings *set) {
    Network n = network_of(set, p);
    double real = (double)real_size(p->precision), B = (double)set->points;
    double lanes = (double)problem_groups(set->points) * PDE_LANES, in = (double)p->inputs;
    const OptimiserClass *class = optimiser_class(set->optimiser.kind);
    int slots = pde_optim_states(set->optimiser.kind);
    StepCost c = {.parameters = real * (double)n.size * (1 + slots + (set->clip > 0))};
    double inner = 0, h = (double)n.width[1], rows = 0, joint = 0, jets = 0;
    for (int l = 1; l < n.layers; l++)
        inner += (double)(n.width[l] * n.width[l + 1]);
    c.checkpoint = real * (double)n.size * (1 + slots);
    for (int t = 0; t < p->plan.tasks; t++) {
        double K = 0, values = algorithm_value(set->algorithm) == TERMS_SAMPLE ? 1.5 : 1;
        for (int f = 0; f < p->plan.task[t].families; f++)
            K += terms_of(p, set, t, f);
        if (algorithm_gradient(set->algorithm) == TERMS_EXACT)
            K = h;
        double through = jet_rows(&p->plan.task[t], set, K, h);
        const bool follows = points_of(p, set, t) >= 0;
        if (leads(p, set, t) && joint_passes(set)) /* the common pass has memory of its own */
            c.directions += real * 16 * ((double)n.size - in * h);
        c.points += follows ? 0 : real * lanes * in;
        c.directions += real * (K * h * 3 + 16 * ((double)n.size - in * h + K * h)) +
                        8 * real * K * h * n.layers;
        if (!follows || !joint_passes(set))
            c.flops += 4 * B * in * h + values * 6 * B * (through + 2) * inner;
        if (algorithm_gradient(set->algorithm) == TERMS_EXACT)
            c.flops += 4 * in * h * h;
        rows += B * (p->plan.task[t].squares
                         ? (double)entries_planned(set, &p->plan.task[t], p->family[t][0].size)
                         : p->plan.task[t].residuals);
        double sparse = add_sparse(p, set, t, h, &c);
        joint += sparse > 0 ? fmin(sparse, in) : K;
        jets += 6 * B * (through + 2) * inner;
    }
    c.traffic = real * in * h * (1 + 2 * (1 + slots)) + 3 * c.points;
    if (class->plan)
        class->plan(
            set, &n,
            &(StepSizes){
                .rows = rows, .joint = joint, .gradient = jets, .unknowns = p->plan.unknowns},
            &c);
    return c;
}

static void print_bytes(const char *name, double bytes) {
    say("  %-34s %10.1f MB\n", name, bytes / 1e6);
}

/* The least time of a few steps with so many points: of two at least, since the first one is slower, and of no more when
 * these took long. */
static Status time_points(const Problem *p, const Settings *set, int64_t points, double *ms,
                          Error *error) {
    enum { LEAST_STEPS = 2, MOST_STEPS = 5 };
    const double LONG = 0.2; /* seconds */
    Settings own = *set;
    Session s;
    own.adam_first = 0;
    own.points = points;
    Status status = session_open(p, &own, &s, error);
    if (status != STATUS_OK)
        return status;
    *ms = 1e300;
    const double begun = seconds_now();
    for (uint32_t i = 0; i < LEAST_STEPS || (i < MOST_STEPS && seconds_now() - begun < LONG); i++) {
        double start = seconds_now();
        (void)session_step(&s, i, 1e-6);
        double now = 1e3 * (seconds_now() - start);
        *ms = now < *ms ? now : *ms;
    }
    session_close(&s);
    return STATUS_OK;
}

/* Coordinates of all points that a step may have to be timed as it is: more would take seconds. */
#define COORDINATES_TIMED 2e7

/* A step of many points costs as much more for each as two smaller ones say; where the cost is no straight line in the
 * number of points, it is taken as it is, and so it is with not many more points than the larger of the two: each of them
 * has memory of its own, which takes longer than a step. Gives how many were timed. */
static Status time_step(const Problem *p, const Settings *set, double *ms, int64_t *timed,
                        Error *error) {
    const int64_t room = (int64_t)(COORDINATES_TIMED / (double)p->inputs) / PDE_LANES * PDE_LANES;
    const int64_t most = room > 4 * PDE_LANES ? room : 4 * PDE_LANES, half = most / 2;
    const bool whole = set->points <= 2 * most || set->slices > 0 || set->accumulate > 1 ||
                       pde_optim_has(set->optimiser.kind, PDE_JACOBIAN);
    double less = 0, more = 0;
    *timed = whole ? set->points : most;
    Status status = time_points(p, set, *timed, &more, error);
    *ms = more;
    if (status != STATUS_OK || whole)
        return status;
    status = time_points(p, set, half, &less, error);
    const double each = (more - less) / (double)(most - half);
    *ms = more + (each > 0 ? each : more / (double)most) * (double)(set->points - most);
    return status;
}

/* What every rank of so many would give the others in a step: made here by this process alone, and counted. */
static Status print_ranks(const Problem *p, const Settings *set, int ranks, Error *error) {
    Settings own = *set;
    Session s;
    unsigned none = 0;
    own.ranks = ranks_imagined(ranks);
    own.adam_first = 0;
    Status status = own.ranks ? session_open(p, &own, &s, error)
                              : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for ranks");
    if (status == STATUS_OK) {
        (void)session_step(&s, 0, 1e-6); /* the second is like all that follow */
        RanksCount before = ranks_counted(own.ranks);
        (void)session_step(&s, 1, 1e-6);
        (void)ranks_any(own.ranks, &none, error);
        RanksCount after = ranks_counted(own.ranks);
        say("%d ranks\n  %-34s %10s\n", ranks, "divided",
            session_divides_coordinates(&s) ? "points, and coordinates of the first layer"
                                            : "points");
        session_close(&s);
        say("  %-34s %10s\n", "memory of each", "as above");
        say("  %-34s %10lld\n", "rounds of messages per step",
            (long long)(after.exchanges - before.exchanges));
        say("  %-34s %10lld bytes\n", "sent to each other rank per step",
            (long long)(after.sent - before.sent));
        if (ranks > RANKS_USEFUL || ranks > set->points)
            say("  points are divided into %lld parts: ranks beyond them only wait\n",
                (long long)(set->points < RANKS_USEFUL ? set->points : RANKS_USEFUL));
    }
    ranks_close(own.ranks, STATUS_OK, error);
    return status;
}

static Status print_cost(const Problem *p, const Settings *set, Error *error) {
    StepCost c = cost_of(p, set);
    char duration[PROGRESS_DURATION_MAX];
    double total = c.parameters + c.points + c.directions + c.checkpoint + c.jacobian, ms = 0;
    double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    print_plan(&p->plan);
    say("memory\n");
    print_bytes("parameters and optimiser state", c.parameters);
    print_bytes("points", c.points);
    print_bytes("directions and their products", c.directions);
    print_bytes("checkpoint buffers", c.checkpoint);
    if (c.blocks > 0)
        print_bytes(c.normal ? "rows of J, normal equations" : "Jacobian, K and its factor",
                    c.jacobian);
    if (c.blocks > 1)
        say("  %-34s %10.0f\n", "blocks of the Jacobian's columns", c.blocks);
    print_bytes("in all", total);
    if (total > 0.95 * have)
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "the run needs %.1f GB and this machine has %.1f GB: fewer --points, a "
                         "smaller --width, or --accumulate with --algorithm full need less",
                         total / 1e9, have / 1e9);
    int64_t timed;
    Status status = time_step(p, set, &ms, &timed, error);
    if (status != STATUS_OK)
        return status;
    if (sharing(p, set, false) > 0)
        say("conditions that share\n  %-34s %10d\n  %-34s %10d\n", "the points of another",
            sharing(p, set, false), "the pass of another", sharing(p, set, true));
    say("work per step\n  %-34s %10.3f GFLOP\n  %-34s %10.3f GB\n", "arithmetic", c.flops / 1e9,
        "memory traffic", c.traffic / 1e9);
    if (c.blocks > 0)
        say("  %-34s %10.3f GFLOP\n", "of it beside a gradient (natural)", c.natural / 1e9);
    say("  %-34s %10.2f ms (%.0f GFLOP/s)\n", "time, measured now", ms, c.flops / ms / 1e6);
    if (timed < set->points)
        say("  %-34s %10lld points and half as many\n", "from steps of", (long long)timed);
    say("  %-34s %10s\n", "all iterations",
        progress_duration(1e-3 * ms * (double)set->iterations, duration));
    return STATUS_OK;
}

/* What the options imply and choose, as a run does. */
static Status decide(Config *config, const Problem *p, Settings *settings, Error *error) {
    Choice choice;
    Status status = optimiser_imply(config, p, error);
    if (status == STATUS_OK)
        status = settings_read(config, settings, error);
    if (status == STATUS_OK)
        status = choice_make(p, config, settings, &choice, error);
    if (status == STATUS_OK)
        choice_print(&choice, settings);
    return status;
}

Status show_plan(ModuleFile *module, Config *config, Error *error) {
    Settings settings;
    Problem problem;
    Status status = settings_read(config, &settings, error);
    if (status == STATUS_OK)
        status = problem_open(module, config, settings.precision, &problem, error);
    if (status != STATUS_OK)
        return status;
    status = decide(config, &problem, &settings, error);
    bool device = strncmp(config_text(config, OPTION_DEVICE), "cuda:", 5) == 0;
    if (status == STATUS_OK && device) {
        Factors factors;
        print_plan(&problem.plan);
        status = cuda_factors(config, &factors, error);
        if (status == STATUS_OK)
            status = cuda_plan_print(&problem, &settings, factors, error);
    } else if (status == STATUS_OK) {
        status = print_cost(&problem, &settings, error);
        int64_t ranks = config_integer(config, OPTION_RANKS);
        if (status == STATUS_OK && ranks > 1)
            status = print_ranks(&problem, &settings, (int)ranks, error);
    }
    problem_close(&problem);
    return status;
}
