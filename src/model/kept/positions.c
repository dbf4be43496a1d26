/* Positions of a model: a small sorted list. */
#include "model/kept/positions.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "model/model.h"

int sl_positions_order(const sluice_position *a, const sluice_position *b) {
    int order = strcmp(a->cluster, b->cluster);
    if (!order) order = strcmp(a->topic, b->topic);
    return order ? order : (a->partition > b->partition) - (a->partition < b->partition);
}

/* Where the position is, or where it would go; *there says which. */
static size_t find(const sl_positions *p, const sluice_position *wanted, bool *there) {
    size_t low = 0, high = p->n;
    *there = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = sl_positions_order(&p->list[middle], wanted);
        if (order == 0) *there = true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_text(const char *text) {
    size_t n = text ? strlen(text) : 0;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)text[i] <= ' ' || text[i] == 0x7f) return false;
    return n > 0 && n <= SLUICE_MAX_POSITION_TEXT;
}

static sluice_status check(const sluice_position *p, sluice_error *err) {
    if (!is_text(p->cluster) || !is_text(p->topic))
        return sl_fail(
            err, SLUICE_E_USAGE,
            "cluster and topic of a position have 1 to %d bytes, none of them a space or a control character",
            SLUICE_MAX_POSITION_TEXT);
    if (p->partition < 0 || p->next < 0 || p->end < -1 || p->last < -1 || p->last >= p->next ||
        (p->end >= 0 && p->next > p->end))
        return sl_fail(err, SLUICE_E_USAGE, "numbers of a position are impossible");
    return SLUICE_OK;
}

static bool copy_texts(sluice_position *p) {
    char *cluster = strdup(p->cluster), *topic = strdup(p->topic);
    p->cluster = cluster;
    p->topic = topic;
    if (cluster && topic) return true;
    free(cluster);
    free(topic);
    return false;
}

static bool reserve(sl_positions *p) {
    if (p->n < p->room) return true;
    size_t room = p->room ? 2 * p->room : 8;
    sluice_position *larger = realloc(p->list, room * sizeof *larger);
    if (!larger) return false;
    p->list = larger;
    p->room = room;
    return true;
}

sluice_status sl_positions_set(sl_positions *p, const sluice_position *position, sluice_error *err) {
    sluice_status status = check(position, err);
    if (status != SLUICE_OK) return status;
    bool there;
    size_t i = find(p, position, &there);
    sluice_position made = *position;
    made.size = sizeof made;
    if (there) {
        made.cluster = p->list[i].cluster;
        made.topic = p->list[i].topic;
        p->list[i] = made;
        return SLUICE_OK;
    }
    if (p->n >= SLUICE_MAX_POSITIONS)
        return sl_fail(err, SLUICE_E_LIMIT, "a model keeps at most %d positions", SLUICE_MAX_POSITIONS);
    if (!reserve(p) || !copy_texts(&made)) return sl_fail(err, SLUICE_E_MEMORY, "no memory for positions");
    memmove(p->list + i + 1, p->list + i, (p->n++ - i) * sizeof *p->list);
    p->list[i] = made;
    return SLUICE_OK;
}

bool sl_positions_copy(sl_positions *to, const sl_positions *from) {
    for (size_t i = 0; i < from->n; i++) {
        if (sl_positions_set(to, &from->list[i], NULL) == SLUICE_OK) continue;
        sl_positions_free(to);
        return false;
    }
    return true;
}

void sl_positions_free(sl_positions *p) {
    for (size_t i = 0; i < p->n; i++) {
        free((char *)(uintptr_t)p->list[i].cluster);
        free((char *)(uintptr_t)p->list[i].topic);
    }
    free(p->list);
    *p = (sl_positions){0};
}

/* ---- the public functions ---------------------------------------------------------------------------------------- */

size_t sluice_model_positions(const sluice_model *m) { return m->positions.n; }

sluice_status sluice_model_position(const sluice_model *m, size_t i, sluice_position *position, sluice_error *err) {
    sluice_status status = sl_sized_check(position, "sluice_position", err);
    if (status != SLUICE_OK) return status;
    if (i >= m->positions.n)
        return sl_fail(err, SLUICE_E_USAGE, "the model has %zu positions, and none of number %zu", m->positions.n, i);
    sl_sized_write(position, &m->positions.list[i], sizeof *position);
    return SLUICE_OK;
}

sluice_status sluice_model_set_position(sluice_model *m, const sluice_position *position) {
    sluice_position own = {.size = sizeof own, .end = -1, .last = -1};
    sluice_status status = sl_sized_read(&own, sizeof own, position, "sluice_position", &m->error);
    if (status == SLUICE_OK && !position) status = sl_fail(&m->error, SLUICE_E_USAGE, "there is no position");
    return status == SLUICE_OK ? sl_positions_set(&m->positions, &own, &m->error) : status;
}

void sluice_model_drop_positions(sluice_model *m) { sl_positions_free(&m->positions); }
