/* Which features the option `quadratic` crosses: its text, the groups that its sides take, and what no row had. */
#include "io/named/quadratic.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/format.h"
#include "io/csv/csv.h"

enum {
    MOST_SHOWN = 8, /* groups that a message lists */
    SHOWN_BYTES = 40,
};

/* One side: a letter, anything, or a name in which stars stand for any bytes. */
typedef struct side {
    enum { LETTER, ANY, NAME } kind;
    char letter;
    size_t pieces;    /* NAME: between stars, without their backslashes, */
    const char *text; /* each with its length before it, as a uint16_t */
} side;

typedef struct shown_group {
    size_t n;
    char text[SHOWN_BYTES];
} shown_group;

struct sl_quadratic {
    size_t n;
    side sides[2][SL_MOST_CROSSINGS];
    const char *line[SL_MOST_CROSSINGS]; /* as it was given, ended by a NUL */
    char *text;
    char *pieces; /* what the sides' texts are in */
    uint64_t all; /* the bits of all sides */
    _Atomic uint64_t taken;
    pthread_mutex_t lock; /* guards what follows */
    size_t n_shown;
    bool more;                     /* groups than are shown */
    shown_group shown[MOST_SHOWN]; /* those that come first by their bytes: whatever the order of the rows is */
    char message[512];
};

/* ---- the text ---------------------------------------------------------------------------------------------------- */

static sluice_status wrong(const char *line, const char *why, sluice_error *err) {
    char quoted[128];
    return sl_fail(err, SLUICE_E_USAGE, "quadratic %s: %s", sl_quote(quoted, line, strlen(line)), why);
}

/* The comma between the sides; NULL: there is none. */
static const char *comma_in(const char *p) {
    for (; *p && *p != ','; p++)
        if (*p == '\\' && p[1]) p++;
    return *p ? p : NULL;
}

/* Takes [p, end) apart at its stars into pieces at *to. */
static void take_name(side *s, const char *p, const char *end, char **to) {
    s->kind = NAME;
    s->text = *to;
    for (s->pieces = 1;; s->pieces++, p++) {
        char *text = *to + sizeof(uint16_t);
        uint16_t n = 0;
        for (; p < end && *p != '*'; p++) {
            if (*p == '\\' && p + 1 < end) p++;
            text[n++] = *p;
        }
        memcpy(*to, &n, sizeof n);
        *to = text + n;
        if (p == end) return;
    }
}

static side side_of_letter(char letter) { return (side){.kind = letter == ':' ? ANY : LETTER, .letter = letter}; }

static sluice_status take_line(sl_quadratic *q, const char *line, char **to, sluice_error *err) {
    const size_t n = strlen(line);
    const char *comma = comma_in(line);
    side *first = &q->sides[0][q->n], *second = &q->sides[1][q->n];
    if (!comma && n == 2) {
        *first = side_of_letter(line[0]);
        *second = side_of_letter(line[1]);
        return SLUICE_OK;
    }
    if (!comma)
        return wrong(line, "give two names with a comma between them, or two letters that names begin with", err);
    if (comma_in(comma + 1)) return wrong(line, "it has two sides, with one comma; \\, is a comma in a name", err);
    if (comma == line || comma + 1 == line + n) return wrong(line, "a side has no name", err);
    take_name(first, line, comma, to);
    take_name(second, comma + 1, line + n, to);
    return SLUICE_OK;
}

static sluice_status take_text(sl_quadratic *q, sluice_error *err) {
    char *to = q->pieces;
    for (char *line = q->text, *next; line; line = next, q->n++) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        if (q->n == SL_MOST_CROSSINGS)
            return sl_fail(err, SLUICE_E_USAGE, "quadratic: more than %d crossings", SL_MOST_CROSSINGS);
        sluice_status status = take_line(q, line, &to, err);
        if (status != SLUICE_OK) return status;
        q->line[q->n] = line;
        q->all |= ((uint64_t)1 << 32 | 1) << q->n;
    }
    return SLUICE_OK;
}

sl_quadratic *sl_quadratic_new(const char *text, sluice_error *err) {
    const size_t n = strlen(text);
    if (n > SLUICE_MAX_QUADRATIC) {
        sl_fail(err, SLUICE_E_USAGE, "quadratic: more than %d bytes", SLUICE_MAX_QUADRATIC);
        return NULL;
    }
    sl_quadratic *q = calloc(1, sizeof *q);
    if (q) {
        pthread_mutex_init(&q->lock, NULL);
        q->text = strdup(text);
        q->pieces = malloc((n + 2) * (1 + sizeof(uint16_t))); /* a piece for every byte at most */
    }
    sluice_status status = q && q->text && q->pieces ? take_text(q, err) : sl_fail(err, SLUICE_E_MEMORY, "no memory");
    if (status == SLUICE_OK) return q;
    sl_quadratic_free(q);
    return NULL;
}

void sl_quadratic_free(sl_quadratic *q) {
    if (!q) return;
    pthread_mutex_destroy(&q->lock);
    free(q->text);
    free(q->pieces);
    free(q);
}

sluice_status sluice_quadratic_check(const char *text, sluice_error *err) {
    sluice_error why = {0};
    sl_quadratic *q = sl_quadratic_new(text, &why);
    if (!q && err) *err = why;
    sl_quadratic_free(q);
    return why.status;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static const char *next_piece(const char *p, uint16_t *n) {
    memcpy(n, p, sizeof *n);
    return p + sizeof *n;
}

static const char *find(const char *text, size_t n, const char *piece, size_t length) {
    for (; n >= length; text++, n--)
        if (memcmp(text, piece, length) == 0) return text;
    return NULL;
}

/* The first piece begins the text, the last one ends it, and the others follow each other as early as they can. */
static bool matches(const side *s, const char *text, size_t n) {
    uint16_t length;
    const char *piece = next_piece(s->text, &length);
    if (n < length || memcmp(text, piece, length) != 0) return false;
    if (s->pieces == 1) return n == length;
    text += length, n -= length;
    for (size_t i = 1; i < s->pieces; i++) {
        piece = next_piece(piece + length, &length);
        if (n < length) return false;
        const char *at = i + 1 < s->pieces ? find(text, n, piece, length) : text + n - length;
        if (!at || memcmp(at, piece, length) != 0) return false;
        n -= (size_t)(at + length - text);
        text = at + length;
    }
    return true;
}

static bool takes(const side *s, const char *group, size_t n) {
    if (s->kind == LETTER) return n && *group == s->letter;
    return s->kind == ANY || matches(s, group, n);
}

uint64_t sl_quadratic_sides(const sl_quadratic *q, const char *group, size_t n) {
    uint64_t sides = 0;
    for (size_t i = 0; i < q->n; i++) {
        sides |= (uint64_t)takes(&q->sides[0][i], group, n) << i;
        sides |= (uint64_t)takes(&q->sides[1][i], group, n) << (32 + i);
    }
    return sides;
}

size_t sl_quadratic_crossings(const sl_quadratic *q) { return q->n; }

char sl_group_end(const sl_format *format) {
    if (format->parse == sl_parse_vw) return '^';
    return format->parse == sl_parse_csv || format->parse == sl_parse_jsonl ? '=' : 0;
}

sluice_status sl_quadratic_check_format(const sl_rules *rules, const sl_format *format, const char *input,
                                        sluice_error *err) {
    if (!rules->quadratic || sl_group_end(format)) return SLUICE_OK;
    return sl_fail_at(err, SLUICE_E_UNSUPPORTED, input, 0, 0,
                      "%s has no namespaces, columns or keys, whose features could be crossed (quadratic): vw, csv and "
                      "jsonl have them",
                      format->name);
}

/* ---- what is missing --------------------------------------------------------------------------------------------- */

bool sl_quadratic_is_noting(const sl_quadratic *q) {
    return atomic_load_explicit(&q->taken, memory_order_relaxed) != q->all;
}

void sl_quadratic_note_sides(sl_quadratic *q, uint64_t sides) {
    atomic_fetch_or_explicit(&q->taken, sides, memory_order_relaxed);
}

static int compare(const shown_group *g, const char *text, size_t n) {
    const int order = memcmp(g->text, text, g->n < n ? g->n : n);
    return order ? order : (g->n > n) - (g->n < n);
}

void sl_quadratic_note_group(sl_quadratic *q, const char *group, size_t n) {
    if (n > SHOWN_BYTES) n = SHOWN_BYTES;
    pthread_mutex_lock(&q->lock);
    size_t at = 0;
    int order = -1;
    while (at < q->n_shown && (order = compare(&q->shown[at], group, n)) < 0) at++;
    if (at == q->n_shown || order > 0) {
        q->more |= q->n_shown == MOST_SHOWN;
        if (at < MOST_SHOWN) {
            if (q->n_shown < MOST_SHOWN) q->n_shown++;
            memmove(&q->shown[at + 1], &q->shown[at], (q->n_shown - at - 1) * sizeof *q->shown);
            q->shown[at].n = n;
            memcpy(q->shown[at].text, group, n);
        }
    }
    pthread_mutex_unlock(&q->lock);
}

/* A side as it was given. */
static void quote_side(const sl_quadratic *q, unsigned bit, char quoted[128]) {
    const char *line = q->line[bit % 32], *comma = comma_in(line);
    if (!comma)
        sl_quote(quoted, line + bit / 32, 1);
    else if (bit < 32)
        sl_quote(quoted, line, (size_t)(comma - line));
    else
        sl_quote(quoted, comma + 1, strlen(comma + 1));
}

/* "quadratic 'a,x': there is no column 'x'; there are ", to be followed by a list. */
static size_t begin_message(const sl_quadratic *q, uint64_t taken, const char *what, char *message, size_t room) {
    const unsigned bit = (unsigned)__builtin_ctzll(q->all & ~taken);
    const char *line = q->line[bit % 32];
    const bool letter = !comma_in(line);
    char whole[128], quoted[128];
    quote_side(q, bit, quoted);
    sl_quote(whole, line, strlen(line));
    const int n = snprintf(message, room, "quadratic %s: there is no %s %s%s; there are", whole, what,
                           letter ? "that begins with " : "", quoted);
    return n < (int)room ? (size_t)n : room - 1;
}

/* Adds a name to the list; false: there is no room for it and what may have to follow. */
static bool add_shown(char *message, size_t room, size_t *at, const char *text, size_t n) {
    enum { FOR_END = 24 };
    char quoted[128];
    const char *shown = n == 1 && *text == ' ' ? "the default one" : sl_quote(quoted, text, n);
    if (*at + strlen(shown) + FOR_END > room) return false;
    *at += (size_t)snprintf(message + *at, room - *at, " %s,", shown);
    return true;
}

static void end_message(char *message, size_t room, size_t at, bool more) {
    if (message[at - 1] == ',') at--;
    snprintf(message + at, room - at, "%s", more ? ", ..." : "");
}

const char *sl_quadratic_missing(sl_quadratic *q) {
    const uint64_t taken = atomic_load_explicit(&q->taken, memory_order_relaxed);
    if (taken == q->all) return NULL;
    pthread_mutex_lock(&q->lock);
    size_t at = begin_message(q, taken, "namespace, column or key", q->message, sizeof q->message), i = 0;
    while (i < q->n_shown && add_shown(q->message, sizeof q->message, &at, q->shown[i].text, q->shown[i].n)) i++;
    end_message(q->message, sizeof q->message, at, q->more || i < q->n_shown);
    if (!q->n_shown) snprintf(q->message + at, sizeof q->message - at, " none with a value");
    pthread_mutex_unlock(&q->lock);
    return q->message;
}

static bool is_feature(const sl_csv_header *h, size_t i) {
    return h->column[i].use == SL_CSV_FEATURE || h->column[i].use == SL_CSV_TEXT;
}

bool sl_quadratic_has_columns(const sl_quadratic *q, const sl_csv_header *h, char *message, size_t room) {
    uint64_t taken = 0;
    for (size_t i = 0; i < h->columns && taken != q->all; i++) {
        if (!is_feature(h, i)) continue;
        const sluice_name group = sl_group_of(h->text + h->column[i].name.at, h->column[i].name.n, '=');
        taken |= sl_quadratic_sides(q, group.text, group.n);
    }
    if (taken == q->all) return true;
    size_t at = begin_message(q, taken, "column", message, room), i = 0;
    for (; i < h->columns; i++)
        if (is_feature(h, i) && !add_shown(message, room, &at, h->text + h->column[i].name.at, h->column[i].name.n))
            break;
    end_message(message, room, at, i < h->columns);
    return false;
}
