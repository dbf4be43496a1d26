/* URLs: the features of each part, odd URLs, and the few things that are errors. */
#include "raw_stream.h"

#define READS(input, want) check_raw(input, sizeof(input) - 1, (sluice_reader_options){.format = "url"}, want)

/* What the URL has of features, without those that count and measure. */
static void check_parts(const char *url, const char *want) {
    text t = {0}, line = {0};
    add(&line, "1\t%s\n", url);
    char *got = read_raw(line.data, line.n, (sluice_reader_options){.format = "url"}), *rest = got + 1;
    static const char *const measures[] = {
        "labels=", "digits", "depth=", "hyphens=", "dots=", "ats=", "percents=", "uppers=", "length."};
    add(&t, "");
    for (char *part = strtok_r(rest, " |\n", &rest); part; part = strtok_r(NULL, "|\n", &rest)) {
        bool measured = false;
        for (size_t i = 0; i < sizeof measures / sizeof *measures; i++)
            measured |= strncmp(part, measures[i], strlen(measures[i])) == 0;
        if (!measured) add(&t, "%s%s", t.n ? " " : "", part);
    }
    CHECK_STR(t.data, want);
    free(got), free(t.data), free(line.data);
}

TEST(a_plain_one_in_full) {
    READS("1\thttp://www.example.org/\n-1\texample.org\n",
          "1 scheme=http|host=www.example.org|label=www|label=example|domain=example.org|tld=org|labels=3|dots=2|"
          "length.url=16-31|length.host=8-15|length.path=1\n"
          "-1 host=example.org|label=example|domain=example.org|tld=org|labels=2|dots=1|length.url=8-15|"
          "length.host=8-15\n");
}

TEST(every_part) {
    check_parts("HTTPS://User:pw@Secure.login-Paypal.CO.uk:8080/a//b-c/Index.PHP?x=1&to=Zz%20y;q#Top",
                "scheme=https port=8080 userinfo user=user user=pw host=secure.login-paypal.co.uk label=secure "
                "label=login-paypal label=login label=paypal label=co domain=login-paypal.co.uk tld=uk dir=a path=a "
                "path=b path=c path=index path=php file=index.php ext=php double_slash key=x query=1 key=to query=zz "
                "query=y query=q fragment=top");
}

TEST(domains) {
    check_parts("a.b.example.com", "host=a.b.example.com label=a label=b label=example domain=example.com tld=com");
    check_parts("www.x.com.au.", "host=www.x.com.au label=www label=x label=com domain=x.com.au tld=au");
    check_parts("co.uk", "host=co.uk label=co domain=co.uk tld=uk");
    check_parts("www.bit.ly", "host=www.bit.ly label=www label=bit domain=bit.ly tld=ly");
    check_parts("localhost", "host=localhost domain=localhost tld=localhost");
    check_parts("xn--mnchen-3ya.de",
                "host=xn--mnchen-3ya.de punycode label=xn--mnchen-3ya label=xn label=mnchen label=3ya "
                "domain=xn--mnchen-3ya.de tld=de");
    check_parts("a..b", "host=a..b label=a domain=a..b tld=b");
}

TEST(addresses_as_hosts) {
    check_parts("http://192.168.0.1/x/", "scheme=http host=192.168.0.1 ip_host=v4 dir=x path=x");
    check_parts("http://[2001:DB8::1]:80/", "scheme=http port=80 host=[2001:db8::1] ip_host=v6");
    check_parts("http://2130706433/", "scheme=http host=2130706433 ip_host=number");
    check_parts("http://0x7f.1/", "scheme=http host=0x7f.1 ip_host=number");
    check_parts("http://0300.0250.0.1/", "scheme=http host=0300.0250.0.1 ip_host=number");
    check_parts("1.2.3.4.5", "host=1.2.3.4.5 label=1 label=2 label=3 label=4 domain=4.5 tld=5");
    check_parts("1.2.3.4e", "host=1.2.3.4e label=1 label=2 label=3 domain=3.4e tld=4e");
    check_parts("0x.1", "host=0x.1 label=0x domain=0x.1 tld=1");
}

TEST(paths) {
    check_parts("h/a/b/c.tar.gz",
                "host=h domain=h tld=h dir=a path=a path=b path=c path=tar path=gz file=c.tar.gz ext=gz");
    check_parts("h/file", "host=h domain=h tld=h path=file file=file");
    check_parts("h/file.", "host=h domain=h tld=h path=file file=file.");
    check_parts("h//", "host=h domain=h tld=h double_slash");
    check_parts("h/%41b%2Fc%zz%4", "host=h domain=h tld=h path=ab path=c path=zz path=4 file=%41b%2fc%zz%4");
    check_parts("h/\xc3\xa9t\xc3\xa9 x",
                "host=h domain=h tld=h path=\xc3\xa9t\xc3\xa9 path=x file=\xc3\xa9t\xc3\xa9 x");
    check_parts("h\\a\\b", "host=h domain=h tld=h path=a path=b file=a\\b");
}

TEST(queries_and_fragments) {
    check_parts("h?a=1&b&=c&&d=e=f", "host=h domain=h tld=h key=a query=1 query=b query=c key=d query=e query=f");
    check_parts("h?u=http://x.org/?y#f/g?h#i",
                "host=h domain=h tld=h key=u query=http query=x query=org query=y fragment=f fragment=g fragment=h "
                "fragment=i");
    check_parts("h#?a=1", "host=h domain=h tld=h fragment=a fragment=1");
}

TEST(odd_ones_are_no_errors) {
    check_parts("http://", "scheme=http");
    check_parts("//h/x", "host=h domain=h tld=h path=x file=x");
    check_parts("://", "");
    check_parts("?", "");
    check_parts("...", "");
    check_parts("@", "");
    check_parts("@h", "host=h domain=h tld=h");
    check_parts("h:", "host=h domain=h tld=h");
    check_parts("h:x1", "host=h:x1 domain=h:x1 tld=h:x1");
    check_parts("http://a@b@h:80", "scheme=http port=80 userinfo user=a user=b host=h domain=h tld=h");
    check_parts("mailto:me@example.org",
                "userinfo user=mailto user=me host=example.org label=example domain=example.org tld=org");
    check_parts("  h  ", "host=h domain=h tld=h");
    check_parts("http://[", "scheme=http host=[ ip_host=v6");
}

TEST(measures) {
    READS("1\tA1-b.c/%41@\n",
          "1 host=a1-b.c|label=a1-b|label=a1|label=b|domain=a1-b.c|tld=c|labels=2|digits.host%=16-31|path=a|file=%41@|"
          "depth=1|digits=3|hyphens=1|dots=1|ats=1|percents=1|uppers=1|length.url=8-15|length.host=6|length.path=5\n");
}

TEST(what_comes_twice_counts_once) {
    READS("1\ta.a.a/b/b\n", "1 host=a.a.a|label=a|domain=a.a|tld=a|labels=3|dir=b|path=b|file=b|depth=2|dots=2|"
                            "length.url=8-15|length.host=5|length.path=4\n");
}

TEST(lines_of_all_kinds) {
    READS("\n1\tq\r\n \n-1\n0\t\n+1\tq", "1 host=q|domain=q|tld=q|labels=1|length.url=1|length.host=1\n-1\n0\n"
                                         "1 host=q|domain=q|tld=q|labels=1|length.url=1|length.host=1\n");
    READS("1\t?\nhttp://x\n", "1 length.url=1\ndata mem:2:1: label 'http://x' is not a number; a line is "
                              "label<TAB>URL\n");
    READS("1\th\0\n", "data mem:1:4: a NUL byte in the text\n");
}

/* The usual spellings are known at a glance; others are the same numbers. */
TEST(labels_of_all_spellings) {
#define Q " host=q|domain=q|tld=q|labels=1|length.url=1|length.host=1\n"
    READS("1\tq\n+1\tq\n-1\tq\n0\tq\n", "1" Q "1" Q "-1" Q "0" Q);
    READS("-0\tq\n+0\tq\n01\tq\n 1\tq\n1 \tq\n1.\tq\n", "-0" Q "0" Q "1" Q "1" Q "1" Q "1" Q);
    READS("10\tq\n-11\tq\n+1\r\n-1\t\r\n1", "10" Q "-11" Q "1\n-1\n1\n");
    READS("-\tq\n", "data mem:1:1: label '-' is not a number; a line is label<TAB>URL\n");
    READS("+\t1\tq\n", "data mem:1:1: label '+' is not a number; a line is label<TAB>URL\n");
#undef Q
}

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

TEST(long_parts_are_cut) {
    check_parts("a" HUNDRED HUNDRED HUNDRED "/" HUNDRED "?" HUNDRED "=" HUNDRED,
                "host=a" HUNDRED HUNDRED TEN TEN TEN TEN TEN "0123 domain=a" HUNDRED HUNDRED TEN TEN TEN TEN TEN
                "0123 tld=a" TEN TEN TEN TEN TEN TEN "012 path=" TEN TEN TEN TEN TEN TEN
                "0123 file=" TEN TEN TEN TEN TEN TEN "0123 key=" TEN TEN TEN TEN TEN TEN
                "0123 query=" TEN TEN TEN TEN TEN TEN "0123");
    text t = {0};
    add(&t, "1\t");
    for (int i = 0; i < 1000; i++) add(&t, "a.");
    add(&t, "\n");
    char *got = read_raw(t.data, t.n, (sluice_reader_options){.format = "url"});
    CHECK_HAS(got, "|label=a|domain=a.a|tld=a|labels=128-255|dots=512-1023|length.url=1024+|length.host=1024+\n");
    free(got), free(t.data);
}

int main(void) {
    RUN(a_plain_one_in_full);
    RUN(every_part);
    RUN(domains);
    RUN(addresses_as_hosts);
    RUN(paths);
    RUN(queries_and_fragments);
    RUN(odd_ones_are_no_errors);
    RUN(measures);
    RUN(what_comes_twice_counts_once);
    RUN(lines_of_all_kinds);
    RUN(labels_of_all_spellings);
    RUN(long_parts_are_cut);
    return DONE;
}
