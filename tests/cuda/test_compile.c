/* test_compile.c: source to PTX: nothing is included, complaints are one clean line, the cache is used
 * and not trusted. Skipped (77) without NVRTC. */
#include "runtime/cuda/device/compile.h"

#include "runtime/cache/cache.h"
#include "runtime/files/io.h"

#include "greatest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static CudaApi api;
static const char *scratch;

static const char kernel[] =
    "extern \"C\" __global__ void k(float *x) { x[threadIdx.x] = NUMBER; }\n";

static Status compile(const char *a, const char *b, const char *cache, Buffer *ptx, Error *error) {
    const Bytes part[] = {{a, strlen(a)}, {b, strlen(b)}};
    const CudaCompileSpec spec = {.part = part, .parts = 2, .arch = 80, .cache = cache};
    return cuda_compile(&api, &spec, ptx, error);
}

/* Is text that this line could bring in seen by the compiler? */
static bool is_seen(const char *format, const char *path) {
    char line[5000];
    Buffer ptx = {0};
    Error error = {0};
    snprintf(line, sizeof line, format, path);
    bool seen = compile(line,
                        "#ifdef OPENED\nstatic_assert(false, \"opened\");\n#endif\n"
                        "extern \"C\" __global__ void k(void) {}\n",
                        NULL, &ptx, &error) != STATUS_OK;
    buffer_free(&ptx);
    return seen;
}

TEST nothing_is_included(void) {
    static const char *const ways[] = {
        "#include \"%s\"\n",
        "  #  include \"%s\"\n",
        "#inc\\\nlude \"%s\"\n",
        "#\\\ninclude \"%s\"\n",
        "/* a */ #include \"%s\"\n",
        "/* a\n b */ # /* c */ include \"%s\"\n",
        "%%:include \"%s\"\n",
        "int a; // \" /*\n#include \"%s\"\n",
        "static const char *const s = \"/*\";\n#include \"%s\"\n",
        "static const char q = '\"';\n#include \"%s\"\n",
        "#import \"%s\"\n",
        "#include_next \"%s\"\n",
        "#define F \"%s\"\n#include F\n",
    };
    char path[4096];
    snprintf(path, sizeof path, "%s/opened.h", scratch);
    static const char text[] = "#define OPENED 1\n";
    ASSERT_EQ(STATUS_OK, io_write_atomic(path, &(Bytes){text, strlen(text)}, 1, NULL));
    ASSERT(is_seen("#define OPENED 1 // %s\n", path)); /* the probe sees what it must */
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        ASSERT_FALSEm(ways[k], is_seen(ways[k], path));
    PASS();
}

TEST raw_strings_are_refused(void) {
    Buffer ptx = {0};
    Error error = {0};
    ASSERT_EQ(STATUS_CUDA_COMPILE,
              compile("static const char *const s = R\"(\" /* )\";\n", "", NULL, &ptx, &error));
    buffer_free(&ptx);
    PASS();
}

TEST complaints_are_one_clean_line(void) {
    Buffer ptx = {0};
    Error error = {0};
    ASSERT_EQ(STATUS_CUDA_COMPILE, compile("int \x1b[31m nonsense;\n", kernel, NULL, &ptx, &error));
    ASSERT(strstr(error.message, "error"));
    for (const char *c = error.message; *c; c++)
        ASSERT(*c >= 0x20 && *c <= 0x7e);
    ASSERT_EQ(0, ptx.size);
    buffer_free(&ptx);
    PASS();
}

TEST names_of_constants_cannot_leave_their_line(void) {
    Buffer head = {0};
    cuda_define_integer(&head, "pde_dim_d\n#include <x>", 7);
    cuda_define_number(&head, "pde_param_T", 0.1);
    ASSERT_STR_EQ(
        "#define pde_dim_d__include__x_ ((int64_t)7)\n#define pde_param_T ((double)0.1)\n",
        head.data);
    buffer_free(&head);
    PASS();
}

static void empty_directory(const char *directory) {
    IoList list;
    char path[4300];
    if (io_list_directory(directory, &list, NULL) != STATUS_OK)
        return;
    for (size_t i = 0; i < list.count; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, list.name[i]);
        (void)io_remove(path, NULL);
    }
    io_list_free(&list);
}

/* The key of a cached file is its name. */
static bool cached_key(const char *directory, Digest *key) {
    IoList list;
    bool found = false;
    if (io_list_directory(directory, &list, NULL) != STATUS_OK)
        return false;
    for (size_t i = 0; i < list.count; i++) {
        const char *name = list.name[i];
        if (strlen(name) != DIGEST_HEX_SIZE + 4 || strcmp(name + DIGEST_HEX_SIZE, ".ptx") != 0)
            continue;
        found = true;
        for (int k = 0; k < DIGEST_SIZE; k++) {
            const char hex[3] = {name[2 * k], name[2 * k + 1], 0};
            key->byte[k] = (uint8_t)strtoul(hex, NULL, 16);
        }
    }
    io_list_free(&list);
    return found;
}

TEST cache_is_used_and_not_trusted(void) {
    char directory[4096], path[4200], hex[DIGEST_HEX_SIZE + 1];
    Buffer first = {0}, second = {0}, third = {0}, other = {0};
    Digest key;
    snprintf(directory, sizeof directory, "%s/cache", scratch);
    empty_directory(directory);
    mkdir(directory, 0700);
    ASSERT_EQ(STATUS_OK, compile("#define NUMBER 1\n", kernel, directory, &first, NULL));
    ASSERT(cached_key(directory, &key));
    cache_put(directory, &key, "ptx", (Bytes){"from the cache", 14});
    ASSERT_EQ(STATUS_OK, compile("#define NUMBER 1\n", kernel, directory, &second, NULL));
    ASSERT_STR_EQ("from the cache", second.data);
    ASSERT_EQ(STATUS_OK, compile("#define NUMBER 2\n", kernel, directory, &other, NULL));
    ASSERT(strcmp(first.data, other.data) != 0 &&
           strcmp(other.data, second.data) != 0); /* another key */
    snprintf(path, sizeof path, "%s/%s.ptx", directory, digest_hex(&key, hex));
    ASSERT_EQ(
        STATUS_OK,
        io_write_atomic(path, &(Bytes){"0123456789012345678901234567890123damaged", 41}, 1, NULL));
    ASSERT_EQ(STATUS_OK, compile("#define NUMBER 1\n", kernel, directory, &third, NULL));
    ASSERT_STR_EQ(first.data, third.data);
    buffer_free(&first);
    buffer_free(&second);
    buffer_free(&third);
    buffer_free(&other);
    PASS();
}

TEST architectures_are_found(void) {
    int arch = 0;
    Error error = {0};
    ASSERT_EQ(STATUS_OK,
              cuda_compile_arch(&api, 999, &arch, NULL)); /* newer than NVRTC: its newest */
    ASSERT(arch >= 80 && arch < 999);
    ASSERT_EQ(STATUS_OK, cuda_compile_arch(&api, 81, &arch, NULL));
    ASSERT_EQ(80, arch);
    ASSERT_EQ(STATUS_CUDA_COMPILE, cuda_compile_arch(&api, 20, &arch, &error));
    ASSERT(strstr(error.message, "sm_20"));
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    Error error = {0};
    if (cuda_open(&api, CUDA_NVRTC, &error) != STATUS_OK) {
        printf("skipped: %s\n", error.message);
        return 77;
    }
    scratch = getenv("PDE_SCRATCH");
    if (!scratch || io_make_directory(scratch, NULL) != STATUS_OK)
        return 2;
    GREATEST_MAIN_BEGIN();
    RUN_TEST(nothing_is_included);
    RUN_TEST(raw_strings_are_refused);
    RUN_TEST(complaints_are_one_clean_line);
    RUN_TEST(names_of_constants_cannot_leave_their_line);
    RUN_TEST(cache_is_used_and_not_trusted);
    RUN_TEST(architectures_are_found);
    cuda_close(&api);
    GREATEST_MAIN_END();
}
