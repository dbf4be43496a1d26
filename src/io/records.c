/* Finds the ends of records. Text without quotes costs two fast searches, text with quotes one for every quote, or,
 * where the processor can, a few instructions for 64 bytes: a bit for every quote, and those between an odd one and the
 * next are in quotes. */
#include "io/records.h"

#include <stdint.h>
#include <string.h>

#include "base/system.h"
#include "sluice.h"

static size_t find(const char *text, size_t from, size_t n, char c) {
    const char *found = from < n ? memchr(text + from, c, n - from) : NULL;
    return found ? (size_t)(found - text) : n;
}

/* Behind the last newline in text[from..to), or `none`. */
static size_t past_last_newline(const char *text, size_t from, size_t to, size_t none) {
    if (to - from == 1) return text[from] == '\n' ? to : none; /* between quoted fields there is mostly one byte */
    const char *found = from < to ? sl_find_last(text + from, '\n', to - from) : NULL;
    return found ? (size_t)(found + 1 - text) : none;
}

static bool opens(const sl_cut *c, const char *text, size_t quote) {
    if (quote == c->fresh) return true;
    return quote > 0 && (text[quote - 1] == c->separator || text[quote - 1] == '\n');
}

/* The next stretch of text[at..n) outside quotes; false when all of it was scanned. */
static bool next_plain(sl_cut *c, const char *text, size_t n, size_t *from, size_t *to) {
    if (c->quoted) {
        size_t close = find(text, c->at, n, '"');
        c->at = n;
        if (close == n) return false;
        c->quoted = false;
        c->at = c->fresh = close + 1;
    }
    if (c->at == n) return false;
    size_t quote = find(text, c->at, n, '"');
    *from = c->at;
    *to = quote;
    c->quoted = quote < n && opens(c, text, quote);
    c->at = quote < n ? quote + 1 : n;
    return true;
}

size_t sl_past_blank_line(const char *text, size_t p, size_t n) {
    size_t q = p;
    while (q < n && text[q] == ' ') q++;
    if (q < n && text[q] == '\r') q++;
    return q < n && text[q] == '\n' ? q + 1 : p;
}

size_t sl_count_newlines(const char *text, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += text[i] == '\n';
    return count;
}

char sl_guess_separator(const char *text, size_t n, bool *decided, bool *open) {
    static const char candidates[] = {',', '\t', ';', '|'};
    enum { CANDIDATES = sizeof candidates };
    size_t count[CANDIDATES] = {0}, best = 0, i = 0;
    const size_t stop = n < SL_SEPARATOR_LOOK ? n : SL_SEPARATOR_LOOK;
    bool quoted = false, begins = true; /* begins: a quote here opens, since a field begins or quotes were closed */
    for (; i < stop && (quoted || text[i] != '\n'); i++) {
        if (quoted) {
            quoted = text[i] != '"';
            begins = !quoted;
            continue;
        }
        const char *found = memchr(candidates, text[i], CANDIDATES);
        if (found) count[found - candidates]++;
        quoted = text[i] == '"' && begins;
        begins = found != NULL;
    }
    for (size_t k = 1; k < CANDIDATES; k++)
        if (count[k] > count[best]) best = k;
    *decided = i < n || i == SL_SEPARATOR_LOOK;
    *open = quoted && !*decided;
    return candidates[best];
}

int sluice_separator(const char *word) {
    static const struct {
        const char *word;
        char separator;
    } words[] = {{"tab", '\t'}, {"\\t", '\t'}, {"comma", ','}, {"semicolon", ';'}, {"bar", '|'}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].word, word) == 0) return words[i].separator;
    const unsigned char c = (unsigned char)*word;
    const unsigned char lower = c | 0x20;
    if (!c || word[1] || c >= 0x7f || (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z')) return 0;
    return memchr("\"\r\n +-.#", c, 9) ? 0 : c;
}

int sluice_guess_separator(const char *record, size_t n) {
    bool decided, open;
    const char separator = sl_guess_separator(record, n, &decided, &open);
    return open ? 0 : separator;
}

/* Guesses the separator by the first record that is not blank. *end moves behind the blank lines before it. False: more
 * text is needed. */
static bool find_separator(sl_cut *c, const char *text, size_t n, size_t *end) {
    size_t p = *end, q;
    bool decided, open;
    while ((q = sl_past_blank_line(text, p, n)) > p) p = q;
    *end = p;
    const size_t scanned = c->at > p ? c->at : p; /* the record has no end before that */
    c->at = n;
    if (find(text, scanned, n, '\n') == n && n - p < SL_SEPARATOR_LOOK) return false;
    const char separator = sl_guess_separator(text + p, n - p, &decided, &open);
    if (!decided) return false;
    c->separator = separator;
    c->at = c->fresh = p;
    return true;
}

/* Every bit becomes the parity of itself and those below it. */
static inline uint64_t parities(uint64_t bits) {
    for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
}

/* The window at text[at], where all quotes open and close fields; *end moves behind its last newline outside quotes.
 * False, and nothing has happened: there is a quote that does neither. */
static inline bool cut_window(sl_cut *c, const char *text, size_t *end) {
    const sl_quote_bits bits = c->find_quotes(text + c->at, c->separator);
    const uint64_t inside = parities(bits.quotes) ^ (c->quoted ? UINT64_MAX : 0); /* with the quote that opens */
    const uint64_t closing = bits.quotes & ~inside, plain = bits.newlines & ~inside;
    const uint64_t may_open = (closing | bits.separators | bits.newlines) << 1 | opens(c, text, c->at);
    if (bits.quotes & inside & ~may_open) return false;
    if (plain) *end = c->at + SL_MARKS_WINDOW - (size_t)__builtin_clzll(plain);
    c->quoted = inside >> 63;
    c->at += SL_MARKS_WINDOW;
    if (closing >> 63) c->fresh = c->at;
    return true;
}

/* Scans all whole windows; returns the end as sl_cut_last() does. */
static size_t cut_windows(sl_cut *c, const char *text, size_t n, size_t end) {
    while (n - c->at >= SL_MARKS_WINDOW) {
        size_t from, to;
        const size_t stop = c->at + SL_MARKS_WINDOW;
        if (cut_window(c, text, &end)) continue;
        while (next_plain(c, text, stop, &from, &to)) end = past_last_newline(text, from, to, end);
    }
    return end;
}

size_t sl_cut_last(sl_cut *c, const char *text, size_t n, size_t end) {
    if (!c->quotes) {
        end = past_last_newline(text, c->at, n, end);
        c->at = n;
        return end;
    }
    size_t from, to;
    if (!c->separator && !find_separator(c, text, n, &end)) return end;
    if (c->find_quotes) end = cut_windows(c, text, n, end);
    while (next_plain(c, text, n, &from, &to)) end = past_last_newline(text, from, to, end);
    return end;
}

size_t sl_cut_first(sl_cut *c, const char *text, size_t n) {
    size_t from, to;
    while (c->at < n) {
        size_t newline = find(text, c->at, n, '\n'), stop = newline < n ? newline + 1 : n;
        if (c->quotes)
            while (next_plain(c, text, stop, &from, &to)) {
            }
        c->at = stop;
        if (newline < n && !c->quoted) return stop;
    }
    return 0;
}

void sl_cut_go_on(sl_cut *c, const char *text, size_t n) {
    if (n == 0) return;
    bool field_begins = n == c->fresh || text[n - 1] == c->separator || text[n - 1] == '\n';
    c->fresh = field_begins ? 0 : SIZE_MAX;
    c->at = 0;
}
