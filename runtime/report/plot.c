/* plot.c: ranges, ticks, thinning and drawing of plot.h. */
#include "files/number.h"
#include "report/html.h"
#include "report/plot.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICKS_MAX = 20,
    MARGIN_LEFT = 62,
    MARGIN_TOP = 12,
    MARGIN_BOTTOM = 44,
    MARGIN_RIGHT = 14,
    LABEL_SIZE = 11,    /* of tick labels */
    LEVEL_SPACING = 15, /* least distance of two level labels */
    LEVEL_LETTERS_MAX = 24,
    LETTER_WIDTH = 6,      /* generous for LABEL_SIZE */
    HOVER_POINTS_MAX = 80, /* of one series: enough to find a point, few enough to load */
    COLUMNS_MAX = 400,     /* of one series after thinning */
};

/* Beyond it differences overflow; no curve that means anything goes there. NaN is not below it. */
#define VALUE_MAX 1e150

/* One axis: data in [low, high] (logarithms on a log axis) onto pixels from `start` over `length`.
 */
typedef struct Axis {
    bool logarithmic;
    double low, high;
    double start, length;
} Axis;

static bool usable(const Axis *axis, double value) {
    return fabs(value) < VALUE_MAX && (!axis->logarithmic || value > 0);
}

static double pixel(const Axis *axis, double value) {
    double v = axis->logarithmic ? log10(value) : value;
    return axis->start + (v - axis->low) / (axis->high - axis->low) * axis->length;
}

static void widen(Axis *axis, double value) {
    if (!usable(axis, value))
        return;
    double v = axis->logarithmic ? log10(value) : value;
    axis->low = fmin(axis->low, v);
    axis->high = fmax(axis->high, v);
}

/* A tenth of a pixel is all a screen shows. */
static void put_coordinate(Buffer *out, double value) {
    long long tenths = llround(value * 10);
    buffer_printf(out, "%s%lld", tenths < 0 ? "-" : "", llabs(tenths) / 10);
    if (tenths % 10 != 0)
        buffer_printf(out, ".%lld", llabs(tenths) % 10);
}

static void put_attribute(Buffer *out, const char *name, double value) {
    buffer_printf(out, " %s=\"", name);
    put_coordinate(out, value);
    buffer_text(out, "\"");
}

static void put_line(Buffer *out, const char *class, double x1, double y1, double x2, double y2) {
    buffer_printf(out, "<line class=\"%s\"", class);
    put_attribute(out, "x1", x1);
    put_attribute(out, "y1", y1);
    put_attribute(out, "x2", x2);
    put_attribute(out, "y2", y2);
    buffer_text(out, "/>");
}

static void begin_text(Buffer *out, const char *class, double x, double y) {
    buffer_printf(out, "<text class=\"%s\"", class);
    put_attribute(out, "x", x);
    put_attribute(out, "y", y);
    buffer_text(out, ">");
}

/* ---- ticks ---- */

/* 1, 2 or 5 times a power of ten, so that about `wanted` steps cover the range. */
static double nice_step(double range, int wanted) {
    double raw = range / wanted, power = pow(10, floor(log10(raw))), ratio = raw / power;
    return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

/* The k-th tick of a linear axis; false past its end. Counting, not adding up: on a range that is
 * tiny beside its values a sum would stand still. */
static bool linear_tick(const Axis *axis, double step, int k, double *value) {
    *value = (ceil(axis->low / step) + k) * step;
    return k < TICKS_MAX && *value <= axis->high + step * 1e-9;
}

/* Whole thousands as 20k and 3M: iteration numbers are long. */
static void put_linear_label(Buffer *out, double value, double step) {
    char text[NUMBER_TEXT_MAX];
    const char *unit = "";
    if (step >= 1e6 || fabs(value) >= 1e7) {
        value /= 1e6;
        unit = "M";
    } else if (step >= 1e3) {
        value /= 1e3;
        unit = "k";
    }
    number_print_digits(fabs(value) < step * 1e-9 ? 0 : value, 6, text);
    buffer_printf(out, "%s%s", text, fabs(value) > 0 ? unit : "");
}

/* Mantissa times a power of ten; powers near one are written out. */
static void put_log_label(Buffer *out, int mantissa, int exponent) {
    char text[NUMBER_TEXT_MAX];
    if (exponent >= -2 && exponent <= 3) {
        buffer_text(out, number_print_digits(mantissa * pow(10, exponent), 6, text));
        return;
    }
    if (mantissa != 1)
        buffer_printf(out, "%d\xC2\xB7", mantissa);
    buffer_printf(out, "10<tspan class=\"power\" dy=\"-4\">%s%d</tspan>",
                  exponent < 0 ? "\xE2\x88\x92" : "", abs(exponent));
}

typedef struct Frame {
    Axis x, y;
    double left, right, top, bottom; /* of the area inside the axes */
} Frame;

static void draw_y_tick(Buffer *out, const Frame *frame, double at, bool labelled) {
    put_line(out, labelled ? "grid" : "grid minor", frame->left, at, frame->right, at);
    if (labelled)
        begin_text(out, "tick y", frame->left - 8, at + 4);
}

static void draw_log_ticks(Buffer *out, const Frame *frame) {
    const Axis *axis = &frame->y;
    double decades = axis->high - axis->low;
    int every = decades > 16 ? 4 : decades > 8 ? 2 : 1;
    int first = (int)floor(axis->low), last = (int)ceil(axis->high);
    for (int exponent = first; exponent <= last; exponent++)
        for (int mantissa = 1; mantissa < 10; mantissa++) {
            double position = exponent + log10(mantissa);
            if (position < axis->low - 1e-9 || position > axis->high + 1e-9)
                continue;
            bool labelled = mantissa == 1 ? exponent % every == 0
                                          : decades < 2.2 && (mantissa == 2 || mantissa == 5);
            if (!labelled && (mantissa != 1 || every > 1) && decades > 5)
                continue;
            double at = axis->start + (position - axis->low) / decades * axis->length;
            draw_y_tick(out, frame, at, labelled);
            if (labelled) {
                put_log_label(out, mantissa, exponent);
                buffer_text(out, "</text>");
            }
        }
}

static void draw_linear_y_ticks(Buffer *out, const Frame *frame) {
    const Axis *axis = &frame->y;
    double step = nice_step(axis->high - axis->low, 5);
    double v;
    for (int k = 0; linear_tick(axis, step, k, &v); k++) {
        draw_y_tick(out, frame, pixel(axis, v), true);
        put_linear_label(out, v, step);
        buffer_text(out, "</text>");
    }
}

static void begin_x_tick(Buffer *out, const Frame *frame, double at) {
    put_line(out, "mark", at, frame->bottom, at, frame->bottom + 5);
    begin_text(out, "tick x", at, frame->bottom + 18);
}

/* Powers of ten, and twice and five times them where there is room. */
static void draw_log_x_ticks(Buffer *out, const Frame *frame) {
    const Axis *axis = &frame->x;
    static const int mantissa[] = {1, 2, 5};
    double decades = axis->high - axis->low;
    for (int exponent = (int)floor(axis->low); exponent <= (int)ceil(axis->high); exponent++)
        for (int k = 0; k < (decades > 2.2 ? 1 : 3); k++) {
            double position = exponent + log10(mantissa[k]);
            if (position < axis->low - 1e-9 || position > axis->high + 1e-9)
                continue;
            begin_x_tick(out, frame, axis->start + (position - axis->low) / decades * axis->length);
            put_log_label(out, mantissa[k], exponent);
            buffer_text(out, "</text>");
        }
}

static void draw_x_ticks(Buffer *out, const Frame *frame) {
    const Axis *axis = &frame->x;
    int wanted = axis->length > 350 ? 6 : 4;
    double step = nice_step(axis->high - axis->low, wanted);
    double v;
    for (int k = 0; linear_tick(axis, step, k, &v); k++) {
        begin_x_tick(out, frame, pixel(axis, v));
        put_linear_label(out, v, step);
        buffer_text(out, "</text>");
    }
}

/* ---- curves ---- */

/* One pixel column of a thinned series. */
typedef struct Column {
    bool used;
    double low, high, last; /* of y */
} Column;

static void thin(const Frame *frame, const PlotSeries *series, Column *column, size_t columns) {
    for (size_t i = 0; i < series->count; i++) {
        double x = series->x[i], y = series->y[i];
        if (!usable(&frame->x, x) || !usable(&frame->y, y))
            continue;
        double place = (pixel(&frame->x, x) - frame->left) / (frame->right - frame->left);
        size_t c = (size_t)fmin(fmax(place, 0) * (double)columns, (double)columns - 1);
        Column *at = &column[c];
        at->low = at->used ? fmin(at->low, y) : y;
        at->high = at->used ? fmax(at->high, y) : y;
        at->last = y;
        at->used = true;
    }
}

static void put_point(Buffer *out, double x, double y, bool *begun) {
    buffer_text(out, *begun ? "L" : "M");
    *begun = true;
    put_coordinate(out, x);
    buffer_text(out, " ");
    put_coordinate(out, y);
}

/* More points than pixels: each column shows its whole range, so that no spike is lost. */
static void draw_thinned(Buffer *out, const Frame *frame, const PlotSeries *series) {
    Column *column = calloc(COLUMNS_MAX, sizeof *column);
    if (!column) {
        out->failed = true;
        return;
    }
    thin(frame, series, column, COLUMNS_MAX);
    bool begun = false;
    for (size_t c = 0; c < COLUMNS_MAX; c++) {
        if (!column[c].used)
            continue;
        double x = frame->left + ((double)c + 0.5) / COLUMNS_MAX * (frame->right - frame->left);
        if (column[c].high > column[c].low) {
            put_point(out, x, pixel(&frame->y, column[c].high), &begun);
            put_point(out, x, pixel(&frame->y, column[c].low), &begun);
        }
        put_point(out, x, pixel(&frame->y, column[c].last), &begun);
    }
    free(column);
}

static void draw_all_points(Buffer *out, const Frame *frame, const PlotSeries *series) {
    bool begun = false;
    for (size_t i = 0; i < series->count; i++) {
        if (!usable(&frame->x, series->x[i]) || !usable(&frame->y, series->y[i]))
            begun = false;
        else
            put_point(out, pixel(&frame->x, series->x[i]), pixel(&frame->y, series->y[i]), &begun);
    }
}

static void draw_hover_points(Buffer *out, const Frame *frame, const Plot *plot,
                              const PlotSeries *series) {
    size_t step = series->count / HOVER_POINTS_MAX + 1;
    char x_text[NUMBER_TEXT_MAX], y_text[NUMBER_TEXT_MAX];
    for (size_t k = 0; k < series->count; k += step) {
        size_t i = series->count - 1 - k; /* backwards: the last point is the result */
        if (!usable(&frame->x, series->x[i]) || !usable(&frame->y, series->y[i]))
            continue;
        buffer_text(out, "<circle class=\"hover\" r=\"5\"");
        put_attribute(out, "cx", pixel(&frame->x, series->x[i]));
        put_attribute(out, "cy", pixel(&frame->y, series->y[i]));
        buffer_text(out, "><title>");
        html_text(out, series->name);
        buffer_printf(out, " %s at ", number_print_digits(series->y[i], 4, y_text));
        html_text(out, plot->x_name);
        buffer_printf(out, " %s</title></circle>", number_print_digits(series->x[i], 6, x_text));
    }
}

static void draw_series(Buffer *out, const Frame *frame, const Plot *plot, size_t index) {
    const PlotSeries *series = &plot->series[index];
    buffer_printf(out, "<g class=\"s%zu\"><path class=\"curve%s\" d=\"", index,
                  series->dashed ? " dashed" : "");
    if (series->count > 2 * COLUMNS_MAX)
        draw_thinned(out, frame, series);
    else
        draw_all_points(out, frame, series);
    buffer_text(out, "\"/>");
    draw_hover_points(out, frame, plot, series);
    buffer_text(out, "</g>");
}

/* ---- levels ---- */

typedef struct LevelPlace {
    const PlotLevel *level;
    double at, label; /* pixels: of the line, of its label */
} LevelPlace;

static int compare_levels(const void *a, const void *b) {
    const LevelPlace *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* Labels go beside their lines, pushed apart downwards and, at the bottom, up again. */
static void spread_labels(LevelPlace *place, size_t count, double bottom) {
    for (size_t i = 1; i < count; i++)
        place[i].label = fmax(place[i].label, place[i - 1].label + LEVEL_SPACING);
    for (size_t i = count; i-- > 0;) {
        double limit = i + 1 < count ? place[i + 1].label - LEVEL_SPACING : bottom;
        place[i].label = fmin(place[i].label, limit);
    }
}

/* Bytes of the first `letters` characters. */
static size_t clip_letters(const char *text, size_t letters, bool *clipped) {
    size_t i = 0;
    for (size_t n = 0; text[i] && n < letters; n++)
        do
            i++;
        while (((unsigned char)text[i] & 0xC0) == 0x80);
    *clipped = text[i] != '\0';
    return i;
}

static void draw_level(Buffer *out, const Frame *frame, const LevelPlace *place) {
    char text[NUMBER_TEXT_MAX];
    bool clipped;
    size_t size = clip_letters(place->level->name, LEVEL_LETTERS_MAX, &clipped);
    buffer_text(out, "<g class=\"level\"><title>");
    html_text(out, place->level->name);
    buffer_printf(out, ": %s</title>", number_print_digits(place->level->value, 3, text));
    put_line(out, "level", frame->left, place->at, frame->right, place->at);
    put_line(out, "leader", frame->right, place->at, frame->right + 8, place->label);
    begin_text(out, "name", frame->right + 11, place->label + 4);
    html_bytes(out, (Bytes){place->level->name, size});
    buffer_text(out, clipped ? "\xE2\x80\xA6</text></g>" : "</text></g>");
}

static void draw_levels(Buffer *out, const Frame *frame, const Plot *plot) {
    LevelPlace *place = calloc(plot->level_count + 1, sizeof *place);
    if (!place) {
        out->failed = true;
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < plot->level_count; i++) {
        if (!usable(&frame->y, plot->level[i].value))
            continue;
        double at = pixel(&frame->y, plot->level[i].value);
        place[count++] = (LevelPlace){&plot->level[i], at, at};
    }
    qsort(place, count, sizeof *place, compare_levels);
    spread_labels(place, count, frame->bottom);
    for (size_t i = 0; i < count; i++)
        draw_level(out, frame, &place[i]);
    free(place);
}

/* ---- the whole plot ---- */

/* Room right of the area for the longest level label. */
static double label_room(const Plot *plot) {
    size_t longest = 0;
    for (size_t i = 0; i < plot->level_count; i++) {
        bool clipped;
        size_t size = clip_letters(plot->level[i].name, LEVEL_LETTERS_MAX, &clipped);
        longest = size > longest ? size : longest;
    }
    return longest ? MARGIN_RIGHT + (double)longest * LETTER_WIDTH : MARGIN_RIGHT;
}

static void pad_range(Axis *axis) {
    double range = axis->high - axis->low;
    if (axis->logarithmic) {
        axis->low -= fmax(0.04 * range, 0.05);
        axis->high += fmax(0.04 * range, 0.05);
    } else {
        double size = fmax(fabs(axis->low), fabs(axis->high));
        double room = range > 1e-9 * size ? 0.06 * range : fmax(0.1 * size, 1e-12);
        axis->low -= room;
        axis->high += room;
    }
}

static bool find_frame(const Plot *plot, Frame *frame) {
    const Axis empty = {.low = DBL_MAX, .high = -DBL_MAX};
    frame->x = frame->y = empty;
    frame->x.logarithmic = plot->log_x;
    frame->y.logarithmic = plot->log_y;
    for (size_t s = 0; s < plot->series_count; s++)
        for (size_t i = 0; i < plot->series[s].count; i++)
            if (usable(&frame->y, plot->series[s].y[i]) &&
                usable(&frame->x, plot->series[s].x[i])) {
                widen(&frame->x, plot->series[s].x[i]);
                widen(&frame->y, plot->series[s].y[i]);
            }
    if (frame->x.low > frame->x.high)
        return false;
    for (size_t i = 0; i < plot->level_count; i++)
        widen(&frame->y, plot->level[i].value);
    if (frame->x.low == frame->x.high)
        pad_range(&frame->x);
    pad_range(&frame->y);
    frame->left = MARGIN_LEFT;
    frame->right = plot->width - label_room(plot);
    frame->top = MARGIN_TOP;
    frame->bottom = plot->height - MARGIN_BOTTOM;
    frame->x.start = frame->left;
    frame->x.length = frame->right - frame->left;
    frame->y.start = frame->bottom;
    frame->y.length = frame->top - frame->bottom; /* upwards */
    return true;
}

static void draw_axes(Buffer *out, const Frame *frame, const Plot *plot) {
    if (plot->log_y)
        draw_log_ticks(out, frame);
    else
        draw_linear_y_ticks(out, frame);
    if (plot->log_x)
        draw_log_x_ticks(out, frame);
    else
        draw_x_ticks(out, frame);
    put_line(out, "axis", frame->left, frame->bottom, frame->right, frame->bottom);
    begin_text(out, "axis-name x", (frame->left + frame->right) / 2, plot->height - 6);
    html_text(out, plot->x_name);
    buffer_text(out, "</text>");
    double middle = (frame->top + frame->bottom) / 2;
    buffer_text(out, "<text class=\"axis-name x\" transform=\"translate(14 ");
    put_coordinate(out, middle);
    buffer_text(out, ") rotate(-90)\">");
    html_text(out, plot->y_name);
    buffer_text(out, "</text>");
}

/* Above the drawing and in HTML: it wraps, so it never overlaps anything. */
static void draw_legend(Buffer *out, const Plot *plot) {
    buffer_text(out, "<figcaption class=\"legend\">");
    for (size_t i = 0; i < plot->series_count; i++) {
        buffer_printf(out,
                      "<span class=\"s%zu\"><svg viewBox=\"0 0 24 8\" class=\"swatch\">"
                      "<line class=\"curve%s\" x1=\"1\" y1=\"4\" x2=\"23\" y2=\"4\"/></svg>",
                      i, plot->series[i].dashed ? " dashed" : "");
        html_text(out, plot->series[i].name);
        buffer_text(out, "</span>");
    }
    buffer_text(out, "</figcaption>");
}

bool plot_svg(Buffer *out, const Plot *plot) {
    Frame frame = {0};
    if (plot->series_count > PLOT_SERIES_MAX || !find_frame(plot, &frame))
        return false;
    buffer_text(out, "<figure class=\"plot\">");
    draw_legend(out, plot);
    buffer_printf(out, "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", plot->width,
                  plot->height);
    html_text(out, plot->label);
    buffer_text(out, "\">");
    draw_axes(out, &frame, plot);
    draw_levels(out, &frame, plot);
    for (size_t i = 0; i < plot->series_count; i++)
        draw_series(out, &frame, plot, i);
    buffer_text(out, "</svg></figure>\n");
    return true;
}

void plot_bar(Buffer *out, const PlotShare *share, size_t count, const char *unit) {
    double total = 0;
    for (size_t i = 0; i < count; i++)
        total += share[i].value > 0 ? share[i].value : 0;
    if (!(total > 0))
        return;
    char number[NUMBER_TEXT_MAX];
    buffer_text(out, "<figure class=\"bar\"><svg viewBox=\"0 0 1000 28\" "
                     "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"shares\">");
    double at = 0;
    for (size_t i = 0; i < count; i++) {
        double width = share[i].value > 0 ? share[i].value / total * 1000 : 0;
        buffer_printf(out, "<rect class=\"s%zu\" y=\"0\" height=\"28\"", i % PLOT_SERIES_MAX);
        put_attribute(out, "x", at);
        put_attribute(out, "width", width);
        buffer_text(out, "><title>");
        html_text(out, share[i].name);
        buffer_printf(out, ": %s %s</title></rect>", number_print_digits(share[i].value, 3, number),
                      unit);
        at += width;
    }
    buffer_text(out, "</svg><figcaption class=\"legend\">");
    for (size_t i = 0; i < count; i++) {
        buffer_printf(out, "<span class=\"s%zu\"><i class=\"block\"></i>", i % PLOT_SERIES_MAX);
        html_text(out, share[i].name);
        buffer_printf(out, " <b>%s&thinsp;%s</b>", number_print_digits(share[i].value, 3, number),
                      unit);
        double percent = share[i].value > 0 ? 100 * share[i].value / total : 0;
        buffer_printf(out, " (%s%%)</span>", number_print_digits(percent, 2, number));
    }
    buffer_text(out, "</figcaption></figure>\n");
}
