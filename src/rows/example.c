/* Checks of examples that programs pass in: finite values, names not too long, no feature twice. */
#include "rows/example.h"

#include <math.h>

#include "base/error.h"
#include "features/names.h"

sluice_status sl_check_values(const sluice_example *x, sluice_error *err) {
    char text[128];
    for (size_t k = 0; k < x->n; k++) {
        if (!isfinite(x->values[k]))
            return sl_fail(err, SLUICE_E_DATA, "the value of feature %s is not finite", sl_feature_shown(x, k, text));
        if (x->names && x->names[k].n > SLUICE_MAX_NAME)
            return sl_fail(err, SLUICE_E_DATA, "the name %s is longer than %d bytes", sl_feature_shown(x, k, text),
                           SLUICE_MAX_NAME);
    }
    return SLUICE_OK;
}

/* A key for each feature: its id, or the hash of its name. Equal hashes are then compared by name. */
static uint64_t telling(const sluice_example *x, size_t k) {
    return x->names ? sl_name_hash(x->names[k].text, x->names[k].n) : x->ids[k];
}

static bool same_feature(const sluice_example *x, size_t i, size_t j) {
    if (!x->names) return x->ids[i] == x->ids[j];
    return x->names[i].n == x->names[j].n && memcmp(x->names[i].text, x->names[j].text, x->names[i].n) == 0;
}

static sluice_status check_repeats(const sluice_example *x, sl_duplicates *repeat, sluice_error *err) {
    uint64_t *keys = sl_duplicates_room(repeat, x->n);
    if (!keys) return sl_fail(err, SLUICE_E_MEMORY, "no memory for a row");
    for (size_t k = 0; k < x->n; k++) keys[k] = telling(x, k);
    size_t again = sl_duplicates_find(repeat, x->n);
    if (again == SL_NO_DUPLICATE) return SLUICE_OK;
    char text[128];
    for (size_t i = 0; i < again; i++)
        if (same_feature(x, i, again))
            return sl_fail(err, SLUICE_E_DATA, "feature %s appears twice in one example",
                           sl_feature_shown(x, again, text));
    return SLUICE_OK; /* different names with the same 64-bit hash */
}

sluice_status sl_check_example(const sluice_example *x, sl_duplicates *repeat, sluice_error *err) {
    if (!(x->weight >= 0) || !isfinite(x->weight))
        return sl_fail(err, SLUICE_E_DATA, "the importance weight must be a number >= 0");
    sluice_status status = sl_check_values(x, err);
    if (status == SLUICE_OK) status = check_repeats(x, repeat, err);
    if (status != SLUICE_OK) return status;
    return isfinite(x->label) ? SLUICE_OK : sl_fail(err, SLUICE_E_DATA, "the label is not finite");
}
