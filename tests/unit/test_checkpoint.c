/* test_checkpoint.c: checkpoints survive failures, are refused when damaged, and are found again.
 */
#define _POSIX_C_SOURCE 200809L
#include "runtime/files/io.h"
#include "runtime/train/checkpoint.h"
#include "scratch.h"

#include "greatest.h"

#include <errno.h>
#include <unistd.h>

static const float weights[5] = {1, 2, 3, 4, 5};
static const double moments[2] = {0.25, -8};

static Status save(const char *directory, uint64_t iteration, CheckpointOptions options,
                   Error *error) {
    const int64_t counter = (int64_t)iteration;
    const Array array[] = {{"weights", ARRAY_F32, 1, {5}, weights},
                           {"moments", ARRAY_F64, 1, {2}, moments},
                           {"counter", ARRAY_I64, 0, {0}, &counter}};
    return checkpoint_save(directory, iteration, "{\"seed\":7}", array, 3, options, error);
}

static const CheckpointOptions keep_all = {.keep = 100};

static const char *numbered(const char *directory, unsigned iteration) {
    char name[64];
    snprintf(name, sizeof name, "checkpoint-%012u.safetensors", iteration);
    return scratch_path(directory, name);
}

/* Changes one bit of a file in place. */
static bool flip(const char *path, size_t bit) {
    FILE *file = fopen(path, "r+b");
    if (!file || fseek(file, (long)(bit / 8), SEEK_SET) != 0)
        return false;
    int byte = fgetc(file);
    if (byte == EOF || fseek(file, (long)(bit / 8), SEEK_SET) != 0)
        return false;
    fputc(byte ^ (1 << bit % 8), file);
    return fclose(file) == 0;
}

TEST round_trip(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    Checkpoint checkpoint;
    Error error = {0};
    Buffer notes = {0};
    ASSERT_FALSE(checkpoint_exists(directory));
    ASSERT_EQ(STATUS_NO_CHECKPOINT, checkpoint_load_newest(directory, &checkpoint, &notes, &error));
    ASSERT_EQ(STATUS_OK, save(directory, 1000, keep_all, NULL));
    ASSERT(checkpoint_exists(directory));
    ASSERT_EQ(STATUS_OK, checkpoint_load_newest(directory, &checkpoint, &notes, NULL));
    ASSERT_EQ(1000u, checkpoint.iteration);
    ASSERT_STR_EQ("{\"seed\":7}", checkpoint.run);
    const Array *found = safetensors_find(&checkpoint.file, "weights");
    ASSERT(found && memcmp(found->data, weights, sizeof weights) == 0);
    ASSERT_EQ(-8.0, array_value(safetensors_find(&checkpoint.file, "moments"), 1));
    ASSERT_EQ(1000.0, array_value(safetensors_find(&checkpoint.file, "counter"), 0));
    ASSERT_EQ(0u, notes.size);
    checkpoint_free(&checkpoint);
    scratch_remove(directory);
    PASS();
}

TEST every_bit_flip_and_truncation_is_refused(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    ASSERT_EQ(STATUS_OK, save(directory, 1, keep_all, NULL));
    char *good, path[2 * SCRATCH_PATH_MAX];
    size_t size;
    snprintf(path, sizeof path, "%s", numbered(directory, 1));
    ASSERT_EQ(STATUS_OK, io_read_file(path, 10000, &good, &size, NULL));
    Checkpoint checkpoint;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        ASSERT(flip(path, bit));
        ASSERT_EQ(STATUS_CHECKPOINT_DAMAGED, checkpoint_load(path, &checkpoint, NULL));
        ASSERT(flip(path, bit));
    }
    ASSERT_EQ(STATUS_OK, checkpoint_load(path, &checkpoint, NULL));
    checkpoint_free(&checkpoint);
    for (size_t cut = 0; cut < size; cut++) {
        ASSERT(scratch_put(path, good, cut));
        ASSERT_EQ(STATUS_CHECKPOINT_DAMAGED, checkpoint_load(path, &checkpoint, NULL));
    }
    free(good);
    scratch_remove(directory);
    PASS();
}

TEST the_last_ones_and_the_best_are_kept(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    for (unsigned i = 1; i <= 6; i++)
        ASSERT_EQ(STATUS_OK,
                  save(directory, 10 * i, (CheckpointOptions){.keep = 2, .best = i == 3}, NULL));
    ASSERT_EQ(3u, scratch_count(directory));
    ASSERT(io_exists(numbered(directory, 50)) && io_exists(numbered(directory, 60)));
    Checkpoint checkpoint;
    Buffer notes = {0};
    ASSERT_EQ(STATUS_OK, checkpoint_load_best(directory, &checkpoint, &notes, NULL));
    ASSERT_EQ(30u, checkpoint.iteration);
    checkpoint_free(&checkpoint);
    ASSERT(flip(scratch_path(directory, "best.safetensors"), 100));
    ASSERT_EQ(STATUS_OK, checkpoint_load_best(directory, &checkpoint, &notes, NULL));
    ASSERT_EQ(60u, checkpoint.iteration);
    ASSERT(strstr(notes.data, "best.safetensors' is damaged") != NULL);
    checkpoint_free(&checkpoint);
    buffer_free(&notes);
    scratch_remove(directory);
    PASS();
}

TEST a_damaged_newest_falls_back(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    for (unsigned i = 1; i <= 3; i++)
        ASSERT_EQ(STATUS_OK, save(directory, i, keep_all, NULL));
    ASSERT(flip(numbered(directory, 3), 2900));
    Checkpoint checkpoint;
    Buffer notes = {0};
    ASSERT_EQ(STATUS_OK, checkpoint_load_newest(directory, &checkpoint, &notes, NULL));
    ASSERT_EQ(2u, checkpoint.iteration);
    ASSERT(strstr(notes.data, "000003.safetensors' is damaged") != NULL);
    ASSERT(strstr(notes.data, "falling back to") != NULL);
    checkpoint_free(&checkpoint);
    /* Going on from 2 must not count the damaged 3 among those to keep. */
    ASSERT_EQ(STATUS_OK, save(directory, 2, (CheckpointOptions){.keep = 1}, NULL));
    ASSERT(io_exists(numbered(directory, 2)) && !io_exists(numbered(directory, 1)));
    ASSERT(flip(numbered(directory, 2), 2900));
    Error error = {0};
    ASSERT_EQ(STATUS_NO_CHECKPOINT, checkpoint_load_newest(directory, &checkpoint, &notes, &error));
    ASSERT(strstr(error.message, "2 checkpoints and none is intact") != NULL);
    buffer_free(&notes);
    scratch_remove(directory);
    PASS();
}

#ifdef PDE_FAULTS
static int countdown;

static int fail_nth(const char *operation) {
    (void)operation;
    return countdown > 0 && --countdown == 0 ? ENOSPC : 0;
}

/* Whatever fails, an intact checkpoint is there afterwards, and the new one if save said so. */
TEST saving_survives_each_failure(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    uint64_t iteration = 1;
    ASSERT_EQ(STATUS_OK,
              save(directory, iteration, (CheckpointOptions){.keep = 1, .best = true}, NULL));
    int failures = 0;
    bool finished = false;
    for (int n = 1; !finished; n++) {
        ASSERT(n < 200);
        io_fault_hook = fail_nth;
        countdown = n;
        Status status =
            save(directory, iteration + 1, (CheckpointOptions){.keep = 1, .best = true}, NULL);
        finished = countdown > 0;
        io_fault_hook = NULL;
        failures += status != STATUS_OK;
        Checkpoint newest, best;
        Buffer notes = {0};
        ASSERT_EQ(STATUS_OK, checkpoint_load_newest(directory, &newest, &notes, NULL));
        ASSERT_EQ(STATUS_OK, checkpoint_load_best(directory, &best, &notes, NULL));
        ASSERT_EQ(0u, notes.size);
        ASSERT(newest.iteration >= iteration);
        if (status == STATUS_OK)
            ASSERT(newest.iteration == iteration + 1 && best.iteration == iteration + 1);
        iteration = newest.iteration;
        checkpoint_free(&newest);
        checkpoint_free(&best);
    }
    ASSERT(failures >= 10);
    scratch_remove(directory);
    PASS();
}
#endif

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(round_trip);
    RUN_TEST(every_bit_flip_and_truncation_is_refused);
    RUN_TEST(the_last_ones_and_the_best_are_kept);
    RUN_TEST(a_damaged_newest_falls_back);
#ifdef PDE_FAULTS
    RUN_TEST(saving_survives_each_failure);
#endif
    GREATEST_MAIN_END();
}
