/* ptx.h: PTX text read into pre-decoded instructions.
 *
 * A value of a register for all threads of a block stands in one row: element i belongs to lane i.
 * A row is named by its offset in bytes per lane; its address is frame + offset * lanes. Constants,
 * special registers and addresses of variables are rows too, so that every source of an instruction
 * is a row and an operation is one loop over lanes. */
#ifndef SOFT_PTX_H
#define SOFT_PTX_H

#include <stddef.h>
#include <stdint.h>

typedef struct Lanes Lanes;
typedef struct Insn Insn;
typedef struct Function Function;
typedef struct Module Module;

/* Does one instruction for the lanes lo..hi-1 (those with mask[i] set if there is a mask). */
typedef void Operation(const Insn *in, const Lanes *lanes);

struct Lanes {
    unsigned char *rows;
    size_t stride; /* lanes in a row, used or not */
    int lo, hi;
    const uint32_t *mask; /* NULL: all of lo..hi-1 */
};

typedef enum {
    K_ALU,
    K_LOAD,
    K_STORE,
    K_ATOM,
    K_BRANCH,
    K_BRANCH_INDEX,
    K_CALL,
    K_RETURN,
    K_EXIT,
    K_BARRIER,
    K_WARP,
    K_TRAP,
    K_NOP,
    K_CLOCK
} Kind;

typedef enum { SPACE_GENERIC, SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM } Space;

/* The scalar types of PTX. */
typedef enum {
    T_NONE,
    T_PRED,
    T_B8,
    T_U8,
    T_S8,
    T_B16,
    T_U16,
    T_S16,
    T_B32,
    T_U32,
    T_S32,
    T_F32,
    T_B64,
    T_U64,
    T_S64,
    T_F64
} Type;

enum { VECTOR_MAX = 8 };
#define NO_ROW 0xFFFFFFFFu

typedef struct Row {
    uint32_t offset; /* NO_ROW: absent, or the sink _ */
    uint8_t width;   /* bytes per lane: 1 (predicate), 2, 4, 8 */
} Row;

typedef struct CallArgs {
    Function *target; /* NULL: through a pointer in .source[0] */
    int nargs, nreturns;
    uint32_t arg[32], ret[4]; /* places in the caller's lane memory */
    uint32_t arg_size[32], ret_size[4];
} CallArgs;

struct Insn {
    Operation *run;
    Operation *inner; /* what a wrapper of rounding modes calls */
    Row dst, source[4];
    Row guard; /* @p; offset NO_ROW if absent */
    uint8_t kind, space, guard_not, op;
    uint8_t type, size, vector, flops;
    uint8_t counted, is_signed, float_mode, saturate;
    uint8_t constant_address; /* the same for all lanes */
    uint8_t is_const;         /* .const or .param: may not be written */
    int32_t target;           /* branches: index of the instruction */
    int64_t offset;           /* added to an address; index of a table; barrier number */
    Row vec[VECTOR_MAX];
    int32_t *targets; /* of brx.idx */
    int ntargets;
    CallArgs *call;
    int line; /* of the PTX text */
};

/* bits of float_mode: rounding (0: to nearest) and flushing of subnormal numbers */
enum { MODE_RZ = 1, MODE_RM = 2, MODE_RP = 3, MODE_ROUNDING = 3, MODE_FTZ = 4 };

typedef struct Constant {
    Row row;
    uint64_t bits;
    uint8_t per_lane; /* bits is a place in lane memory, the row holds its address for each lane */
} Constant;

typedef enum {
    SR_TID_X,
    SR_TID_Y,
    SR_TID_Z,
    SR_NTID_X,
    SR_NTID_Y,
    SR_NTID_Z,
    SR_CTAID_X,
    SR_CTAID_Y,
    SR_CTAID_Z,
    SR_NCTAID_X,
    SR_NCTAID_Y,
    SR_NCTAID_Z,
    SR_LANEID,
    SR_WARPID,
    SR_LANEMASK_LT,
    SR_LANEMASK_LE,
    SR_LANEMASK_EQ,
    SR_LANEMASK_GE,
    SR_LANEMASK_GT,
    SR_COUNT
} Special;

typedef struct Param {
    char *name;
    uint32_t offset, size;
} Param;

struct Function {
    char *name;
    Module *module;
    int is_entry, defined;
    Insn *code;
    int ncode, code_cap;
    uint32_t row_bytes;  /* per lane, of all rows */
    uint32_t lane_bytes; /* per lane: .local variables and .param of functions */
    Constant *constants;
    int nconstants, constants_cap;
    Row special[SR_COUNT];   /* offset NO_ROW if not used */
    Param *params, *returns; /* entry: places in the buffer of the launch; else in lane memory */
    int nparams, nreturns;
    uint32_t param_bytes;
    uint32_t shared_bytes; /* what the kernel declares */
    int dynamic_limit, registers;
    int max_threads;
    struct Frame *idle; /* frames made earlier, constants filled in */
};

typedef struct Variable {
    char *name;
    uint8_t space, dynamic;
    uint64_t address;
    size_t size;
    Function *owner; /* of a variable declared inside a function */
} Variable;

struct Module {
    char *text, *error;
    Function **functions;
    int nfunctions, functions_cap;
    Variable *variables;
    int nvariables, variables_cap;
    uint32_t shared_used; /* of the window of static shared memory, with guards */
    int version, target;
};

/* Reads text (of length bytes). On failure: NULL, and *message (to be freed) says why. */
Module *ptx_parse(const char *text, size_t length, char **message);
void ptx_free(Module *m);
Function *ptx_function(Module *m, const char *name);
Variable *ptx_variable(Module *m, const char *name, const Function *inside);
int type_size(Type t);

/* One row of the table of operations on registers (alu.def). */
typedef struct AluOp {
    const char *key; /* "add.f32": name and type, without rounding and the like */
    Operation *run;
    uint8_t dst, src[4]; /* widths in bytes, 0: absent */
    uint8_t flops;
} AluOp;

const AluOp *alu_find(const char *key);
const char *alu_variant(void);
Operation alu_in_mode, alu_saturate_f32, alu_saturate_f64;

#endif
