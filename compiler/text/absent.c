/* absent.c: the table of absent.def, read by the parser's and the resolver's messages. */
#include "text/absent.h"

#include <string.h>

#define ABSENT_PART                                                                                \
    "a part of the boundary is named after the word on: boundary u = 0 on x_1 = 0 or x_2 = 1, on " \
    "inner, on outer; for a part that is no face, multiply both sides by a function that is 1 "    \
    "there and 0 elsewhere: boundary step(x_1) * u = 0"
#define ABSENT_PERIODIC                                                                            \
    "what is periodic is said of the domain: domain x in torus(d, 0, 1), or of one number: "       \
    "domain "                                                                                      \
    "x in [0, 2*pi] periodic"
#define ABSENT_BRANCH                                                                              \
    "a comparison stands in a choice, if x_1 < c then a else b, and after where: domain x in "     \
    "box(2, 0, 1) where norm(x) > 1/2; as a number, step(z) is 1 for z > 0 and 0 below"
#define ABSENT_OUTWARD                                                                             \
    "the derivative along the outward normal of the boundary is written d(u, outward)"

typedef enum AbsentPlace { AFTER, ANY, UNDECLARED } AbsentPlace;

typedef struct AbsentRow {
    const char *word;
    AbsentPlace place;
    const char *way_out;
} AbsentRow;

static const AbsentRow rows[] = {
#define A(word, place, way_out) {word, place, way_out},
#include "text/absent.def"
};

static const AbsentRow *row_of(Str word) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].word) == word.n && memcmp(rows[i].word, word.s, word.n) == 0)
            return &rows[i];
    return NULL;
}

const char *absent_way_out(Str word, bool follows) {
    const AbsentRow *row = row_of(word);
    return row && (row->place == ANY || (row->place == AFTER && follows)) ? row->way_out : NULL;
}

const char *absent_name_way_out(Str word) {
    const AbsentRow *row = row_of(word);
    return row && row->place != AFTER ? row->way_out : NULL;
}

const char *absent_comparison(void) {
    return ABSENT_BRANCH;
}
