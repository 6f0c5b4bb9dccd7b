/* soft_run N COMMAND...: N processes of the command, joined by pairs of sockets for soft_transport.c, as mpirun starts
 * them. Ends with the exit code of the first that failed, by rank; a process that a signal ended counts as 100. SIGINT and
 * SIGTERM go on to all. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS_MOST = 64 };

static pid_t child[RANKS_MOST];

static void pass_on(int number) {
    for (int k = 0; k < RANKS_MOST; k++)
        if (child[k] > 0)
            kill(child[k], number);
}

static void become(int rank, int ranks, int wire[RANKS_MOST][RANKS_MOST], char **command) {
    char list[RANKS_MOST * 12] = "", text[16];
    for (int a = 0; a < ranks; a++)
        for (int b = 0; b < ranks; b++)
            if (a != rank && b != a)
                close(wire[a][b]);
    for (int k = 0; k < ranks; k++) {
        snprintf(text, sizeof text, "%s%d", k ? "," : "", k == rank ? -1 : wire[rank][k]);
        strncat(list, text, sizeof list - strlen(list) - 1);
    }
    setenv("PDE_SOFT_WIRES", list, 1);
    snprintf(text, sizeof text, "%d", ranks);
    setenv("PDE_RANKS", text, 1);
    snprintf(text, sizeof text, "%d", rank);
    setenv("PDE_RANK", text, 1);
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

int main(int argc, char **argv) {
    static int wire[RANKS_MOST][RANKS_MOST];
    int ranks = argc > 2 ? (int)strtol(argv[1], NULL, 10) : 0, code = 0;
    if (ranks < 1 || ranks > RANKS_MOST) {
        fprintf(stderr, "soft_run N COMMAND...\n");
        return 2;
    }
    for (int a = 0; a < ranks; a++)
        for (int b = a + 1; b < ranks; b++) {
            int pair[2];
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
                perror("socketpair");
                return 2;
            }
            wire[a][b] = pair[0];
            wire[b][a] = pair[1];
        }
    for (int k = 0; k < ranks; k++)
        if ((child[k] = fork()) == 0)
            become(k, ranks, wire, argv + 2);
    for (int a = 0; a < ranks; a++)
        for (int b = 0; b < ranks; b++)
            if (a != b)
                close(wire[a][b]);
    signal(SIGINT, pass_on);
    signal(SIGTERM, pass_on);
    for (int k = 0; k < ranks; k++) {
        int how = 0;
        while (waitpid(child[k], &how, 0) < 0)
            ;
        int own = WIFEXITED(how) ? WEXITSTATUS(how) : 100;
        code = code ? code : own;
    }
    return code;
}
