/* table.h: arrays of numbers in the formats of other programs. */
#ifndef PDE_RUNTIME_FILES_TABLE_TABLE_H
#define PDE_RUNTIME_FILES_TABLE_TABLE_H

#include "files/npy.h"

/* Does the path end in this, in lower case: ".csv"? */
bool table_named(const char *path, const char *ending);

/* Points, by the ending of the name: .csv, .npz (its array `x` or `points`, or the only one), else .npy. At most
 * `limit` bytes. Release with npy_free. */
Status points_read(const char *path, size_t limit, NpyFile *file, Error *error);

/* Arrays of as many rows to `out`: file.csv, file.npz, or a folder for NAME.npy of each. Says what was written. */
Status table_write(const Array *array, int count, const char *out, Error *error);

/* Rows of numbers between commas, semicolons or blanks; the first line may be a heading. The text is in data[size],
 * which a 0 ends. */
Status csv_parse(const char *path, const char *data, size_t size, NpyFile *file, Error *error);
/* Columns named after their arrays, with _1, _2, ... for those of a matrix; all have as many rows. */
Status csv_write(const char *path, const Array *array, size_t count, Error *error);

/* What numpy.savez writes; compressed ones are refused. Takes data over (free()). */
Status npz_parse(const char *path, char *data, size_t size, NpyFile *file, Error *error);
Status npz_write(const char *path, const Array *array, size_t count, Error *error);

#endif
