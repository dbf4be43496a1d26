/* Character n-grams of text: within tokens, which blanks and underscores separate, with a `_` at both ends.
 *
 * A token's characters are written into a window that keeps the last few, so an n-gram is a piece of it. What stands
 * before a piece is needed no more when the piece is taken, and its last byte becomes the mark that names of n-grams
 * begin with: a name is then ready without a copy. */
#include "io/text/char_grams.h"

#include <string.h>

#include "base/utf8.h"
#include "io/text/unicode.h"

enum {
    MARK = '~',  /* no name of a word has it */
    BLANK = '_', /* the ends of a token */
    WINDOW = 4096,
    STARTS = 16, /* a power of two above the characters of the longest n-gram */
};
_Static_assert(STARTS > SLUICE_MAX_CHARS, "the starts of an n-gram's characters fit");
_Static_assert(WINDOW > 2 * SL_UTF8_MAX * (SLUICE_MAX_CHARS + 1), "the window holds the longest n-gram");

typedef struct grams {
    sl_named_rows *rows;
    const char *prefix; /* of all names */
    size_t prefix_n;
    sl_named_status status; /* the first that is not SL_NAMED_OK */
    size_t shortest, longest;
    size_t head, chars;   /* characters in the window whose n-grams are still to be taken; the first one's start */
    size_t start[STARTS]; /* where they begin in the window */
    size_t n;             /* bytes in the window */
    bool has_taken;       /* an n-gram of this token */
    char window[WINDOW];
} grams;

static size_t start_of(const grams *g, size_t i) { return g->start[(g->head + i) % STARTS]; }

/* Takes the n-gram of the first characters up to the byte `end` of the window. */
static void take(grams *g, size_t end) {
    const size_t before = start_of(g, 0) - 1;
    g->window[before] = MARK;
    sl_named_status status = SL_NAMED_OK;
    if (g->prefix_n) status = sl_named_piece(g->rows, g->prefix, g->prefix_n);
    if (status == SL_NAMED_OK) status = sl_named_feature(g->rows, g->window + before, end - before, 1);
    if (g->status == SL_NAMED_OK) g->status = status;
    g->has_taken = true;
}

/* Takes the n-grams that begin with the first character, as far as there are enough characters. */
static void take_first(grams *g) {
    for (size_t k = g->shortest; k <= g->chars && k <= g->longest; k++) take(g, k < g->chars ? start_of(g, k) : g->n);
    g->head++, g->chars--;
}

/* Makes the first character begin the window, behind a byte for the mark. */
static void slide(grams *g) {
    const size_t gone = start_of(g, 0) - 1;
    memmove(g->window, g->window + gone, g->n - gone);
    g->n -= gone;
    for (size_t i = 0; i < g->chars; i++) g->start[(g->head + i) % STARTS] -= gone;
}

static void put(grams *g, const char *bytes, size_t n) {
    if (g->chars == g->longest) take_first(g);
    g->start[(g->head + g->chars++) % STARTS] = g->n;
    memcpy(g->window + g->n, bytes, n);
    g->n += n;
    if (g->n > WINDOW - SL_UTF8_MAX) slide(g);
}

static void put_end(grams *g) { put(g, (const char[]){BLANK}, 1); }

static void begin_token(grams *g) {
    g->head = g->chars = 0;
    g->n = 1;
    g->has_taken = false;
    put_end(g);
}

/* Takes the n-grams that are left of a token, which begins with BLANK; one that is too short is an n-gram itself. */
static void end_token(grams *g) {
    if (g->n == 2) return; /* it has no characters */
    put_end(g);
    while (g->chars >= g->shortest) take_first(g);
    if (!g->has_taken) take(g, g->n);
    begin_token(g);
}

static void put_ascii(grams *g, char c) {
    if (c <= ' ' || c == BLANK || c == 0x7F)
        end_token(g);
    else
        put(g, (const char[]){(char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c)}, 1);
}

/* White space as Unicode has it, and the zero width space. */
static bool is_blank(uint32_t c) {
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200B) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

static void put_character(grams *g, sl_char_memory *m, uint32_t c) {
    char bytes[SL_UTF8_MAX];
    const sl_char_kind kind = sl_char_kind_of(m, c);
    if (is_blank(c))
        end_token(g);
    else if (kind != SL_CHAR_SKIPPED)
        put(g, bytes, sl_utf8_put(bytes, kind == SL_CHAR_WORD ? sl_char_folded(m, c) : c));
}

sl_named_status sl_char_grams(sl_named_rows *rows, const sl_rules *rules, const char *prefix, size_t prefix_n,
                              const char *p, const char *end) {
    grams g;
    g.prefix = prefix, g.prefix_n = prefix_n, g.status = SL_NAMED_OK;
    g.rows = rows, g.shortest = rules->chars_min, g.longest = rules->chars_max;
    begin_token(&g);
    sl_char_memory memory = {0};
    while (p < end && rows->failed == SL_NAMED_OK) {
        if ((unsigned char)*p < 0x80) {
            put_ascii(&g, *p++);
        } else {
            uint32_t c;
            p += sl_utf8_decode(p, &c);
            put_character(&g, &memory, c);
        }
    }
    end_token(&g);
    return g.status;
}
