/* MODL: learner, parameters, settings and counts of a model, as lines of text "key=value" in any order. */
#include <stdlib.h>
#include <string.h>

#include "file/loader.h"
#include "learner/param.h"
#include "model/classes/many.h"
#include "model/classes/matrix.h"
#include "model/classes/problems.h"
#include "model/race/race.h"

enum { MAX_LINES = 1024 };

typedef struct line {
    char *key, *value;
    bool used;
} line;

/* The lines by ascending key. The first failure stays in `status`; getting values after it gives 0 and "". */
typedef struct modl {
    sl_loader *l;
    sluice_status status;
    size_t n;
    line lines[MAX_LINES];
} modl;

static int by_key(const void *a, const void *b) { return strcmp(((const line *)a)->key, ((const line *)b)->key); }

/* Cuts the text, in place, into keys and values that end with a NUL. */
static sluice_status split(modl *f) {
    sl_loader *l = f->l;
    char *text = (char *)l->bytes + (l->at - l->bytes), *end = (char *)l->bytes + (l->end - l->bytes);
    char shown[128];
    if (text == end || end[-1] != '\n' || memchr(text, 0, (size_t)(end - text)))
        return DAMAGED(l, "MODL is not lines of text");
    while (text < end) {
        if (f->n == MAX_LINES) return DAMAGED(l, "MODL has more than %d lines", MAX_LINES);
        char *line_end = memchr(text, '\n', (size_t)(end - text)),
             *equals = memchr(text, '=', (size_t)(line_end - text));
        if (!equals || equals == text)
            return DAMAGED(l, "MODL has a line without a key: %s", sl_quote(shown, text, (size_t)(line_end - text)));
        *line_end = *equals = 0;
        f->lines[f->n++] = (line){.key = text, .value = equals + 1};
        text = line_end + 1;
    }
    qsort(f->lines, f->n, sizeof *f->lines, by_key);
    for (size_t i = 1; i < f->n; i++)
        if (strcmp(f->lines[i - 1].key, f->lines[i].key) == 0)
            return DAMAGED(l, "the key %s comes twice", sl_quote(shown, f->lines[i].key, strlen(f->lines[i].key)));
    return SLUICE_OK;
}

/* NULL: there is no such key. */
static const char *find_text(modl *f, const char *key) {
    line wanted = {.key = (char *)(uintptr_t)key};
    line *found = bsearch(&wanted, f->lines, f->n, sizeof *f->lines, by_key);
    if (found) found->used = true;
    return found ? found->value : NULL;
}

static const char *get_text(modl *f, const char *key) {
    if (f->status != SLUICE_OK) return "";
    const char *found = find_text(f, key);
    if (!found) f->status = DAMAGED(f->l, "the key '%s' is missing", key);
    return found ? found : "";
}

static void impossible(modl *f, const char *key, const char *value) {
    char shown[128];
    if (f->status == SLUICE_OK)
        f->status = DAMAGED(f->l, "the value %s of '%s' is impossible", sl_quote(shown, value, strlen(value)), key);
}

static double get_number(modl *f, const char *key) {
    const char *text = get_text(f, key);
    double value = 0;
    if (!sluice_parse_number(text, &value)) impossible(f, key, text);
    return value;
}

/* The digits that `text` begins with; moves it behind them. False: none, or a number beyond 64 bits. */
static bool read_digits(const char **text, uint64_t *value) {
    const char *t = *text;
    for (*value = 0; *t >= '0' && *t <= '9'; t++) {
        uint64_t digit = (uint64_t)(*t - '0');
        if (*value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
    }
    bool any = t > *text;
    *text = t;
    return any;
}

/* A whole number from 0 to `most`. */
static uint64_t get_count(modl *f, const char *key, uint64_t most) {
    const char *text = get_text(f, key), *t = text;
    uint64_t value;
    if (read_digits(&t, &value) && !*t && value <= most) return value;
    impossible(f, key, text);
    return 0;
}

/* A list of up to `room` whole numbers from 0 to `most`, one space apart; returns how many. */
static size_t get_list(modl *f, const char *key, uint64_t *numbers, size_t room, uint64_t most) {
    const char *text = get_text(f, key), *t = text;
    size_t n = 0;
    bool fine = true;
    while (fine && *t) {
        fine = n < room && read_digits(&t, &numbers[n]) && numbers[n] <= most && (!*t || (*t == ' ' && t[1]));
        n++;
        t += *t == ' ';
    }
    if (!fine) impossible(f, key, text);
    return fine ? n : 0;
}

static void get_calibration(modl *f, sl_online_calibration *c) {
    const char *text = get_text(f, "calibration"), *t = text;
    double numbers[SL_ONLINE_CALIBRATION_NUMBERS];
    bool fine = true;
    for (size_t i = 0; fine && i < SL_ONLINE_CALIBRATION_NUMBERS; i++) {
        char number[40];
        size_t length = strcspn(t, " ");
        fine = length < sizeof number && (t[length] == ' ') == (i + 1 < SL_ONLINE_CALIBRATION_NUMBERS);
        if (!fine) break;
        memcpy(number, t, length);
        number[length] = 0;
        fine = sluice_parse_number(number, &numbers[i]);
        t += length + 1;
    }
    if (fine) memcpy(c, numbers, sizeof *c);
    if (!fine || !sl_online_calibration_possible(c)) impossible(f, "calibration", text);
}

/* ---- what the model is ------------------------------------------------------------------------------------------- */

typedef struct identity {
    const sl_learner *learner;
    bool predict_only, has_pairs;
    unsigned classes;
    double params[SL_MAX_PARAMS];
    sluice_settings settings;
} identity;

static void get_learner(modl *f, identity *is) {
    const char *name = get_text(f, "learner"), *kind = get_text(f, "kind");
    if (f->status != SLUICE_OK) return;
    char shown[128];
    is->learner = sl_learner_find(name);
    if (!is->learner) {
        f->status = sl_fail_at(f->l->err, SLUICE_E_FORMAT, f->l->name, 0, 0,
                               "the model's learner is %s, which this version does not have",
                               sl_quote(shown, name, strlen(name)));
        return;
    }
    is->predict_only = strcmp(kind, f->l->format >= 4 ? "predict-only" : "final") == 0;
    if (!is->predict_only && strcmp(kind, "full") != 0) impossible(f, "kind", kind);
}

/* The key `classes`, which only models of several classes have. */
static void get_classes(modl *f, identity *is) {
    const char *text = f->status == SLUICE_OK && f->l->format >= 4 ? find_text(f, "classes") : NULL;
    static const unsigned kinds[] = {SLUICE_CLASSES_OVR, SLUICE_CLASSES_OVO, SLUICE_CLASSES_MATRIX};
    is->classes = SLUICE_CLASSES_TWO;
    if (!text) return;
    is->has_pairs = find_text(f, "pair_fields");
    for (size_t i = 0; i < SL_COUNT(kinds); i++)
        if (strcmp(text, sl_classes_key(kinds[i])) == 0) is->classes = kinds[i];
    if (is->classes == SLUICE_CLASSES_TWO) impossible(f, "classes", text);
}

/* Whether the file has the state of this version's rule. */
static void check_fields(modl *f, const char *key, const sl_learner *rule) {
    const char *fields = get_text(f, key);
    char expected[256];
    sl_fields_text(expected, rule);
    if (f->status == SLUICE_OK && strcmp(fields, expected) != 0)
        f->status = sl_fail_at(f->l->err, SLUICE_E_FORMAT, f->l->name, 0, 0,
                               "the model's state is not that of %s in this version", f->l->model->learner->info.name);
}

/* Lines "param NAME=VALUE". A parameter that is left out has its default: one that a learner gets in a later version
 * must have a default that means what the learner did before. */
static void get_params(modl *f, identity *is) {
    const char *given[SL_MAX_PARAMS];
    size_t n = 0;
    if (f->status != SLUICE_OK) return;
    for (size_t i = 0; i < f->n && n < SL_MAX_PARAMS; i++) {
        if (strncmp(f->lines[i].key, "param ", 6) != 0) continue;
        f->lines[i].value[-1] = '=';
        f->lines[i].used = true;
        given[n++] = f->lines[i].key + 6;
    }
    const sluice_learner_info *info = &is->learner->info;
    sluice_error why;
    if (sluice_params_read(info->name, info->params, info->n_params, given, n, is->params, &why) != SLUICE_OK)
        f->status = DAMAGED(f->l, "%s", why.message);
    else
        is->learner = sl_learner_for(is->learner, is->params);
}

static void get_scalars(modl *f, sluice_model *m) {
    const char *const *name = f->status == SLUICE_OK ? m->rule->scalars : NULL;
    for (size_t i = 0; name && name[i]; i++) {
        char key[64] = "scalar ";
        m->scalars[i] = get_number(f, strncat(key, name[i], 32));
    }
}

/* ---- formats 2 and 3: how inputs were read, which is metadata now -------------------------------------------------
 */

static void keep(modl *f, const char *key, const char *text) {
    sluice_error why;
    if (f->status != SLUICE_OK || !*text) return;
    f->status = sl_metadata_set(&f->l->model->metadata, key, text, strlen(text), &why);
    if (f->status != SLUICE_OK) sl_fail(f->l->err, f->status, "%s", why.message);
}

static void keep_text(modl *f, const char *key, const char *old_key, size_t room) {
    const char *text = get_text(f, old_key);
    if (strlen(text) >= room) impossible(f, old_key, text);
    keep(f, key, text);
}

static void get_reader_settings(modl *f) {
    static const char *const ngrams[] = {"", "1", "2", "3", "4", "5", "6", "7", "8"};
    static const char *const tf[] = {"", "binary", "count", "log"}; /* by SLUICE_TF_ */
    _Static_assert(sizeof ngrams / sizeof *ngrams == SLUICE_MAX_NGRAMS + 1, "n-grams of all lengths");
    keep(f, "reader.ngrams", ngrams[get_count(f, "ngrams", SLUICE_MAX_NGRAMS)]);
    keep(f, "reader.tf", tf[get_count(f, "tf", SLUICE_TF_LOG)]);
    keep(f, "reader.no_header", get_count(f, "no_header", 1) ? "1" : "");
    keep_text(f, "reader.format", "format", 16);
    keep_text(f, "reader.label", "label", 128);
    keep_text(f, "reader.weight", "weight", 128);
}

/* ------------------------------------------------------------------------------------------------------------------ */

/* A setting that files have only where it is switched on. */
static unsigned get_switch(modl *f, const char *key) {
    if (f->status != SLUICE_OK || f->l->format < 4 || !find_text(f, key)) return 0;
    const unsigned value = (unsigned)get_count(f, key, UINT32_MAX);
    if (f->status == SLUICE_OK && value == 0) impossible(f, key, "0");
    return value;
}

static void get_settings(modl *f, sluice_settings *s, unsigned classes) {
    *s = (sluice_settings){.size = sizeof *s, .bias = get_number(f, "bias"), .classes = classes};
    s->normalize = (unsigned)get_count(f, "normalize", UINT32_MAX);
    s->transform = get_switch(f, "transform");
    s->scale = get_switch(f, "scale");
    s->hash_bits = (unsigned)get_count(f, "hash_bits", UINT32_MAX);
    if (f->l->format >= 2) s->max_features = get_count(f, "max_features", UINT64_MAX);
    sluice_error why;
    if (f->status == SLUICE_OK && sl_settings_check(s, &why) != SLUICE_OK) f->status = DAMAGED(f->l, "%s", why.message);
}

/* Keys that have had another name before format 4. */
static const char *key_named(const modl *f, const char *name, const char *before) {
    return f->l->format >= 4 ? name : before;
}

static void get_counts(modl *f, sluice_model *m) {
    sl_loader *l = f->l;
    m->state.t = get_count(f, "examples", SL_MAX_COUNT);
    if (f->status == SLUICE_OK && l->format >= 4 && find_text(f, "pseudo")) {
        m->pseudo.rows = get_count(f, "pseudo", m->state.t);
        if (m->pseudo.rows == 0) impossible(f, "pseudo", "0");
    }
    if (m->settings.scale == SLUICE_SCALE_IDF && m->features.space.scaled)
        m->features.space.rows = get_count(f, "idf_rows", m->state.t);
    m->mistakes = get_count(f, "mistakes", sl_model_examples(m));
    m->updates = get_count(f, "updates", m->state.t);
    m->positives = get_count(f, "positives", sl_model_examples(m));
    l->added = l->seen = get_count(f, key_named(f, "features_seen", "seen"), SLUICE_MAX_FEATURES);
    if (l->format >= 3) get_calibration(f, &m->calibration);
    if (l->format < 2) return;
    l->added = get_count(f, key_named(f, "features_added", "births"), SL_MAX_COUNT);
    m->features.named = get_count(f, "named", 1);
    sl_limit *limit = &m->features.limit;
    limit->evicted = get_count(f, "evicted", SL_MAX_COUNT);
    limit->refused = get_count(f, "refused", SL_MAX_COUNT);
    limit->next_scan = get_count(f, key_named(f, "next_scan", "next_sweep"), SL_MAX_COUNT);
    uint64_t numbers[64];
    size_t n = get_list(f, "growth", numbers, 64, SLUICE_MAX_FEATURES);
    for (size_t i = 0; i < n; i++) m->growth[i] = numbers[i] + 1;
    /* the newest first; the model has it last */
    l->arrivals = get_list(f, "newest", numbers, SL_NEWEST, UINT64_MAX);
    for (size_t i = 0; i < l->arrivals; i++) l->newest[l->arrivals - 1 - i] = numbers[i];
    if (f->status == SLUICE_OK && (l->added < l->seen || (m->features.named && m->settings.hash_bits)))
        f->status = DAMAGED(l, "its counts contradict each other");
}

/* Keys that were not read: those that begin with '?' may be ignored. */
static void refuse_unknown_keys(modl *f) {
    char shown[128];
    for (size_t i = 0; f->status == SLUICE_OK && i < f->n; i++) {
        const char *key = f->lines[i].key;
        if (f->lines[i].used || (*key == '?' && f->l->format >= 4)) continue;
        f->status = sl_fail_at(f->l->err, SLUICE_E_FORMAT, f->l->name, 0, 0,
                               "the model has the key %s, which this version does not know; a newer sluice may",
                               sl_quote(shown, key, strlen(key)));
    }
}

/* The model that MODL describes, without features. */
static sluice_model *empty_model(const identity *is, sluice_error *err) {
    if (is->classes == SLUICE_CLASSES_TWO || (is->learner == &sl_auto && !is->predict_only))
        return sl_model_empty(is->learner, is->predict_only ? &sl_predict_only : is->learner, is->params, &is->settings,
                              err);
    if (is->has_pairs && is->predict_only && is->classes != SLUICE_CLASSES_OVO)
        return sl_matrix_new_predict_only(is->learner, is->params, &is->settings, err);
    if (is->classes == SLUICE_CLASSES_MATRIX) return sl_matrix_new(is->learner, is->params, &is->settings, err);
    if (is->has_pairs || (is->predict_only && is->classes == SLUICE_CLASSES_OVR && sl_learner_lanes(is->learner))) {
        sl_fail(err, SLUICE_E_FORMAT, "models of this kind %s pairs", is->has_pairs ? "have no" : "have");
        return NULL;
    }
    sluice_model *m = sl_many_new(is->learner, is->params, &is->settings, err);
    if (m && m->problems) sl_problems_empty(m, is->predict_only);
    return m;
}

static sluice_status load_modl(modl *f) {
    sl_loader *l = f->l;
    identity is = {0};
    f->status = split(f);
    get_learner(f, &is);
    get_classes(f, &is);
    if (f->status == SLUICE_OK && is.classes && l->inner) impossible(f, "classes", "a model within a model");
    if (f->status == SLUICE_OK && l->candidate && is.learner == &sl_auto) impossible(f, "learner", "a race in a race");
    get_params(f, &is);
    get_settings(f, &is.settings, is.classes);
    if (f->status != SLUICE_OK) return f->status;
    sluice_error why;
    l->model = empty_model(&is, &why);
    if (!l->model)
        return why.status == SLUICE_E_MEMORY ? sl_fail(l->err, why.status, "%s", why.message)
                                             : DAMAGED(l, "%s", why.message);
    check_fields(f, "fields", l->model->rule);
    if (l->model->matrix) check_fields(f, "pair_fields", l->model->matrix->pair_rule);
    get_scalars(f, l->model);
    get_counts(f, l->model);
    if (l->format == 2 || l->format == 3) get_reader_settings(f);
    refuse_unknown_keys(f);
    return f->status;
}

sluice_status sl_load_modl(sl_loader *l) {
    if (l->model) return DAMAGED(l, "MODL comes twice");
    modl *f = calloc(1, sizeof *f);
    if (!f) return sl_fail(l->err, SLUICE_E_MEMORY, "no memory to read a model");
    f->l = l;
    sluice_status status = load_modl(f);
    free(f);
    return status;
}
