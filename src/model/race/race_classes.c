/* Races of several classes: every candidate is a model of several classes, and knows the classes by their numbers. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/classes/many.h"
#include "model/classes/problems.h"
#include "model/race/race.h"

/* Adds classes up to this number; their labels are their numbers. False: no memory, or too many. */
static bool add_classes(sluice_model *candidate, size_t classes) {
    sl_class_table *t = &candidate->classes.table;
    bool fine = sl_many_reserve(candidate, classes) == SLUICE_OK;
    while (fine && t->n < classes) {
        char label[32];
        const int n = snprintf(label, sizeof label, "%zu", t->n);
        fine = sl_classes_add(t, (sluice_name){label, (size_t)n}) != SL_NO_CLASS;
    }
    return fine;
}

sluice_status sl_race_reserve(sluice_model *m, size_t classes) {
    for (size_t i = 0; i < m->race->n; i++)
        if (m->race->candidate[i].model && !add_classes(m->race->candidate[i].model, classes))
            return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for more classes");
    return SLUICE_OK;
}

bool sl_race_take_classes(const sluice_model *m, sluice_model *candidate) {
    return m->settings.classes == SLUICE_CLASSES_TWO || add_classes(candidate, m->classes.table.n);
}

void sl_race_class_margins(const sluice_model *m, const sl_raw_row *r, double *margins, uint32_t *wins) {
    sl_race_row row;
    for (size_t c = 0; c < m->classes.table.n; c++) margins[c] = NAN, wins[c] = 0;
    if (!sl_race_row_make(&row, m, r)) return;
    sl_many_margins(sl_race_leader(m), &row.row, margins, wins);
    sl_race_row_free(&row);
}

void sl_race_class_probabilities(const sluice_model *m, const sl_raw_row *r, const double *margins, double *p) {
    sl_race_row row;
    for (size_t c = 0; c < m->classes.table.n; c++) p[c] = NAN;
    if (!sl_race_row_make(&row, m, r)) return;
    sl_many_probabilities(sl_race_leader(m), &row.row, margins, p);
    sl_race_row_free(&row);
}

void sl_race_class_weights(const sluice_model *m, size_t class_index, const uint32_t *slot, size_t n, float *w) {
    const sluice_model *leader = sl_race_leader(m);
    if (leader->problems) leader = leader->problems->problem[class_index];
    for (size_t i = 0; i < n; i++) {
        const uint32_t at = sl_race_slot(m->features.space.features, leader, slot[i]);
        w[i] = 0;
        if (at != SL_NO_SLOT) sl_class_weights(leader, leader->problems ? 0 : class_index, &at, 1, &w[i]);
    }
}
