/* Kafka as an input of the commands: options, opening, and the positions of what was learned. */
#ifndef CLI_KAFKA_H
#define CLI_KAFKA_H

#include "args/args.h"
#include "sluice.h"

/* Rows for the option table of a command that reads from Kafka. */
/* clang-format off */
#define KAFKA_OPTIONS \
    {"kafka", 0, "BROKERS", "read from Kafka instead of files: HOST:PORT[,HOST:PORT...]; one message is one line", 0}, \
    {"topic", 0, "T[,T...]", "Kafka: the topics to read", 1}, \
    {"property", 'X', "NAME=VALUE", "Kafka: set a property of librdkafka, such as security.protocol=SSL", 1}, \
    {"partitions", 0, "P[,P...]", "Kafka: read these partitions of each topic alone (default: all)", 0}, \
    {"from", 0, "beginning|end", "Kafka: begin there, whatever positions the model has (default: at its positions, else at the beginning)", 0}, \
    {"until-end", 0, NULL, "Kafka: end where the topics ended when the run began (default: go on until a signal)", 0}, \
    {"label-header", 0, "NAME", "Kafka: the label is in this header of the message and not in its line; for libsvm, vw, text and url", 0}, \
    {"csv-header", 0, "LINE", "Kafka: csv: the names of the columns, since messages have no header line", 0}
#define KAFKA_LEARN_OPTIONS \
    {"order", 0, "ORDER", "Kafka: arrival: messages as they come (default); deterministic: partition by partition in fixed turns, so that the run can be repeated byte for byte (needs --until-end)", 0}, \
    {"dead-letters", 0, "TOPIC", "Kafka: send malformed messages to this topic, with what is wrong (needs --on-error skip)", 0}
#define KAFKA_ANSWER_OPTIONS \
    {"to", 0, "TOPIC", "Kafka: send the answers to this topic, in transactions with the offsets of what is answered (needs -X group.id=NAME, under which the brokers keep these)", 0}
/* clang-format on */

enum { KAFKA_FROM_POSITION = 0, KAFKA_FROM_BEGINNING = 1, KAFKA_FROM_END = 2 };

/* What the options come to. */
typedef struct kafka_settings {
    const char *command; /* its name */
    const char *brokers; /* NULL: the inputs are files */
    const char **topics; /* ascending, each once; point into `text` */
    size_t n_topics;
    int32_t *partitions; /* ascending, each once; none: all */
    size_t n_partitions;
    const char **properties; /* NAME=VALUE */
    size_t n_properties;
    int from, until_end, deterministic;
    double patience; /* seconds that opening waits for brokers that do not answer; 0: a minute, and it says so then */
    int resets;      /* goes on where messages were deleted before they were read */
    const char *label_header, *csv_header, *dead_letters;
    const char *to;    /* the topic of answers; NULL: they are printed */
    const char *group; /* of -X group.id; NULL: none is given */
    char *text;
} kafka_settings;

/* Reads the options and says what is wrong about them, with files as inputs beside them too. Returns DONE, FAILED or
 * WRONG_USAGE; free the settings in any case. */
int kafka_options(const args *a, const sluice_reader_options *reading, kafka_settings *s);
/* The same where there are several models: --topic NAME=T is for one of them. `brokers` is NULL where no topic is for
 * this one. */
int kafka_options_of_model(const args *a, const sluice_reader_options *reading, const char *model, kafka_settings *s);
void kafka_settings_free(kafka_settings *s);

typedef struct kafka_stream kafka_stream;

/* Connects, finds the partitions and the places to begin at: the positions of the model (NULL: it has none), and opens
 * a reader of the messages. Says what is wrong. Close the reader before the stream, both also after a failure. */
int kafka_open(const kafka_settings *s, const sluice_model *model, const sluice_reader_options *reading,
               kafka_stream **stream, sluice_reader **reader);
void kafka_close(kafka_stream *k);
/* After kafka_open() with a patience has failed: whether no broker answered. There was no message about that then. */
int kafka_may_open_later(const kafka_stream *k);

/* Once the reader was closed and the stream is kept for its positions: fetches no more messages. */
void kafka_pause(kafka_stream *k);
/* From time to time from then on: takes what librdkafka has to say, which would gather in memory. */
void kafka_take_events(kafka_stream *k);

/* Says that all rows of the batch up to and with this one are done. */
void kafka_row_done(kafka_stream *k, const sluice_batch *batch, size_t row);
/* Says that all rows that the reader has delivered are done; `ended`: it has delivered all there are. */
void kafka_rows_done(kafka_stream *k, const sluice_reader *reader, int ended);

/* What has become of the dead letters that were sent so far, which are those of all messages that the reader has
 * delivered or passed. Who learns rows only once none is under way needs kafka_set_positions() alone to save. */
typedef enum kafka_letters { LETTERS_ARRIVED, LETTERS_UNDER_WAY, LETTERS_LOST } kafka_letters;
/* Does not wait. LETTERS_LOST: one will never arrive; *error says which, and why. */
kafka_letters kafka_ask_letters(kafka_stream *k, sluice_error *error);
/* Before the reader is closed: nothing that waits for brokers holds that up. */
void kafka_leave(kafka_stream *k);

/* Sets the positions of what is done in the model. Returns DONE or FAILED, after saying why. */
int kafka_set_positions(kafka_stream *k, sluice_model *model);
/* Before the model is saved: waits until all dead letters are delivered, and sets the positions of what is done.
 * Returns DONE or FAILED, after saying why. */
int kafka_remember(kafka_stream *k, sluice_model *model);
/* After it was saved: tells the brokers, for monitoring, where a group.id was given. kafka_close() waits a little until
 * they have it. */
void kafka_saved(kafka_stream *k);

/* Says why the reader stopped, with the message's place. Returns an exit status. */
int kafka_complain(kafka_stream *k, const sluice_reader *reader, int skips);

/* Why the reader stopped, with the message's place in `source`. */
void kafka_stopped(kafka_stream *k, const sluice_reader *reader, sluice_error *error);
/* Puts the message's place for that of its line in the error of a row. */
void kafka_find_place(kafka_stream *k, sluice_error *error);

/* Says what is wrong with a row, with its message's place. */
int kafka_complain_error(kafka_stream *k, const sluice_error *error);

/* Sends the answers to the next `rows` rows, a line each, in a transaction; then their messages are done. Returns DONE
 * or FAILED, after saying why. */
int kafka_answer(kafka_stream *k, const char *text, size_t n, uint64_t rows);

typedef struct kafka_counts {
    uint64_t messages, tombstones, dead_letters;
    int64_t lag; /* messages, control records and aborted ones that are still to be read, as far as is known */
    int down;    /* no broker answers */
} kafka_counts;
kafka_counts kafka_count(kafka_stream *k);

#endif
