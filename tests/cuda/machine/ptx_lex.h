/* ptx_lex.h: words, numbers and signs of PTX, and the state of the parser. */
#ifndef SOFT_PTX_LEX_H
#define SOFT_PTX_LEX_H

#include "ptx.h"

#include <setjmp.h>

typedef enum { LEX_END, LEX_WORD, LEX_NUMBER, LEX_STRING, LEX_SIGN } LexKind;

typedef struct Token {
    LexKind kind;
    const char *at;
    size_t length;
    uint64_t bits; /* numbers */
    uint8_t width; /* 4: 0f, 8: 0d, 0: an integer */
    char sign;
    int line;
} Token;

typedef enum { NAME_REGISTER, NAME_LOCAL, NAME_PARAM, NAME_ENTRY } NameKind;

/* Names of the current function and of its inner blocks; the last one declared hides others. */
typedef struct Name {
    const char *at;
    size_t length;
    NameKind kind;
    int count; /* %r<count>; -1: a single register */
    uint8_t width;
    uint32_t offset; /* of the first row; in lane memory */
    uint32_t size;
} Name;

typedef struct Operand Operand;
struct Operand {
    enum { O_NONE, O_NAME, O_NUMBER, O_ADDRESS, O_VECTOR, O_SINK } kind;
    const char *at; /* a name, or the base of an address; NULL: none */
    size_t length;
    uint64_t bits; /* a number, or what is added to the base */
    uint8_t width, negated;
    int count;
    Operand *items; /* of a vector or list */
};

typedef struct Label {
    const char *at;
    size_t length;
    int pc;
    Operand table; /* .branchtargets */
} Label;

typedef struct Fixup {
    int insn;
    Operand name;
} Fixup;

enum { OPERANDS_MAX = 8 };

typedef struct Parser {
    const char *p, *end;
    int line;
    Token token;
    Module *module;
    Function *function;
    Name names[4096];
    int nnames;
    Label *labels;
    int nlabels, labels_cap;
    Fixup *fixups;
    int nfixups, fixups_cap;
    uint32_t lane_used;
    Row carry;
    Row guard;
    uint8_t guard_not;
    Operand items[4096]; /* of vectors and lists in the current instruction or table */
    int nitems;
    int insn_line;
    jmp_buf failed;
    char message[512];
} Parser;

void lex_next(Parser *p);
int lex_is(const Parser *p, const char *word);
int lex_sign(const Parser *p, char sign);
int lex_accept(Parser *p, char sign);
void lex_expect(Parser *p, char sign);
_Noreturn void parse_fail(Parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ptx_decode.c: one instruction from its name and operands */
void decode(Parser *p, const char *opcode, Operand *operands, int count);
void *grow(Parser *p, void *list, int count, int *cap, size_t size);
Row new_row(Parser *p, uint8_t width);
Name *find_name(Parser *p, const char *at, size_t length);
Type type_named(const char *text);

/* ptx_declare.c */
typedef struct Declaration {
    Type type;
    uint32_t align, size, elements;
    int unsized;
    const char *at; /* the name */
    size_t length;
} Declaration;

char *copy_name(Parser *p, const char *at, size_t length);
char *copy_word(Parser *p);
uint32_t parse_number(Parser *p);
uint64_t align_up(uint64_t x, uint64_t to);
Declaration parse_declaration(Parser *p);
void declare_variable(Parser *p, Space space, int is_const);
void declare_lane_variable(Parser *p, NameKind kind);
void declare_registers(Parser *p);
uint64_t function_address(const Function *f);

#endif
