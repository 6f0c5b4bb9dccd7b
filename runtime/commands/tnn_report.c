/* tnn_report.c: report.html of a tensor network: the eigenvalue beside its references, the log, and
 * the marginal densities of a few dimensions. */
#include "commands/tnn_files.h"

#include "files/number.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MARGINALS = 3, POINTS = 160, TEXT = 96, FACTS = 10 };

typedef struct Marginal {
    int64_t dimension;
    char title[TEXT], axis[TEXT];
    double at[POINTS], model[POINTS], exact[POINTS];
} Marginal;

/* The density of coordinate i: sum_jk c_j c_k phi_ij phi_ik times the overlaps of all others. */
static void marginal_values(const Tnn *t, const TnnRule *rule, int64_t i, const double *others,
                            TnnRows *r, double *out) {
    int p = t->config.rank;
    const double *c = tnn_coefficients(t), *norm = t->norm + i * p;
    double total = 0;
    tnn_hidden(t, rule, i, r);
    tnn_output(t, rule, i, r);
    for (int q = 0; q < POINTS; q++) {
        out[q] = 0;
        for (int j = 0; j < p; j++)
            for (int k = 0; k < p; k++)
                out[q] += c[j] * c[k] * others[j * p + k] * r->phi[j * rule->padded + q] *
                          r->phi[k * rule->padded + q] / (norm[j] * norm[k]);
        total += out[q];
    }
    double step = 2 * t->problem.half[i] / POINTS;
    for (int q = 0; q < POINTS; q++)
        out[q] /= total * step;
}

/* Products of the overlaps of all dimensions but i. */
static void overlaps_of_others(const Tnn *t, int64_t i, double *out) {
    int64_t n = (int64_t)t->config.rank * t->config.rank, own = t->matrices * n;
    for (int64_t k = 0; k < n; k++)
        out[k] = 1;
    for (int64_t l = 0; l < t->problem.d; l++)
        for (int64_t k = 0; k < n && l != i; k++)
            out[k] *= t->unit[l * own + k];
}

static bool make_marginals(TnnModule *m, Marginal *marginal) {
    Tnn *t = &m->tnn;
    double at[POINTS], weight[POINTS] = {0};
    TnnRule line = {.nodes = POINTS, .padded = POINTS, .at = at, .weight = weight};
    int64_t held = tnn_held_size(&m->config, POINTS), d = m->problem.d;
    int64_t size = held + tnn_shared_size(&m->operator, & m->config, POINTS);
    int64_t square = (int64_t)m->config.rank * m->config.rank;
    double *memory = aligned_alloc(64, (size_t)tnn_row(size + square) * sizeof(double));
    if (!memory)
        return false;
    for (int q = 0; q < POINTS; q++)
        at[q] = (2 * q + 1.0) / POINTS - 1;
    (void)tnn_value(t);
    for (int k = 0; k < MARGINALS; k++) {
        Marginal *g = &marginal[k];
        int64_t i = g->dimension = k == 0 ? 0 : k == 1 ? (d - 1) / 2 : d - 1;
        TnnRows r = tnn_rows_at(&m->config, POINTS, memory, memory + held);
        snprintf(g->axis, TEXT, "%.40s_%lld", m->coordinates, (long long)(i + 1));
        snprintf(g->title, TEXT, "marginal density of %.60s", g->axis);
        overlaps_of_others(t, i, memory + size);
        marginal_values(t, &line, i, memory + size, &r, g->model);
        double length = m->dimension[3 * d + i];
        for (int q = 0; q < POINTS; q++) {
            double y = g->at[q] = m->operator.centre[i] + m->operator.half[i] * at[q];
            g->exact[q] = exp(-y * y / (length * length)) / (length * sqrt(3.14159265358979323846));
        }
    }
    free(memory);
    return true;
}

static void fact(ReportFact *list, size_t *count, char (*text)[TEXT], const char *name,
                 double value) {
    char number[NUMBER_TEXT_MAX];
    snprintf(text[*count], TEXT, "%s", number_print_digits(value, 12, number));
    list[*count] = (ReportFact){name, text[*count], NULL};
    ++*count;
}

static char *section_text(const ModuleFile *module, const char *name) {
    Bytes bytes;
    char *text = module_section(module, name, &bytes) ? malloc(bytes.size + 1) : NULL;
    if (text) {
        memcpy(text, bytes.data, bytes.size);
        text[bytes.size] = '\0';
    }
    return text;
}

bool tnn_report(const Run *run, TnnModule *m, const Config *config, const TnnOutcome *o) {
    char path[RUN_PATH_MAX], subtitle[TEXT], command[2 * RUN_PATH_MAX], text[2 * FACTS][TEXT];
    Marginal *marginal = calloc(MARGINALS, sizeof *marginal);
    LogRow *row = NULL;
    ReportFact highlight[FACTS], setting[FACTS];
    ReportSlice slice[MARGINALS];
    ReportError errors[2];
    size_t rows = 0, highlights = 0, settings = 0, error_count = 0;
    if (!marginal || !make_marginals(m, marginal)) {
        free(marginal);
        return false;
    }
    int shown = m->problem.d < MARGINALS ? 1 : MARGINALS;
    for (int k = 0; k < shown; k++)
        slice[k] = (ReportSlice){.title = marginal[k].title,
                                 .axis = marginal[k].axis,
                                 .at = marginal[k].at,
                                 .model = marginal[k].model,
                                 .exact = m->natural ? marginal[k].exact : NULL,
                                 .count = POINTS};
    fact(highlight, &highlights, text, m->name, o->lambda);
    if (!isnan(m->exact)) {
        fact(highlight, &highlights, text, "exact", m->exact);
        errors[error_count++] = (ReportError){"against the exact eigenvalue",
                                              fabs(o->lambda / m->exact - 1), (double)NAN, true};
    }
    if (!isnan(o->dense)) {
        fact(highlight, &highlights, text, "dense solver on the same box", o->dense);
        errors[error_count++] = (ReportError){"against the dense solver",
                                              fabs(o->lambda / o->dense - 1), (double)NAN, true};
    }
    fact(setting, &settings, text + FACTS, "dimensions", (double)m->problem.d);
    fact(setting, &settings, text + FACTS, "rank", m->config.rank);
    fact(setting, &settings, text + FACTS, "width", m->config.width);
    fact(setting, &settings, text + FACTS, "weight layers", m->config.depth);
    fact(setting, &settings, text + FACTS, "quadrature nodes", m->tnn.rule.nodes);
    (void)log_read(run->directory, &row, &rows, NULL);
    char *math = section_text(&m->problem.module, ".pde.math");
    char *source = section_text(&m->problem.module, ".pde.dbg");
    snprintf(subtitle, sizeof subtitle, "%s after %lld iterations", o->end,
             (long long)run->state.iteration);
    snprintf(command, sizeof command, "pderun %s --out %s --resume", config->module,
             run->directory);
    const ReportFact file[] = {{"model.safetensors", "networks and coefficients", NULL},
                               {"log.jsonl", "eigenvalue and error of the logged iterations", NULL},
                               {"config.json", "all settings", NULL},
                               {"checkpoints/", "to resume from", NULL}};
    const ReportCommand commands[] = {{"go on with this run", command}};
    ReportData data = {.title = m->problem.plan.title,
                       .subtitle = subtitle,
                       .mathml = math,
                       .source = source,
                       .plan_note = m->text,
                       .row = row,
                       .row_count = rows,
                       .error_name = "relative error of the eigenvalue",
                       .error = errors,
                       .error_count = error_count,
                       .slice = slice,
                       .slice_count = (size_t)shown,
                       .highlight = highlight,
                       .highlight_count = highlights,
                       .setting = setting,
                       .setting_count = settings,
                       .file = file,
                       .file_count = sizeof file / sizeof *file,
                       .command = commands,
                       .command_count = 1};
    bool written = report_write(run_path(run, "report.html", path), &data, NULL) == STATUS_OK;
    free(row);
    free(math);
    free(source);
    free(marginal);
    return written;
}
