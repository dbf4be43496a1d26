/* The table of classes: labels to classes, whatever the spelling of numbers. */
#include "rows/class_table.h"

#include <stdlib.h>

#include "base/number.h"

enum { NUMBER_ROOM = 32, BEHIND = 16 }; /* sluice_format_double() writes fewer; what parsing may read behind a text */

/* What a class is found by. */
typedef struct key {
    char digits[NUMBER_ROOM];
    sluice_name text; /* of a number: in `digits` */
    double number;
    bool is_number;
} key;

static bool may_be_number(sluice_name text) {
    char c = text.n ? *text.text : 'x';
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

enum { LONGEST = 400 }; /* bytes of a number; longer texts are words */

bool sl_text_is_number(sluice_name text, double *number) {
    char copy[LONGEST + BEHIND];
    if (!may_be_number(text) || text.n > LONGEST) return false;
    memcpy(copy, text.text, text.n);
    memset(copy + text.n, 0, BEHIND);
    const char *p = copy;
    if (sl_parse_double(&p, number) != SL_NUMBER_OK || p != copy + text.n) return false;
    *number += 0.0; /* -0 is 0 */
    return true;
}

static sluice_name key_of_number(key *k, double number) {
    k->is_number = true;
    k->number = number + 0.0;
    k->text = (sluice_name){k->digits, sluice_format_double(k->digits, k->number)};
    return k->text;
}

static sluice_name key_of(key *k, sluice_name label) {
    double number;
    if (sl_text_is_number(label, &number)) return key_of_number(k, number);
    k->is_number = false;
    k->number = 0;
    return k->text = label;
}

bool sl_same_class(sluice_name a, sluice_name b) {
    key ka, kb;
    key_of(&ka, a);
    key_of(&kb, b);
    return ka.text.n == kb.text.n && (ka.text.n == 0 || memcmp(ka.text.text, kb.text.text, ka.text.n) == 0);
}

void sl_classes_free(sl_class_table *t) {
    free(t->entry);
    free(t->text);
    sl_names_free(&t->keys);
    *t = (sl_class_table){0};
}

static size_t find(const sl_class_table *t, sluice_name key_text) {
    uint32_t i = sl_names_find(&t->keys, sl_name_hash(key_text.text, key_text.n), key_text.text, key_text.n);
    return i == SL_NO_NAME ? SL_NO_CLASS : i;
}

size_t sl_classes_find(const sl_class_table *t, sluice_name label) {
    key k;
    return find(t, key_of(&k, label));
}

size_t sl_classes_find_number(const sl_class_table *t, double label) {
    key k;
    return find(t, key_of_number(&k, label));
}

/* Room for one more class with a text of n bytes. */
static bool reserve(sl_class_table *t, size_t n) {
    if (t->n == t->room) {
        size_t room = t->room ? t->room * 2 : 4;
        sl_class *entry = realloc(t->entry, room * sizeof *entry);
        if (!entry) return false;
        t->entry = entry;
        t->room = room;
    }
    if (t->text_room - t->text_n < n + 1) {
        size_t room = t->text_room * 2 + n + 64;
        char *text = realloc(t->text, room);
        if (!text) return false;
        t->text = text;
        t->text_room = room;
    }
    return true;
}

static size_t add(sl_class_table *t, const key *k, sluice_name label) {
    size_t known = find(t, k->text);
    if (known != SL_NO_CLASS) return known;
    if (label.n > SL_MAX_NAME || !reserve(t, label.n)) return SL_NO_CLASS;
    uint64_t hash = sl_name_hash(k->text.text, k->text.n);
    if (sl_names_add_new(&t->keys, hash, k->text.text, k->text.n) == SL_NO_NAME) return SL_NO_CLASS;
    t->entry[t->n] = (sl_class){.at = t->text_n, .n = label.n, .number = k->number, .is_number = k->is_number};
    if (label.n) memcpy(t->text + t->text_n, label.text, label.n);
    t->text_n += label.n;
    t->text[t->text_n++] = 0;
    return t->n++;
}

size_t sl_classes_add(sl_class_table *t, sluice_name label) {
    key k;
    key_of(&k, label);
    return add(t, &k, label);
}

size_t sl_classes_add_number(sl_class_table *t, double label) {
    key k;
    key_of_number(&k, label);
    return add(t, &k, k.text);
}

bool sl_classes_copy(sl_class_table *to, const sl_class_table *from) {
    for (size_t i = 0; i < from->n; i++) {
        if (sl_classes_add(to, sl_class_text(from, i)) == SL_NO_CLASS) {
            sl_classes_free(to);
            return false;
        }
        to->entry[i].count = from->entry[i].count;
    }
    return true;
}

void sl_classes_take_off(sl_class_table *t, const sl_class_table *counted) {
    for (size_t i = 0; i < counted->n; i++) {
        const size_t class_index = sl_classes_find(t, sl_class_text(counted, i));
        if (class_index == SL_NO_CLASS) continue;
        const uint64_t count = counted->entry[i].count;
        t->entry[class_index].count -= count < t->entry[class_index].count ? count : t->entry[class_index].count;
    }
}

uint64_t sl_classes_memory(const sl_class_table *t) {
    const sl_names *d = &t->keys;
    return t->room * sizeof *t->entry + t->text_room + (d->table ? sizeof *d->table << d->bits : 0) + d->bytes_room +
           d->room * sizeof *d->where;
}

/* Whether a text is this word, which is in small letters, in any case. */
static bool spells(const sl_class_table *t, const sl_class *c, const char *word) {
    const size_t n = strlen(word);
    for (size_t i = 0; i < n && c->n == n; i++)
        if ((t->text[c->at + i] | 0x20) != word[i]) return false;
    return c->n == n;
}

int sl_class_compare(const sl_class_table *t, size_t a, size_t b) {
    const sl_class *x = &t->entry[a], *y = &t->entry[b];
    if (x->is_number != y->is_number) return x->is_number ? -1 : 1;
    if (x->is_number) return (x->number > y->number) - (x->number < y->number);
    if (spells(t, x, "true") && spells(t, y, "false")) return 1; /* "TRUE" is less than "false" by its bytes */
    if (spells(t, x, "false") && spells(t, y, "true")) return -1;
    size_t n = x->n < y->n ? x->n : y->n;
    int order = n ? memcmp(t->text + x->at, t->text + y->at, n) : 0;
    return order ? order : (x->n > y->n) - (x->n < y->n);
}
