/* Rows as lines of text, so that reading them gives the same rows. */
#ifndef SL_TEXT_WRITE_H
#define SL_TEXT_WRITE_H

#include "rows/batch.h"
#include "io/bin/bin.h"

typedef struct sl_text_out {
    sl_bytes bytes;
    bool weights;        /* jsonl: some line has an importance weight */
    bool weight_feature; /* jsonl: some line has a feature called as importance weights are */
} sl_text_out;

/* Appends a row as one line. SLUICE_E_UNSUPPORTED: the format cannot express it; the place is that of the row. A
 * failure leaves everything as it was. */
typedef sluice_status sl_put_line(sl_text_out *out, const sluice_batch *b, size_t row, sluice_error *err);

#define SL_LIBSVM_HAS_NO_WEIGHTS "LIBSVM text has no place for importance weights; .vw, .jsonl and .bin have"
sl_put_line sl_put_libsvm;
sl_put_line sl_put_vw;
sl_put_line sl_put_jsonl;

#endif
