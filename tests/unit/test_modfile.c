/* test_modfile.c: the module file: readable by the ELF world, refused when a single bit is wrong.
 */
#define _POSIX_C_SOURCE 200809L
#include "runtime/files/io.h"
#include "runtime/files/modfile.h"
#include "scratch.h"

#include "greatest.h"

#include <dlfcn.h>

static const ModuleBlob sample[] = {
    {".pde.plan", 0, {"{\"dim\":3}", 9}},
    {".pde.src", 0, {"void f(void);\n", 14}},
    {".pde.conf", 0, {"", 0}},
    {".pde.future", PDE_SECTION_OPTIONAL, {"\0\1\2", 3}},
};
enum { SAMPLES = sizeof sample / sizeof *sample };

/* A copy that module_parse may own. */
static char *copy_of(const void *data, size_t size) {
    char *copy = malloc(size + 1);
    if (copy)
        memcpy(copy, data, size);
    return copy;
}

static Status parse_copy(const Buffer *file, size_t size, Error *error) {
    ModuleFile module;
    Status status = module_parse("test.so", copy_of(file->data, size), size, &module, error);
    if (status == STATUS_OK)
        module_free(&module);
    return status;
}

TEST round_trip(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    const char *path = scratch_path(directory, "sample.so");
    Error error = {0};
    ModuleFile module;
    Bytes bytes;
    ASSERT_EQ(STATUS_OK, module_write(path, sample, SAMPLES, "1.2.3", &error));
    ASSERT_EQ(STATUS_OK, module_read(path, &module, &error));
    ASSERT_EQ((uint32_t)SAMPLES, module.head->section_count);
    ASSERT_STR_EQ("1.2.3", module.head->version);
    for (size_t i = 0; i < SAMPLES; i++) {
        ASSERT(module_section(&module, sample[i].name, &bytes));
        ASSERT_EQ(sample[i].bytes.size, bytes.size);
        ASSERT_EQ(0, memcmp(sample[i].bytes.data, bytes.data, bytes.size));
    }
    ASSERT_FALSE(module_section(&module, ".pde.bc", &bytes));
    ASSERT_EQ(STATUS_MODULE_SECTION, module_require(&module, ".pde.bc", &bytes, &error));
    module_free(&module);
    scratch_remove(directory);
    PASS();
}

TEST bytes_depend_on_the_arguments_only(void) {
    Buffer one = {0}, two = {0};
    ASSERT_EQ(STATUS_OK, module_build(sample, SAMPLES, "a.so", "1", &one, NULL));
    ASSERT_EQ(STATUS_OK, module_build(sample, SAMPLES, "a.so", "1", &two, NULL));
    ASSERT(one.size == two.size && memcmp(one.data, two.data, one.size) == 0);
    buffer_free(&one);
    buffer_free(&two);
    PASS();
}

TEST the_dynamic_linker_accepts_it(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    const char *path = scratch_path(directory, "sample.so");
    ASSERT_EQ(STATUS_OK, module_write(path, sample, SAMPLES, "1.2.3", NULL));
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    ASSERTm(dlerror(), handle != NULL);
    const PdeHead *head = dlsym(handle, "pde_module");
    ASSERTm(dlerror(), head != NULL);
    ASSERT_EQ(0, memcmp(head->magic, PDE_MAGIC, PDE_MAGIC_SIZE));
    ASSERT(dlsym(handle, "pde_other") == NULL);
    const PdeSection *section = (const void *)(head + 1);
    for (size_t i = 0; i < SAMPLES; i++) {
        ASSERT_STR_EQ(sample[i].name, section[i].name);
        ASSERT_EQ(sample[i].bytes.size, section[i].size);
        ASSERT_EQ(0, memcmp((const char *)head + section[i].offset, sample[i].bytes.data,
                            section[i].size));
    }
    ASSERT_EQ(0, dlclose(handle));
    scratch_remove(directory);
    PASS();
}

TEST readelf_has_nothing_to_complain_about(void) {
    char directory[SCRATCH_PATH_MAX], command[SCRATCH_PATH_MAX + 64], out[32768];
    if (scratch_run("command -v readelf", out, sizeof out) != 0)
        SKIPm("no readelf");
    ASSERT(scratch_make(directory));
    ASSERT_EQ(STATUS_OK,
              module_write(scratch_path(directory, "sample.so"), sample, SAMPLES, "1", NULL));
    snprintf(command, sizeof command, "LC_ALL=C readelf -aW '%s/sample.so' 2>&1", directory);
    ASSERT_EQ(0, scratch_run(command, out, sizeof out));
    ASSERTm(scratch_note(out), !strstr(out, "arning") && !strstr(out, "rror"));
    ASSERT(strstr(out, "Library soname: [sample.so]") != NULL);
    ASSERT(strstr(out, "pde_module") != NULL);
    ASSERT(strstr(out, ".pde.future") != NULL);
    ASSERT(strstr(out, "NEEDED") == NULL);
    ASSERT(strstr(out, "INIT") == NULL);
    ASSERT(strstr(out, "R E") == NULL && strstr(out, "RWE") == NULL);
    scratch_remove(directory);
    PASS();
}

TEST every_bit_flip_is_refused(void) {
    Buffer file = {0};
    ASSERT_EQ(STATUS_OK, module_build(sample, SAMPLES, "a.so", "1", &file, NULL));
    ASSERT_EQ(STATUS_OK, parse_copy(&file, file.size, NULL));
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        file.data[bit / 8] = (char)(file.data[bit / 8] ^ (1 << bit % 8));
        Error error = {0};
        Status status = parse_copy(&file, file.size, &error);
        ASSERTm(scratch_note(error.message), status != STATUS_OK && error.status == status);
        file.data[bit / 8] = (char)(file.data[bit / 8] ^ (1 << bit % 8));
    }
    ASSERT_EQ(STATUS_OK, parse_copy(&file, file.size, NULL));
    buffer_free(&file);
    PASS();
}

TEST every_truncation_and_any_appendix_is_refused(void) {
    Buffer file = {0};
    Error error = {0};
    ASSERT_EQ(STATUS_OK, module_build(sample, SAMPLES, "a.so", "1", &file, NULL));
    size_t whole = file.size;
    for (size_t size = 0; size < whole; size++)
        ASSERT(parse_copy(&file, size, NULL) != STATUS_OK);
    buffer_zeros(&file, 1);
    ASSERT_EQ(STATUS_MODULE_DAMAGED, parse_copy(&file, file.size, &error));
    ASSERT_EQ(STATUS_MODULE_TRUNCATED, parse_copy(&file, whole / 2, NULL));
    buffer_free(&file);
    PASS();
}

/* Random garbage behind a correct ELF header: sizes and offsets of all magnitudes. Only the
 * sanitizers can fail this one besides the status. */
TEST garbage_is_refused(void) {
    Buffer file = {0};
    ASSERT_EQ(STATUS_OK, module_build(sample, SAMPLES, "a.so", "1", &file, NULL));
    uint64_t state = 12345;
    for (int round = 0; round < 20000; round++) {
        char *copy = copy_of(file.data, file.size);
        for (int change = 0; change < 4; change++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)(state >> 33) % (file.size - 8);
            static const uint64_t nasty[] = {0, 1, UINT64_MAX, INT64_MAX, UINT32_MAX, 1ull << 63};
            memcpy(copy + at, &nasty[(state >> 20) % 6], 1 + (state >> 24) % 8);
        }
        bool same = memcmp(copy, file.data, file.size) == 0;
        ModuleFile module;
        Status status = module_parse("garbage", copy, file.size, &module, NULL);
        ASSERT_EQ(same, status == STATUS_OK);
        if (same)
            module_free(&module);
    }
    buffer_free(&file);
    PASS();
}

/* A stranger who computes digests too: changes the head of a valid module and makes it consistent
 * again, so that only the checks of the values themselves can refuse it. */
typedef void (*Forgery)(PdeHead *head, PdeSection *section);

static Status parse_forged(Forgery forge) {
    Buffer file = {0};
    ModuleFile module = {0};
    Status status = module_build(sample, SAMPLES, "a.so", "1", &file, NULL);
    if (status == STATUS_OK)
        status = module_parse("original", copy_of(file.data, file.size), file.size, &module, NULL);
    if (status != STATUS_OK)
        return status;
    size_t at = (size_t)((const char *)module.head - module.data);
    module_free(&module);
    char *copy = copy_of(file.data, file.size);
    PdeHead *head = (void *)(copy + at);
    PdeSection *section = (void *)(head + 1);
    const size_t head_size = (size_t)head->head_size;
    forge(head, section);
    for (size_t i = 0; i < SAMPLES; i++)
        if (section[i].offset < file.size - at &&
            section[i].size < file.size - at - section[i].offset) {
            Digest of_section = digest_of(copy + at + section[i].offset, (size_t)section[i].size);
            memcpy(section[i].sha256, of_section.byte, DIGEST_SIZE);
        }
    memset(head->head_sha256, 0, sizeof head->head_sha256);
    memset(head->file_sha256, 0, sizeof head->file_sha256);
    Digest of_head = digest_of(head, head_size);
    memcpy(head->head_sha256, of_head.byte, DIGEST_SIZE);
    Digest of_file = digest_of(copy, file.size);
    memcpy(head->file_sha256, of_file.byte, DIGEST_SIZE);
    status = module_parse("forged", copy, file.size, &module, NULL);
    if (status == STATUS_OK)
        module_free(&module);
    buffer_free(&file);
    return status;
}

static void change_nothing(PdeHead *h, PdeSection *s) {
    (void)h;
    (void)s;
}
static void other_major(PdeHead *h, PdeSection *s) {
    (void)s;
    h->abi_major++;
}
static void newer_minor(PdeHead *h, PdeSection *s) {
    (void)s;
    h->abi_minor++;
}
static void endless_version(PdeHead *h, PdeSection *s) {
    (void)s;
    memset(h->version, 'v', sizeof h->version);
}
static void far_offset(PdeHead *h, PdeSection *s) {
    (void)h;
    s[1].offset = (uint64_t)1 << 62;
}
static void wrapping_size(PdeHead *h, PdeSection *s) {
    (void)h;
    s[1].size = UINT64_MAX - s[1].offset + 1;
}
static void long_size(PdeHead *h, PdeSection *s) {
    s[3].size = h->file_size - s[3].offset; /* ends past the file by the head's own offset */
}
static void inside_head(PdeHead *h, PdeSection *s) {
    (void)h;
    s[0].offset = 64;
}
static void odd_offset(PdeHead *h, PdeSection *s) {
    (void)h;
    s[0].offset += 1;
}
static void endless_name(PdeHead *h, PdeSection *s) {
    (void)h;
    memset(s[0].name, 'n', sizeof s[0].name);
}
static void same_name(PdeHead *h, PdeSection *s) {
    (void)h;
    memcpy(s[1].name, s[0].name, sizeof s[0].name);
}
static void used_reserve(PdeHead *h, PdeSection *s) {
    (void)h;
    s[0].reserved = 1;
}
static void more_sections(PdeHead *h, PdeSection *s) {
    (void)s;
    h->section_count = UINT32_MAX;
}

TEST consistent_forgeries_are_refused(void) {
    static const struct {
        Forgery forge;
        Status status;
    } row[] = {
        {change_nothing, STATUS_OK},
        {other_major, STATUS_MODULE_ABI},
        {newer_minor, STATUS_MODULE_ABI},
        {endless_version, STATUS_MODULE_DAMAGED},
        {far_offset, STATUS_MODULE_DAMAGED},
        {wrapping_size, STATUS_MODULE_DAMAGED},
        {long_size, STATUS_MODULE_DAMAGED},
        {inside_head, STATUS_MODULE_DAMAGED},
        {odd_offset, STATUS_MODULE_DAMAGED},
        {endless_name, STATUS_MODULE_DAMAGED},
        {same_name, STATUS_MODULE_DAMAGED},
        {used_reserve, STATUS_MODULE_DAMAGED},
        {more_sections, STATUS_MODULE_DAMAGED},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        char which[32];
        snprintf(which, sizeof which, "row %zu", i);
        ASSERTm(scratch_note(which), parse_forged(row[i].forge) == row[i].status);
    }
    PASS();
}

TEST other_files_are_told_apart(void) {
    ModuleFile module;
    Error error = {0};
    static const char text[] = "problem \"Poisson\"\n";
    ASSERT_EQ(STATUS_NOT_A_MODULE,
              module_parse("p.pde", copy_of(text, sizeof text), sizeof text, &module, &error));
    ASSERT(strstr(error.message, "not an ELF file") != NULL);
    Error other = {0}; /* this program: ELF, but none of ours */
    ASSERT_EQ(STATUS_NOT_A_MODULE, module_read("/proc/self/exe", &module, &other));
    ASSERTm(scratch_note(other.message), strstr(other.message, "not a module") != NULL);
    PASS();
}

TEST unknown_required_sections_are_refused(void) {
    const ModuleBlob future = {".pde.future", 0, {"x", 1}};
    Buffer file = {0};
    ASSERT_EQ(STATUS_OK, module_build(&future, 1, "a.so", "1", &file, NULL));
    ASSERT_EQ(STATUS_MODULE_SECTION, parse_copy(&file, file.size, NULL));
    buffer_free(&file);
    PASS();
}

TEST the_writer_refuses_impossible_sections(void) {
    static const ModuleBlob twice[] = {{".pde.src", 0, {"", 0}}, {".pde.src", 0, {"", 0}}};
    static const ModuleBlob bad[] = {{".pde.head", 0, {"", 0}},
                                     {".text", 0, {"", 0}},
                                     {".pde.much_too_long", 0, {"", 0}},
                                     {".pde.src", 0, {"", (size_t)1 << 40}}};
    Buffer file = {0};
    ASSERT(module_build(twice, 2, "a.so", "1", &file, NULL) != STATUS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ASSERT(module_build(&bad[i], 1, "a.so", "1", &file, NULL) != STATUS_OK);
    ASSERT(module_build(sample, 1, "a.so", "a version text that is far too long", &file, NULL) !=
           STATUS_OK);
    ASSERT_EQ(0u, file.size);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(round_trip);
    RUN_TEST(bytes_depend_on_the_arguments_only);
    RUN_TEST(the_dynamic_linker_accepts_it);
    RUN_TEST(readelf_has_nothing_to_complain_about);
    RUN_TEST(every_bit_flip_is_refused);
    RUN_TEST(every_truncation_and_any_appendix_is_refused);
    RUN_TEST(garbage_is_refused);
    RUN_TEST(consistent_forgeries_are_refused);
    RUN_TEST(other_files_are_told_apart);
    RUN_TEST(unknown_required_sections_are_refused);
    RUN_TEST(the_writer_refuses_impossible_sections);
    GREATEST_MAIN_END();
}
