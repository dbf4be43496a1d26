/* What must hold for any bytes as a bin file: they are refused with a reason; or the rows keep their promises, and what
 * is written from them, as bin and as LIBSVM text, reads back as the same rows and is written to the same bytes. */
#ifndef BIN_JUDGE_H
#define BIN_JUDGE_H

#include "fuzz/fuzz_outcome.h"
#include "io/bin/bin.h"
#include "io/text_write.h"

static void look_at_bin_row(const sluice_batch *b, size_t i, outcome *o) {
    REQUIRE(isfinite(b->label[i]) && (!b->has_weights || (isfinite(b->weight[i]) && b->weight[i] >= 0)));
    mix(&o->hash, b->start[i + 1] - b->start[i]);
    mix_float(&o->hash, b->label[i]);
    mix_float(&o->hash, b->has_weights ? b->weight[i] : 1);
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
        REQUIRE(isfinite(b->value[k]) && (b->has_zeros || b->value[k] != 0));
        mix_float(&o->hash, b->value[k]);
        if (b->has_names) {
            REQUIRE(!b->list || b->id[k] < b->list->n);
            const sl_feature_name name = sl_batch_name(b, k);
            REQUIRE(name.n <= SLUICE_MAX_NAME && name.hash == sl_name_hash(name.text, name.n));
            uint64_t id; /* as which LIBSVM text gives back a name that is one */
            if (sl_id_of_name(name.text, name.n, &id))
                mix(&o->hash, id);
            else
                for (size_t j = 0; j < name.n; j++) mix(&o->hash, (unsigned char)name.text[j]);
            for (size_t j = b->start[i]; j < k; j++) REQUIRE(sl_batch_name(b, j).hash != name.hash);
        } else {
            REQUIRE(b->id[k] < SL_WIDE || b->id[k] - SL_WIDE < b->wides);
            mix(&o->hash, sl_batch_id(b, k));
            for (size_t j = b->start[i]; j < k; j++) REQUIRE(sl_batch_id(b, j) != sl_batch_id(b, k));
        }
    }
}

static sl_bytes written; /* the rows as bin */
static sl_names written_names;
static sl_text_out as_libsvm; /* and as LIBSVM text, as far as they can be */
static uint64_t rows_written, libsvm_rows;

static void look_and_write_bin(const sluice_batch *b, size_t i, outcome *o) {
    look_at_bin_row(b, i, o);
    sluice_error err;
    if (i == 0 && written.n == SL_BIN_FILE_HEADER) sl_bin_set_version(&written, b);
    if (i == 0) REQUIRE(sl_bin_put_block(&written, b, &written_names)); /* the whole batch */
    rows_written++;
    sluice_status status = sl_put_libsvm(&as_libsvm, b, i, &err);
    REQUIRE(status == SLUICE_OK || status == SLUICE_E_UNSUPPORTED);
    libsvm_rows += status == SLUICE_OK;
}

static const sluice_reader_options read_bin = {.size = sizeof read_bin, .format = "bin", .threads = 1, .words = 1},
                                   read_libsvm = {
                                       .size = sizeof read_libsvm, .format = "libsvm", .threads = 1, .words = 1};

static outcome write_bin(const uint8_t *bytes, size_t n) {
    written.n = 0, as_libsvm.bytes.n = 0, rows_written = libsvm_rows = 0;
    REQUIRE(sl_bin_put_header(&written));
    outcome o = push(bytes, n, &read_bin, n + 1, look_and_write_bin);
    REQUIRE(sl_bin_put_end(&written, rows_written));
    sl_names_free(&written_names);
    return o;
}

/* Whether the bytes were accepted. */
static bool judge_bin(const uint8_t *bytes, size_t n) {
    outcome first = write_bin(bytes, n);
    if (first.status != SLUICE_END) return false;
    size_t again_n = written.n;
    uint8_t *again = malloc(again_n);
    REQUIRE(again);
    memcpy(again, written.data, again_n);
    outcome text = push(as_libsvm.bytes.data, as_libsvm.bytes.n, &read_libsvm, as_libsvm.bytes.n + 1, look_at_bin_row);
    REQUIRE(text.status == SLUICE_END && text.rows == libsvm_rows);
    REQUIRE(libsvm_rows < first.rows || text.hash == first.hash || first.rows == 0);
    outcome second = write_bin(again, again_n);
    REQUIRE(memcmp(&first, &second, sizeof first) == 0);
    REQUIRE(written.n == again_n && memcmp(written.data, again, again_n) == 0);
    free(again);
    return true;
}

#endif
