/* Fuzz target: any bytes as a row that waits for its label. They are refused; or a batch takes the row or refuses it,
 * and what is kept of the batch's row reads as that row. */
#include "serve/labels/kept_row.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "fuzz_kept_row.c:%d: %s\n", __LINE__, #condition);                                         \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static row_arrays arrays, again;
static text_buffer kept;

static void compare(const sluice_example *a, const sluice_example *b) {
    REQUIRE(a->n == b->n && !a->names == !b->names && !a->ids == !b->ids && a->weight == b->weight);
    for (size_t k = 0; k < a->n; k++) {
        REQUIRE(memcmp(&a->values[k], &b->values[k], sizeof(float)) == 0);
        if (a->ids)
            REQUIRE(a->ids[k] == b->ids[k]);
        else
            REQUIRE(a->names[k].n == b->names[k].n && !memcmp(a->names[k].text, b->names[k].text, a->names[k].n));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    sluice_example x, row, back;
    sluice_error err = {0};
    if (kept_row_read(bytes, n, &arrays, &x, &err) != SLUICE_OK) {
        REQUIRE(err.status == SLUICE_E_FORMAT && err.message[0]);
        return 0;
    }
    REQUIRE(x.n <= n);
    sluice_batch *batch = sluice_batch_new(NULL);
    REQUIRE(batch);
    x.label = 1;
    if (sluice_batch_add(batch, &x, &err) == SLUICE_OK) {
        text_clear(&kept);
        REQUIRE(kept_row_write(&kept, &again, batch, 0));
        const size_t nonzeros = sluice_batch_nonzeros(batch, 0);
        uint64_t *ids = malloc((nonzeros + 1) * sizeof *ids);
        sluice_name *names = malloc((nonzeros + 1) * sizeof *names);
        REQUIRE(ids && names);
        memset(&row, 0, sizeof row);
        sluice_batch_row(batch, 0, ids, names, &row);
        REQUIRE(kept_row_read(kept.text, kept.n, &again, &back, &err) == SLUICE_OK);
        if (row.weight == 0) row.weight = 1; /* as it is kept */
        compare(&row, &back);
        free(ids);
        free(names);
    } else {
        REQUIRE(err.message[0]);
    }
    sluice_batch_free(batch);
    return 0;
}
