/* soft.h: the parts of the software CUDA device to each other. See README.md. */
#ifndef SOFT_SOFT_H
#define SOFT_SOFT_H

#include "ptx.h"
#include "soft_cuda.h"

#include <stdio.h>

/* ---- memory.c: the device's memory ---------------------------------------------------------------
 * Device addresses lie in an arena that the host cannot touch; the bytes are kept elsewhere, at a
 * constant distance. Addresses are never given out twice. */
typedef struct Allocation {
    uint64_t address;
    size_t size;
    unsigned char *bytes;
    unsigned char *valid; /* one bit for each byte; NULL once all are valid */
    size_t nvalid;
    int freed, read_only, of_module;
    uint64_t serial;  /* which allocation it was */
    const char *name; /* of a module's variable */
} Allocation;

Allocation *memory_alloc(size_t size, int of_module);
int memory_free(uint64_t address); /* 0 if there is no live allocation there */
void memory_drop(Allocation *a);
Allocation *memory_find(uint64_t address); /* the one that contains it or lies before it */
Allocation *memory_live(uint64_t address, size_t size);
size_t memory_used(void);
int memory_live_count(void);
void memory_report_leaks(void);
void memory_mark(Allocation *a, size_t offset, size_t size);
int memory_is_valid(const Allocation *a, size_t offset, size_t size);
void memory_copy_valid(Allocation *to, size_t at, const Allocation *from, size_t offset,
                       size_t size);
const char *memory_describe(uint64_t address, size_t size, char *text, size_t room);

#define SHARED_STATIC_MAX (1u << 20)
#define SHARED_DYNAMIC_MAX (256u << 10)
#define PARAM_MAX 32768u
unsigned char *shared_window(void); /* addresses below 4 GB: static, then dynamic */
unsigned char *param_window(void);

/* ---- findings.c ------------------------------------------------------------------------------------*/
typedef struct Place { /* of a finding in a kernel */
    const Function *function, *kernel;
    const Insn *insn;
    int thread[3], block[3];
} Place;
void finding(SoftFinding kind, const Place *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
extern SoftCounters soft_counters;
FILE *soft_output(void);

/* ---- run.c: a grid of blocks ------------------------------------------------------------------------*/
typedef struct Launch {
    Function *kernel;
    unsigned grid[3], block[3];
    unsigned dynamic_shared;
    unsigned char *params;
} Launch;
int run_grid(const Launch *launch); /* 0 or a CUresult */
void run_forget(Module *m);         /* before it is freed */

/* ---- settings.c: environment ------------------------------------------------------------------------*/
typedef enum { ORDER_NORMAL, ORDER_REVERSED, ORDER_SHUFFLED } Order;
typedef struct Settings {
    Order order;
    uint64_t seed;
    size_t memory;
    int devices, driver_version, compute_capability;
    int64_t fail_at;    /* the call that fails, counted from 1; 0: none */
    int64_t fail_count; /* how many calls in a row, at least 1 */
    int trace, lazy;
} Settings;
const Settings *settings(void);

#endif
