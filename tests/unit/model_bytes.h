/* Model files in memory that tests take apart and change; checksums are made correct again. */
#ifndef MODEL_BYTES_H
#define MODEL_BYTES_H

#include "fuzz/repair.h"
#include "unit/test.h"

typedef struct file {
    unsigned char *bytes;
    size_t n;
} file;

/* A small model that has learned `rows` rows of ids. */
static inline sluice_model *small_model(const char *learner, int rows) {
    sluice_model *m = sluice_model_new(learner, NULL, 0, NULL, NULL);
    for (int t = 0; t < rows; t++) {
        uint64_t ids[] = {(uint64_t)t, 300, 5000000000u + (uint64_t)t};
        float values[] = {1, 0.25f, -1};
        sluice_example x = {ids, values, 3, t % 2 ? 1 : -1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    return m;
}

/* Whether two models save as the same bytes. */
static inline bool same_bytes(const sluice_model *a, const sluice_model *b) {
    void *x = NULL, *y = NULL;
    size_t nx = 0, ny = 0;
    sluice_error err = {0};
    const bool same = sluice_model_bytes(a, &x, &nx, &err) == SLUICE_OK &&
                      sluice_model_bytes(b, &y, &ny, &err) == SLUICE_OK && nx == ny && memcmp(x, y, nx) == 0;
    CHECK_STR(err.message, "");
    sluice_free(x);
    sluice_free(y);
    return same;
}

/* The bytes of a model, which is freed. */
static inline file file_from(sluice_model *m) {
    void *bytes = NULL;
    file f = {0};
    CHECK_EQ(sluice_model_bytes(m, &bytes, &f.n, NULL), SLUICE_OK);
    f.bytes = bytes;
    sluice_model_free(m);
    return f;
}

static inline file file_of(const char *learner) { return file_from(small_model(learner, 5)); }

static inline file copy_of(const file *f) {
    file c = {malloc(f->n), f->n};
    memcpy(c.bytes, f->bytes, f->n);
    return c;
}

/* Where the content of the first section of that name begins. */
static inline size_t section(const file *f, const char *tag) {
    for (size_t at = 16; at < f->n; at += SL_SECTION_HEAD + (size_t)sl_get_le(f->bytes + at + 8, 8) + 8)
        if (memcmp(f->bytes + at, tag, SL_TAG) == 0) return at + SL_SECTION_HEAD;
    CHECK(0 && "section");
    return 16 + SL_SECTION_HEAD;
}

static inline size_t section_length(const file *f, const char *tag) {
    return (size_t)sl_get_le(f->bytes + section(f, tag) - 8, 8);
}

/* Puts n bytes in the place of `old` bytes at `at`. */
static inline void splice(file *f, size_t at, size_t old, const void *bytes, size_t n) {
    f->bytes = realloc(f->bytes, f->n + n);
    memmove(f->bytes + at + n, f->bytes + at + old, f->n - at - old);
    if (n) memcpy(f->bytes + at, bytes, n);
    f->n += n - old;
}

/* Puts other content into the first section of that name. */
static inline void set_content(file *f, const char *tag, const void *content, size_t n) {
    size_t at = section(f, tag);
    splice(f, at, section_length(f, tag), content, n);
    sl_put_le(f->bytes + at - 8, n, 8);
    repair(f->bytes, f->n);
}

/* A new section before the first one of the name `before`. */
static inline void add_section(file *f, const char *before, const char *tag, uint32_t flags, const void *content,
                               size_t n) {
    size_t at = section(f, before) - SL_SECTION_HEAD;
    unsigned char head[SL_SECTION_HEAD + SL_CHECKSUM] = {0};
    memcpy(head, tag, SL_TAG);
    sl_put_le(head + 4, flags, 4);
    splice(f, at, 0, head, sizeof head);
    sl_put_le(f->bytes + at + 8, n, 8);
    splice(f, at + SL_SECTION_HEAD, 0, content, n);
    repair(f->bytes, f->n);
}

static inline void remove_section(file *f, const char *tag) {
    size_t at = section(f, tag), n = section_length(f, tag);
    splice(f, at - SL_SECTION_HEAD, SL_SECTION_HEAD + n + SL_CHECKSUM, "", 0);
}

/* The text of MODL; free it. */
static inline char *modl_of(const file *f) {
    size_t at = section(f, "MODL"), n = section_length(f, "MODL");
    char *text = malloc(n + 1);
    memcpy(text, f->bytes + at, n);
    text[n] = 0;
    return text;
}

/* Replaces the first `from` in MODL. */
static inline void replace(file *f, const char *from, const char *to) {
    char *text = modl_of(f), *at = strstr(text, from);
    CHECK(at != NULL);
    if (at) {
        char *new = malloc(strlen(text) + strlen(to) + 1);
        sprintf(new, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
        set_content(f, "MODL", new, strlen(new));
        free(new);
    } else {
        fprintf(stderr, "no \"%s\" in MODL\n", from);
    }
    free(text);
}

/* Loads a file whose checksums are made correct, and frees its bytes. */
static inline sluice_model *parse(file *f, sluice_error *err) {
    repair(f->bytes, f->n);
    sluice_model *m = sluice_model_parse(f->bytes, f->n, err);
    free(f->bytes);
    return m;
}

static inline void refuse(file *f, const char *message) {
    sluice_error err = {0};
    sluice_model *m = parse(f, &err);
    CHECK(!m);
    CHECK_EQ(err.status, SLUICE_E_FORMAT);
    CHECK_HAS(err.message, message);
    sluice_model_free(m);
}

/* Loads it: the model must be the one whose bytes are `same`. */
static inline void accept(file *f, const file *same) {
    sluice_error err = {0};
    sluice_model *m = parse(f, &err);
    CHECK_STR(err.message, "");
    CHECK(m != NULL);
    if (!m) return;
    file again = file_from(m);
    CHECK(again.n == same->n && memcmp(again.bytes, same->bytes, again.n) == 0);
    free(again.bytes);
}

#endif
