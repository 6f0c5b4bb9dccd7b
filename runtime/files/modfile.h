/* modfile.h: the module file of abi.h, written by pdec and read by pderun.
 *
 * Written as a genuine ELF64 shared object of the host's machine: readelf and dlopen accept it,
 * and it holds no code, no constructors and no dependencies. Read by checking every bound and
 * every digest; the reader never loads it into the dynamic linker and never executes it.
 * (Not called elf.h: <sys/auxv.h> and others include <elf.h>, and must find the system's.) */
#ifndef PDE_RUNTIME_FILES_MODFILE_H
#define PDE_RUNTIME_FILES_MODFILE_H

#include "contract/abi.h"
#include "files/buffer.h"
#include "files/digest.h"

/* One section to write. */
typedef struct ModuleBlob {
    const char *name; /* ".pde.plan", ...: at most 15 bytes, not ".pde.head" */
    uint32_t flags;   /* PDE_SECTION_* */
    Bytes bytes;
} ModuleBlob;

/* The bytes of a module. They depend on the arguments only: no time, no path, no machine name.
 * soname: the DT_SONAME; version: of pdec, at most 31 bytes. */
Status module_build(const ModuleBlob *blob, size_t count, const char *soname, const char *version,
                    Buffer *out, Error *error);
/* module_build, then an atomic write; the soname is the last part of the path. */
Status module_write(const char *path, const ModuleBlob *blob, size_t count, const char *version,
                    Error *error);

/* A module that has passed all checks. owner of data; release with module_free. */
typedef struct ModuleFile {
    char *data;
    size_t size;
    const PdeHead *head;       /* into data */
    const PdeSection *section; /* head->section_count records, into data */
    Digest digest;             /* of the file: names this module in caches and checkpoints */
} ModuleFile;

enum { MODULE_SIZE_MAX = 1 << 30 };

Status module_read(const char *path, ModuleFile *module, Error *error);
/* The same from bytes in memory; takes ownership of `data` (from malloc), also on failure. */
Status module_parse(const char *path, char *data, size_t size, ModuleFile *module, Error *error);
/* False if the module has no such section. */
bool module_section(const ModuleFile *module, const char *name, Bytes *bytes);
/* The same for a section that must be there: STATUS_MODULE_SECTION if it is not. */
Status module_require(const ModuleFile *module, const char *name, Bytes *bytes, Error *error);
void module_free(ModuleFile *module);

#endif
