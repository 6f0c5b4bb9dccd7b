/* soft_transport.c: a transport without MPI, between processes that soft_run.c has joined by pairs of sockets. It can be
 * told to fail: PDE_SOFT_FAULT=RANK:CALL:WHAT, where the CALL-th exchange of that rank (from 1) does WHAT: exit (the
 * process ends at once), stop (it answers no more, and ends after a while), fail (the call reports that nothing came), odd (it sends bytes that
 * are no message). */
#define _GNU_SOURCE
#include "runtime/engine/ranks/transport.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { RANKS_MOST = 64, STOPPED_SECONDS = 8 };

/* One message on its way to or from another rank. */
typedef struct Flow {
    uint64_t length;
    size_t done; /* bytes, of the length itself too */
    char *to;
    const char *from;
    size_t room;
    int gone;
} Flow;

static int own_rank, all_ranks, wire[RANKS_MOST];
static long calls;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int number_in(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? (int)strtol(text, NULL, 10) : otherwise;
}

static int open_wires(int *rank, int *ranks, int *local, char *why, size_t size) {
    const char *list = getenv("PDE_SOFT_WIRES");
    all_ranks = number_in("PDE_SOFT_RANKS", number_in("PDE_RANKS", 1));
    own_rank = number_in("PDE_RANK", 0);
    if (!list || all_ranks > RANKS_MOST) {
        snprintf(why, size, "not started by soft_run");
        return 1;
    }
    for (int k = 0; k < all_ranks; k++) {
        char *end;
        wire[k] = (int)strtol(list, &end, 10);
        list = *end ? end + 1 : end;
        if (k == own_rank)
            continue;
        fcntl(wire[k], F_SETFD, FD_CLOEXEC);
        fcntl(wire[k], F_SETFL, O_NONBLOCK);
    }
    *rank = own_rank;
    *ranks = all_ranks;
    *local = all_ranks;
    return 0;
}

/* Moves what can be moved now; 1: something was. */
static int move(int fd, Flow *f, int out) {
    char skipped[4096];
    char *length = (char *)&f->length;
    ssize_t n;
    if (f->done < sizeof f->length) {
        size_t left = sizeof f->length - f->done;
        n = out ? send(fd, length + f->done, left, MSG_NOSIGNAL)
                : recv(fd, length + f->done, left, 0);
    } else {
        size_t at = f->done - sizeof f->length, left = f->length - at;
        if (out)
            n = send(fd, f->from + at, left, MSG_NOSIGNAL);
        else if (f->length <= f->room)
            n = recv(fd, f->to + at, left, 0);
        else /* longer than there is room for: only its length is of interest */
            n = recv(fd, skipped, left < sizeof skipped ? left : sizeof skipped, 0);
    }
    if (n > 0)
        f->done += (size_t)n;
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        f->gone = 1;
    return n > 0;
}

static int is_done(const Flow *f) {
    return f->gone || (f->done >= sizeof f->length && f->done == sizeof f->length + f->length);
}

static const char *fault(void) {
    const char *text = getenv("PDE_SOFT_FAULT");
    int rank = -1;
    long call = -1;
    static char what[8];
    calls++;
    return text && sscanf(text, "%d:%ld:%7s", &rank, &call, what) == 3 && rank == own_rank &&
                   call == calls
               ? what
               : "";
}

static int exchange(const void *own, size_t bytes, void *const *to, const size_t *room,
                    long long *got, double seconds) {
    static const char odd[64];
    Flow in[RANKS_MOST], out[RANKS_MOST];
    const char *wrong = fault();
    double start = now();
    int missing = 0;
    if (strcmp(wrong, "exit") == 0)
        _exit(9);
    if (strcmp(wrong, "stop") == 0) {
        sleep(STOPPED_SECONDS);
        _exit(9);
    }
    for (int k = 0; k < all_ranks; k++) {
        in[k] = (Flow){.to = to[k], .room = room[k], .gone = k == own_rank};
        out[k] = (Flow){.length = bytes, .from = own, .gone = k == own_rank};
        if (strcmp(wrong, "odd") == 0)
            out[k] = (Flow){.length = sizeof odd, .from = odd, .gone = k == own_rank};
    }
    for (int left = 1; left && now() - start < seconds && strcmp(wrong, "fail") != 0;) {
        struct pollfd ready[RANKS_MOST];
        int moved = 0;
        left = 0;
        for (int k = 0; k < all_ranks; k++) {
            while (!is_done(&out[k]) && move(wire[k], &out[k], 1))
                moved = 1;
            while (!is_done(&in[k]) && move(wire[k], &in[k], 0))
                moved = 1;
            left += !is_done(&in[k]) + (!is_done(&out[k]) && !in[k].gone);
            ready[k] = (struct pollfd){k == own_rank || is_done(&in[k]) ? -1 : wire[k], POLLIN, 0};
        }
        if (left && !moved)
            poll(ready, (nfds_t)all_ranks, 10);
    }
    for (int k = 0; k < all_ranks; k++) {
        got[k] = k == own_rank     ? 0
                 : in[k].gone      ? PDE_GONE
                 : is_done(&in[k]) ? (long long)in[k].length
                                   : PDE_NOT_COME;
        missing += got[k] < 0;
    }
    return missing;
}

static void tell(const void *own, size_t bytes) {
    for (int k = 0; k < all_ranks; k++) {
        Flow out = {.length = bytes, .from = own};
        while (k != own_rank && !is_done(&out) && move(wire[k], &out, 1))
            ;
    }
}

static void finish(void) {
}

static void give_up(int code) {
    (void)code;
}

static const char *library(void) {
    return "sockets of the tests";
}

__attribute__((visibility("default"))) extern const PdeTransport pde_transport;
const PdeTransport pde_transport = {.version = PDE_TRANSPORT_VERSION,
                                    .open = open_wires,
                                    .exchange = exchange,
                                    .tell = tell,
                                    .close = finish,
                                    .give_up = give_up,
                                    .library = library};
