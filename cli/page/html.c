/* Writes text and numbers as HTML. */
#include "page/html.h"

#include "terminal/figures.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *escaped(char c) {
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

void html_text(FILE *out, const char *text) { html_bytes(out, text, strlen(text), SIZE_MAX); }

void html_bytes(FILE *out, const char *text, size_t n, size_t most) {
    int shown;
    for (size_t k; n; text += k, n -= k) {
        if (most-- == 0) {
            fputs("\xe2\x80\xa6", out);
            return;
        }
        uint32_t c = sluice_character(text, n, &k, &shown);
        const char *safe = escaped(*text);
        if (safe)
            fputs(safe, out);
        else if (c == SLUICE_NO_CHARACTER || c < 0x20 || (c >= 0x7f && c < 0xa0))
            fputs("&#xfffd;", out);
        else /* a browser keeps marks of direction to the element that they stand in */
            fwrite(text, 1, k, out);
    }
}

void put_feature_name(FILE *out, const sluice_weight *w) {
    enum { NAME_LENGTH = 120 };
    if (w->is_bias)
        fputs("<i>bias</i>", out);
    else if (!w->name.text)
        fprintf(out, "%" PRIu64, w->id);
    else {
        fputs("<bdi>", out);
        html_bytes(out, w->name.text, w->name.n, NAME_LENGTH);
        fputs("</bdi>", out);
    }
}

void html_count(FILE *out, double mean) {
    const uint64_t tenths = (uint64_t)round(10 * mean);
    fputs(COUNT(tenths / 10), out);
    if (mean != floor(mean)) fprintf(out, ".%" PRIu64, tenths % 10);
}

void html_grouped(FILE *out, uint64_t n) { fputs(COUNT(n), out); }

void html_short(FILE *out, double n) {
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
    size_t unit = 0;
    for (; n >= 1000 && unit < 6; unit++) n /= 1000;
    fprintf(out, "%.6g%s", n, units[unit]);
}

void html_share(FILE *out, double rate) { fprintf(out, "%.4g %%", 100 * rate); }

void html_percent(FILE *out, double rate, int digits) {
    if (isnan(rate))
        fputs("\xe2\x80\x93", out);
    else
        fprintf(out, "%.*f %%", digits, 100 * rate);
}
