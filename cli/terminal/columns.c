/* Cuts names to the width of the terminal. */
#include "terminal/columns.h"

#include "output/message.h"
#include "output/shown_text.h"
#include "sluice.h"

#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int columns_of(int descriptor) {
    struct winsize w;
    return ioctl(descriptor, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

int result_columns(void) { return is_verbose() || !isatty(STDOUT_FILENO) ? ANY_WIDTH : columns_of(STDOUT_FILENO); }

/* As most terminals show a character: those of East Asia and pictures take two columns, marks above others none. */
static int width_of(uint32_t c) {
    static const struct {
        uint32_t first, last;
        int width;
    } ranges[] = {
        {0x300, 0x36f, 0},   {0x200b, 0x200f, 0},   {0x20d0, 0x20ff, 0},   {0x1100, 0x115f, 2}, {0x2e80, 0xa4cf, 2},
        {0xac00, 0xd7a3, 2}, {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},   {0xfe30, 0xfe6f, 2}, {0xff00, 0xff60, 2},
        {0xffe0, 0xffe6, 2}, {0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i].first && c <= ranges[i].last) return ranges[i].width;
    return 1;
}

/* The columns of the first character as it is shown, and how many bytes it has. */
static int columns_of_first(const char *bytes, size_t n, size_t *length) {
    char piece[SLUICE_ESCAPED];
    int shown;
    *length = sluice_escape(bytes, n, piece);
    if (*bytes == '\\') return 4;
    if (*piece == '\\') return (int)strlen(piece);
    size_t same;
    return width_of(sluice_character(bytes, n, &same, &shown));
}

int put_cut(FILE *out, const char *bytes, size_t n, int room) {
    static const char ellipsis[] = "...";
    if (room >= ANY_WIDTH) return put_exact(out, bytes, n);
    const int dots = (int)sizeof ellipsis - 1;
    int all = 0, columns = 0; /* of the whole, and of the longest beginning with room for the dots behind it */
    size_t kept = 0;
    for (size_t at = 0, k; at < n && all <= room; at += k) {
        all += columns_of_first(bytes + at, n - at, &k);
        if (all + dots > room) continue;
        columns = all;
        kept = at + k;
    }
    if (all <= room) {
        put_exact(out, bytes, n);
        return all;
    }
    put_exact(out, bytes, kept);
    return columns + fprintf(out, "%s", ellipsis);
}
