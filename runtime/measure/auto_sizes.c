#include "measure/auto_sizes.h"

#include "engine/ranks/ranks.h"
#include "files/number.h"
#include "files/say.h"
#include "measure/scales/scales.h"

#include <math.h>

enum { POINTS_STEP = 16, SIZE_MOST = 4096, USUAL = 100 };
static const double SLACK = 1.1;

double choice_seconds(const StepTime *t, int64_t points, int64_t terms) {
    double B = (double)points, I = (double)terms;
    return t->fixed + t->points * B + t->terms * I + t->both * B * I + t->square * B * B;
}

/* ---------------------------------------------------------------------------------- the decision
 */

typedef struct Search {
    const Spread *spread;
    const StepTime *time;
    double budget, least; /* seconds of a step; squared error */
    Choice best;
    double seconds;
} Search;

static void find_least(Search *s, int64_t points, int64_t terms) {
    if (choice_seconds(s->time, points, terms) <= s->budget)
        s->least = fmin(s->least, spread_error(s->spread, points, terms));
}

static void find_cheapest(Search *s, int64_t points, int64_t terms) {
    double seconds = choice_seconds(s->time, points, terms);
    if (seconds > s->budget || seconds >= s->seconds ||
        spread_error(s->spread, points, terms) > SLACK * s->least)
        return;
    s->seconds = seconds;
    s->best.points = points;
    s->best.terms = terms;
}

/* Whole groups of points; every small number of terms, then steps of an eighth, and all terms. */
static void try_all(Search *s, int64_t points, int64_t terms,
                    void (*visit)(Search *, int64_t, int64_t)) {
    int64_t most = s->spread->most > SIZE_MOST || s->spread->endless ? SIZE_MOST : s->spread->most;
    int64_t last = terms ? terms : most > 1 ? most : 1;
    for (int64_t B = points ? points : POINTS_STEP; B <= (points ? points : SIZE_MOST);
         B += POINTS_STEP)
        for (int64_t I = terms ? terms : 1; I <= last;) {
            visit(s, B, I);
            int64_t next = I + (I < 8 ? 1 : I / 8);
            I = I < last && next > last ? last : next;
        }
}

Choice choice_best(const Spread *spread, const StepTime *time, int64_t points, int64_t terms) {
    Search s = {
        .spread = spread, .time = time, .least = (double)INFINITY, .seconds = (double)INFINITY};
    int64_t usual =
        spread->most > 0 && spread->most < USUAL && !spread->endless ? spread->most : USUAL;
    s.budget = fmax(choice_seconds(time, USUAL, usual),
                    choice_seconds(time, points ? points : USUAL, terms ? terms : usual));
    s.best = (Choice){.points = points ? points : USUAL,
                      .terms = terms ? terms : usual,
                      .spread = *spread,
                      .time = *time,
                      .budget = s.budget};
    try_all(&s, points, terms, find_least);
    try_all(&s, points, terms, find_cheapest);
    return s.best;
}

/* -------------------------------------------------------------------------------------- its time
 */

static Status step_seconds(const Problem *p, const Settings *base, int64_t points, int64_t terms,
                           double *least, Error *error) {
    enum { STEPS = 5 };
    Settings set = *base;
    Session s;
    set.points = points;
    set.terms = terms;
    if (base->terms == base->value_terms)
        set.value_terms = terms;
    set.adam_first = 0;
    Status status = session_open(p, &set, &s, error);
    if (status != STATUS_OK)
        return status;
    *least = (double)INFINITY;
    for (uint32_t i = 0; i < STEPS; i++) {
        double start = seconds_now();
        (void)session_step(&s, i, 1e-6);
        *least = fmin(*least, seconds_now() - start);
    }
    session_close(&s);
    return STATUS_OK;
}

/* From steps at the corners of a rectangle, and at twice its points for a term in |B|^2. */
static Status measure_time(const Problem *p, const Settings *set, const Spread *spread,
                           StepTime *time, Error *error) {
    enum { FEW = 16, MANY = 128 };
    int64_t most = spread->most, few = 1, many = 1;
    if (most > 0 && set->terms_auto) {
        few = most < 8 && !spread->endless ? most : 8;
        many = most < 64 && !spread->endless ? most : 64;
    } else if (most > 0) {
        few = many = set->terms;
    }
    const int64_t at[5][2] = {{FEW, few}, {MANY, few}, {FEW, many}, {MANY, many}, {2 * MANY, few}};
    double t[5] = {0};
    bool natural = pde_optim_has(set->optimiser.kind, PDE_JACOBIAN);
    Status status = STATUS_OK;
    for (int i = 0; i < 4 + natural && status == STATUS_OK; i++)
        if (i < 2 || many > few || i == 4)
            status = step_seconds(p, set, at[i][0], at[i][1], &t[i], error);
    if (many == few) {
        t[2] = t[0];
        t[3] = t[1];
    }
    double B = MANY - FEW, I = many > few ? (double)(many - few) : 1;
    double slope = (t[1] - t[0]) / B, bend = natural ? ((t[4] - t[1]) / MANY - slope) : 0;
    *time = (StepTime){.square = fmax(0, bend / (2.0 * MANY - FEW)),
                       .both = fmax(0, (t[3] - t[2] - t[1] + t[0]) / (B * I))};
    time->terms = fmax(0, (t[2] - t[0]) / I - time->both * FEW);
    time->points = fmax(0, slope - time->both * (double)few - time->square * (MANY + FEW));
    time->fixed = fmax(0, t[0] - choice_seconds(time, FEW, few));
    return status;
}

/* ---------------------------------------------------------------------------------------- making
 */

static Status measure(const Problem *p, const Settings *set, Choice *c, Error *error) {
    Settings pilot = spread_pilot(p, set);
    Session s;
    Status status = session_open(p, &pilot, &s, error);
    if (status != STATUS_OK)
        return status;
    status = scales_choose(&s, error);
    if (status == STATUS_OK)
        status = spread_measure(&s, &c->spread, error);
    session_close(&s);
    if (algorithm_gradient(set->algorithm) == TERMS_SAMPLE)
        c->spread.draws = set->accumulate;
    if (status == STATUS_OK)
        status = measure_time(p, set, &c->spread, &c->time, error);
    return status;
}

Status choice_make(const Problem *p, Config *config, Settings *set, Choice *c, Error *error) {
    *c = (Choice){0};
    if (!set->points_auto && !set->terms_auto)
        return STATUS_OK;
    if (p->plan.sets)
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "auto sizes look at all parameters, and of fields of fewer variables some "
                         "are zero: give --points and --terms as numbers");
    if (pde_optim_has(set->optimiser.kind, PDE_ONE_LOSS))
        return error_set(error, STATUS_OPTION_CONFLICT,
                         "--points auto weighs variance against time, and L-BFGS keeps its points: "
                         "give their number");
    if (ranks_count(set->ranks) > 1)
        return error_set(
            error, STATUS_OPTION_CONFLICT,
            "auto sizes weigh variance against the time of one process: give --points and "
            "--terms as numbers where there are several");
    Status status = measure(p, set, c, error);
    if (status != STATUS_OK)
        return status;
    *c = choice_best(&c->spread, &c->time, set->points_auto ? 0 : set->points,
                     set->terms_auto ? 0 : set->terms);
    c->made = true;
    if (set->points_auto)
        status = config_decide(config, OPTION_POINTS, c->points, error);
    if (status == STATUS_OK && set->terms_auto)
        status = config_decide(config, OPTION_TERMS, c->terms, error);
    return status == STATUS_OK ? settings_read(config, set, error) : status;
}

static void put(double value, const char *unit) {
    char number[NUMBER_TEXT_MAX];
    say(" %s%s", number_print_digits(value, 3, number), unit);
}

void choice_print(const Choice *c, const Settings *set) {
    const Spread *s = &c->spread;
    double unit = s->signal > 0 ? s->signal : 1;
    if (!c->made)
        return;
    say("  choice      squared error of the gradient%s",
        s->signal > 0 ? " in parts of its squared mean:" : ":");
    put(s->points / unit, "/|B|");
    if (s->most > 0) {
        say(" +");
        put(s->terms / unit / s->draws, "/|I| +");
        put(s->both / unit / s->draws, "/(|B||I|)");
        if (s->bias > 0) {
            say(" +");
            put(s->bias / unit, "/|I|^2");
        }
        if (!s->endless)
            say(", |K| = %lld", (long long)s->most);
    }
    say("\n              time of a step in ms:");
    put(1e3 * c->time.fixed, " +");
    put(1e3 * c->time.points, " |B|");
    if (s->most > 0) {
        say(" +");
        put(1e3 * c->time.terms, " |I| +");
        put(1e3 * c->time.both, " |B||I|");
    }
    if (pde_optim_has(set->optimiser.kind, PDE_JACOBIAN)) {
        say(" +");
        put(1e3 * c->time.square, " |B|^2");
    }
    say("\n              least error within the");
    put(1e3 * c->budget, " ms of a step with ");
    say("%d points%s: %lld points", USUAL, s->most > 0 ? " and terms" : "", (long long)c->points);
    if (s->most > 0)
        say(", %lld terms", (long long)c->terms);
    say("\n");
}
