/* ptx_decode.h: what the files ptx_decode*.c share: the name of an instruction, cut at its dots, and the rows that
 * its operands stand for. */
#ifndef SOFT_PTX_DECODE_H
#define SOFT_PTX_DECODE_H

#include "ptx_lex.h"
#include "soft.h"

enum { PARTS_MAX = 12 };
typedef struct Opcode {
    char text[128];
    char *part[PARTS_MAX];
    int count;
    uint8_t mode, saturate, approx, vector;
    Type type; /* the last part, if it is one */
} Opcode;

int has(const Opcode *o, const char *part);
Insn *emit(Parser *p, Kind kind);
Row source_row(Parser *p, const Operand *o, uint8_t width);
Row result_row(Parser *p, const Operand *o, uint8_t width);
int is_signed_type(Type t);

/* ptx_decode_control.c */
void decode_branch(Parser *p, const Opcode *o, Operand *operands, int count);
void decode_call(Parser *p, Operand *operands, int count);
void decode_barrier(Parser *p, const Opcode *o, Operand *operands, int count);
void decode_warp(Parser *p, const Opcode *o, Operand *operands, int count);

#endif
