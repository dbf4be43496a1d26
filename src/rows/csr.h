/* Rows that a program holds in the arrays of a compressed sparse matrix (sluice_csr), handed on as batches. */
#ifndef SL_CSR_H
#define SL_CSR_H

#include "rows/batch.h"
#include "rows/label_text.h"

/* Reads a sluice_csr some rows at a time. Ids and values are used where they lie if they have the types that batches
 * have; else those of a few thousand rows at a time are converted. */
typedef struct sl_csr_reader {
    sluice_csr csr;
    bool learning; /* needs labels, and every feature once in a row; predicting uses no labels and allows duplicates */
    size_t next;   /* row */
    size_t first;  /* the row that `batch` begins with */
    sluice_batch batch;
    double *label;  /* of the rows of the batch; NULL where the matrix has none, or labels with words: those are the
                       batch's own */
    double *weight; /* NULL where the matrix has none */
    bool bad;       /* row `next` is bad, and why: it ends the stream */
    sluice_error why;

    /* owned memory */
    uint32_t *ids;
    float *values;
    uint64_t *wide;
    size_t room;      /* of the three above */
    sl_label *labels; /* of the words */
    sl_name *places;  /* of the words in the batch's word_text, and of the names in its text */
    sl_name *columns;
    uint64_t *hashes; /* of the names */
    sl_duplicates repeat;
} sl_csr_reader;

/* Checks the struct and its row pointers. Close the reader in any case. */
sluice_status sl_csr_open(sl_csr_reader *r, const sluice_csr *csr, bool learning, sluice_error *err);
/* The next rows in r->batch, r->label and r->weight, valid until the next call: SLUICE_OK, SLUICE_END, or a failure,
 * whose line is the number of the row from 1. Rows before a bad one are delivered first. */
sluice_status sl_csr_next(sl_csr_reader *r, sluice_error *err);
void sl_csr_close(sl_csr_reader *r);

#endif
