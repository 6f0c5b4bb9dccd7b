/* ordinary.c: see ordinary.h. */
#include "text/ordinary.h"

#include "base/compilation.h"
#include "text/syntax.h"

static const Ast *only_time(const Ast *program) {
    const Ast *time = NULL;
    for (uint32_t i = 0; i < program->n; i++) {
        const Ast *s = program->kid[i];
        if (s->kind == AST_DOMAIN)
            return NULL;
        if (s->kind == AST_TIME && !time)
            time = s;
    }
    return time;
}

static Ast *coordinate(Lexer *lx, const Ast *time) {
    Ast *interval = syntax_interval(lx, time->span, time->kid[0], time->kid[1], "box");
    Ast *domain = ast_new(lx->c, AST_DOMAIN, time->span, 1, (Ast *[]){interval});
    domain->name = time->name;
    domain->name_span = time->name_span;
    domain->flag = true;
    return domain;
}

/* `initial a = 1` as `boundary a = 1 on t = 0`. */
static Ast *at_an_end(Lexer *lx, const Ast *condition, const Ast *time) {
    Ast *t = ast_new(lx->c, AST_NAME, time->name_span, 0, NULL);
    t->name = time->name;
    Ast *end = time->kid[condition->op == COND_INITIAL ? 0 : 1];
    Ast *here = ast_new(lx->c, AST_EQ, time->span, 2, (Ast *[]){t, end});
    Ast *faces = ast_new(lx->c, AST_FACES, time->span, 1, (Ast *[]){here});
    Ast *made = ast_new(lx->c, AST_CONDITION, condition->span, 4,
                        (Ast *[]){condition->kid[0], condition->kid[1], condition->kid[2], faces});
    made->op = COND_BOUNDARY;
    made->flag = condition->flag;
    made->name_span = condition->name_span;
    return made;
}

Ast *ordinary_program(Lexer *lx, Ast *program) {
    const Ast *time = only_time(program);
    if (!time)
        return program;
    AstList *all = NEW(&lx->c->arena, AstList);
    for (uint32_t i = 0; i < program->n; i++) {
        Ast *s = program->kid[i];
        bool ends = s->kind == AST_CONDITION && (s->op == COND_INITIAL || s->op == COND_TERMINAL);
        if (s == time)
            s = coordinate(lx, time);
        else if (ends)
            s = at_an_end(lx, s, time);
        VEC_PUSH(&lx->c->arena, all->items, s);
    }
    return ast_new(lx->c, AST_PROGRAM, program->span, all->items.n, all->items.at);
}
