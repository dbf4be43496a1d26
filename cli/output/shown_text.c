/* Writes text from outside so that a terminal shows it and nothing else happens. */
#include "output/shown_text.h"

#include "sluice.h"

#include <string.h>

void put_shown(FILE *out, const char *text) {
    char piece[SLUICE_ESCAPED];
    for (size_t n = strlen(text), k; n; text += k, n -= k) {
        k = sluice_escape(text, n, piece);
        fputs(piece, out);
    }
}

int put_exact(FILE *out, const char *bytes, size_t n) {
    char piece[SLUICE_ESCAPED];
    int written = 0;
    for (size_t k; n; bytes += k, n -= k) {
        k = sluice_escape(bytes, n, piece);
        if (*bytes == '\\') strcpy(piece, "\\x5c");
        fputs(piece, out);
        written += *piece == '\\' ? (int)strlen(piece) : 1;
    }
    return written;
}

int shows_as_it_is(const char *text) {
    int shown = 1;
    for (size_t n = strlen(text), k; n && shown; text += k, n -= k) sluice_character(text, n, &k, &shown);
    return shown;
}
