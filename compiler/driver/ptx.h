/* ptx.h: generated kernels compiled for CUDA architectures, by NVRTC, which is opened when it is
 * wanted. */
#ifndef PDE_COMPILER_DRIVER_PTX_H
#define PDE_COMPILER_DRIVER_PTX_H

#include "runtime/files/buffer.h"
#include "runtime/files/modfile.h"

enum { PTX_ARCHS = 12, PTX_BLOBS = 4 * PTX_ARCHS };

/* Architectures as "sm_80,sm_90". */
typedef struct PtxArchs {
    int at[PTX_ARCHS];
    int n;
} PtxArchs;

/* False if the text is no such list. */
bool ptx_read_archs(const char *text, PtxArchs *out);

/* `source` already says that it is for CUDA, as --emit=cuda prints it. */
Status ptx_print(Bytes source, int arch, Buffer *out, Error *error);

/* PTX of a module's source and of the engine for each architecture, with float and double numbers,
 * as sections of the module. Sizes and parameters are variables there, set when a run starts.
 * owner: ptx_free. */
typedef struct PtxSections {
    Buffer text[PTX_BLOBS];
    char name[PTX_BLOBS][PDE_SECTION_NAME_SIZE];
    ModuleBlob blob[PTX_BLOBS];
    size_t n;
} PtxSections;

Status ptx_sections(Bytes source, const PtxArchs *archs, PtxSections *out, Error *error);
void ptx_free(PtxSections *sections);

#endif
