/* visible_print.h: printf for text that people read. What stands in the format is ours and stays; what %s and
 * %c put in came from elsewhere (a module, a file's name, an option) and is shown with every character that
 * would steer a terminal made visible, line ends too: see contract/visible.h. */
#ifndef PDE_RUNTIME_FILES_VISIBLE_PRINT_H
#define PDE_RUNTIME_FILES_VISIBLE_PRINT_H

#include "files/status.h"

#include <stdarg.h>
#include <stddef.h>

/* As snprintf: NUL-terminated where size > 0, the result is the length of the whole text. Conversions: d i u x
 * f e g a s c with flags, width, precision, and lengths l, ll, z. A precision of %s never cuts a character. */
size_t visible_print(char *out, size_t size, const char *format, ...) PDE_FORMAT(3, 4);
size_t visible_vprint(char *out, size_t size, const char *format, va_list arguments)
    PDE_FORMAT(3, 0);

#endif
