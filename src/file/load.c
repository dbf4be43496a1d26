/* Loads models: from a function, a file or memory. Here is the order of the sections; their contents are in load_*.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file/loader.h"
#include "file/packed/packed_model.h"

/* The sections between MODL and END. */
static const struct {
    char tag[SL_TAG + 1];
    unsigned since; /* format */
    sluice_status (*load)(sl_loader *l);
} sections[] = {
    {"FEAT", 1, sl_load_features}, {"VECT", 1, sl_load_numbers},   {"MATR", 1, sl_load_numbers},
    {"ROWS", 1, sl_load_rows},     {"VALS", 1, sl_load_values},    {"CALI", 3, sl_load_calibration},
    {"CLAS", 4, sl_load_classes},  {"THRE", 4, sl_load_threshold}, {"META", 4, sl_load_metadata},
    {"PAIR", 4, sl_load_pairs},    {"PROB", 4, sl_load_problems},  {"PCAL", 4, sl_load_class_calibrations},
    {"VECS", 4, sl_load_vectors},  {"MIRR", 4, sl_load_mirror},    {"SEEN", 4, sl_load_seen},
    {"RACE", 4, sl_load_race},     {"CAND", 4, sl_load_candidate}, {"POSN", 4, sl_load_positions},
    {"MODL", 1, sl_load_modl}, /* refuses a second one */
};

static sluice_status load_content(sl_loader *l) {
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strcmp(l->tag, sections[i].tag) == 0 && l->format >= sections[i].since) return sections[i].load(l);
    char shown[128];
    return l->skippable ? SLUICE_OK
                        : sl_fail_at(l->err, SLUICE_E_FORMAT, l->name, 0, 0,
                                     "the model has a section %s, which this version does not know; a newer sluice may",
                                     sl_section_name(l, shown));
}

/* What could not be saved again is refused. */
static bool all_weights_finite(const sluice_model *m) {
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0;
    bool finite = true;
    for (size_t n; finite && (n = sl_space_chunk(&m->features.space, &cursor, slot));)
        finite = sl_model_weights_finite(m, slot, n);
    return finite;
}

/* END: whether everything is there and fits together. */
static sluice_status load_end(sl_loader *l) {
    sluice_model *m = l->model;
    sl_space *sp = &m->features.space;
    if (l->end - l->at != 16 || sl_get_le(l->at, 8) != l->features || sl_get_le(l->at + 8, 8) != l->vectors)
        return DAMAGED(l, "parts of it are missing");
    if (sl_model_is_predict_only(m) ? l->seen < sp->seen : l->seen != sp->seen)
        return DAMAGED(l, "its counts contradict each other");
    sp->seen = l->seen;
    sp->births = l->added;
    memcpy(sp->newest, l->newest, sizeof l->newest);
    sp->arrivals = l->arrivals;
    sluice_status status = sl_load_finish_classes(l);
    if (status == SLUICE_OK) status = sl_load_finish_pairs(l);
    if (status == SLUICE_OK) status = sl_load_finish_problems(l);
    if (status == SLUICE_OK) status = sl_load_finish_race(l);
    if (status == SLUICE_OK) status = sl_load_finish_dense(l);
    if (status == SLUICE_OK) status = sl_load_finish_pending(l);
    return status == SLUICE_OK && !all_weights_finite(m) ? DAMAGED(l, "a weight is beyond the range of floats")
                                                         : status;
}

static sluice_status load_head(sl_loader *l) {
    unsigned char head[SL_HEAD];
    sluice_status status = sl_load_bytes(l, head, sizeof head, "its head");
    if (status == SLUICE_E_IO) return status;
    if (status != SLUICE_OK || memcmp(head, SL_MAGIC, 8) != 0)
        return sl_fail_at(l->err, SLUICE_E_FORMAT, l->name, 0, 0, "this is not a sluice model");
    l->format = sl_get_le(head + 8, 4);
    if (l->format > SL_MODEL_FORMAT)
        return sl_fail_at(l->err, SLUICE_E_FORMAT, l->name, 0, 0,
                          "the model was written by a newer sluice (format %llu); this one reads up to format %d",
                          (unsigned long long)l->format, SL_MODEL_FORMAT);
    if (l->format == 0 || sl_get_le(head + 12, 4) != 0) return DAMAGED(l, "its head is impossible");
    return SLUICE_OK;
}

static sluice_status load_model(sl_loader *l) {
    sluice_status status = load_head(l);
    if (status == SLUICE_OK) status = sl_load_section(l);
    if (status == SLUICE_OK)
        status = strcmp(l->tag, "MODL") == 0 ? sl_load_modl(l) : DAMAGED(l, "it does not begin with MODL");
    while (status == SLUICE_OK && (status = sl_load_section(l)) == SLUICE_OK) {
        if (strcmp(l->tag, "END ") == 0) return load_end(l);
        status = load_content(l);
    }
    return status;
}

static sluice_model *load(sl_loader *l) {
    sluice_status status = load_model(l);
    free(l->bytes);
    free(l->problems.bytes);
    if (l->pairs.begun) sl_keys_end(&l->pairs.walk);
    if (status == SLUICE_OK) {
        l->model->classes.was_loaded = true;
        return l->model;
    }
    sluice_model_free(l->model);
    return NULL;
}

sluice_model *sluice_model_read(sluice_read_function read, void *context, const char *name, sluice_error *err) {
    sl_unpacker from;
    sl_loader l = {.read = sl_unpacker_read, .context = &from, .name = name ? name : "model", .err = err};
    sluice_model *m = sl_unpacker_start(&from, read, context) ? load(&l) : NULL;
    if (m && !sl_unpacker_finish(&from)) {
        sl_fail_at(err, SLUICE_E_IO, l.name, 0, 0, "cannot read");
        sluice_model_free(m);
        m = NULL;
    }
    if (!m && from.failure) sl_fail_at(err, from.failure, l.name, 0, 0, "the model file is damaged: %s", from.why);
    sl_unpacker_end(&from);
    return m;
}

/* ---- from a file, from memory ------------------------------------------------------------------------------------ */

static sluice_model *refuse_rest(sluice_model *m, const char *name, sluice_error *err) {
    sl_fail_at(err, SLUICE_E_FORMAT, name, 0, 0, "the model file is damaged: there is more behind its end");
    sluice_model_free(m);
    return NULL;
}

typedef struct file_source {
    int fd, error; /* errno of a failed read */
} file_source;

static ptrdiff_t read_from_file(void *context, void *bytes, size_t n) {
    file_source *from = context;
    ssize_t got;
    while ((got = read(from->fd, bytes, n)) < 0 && errno == EINTR) {
    }
    if (got < 0) from->error = errno;
    return got;
}

sluice_model *sluice_model_load(const char *path, sluice_error *err) {
    file_source from = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    if (from.fd < 0) {
        sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "cannot open: %s", strerror(errno));
        return NULL;
    }
    char byte;
    sluice_model *m = sluice_model_read(read_from_file, &from, path, err);
    if (m && read_from_file(&from, &byte, 1) > 0) m = refuse_rest(m, path, err);
    if (from.error) {
        sl_fail_at(err, SLUICE_E_IO, path, 0, 0, "cannot read: %s", strerror(from.error));
        sluice_model_free(m);
        m = NULL;
    }
    close(from.fd);
    return m;
}

typedef struct memory_source {
    const char *bytes;
    size_t left;
} memory_source;

static ptrdiff_t read_from_memory(void *context, void *bytes, size_t n) {
    memory_source *from = context;
    if (n > from->left) n = from->left;
    if (n) memcpy(bytes, from->bytes, n);
    from->bytes += n;
    from->left -= n;
    return (ptrdiff_t)n;
}

sluice_model *sl_load_inner(const sl_loader *l, const void *bytes, size_t n, bool is_candidate) {
    memory_source from = {bytes, n};
    sl_loader inner = {.read = read_from_memory,
                       .context = &from,
                       .name = l->name,
                       .err = l->err,
                       .inner = !is_candidate,
                       .candidate = is_candidate};
    sluice_model *m = load(&inner);
    return m && from.left ? refuse_rest(m, l->name, l->err) : m;
}

sluice_model *sluice_model_parse(const void *bytes, size_t n, sluice_error *err) {
    memory_source from = {bytes, n};
    sluice_model *m = sluice_model_read(read_from_memory, &from, NULL, err);
    return m && from.left ? refuse_rest(m, "model", err) : m;
}
