/* processes.c: see processes.h. What a mode cannot do is refused here, before anything is opened. */
#define _GNU_SOURCE
#include "train/processes.h"

#include "contract/version.h"
#include "engine/engine.h"
#include "engine/ranks/build.h"
#include "engine/ranks/ranks.h"
#include "files/say.h"
#include "load/jit.h"

#include <assert.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What only one process can do. */
static const Option alone[] = {OPTION_PLAN,  OPTION_SELFTEST, OPTION_PREDICT, OPTION_EXPORT,
                               OPTION_ERROR, OPTION_SUGGEST,  OPTION_INFO,    OPTION_TRACE};

static Status check_options(const Config *config, const Launcher *l, Error *error) {
    for (size_t k = 0; k < sizeof alone / sizeof *alone; k++) {
        const OptionRow *row = &option_table[alone[k]];
        if (row->kind == KIND_FLAG ? config_flag(config, alone[k])
                                   : config_is_set(config, alone[k]))
            return error_set(error, STATUS_OPTION_CONFLICT,
                             "%s started %d processes, and --%s is work of one: run it without the "
                             "launcher",
                             l->name, l->ranks, row->name);
    }
    if (config_is_set(config, OPTION_DEVICE) && !config_is(config, OPTION_DEVICE, "auto") &&
        strcmp(config_text(config, OPTION_DEVICE), "cpu") != 0)
        return error_set(
            error, STATUS_OPTION_CONFLICT,
            "%s started %d processes, and --device %s is for one process so far: leave "
            "out the launcher, or the device",
            l->name, l->ranks, config_text(config, OPTION_DEVICE));
    return STATUS_OK;
}

/* The processors that this process may use: a launcher may have bound it to some, else the ranks of this machine
 * share all. */
static int threads_of_rank(const Ranks *ranks) {
    assert(ranks_count(ranks) > 1);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    cpu_set_t set;
    CPU_ZERO(&set);
    long bound = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : online;
    long share = bound < online ? bound : online / ranks_here(ranks);
    return share > 1 ? (int)share : 1;
}

static Status choose(Config *config, Option option, long value, Error *error) {
    char text[32];
    snprintf(text, sizeof text, "%ld", value);
    return config_choose(config, option, text, error);
}

Status processes_join(Config *config, Error *error) {
    char plugin[RANKS_PATH_MAX];
    Launcher l = launcher_find(getenv);
    if (l.ranks == 1 || config_is(config, OPTION_DISTRIBUTE, "none"))
        return STATUS_OK;
    if (l.rank > 0)
        say_nothing();
    Status status = check_options(config, &l, error);
    if (status != STATUS_OK)
        return status;
    if (!ranks_plugin(plugin))
        return error_set(
            error, STATUS_DISTRIBUTED,
            "%s started %d processes (%s), and pderun is not connected with its MPI yet: run "
            "'pderun --build-mpi' once, or let each process be a run of its own with "
            "--distribute none",
            l.name, l.ranks, l.variable);
    status =
        ranks_open(&l, plugin, config_number(config, OPTION_RANK_TIMEOUT), &config->ranks, error);
    if (status == STATUS_OK && ranks_number(config->ranks) > 0)
        say_nothing();
    if (status == STATUS_OK)
        status = choose(config, OPTION_THREADS, threads_of_rank(config->ranks), error);
    return status == STATUS_OK ? config_choose(config, OPTION_DEVICE, "cpu", error) : status;
}

Status processes_compare(const ModuleFile *module, const Config *config, Error *error) {
    assert(module->data);
    Ranks *ranks = config->ranks;
    Buffer text = {0};
    JsonWriter json = {.out = &text};
    if (!ranks)
        return STATUS_OK;
    buffer_printf(&text, "%s %s %s", PDE_VERSION, pde_commit, jit_llvm_version());
    Status status = buffer_status(&text, error);
    if (status == STATUS_OK)
        status = ranks_same(ranks, "version of pderun", (Bytes){text.data, text.size}, error);
    if (status == STATUS_OK)
        status =
            ranks_same(ranks, "module", (Bytes){&module->digest, sizeof module->digest}, error);
    buffer_free(&text);
    json_begin_object(&json);
    config_write_json(config, &json);
    json_end_object(&json);
    if (status == STATUS_OK)
        status = buffer_status(&text, error);
    if (status == STATUS_OK)
        status = ranks_same(ranks, "set of options", (Bytes){text.data, text.size}, error);
    buffer_free(&text);
    /* generated kernels, LAPACK and libm are those of the processor and of the C library */
    buffer_printf(&text, "%s %s %s", pde_isa_name(pde_isa_best()), jit_processor(),
                  gnu_get_libc_version());
    if (status == STATUS_OK)
        status = buffer_status(&text, error);
    if (status == STATUS_OK)
        status = ranks_same(ranks, "kind of processor or C library", (Bytes){text.data, text.size},
                            error);
    buffer_free(&text);
    return status;
}

Status processes_build(Error *error) {
    char path[RANKS_PATH_MAX];
    Status status = ranks_build(path, error);
    if (status == STATUS_OK)
        say("built %s\nstart a run with: mpirun -n 4 pderun FILE.pde\n", path);
    return status;
}
