/* URLs: `label<TAB>URL`, with the lexical features of work on malicious URLs (Ma, Saul, Savage, Voelker 2009 and
 * later): the words of each part under the part's name, and measures of the parts. Nothing is looked up anywhere, and
 * no URL is an error: text that does not look like one is split as far as possible.
 *
 * Measures (lengths, counts) become names too: `depth=3`, and from 8 on by powers of two, `length.host=16-31`.
 * So a linear rule can prefer medium lengths, and no measure outweighs the words. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/system.h"
#include "io/format.h"
#include "io/named/labelled.h"
#include "io/parse_kernels.h"
#include "io/url/quick_url.h"
#include "io/url/url_text.h"

enum { MAX_TAG = 16 };

typedef struct span {
    const char *p, *end;
} span;

typedef struct url {
    span all, scheme, user, host, port, path, query, fragment; /* without what separates them; path: with its slash */
} url;

static size_t length(span s) { return (size_t)(s.end - s.p); }
static bool empty(span s) { return s.p == s.end; }

/* Where one of the bytes stands, or the end. */
static const char *find_any(span s, const char *bytes) {
    for (; s.p < s.end; s.p++)
        if (strchr(bytes, *s.p)) break;
    return s.p;
}

static const char *find_last(span s, char byte) { return empty(s) ? NULL : sl_find_last(s.p, byte, length(s)); }

/* ---- features --------------------------------------------------------------------------------------------------- */

/* Memory may run out in any of these; sl_parse_labelled() asks once for the whole row. */
static void take(sl_named_rows *rows, const char *name, size_t n) { (void)sl_named_feature(rows, name, n, 1); }

/* `tag` and the value in lower case; "host=" and "WWW.x.org" is the feature host=www.x.org. */
static void take_value(sl_named_rows *rows, const char *tag, span value, size_t most) {
    char name[MAX_TAG + SL_URL_HOST_BYTES];
    size_t n = strlen(tag);
    memcpy(name, tag, n);
    for (; value.p < value.end && most; most--) name[n++] = sl_url_lower(*value.p++);
    take(rows, name, n);
}

/* Every word of a part, escapes undone. */
static void take_words(sl_named_rows *rows, const char *tag, span part) {
    char name[MAX_TAG + SL_URL_WORD_BYTES];
    const size_t tag_n = strlen(tag);
    size_t n = tag_n;
    memcpy(name, tag, n);
    while (part.p < part.end) {
        char c = sl_url_next_byte(&part.p, part.end);
        if (sl_url_in_word(c)) {
            if (n < tag_n + SL_URL_WORD_BYTES) name[n++] = sl_url_lower(c);
            if (part.p < part.end) continue;
        }
        if (n > tag_n) take(rows, name, n);
        n = tag_n;
    }
}

/* A measure that is not 0. */
static void take_measure(sl_named_rows *rows, const char *tag, size_t measure) {
    static const char *const words[] = {"1",     "2",     "3",      "4",       "5",       "6",        "7",    "8-15",
                                        "16-31", "32-63", "64-127", "128-255", "256-511", "512-1023", "1024+"};
    enum { EXACT = 7, LAST = sizeof words / sizeof *words - 1 };
    if (!measure) return;
    size_t i = measure - 1;
    if (measure > EXACT) i = EXACT + (size_t)(63 - __builtin_clzll(measure)) - 3;
    if (i > LAST) i = LAST;
    take_value(rows, tag, (span){words[i], words[i] + strlen(words[i])}, SL_URL_WORD_BYTES);
}

/* ---- hosts ------------------------------------------------------------------------------------------------------ */

/* The last two labels, or three where the last two look like a registry. */
static void take_domain(sl_named_rows *rows, const span *labels, size_t n) {
    span domain = labels[n - 1];
    if (n >= 2) domain.p = labels[n - 2].p;
    if (n >= 3 && length(labels[n - 1]) == 2 && sl_url_is_registry(labels[n - 2].p, length(labels[n - 2])))
        domain.p = labels[n - 3].p;
    take_value(rows, "domain=", domain, SL_URL_HOST_BYTES);
    take_value(rows, "tld=", labels[n - 1], SL_URL_WORD_BYTES);
}

static void take_label(sl_named_rows *rows, span label) {
    if (length(label) >= 4 && strncasecmp(label.p, "xn--", 4) == 0) take(rows, "punycode", 8);
    take_value(rows, "label=", label, SL_URL_WORD_BYTES);
    if (memchr(label.p, '-', length(label))) take_words(rows, "label=", label);
}

/* Whether the host is an address; then it is taken as one. */
static bool take_address(sl_named_rows *rows, const span *labels, size_t n) {
    bool decimal = n == 4, is_address = n <= 4;
    for (size_t i = 0; i < n && is_address; i++) is_address = sl_url_is_number(labels[i].p, labels[i].end, &decimal);
    if (is_address && decimal) take(rows, "ip_host=v4", 10);
    if (is_address && !decimal) take(rows, "ip_host=number", 14);
    return is_address;
}

static size_t split_host(span host, span *labels) {
    size_t n = 0;
    while (host.p < host.end && n < SL_URL_LABELS) {
        const char *dot = memchr(host.p, '.', length(host));
        span label = {host.p, dot ? dot : host.end};
        if (!empty(label)) labels[n++] = label;
        host.p = label.end + (dot != NULL);
    }
    return n;
}

static size_t count_digits(span s) {
    size_t n = 0;
    for (; s.p < s.end; s.p++) n += sl_url_is_digit(*s.p);
    return n;
}

static void take_host(sl_named_rows *rows, span host) {
    while (!empty(host) && host.end[-1] == '.') host.end--;
    if (empty(host)) return;
    take_value(rows, "host=", host, SL_URL_HOST_BYTES);
    if (*host.p == '[') {
        take(rows, "ip_host=v6", 10);
        return;
    }
    span labels[SL_URL_LABELS];
    size_t n = split_host(host, labels); /* at least one: the host's last byte is no point */
    if (take_address(rows, labels, n)) return;
    for (size_t i = 0; i + 1 < n; i++) take_label(rows, labels[i]);
    take_domain(rows, labels, n);
    take_measure(rows, "labels=", n);
    take_measure(rows, "digits.host%=", 100 * count_digits(host) / length(host));
}

/* ---- the other parts -------------------------------------------------------------------------------------------- */

/* index.php: the file, and php. */
static void take_file(sl_named_rows *rows, span file) {
    if (empty(file)) return;
    const char *dot = find_last(file, '.');
    span ending = {dot ? dot + 1 : file.end, file.end};
    take_value(rows, "file=", file, SL_URL_WORD_BYTES);
    if (!empty(ending)) take_value(rows, "ext=", ending, SL_URL_WORD_BYTES);
}

static void take_path(sl_named_rows *rows, span path) {
    size_t depth = 0;
    bool doubled = false;
    span file = {path.end, path.end};
    for (span rest = path; rest.p < rest.end;) {
        rest.p++;
        const char *slash = memchr(rest.p, '/', length(rest));
        span step = {rest.p, slash ? slash : rest.end};
        if (slash && depth == 0 && !empty(step)) take_value(rows, "dir=", step, SL_URL_WORD_BYTES);
        doubled |= slash && empty(step);
        depth += !empty(step);
        if (!slash) file = step;
        rest.p = step.end;
    }
    take_words(rows, "path=", path);
    take_file(rows, file);
    take_measure(rows, "depth=", depth);
    if (doubled) take(rows, "double_slash", 12);
}

static void take_query(sl_named_rows *rows, span query) {
    while (query.p < query.end) {
        span pair = {query.p, find_any(query, "&;")};
        const char *equals = memchr(pair.p, '=', length(pair));
        span key = {pair.p, equals ? equals : pair.p};
        span value = {equals ? equals + 1 : pair.p, pair.end};
        if (!empty(key)) take_value(rows, "key=", key, SL_URL_WORD_BYTES);
        take_words(rows, "query=", value);
        query.p = pair.end + (pair.end < query.end);
    }
}

static void take_counts(sl_named_rows *rows, span s) {
    size_t digits = 0, hyphens = 0, dots = 0, ats = 0, percents = 0, uppers = 0;
    for (; s.p < s.end; s.p++) {
        digits += sl_url_is_digit(*s.p);
        hyphens += *s.p == '-';
        dots += *s.p == '.';
        ats += *s.p == '@';
        percents += *s.p == '%';
        uppers += *s.p >= 'A' && *s.p <= 'Z';
    }
    take_measure(rows, "digits=", digits);
    take_measure(rows, "hyphens=", hyphens);
    take_measure(rows, "dots=", dots);
    take_measure(rows, "ats=", ats);
    take_measure(rows, "percents=", percents);
    take_measure(rows, "uppers=", uppers);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static span split_scheme(span *rest) {
    span scheme = {rest->p, rest->p};
    while (scheme.end < rest->end && sl_url_in_scheme(*scheme.end)) scheme.end++;
    bool slashes = rest->end - scheme.end >= 3 && memcmp(scheme.end, "://", 3) == 0;
    if (slashes) {
        rest->p = scheme.end + 3;
        return scheme;
    }
    if (length(*rest) >= 2 && memcmp(rest->p, "//", 2) == 0) rest->p += 2;
    return (span){rest->p, rest->p};
}

/* user@host:port, each of them perhaps not there. */
static void split_authority(span s, url *u) {
    const char *at = find_last(s, '@');
    u->user = (span){s.p, at ? at : s.p};
    if (at) s.p = at + 1;
    const char *colon = find_last(s, ':'), *digits = colon ? colon + 1 : s.end;
    while (digits < s.end && sl_url_is_digit(*digits)) digits++;
    bool has_port = colon && digits == s.end;
    u->port = (span){has_port ? colon + 1 : s.end, s.end};
    u->host = (span){s.p, has_port ? colon : s.end};
}

static url split(span s) {
    url u = {.all = s};
    u.scheme = split_scheme(&s);
    span authority = {s.p, find_any(s, "/?#\\")};
    split_authority(authority, &u);
    const char *hash = memchr(authority.end, '#', (size_t)(s.end - authority.end));
    u.fragment = (span){hash ? hash + 1 : s.end, s.end};
    if (hash) s.end = hash;
    const char *mark = memchr(authority.end, '?', (size_t)(s.end - authority.end));
    u.query = (span){mark ? mark + 1 : s.end, s.end};
    u.path = (span){authority.end, mark ? mark : s.end};
    return u;
}

/* A feature that comes several times counts once; and the row has length 1. */
static void make_equal(sl_named_rows *rows) {
    float *values = sl_named_values(rows);
    size_t n = sl_named_count(rows);
    for (size_t k = 0; k < n; k++) values[k] = (float)(1 / sqrt((double)n));
}

static void url_features(sl_named_rows *rows, const sl_rules *rules, const char *p, const char *end) {
    span all = {p, end};
    while (!empty(all) && (*all.p == ' ' || *all.p == '\t')) all.p++;
    while (!empty(all) && (all.end[-1] == ' ' || all.end[-1] == '\t')) all.end--;
    if (empty(all)) return;
    if (rules->kernels && length(all) <= SL_URL_MOST) {
        sl_quick_url(rows, rules->kernels->read_url, all.p, length(all));
        return;
    }
    url u = split(all);
    if (!empty(u.scheme)) take_value(rows, "scheme=", u.scheme, SL_URL_WORD_BYTES);
    if (!empty(u.port)) take_value(rows, "port=", u.port, SL_URL_WORD_BYTES);
    if (!empty(u.user)) {
        take(rows, "userinfo", 8);
        take_words(rows, "user=", u.user);
    }
    take_host(rows, u.host);
    take_path(rows, u.path);
    take_query(rows, u.query);
    take_words(rows, "fragment=", u.fragment);
    take_counts(rows, u.all);
    take_measure(rows, "length.url=", length(u.all));
    take_measure(rows, "length.host=", length(u.host));
    take_measure(rows, "length.path=", length(u.path));
    take_measure(rows, "length.query=", length(u.query));
    make_equal(rows);
}

void sl_parse_url(sl_block *b) {
    if (b->rules->kernels && !b->kept) {
        sl_named_rows rows;
        sl_named_begin(&rows, b);
        const sl_named_status status = sl_quick_url_begin(&rows);
        if (status == SL_NAMED_LATER) return;
        if (status != SL_NAMED_OK) {
            sl_block_no_memory(b, b->text + b->at);
            return;
        }
    }
    sl_parse_labelled(b, "URL", url_features);
}
