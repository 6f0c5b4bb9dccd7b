/* What the environment says of a launcher. */
#define _POSIX_C_SOURCE 200809L
#include "greatest.h"
#include "runtime/engine/ranks/launcher.h"

#include <string.h>

static const char *const *variables; /* name, value, name, ... NULL */

static char *value_of(const char *name) {
    static char text[32];
    for (const char *const *v = variables; *v; v += 2)
        if (strcmp(*v, name) == 0) {
            snprintf(text, sizeof text, "%s", v[1]);
            return text;
        }
    return NULL;
}

static Launcher found(const char *const *with) {
    variables = with;
    return launcher_find(value_of);
}

TEST a_process_alone(void) {
    static const char *const none[] = {NULL};
    static const char *const one[] = {"OMPI_COMM_WORLD_SIZE", "1", "OMPI_COMM_WORLD_RANK", "0",
                                      NULL};
    /* the script of a Slurm job is one process, whatever the job may start */
    static const char *const job[] = {"SLURM_NTASKS", "8", "SLURM_PROCID", "0", NULL};
    static const char *const odd[] = {"PMI_SIZE", "many", "OMPI_COMM_WORLD_SIZE", "-4", NULL};
    ASSERT_EQ(1, found(none).ranks);
    ASSERT_EQ(NULL, found(none).name);
    ASSERT_EQ(1, found(one).ranks);
    ASSERT_EQ(1, found(job).ranks);
    ASSERT_EQ(1, found(odd).ranks);
    PASS();
}

TEST one_of_several(void) {
    static const char *const open[] = {"OMPI_COMM_WORLD_SIZE", "4", "OMPI_COMM_WORLD_RANK", "3",
                                       NULL};
    static const char *const hydra[] = {"PMI_SIZE", "2", "PMI_RANK", "1", NULL};
    static const char *const step[] = {"SLURM_STEP_NUM_TASKS", "64", "SLURM_PROCID", "63", NULL};
    ASSERT_EQ(4, found(open).ranks);
    ASSERT_EQ(3, found(open).rank);
    ASSERT_STR_EQ("OMPI_COMM_WORLD_SIZE", found(open).variable);
    ASSERT_EQ(2, found(hydra).ranks);
    ASSERT_EQ(1, found(hydra).rank);
    ASSERT_EQ(64, found(step).ranks);
    ASSERT_EQ(63, found(step).rank);
    PASS();
}

GREATEST_MAIN_DEFS();

int main(int argc, char **argv) {
    GREATEST_MAIN_BEGIN();
    RUN_TEST(a_process_alone);
    RUN_TEST(one_of_several);
    GREATEST_MAIN_END();
}
