/* Counts what sluice check says about the inputs. */
#include "check/input_facts.h"

#include "output/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t golden = 0x9e3779b97f4a7c15u;

/* The finalizer of splitmix64. */
static uint64_t mixed(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

input_facts *input_facts_new(void) {
    input_facts *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->features.size = sizeof(fact_feature);
    f->distinct.size = sizeof(fact_row);
    f->labels = sluice_names_new();
    f->least = INFINITY;
    f->most = -INFINITY;
    f->shortest = UINT64_MAX;
    f->last_label = UINT32_MAX;
    if (f->labels) return f;
    free(f);
    return NULL;
}

void input_facts_free(input_facts *f) {
    if (!f) return;
    sluice_names_free(f->labels);
    free(f->features.records);
    free(f->distinct.records);
    free(f->reason_of);
    free(f);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static uint64_t key_at(const fact_table *t, size_t place) {
    uint64_t key;
    memcpy(&key, (const char *)t->records + place * t->size, sizeof key);
    return key;
}

/* The place of a key, or the free one for it. Keys are not 0. */
static size_t place_of(const fact_table *t, uint64_t key) {
    size_t at = (size_t)mixed(key) & (t->room - 1);
    while (key_at(t, at) && key_at(t, at) != key) at = (at + 1) & (t->room - 1);
    return at;
}

static int grow(fact_table *t) {
    fact_table larger = {.size = t->size, .n = t->n, .room = t->room ? 2 * t->room : 1024};
    larger.records = calloc(larger.room, t->size);
    if (!larger.records) return out_of_memory();
    for (size_t i = 0; i < t->room; i++) {
        const char *from = (const char *)t->records + i * t->size;
        if (key_at(t, i)) memcpy((char *)larger.records + place_of(&larger, key_at(t, i)) * t->size, from, t->size);
    }
    free(t->records);
    *t = larger;
    return DONE;
}

/* The record of a key, zeroed where it is new (*is_new); NULL where there is no memory. */
static void *record_of(fact_table *t, uint64_t key, int *is_new) {
    key += !key;
    if (4 * t->n >= 3 * t->room && grow(t)) return NULL;
    const size_t at = place_of(t, key);
    *is_new = !key_at(t, at);
    void *record = (char *)t->records + at * t->size;
    memcpy(record, &key, sizeof key);
    t->n += (size_t)*is_new;
    return record;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static uint64_t feature_key(const sluice_example *x, size_t k) {
    if (!x->names) return x->ids[k] + 1;
    uint64_t h = golden;
    for (size_t i = 0; i < x->names[k].n; i++) h = (h ^ (unsigned char)x->names[k].text[i]) * 1099511628211u;
    return mixed(h);
}

static int take_value(input_facts *f, uint64_t key, float value) {
    int is_new;
    fact_feature *c = record_of(&f->features, key, &is_new);
    if (!c) return FAILED;
    if (value == 0) {
        c->zeros++;
        return DONE;
    }
    c->rows++;
    if (fabsf(value) > c->largest) c->largest = fabsf(value);
    f->values++;
    f->ones += value == 1;
    f->whole += value == rintf(value);
    f->negative += value < 0;
    if (value < f->least) f->least = value;
    if (value > f->most) f->most = value;
    return DONE;
}

static uint32_t label_of(input_facts *f, const sluice_batch *batch, size_t row) {
    const sluice_name word = sluice_batch_word(batch, row);
    char digits[32];
    const size_t n = word.n ? 0 : sluice_format_double(digits, sluice_batch_label(batch, row));
    const sluice_name text = word.n ? word : (sluice_name){digits, n};
    const uint64_t number = sluice_names_number(f->labels, text);
    f->of_label[number < MOST_CLASSES ? number : MOST_CLASSES]++;
    f->label_changes += f->last_label != UINT32_MAX && f->last_label != (uint32_t)number;
    return f->last_label = (uint32_t)number;
}

/* Whether it is the name of a column, and a text with a blank inside. */
static int has_words(sluice_name name) {
    const char *sign = memchr(name.text, '=', name.n);
    if (!sign) return 0;
    const size_t n = (size_t)(name.text + name.n - sign);
    return n > 3 && memchr(sign + 2, ' ', n - 3);
}

static int take_features(input_facts *f, const sluice_example *x, uint32_t label) {
    uint64_t all = golden;
    double squares = 0;
    int rc = DONE;
    for (size_t k = 0; k < x->n && !rc; k++) {
        const uint64_t key = feature_key(x, k);
        uint32_t bits;
        memcpy(&bits, &x->values[k], sizeof bits);
        all += mixed(key + mixed(bits + golden)); /* whatever the order */
        squares += (double)x->values[k] * (double)x->values[k];
        rc = take_value(f, key, x->values[k]);
    }
    if (rc) return rc;
    f->lengths += x->n;
    if (x->n < f->shortest) f->shortest = x->n;
    if (x->n > f->longest) f->longest = x->n;
    f->empty += x->n == 0;
    f->texts += x->n == 1 && x->names && has_words(x->names[0]);
    if (squares > 0 && f->n_norms < MOST_LENGTHS) f->norm[f->n_norms++] = sqrt(squares);
    int is_new;
    fact_row *same = record_of(&f->distinct, mixed(all), &is_new);
    if (!same) return FAILED;
    if (is_new) same->label = label;
    same->differs |= label != UINT32_MAX && same->label != UINT32_MAX && label != same->label;
    same->rows++;
    return DONE;
}

/* Lines are told of in the order in which their rows come. */
static void take_error(input_facts *f, uint64_t line) {
    if (f->n_come == f->n_told) return;
    fact_error *e = &f->errors[f->reason_of[f->n_come++]];
    if (f->n_come == f->n_told) f->n_come = f->n_told = 0;
    size_t k = 0;
    while (k < PLACES_OF_A_REASON && e->line[k]) k++;
    if (k < PLACES_OF_A_REASON) e->line[k] = line;
}

static void remember_reason(input_facts *f, size_t reason) {
    if (f->n_told == f->told_room) {
        const size_t room = f->told_room ? 2 * f->told_room : 256;
        unsigned char *more = realloc(f->reason_of, room);
        if (!more) return; /* the error is counted, without its place */
        f->reason_of = more;
        f->told_room = room;
    }
    f->reason_of[f->n_told++] = (unsigned char)reason;
}

void input_facts_bad_line(input_facts *f, const sluice_bad_line *bad) {
    size_t i = 0;
    f->malformed++;
    while (i < f->n_errors && strcmp(f->errors[i].reason, bad->reason) != 0) i++;
    if (i == MOST_REASONS) return;
    fact_error *e = &f->errors[i];
    if (i == f->n_errors) {
        f->n_errors++;
        snprintf(e->reason, sizeof e->reason, "%s", bad->reason);
        snprintf(e->example, sizeof e->example, "%s", bad->message);
    }
    e->count++;
    remember_reason(f, i);
}

int input_facts_take(input_facts *f, const sluice_batch *batch) {
    size_t room = 1;
    const size_t rows = sluice_batch_rows(batch);
    for (size_t i = 0; i < rows; i++)
        if (sluice_batch_nonzeros(batch, i) > room) room = sluice_batch_nonzeros(batch, i);
    uint64_t *ids = malloc(room * sizeof *ids);
    sluice_name *names = malloc(room * sizeof *names);
    int rc = ids && names ? DONE : out_of_memory();
    f->has_names |= sluice_batch_has_names(batch);
    for (size_t i = 0; i < rows && !rc; i++) {
        sluice_example x = {0};
        sluice_row_origin origin = {.size = sizeof origin};
        sluice_error err;
        if (sluice_batch_left_out(batch, i)) {
            if (sluice_batch_origin(batch, i, &origin, &err) == SLUICE_OK) take_error(f, origin.line);
            continue;
        }
        const double weight = sluice_batch_weight(batch, i);
        const int unlabelled = sluice_batch_unlabelled(batch, i);
        if (!sluice_batch_nonzeros(batch, i) && !(weight > 0) && !unlabelled) continue; /* blank, or a comment */
        sluice_batch_row(batch, i, ids, names, &x);
        if (!sluice_batch_has_names(batch)) x.names = NULL;
        f->rows++;
        f->unlabelled += (uint64_t)unlabelled;
        f->absent += !unlabelled && !(weight > 0);
        f->weighted += weight > 0 && weight != 1;
        rc = take_features(f, &x, unlabelled ? UINT32_MAX : label_of(f, batch, i));
    }
    free(ids);
    free(names);
    return rc;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static int ascending(const void *x, const void *y) {
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

double median_norm(input_facts *f) {
    if (!f->n_norms) return NAN;
    qsort(f->norm, f->n_norms, sizeof *f->norm, ascending);
    return f->norm[f->n_norms / 2];
}

double column_spread_of(const input_facts *f) {
    double least = INFINITY, most = 0, values = 0;
    for (size_t i = 0; i < f->features.room; i++) {
        const fact_feature *c = (const fact_feature *)f->features.records + i;
        if (!c->key || 2 * c->rows < f->rows) continue; /* a column of a table has a value in most rows */
        values += (double)c->rows;
        least = fmin(least, (double)c->largest);
        most = fmax(most, (double)c->largest);
    }
    return 2 * values >= (double)f->values && most > 0 ? most / least : 1;
}

uint64_t repeated_rows(const input_facts *f, uint64_t *contradicting) {
    uint64_t repeats = 0;
    *contradicting = 0;
    for (size_t i = 0; i < f->distinct.room; i++) {
        const fact_row *r = (const fact_row *)f->distinct.records + i;
        if (!r->key) continue;
        repeats += r->rows - 1;
        if (r->differs) *contradicting += r->rows;
    }
    return repeats;
}
