/* run_report.c: fills in report.h's data from a finished run. */
#include "commands/run_report.h"

#include "commands/choice_report.h"
#include "engine/real.h"
#include "step/domain.h"
#include "step/points.h"
#include "files/number.h"
#include "report/report.h"
#include "report/report_terms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLICE_POINTS = 101, FACTS_MAX = 16, FACT_TEXT_MAX = 160 };

/* Facts whose values are made here. */
typedef struct Facts {
    ReportFact fact[FACTS_MAX];
    char text[FACTS_MAX][FACT_TEXT_MAX], note[FACTS_MAX][FACT_TEXT_MAX];
    size_t count;
} Facts;

static char *add_fact(Facts *f, const char *name) {
    char *text = f->text[f->count];
    f->fact[f->count++] = (ReportFact){name, text, NULL};
    return text;
}

static void settings_facts(const Session *s, const Config *config, Facts *f) {
    const Settings *set = &s->settings;
    char a[NUMBER_TEXT_MAX];
    snprintf(add_fact(f, "dimension"), FACT_TEXT_MAX, "%lld", (long long)s->problem->d);
    int at = 0;
    char *widths = add_fact(f, "network");
    for (int l = 0; l <= s->network.layers && at < FACT_TEXT_MAX - 24; l++)
        at += snprintf(widths + at, (size_t)(FACT_TEXT_MAX - at), "%s%lld", l ? " - " : "",
                       (long long)s->network.width[l]);
    snprintf(add_fact(f, "activation"), FACT_TEXT_MAX, "%s", pde_activation_name(set->activation));
    snprintf(add_fact(f, "parameters"), FACT_TEXT_MAX, "%lld", (long long)s->network.size);
    snprintf(add_fact(f, "algorithm"), FACT_TEXT_MAX, "%s: %s", algorithm_name(set->algorithm),
             algorithm_text(set->algorithm));
    snprintf(add_fact(f, "points, terms"), FACT_TEXT_MAX, "%lld, %lld", (long long)set->points,
             (long long)set->terms);
    snprintf(add_fact(f, "optimiser"), FACT_TEXT_MAX, "%s, rate %s",
             pde_optimiser_name(set->optimiser.kind), config_text(config, OPTION_RATE));
    snprintf(add_fact(f, "solution scale"), FACT_TEXT_MAX, "%s%s",
             number_print_digits(s->output_scale[0], 6, a), set->scale_auto ? " (automatic)" : "");
    for (int i = 0; i < s->tasks && f->count < FACTS_MAX - 1; i++)
        snprintf(add_fact(f, "residual scale"), FACT_TEXT_MAX, "%s: %s", s->task[i].plan->name,
                 number_print_digits(s->task[i].residual_scale, 6, a));
}

static void version_facts(const Session *s, Facts *f) {
    char hex[DIGEST_HEX_SIZE + 1];
    snprintf(add_fact(f, "seed"), FACT_TEXT_MAX, "%llu", (unsigned long long)s->settings.seed);
    snprintf(add_fact(f, "pderun"), FACT_TEXT_MAX, "%s", PDE_VERSION);
    snprintf(add_fact(f, "pdec"), FACT_TEXT_MAX, "%.31s", s->problem->module.head->version);
    snprintf(add_fact(f, "LLVM"), FACT_TEXT_MAX, "%s", jit_llvm_version());
    snprintf(add_fact(f, "module"), FACT_TEXT_MAX, "sha256 %s",
             digest_hex(&s->problem->module.digest, hex));
    snprintf(add_fact(f, "machine"), FACT_TEXT_MAX, "%d threads, %s", pde_engine_threads(s->engine),
             pde_engine_isa_name(s->engine));
}

/* --------------------------------------------------------------------------------------- slices */

/* Along x_1 through the centre, and along the diagonal of the first vector: where the solution is looked at. */
typedef struct Slice {
    const char *title, *axis;
    bool diagonal;
    double at[SLICE_POINTS], model[SLICE_POINTS], exact[SLICE_POINTS];
} Slice;

static void set_point(Points *points, int64_t point, const Slice *slice, double at) {
    const Problem *p = points->c.problem;
    for (int k = 0; k < p->spaces; k++) {
        const Space *x = &p->space[k];
        double centre = domain_of(x)->centre(x);
        for (int64_t i = 0; i < x->d; i++)
            points_set_coordinate(points, point, x->first + i,
                                  k == 0 && (slice->diagonal || i == 0) ? at : centre);
    }
    if (p->plan.time)
        points_set_coordinate(points, point, p->d, (p->time[0] + p->time[1]) / 2);
}

/* In as many batches as the training batch's memory needs. */
static void make_slice(Session *s, Evaluation *e, Slice *slice) {
    const Problem *p = s->problem;
    int64_t B = s->settings.points;
    double range[2];
    domain_of(&p->space[0])->reach(&p->space[0], slice->diagonal, range);
    for (int64_t first = 0; first < SLICE_POINTS; first += B) {
        int64_t count = SLICE_POINTS - first < B ? SLICE_POINTS - first : B;
        for (int64_t k = 0; k < B; k++) {
            int64_t at = first + (k < count ? k : count - 1);
            slice->at[at] = range[0] + (range[1] - range[0]) * (double)at / (SLICE_POINTS - 1);
            set_point(&e->draw, k, slice, slice->at[at]);
        }
        points_run_programs(&e->draw);
        evaluation_fields(e);
        for (int64_t k = 0; k < count; k++) {
            int scalar = p->plan.field[0].exact_scalar;
            slice->model[first + k] = real_get(p->precision, e->value, k * e->fields);
            slice->exact[first + k] =
                scalar < 0 ? (double)NAN
                           : real_get(p->precision, points_scalars(&e->draw, k / PDE_LANES),
                                      scalar * PDE_LANES + k % PDE_LANES);
        }
    }
}

/* -------------------------------------------------------------------------------------- report */

static void fill_errors(const Summary *summary, ReportError *error) {
    error[0] = (ReportError){"this run", summary->all.l2, summary->all.max, true};
    for (int i = 0; i < TRIVIALS; i++)
        error[1 + i] = (ReportError){trivial_text((Trivial)i), summary->trivial[i].l2,
                                     summary->trivial[i].max, false};
}

static void reference_facts(const Summary *summary, Facts *f) {
    char a[NUMBER_TEXT_MAX], b[REFERENCE_TEXT_MAX], c[NUMBER_TEXT_MAX];
    for (int i = 0; i < summary->references && f->count < FACTS_MAX; i++) {
        const PointValue *v = &summary->reference[i];
        char *note = f->note[f->count];
        snprintf(add_fact(f, v->field), FACT_TEXT_MAX, "%s", number_print_digits(v->value, 6, a));
        f->fact[f->count - 1].note = note;
        snprintf(note, FACT_TEXT_MAX, "at the reference point; reference %s, relative error %s",
                 reference_print(v, b), number_print_digits(v->error, 3, c));
    }
}

static void asked_facts(const Summary *summary, Facts *f) {
    char a[NUMBER_TEXT_MAX];
    for (int i = 0; i < summary->asked && f->count < FACTS_MAX; i++) {
        const AskedValue *v = &summary->value[i];
        snprintf(add_fact(f, v->text), FACT_TEXT_MAX, "%s",
                 v->why ? v->why : number_print_digits(v->value, 6, a));
    }
}

/* Of the points that the file names, "6.2174 +- 0.0003", and of the test law. */
static void bar_facts(const ErrorJob *bars, Facts *f) {
    char text[NUMBER_INTERVAL_MAX], low[NUMBER_TEXT_MAX], high[NUMBER_TEXT_MAX];
    if (!error_job_has(bars))
        return;
    for (int k = 0; k < bars->places && f->count < FACTS_MAX - 1; k++) {
        const ErrorPoint *p = &bars->point[bars->c.points + k];
        if (bars->place[k].missing)
            continue;
        snprintf(add_fact(f, bars->place[k].name), FACT_TEXT_MAX, "%s",
                 number_print_interval(p->value - p->error, p->half, text));
        f->fact[f->count - 1].note = "corrected, with its 95 % interval";
    }
    if (f->count == FACTS_MAX)
        return;
    snprintf(add_fact(f, "relative error, estimated"), FACT_TEXT_MAX, "%s to %s",
             number_print_digits(bars->sum.rms_low / bars->sum.size, 3, low),
             number_print_digits(bars->sum.rms_high / bars->sum.size, 3, high));
    f->fact[f->count - 1].note = "95 %, on the test law, without the exact solution";
}

static char *section_text(const ModuleFile *module, const char *name) {
    Bytes bytes;
    if (!module_section(module, name, &bytes))
        return NULL;
    char *text = malloc(bytes.size + 1);
    if (text) {
        memcpy(text, bytes.data, bytes.size);
        text[bytes.size] = '\0';
    }
    return text;
}

static bool write_report(Session *s, Evaluation *e, const Run *run, const Config *config,
                         const TrainResult *result, const ErrorJob *bars, const Summary *summary) {
    char path[RUN_PATH_MAX], subtitle[160], command[2 * RUN_PATH_MAX];
    char source_name[] = "log.jsonl";
    Facts setting = {.count = 0}, version = {.count = 0}, reference = {.count = 0};
    Slice *slice = calloc(2, sizeof *slice);
    LogRow *row = NULL;
    size_t rows = 0;
    ReportTerms *terms = calloc(1, sizeof *terms);
    if (!slice || !terms) {
        free(slice);
        free(terms);
        return false;
    }
    reportterms_read(&s->problem->module, terms);
    settings_facts(s, config, &setting);
    version_facts(s, &version);
    reference_facts(summary, &reference);
    asked_facts(summary, &reference);
    bar_facts(bars, &reference);
    (void)log_read(run->directory, &row, &rows, NULL);
    char *math = section_text(&s->problem->module, ".pde.math");
    char *source = section_text(&s->problem->module, ".pde.dbg");
    snprintf(subtitle, sizeof subtitle, "%s after %lld iterations", train_end_text(result->end),
             (long long)result->iterations);
    slice[0].title = "along x_1, the others at the centre";
    slice[0].axis = "x_1";
    slice[1].title = "along the diagonal, all coordinates equal";
    slice[1].axis = "x_i";
    slice[1].diagonal = true;
    ReportSlice shown[2];
    for (int i = 0; i < 2; i++) {
        make_slice(s, e, &slice[i]);
        bool exact = s->problem->plan.field[0].exact_scalar >= 0;
        shown[i] = (ReportSlice){slice[i].title,
                                 slice[i].axis,
                                 slice[i].at,
                                 slice[i].model,
                                 exact ? slice[i].exact : NULL,
                                 SLICE_POINTS,
                                 bars->slice[i].at,
                                 bars->slice[i].error,
                                 bars->slice[i].low,
                                 bars->slice[i].high,
                                 error_job_has(bars) && bars->c.slices ? ERROR_SLICE_POINTS : 0};
    }
    PlotShare phase[PHASES];
    for (int i = 0; i < PHASES; i++)
        phase[i] = (PlotShare){.name = phase_name((Phase)i), .value = s->seconds[i]};
    ReportError error[1 + TRIVIALS];
    fill_errors(summary, error);
    const ReportFact file[] = {{"model.safetensors", "the trained parameters", NULL},
                               {source_name, "loss, error and time of the logged iterations", NULL},
                               {"config.json", "all settings", NULL},
                               {"checkpoints/", "to resume from", NULL}};
    snprintf(command, sizeof command, "pderun %s --out %s --resume", config->module,
             run->directory);
    ChoiceReport choice;
    choice_report_open(run, &choice);
    ReportCommand commands[1 + CHOICE_PARTS] = {{"go on with this run", command}};
    for (size_t k = 0; k < choice.count; k++)
        commands[1 + k] = choice.part[k];
    ReportData data = {.title = s->problem->plan.title,
                       .subtitle = subtitle,
                       .mathml = math,
                       .source = source,
                       .row = row,
                       .row_count = rows,
                       .error_name = e->points == 0 ? "relative error at the point"
                                     : summary->all.absolute
                                         ? "L2 error (absolute: the exact solution is 0)"
                                         : "relative L2 error",
                       .absolute_errors = summary->all.absolute,
                       .error = error,
                       .error_count = e->points > 0 ? 1 + TRIVIALS : 0,
                       .term = terms->term,
                       .term_count = terms->count,
                       .slice = shown,
                       .slice_count = 2,
                       .phase = phase,
                       .phase_count = PHASES,
                       .highlight = reference.fact,
                       .highlight_count = reference.count,
                       .setting = setting.fact,
                       .setting_count = setting.count,
                       .version = version.fact,
                       .version_count = version.count,
                       .file = file,
                       .file_count = sizeof file / sizeof file[0],
                       .command = commands,
                       .command_count = 1 + choice.count};
    bool written =
        run->follows || report_write(run_path(run, "report.html", path), &data, NULL) == STATUS_OK;
    choice_report_close(&choice);
    free(row);
    free(math);
    free(source);
    free(slice);
    reportterms_free(terms);
    free(terms);
    return written;
}

void summary_make(Session *s, Evaluation *e, const Run *run, const Config *config,
                  const TrainResult *result, const ErrorJob *bars, Summary *summary) {
    summary->all = evaluation_errors(e, summary->field);
    evaluation_trivials(e, summary->trivial);
    summary->references = reference_values(e, summary->reference);
    summary->asked = asked_values(s, summary->value);
    verdict_make(s, &summary->all, summary->trivial, &summary->verdict);
    bounds_held(e, config->pair_count == 0, &summary->bounds);
    summary->has_report = !config_flag(config, OPTION_NO_REPORT) &&
                          write_report(s, e, run, config, result, bars, summary);
}
