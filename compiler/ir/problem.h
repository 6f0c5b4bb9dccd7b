/* problem.h: a whole problem in the IR: what lower.c and problem.c make of the checked tree, what
 * trial.c, split.c and plan.c add, and what every back end reads. */
#ifndef PDE_COMPILER_IR_PROBLEM_H
#define PDE_COMPILER_IR_PROBLEM_H

#include "base/limits.h"
#include "ir/ir.h"
#include "text/ast.h"
#include "text/symbols.h"

/* A coordinate vector with its own domain. The coordinates of all of them stand one after the other in a point:
 * coordinate k of this one is SPACE number first + k. */
typedef struct Space {
    Sym name;
    bool scalar; /* x in [0, 1]: written without a subscript */
    Extent dimension;
    Ref d;      /* the same as an IR expression */
    Ref first;  /* coordinates of the spaces before it */
    Sym domain; /* a row of domain.def */
    Ref argument[3];
    Ref index; /* free in the argument that is indexed; 0: none is */
} Space;

/* A set of variables: bit k is the coordinate vector number k. */
typedef uint32_t VarSet;
#define VARIABLE_TIME ((VarSet)1 << 31)

typedef struct Field {
    Sym name;
    Span span;
    VarSet on;         /* its arguments: it depends on no others */
    Ref exact;         /* 0: not known */
    Ref trial;         /* the field as an expression in NET atoms */
    const Ast *ansatz; /* the statement, or NULL where the compiler chose */
} Field;

typedef struct Equation {
    Sym name; /* 0: unnamed */
    const Ast *ast;
    Ref residual; /* left - right in FIELD atoms, SOURCE atoms still in place */
    Ref in_net;   /* the same with sources and trial functions put in, over the divisor */
    Ref divisor;  /* a factor exp(net) common to all terms; 1 without one */
    bool claims;  /* the exact solution solves it by the file's numbers, not by construction */
} Equation;

/* Ends of a coordinate or of a radius. */
typedef enum FaceSide { FACE_LOW, FACE_HIGH, FACE_BOTH } FaceSide;

/* A part of the boundary of one space's domain: where a coordinate of a box is at an end, the inner or the outer sphere of an
 * annulus, `outer` (FACE_HIGH). */
typedef struct Face {
    uint32_t space;
    Ref coordinate; /* of the space, from 1; 0: any of them, or the part is none of a coordinate */
    FaceSide side;  /* FACE_BOTH: all of this domain's boundary */
} Face;

/* Where a condition on the boundary holds: on any of these; none: everywhere. */
typedef struct Faces {
    uint32_t n;
    Face at[LIMIT_FACES];
} Faces;

typedef enum ConditionState {
    CONDITION_SOFT,  /* a loss of its own */
    CONDITION_BUILT, /* met by the trial function that the compiler built (`exactly`) */
    CONDITION_PROVEN /* met by the user's ansatz, shown symbolically */
} ConditionState;

typedef struct PlaceRow { /* one `at` clause: x_i = e (all i), x_3 = e, t = e */
    bool all;             /* every component of the space */
    bool time;
    uint32_t space;
    Ref index; /* all: the INDEX in value; else the component */
    Ref value;
} PlaceRow;

enum { PLACES = 8, OBSERVED = 8 };

/* What an observation is made of: one after the other, k = 1..n, its place and its data. In the residual the data are the
 * AUX numbers first, first + 1, ... among the observed ones of the problem. */
typedef struct Observed {
    Ref index, n; /* the INDEX; how many there are */
    uint32_t n_at, n_data, first;
    PlaceRow at[PLACES];
    Ref data[OBSERVED];
} Observed;

typedef struct ConditionRow {
    AstOp where; /* COND_BOUNDARY, COND_INITIAL, COND_TERMINAL, COND_OBSERVE, COND_CONSTRAINT */
    Observed *observed;
    Faces on; /* of a boundary */
    const Ast *ast;
    bool exactly;
    Ref residual; /* left - right in FIELD atoms; of vectors the mean over entries of its square */
    Ref in_net;
    Ref index;          /* of vectors: the INDEX in entry; 0: scalars */
    Ref entry, entries; /* of vectors: left - right of one entry, and how many there are */
    Ref weight;         /* 0: none given */
    ConditionState state;
    bool claims; /* as for an equation */
} ConditionRow;

typedef struct SourceRow {
    Sym name;
    Span span;
    Ref value;         /* solved from the exact solution */
    bool of_condition; /* lives on the points of a condition only */
} SourceRow;

/* A random or data array. */
typedef struct TensorRow {
    Sym name;
    uint32_t rank;
    Extent extent[2];
    const Ast *law; /* random: CALL normal(...), uniform(...); NULL for data */
    Ref law_args[2];
    Sym file; /* data: the file name */
    uint64_t seed;
    bool legacy; /* generator mt19937 (contract/mt19937.h) */
} TensorRow;

typedef struct UnknownRow {
    Sym name;
    Ref initial, lo, hi; /* 0: none */
    Ref exact;           /* 0: not known */
    bool eigen;          /* `eigen lambda smallest` */
} UnknownRow;

/* One `sample` or `test` statement. */
typedef struct SampleRow {
    bool test;
    bool observed;      /* no law: a number that an observation brings */
    Sym target;         /* a space vector, the time, or an auxiliary */
    bool componentwise; /* sample x_i ~ ...: args may use the INDEX below */
    Ref index;
    Sym law;
    uint32_t n_args;
    Ref args[4];
    Sym inner; /* radial(uniform): the inner law's name */
    const Ast *ast;
} SampleRow;

typedef struct ReferenceRow {
    Sym target;
    Ref value;
    uint32_t n_at;
    PlaceRow at[PLACES];
    const Ast *ast;
} ReferenceRow;

typedef struct ReportRow {
    Ref value, in_net;
    uint32_t n_at;
    PlaceRow at[PLACES];
    const Ast *ast;
} ReportRow;

/* expect(w_i ~ normal(0, 1): body) */
typedef struct ExpectationRow {
    Sym aux[4];
    bool vector[4];
    Sym law[4];
    Ref args[4][2];
    uint32_t n;
} ExpectationRow;

/* network mlp(features = [x/sqrt(d), t, norm(x)^2/d]): what the network sees. The entries of the vectors come
 * first among the inputs, one vector after the other, then the scalars in order. */
typedef struct Feature {
    Ref value;
    Ref index; /* a vector: the INDEX in value; 0: a scalar */
    Ref size;  /* a vector: how many entries */
    const Ast *ast;
} Feature;

typedef struct Features {
    VEC(Feature) at;
    bool implied; /* by a periodic domain: the file states none */
    bool
        wide; /* several vectors, or one that has not d entries: derivatives go along tangents (tangent.h) */
} Features;

/* A proof rests on a value: of a param on the stated one, of a dim on one that is no less than this. */
typedef struct Relied {
    Sym name;
    double least;
} Relied;

typedef struct Problem {
    Sym title;
    VEC(Space) space;
    Ref d;      /* coordinates of all spaces */
    Ref inside; /* 1 at points that belong to the domain, else 0; 0: all do */
    Sym time;   /* 0: none */
    Ref t_lo, t_hi;
    VEC(Field) field;
    VEC(Equation) equation;
    VEC(ConditionRow) condition;
    VEC(SourceRow) source;
    VEC(TensorRow) tensor;
    VEC(UnknownRow) unknown;
    VEC(SampleRow) sample;
    VEC(ReferenceRow) reference;
    VEC(ReportRow) report;
    VEC(ExpectationRow) expectation;
    VEC(Relied) relied; /* filled by vanish.c */
    Features *features; /* NULL: the network sees x and t */
    const Ast *solve, *normalise, *coordinates;
    struct {
        Ref residual,
            in_net; /* F(psi) / (c p(x)) - 1: its mean over points of the law p is a loss; 0: none */
        bool watched;    /* or no loss: psi^2 / p - 1, from which a run sees where psi lies */
        const Ast *from; /* `normalise`, or `eigen` */
    } norm;              /* of an eigenproblem by a network (lower/eigen.c) */
    uint32_t net_field;  /* the field whose ansatz is being lowered: `net` is its network */
    Memo lets;           /* (name, index) -> value, so that nested lets are lowered once */
    struct TensorNet *tensor_net;  /* tensor.c; NULL unless solve { } asks for one */
    struct SumForms *forms;        /* sum_form.c: answers so far */
    struct Operators *operators;   /* split.c */
    struct Plan *plan;             /* plan.c */
    struct Kernels *kernels;       /* kernels.c */
    const struct Process *process; /* process.c; NULL before its pass */
    struct Watch *watch; /* watch_kernels.c: filled while watching kernels are written; else NULL */
} Problem;

/* Is the param an expression in others, such as k = pi/T? Then it stands for that expression everywhere, and
 * follows whatever values these are given; its own cannot be given to a module. */
bool problem_param_follows(Compilation *c, const Symbol *param);

/* Lowering (lower.c). Index names are bound in an Env; NULL is the empty one. */
typedef struct Env Env;
Ref lower_scalar(Compilation *c, const Env *env, const Ast *e);
/* The entry `index` of an expression of rank 1; rank and number of entries of an expression. */
Ref lower_entry(Compilation *c, const Ast *e, Ref index);
uint32_t lower_rank(Compilation *c, const Ast *e);
bool lower_entries(Compilation *c, const Ast *e, Ref *number);
Ref lower_extent(Compilation *c, Extent e);
const Env *env_bind_index(Compilation *c, const Env *env, Sym name, Ref index);
/* The value of `network` in solve { }, or NULL; is it `tnn`? */
const Ast *network_setting(const Compilation *c);
bool tensor_wanted(const Compilation *c);
int problem_field(const Problem *p, Sym name); /* -1: no such field */
int problem_space(const Problem *p, Sym name); /* -1: no such coordinate vector */
/* The name of the coordinates: of the only vector, or `space` for all of several. */
const char *problem_space_name(const Compilation *c);
/* Whose coordinate SPACE number `at` is, and which of its own; NULL where the index alone does not tell. */
const Space *problem_space_of(Ir *ir, Ref at, Ref *local);
/* The variables of the problem, and those that e may depend on: more than it does where an index does not tell. */
VarSet problem_variables(const Problem *p);
VarSet problem_variables_of(Ir *ir, Ref e);
/* The first variable of a set that is not empty. */
Sym problem_variable_name(const Problem *p, VarSet set);
/* What a field can be scored against everywhere: the exact solution, or a reference without a place;
 * 0: neither. */
Ref problem_known_solution(const Compilation *c, uint32_t field);
/* Is the field an exponential of the network? Then it is its logarithm that is evaluated and scored: the field
 * itself leaves the range of floating-point numbers in many dimensions. */
bool problem_is_exponential(const Compilation *c, uint32_t field);
/* A value of the field, or its logarithm if that is what is scored. */
Ref problem_scored(const Compilation *c, uint32_t field, Ref value);
/* e at the reference's point: a number. */
Ref problem_at_place(const Compilation *c, const ReferenceRow *r, Ref e);
/* `exact` or `reference` of an unknown number; 0: neither is stated. */
Ref problem_known_value(const Problem *p, uint32_t unknown);
/* Is the reference one number at one point? */
bool problem_is_point_value(const Compilation *c, const ReferenceRow *r);

#endif
