/* absent.c: the table of absent.def, read by the parser's and the resolver's messages. */
#include "text/absent.h"

#include <string.h>

#define ABSENT_PART                                                                                \
    "a condition holds on the whole boundary; for a part of it, multiply both sides by a "         \
    "function "                                                                                    \
    "that is 1 there and 0 elsewhere (boundary step(1e-6 - x_1) * u = 0), or meet it by an "       \
    "ansatz "                                                                                      \
    "(ansatz u = x_1 * net)"
#define ABSENT_PERIODIC                                                                            \
    "the solution is periodic without a condition if the network sees periodic features only: "    \
    "for the "                                                                                     \
    "period 1, solve { network mlp(features = [sin(2*pi*x_i), cos(2*pi*x_i)]) }; the warning "     \
    "W1201, that a "                                                                               \
    "condition is missing, may then be ignored"
#define ABSENT_BRANCH                                                                              \
    "step(z) is 1 for z > 0 and 0 below: a where x_1 < c and b beyond is a + (b - a) * step(x_1 "  \
    "- c); "                                                                                       \
    "there are also max(a, b), min(a, b), abs and sign"

typedef enum AbsentPlace { AFTER, ANY } AbsentPlace;

typedef struct AbsentRow {
    const char *word;
    AbsentPlace place;
    const char *way_out;
} AbsentRow;

static const AbsentRow rows[] = {
#define A(word, place, way_out) {word, place, way_out},
#include "text/absent.def"
};

const char *absent_way_out(Str word, bool follows) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].word) == word.n && memcmp(rows[i].word, word.s, word.n) == 0 &&
            (follows || rows[i].place == ANY))
            return rows[i].way_out;
    return NULL;
}

const char *absent_comparison(void) {
    return ABSENT_BRANCH;
}
