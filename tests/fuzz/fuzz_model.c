/* Any bytes as a model file: refused with a reason, or a model that can be used and saved. Half of the inputs get
 * fitting checksums first, or nothing would ever come past them. */
#include <stdlib.h>

#include "fuzz/repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    unsigned char *bytes = malloc(size);
    memcpy(bytes, data, size);
    if (data[size - 1] % 2 == 0) repair(bytes, size);
    sluice_error err = {0};
    sluice_model *m = sluice_model_parse(bytes, size, &err);
    if (m) {
        uint64_t ids[] = {1, 5, UINT64_MAX};
        float values[] = {1, -0.5f, 2};
        sluice_example x = {ids, values, 3, 1, 1};
        double margin;
        sluice_model_margin(m, &x, &margin, NULL);
        sluice_model_facts facts = {.size = sizeof facts};
        sluice_model_describe(m, &facts);
        const void *kept;
        size_t kept_n;
        for (size_t i = 0; sluice_model_metadata_at(m, i, &kept, &kept_n); i++)
            if (kept_n > SLUICE_MAX_METADATA_BYTES) abort();
        double p = sluice_model_probability(m, 1e300);
        if (sluice_model_has_probability(m) ? !(p >= 0 && p <= 1) : p == p) abort();
        sluice_model_learn(m, &x, NULL);
        sluice_model_end_run(m);
        void *again;
        size_t n;
        if (sluice_model_bytes(m, &again, &n, NULL) == SLUICE_OK) {
            sluice_model *back = sluice_model_parse(again, n, NULL);
            if (!back) abort(); /* what was saved must load */
            sluice_model_free(back);
            sluice_free(again);
        }
        sluice_model *final = sluice_model_final(m, NULL);
        sluice_model_free(final);
        sluice_model_free(m);
    } else if (err.status == SLUICE_OK || !err.message[0]) {
        abort(); /* refused without a reason */
    }
    free(bytes);
    return 0;
}
