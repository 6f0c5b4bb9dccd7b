/* suggest.c: bounded Damerau distance. A suggestion must be within 2 edits, and within 1 for
 * names of up to three letters, where two edits reach anything; or be what another program's name means. */
#include "suggest.h"

#include <string.h>

enum { LONGEST = 64, FAR = 4 };

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

uint32_t suggest_distance(Str a, Str b) {
    if (a.n > LONGEST || b.n > LONGEST || (a.n > b.n ? a.n - b.n : b.n - a.n) >= FAR)
        return FAR;
    uint32_t rows[3][LONGEST + 1];
    uint32_t *before = rows[0], *last = rows[1], *now = rows[2];
    memset(rows, 0, sizeof rows);
    for (uint32_t j = 0; j <= b.n; j++)
        last[j] = j;
    for (uint32_t i = 1; i <= a.n; i++) {
        now[0] = i;
        for (uint32_t j = 1; j <= b.n; j++) {
            uint32_t other = a.s[i - 1] != b.s[j - 1];
            now[j] = least(least(last[j] + 1, now[j - 1] + 1), last[j - 1] + other);
            if (i > 1 && j > 1 && a.s[i - 1] == b.s[j - 2] && a.s[i - 2] == b.s[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        uint32_t *free_row = before;
        before = last;
        last = now;
        now = free_row;
    }
    return least(last[b.n], FAR);
}

/* ---- spelling ---- */

static char as_dash(char c) {
    return c == '_' ? '-' : c;
}

/* One character of a name in American spelling; *at is moved behind what it stands for. */
static char american(Str name, size_t *at) {
    const char *s = name.s + *at;
    const size_t left = name.n - *at;
    *at += 1;
    if (left >= 3 && s[0] == 'o' && s[1] == 'u' && s[2] == 'r') /* colour */
        *at += 1;
    if (s[0] == 's' && *at >= 2 && left >= 2 && (s[-1] == 'i' || s[-1] == 'y') &&
        (s[1] == 'e' || s[1] == 'a' || s[1] == 'i')) /* optimise, analyse */
        return 'z';
    return as_dash(s[0]);
}

bool suggest_same_name(Str a, Str b) {
    size_t i = 0, j = 0;
    while (i < a.n && j < b.n)
        if (american(a, &i) != american(b, &j))
            return false;
    return i == a.n && j == b.n;
}

/* ---- names in other programs ---- */

static const struct {
    const char *there, *here;
} synonyms[] = {
#define SYNONYM(there, here) {there, here},
#include "runtime/contract/synonym.def"
#undef SYNONYM
};

static bool is_synonym(Str wanted, Str candidate) {
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        const Str there = {synonyms[i].there, strlen(synonyms[i].there)},
                  here = {synonyms[i].here, strlen(synonyms[i].here)};
        if (suggest_same_name(wanted, there) && suggest_same_name(candidate, here))
            return true;
    }
    return false;
}

/* ---- the nearest ---- */

Suggestion suggest_start(Str wanted) {
    Suggestion s = {.wanted = wanted, .distance = wanted.n <= 3 ? 2 : 3};
    return s;
}

void suggest_offer(Suggestion *s, Str candidate) {
    if (candidate.n < 2)
        return; /* a single letter is one edit from every other, and never what was meant */
    if (s->distance > 0 && is_synonym(s->wanted, candidate)) {
        s->best = candidate;
        s->distance = 0; /* nothing is nearer */
        return;
    }
    uint32_t distance = suggest_distance(s->wanted, candidate);
    if (distance > 0 && distance < s->distance) {
        s->best = candidate;
        s->distance = distance;
    }
}
