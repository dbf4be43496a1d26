/* The parts of a stream from Kafka; for cli/kafka alone.
 *
 * The reader's threads call kafka_read(), one at a time, which takes messages from librdkafka and hands them on as
 * lines. What it has handed on waits in `pending` until the command says that its rows are done; then it counts in the
 * positions. */
#ifndef CLI_KAFKA_STREAM_H
#define CLI_KAFKA_STREAM_H

#include "kafka/kafka.h"

#include <librdkafka/rdkafka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum {
    KAFKA_TURN = 1000,          /* messages of a turn in the deterministic order */
    KAFKA_AT_ONCE = 4096,       /* messages taken from librdkafka together */
    KAFKA_MOST_BYTES = 4 << 20, /* handed on in one call, */
    KAFKA_MOST = 16384          /* and in messages */
};

typedef struct kafka_topic kafka_topic;

typedef struct kafka_partition {
    const kafka_topic *topic;
    int32_t number;
    rd_kafka_queue_t *queue; /* in the deterministic order: its messages */
    int64_t high;            /* the offset behind the partition's last message, when the run began */
    int64_t begin;           /* the first offset to hand on */
    int64_t end;             /* the run stops before this offset; -1: it does not */
    struct {
        int64_t offset, time; /* of a message that the model has learned: it is read again, to see that it is the same
                                 one; -1: there is none */
        uint64_t hash;
    } known;

    /* of the thread that reads */
    int64_t expected; /* no message before this offset comes any more */
    uint64_t taken;   /* messages handed on since the turns began */
    bool ended;       /* nothing before `end` is to come */
    bool at_end;      /* the brokers have said that there is no more for now */
    int64_t woken;    /* what was expected when its broker's thread was woken last */

    /* guarded by the stream's lock */
    int64_t next; /* offset behind the last message that is done */
    uint64_t messages;
    int64_t last, last_time;
    uint64_t last_hash;
    rd_kafka_message_t *held; /* the last message that is done, of which the hash is not taken yet */
    int64_t answered;         /* offset behind the last message of the transaction under way */
} kafka_partition;

struct kafka_topic {
    const char *name;
    rd_kafka_topic_t *handle;    /* its opaque is this struct */
    kafka_partition **partition; /* by number; NULL: it is not read */
    int32_t n_partitions;
};

/* Why a message cannot be a line. */
typedef enum kafka_flaw { FLAW_NONE, FLAW_LINES, FLAW_QUOTES, FLAW_NO_LABEL, FLAW_LABEL } kafka_flaw;

/* A message on its way. */
typedef struct kafka_pending {
    rd_kafka_message_t *message;
    kafka_partition *partition;
    uint64_t end; /* bytes handed on when its line was */
    kafka_flaw flaw;
} kafka_pending;

struct kafka_stream {
    const kafka_settings *settings;
    rd_kafka_t *client;
    rd_kafka_queue_t *queue; /* of everything, or of events alone in the deterministic order */
    char *cluster;
    kafka_topic *topic; /* as many as there are in the settings */
    kafka_partition **partition;
    size_t n_partitions, room_partitions;
    bool csv;
    char csv_separator; /* 0: not known yet */
    char separator;     /* between the label of a header and the line */
    bool continues;     /* the deterministic run was begun before, and its ends are those of the model */
    int refresh_ms;     /* how often to look for new partitions; 0: never */
    double looked;      /* when that was done last */

    /* of the thread that reads */
    rd_kafka_message_t *batch[KAFKA_AT_ONCE];
    ssize_t at, n;     /* of the batch: handed on, and how many there are */
    kafka_pending now; /* the message that is being handed on; message is NULL: none */
    struct {
        const char *text;
        size_t n;
    } piece[4]; /* what is left of its line */
    size_t pieces, piece_at;
    uint64_t written;
    size_t call_messages, call_bytes; /* handed on in this call of kafka_read() */
    bool began, ended;

    atomic_bool down;                /* no broker answers */
    atomic_bool failed;              /* the run ends; `error` says why */
    _Atomic(sluice_reader *) reader; /* NULL: it is not open yet */
    _Atomic uint64_t tombstones;

    pthread_mutex_t lock;
    /* guarded by it */
    kafka_pending *pending; /* a ring: of numbers done ... handed - 1 */
    size_t room;
    uint64_t done, handed;
    sluice_error error; /* why it has failed */

    rd_kafka_queue_t *commits; /* of the thread that saves: answers to commits of offsets; NULL: there were none */
    unsigned committing;       /* how many are to come */

    rd_kafka_t *producer; /* of dead letters or of answers; NULL: neither is wanted */
    _Atomic uint64_t dead_letters;
    atomic_bool undelivered;
    char delivery_error[256]; /* why, guarded by the lock, */
    bool never_delivered;     /* and whether another try would not help */
};

/* kafka_connect.c: the client, topics, partitions and their positions. */
int kafka_connect(kafka_stream *k, const sluice_model *model);
/* Looks for partitions that are new, from time to time. */
void kafka_look_for_partitions(kafka_stream *k);
/* Goes on in a partition whose next offset is not there, or fails. */
void kafka_find_offset(kafka_stream *k, kafka_partition *p);
/* Whether to try again after an error, for as long as there is patience; if not, says why and sets *rc. Serves the
 * client's events. */
int kafka_try_again(kafka_stream *k, rd_kafka_resp_err_t code, double began, const char *what, int *rc);
/* Whether the producer's topic is there, or can be made by sending to it. Says what is wrong. */
int kafka_check_target(kafka_stream *k, const char *topic);

/* kafka_messages.c: a sluice_read_function. */
ptrdiff_t kafka_read(void *stream, void *to, size_t n);

/* dead_letters.c */
int dead_letters_open(kafka_stream *k);
void dead_letters_send(void *stream, const sluice_bad_line *bad); /* a sluice_bad_line_function */
/* Waits until all are delivered. */
int dead_letters_flush(kafka_stream *k);
void dead_letters_close(kafka_stream *k);

/* kafka_producer.c. A producer with the properties of the user and these; `option` and `topic` stand in messages. */
int kafka_make_producer(kafka_stream *k, const char *const (*own)[2], size_t n_own, const char *option,
                        const char *topic);
/* Notes that a message was not delivered; called with the lock held. */
void kafka_note_undelivered(kafka_stream *k, rd_kafka_resp_err_t code);
/* Adds topic, partition and offset of a message. */
void kafka_add_origin(rd_kafka_headers_t *headers, const rd_kafka_message_t *m);
/* librdkafka's own log is for those who ask for it with -X debug=...; what matters comes as errors. */
void kafka_on_log(const rd_kafka_t *client, int level, const char *facility, const char *text);

/* kafka_answers.c: the producer of answers; and the offset behind what was answered, -1: nothing was. */
int kafka_answers_open(kafka_stream *k);
int kafka_answered_offsets(kafka_stream *k, const kafka_partition *p, int64_t *next);

/* kafka_stream.c: the next n messages that wait are done. */
void kafka_messages_done(kafka_stream *k, uint64_t n);

/* The properties that the user gave, and others, into a configuration. Says what is wrong. */
int kafka_set_properties(const kafka_settings *s, rd_kafka_conf_t *conf, const char *const (*own)[2], size_t n_own);
/* A failure that ends the run; the first one counts. */
void kafka_fail(kafka_stream *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What is wrong with a message whose line was made malformed; NULL: nothing. */
const char *kafka_flaw_text(kafka_flaw flaw);
/* A hash of a message's key and value. */
uint64_t kafka_hash(const rd_kafka_message_t *m);

#endif
