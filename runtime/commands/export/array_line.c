/* array_line.c: see array_line.h. The text is our own compiler's, made in this process. */
#include "commands/export/array_line.h"

#include "files/number.h"

#include <assert.h>
#include <string.h>

bool array_line(const char **text, ArrayLine *line) {
    const char *at = *text;
    line->words = 0;
    while (*at && *at != '\n') {
        const size_t n = strcspn(at, " \n");
        assert(line->words < ARRAY_WORDS && n < ARRAY_WORD_MAX);
        memcpy(line->word[line->words], at, n);
        line->word[line->words++][n] = '\0';
        at += n;
        at += *at == ' ';
    }
    *text = at + (*at == '\n');
    return line->words > 0;
}

bool array_word_is(const ArrayLine *line, int k, const char *word) {
    return k < line->words && strcmp(line->word[k], word) == 0;
}

int64_t array_value_number(const char *word) {
    int64_t number = -1;
    return word[0] == 'v' && number_read_integer(word + 1, &number) ? number : -1;
}

static int64_t integer(const ArrayLine *line, int k) {
    int64_t v = 0;
    const bool ok = number_read_integer(line->word[k], &v);
    assert(ok);
    (void)ok;
    return v;
}

int array_place(const ArrayLine *line, int k, ArrayPlace *place) {
    *place = (ArrayPlace){.at = integer(line, k++)};
    while (k < line->words && !array_word_is(line, k, ",")) {
        assert(place->loops < ARRAY_LOOPS && k + 2 < line->words);
        place->loop[place->loops].axis = (int)integer(line, k++);
        place->loop[place->loops].step = integer(line, k++);
        place->loop[place->loops++].count = integer(line, k++);
    }
    return k;
}

bool array_is_constant(const ArrayLine *line) {
    return array_word_is(line, 2, "index") || array_word_is(line, 2, "tensor");
}

int array_tensor(const Problem *p, const char *name) {
    int k = 0;
    while (k < p->plan.tensors && strcmp(p->plan.tensor[k].name, name) != 0)
        k++;
    assert(k < p->plan.tensors);
    return k;
}

double array_unknown(const Session *s, const char *name) {
    const Plan *plan = &s->problem->plan;
    int k = 0;
    while (k < plan->unknowns && strcmp(plan->unknown[k], name) != 0)
        k++;
    assert(k < plan->unknowns);
    return s->unknown[k];
}

Status array_program_check(const ExportModel *m, const char *format, Error *error) {
    const char *why = m->arrays ? strstr(m->arrays, "\nrefused ") : "";
    if (!why)
        return STATUS_OK;
    return error_set(error, STATUS_OPTION_VALUE,
                     "--export %s cannot say how the solution is made of the network (%.*s); "
                     "--export c can",
                     format, *why ? (int)strcspn(why + 9, "\n") : 0, *why ? why + 9 : "");
}
