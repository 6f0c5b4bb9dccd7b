/* checkpoint.c: digest, rotation and choice of checkpoints.
 *
 * The digest stands at a fixed place, as the first entry of the safetensors metadata, and is taken
 * over the file with its own 64 characters as zeros: so every bit of the file is covered, the
 * digest's own included (an upper-case digit is not the digit that was written). */
#include "files/digest.h"
#include "files/io.h"
#include "train/checkpoint.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file_prefix[] = "checkpoint-";
static const char file_suffix[] = ".safetensors";
static const char best_name[] = "best.safetensors", kept_name[] = "kept.safetensors";

/* What a checkpoint begins with, after the 8 bytes of the header's length. */
static const char digest_prefix[] = "{\"__metadata__\":{\"sha256\":\"";
static const char digest_zeros[] =
    "0000000000000000000000000000000000000000000000000000000000000000";

enum {
    ITERATION_DIGITS = 12,
    DIGEST_PLACE = 8 + sizeof digest_prefix - 1,
};

/* ---- names ---- */

static bool join(char *out, const char *directory, const char *name) {
    int written = snprintf(out, CHECKPOINT_PATH_MAX, "%s/%s", directory, name);
    return written > 0 && written < CHECKPOINT_PATH_MAX;
}

/* Numbered checkpoints sort by iteration because the digits are padded. */
static bool is_numbered(const char *name) {
    size_t prefix = sizeof file_prefix - 1;
    return strncmp(name, file_prefix, prefix) == 0 &&
           strspn(name + prefix, "0123456789") == ITERATION_DIGITS &&
           strcmp(name + prefix + ITERATION_DIGITS, file_suffix) == 0;
}

static Status list_numbered(const char *directory, IoList *list, Error *error) {
    Status status = io_list_directory(directory, list, error);
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (is_numbered(list->name[i]))
            list->name[kept++] = list->name[i];
        else
            free(list->name[i]);
    }
    list->count = kept;
    return status;
}

/* ---- saving ---- */

static Status write_checkpoint(const char *path, uint64_t iteration, const char *run_json,
                               const Array *array, size_t count, Supply supply, Error *error) {
    char iteration_text[24];
    snprintf(iteration_text, sizeof iteration_text, "%" PRIu64, iteration);
    const SafetensorsText text[] = {
        {"sha256", digest_zeros}, {"iteration", iteration_text}, {"run", run_json}};
    SafetensorsParts parts;
    Status status = safetensors_assemble(array, count, text, 3, &parts, error);
    if (status != STATUS_OK)
        return status;
    assert(memcmp(parts.header.data + DIGEST_PLACE, digest_zeros, DIGEST_HEX_SIZE) == 0);
    Digest digest = digest_of_supplied(parts.part, parts.count, supply);
    char hex[DIGEST_HEX_SIZE + 1];
    memcpy(parts.header.data + DIGEST_PLACE, digest_hex(&digest, hex), DIGEST_HEX_SIZE);
    status = io_write_supplied(path, parts.part, parts.count, supply, error);
    safetensors_parts_free(&parts);
    return status;
}

/* Removes all but the newest `keep` up to `iteration`. Later ones are left alone: they are damaged
 * (the run resumed before them) and will be overwritten as the run passes them. */
static void remove_old(const char *directory, const char *newest, int keep) {
    assert(keep > 0 && is_numbered(newest));
    IoList list;
    if (list_numbered(directory, &list, NULL) != STATUS_OK)
        return;
    int kept = 0;
    for (size_t i = list.count; i-- > 0;) {
        char path[CHECKPOINT_PATH_MAX];
        if (strcmp(list.name[i], newest) > 0 || kept++ < keep)
            continue;
        if (join(path, directory, list.name[i]))
            io_remove(path, NULL);
    }
    io_list_free(&list);
}

Status checkpoint_save(const char *directory, uint64_t iteration, const char *run_json,
                       const Array *array, size_t count, CheckpointOptions options, Error *error) {
    char name[64], path[CHECKPOINT_PATH_MAX], best[CHECKPOINT_PATH_MAX], kept[CHECKPOINT_PATH_MAX];
    snprintf(name, sizeof name, "%s%0*" PRIu64 "%s", file_prefix, ITERATION_DIGITS, iteration,
             file_suffix);
    if (!join(path, directory, name) || !join(best, directory, best_name) ||
        !join(kept, directory, kept_name))
        return error_set(error, STATUS_CANNOT_WRITE, "the path '%s' is too long", directory);
    Status status =
        write_checkpoint(path, iteration, run_json, array, count, options.supply, error);
    if (status == STATUS_OK && options.best)
        status = io_link_atomic(path, best, error);
    if (status == STATUS_OK && options.kept)
        status = io_link_atomic(path, kept, error);
    if (status == STATUS_OK)
        remove_old(directory, name, options.keep > 1 ? options.keep : 1);
    return status;
}

/* ---- loading ---- */

static bool digest_matches(const char *data, size_t size) {
    if (size < DIGEST_PLACE + DIGEST_HEX_SIZE ||
        memcmp(data + 8, digest_prefix, sizeof digest_prefix - 1) != 0)
        return false;
    const char *after = data + DIGEST_PLACE + DIGEST_HEX_SIZE;
    const Bytes part[] = {{data, DIGEST_PLACE},
                          {digest_zeros, DIGEST_HEX_SIZE},
                          {after, size - DIGEST_PLACE - DIGEST_HEX_SIZE}};
    Digest digest = digest_of_parts(part, 3);
    char hex[DIGEST_HEX_SIZE + 1];
    return memcmp(digest_hex(&digest, hex), data + DIGEST_PLACE, DIGEST_HEX_SIZE) == 0;
}

static bool read_iteration(const char *text, uint64_t *iteration) {
    *iteration = 0;
    size_t digits = text ? strspn(text, "0123456789") : 0;
    if (digits == 0 || digits > 19 || text[digits] != '\0')
        return false;
    for (size_t i = 0; i < digits; i++)
        *iteration = *iteration * 10 + (uint64_t)(text[i] - '0');
    return true;
}

Status checkpoint_load(const char *path, Checkpoint *checkpoint, Error *error) {
    *checkpoint = (Checkpoint){0};
    char *data;
    size_t size;
    Status status = io_map_file(path, &data, &size, error); /* it may be larger than what is free */
    if (status != STATUS_OK)
        return status;
    if (!digest_matches(data, size)) {
        io_unmap_file(data, size);
        return error_set(error, STATUS_CHECKPOINT_DAMAGED,
                         "'%s' is damaged: its digest does not match", path);
    }
    status = safetensors_parse_mapped(path, data, size, &checkpoint->file, error);
    if (status != STATUS_OK)
        return status;
    checkpoint->run = safetensors_find_text(&checkpoint->file, "run");
    const char *iteration = safetensors_find_text(&checkpoint->file, "iteration");
    if (!checkpoint->run || !read_iteration(iteration, &checkpoint->iteration)) {
        checkpoint_free(checkpoint);
        return error_set(error, STATUS_CHECKPOINT_DAMAGED, "'%s' is not a checkpoint of pderun",
                         path);
    }
    return STATUS_OK;
}

Status checkpoint_load_newest(const char *directory, Checkpoint *checkpoint, Buffer *notes,
                              Error *error) {
    *checkpoint = (Checkpoint){0};
    IoList list;
    Status status = list_numbered(directory, &list, error);
    if (status != STATUS_OK)
        return status;
    size_t damaged = 0;
    bool loaded = false;
    for (size_t i = list.count; i-- > 0 && !loaded;) {
        char path[CHECKPOINT_PATH_MAX];
        Error problem = {0};
        loaded = join(path, directory, list.name[i]) &&
                 checkpoint_load(path, checkpoint, &problem) == STATUS_OK;
        if (loaded && damaged > 0)
            buffer_printf(notes, "falling back to '%s'\n", path);
        else if (!loaded && ++damaged)
            buffer_printf(notes, "%s\n", problem.message);
    }
    io_list_free(&list);
    if (loaded)
        return STATUS_OK;
    return error_set(error, STATUS_NO_CHECKPOINT,
                     damaged ? "'%s' holds %zu checkpoints and none is intact"
                             : "'%s' holds no checkpoint (%zu found)",
                     directory, damaged);
}

Status checkpoint_load_best(const char *directory, Checkpoint *checkpoint, Buffer *notes,
                            Error *error) {
    char path[CHECKPOINT_PATH_MAX];
    if (join(path, directory, best_name) && io_exists(path)) {
        Error problem = {0};
        if (checkpoint_load(path, checkpoint, &problem) == STATUS_OK)
            return STATUS_OK;
        buffer_printf(notes, "%s\n", problem.message);
    }
    return checkpoint_load_newest(directory, checkpoint, notes, error);
}

Status checkpoint_load_kept(const char *directory, Checkpoint *checkpoint, Error *error) {
    char path[CHECKPOINT_PATH_MAX];
    *checkpoint = (Checkpoint){0};
    return join(path, directory, kept_name)
               ? checkpoint_load(path, checkpoint, error)
               : error_set(error, STATUS_CANNOT_READ, "the path '%s' is too long", directory);
}

bool checkpoint_exists(const char *directory) {
    IoList list;
    bool found = list_numbered(directory, &list, NULL) == STATUS_OK && list.count > 0;
    io_list_free(&list);
    return found;
}

Status checkpoint_remove_all(const char *directory, Error *error) {
    char path[CHECKPOINT_PATH_MAX];
    IoList list;
    Status status = list_numbered(directory, &list, error);
    for (size_t i = 0; i < list.count && status == STATUS_OK; i++)
        if (join(path, directory, list.name[i]))
            status = io_remove(path, error);
    if (status == STATUS_OK && join(path, directory, best_name))
        status = io_remove(path, error);
    if (status == STATUS_OK && join(path, directory, kept_name))
        status = io_remove(path, error);
    io_list_free(&list);
    return status;
}

void checkpoint_free(Checkpoint *checkpoint) {
    safetensors_free(&checkpoint->file);
    *checkpoint = (Checkpoint){0};
}
