/* vector_field.h: field v_k(x, t) for k = 1..3. */
#ifndef PDE_VECTOR_FIELD_H
#define PDE_VECTOR_FIELD_H

#include "text/parse.h"

/* A program without vector fields: each is n fields v_1, v_2, ... and a vector v that is defined by these entries. A
 * statement in which the index of one stands free holds for each of its values. */
Ast *vector_fields_expand(Lexer *lx, Ast *program);

#endif
