/* train_command.c: a run as a person sees it: header, progress, final table, where the files are. */
#define _POSIX_C_SOURCE 200809L
#include "commands/pderun.h"

#include "commands/choose_command.h"
#include "commands/error_line.h"
#include "commands/run_report.h"
#include "cuda/session/select.h"
#include "engine/ranks/ranks.h"
#include "files/number.h"
#include "files/say.h"
#include "measure/auto_sizes.h"
#include "measure/scales/scales.h"
#include "measure/solution_check.h"
#include "measure/trace.h"
#include "step/hook.h"
#include "step/optimiser.h"
#include "train/processes.h"
#include "train/run_frame.h"
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------- header, footer */

static void print_optimiser(const Session *s, const Config *config) {
    Buffer lines = {0};
    optimiser_describe(s, config, &lines);
    hooks_describe(s, config, &lines);
    if (lines.size > 0)
        say_lines(lines.data, lines.size);
    buffer_free(&lines);
}

/* Equations of a system have one scale: what each would have by itself, and which of them hardly count. */
static void print_equation_sizes(const Task *t) {
    enum { UNLIKE = 10 };
    char number[NUMBER_TEXT_MAX];
    int n = t->plan->residuals;
    double largest = 0;
    for (int e = 0; e < n; e++)
        largest = fmax(largest, t->equation_size[e]);
    if (n < 2 || !(largest > 0))
        return;
    say("              its equations by themselves:");
    for (int e = 0; e < n; e++)
        say("%s %s %s", e ? "," : "", t->plan->residual[e],
            number_print_digits(t->equation_size[e], 4, number));
    for (int e = 0; e < n; e++)
        if (t->equation_size[e] > 0 && largest > UNLIKE * t->equation_size[e])
            say("\n              '%s' hardly counts: %s times both its sides would be as large as "
                "the others",
                t->plan->residual[e],
                number_print_digits(largest / t->equation_size[e], 2, number));
    say("\n");
}

static void print_header(const Session *s, const Run *run, const Config *config,
                         const Choice *choice, const Stepper *stepper) {
    const Problem *p = s->problem;
    const Settings *set = &s->settings;
    char number[NUMBER_TEXT_MAX];
    say("%s\n", p->plan.title);
    say("  dimension   %lld%s\n", (long long)p->d, p->plan.time ? " and time" : "");
    if (s->task[0].points.share > 0)
        say("  domain      %.3g %% of what surrounds it: other points are drawn again\n",
            100 * s->task[0].points.share);
    say("  network    ");
    for (int l = 0; l <= s->network.layers; l++)
        say(" %lld", (long long)s->network.width[l]);
    say(", %s, %lld parameters, %s\n", pde_activation_name(set->activation),
        (long long)s->network.live, set->precision == PDE_F64 ? "float64" : "float32");
    if (p->plan.sets)
        say("  fields      %d sets of variables, each with hidden units of its own\n",
            p->plan.sets);
    say("  algorithm   %s: %s; %lld points", algorithm_name(set->algorithm),
        algorithm_text(set->algorithm), (long long)set->points);
    if (algorithm_gradient(set->algorithm) == TERMS_SAMPLE)
        say(", %lld terms", (long long)set->terms);
    if (set->accumulate > 1)
        say(", %d parts", set->accumulate);
    if (set->slices > 0)
        say(", %lld paths of %lld slices%s", (long long)(set->points / set->slices),
            (long long)set->slices, set->slice_sets ? " with sets of their own" : "");
    say("\n");
    choice_print(choice, set);
    say("  optimiser   %s, rate %s, %lld iterations, seed %llu\n",
        pde_optimiser_name(set->optimiser.kind), config_text(config, OPTION_RATE),
        (long long)set->iterations, (unsigned long long)set->seed);
    print_optimiser(s, config);
    say("  scales      solution");
    for (int o = 0; o < p->outputs; o++)
        say(" %s", number_print_digits(s->output_scale[o], 4, number));
    for (int i = 0; i < s->tasks; i++)
        say(", %s %s", s->task[i].plan->name,
            number_print_digits(s->task[i].residual_scale, 4, number));
    say("%s\n", set->scale_auto ? " (automatic)" : "");
    for (int i = 0; i < s->tasks; i++)
        print_equation_sizes(&s->task[i]);
    for (int i = 0; i < s->tasks; i++)
        if (s->task[i].rounding)
            say("              every trial function meets '%s': what is left of it is rounding, "
                "and is "
                "divided by the solution's size\n",
                s->task[i].plan->name);
    stepper_print(stepper);
    if (set->ranks)
        say("  processes   %d ranks, %d of them here, divide the points%s (%s)\n",
            ranks_count(set->ranks), ranks_here(set->ranks),
            session_divides_coordinates(s) ? " and the first layer's coordinates" : "",
            ranks_library(set->ranks));
    say("  machine     %d threads, %s, kernels %s\n", pde_engine_threads(s->engine),
        pde_engine_isa_name(s->engine), p->from_cache ? "from the cache" : "compiled");
    if (run->state.iteration > 0)
        say("  resumed     after iteration %lld\n", (long long)run->state.iteration);
    (void)say_end();
}

static void print_error(const char *name, ErrorNorms e) {
    char a[NUMBER_TEXT_MAX], b[NUMBER_TEXT_MAX], c[NUMBER_TEXT_MAX];
    if (!isnan(e.l2))
        say("  %-22s %-11s %-11s %s\n", name, number_print_digits(e.l2, 4, a),
            number_print_digits(e.l1, 4, b), number_print_digits(e.max, 4, c));
}

static void print_table(const Summary *summary, const Session *s, int64_t test_points) {
    say("\n%serrors on %lld test points\n  %-22s %-11s %-11s %s\n",
        summary->all.absolute ? "" : "relative ", (long long)test_points, "", "L2", "L1", "max");
    print_error("this run", summary->all);
    for (int f = 0; f < s->problem->plan.fields && s->problem->plan.fields > 1; f++)
        print_error(s->problem->plan.field[f].name, summary->field[f]);
    for (int i = 0; i < TRIVIALS; i++)
        print_error(trivial_text((Trivial)i), summary->trivial[i]);
    for (int f = 0; f < s->problem->plan.fields; f++)
        if (s->problem->plan.field[f].free_constant)
            say("  the problem does not determine a constant in %s: errors are those without the "
                "means\n",
                s->problem->plan.field[f].name);
    for (int f = 0; f < s->problem->plan.fields; f++)
        if (summary->field[f].absolute)
            say("  the exact solution %s is 0 at all test points: its errors are absolute\n",
                s->problem->plan.field[f].name);
}

static void print_references(const Summary *summary) {
    char a[NUMBER_TEXT_MAX], b[REFERENCE_TEXT_MAX], c[NUMBER_TEXT_MAX];
    int width = 15;
    for (int k = 0; k < summary->references; k++)
        width = summary->reference[k].standard_error > 0 ? 25 : width;
    if (summary->references > 0)
        say("\n  %-22s %-15s %-*s %s\n", "at the reference point", "value", width, "reference",
            "relative error");
    for (int k = 0; k < summary->references; k++) {
        const PointValue *v = &summary->reference[k];
        say("  %-22s %-15s %-*s %s\n", v->field, number_print_digits(v->value, 9, a), width,
            reference_print(v, b), number_print_digits(v->error, 4, c));
    }
}

static void print_asked(const Summary *summary) {
    char number[NUMBER_TEXT_MAX];
    if (summary->asked > 0)
        say("\nreported\n");
    for (int k = 0; k < summary->asked; k++) {
        const AskedValue *v = &summary->value[k];
        say("  %-40s %s\n", v->text, v->why ? v->why : number_print_digits(v->value, 7, number));
    }
}

static void print_unknown(const Session *s, int k) {
    char value[NUMBER_TEXT_MAX], known[NUMBER_TEXT_MAX], error[NUMBER_TEXT_MAX];
    double exact = s->problem->known_unknown[k];
    say("  %-22s %s", s->problem->plan.unknown[k], number_print(s->unknown[k], value));
    if (!isnan(exact))
        say(", known to be %s, %s error %s", number_print(exact, known),
            exact == 0 ? "absolute" : "relative",
            number_print_digits(exact == 0 ? fabs(s->unknown[k])
                                           : fabs(s->unknown[k] - exact) / fabs(exact),
                                4, error));
    say("\n");
}

/* "  proven: 0 <= u <= 1.5; violated at 3 of 1000 points, by 0.002 at most" */
static void print_bounds(const Session *s, const BoundsHeld *held) {
    char low[NUMBER_TEXT_MAX], high[NUMBER_TEXT_MAX], most[NUMBER_TEXT_MAX];
    bool below = isfinite(held->low), above = isfinite(held->high);
    if (!bounds_known(held))
        return;
    say("\n  the equation proves %s%s%s%s%s: ", below ? number_print_digits(held->low, 6, low) : "",
        below ? " <= " : "", s->problem->plan.field[0].name, above ? " <= " : "",
        above ? number_print_digits(held->high, 6, high) : "");
    if (held->outside == 0)
        say("it holds at %lld test points\n", (long long)held->points);
    else
        say("VIOLATED at %lld of %lld test points, by %s at most\n", (long long)held->outside,
            (long long)held->points, number_print_digits(held->most, 2, most));
}

static void print_footer(const Session *s, const Summary *summary, int64_t test_points) {
    char number[NUMBER_TEXT_MAX];
    if (test_points > 0)
        print_table(summary, s, test_points);
    print_references(summary);
    print_asked(summary);
    HookNames names;
    NamedNumber column[HOOK_COLUMNS_MAX];
    for (int k = 0, n = hooks_columns(s, &names, column); k < n; k++)
        say("  %-22s %s\n", column[k].name, number_print_digits(column[k].value, 4, number));
    for (int k = 0; k < s->problem->plan.unknowns; k++)
        print_unknown(s, k);
    print_bounds(s, &summary->bounds);
    frame_verdict(&summary->verdict);
}

/* Since training began; a race before it is not counted. */
static void print_exchange(const Ranks *ranks, RanksCount before, const TrainResult *result) {
    RanksCount c = ranks_counted(ranks);
    c.exchanges -= before.exchanges;
    c.sent -= before.sent;
    c.seconds -= before.seconds;
    char seconds[NUMBER_TEXT_MAX], part[NUMBER_TEXT_MAX];
    if (ranks && result->seconds > 0)
        say("\nranks       %lld rounds of messages, %lld bytes from each to each, %s s waited: %s "
            "%% of the time\n",
            (long long)c.exchanges, (long long)c.sent, number_print_digits(c.seconds, 3, seconds),
            number_print_digits(100 * c.seconds / result->seconds, 2, part));
}

/* --------------------------------------------------------------------------------------- train */

/* By this process alone: the others wait in what all do next, so that it must take less than they wait for a rank: it
 * takes a tenth of `seconds`, and at most a quarter of that. */
static void estimate_alone(Session *s, const Config *config, double seconds, ErrorLine *bars) {
    struct Ranks *ranks = s->settings.ranks;
    if (ranks)
        seconds = fmin(seconds, 10 * config_number(config, OPTION_RANK_TIMEOUT) / 4);
    s->settings.ranks = NULL;
    error_line_make(s, config, seconds, bars);
    s->settings.ranks = ranks;
}

static Status train_session(Session *s, Stepper *stepper, Run *run, Config *config,
                            const Choice *choice, VerdictKind *verdict, Error *error) {
    Evaluation evaluation;
    Status status = evaluation_open(s, &evaluation, error);
    if (status != STATUS_OK)
        return status;
    print_header(s, run, config, choice, stepper);
    if (config_is_set(config, OPTION_TRACE))
        status = trace_write(s, (uint32_t)run->state.iteration, config_text(config, OPTION_TRACE),
                             error);
    Screen screen = frame_screen(config);
    const TrainHooks hooks = frame_hooks(&screen);
    TrainResult result = {0};
    RanksCount before = ranks_counted(s->settings.ranks);
    SessionTrainee self = {s, &evaluation};
    Trainee trainee = session_trainee(&self, stepper);
    if (status == STATUS_OK)
        status = train(&trainee, run, config, &hooks, &result, error);
    if (status == STATUS_OK) {
        Summary summary;
        ErrorLine bars = {.done = false};
        if (!run->follows)
            estimate_alone(s, config, result.seconds, &bars);
        summary_make(s, &evaluation, run, config, &result, &bars.job, &summary);
        status = ranks_status(s->settings.ranks, error);
        if (status == STATUS_OK && !run->follows) {
            print_footer(s, &summary, evaluation.points);
            print_exchange(s->settings.ranks, before, &result);
            error_line_print(&bars, run, &result);
            *verdict = summary.verdict.kind;
        }
        error_line_close(&bars);
        if (status == STATUS_OK)
            status = frame_end(run, config, &result, summary.has_report, error);
    }
    evaluation_close(&evaluation);
    return status;
}

static Status select_device(Session *s, const Config *config, Stepper *stepper, Error *error) {
    Buffer note = {0};
    Status status = cuda_select(s, config, stepper, &note, error);
    frame_note(&note);
    return status;
}

static Status with_problem(ModuleFile *module, Config *config, Run *run, Checkpoint *checkpoint,
                           Error *error) {
    Settings settings;
    Problem problem;
    Session session;
    Stepper stepper = {NULL, NULL};
    Choice choice;
    Start start = {0};
    VerdictKind verdict = VERDICT_UNKNOWN;
    Status status = checkpoint ? STATUS_OK : choose_start(module, config, &start, error);
    if (status == STATUS_OK)
        status = settings_read(config, &settings, error);
    if (status == STATUS_OK)
        status = problem_open(module, config, settings.precision, &problem, error);
    if (status != STATUS_OK) {
        start_free(&start);
        return status;
    }
    status = optimiser_imply(config, &problem, error);
    if (status == STATUS_OK)
        status = settings_read(config, &settings, error);
    if (status == STATUS_OK && !checkpoint)
        status = solution_check(&problem, config, &settings, error);
    if (status == STATUS_OK)
        status = choice_make(&problem, config, &settings, &choice, error);
    if (status == STATUS_OK)
        status = session_open(&problem, &settings, &session, error);
    if (status == STATUS_OK) {
        if (start.made)
            state_begin(&start.state, &session);
        else if (!checkpoint)
            status = scales_choose(&session, error);
        if (status == STATUS_OK)
            status = ranks_status(config->ranks, error);
        if (status == STATUS_OK)
            status = run_begin(run, &session, config, checkpoint, error);
        if (status == STATUS_OK)
            status = ranks_same(config->ranks, "checkpoint",
                                (Bytes){&run->state.iteration, sizeof run->state.iteration}, error);
        if (checkpoint)
            checkpoint_free(checkpoint);
        if (status == STATUS_OK)
            status = start_write(&start, run, error);
        if (status == STATUS_OK)
            status = select_device(&session, config, &stepper, error);
        if (status == STATUS_OK)
            status = train_session(&session, &stepper, run, config, &choice, &verdict, error);
        stepper_close(&stepper);
        session_close(&session);
    }
    problem_close(&problem);
    if (status == STATUS_OK && start.made)
        status = start_verdict(verdict, error);
    start_free(&start);
    return status;
}

Status run_training(ModuleFile *module, Config *config, Error *error) {
    Status status = processes_compare(module, config, error);
    return status == STATUS_OK ? frame_run(module, config, with_problem, error) : status;
}
