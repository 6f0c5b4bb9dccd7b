#include "library/expression.h"

#include "runtime/commands/predictor.h"
#include "runtime/load/variant.h"

#include <stdlib.h>
#include <string.h>

/* ` at x = 0, t = 0`, all entries of x: where a report stands is not used, but has to be stated. */
static void put_place(const Plan *plan, Buffer *text) {
    buffer_text(text, " at ");
    for (int k = 0; k < plan->spaces; k++)
        buffer_printf(text, "%s%s = 0", k ? ", " : "", plan->space[k].name);
    if (plan->time)
        buffer_printf(text, ", %s = 0", plan->time);
    buffer_text(text, "\n");
}

static Status put_reports(const Plan *plan, const char *what, Buffer *text, int *count,
                          Error *error) {
    while (what && *what) {
        const size_t n = predict_item(&what);
        if (predict_is_expression(what, n)) {
            if (memchr(what, '\n', n) || memchr(what, '#', n))
                return error_set(error, STATUS_OPTION_VALUE, "an expression is one line");
            buffer_text(text, "report ");
            buffer_bytes(text, what, n);
            put_place(plan, text);
            ++*count;
        }
        what += n;
        what += strspn(what, " ");
        what += *what == ',';
    }
    return buffer_status(text, error);
}

static Status refuse(const Buffer *messages, Error *error) {
    error_set(error, STATUS_OPTION_VALUE, "an expression is not understood");
    error_add_lines(error, "\n");
    error_add_lines(error, messages->data ? messages->data : "");
    return STATUS_OPTION_VALUE;
}

static Status compile(ModuleFile *module, const char *name, const ProblemHow *how,
                      const Buffer *text, Error *error) {
    ModuleFile made;
    Buffer messages = {0};
    Error own = {0};
    ProblemHow plain = *how;
    plain.no_variants = true;
    Status status =
        problem_text_compile(name, text->data, text->size, &plain, &made, &messages, &own);
    if (status == STATUS_PROBLEM_REFUSED)
        status = refuse(&messages, error);
    else if (status != STATUS_OK)
        error_set(error, status, "%s", own.message);
    if (status == STATUS_OK) {
        module_free(module);
        *module = made;
    }
    buffer_free(&messages);
    return status;
}

Status expressions_compile(ModuleFile *module, const char *name, const char *what,
                           const ProblemHow *how, int *count, Error *error) {
    Plan *plan;
    Bytes source;
    Buffer text = {0}, reports = {0};
    *count = 0;
    Status status = module_plan(module, &plan, error);
    if (status != STATUS_OK)
        return status;
    status = put_reports(plan, what, &reports, count, error);
    if (status == STATUS_OK && *count > 0) {
        status = module_require(module, ".pde.dbg", &source, error);
        if (status == STATUS_OK) {
            buffer_bytes(&text, source.data, source.size);
            buffer_text(&text, "\n");
            buffer_bytes(&text, reports.data, reports.size);
            status = buffer_status(&text, error);
        }
        if (status == STATUS_OK)
            status = compile(module, name, how, &text, error);
    }
    module_plan_close(plan);
    buffer_free(&text);
    buffer_free(&reports);
    return status;
}
