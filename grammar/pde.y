/* pde.y: the grammar. LALR(1) without conflicts; actions only build nodes.
 *
 * The lexer has already decided where statements end (NEWLINE) and which words are keywords.
 * The parser never touches the heap: its stack is a fixed array (YYMAXDEPTH) and YYMALLOC yields
 * NULL, so out-of-memory jumps leak nothing and deep nesting is an ordinary "too deep". */
%code requires {
#include "base/compilation.h"
#include "base/limits.h"
#include "text/parse.h"
}

%define api.pure full
%define api.value.type {TokenValue}
%define api.location.type {Span}
%define parse.error custom
%define parse.lac full
%define parse.lac.es-capacity-initial "2000"
%param {Lexer *lx}
%locations
%expect 0

%code {
#include "text/ordinary.h"
#include "text/vector_field.h"
#include "text/syntax.h"

#define YYINITDEPTH LIMIT_PARSE_DEPTH
#define YYMAXDEPTH LIMIT_PARSE_DEPTH
#define YYMALLOC(bytes) ((void)(bytes), NULL)
#define YYFREE(p) ((void)(p))
#define YYLLOC_DEFAULT(current, rhs, n)                                                            \
    do {                                                                                           \
        (current).lo = (n) ? YYRHSLOC(rhs, 1).lo : YYRHSLOC(rhs, 0).hi;                            \
        (current).hi = (n) ? YYRHSLOC(rhs, n).hi : YYRHSLOC(rhs, 0).hi;                            \
    } while (0)

static int yylex(TokenValue *value, Span *span, Lexer *lx) {
    Token t = lexer_next(lx);
    *value = t.value;
    *span = t.span;
    return t.kind;
}

/* Only "memory exhausted" comes here: the stack is full. */
static void yyerror(const Span *span, Lexer *lx, const char *message) {
    (void)message;
    diag(lx->c, E0702, *span, LIMIT_PARSE_DEPTH);
}

static Ast *node(Lexer *lx, AstKind kind, Span span, uint32_t n, Ast *const *kids) {
    return ast_new(lx->c, kind, span, n, kids);
}

#define NODE0(kind, span) node(lx, AST_##kind, span, 0, NULL)
#define NODE(kind, span, ...)                                                                      \
    node(lx, AST_##kind, span, sizeof((Ast *[]){__VA_ARGS__}) / sizeof(Ast *),                     \
         (Ast *[]){__VA_ARGS__})

static Ast *named(Ast *n, Sym name, Span span) {
    n->name = name;
    n->name_span = span;
    return n;
}

static Ast *marked(Ast *n, AstOp op, Span span) {
    n->op = op;
    n->name_span = span;
    return n;
}

static Ast *numbered(Ast *n, double number, Span span) {
    n->number = number;
    n->name_span = span;
    return n;
}

static Ast *binary(Lexer *lx, AstKind kind, Span span, Ast *left, Ast *right, Span sign) {
    Ast *n = node(lx, kind, span, 2, (Ast *[]){left, right});
    n->name_span = sign;
    return n;
}

static AstList *list_of(Lexer *lx, Ast *first) {
    AstList *list = NEW(&lx->c->arena, AstList);
    if (first)
        VEC_PUSH(&lx->c->arena, list->items, first);
    return list;
}

static AstList *list_add(Lexer *lx, AstList *list, Ast *next) {
    VEC_PUSH(&lx->c->arena, list->items, next);
    return list;
}

static AstList *list_front(Lexer *lx, Ast *first, AstList *rest) {
    AstList *list = list_of(lx, first);
    for (uint32_t i = 0; i < rest->items.n; i++)
        VEC_PUSH(&lx->c->arena, list->items, rest->items.at[i]);
    return list;
}

/* A statement for each of `x in ball(3, 1), y in [0, 1]`; the first begins with the word `domain`. */
static AstList *domain_statements(Lexer *lx, AstList *program, const AstList *domains, Span word) {
    domains->items.at[0]->span.lo = word.lo;
    for (uint32_t i = 0; i < domains->items.n; i++)
        list_add(lx, program, domains->items.at[i]);
    return program;
}

static Ast *collect(Lexer *lx, AstKind kind, Span span, const AstList *list) {
    return node(lx, kind, span, list->items.n, list->items.at);
}

/* `observe L = R at place for k = 1..m weight w`; range and weight may be NULL. */
static Ast *observation(Lexer *lx, Span span, Ast *left, Ast *right, Ast *at, Ast *range,
                        Ast *weight, Span keyword) {
    Ast *n = node(lx, AST_CONDITION, span, 5, (Ast *[]){left, right, weight, at, range});
    return marked(n, COND_OBSERVE, keyword);
}

/* `v_k(x, t) for k = 1..3`: a call whose last kids are the index and its range. */
static Ast *vector_field(Lexer *lx, Span span, AstList *arguments, const AstList *indices, Ast *range) {
    for (uint32_t i = 0; i < indices->items.n; i++)
        list_add(lx, arguments, indices->items.at[i]);
    Ast *n = collect(lx, AST_CALL, span, list_add(lx, arguments, range));
    n->flag = true;
    return n;
}

/* `constraint integral(e) = R weight w`: its left side is e, its name that of the functional. */
static Ast *constraint(Lexer *lx, Span span, const Ast *functional, Ast *right, Ast *weight,
                       Span keyword) {
    Ast *n = node(lx, AST_CONDITION, span, 3, (Ast *[]){functional->kid[0], right, weight});
    return marked(named(n, functional->name, functional->name_span), COND_CONSTRAINT, keyword);
}

/* faces: where it holds; NULL: on the whole boundary. */
static Ast *condition(Lexer *lx, AstOp op, Span span, Ast *left, Ast *right, Ast *faces, Ast *tail,
                      Span keyword) {
    bool exactly = tail && tail->kind == AST_CONDITION;
    Ast *n = node(lx, AST_CONDITION, span, faces ? 4 : 3,
                  (Ast *[]){left, right, exactly ? NULL : tail, faces});
    n->flag = exactly;
    return marked(n, op, keyword);
}
}

%token YYEOF 0 "end of file"
%token NEWLINE "end of line"
%token NAME "a name" NUMBER "a number" STRING "a text in quotes" KEY "a setting"
%token SUB "a subscript" SUBOPEN "_{" DOTDOT ".."
%token DERIVATIVE "d" BIG "a sum" EXPECT "expect" INTEGRAL "integral"
%token PROBLEM "problem" DIM "dim" PARAM "param" DOMAIN "domain" TIME "time" FIELD "field"
%token UNKNOWN "unknown" LET "let" RANDOM "random" DATA "data" EXACT "exact" EQUATION "equation"
%token SOURCE "source" BOUNDARY "boundary" INITIAL "initial" TERMINAL "terminal" OBSERVE "observe" CONSTRAINT "constraint" ANSATZ "ansatz"
%token SAMPLE "sample" TEST "test" REFERENCE "reference" REPORT "report" EIGEN "eigen"
%token NORMALISE "normalise" COORDINATES "coordinates" SOLVE "solve"
%token IN "in" FOR "for" SEED "seed" GENERATOR "generator" FROM "from" EXACTLY "exactly" WEIGHT "weight" AT "at"
%token SAMPLES "samples" SMALLEST "smallest" ON "on" OR "or" PERIODIC "periodic"
%token WHERE "where" AND "and" IF "if" THEN "then" ELSE "else" LE "<=" GE ">="

%type <name> NAME KEY STRING SUB
%type <number> NUMBER DERIVATIVE
%type <op> BIG
%type <text> periodic_opt
%type <list> lines domains binds fields defines names settings arguments arguments0 subscript indices
%type <list> ranges parameters places tildes list faces data_ranges
%type <node> line domain statement functional field bind call define target plain_target range_opt seed_opt generator_opt initial_opt
%type <node> where_opt test on_opt face weight_opt condition_tail at_opt at samples_opt law setting expr primary postfix argument index
%type <node> range big_range name_node place tilde string

%precedence CHOICE
%left OR
%left AND
%left '+' '-'
%precedence BIGBODY
%left '*' '/'
%precedence UNARY
%right '^'

%%

program: lines  { Ast *all = collect(lx, AST_PROGRAM, @1, $1);
                  lx->program = vector_fields_expand(lx, ordinary_program(lx, all)); }
;
lines: %empty   { $$ = list_of(lx, NULL); }
| lines line    { $$ = $2 ? list_add(lx, $1, $2) : $1; }
| lines DOMAIN domains NEWLINE  { $$ = domain_statements(lx, $1, $3, @2); }
;
line: NEWLINE           { $$ = NULL; }
| statement NEWLINE     { $$ = $1; }
| error NEWLINE         { $$ = NODE0(ERROR, @1); yyerrok; }
;

/* ---- statements ---- */

statement:
  PROBLEM string                { $$ = NODE(PROBLEM, @$, $2); }
| DIM binds                     { $$ = collect(lx, AST_DIM, @$, $2); }
| PARAM binds                   { $$ = collect(lx, AST_PARAM, @$, $2); }
| TIME NAME IN '[' expr ',' expr ']'
                                { $$ = named(NODE(TIME, @$, $5, $7), $2, @2); }
| FIELD fields                  { $$ = collect(lx, AST_FIELD, @$, $2); }
| UNKNOWN NAME initial_opt      { $$ = named(NODE(UNKNOWN, @$, NULL, NULL, $3), $2, @2); }
| UNKNOWN NAME IN '(' expr ',' expr ')' initial_opt
                                { $$ = named(NODE(UNKNOWN, @$, $5, $7, $9), $2, @2); }
| UNKNOWN NAME IN '[' expr ',' expr ']' initial_opt
                                { $$ = named(NODE(UNKNOWN, @$, $5, $7, $9), $2, @2); }
| LET defines                   { $$ = collect(lx, AST_LET, @$, $2); }
| RANDOM plain_target '~' law range_opt seed_opt generator_opt
                                { $$ = NODE(RANDOM, @$, $2, $4, $5, $6, $7); }
| DATA plain_target FROM string data_ranges
                                { $$ = collect(lx, AST_DATA, @$, list_front(lx, $2, list_front(lx, $4, $5))); }
| EXACT plain_target '=' expr      { $$ = NODE(EXACT, @$, $2, $4); }
| EQUATION expr '=' expr        { $$ = binary(lx, AST_EQUATION, @$, $2, $4, @3); }
| EQUATION NAME ':' expr '=' expr
                                { $$ = named(NODE(EQUATION, @$, $4, $6), $2, @2); }
| SOURCE names FROM NAME        { syntax_source_origin(lx, $4, @4);
                                  $$ = collect(lx, AST_SOURCE, @$, $2); }
| BOUNDARY expr '=' expr on_opt condition_tail
                                { $$ = condition(lx, COND_BOUNDARY, @$, $2, $4, $5, $6, @1); }
| INITIAL expr '=' expr condition_tail
                                { $$ = condition(lx, COND_INITIAL, @$, $2, $4, NULL, $5, @1); }
| TERMINAL expr '=' expr condition_tail
                                { $$ = condition(lx, COND_TERMINAL, @$, $2, $4, NULL, $5, @1); }
| OBSERVE expr '=' expr at range_opt weight_opt
                                { $$ = observation(lx, @$, $2, $4, $5, $6, $7, @1); }
| CONSTRAINT functional '=' expr weight_opt
                                { $$ = constraint(lx, @$, $2, $4, $5, @1); }
| ANSATZ plain_target '=' expr     { $$ = NODE(ANSATZ, @$, $2, $4); }
| SAMPLE plain_target '~' law   { $$ = NODE(SAMPLE, @$, $2, $4); }
| TEST plain_target '~' law     { $$ = NODE(SAMPLE, @$, $2, $4); $$->flag = true; }
| REFERENCE plain_target '=' expr at_opt samples_opt
                                { $$ = NODE(REFERENCE, @$, $2, $4, $5, $6); }
| REPORT expr at_opt            { $$ = NODE(REPORT, @$, $2, $3); }
| EIGEN NAME SMALLEST           { $$ = named(marked(NODE0(EIGEN, @$), EIGEN_SMALLEST, @3), $2, @2); }
| NORMALISE expr ':' INTEGRAL '(' NAME ')' '=' expr
                                { $$ = named(NODE(NORMALISE, @$, $2, $9), $6, @6); }
| COORDINATES NAME '=' expr     { $$ = named(NODE(COORDINATES, @$, $4), $2, @2); }
| SOLVE '{' settings '}'        { $$ = collect(lx, AST_SOLVE, @$, $3); }
;

functional: INTEGRAL '(' expr ')'   { $$ = named(NODE(CALL, @$, $3), intern_cstr(lx->c, "integral"), @1); }
| NAME '(' expr ')'     { $$ = named(NODE(CALL, @$, $3), $1, @1); }
;
domains: domain         { $$ = list_of(lx, $1); }
| domains ',' domain    { $$ = list_add(lx, $1, $3); }
;
domain: NAME IN call where_opt
                        { $$ = named(node(lx, AST_DOMAIN, @$, $4 ? 2 : 1, (Ast *[]){$3, $4}), $1, @1); }
| NAME IN '[' expr ',' expr ']' periodic_opt where_opt
                        { $$ = named(node(lx, AST_DOMAIN, @$, $9 ? 2 : 1,
                                          (Ast *[]){syntax_interval(lx, ((Span){@3.lo, @7.hi}), $4, $6, $8), $9}),
                                     $1, @1);
                          $$->flag = true; }
;
where_opt: %empty       { $$ = NULL; }
| WHERE test            { $$ = $2; }
;
test: expr '<' expr     { $$ = syntax_less(lx, @$, $1, $3, false); }
| expr '>' expr         { $$ = syntax_less(lx, @$, $3, $1, false); }
| expr LE expr          { $$ = syntax_less(lx, @$, $3, $1, true); }
| expr GE expr          { $$ = syntax_less(lx, @$, $1, $3, true); }
| test AND test         { $$ = binary(lx, AST_MUL, @$, $1, $3, @2); }
| test OR test          { $$ = syntax_either(lx, @$, $1, $3); }
;
periodic_opt: %empty    { $$ = "box"; }
| PERIODIC              { $$ = "torus"; }
;
string: STRING          { $$ = named(NODE0(STRING, @$), $1, @1); }
;
binds: bind             { $$ = list_of(lx, $1); }
| binds ',' bind        { $$ = list_add(lx, $1, $3); }
;
bind: NAME '=' expr     { $$ = named(NODE(BIND, @$, $3), $1, @1); }
;
fields: field           { $$ = list_of(lx, $1); }
| fields ',' field      { $$ = list_add(lx, $1, $3); }
;
field: call
| NAME subscript '(' arguments0 ')' FOR range
                        { $$ = vector_field(lx, @$, $4, $2, $7);
                          $$ = named($$, $1, @1); }
;
call: NAME '(' arguments0 ')'   { $$ = named(collect(lx, AST_CALL, @$, $3), $1, @1); }
;
initial_opt: %empty     { $$ = NULL; }
| '=' expr              { $$ = $2; }
;
defines: define         { $$ = list_of(lx, $1); }
| defines ',' define    { $$ = list_add(lx, $1, $3); }
;
define: target '=' expr { $$ = binary(lx, AST_LETDEF, @$, $1, $3, @2); }
;
target: plain_target
| NAME '(' parameters ')'
                        { $$ = named(collect(lx, AST_CALL, @$, $3), $1, @1); }
| NAME '(' parameters ')' subscript
                        { Ast *f = named(collect(lx, AST_CALL, ((Span){@1.lo, @4.hi}), $3), $1, @1);
                          $$ = collect(lx, AST_SUBSCRIPT, @$, list_front(lx, f, $5)); }
;
plain_target: name_node
| name_node subscript   { $$ = syntax_subscript(lx, @$, $1, $2, @2); }
| name_node SUBOPEN indices '}'
                        { $$ = syntax_subscript(lx, @$, $1, $3, @2); }
;
parameters: name_node   { $$ = list_of(lx, $1); }
| parameters ',' name_node { $$ = list_add(lx, $1, $3); }
;
name_node: NAME         { $$ = named(NODE0(NAME, @$), $1, @1); }
;
names: name_node        { $$ = list_of(lx, $1); }
| names ',' name_node   { $$ = list_add(lx, $1, $3); }
;
law: call
| NAME                  { $$ = named(NODE0(CALL, @$), $1, @1); }
;
range_opt: %empty       { $$ = NULL; }
| FOR range             { $$ = $2; }
;
range: NAME '=' expr DOTDOT expr
                        { $$ = named(NODE(RANGE, @$, $3, $5), $1, @1); }
;
data_ranges: %empty     { $$ = list_of(lx, NULL); }
| FOR range             { $$ = list_of(lx, $2); }
| FOR range ',' range   { $$ = list_add(lx, list_of(lx, $2), $4); }
;
weight_opt: %empty      { $$ = NULL; }
| WEIGHT expr           { $$ = $2; }
;
seed_opt: %empty        { $$ = NULL; }
| SEED expr             { $$ = $2; }
;
generator_opt: %empty   { $$ = NULL; }
| GENERATOR NAME        { $$ = named(NODE0(NAME, @2), $2, @2); }
;
on_opt: %empty          { $$ = NULL; }
| ON faces              { $$ = collect(lx, AST_FACES, @2, $2); }
;
faces: face             { $$ = list_of(lx, $1); }
| faces OR face         { $$ = list_add(lx, $1, $3); }
;
face: place
| name_node
;
condition_tail: %empty  { $$ = NULL; }
| EXACTLY               { $$ = NODE0(CONDITION, @$); }
| WEIGHT expr           { $$ = $2; }
;
at_opt: %empty          { $$ = NULL; }
| at
;
at: AT places           { $$ = collect(lx, AST_AT, @$, $2); }
;
places: place           { $$ = list_of(lx, $1); }
| places ',' place      { $$ = list_add(lx, $1, $3); }
;
place: plain_target '=' expr
                        { $$ = binary(lx, AST_EQ, @$, $1, $3, @2); }
;
samples_opt: %empty     { $$ = NULL; }
| SAMPLES expr          { $$ = $2; }
;
settings: %empty        { $$ = list_of(lx, NULL); }
| settings NEWLINE
| settings setting      { $$ = list_add(lx, $1, $2); }
| settings error NEWLINE { yyerrok; }
;
setting: KEY expr       { $$ = named(NODE(SETTING, @$, $2), $1, @1); }
| KEY '=' expr          { $$ = named(NODE(SETTING, @$, $3), $1, @1); }
;

/* ---- expressions ---- */

expr: postfix
| expr '+' expr         { $$ = binary(lx, AST_ADD, @$, $1, $3, @2); }
| expr '-' expr         { $$ = binary(lx, AST_SUB, @$, $1, $3, @2); }
| expr '*' expr         { $$ = binary(lx, AST_MUL, @$, $1, $3, @2); }
| expr '/' expr         { $$ = binary(lx, AST_DIV, @$, $1, $3, @2); }
| expr '^' expr         { $$ = binary(lx, AST_POW, @$, $1, $3, @2); }
| '-' expr %prec UNARY  { $$ = NODE(NEG, @$, $2); $$->name_span = @1; }
| '+' expr %prec UNARY  { $$ = $2; }
| IF test THEN expr ELSE expr %prec CHOICE
                        { $$ = syntax_choice(lx, @$, $2, $4, $6); }
| BIG subscript expr %prec BIGBODY
                        { $$ = marked(syntax_big(lx, @$, $2, $3), $1, ((Span){@1.lo, @2.hi})); }
| BIG SUBOPEN ranges '}' expr %prec BIGBODY
                        { $$ = marked(collect(lx, AST_BIG, @$, list_add(lx, $3, $5)), $1,
                                      ((Span){@1.lo, @4.hi})); }
| BIG SUBOPEN NAME '<' NAME '}' expr %prec BIGBODY
                        { Ast *i = named(NODE(RANGE, @3, NULL, NULL), $3, @3);
                          Ast *j = named(NODE(RANGE, @5, NULL, NULL), $5, @5);
                          $$ = marked(NODE(BIG, @$, i, j, $7), $1, ((Span){@1.lo, @6.hi}));
                          $$->flag = true; }
;
ranges: big_range       { $$ = list_of(lx, $1); }
| ranges ',' big_range  { $$ = list_add(lx, $1, $3); }
;
big_range: range
| NAME                  { $$ = named(NODE(RANGE, @$, NULL, NULL), $1, @1); }
;
postfix: primary
| primary subscript     { $$ = syntax_subscript(lx, @$, $1, $2, @2); }
| primary SUBOPEN indices '}'
                        { $$ = syntax_subscript(lx, @$, $1, $3, @2); }
;
subscript: SUB          { $$ = syntax_letters(lx, $1, @1); }
;
indices: index          { $$ = list_of(lx, $1); }
| indices ',' index     { $$ = list_add(lx, $1, $3); }
;
index: expr
;
primary: NUMBER         { $$ = numbered(NODE0(NUMBER, @$), $1, @1); }
| NAME                  { $$ = named(NODE0(NAME, @$), $1, @1); }
| string
| call
| '(' expr ')'          { $$ = $2; $$->parenthesised = true; }
| '[' list ']'          { $$ = collect(lx, AST_LIST, @$, $2); }
| DERIVATIVE '(' expr ',' arguments ')'
                        { $$ = numbered(collect(lx, AST_DERIVATIVE, @$, list_front(lx, $3, $5)), $1, @1); }
| EXPECT '(' tildes ':' expr ')'
                        { $$ = collect(lx, AST_EXPECT, @$, list_add(lx, $3, $5));
                          $$->name_span = @1; }
| INTEGRAL '(' NAME '=' expr DOTDOT expr ':' expr ')'
                        { $$ = named(NODE(INTEGRAL, @$, $5, $7, $9), $3, @3); }
;
tildes: tilde           { $$ = list_of(lx, $1); }
| tildes ',' tilde      { $$ = list_add(lx, $1, $3); }
;
tilde: plain_target '~' law { $$ = binary(lx, AST_TILDE, @$, $1, $3, @2); }
;
arguments0: %empty      { $$ = list_of(lx, NULL); }
| arguments
;
arguments: argument     { $$ = list_of(lx, $1); }
| arguments ',' argument { $$ = list_add(lx, $1, $3); }
;
argument: expr
| NAME '=' expr         { $$ = named(NODE(ARG, @$, $3), $1, @1); }
;
list: %empty            { $$ = list_of(lx, NULL); }
| expr                  { $$ = list_of(lx, $1); }
| list ',' expr         { $$ = list_add(lx, $1, $3); }
;

%%

static int yyreport_syntax_error(const yypcontext_t *context, Lexer *lx) {
    yysymbol_kind_t expected[SYNTAX_EXPECTED];
    SyntaxError e = {.span = *yypcontext_location(context)};
    int n = yypcontext_expected_tokens(context, expected, SYNTAX_EXPECTED);
    yysymbol_kind_t got = yypcontext_token(context);
    e.got = got == YYSYMBOL_YYEMPTY ? "nothing" : yysymbol_name(got);
    for (int i = 0; i < n; i++)
        e.expected[e.expectations++] = yysymbol_name(expected[i]);
    syntax_error(lx, &e);
    return 0;
}

Ast *parse_source(Compilation *c, const Source *source) {
    Lexer lx;
    lexer_init(&lx, c, source);
    yyparse(&lx);
    return lx.program;
}

/* A report that the user did not have to write. */
Ast *parse_expression(Compilation *c, const Source *source) {
    Lexer lx;
    lexer_init(&lx, c, source);
    lx.pending[lx.pendings++] = (Token){.kind = REPORT, .span = {source->base, source->base}};
    yyparse(&lx);
    return lx.program;
}

void tokens_print(Compilation *c, const Source *source, Text *out) {
    Lexer lx;
    lexer_init(&lx, c, source);
    for (;;) {
        Token t = lexer_next(&lx);
        Place place = source_place(c, t.span.lo);
        Str text = source_text(c, t.span);
        text_printf(out, "%u:%u\t%s\t", place.line, place.column, yysymbol_name(YYTRANSLATE(t.kind)));
        diag_plain(out, text);
        text_str(out, STR("\n"));
        if (t.kind == YYEOF)
            return;
    }
}
