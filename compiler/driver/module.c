/* module.c: the module file: kernels compiled to LLVM bitcode by clang, beside plan, settings and text. */
#include "driver/module.h"

#include "runtime/cc/cc.h"
#include "runtime/files/io.h"
#include "runtime/files/modfile.h"

#include <stdio.h>
#include <string.h>

/* One bitcode section. */
typedef struct Unit {
    const char *section, *real_type;
    bool watch;
} Unit;

static const Unit units[] = {
    {".pde.bc32", "PDE_FLOAT", false},
    {".pde.bc64", "PDE_DOUBLE", false},
    {".pde.wt32", "PDE_FLOAT", true},
    {".pde.wt64", "PDE_DOUBLE", true},
};
enum { UNITS = sizeof units / sizeof *units };

/* Variants as they will stand in the module. */
typedef struct Alternatives {
    size_t n;
    char name[PDEC_VARIANTS][PDE_SECTION_NAME_SIZE];
    Buffer image[PDEC_VARIANTS];
} Alternatives;

static Bytes part(const PdecResult *r, PdecPart id) {
    return (Bytes){r->part[id] ? r->part[id] : "", r->part_n[id]};
}

enum { TEXTS = 5, COMMON = TEXTS + UNITS };

/* alternatives: whole modules that go into this one, which then is one a user's file made; only such a one
 * has kernels that watch their values. */
static Status build(const char *soname, const PdecResult *r, const char *text, size_t n,
                    const ModuleHow *how, const Alternatives *alternatives, Buffer *out,
                    Error *error) {
    static const PtxArchs none;
    Buffer code[UNITS] = {{0}};
    PtxSections ptx;
    Status status =
        ptx_sections(part(r, PDEC_PART_SOURCE), how->archs ? how->archs : &none, &ptx, error);
    size_t count = TEXTS;
    ModuleBlob blob[COMMON + PTX_BLOBS + PDEC_VARIANTS] = {
        {".pde.plan", 0, part(r, PDEC_PART_PLAN)},
        {".pde.src", 0, part(r, PDEC_PART_SOURCE)},
        {".pde.conf", 0, part(r, PDEC_PART_CONF)},
        {".pde.dbg", PDE_SECTION_OPTIONAL, {text, n}},
        {".pde.math", PDE_SECTION_OPTIONAL, part(r, PDEC_PART_MATH)},
    };
    for (int k = 0; k < UNITS && status == STATUS_OK; k++) {
        if (units[k].watch && !alternatives)
            continue;
        const CcSpec spec = {part(r, units[k].watch ? PDEC_PART_WATCH : PDEC_PART_SOURCE),
                             units[k].real_type, units[k].watch, how->cache, false};
        Error why = {0};
        status = cc_bitcode(&spec, &code[k], &why);
        if (status == STATUS_NO_COMPILER) { /* the loader compiles the C text */
            status = STATUS_OK;
            if (how->text_only)
                *how->text_only = true;
            break;
        }
        if (status != STATUS_OK)
            error_set(error, status, "%s", why.message);
        blob[count++] =
            (ModuleBlob){units[k].section, PDE_SECTION_OPTIONAL, {code[k].data, code[k].size}};
    }
    for (size_t k = 0; k < ptx.n; k++)
        blob[count++] = ptx.blob[k];
    for (size_t k = 0; alternatives && k < alternatives->n; k++)
        blob[count++] = (ModuleBlob){alternatives->name[k],
                                     PDE_SECTION_OPTIONAL,
                                     {alternatives->image[k].data, alternatives->image[k].size}};
    if (status == STATUS_OK)
        status = module_build(blob, count, soname, PDE_VERSION, out, error);
    ptx_free(&ptx);
    for (int k = 0; k < UNITS; k++)
        buffer_free(&code[k]);
    return status;
}

/* A proposal that does not compile is none: nothing is said. */
static void add_alternative(const PdecVariant *variant, const PdecOptions *options,
                            const ModuleHow *how, Alternatives *to) {
    PdecOptions own = *options;
    PdecResult result;
    size_t n = strlen(variant->text);
    own.variants = own.fix = own.time_passes = false;
    own.variant = variant;
    if (pdec_compile(variant->name, variant->text, n, &own, &result) == PDEC_OK) {
        Buffer *image = &to->image[to->n];
        Error ignored = {0};
        if (build(variant->name, &result, variant->text, n, how, NULL, image, &ignored) ==
            STATUS_OK) {
            snprintf(to->name[to->n], sizeof to->name[to->n], ".pde.alt%zu", to->n);
            to->n++;
        } else {
            buffer_free(image);
        }
    }
    pdec_result_free(&result);
}

Status module_image(const char *soname, const PdecResult *r, const PdecOptions *options,
                    const char *text, size_t n, const ModuleHow *how, Buffer *out, Error *error) {
    Alternatives alternatives = {0};
    for (size_t k = 0; k < r->variants; k++)
        add_alternative(&r->variant[k], options, how, &alternatives);
    Status status = build(soname, r, text, n, how, &alternatives, out, error);
    for (size_t k = 0; k < alternatives.n; k++)
        buffer_free(&alternatives.image[k]);
    return status;
}

Status module_make(const char *path, const PdecResult *r, const PdecOptions *options,
                   const char *text, size_t n, const ModuleHow *how, Error *error) {
    const char *slash = strrchr(path, '/');
    Buffer image = {0};
    Status status = module_image(slash ? slash + 1 : path, r, options, text, n, how, &image, error);
    if (status == STATUS_OK)
        status = io_write_atomic(path, &(Bytes){image.data, image.size}, 1, error);
    buffer_free(&image);
    return status;
}
