/* abi.h: the contract between pdec, which writes a module, and pderun, which reads it.
 *
 * A module is an ELF64 shared object that holds data only. Everything of ours lies in sections
 * named ".pde.*"; the first, ".pde.head", is the PdeHead below followed by `section_count`
 * PdeSection records, one for each other section. The dynamic symbol `pde_module` points at it, so
 * that another host can dlopen the file and walk the table: section offsets count from the start
 * of the header, in the file and in memory alike. Numbers are little-endian.
 *
 * Plain C11 with <stdint.h>; included by both programs and by nothing generated. */
#ifndef PDE_RUNTIME_CONTRACT_ABI_H
#define PDE_RUNTIME_CONTRACT_ABI_H

#include <stdint.h>

/* Like PNG's: the line ends catch a file that was transferred as text. */
#define PDE_MAGIC "PDE\r\n\x1a\n"
#define PDE_MAGIC_SIZE 8 /* with the NUL */

/* Same major: loads. A minor newer than the reader's: refused. Adding an optional section needs
 * neither; adding a required one or a key that must be understood raises the minor; changing the
 * meaning of anything raises the major. */
#define PDE_ABI_MAJOR 3
#define PDE_ABI_MINOR 0

#define PDE_SECTION_NAME_SIZE 16
#define PDE_VERSION_SIZE 32
#define PDE_SECTION_LIMIT 64
#define PDE_DIGEST_SIZE 32

/* A reader that does not know a section may ignore it if it has this flag, must refuse if not. */
#define PDE_SECTION_OPTIONAL 1u

/* PDE_SECTION(id, name, flags, what is in it) for every section this version defines. */
#define PDE_SECTIONS(PDE_SECTION)                                                                  \
    PDE_SECTION(PLAN, ".pde.plan", 0u,                                                             \
                "JSON, UTF-8: problem, coordinates, fields, terms, plan, reference values")        \
    PDE_SECTION(SRC, ".pde.src", 0u, "kernel source in the dialect of prelude.h, UTF-8")           \
    PDE_SECTION(BC32, ".pde.bc32", PDE_SECTION_OPTIONAL,                                           \
                "LLVM bitcode for the host with real = float; absent if pdec had no clang")        \
    PDE_SECTION(BC64, ".pde.bc64", PDE_SECTION_OPTIONAL, "the same with real = double")            \
    PDE_SECTION(WT32, ".pde.wt32", PDE_SECTION_OPTIONAL,                                           \
                "bitcode of kernels that watch their values: run to find what was not finite")     \
    PDE_SECTION(WT64, ".pde.wt64", PDE_SECTION_OPTIONAL, "the same with real = double")            \
    PDE_SECTION(CONF, ".pde.conf", 0u,                                                             \
                "JSON object: default settings, keys are pderun's option names")                   \
    PDE_SECTION(DBG, ".pde.dbg", PDE_SECTION_OPTIONAL, "the .pde text as the user wrote it")       \
    PDE_SECTION(MATH, ".pde.math", PDE_SECTION_OPTIONAL,                                           \
                "MathML of the equations and conditions, for the report")                          \
    PDE_SECTION(DATA, ".pde.data", PDE_SECTION_OPTIONAL,                                           \
                "arrays named by `data` statements, in the safetensors format")                    \
    PDE_SECTION(ALT0, ".pde.alt0", PDE_SECTION_OPTIONAL,                                           \
                "a whole module of its own: a variant of the problem, to be tried beside it")      \
    PDE_SECTION(ALT1, ".pde.alt1", PDE_SECTION_OPTIONAL, "the next variant")                       \
    PDE_SECTION(ALT2, ".pde.alt2", PDE_SECTION_OPTIONAL, "the next variant")                       \
    PDE_SECTION(ALT3, ".pde.alt3", PDE_SECTION_OPTIONAL, "the next variant")                       \
    PDE_SECTION(ALT4, ".pde.alt4", PDE_SECTION_OPTIONAL, "the next variant")                       \
    PDE_SECTION(ALT5, ".pde.alt5", PDE_SECTION_OPTIONAL, "the next variant")                       \
    PDE_SECTION(ALT6, ".pde.alt6", PDE_SECTION_OPTIONAL, "the next variant")                       \
    PDE_SECTION(ALT7, ".pde.alt7", PDE_SECTION_OPTIONAL, "the next variant")

/* Variants stand in .pde.alt0, .pde.alt1, ... without a gap. */
#define PDE_VARIANTS_MAX 8

typedef struct PdeSection {
    char name[PDE_SECTION_NAME_SIZE]; /* NUL-terminated, NUL-padded */
    uint64_t offset;                  /* from the start of PdeHead, multiple of 64 */
    uint64_t size;                    /* bytes */
    uint32_t flags;                   /* PDE_SECTION_* */
    uint32_t reserved;                /* 0 */
    uint8_t sha256[PDE_DIGEST_SIZE];  /* of the section's bytes */
} PdeSection;

typedef struct PdeHead {
    char magic[PDE_MAGIC_SIZE];
    uint16_t abi_major, abi_minor;
    uint32_t section_count;
    uint64_t head_size;                   /* of this struct and the records that follow it */
    uint64_t file_size;                   /* of the whole ELF file */
    char version[PDE_VERSION_SIZE];       /* of the pdec that wrote it, NUL-padded */
    uint8_t head_sha256[PDE_DIGEST_SIZE]; /* of head_size bytes, both digests taken as zero */
    uint8_t file_sha256[PDE_DIGEST_SIZE]; /* of the whole file, this digest taken as zero */
} PdeHead;

_Static_assert(sizeof(PdeSection) == 72, "PdeSection is part of the file format");
_Static_assert(sizeof(PdeHead) == 128, "PdeHead is part of the file format");

#endif
