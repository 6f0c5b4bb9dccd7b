/* tnn_train.c: a run with a tensor network as a person sees it: header, progress, last lines. */
#include "commands/tnn_files.h"

#include "commands/tnn_stepper.h"
#include "files/number.h"
#include "files/say.h"
#include "train/run_frame.h"
#include "train/train.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------- header, footer
 */

static void print_header(const TnnModule *m, const Run *run, const Config *config,
                         const Stepper *stepper) {
    static const char *const solver[] = {"eigenproblems of the output layers",
                                         "gradient steps and eigenproblems", "gradient steps"};
    const Settings *s = &m->settings;
    double least = (double)INFINITY, most = 0;
    for (int64_t i = 0; i < m->problem.d; i++) {
        least = m->operator.half[i]<least ? m->operator.half[i] : least;
        most = m->operator.half[i]> most  ? m->operator.half[i] : most;
    }
    char a[NUMBER_TEXT_MAX], b[NUMBER_TEXT_MAX];
    say("%s\n", m->problem.plan.title);
    say_lines(m->text, strlen(m->text));
    say("  dimension   %lld, boxes of half width %s to %s\n", (long long)m->problem.d,
        number_print_digits(least, 4, a), number_print_digits(most, 4, b));
    say("  network     rank %d, width %d, %d weight layers, %s, %lld parameters, float64\n",
        m->config.rank, m->config.width, m->config.depth, pde_activation_name(m->config.activation),
        (long long)m->tnn.parameters);
    say("  quadrature  %d nodes; scored on %d\n", m->tnn.rule.nodes, m->fine.nodes);
    say("  solver      %s", solver[m->solver]);
    if (m->solver != SOLVER_EIGEN) {
        say("; algorithm %s, rate %s", algorithm_name(s->algorithm),
            config_text(config, OPTION_RATE));
        if (algorithm_gradient(s->algorithm) == TERMS_SAMPLE)
            say(", %lld of %lld terms", (long long)s->terms, (long long)m->problem.d);
        say(", blocks of %lld dimensions", (long long)m->tnn.tape_dims);
    }
    say("\n");
    stepper_print(stepper);
    say("  machine     %d threads, %s\n", pde_pool_size(m->tnn.pool), m->tnn.ops->name);
    if (run->state.iteration > 0)
        say("  resumed     after iteration %lld\n", (long long)run->state.iteration);
    (void)say_end();
}

static void print_error(const char *name, double lambda, double reference) {
    char number[NUMBER_TEXT_MAX];
    if (!isnan(reference))
        say("  %-30s %.12g   relative error %s\n", name, reference,
            number_print_digits(fabs(lambda - reference) / fabs(reference), 4, number));
}

/* What is proven without any reference: some eigenvalue of the operator on the box is near, not that it is the least. */
static void print_residual(const TnnModule *m, double lambda) {
    char fine[NUMBER_TEXT_MAX], coarse[NUMBER_TEXT_MAX];
    say("  %-30s an eigenvalue lies within %s of it: |H psi - lambda psi| / |psi|\n"
        "  %-30s (%s by the coarser rule; the walls of the box are not counted)\n",
        "residual bound", number_print_digits(tnn_residual(&m->tnn, &m->fine, lambda), 3, fine), "",
        number_print_digits(tnn_residual(&m->tnn, &m->tnn.rule, lambda), 3, coarse));
}

static void print_footer(const TnnRun *r, double dense, double untrained) {
    char number[NUMBER_TEXT_MAX];
    const TnnModule *m = r->m;
    say("\n  %-30s %.12g   on %d nodes (%.12g on the %d that were trained on)\n", m->name,
        r->lambda, m->fine.nodes, r->value, m->tnn.rule.nodes);
    print_error("exact", r->lambda, m->exact);
    print_error("dense solver, same box", r->lambda, dense);
    if (!isnan(dense) && !isnan(m->exact))
        say("  %-30s %s   of the exact value\n", "the walls raise it by",
            number_print_digits((dense - m->exact) / fabs(m->exact), 3, number));
    if (fabs(r->value - r->lambda) > 1e-6 * fabs(r->lambda) &&
        algorithm_gradient(m->settings.algorithm) != TERMS_SAMPLE)
        say("  the two rules disagree: more --nodes or --cells are needed\n");
    print_residual(m, r->lambda);
    Verdict verdict;
    verdict_of_eigenvalue(r->lambda, untrained, r->reference, &verdict);
    frame_verdict(&verdict);
}

/* ----------------------------------------------------------------------------------------- train
 */

/* A dense solution where it is cheap: one small eigenproblem per dimension, or d = 2. */
static double dense_reference(const TnnModule *m) {
    enum { BASIS = 72, BASIS_OF_TWO = 28, DIMENSIONS_MAX = 2000 };
    if (m->problem.d > DIMENSIONS_MAX)
        return (double)NAN;
    return tnn_dense(&m->tnn, m->operator.channels ? BASIS_OF_TWO : BASIS, NULL);
}

static Status train_network(TnnRun *r, Run *run, const Config *config, double untrained,
                            Error *error) {
    TnnModule *m = r->m;
    double dense = dense_reference(m);
    Stepper stepper = tnn_stepper(r);
    Trainee trainee = tnn_trainee(r, &stepper);
    Screen screen = frame_screen(config);
    const TrainHooks hooks = frame_hooks(&screen);
    TrainResult result = {0};
    r->reference = isnan(m->exact) ? dense : m->exact;
    r->value = r->lambda = r->error = (double)NAN;
    print_header(m, run, config, &stepper);
    Status status = STATUS_OK;
    if (config_is_set(config, OPTION_TRACE)) {
        double lambda = tnn_gradient_of(m, (uint32_t)run->state.iteration);
        status = tnn_write_trace(m, lambda, config_text(config, OPTION_TRACE), error);
    }
    if (status == STATUS_OK)
        status = train(&trainee, run, config, &hooks, &result, error);
    if (status == STATUS_OK) {
        TnnOutcome outcome = {r->lambda, dense, train_end_text(result.end), result.seconds};
        if (r->device)
            (void)tnn_value(&m->tnn); /* the report draws from the host's matrices */
        bool report =
            !config_flag(config, OPTION_NO_REPORT) && tnn_report(run, m, config, &outcome);
        print_footer(r, dense, untrained);
        status = frame_end(run, config, &result, report, error);
    }
    stepper_close(&stepper);
    return status;
}

static Status select_device(TnnRun *r, const Config *config, Error *error) {
    Buffer note = {0};
    Status status = cuda_tensor_select(r->m, config, &r->device, &note, error);
    frame_note(&note);
    return status;
}

static Status with_module(ModuleFile *module, Config *config, Run *run, Checkpoint *checkpoint,
                          Error *error) {
    TnnModule m;
    TnnRun r = {.m = &m};
    Status status = tnn_open(module, config, &m, error);
    if (status != STATUS_OK)
        return status;
    status = tnn_make(&m, error);
    double untrained = (double)NAN;
    if (status == STATUS_OK)
        status = tnn_score(&m.tnn, &m.fine, &untrained, error);
    if (status == STATUS_OK && checkpoint)
        status = tnn_load(run, &m, checkpoint, error);
    if (checkpoint)
        checkpoint_free(checkpoint);
    if (status == STATUS_OK)
        status = run_write_config(run, config, error);
    if (status == STATUS_OK)
        status = run_write_module(run, &m.problem.module, error);
    if (status == STATUS_OK)
        status = run_open_log(run, config, error);
    if (status == STATUS_OK)
        status = select_device(&r, config, error);
    if (status == STATUS_OK)
        status = train_network(&r, run, config, untrained, error);
    tnn_close(&m);
    return status;
}

Status tnn_training(ModuleFile *module, Config *config, Error *error) {
    return frame_run(module, config, with_module, error);
}
