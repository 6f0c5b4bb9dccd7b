/* render.c: diagnostics as text with carets, as one line each, or as JSON.
 *
 * Everything that came from the user passes diag_plain or the cell writer below: nothing
 * hidden (contract/visible.h) reaches a terminal. A line is cut to a window around its first caret. */
#include "base/compilation.h"
#include "base/diag_list.h"
#include "base/json_text.h"
#include "base/limits.h"
#include "runtime/contract/visible.h"

#include <string.h>

enum { WINDOW = 160, BEFORE_CARET = 60, MARKS = DIAG_ALSO + 1 };

typedef struct Mark {
    uint32_t line, from, to; /* display cells, from 0 */
    bool primary;
    const char *label;
} Mark;

typedef struct Painter {
    Compilation *c;
    Text *out;
    bool colour;
    int gutter; /* width of the line numbers */
} Painter;

void diag_plain(Text *out, Str text) {
    char shown[PDE_VISIBLE_MAX];
    size_t taken;
    for (size_t i = 0; i < text.n; i += taken) {
        size_t n = pde_visible(text.s + i, text.n - i, shown, &taken);
        text_bytes(out, shown, n);
    }
}

static void plain_cstr(Text *out, const char *s) {
    diag_plain(out, (Str){s, strlen(s)});
}

static const char *paint(const Painter *p, const char *code) {
    return p->colour ? code : "";
}

#define BOLD "\x1b[1m"
#define RED "\x1b[1;31m"
#define YELLOW "\x1b[1;33m"
#define BLUE "\x1b[1;34m"
#define GREEN "\x1b[1;32m"
#define PLAIN "\x1b[0m"

/* The cells [from, from + WINDOW) of a line, one cell for anything unprintable. */
static void write_window(Text *out, Str line, uint32_t from) {
    uint32_t cell = 0;
    for (size_t i = 0; i < line.n && cell < from + WINDOW;) {
        uint32_t code = 0;
        size_t length = utf8_decode(line.s + i, line.n - i, &code);
        size_t step = length ? length : 1;
        uint32_t width = display_width(line.s + i, step);
        bool strange = length == 0 || pde_hidden(code);
        if (cell >= from) {
            if (code == '\t' && length)
                text_str(out, STR(" "));
            else if (strange)
                text_str(out, STR("?"));
            else
                text_bytes(out, line.s + i, length);
        }
        cell += width;
        i += step;
    }
}

static void gutter(const Painter *p, uint32_t line) {
    if (line)
        text_printf(p->out, "%s%*u |%s", paint(p, BLUE), p->gutter, line, paint(p, PLAIN));
    else
        text_printf(p->out, "%s%*s |%s", paint(p, BLUE), p->gutter, "", paint(p, PLAIN));
}

static Mark mark_of(const Compilation *c, Span span, bool primary, const char *label) {
    Place at = source_place(c, span.lo);
    Str line = source_line(at.source, at.line);
    uint32_t bytes = span.hi > span.lo ? span.hi - span.lo : 0;
    if (at.byte + bytes > line.n)
        bytes = line.n > at.byte ? (uint32_t)line.n - at.byte : 0;
    uint32_t width = bytes ? display_width(line.s + at.byte, bytes) : 0;
    Mark m = {.line = at.line, .from = at.column - 1, .primary = primary, .label = label};
    m.to = m.from + (width ? width : 1);
    return m;
}

/* The rows below a source line: underlines with the rightmost label beside them, then the other
 * labels hanging from bars, rightmost first. `mark` is sorted by column. */
static void write_marks(const Painter *p, const Mark *mark, uint32_t n, uint32_t left) {
    char row[WINDOW + 2];
    uint32_t used = 0;
    memset(row, ' ', sizeof row);
    for (int pass = 0; pass < 2; pass++) /* the primary is drawn over the others */
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t x = mark[i].from; x < mark[i].to; x++)
                if (x >= left && x - left < WINDOW && (pass == 1) == mark[i].primary) {
                    row[x - left] = mark[i].primary ? '^' : '-';
                    used = x - left + 1 > used ? x - left + 1 : used;
                }
    gutter(p, 0);
    text_printf(p->out, " %s%.*s", paint(p, RED), (int)used, row);
    const Mark *last = &mark[n - 1];
    uint32_t hanging = n;
    if (last->label) {
        text_str(p->out, STR(" "));
        plain_cstr(p->out, last->label);
        hanging = n - 1;
    }
    text_printf(p->out, "%s\n", paint(p, PLAIN));
    for (uint32_t i = hanging; i-- > 0;) {
        if (!mark[i].label || mark[i].from < left || mark[i].from - left >= WINDOW)
            continue;
        for (int text_row = 0; text_row < 2; text_row++) {
            memset(row, ' ', sizeof row);
            for (uint32_t j = 0; j <= i; j++)
                if (mark[j].label && mark[j].from >= left && mark[j].from - left < WINDOW)
                    row[mark[j].from - left] = '|';
            gutter(p, 0);
            uint32_t at = mark[i].from - left;
            text_printf(p->out, " %s%.*s", paint(p, BLUE), (int)(at + (text_row ? 0 : 1)), row);
            if (text_row)
                plain_cstr(p->out, mark[i].label);
            text_printf(p->out, "%s\n", paint(p, PLAIN));
        }
    }
}

static void sort_marks(Mark *mark, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = i; j > 0; j--) {
            Mark *a = &mark[j - 1], *b = &mark[j];
            if (a->line < b->line || (a->line == b->line && a->from <= b->from))
                break;
            Mark swap = *a;
            *a = *b;
            *b = swap;
        }
}

static uint32_t window_left(const Mark *mark, Str line) {
    if (display_width(line.s, line.n) <= WINDOW)
        return 0;
    return mark->from > BEFORE_CARET ? mark->from - BEFORE_CARET : 0;
}

static void write_snippet(const Painter *p, const Source *source, Mark *mark, uint32_t n) {
    sort_marks(mark, n);
    uint32_t last_line = 0;
    for (uint32_t i = 0; i < n;) {
        uint32_t end = i;
        while (end < n && mark[end].line == mark[i].line)
            end++;
        if (last_line && mark[i].line > last_line + 1) {
            gutter(p, 0);
            text_str(p->out, STR(" ...\n"));
        }
        Str line = source_line(source, mark[i].line);
        uint32_t left = window_left(&mark[i], line);
        gutter(p, mark[i].line);
        text_str(p->out, STR(" "));
        write_window(p->out, line, left);
        text_str(p->out, STR("\n"));
        write_marks(p, mark + i, end - i, left);
        last_line = mark[i].line;
        i = end;
    }
}

static void write_fix(const Painter *p, const DiagFix *fix) {
    Place at = source_place(p->c, fix->span.lo);
    Str line = source_line(at.source, at.line);
    uint32_t replaced = fix->span.hi - fix->span.lo;
    if (at.byte + replaced > line.n)
        replaced = at.byte < line.n ? (uint32_t)line.n - at.byte : 0;
    text_printf(p->out, "%*s %s= help:%s ", p->gutter, "", paint(p, GREEN), paint(p, PLAIN));
    plain_cstr(p->out, fix->help);
    text_str(p->out, STR("\n"));
    if (strchr(fix->replacement, '\n') || line.n > WINDOW)
        return;
    Text fixed = {.arena = &p->c->arena};
    text_bytes(&fixed, line.s, at.byte < line.n ? at.byte : line.n);
    text_bytes(&fixed, fix->replacement, strlen(fix->replacement));
    if (at.byte + replaced < line.n)
        text_bytes(&fixed, line.s + at.byte + replaced, line.n - at.byte - replaced);
    gutter(p, 0);
    text_str(p->out, STR("\n"));
    gutter(p, at.line);
    text_str(p->out, STR(" "));
    write_window(p->out, (Str){fixed.s, fixed.n}, 0);
    text_str(p->out, STR("\n"));
    uint32_t width = display_width(fix->replacement, strlen(fix->replacement));
    if (width) {
        gutter(p, 0);
        text_printf(p->out, " %*s%s", (int)(at.column - 1), "", paint(p, GREEN));
        for (uint32_t i = 0; i < width; i++)
            text_str(p->out, STR("~"));
        text_printf(p->out, "%s\n", paint(p, PLAIN));
    }
}

static int digits(uint32_t n) {
    int count = 1;
    for (; n >= 10; n /= 10)
        count++;
    return count;
}

static void write_text(Compilation *c, const Diag *d, bool colour, Text *out) {
    const DiagRow *row = diag_row(d->code);
    Place at = source_place(c, d->span.lo);
    Painter p = {.c = c, .out = out, .colour = colour};
    Mark mark[MARKS];
    uint32_t marks = 0, widest = at.line;
    mark[marks++] = mark_of(c, d->span, true, d->label);
    for (uint32_t i = 0; i < d->alsos; i++) {
        Place other = source_place(c, d->also[i].span.lo);
        if (other.source != at.source)
            continue;
        mark[marks++] = mark_of(c, d->also[i].span, false, d->also[i].label);
        widest = other.line > widest ? other.line : widest;
    }
    p.gutter = digits(widest) + 1;
    bool error = row->severity == SEVERITY_ERROR;
    text_printf(out, "%s%s[%s]%s: %s", paint(&p, error ? RED : YELLOW), error ? "error" : "warning",
                row->code, paint(&p, PLAIN), paint(&p, BOLD));
    plain_cstr(out, d->message);
    text_printf(out, "%s\n%*s%s-->%s ", paint(&p, PLAIN), p.gutter, "", paint(&p, BLUE),
                paint(&p, PLAIN));
    plain_cstr(out, at.source->name);
    text_printf(out, ":%u:%u\n", at.line, at.column);
    gutter(&p, 0);
    text_str(out, STR("\n"));
    write_snippet(&p, at.source, mark, marks);
    for (uint32_t i = 0; i < d->notes.n; i++) {
        text_printf(out, "%*s %s= note:%s ", p.gutter, "", paint(&p, BLUE), paint(&p, PLAIN));
        plain_cstr(out, d->notes.at[i]);
        text_str(out, STR("\n"));
    }
    if (d->fix.present)
        write_fix(&p, &d->fix);
    text_printf(out, "%*s %s=%s run 'pdec --explain %s' for more\n\n", p.gutter, "",
                paint(&p, BLUE), paint(&p, PLAIN), row->code);
}

static void write_short(Compilation *c, const Diag *d, Text *out) {
    Place at = source_place(c, d->span.lo);
    plain_cstr(out, at.source->name);
    text_printf(out, ":%u:%u: %s ", at.line, at.column, diag_row(d->code)->code);
    plain_cstr(out, d->message);
    text_str(out, STR("\n"));
}

static void json_span(const Compilation *c, Text *out, Span span) {
    Place lo = source_place(c, span.lo), hi = source_place(c, span.hi);
    text_str(out, STR("\"file\":"));
    emit_json_string(out, lo.source->name);
    text_printf(out, ",\"line\":%u,\"column\":%u,\"end_line\":%u,\"end_column\":%u", lo.line,
                lo.column, hi.line, hi.column);
}

static void write_json(Compilation *c, const Diag *d, Text *out) {
    const DiagRow *row = diag_row(d->code);
    text_printf(out, "{\"code\":\"%s\",\"severity\":\"%s\",\"slug\":\"%s\",\"message\":", row->code,
                row->severity == SEVERITY_ERROR ? "error" : "warning", row->slug);
    emit_json_string(out, d->message);
    text_str(out, STR(","));
    json_span(c, out, d->span);
    text_str(out, STR(",\"label\":"));
    emit_json_string(out, d->label ? d->label : "");
    text_str(out, STR(",\"also\":["));
    for (uint32_t i = 0; i < d->alsos; i++) {
        text_str(out, i ? STR(",{") : STR("{"));
        json_span(c, out, d->also[i].span);
        text_str(out, STR(",\"label\":"));
        emit_json_string(out, d->also[i].label);
        text_str(out, STR("}"));
    }
    text_str(out, STR("],\"notes\":["));
    for (uint32_t i = 0; i < d->notes.n; i++) {
        text_str(out, i ? STR(",") : STR(""));
        emit_json_string(out, d->notes.at[i]);
    }
    text_str(out, STR("]"));
    if (d->fix.present) {
        text_str(out, STR(",\"fix\":{"));
        json_span(c, out, d->fix.span);
        text_printf(out, ",\"certain\":%s,\"replacement\":", d->fix.certain ? "true" : "false");
        emit_json_string(out, d->fix.replacement);
        text_str(out, STR(",\"help\":"));
        emit_json_string(out, d->fix.help);
        text_str(out, STR("}"));
    }
    text_str(out, STR("}\n"));
}

static void write_one(Compilation *c, const Diag *d, DiagFormat format, bool colour, Text *out) {
    switch (format) {
    case DIAG_TEXT:
        write_text(c, d, colour, out);
        break;
    case DIAG_SHORT:
        write_short(c, d, out);
        break;
    case DIAG_JSON:
        write_json(c, d, out);
        break;
    }
}

void diag_render(Compilation *c, DiagFormat format, bool colour, Text *out) {
    if (!c->diags)
        return;
    diag_sort(c->diags);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < c->diags->list.n; i++) {
        const Diag *d = c->diags->list.at[i];
        if (shown == LIMIT_ERRORS && diag_row(d->code)->severity == SEVERITY_ERROR) {
            write_one(c, diag(c, E0709, d->span, LIMIT_ERRORS), format, colour, out);
            return;
        }
        write_one(c, d, format, colour, out);
        shown += diag_row(d->code)->severity == SEVERITY_ERROR;
    }
}
