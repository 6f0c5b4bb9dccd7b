/* report.c: the sections of report.html, in the order a reader wants them: the problem, how well
 * it was solved, how it got there, with what, and how to go on. */
#include "files/io.h"
#include "report/html.h"
#include "report/progress.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLOT_WIDTH = 560, PLOT_HEIGHT = 330, SLICE_WIDTH = 380, SLICE_HEIGHT = 240 };

static void begin_section(Buffer *out, const char *heading) {
    buffer_printf(out, "<section><h2>%s</h2>\n", heading);
}

static void end_section(Buffer *out) {
    buffer_text(out, "</section>\n");
}

static void cell(Buffer *out, const char *class, const char *text) {
    buffer_printf(out, "<td class=\"%s\">", class);
    html_text(out, text ? text : "");
    buffer_text(out, "</td>");
}

static void number_cell(Buffer *out, double value, int digits) {
    buffer_text(out, "<td class=\"n\">");
    html_number(out, value, digits);
    buffer_text(out, "</td>");
}

/* ---- the problem ---- */

static void put_formula(Buffer *out, const char *mathml, const char *text) {
    if (mathml && html_math_is_safe(mathml)) {
        buffer_printf(out, "<div class=\"math\">%s</div>\n", mathml);
    } else if (text) {
        buffer_text(out, "<div class=\"equation\">");
        html_text(out, text);
        buffer_text(out, "</div>\n");
    }
}

static void write_problem(Buffer *out, const ReportData *data) {
    if (!data->mathml && !data->equation && !data->source)
        return;
    begin_section(out, "The problem");
    put_formula(out, data->mathml, data->equation);
    if (data->source) {
        buffer_text(out, "<details><summary>Source</summary><pre>");
        html_text(out, data->source);
        buffer_text(out, "</pre></details>\n");
    }
    end_section(out);
}

/* ---- large numbers ---- */

static void begin_highlight(Buffer *out, const char *name) {
    buffer_text(out, "<div><dt>");
    html_text(out, name);
    buffer_text(out, "</dt><dd>");
}

/* The smallest error of the log, or NULL if none was measured. */
static const LogRow *best_row(const ReportData *data) {
    const LogRow *best = NULL;
    for (size_t i = 0; i < data->row_count; i++)
        if (isfinite(data->row[i].error) && (!best || data->row[i].error < best->error))
            best = &data->row[i];
    return best;
}

static const char *error_name(const ReportData *data) {
    return data->error_name ? data->error_name : "error";
}

static void write_log_numbers(Buffer *out, const ReportData *data) {
    const LogRow *last = &data->row[data->row_count - 1], *best = best_row(data);
    char duration[PROGRESS_DURATION_MAX];
    if (best) {
        begin_highlight(out, error_name(data));
        html_number(out, last->error, 3);
        if (best != last) {
            buffer_text(out, "<small>best ");
            html_number(out, best->error, 3);
            buffer_printf(out, " at iteration %llu</small>", (unsigned long long)best->iteration);
        }
        buffer_text(out, "</dd></div>\n");
    }
    begin_highlight(out, "loss");
    html_number(out, last->loss, 3);
    buffer_text(out, "</dd></div>\n");
    begin_highlight(out, "time");
    buffer_printf(out, "%s<small>", progress_duration(last->seconds, duration));
    if (last->iteration > 0) {
        html_number(out, 1000 * last->seconds / (double)last->iteration, 3);
        buffer_text(out, "&thinsp;ms per iteration");
    }
    buffer_text(out, "</small></dd></div>\n");
    begin_highlight(out, "iterations");
    buffer_printf(out, "%llu</dd></div>\n", (unsigned long long)last->iteration);
}

static void write_numbers(Buffer *out, const ReportData *data) {
    if (data->row_count + data->highlight_count == 0)
        return;
    buffer_text(out, "<dl class=\"numbers\">\n");
    if (data->row_count > 0)
        write_log_numbers(out, data);
    for (size_t i = 0; i < data->highlight_count; i++) {
        begin_highlight(out, data->highlight[i].name);
        html_text(out, data->highlight[i].value);
        if (data->highlight[i].note) {
            buffer_text(out, "<small>");
            html_text(out, data->highlight[i].note);
            buffer_text(out, "</small>");
        }
        buffer_text(out, "</dd></div>\n");
    }
    buffer_text(out, "</dl>\n");
}

/* ---- curves ---- */

/* The log as the plots want it. owner of all three. */
typedef struct Curves {
    double *iteration, *loss, *error; /* [row_count] */
} Curves;

static bool make_curves(const ReportData *data, Curves *curves) {
    size_t size = (data->row_count + 1) * sizeof(double);
    *curves = (Curves){malloc(size), malloc(size), malloc(size)};
    if (!curves->iteration || !curves->loss || !curves->error)
        return false;
    for (size_t i = 0; i < data->row_count; i++) {
        curves->iteration[i] = (double)data->row[i].iteration;
        curves->loss[i] = data->row[i].loss;
        curves->error[i] = data->row[i].error;
    }
    return true;
}

static void free_curves(Curves *curves) {
    free(curves->iteration);
    free(curves->loss);
    free(curves->error);
}

/* Trivial predictors as lines in the error plot: what is above them has learned nothing. */
static size_t find_levels(const ReportData *data, PlotLevel *level) {
    size_t count = 0;
    for (size_t i = 0; i < data->error_count; i++)
        if (!data->error[i].is_model && isfinite(data->error[i].relative_l2))
            level[count++] = (PlotLevel){data->error[i].name, data->error[i].relative_l2};
    return count;
}

static void draw_curves(Buffer *out, const ReportData *data, const Curves *curves) {
    const PlotSeries loss = {"loss", curves->iteration, curves->loss, data->row_count, false};
    const PlotSeries error = {error_name(data), curves->iteration, curves->error, data->row_count,
                              false};
    PlotLevel *level = malloc((data->error_count + 1) * sizeof *level);
    if (!level) {
        out->failed = true;
        return;
    }
    Plot plot = {.label = "loss against iteration",
                 .x_name = "iteration",
                 .y_name = "loss",
                 .log_y = true,
                 .width = PLOT_WIDTH,
                 .height = PLOT_HEIGHT,
                 .series = &loss,
                 .series_count = 1};
    buffer_text(out, "<div class=\"pair\">\n<div>");
    plot_svg(out, &plot);
    buffer_text(out, "</div>\n");
    if (best_row(data)) {
        plot.label = "error against iteration, with trivial predictors as lines";
        plot.y_name = error_name(data);
        plot.series = &error;
        plot.level = level;
        plot.level_count = find_levels(data, level);
        buffer_text(out, "<div>");
        plot_svg(out, &plot);
        buffer_text(out, "</div>\n");
    }
    buffer_text(out, "</div>\n");
    free(level);
}

static void write_curves(Buffer *out, const ReportData *data) {
    if (data->row_count == 0)
        return;
    Curves curves;
    begin_section(out, "Training");
    if (make_curves(data, &curves))
        draw_curves(out, data, &curves);
    else
        out->failed = true;
    free_curves(&curves);
    end_section(out);
}

/* ---- errors, slices, plan ---- */

static double model_error(const ReportData *data) {
    for (size_t i = 0; i < data->error_count; i++)
        if (data->error[i].is_model)
            return data->error[i].relative_l2;
    return (double)NAN;
}

static void write_errors(Buffer *out, const ReportData *data) {
    if (data->error_count == 0)
        return;
    double model = model_error(data);
    begin_section(out, "Against predictors that need no training");
    const char *kind = data->absolute_errors ? "Absolute" : "Relative";
    buffer_printf(out,
                  "<div class=\"scroll\"><table><tr><th>Predictor</th>"
                  "<th class=\"n\">%s L<sup>2</sup> error</th>"
                  "<th class=\"n\">%s maximum error</th>"
                  "<th class=\"n\">Beside the model</th></tr>\n",
                  kind, kind);
    for (size_t i = 0; i < data->error_count; i++) {
        const ReportError *row = &data->error[i];
        buffer_printf(out, "<tr%s>", row->is_model ? " class=\"model\"" : "");
        cell(out, "", row->name);
        number_cell(out, row->relative_l2, 3);
        number_cell(out, row->relative_max, 3);
        buffer_text(out, "<td class=\"n\">");
        if (!row->is_model && isfinite(row->relative_l2) && model > 0) {
            html_number(out, row->relative_l2 / model, 2);
            buffer_text(out, "&thinsp;&times;");
        }
        buffer_text(out, "</td></tr>\n");
    }
    buffer_text(out, "</table></div>\n");
    end_section(out);
}

/* The map of the error: where along the line the solution is good. */
static void write_bars(Buffer *out, const ReportSlice *slice) {
    const PlotSeries series[] = {{"", NULL, NULL, 0, false},
                                 {"estimate", slice->bar_at, slice->bar_error, slice->bars, false},
                                 {"95 % from", slice->bar_at, slice->bar_low, slice->bars, true},
                                 {"95 % to", slice->bar_at, slice->bar_high, slice->bars, true}};
    if (slice->bars == 0)
        return;
    buffer_text(out, "<div><h3>estimated error ");
    html_text(out, slice->title);
    buffer_text(out, "</h3>");
    plot_svg(out, &(Plot){.label = "estimated error with its 95 % interval",
                          .x_name = slice->axis,
                          .y_name = "",
                          .width = SLICE_WIDTH,
                          .height = SLICE_HEIGHT,
                          .series = series,
                          .series_count = 4});
    buffer_text(out, "</div>\n");
}

static void write_slices(Buffer *out, const ReportData *data) {
    if (data->slice_count == 0)
        return;
    begin_section(out, "The solution along lines");
    buffer_text(out, "<div class=\"slices\">\n");
    for (size_t i = 0; i < data->slice_count; i++) {
        const ReportSlice *slice = &data->slice[i];
        const PlotSeries series[] = {{"exact", slice->at, slice->exact, slice->count, false},
                                     {"network", slice->at, slice->model, slice->count, true}};
        /* Without an exact solution the network keeps its own colour and is drawn solid. */
        const PlotSeries alone[] = {{"exact", NULL, NULL, 0, false},
                                    {"network", slice->at, slice->model, slice->count, false}};
        buffer_text(out, "<div><h3>");
        html_text(out, slice->title);
        buffer_text(out, "</h3>");
        plot_svg(out, &(Plot){.label = slice->title,
                              .x_name = slice->axis,
                              .y_name = "",
                              .width = SLICE_WIDTH,
                              .height = SLICE_HEIGHT,
                              .series = slice->exact ? series : alone,
                              .series_count = 2});
        buffer_text(out, "</div>\n");
        write_bars(out, slice);
    }
    buffer_text(out, "</div>\n");
    end_section(out);
}

static void write_terms(Buffer *out, const ReportData *data) {
    if (data->term_count == 0)
        return;
    begin_section(out, "Terms and plan");
    if (data->plan_note) {
        buffer_text(out, "<p class=\"soft\">");
        html_text(out, data->plan_note);
        buffer_text(out, "</p>\n");
    }
    buffer_text(out, "<div class=\"scroll\"><table><tr><th>Term</th><th>Index</th>"
                     "<th>Derivatives</th><th>How it is computed</th></tr>\n");
    for (size_t i = 0; i < data->term_count; i++) {
        const ReportTerm *term = &data->term[i];
        buffer_text(out, "<tr><td>");
        if (term->mathml && html_math_is_safe(term->mathml)) {
            buffer_text(out, term->mathml);
        } else {
            buffer_text(out, "<code>");
            html_text(out, term->formula ? term->formula : "");
            buffer_text(out, "</code>");
        }
        buffer_text(out, "</td>");
        cell(out, "key", term->family);
        cell(out, "soft", term->order);
        buffer_text(out, "<td>");
        html_text(out, term->route ? term->route : "");
        if (term->reason) {
            buffer_text(out, "<span class=\"why\">");
            html_text(out, term->reason);
            buffer_text(out, "</span>");
        }
        buffer_text(out, "</td></tr>\n");
    }
    buffer_text(out, "</table></div>\n");
    end_section(out);
}

static void write_phases(Buffer *out, const ReportData *data) {
    if (data->phase_count == 0)
        return;
    begin_section(out, "Where the time went");
    plot_bar(out, data->phase, data->phase_count, "s");
    end_section(out);
}

/* ---- facts and commands ---- */

static void write_facts(Buffer *out, const char *heading, const ReportFact *fact, size_t count) {
    if (count == 0)
        return;
    begin_section(out, heading);
    buffer_text(out, "<div class=\"scroll\"><table>\n");
    for (size_t i = 0; i < count; i++) {
        buffer_text(out, "<tr>");
        cell(out, "key", fact[i].name);
        cell(out, "value", fact[i].value);
        if (fact[i].note)
            cell(out, "soft", fact[i].note);
        buffer_text(out, "</tr>\n");
    }
    buffer_text(out, "</table></div>\n");
    end_section(out);
}

static void write_commands(Buffer *out, const ReportData *data) {
    if (data->command_count == 0)
        return;
    begin_section(out, "How to go on");
    for (size_t i = 0; i < data->command_count; i++) {
        buffer_text(out, "<div class=\"command\"><p>");
        html_text(out, data->command[i].purpose);
        buffer_text(out, "</p><pre>");
        html_text(out, data->command[i].command);
        buffer_text(out, "</pre></div>\n");
    }
    end_section(out);
}

void report_begin(Buffer *out, const char *title, const char *subtitle) {
    /* The policy repeats in the browser what the text promises: nothing is fetched or run. */
    buffer_text(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" "
                     "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>");
    html_text(out, title);
    buffer_text(out, "</title>\n<style>\n");
    for (const char *const *piece = report_style; *piece; piece++)
        buffer_text(out, *piece);
    buffer_text(out, "</style></head>\n<body><main>\n<h1>");
    html_text(out, title);
    buffer_text(out, "</h1>\n<p class=\"subtitle\">");
    html_text(out, subtitle);
    buffer_text(out, "</p>\n");
}

void report_end(Buffer *out) {
    buffer_text(out, "</main></body></html>\n");
}

void report_html(Buffer *out, const ReportData *data) {
    report_begin(out, data->title ? data->title : "Untitled problem",
                 data->subtitle ? data->subtitle : "");
    write_numbers(out, data);
    write_problem(out, data);
    write_curves(out, data);
    write_errors(out, data);
    write_slices(out, data);
    write_terms(out, data);
    write_phases(out, data);
    buffer_text(out, "<div class=\"pair\"><div>\n");
    write_facts(out, "Settings", data->setting, data->setting_count);
    buffer_text(out, "</div><div>\n");
    write_facts(out, "What reproduces this run", data->version, data->version_count);
    buffer_text(out, "</div></div>\n");
    write_facts(out, "Files", data->file, data->file_count);
    write_commands(out, data);
    report_end(out);
}

Status report_write(const char *path, const ReportData *data, Error *error) {
    Buffer page = {0};
    report_html(&page, data);
    Status status = buffer_status(&page, error);
    if (status == STATUS_OK)
        status = io_write_atomic(path, &(Bytes){page.data, page.size}, 1, error);
    buffer_free(&page);
    return status;
}
