/* Rows held in memory: adding them, their order, sampling and shuffling. */
#include "experiment/dataset.h"

#include "base/error.h"
#include "base/sized_struct.h"
#include "model/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

sluice_status sl_no_memory(sluice_error *err) { return sl_fail(err, SLUICE_E_MEMORY, "out of memory"); }

sluice_dataset *sluice_dataset_new(sluice_error *err) {
    sluice_dataset *d = calloc(1, sizeof *d);
    if (!d) sl_no_memory(err);
    return d;
}

void sluice_dataset_forget_rows(sluice_dataset *d) {
    free(d->start);
    free(d->labels);
    free(d->weights);
    free(d->word);
    sluice_names_free(d->words);
    free(d->ids);
    free(d->values);
    free(d->order);
    *d = (sluice_dataset){.names = d->names,
                          .row_names = d->row_names,
                          .row_ids = d->row_ids,
                          .classes = d->classes,
                          .test_rows = d->test_rows};
}

void sluice_dataset_free(sluice_dataset *d) {
    if (!d) return;
    sluice_dataset_forget_rows(d);
    sluice_names_free(d->names);
    sluice_model_free(d->classes);
    free(d->row_names);
    free(d->row_ids);
    free(d);
}

/* ---- classes ----------------------------------------------------------------------------------------------------- */

sluice_status sluice_dataset_use_classes(sluice_dataset *d, const sluice_settings *given, sluice_error *err) {
    sluice_settings settings = {.size = sizeof settings}, all = settings;
    if (sl_sized_read(&all, sizeof all, given, "sluice_settings", err) != SLUICE_OK) return SLUICE_E_USAGE;
    settings.positive = all.positive;
    settings.classes = all.classes;
    sluice_error why = {0};
    if (d->rows) return sl_fail(err, SLUICE_E_USAGE, "the dataset has rows already");
    sluice_model *classes = sluice_model_new("perceptron", NULL, 0, &settings, &why);
    if (!classes) {
        if (err) *err = why;
        return why.status;
    }
    sluice_model_free(d->classes);
    d->classes = classes;
    return SLUICE_OK;
}

const sluice_model *sluice_dataset_classes(const sluice_dataset *d) { return d->classes; }

size_t sl_dataset_class(const sluice_dataset *d, size_t row) {
    const sl_class_table *t = d->classes ? &d->classes->classes.table : NULL;
    if (!t || !t->n) return d->labels[row] > 0;
    if (!d->words || !d->word[row]) return sl_classes_find_number(t, d->labels[row]);
    return sl_classes_find(t, sluice_names_name(d->words, d->word[row] - 1));
}

bool sl_dataset_is_plus(const sluice_dataset *d, size_t row) { return sl_dataset_class(d, row) != 0; }

bool sl_dataset_is_turned(const sluice_dataset *d) { return d->classes && d->classes->classes.turned; }

sluice_status sl_give_classes(sluice_model *model, const sluice_model *classes, sluice_error *err) {
    if (!classes || sl_classes_take(model, classes) == SLUICE_OK) return SLUICE_OK;
    if (err) *err = *sluice_model_error(model);
    return sluice_model_error(model)->status;
}

/* ---- adding rows ------------------------------------------------------------------------------------------------- */

/* The array with room for n elements, or as it was where memory is short. */
static void *larger(void *array, size_t n, size_t bytes, int *fine) {
    void *resized = realloc(array, n * bytes);
    if (resized) return resized;
    *fine = 0;
    return array;
}

static int grow_rows(sluice_dataset *d, size_t rows) {
    if (d->start && rows <= d->room) return 1;
    size_t room = d->room ? d->room : 1024;
    int fine = 1;
    while (room < rows) room *= 2;
    d->start = larger(d->start, room + 1, sizeof *d->start, &fine);
    d->labels = larger(d->labels, room, sizeof *d->labels, &fine);
    d->weights = larger(d->weights, room, sizeof *d->weights, &fine);
    d->order = larger(d->order, room, sizeof *d->order, &fine);
    if (d->words) d->word = larger(d->word, room, sizeof *d->word, &fine);
    if (fine) d->room = room;
    return fine;
}

static int grow_nonzeros(sluice_dataset *d, size_t n) {
    if (d->ids && n <= d->nonzeros_room) return 1;
    size_t room = d->nonzeros_room ? d->nonzeros_room : 65536;
    int fine = 1;
    while (room < n) room *= 2;
    d->ids = larger(d->ids, room, sizeof *d->ids, &fine);
    d->values = larger(d->values, room, sizeof *d->values, &fine);
    if (fine) d->nonzeros_room = room;
    return fine;
}

static int grow_buffers(sluice_dataset *d, size_t longest) {
    int fine = 1;
    d->row_names = larger(d->row_names, longest, sizeof *d->row_names, &fine);
    d->row_ids = larger(d->row_ids, longest, sizeof *d->row_ids, &fine);
    return fine;
}

/* The number of a name, or of an id as a name. */
static uint64_t number_of(sluice_names *names, const sluice_example *x, size_t k) {
    if (x->names) return sluice_names_number(names, x->names[k]);
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, x->ids[k]);
    return sluice_names_number(names, (sluice_name){digits, (size_t)n});
}

/* The largest id in the rows of the order. */
static void find_dimension(sluice_dataset *d) {
    d->dimension = 0;
    for (size_t i = 0; i < d->n_order; i++)
        for (size_t k = d->start[d->order[i]]; k < d->start[d->order[i] + 1]; k++)
            if (d->ids[k] > d->dimension) d->dimension = d->ids[k];
}

/* Changes over to names: the ids so far become names too. */
static int use_names(sluice_dataset *d) {
    if (d->names) return 1;
    sluice_names *names = sluice_names_new();
    uint64_t *numbers = malloc((d->nonzeros_room + 1) * sizeof *numbers);
    int fine = names && numbers;
    sluice_example x = {.ids = d->ids};
    for (size_t k = 0; fine && k < d->nonzeros; k++) {
        numbers[k] = number_of(names, &x, k);
        fine = numbers[k] != UINT64_MAX;
    }
    if (!fine) {
        sluice_names_free(names);
        free(numbers);
        return 0;
    }
    free(d->ids);
    d->ids = numbers;
    d->names = names;
    d->id_rows = d->rows;
    find_dimension(d);
    return 1;
}

/* Prepares for labels that are words; the rows so far have none. */
static int use_words(sluice_dataset *d) {
    if (d->words) return 1;
    uint64_t *word = calloc(d->room, sizeof *word);
    sluice_names *words = word ? sluice_names_new() : NULL;
    if (!words) {
        free(word);
        return 0;
    }
    d->word = word;
    d->words = words;
    return 1;
}

/* Keeps the text of the next row's label. */
static int add_word(sluice_dataset *d, sluice_name word) {
    if (d->words) d->word[d->rows] = 0;
    if (!word.n) return 1;
    uint64_t number = sluice_names_number(d->words, word);
    d->word[d->rows] = number + 1;
    return number != UINT64_MAX;
}

/* Appends one row; its ids may already be where they are copied to. */
static int add_row(sluice_dataset *d, const sluice_example *x) {
    uint64_t *ids = d->ids + d->nonzeros;
    if (!add_word(d, x->word)) return 0;
    for (size_t k = 0; k < x->n; k++) {
        ids[k] = d->names ? number_of(d->names, x, k) : x->ids[k];
        if (d->names && ids[k] == UINT64_MAX) return 0;
        d->values[d->nonzeros + k] = x->values[k];
        if (ids[k] > d->dimension) d->dimension = ids[k];
    }
    d->labels[d->rows] = x->label;
    d->weights[d->rows] = x->weight;
    d->nonzeros += x->n;
    if (x->n > d->longest) d->longest = x->n;
    d->order[d->n_order++] = d->rows;
    d->start[++d->rows] = d->nonzeros;
    return 1;
}

static int reserve(sluice_dataset *d, const sluice_batch *batch) {
    size_t rows = sluice_batch_rows(batch), nonzeros = 0, longest = d->longest;
    for (size_t i = 0; i < rows; i++) {
        size_t n = sluice_batch_nonzeros(batch, i);
        nonzeros += n;
        if (n > longest) longest = n;
    }
    if (!grow_rows(d, d->rows + rows) || !grow_nonzeros(d, d->nonzeros + nonzeros)) return 0;
    if (sluice_batch_has_names(batch) && !use_names(d)) return 0;
    if (sluice_batch_has_words(batch) && !use_words(d)) return 0;
    return !d->names || grow_buffers(d, longest + 1);
}

void sluice_dataset_begin_test(sluice_dataset *d) { d->test_rows = true; }

/* Of two classes a label that is none of them is an error; of several it will be a mistake. */
static sluice_status check_classes(const sluice_dataset *d, const sluice_batch *batch, sluice_error *err) {
    const size_t n = sluice_batch_rows(batch);
    if (!d->classes || sl_model_is_of_many(d->classes) || d->classes->classes.table.n < 2) return SLUICE_OK;
    double *signs = malloc((n + 1) * sizeof *signs);
    if (!signs) return sl_no_memory(err);
    sluice_status status = sluice_model_signs(d->classes, batch, 0, n, signs, err);
    free(signs);
    return status;
}

sluice_status sluice_dataset_add(sluice_dataset *d, const sluice_batch *batch, sluice_error *err) {
    if (!reserve(d, batch)) return sl_no_memory(err);
    sluice_status known = d->test_rows ? check_classes(d, batch, err) : SLUICE_OK;
    if (known != SLUICE_OK) return known;
    if (d->classes && !d->test_rows && sluice_model_learn_classes(d->classes, batch) != SLUICE_OK) {
        if (err) *err = *sluice_model_error(d->classes);
        return sluice_model_error(d->classes)->status;
    }
    size_t rows = d->rows, nonzeros = d->nonzeros, n_order = d->n_order, longest = d->longest;
    uint64_t dimension = d->dimension;
    d->start[0] = 0;
    for (size_t i = 0; i < sluice_batch_rows(batch); i++) {
        sluice_example x;
        sluice_batch_row(batch, i, d->ids + d->nonzeros, d->row_names, &x);
        if (add_row(d, &x)) continue;
        d->rows = rows;
        d->nonzeros = nonzeros;
        d->n_order = n_order;
        d->longest = longest;
        d->dimension = dimension;
        return sl_no_memory(err);
    }
    return SLUICE_OK;
}

sluice_status sluice_dataset_read(sluice_dataset *d, sluice_reader *reader, sluice_progress_function progress,
                                  void *context, sluice_error *err) {
    const sluice_batch *batch;
    sluice_status status = SLUICE_OK;
    while (status == SLUICE_OK) {
        status = sluice_reader_next(reader, &batch);
        if (status == SLUICE_END) return SLUICE_OK;
        if (status != SLUICE_OK) {
            if (err) *err = *sluice_reader_error(reader);
            return status;
        }
        status = sluice_dataset_add(d, batch, err);
        uint64_t done, total;
        sluice_reader_progress(reader, &done, &total);
        if (status == SLUICE_OK && progress && progress(context, done, total))
            status = sl_fail(err, SLUICE_E_CANCELLED, "cancelled");
    }
    return status;
}

/* ---- what it holds ----------------------------------------------------------------------------------------------- */

size_t sluice_dataset_rows(const sluice_dataset *d) { return d->rows; }
uint64_t sluice_dataset_dimension(const sluice_dataset *d) { return d->dimension; }
size_t sluice_dataset_longest(const sluice_dataset *d) { return d->longest; }
const sluice_names *sluice_dataset_names(const sluice_dataset *d) { return d->names; }

void sluice_dataset_row(const sluice_dataset *d, size_t row, sluice_example *x) {
    size_t from = d->start[row];
    *x = (sluice_example){.ids = d->ids + from,
                          .values = d->values + from,
                          .n = d->start[row + 1] - from,
                          .label = d->labels[row],
                          .weight = d->weights[row]};
    if (d->words && d->word[row]) x->word = sluice_names_name(d->words, d->word[row] - 1);
}

void sluice_dataset_original(sluice_dataset *d, size_t row, sluice_example *x) {
    sluice_dataset_row(d, row, x);
    if (!d->names) return;
    for (size_t k = 0; k < x->n; k++) d->row_names[k] = sluice_names_name(d->names, x->ids[k]);
    x->names = d->row_names;
    if (row >= d->id_rows) return;
    for (size_t k = 0; k < x->n; k++) {
        char digits[24];
        snprintf(digits, sizeof digits, "%.*s", (int)x->names[k].n, x->names[k].text);
        d->row_ids[k] = strtoull(digits, NULL, 10);
    }
    x->ids = d->row_ids;
    x->names = NULL;
}

/* ---- their order ------------------------------------------------------------------------------------------------- */

const size_t *sluice_dataset_order(const sluice_dataset *d, size_t *n) {
    *n = d->n_order;
    return d->order;
}

void sluice_dataset_reset_order(sluice_dataset *d, size_t n) {
    if (n > d->rows) n = d->rows;
    for (size_t i = 0; i < n; i++) d->order[i] = i;
    d->n_order = n;
    find_dimension(d);
}

void sl_shuffle(size_t *order, size_t n, uint64_t seed) {
    sluice_random r;
    sluice_random_seed(&r, seed);
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)sluice_random_below(&r, i), swapped = order[k];
        order[k] = order[i - 1];
        order[i - 1] = swapped;
    }
}

void sluice_dataset_shuffle(sluice_dataset *d, uint64_t seed) { sl_shuffle(d->order, d->n_order, seed); }

/* Knuth's algorithm S for each class: of the `left` rows still to come, `want` are taken. */
void sluice_dataset_sample(sluice_dataset *d, uint64_t pos, uint64_t neg, uint64_t seed) {
    uint64_t left[2] = {0, 0}, want[2];
    const bool turned = sl_dataset_is_turned(d);
    for (size_t i = 0; i < d->n_order; i++) left[sl_dataset_is_plus(d, d->order[i]) != turned]++;
    if (left[1] * neg <= left[0] * pos) {
        want[1] = left[1];
        want[0] = left[1] * neg / pos;
    } else {
        want[0] = left[0];
        want[1] = left[0] * pos / neg;
    }
    sluice_random r;
    sluice_random_seed(&r, seed);
    size_t kept = 0;
    for (size_t i = 0; i < d->n_order; i++) {
        int class = sl_dataset_is_plus(d, d->order[i]) != turned;
        if (sluice_random_below(&r, left[class]--) >= want[class]) continue;
        want[class]--;
        d->order[kept++] = d->order[i];
    }
    d->n_order = kept;
    find_dimension(d);
}

/* ---- batches of rows --------------------------------------------------------------------------------------------- */

sluice_batch *sl_dataset_batch(const sluice_dataset *d, const size_t *order, size_t n, sluice_error *err) {
    sluice_batch *rows = sluice_batch_new(err);
    for (size_t i = 0; rows && i < n; i++) {
        sluice_example x;
        if (d->weights[order[i]] == 0) continue;
        sluice_dataset_row(d, order[i], &x);
        if (sluice_batch_add(rows, &x, err) == SLUICE_OK) continue;
        sluice_batch_free(rows);
        rows = NULL;
    }
    return rows;
}

sluice_batch *sluice_dataset_batch(const sluice_dataset *d, size_t first, size_t n, sluice_error *err) {
    if (first > d->n_order) first = d->n_order;
    if (n > d->n_order - first) n = d->n_order - first;
    return sl_dataset_batch(d, d->order + first, n, err);
}

sluice_status sluice_dataset_hold_out(const sluice_dataset *d, size_t nth, sluice_batch **learn, sluice_batch **test,
                                      sluice_error *err) {
    *learn = *test = NULL;
    if (!nth) return sl_fail(err, SLUICE_E_USAGE, "every nth row is held out: nth must be at least 1");
    size_t *lists = malloc((2 * d->n_order + 1) * sizeof *lists), *held = lists + d->n_order, n_learn = 0, n_held = 0;
    if (!lists) return sl_no_memory(err);
    for (size_t i = 0, present = 0; i < d->n_order; i++) {
        if (d->weights[d->order[i]] == 0) continue;
        if (++present % nth == 0)
            held[n_held++] = d->order[i];
        else
            lists[n_learn++] = d->order[i];
    }
    sluice_error why = {0};
    *learn = sl_dataset_batch(d, lists, n_learn, &why);
    if (*learn) *test = sl_dataset_batch(d, held, n_held, &why);
    free(lists);
    if (*test) return SLUICE_OK;
    sluice_batch_free(*learn);
    *learn = NULL;
    if (err) *err = why;
    return why.status;
}

/* ---- learning from it -------------------------------------------------------------------------------------------- */

sluice_status sluice_dataset_learn(sluice_dataset *d, sluice_model *model, uint64_t passes,
                                   sluice_progress_function progress, void *context, sluice_error *err) {
    enum { ROWS_PER_CALL = 8192 };
    if (!passes) passes = 1;
    if (sl_give_classes(model, d->classes, err) != SLUICE_OK) return sluice_model_error(model)->status;
    uint64_t total = passes * d->n_order, done = 0;
    for (uint64_t pass = 0; pass < passes; pass++)
        for (size_t i = 0; i < d->n_order; i++) {
            sluice_example x;
            sluice_dataset_original(d, d->order[i], &x);
            if (sluice_model_learn(model, &x, NULL) != SLUICE_OK) {
                if (err) *err = *sluice_model_error(model);
                return sluice_model_error(model)->status;
            }
            if (++done % ROWS_PER_CALL == 0 && progress && progress(context, done, total))
                return sl_fail(err, SLUICE_E_CANCELLED, "cancelled");
        }
    if (sluice_model_end_run(model) == SLUICE_OK) return SLUICE_OK;
    if (err) *err = *sluice_model_error(model);
    return sluice_model_error(model)->status;
}

/* ---- standardising ----------------------------------------------------------------------------------------------- */

/* The values of one column. */
typedef struct extent {
    size_t count;
    float min, max;
} extent;

static void add_value(extent *e, float value) {
    if (e->count++ == 0) e->min = e->max = value;
    e->min = fminf(e->min, value);
    e->max = fmaxf(e->max, value);
}

/* Two passes, so that a large mean does not swallow a small deviation. A column is constant if all its values are
 * equal; a deviation that merely rounds to 0 is not enough. */
sluice_status sluice_dataset_scales(const sluice_dataset *d, double *mean, double *deviation, sluice_error *err) {
    if (d->dimension >= SLUICE_MAX_FEATURES)
        return sl_fail(err, SLUICE_E_LIMIT, "an id of %" PRIu64 " is too large for a table of columns: the limit is %u",
                       d->dimension, SLUICE_MAX_FEATURES - 1);
    size_t columns = (size_t)d->dimension + 1, n = d->n_order;
    extent *extents = calloc(columns, sizeof *extents);
    if (!extents) return sl_no_memory(err);
    for (size_t c = 0; c < columns; c++) mean[c] = 0;
    for (size_t i = 0; i < n; i++) {
        sluice_example x;
        sluice_dataset_row(d, d->order[i], &x);
        for (size_t k = 0; k < x.n; k++) {
            mean[x.ids[k]] += x.values[k];
            add_value(&extents[x.ids[k]], x.values[k]);
        }
    }
    for (size_t c = 0; c < columns; c++) {
        size_t absent = n - extents[c].count;
        mean[c] /= (double)(n ? n : 1);
        deviation[c] = (double)absent * mean[c] * mean[c];
        if (!absent) continue;
        extents[c].min = fminf(extents[c].min, 0);
        extents[c].max = fmaxf(extents[c].max, 0);
    }
    for (size_t i = 0; i < n; i++) {
        sluice_example x;
        sluice_dataset_row(d, d->order[i], &x);
        for (size_t k = 0; k < x.n; k++) {
            double away = x.values[k] - mean[x.ids[k]];
            deviation[x.ids[k]] += away * away;
        }
    }
    for (size_t c = 0; c < columns; c++)
        deviation[c] = extents[c].min == extents[c].max ? 0 : sqrt(deviation[c] / (double)(n - 1));
    free(extents);
    return SLUICE_OK;
}
