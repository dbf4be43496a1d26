/* The parts of a stream from Kafka; for cli/kafka alone.
 *
 * The reader's threads call kafka_read(), one at a time, which takes messages from librdkafka and hands them on as
 * lines (message_lines.h). What it has handed on waits until the command says that its rows are done; then it counts in
 * the positions. */
#ifndef CLI_KAFKA_STREAM_H
#define CLI_KAFKA_STREAM_H

#include "kafka/kafka.h"
#include "kafka/message_lines.h"

#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum {
    KAFKA_THREADS = 4,    /* of the reader: one of them waits for messages, and many more would wake each other */
    KAFKA_TURN = 1000,    /* messages of a turn in the deterministic order */
    KAFKA_AT_ONCE = 256,  /* messages taken from librdkafka together, where they are kept */
    KAFKA_MARKED = 256,   /* one message in this number can be asked for again, and the first ones */
    KAFKA_CALL_MS = 2000, /* for a call that waits for brokers, where a signal ends the program at once */
    KAFKA_SLICE_MS = 500, /* for one where a signal has to wait */
};

/* At most so long is waited for the delivery of dead letters, or for commits, when a signal ends the run; for commits
 * at its end; and for a client to be destroyed. */
#define KAFKA_STOP_SECONDS 1.0
#define KAFKA_END_SECONDS 3.0
#define KAFKA_DESTROY_SECONDS 0.2

typedef struct kafka_topic kafka_topic;

typedef struct kafka_partition {
    const kafka_topic *topic;
    int32_t number;
    uint32_t index;          /* in kafka_stream.partition */
    rd_kafka_queue_t *queue; /* its messages; forwarded to those of the stream in the order of arrival */
    int64_t high;            /* the offset behind the partition's last message, when the run began */
    int64_t begin;           /* the first offset to hand on */
    int64_t end;             /* the run stops before this offset; -1: it does not */
    message_mark known;      /* of a message that the model has learned: it is read again, to see that it is the same
                                one; offset -1: there is none */

    /* of the thread that reads */
    int64_t expected; /* no message before this offset comes any more */
    uint64_t taken;   /* messages handed on since the turns began */
    bool ended;       /* nothing before `end` is to come */
    bool at_end;      /* the brokers have said that there is no more for now */
    int64_t woken;    /* what was expected when its broker's thread was woken last */
    bool lost;        /* its next offset is not there */
    bool placed_anew; /* librdkafka takes the forwarding of its queue back when it begins elsewhere */

    /* guarded by the stream's lock */
    int64_t next; /* offset behind the last message that is done */
    uint64_t messages;
    message_mark last; /* the last one that is done and can be asked for again; offset -1: there is none */
    int64_t answered;  /* offset behind the last message of the transaction under way */
} kafka_partition;

struct kafka_topic {
    const char *name;
    rd_kafka_topic_t *handle;    /* its opaque is this struct */
    kafka_partition **partition; /* by number; NULL: it is not read */
    int32_t n_partitions;
};

struct kafka_stream {
    const kafka_settings *settings;
    rd_kafka_t *client;
    rd_kafka_queue_t *events;   /* of the client */
    rd_kafka_queue_t *messages; /* of all partitions; not in the deterministic order */
    char *cluster;
    kafka_topic *topic; /* as many as there are in the settings */
    kafka_partition **partition;
    size_t n_partitions, room_partitions;
    bool is_open, gave_up; /* gave_up: opening, as no broker answered for as long as the settings have patience */
    bool keeps;            /* messages are kept until they are done: for dead letters and answers */
    bool continues;        /* the deterministic run was begun before, and its ends are those of the model */
    int refresh_ms;        /* how often to look for new partitions; 0: never */
    double looked;         /* when that was done last */

    /* of the thread that reads */
    message_lines lines; /* and of others, with the lock held */
    rd_kafka_message_t *batch[KAFKA_AT_ONCE];
    ssize_t at, n;              /* of the batch: taken, and how many there are */
    const rd_kafka_topic_t *of; /* whose partition was looked up last */
    kafka_partition *of_partition;
    kafka_partition *turn; /* whose turn it is in the deterministic order, */
    uint64_t turn_end;     /* messages taken at which it ends */
    bool some_lost;        /* some partition is `lost` */
    bool ended;
    double asked;             /* when the brokers were last asked whether one answers again */
    rd_kafka_resp_err_t told; /* the last event that was said, */
    double told_at;           /* and when */

    char reason[256];                /* why a broker was not reached; of the thread that serves librdkafka's events */
    atomic_bool down;                /* no broker answers */
    atomic_bool failed;              /* the run ends; `error` says why */
    _Atomic(sluice_reader *) reader; /* NULL: it is not open yet */
    _Atomic uint64_t tombstones;

    pthread_mutex_t lock;
    sluice_error error; /* why it has failed; guarded by it */

    rd_kafka_queue_t *commits; /* of the thread that saves: answers to commits of offsets; NULL: there were none */
    unsigned committing;       /* how many are to come */
    bool commit_failed;        /* and that one was refused has been said */

    rd_kafka_t *producer; /* of dead letters or of answers; NULL: neither is wanted */
    _Atomic uint64_t dead_letters;
    atomic_bool undelivered;
    atomic_bool leaves;       /* kafka_leave() */
    char delivery_error[448]; /* why, guarded by the lock, */
    bool never_delivered;     /* and whether another try would not help */
};

/* kafka_client.c: the client. */
int kafka_make_client(kafka_stream *k);
int kafka_ask_cluster(kafka_stream *k);
/* Errors that pass by themselves. */
bool kafka_passes(rd_kafka_resp_err_t code);
/* Whether to try again after an error, for as long as there is patience; if not, says why and sets *rc. Serves the
 * client's events. */
int kafka_try_again(kafka_stream *k, rd_kafka_resp_err_t code, double began, const char *what, int *rc);
/* What the brokers say of all topics that are read; NULL: none answers. */
const struct rd_kafka_metadata *kafka_ask_brokers(kafka_stream *k, int wait_ms);
/* While no broker answers: asks from time to time. Topics without new messages would not show that one is back. */
void kafka_look_for_brokers(kafka_stream *k);
/* A broker has answered. */
void kafka_up(kafka_stream *k);
/* Destroys a client (NULL: none). librdkafka waits for answers to its requests, for a minute where brokers hang: this
 * waits for `seconds` at most, and a thread of its own for the rest. */
void kafka_end_client(rd_kafka_t *client, double seconds);

/* kafka_connect.c: topics, partitions and their positions. */
int kafka_connect(kafka_stream *k, const sluice_model *model);
/* Looks for partitions that are new, from time to time. */
void kafka_look_for_partitions(kafka_stream *k);
/* Goes on in a partition whose next offset is not there, or fails. */
void kafka_find_offset(kafka_stream *k, kafka_partition *p);
/* Whether the topic that an option names is there, or can be made by sending to it. Says what is wrong. */
int kafka_check_target(kafka_stream *k, const char *option, const char *topic);

/* kafka_messages.c: a sluice_read_function. */
ptrdiff_t kafka_read(void *stream, void *to, size_t n);

/* dead_letters.c */
int dead_letters_open(kafka_stream *k);
void dead_letters_send(void *stream, const sluice_bad_line *bad); /* a sluice_bad_line_function */
/* Waits until all are delivered. */
int dead_letters_flush(kafka_stream *k);

/* kafka_producer.c. A producer with the properties of the user and these; `option` and `topic` stand in messages. */
int kafka_make_producer(kafka_stream *k, const char *const (*own)[2], size_t n_own, const char *option,
                        const char *topic);
/* Notes that a message (NULL: some) was not delivered; called with the lock held. */
void kafka_note_undelivered(kafka_stream *k, rd_kafka_resp_err_t code, const rd_kafka_message_t *sent);
/* Adds topic, partition and offset of a message. */
void kafka_add_origin(rd_kafka_headers_t *headers, const rd_kafka_message_t *m);
/* librdkafka's own log is for those who ask for it with -X debug=...; what matters comes as errors. */
void kafka_on_log(const rd_kafka_t *client, int level, const char *facility, const char *text);

/* kafka_answers.c: the producer of answers; and the offsets behind what was answered, negative: nothing was. */
int kafka_answers_open(kafka_stream *k);
int kafka_answered_offsets(kafka_stream *k, rd_kafka_topic_partition_list_t *list);

/* kafka_stream.c: the next n messages that wait are done. */
void kafka_messages_done(kafka_stream *k, uint64_t n);

/* The properties that the user gave, and others, into a configuration. Says what is wrong. */
int kafka_set_properties(const kafka_settings *s, rd_kafka_conf_t *conf, const char *const (*own)[2], size_t n_own);
/* A failure that ends the run; the first one counts. */
void kafka_fail(kafka_stream *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The message that waits with this number, which was kept. With the lock held. */
static inline rd_kafka_message_t *kafka_kept(const kafka_stream *k, uint64_t number) {
    return message_lines_at(&k->lines, number)->kept;
}

#endif
