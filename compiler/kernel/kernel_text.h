/* kernel_text.h: headers of the runtime that stand at the top of generated source, embedded by CMake. */
#ifndef PDE_COMPILER_KERNEL_KERNEL_TEXT_H
#define PDE_COMPILER_KERNEL_KERNEL_TEXT_H

#include <stddef.h>

typedef struct KernelText {
    const char *name, *text;
    size_t n;
} KernelText;

extern const KernelText kernel_text[];
extern const size_t kernel_text_count;
/* Random numbers, for problems with expectations; host only. */
extern const KernelText draw_text[];
extern const size_t draw_text_count;

#endif
