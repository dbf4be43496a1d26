/* URLs: their features from a bit per byte and class. A part ends where the next bit of a class is, a word where the
 * bits of its letters change, and measures are counts of bits. Only parts with escapes are read byte by byte. */
#include "io/url/quick_url.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/digits.h"
#include "features/names.h"
#include "io/url/url_text.h"

typedef struct span {
    size_t at, end; /* of the URL's bytes */
} span;

typedef struct walk {
    sl_named_rows *rows;
    sluice_batch *batch;
    const char *text; /* the URL in lower case */
    const sl_url_bytes *bytes;
} walk;

static size_t length(span s) { return s.end - s.at; }
static bool empty(span s) { return s.at == s.end; }
static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* ---- bits -------------------------------------------------------------------------------------------------------- */

/* The bits of window i, without those outside of the span. */
static inline uint64_t bits_in(const walk *w, sl_url_class class, size_t i, span s) {
    uint64_t bits = w->bytes->bits[i][class];
    if (i == s.at / SL_URL_WINDOW) bits &= UINT64_MAX << s.at % SL_URL_WINDOW;
    if (i == s.end / SL_URL_WINDOW) bits &= ((uint64_t)1 << s.end % SL_URL_WINDOW) - 1;
    return bits;
}

/* The first byte of the class, or the end. */
static inline size_t next(const walk *w, sl_url_class class, span s) {
    if (empty(s)) return s.end;
    size_t i = s.at / SL_URL_WINDOW;
    uint64_t bits = w->bytes->bits[i][class] >> s.at % SL_URL_WINDOW << s.at % SL_URL_WINDOW;
    while (!bits) {
        if (++i * SL_URL_WINDOW >= s.end) return s.end;
        bits = w->bytes->bits[i][class];
    }
    return least(i * SL_URL_WINDOW + (size_t)__builtin_ctzll(bits), s.end);
}

static inline bool has(const walk *w, sl_url_class class, span s) { return next(w, class, s) < s.end; }

/* The last byte of the class, or the end. */
static inline size_t last(const walk *w, sl_url_class class, span s) {
    if (empty(s)) return s.end;
    for (size_t i = (s.end - 1) / SL_URL_WINDOW + 1; i-- > s.at / SL_URL_WINDOW;) {
        const uint64_t bits = bits_in(w, class, i, s);
        if (bits) return i * SL_URL_WINDOW + 63 - (size_t)__builtin_clzll(bits);
    }
    return s.end;
}

static size_t count(const walk *w, sl_url_class class, span s) {
    size_t n = 0;
    for (size_t at = next(w, class, s); at < s.end; at = next(w, class, (span){at + 1, s.end})) n++;
    return n;
}

/* ---- names that many rows have ----------------------------------------------------------------------------------- */

typedef struct kept_name {
    char text[23];
    unsigned char n;
} kept_name;

enum { STEPS = 15, EXACT = 7 };

#define NAME(text)                                                                                                     \
    { text, sizeof(text) - 1 }
#define MEASURE(tag)                                                                                                   \
    NAME(tag "1"), NAME(tag "2"), NAME(tag "3"), NAME(tag "4"), NAME(tag "5"), NAME(tag "6"), NAME(tag "7"),           \
        NAME(tag "8-15"), NAME(tag "16-31"), NAME(tag "32-63"), NAME(tag "64-127"), NAME(tag "128-255"),               \
        NAME(tag "256-511"), NAME(tag "512-1023"), NAME(tag "1024+")

/* The places of their names among those that are kept: of a measure, STEPS of them. */
enum {
    DIGITS,
    HYPHENS = DIGITS + STEPS,
    DOTS = HYPHENS + STEPS,
    ATS = DOTS + STEPS,
    PERCENTS = ATS + STEPS,
    UPPERS = PERCENTS + STEPS,
    LABELS = UPPERS + STEPS,
    HOST_DIGITS = LABELS + STEPS,
    DEPTH = HOST_DIGITS + STEPS,
    URL_LENGTH = DEPTH + STEPS,
    HOST_LENGTH = URL_LENGTH + STEPS,
    PATH_LENGTH = HOST_LENGTH + STEPS,
    QUERY_LENGTH = PATH_LENGTH + STEPS,
    HTTP = QUERY_LENGTH + STEPS,
    HTTPS,
    USERINFO,
    PUNYCODE,
    IP_V4,
    IP_V6,
    IP_NUMBER,
    DOUBLE_SLASH,
    KEPT,
};
static const kept_name kept[KEPT] = {
    MEASURE("digits="),       MEASURE("hyphens="),    MEASURE("dots="),        MEASURE("ats="),
    MEASURE("percents="),     MEASURE("uppers="),     MEASURE("labels="),      MEASURE("digits.host%="),
    MEASURE("depth="),        MEASURE("length.url="), MEASURE("length.host="), MEASURE("length.path="),
    MEASURE("length.query="), NAME("scheme=http"),    NAME("scheme=https"),    NAME("userinfo"),
    NAME("punycode"),         NAME("ip_host=v4"),     NAME("ip_host=v6"),      NAME("ip_host=number"),
    NAME("double_slash"),
};

/* Where they are and their hashes, which stay the same as long as the process runs. A hash of 0 is not yet computed. */
typedef struct kept_place {
    _Atomic uint64_t name; /* an sl_name */
    _Atomic uint64_t hash;
} kept_place;
static kept_place places[KEPT];

static __attribute__((noinline, cold)) uint64_t find_place(size_t i) {
    const sl_name name = {(uint32_t)(i * sizeof *kept), kept[i].n};
    uint64_t word;
    memcpy(&word, &name, sizeof word);
    atomic_store_explicit(&places[i].name, word, memory_order_relaxed);
    const uint64_t hash = sl_name_hash(kept[i].text, kept[i].n);
    atomic_store_explicit(&places[i].hash, hash, memory_order_release);
    return hash;
}

/* Writes such a name as the feature k of the batch. Its value is set with that of all others. */
static inline void put_kept(sluice_batch *b, size_t k, size_t i) {
    uint64_t hash = atomic_load_explicit(&places[i].hash, memory_order_acquire);
    if (__builtin_expect(hash == 0, 0)) hash = find_place(i);
    const uint64_t name = atomic_load_explicit(&places[i].name, memory_order_relaxed);
    memcpy(&b->name[k], &name, sizeof name);
    b->hash[k] = hash;
}

sl_named_status sl_quick_url_begin(sl_named_rows *rows) {
    return sl_named_keep(rows, (const char *)(const void *)kept, sizeof kept);
}

/* A name that no row has twice. */
static inline void take_kept(walk *w, size_t i) { put_kept(w->batch, w->batch->nonzeros++, i); }

typedef struct measure {
    size_t kind, n;
} measure;

/* Those of the measures that are not 0, without a branch that would be guessed wrong. There is room for all. */
static inline void take_measures(walk *w, const measure *measures, size_t n) {
    sluice_batch *const b = w->batch;
    size_t k = b->nonzeros;
    for (size_t i = 0; i < n; i++) {
        const size_t size = measures[i].n, exact = size ? size - 1 : 0;
        const size_t power = least(67 - (size_t)__builtin_clzll(size | 1), STEPS - 1);
        put_kept(b, k, measures[i].kind + (size > EXACT ? power : exact));
        k += size != 0;
    }
    b->nonzeros = k;
}

/* ---- other names ------------------------------------------------------------------------------------------------- */

typedef struct tag {
    char text[16];
    size_t n;
} tag;

#define TAG(text) ((tag){text, sizeof(text) - 1})

/* Writes a name of a tag and at most SL_URL_WORD_BYTES bytes. Its first bytes are put together in registers, for the
 * hash reads them at once and in words of eight. */
static inline __attribute__((always_inline)) void write_name(char *to, tag t, const char *value, size_t n) {
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) {
        memcpy(to, t.text, t.n);
        memcpy(to + t.n, value, n);
        return;
    }
    sl_name_words words;
    memcpy(&words, t.text, sizeof words);
    if (t.n <= 8) {
        if (t.n < 8) words.first |= sl_load8(value) << 8 * (t.n % 8);
        words.last = sl_load8(value + 8 - t.n);
    } else {
        words.last |= sl_load8(value) << 8 * (t.n - 8);
    }
    memcpy(to, &words, sizeof words);
    const char *rest = value + sizeof words - t.n;
    if (t.n + n <= sizeof words) return;
    memcpy(to + sizeof words, rest, 32);
    if (t.n + n > sizeof words + 32) memcpy(to + sizeof words + 32, rest + 32, 32);
}

/* A name that its row may have twice: a value with a tag. */
static inline __attribute__((always_inline)) void take_word(walk *w, tag t, const char *value, size_t n) {
    n = least(n, SL_URL_WORD_BYTES);
    write_name(w->batch->text + w->batch->text_n, t, value, n);
    w->batch->text_n += t.n + n;
    (void)sl_named_end(w->rows, 1);
}

static inline void add_once(walk *w, size_t n) {
    sluice_batch *b = w->batch;
    const char *name = b->text + b->text_n;
    sl_named_known(w->rows, (sl_name){(uint32_t)b->text_n, (uint32_t)n}, sl_padded_hash(name, n), 1);
    w->rows->name_first = b->text_n += n;
}

/* One that no row has twice. */
static inline __attribute__((always_inline)) void take_once(walk *w, tag t, span value) {
    const size_t n = least(length(value), SL_URL_WORD_BYTES);
    write_name(w->batch->text + w->batch->text_n, t, w->text + value.at, n);
    add_once(w, t.n + n);
}

/* The same for hosts, which may be longer. */
static inline void take_host_name(walk *w, tag t, span value) {
    if (length(value) <= SL_URL_WORD_BYTES) {
        take_once(w, t, value);
        return;
    }
    const size_t n = least(length(value), SL_URL_HOST_BYTES);
    memcpy(w->batch->text + w->batch->text_n, t.text, t.n);
    memcpy(w->batch->text + w->batch->text_n + t.n, w->text + value.at, n);
    add_once(w, t.n + n);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void take_escaped_words(walk *w, tag t, span part) {
    const char *p = w->text + part.at, *const end = w->text + part.end;
    char word[SL_URL_WORD_BYTES + SL_URL_PAD];
    size_t n = 0;
    while (p < end) {
        const char c = sl_url_next_byte(&p, end);
        const bool goes_on = sl_url_in_word(c);
        if (goes_on && n < SL_URL_WORD_BYTES) word[n++] = sl_url_lower(c);
        if (goes_on && p < end) continue;
        if (n) take_word(w, t, word, n);
        n = 0;
    }
}

/* Every word of a part, escapes undone. */
static inline __attribute__((always_inline)) void take_words(walk *w, tag t, span part) {
    if (empty(part)) return;
    if (w->bytes->count[SL_URL_PERCENT] && has(w, SL_URL_PERCENT, part)) {
        take_escaped_words(w, t, part);
        return;
    }
    size_t from = 0; /* where the word that is open begins */
    uint64_t open = 0;
    for (size_t i = part.at / SL_URL_WINDOW; i * SL_URL_WINDOW < part.end; i++) {
        const uint64_t word = bits_in(w, SL_URL_WORD, i, part);
        for (uint64_t edges = word ^ (word << 1 | open); edges; edges &= edges - 1) {
            const size_t at = i * SL_URL_WINDOW + (size_t)__builtin_ctzll(edges);
            if (open) take_word(w, t, w->text + from, at - from);
            from = at;
            open ^= 1;
        }
    }
    if (open) take_word(w, t, w->text + from, part.end - from);
}

/* ---- hosts ------------------------------------------------------------------------------------------------------- */

static size_t split_host(const walk *w, span host, span *labels) {
    size_t n = 0;
    while (host.at < host.end && n < SL_URL_LABELS) {
        const span label = {host.at, next(w, SL_URL_DOT, host)};
        if (!empty(label)) labels[n++] = label;
        host.at = label.end + (label.end < host.end);
    }
    return n;
}

/* Whether the host is an address; then it is taken as one. */
static bool take_address(walk *w, const span *labels, size_t n) {
    bool decimal = n == 4, is_address = n <= 4;
    for (size_t i = n; i > 0 && is_address; i--) /* from the last, which begins with a digit in no other hosts */
        is_address = sl_url_is_number(w->text + labels[i - 1].at, w->text + labels[i - 1].end, &decimal);
    if (is_address) take_kept(w, decimal ? IP_V4 : IP_NUMBER);
    return is_address;
}

/* The last two labels, or three where the last two look like a registry. */
static void take_domain(walk *w, const span *labels, size_t n) {
    span domain = labels[n - 1];
    if (n >= 2) domain.at = labels[n - 2].at;
    if (n >= 3 && length(labels[n - 1]) == 2 && sl_url_is_registry(w->text + domain.at, length(labels[n - 2])))
        domain.at = labels[n - 3].at;
    take_host_name(w, TAG("domain="), domain);
    take_once(w, TAG("tld="), labels[n - 1]);
}

static void take_host(walk *w, span host) {
    while (!empty(host) && w->text[host.end - 1] == '.') host.end--;
    if (empty(host)) return;
    take_host_name(w, TAG("host="), host);
    if (w->text[host.at] == '[') {
        take_kept(w, IP_V6);
        return;
    }
    span labels[SL_URL_LABELS];
    const size_t n = split_host(w, host, labels); /* at least one: the host's last byte is no point */
    if (take_address(w, labels, n)) return;
    bool punycode = false;
    for (size_t i = 0; i + 1 < n; i++) {
        const span label = labels[i];
        if (!punycode && length(label) >= 4 && memcmp(w->text + label.at, "xn--", 4) == 0) {
            take_kept(w, PUNYCODE);
            punycode = true;
        }
        take_word(w, TAG("label="), w->text + label.at, length(label));
        if (w->bytes->count[SL_URL_HYPHEN] && has(w, SL_URL_HYPHEN, label)) take_words(w, TAG("label="), label);
    }
    take_domain(w, labels, n);
    const size_t digits = w->bytes->count[SL_URL_DIGIT] ? count(w, SL_URL_DIGIT, host) : 0;
    const measure measures[] = {{LABELS, n}, {HOST_DIGITS, digits ? 100 * digits / length(host) : 0}};
    take_measures(w, measures, 2);
}

/* ---- the other parts --------------------------------------------------------------------------------------------- */

/* index.php: the file, and php. */
static void take_file(walk *w, span file) {
    if (empty(file)) return;
    take_once(w, TAG("file="), file);
    const size_t dot = last(w, SL_URL_DOT, file);
    const span ending = {dot + (dot < file.end), file.end};
    if (!empty(ending)) take_once(w, TAG("ext="), ending);
}

static void take_path(walk *w, span path) {
    if (empty(path)) return;
    size_t depth = 0;
    bool doubled = false;
    span step = {path.at + 1, 0};
    for (;; step.at = step.end + 1) {
        step.end = next(w, SL_URL_SLASH, (span){step.at, path.end});
        const bool slash = step.end < path.end;
        if (slash && depth == 0 && !empty(step)) take_once(w, TAG("dir="), step);
        doubled |= slash && empty(step);
        depth += !empty(step);
        if (!slash) break;
    }
    take_words(w, TAG("path="), path);
    take_file(w, step);
    take_measures(w, &(measure){DEPTH, depth}, 1);
    if (doubled) take_kept(w, DOUBLE_SLASH);
}

static void take_query(walk *w, span query) {
    while (query.at < query.end) {
        const span pair = {query.at, next(w, SL_URL_PAIR, query)};
        const size_t equals = next(w, SL_URL_EQUALS, pair);
        if (equals < pair.end && equals > pair.at) take_word(w, TAG("key="), w->text + pair.at, equals - pair.at);
        take_words(w, TAG("query="), (span){equals < pair.end ? equals + 1 : pair.at, pair.end});
        query.at = pair.end + (pair.end < query.end);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Takes the scheme; returns where the authority begins. */
static size_t take_scheme(walk *w, size_t n) {
    const char *const text = w->text;
    const size_t colon = next(w, SL_URL_COLON, (span){0, n});
    size_t at = 0;
    if (n - colon >= 3 && text[colon + 1] == '/' && text[colon + 2] == '/') {
        while (at < colon && sl_url_in_scheme(text[at])) at++;
        if (at == colon) {
            if (at == 5 && memcmp(text, "https", 5) == 0)
                take_kept(w, HTTPS);
            else if (at == 4 && memcmp(text, "http", 4) == 0)
                take_kept(w, HTTP);
            else if (at)
                take_once(w, TAG("scheme="), (span){0, colon});
            return colon + 3;
        }
    }
    return n >= 2 && memcmp(text, "//", 2) == 0 ? 2 : 0;
}

/* Takes user and port, each of them perhaps not there; returns the host. */
static span take_authority(walk *w, span s) {
    span user = {s.at, s.at};
    if (w->bytes->count[SL_URL_AT]) {
        user.end = last(w, SL_URL_AT, s);
        s.at = user.end < s.end ? user.end + 1 : s.at;
        if (s.at == user.at) user.end = s.at;
    }
    const size_t colon = last(w, SL_URL_COLON, s);
    size_t digits = least(colon + 1, s.end);
    while (digits < s.end && sl_url_is_digit(w->text[digits])) digits++;
    if (colon < s.end && digits == s.end) {
        const span port = {colon + 1, s.end};
        if (!empty(port)) take_once(w, TAG("port="), port);
        s.end = colon;
    }
    if (!empty(user)) {
        take_kept(w, USERINFO);
        take_words(w, TAG("user="), user);
    }
    return s;
}

/* All values: a feature that comes several times counts once, and the row has length 1. */
static void make_equal(sl_named_rows *rows) {
    float *values = sl_named_values(rows);
    const size_t n = sl_named_count(rows);
    const float value = (float)(1 / sqrt((double)n));
    for (size_t k = 0; k < n; k++) values[k] = value;
}

void sl_quick_url(sl_named_rows *rows, sl_read_url *read, const char *url, size_t n) {
    /* At most as many features as bytes, and those that count and measure; and names of at most nine times the bytes,
     * those of the host and file, and tags. */
    if (sl_named_reserve(rows, n + 64, 16 * n + 2048) != SL_NAMED_OK) return;
    sl_url_bytes bytes;
    read(url, n, &bytes);
    walk here = {rows, rows->batch, bytes.lower, &bytes}, *const w = &here;
    const size_t begin = take_scheme(w, n);
    const span authority = {begin, next(w, SL_URL_STOP, (span){begin, n})};
    const span host = take_authority(w, authority);
    const size_t hash = next(w, SL_URL_HASH, (span){authority.end, n});
    const size_t question = next(w, SL_URL_QUESTION, (span){authority.end, hash});
    const span path = {authority.end, question};
    const span query = {question + (question < hash), hash}, fragment = {hash + (hash < n), n};
    take_host(w, host);
    take_path(w, path);
    take_query(w, query);
    take_words(w, TAG("fragment="), fragment);
    const size_t *counts = bytes.count;
    const measure measures[] = {
        {DIGITS, counts[SL_URL_DIGIT]},
        {HYPHENS, counts[SL_URL_HYPHEN]},
        {DOTS, counts[SL_URL_DOT]},
        {ATS, counts[SL_URL_AT]},
        {PERCENTS, counts[SL_URL_PERCENT]},
        {UPPERS, counts[SL_URL_UPPER]},
        {URL_LENGTH, n},
        {HOST_LENGTH, length(host)},
        {PATH_LENGTH, length(path)},
        {QUERY_LENGTH, length(query)},
    };
    take_measures(w, measures, sizeof measures / sizeof *measures);
    make_equal(rows);
}
