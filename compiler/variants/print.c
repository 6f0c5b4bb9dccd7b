/* print.c: --emit=features and --emit=variants. */
#include "base/compilation.h"
#include "variants/variants.h"

void features_emit(Compilation *c, Text *out) {
    static const char *const kind[] = {"input", "number", "vector", "law", "unknown"};
    const Variants *v = variants_of(c);
    for (uint32_t k = 0; k < v->finds.at.n; k++) {
        const Find *f = &v->finds.at.at[k];
        Place place = source_place(c, f->where.lo);
        text_printf(out, "%u:%u  %-9s  %s\n        %s\n", place.line, place.column, kind[f->kind],
                    f->text, f->reason);
    }
}

void variants_emit(Compilation *c, Text *out) {
    const Variants *v = variants_of(c);
    if (v->list.n == 0)
        text_printf(out, "no variants: the file names a network or a method, or nothing helps\n");
    for (uint32_t k = 0; k < v->list.n; k++) {
        const Variant *one = &v->list.at[k];
        text_printf(out, "# variant %s\n", one->name);
        for (uint32_t j = 0; j < one->because.n; j++)
            text_printf(out, "#   %s\n", one->because.at[j]);
        text_printf(out, "%s\n", one->text);
    }
}
