/* mpi_plugin.c: the transport of MPI. `pderun --build-mpi` compiles it with the mpicc of the user, so that its numbers
 * are those of the MPI at hand; it is no part of pderun itself. Messages are sent from each rank to each other, so that
 * a rank that does not answer is known by name. */
#define _POSIX_C_SOURCE 200809L
#ifndef PDE_TRANSPORT_H
#include "engine/ranks/transport.h"
#endif

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 1, SPINS = 2000, ABORT_SECONDS = 3 };

static int own_rank, all_ranks;
static MPI_Comm world;
static MPI_Request *request; /* [2][ranks]: what comes, what goes */
static MPI_Status *state;    /* [2][ranks] */
static int *done;            /* [2][ranks]: numbers of requests */

static int connect_world(int *rank, int *ranks, int *local, char *why, size_t size) {
    int given = 0, started = 0;
    MPI_Comm here;
    MPI_Initialized(&started);
    if (!started && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) {
        snprintf(why, size, "MPI could not be started");
        return 1;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &world);
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world, &own_rank);
    MPI_Comm_size(world, &all_ranks);
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, local);
    MPI_Comm_free(&here);
    *rank = own_rank;
    *ranks = all_ranks;
    request = calloc(2 * (size_t)all_ranks, sizeof *request);
    state = calloc(2 * (size_t)all_ranks, sizeof *state);
    done = calloc(2 * (size_t)all_ranks, sizeof *done);
    if (!request || !state || !done) {
        snprintf(why, size, "no memory");
        return 1;
    }
    return 0;
}

static void start_all(const void *own, size_t bytes, void *const *to, const size_t *room,
                      long long *got) {
    for (int k = 0; k < all_ranks; k++) {
        request[k] = request[all_ranks + k] = MPI_REQUEST_NULL;
        got[k] = k == own_rank ? 0 : PDE_NOT_COME;
        if (k == own_rank)
            continue;
        int most = room[k] < INT_MAX ? (int)room[k] : INT_MAX;
        if (MPI_Irecv(to[k], most, MPI_BYTE, k, TAG, world, &request[k]) != MPI_SUCCESS)
            got[k] = PDE_GONE;
    }
    for (int k = 0; k < all_ranks; k++)
        if (k != own_rank && MPI_Isend(own, (int)bytes, MPI_BYTE, k, TAG, world,
                                       &request[all_ranks + k]) != MPI_SUCCESS)
            got[k] = PDE_GONE;
}

/* Requests that are complete; -1: none is left. */
static int take_some(long long *got) {
    int n = 0;
    MPI_Testsome(2 * all_ranks, request, &n, done, state);
    if (n == MPI_UNDEFINED)
        return -1;
    for (int i = 0; i < n; i++) {
        int length = 0, k = done[i] % all_ranks;
        if (done[i] >= all_ranks)
            continue;
        if (MPI_Get_count(&state[i], MPI_BYTE, &length) == MPI_SUCCESS && length != MPI_UNDEFINED)
            got[k] = length;
        else
            got[k] = PDE_GONE;
    }
    return n;
}

static int exchange(const void *own, size_t bytes, void *const *to, const size_t *room,
                    long long *got, double seconds) {
    double start = MPI_Wtime();
    int missing = 0, left = 0;
    if (bytes > INT_MAX)
        return 1;
    start_all(own, bytes, to, room, got);
    for (long spin = 0; (left = take_some(got)) >= 0; spin++) {
        if (left > 0)
            spin = 0;
        else if (spin > SPINS)
            sched_yield(); /* more ranks than processors */
        if (left == 0 && MPI_Wtime() - start > seconds)
            break;
    }
    for (int k = 0; k < all_ranks; k++)
        missing += got[k] < 0;
    return missing;
}

static void tell(const void *own, size_t bytes) {
    char *kept = malloc(bytes); /* for as long as the process lives */
    if (!kept)
        return;
    memcpy(kept, own, bytes);
    for (int k = 0, come = 0; k < all_ranks; k++) {
        MPI_Request sent;
        if (k != own_rank &&
            MPI_Isend(kept, (int)bytes, MPI_BYTE, k, TAG, world, &sent) == MPI_SUCCESS)
            MPI_Test(&sent, &come, MPI_STATUS_IGNORE);
    }
}

static void finish(void) {
    MPI_Finalize();
}

/* Where MPI itself hangs, the alarm ends the process. */
static void give_up(int code) {
    signal(SIGALRM, SIG_DFL);
    alarm(ABORT_SECONDS);
    MPI_Abort(world, code);
}

static const char *library(void) {
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n,")] = 0;
    return text;
}

extern const PdeTransport pde_transport;
const PdeTransport pde_transport = {.version = PDE_TRANSPORT_VERSION,
                                    .open = connect_world,
                                    .exchange = exchange,
                                    .tell = tell,
                                    .close = finish,
                                    .give_up = give_up,
                                    .library = library};
