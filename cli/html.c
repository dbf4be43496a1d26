#include "html.h"

#include "utf8.h"

#include <math.h>
#include <string.h>

static const char *escaped(unsigned char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void html_text(FILE *out, const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    for (size_t n = strlen(text), k; n; at += k, n -= k) {
        k = utf8_character(at, n);
        const char *safe = escaped(*at);
        if (safe)
            fputs(safe, out);
        else if (k == 0 || *at < 0x20 || *at == 0x7f)
            fputs("&#xfffd;", out);
        else
            fwrite(at, 1, k, out);
        if (k == 0) k = 1;
    }
}

void html_count(FILE *out, double mean) { fprintf(out, "%.*f", mean == floor(mean) ? 0 : 1, mean); }

void html_percent(FILE *out, double rate, int digits) {
    if (isnan(rate))
        fputs("\xe2\x80\x93", out);
    else
        fprintf(out, "%.*f %%", digits, 100 * rate);
}
