/* test_report.c: the report is well-formed, escapes everything, and its plots draw what they
 * should. */
#define _POSIX_C_SOURCE 200809L
#include "report_sample.h"
#include "runtime/report/html.h"
#include "scratch.h"

#include "greatest.h"

#include <math.h>

/* True if every element of the page is closed in order; else *where is the place. */
static bool is_balanced(const char *page, const char **where) {
    enum { DEPTH = 64, NAME = 16 };
    char open[DEPTH][NAME];
    int depth = 0;
    for (const char *at = strchr(page, '<'); at; at = strchr(at, '<')) {
        *where = at;
        bool closing = at[1] == '/';
        const char *name = at + 1 + closing, *end = strchr(at, '>');
        size_t length = strcspn(name, " >/\n");
        if (!end || length == 0 || length >= NAME)
            return false;
        at = end;
        if (*name == '!' || (length == 4 && memcmp(name, "meta", 4) == 0) || end[-1] == '/')
            continue;
        if (closing) {
            if (depth == 0 || strlen(open[--depth]) != length ||
                memcmp(open[depth], name, length) != 0)
                return false;
        } else {
            if (depth == DEPTH)
                return false;
            memcpy(open[depth], name, length);
            open[depth++][length] = '\0';
        }
    }
    return depth == 0;
}

TEST text_is_escaped(void) {
    Buffer out = {0};
    html_text(&out, "<a href=\"x\" b='y'>&\x01\xFF\xE2\x80\xAE\xC3\xA9\n");
    ASSERT_STR_EQ("&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;\\x01\\xFF\\u202E\xC3\xA9\n",
                  out.data);
    buffer_free(&out);
    PASS();
}

TEST numbers_read_well(void) {
    static const struct {
        double value;
        const char *text;
    } row[] = {
        {0, "0"},
        {1, "1"},
        {0.0123456, "0.0123"},
        {12345.6, "12346"},
        {5.5777e-4, "5.58&thinsp;&times;&thinsp;10<sup>&minus;4</sup>"},
        {9.9999e-4, "1&thinsp;&times;&thinsp;10<sup>&minus;3</sup>"},
        {-2e-9, "-2&thinsp;&times;&thinsp;10<sup>&minus;9</sup>"},
        {5e-324, "4.94&thinsp;&times;&thinsp;10<sup>&minus;324</sup>"},
        {6.02e23, "6.02&thinsp;&times;&thinsp;10<sup>23</sup>"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Buffer out = {0};
        html_number(&out, row[i].value, 3);
        ASSERT_STR_EQ(row[i].text, out.data);
        buffer_free(&out);
    }
    Buffer out = {0};
    html_number(&out, (double)NAN, 3);
    ASSERT_STR_EQ("&ndash;", out.data);
    buffer_free(&out);
    PASS();
}

TEST mathml_is_read_before_it_is_shown(void) {
    static const char *const good[] = {
        "<math><mi>u</mi></math>",
        "<math display=\"block\"><mrow><mo>&#x2211;</mo><mo>&lt;</mo></mrow></math>\n<math></math>",
        "<math><mspace width=\"1em\"/></math>",
        "<math><mi>\xE2\x88\x82</mi></math>",
    };
    static const char *const bad[] = {
        "",
        "u",
        "<mi>u</mi>",
        "<math>",
        "<math></mi></math>",
        "<math><mi></math></mi>",
        "<math><script>alert(1)</script></math>",
        "<math><mi onclick=\"x\">u</mi></math>",
        "<math><mi href=\"javascript:x\">u</mi></math>",
        "<math><mi style=\"x\">u</mi></math>",
        "<math><mi display=\"a>b\">u</mi></math>",
        "<math><mi display='a'>u</mi></math>",
        "<math><mi display>u</mi></math>",
        "<math><annotation-xml>x</annotation-xml></math>",
        "<math><!-- x --></math>",
        "<math>&nbsp;</math>",
        "<math>&#;</math>",
        "<math>& </math>",
        "<math></math><img src=x>",
        "<math><math></math></math>",
        "<math><mi>\xFF</mi></math>",
        "<math><mi",
        "<math><mi display=\"",
        "<math>&#x",
        "<MATH></MATH>",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ASSERTm(good[i], html_math_is_safe(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ASSERTm(bad[i], !html_math_is_safe(bad[i]));
    Buffer deep = {0};
    buffer_text(&deep, "<math>");
    for (int i = 0; i < 1000; i++)
        buffer_text(&deep, "<mrow>");
    ASSERT_FALSE(html_math_is_safe(deep.data));
    buffer_free(&deep);
    PASS();
}

TEST the_sample_is_complete_and_well_formed(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    Buffer out = {0};
    const char *where = "";
    report_html(&out, report_sample());
    ASSERT_FALSE(out.failed);
    ASSERTm(scratch_note(where), is_balanced(out.data, &where));
    static const char *const wanted[] = {
        "<h1>Sine-Gordon on the unit ball</h1>",
        "<munderover>",
        "# &lt;not&gt; a tag &amp;",
        "class=\"model\"",
        "mean of the exact soluti",
        ">zero</text>",
        "first layer and optimiser",
        "along x_7",
        "estimated error along the diagonal",
        "--resume --iterations 20000",
        "<title>loss",
        "prefers-color-scheme:dark",
        "@media print",
        "default-src 'none'",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        ASSERTm(wanted[i], strstr(out.data, wanted[i]) != NULL);
    ASSERT(strstr(out.data, "<script") == NULL && strstr(out.data, "http://") == NULL);
    ASSERT(strstr(out.data, "https://") == NULL && strstr(out.data, "url(") == NULL);
    ASSERT(strstr(out.data, "\"nan") == NULL && strstr(out.data, "inf ") == NULL);
    Error error = {0};
    const char *path = scratch_path(directory, "report.html");
    ASSERT_EQ(STATUS_OK, report_write(path, report_sample(), &error));
    ASSERT(scratch_holds(path, out.data, out.size));
    buffer_free(&out);
    scratch_remove(directory);
    PASS();
}

TEST an_empty_report_is_still_a_page(void) {
    Buffer out = {0};
    const char *where = "";
    report_html(&out, &(ReportData){0});
    ASSERTm(scratch_note(where), is_balanced(out.data, &where));
    ASSERT(strstr(out.data, "<section>") == NULL);
    buffer_free(&out);
    PASS();
}

TEST hostile_text_stays_text(void) {
    static const char evil[] = "<script>alert(\"1\")</script>'&\xFF";
    static const double x[2] = {0, 1};
    const LogRow row = {.iteration = 1, .loss = 1, .error = 0.5};
    const ReportError error = {evil, 0.5, 0.5, false};
    const ReportTerm term = {evil, evil, evil, evil, evil, evil};
    const ReportSlice slice = {evil, evil, x, x, x, 2, x, x, x, x, 2};
    const PlotShare phase = {evil, 1};
    const ReportFact fact = {evil, evil, evil};
    const ReportCommand command = {evil, evil};
    Buffer out = {0};
    const char *where = "";
    report_html(&out,
                &(ReportData){evil,   evil, evil,  evil, evil,   evil, &row,     1, evil,  false,
                              &error, 1,    &term, 1,    &slice, 1,    &phase,   1, &fact, 1,
                              &fact,  1,    &fact, 1,    &fact,  1,    &command, 1});
    ASSERTm(scratch_note(where), is_balanced(out.data, &where));
    ASSERT(strstr(out.data, "<script") == NULL);
    ASSERT(strstr(out.data, "alert(\"") == NULL && strstr(out.data, "\xFF") == NULL);
    size_t shown = 0;
    for (const char *at = out.data; (at = strstr(at, "&lt;script&gt;")); at++)
        shown++;
    ASSERT(shown >= 25);
    buffer_free(&out);
    PASS();
}

TEST thinning_keeps_spikes_and_bounds_size(void) {
    enum { MANY = 200000 };
    static double x[MANY], y[MANY];
    for (int i = 0; i < MANY; i++) {
        x[i] = i;
        y[i] = i == 77777 ? 1e6 : 1 + 0.5 * sin(i);
    }
    const PlotSeries series = {"loss", x, y, MANY, false};
    const Plot plot = {.label = "l",
                       .x_name = "iteration",
                       .y_name = "loss",
                       .log_y = true,
                       .width = 560,
                       .height = 330,
                       .series = &series,
                       .series_count = 1};
    Buffer out = {0};
    ASSERT(plot_svg(&out, &plot));
    ASSERT(out.size < 60000);
    /* The top of the drawing area is reached by the spike's column only. */
    const char *path = strstr(out.data, "<path");
    ASSERT(path != NULL);
    double highest = 1e9;
    for (const char *at = strstr(path, "d=\"") + 3; *at != '"';) {
        double y_at = strtod(strchr(at, ' ') + 1, NULL);
        highest = y_at < highest ? y_at : highest;
        at = strpbrk(at + 1, "L\"");
    }
    ASSERT(highest > 12 && highest < 40);
    buffer_free(&out);
    PASS();
}

TEST strange_values_are_left_out(void) {
    const double bad = (double)NAN, huge = (double)INFINITY;
    const double x[] = {0, 1, 2, 3, 4, 5}, y[] = {1, bad, huge, 0, -1, 2};
    const double none[] = {bad, bad, bad, 0, 0, 0}, same[] = {3, 3, 3, 3, 3, 3};
    const double close[] = {1e6, 1e6 + 1e-9, 1e6, 1e6, 1e6, 1e6},
                 far[] = {-1e308, 1e308, 1, 2, 3, 4};
    const double *const ys[] = {y, same, close, far};
    for (int log_y = 0; log_y < 2; log_y++)
        for (size_t k = 0; k < 4; k++) {
            const PlotSeries series = {"s", x, ys[k], 6, false};
            const PlotLevel level[] = {{"a", bad}, {"b", 1}};
            const Plot plot = {.label = "",
                               .x_name = "x",
                               .y_name = "y",
                               .log_y = log_y,
                               .width = 400,
                               .height = 250,
                               .series = &series,
                               .series_count = 1,
                               .level = level,
                               .level_count = 2};
            Buffer out = {0};
            const char *where = "";
            ASSERT(plot_svg(&out, &plot));
            ASSERTm(scratch_note(where), is_balanced(out.data, &where));
            ASSERT(strstr(out.data, "nan") == NULL && strstr(out.data, "inf") == NULL);
            ASSERT(strstr(out.data, "922337203685") == NULL); /* a coordinate that overflowed */
            ASSERT(strstr(out.data, "class=\"tick y\"") != NULL);
            buffer_free(&out);
        }
    Buffer out = {0};
    const PlotSeries series = {"s", x, none, 6, false};
    ASSERT_FALSE(plot_svg(&out, &(Plot){.label = "",
                                        .x_name = "",
                                        .y_name = "",
                                        .log_y = true,
                                        .width = 400,
                                        .height = 250,
                                        .series = &series,
                                        .series_count = 1}));
    ASSERT_EQ(0u, out.size);
    PASS();
}

/* Five predictors of nearly the same error: their names must not lie on each other. */
TEST level_names_do_not_overlap(void) {
    const double x[] = {0, 100}, y[] = {1, 1e-3};
    const PlotLevel level[] = {
        {"a", 1e-3}, {"b", 1.001e-3}, {"c", 1.002e-3}, {"d", 1e-3}, {"e", 1}};
    const PlotSeries series = {"error", x, y, 2, false};
    Buffer out = {0};
    ASSERT(plot_svg(&out, &(Plot){.label = "",
                                  .x_name = "",
                                  .y_name = "",
                                  .log_y = true,
                                  .width = 560,
                                  .height = 330,
                                  .series = &series,
                                  .series_count = 1,
                                  .level = level,
                                  .level_count = 5}));
    double place[5];
    size_t count = 0;
    for (const char *at = out.data; (at = strstr(at, "class=\"name\"")) && count < 5; count++) {
        at = strstr(at, " y=\"") + 4;
        place[count] = strtod(at, NULL);
    }
    ASSERT_EQ(5u, count);
    for (size_t i = 1; i < count; i++)
        ASSERT(place[i] - place[i - 1] > 14.5);
    ASSERT(place[0] > 0 && place[4] < 300);
    buffer_free(&out);
    PASS();
}

/* Equal ratios are equal distances, of ticks as of points; what is not positive is left out. */
TEST a_log_axis_of_time(void) {
    const double x[] = {0, 1, 10, 100, 1000}, y[] = {5, 1, 1e-1, 1e-2, 1e-3};
    const PlotSeries series = {"error", x, y, 5, false};
    Buffer out = {0};
    ASSERT(plot_svg(&out, &(Plot){.label = "",
                                  .x_name = "",
                                  .y_name = "",
                                  .log_x = true,
                                  .log_y = true,
                                  .width = 560,
                                  .height = 330,
                                  .series = &series,
                                  .series_count = 1}));
    double tick[4], point[4];
    size_t ticks = 0, points = 0;
    for (const char *at = out.data; (at = strstr(at, "class=\"tick x\" x=\"")) && ticks < 4;
         ticks++) {
        at += strlen("class=\"tick x\" x=\"");
        tick[ticks] = strtod(at, NULL);
    }
    for (const char *at = strstr(out.data, "d=\"") + 3; *at != '"' && points < 4; points++) {
        point[points] = strtod(at + 1, NULL);
        at = strpbrk(at + 1, "L\"");
    }
    ASSERT_EQ(4u, ticks);
    ASSERT_EQ(4u, points);
    for (size_t i = 0; i < 4; i++)
        ASSERT(fabs(tick[i] - point[i]) < 0.2);
    ASSERT(fabs(tick[3] - tick[2] - (tick[1] - tick[0])) < 0.3 && tick[1] > tick[0] + 50);
    buffer_free(&out);
    PASS();
}

GREATEST_MAIN_DEFS();

/* With -o FILE it writes the sample page there, to be looked at. */
int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "-o") == 0)
        return report_write(argv[2], report_sample(), NULL) == STATUS_OK ? 0 : 1;
    GREATEST_MAIN_BEGIN();
    RUN_TEST(text_is_escaped);
    RUN_TEST(numbers_read_well);
    RUN_TEST(mathml_is_read_before_it_is_shown);
    RUN_TEST(the_sample_is_complete_and_well_formed);
    RUN_TEST(an_empty_report_is_still_a_page);
    RUN_TEST(hostile_text_stays_text);
    RUN_TEST(thinning_keeps_spikes_and_bounds_size);
    RUN_TEST(strange_values_are_left_out);
    RUN_TEST(level_names_do_not_overlap);
    RUN_TEST(a_log_axis_of_time);
    GREATEST_MAIN_END();
}
