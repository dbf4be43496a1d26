/* Reading the binary format (docs/bin-format.md). Everything in a file is checked: sizes against the bytes
 * that are there, blocks against their checksums, and, since a checksum does not stop an attacker, rows against the
 * rules that hold for text. Damage is an error even where bad lines are left out. */
#include "io/bin/bin.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "features/names.h"
#include "io/format.h"
#include "io/parse_kernels.h"
#include "rows/label_text.h"

static const char no_memory_for_it[] = "there is no memory for it";
static const char has_words[] = "some labels are words";

enum {
    STEP = 1 << 20,   /* a block's room grows by what has arrived, not by what its header promises */
    NUMBER_ROOM = 32, /* for any float as text */
};

static bool fail_fetch(sl_input *in, sl_block *b, const char *why) {
    b->status =
        sl_fail_at(&b->error, SLUICE_E_DATA, in->name, 0, 0, "%s (at byte %llu)", why, (unsigned long long)b->offset);
    b->n = 0;
    in->ended = true;
    return true;
}

static bool no_memory(sl_input *in, sl_block *b, size_t n) {
    b->status = sl_fail_at(&b->error, SLUICE_E_MEMORY, in->name, 0, 0, "no memory for a block of %zu bytes", n);
    b->n = 0;
    in->ended = true;
    return true;
}

/* Ends the fetching. Where bytes are still to come, what there is of the block is kept for the next call instead. */
static bool stop(sl_input *in, sl_block *b) {
    bool later = b->status == SLUICE_END;
    if (later && !sl_input_keep(in, b->text, b->n)) return no_memory(in, b, b->n);
    in->ended = !later;
    b->n = 0;
    return !later;
}

/* Reads until the block has n bytes: fewer only at the end of the input. */
static bool read_up_to(sl_input *in, sl_block *b, size_t n) {
    while (b->n < n) {
        size_t got, left = n - b->n;
        if (b->n == b->room && !sl_block_room(b, b->n + (left < b->n + STEP ? left : b->n + STEP)))
            return !no_memory(in, b, n);
        b->status =
            sl_source_read(in->source, b->text + b->n, left < b->room - b->n ? left : b->room - b->n, &got, &b->error);
        if (b->status != SLUICE_OK) return false;
        if (got == 0) break;
        b->n += got;
    }
    return true;
}

/* The end marker: the number of rows, and then nothing. */
static bool fetch_end(sl_input *in, sl_block *b) {
    const size_t n = SL_BIN_BLOCK_HEADER + 8;
    if (!read_up_to(in, b, n + 1)) return stop(in, b);
    const char *payload = b->text + SL_BIN_BLOCK_HEADER;
    if (sl_get_u64(b->text + 16) != sl_bin_checksum(b->text, payload, 8))
        return fail_fetch(in, b, "the end marker is damaged");
    if (sl_get_u64(payload) != in->rows)
        return fail_fetch(in, b, "blocks are missing: the file says it has more or fewer rows");
    if (b->n > n) {
        b->offset += n;
        return fail_fetch(in, b, "there are bytes behind the end marker");
    }
    return !stop(in, b);
}

/* The beginning of the file. Returns whether blocks follow; if not, *some is what sl_fetch_bin() returns. */
static bool fetch_header(sl_input *in, sl_block *b, bool *some) {
    if (!read_up_to(in, b, SL_BIN_FILE_HEADER)) {
        *some = stop(in, b);
        return false;
    }
    if (b->n == 0) { /* an empty input has no examples, in every format */
        *some = !stop(in, b);
        return false;
    }
    if (b->n < SL_BIN_FILE_HEADER || memcmp(b->text, SL_BIN_MAGIC, SL_BIN_MAGIC_BYTES) != 0) {
        *some = fail_fetch(in, b, "this is not a sluice bin file; if it is text, say -f libsvm");
        return false;
    }
    const uint32_t version = sl_get_u32(b->text + 8);
    if (version < SL_BIN_VERSION || version > SL_BIN_VERSION_NAMES || sl_get_u32(b->text + 12) != 0) {
        *some = fail_fetch(in, b, "this bin file is damaged or of another version");
        return false;
    }
    in->version = version;
    return in->started = true;
}

/* Whether the head of a block makes sense. A row takes at least a byte for its length, a nonzero one for its id. */
static bool is_sane(uint32_t n, uint32_t rows, uint32_t nonzeros, uint32_t flags) {
    if (n > SL_BIN_MAX_PAYLOAD || rows > SL_BIN_MAX_ROWS || nonzeros > SL_BIN_MAX_NONZEROS) return false;
    if (flags & SL_BIN_NAMES && nonzeros > SL_BIN_MAX_NAMED) return false;
    if (flags & ~(uint32_t)SL_BIN_FLAGS || (flags & SL_BIN_NAMES && flags & SL_BIN_IDS_ANY)) return false;
    if (flags & SL_BIN_VALUE_LISTS && (!(flags & SL_BIN_NAMES) || (flags & SL_BIN_VALUES) != SL_BIN_VALUES_F32))
        return false;
    if (flags & SL_BIN_END) return flags == SL_BIN_END && n == 8 && !rows && !nonzeros;
    return rows && rows <= n && nonzeros <= n - rows;
}

bool sl_fetch_bin(sl_input *in, sl_block *b) {
    b->offset = sl_source_offset(in->source) - in->carry_n;
    if (in->carry_n) { /* what was there of this block at the last call */
        if (!sl_block_room(b, in->carry_n)) return no_memory(in, b, in->carry_n);
        memcpy(b->text, in->carry, in->carry_n);
        b->n = in->carry_n;
        in->carry_n = 0;
    }
    if (!in->started) {
        bool some;
        if (!fetch_header(in, b, &some)) return some;
        b->n = 0;
        b->offset = sl_source_offset(in->source);
    }
    if (!read_up_to(in, b, SL_BIN_BLOCK_HEADER)) return stop(in, b);
    if (b->n < SL_BIN_BLOCK_HEADER) return fail_fetch(in, b, "the file ends before its end marker");
    uint32_t n = sl_get_u32(b->text), rows = sl_get_u32(b->text + 4), flags = sl_get_u32(b->text + 12);
    const bool first = in->rows == 0;
    if (flags & SL_BIN_OLD_NAMES)
        return fail_fetch(
            in, b,
            "this bin file has names as an older version of sluice wrote them; convert it again from what "
            "it was made of");
    if (!is_sane(n, rows, sl_get_u32(b->text + 8), flags) || (first && in->version != sl_bin_version(flags)))
        return fail_fetch(in, b, "the head of a block is damaged");
    if (!read_up_to(in, b, SL_BIN_BLOCK_HEADER + (size_t)n)) return stop(in, b);
    if (b->n < SL_BIN_BLOCK_HEADER + (size_t)n) return fail_fetch(in, b, "the file ends in the middle of a block");
    if (flags & SL_BIN_END) return fetch_end(in, b);
    memset(b->text + b->n, 0, SL_BLOCK_PAD);
    in->rows += rows;
    return true;
}

/* ---- decoding --------------------------------------------------------------------------------------------------- */

typedef struct cursor {
    const uint8_t *p, *end;
} cursor;

/* The next n bytes, or NULL if there are fewer. */
static const uint8_t *bytes(cursor *c, size_t n) {
    if ((size_t)(c->end - c->p) < n) return NULL;
    const uint8_t *p = c->p;
    c->p += n;
    return p;
}

static bool varint(cursor *c, uint64_t *v) {
    uint64_t value = 0;
    for (unsigned shift = 0; c->p < c->end && shift < 64; shift += 7) {
        uint8_t byte = *c->p++;
        if (shift == 63 && byte > 1) return false;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *v = value;
            return true;
        }
    }
    return false;
}

static const char *get_labels(cursor *c, sluice_batch *b, size_t rows, uint32_t flags) {
    if (flags & SL_BIN_LABELS_FLOAT) {
        const uint8_t *p = bytes(c, 4 * rows);
        if (!p) return "labels are missing";
        for (size_t i = 0; i < rows; i++) {
            b->label[i] = sl_get_f32(p + 4 * i);
            if (!isfinite(b->label[i])) return "a label is not finite";
        }
    } else {
        const uint8_t *p = bytes(c, (rows + 7) / 8);
        if (!p) return "labels are missing";
        for (size_t i = 0; i < rows; i++)
            b->label[i] = (float)(p[i / 8] >> i % 8 & 1) * 2 - 1; /* no branch: it would be mispredicted */
        if (rows % 8 && p[rows / 8] >> rows % 8) return "labels are damaged";
    }
    return NULL;
}

/* A word of the block's list. */
typedef struct listed_word {
    sl_name name; /* in the batch's word_text */
    float value;
} listed_word;

enum { WORD_PAD = 16 }; /* what sl_label_read() looks at behind a text */

/* The list of words into the batch's word_text. */
static const char *get_list(cursor *c, sluice_batch *b, listed_word *list, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        uint64_t n;
        const uint8_t *p;
        sl_label label;
        if (!varint(c, &n) || n > SL_MAX_NAME || !(p = bytes(c, (size_t)n))) return "words are damaged";
        char *text = b->word_text + b->word_text_n;
        if (n) memcpy(text, p, (size_t)n);
        memset(text + n, '\n', WORD_PAD);
        sl_label_kind kind = sl_label_read(text, (size_t)n, &label);
        if ((kind != SL_LABEL_NUMBER && kind != SL_LABEL_WORD) || !sl_bin_needs_word(label.word, label.value))
            return "a word is not one";
        list[i] = (listed_word){{(uint32_t)b->word_text_n, (uint32_t)n}, label.value};
        b->word_text_n += (size_t)n;
    }
    return NULL;
}

/* The list, and which word each row has. */
static const char *get_words(cursor *c, sluice_batch *b, size_t rows) {
    uint64_t count, place;
    if (!varint(c, &count) || count > rows) return "words are damaged";
    if (!sl_batch_reserve_words(b, rows, (size_t)(c->end - c->p) + WORD_PAD)) return no_memory_for_it;
    listed_word *list = malloc(((size_t)count + 1) * sizeof *list);
    const char *why = list ? get_list(c, b, list, count) : no_memory_for_it;
    for (size_t i = 0; i < rows && !why; i++) {
        b->word[i] = (sl_name){0, 0};
        if (!varint(c, &place) || place > count) {
            why = "words are damaged";
        } else if (place) {
            b->word[i] = list[place - 1].name;
            if (b->label[i] != list[place - 1].value) why = "a word is not that of its label";
        }
    }
    free(list);
    b->worded = rows;
    b->has_words = true;
    return why;
}

static bool is_plain(float label) { return label == 0 || label == 1 || label == -1; }

/* Gives the labels that are stored as floats their texts. */
static const char *name_numbers(sluice_batch *b, size_t rows) {
    size_t others = 0;
    for (size_t i = 0; i < rows; i++) others += !is_plain(b->label[i]) && !(i < b->worded && b->word[i].n);
    if (!others) return NULL;
    if (!sl_batch_reserve_words(b, rows, others * NUMBER_ROOM)) return no_memory_for_it;
    while (b->worded < rows) b->word[b->worded++] = (sl_name){0, 0};
    for (size_t i = 0; i < rows; i++) {
        if (is_plain(b->label[i]) || b->word[i].n) continue;
        size_t n = sluice_format_float(b->word_text + b->word_text_n, b->label[i]);
        b->word[i] = (sl_name){(uint32_t)b->word_text_n, (uint32_t)n};
        b->word_text_n += n;
    }
    b->has_words = true;
    return NULL;
}

static const char *get_weights(cursor *c, sluice_batch *b, size_t rows) {
    const uint8_t *p = bytes(c, 4 * rows);
    if (!p) return "weights are missing";
    for (size_t i = 0; i < rows; i++) {
        b->weight[i] = sl_get_f32(p + 4 * i);
        if (!isfinite(b->weight[i]) || b->weight[i] < 0) return "a weight is negative or not finite";
    }
    b->has_weights = true;
    return NULL;
}

static const char *get_lengths(cursor *c, sluice_batch *b, size_t rows, size_t nonzeros) {
    size_t at = 0;
    for (size_t i = 0; i < rows; i++) {
        uint64_t n;
        if (!varint(c, &n) || n > nonzeros - at) return "row lengths are damaged";
        b->start[i + 1] = at += (size_t)n;
    }
    return at == nonzeros ? NULL : "row lengths are damaged";
}

/* What is wrong with the differences of a block that has passed the checks of its sizes. */
static const char *find_bad_id(const uint8_t *control, const uint8_t *data, const sluice_batch *b, size_t rows) {
    sl_id_facts all = {0};
    sl_ids_portable(control, data, b->start[rows], b->id, &all);
    for (size_t i = 0; i < rows; i++) {
        uint32_t before = b->start[i] ? b->id[b->start[i] - 1] : 0;
        uint64_t id = 0;
        bool steps = true;
        for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
            uint32_t difference = b->id[k] - before;
            steps &= difference != 0 || k == b->start[i];
            before = b->id[k];
            id += difference;
        }
        if (!steps) return "an id stands twice in an example";
        if (id >= SL_WIDE) break;
    }
    return "an id is too large for its block";
}

_Static_assert((int)SL_IDS_AHEAD <= (int)SL_BLOCK_PAD, "what is looked at behind the end of a block is there");

/* Where n ids of 1 to 4 bytes have their lengths and their bytes. */
static const char *find_ids(cursor *c, size_t n, const uint8_t **control, const uint8_t **data) {
    if (!(*control = bytes(c, (n + 3) / 4))) return "ids are missing";
    size_t length = sl_ids_bytes(*control, n / 4);
    if (length > (size_t)(c->end - c->p)) return "ids are missing";
    if (n % 4) {
        if ((*control)[n / 4] >> 2 * (n % 4)) return "ids are damaged";
        length += sl_ids_bytes(*control + n / 4, 1) - (4 - n % 4); /* those that are not there count 1 each */
    }
    return (*data = bytes(c, length)) ? NULL : "ids are missing";
}

static const char *get_ascending_ids(cursor *c, sl_block *block, size_t rows, size_t n) {
    const uint8_t *control, *data;
    const char *why = find_ids(c, n, &control, &data);
    if (why || n == 0) return why; /* there may be no room for ids either */
    sluice_batch *b = &block->batch;
    sl_id_facts facts = {0};
    sl_sum_ids *sum_ids = block->rules->kernels ? block->rules->kernels->sum_ids : sl_ids_portable;
    sum_ids(control, data, n, b->id, &facts);
    return sl_ids_by_row(b->id, b->start, rows, &facts) ? NULL : find_bad_id(control, data, b, rows);
}

static const char *get_any_ids(cursor *c, sl_block *block, size_t rows) {
    sluice_batch *b = &block->batch;
    for (size_t i = 0; i < rows; i++) {
        size_t first = b->start[i], n = b->start[i + 1] - first, found;
        uint64_t last = 0, z;
        for (size_t k = 0; k < n; k++) {
            if (!varint(c, &z)) return "ids are damaged";
            last += z >> 1 ^ (0 - (z & 1));
            if (last < SL_WIDE) {
                b->id[first + k] = (uint32_t)last;
            } else {
                b->id[first + k] = SL_WIDE + (uint32_t)b->wides;
                b->wide[b->wides++] = last;
            }
        }
        const sl_row_ids row = {b, first};
        if (!sl_duplicates_search(&block->repeat, n, sl_row_id, &row, &found)) return no_memory_for_it;
        if (found != SL_NO_DUPLICATE) return "an id stands twice in an example";
    }
    return NULL;
}

/* The names that come first in this block, into the batch's text and, one behind the other, into its `name` and
 * `hash`. */
static const char *get_names(cursor *c, sl_block *block) {
    sluice_batch *b = &block->batch;
    uint64_t first, n;
    if (!varint(c, &first) || !varint(c, &n) || n > (size_t)(c->end - c->p)) return "names are damaged";
    if (first >= SL_NO_NAME || n >= SL_NO_NAME - first) return "there are too many names";
    if (n && !sl_batch_reserve_names(b, (size_t)n, (size_t)(c->end - c->p))) return no_memory_for_it;
    for (size_t i = 0; i < n; i++) {
        uint64_t length;
        const uint8_t *p;
        if (!varint(c, &length) || length > SL_MAX_NAME || !(p = bytes(c, (size_t)length))) return "names are damaged";
        if (length) memcpy(b->text + b->text_n, p, (size_t)length);
        b->name[i] = (sl_name){(uint32_t)b->text_n, (uint32_t)length};
        b->hash[i] = sl_padded_hash(b->text + b->text_n, (size_t)length);
        b->text_n += (size_t)length;
    }
    block->first_name = first, block->new_names = (size_t)n;
    return NULL;
}

/* Features by the numbers of their names. Whether as many names came before as the block says is checked where blocks
 * are in order: sl_bin_list_names(). */
static const char *get_numbers(cursor *c, sl_block *block, size_t rows, size_t n) {
    const uint8_t *control, *data;
    const char *why = find_ids(c, n, &control, &data);
    sluice_batch *b = &block->batch;
    b->has_names = block->numbered = true;
    if (why || n == 0) return why;
    (block->rules->kernels ? block->rules->kernels->get_numbers : sl_numbers_portable)(control, data, n, b->id);
    const uint32_t names = (uint32_t)(block->first_name + block->new_names);
    uint32_t beyond = 0;
    for (size_t k = 0; k < n; k++) beyond |= b->id[k] >= names;
    if (beyond) return "a feature has no name";
    bool repeated;
    if (!sl_duplicates_in_rows(&block->repeat, b->id, b->start, rows, &repeated)) return no_memory_for_it;
    return repeated ? "a name stands twice in an example" : NULL;
}

static const char *get_ids(cursor *c, sl_block *block, size_t rows, size_t nonzeros, uint32_t flags) {
    if (flags & SL_BIN_NAMES) {
        const char *why = get_names(c, block);
        return why ? why : get_numbers(c, block, rows, nonzeros);
    }
    return flags & SL_BIN_IDS_ANY ? get_any_ids(c, block, rows) : get_ascending_ids(c, block, rows, nonzeros);
}

/* sl_get_u32 in a form that compilers turn into vector code. */
static inline uint32_t load_u32(const uint8_t *p) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
#else
    return sl_get_u32(p);
#endif
}

/* Copies floats and tells whether all are finite, and whether some are 0. With whole numbers and one test at the end,
 * for the same reason. */
static bool get_floats(const uint8_t *p, size_t n, float *restrict value, bool *zeros) {
    uint32_t zero = 0, beyond = 0;
    for (size_t k = 0; k < n; k++) {
        uint32_t bits = load_u32(p + 4 * k), size = bits & 0x7fffffff;
        memcpy(value + k, &bits, 4);
        zero |= size - 1;
        beyond |= size + 0x800000; /* infinity is 0x7f800000, what is no number is more */
    }
    *zeros = zero >> 31;
    return !(beyond >> 31);
}

/* How many values each row's list has, the lists, and each feature's position in its row's. */
static const char *get_listed_values(cursor *c, sluice_batch *b, size_t rows, size_t n) {
    float list[UINT8_MAX + 1] = {0};
    size_t all = 0;
    const uint8_t *count = bytes(c, rows), *values, *position;
    for (size_t i = 0; count && i < rows; i++) all += count[i];
    if (!count || !(values = bytes(c, 4 * all)) || !(position = bytes(c, n))) return "values are missing";
    for (size_t i = 0; i < rows; i++) {
        bool zeros;
        uint32_t beyond = 0;
        if (!get_floats(values, count[i], list, &zeros)) return "a value is not finite";
        for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
            b->value[k] = list[position[k]];
            beyond |= position[k] >= count[i];
        }
        if (beyond) return "a value is not in its list";
        b->has_zeros |= zeros;
        values += 4 * (size_t)count[i];
    }
    return NULL;
}

static const char *get_values(cursor *c, sluice_batch *b, size_t rows, size_t n, uint32_t flags) {
    if (flags & SL_BIN_VALUE_LISTS) return get_listed_values(c, b, rows, n);
    static const size_t widths[4] = {0, 1, 2, 4};
    const uint8_t *p = bytes(c, n * widths[(flags & SL_BIN_VALUES) >> 2]);
    if (!p) return "values are missing";
    float *restrict value = b->value;
    uint32_t zero = 0;
    switch (flags & SL_BIN_VALUES) {
    case SL_BIN_VALUES_ONE:
        for (size_t k = 0; k < n; k++) value[k] = 1;
        break;
    case SL_BIN_VALUES_U8:
        for (size_t k = 0; k < n; k++) value[k] = p[k], zero |= p[k] - 1u;
        break;
    case SL_BIN_VALUES_U16:
        for (size_t k = 0; k < n; k++) {
            int v = p[2 * k] | p[2 * k + 1] << 8;
            value[k] = (float)v, zero |= (uint32_t)v - 1;
        }
        break;
    default:
        return get_floats(p, n, value, &b->has_zeros) ? NULL : "a value is not finite";
    }
    b->has_zeros = zero >> 31;
    return NULL;
}

/* Rows of label 0 and importance 0 are those without a label. */
static const char *mark_unlabelled(sluice_batch *b) {
    for (size_t i = 0; i < b->rows; i++) {
        if (b->weight[i] != 0 || b->label[i] != 0 || signbit(b->label[i]) || sl_batch_word(b, i).n) continue;
        if (!sl_batch_reserve_unlabelled(b)) return no_memory_for_it;
        b->unlabelled[b->n_unlabelled++] = (sl_unlabelled){i, 1};
    }
    return NULL;
}

/* What is wrong with the block, or NULL. */
static const char *decode(sl_block *block) {
    const uint8_t *head = (const uint8_t *)block->text;
    cursor c = {head + SL_BIN_BLOCK_HEADER, head + block->n};
    size_t rows = sl_get_u32(head + 4), nonzeros = sl_get_u32(head + 8);
    uint32_t flags = sl_get_u32(head + 12);
    sluice_batch *b = &block->batch;
    const char *why;
    if (sl_get_u64(head + 16) != sl_bin_checksum(head, c.p, (size_t)(c.end - c.p))) return "its checksum does not fit";
    if (!sl_batch_reserve(b, rows, nonzeros, flags & SL_BIN_IDS_ANY ? nonzeros : 0)) return no_memory_for_it;
    if ((why = get_labels(&c, b, rows, flags))) return why;
    if (flags & SL_BIN_WORDS && (why = get_words(&c, b, rows))) return why;
    if (flags & SL_BIN_WEIGHTS && (why = get_weights(&c, b, rows))) return why;
    if ((why = get_lengths(&c, b, rows, nonzeros))) return why;
    if ((why = get_ids(&c, block, rows, nonzeros, flags)) || (why = get_values(&c, b, rows, nonzeros, flags)))
        return why;
    if (c.p != c.end) return "it is longer than its rows";
    if (block->rules->words && (why = name_numbers(b, rows))) return why;
    if (b->has_words && !block->rules->words) {
        if (!block->rules->unlabelled) return has_words;
        b->has_words = false, b->worded = 0;
    }
    b->rows = rows, b->nonzeros = nonzeros;
    return b->has_weights && !block->rules->unlabelled ? mark_unlabelled(b) : NULL;
}

void sl_bin_fail_block(sl_block *b, const char *why) {
    sl_batch_clear(&b->batch);
    b->numbered = false;
    sl_stop_at(b, b->text);
    if (why)
        b->status = sl_fail_at(&b->error, SLUICE_E_DATA, b->source, 0, 0, "the block at byte %llu is damaged: %s",
                               (unsigned long long)b->offset, why);
    else
        b->status = sl_fail_at(&b->error, SLUICE_E_MEMORY, b->source, 0, 0, "no memory for the block at byte %llu",
                               (unsigned long long)b->offset);
}

void sl_parse_bin(sl_block *b) {
    if (sl_block_is_put_off(b)) return;
    const char *why = decode(b);
    b->at = b->n;
    if (!why) return;
    sl_bin_fail_block(b, why == no_memory_for_it ? NULL : why);
    if (why == has_words)
        b->status =
            sl_fail_at(&b->error, SLUICE_E_DATA, b->source, 0, 0,
                       "labels of the block at byte %llu are words, not numbers", (unsigned long long)b->offset);
}
