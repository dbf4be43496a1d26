/* Snapshots: made by the learner thread, taken and given back by all others without a lock. */
#include "serve/model/served_parts.h"

#include "output/class_text.h"
#include "output/message.h"
#include "output/progress.h"
#include "measure/answer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often snapshots are made: the learner spends at most a tenth of its time on them, as long as none becomes older
 * than a second by that, and half of it in any case. */
static const double least_seconds = 0.02, share = 10, most_seconds = 0.8, most_share = 2;

/* The number of users of a snapshot is the sum over the places: a thread takes it at its own place, and another thread
 * may give it back at another. */
struct snapshot_uses {
    shard users[SHARDS];
    /* of the learner thread, once it is replaced: the places at which no thread is about to take it */
    unsigned quiet;
    snapshot *next;
};

/* A thread that takes a snapshot counts itself at its place before it reads which one is current. The learner thread,
 * having made another one current, looks at all places: once it has seen each of them empty, no thread can take the old
 * one any more, and it can be freed when the sum of its users is 0. */
const snapshot *served_take(served_model *m) {
    const unsigned mine = my_shard();
    atomic_fetch_add(&m->entering[mine].n, 1);
    snapshot *s = atomic_load(&m->current);
    atomic_fetch_add_explicit(&s->uses->users[mine].n, 1, memory_order_relaxed);
    atomic_fetch_sub_explicit(&m->entering[mine].n, 1, memory_order_release);
    return s;
}

void served_release(const snapshot *s) {
    if (s) atomic_fetch_sub_explicit(&s->uses->users[my_shard()].n, 1, memory_order_release);
}

static void snapshot_free(snapshot *s) {
    if (!s) return;
    for (size_t i = 0; s->label && i < s->labels; i++) free(s->label[i]);
    free(s->label);
    free(s->label_n);
    sluice_model_free((sluice_model *)s->model);
    free(s->uses);
    free(s);
}

static int is_unused(served_model *m, struct snapshot_uses *u) {
    uint64_t users = 0;
    for (unsigned i = 0; i < SHARDS; i++)
        if (atomic_load(&m->entering[i].n) == 0) u->quiet |= 1u << i;
    if (u->quiet != (1u << SHARDS) - 1) return 0;
    for (unsigned i = 0; i < SHARDS; i++) users += atomic_load_explicit(&u->users[i].n, memory_order_acquire);
    return users == 0;
}

void served_free_retired(served_model *m) {
    for (snapshot **at = &m->retired; *at;) {
        snapshot *s = *at;
        if (is_unused(m, s->uses)) {
            *at = s->uses->next;
            snapshot_free(s);
        } else {
            at = &s->uses->next;
        }
    }
}

void served_free_snapshots(served_model *m) {
    for (snapshot *s = m->retired, *next; s; s = next) {
        next = s->uses->next;
        snapshot_free(s);
    }
    m->retired = NULL;
    snapshot_free(atomic_load(&m->current));
}

/* ---- making one -------------------------------------------------------------------------------------------------- */

static int is_whole(const char *text) {
    char *end;
    errno = 0;
    strtoll(text, &end, 10);
    return *text && !*end && !errno && *text != ' ' && *text != '+';
}

/* The labels as results print them. */
static int take_labels(snapshot *s) {
    static const sluice_name plain[] = {{"-1", 2}, {"1", 1}};
    const size_t n = sluice_model_classes(s->model), labels = s->many ? n : 2;
    s->label = calloc(labels + 1, sizeof *s->label);
    s->label_n = calloc(labels + 1, sizeof *s->label_n);
    if (!s->label || !s->label_n) return 0;
    s->whole_labels = 1;
    for (size_t i = 0; i < labels; i++) {
        sluice_class c = {.size = sizeof c, .text = plain[i & 1]}; /* of a plain model */
        if (n && sluice_model_class(s->model, i < n ? i : 0, &c) != SLUICE_OK) return 0;
        s->label[i] = result_label(c.text);
        if (!s->label[i]) return 0;
        s->labels = i + 1;
        s->label_n[i] = strlen(s->label[i]);
        s->whole_labels &= is_whole(s->label[i]);
        if (n && i == 0 && !s->many) s->first = c.text.text;
    }
    return 1;
}

/* A batch that is not finished is learned by it: the answers are those of `sluice predict` with the model's file. */
static snapshot *make(const sluice_model *model, sluice_error *err) {
    snapshot *s = calloc(1, sizeof *s);
    if (s) s->uses = aligned_alloc(CACHE_LINE, (sizeof *s->uses + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    if (!s || !s->uses) {
        snapshot_free(s);
        served_fail(err, SLUICE_E_MEMORY, "no memory for a snapshot");
        return NULL;
    }
    memset(s->uses, 0, sizeof *s->uses);
    s->model = sluice_model_final(model, err);
    if (!s->model) {
        snapshot_free(s);
        return NULL;
    }
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(s->model, &facts);
    s->version = facts.examples;
    s->has_learned = facts.examples > 0;
    s->many = sluice_model_settings(s->model)->classes != SLUICE_CLASSES_TWO;
    s->classes = s->many ? sluice_model_classes(s->model) : 0;
    s->nonzeros = facts.nonzeros;
    s->features_seen = facts.features_seen;
    if (take_labels(s)) return s;
    snapshot_free(s);
    served_fail(err, SLUICE_E_MEMORY, "no memory for a snapshot");
    return NULL;
}

sluice_status served_publish(served_model *m, sluice_error *err) {
    const double start = now_seconds();
    snapshot *s = make(m->model, err);
    m->snapshot_start = start;
    m->snapshot_changes = m->changes; /* also where it failed: the next try is for the next change */
    if (!s) return err->status;
    s->reading = served_reading(m);
    s->made = start; /* the state that it shows */
    m->snapshot_cost = now_seconds() - start;
    snapshot *old = atomic_exchange(&m->current, s);
    if (old) {
        old->uses->next = m->retired;
        m->retired = old;
    }
    served_free_retired(m);
    served_take_newest(m);
    served_take_leader(m);
    return SLUICE_OK;
}

double served_publish_at(const served_model *m) {
    if (m->snapshot_changes == m->changes || m->broken) return INFINITY;
    /* the first examples at once: answers to learning take their labels from the snapshot, and before these there are
     * none */
    const snapshot *now = atomic_load_explicit(&m->current, memory_order_relaxed);
    if (!now->has_learned && m->examples_done) return 0;
    const double cost = m->snapshot_cost;
    double wait = share * cost;
    if (wait > most_seconds - cost) wait = most_seconds - cost;
    if (wait < most_share * cost) wait = most_share * cost;
    if (wait < least_seconds) wait = least_seconds;
    return m->snapshot_start + wait;
}

size_t snapshot_label(const snapshot *s, double margin) { return answered_label(s->model, s->first, margin); }

/* ---- predictions of each class ----------------------------------------------------------------------------------- */

void served_count_prediction(served_model *m, size_t label_index, uint64_t n) {
    const size_t i = label_index < SERVED_CLASSES_COUNTED ? label_index : SERVED_CLASSES_COUNTED;
    atomic_fetch_add_explicit(&m->predictions[my_shard()].n[i], n, memory_order_relaxed);
}

uint64_t served_predictions(const served_model *m, size_t label_index) {
    uint64_t n = 0;
    for (unsigned i = 0; i < SHARDS && label_index <= SERVED_CLASSES_COUNTED; i++)
        n += atomic_load_explicit(&m->predictions[i].n[label_index], memory_order_relaxed);
    return n;
}
