/* POSN: positions in the partitions of streams. */
#include <string.h>

#include "file/loader.h"
#include "file/saver.h"

enum { NUMBERS = 16 + 4 + 6 * 8, LENGTHS = 4 }; /* bytes behind the two texts; of their lengths at most */
enum { LONGEST = LENGTHS + 2 * SLUICE_MAX_POSITION_TEXT + NUMBERS };

static void save_one(sl_saver *s, const sluice_position *p) {
    sl_save_varint(s, strlen(p->cluster));
    sl_save_text(s, p->cluster, strlen(p->cluster));
    sl_save_varint(s, strlen(p->topic));
    sl_save_text(s, p->topic, strlen(p->topic));
    sl_save_text(s, (const char *)p->topic_id, sizeof p->topic_id);
    sl_save_int(s, (uint32_t)p->partition, 4);
    const int64_t numbers[] = {p->next, p->end, (int64_t)p->messages, p->last, p->last_time, (int64_t)p->last_hash};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sl_save_int(s, (uint64_t)numbers[i], 8);
}

sluice_status sl_save_positions(sl_saver *s, const sl_positions *p) {
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < p->n && status == SLUICE_OK;) {
        sl_save_begin(s, "POSN", 0);
        while (i < p->n && s->n + LONGEST <= SL_SECTION_HEAD + SL_MAX_SECTION) save_one(s, &p->list[i++]);
        status = sl_save_end(s);
    }
    return status;
}

/* Puts a text behind a number of its length into `text`; false: it is not there, or too long. */
static bool load_text(sl_loader *l, char text[SLUICE_MAX_POSITION_TEXT + 1]) {
    size_t n;
    const char *given = sl_load_counted(l, &n);
    if (!given || n > SLUICE_MAX_POSITION_TEXT || memchr(given, 0, n)) return false;
    memcpy(text, given, n);
    text[n] = 0;
    return true;
}

static int64_t load_number(sl_loader *l) {
    int64_t number = (int64_t)sl_get_le(l->at, 8);
    l->at += 8;
    return number;
}

sluice_status sl_load_positions(sl_loader *l) {
    sl_positions *all = &l->model->positions;
    if (l->inner) return DAMAGED(l, "a model within it has positions");
    if (l->at == l->end) return DAMAGED(l, "POSN is empty");
    while (l->at < l->end) {
        char cluster[SLUICE_MAX_POSITION_TEXT + 1], topic[SLUICE_MAX_POSITION_TEXT + 1];
        if (!load_text(l, cluster) || !load_text(l, topic) || l->end - l->at < NUMBERS)
            return DAMAGED(l, "POSN ends within a position");
        sluice_position p = {.size = sizeof p, .cluster = cluster, .topic = topic};
        memcpy(p.topic_id, l->at, sizeof p.topic_id);
        p.partition = (int32_t)(uint32_t)sl_get_le(l->at + sizeof p.topic_id, 4);
        l->at += sizeof p.topic_id + 4;
        p.next = load_number(l);
        p.end = load_number(l);
        p.messages = (uint64_t)load_number(l);
        p.last = load_number(l);
        p.last_time = load_number(l);
        p.last_hash = (uint64_t)load_number(l);
        if (all->n && sl_positions_order(&all->list[all->n - 1], &p) >= 0)
            return DAMAGED(l, "positions are not in order");
        sluice_error why;
        sluice_status status = sl_positions_set(all, &p, &why);
        if (status == SLUICE_E_MEMORY) return sl_fail(l->err, status, "%s", why.message);
        if (status != SLUICE_OK) return DAMAGED(l, "%s", why.message);
    }
    return SLUICE_OK;
}
