/* Fuzz target: messages of Kafka become lines. However the reader asks for them, the text is that of a plain reading of
 * messages.h; each message is found again by its line; and in csv every record of the reader is one message.
 *
 * An input is a byte for the format, one for the room that the reader has, then messages with a byte 0x1e behind each:
 * a byte that says what it has, then its label up to 0x1f (if it has one), then its value. */
#include "kafka/message_lines.h"

#include "io/records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "fuzz_messages.c:%d: %s\n", __LINE__, #condition);                                         \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { MOST = 512 };
/* The bits of a message's first byte. */
enum { IS_TOMBSTONE = 1, HAS_LABEL = 2, IS_MARKED = 4 };

typedef struct plain_text {
    char *text;
    size_t n, begin[MOST + 1]; /* of the line of each message */
} plain_text;

typedef struct run {
    const char *format, *header;
    bool labelled;
    char separator; /* of csv, as the reader finds it; 0: not yet */
    message message[MOST];
    size_t messages;
    plain_text want;
} run;

/* ---- what it should be ------------------------------------------------------------------------------------------- */

static void add(plain_text *t, const char *text, size_t n) {
    if (n) memcpy(t->text + t->n, text, n);
    t->n += n;
}

static bool is_csv(const run *r) { return !strcmp(r->format, "csv"); }
static bool has_tabs(const run *r) { return !strcmp(r->format, "text") || !strcmp(r->format, "url"); }

static bool is_label(const run *r, const message *m) {
    if (!m->label || !m->label_n || memchr(m->label, '\n', m->label_n) || memchr(m->label, '\r', m->label_n) ||
        memchr(m->label, '\t', m->label_n))
        return false;
    return has_tabs(r) ||
           (*m->label != '#' && !memchr(m->label, ' ', m->label_n) && !memchr(m->label, '|', m->label_n));
}

/* Whether the reader's record, which begins with this line, ends with it. *separator becomes what the reader takes. */
static bool ends_as_record(const char *line, size_t n, char *separator) {
    sl_cut cut = {.quotes = true, .separator = *separator};
    const size_t end = sl_cut_last(&cut, line, n, 0);
    const bool ends = end == n;
    *separator = cut.separator;
    return ends;
}

static bool is_flawed(run *r, const message *m, size_t n) {
    if (r->labelled && !is_label(r, m)) return true;
    if (n && memchr(m->value, '\n', n)) return true;
    if (!is_csv(r)) return false;
    char *line = malloc(n + 1), separator = r->separator;
    REQUIRE(line);
    if (n) memcpy(line, m->value, n);
    line[n] = '\n';
    const bool open = !ends_as_record(line, n + 1, &separator);
    free(line);
    return open;
}

static void add_message(run *r, const message *m) {
    plain_text *t = &r->want;
    size_t n = m->value ? m->n : 0;
    const size_t begin = t->n;
    if (n && m->value[n - 1] == '\n') n--;
    if (m->value && is_flawed(r, m, n)) {
        add(t, "\0", 1);
    } else if (m->value) {
        if (r->labelled) add(t, m->label, m->label_n);
        if (r->labelled) add(t, has_tabs(r) ? "\t" : " ", 1);
        add(t, m->value, n);
    }
    add(t, "\n", 1);
    if (is_csv(r)) REQUIRE(ends_as_record(t->text + begin, t->n - begin, &r->separator));
}

static void make_plain(run *r, size_t most) {
    plain_text *t = &r->want;
    t->text = malloc(most);
    REQUIRE(t->text);
    if (r->header) {
        add(t, r->header, strlen(r->header));
        add(t, "\n", 1);
        REQUIRE(ends_as_record(t->text, t->n, &r->separator));
    }
    for (size_t i = 0; i < r->messages; i++) {
        t->begin[i] = t->n;
        add_message(r, &r->message[i]);
    }
    t->begin[r->messages] = t->n;
}

/* ---- the input --------------------------------------------------------------------------------------------------- */

static void read_messages(run *r, const char *at, const char *end) {
    while (at < end && r->messages < MOST) {
        const char *stop = memchr(at, 0x1e, (size_t)(end - at));
        if (!stop) stop = end;
        message *m = &r->message[r->messages];
        const int what = at < stop ? *at++ : 0;
        *m = (message){.offset = (int64_t)(r->messages * 3), .partition = (uint32_t)r->messages % 5};
        m->more = (size_t)what;
        m->marked = what & IS_MARKED;
        if (what & HAS_LABEL) {
            const char *label_end = memchr(at, 0x1f, (size_t)(stop - at));
            if (!label_end) label_end = stop;
            m->label = at;
            m->label_n = (size_t)(label_end - at);
            at = label_end < stop ? label_end + 1 : stop;
        }
        m->value = what & IS_TOMBSTONE ? NULL : at;
        m->n = what & IS_TOMBSTONE ? 0 : (size_t)(stop - at);
        r->messages++;
        at = stop + 1;
    }
}

/* ---- what it is -------------------------------------------------------------------------------------------------- */

/* Reads everything, `room` bytes at a time; messages are done when some more have come. */
static void compare(const run *r, size_t room, size_t lag) {
    message_lines l;
    const plain_text *want = &r->want;
    size_t at = 0, given = 0, done = 0;
    char *to = malloc(room);
    REQUIRE(to);
    message_lines_set(&l, r->format, r->labelled, r->header, 0);
    while (at < want->n) {
        REQUIRE(message_lines_begin(&l, to, room));
        while (given < r->messages && !message_lines_full(&l)) {
            const message *m = &r->message[given];
            const message_mark mark = {.offset = m->offset, .hash = given};
            if (m->marked) message_lines_mark(&l, &mark);
            message_lines_add(&l, m);
            given++;
        }
        const size_t got = message_lines_end(&l);

        REQUIRE(got && got <= room && got <= want->n - at && !memcmp(want->text + at, to, got));
        at += got;
        for (size_t i = done; i < given; i++) {
            REQUIRE(message_lines_find(&l, want->begin[i]) == i);
            REQUIRE(message_lines_at(&l, i)->end == want->begin[i + 1]);
        }
        for (; done + lag < given; done++) {
            const message_mark *mark;
            const waiting_message *w = message_lines_done(&l, &mark);
            const bool marked = r->message[done].marked;
            REQUIRE(w->offset == r->message[done].offset && w->partition == r->message[done].partition);
            REQUIRE(!mark == !marked && (!marked || mark->hash == done));
            const char *line = want->text + want->begin[done];
            REQUIRE(!w->flaw || (line[0] == 0 && line[1] == '\n'));
            REQUIRE(!message_flaw_text((message_flaw)w->flaw) == !w->flaw);
        }
    }
    REQUIRE(given == r->messages);
    message_lines_free(&l);
    free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    static const char *const formats[] = {"libsvm", "vw", "csv", "csv", "csv", "jsonl", "text", "url"};
    static const char *const headers[] = {"y,a,b", "y\ta\tb", "y", "\"y,\"\t\"a\tb\""};
    static run r; /* it is large */
    if (n < 2) return 0;
    const unsigned which = bytes[0], room = bytes[1];
    r = (run){.format = formats[which & 7]};
    r.labelled = (which & 8) && !is_csv(&r) && strcmp(r.format, "jsonl") != 0;
    if (is_csv(&r) && which & 16) r.header = headers[which >> 5 & 3];
    read_messages(&r, (const char *)bytes + 2, (const char *)bytes + n);
    make_plain(&r, n + 4 * MOST + 64);
    compare(&r, 1 << 16, 0);
    compare(&r, 1 + room % 40, room % 7);
    free(r.want.text);
    return 0;
}
