/* launcher.c: one row of variables for each launcher. Those of Slurm are a job step's: the script of a job has
 * SLURM_NTASKS as well, and is one process. */
#include "engine/ranks/launcher.h"

#include "files/number.h"

#include <stddef.h>
#include <stdint.h>

enum { RANKS_MOST = 1 << 20 };

typedef struct Row {
    const char *name, *ranks, *rank;
} Row;

static const Row rows[] = {
    {"PDE_RANKS", "PDE_RANKS", "PDE_RANK"},
    {"Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"MPICH or another launcher with PMI", "PMI_SIZE", "PMI_RANK"},
    {"Slurm's srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};

static int number_of(const char *text, int most) {
    int64_t n = 0;
    return text && number_read_integer(text, &n) && n >= 0 && n <= most ? (int)n : -1;
}

Launcher launcher_find(char *(*value)(const char *name)) {
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        int ranks = number_of(value(rows[k].ranks), RANKS_MOST);
        int rank = number_of(value(rows[k].rank), RANKS_MOST);
        if (ranks > 1)
            return (Launcher){rows[k].name, rows[k].ranks, ranks, rank > 0 ? rank : 0};
    }
    return (Launcher){NULL, NULL, 1, 0};
}
