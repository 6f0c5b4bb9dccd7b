/* transport.h: how ranks exchange bytes: a table of functions that a plugin gives, opened with dlopen.
 *
 * Nothing here is of MPI: mpi_plugin.c is one plugin, which `pderun --build-mpi` compiles with the user's own MPI; the
 * tests have another. A plugin includes this file and nothing else of pderun. */
#ifndef PDE_TRANSPORT_H
#define PDE_TRANSPORT_H

#include <stddef.h>

enum {
    PDE_TRANSPORT_VERSION = 1,
    PDE_NOT_COME = -1, /* nothing came within the time */
    PDE_GONE = -2      /* nor will anything: that process has ended */
};

typedef struct PdeTransport {
    int version;
    /* What this process is among all of the run: its number and theirs, and how many of them are on this machine.
     * 0: it is connected; else the reason is in why[size]. */
    int (*open)(int *rank, int *ranks, int *local, char *why, size_t size);
    /* Sends own[bytes] to every other rank, and takes one message from each, of at most room[r] bytes, into to[r].
     * got[r] becomes its length, or why there is none after `seconds`. 0: all came. */
    int (*exchange)(const void *own, size_t bytes, void *const *to, const size_t *room,
                    long long *got, double seconds);
    /* Sends own[bytes] to whoever may still listen, and waits for nobody. */
    void (*tell)(const void *own, size_t bytes);
    /* The run is over for all; or this process gives up, and the others must not wait for it. */
    void (*close)(void);
    void (*give_up)(int code);
    const char *(*library)(void); /* name and version of what carries the bytes */
} PdeTransport;

/* The one symbol of a plugin. */
#define PDE_TRANSPORT_SYMBOL "pde_transport"

#endif
