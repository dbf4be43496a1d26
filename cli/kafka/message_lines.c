/* Messages become lines of text, and wait until their rows are done. */
#include "kafka/message_lines.h"

#include "sluice.h"

#include <stdlib.h>
#include <string.h>

const char *message_flaw_text(message_flaw flaw) {
    static const char *const texts[] = {NULL, "the message has several lines", "a quote that is not closed",
                                        "the message has no header of the label",
                                        "the label in the header is empty, or has a blank, | or #"};
    return texts[flaw];
}

void message_lines_set(message_lines *l, const char *format, bool labelled, const char *header, char separator) {
    const bool tabs = strcmp(format, "text") == 0 || strcmp(format, "url") == 0;
    *l = (message_lines){.csv = strcmp(format, "csv") == 0,
                         .labelled = labelled,
                         .label_separator = tabs ? '\t' : ' ',
                         .csv_separator = separator,
                         .header = header};
}

void message_lines_free(message_lines *l) {
    free(l->rest);
    free(l->ring);
    free(l->marks);
}

/* ---- the text -----------------------------------------------------------------------------------------------------
 */

static void keep_rest(message_lines *l, const char *text, size_t n) {
    const size_t needed = l->rest_n + n;
    if (needed > l->rest_room) {
        const size_t room = needed > 2 * l->rest_room ? needed : 2 * l->rest_room;
        char *larger = realloc(l->rest, room);
        if (!larger) {
            l->no_memory = true;
            return;
        }
        l->rest = larger, l->rest_room = room;
    }
    memcpy(l->rest + l->rest_n, text, n);
    l->rest_n = needed;
}

static void put(message_lines *l, const char *text, size_t n) {
    const size_t room = l->room - l->got, fits = n < room ? n : room;
    if (fits) memcpy(l->to + l->got, text, fits);
    l->got += fits;
    l->written += n;
    if (fits < n) keep_rest(l, text + fits, n - fits);
}

static void put_rest(message_lines *l) {
    const size_t left = l->rest_n - l->rest_at, fits = left < l->room ? left : l->room;
    if (!left) return;
    memcpy(l->to, l->rest + l->rest_at, fits);
    l->got = fits;
    l->rest_at += fits;
    if (l->rest_at == l->rest_n) l->rest_at = l->rest_n = 0;
}

/* ---- lines --------------------------------------------------------------------------------------------------------
 */

/* What is wrong with the label of a header. */
static message_flaw judge_label(const message_lines *l, const message *m) {
    if (!m->label) return FLAW_NO_LABEL;
    const bool blanks = l->label_separator == ' ';
    for (size_t i = 0; i < m->label_n; i++) {
        const char c = m->label[i];
        if (c == '\t' || c == '\n' || c == '\r' || (blanks && (c == ' ' || c == '|'))) return FLAW_LABEL;
    }
    return !m->label_n || (blanks && *m->label == '#') ? FLAW_LABEL : FLAW_NONE; /* the line would be a comment */
}

/* Whether quotes of a line of csv are still open at its end, as the reader sees them: a quote opens where a field
 * begins. *separator, where it is not known (0), is guessed as the reader guesses it. */
static bool leaves_quotes_open(const char *text, size_t n, char *separator) {
    bool quoted = false, fresh = true;
    if (!*separator && !(*separator = (char)sluice_guess_separator(text, n))) return true;
    for (size_t i = 0; i < n; i++) {
        const char c = text[i];
        if (quoted) {
            quoted = c != '"';
            fresh = !quoted; /* one more quote is a doubled one */
        } else {
            quoted = c == '"' && fresh;
            fresh = c == *separator;
        }
    }
    return quoted;
}

/* As the reader of csv has it. */
static bool is_blank_line(const char *text, size_t n) {
    while (n && *text == ' ') text++, n--;
    return !n || (n == 1 && *text == '\r');
}

/* Whether a message is no line of csv by itself. */
static bool is_open_csv(message_lines *l, const char *text, size_t n) {
    char separator = l->csv_separator;
    if (is_blank_line(text, n)) return false;
    const bool open = leaves_quotes_open(text, n, &separator);
    /* what the reader takes from the first line that it gets */
    if (!l->csv_separator) l->csv_separator = open ? ',' : separator;
    return open;
}

static message_flaw judge(message_lines *l, const message *m, size_t n) {
    const message_flaw flaw = l->labelled ? judge_label(l, m) : FLAW_NONE;
    if (flaw) return flaw;
    if (n && memchr(m->value, '\n', n)) return FLAW_LINES;
    return l->csv && is_open_csv(l, m->value, n) ? FLAW_QUOTES : FLAW_NONE;
}

/* A message that can be no line becomes one with a NUL byte, which no format takes, so that it goes the way of all
 * malformed lines. */
static message_flaw put_line(message_lines *l, const message *m) {
    size_t n = m->n;
    if (!m->value) {
        put(l, "\n", 1);
        return FLAW_NONE;
    }
    if (n && m->value[n - 1] == '\n') n--;
    const message_flaw flaw = judge(l, m, n);
    if (flaw) {
        if (!l->csv_separator) l->csv_separator = ','; /* the reader finds none in this line */
        put(l, "\0\n", 2);
        return flaw;
    }
    if (l->labelled) put(l, m->label, m->label_n), put(l, &l->label_separator, 1);
    put(l, m->value, n);
    put(l, "\n", 1);
    return flaw;
}

static void put_header(message_lines *l) {
    const size_t n = strlen(l->header);
    l->header_is_out = true;
    if (leaves_quotes_open(l->header, n, &l->csv_separator) && !l->csv_separator) l->csv_separator = ',';
    put(l, l->header, n);
    put(l, "\n", 1);
}

/* ---- messages that wait -------------------------------------------------------------------------------------------
 */

/* Makes room in a ring for as many as one call may add. */
static bool make_room(void **ring, size_t *room, size_t entry, uint64_t first, uint64_t end) {
    size_t wanted = *room ? *room : MESSAGES_AT_ONCE;
    while (wanted < end - first + MESSAGES_AT_ONCE) wanted *= 2;
    if (wanted == *room) return true;
    char *larger = malloc(wanted * entry);
    if (!larger) return false;
    for (uint64_t i = first; i < end; i++)
        memcpy(larger + (i & (wanted - 1)) * entry, (char *)*ring + (i & (*room - 1)) * entry, entry);
    free(*ring);
    *ring = larger, *room = wanted;
    return true;
}

bool message_lines_begin(message_lines *l, char *to, size_t n) {
    void *ring = l->ring, *marks = l->marks;
    const bool good = make_room(&ring, &l->ring_room, sizeof *l->ring, l->done, l->handed) &&
                      make_room(&marks, &l->marks_room, sizeof *l->marks, l->marks_done, l->marks_added);
    l->ring = ring, l->marks = marks;
    l->to = to, l->room = n, l->got = 0;
    l->messages = l->bytes = 0;
    if (!good) return false;
    put_rest(l);
    if (l->header && !l->header_is_out) put_header(l);
    return true;
}

bool message_lines_full(const message_lines *l) {
    return l->got == l->room || l->messages >= MESSAGES_AT_ONCE || l->bytes >= MESSAGES_BYTES_AT_ONCE || l->no_memory;
}

void message_lines_add(message_lines *l, const message *m) {
    const message_flaw flaw = put_line(l, m);
    l->ring[l->added++ & (l->ring_room - 1)] = (waiting_message){.offset = m->offset,
                                                                 .end = l->written,
                                                                 .kept = m->kept,
                                                                 .partition = m->partition,
                                                                 .flaw = (uint8_t)flaw,
                                                                 .marked = m->marked};
    l->messages++;
    l->bytes += m->n + m->more;
}

void message_lines_mark(message_lines *l, const message_mark *mark) {
    l->marks[l->marks_added++ & (l->marks_room - 1)] = *mark;
}

size_t message_lines_end(message_lines *l) {
    l->handed = l->added;
    return l->got;
}

uint64_t message_lines_find(const message_lines *l, uint64_t begin) {
    uint64_t low = l->done, high = l->handed; /* the first line that ends behind it */
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (message_lines_at(l, middle)->end > begin)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const waiting_message *message_lines_done(message_lines *l, const message_mark **mark) {
    const waiting_message *w = message_lines_at(l, l->done++);
    *mark = w->marked ? &l->marks[l->marks_done++ & (l->marks_room - 1)] : NULL;
    return w;
}

/* FNV-1a. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < n; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t message_hash(const void *key, size_t key_n, const void *value, size_t n) {
    uint64_t hash = hash_bytes(UINT64_C(0xcbf29ce484222325), key, key ? key_n : 0);
    return hash_bytes(hash ^ (key ? 1 : 0) ^ (value ? 2 : 0), value, value ? n : 0);
}
