/* jit.c: LLVM through its C API: bitcode -> object code -> ORC.
 *
 * Compiling to an object first, and giving that to ORC, makes the object itself the thing that is
 * cached: a second start does no optimisation at all. */
#define _GNU_SOURCE /* sincos, which gcc calls */
#include "load/jit.h"

#include "cache/cache.h"
#include "cc/cc.h"

#include <assert.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <llvm/Config/llvm-config.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if LLVM_VERSION_MAJOR < 15
typedef LLVMJITCSymbolMapPair LLVMOrcCSymbolMapPair;
#endif

struct Jit {
    LLVMOrcLLJITRef orc;
    bool cached;
};

/* What kernels may call besides each other. Nothing else of the process is visible to them. */
/* clang-format off */
#define LIBRARY(ROW)                                                                               \
    ROW(memcpy) ROW(memmove) ROW(memset) ROW(sincos) ROW(sincosf)                                  \
    ROW(sin) ROW(cos) ROW(tan) ROW(asin) ROW(acos) ROW(atan) ROW(atan2) ROW(sinh) ROW(cosh)        \
    ROW(tanh) ROW(asinh) ROW(acosh) ROW(atanh) ROW(exp) ROW(expm1) ROW(log) ROW(log1p) ROW(pow)    \
    ROW(sqrt) ROW(cbrt) ROW(erf) ROW(erfc) ROW(lgamma) ROW(tgamma) ROW(fmod) ROW(floor) ROW(ceil)  \
    ROW(round) ROW(trunc) ROW(fmin) ROW(fmax)                                                      \
    ROW(sinf) ROW(cosf) ROW(tanf) ROW(asinf) ROW(acosf) ROW(atanf) ROW(atan2f) ROW(sinhf)          \
    ROW(coshf) ROW(tanhf) ROW(asinhf) ROW(acoshf) ROW(atanhf) ROW(expf) ROW(expm1f) ROW(logf)      \
    ROW(log1pf) ROW(powf) ROW(sqrtf) ROW(cbrtf) ROW(erff) ROW(erfcf) ROW(lgammaf) ROW(tgammaf)     \
    ROW(fmodf) ROW(floorf) ROW(ceilf) ROW(roundf) ROW(truncf) ROW(fminf) ROW(fmaxf)
/* clang-format on */

typedef struct LibraryRow {
    const char *name;
    JitFunction *function;
} LibraryRow;

static const LibraryRow library[] = {
#define ROW(name) {#name, (JitFunction *)name},
    LIBRARY(ROW)
#undef ROW
};
enum { LIBRARY_ROWS = (int)(sizeof library / sizeof library[0]) };

typedef struct Host {
    LLVMTargetMachineRef machine;
    char *triple, *cpu, *features;
} Host;

static Status failed(Error *error, const char *what, const char *message) {
    return error_set(error, STATUS_JIT_FAILED, "%s: %.400s", what, message ? message : "no reason");
}

static Status failed_llvm(Error *error, const char *what, LLVMErrorRef llvm) {
    char *message = LLVMGetErrorMessage(llvm);
    Status status = failed(error, what, message);
    LLVMDisposeErrorMessage(message);
    return status;
}

static void host_close(Host *host) {
    if (host->machine)
        LLVMDisposeTargetMachine(host->machine);
    LLVMDisposeMessage(host->triple);
    LLVMDisposeMessage(host->cpu);
    LLVMDisposeMessage(host->features);
}

static void begin_llvm(void) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
}

static void host_open(Host *host) {
    static pthread_once_t begun = PTHREAD_ONCE_INIT; /* modules may be opened by several threads */
    pthread_once(&begun, begin_llvm);
    *host = (Host){.triple = LLVMGetDefaultTargetTriple(),
                   .cpu = LLVMGetHostCPUName(),
                   .features = LLVMGetHostCPUFeatures()};
}

static Status host_machine(Host *host, Error *error) {
    LLVMTargetRef target;
    char *message = NULL;
    if (LLVMGetTargetFromTriple(host->triple, &target, &message)) {
        Status status = failed(error, "no compiler for this processor", message);
        LLVMDisposeMessage(message);
        return status;
    }
    host->machine =
        LLVMCreateTargetMachine(target, host->triple, host->cpu, host->features,
                                LLVMCodeGenLevelAggressive, LLVMRelocPIC, LLVMCodeModelJITDefault);
    return host->machine ? STATUS_OK : failed(error, "no compiler for this processor", host->cpu);
}

/* ------------------------------------------------------------------------------- specialising */

static const JitConstant *find_constant(const JitSpec *spec, const char *name) {
    for (size_t i = 0; i < spec->constants; i++)
        if (strcmp(spec->constant[i].name, name) == 0)
            return &spec->constant[i];
    return NULL;
}

static Status set_constants(const JitSpec *spec, LLVMModuleRef module, Error *error) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
        if (!LLVMIsDeclaration(g))
            continue;
        size_t length;
        const char *name = LLVMGetValueName2(g, &length);
        const JitConstant *c = find_constant(spec, name);
        LLVMTypeRef type = LLVMGlobalGetValueType(g);
        bool is_integer = LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
        if (!c || c->is_integer != is_integer)
            return error_set(error, STATUS_MODULE_CONTENT,
                             "the kernels need a constant %.80s that the plan does not give", name);
        LLVMSetInitializer(g, is_integer ? LLVMConstInt(type, (unsigned long long)c->integer, 1)
                                         : LLVMConstReal(type, c->number));
        LLVMSetGlobalConstant(g, 1);
        LLVMSetLinkage(g, LLVMInternalLinkage);
    }
    return STATUS_OK;
}

static bool is_wanted(const JitSpec *spec, const char *name) {
    for (size_t i = 0; i < spec->wanteds; i++)
        if (strcmp(spec->wanted[i], name) == 0)
            return true;
    return false;
}

/* Clang wrote its own idea of the processor on every function; that would win over the machine. */
static void set_functions(const JitSpec *spec, const Host *host, LLVMModuleRef module) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        size_t length;
        if (!is_wanted(spec, LLVMGetValueName2(f, &length)))
            LLVMSetLinkage(f, LLVMInternalLinkage);
        LLVMAddTargetDependentFunctionAttr(f, "target-cpu", host->cpu);
        LLVMAddTargetDependentFunctionAttr(f, "target-features", host->features);
        LLVMAddTargetDependentFunctionAttr(f, "prefer-vector-width", "512");
    }
}

static Status optimise(const Host *host, LLVMModuleRef module, Error *error) {
    LLVMSetTarget(module, host->triple);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(host->machine);
    LLVMSetModuleDataLayout(module, layout);
    LLVMDisposeTargetData(layout);
    char *message = NULL;
    Status status = STATUS_OK;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        status = failed(error, "the kernels are not valid", message);
    LLVMDisposeMessage(message);
    if (status != STATUS_OK)
        return status;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef llvm = LLVMRunPasses(module, "default<O3>", host->machine, options);
    LLVMDisposePassBuilderOptions(options);
    return llvm ? failed_llvm(error, "the kernels could not be optimised", llvm) : STATUS_OK;
}

/* LLVM's default handler ends the process. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *context) {
    (void)info;
    (void)context;
}

/* NULL if this LLVM cannot read it: another version wrote it. */
static LLVMModuleRef parse(LLVMContextRef context, Bytes bytes) {
    LLVMModuleRef module = NULL;
    if (bytes.size == 0)
        return NULL;
    LLVMMemoryBufferRef bitcode =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.data, bytes.size, "kernels");
    const int refused = LLVMParseBitcodeInContext2(context, bitcode, &module);
    LLVMDisposeMemoryBuffer(bitcode);
    return refused ? NULL : module;
}

/* The module's bitcode, or that of its C text; *module is NULL if there is neither. */
static Status find_bitcode(LLVMContextRef context, const JitSpec *spec, LLVMModuleRef *module,
                           Error *error) {
    *module = parse(context, spec->bitcode);
    if (*module || spec->source.size == 0)
        return STATUS_OK;
    const CcSpec cc = {spec->source, spec->define, spec->slow, spec->cache, false};
    Buffer own = {0};
    Error refused = {0};
    Status status = cc_bitcode(&cc, &own, &refused);
    if (status == STATUS_OK)
        *module = parse(context, (Bytes){own.data, own.size});
    else if (status != STATUS_NO_COMPILER && status != STATUS_JIT_FAILED)
        error_set(error, status, "%s", refused.message);
    buffer_free(&own);
    return status == STATUS_NO_COMPILER || status == STATUS_JIT_FAILED ? STATUS_OK : status;
}

static Status compile_module(const JitSpec *spec, Host *host, LLVMModuleRef module,
                             LLVMMemoryBufferRef *object, Error *error) {
    Status status = set_constants(spec, module, error);
    if (status == STATUS_OK)
        status = host_machine(host, error);
    if (status == STATUS_OK) {
        set_functions(spec, host, module);
        status = optimise(host, module, error);
    }
    char *message = NULL;
    if (status == STATUS_OK && LLVMTargetMachineEmitToMemoryBuffer(
                                   host->machine, module, LLVMObjectFile, &message, object)) {
        status = failed(error, "no object code for the kernels", message);
        LLVMDisposeMessage(message);
    }
    LLVMDisposeModule(module);
    return status;
}

/* Without clang: an object by the machine's C compiler, in which the constants stand as definitions. */
static Status compile_text(const JitSpec *spec, LLVMMemoryBufferRef *object, Error *error) {
    Buffer text = {0}, out = {0};
    buffer_bytes(&text, spec->source.data, spec->source.size);
    for (size_t i = 0; i < spec->constants; i++) {
        const JitConstant *c = &spec->constant[i];
        if (c->is_integer)
            buffer_printf(&text, "\nconst int64_t %s = %lld;\n", c->name, (long long)c->integer);
        else
            buffer_printf(&text, "\nconst double %s = %a;\n", c->name, c->number);
    }
    const CcSpec cc = {{text.data, text.size}, spec->define, spec->slow, NULL, false};
    Status status = buffer_status(&text, error);
    if (status == STATUS_OK)
        status = cc_object(&cc, &out, error);
    if (status == STATUS_OK)
        *object = LLVMCreateMemoryBufferWithMemoryRangeCopy(out.data, out.size, "kernels");
    buffer_free(&text);
    buffer_free(&out);
    return status;
}

static Status compile(const JitSpec *spec, Host *host, LLVMMemoryBufferRef *object, Error *error) {
    LLVMContextRef context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(context, on_diagnostic, NULL);
    LLVMModuleRef module = NULL;
    Status status = find_bitcode(context, spec, &module, error);
    if (status == STATUS_OK && module)
        status = compile_module(spec, host, module, object, error);
    else if (status == STATUS_OK && spec->source.size > 0)
        status = compile_text(spec, object, error);
    else if (status == STATUS_OK)
        status =
            failed(error, "the bitcode of the kernels was refused by LLVM " LLVM_VERSION_STRING,
                   "it was written by another version");
    LLVMContextDispose(context);
    return status;
}

/* -------------------------------------------------------------------------------------- cache */

/* False: no memory for what the key is made of, so nothing is kept. */
static bool cache_key(const JitSpec *spec, const Host *host, Digest *key) {
    Buffer text = {0};
    char hex[DIGEST_HEX_SIZE + 1];
    Digest bitcode = digest_of(spec->bitcode.data, spec->bitcode.size);
    buffer_printf(&text, "%s\n", digest_hex(&spec->module, hex));
    buffer_printf(&text, "%s\n%s\n%s\n", digest_hex(&bitcode, hex), host->cpu, host->features);
    buffer_printf(&text, "LLVM %s pderun %s\n", LLVM_VERSION_STRING, PDE_VERSION);
    for (size_t i = 0; i < spec->constants; i++) {
        const JitConstant *c = &spec->constant[i];
        buffer_printf(&text, "%s %lld %a\n", c->name, (long long)c->integer, c->number);
    }
    for (size_t i = 0; i < spec->wanteds; i++)
        buffer_printf(&text, "%s\n", spec->wanted[i]);
    bool keyed = spec->cache && !text.failed;
    if (keyed)
        *key = digest_of(text.data, text.size);
    buffer_free(&text);
    return keyed;
}

/* NULL if there is no intact object. */
static LLVMMemoryBufferRef cached_object(const JitSpec *spec, const Digest *key) {
    Buffer data = {0};
    LLVMMemoryBufferRef object = NULL;
    if (cache_get(spec->cache, key, "o", &data))
        object = LLVMCreateMemoryBufferWithMemoryRangeCopy(data.data, data.size, "kernels");
    buffer_free(&data);
    return object;
}

/* ---------------------------------------------------------------------------------------- ORC */

static Status define_library(LLVMOrcLLJITRef orc, Error *error) {
    LLVMOrcCSymbolMapPair pair[LIBRARY_ROWS];
    for (int i = 0; i < LIBRARY_ROWS; i++) {
        LLVMOrcExecutorAddress address = (LLVMOrcExecutorAddress)(uintptr_t)library[i].function;
        pair[i] = (LLVMOrcCSymbolMapPair){
            LLVMOrcLLJITMangleAndIntern(orc, library[i].name),
            {address, {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0}}};
    }
    LLVMErrorRef llvm = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(orc),
                                              LLVMOrcAbsoluteSymbols(pair, LIBRARY_ROWS));
    return llvm ? failed_llvm(error, "the mathematical functions could not be linked", llvm)
                : STATUS_OK;
}

static Status link_object(Jit *jit, LLVMMemoryBufferRef object, Error *error) {
    LLVMErrorRef llvm = LLVMOrcCreateLLJIT(&jit->orc, NULL);
    if (llvm) {
        LLVMDisposeMemoryBuffer(object);
        return failed_llvm(error, "the just-in-time compiler did not start", llvm);
    }
    Status status = define_library(jit->orc, error);
    if (status != STATUS_OK) {
        LLVMDisposeMemoryBuffer(object);
        return status;
    }
    llvm = LLVMOrcLLJITAddObjectFile(jit->orc, LLVMOrcLLJITGetMainJITDylib(jit->orc), object);
    return llvm ? failed_llvm(error, "the kernels could not be linked", llvm) : STATUS_OK;
}

Status jit_create(const JitSpec *spec, Jit **out, Error *error) {
    assert(spec && out);
    Jit *jit = calloc(1, sizeof *jit);
    *out = NULL;
    if (!jit)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the kernels");
    Host host;
    host_open(&host);
    Digest key;
    bool keyed = cache_key(spec, &host, &key);
    LLVMMemoryBufferRef object = keyed ? cached_object(spec, &key) : NULL;
    Status status = STATUS_OK;
    jit->cached = object != NULL;
    if (!object)
        status = compile(spec, &host, &object, error);
    if (status == STATUS_OK && keyed && !jit->cached)
        cache_put(spec->cache, &key, "o",
                  (Bytes){LLVMGetBufferStart(object), LLVMGetBufferSize(object)});
    if (status == STATUS_OK)
        status = link_object(jit, object, error);
    host_close(&host);
    if (status != STATUS_OK) {
        jit_destroy(jit);
        return status;
    }
    *out = jit;
    return STATUS_OK;
}

void jit_destroy(Jit *jit) {
    if (!jit)
        return;
    if (jit->orc)
        LLVMConsumeError(LLVMOrcDisposeLLJIT(jit->orc));
    free(jit);
}

JitFunction *jit_find(const Jit *jit, const char *name) {
    assert(jit->orc && name[0]);
    LLVMOrcExecutorAddress address = 0;
    LLVMErrorRef llvm = LLVMOrcLLJITLookup(jit->orc, &address, name);
    if (llvm) {
        LLVMConsumeError(llvm);
        return NULL;
    }
    return (JitFunction *)(uintptr_t)address;
}

bool jit_from_cache(const Jit *jit) {
    return jit->cached;
}

const char *jit_processor(void) {
    static char name[64];
    char *cpu = LLVMGetHostCPUName();
    snprintf(name, sizeof name, "%s", cpu);
    LLVMDisposeMessage(cpu);
    return name;
}

const char *jit_llvm_version(void) {
    return LLVM_VERSION_STRING;
}
