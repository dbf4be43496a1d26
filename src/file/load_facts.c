/* MODL: what a model is, as lines of text in a fixed order. */
#include <string.h>

#include "learner/param.h"
#include "file/loader.h"

enum { MAX_LINES = 64 };

typedef struct facts {
    char *line[MAX_LINES];
    size_t n, taken;
} facts;

static bool split_lines(sl_loader *l, facts *f) {
    char *text = (char *)l->bytes + (l->at - l->bytes), *end = (char *)l->bytes + (l->end - l->bytes);
    if (text == end || end[-1] != '\n' || memchr(text, 0, (size_t)(end - text))) return false;
    while (text < end) {
        if (f->n == MAX_LINES) return false;
        f->line[f->n++] = text;
        text = memchr(text, '\n', (size_t)(end - text));
        *text++ = 0;
    }
    return true;
}

/* The text behind "key" in the next line, or NULL if that line is another: the order is fixed. */
static const char *take(facts *f, const char *key) {
    size_t n = strlen(key);
    if (f->taken == f->n || strncmp(f->line[f->taken], key, n) != 0) return NULL;
    return f->line[f->taken++] + n;
}

static bool take_count(facts *f, const char *key, uint64_t *value) {
    const char *text = take(f, key);
    if (!text || !*text || strlen(text) > 20) return false;
    *value = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (*value > (UINT64_MAX - digit) / 10) return false;
        *value = *value * 10 + digit;
    }
    return true;
}

static bool take_text(facts *f, const char *key, char *to, size_t room) {
    const char *text = take(f, key);
    if (!text || strlen(text) >= room) return false;
    memcpy(to, text, strlen(text) + 1);
    return true;
}

/* A list of up to `room` numbers, one space apart. */
static bool take_list(facts *f, const char *key, uint64_t *numbers, size_t room, size_t *n) {
    const char *text = take(f, key);
    *n = 0;
    if (!text) return false;
    while (*text) {
        char digits[24];
        size_t length = strcspn(text, " ");
        if (*n == room || length == 0 || length >= sizeof digits) return false;
        memcpy(digits, text, length);
        digits[length] = 0;
        facts one = {.line = {digits}, .n = 1};
        if (!take_count(&one, "", &numbers[(*n)++])) return false;
        text += length;
        if (*text && !*++text) return false;
    }
    return true;
}

static bool take_calibration(facts *f, sl_online_calibration *c) {
    const char *text = take(f, "calibration=");
    double numbers[SL_ONLINE_CALIBRATION_NUMBERS];
    for (size_t i = 0; text && i < SL_ONLINE_CALIBRATION_NUMBERS; i++) {
        char number[40];
        size_t length = strcspn(text, " ");
        if (length >= sizeof number || (text[length] == ' ') != (i + 1 < SL_ONLINE_CALIBRATION_NUMBERS)) return false;
        memcpy(number, text, length);
        number[length] = 0;
        if (!sluice_parse_number(number, &numbers[i])) return false;
        text += length + 1;
    }
    memcpy(c, numbers, sizeof *c);
    return text && sl_online_calibration_possible(c);
}

/* How readers made the features is metadata now: "reader.ngrams" and so on, where it is not empty. */
static bool keep_reader_settings(sluice_model *m, const char *const *values) {
    static const char *const keys[] = {"reader.ngrams", "reader.tf",    "reader.no_header",
                                       "reader.format", "reader.label", "reader.weight"};
    for (size_t i = 0; i < 6; i++)
        if (*values[i] && sl_metadata_set(&m->metadata, keys[i], values[i], strlen(values[i]), &m->error) != SLUICE_OK)
            return false;
    return true;
}

sluice_status sl_load_facts(sl_loader *l) {
    facts f = {.n = 0};
    const char *name, *kind, *fields, *text;
    if (strcmp(l->tag, "MODL") != 0 || !split_lines(l, &f) || !(name = take(&f, "learner=")) ||
        !(kind = take(&f, "kind=")) || !(fields = take(&f, "fields=")))
        return DAMAGED(l, "the model file is damaged: it does not say what it is");
    char shown[128];
    const sl_learner *learner = sl_learner_find(name);
    if (!learner)
        return DAMAGED(l, "the model's learner is %s, which this version does not have",
                       sl_quote(shown, name, strlen(name)));
    bool is_final = strcmp(kind, "final") == 0;
    if (!is_final && strcmp(kind, "full") != 0) return DAMAGED(l, "the model file is damaged: unknown kind of model");
    const sl_learner *rule = is_final ? &sl_predict_only : learner;
    char expected[256];
    sl_fields_text(expected, rule);
    if (strcmp(fields, expected) != 0)
        return DAMAGED(l, "the model's state is not that of %s in this version", learner->info.name);

    const char *given[SL_MAX_PARAMS];
    size_t n = 0;
    while (n < SL_MAX_PARAMS && (text = take(&f, "param "))) given[n++] = text;
    double params[SL_MAX_PARAMS], scalars[SL_MAX_SCALARS] = {0};
    sluice_error why;
    if (sluice_params_read(learner->info.name, learner->info.params, learner->info.n_params, given, n, params, &why) !=
        SLUICE_OK)
        return DAMAGED(l, "the model file is damaged: %s", why.message);
    for (size_t i = 0; rule->scalars && rule->scalars[i]; i++) {
        char key[64] = "scalar ";
        strncat(strncat(key, rule->scalars[i], 32), "=", 2);
        if (!(text = take(&f, key)) || !sluice_parse_number(text, &scalars[i]))
            return DAMAGED(l, "the model file is damaged: scalar %s is missing", rule->scalars[i]);
    }
    sluice_settings settings = {.size = sizeof settings};
    char format[16] = "", label[128] = "", weight[128] = "";
    uint64_t normalize, hash_bits, ngrams = 0, tf = 0, no_header = 0, examples, mistakes, updates, positives,
                                   births = 0, named = 0;
    sl_limit limit = {0};
    sl_online_calibration calibration = {0};
    bool newer = l->version >= 2; /* what format 1 did not have */
    uint64_t growth[64] = {0}, newest[SL_NEWEST];
    size_t grown = 0, arrivals = 0;
    if (!(text = take(&f, "bias=")) || !sluice_parse_number(text, &settings.bias) ||
        !take_count(&f, "normalize=", &normalize) || !take_count(&f, "hash_bits=", &hash_bits) ||
        (newer && (!take_count(&f, "max_features=", &settings.max_features) || !take_count(&f, "ngrams=", &ngrams) ||
                   !take_count(&f, "tf=", &tf) || !take_count(&f, "no_header=", &no_header) ||
                   !take_text(&f, "format=", format, sizeof format) || !take_text(&f, "label=", label, sizeof label) ||
                   !take_text(&f, "weight=", weight, sizeof weight))) ||
        !take_count(&f, "examples=", &examples) || !take_count(&f, "mistakes=", &mistakes) ||
        !take_count(&f, "updates=", &updates) || !take_count(&f, "positives=", &positives) ||
        !take_count(&f, "seen=", &l->seen) ||
        (newer && (!take_count(&f, "births=", &births) || !take_count(&f, "named=", &named) ||
                   !take_count(&f, "evicted=", &limit.evicted) || !take_count(&f, "refused=", &limit.refused) ||
                   !take_count(&f, "next_sweep=", &limit.next_scan) || !take_list(&f, "growth=", growth, 64, &grown) ||
                   !take_list(&f, "newest=", newest, SL_NEWEST, &arrivals))) ||
        (l->version >= 3 && !take_calibration(&f, &calibration)) || f.taken != f.n || normalize > UINT32_MAX ||
        hash_bits > UINT32_MAX || ngrams > SLUICE_MAX_NGRAMS || tf > SLUICE_TF_LOG || named > 1 || no_header > 1)
        return DAMAGED(l, "the model file is damaged: its settings or counts are incomplete");
    settings.normalize = (unsigned)normalize;
    settings.hash_bits = (unsigned)hash_bits;
    if (sl_settings_check(&settings, &why) != SLUICE_OK)
        return DAMAGED(l, "the model file is damaged: %s", why.message);
    if (examples > INT64_MAX || mistakes > examples || updates > examples || positives > examples ||
        l->seen > SLUICE_MAX_FEATURES || (named && hash_bits) || limit.next_scan > INT64_MAX)
        return DAMAGED(l, "the model file is damaged: its counts contradict each other");
    sluice_model *m = l->model = sl_model_empty(learner, rule, params, &settings, l->err);
    if (!m) return l->err ? l->err->status : SLUICE_E_MEMORY;
    const char *const reader[] = {ngrams ? (char[2]){(char)('0' + ngrams), 0} : "",
                                  ((const char *const[]){"", "binary", "count", "log"})[tf],
                                  no_header ? "1" : "",
                                  format,
                                  label,
                                  weight};
    if (!keep_reader_settings(m, reader)) return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model");
    memcpy(m->scalars, scalars, sizeof scalars);
    m->state.t = examples;
    m->mistakes = mistakes;
    m->updates = updates;
    m->positives = positives;
    m->features.named = named;
    for (size_t i = 0; i < grown; i++) m->growth[i] = growth[i] + 1;
    for (size_t i = 0; i < arrivals; i++) l->newest[arrivals - 1 - i] = newest[i];
    l->arrivals = arrivals;
    limit.most = settings.max_features;
    m->features.limit = limit;
    m->calibration = calibration;
    l->births = newer ? births : l->seen;
    if (l->births < l->seen) return DAMAGED(l, "the model file is damaged: its counts contradict each other");
    return SLUICE_OK;
}
