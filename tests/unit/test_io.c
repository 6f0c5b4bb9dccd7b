/* test_io.c: atomic writes under every failure and every crash, appending, locks, limits. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/files/io.h"
#include "scratch.h"

#include "greatest.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char old_text[] = "the old content of the file";
static const char new_text[] = "the new content, which is longer and comes in two parts";

static Status write_new(const char *path, Error *error) {
    const Bytes part[] = {{new_text, 10}, {new_text + 10, sizeof new_text - 10}};
    return io_write_atomic(path, part, 2, error);
}

TEST write_then_read(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    const char *path = scratch_path(directory, "file");
    Error error = {0};
    char *data;
    size_t size;
    ASSERT_EQ(STATUS_OK, write_new(path, &error));
    ASSERT_EQ(STATUS_OK, io_read_file(path, 1000, &data, &size, &error));
    ASSERT_EQ(sizeof new_text, size);
    ASSERT_EQ(0, memcmp(data, new_text, size));
    ASSERT_EQ('\0', data[size]);
    free(data);
    ASSERT_EQ(STATUS_OK, io_read_file(path, sizeof new_text, &data, &size, &error));
    free(data);
    ASSERT_EQ(STATUS_FILE_TOO_LARGE, io_read_file(path, sizeof new_text - 1, &data, &size, &error));
    ASSERT(data == NULL);
    ASSERT_EQ(1u, scratch_count(directory));
    scratch_remove(directory);
    PASS();
}

TEST unreadable_and_unwritable(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    Error error = {0};
    char *data;
    size_t size;
    ASSERT_EQ(STATUS_CANNOT_READ,
              io_read_file(scratch_path(directory, "none"), 10, &data, &size, &error));
    ASSERT(strstr(error.message, "none': No such file") != NULL);
    ASSERT_EQ(STATUS_CANNOT_READ, io_read_file(directory, 10, &data, &size, NULL));
    ASSERT_EQ(STATUS_CANNOT_WRITE, write_new(scratch_path(directory, "no/such/file"), NULL));
    ASSERT_EQ(STATUS_CANNOT_WRITE, write_new(directory, NULL));
    ASSERT_EQ(0u, scratch_count(directory));
    scratch_remove(directory);
    PASS();
}

/* Root may write anywhere, so a read-only directory is only a test for others. */
TEST read_only_directory(void) {
    if (geteuid() == 0)
        SKIPm("root is not stopped by permissions");
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    const char *path = scratch_path(directory, "file");
    ASSERT(scratch_put(path, old_text, sizeof old_text));
    ASSERT_EQ(0, chmod(directory, 0500));
    Error error = {0};
    ASSERT_EQ(STATUS_CANNOT_WRITE, write_new(path, &error));
    ASSERT(strstr(error.message, "Permission denied") != NULL);
    ASSERT(scratch_holds(path, old_text, sizeof old_text));
    scratch_remove(directory);
    PASS();
}

TEST devices_are_written_to_not_replaced(void) {
    struct stat info;
    ASSERT_EQ(STATUS_OK, write_new("/dev/null", NULL));
    ASSERT_EQ(0, stat("/dev/null", &info));
    ASSERT(S_ISCHR(info.st_mode));
    if (access("/dev/full", W_OK) != 0)
        SKIPm("no /dev/full");
    Error error = {0};
    ASSERT_EQ(STATUS_CANNOT_WRITE, write_new("/dev/full", &error));
    ASSERT(strstr(error.message, "No space left") != NULL);
    PASS();
}

TEST directories_are_made_with_their_parents(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    struct stat info;
    const char *deep = scratch_path(directory, "a/b//c/");
    ASSERT_EQ(STATUS_OK, io_make_directory(deep, NULL));
    ASSERT_EQ(STATUS_OK, io_make_directory(deep, NULL));
    ASSERT(stat(deep, &info) == 0 && S_ISDIR(info.st_mode));
    ASSERT(scratch_put(scratch_path(directory, "file"), "x", 1));
    ASSERT_EQ(STATUS_CANNOT_WRITE, io_make_directory(scratch_path(directory, "file/x"), NULL));
    ASSERT_EQ(STATUS_CANNOT_WRITE, io_make_directory("", NULL));
    rmdir(scratch_path(directory, "a/b/c"));
    rmdir(scratch_path(directory, "a/b"));
    scratch_remove(directory);
    PASS();
}

TEST lists_are_sorted(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    static const char *const name[] = {"c", "a", "e", "b", "d"};
    for (size_t i = 0; i < 5; i++)
        ASSERT(scratch_put(scratch_path(directory, name[i]), "", 0));
    IoList list;
    ASSERT_EQ(STATUS_OK, io_list_directory(directory, &list, NULL));
    ASSERT_EQ(5u, list.count);
    for (size_t i = 0; i < 5; i++)
        ASSERT_EQ('a' + (int)i, list.name[i][0]);
    io_list_free(&list);
    scratch_remove(directory);
    PASS();
}

TEST links_replace_and_share(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    const char *from = scratch_path(directory, "from"), *to = scratch_path(directory, "to");
    ASSERT(scratch_put(from, new_text, sizeof new_text));
    ASSERT(scratch_put(to, old_text, sizeof old_text));
    for (int again = 0; again < 2; again++) {
        ASSERT_EQ(STATUS_OK, io_link_atomic(from, to, NULL));
        ASSERT(scratch_holds(to, new_text, sizeof new_text));
        ASSERT_EQ(2u, scratch_count(directory));
    }
    /* Replacing one name leaves the other alone. */
    ASSERT_EQ(STATUS_OK, io_write_atomic(from, &(Bytes){old_text, sizeof old_text}, 1, NULL));
    ASSERT(scratch_holds(to, new_text, sizeof new_text));
    scratch_remove(directory);
    PASS();
}

TEST second_lock_is_refused(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    IoLock first, second;
    Error error = {0};
    ASSERT_EQ(STATUS_OK, io_lock(directory, &first, &error));
    ASSERT_EQ(STATUS_RUN_LOCKED, io_lock(directory, &second, &error));
    char holder[64];
    snprintf(holder, sizeof holder, "process %ld", (long)getpid());
    ASSERTm(scratch_note(error.message), strstr(error.message, holder) != NULL);
    io_unlock(&first);
    ASSERT_EQ(0u, scratch_count(directory));
    ASSERT_EQ(STATUS_OK, io_lock(directory, &second, NULL));
    io_unlock(&second);
    io_unlock(&second);
    scratch_remove(directory);
    PASS();
}

/* A child takes the lock, leaves a temporary file and dies without unlocking. Beside it stand one of a
 * process that is alive and one that is somebody else's. */
TEST lock_of_a_dead_process_is_taken_over(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    pid_t child = fork();
    ASSERT(child >= 0);
    if (child == 0) {
        IoLock lock;
        char own[64];
        snprintf(own, sizeof own, ".pde-tmp-%ld-0", (long)getpid());
        bool made = io_lock(directory, &lock, NULL) == STATUS_OK &&
                    scratch_put(scratch_path(directory, own), "x", 1) &&
                    scratch_put(scratch_path(directory, ".pde-tmp-1-0"), "x", 1) &&
                    scratch_put(scratch_path(directory, ".pde-tmp-9-notes"), "x", 1);
        _exit(made ? 0 : 1);
    }
    int result;
    ASSERT_EQ(child, waitpid(child, &result, 0));
    ASSERT(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    ASSERT_EQ(4u, scratch_count(directory));
    IoLock lock;
    ASSERT_EQ(STATUS_OK, io_lock(directory, &lock, NULL));
    ASSERT_EQ(3u, scratch_count(directory));
    io_unlock(&lock);
    scratch_remove(directory);
    PASS();
}

#ifdef PDE_FAULTS
static int countdown, injected; /* the countdown-th operation is made to fail with `injected` */
static bool dies;               /* ... or the process ends there */

static int fail_nth(const char *operation) {
    (void)operation;
    if (countdown == 0 || --countdown > 0)
        return 0;
    if (dies)
        _exit(0);
    return injected;
}

/* Fails each operation in turn, with each kind of failure, until a run needs no more operations
 * than are let through. */
TEST atomic_write_survives_each_failure(void) {
    static const int kind[] = {ENOSPC, EIO, EROFS, IO_FAULT_SHORT};
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    const char *path = scratch_path(directory, "file");
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        int n = 0, failures = 0;
        for (bool finished = false; !finished; n++) {
            ASSERT(scratch_put(path, old_text, sizeof old_text));
            Error error = {0};
            countdown = n + 1;
            injected = kind[k];
            io_fault_hook = fail_nth;
            Status status = write_new(path, &error);
            io_fault_hook = NULL;
            finished = countdown > 0;
            bool is_new = scratch_holds(path, new_text, sizeof new_text);
            ASSERT(is_new || scratch_holds(path, old_text, sizeof old_text));
            if (status == STATUS_OK)
                ASSERT(is_new);
            else
                ASSERT_EQ(STATUS_CANNOT_WRITE, error.status);
            failures += status != STATUS_OK;
            ASSERT_EQ(1u, scratch_count(directory));
        }
        ASSERT(n >= 8); /* open, two writes, fsync, close, rename, open, fsync */
        ASSERT(failures >= (kind[k] == IO_FAULT_SHORT ? 2 : 8));
    }
    scratch_remove(directory);
    PASS();
}

TEST atomic_write_survives_a_crash_anywhere(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    const char *path = scratch_path(directory, "file");
    int old_seen = 0, new_seen = 0;
    for (int n = 1, result = 0; n < 40; n++) {
        ASSERT(scratch_put(path, old_text, sizeof old_text));
        pid_t child = fork();
        if (child == 0) {
            countdown = n;
            dies = true;
            io_fault_hook = fail_nth;
            write_new(path, NULL);
            _exit(17); /* got through */
        }
        ASSERT_EQ(child, waitpid(child, &result, 0));
        bool is_new = scratch_holds(path, new_text, sizeof new_text);
        ASSERT(is_new || scratch_holds(path, old_text, sizeof old_text));
        old_seen += !is_new;
        new_seen += is_new;
        if (WEXITSTATUS(result) == 17)
            break;
        ASSERT(n < 39);
    }
    ASSERT(old_seen >= 5 && new_seen >= 2);
    IoLock lock; /* the next run sweeps what the crashes left */
    ASSERT_EQ(STATUS_OK, io_lock(directory, &lock, NULL));
    ASSERT_EQ(2u, scratch_count(directory));
    io_unlock(&lock);
    scratch_remove(directory);
    PASS();
}

TEST failed_append_leaves_whole_records(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    const char *path = scratch_path(directory, "log");
    IoAppend file;
    Error error = {0};
    ASSERT_EQ(STATUS_OK, io_append_open(path, &file, &error));
    ASSERT_EQ(STATUS_OK, io_append(&file, "one\n", 4, &error));
    io_fault_hook = fail_nth;
    countdown = 1;
    injected = IO_FAULT_SHORT;
    ASSERT_EQ(STATUS_CANNOT_WRITE, io_append(&file, "broken\n", 7, &error));
    io_fault_hook = NULL;
    ASSERT(scratch_holds(path, "one\n", 4));
    ASSERT_EQ(STATUS_OK, io_append(&file, "two\n", 4, &error));
    ASSERT_EQ(STATUS_OK, io_append_close(&file, &error));
    ASSERT_EQ(STATUS_OK, io_append_open(path, &file, NULL));
    ASSERT_EQ(8, file.size);
    ASSERT_EQ(STATUS_OK, io_append_close(&file, NULL));
    ASSERT(scratch_holds(path, "one\ntwo\n", 8));
    scratch_remove(directory);
    PASS();
}

/* Every operation of reading and locking fails cleanly: an error, no leak, no lock held. */
TEST reads_and_locks_fail_cleanly(void) {
    char directory[SCRATCH_PATH_MAX];
    ASSERT(scratch_make(directory));
    const char *path = scratch_path(directory, "file");
    ASSERT(scratch_put(path, old_text, sizeof old_text));
    int failures = 0;
    for (int n = 1; n < 20; n++) {
        char *data;
        size_t size;
        IoLock lock;
        io_fault_hook = fail_nth;
        countdown = n;
        injected = EIO;
        dies = false;
        bool ok = io_read_file(path, 1000, &data, &size, NULL) == STATUS_OK;
        failures += !ok;
        ASSERT_EQ(ok, data != NULL);
        free(data);
        countdown = n;
        ok = io_map_file(path, &data, &size, NULL) == STATUS_OK;
        failures += !ok;
        ASSERT_EQ(ok, data != NULL);
        io_unmap_file(data, size);
        countdown = n;
        ok = io_lock(directory, &lock, NULL) == STATUS_OK;
        failures += !ok;
        io_fault_hook = NULL;
        io_unlock(&lock);
        ASSERT_EQ(1u, scratch_count(directory) - (io_exists(scratch_path(directory, "lock"))));
    }
    ASSERT(failures >= 9);
    scratch_remove(directory);
    PASS();
}
#endif

/* A mapped file has the bytes that are read; an empty one is no error, a directory is. */
TEST maps_what_is_read(void) {
    char directory[SCRATCH_PATH_MAX], *data, *read;
    size_t size, count;
    ASSERT(scratch_make(directory));
    const char *path = scratch_path(directory, "file");
    ASSERT(scratch_put(path, old_text, sizeof old_text));
    ASSERT_EQ(STATUS_OK, io_map_file(path, &data, &size, NULL));
    ASSERT_EQ(STATUS_OK, io_read_file(path, 1000, &read, &count, NULL));
    ASSERT_EQ(count, size);
    ASSERT_EQ(0, memcmp(data, read, size));
    free(read);
    io_unmap_file(data, size);
    ASSERT(scratch_put(path, "", 0));
    ASSERT_EQ(STATUS_OK, io_map_file(path, &data, &size, NULL));
    ASSERT(data == NULL && size == 0);
    io_unmap_file(data, size);
    ASSERT_EQ(STATUS_CANNOT_READ, io_map_file(directory, &data, &size, NULL));
    ASSERT_EQ(STATUS_CANNOT_READ, io_map_file(scratch_path(directory, "none"), &data, &size, NULL));
    scratch_remove(directory);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(write_then_read);
    RUN_TEST(maps_what_is_read);
    RUN_TEST(unreadable_and_unwritable);
    RUN_TEST(read_only_directory);
    RUN_TEST(devices_are_written_to_not_replaced);
    RUN_TEST(directories_are_made_with_their_parents);
    RUN_TEST(lists_are_sorted);
    RUN_TEST(links_replace_and_share);
    RUN_TEST(second_lock_is_refused);
    RUN_TEST(lock_of_a_dead_process_is_taken_over);
#ifdef PDE_FAULTS
    RUN_TEST(atomic_write_survives_each_failure);
    RUN_TEST(atomic_write_survives_a_crash_anywhere);
    RUN_TEST(failed_append_leaves_whole_records);
    RUN_TEST(reads_and_locks_fail_cleanly);
#endif
    GREATEST_MAIN_END();
}
