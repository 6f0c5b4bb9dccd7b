/* test_array_files.c: .npy and .safetensors, against themselves, against Python, against garbage.
 */
#define _POSIX_C_SOURCE 200809L
#include "runtime/files/npy.h"
#include "runtime/files/safetensors.h"
#include "scratch.h"

#include "greatest.h"

static const float f32[6] = {0.5f, -1.0f, 2.25f, 3e-20f, 1e20f, 0.0f};
static const double f64[3] = {0.1, -1e300, 5e-324};
static const int32_t i32[2] = {INT32_MIN, INT32_MAX};
static const int64_t i64[1] = {INT64_MIN};
static const Array sample[] = {
    {"weights", ARRAY_F32, 2, {3, 2}, f32}, {"state", ARRAY_F64, 1, {3}, f64},
    {"small", ARRAY_I32, 1, {2}, i32},      {"counter", ARRAY_I64, 0, {0}, i64},
    {"empty", ARRAY_F64, 2, {0, 5}, f64},
};
enum { SAMPLES = sizeof sample / sizeof *sample };

static bool same_array(const Array *a, const Array *b) {
    size_t count_a, count_b;
    return a->type == b->type && a->rank == b->rank && array_count(a, &count_a) &&
           array_count(b, &count_b) && count_a == count_b &&
           memcmp(a->shape, b->shape, (size_t)a->rank * sizeof *a->shape) == 0 &&
           memcmp(a->data, b->data, count_a * array_type_size(a->type)) == 0;
}

TEST counts_do_not_overflow(void) {
    size_t count;
    Array huge = {.type = ARRAY_F32, .rank = 2, .shape = {1ull << 40, 1ull << 40}};
    ASSERT_FALSE(array_count(&huge, &count));
    huge.shape[0] = UINT64_MAX;
    huge.shape[1] = 0;
    ASSERT(array_count(&huge, &count) && count == 0);
    huge.rank = 0;
    ASSERT(array_count(&huge, &count) && count == 1);
    huge.rank = ARRAY_RANK_MAX + 1;
    ASSERT_FALSE(array_count(&huge, &count));
    ASSERT_EQ(-2147483648.0, array_value(&sample[2], 0));
    ASSERT_EQ(2.25, array_value(&sample[0], 2));
    PASS();
}

TEST npy_round_trip(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    const char *path = scratch_path(directory, "a.npy");
    for (size_t i = 0; i < SAMPLES; i++) {
        NpyFile file;
        Error error = {0};
        ASSERT_EQ(STATUS_OK, npy_write(path, &sample[i], &error));
        Status status = npy_read(path, 1000, &file, &error);
        ASSERTm(scratch_note(error.message), status == STATUS_OK);
        ASSERT(same_array(&sample[i], &file.array));
        npy_free(&file);
    }
    scratch_remove(directory);
    PASS();
}

/* Writes version 1.0 with the given dictionary and `size` zero bytes of elements. */
static Status read_npy_with(const char *directory, const char *dictionary, size_t size,
                            Error *error) {
    char bytes[1024] = "\x93NUMPY\x01\x00";
    size_t length = strlen(dictionary);
    bytes[8] = (char)(length & 0xFF);
    bytes[9] = (char)(length >> 8);
    memcpy(bytes + 10, dictionary, length);
    const char *path = scratch_path(directory, "bad.npy");
    NpyFile file;
    if (!scratch_put(path, bytes, 10 + length + size))
        return STATUS_INTERNAL;
    Status status = npy_read(path, 2000, &file, error);
    npy_free(&file);
    return status;
}

TEST npy_headers_are_judged(void) {
    static const struct {
        const char *dictionary;
        size_t size;
        const char *message; /* NULL: accepted */
    } row[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 8, NULL},
        {"{'shape':(1,2),\"descr\":\"<f4\",'fortran_order':False}", 8, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 7, "should hold"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", 9, "should hold"},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", 8, "'>f4'"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", 8, "'<c8'"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", 4, "records"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }", 8, "Fortran"},
        {"{'descr': '<f4', 'fortran_order': False, }", 8, "incomplete"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", 8, "shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }", 4, "8 dim"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 8,
         "shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }", 0,
         "too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'x': 1}", 8, "unknown"},
        {"{'descr': '<f4", 0, "records"},
        {"{'descr' '<f4'}", 0, "damaged"},
        {"[]", 0, "dictionary"},
        {"", 0, "dictionary"},
    };
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Error error = {0};
        Status status = read_npy_with(directory, row[i].dictionary, row[i].size, &error);
        if (row[i].message) {
            ASSERTm(row[i].dictionary, status == STATUS_BAD_ARRAY_FILE);
            ASSERTm(scratch_note(error.message), strstr(error.message, row[i].message) != NULL);
        } else {
            ASSERTm(scratch_note(error.message), status == STATUS_OK);
        }
    }
    scratch_remove(directory);
    PASS();
}

TEST npy_truncations_are_refused(void) {
    char directory[SCRATCH_PATH_MAX], bytes[256];
    ASSERT(scratch_make(directory));
    const char *path = scratch_path(directory, "a.npy");
    ASSERT_EQ(STATUS_OK, npy_write(path, &sample[0], NULL));
    FILE *stream = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    ASSERT_EQ(128 + 24u, size);
    for (size_t cut = 0; cut < size; cut++) {
        NpyFile file;
        ASSERT(scratch_put(path, bytes, cut));
        ASSERT_EQ(STATUS_BAD_ARRAY_FILE, npy_read(path, 1000, &file, NULL));
    }
    scratch_remove(directory);
    PASS();
}

static const SafetensorsText text[] = {{"iteration", "12"}, {"note", "a \"quoted\" \xC3\xA9\n"}};

TEST safetensors_round_trip(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    const char *path = scratch_path(directory, "a.safetensors");
    Safetensors file;
    Error error = {0};
    ASSERT_EQ(STATUS_OK, safetensors_write(path, sample, SAMPLES, text, 2, &error));
    Status status = safetensors_read(path, 10000, &file, &error);
    ASSERTm(scratch_note(error.message), status == STATUS_OK);
    ASSERT_EQ((size_t)SAMPLES, file.array_count);
    for (size_t i = 0; i < SAMPLES; i++) {
        const Array *found = safetensors_find(&file, sample[i].name);
        ASSERT(found && same_array(&sample[i], found));
    }
    ASSERT(safetensors_find(&file, "weight") == NULL);
    ASSERT_STR_EQ("12", safetensors_find_text(&file, "iteration"));
    ASSERT_STR_EQ(text[1].value, safetensors_find_text(&file, "note"));
    safetensors_free(&file);
    ASSERT_EQ(STATUS_OK, safetensors_write(path, NULL, 0, NULL, 0, &error));
    ASSERT_EQ(STATUS_OK, safetensors_read(path, 10000, &file, &error));
    ASSERT_EQ(0u, file.array_count);
    safetensors_free(&file);
    scratch_remove(directory);
    PASS();
}

static Status parse_header(const char *header, size_t data_size, Error *error) {
    char padded[512];
    snprintf(padded, sizeof padded, "%s", header);
    while (strlen(padded) % 8 != 0)
        strncat(padded, " ", 2);
    size_t length = strlen(padded), size = 8 + length + data_size;
    char *data = calloc(size + 1, 1);
    for (size_t i = 0; i < 8; i++)
        data[i] = (char)(length >> 8 * i & 0xFF);
    memcpy(data + 8, padded, length);
    Safetensors file;
    Status status = safetensors_parse("test", data, size, &file, error);
    if (status == STATUS_OK)
        safetensors_free(&file);
    return status;
}

TEST safetensors_headers_are_judged(void) {
    static const struct {
        const char *header;
        size_t size;
        const char *message; /* NULL: accepted */
    } row[] = {
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 8, NULL},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 9, "gap"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}", 7, "outside"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]}}", 8, "disagree"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]}}", 8, "outside"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[-8,0]}}", 8, "outside"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]}}", 8, "outside"},
        {"{\"a\":{\"dtype\":\"BF16\",\"shape\":[4],\"data_offsets\":[0,8]}}", 8, "type"},
        {"{\"a\":{\"dtype\":7,\"shape\":[4],\"data_offsets\":[0,8]}}", 8, "type"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]}}", 8, "shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,0]}}", 0,
         "shape"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
         "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
         4, "gap, overlap"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
         "\"b\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[4,12]}}",
         12, "aligned"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
         "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
         8, "JSON"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "metadata"},
        {"{\"__metadata__\":[]}", 0, "metadata"},
        {"{\"a\":3}", 0, "type"},
        {"[]", 0, "JSON"},
        {"", 0, "JSON"},
        {"{\"a\":", 0, "JSON"},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        Error error = {0};
        Status status = parse_header(row[i].header, row[i].size, &error);
        if (row[i].message) {
            ASSERTm(row[i].header, status == STATUS_BAD_ARRAY_FILE);
            ASSERTm(scratch_note(error.message), strstr(error.message, row[i].message) != NULL);
        } else {
            ASSERTm(scratch_note(error.message), status == STATUS_OK);
        }
    }
    Safetensors file;
    char *huge = malloc(16);
    memset(huge, 0xFF, 16);
    ASSERT_EQ(STATUS_BAD_ARRAY_FILE, safetensors_parse("huge", huge, 16, &file, NULL));
    ASSERT_EQ(STATUS_BAD_ARRAY_FILE, safetensors_parse("short", calloc(8, 1), 7, &file, NULL));
    PASS();
}

/* The Python that has the packages: $PDE_TEST_PYTHON or python3. */
static const char *python(void) {
    const char *chosen = getenv("PDE_TEST_PYTHON");
    return chosen ? chosen : "python3";
}

static int run_python(const char *directory, const char *script, char *out, size_t size) {
    const char *path = scratch_path(directory, "script.py");
    char command[3 * SCRATCH_PATH_MAX];
    if (!scratch_put(path, script, strlen(script)))
        return -1;
    snprintf(command, sizeof command, "cd '%s' && '%s' script.py 2>&1", directory, python());
    return scratch_run(command, out, size);
}

TEST python_reads_what_we_write(void) {
    char directory[SCRATCH_PATH_MAX], out[4096];
    ASSERT(scratch_make(directory));
    if (run_python(directory, "import numpy, safetensors", out, sizeof out) != 0) {
        scratch_remove(directory);
        SKIPm("no Python with numpy and safetensors");
    }
    for (size_t i = 0; i < SAMPLES; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s.npy", sample[i].name);
        ASSERT_EQ(STATUS_OK, npy_write(scratch_path(directory, name), &sample[i], NULL));
    }
    ASSERT_EQ(STATUS_OK, safetensors_write(scratch_path(directory, "all.safetensors"), sample,
                                           SAMPLES, text, 2, NULL));
    static const char script[] =
        "import numpy as np\n"
        "from safetensors import safe_open\n"
        "want = dict(weights=np.array([[0.5,-1],[2.25,3e-20],[1e20,0]],'<f4'),\n"
        "  state=np.array([0.1,-1e300,5e-324]), small=np.array([-2**31,2**31-1],'<i4'),\n"
        "  counter=np.array(-2**63), empty=np.zeros((0,5)))\n"
        "f = safe_open('all.safetensors', 'np')\n"
        "assert f.metadata() == {'iteration':'12','note':'a \"quoted\" \\u00e9\\n'}, f.metadata()\n"
        "assert set(f.keys()) == set(want)\n"
        "for k, w in want.items():\n"
        "  for got in (np.load(k + '.npy'), f.get_tensor(k)):\n"
        "    assert got.dtype == w.dtype and got.shape == w.shape, k\n"
        "    assert got.tobytes() == w.tobytes(), k\n";
    int code = run_python(directory, script, out, sizeof out);
    ASSERTm(scratch_note(out), code == 0);
    scratch_remove(directory);
    PASS();
}

TEST we_read_what_python_writes(void) {
    char directory[SCRATCH_PATH_MAX], out[4096];
    ASSERT(scratch_make(directory));
    static const char script[] =
        "import numpy as np\n"
        "from safetensors.numpy import save_file\n"
        "a = np.arange(6, dtype='<f4').reshape(2, 3)\n"
        "np.save('c.npy', a); np.save('f.npy', np.asfortranarray(a))\n"
        "np.save('b.npy', a.astype('>f4'))\n"
        "np.lib.format.write_array(open('v2.npy','wb'), a, version=(2,0))\n"
        "save_file({'a': a, 'n': np.array([7]), 'z': np.array(2.5)}, 's.safetensors',\n"
        "          metadata={'k': 'v'})\n";
    if (run_python(directory, script, out, sizeof out) != 0) {
        scratch_remove(directory);
        SKIPm("no Python with numpy and safetensors");
    }
    static const char *const good[] = {"c.npy", "v2.npy"};
    for (size_t i = 0; i < 2; i++) {
        NpyFile file;
        ASSERT_EQ(STATUS_OK, npy_read(scratch_path(directory, good[i]), 1000, &file, NULL));
        ASSERT_EQ(2, file.array.rank);
        ASSERT_EQ(3u, file.array.shape[1]);
        ASSERT_EQ(5.0, array_value(&file.array, 5));
        npy_free(&file);
    }
    NpyFile bad;
    Error error = {0};
    ASSERT_EQ(STATUS_BAD_ARRAY_FILE, npy_read(scratch_path(directory, "f.npy"), 999, &bad, NULL));
    ASSERT_EQ(STATUS_BAD_ARRAY_FILE, npy_read(scratch_path(directory, "b.npy"), 999, &bad, NULL));
    Safetensors file;
    Status status = safetensors_read(scratch_path(directory, "s.safetensors"), 1000, &file, &error);
    ASSERTm(scratch_note(error.message), status == STATUS_OK);
    ASSERT_EQ(3u, file.array_count);
    ASSERT_EQ(7.0, array_value(safetensors_find(&file, "n"), 0));
    ASSERT_EQ(2.5, array_value(safetensors_find(&file, "z"), 0));
    ASSERT_EQ(4.0, array_value(safetensors_find(&file, "a"), 4));
    ASSERT_STR_EQ("v", safetensors_find_text(&file, "k"));
    safetensors_free(&file);
    scratch_remove(directory);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(counts_do_not_overflow);
    RUN_TEST(npy_round_trip);
    RUN_TEST(npy_headers_are_judged);
    RUN_TEST(npy_truncations_are_refused);
    RUN_TEST(safetensors_round_trip);
    RUN_TEST(safetensors_headers_are_judged);
    RUN_TEST(python_reads_what_we_write);
    RUN_TEST(we_read_what_python_writes);
    GREATEST_MAIN_END();
}
