/* kafka_tool create, partitions, delete, delete-records, cluster, ends, offsets: what is asked of the cluster. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kafka/kafka_tool.h"

typedef struct {
    rd_kafka_t *rk;
    rd_kafka_queue_t *queue;
    rd_kafka_AdminOptions_t *options;
} admin;

static admin admin_new(rd_kafka_admin_op_t operation) {
    admin a;
    char why[300];
    a.rk = client(RD_KAFKA_PRODUCER, settings());
    a.queue = rd_kafka_queue_new(a.rk);
    a.options = rd_kafka_AdminOptions_new(a.rk, operation);
    if (rd_kafka_AdminOptions_set_request_timeout(a.options, CALL_MS, why, sizeof why) ||
        rd_kafka_AdminOptions_set_operation_timeout(a.options, CALL_MS, why, sizeof why))
        die("%s", why);
    return a;
}

static rd_kafka_event_t *answer(const admin *a) {
    rd_kafka_event_t *event = rd_kafka_queue_poll(a->queue, 2 * CALL_MS);
    if (!event) die("no answer");
    if (rd_kafka_event_error(event)) die("%s", rd_kafka_event_error_string(event));
    return event;
}

static void check_topics(const rd_kafka_topic_result_t **results, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (rd_kafka_topic_result_error(results[i]))
            die("%s: %s", rd_kafka_topic_result_name(results[i]), rd_kafka_topic_result_error_string(results[i]));
    }
}

static void admin_free(admin *a, rd_kafka_event_t *event) {
    rd_kafka_event_destroy(event);
    rd_kafka_AdminOptions_destroy(a->options);
    rd_kafka_queue_destroy(a->queue);
    rd_kafka_destroy(a->rk);
}

/* The brokers answer before everybody knows: waits until all partitions of the topic have a leader, or until it is
 * gone. */
static void wait_for_metadata(rd_kafka_t *rk, const char *topic, int partitions) {
    rd_kafka_topic_t *handle = rd_kafka_topic_new(rk, topic, NULL);
    for (bool done = false; !done; usleep(20000)) { /* ended by the alarm of -T */
        const struct rd_kafka_metadata *found;
        if (rd_kafka_metadata(rk, 0, handle, &found, CALL_MS)) continue;
        const struct rd_kafka_metadata_topic *t = &found->topics[0];
        if (partitions == 0) {
            done = found->topic_cnt == 0 || t->err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
        } else {
            done = found->topic_cnt == 1 && !t->err && t->partition_cnt == partitions;
            for (int p = 0; done && p < partitions; p++) done = !t->partitions[p].err && t->partitions[p].leader >= 0;
        }
        rd_kafka_metadata_destroy(found);
    }
    rd_kafka_topic_destroy(handle);
}

void create_topic(int count, char **arguments) {
    admin a = admin_new(RD_KAFKA_ADMIN_OP_CREATETOPICS);
    char why[300];
    int partitions = (int)whole_number(arguments[1], 1, 1000);
    rd_kafka_NewTopic_t *topic = rd_kafka_NewTopic_new(arguments[0], partitions, 1, why, sizeof why);
    if (!topic) die("%s", why);
    for (int i = 2; i < count; i++) {
        char *value = strchr(arguments[i], '=');
        if (!value) die("%s: NAME=VALUE is expected", arguments[i]);
        *value++ = 0;
        if (rd_kafka_NewTopic_set_config(topic, arguments[i], value)) die("%s cannot be set", arguments[i]);
    }
    rd_kafka_CreateTopics(a.rk, &topic, 1, a.options, a.queue);
    rd_kafka_event_t *event = answer(&a);
    size_t results;
    const rd_kafka_topic_result_t **result =
        rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &results);
    check_topics(result, results);
    wait_for_metadata(a.rk, arguments[0], partitions);
    rd_kafka_NewTopic_destroy(topic);
    admin_free(&a, event);
}

/* More partitions for a topic: N in all. */
void add_partitions(int count, char **arguments) {
    (void)count;
    admin a = admin_new(RD_KAFKA_ADMIN_OP_CREATEPARTITIONS);
    char why[300];
    int partitions = (int)whole_number(arguments[1], 1, 1000);
    rd_kafka_NewPartitions_t *more = rd_kafka_NewPartitions_new(arguments[0], (size_t)partitions, why, sizeof why);
    if (!more) die("%s", why);
    rd_kafka_CreatePartitions(a.rk, &more, 1, a.options, a.queue);
    rd_kafka_event_t *event = answer(&a);
    size_t results;
    const rd_kafka_topic_result_t **result =
        rd_kafka_CreatePartitions_result_topics(rd_kafka_event_CreatePartitions_result(event), &results);
    check_topics(result, results);
    wait_for_metadata(a.rk, arguments[0], partitions);
    rd_kafka_NewPartitions_destroy(more);
    admin_free(&a, event);
}

void delete_topic(int count, char **arguments) {
    (void)count;
    admin a = admin_new(RD_KAFKA_ADMIN_OP_DELETETOPICS);
    rd_kafka_DeleteTopic_t *topic = rd_kafka_DeleteTopic_new(arguments[0]);
    rd_kafka_DeleteTopics(a.rk, &topic, 1, a.options, a.queue);
    rd_kafka_event_t *event = answer(&a);
    size_t results;
    const rd_kafka_topic_result_t **result =
        rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event), &results);
    check_topics(result, results);
    wait_for_metadata(a.rk, arguments[0], 0);
    rd_kafka_DeleteTopic_destroy(topic);
    admin_free(&a, event);
}

/* Deletes the messages before an offset, which is the partition's first from then on. */
void delete_records(int count, char **arguments) {
    (void)count;
    admin a = admin_new(RD_KAFKA_ADMIN_OP_DELETERECORDS);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    int partition = (int)whole_number(arguments[1], 0, 1000000);
    rd_kafka_topic_partition_list_add(list, arguments[0], partition)->offset = whole_number(arguments[2], 0, INT64_MAX);
    rd_kafka_DeleteRecords_t *records = rd_kafka_DeleteRecords_new(list);
    rd_kafka_DeleteRecords(a.rk, &records, 1, a.options, a.queue);
    rd_kafka_event_t *event = answer(&a);
    const rd_kafka_topic_partition_list_t *done =
        rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event));
    if (done->elems[0].err) die("%s", rd_kafka_err2str(done->elems[0].err));
    rd_kafka_DeleteRecords_destroy(records);
    rd_kafka_topic_partition_list_destroy(list);
    admin_free(&a, event);
}

void show_cluster(int count, char **arguments) {
    (void)count, (void)arguments;
    rd_kafka_t *rk = client(RD_KAFKA_PRODUCER, settings());
    char *id = rd_kafka_clusterid(rk, CALL_MS);
    if (!id) die("no broker said its cluster's id");
    puts(id);
    rd_kafka_mem_free(rk, id);
    rd_kafka_destroy(rk);
}

/* A line for each partition: its number, its first offset, the offset after its last message (of those that the
   isolation level shows). */
void show_ends(int count, char **arguments) {
    (void)count;
    rd_kafka_conf_t *conf = settings();
    set(conf, "isolation.level", given.isolation);
    rd_kafka_t *rk = client(RD_KAFKA_CONSUMER, conf);
    int partitions = partitions_of(rk, arguments[0]);
    for (int p = 0; p < partitions; p++) {
        int64_t low, high;
        rd_kafka_resp_err_t error = rd_kafka_query_watermark_offsets(rk, arguments[0], p, &low, &high, CALL_MS);
        if (error) die("partition %d: %s", p, rd_kafka_err2str(error));
        printf("%d %" PRId64 " %" PRId64 "\n", p, low, high);
    }
    rd_kafka_destroy(rk);
}

/* A line for each partition: its number, and the offset that the group has committed, or `-`. */
void show_offsets(int count, char **arguments) {
    (void)count;
    rd_kafka_conf_t *conf = settings();
    set(conf, "group.id", arguments[0]);
    rd_kafka_t *rk = client(RD_KAFKA_CONSUMER, conf);
    int partitions = partitions_of(rk, arguments[1]);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(partitions);
    for (int p = 0; p < partitions; p++) rd_kafka_topic_partition_list_add(list, arguments[1], p);
    rd_kafka_resp_err_t error = rd_kafka_committed(rk, list, CALL_MS);
    if (error) die("%s", rd_kafka_err2str(error));
    for (int i = 0; i < list->cnt; i++) {
        if (list->elems[i].err) die("partition %d: %s", i, rd_kafka_err2str(list->elems[i].err));
        if (list->elems[i].offset < 0) {
            printf("%d -\n", list->elems[i].partition);
        } else {
            printf("%d %" PRId64 "\n", list->elems[i].partition, list->elems[i].offset);
        }
    }
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_consumer_close(rk);
    rd_kafka_destroy(rk);
}
