/* The leader of a race as a model of its own: with the ids or names of the race, as if it had learned alone. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/classes/problems.h"
#include "model/race/race.h"

/* Gives the features of a candidate, which it knows by their numbers, the keys that they have in the race. False: no
 * memory. */
static bool give_keys(sluice_model *to, const sluice_model *m) {
    sl_features old = to->features, *new = &to->features;
    memset(new, 0, sizeof *new);
    sl_space_init(&new->space, old.space.size, old.space.fresh);
    new->space.numbered = old.space.numbered;
    new->space.scaled = old.space.scaled;
    if (m->features.named && !sl_keys_use_names(new)) return sl_features_free(&old), false;
    sl_keys_walk w;
    bool fine = sl_keys_start(&w, &m->features);
    while (fine && sl_keys_next(&w)) {
        const uint32_t number = sl_race_number(m->features.space.features, w.at.slot);
        const uint32_t from = w.at.is_bias ? sl_space_bias(&old.space) : sl_space_find(&old.space, number);
        uint32_t slot;
        fine = sl_keys_add_like(new, &m->features, &w.at, &slot);
        if (!fine || from == SL_NO_SLOT || (from < old.space.direct && !sl_space_knows(&old.space, from))) continue;
        memcpy(sl_space_at(&new->space, slot), sl_space_at(&old.space, from), old.space.size);
        if (old.space.scaled) new->space.scale[slot] = old.space.scale[from];
    }
    sl_keys_end(&w);
    sl_model_copy_history(to, m);
    new->space.rows = old.space.rows; /* it may have begun later than the race */
    sl_features_free(&old);
    return fine;
}

sluice_model *sl_race_leader_model(const sluice_model *m, sluice_error *err) {
    sluice_model *to = sluice_model_copy(sl_race_leader(m), err);
    if (!to) return NULL;
    bool fine = give_keys(to, m);
    for (size_t i = 0; to->problems && i < to->problems->n + to->problems->n_to_come && fine; i++)
        fine = give_keys(sl_problems_at(to->problems, i), m);
    to->settings.hash_bits = m->settings.hash_bits;
    if (fine && m->settings.positive) fine = (to->settings.positive = strdup(m->settings.positive)) != NULL;
    sl_class_labels_free(to);
    fine = fine && sl_class_labels_copy(to, m) && sl_metadata_copy(&to->metadata, &m->metadata);
    if (fine) return to;
    sluice_model_free(to);
    sl_fail(err, SLUICE_E_MEMORY, "no memory for a copy of the model");
    return NULL;
}

sluice_model *sluice_model_leader(const sluice_model *m, sluice_error *err) {
    if (m->race) return sl_race_leader_model(m, err);
    sl_fail(err, SLUICE_E_UNSUPPORTED, "only a model of auto has a leader");
    return NULL;
}

sluice_model *sl_race_predict_only(const sluice_model *m, sluice_model *(*make)(const sluice_model *, sluice_error *),
                                   sluice_error *err) {
    sluice_model *leader = sl_race_leader_model(m, err), *to = leader ? make(leader, err) : NULL;
    sluice_model_free(leader);
    if (!to) return NULL;
    const sl_online_calibration calibration = to->calibration;
    sl_model_copy_counts(to, m); /* of the answers that the race gave */
    memset(to->scalars, 0, sizeof to->scalars);
    to->calibration = calibration;
    return to;
}
