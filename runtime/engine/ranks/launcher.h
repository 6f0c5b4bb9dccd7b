/* launcher.h: was this process started as one of several? Told by the environment that launchers leave. */
#ifndef PDE_RUNTIME_ENGINE_RANKS_LAUNCHER_H
#define PDE_RUNTIME_ENGINE_RANKS_LAUNCHER_H

typedef struct Launcher {
    const char *name;     /* "Slurm's srun"; NULL: none */
    const char *variable; /* that tells how many */
    int ranks, rank;      /* 1 and 0 without one */
} Launcher;

/* value: getenv, or a test's. */
Launcher launcher_find(char *(*value)(const char *name));

#endif
