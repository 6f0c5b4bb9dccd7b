/* ordinary.h: ordinary differential equations, written with a time and no space. */
#ifndef PDE_ORDINARY_H
#define PDE_ORDINARY_H

#include "text/parse.h"

/* A program with `time` and no `domain`: the time becomes its one coordinate, `initial` and `terminal` conditions at
 * its ends. Any other program comes back as it is. */
Ast *ordinary_program(Lexer *lx, Ast *program);

#endif
