/* nonfinite_watch.c: a value that is not finite does harm only if it reaches a result: 1/0 under an indicator that is 0
 * does not. So the rows are walked back from the results, through values that were not finite, and the one
 * that came first is named. */
#include "measure/nonfinite_watch.h"

#include "files/visible_print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SHOWN_MAX = 160 };

bool watch_open(const Problem *problem, Watch *w) {
    *w = (Watch){.problem = problem};
    return problem_watching(problem, &w->kernels, &w->log);
}

void watch_close(Watch *w) {
    jit_destroy(w->kernels.jit);
    *w = (Watch){0};
}

void watch_begin(Watch *w, int lane) {
    w->log->lane = lane;
    w->log->seen = 0;
    memset(w->log->order, 0, (size_t)w->log->rows * sizeof *w->log->order);
}

/* The row that was the first of those that lead to a result; -1: none. */
static int64_t first_cause(const PdeWatch *log) {
    int64_t *by_order = malloc((size_t)(log->seen + 1) * sizeof *by_order), cause = -1;
    bool *live = calloc((size_t)log->rows + 1, sizeof *live);
    for (int64_t r = 0; r < log->rows && by_order; r++)
        if (log->order[r])
            by_order[log->order[r]] = r;
    for (int64_t k = log->seen; k >= 1 && by_order && live; k--) {
        int64_t r = by_order[k];
        const PdeWatchRow *row = &log->row[r];
        if (!row->root && !live[r])
            continue;
        cause = r;
        for (uint32_t e = row->first; e < row->first + row->uses; e++)
            live[log->edge[e]] = live[log->edge[e]] || log->order[log->edge[e]] < k;
    }
    free(by_order);
    free(live);
    return cause;
}

/* Characters in the text. */
static int width_of(const char *text) {
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

static void describe_value(const PdeWatch *log, int64_t r, char *out, size_t size) {
    const char *what = log->row[r].what;
    char index[48] = "";
    if (log->index[r] > 0)
        snprintf(index, sizeof index, " where the index is %.6g", log->index[r]);
    const char *value = log->value[r] > 0 ? "inf" : log->value[r] < 0 ? "-inf" : "nan";
    visible_print(out, size, "%s%.100s is %s%s", what[0] ? "" : "this", what, value, index);
}

/* A line of the user's text in three parts as they are shown: before what is marked, that itself, and the rest. */
typedef struct Shown {
    char part[3][4 * LINE_SHOWN_MAX + 1];
} Shown;

/* The line at s[start] of `text`, marked from `from` to `to`, which may be in a later line. */
static void show_line(Bytes text, size_t start, size_t from, size_t to, Shown *shown) {
    const char *s = text.data;
    size_t end = start;
    while (end < text.size && s[end] != '\n' && s[end] != '\r' && end - start < LINE_SHOWN_MAX)
        end++;
    from = from < end ? from : end;
    to = to < from ? from : to < end ? to : end;
    size_t cut[4] = {start, from, to, end};
    for (int k = 0; k < 3; k++)
        visible_print(shown->part[k], sizeof shown->part[k], "%.*s", (int)(cut[k + 1] - cut[k]),
                      s + cut[k]);
}

bool watch_place(const Watch *w, char *out) {
    const PdeWatch *log = w->log;
    int64_t r = log->seen ? first_cause(log) : -1;
    Bytes text;
    char says[240];
    if (r < 0)
        return false;
    describe_value(log, r, says, sizeof says);
    const PdeWatchRow *row = &log->row[r];
    if (row->begin >= row->end || !module_section(&w->problem->module, ".pde.dbg", &text) ||
        row->end > text.size) {
        snprintf(out, WATCH_TEXT_MAX, "\n  %s", says);
        return true;
    }
    const char *s = text.data;
    size_t start = row->begin, line = 1;
    Shown shown;
    for (size_t k = 0; k < row->begin; k++)
        line += s[k] == '\n';
    while (start > 0 && s[start - 1] != '\n')
        start--;
    show_line(text, start, row->begin, row->end, &shown);
    int before = width_of(shown.part[0]), marked = width_of(shown.part[1]);
    char carets[LINE_SHOWN_MAX + 1];
    memset(carets, '^', sizeof carets);
    marked = marked < 1 ? 1 : marked < LINE_SHOWN_MAX ? marked : LINE_SHOWN_MAX;
    visible_print(out, WATCH_TEXT_MAX,
                  "\n  --> %.100s:%zu:%d\n      |\n%5zu | %s%s%s\n      | %*s%.*s %s", log->file,
                  line, before + 1, line, shown.part[0], shown.part[1], shown.part[2], before, "",
                  marked, carets, says);
    return true;
}
