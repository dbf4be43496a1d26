/* For tests of experiments: rows that can be learned, in memory. */
#ifndef HELD_ROWS_H
#define HELD_ROWS_H

#include "sluice.h"
#include "test.h"

/* n rows of 12 features, of which four matter; some labels are wrong. With `names` as VW text. */
static inline char *make_rows(size_t n, uint64_t seed, int names) {
    char *text = malloc(n * 300 + 1), *t = text;
    sluice_random r;
    sluice_random_seed(&r, seed);
    for (size_t i = 0; i < n; i++) {
        double margin = 0, x[12];
        for (size_t k = 0; k < 12; k++) {
            x[k] = (double)sluice_random_below(&r, 17) / 8 - 1;
            if (k < 4) margin += (k % 2 ? -1 : 1) * (double)(4 - k) * x[k];
        }
        if (sluice_random_uniform(&r) < 0.05) margin = -margin;
        t += sprintf(t, names ? "%d |" : "%d", margin > 0 ? 1 : -1);
        for (size_t k = 0; k < 12; k++)
            if (x[k] != 0) t += sprintf(t, names ? " f%zu:%g" : " %zu:%g", k + 1, x[k]);
        *t++ = '\n';
    }
    *t = 0;
    return text;
}

static inline sluice_reader *open_rows(const char *text, const char *format) {
    sluice_reader_options o = {.size = sizeof o, .format = format, .threads = 1};
    return sluice_reader_open_memory(text, strlen(text), "mem", &o, NULL);
}

static inline void add_rows(sluice_dataset *d, const char *text, const char *format) {
    sluice_error err = {0};
    sluice_reader *r = open_rows(text, format);
    CHECK_EQ(sluice_dataset_read(d, r, NULL, NULL, &err), SLUICE_OK);
    CHECK_STR(err.message, "");
    sluice_reader_close(r);
}

static inline sluice_dataset *hold_text(const char *text, const char *format) {
    sluice_dataset *d = sluice_dataset_new(NULL);
    CHECK(d);
    add_rows(d, text, format);
    return d;
}

static inline sluice_dataset *hold_rows(size_t n, uint64_t seed, int names) {
    char *text = make_rows(n, seed, names);
    sluice_dataset *d = hold_text(text, names ? "vw" : "libsvm");
    free(text);
    return d;
}

/* A progress function that stops the work after a number of calls. */
typedef struct patience {
    int calls, most;
    uint64_t done, total;
} patience;

static inline int be_patient(void *context, uint64_t done, uint64_t total) {
    patience *p = context;
    CHECK(done >= p->done && done <= total);
    p->done = done;
    p->total = total;
    return ++p->calls >= p->most;
}

#endif
