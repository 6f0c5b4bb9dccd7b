/* explain.h: what was chosen and why, in words that repeat it. */
#ifndef PDE_RUNTIME_CHOOSE_EXPLAIN_H
#define PDE_RUNTIME_CHOOSE_EXPLAIN_H

#include "choose/race.h"
#include "files/buffer.h"

/* One line for each candidate: trial, measure, estimated error, and what became of it. */
void explain_table(const Race *race, Buffer *out);
/* The reasons behind the settings of the winner, a line each. */
void explain_rules(const Race *race, Buffer *out);
/* A command that trains the winner without the race. */
void explain_command(const Race *race, Buffer *out);
/* The same race again, to the bit. */
void explain_repeat(const Race *race, Buffer *out);
/* The same settings as statements for the file: those that pdec added, and a solve { }. */
void explain_statements(const Race *race, Buffer *out);
/* All of it as an object. */
void explain_json(const Race *race, Buffer *out);

#endif
