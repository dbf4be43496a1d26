/* Plain text: `label<TAB>free text`. Words are runs of letters, marks and digits, lower-cased; ideographs, kana and
 * pictures are words of their own. Features are the words and, if asked for, runs of up to `ngrams` words and character
 * n-grams (char_grams.c).
 *
 * Words are written one behind the other, a space between them, into a window that keeps the last few: so a run of
 * words is a piece of it, ready to be taken as a name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/error.h"
#include "features/names.h"
#include "io/format.h"
#include "io/text/char_grams.h"
#include "io/named/labelled.h"
#include "io/text/stop_words.h"
#include "io/text/text_words.h"
#include "io/text/unicode.h"
#include "io/parse_kernels.h"

enum {
    MAX_WORD = 64, /* bytes; what a word has beyond them does not count */
    WINDOW = 4096,
};
/* A word of as many characters is never cut. */
_Static_assert(MAX_WORD >= SLUICE_MAX_MIN_LENGTH * SL_UTF8_MAX, "words are as long as they must be");
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
    const char *prefix; /* of all names */
    size_t prefix_n;
    sl_named_status status; /* the first that is not SL_NAMED_OK */
    sl_names *list;         /* NULL, or where words go instead of to the rows: they are those of a stop list */
    size_t ngrams, min_length;
    const sl_names *stop;            /* words that are left out; NULL: none */
    size_t start[SLUICE_MAX_NGRAMS]; /* in the window: of the words before this one that count, and of this one */
    size_t before, n;                /* n: bytes in the window */
    bool full;                       /* the word has all the bytes that count */
    bool no_memory;                  /* for the list */
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

static size_t characters(const char *p, size_t n) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += ((unsigned char)p[i] & 0xC0) != 0x80;
    return count;
}

/* Whether the word that ends here is as if it were not in the text. Words of one character by their nature are never
 * too short. */
static bool is_left_out(const words *w, bool alone) {
    const char *word = w->window + w->start[w->before];
    const size_t n = word_bytes(w);
    if (!alone && w->min_length > 1 && characters(word, n) < w->min_length) return true;
    return w->stop && sl_names_find(w->stop, sl_name_hash(word, n), word, n) != SL_NO_NAME;
}

static void drop_word(words *w) {
    w->n = w->start[w->before];
    w->full = false;
}

static void take_run(words *w, const char *run, size_t n) {
    sl_named_status status = SL_NAMED_OK;
    if (w->prefix_n) status = sl_named_piece(w->rows, w->prefix, w->prefix_n);
    if (status == SL_NAMED_OK) status = sl_named_feature(w->rows, run, n, 1);
    if (w->status == SL_NAMED_OK) w->status = status;
}

/* Takes the word that ends here, if there is one, and the runs of words that end with it. */
static void end_some_word(words *w, bool alone) {
    if (word_bytes(w) == 0) return;
    if (w->list) {
        const char *word = w->window + w->start[w->before];
        const size_t n = word_bytes(w);
        w->no_memory |= sl_names_add(w->list, sl_name_hash(word, n), word, n) == SL_NO_NAME;
        drop_word(w);
        return;
    }
    if (is_left_out(w, alone)) {
        drop_word(w);
        return;
    }
    for (size_t i = w->before + 1; i-- > 0;) take_run(w, w->window + w->start[i], w->n - w->start[i]);
    if (w->before + 1 < w->ngrams)
        w->before++;
    else
        for (size_t i = 0; i < w->before; i++) w->start[i] = w->start[i + 1];
    w->window[w->n++] = ' ';
    w->start[w->before] = w->n;
    w->full = false;
    if (w->n > WINDOW - MAX_WORD - 1) slide(w);
}

static void end_word(words *w) { end_some_word(w, false); }

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
        end_some_word(w, true);
        break;
    case SL_CHAR_SKIPPED:
        break;
    case SL_CHAR_SPLITS:
        end_word(w);
        break;
    }
}

static void cut(words *w, const char *p, const char *end) {
    w->before = w->n = w->start[0] = 0;
    w->full = false;
    sl_char_memory memory = {0};
    while (p < end) {
        p = ascii_letters(w, p);
        if ((unsigned char)*p < 0x80) {
            end_word(w);
            p++;
        } else {
            uint32_t c;
            p += sl_utf8_decode(p, &c);
            put_character(w, &memory, c);
        }
    }
    end_word(w);
}

/* Counts to values, scaled so that their squares add up to `length`. */
static void weigh(float *values, size_t n, unsigned tf, double length) {
    double squares = 0;
    for (size_t k = 0; k < n; k++) {
        if (tf == SLUICE_TF_BINARY) values[k] = 1;
        if (tf == SLUICE_TF_LOG && values[k] != 1) values[k] = (float)(1 + log((double)values[k]));
        squares += (double)values[k] * (double)values[k];
    }
    const double scale = sqrt(length) / sqrt(squares); /* infinite where there are no values */
    for (size_t k = 0; k < n; k++) values[k] = (float)((double)values[k] * scale);
}

/* ---- many bytes at a time ---------------------------------------------------------------------------------------- */

/* Longer texts are cut a character at a time: their words alone take memory, and not the text itself. */
enum { MAX_QUICK = 1 << 20 };

/* A word of ASCII in the batch's text. */
static void take_quick(words *w, size_t text, size_t from, size_t end) {
    const size_t n = end - from;
    const sl_named_status status = sl_named_within(w->rows, text + from, n < MAX_WORD ? n : MAX_WORD, 1);
    if (w->status == SL_NAMED_OK) w->status = status;
}

/* The end of what is read together with a byte above 127: the next byte of ASCII that splits. */
static const char *next_split(const char *p, const char *end) {
    while (p < end && ((unsigned char)*p >= 0x80 || lower[(unsigned char)*p])) p++;
    return p;
}

/* The same words in the same order as cut() finds them, for words alone: the text goes to the batch in lower case, and
 * names are parts of it. Where there are bytes above 127, cut() takes the letters around them. */
static void cut_quickly(words *w, sl_find_letters *letters, const char *p, const char *end) {
    const size_t n = (size_t)(end - p);
    size_t text, from = 0; /* from: where the word that is open begins */
    bool open = false;
    w->status = sl_named_text_room(w->rows, n, &text);
    if (w->status != SL_NAMED_OK) return;
    for (size_t at = 0; at < n;) {
        sl_letter_bits bits = letters(p + at, w->rows->batch->text + text + at);
        const size_t window = n - at < SL_LETTERS_WINDOW ? n - at : SL_LETTERS_WINDOW;
        const uint64_t within = window < SL_LETTERS_WINDOW ? ((uint64_t)1 << window) - 1 : UINT64_MAX;
        const uint64_t high = bits.high & within;
        const uint64_t usable = high ? (high & -high) - 1 : within; /* what stands before the first such byte */
        const uint64_t letter = bits.letters & usable, before = letter << 1 | open;
        uint64_t starts = letter & ~before, ends = ~letter & before & usable;
        for (; ends; ends &= ends - 1) {
            if (!open) from = at + (size_t)__builtin_ctzll(starts), starts &= starts - 1;
            take_quick(w, text, from, at + (size_t)__builtin_ctzll(ends));
            open = false;
        }
        if (starts) from = at + (size_t)__builtin_ctzll(starts), open = true;
        if (!high) {
            at += window;
            continue;
        }
        const size_t split = at + (size_t)__builtin_ctzll(high);
        const char *stop = next_split(p + split, end);
        cut(w, p + (open ? from : split), stop);
        open = false;
        at = (size_t)(stop - p);
    }
    if (open) take_quick(w, text, from, n);
}

static sl_named_status take_words(sl_named_rows *rows, const sl_rules *rules, const char *prefix, size_t prefix_n,
                                  const char *p, const char *end) {
    words w;
    w.rows = rows, w.list = NULL;
    w.prefix = prefix, w.prefix_n = prefix_n, w.status = SL_NAMED_OK;
    w.ngrams = rules->ngrams, w.min_length = rules->min_length, w.stop = rules->stop_words;
    const bool words_alone = w.ngrams == 1 && w.min_length <= 1 && !w.stop && !prefix_n;
    if (words_alone && rules->kernels && rules->kernels->letters && end - p <= MAX_QUICK)
        cut_quickly(&w, rules->kernels->letters, p, end);
    else
        cut(&w, p, end);
    return w.status;
}

/* Words and n-grams of characters have equal shares of a text that has both, however many there are of each. */
sl_named_status sl_text_features(sl_named_rows *rows, const sl_rules *rules, const char *prefix, size_t prefix_n,
                                 const char *p, const char *end) {
    const size_t first = sl_named_count(rows);
    sl_named_status status = SL_NAMED_OK;
    if (!rules->no_words) status = take_words(rows, rules, prefix, prefix_n, p, end);
    const size_t words_n = sl_named_count(rows) - first;
    if (rules->chars_max && status == SL_NAMED_OK) status = sl_char_grams(rows, rules, prefix, prefix_n, p, end);
    const size_t grams_n = sl_named_count(rows) - first - words_n;
    const double length = words_n && grams_n ? 0.5 : 1;
    float *values = sl_named_values(rows);
    if (words_n) weigh(values + first, words_n, rules->tf, length);
    if (grams_n) weigh(values + first + words_n, grams_n, rules->tf, length);
    return status;
}

static void text_features(sl_named_rows *rows, const sl_rules *rules, const char *p, const char *end) {
    (void)sl_text_features(rows, rules, NULL, 0, p, end); /* sl_parse_labelled() asks how it went */
}

sluice_status sl_stop_words_new(const char *list, sl_names **stop, sluice_error *err) {
    const size_t n = strlen(list);
    words w;
    w.prefix_n = 0;
    w.list = *stop = calloc(1, sizeof **stop);
    w.no_memory = !*stop;
    if (*stop) cut(&w, list, list + n);
    if (!w.no_memory) return SLUICE_OK;
    sl_stop_words_free(*stop);
    *stop = NULL;
    return sl_fail(err, SLUICE_E_MEMORY, "no memory for the stop words");
}

void sl_stop_words_free(sl_names *stop) {
    if (stop) sl_names_free(stop);
    free(stop);
}

void sl_parse_text(sl_block *b) { sl_parse_labelled(b, "text", text_features); }
