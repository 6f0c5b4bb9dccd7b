#define _POSIX_C_SOURCE 200809L
#include "engine/ranks/ranks.h"

#include "engine/ranks/transport.h"
#include "files/digest.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum Kind { KIND_GATHER, KIND_GIVE, KIND_SAME, KIND_ANY, KIND_LEAVE } Kind;

static const char *const kind_name[] = {"exchange of results", "gift", "comparison", "decision",
                                        "end"};

enum { MAGIC = 0x70646572, LEAVE_MOST = ERROR_MESSAGE_MAX + 16, RANKS_MOST = 4096 };
static const size_t PART_MOST = (size_t)1 << 30;

/* What a message begins with. */
typedef struct Head {
    uint32_t magic, kind;
    uint64_t number, bytes;
} Head;

struct Ranks {
    PdeRanks shared, both; /* both: coordinates are divided, too */
    int here;
    void *plugin;
    const PdeTransport *transport;
    double seconds;
    uint64_t number;  /* of the next message */
    char *send, **to; /* messages: this rank's, and each of the others' */
    size_t *room;     /* of each of these, this rank's own at its place */
    size_t *expected; /* bytes after the head */
    long long *got;
    Error failure;
    bool failed, told; /* told: the others know of it, from here or from elsewhere */
    bool silent;       /* another rank says it */
    RanksCount count;
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------------------------ failures */

static void leave_message(Ranks *r, Status status, const char *text) {
    char message[sizeof(Head) + LEAVE_MOST];
    uint32_t code = (uint32_t)status;
    size_t length = strlen(text) < ERROR_MESSAGE_MAX ? strlen(text) : ERROR_MESSAGE_MAX - 1;
    Head head = {MAGIC, KIND_LEAVE, r->number, sizeof code + length};
    memcpy(message, &head, sizeof head);
    memcpy(message + sizeof head, &code, sizeof code);
    memcpy(message + sizeof head + sizeof code, text, length);
    r->transport->tell(message, sizeof head + head.bytes);
    r->told = true;
}

/* This rank has found it: the others are told. */
static void fail(Ranks *r, const char *text) {
    r->failed = true;
    (void)error_set(&r->failure, STATUS_DISTRIBUTED, "%s", text);
    leave_message(r, STATUS_DISTRIBUTED, text);
}

/* Another rank ends, and says why; the first of those that are left says it to people. */
static void failed_elsewhere(Ranks *r, int from) {
    uint32_t code = 0;
    char text[ERROR_MESSAGE_MAX] = {0};
    assert(r->expected[from] >= sizeof code);
    size_t length = r->expected[from] - sizeof code;
    memcpy(&code, r->to[from] + sizeof(Head), sizeof code);
    memcpy(text, r->to[from] + sizeof(Head) + sizeof code,
           length < sizeof text ? length : sizeof text - 1);
    r->failed = r->told = true;
    r->silent = from == 0 || r->shared.rank > 0;
    (void)error_set(&r->failure, (Status)code, "%s", text);
}

/* "rank 3" or "ranks 1, 3 and 5" of those that have `got` this */
static int list_ranks(const Ranks *r, long long got, char *out, size_t size) {
    assert(got < 0 && size > 0);
    int found = 0;
    size_t used = 0;
    out[0] = 0;
    for (int k = 0; k < r->shared.ranks; k++) {
        if (k == r->shared.rank || r->got[k] != got)
            continue;
        int n = snprintf(out + used, size - used, "%s%d", found ? ", " : "", k);
        if (n > 0 && used + (size_t)n < size)
            used += (size_t)n;
        found++;
    }
    return found;
}

static void explain_missing(Ranks *r) {
    char list[256], text[ERROR_MESSAGE_MAX];
    int gone = list_ranks(r, PDE_GONE, list, sizeof list);
    int found = gone ? gone : list_ranks(r, PDE_NOT_COME, list, sizeof list);
    if (gone)
        snprintf(text, sizeof text,
                 "rank%s %s of %d ended without a word: killed, or its machine failed",
                 found > 1 ? "s" : "", list, r->shared.ranks);
    else
        snprintf(text, sizeof text,
                 "rank%s %s of %d did not answer within %g s: stopped, overloaded, or cut off "
                 "(--rank-timeout sets the time)",
                 found > 1 ? "s" : "", list, r->shared.ranks, r->seconds);
    fail(r, text);
    for (int k = 0; k < r->shared.rank; k++)
        r->silent = r->silent || r->got[k] >= 0; /* who is told, and says it */
}

/* The message of one rank is what this rank expects. */
static bool fits(Ranks *r, int from, Kind kind) {
    Head head = {0};
    char text[ERROR_MESSAGE_MAX];
    if (r->got[from] >= (long long)sizeof head)
        memcpy(&head, r->to[from], sizeof head);
    if (head.magic == MAGIC && r->got[from] == (long long)(sizeof head + head.bytes)) {
        if (head.kind == KIND_LEAVE && head.bytes >= sizeof(uint32_t)) {
            r->expected[from] = head.bytes;
            failed_elsewhere(r, from);
            return false;
        }
        if (head.kind == (uint32_t)kind && head.number == r->number &&
            head.bytes == r->expected[from])
            return true;
    }
    snprintf(
        text, sizeof text,
        "ranks %d and %d have come apart: message %llu (%s, %zu bytes) met message %llu (%s, %llu "
        "bytes); this is a defect of pderun",
        r->shared.rank, from, (unsigned long long)r->number, kind_name[kind], r->expected[from],
        (unsigned long long)head.number,
        head.kind <= KIND_LEAVE ? kind_name[head.kind] : "no message of this version",
        (unsigned long long)head.bytes);
    fail(r, text);
    r->silent = r->shared.rank > 0;
    return false;
}

/* ------------------------------------------------------------------------------------ exchange */

static bool make_room(Ranks *r) {
    for (int k = 0; k < r->shared.ranks; k++) {
        size_t need = sizeof(Head) + r->expected[k];
        char **at = k == r->shared.rank ? &r->send : &r->to[k];
        if (need < sizeof(Head) + LEAVE_MOST)
            need = sizeof(Head) + LEAVE_MOST;
        if (r->expected[k] > PART_MOST) {
            fail(
                r,
                "a rank's part of one exchange is larger than 1 GB: fewer --points, or more ranks");
            return false;
        }
        if (need <= r->room[k])
            continue;
        char *more = realloc(*at, need);
        if (!more) {
            fail(r, "no memory for what the ranks exchange");
            return false;
        }
        *at = more;
        r->room[k] = need;
    }
    return true;
}

/* Its payload stands behind the head in r->send, where make_room has made room for it. */
static bool exchange(Ranks *r, Kind kind) {
    assert(!r->failed && r->room[r->shared.rank] >= sizeof(Head) + r->expected[r->shared.rank]);
    Head head = {MAGIC, kind, r->number, r->expected[r->shared.rank]};
    double start = now();
    memcpy(r->send, &head, sizeof head);
    int missing = r->transport->exchange(r->send, sizeof head + head.bytes, (void *const *)r->to,
                                         r->room, r->got, r->seconds);
    r->count.seconds += now() - start;
    r->count.exchanges++;
    r->count.sent += (int64_t)(sizeof head + head.bytes);
    /* who says why it ends is heard before those who do not answer */
    for (int k = 0; k < r->shared.ranks; k++)
        if (k != r->shared.rank && r->got[k] >= 0 && !fits(r, k, kind))
            return false;
    if (missing)
        explain_missing(r);
    r->number++;
    return !r->failed;
}

/* -------------------------------------------------------------------------------------- gather */

static size_t part_bytes(const PdePiece *p, int rank) {
    return (size_t)(p->first[rank + 1] - p->first[rank]) * p->unit;
}

static char *part_at(const PdePiece *p, int rank, int64_t row) {
    return (char *)p->at + (size_t)row * p->stride + (size_t)p->first[rank] * p->unit;
}

static void gather(void *self, const PdePiece *piece, int pieces) {
    assert(pieces > 0);
    Ranks *r = self;
    int own = r->shared.rank;
    if (r->failed)
        return;
    for (int k = 0; k < r->shared.ranks; k++) {
        r->expected[k] = 0;
        for (int i = 0; i < pieces; i++)
            r->expected[k] += (size_t)piece[i].rows * part_bytes(&piece[i], k);
    }
    if (!make_room(r))
        return;
    char *to = r->send + sizeof(Head);
    for (int i = 0; i < pieces; i++)
        for (int64_t row = 0; row < piece[i].rows; row++, to += part_bytes(&piece[i], own))
            memcpy(to, part_at(&piece[i], own, row), part_bytes(&piece[i], own));
    if (!exchange(r, KIND_GATHER))
        return;
    for (int k = 0; k < r->shared.ranks; k++) {
        const char *from = r->to[k] + sizeof(Head);
        for (int i = 0; i < pieces && k != own; i++)
            for (int64_t row = 0; row < piece[i].rows; row++, from += part_bytes(&piece[i], k))
                memcpy(part_at(&piece[i], k, row), from, part_bytes(&piece[i], k));
    }
}

static void count_gather(void *self, const PdePiece *piece, int pieces) {
    assert(pieces > 0);
    Ranks *r = self;
    size_t most = 0;
    for (int k = 0; k < r->shared.ranks; k++) {
        size_t bytes = 0;
        for (int i = 0; i < pieces; i++)
            bytes += (size_t)piece[i].rows * part_bytes(&piece[i], k);
        most = bytes > most ? bytes : most;
    }
    r->count.exchanges++;
    r->count.sent += (int64_t)(sizeof(Head) + most);
}

Ranks *ranks_imagined(int ranks) {
    Ranks *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->shared = (PdeRanks){.ranks = ranks, .every = 1, .gather = count_gather, .self = r};
    r->both = r->shared;
    r->both.coordinates = 1;
    return r;
}

/* ------------------------------------------------------------------------------- small things */

/* The same number of bytes from each rank. */
static Status all_send(Ranks *r, Kind kind, const void *bytes, size_t size, Error *error) {
    for (int k = 0; k < r->shared.ranks; k++)
        r->expected[k] = size;
    if (r->failed || !make_room(r))
        return ranks_status(r, error);
    memcpy(r->send + sizeof(Head), bytes, size);
    exchange(r, kind);
    return ranks_status(r, error);
}

Status ranks_give(Ranks *r, void *bytes, size_t size, Error *error) {
    if (!r)
        return STATUS_OK;
    assert(size > 0);
    for (int k = 0; k < r->shared.ranks; k++)
        r->expected[k] = k == 0 ? size : 0;
    if (r->failed || !make_room(r))
        return ranks_status(r, error);
    if (r->shared.rank == 0)
        memcpy(r->send + sizeof(Head), bytes, size);
    if (exchange(r, KIND_GIVE) && r->shared.rank > 0)
        memcpy(bytes, r->to[0] + sizeof(Head), size);
    return ranks_status(r, error);
}

Status ranks_same(Ranks *r, const char *what, Bytes bytes, Error *error) {
    if (!r)
        return STATUS_OK;
    Digest own = digest_of(bytes.data, bytes.size);
    Status status = all_send(r, KIND_SAME, own.byte, sizeof own.byte, error);
    const char *zero = r->shared.rank > 0 ? r->to[0] : r->send;
    for (int k = 1; k < r->shared.ranks && status == STATUS_OK; k++) {
        const char *his = k == r->shared.rank ? r->send : r->to[k];
        if (memcmp(zero + sizeof(Head), his + sizeof(Head), sizeof own.byte) == 0)
            continue;
        char text[ERROR_MESSAGE_MAX];
        snprintf(text, sizeof text, "rank %d of %d has another %s than rank 0", k, r->shared.ranks,
                 what);
        r->failed = r->told = true; /* all have seen it */
        r->silent = r->shared.rank > 0;
        (void)error_set(&r->failure, STATUS_DISTRIBUTED, "%s", text);
        status = ranks_status(r, error);
    }
    return status;
}

Status ranks_any(Ranks *r, unsigned *bits, Error *error) {
    if (!r)
        return STATUS_OK;
    if (!r->transport) {
        r->count.exchanges++;
        r->count.sent += (int64_t)(sizeof(Head) + sizeof *bits);
        return STATUS_OK;
    }
    Status status = all_send(r, KIND_ANY, bits, sizeof *bits, error);
    for (int k = 0; k < r->shared.ranks && status == STATUS_OK; k++) {
        unsigned his = 0;
        memcpy(&his, (k == r->shared.rank ? r->send : r->to[k]) + sizeof(Head), sizeof his);
        *bits |= his;
    }
    return status;
}

Status ranks_status(const Ranks *r, Error *error) {
    return r && r->failed ? error_set(error, r->failure.status, "%s", r->failure.message)
                          : STATUS_OK;
}

bool ranks_speaks(const Ranks *r, Status status) {
    if (!r)
        return true;
    if (r->failed)
        return !r->silent;
    return status == STATUS_OK || r->shared.rank == 0;
}

const PdeRanks *ranks_shared(const Ranks *r, bool coordinates) {
    return !r ? NULL : coordinates ? &r->both : &r->shared;
}

int ranks_number(const Ranks *r) {
    return r ? r->shared.rank : 0;
}

int ranks_count(const Ranks *r) {
    return r ? r->shared.ranks : 1;
}

int ranks_here(const Ranks *r) {
    return r ? r->here : 1;
}

const char *ranks_library(const Ranks *r) {
    return r ? r->transport->library() : "";
}

RanksCount ranks_counted(const Ranks *r) {
    return r ? r->count : (RanksCount){0};
}

/* ------------------------------------------------------------------------------- open and close */

static Status open_plugin(Ranks *r, const char *path, Error *error) {
    r->plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL); /* parts of an MPI look for its symbols */
    r->transport = r->plugin ? dlsym(r->plugin, PDE_TRANSPORT_SYMBOL) : NULL;
    if (!r->transport) {
        const char *why = dlerror();
        return error_set(
            error, STATUS_DISTRIBUTED,
            "the connection between processes cannot be opened: %s ('pderun --build-mpi' "
            "builds it again)",
            why ? why : path);
    }
    if (r->transport->version != PDE_TRANSPORT_VERSION)
        return error_set(
            error, STATUS_DISTRIBUTED,
            "'%s' is of another version of pderun: 'pderun --build-mpi' builds it again", path);
    return STATUS_OK;
}

static Status connect_all(Ranks *r, const Launcher *l, Error *error) {
    char why[512] = "";
    int rank = 0, ranks = 1, here = 1;
    if (r->transport->open(&rank, &ranks, &here, why, sizeof why) != 0)
        return error_set(error, STATUS_DISTRIBUTED, "the processes cannot be connected: %s", why);
    r->shared = (PdeRanks){.rank = rank, .ranks = ranks, .gather = gather, .self = r};
    r->both = r->shared;
    r->both.coordinates = 1;
    r->here = here > 0 ? here : 1;
    if (ranks != l->ranks)
        return error_set(
            error, STATUS_DISTRIBUTED,
            "%s says that %d processes were started (%s), but %s knows of %d: the launcher "
            "is of another MPI than the one that pderun was connected with. Run 'pderun "
            "--build-mpi' with the mpicc of this launcher, or set MPICC to it",
            l->name, l->ranks, l->variable, r->transport->library(), ranks);
    if (ranks > RANKS_MOST)
        return error_set(error, STATUS_DISTRIBUTED, "at most %d ranks are possible", RANKS_MOST);
    r->to = calloc((size_t)ranks, sizeof *r->to);
    r->room = calloc((size_t)ranks, sizeof *r->room);
    r->expected = calloc((size_t)ranks, sizeof *r->expected);
    r->got = calloc((size_t)ranks, sizeof *r->got);
    return r->to && r->room && r->expected && r->got
               ? STATUS_OK
               : error_set(error, STATUS_OUT_OF_MEMORY, "no memory for what the ranks exchange");
}

static void release(Ranks *r) {
    for (int k = 0; r->to && k < r->shared.ranks; k++)
        free(r->to[k]);
    free(r->to);
    free(r->send);
    free(r->room);
    free(r->expected);
    free(r->got);
    free(r); /* the plugin stays: an MPI that was finished may still have threads */
}

Status ranks_open(const Launcher *launcher, const char *plugin, double seconds, Ranks **ranks,
                  Error *error) {
    assert(launcher->ranks > 1 && seconds > 0);
    Ranks *r = calloc(1, sizeof *r);
    *ranks = NULL;
    if (!r)
        return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for what the ranks exchange");
    r->seconds = seconds;
    Status status = open_plugin(r, plugin, error);
    if (status == STATUS_OK)
        status = connect_all(r, launcher, error);
    if (status == STATUS_OK)
        *ranks = r;
    else
        release(r);
    return status;
}

/* Ending the run kills the others, too: who has nothing to say waits for the one that has. */
static void let_others_speak(const Ranks *r, Status status) {
    const struct timespec while_others_speak = {2, 0};
    if (!ranks_speaks(r, status))
        nanosleep(&while_others_speak, NULL);
}

void ranks_close(Ranks *r, Status status, const Error *error) {
    if (!r)
        return;
    if (!r->transport) {
        release(r);
        return;
    }
    if (status == STATUS_OK || status == STATUS_INTERRUPTED) { /* all of them end like this */
        r->transport->close();
        release(r);
        return;
    }
    if (!r->told) {
        char text[ERROR_MESSAGE_MAX + 64];
        const char *why = error->message[0] ? error->message : status_summary(status);
        int n = snprintf(text, sizeof text, "rank %d of %d: ", r->shared.rank, r->shared.ranks);
        snprintf(text + n, sizeof text - (size_t)n, "%s", why);
        leave_message(r, status, text);
    }
    let_others_speak(r, status);
    r->transport->give_up(status_exit_code(status));
    release(r);
}
