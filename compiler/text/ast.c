/* ast.c: making nodes and printing trees. */
#include "text/ast.h"

#include "base/compilation.h"
#include "base/limits.h"

#include <string.h>

static const char *const kind_text[AST_COUNT] = {
#define A(kind, text, what) text,
#include "text/ast.def"
};

const char *ast_kind_text(AstKind kind) {
    return kind < AST_COUNT ? kind_text[kind] : "?";
}

Ast *ast_new(Compilation *c, AstKind kind, Span span, uint32_t n, Ast *const *kids) {
    Ast *node = NEW(&c->arena, Ast);
    node->kind = kind;
    node->span = span;
    node->name_span = span;
    node->n = n;
    if (n) {
        node->kid = NEW_ARRAY(&c->arena, Ast *, n);
        memcpy(node->kid, kids, n * sizeof *kids);
    }
    for (uint32_t i = 0; i < n; i++)
        if (kids[i] && kids[i]->height >= node->height)
            node->height = kids[i]->height + 1;
    if (n > LIMIT_LIST && (kind == AST_BIG || kind == AST_EXPECT || kind == AST_SUBSCRIPT ||
                           kind == AST_CALL || kind == AST_DERIVATIVE)) {
        diag(c, E0712, span, LIMIT_LIST);
        node->kind = AST_ERROR;
        node->n = 0;
    }
    if (node->height > LIMIT_TREE_DEPTH && kind >= AST_NUMBER) {
        diag(c, E0703, span, LIMIT_TREE_DEPTH);
        node->kind = AST_ERROR;
        node->n = 0;
        node->height = 0;
    }
    return node;
}

Ast *ast_join(Compilation *c, const Ast *first, const Ast *second) {
    VEC(Ast *) all = {0};
    for (uint32_t i = 0; i < first->n; i++)
        VEC_PUSH(&c->arena, all, first->kid[i]);
    for (uint32_t i = 0; i < second->n; i++)
        VEC_PUSH(&c->arena, all, second->kid[i]);
    return ast_new(c, first->kind, first->span, all.n, all.at);
}

static const char *const op_text[] = {
    [AST_OP_NONE] = "",
    [BIG_SUM] = " sum",
    [BIG_PROD] = " prod",
    [BIG_MAX] = " max",
    [BIG_MIN] = " min",
    [BIG_MEAN] = " mean",
    [COND_BOUNDARY] = " boundary",
    [COND_INITIAL] = " initial",
    [COND_TERMINAL] = " terminal",
    [COND_OBSERVE] = " observe",
    [COND_CONSTRAINT] = " constraint",
    [EIGEN_SMALLEST] = " smallest",
};

static void print_node(Compilation *c, const Ast *node, uint32_t depth, Text *out) {
    text_printf(out, "%*s", (int)(2 * depth), "");
    if (!node) {
        text_str(out, STR("-\n"));
        return;
    }
    Place place = source_place(c, node->span.lo);
    text_printf(out, "%s%s", ast_kind_text(node->kind), op_text[node->op]);
    if (node->name) {
        Str name = sym_str(c, node->name);
        text_str(out, node->kind == AST_STRING ? STR(" \"") : STR(" "));
        diag_plain(out, name);
        text_str(out, node->kind == AST_STRING ? STR("\"") : STR(""));
    }
    if (node->kind == AST_NUMBER || (node->kind == AST_DERIVATIVE && node->number > 0)) {
        text_str(out, STR(" "));
        text_double(out, node->number);
    }
    if (node->flag)
        text_str(out, node->kind == AST_BIG         ? STR(" ordered")
                      : node->kind == AST_CONDITION ? STR(" exactly")
                                                    : STR(" test"));
    text_printf(out, "  %u:%u\n", place.line, place.column);
    for (uint32_t i = 0; i < node->n; i++)
        print_node(c, node->kid[i], depth + 1, out);
}

void ast_print(Compilation *c, const Ast *node, Text *out) {
    print_node(c, node, 0, out);
}
