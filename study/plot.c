/* plot.c: the page of the study: error against time of several runs of each problem, beside what needs
 * no training.
 * usage: study_plot SPEC PAGE.html
 * SPEC has a line for everything, fields divided by |:
 *     title|WORDS|WORDS         of the page, and what stands below it
 *     problem|WORDS             begins a plot
 *     level|NUMBER|WORDS        a line across it: a predictor that needs no training
 *     curve|DIRECTORY|WORDS     a run's log.jsonl */
#include "runtime/files/io.h"
#include "runtime/files/number.h"
#include "runtime/report/html.h"
#include "runtime/report/log.h"
#include "runtime/report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MAX = 8, SPEC_MAX = 1 << 20 };

/* owner of rows, x and y */
typedef struct Curve {
    const char *name;
    LogRow *row;
    double *x, *y;
    size_t count;
} Curve;

typedef struct Problem {
    const char *title;
    Curve curve[PLOT_SERIES_MAX];
    PlotLevel level[LEVELS_MAX];
    size_t curves, levels;
} Problem;

static Status read_curve(Problem *p, const char *directory, const char *name, Error *error) {
    if (p->curves == PLOT_SERIES_MAX)
        return error_set(error, STATUS_OPTION_VALUE, "at most %d curves fit in a plot",
                         PLOT_SERIES_MAX);
    Curve *c = &p->curve[p->curves++];
    *c = (Curve){.name = name};
    Status status = log_read(directory, &c->row, &c->count, error);
    if (status == STATUS_OK && c->count == 0)
        status = error_set(error, STATUS_BAD_LOG, "'%s' has no rows in log.jsonl", directory);
    if (status != STATUS_OK)
        return status;
    c->x = calloc(c->count, sizeof *c->x);
    c->y = calloc(c->count, sizeof *c->y);
    if (!c->x || !c->y)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for a curve");
    for (size_t i = 0; i < c->count; i++) {
        c->x[i] = c->row[i].cpu_seconds;
        c->y[i] = c->row[i].error;
    }
    return STATUS_OK;
}

static void forget(Problem *p) {
    for (size_t i = 0; i < p->curves; i++) {
        free(p->curve[i].row);
        free(p->curve[i].x);
        free(p->curve[i].y);
    }
    *p = (Problem){0};
}

static void put_cell(Buffer *out, double value, int digits) {
    buffer_text(out, "<td>");
    html_number(out, value, digits);
    buffer_text(out, "</td>");
}

static void put_row(Buffer *out, const Curve *c) {
    const LogRow *last = &c->row[c->count - 1];
    buffer_text(out, "<tr><td>");
    html_text(out, c->name);
    buffer_text(out, "</td>");
    put_cell(out, (double)last->iteration, 9);
    put_cell(out, last->cpu_seconds, 3);
    put_cell(out, last->error, 3);
    buffer_text(out, "</tr>\n");
}

/* One section: plot and table; empties the problem. */
static void put_problem(Buffer *out, Problem *p) {
    PlotSeries series[PLOT_SERIES_MAX];
    if (!p->title)
        return;
    for (size_t i = 0; i < p->curves; i++)
        series[i] = (PlotSeries){.name = p->curve[i].name,
                                 .x = p->curve[i].x,
                                 .y = p->curve[i].y,
                                 .count = p->curve[i].count};
    buffer_text(out, "<section><h2>");
    html_text(out, p->title);
    buffer_text(out, "</h2>\n");
    plot_svg(out, &(Plot){.label = p->title,
                          .x_name = "seconds of one processor",
                          .y_name = "relative error",
                          .log_x = true,
                          .log_y = true,
                          .width = 900,
                          .height = 340,
                          .series = series,
                          .series_count = p->curves,
                          .level = p->level,
                          .level_count = p->levels});
    buffer_text(out,
                "<div class=\"scroll\"><table><tr><th>method</th><th>steps</th><th>seconds</th>"
                "<th>error at the end</th></tr>\n");
    for (size_t i = 0; i < p->curves; i++)
        put_row(out, &p->curve[i]);
    for (size_t i = 0; i < p->levels; i++) {
        buffer_text(out, "<tr><td>");
        html_text(out, p->level[i].name);
        buffer_text(out, "</td><td></td><td></td>");
        put_cell(out, p->level[i].value, 3);
        buffer_text(out, "</tr>\n");
    }
    buffer_text(out, "</table></div></section>\n");
    forget(p);
}

/* The field after the next |, which becomes the end of the one before. */
static char *cut(char *text) {
    char *bar = text ? strchr(text, '|') : NULL;
    if (!bar)
        return NULL;
    *bar = '\0';
    return bar + 1;
}

static Status put_line(Buffer *out, Problem *p, char *line, bool *begun, Error *error) {
    char *first = cut(line), *second = cut(first);
    double value;
    if (strcmp(line, "title") == 0 && first && second && !*begun) {
        report_begin(out, first, second);
        *begun = true;
        return STATUS_OK;
    }
    if (strcmp(line, "problem") == 0 && first && *begun) {
        put_problem(out, p);
        p->title = first;
        return STATUS_OK;
    }
    if (strcmp(line, "curve") == 0 && second && p->title)
        return read_curve(p, first, second, error);
    if (strcmp(line, "level") == 0 && second && p->title && p->levels < LEVELS_MAX &&
        number_read(first, &value)) {
        p->level[p->levels++] = (PlotLevel){second, value};
        return STATUS_OK;
    }
    return error_set(error, STATUS_CONFIG_FILE, "not a line of a study: '%s'", line);
}

static Status make_page(char *spec, size_t size, Buffer *out, Error *error) {
    Problem problem = {0};
    bool begun = false;
    Status status = STATUS_OK;
    for (char *line = spec, *stop; status == STATUS_OK; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(spec + size - line));
        if (!stop)
            break;
        *stop = '\0';
        status = put_line(out, &problem, line, &begun, error);
    }
    if (status == STATUS_OK && !begun)
        status = error_set(error, STATUS_CONFIG_FILE, "a study begins with its title");
    if (status == STATUS_OK)
        put_problem(out, &problem);
    forget(&problem);
    report_end(out);
    return status == STATUS_OK ? buffer_status(out, error) : status;
}

int main(int argc, char **argv) {
    Error error = {0};
    Buffer page = {0};
    char *spec = NULL;
    size_t size;
    if (argc != 3) {
        fprintf(stderr, "usage: study_plot SPEC PAGE.html\n");
        return 2;
    }
    Status status = io_read_file(argv[1], SPEC_MAX, &spec, &size, &error);
    if (status == STATUS_OK)
        status = make_page(spec, size, &page, &error);
    if (status == STATUS_OK)
        status = io_write_atomic(argv[2], &(Bytes){page.data, page.size}, 1, &error);
    if (status != STATUS_OK)
        fprintf(stderr, "study_plot: %s\n", error.message);
    buffer_free(&page);
    free(spec);
    return status_exit_code(status);
}
