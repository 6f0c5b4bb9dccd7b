/* pdec.h: the compiler as a library. Re-entrant: no globals, no exit, nothing printed. */
#ifndef PDE_COMPILER_PDEC_H
#define PDE_COMPILER_PDEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PDEC_API __attribute__((visibility("default")))
#else
#define PDEC_API
#endif

enum PdecExit {
    PDEC_OK = 0,
    PDEC_DIAGNOSTICS = 1, /* the problem has errors */
    PDEC_USAGE = 2,
    PDEC_ENVIRONMENT = 3, /* memory, disk, tools */
    PDEC_INTERNAL = 70
};

typedef enum PdecFormat { PDEC_TEXT, PDEC_SHORT, PDEC_JSON } PdecFormat;

/* --eval: an expression in the scope of the problem, at points. */
typedef struct PdecOracle {
    const char *expression;
    const double
        *points; /* [rows][columns], time in the last column; NULL: a few points are drawn */
    size_t rows, columns;
    bool extended; /* long double instead of double */
} PdecOracle;

/* The texts a module is made of. */
typedef enum PdecPart {
    PDEC_PART_PLAN,   /* JSON for runtime/load/plan_read.h */
    PDEC_PART_SOURCE, /* kernels, C that compiles alone */
    PDEC_PART_WATCH,  /* kernels that watch their values */
    PDEC_PART_CONF,   /* JSON: settings as pderun's options */
    PDEC_PART_MATH,   /* MathML */
    PDEC_PARTS
} PdecPart;

/* Another way to state the same problem: statements that the compiler adds or changes (variants/). */
typedef struct PdecVariant {
    char *name;
    char *because;    /* reasons, one a line */
    char *statements; /* what was added */
    char *text;       /* the whole problem */
} PdecVariant;

enum { PDEC_VARIANTS = 8 };

typedef struct PdecOptions {
    const char *emit;  /* "tokens" or the name of a pass; NULL: run all passes, print nothing */
    PdecFormat format; /* of the diagnostics */
    bool colour;
    bool json;     /* --emit=terms and plan as JSON */
    bool module;   /* fill PdecResult.part */
    bool variants; /* fill PdecResult.variant, where the file leaves the network open */
    const PdecVariant
        *variant;     /* what the text is a variant of, for the module's plan; NULL: of nothing */
    bool time_passes; /* append a table of times to the messages */
    bool fix;         /* fill PdecResult.fixed */
    const char *const *set; /* "name=value" in place of the file's value of a dim or param */
    size_t sets;
    const char *allow_data;   /* folders with data that --eval may read, with colons between them */
    const char *beside;       /* the file that data lie beside; NULL: that of the name */
    const PdecOracle *oracle; /* NULL: nothing to evaluate; else `emit` is ignored */
    size_t memory_limit;      /* 0: the limit of limits.def */
    uint64_t fail_at;         /* tests: this allocation fails; 0: none */
} PdecOptions;

/* owner: the caller, by pdec_result_free. All texts are NUL-terminated; NULL when empty. */
typedef struct PdecResult {
    int status;     /* one of PdecExit */
    char *output;   /* what emit asked for */
    char *messages; /* rendered diagnostics */
    char *fixed;    /* the source with its certain fix-its applied; NULL: none applied */
    char *part[PDEC_PARTS];
    size_t part_n[PDEC_PARTS];
    PdecVariant variant[PDEC_VARIANTS];
    size_t variants;
    double *values; /* of the oracle; NULL: none */
    size_t output_n, messages_n, fixed_n, values_n;
    uint64_t allocations; /* arena calls made, for fault injection */
} PdecResult;

/* Compiles a text. `name` is shown in messages. Returns result->status. */
PDEC_API int pdec_compile(const char *name, const char *text, size_t n, const PdecOptions *options,
                          PdecResult *result);
PDEC_API void pdec_result_free(PdecResult *result);
/* The explanation of a code such as "E0402" or "e0402", or NULL; and that of the k-th code, NULL past the last. */
PDEC_API const char *pdec_explain(const char *code);
PDEC_API const char *pdec_explain_nth(size_t k);
/* The i-th value --emit accepts with its description; NULL past the end. */
PDEC_API const char *pdec_stage(size_t i, const char **what);

#endif
