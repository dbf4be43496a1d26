/* The configurations that `auto` races. How they were chosen: docs/auto.md. */
#include "model/race/configurations.h"

/* What is done to a row: to length 1; log(1 + value) first; each feature by its scale, then to length 1, or
 * not. */
#define UNIT SLUICE_NORMALIZE_L2, SLUICE_SCALE_NONE, SLUICE_TRANSFORM_NONE
#define LOG_UNIT SLUICE_NORMALIZE_L2, SLUICE_SCALE_NONE, SLUICE_TRANSFORM_LOG1P
#define SCALED_UNIT SLUICE_NORMALIZE_L2, SLUICE_SCALE_MAXABS, SLUICE_TRANSFORM_NONE
#define SCALED SLUICE_NORMALIZE_NONE, SLUICE_SCALE_MAXABS, SLUICE_TRANSFORM_NONE
#define LOG_SCALED_UNIT SLUICE_NORMALIZE_L2, SLUICE_SCALE_MAXABS, SLUICE_TRANSFORM_LOG1P
#define LOG_SCALED SLUICE_NORMALIZE_NONE, SLUICE_SCALE_MAXABS, SLUICE_TRANSFORM_LOG1P

/* clang-format off */
#define SSOL(eta, r, lambda) "ssol", {"schedule=constant", "eta=" #eta, "r=" #r, "lambda=" #lambda}
#define FTRL(alpha, l1) "ftrl", {"alpha=" #alpha, "l1=" #l1}
#define AROW(r) "arow", {"r=" #r}
/* For tables of few columns: with a matrix, to which means and units of the columns do not matter. */
#define AROW_FULL(r) "arow-full", {"r=" #r}
#define SCW_FULL "scw-1-full", {0}
/* For streams that change all the time. */
#define FORGETTING_AROW(r, g) "arow", {"r=" #r, "forget=" #g}
#define FORGETTING_FTRL(alpha, l1, g) "ftrl", {"alpha=" #alpha, "l1=" #l1, "forget=" #g}
/* clang-format on */

static const sl_configuration table[] = {
    {FTRL(4, 0.03), UNIT},
    {SSOL(4, 1, 0.1), UNIT},
    {AROW(0.03), UNIT},
    {FTRL(2, 0.1), SCALED_UNIT},
    {AROW(0.3), SCALED_UNIT},
    {FTRL(0.5, 0.03), SCALED},
    {AROW(1), SCALED},
    {FTRL(4, 0.1), LOG_UNIT},
    {AROW(0.03), LOG_UNIT},
    {AROW_FULL(0.1), SCALED},
    {SCW_FULL, SCALED},
    {AROW_FULL(0.1), LOG_SCALED},
    {AROW_FULL(1), SCALED_UNIT},
    {FTRL(2, 0.1), UNIT},
    {FTRL(4, 0.3), UNIT},
    {SSOL(4, 16, 0.1), UNIT},
    {AROW(0.3), UNIT},
    {FTRL(4, 0.03), SCALED_UNIT},
    {SSOL(4, 16, 0.1), SCALED_UNIT},
    {FTRL(0.5, 0.3), SCALED},
    {FTRL(4, 0.03), LOG_SCALED_UNIT},
    {FTRL(0.5, 0.03), LOG_SCALED},
    {AROW(1), LOG_SCALED},
    {FTRL(4, 0.03), LOG_UNIT},
    {FORGETTING_AROW(1, 0.999), UNIT},
    {FORGETTING_AROW(0.3, 0.999), SCALED},
    {FORGETTING_FTRL(1, 0.03, 0.9999), UNIT},
    {"cw", {0}, UNIT},
    {"cw", {0}, SCALED},
    {"pa-1", {0}, UNIT},
};

/* With a sparsity to reach: the strengths are adjusted to it (race_sparsity.c), and these are where they begin. */
static const sl_configuration sparse_table[] = {
    {FTRL(4, 0.3), UNIT},
    {SSOL(4, 1, 1), UNIT},
    {SSOL(4, 16, 1), UNIT},
    {FTRL(4, 0.3), LOG_UNIT},
    {SSOL(4, 1, 1), LOG_UNIT},
    {SSOL(4, 16, 1), LOG_UNIT},
    {"ada-rda", {"lambda=1e-3"}, UNIT},
    {FTRL(4, 0.3), SCALED_UNIT},
    {FTRL(2, 0.3), UNIT},
    {SSOL(4, 4, 1), UNIT},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

const sl_configuration *sl_configuration_at(size_t i, int for_sparsity) {
    if (for_sparsity) return i < COUNT(sparse_table) ? &sparse_table[i] : NULL;
    return i < COUNT(table) ? &table[i] : NULL;
}
