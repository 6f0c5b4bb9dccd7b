/* report_sample.c: the made-up run of report_sample.h. */
#include "report_sample.h"

#include <math.h>

enum { ROWS = 101, SLICE_POINTS = 61, SLICES = 3 };

#define D2 "<msup><mo>&#x2202;</mo><mn>2</mn></msup>"
#define NORM                                                                                       \
    "<mo form=\"prefix\" stretchy=\"false\">|</mo><mi>x</mi>"                                      \
    "<mo form=\"postfix\" stretchy=\"false\">|</mo>"

static const char equation_mathml[] =
    "<math display=\"block\"><munderover><mo>&#x2211;</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn>"
    "</mrow><mi>d</mi></munderover><mfrac><mrow>" D2 "<mi>u</mi></mrow><mrow><mo>&#x2202;</mo>"
    "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></mrow></mfrac><mo>+</mo><mi>sin</mi>"
    "<mo stretchy=\"false\">(</mo><mi>u</mi><mo stretchy=\"false\">)</mo><mo>=</mo><mi>g</mi>"
    "<mspace width=\"2em\"/><mtext>in&#xA0;</mtext>" NORM "<mo>&lt;</mo>"
    "<mn>1</mn></math>\n"
    "<math display=\"block\"><mi>u</mi><mo>=</mo><mn>0</mn><mspace width=\"2em\"/><mtext>"
    "on&#xA0;</mtext>" NORM "<mo>=</mo><mn>1</mn></math>";

static const char source[] =
    "problem \"Sine-Gordon on the unit ball\"\n"
    "dim    d = 100000\n"
    "domain x in ball(d, 1)\n"
    "field  u(x)\n"
    "equation sum_i d2(u, x_i) + sin(u) = g   # <not> a tag & not an entity\n"
    "source g from exact\n"
    "boundary u = 0 exactly\n";

static const ReportTerm terms[] = {
    {"sum_i d2(u, x_i)",
     "<math><munder><mo>&#x2211;</mo><mi>i</mi></munder>" D2 "<mi>u</mi><mo>/</mo><mo>&#x2202;</mo>"
     "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>",
     "i = 1..d", "second", "sampled: 100 of 100000 terms, collapsed second order",
     "weights are the same for every point: --algorithm exact would sum all of them for 1.65 "
     "times the work"},
    {"sin(u)", NULL, "\xE2\x80\x93", "none", "evaluated at every point", NULL},
    {"g", NULL, "i = 1..d", "none", "known: derived from the exact solution, O(d) per point", NULL},
    {"u = 0 on the boundary", NULL, "\xE2\x80\x93", "none", "exactly: u = (1 - norm(x)^2) * net",
     NULL},
};
static const ReportError errors[] = {
    {"trained network", 6.02e-4, 2.4e-3, true},
    {"zero", 1.0, 1.0, false},
    {"mean of the exact solution", 0.271, 0.913, false},
    {"best constant times the boundary factor", 5.83e-3, 2.1e-2, false},
    {"ridge regression on 1, |x|\xC2\xB2", 5.4e-3, 1.9e-2, false},
};
static const PlotShare phases[] = {
    {"forward", 41.3}, {"backward", 63.9},   {"first layer and optimiser", 28.2},
    {"sampling", 9.1}, {"test points", 4.4}, {"compile kernels", 0.31},
};
static const ReportFact highlights[] = {{"dimension", "100000", "d"}};
static const ReportFact settings[] = {
    {"algorithm", "3", "module"},
    {"points", "100", "module"},
    {"terms", "100", "module"},
    {"network", "mlp, width 128, depth 4, tanh", "module"},
    {"optimiser", "adam", "module"},
    {"rate", "linear(1e-3,0)", "module"},
    {"iterations", "10000", "command line"},
    {"scale", "auto: 41.7", "default"},
    {"precision", "float32", "default"},
    {"test-points", "2000", "command line"},
};
static const ReportFact versions[] = {
    {"seed", "0", NULL},
    {"pdec", "0.1.0", NULL},
    {"pderun", "0.1.0", NULL},
    {"module", "sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", NULL},
    {"device", "cpu, 2 threads, AVX2", NULL},
    {"LLVM", "14.0.6", NULL},
};
static const ReportFact files[] = {
    {"log.jsonl", "one row every 100 iterations", NULL},
    {"best.safetensors", "the network with the smallest error", NULL},
    {"checkpoint-000000010000.safetensors", "the last state, for --resume", NULL},
};
static const ReportCommand commands[] = {
    {"Train on, twice as long:",
     "pderun sine_gordon.so --out sine_gordon.run --resume --iterations 20000"},
    {"Evaluate at your own points, one per row:",
     "pderun --predict points.npy --model sine_gordon.run --what 'u,d(u,x_1)'"},
};

/* Between -1 and 1, the same on every machine. */
static double noise(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 23) - 1;
}

static void fill_log(LogRow *row) {
    unsigned state = 1;
    for (unsigned i = 0; i < ROWS; i++) {
        double t = i / (double)(ROWS - 1);
        row[i] = (LogRow){.iteration = 100 * i,
                          .loss = 2.1e3 * exp(-16 * sqrt(t)) * exp(0.5 * noise(&state)) + 1e-4,
                          .error = exp(-7.4 * pow(t, 0.6) + 0.12 * noise(&state)),
                          .seconds = 1.472 * i,
                          .ms_per_iteration = 14.72,
                          .rate = 1e-3 * (1 - t)};
    }
}

const ReportData *report_sample(void) {
    static LogRow row[ROWS];
    static double at[SLICE_POINTS], exact[SLICES][SLICE_POINTS], model[SLICES][SLICE_POINTS],
        error[SLICES][SLICE_POINTS], low[SLICES][SLICE_POINTS], high[SLICES][SLICE_POINTS];
    static ReportSlice slice[SLICES];
    static const char *const title[SLICES] = {"along x_1, all others 0", "along x_7, all others 0",
                                              "along the diagonal"};
    static const char *const axis[SLICES] = {"x_1", "x_7", "|x|"};
    static ReportData data;
    fill_log(row);
    for (int i = 0; i < SLICE_POINTS; i++) {
        at[i] = -1 + 2.0 * i / (SLICE_POINTS - 1);
        for (int k = 0; k < SLICES; k++) {
            exact[k][i] = 40 * (1 - at[i] * at[i]) * (1 + 0.3 * k * sin(3 * at[i]));
            model[k][i] = exact[k][i] + 0.8 * sin(9 * at[i] + k) * (1 - at[i] * at[i]);
            error[k][i] = model[k][i] - exact[k][i];
            low[k][i] = error[k][i] - 0.1;
            high[k][i] = error[k][i] + 0.1;
        }
    }
    for (int k = 0; k < SLICES; k++)
        slice[k] = (ReportSlice){title[k], axis[k],  at,     model[k], exact[k],    SLICE_POINTS,
                                 at,       error[k], low[k], high[k],  SLICE_POINTS};
#define ARRAY_OF(a) .a = a##s, .a##_count = sizeof a##s / sizeof *a##s
    data = (ReportData){.title = "Sine-Gordon on the unit ball",
                        .subtitle = "finished after 10000 iterations",
                        .equation = "sum_i d2(u, x_i) + sin(u) = g",
                        .mathml = equation_mathml,
                        .source = source,
                        .plan_note = "One sampled sum; 102 rows per point; 41 MB in all.",
                        .row = row,
                        .row_count = ROWS,
                        .error_name = "relative L2 error",
                        ARRAY_OF(error),
                        ARRAY_OF(term),
                        .slice = slice,
                        .slice_count = SLICES,
                        ARRAY_OF(phase),
                        ARRAY_OF(highlight),
                        ARRAY_OF(setting),
                        ARRAY_OF(version),
                        ARRAY_OF(file),
                        ARRAY_OF(command)};
#undef ARRAY_OF
    return &data;
}
