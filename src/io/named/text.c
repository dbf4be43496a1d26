/* Plain text: `label<TAB>free text`. Words are runs of letters, marks and digits, lower-cased; ideographs, kana and
 * pictures are words of their own. Features are the words and, if asked for, runs of up to `ngrams` words.
 *
 * Words are written one behind the other, a space between them, into a window that keeps the last few: so a run of
 * words is a piece of it, ready to be taken as a name. */
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "io/format.h"
#include "io/named/labelled.h"
#include "io/named/unicode.h"

enum {
    MAX_WORD = 64, /* bytes; what a word has beyond them does not count */
    WINDOW = 4096,
};
_Static_assert(WINDOW > (SLUICE_MAX_NGRAMS + 1) * (MAX_WORD + 1), "the window holds the longest run of words");

/* What an ASCII letter or digit is in lower case, and 0 for all other bytes. */
static const unsigned char lower[256] = {
    ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6', ['7'] = '7', ['8'] = '8',
    ['9'] = '9', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e', ['F'] = 'f', ['G'] = 'g', ['H'] = 'h',
    ['I'] = 'i', ['J'] = 'j', ['K'] = 'k', ['L'] = 'l', ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q',
    ['R'] = 'r', ['S'] = 's', ['T'] = 't', ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y', ['Z'] = 'z',
    ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd', ['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i',
    ['j'] = 'j', ['k'] = 'k', ['l'] = 'l', ['m'] = 'm', ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r',
    ['s'] = 's', ['t'] = 't', ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z',
};

typedef struct words {
    sl_named_rows *rows;
    size_t ngrams;
    size_t start[SLUICE_MAX_NGRAMS]; /* in the window: of the words before this one that count, and of this one */
    size_t before, n;                /* n: bytes in the window */
    bool full;                       /* the word has all the bytes that count */
    char window[WINDOW];
} words;

static size_t word_bytes(const words *w) { return w->n - w->start[w->before]; }

/* Makes the words before the next one begin the window. */
static void slide(words *w) {
    size_t gone = w->start[0];
    memmove(w->window, w->window + gone, w->n - gone);
    w->n -= gone;
    for (size_t i = 0; i <= w->before; i++) w->start[i] -= gone;
}

/* Takes the word that ends here, if there is one, and the runs of words that end with it. */
static void end_word(words *w) {
    if (word_bytes(w) == 0) return;
    for (size_t i = w->before + 1; i-- > 0;)
        (void)sl_named_feature(w->rows, w->window + w->start[i], w->n - w->start[i], 1); /* sl_parse_labelled() asks */
    if (w->before + 1 < w->ngrams)
        w->before++;
    else
        for (size_t i = 0; i < w->before; i++) w->start[i] = w->start[i + 1];
    w->window[w->n++] = ' ';
    w->start[w->before] = w->n;
    w->full = false;
    if (w->n > WINDOW - MAX_WORD - 1) slide(w);
}

static const char *ascii_letters(words *w, const char *p) {
    size_t n = w->n, stop = w->start[w->before] + MAX_WORD;
    unsigned char c;
    if (w->full) stop = n;
    for (; (c = lower[(unsigned char)*p]); p++) {
        if (n < stop)
            w->window[n++] = (char)c;
        else
            w->full = true;
    }
    w->n = n;
    return p;
}

static void put_letter(words *w, uint32_t c) {
    char bytes[SL_UTF8_MAX];
    size_t n = sl_utf8_put(bytes, c);
    if (w->full || word_bytes(w) + n > MAX_WORD) {
        w->full = true;
        return;
    }
    memcpy(w->window + w->n, bytes, n);
    w->n += n;
}

static void put_character(words *w, sl_char_memory *m, uint32_t c) {
    switch (sl_char_kind_of(m, c)) {
    case SL_CHAR_WORD:
        put_letter(w, sl_char_folded(m, c));
        break;
    case SL_CHAR_ALONE:
        end_word(w);
        put_letter(w, c);
        end_word(w);
        break;
    case SL_CHAR_SKIPPED:
        break;
    case SL_CHAR_SPLITS:
        end_word(w);
        break;
    }
}

/* Counts to values, scaled so that the row has length 1. */
static void weigh(sl_named_rows *rows, unsigned tf) {
    float *values = sl_named_values(rows);
    size_t n = sl_named_count(rows);
    double squares = 0;
    for (size_t k = 0; k < n; k++) {
        if (tf == SLUICE_TF_BINARY) values[k] = 1;
        if (tf == SLUICE_TF_LOG && values[k] != 1) values[k] = (float)(1 + log((double)values[k]));
        squares += (double)values[k] * (double)values[k];
    }
    const double scale = 1 / sqrt(squares); /* infinite for a row without words, which has no values */
    for (size_t k = 0; k < n; k++) values[k] = (float)((double)values[k] * scale);
}

static void text_features(sl_named_rows *rows, const sl_rules *rules, const char *p, const char *end) {
    words w;
    w.rows = rows, w.ngrams = rules->ngrams;
    w.before = w.n = w.start[0] = 0;
    w.full = false;
    sl_char_memory memory = {0};
    while (p < end) {
        p = ascii_letters(&w, p);
        if ((unsigned char)*p < 0x80) {
            end_word(&w);
            p++;
        } else {
            uint32_t c;
            p += sl_utf8_decode(p, &c);
            put_character(&w, &memory, c);
        }
    }
    end_word(&w);
    weigh(rows, rules->tf);
}

void sl_parse_text(sl_block *b) { sl_parse_labelled(b, "text", text_features); }
