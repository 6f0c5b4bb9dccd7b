/* points.c: points in, values out, in whatever format is wanted. */
#include "files/io.h"
#include "files/say.h"
#include "files/table/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

bool table_named(const char *path, const char *ending) {
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

Status points_read(const char *path, size_t limit, NpyFile *file, Error *error) {
    if (!table_named(path, ".csv") && !table_named(path, ".npz"))
        return npy_read(path, limit, file, error);
    char *data;
    size_t size;
    *file = (NpyFile){0};
    Status status = io_read_file(path, limit, &data, &size, error);
    if (status != STATUS_OK)
        return status;
    if (table_named(path, ".npz"))
        return npz_parse(path, data, size, file, error);
    status = csv_parse(path, data, size, file, error);
    free(data);
    return status;
}

static Status write_files(const Array *array, int count, const char *directory, Error *error) {
    Status status = io_make_directory(directory, error);
    for (int k = 0; k < count && status == STATUS_OK; k++) {
        char path[PATH_BYTES];
        int n = snprintf(path, sizeof path, "%s/%s.npy", directory, array[k].name);
        if (n < 0 || n >= (int)sizeof path)
            return error_set(error, STATUS_OPTION_VALUE, "the name of the directory is too long");
        status = npy_write(path, &array[k], error);
        if (status == STATUS_OK)
            say("%s\n", path);
    }
    return status;
}

Status table_write(const Array *array, int count, const char *out, Error *error) {
    const bool csv = table_named(out, ".csv");
    if (!csv && !table_named(out, ".npz"))
        return write_files(array, count, out, error);
    Status status = csv ? csv_write(out, array, (size_t)count, error)
                        : npz_write(out, array, (size_t)count, error);
    if (status == STATUS_OK)
        say("%s\n", out);
    return status;
}
