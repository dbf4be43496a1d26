/* SLUICE_CPU forces each set of kernels that the machine runs; readers then give the same rows as with the portable
 * one.
 */
#include <unistd.h>

#include "io/parse_kernels.h"

#include "stream.h"

static const char *const names[] = {"portable", "avx2", "avx512", "neon"};

static void force(const char *name) { CHECK_EQ(name ? setenv("SLUICE_CPU", name, 1) : unsetenv("SLUICE_CPU"), 0); }

TEST(a_name_chooses_the_kernels) {
    for (sl_cpu cpu = SL_CPU_PORTABLE; cpu <= SL_CPU_NEON; cpu++) {
        CHECK_STR(sl_cpu_name(cpu), names[cpu]);
        force(names[cpu]);
        if (sl_parse_kernels_for(cpu)) CHECK_EQ(sl_parse_kernels_chosen()->cpu, cpu);
    }
    CHECK(sl_parse_kernels_for(SL_CPU_PORTABLE) != NULL);
}

TEST(what_cannot_run_is_not_chosen) {
    force(NULL);
    const sl_parse_kernels *best = sl_parse_kernels_chosen();
    static const char *const unknown[] = {"", "AVX2", "sse9", "portable "};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        force(unknown[i]);
        CHECK(sl_parse_kernels_chosen() == best);
    }
    for (sl_cpu cpu = SL_CPU_PORTABLE; cpu <= SL_CPU_NEON; cpu++) {
        if (sl_cpu_runs(cpu)) continue;
        CHECK(sl_parse_kernels_for(cpu) == NULL);
        force(names[cpu]);
        CHECK(sl_parse_kernels_chosen() == best);
    }
}

static uint64_t state = 1;

static size_t below(size_t n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (size_t)(state % n);
}

/* Rows with values of many kinds, in LIBSVM or VW text. */
static text rows(bool vw) {
    static const char *const values[] = {"1", "0.25", "-3", "17", "0.1234567", "12.5", "-0.5", "1e3", "255", "5."};
    text t = {0};
    for (size_t i = 0; i < 3000; i++) {
        add(&t, vw ? "%s |" : "%s", i % 3 ? "1" : "-1");
        size_t id = 0;
        for (size_t k = below(40); k; k--) add(&t, " %zu:%s", id += 1 + below(90000), values[below(10)]);
        add(&t, "\n");
    }
    return t;
}

static char *read_by(const char *cpu, const void *bytes, size_t n, const char *format) {
    force(cpu);
    sluice_reader_options o = {.size = sizeof o, .format = format, .threads = 1};
    return read_bytes(bytes, n, &o, 1 << 16);
}

static void compare(const void *bytes, size_t n, const char *format) {
    char *want = read_by("portable", bytes, n, format);
    CHECK(strlen(want) > 10000 && !strstr(want, "mem:"));
    for (sl_cpu cpu = SL_CPU_PORTABLE; cpu <= SL_CPU_NEON; cpu++) {
        if (!sl_parse_kernels_for(cpu)) continue;
        char *got = read_by(names[cpu], bytes, n, format);
        CHECK(strcmp(got, want) == 0);
        free(got);
    }
    free(want);
}

TEST(libsvm_text_reads_alike) {
    text t = rows(false);
    compare(t.data, t.n, "libsvm");
    free(t.data);
}

TEST(vw_text_reads_alike) {
    text t = rows(true);
    compare(t.data, t.n, "vw");
    free(t.data);
}

/* Words of all lengths and scripts, mostly ASCII: some go beyond the windows of the kernels, and beyond what counts. */
TEST(raw_text_reads_alike) {
    static const char *const pieces[] = {"a",    "Free",   "PRIZE",  "0",      "zZ9",        "kl",
                                         "\xff", "\u00e9", "\u6771", "\u00ad", "na\u00efve", "\U0001f600"};
    static const char *const between[] = {" ", "", "-", ", ", "@[`{/:", "  "};
    text t = {0};
    for (size_t i = 0; i < 3000; i++) {
        add(&t, "%zu\t", i % 2);
        for (size_t words = below(60); words; words--) {
            const char *piece = pieces[below(below(4) ? 6 : 12)];
            for (size_t k = below(100) ? 1 + below(3) : 70; k; k--) add(&t, "%s", piece);
            add(&t, "%s", between[below(6)]);
        }
        add(&t, "\n");
    }
    compare(t.data, t.n, "text");
    free(t.data);
}

TEST(bin_reads_alike) {
    char path[] = "/tmp/sluice-kernels-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    sluice_error err;
    sluice_writer *w = sluice_writer_open(path, "bin", &err);
    text t = rows(false);
    sluice_reader *r = sluice_reader_open_memory(t.data, t.n, "mem", NULL, &err);
    const sluice_batch *b;
    while (sluice_reader_next(r, &b) == SLUICE_OK) CHECK_EQ(sluice_writer_put_batch(w, b), SLUICE_OK);
    sluice_reader_close(r);
    CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
    sluice_writer_close(w);
    FILE *f = fopen(path, "rb");
    char *bytes = malloc(1 << 22);
    size_t n = fread(bytes, 1, 1 << 22, f);
    fclose(f);
    compare(bytes, n, "bin");
    free(bytes), free(t.data);
    unlink(path);
}

int main(void) {
    RUN(a_name_chooses_the_kernels);
    RUN(what_cannot_run_is_not_chosen);
    RUN(libsvm_text_reads_alike);
    RUN(vw_text_reads_alike);
    RUN(raw_text_reads_alike);
    RUN(bin_reads_alike);
    return DONE;
}
