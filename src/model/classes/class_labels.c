/* Labels as the classes of a model: which class a row has, and what it is inside. */
#include "model/classes/class_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "model/classes/class_limits.h"
#include "model/classes/many.h"
#include "model/threshold.h"

static sluice_status no_memory(sluice_model *m) { return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for a class"); }

/* ---- what a model's classes are ---------------------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *ending) {
    size_t n = strlen(name), k = strlen(ending);
    return n > k && strcmp(name + n - k, ending) == 0;
}

const char *sl_one_sided(const sl_learner *learner, const double *params) {
    const sluice_learner_info *info = &learner->info;
    for (size_t i = 0; i < info->n_params; i++)
        for (size_t j = 0; ends_with(info->params[i].name, "_pos") && j < info->n_params; j++)
            if (ends_with(info->params[j].name, "_neg") &&
                strlen(info->params[i].name) == strlen(info->params[j].name) &&
                strncmp(info->params[i].name, info->params[j].name, strlen(info->params[i].name) - 4) == 0 &&
                params[i] != params[j])
                return info->params[i].name;
    return NULL;
}

static const char *one_sided(const sluice_model *m) {
    return m->classes.sided ? m->classes.sided : sl_one_sided(m->learner, m->params);
}

static bool has_named_positive(const sluice_model *m) { return m->settings.positive != NULL; }

static sluice_name named_positive(const sluice_model *m) {
    return (sluice_name){m->settings.positive, strlen(m->settings.positive)};
}

static bool is_named_positive(const sluice_model *m, sluice_name label) {
    return has_named_positive(m) && sl_same_class(named_positive(m), label);
}

/* Whether even -1, 0 and 1 are classes like others: there is a table, or the positive class is known not to be 1, or 1
 * is known to be one of two others. */
static bool uses_table(const sluice_model *m) {
    double number;
    if (m->classes.table.n || m->classes.one_is_first) return true;
    return has_named_positive(m) && !(sl_text_is_number(named_positive(m), &number) && number == 1);
}

/* Whether all labels so far, if there were any, were of one sign. */
static bool is_undecided(const sluice_model *m) { return m->positives == 0 || m->positives == sl_model_examples(m); }

bool sl_has_two_classes(const sluice_model *m) {
    return m->classes.table.n ? m->classes.table.n >= 2 : !sl_model_is_of_many(m) && !is_undecided(m);
}

bool sl_has_classes(const sluice_model *m, const sluice_batch *b) {
    return sl_model_is_of_many(m) || b->has_words || m->classes.table.n || has_named_positive(m) || m->classes.mirror ||
           m->classes.one_is_first || (b->may_have_words && is_undecided(m));
}

static double sign_of(const sl_class_labels *c, size_t class) { return (class == 0) == c->first_is_plus ? 1 : -1; }
static size_t class_of(const sl_class_labels *c, double y) { return (y > 0) == c->first_is_plus ? 0 : 1; }

size_t sl_positive_class(const sluice_model *m) {
    const sl_class_table *t = &m->classes.table;
    for (size_t i = 0; has_named_positive(m) && i < t->n; i++)
        if (is_named_positive(m, sl_class_text(t, i))) return i;
    return has_named_positive(m) || t->n < 2 ? SL_NO_CLASS : sl_class_compare(t, 1, 0) > 0;
}

static void settle(sluice_model *m) {
    size_t positive = sl_positive_class(m);
    m->classes.turned = positive != SL_NO_CLASS && sign_of(&m->classes, positive) < 0;
}

bool sl_class_labels_settle(sluice_model *m) {
    sl_class_labels *c = &m->classes;
    bool sided = one_sided(m) != NULL;
    if (c->table.n > 2 || (c->table.n == 0 && c->first_is_plus)) return false;
    if (c->table.n == 2 && (sl_positive_class(m) == SL_NO_CLASS || (sided && !has_named_positive(m)))) return false;
    if (c->table.n) {
        bool first_is_one = c->table.entry[0].is_number && c->table.entry[0].number == 1;
        bool first_is_positive = is_named_positive(m, sl_class_text(&c->table, 0));
        if (sided && has_named_positive(m) ? c->first_is_plus != first_is_positive : c->first_is_plus && !first_is_one)
            return false;
    }
    settle(m);
    return true;
}

/* ---- labels of rows ---------------------------------------------------------------------------------------------- */

/* The label of a row; a number is written to `digits`. */
static sluice_name label_text(const sluice_batch *b, const sl_targets *t, size_t row, char digits[32]) {
    sluice_name word = t->label ? (sluice_name){"", 0} : sl_batch_word(b, row);
    if (word.n) return word;
    return (sluice_name){digits, sluice_format_double(digits, sl_label_at(b, t, row) + 0.0)};
}

static size_t find_class(const sl_class_table *c, const sluice_batch *b, const sl_targets *t, size_t row) {
    sluice_name word = t->label ? (sluice_name){"", 0} : sl_batch_word(b, row);
    if (!word.n) return sl_classes_find_number(c, sl_label_at(b, t, row));
    for (size_t i = 0; i < c->n && i < 2; i++) /* nearly always */
        if (c->entry[i].n == word.n && memcmp(c->text + c->entry[i].at, word.text, word.n) == 0) return i;
    return sl_classes_find(c, word);
}

static bool has_word(const sluice_batch *b, const sl_targets *t, size_t row) {
    return !t->label && sl_batch_word(b, row).n;
}

static bool is_word(sluice_name text, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i < n && text.n == n; i++)
        if ((text.text[i] | 0x20) != word[i]) return false;
    return text.n == n;
}

/* Whether a row's label is a number to a plain model, and which. */
static bool is_plain(const sl_class_labels *c, const sluice_batch *b, const sl_targets *t, size_t row, double *label) {
    if (!has_word(b, t, row)) {
        *label = sl_label_at(b, t, row);
        return true;
    }
    sluice_name word = sl_batch_word(b, row);
    *label = is_word(word, "true");
    return c->loaded_plain && (*label > 0 || is_word(word, "false"));
}

/* The same of several classes: y is the number of the class. */
static size_t resolve_many(const sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first, size_t end,
                           double *y) {
    for (size_t row = first; row < end; row++) {
        y[row - first] = 0;
        if (sl_weight_at(b, t, row) == 0) continue;
        size_t class = find_class(&m->classes.table, b, t, row);
        if (class == SL_NO_CLASS) return row;
        y[row - first] = (double)class;
    }
    return end;
}

size_t sl_classes_resolve(sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first, size_t end,
                          double *y) {
    sl_class_labels *c = &m->classes;
    if (sl_model_is_of_many(m)) return resolve_many(m, b, t, first, end, y);
    bool table = uses_table(m), looks = is_undecided(m);
    for (size_t row = first; row < end; row++) {
        y[row - first] = -1;
        if (sl_weight_at(b, t, row) == 0) continue; /* as if it were absent */
        if (table) {
            size_t class = find_class(&c->table, b, t, row);
            if (class == SL_NO_CLASS) return row;
            y[row - first] = sign_of(c, class);
        } else {
            double label;
            if (!is_plain(c, b, t, row, &label)) return row;
            if (label > 0) y[row - first] = 1;
            if (looks) { /* what the class of -1 is called, should it turn out to be one of two others */
                c->zero |= label == 0;
                c->minus |= label < 0;
            }
        }
    }
    return end;
}

uint32_t sluice_model_find_class(const sluice_model *m, sluice_name label) {
    const size_t found = label.n && label.n <= SL_MAX_NAME ? sl_classes_find(&m->classes.table, label) : SL_NO_CLASS;
    return found == SL_NO_CLASS ? SLUICE_NO_CLASS : (uint32_t)found;
}

size_t sl_class_of_row(const sluice_model *m, const sluice_batch *b, size_t row) {
    return find_class(&m->classes.table, b, &(sl_targets){0}, row);
}

double sl_classes_sign(const sluice_model *m, const sluice_batch *b, size_t row) {
    const sl_class_labels *c = &m->classes;
    const sl_targets own = {0};
    double label;
    if (!uses_table(m)) return !is_plain(c, b, &own, row, &label) ? 0 : label > 0 ? 1 : -1;
    size_t class = find_class(&c->table, b, &own, row);
    return class == SL_NO_CLASS ? 0 : sl_turn(c, sign_of(c, class));
}

/* ---- new classes ------------------------------------------------------------------------------------------------- */

/* The names of the known classes in quotes, for messages: "'ham' and 'spam'". */
static const char *known_classes(const sluice_model *m, char out[280]) {
    const sl_class_table *t = &m->classes.table;
    char shown[2][128];
    if (t->n == 0) {
        snprintf(out, 280, "'%s' and '%s'", m->classes.zero && !m->classes.minus ? "0" : "-1",
                 m->positives == 0 && m->classes.zero && m->classes.minus ? "0" : "1");
        return out;
    }
    for (size_t i = 0; i < t->n && i < 2; i++) sl_quote(shown[i], sl_class_text(t, i).text, sl_class_text(t, i).n);
    snprintf(out, 280, "%s%s%s", shown[0], t->n > 1 ? " and " : "", t->n > 1 ? shown[1] : "");
    return out;
}

sluice_status sl_classes_refuse(const sluice_model *m, const sluice_batch *b, size_t row, sluice_error *err) {
    const sl_targets own = {0};
    char digits[32], shown[128], known[280];
    sluice_name label = label_text(b, &own, row, digits);
    sl_fail(err, SLUICE_E_DATA, "label %s is none of the model's classes: it knows %s",
            sl_quote(shown, label.text, label.n), known_classes(m, known));
    if (err) sl_place(err, b->source ? b->source : "", b->has_lines ? b->first_line + b->line[row] : 0, 0);
    return SLUICE_E_DATA;
}

/* The known class that has the letters of the label in other case; SL_NO_CLASS: there is none. */
static size_t find_in_any_case(const sl_class_table *t, sluice_name label) {
    for (size_t i = 0; i < t->n; i++) {
        const sluice_name known = sl_class_text(t, i);
        if (known.n == label.n && strncasecmp(known.text, label.text, label.n) == 0) return i;
    }
    return SL_NO_CLASS;
}

static sluice_status third_class(sluice_model *m, sluice_name label) {
    const sl_class_table *t = &m->classes.table;
    const size_t alike = find_in_any_case(t, label);
    char shown[128], known[280], same[128], advice[240];
    sl_quote(shown, label.text, label.n);
    if (alike != SL_NO_CLASS)
        snprintf(advice, sizeof advice, "it differs from %s in case alone: is that meant?",
                 sl_quote(same, sl_class_text(t, alike).text, sl_class_text(t, alike).n));
    else if (m->classes.was_loaded)
        snprintf(advice, sizeof advice, "the model that goes on is one of two classes");
    else
        snprintf(advice, sizeof advice, "learn several classes with --classes ovr|ovo|matrix%s",
                 sl_classes_hint(t, label));
    return sl_fail(&m->error, SLUICE_E_DATA, "label %s is a third class, after %s; %s", shown, known_classes(m, known),
                   advice);
}

/* What can be wrong with two classes. */
static sluice_status check_pair(sluice_model *m, sluice_name first, sluice_name second) {
    char shown[3][128];
    const char *sided = one_sided(m);
    sl_quote(shown[0], first.text, first.n);
    sl_quote(shown[1], second.text, second.n);
    if (sided && !has_named_positive(m))
        return sl_fail(&m->error, SLUICE_E_USAGE,
                       "%s is not for both classes, %s and %s, alike; say which one is positive: --positive W", sided,
                       shown[0], shown[1]);
    if (has_named_positive(m) && !is_named_positive(m, first) && !is_named_positive(m, second)) {
        sluice_name positive = named_positive(m);
        return sl_fail(&m->error, SLUICE_E_DATA, "the positive class %s is none of the two classes %s and %s",
                       sl_quote(shown[2], positive.text, positive.n), shown[0], shown[1]);
    }
    return SLUICE_OK;
}

/* The label of a plain model whose labels so far were of one sign. Where it is not known whether 0 or -1 came, as in a
 * model that was loaded, it is -1. */
static double plain_label(const sluice_model *m) { return m->positives ? 1 : m->classes.zero ? 0 : -1; }

/* The rows of a plain model become those of the first class of the table. */
static sluice_status add_plain_class(sluice_model *m, double label) {
    sl_class_labels *c = &m->classes;
    size_t class = sl_classes_add_number(&c->table, label);
    if (class == SL_NO_CLASS) return no_memory(m);
    c->table.entry[class].count = sl_model_examples(m);
    c->first_is_plus = m->positives > 0;
    settle(m);
    return SLUICE_OK;
}

static sluice_status add_one_of_many(sluice_model *m, sluice_name label) {
    sluice_status status = sl_classes_check_more(m);
    if (status == SLUICE_OK) status = sl_many_reserve(m, m->classes.table.n + 1);
    if (status != SLUICE_OK) return status;
    return sl_classes_add(&m->classes.table, label) == SL_NO_CLASS ? no_memory(m) : SLUICE_OK;
}

sluice_status sl_classes_add_row(sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t row,
                                 sluice_meter *meter) {
    sl_class_labels *c = &m->classes;
    char digits[32], plain[32];
    sluice_name label = label_text(b, t, row, digits), first = {"", 0};
    if (sl_model_is_of_many(m)) return add_one_of_many(m, label);
    bool was_plain = !uses_table(m) && m->state.t, was_turned = c->turned;
    if (c->table.n == 2 || (was_plain && (!is_undecided(m) || (m->positives == 0 && c->zero && c->minus))))
        return third_class(m, label);
    if (c->table.n) first = sl_class_text(&c->table, 0);
    if (was_plain) first = (sluice_name){plain, sluice_format_double(plain, plain_label(m))};
    sluice_status status = first.n ? check_pair(m, first, label) : SLUICE_OK;
    if (status == SLUICE_OK && was_plain) status = add_plain_class(m, plain_label(m));
    if (status != SLUICE_OK) return status;
    if (sl_classes_add(&c->table, label) == SL_NO_CLASS) return no_memory(m);
    if (c->table.n == 1) c->first_is_plus = one_sided(m) && is_named_positive(m, label);
    c->one_is_first = false;
    settle(m);
    if (c->turned == was_turned) return SLUICE_OK;
    m->has_threshold = false; /* it was one for margins of the other class */
    if (meter) sl_meter_turn(meter);
    return SLUICE_OK;
}

void sl_classes_count(sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first, uint64_t n,
                      const double *y) {
    sl_class_labels *c = &m->classes;
    for (size_t row = first; c->table.n && n; row++) {
        if (sl_weight_at(b, t, row) == 0) continue;
        sl_classes_count_y(m, y[row - first]);
        n--;
    }
}

void sl_classes_count_y(sluice_model *m, double y) {
    size_t class = sl_model_is_of_many(m) ? (size_t)y : class_of(&m->classes, y);
    if (class < m->classes.table.n) m->classes.table.entry[class].count++;
}

/* ---- the mirror -------------------------------------------------------------------------------------------------- */

void sl_mirror_free(sluice_model *m) {
    sluice_model_free(m->classes.mirror);
    sluice_meter_free(m->classes.mirror_meter);
    m->classes.mirror = NULL;
    m->classes.mirror_meter = NULL;
    m->classes.metered = NULL;
}

/* The model becomes what the mirror is: it has learned its rows as -1. */
static void take_mirror(sluice_model *m, sluice_meter *meter) {
    sl_class_labels *c = &m->classes;
    sluice_model *other = c->mirror;
    if (meter && c->mirror_meter && c->metered == meter)
        sl_meter_exchange(meter, c->mirror_meter);
    else if (meter)
        sl_meter_turn(meter);
    sl_model_exchange(m, other);
    const sl_class_labels labels = other->classes;
    other->classes = m->classes;
    m->classes = labels;
    m->pseudo = other->pseudo;
    sl_mirror_free(m);
}

/* Begins a mirror of a model that has learned nothing, or one more meter for it. */
static sluice_status keep_mirror(sluice_model *m, sluice_meter *meter) {
    sl_class_labels *c = &m->classes;
    if (m->state.part) return SLUICE_OK; /* the sweep has a mirror of all its parts */
    if (!c->mirror && m->state.t == 0) c->mirror = sluice_model_copy(m, NULL);
    if (!c->mirror) return m->state.t ? SLUICE_OK : no_memory(m);
    sl_metadata_free(&c->mirror->metadata); /* those of the model stay, whichever goes on */
    sl_positions_free(&c->mirror->positions);
    if (!meter || c->metered == meter) return SLUICE_OK;
    sluice_meter_free(c->mirror_meter);
    c->mirror_meter = sl_meter_copy(meter, c->mirror);
    c->metered = c->mirror_meter ? meter : NULL;
    return c->mirror_meter ? SLUICE_OK : no_memory(m);
}

sl_outlook sl_classes_look(const sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first) {
    if (sl_model_is_of_many(m) || uses_table(m) || m->positives != sl_model_examples(m)) return SL_ONE_SETTLED;
    bool any = m->state.t > 0; /* a label 1 */
    size_t ones = 0;
    for (size_t row = first; row < b->rows; row++) {
        double label;
        if (sl_weight_at(b, t, row) == 0) continue;
        if (!is_plain(&m->classes, b, t, row, &label)) return any || ones ? SL_ONE_FIRST : SL_ONE_SETTLED;
        if (!(label > 0)) return SL_ONE_SETTLED; /* -1 or 0 */
        ones++;
    }
    return ones && b->may_have_words && !one_sided(m) ? SL_ONE_OPEN : SL_ONE_UNCHANGED;
}

sluice_status sl_classes_decide(sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first,
                                sluice_meter *meter) {
    sl_class_labels *c = &m->classes;
    sl_outlook outlook = sl_classes_look(m, b, t, first);
    c->one_is_first = false;
    if (outlook == SL_ONE_OPEN) return keep_mirror(m, meter);
    if (outlook == SL_ONE_FIRST && m->state.t && c->mirror) {
        if (c->mirror->broken)
            return sl_fail(&m->error, SLUICE_E_NUMERIC, "the model has left the range of numbers; learn it anew");
        take_mirror(m, meter);
        return add_plain_class(m, 1);
    }
    if (outlook == SL_ONE_UNCHANGED) return SLUICE_OK;
    c->one_is_first = outlook == SL_ONE_FIRST && m->state.t == 0;
    sl_mirror_free(m);
    return SLUICE_OK;
}

/* ---- classes alone ----------------------------------------------------------------------------------------------- */

sluice_status sl_classes_begin_with_one(sluice_model *m) { return add_plain_class(m, 1); }

/* One row: its class, a new one where it comes, is counted. */
static sluice_status track_row(sluice_model *m, const sluice_batch *b, const sl_targets *own, size_t row) {
    double y = 0;
    if (sl_classes_resolve(m, b, own, row, row + 1, &y) == row) {
        if (m->state.t && sl_classes_look(m, b, own, row) == SL_ONE_FIRST && !one_sided(m)) {
            m->positives = 0;
            if (add_plain_class(m, 1) != SLUICE_OK) return m->error.status;
        }
        if (sl_classes_add_row(m, b, own, row, NULL) != SLUICE_OK) {
            sl_place(&m->error, b->source ? b->source : "", b->has_lines ? b->first_line + b->line[row] : 0, 0);
            return m->error.status;
        }
        sl_classes_resolve(m, b, own, row, row + 1, &y);
    }
    m->state.t++;
    m->positives += !sl_model_is_of_many(m) && y > 0;
    sl_classes_count_y(m, y);
    return SLUICE_OK;
}

sluice_status sluice_model_learn_classes(sluice_model *m, const sluice_batch *b) {
    const sl_targets own = {0};
    sluice_status status = SLUICE_OK;
    for (size_t row = 0; row < b->rows && status == SLUICE_OK; row++)
        if (sl_weight_at(b, &own, row) != 0) status = track_row(m, b, &own, row);
    return status;
}

sluice_status sl_classes_take(sluice_model *m, const sluice_model *from) {
    const sl_class_table *t = &from->classes.table;
    sl_class_labels *c = &m->classes;
    if (sl_model_is_of_many(m)) { /* theirs come in the order of the rows that they learn */
        c->are_classes = true;    /* a part of the rows may have each of them once */
        return SLUICE_OK;
    }
    if (t->n == 0 || m->state.t || c->table.n) return SLUICE_OK;
    if (t->n > 2) return third_class(m, sl_class_text(t, 2));
    sluice_status status = t->n == 2 ? check_pair(m, sl_class_text(t, 0), sl_class_text(t, 1)) : SLUICE_OK;
    if (status != SLUICE_OK) return status;
    c->first_is_plus = one_sided(m) && is_named_positive(m, sl_class_text(t, 0));
    for (size_t i = 0; i < t->n; i++)
        if (sl_classes_add(&c->table, sl_class_text(t, i)) == SL_NO_CLASS) return no_memory(m);
    settle(m);
    return SLUICE_OK;
}

/* ---- copies, merging --------------------------------------------------------------------------------------------- */

bool sl_class_labels_copy(sluice_model *to, const sluice_model *from) {
    const sl_class_labels *c = &from->classes;
    if (!sl_classes_copy(&to->classes.table, &c->table)) return false;
    to->classes.first_is_plus = c->first_is_plus;
    to->classes.turned = c->turned;
    to->classes.loaded_plain = c->loaded_plain;
    to->classes.zero = c->zero;
    to->classes.minus = c->minus;
    to->classes.one_is_first = c->one_is_first;
    return true;
}

void sl_class_labels_free(sluice_model *m) {
    sl_mirror_free(m);
    sl_classes_free(&m->classes.table);
}

static bool same_positive(const sluice_model *a, const sluice_model *b) {
    if (!has_named_positive(a) || !has_named_positive(b)) return has_named_positive(a) == has_named_positive(b);
    return is_named_positive(a, named_positive(b));
}

bool sl_class_labels_fit(const sluice_model *into, const sluice_model *from) {
    const sl_class_labels *a = &into->classes, *b = &from->classes;
    if (!same_positive(into, from)) return false;
    if (into->state.t == 0 || from->state.t == 0 || (!a->table.n && !b->table.n)) return true;
    if (!a->table.n || !b->table.n) return false;
    size_t n = a->table.n;
    for (size_t i = 0; i < b->table.n; i++) {
        size_t class = sl_classes_find(&a->table, sl_class_text(&b->table, i));
        if (class == SL_NO_CLASS) class = n++;
        if (class > 1 || sign_of(a, class) != sign_of(b, i)) return false;
    }
    return n < 2 || a->table.n == 2 || b->table.n == 2 || !(has_named_positive(into) || one_sided(into));
}

bool sl_class_labels_merge(sluice_model *into, const sluice_model *from, const sluice_model *start) {
    const sl_class_labels *b = &from->classes;
    sl_class_labels *a = &into->classes;
    sl_mirror_free(into);
    if (from->state.t == 0) return true;
    if (into->state.t == 0) {
        sl_classes_free(&a->table);
        return sl_class_labels_copy(into, from);
    }
    for (size_t i = 0; i < b->table.n; i++) {
        size_t class = sl_classes_add(&a->table, sl_class_text(&b->table, i));
        if (class == SL_NO_CLASS) return false;
        a->table.entry[class].count += b->table.entry[i].count;
    }
    if (start) sl_classes_take_off(&a->table, &start->classes.table);
    a->zero |= b->zero;
    a->minus |= b->minus;
    settle(into);
    return true;
}

/* ---- the public view --------------------------------------------------------------------------------------------- */

size_t sluice_model_classes(const sluice_model *m) { return m->classes.table.n; }

sluice_status sluice_model_class(const sluice_model *m, size_t i, sluice_class *to) {
    const sl_class_table *t = &m->classes.table;
    sluice_status status = sl_sized_check(to, "sluice_class", NULL);
    if (status != SLUICE_OK || i >= t->n) return SLUICE_E_USAGE;
    const sluice_class found = {
        .text = sl_class_text(t, i),
        .is_number = t->entry[i].is_number,
        .number = t->entry[i].number,
        .examples = t->entry[i].count,
        .is_positive = !sl_model_is_of_many(m) && sl_positive_class(m) == i,
    };
    sl_sized_write(to, &found, sizeof found);
    return SLUICE_OK;
}

sluice_status sluice_model_signs(const sluice_model *m, const sluice_batch *b, size_t first, size_t n, double *signs,
                                 sluice_error *err) {
    const sl_targets own = {0};
    if (sl_model_is_of_many(m))
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "several classes have no signs: sluice_model_truths()");
    if (first > b->rows || n > b->rows - first)
        return sl_fail(err, SLUICE_E_USAGE, "the batch has only %zu rows", b->rows);
    for (size_t i = 0; i < n; i++) {
        bool absent = sl_weight_at(b, &own, first + i) == 0;
        signs[i] = absent ? 0 : sl_classes_sign(m, b, first + i);
        if (signs[i] == 0 && !absent) return sl_classes_refuse(m, b, first + i, err);
    }
    return SLUICE_OK;
}

sluice_name sluice_model_label(const sluice_model *m, double margin) {
    const sl_class_labels *c = &m->classes;
    if (sl_model_is_of_many(m)) return (sluice_name){"", 0};
    bool plus = sl_model_decides_positive(m, margin) != c->turned; /* inside */
    if (!c->table.n) return plus ? (sluice_name){"1", 1} : (sluice_name){"-1", 2};
    size_t class = class_of(c, plus ? 1 : -1);
    return sl_class_text(&c->table, class < c->table.n ? class : 0);
}
