/* URLs read from bits give what the walk byte by byte gives, whatever they are. `unit_quick_url N` tries N of them. */
#include "fuzz/differential.h"
#include "io/url/url_bytes.h"
#include "unit/test.h"

static uint64_t state = 1;
static size_t rounds = 20000;

static uint64_t draw(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

static size_t below(size_t n) { return (size_t)(draw() % n); }

/* ---- made URLs --------------------------------------------------------------------------------------------------- */

enum { ROOM = 1 << 14 };

typedef struct made {
    char bytes[ROOM];
    size_t n;
} made;

static void put(made *m, const char *text) {
    for (; *text && m->n < ROOM; text++) m->bytes[m->n++] = *text;
}

#define ONE_OF(...)                                                                                                    \
    one_of((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
static const char *one_of(const char *const *list, size_t n) { return list[below(n)]; }

/* Letters, digits, escapes and bytes above 127: mostly few, at times more than count. */
static void put_word(made *m) {
    for (size_t k = below(40) ? 1 + below(9) : 60 + below(10); k; k--) {
        const size_t kind = below(60);
        put(m, kind < 40   ? ONE_OF("a", "b", "e", "o", "x", "n")
               : kind < 48 ? ONE_OF("0", "1", "7", "9")
               : kind < 54 ? ONE_OF("A", "Z", "Q", "M")
               : kind < 57 ? ONE_OF("%41", "%7a", "%2F", "%2f", "%c3", "%4", "%", "%zz", "%20", "%00", "%5B", "%60")
                           : ONE_OF("\xc3\xa9", "\xff", "\x80", "_", "~", "`", "[", "{", "@", "\x7f", "\x01", "+"));
    }
}

static void put_words(made *m, const char *between, size_t most) {
    const size_t n = strlen(between);
    for (size_t k = below(most + 1); k; k--) {
        if (below(12)) put_word(m);
        put(m, (const char[]){between[below(n)], 0});
    }
    if (below(3)) put_word(m);
}

static void put_host(made *m) {
    switch (below(14)) {
    case 0:
        put(m, ONE_OF("192.168.0.1", "1.2.3.4.5", "0x7f.1", "0300.0250.0.1", "2130706433", "0x.1", "1.2.3.4e", "256.1",
                      "01.2.3.4", "1.2.3.1000", "0X7F.0xag"));
        break;
    case 1:
        put(m, ONE_OF("[2001:DB8::1]", "[", "[::1", "]", "", ".", "..", "a..b", ".a", "a."));
        break;
    case 2:
        for (size_t k = below(20) ? 4 : 100 + below(200); k; k--) put(m, ONE_OF("a.", "b-c.", "xn--p1.", "1.", ".."));
        break;
    default:
        put(m, ONE_OF("www.", "WWW.", "", "", "xn--Mnchen-3ya.", "login-paypal.", "XN--a."));
        put_words(m, below(3) ? "..-" : ".-_:@", below(9) ? 3 : 60);
    }
    put(m, ONE_OF("", ".com", ".org", ".co.uk", ".COM.au", ".gob.mx", ".xy.de", ".go", ".uk", ".", ".."));
}

static void put_url(made *m) {
    put(m, ONE_OF("http://", "https://", "HTTP://", "http://", "https://", "", "//", "ftp://", "mailto:", "a+b.c-1://",
                  "://", "http:/", "ht tp://", "\xc3\xa9://", "x%41://", "http:///", ":"));
    if (!below(6)) put_words(m, ":@%", 3), put(m, "@");
    put_host(m);
    put(m, ONE_OF("", "", "", "", "", ":80", ":", ":x1", ":0000000000", ":8080"));
    if (below(5)) put(m, ONE_OF("/", "/", "/", "//", "\\", "")), put_words(m, below(3) ? "/" : "/-._//\\;=@:", 6);
    if (!below(2)) put(m, ONE_OF(".php", ".HTML", ".", "..gz", "/", "//", ""));
    if (!below(2)) put(m, "?"), put_words(m, below(2) ? "=&" : "==&&;?/-.@", 8);
    if (!below(5)) put(m, "#"), put_words(m, "-?#/&=", 5);
}

/* Makes it as long as some windows of the kernels, or nearly. */
static void fit_windows(made *m) {
    const size_t want = SL_URL_WINDOW * (1 + below(below(4) ? 3 : 33)) - 3 + below(7);
    if (want >= ROOM / 2) return;
    const size_t at = below(m->n + 1);
    const char byte = "a/.-%1&=@:B\xc3"[below(below(2) ? 1 : 12)];
    if (m->n < want) {
        memmove(m->bytes + at + want - m->n, m->bytes + at, m->n - at);
        memset(m->bytes + at, byte, want - m->n);
    }
    m->n = want;
}

static made url(void) {
    made m;
    m.n = 0;
    put_url(&m);
    if (!below(3)) fit_windows(&m);
    for (size_t k = below(3) ? 0 : below(5); k && m.n; k--) {
        const char any = (char)draw();
        m.bytes[below(m.n)] = below(3) ? "/?#\\&;=:@.%-+ \tAz09"[below(19)] : any && any != '\n' ? any : 'x';
    }
    return m;
}

TEST(every_way_gives_the_same) {
    enum { LINES = 20 };
    char *text = malloc((LINES + 1) * (ROOM + 4));
    for (size_t round = 0; round < rounds; round += LINES) {
        size_t n = 0;
        for (size_t i = 0; i < LINES; i++) {
            const made m = url();
            text[n++] = '1', text[n++] = '\t';
            memcpy(text + n, m.bytes, m.n);
            n += m.n;
            text[n++] = '\n';
        }
        const char *found = any_difference(sl_parse_url, text, n, false);
        CHECK(!found);
        if (!found) continue;
        printf("%s in:\n%.*s", found, (int)n, text);
        break;
    }
    free(text);
}

/* The same URL at all lengths. */
TEST(every_length_gives_the_same) {
    char text[4000];
    for (size_t n = 1; n < 3 * SL_URL_WINDOW; n++) {
        for (size_t k = 0; k < 40; k++) {
            made m = url();
            while (m.n < n) m.bytes[m.n++] = "ab/.-=&%4@:Z"[below(12)];
            memcpy(text, "1\t", 2);
            memcpy(text + 2, m.bytes, n);
            text[n + 2] = '\n';
            CHECK(!any_difference(sl_parse_url, text, n + 3, false));
        }
    }
}

/* The longest that is read from bits, and longer ones. */
TEST(long_ones_give_the_same) {
    static const char *const pieces[] = {"a.", "b/", "c-", "d=e&", "%41", "xn--a.", "W", "1", "@", ":"};
    char *text = malloc(2 * SL_URL_MOST);
    for (size_t n = SL_URL_MOST - 2; n <= SL_URL_MOST + 2; n++)
        for (size_t kind = 0; kind < sizeof pieces / sizeof *pieces; kind++)
            for (size_t part = 0; part < 4; part++) {
                const size_t before = (size_t)sprintf(text, "1\th%s", (const char *const[]){"", "/", "?", "#"}[part]);
                for (size_t i = before; i < n + 2; i++) text[i] = pieces[kind][(i - before) % strlen(pieces[kind])];
                text[n + 2] = '\n';
                CHECK(!any_difference(sl_parse_url, text, n + 3, false));
            }
    free(text);
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static const char *const members[SL_URL_CLASSES] = {
    [SL_URL_DIGIT] = "0123456789", [SL_URL_HYPHEN] = "-", [SL_URL_DOT] = ".",      [SL_URL_AT] = "@",
    [SL_URL_PERCENT] = "%",        [SL_URL_SLASH] = "/",  [SL_URL_QUESTION] = "?", [SL_URL_HASH] = "#",
    [SL_URL_STOP] = "/?#\\",       [SL_URL_PAIR] = "&;",  [SL_URL_EQUALS] = "=",   [SL_URL_COLON] = ":",
};

static bool belongs(unsigned char c, size_t class) {
    if (class == SL_URL_UPPER) return c >= 'A' && c <= 'Z';
    if (class == SL_URL_WORD)
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c >= 0x80;
    return c && strchr(members[class], c);
}

TEST(all_kernels_classify_every_byte) {
    enum { MOST = 3 * SL_URL_WINDOW };
    sl_url_bytes *got = malloc(sizeof *got);
    for (size_t n = 1; n <= MOST; n++) {
        char text[MOST + SL_URL_WINDOW];
        for (size_t i = 0; i < sizeof text; i++) text[i] = (char)(n % 2 ? draw() : i + n);
        for (sl_cpu cpu = SL_CPU_PORTABLE; cpu <= SL_CPU_NEON; cpu++) {
            if (!sl_parse_kernels_for(cpu)) continue;
            memset(got, 0xAA, sizeof *got);
            sl_parse_kernels_for(cpu)->read_url(text, n, got);
            CHECK_EQ(got->n, n);
            size_t count[SL_URL_CLASSES] = {0};
            for (size_t i = 0; i < (n + SL_URL_WINDOW - 1) / SL_URL_WINDOW * SL_URL_WINDOW; i++)
                for (size_t class = 0; class < SL_URL_CLASSES; class ++) {
                    const bool is = i < n && belongs((unsigned char)text[i], class);
                    CHECK_EQ(got->bits[i / SL_URL_WINDOW][class] >> i % SL_URL_WINDOW & 1, is);
                    count[class] += is;
                }
            for (size_t i = 0; i < n; i++)
                CHECK_EQ(got->lower[i], belongs((unsigned char)text[i], SL_URL_UPPER) ? text[i] + 32 : text[i]);
            CHECK(memcmp(got->count, count, sizeof got->count) == 0);
        }
    }
    free(got);
}

int main(int argc, char **argv) {
    if (argc > 1) rounds = strtoul(argv[1], NULL, 10);
    if (argc > 2) state = strtoul(argv[2], NULL, 10);
    RUN(all_kernels_classify_every_byte);
    RUN(every_length_gives_the_same);
    RUN(long_ones_give_the_same);
    RUN(every_way_gives_the_same);
    return DONE;
}
