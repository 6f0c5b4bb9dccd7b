#include "report/report_terms.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* The residual's own name goes before the way its term is computed. */
static void add_term(ReportTerms *r, const json_t *residual, const json_t *term) {
    json_int_t family = json_integer_value(json_object_get(term, "family"));
    const json_t *families = json_object_get(residual, "families");
    const json_t *over = family < 0 ? NULL : json_array_get(families, (size_t)family);
    const char *name = text_of(residual, "name"), *class = text_of(term, "class");
    bool source = strcmp(class, "source") == 0;
    snprintf(r->route[r->count], REPORT_ROUTE_MAX, "%.16s%s%.24s: %.24s%s%s",
             text_of(residual, "kind"), *name ? " " : "", name, class,
             source                                          ? ""
             : json_is_true(json_object_get(term, "linear")) ? ", linear"
                                                             : ", not linear",
             json_is_true(json_object_get(term, "gram")) ? ", Gram" : "");
    snprintf(r->order[r->count], sizeof r->order[0], "%d",
             (int)json_integer_value(json_object_get(term, "order")));
    r->term[r->count] = (ReportTerm){.formula = text_of(term, "text"),
                                     .family = over ? text_of(over, "range") : "-",
                                     .order = source ? "-" : r->order[r->count],
                                     .route = r->route[r->count],
                                     .reason = text_of(term, "why")};
    r->count++;
}

void reportterms_read(const ModuleFile *module, ReportTerms *r) {
    Bytes plan;
    *r = (ReportTerms){.count = 0};
    if (!module_section(module, ".pde.plan", &plan))
        return;
    r->json = json_loadb((const char *)plan.data, plan.size, 0, NULL);
    const json_t *residuals = json_object_get(r->json, "terms");
    for (size_t i = 0; i < json_array_size(residuals); i++) {
        const json_t *residual = json_array_get(residuals, i);
        const json_t *terms = json_object_get(residual, "terms");
        for (size_t k = 0; k < json_array_size(terms) && r->count < REPORT_TERMS_MAX; k++)
            add_term(r, residual, json_array_get(terms, k));
    }
}

void reportterms_free(ReportTerms *r) {
    json_decref(r->json);
    *r = (ReportTerms){.count = 0};
}
