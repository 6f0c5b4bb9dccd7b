/* compile.c: NVRTC. */
#define _POSIX_C_SOURCE 200809L
#include "cuda/device/compile.h"

#include "contract/abi.h"
#include "cuda/device/engine_text.h"
#include "cache/cache.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the source ---- */

void cuda_define(Buffer *out, bool is_double, bool late) {
    buffer_text(out, "#define PDE_CUDA 1\n");
    buffer_text(out, is_double ? "#define PDE_DOUBLE 1\n" : "#define PDE_FLOAT 1\n");
    if (late)
        buffer_text(out, "#define PDE_LATE 1\n");
}

void cuda_ptx_section(const char *what, int arch, bool is_double, char *out) {
    snprintf(out, PDE_SECTION_NAME_SIZE, ".pde.%.3s%df%d", what, arch, is_double ? 64 : 32);
}

/* Names come from a module: only what can stand in an identifier gets through. */
static void define_name(Buffer *out, const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    buffer_text(out, "#define ");
    for (; *name; name++)
        buffer_bytes(out, strchr(allowed, *name) ? name : "_", 1);
}

void cuda_define_integer(Buffer *out, const char *name, int64_t value) {
    define_name(out, name);
    buffer_printf(out, " ((int64_t)%lld)\n", (long long)value);
}

void cuda_define_number(Buffer *out, const char *name, double value) {
    define_name(out, name);
    buffer_text(out, " ((double)");
    if (isnan(value))
        buffer_text(out, "NAN");
    else if (isinf(value))
        buffer_text(out, value > 0 ? "INFINITY" : "-INFINITY");
    else
        buffer_number(out, value);
    buffer_text(out, ")\n");
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* How many characters at s join two lines or are a comment: neither ends the beginning of a line.
 */
static size_t blank_length(const char *s) {
    if (s[0] == ' ' || s[0] == '\t' || s[0] == '\v' || s[0] == '\f' || s[0] == '\r')
        return 1;
    if (s[0] == '\\' && (s[1] == '\n' || (s[1] == '\r' && s[2] == '\n')))
        return s[1] == '\n' ? 2 : 3;
    if (s[0] == '/' && s[1] == '*') {
        const char *end = strstr(s + 2, "*/");
        return end ? (size_t)(end + 2 - s) : strlen(s);
    }
    return 0;
}

static const char *skip_blanks(const char *s) {
    for (size_t n; (n = blank_length(s)) > 0;)
        s += n;
    return s;
}

/* The directives that generated source has. Any other, and above all those that open files, is
 * blanked. */
static bool is_allowed_directive(const char *s) {
    static const char *const allowed[] = {"define", "undef", "if",   "ifdef",
                                          "ifndef", "else",  "elif", "endif"};
    size_t n = 0;
    while (is_word(s[n]))
        n++;
    for (size_t k = 0; k < sizeof allowed / sizeof *allowed; k++)
        if (strlen(allowed[k]) == n && strncmp(s, allowed[k], n) == 0)
            return true;
    return false;
}

/* Spells of # besides itself: %: and ??=. */
static size_t hash_length(const char *s) {
    if (s[0] == '#')
        return 1;
    if (s[0] == '%' && s[1] == ':')
        return 2;
    return s[0] == '?' && s[1] == '?' && s[2] == '=' ? 3 : 0;
}

/* Past the string or character constant that begins at s, or the end of the line. */
static const char *skip_quoted(const char *s) {
    char quote = *s++;
    while (*s && *s != quote && *s != '\n')
        s += s[0] == '\\' && s[1] ? 2 : 1;
    return *s == quote ? s + 1 : s;
}

/* Past the rest of a logical line: comments within it may be longer than it. */
static const char *skip_line(const char *s) {
    while (*s && *s != '\n') {
        size_t blank = blank_length(s);
        if (blank)
            s += blank;
        else if (s[0] == '/' && s[1] == '/')
            while (*s && *s != '\n')
                s += s[0] == '\\' && s[1] ? 2 : 1;
        else
            s = *s == '"' || *s == '\'' ? skip_quoted(s) : s + 1;
    }
    return s;
}

/* Raw strings of C++ end lines where C does not: with them a directive could hide from the filter.
 */
static bool has_raw_string(const char *s) {
    while ((s = strchr(s, 'R'))) {
        s++;
        while (s[0] == '\\' && blank_length(s))
            s += blank_length(s);
        if (*s == '"')
            return true;
    }
    return false;
}

/* One logical line at a time, kept or left out. */
static void add_filtered(Buffer *out, const char *text) {
    while (*text) {
        const char *start = skip_blanks(text), *end = skip_line(text);
        size_t hash = hash_length(start);
        bool keep = !hash || is_allowed_directive(skip_blanks(start + hash));
        if (keep)
            buffer_bytes(out, text, (size_t)(end - text));
        buffer_text(out, "\n");
        text = *end ? end + 1 : end;
    }
}

static Status gather_source(const CudaCompileSpec *spec, Buffer *out, Error *error) {
    Buffer raw = {0};
    for (size_t k = 0; k < spec->parts; k++) {
        buffer_bytes(&raw, spec->part[k].data, spec->part[k].size);
        buffer_text(&raw, "\n");
    }
    Status status = buffer_status(&raw, error);
    if (status == STATUS_OK && has_raw_string(raw.data))
        status = error_set(error, STATUS_CUDA_COMPILE, "the source of the kernels is not pdec's");
    if (status == STATUS_OK) {
        add_filtered(out, raw.data);
        status = buffer_status(out, error);
    }
    buffer_free(&raw);
    return status;
}

/* ---- the compiler ---- */

Status cuda_compile_arch(CudaApi *api, int device_arch, int *arch, Error *error) {
    enum { ARCHS = 64 };
    int count = 0, known[ARCHS];
    *arch = 0;
    Status status = cuda_open(api, CUDA_NVRTC, error);
    if (status == STATUS_OK)
        status = CUDA_CALL(api, error, NVRTC, nvrtcGetNumSupportedArchs, &count);
    if (status == STATUS_OK && (count < 1 || count > ARCHS))
        return error_set(error, STATUS_CUDA_LIBRARY, "NVRTC knows %d architectures", count);
    if (status == STATUS_OK)
        status = CUDA_CALL(api, error, NVRTC, nvrtcGetSupportedArchs, known);
    for (int k = 0; status == STATUS_OK && k < count; k++)
        if (known[k] <= device_arch && known[k] > *arch)
            *arch = known[k];
    if (status == STATUS_OK && *arch == 0)
        return error_set(error, STATUS_CUDA_COMPILE,
                         "NVRTC cannot compile for sm_%d: the oldest it knows is sm_%d",
                         device_arch, known[0]);
    return status;
}

/* The first complaint of the log, without what a terminal would obey. */
static Status refused(CudaApi *api, NvrtcProgram program, CudaResult result, Error *error) {
    size_t size = 0;
    char *log = NULL;
    char line[400] = "no reason given";
    if (api->nvrtcGetProgramLogSize(program, &size) == 0 && size > 1 &&
        (log = calloc(size + 1, 1)) && api->nvrtcGetProgramLog(program, log) == 0) {
        const char *found = strstr(log, "error");
        snprintf(line, sizeof line, "%.*s", (int)strcspn(found ? found : log, "\n"),
                 found ? found : log);
    }
    for (char *c = line; *c; c++)
        *c = *c < 0x20 || *c > 0x7e ? '?' : *c;
    free(log);
    return error_set(error, STATUS_CUDA_COMPILE, "NVRTC refused the kernels (%u): %s", result,
                     line);
}

static Status take_ptx(CudaApi *api, NvrtcProgram program, Buffer *ptx, Error *error) {
    size_t size = 0;
    Status status = CUDA_CALL(api, error, NVRTC, nvrtcGetPTXSize, program, &size);
    if (status != STATUS_OK)
        return status;
    buffer_zeros(ptx, size);
    status = buffer_status(ptx, error);
    if (status == STATUS_OK)
        status = CUDA_CALL(api, error, NVRTC, nvrtcGetPTX, program, ptx->data);
    if (status == STATUS_OK && ptx->size > 0 && ptx->data[ptx->size - 1] == '\0')
        ptx->size--; /* the terminator is not text */
    return status;
}

enum { OPTIONS_MAX = 8 };

/* Fixed but for the architecture: they are part of the cache's key. */
static int compile_options(const CudaCompileSpec *spec, char *arch, size_t size,
                           const char **option) {
    int n = 0;
    snprintf(arch, size, "--gpu-architecture=compute_%d", spec->arch);
    option[n++] = arch;
    option[n++] = "-default-device";
    option[n++] = "-no-source-include";
    option[n++] = "--fmad=true";
    option[n++] = "-w";
    if (spec->fast_math)
        option[n++] = "--use_fast_math";
    return n;
}

static Status run_nvrtc(CudaApi *api, const CudaCompileSpec *spec, const char *source, Buffer *ptx,
                        Error *error) {
    char arch[48];
    const char *option[OPTIONS_MAX];
    int options = compile_options(spec, arch, sizeof arch, option);
    NvrtcProgram program = NULL;
    Status status = CUDA_CALL(api, error, NVRTC, nvrtcCreateProgram, &program, source, "kernels.cu",
                              0, NULL, NULL);
    if (status != STATUS_OK)
        return status;
    CudaResult result = api->nvrtcCompileProgram(program, options, option);
    status = result ? refused(api, program, result, error) : take_ptx(api, program, ptx, error);
    (void)api->nvrtcDestroyProgram(&program);
    return status;
}

/* ---- cache ---- */

static bool cache_key(CudaApi *api, const CudaCompileSpec *spec, const Buffer *source,
                      Digest *key) {
    char arch[48], line[512];
    const char *option[OPTIONS_MAX];
    int major = 0, minor = 0, n = 0, options = compile_options(spec, arch, sizeof arch, option);
    if (api->nvrtcVersion(&major, &minor) != 0)
        return false;
    n = snprintf(line, sizeof line, "ptx NVRTC %d.%d pderun %s", major, minor, PDE_VERSION);
    for (int k = 0; k < options && n < (int)sizeof line; k++)
        n += snprintf(line + n, sizeof line - (size_t)n, " %s", option[k]);
    *key = digest_of_parts((Bytes[]){{line, strlen(line)}, {source->data, source->size}}, 2);
    return true;
}

Status cuda_compile(CudaApi *api, const CudaCompileSpec *spec, Buffer *ptx, Error *error) {
    Buffer source = {0};
    Digest key;
    Status status = cuda_open(api, CUDA_NVRTC, error);
    if (status == STATUS_OK)
        status = gather_source(spec, &source, error);
    bool keyed = status == STATUS_OK && spec->cache && cache_key(api, spec, &source, &key);
    if (status == STATUS_OK && !(keyed && cache_get(spec->cache, &key, "ptx", ptx))) {
        status = run_nvrtc(api, spec, source.data, ptx, error);
        if (status == STATUS_OK && keyed)
            cache_put(spec->cache, &key, "ptx", (Bytes){ptx->data, ptx->size});
    }
    buffer_free(&source);
    return status;
}

/* ---- the engine ---- */

/* Every activation by its number: the body of what head.cuh declares. */
static void define_activations(Buffer *out) {
    int number = 0;
    buffer_text(out, "static __device__ void pde_act(real z, real *s) {\n"
                     "    switch (pde_activation) {\n");
#define ACTIVATION(name, ...)                                                                      \
    buffer_printf(out, "    case %d: act_" #name "(z, s); break;\n", number++);
#include "contract/activation.def"
#undef ACTIVATION
    buffer_text(out, "    }\n}\n");
}

/* Every rule of optim.def: the body of what step.cuh declares. */
static void define_rules(Buffer *out) {
    int number = 0;
    buffer_text(out, "RULES_BEGIN\n");
#define OPTIMISER(name, class, states, ...)                                                        \
    buffer_printf(out, "RULES_ROW(%d, " #name ", %d)\n", number++, states);
#include "contract/optim.def"
#undef OPTIMISER
    buffer_text(out, "RULES_END\n");
}

Status cuda_engine_compile(CudaApi *api, const CudaEngineSpec *spec, Buffer *ptx, Error *error) {
    Buffer head = {0}, tail = {0};
    Bytes *part = calloc(engine_text_count + 2, sizeof *part);
    if (!part)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the kernels");
    cuda_define(&head, spec->is_double, !spec->activation);
    if (spec->activation)
        buffer_printf(&head, "#define PDE_ACTIVATION act_%s\n", spec->activation);
    else
        define_activations(&tail);
    define_rules(&tail);
    part[0] = (Bytes){head.data, head.size};
    for (size_t k = 0; k < engine_text_count; k++)
        part[k + 1] = (Bytes){engine_text[k].text, engine_text[k].n};
    part[engine_text_count + 1] = (Bytes){tail.data, tail.size};
    Status status = buffer_status(&head, error);
    if (status == STATUS_OK)
        status = buffer_status(&tail, error);
    const CudaCompileSpec how = {part, engine_text_count + 2, spec->arch, false, spec->cache};
    if (status == STATUS_OK)
        status = cuda_compile(api, &how, ptx, error);
    buffer_free(&head);
    buffer_free(&tail);
    free(part);
    return status;
}

void cuda_engine_mark(Buffer *out) {
    Buffer all = {0};
    char hex[DIGEST_HEX_SIZE + 1];
    for (size_t k = 0; k < engine_text_count; k++)
        buffer_bytes(&all, engine_text[k].text, engine_text[k].n);
    Digest digest = digest_of(all.data, all.size);
    buffer_printf(out, "// engine %s\n", digest_hex(&digest, hex));
    out->failed = out->failed || all.failed;
    buffer_free(&all);
}
