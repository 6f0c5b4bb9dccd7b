/* plot.h: line plots as inline SVG, with log or linear axes. Colours and fonts come from the
 * style sheet of the page (classes plot, s0 .. s5), so that they follow light and dark. */
#ifndef PDE_RUNTIME_REPORT_PLOT_H
#define PDE_RUNTIME_REPORT_PLOT_H

#include "files/buffer.h"

enum { PLOT_SERIES_MAX = 6 };

/* Values that are not finite, or not positive on a log axis, leave a gap. */
typedef struct PlotSeries {
    const char *name;
    const double *x, *y;
    size_t count;
    bool dashed;
} PlotSeries;

/* A horizontal line, labelled at the right edge. */
typedef struct PlotLevel {
    const char *name;
    double value;
} PlotLevel;

typedef struct Plot {
    const char *label; /* for screen readers */
    const char *x_name, *y_name;
    bool log_x, log_y;
    int width, height; /* of the drawing in user units; the page scales it */
    const PlotSeries *series;
    size_t series_count; /* at most PLOT_SERIES_MAX */
    const PlotLevel *level;
    size_t level_count;
} Plot;

/* False if there is nothing finite to draw; then nothing is appended. */
bool plot_svg(Buffer *out, const Plot *plot);

/* One bar divided in proportion to the values. */
typedef struct PlotShare {
    const char *name;
    double value;
} PlotShare;
void plot_bar(Buffer *out, const PlotShare *share, size_t count, const char *unit);

#endif
