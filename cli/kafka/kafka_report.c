/* Counts of a run from Kafka, and positions of a model. */
#include "kafka/kafka_report.h"

#include <inttypes.h>
#include <stdio.h>

void report_kafka(report *r, kafka_stream *k) {
    if (!k) return;
    const kafka_counts c = kafka_count(k);
    report_open(r, "kafka");
    report_count(r, "messages", c.messages);
    if (!r->is_brief || c.tombstones) report_count(r, "tombstones", c.tombstones);
    if (!r->is_brief || c.dead_letters) report_count(r, "dead_letters", c.dead_letters);
    if (!r->is_brief || c.lag) report_count(r, "lag", (uint64_t)c.lag);
    report_close(r);
}

static void json_position(report *r, const sluice_position *p) {
    json_open(&r->j, NULL, '{');
    json_text(&r->j, "cluster", p->cluster);
    json_text(&r->j, "topic", p->topic);
    json_count(&r->j, "partition", (uint64_t)p->partition);
    json_count(&r->j, "next", (uint64_t)p->next);
    json_count(&r->j, "messages", p->messages);
    json_close(&r->j, '}');
}

void report_positions(report *r, const sluice_model *model) {
    const size_t n = sluice_model_positions(model);
    if (!n && !r->as_json) return;
    if (r->as_json)
        json_open(&r->j, "positions", '[');
    else
        printf("learned from Kafka up to (cluster, topic[partition], offset of the next message)\n");
    for (size_t i = 0; i < n; i++) {
        sluice_position p = {.size = sizeof p};
        if (sluice_model_position(model, i, &p, NULL) != SLUICE_OK) break;
        char where[SLUICE_MAX_POSITION_TEXT + 32];
        snprintf(where, sizeof where, "%s[%" PRId32 "]", p.topic, p.partition);
        if (r->as_json)
            json_position(r, &p);
        else
            printf("  %s  %-24s %" PRId64 "\n", p.cluster, where, p.next);
    }
    if (r->as_json) json_close(&r->j, ']');
}
