/* arena.c: the one owner of a compilation's memory.
 *
 * Bump allocation in blocks of 64 KiB; larger requests get a block of their own. Nothing is freed
 * before arena_free. Failure never returns: it jumps to on_fail with fail_code set, so that no
 * caller needs a check and no caller can forget one. */
#include "base/base.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 * 1024)
#define ALIGNMENT ((size_t)16)

struct ArenaBlock {
    ArenaBlock *older;
    size_t used, size;
    _Alignas(16) unsigned char bytes[];
};

_Noreturn void arena_fail(Arena *a, int code) {
    assert(a->on_fail);
    a->fail_code = code;
    longjmp(*a->on_fail, 1);
}

static ArenaBlock *block_add(Arena *a, size_t bytes) {
    size_t size =
        bytes > BLOCK_BYTES - sizeof(ArenaBlock) ? bytes : BLOCK_BYTES - sizeof(ArenaBlock);
    ArenaBlock *block = calloc(1, sizeof *block + size);
    if (!block)
        arena_fail(a, ARENA_FAIL_MEMORY);
    block->size = size;
    block->older = a->block;
    a->block = block;
    return block;
}

void *arena_alloc(Arena *a, size_t bytes) {
    a->calls++;
    if (a->fail_at && a->calls >= a->fail_at)
        arena_fail(a, ARENA_FAIL_MEMORY);
    if (bytes > a->limit || a->used > a->limit - bytes)
        arena_fail(a, ARENA_FAIL_LIMIT);
    bytes = (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    ArenaBlock *block = a->block;
    if (!block || block->size - block->used < bytes)
        block = block_add(a, bytes);
    void *p = block->bytes + block->used;
    block->used += bytes;
    a->used += bytes;
    return p;
}

void *arena_grow(Arena *a, void *old, size_t old_bytes, size_t new_bytes) {
    void *p = arena_alloc(a, new_bytes);
    if (old_bytes)
        memcpy(p, old, old_bytes);
    return p;
}

void arena_free(Arena *a) {
    while (a->block) {
        ArenaBlock *older = a->block->older;
        free(a->block);
        a->block = older;
    }
    a->used = 0;
}
