/* The examples of a run: from files, or from topics of Kafka. */
#ifndef CLI_INPUT_STREAM_H
#define CLI_INPUT_STREAM_H

#include "args/hold_out.h"
#include "kafka/kafka.h"
#include "sluice.h"

/* What to read. */
typedef struct inputs {
    const char *const *paths;
    size_t n;
    const kafka_settings *kafka; /* NULL: the files */
    const hold_out *held;        /* only the examples that are held out; NULL: all */
} inputs;

/* Those of the command line. */
inputs inputs_of(const args *a, const kafka_settings *kafka);

typedef struct input_stream {
    sluice_reader *reader; /* NULL: all rows are in memory (held->kept) */
    kafka_stream *kafka;   /* NULL: files are read */
    int skips_errors;
    const hold_out *held;
    uint64_t row; /* rows before the batch at hand */
} input_stream;

/* Opens them; topics at the model's positions (NULL: it has none). Says what is wrong. Close it also after a failure.
 */
int input_stream_open(input_stream *s, const inputs *from, const sluice_model *model,
                      const sluice_reader_options *reading);
void input_stream_close(input_stream *s);
/* Closes the reader alone: the positions in topics stay. */
void input_stream_end(input_stream *s);
/* Says that what was delivered is done. */
void input_stream_done(input_stream *s, int ended);
/* Prints why the reader stopped, and the option that skips malformed lines. Returns an exit status. */
int input_stream_complain(input_stream *s);
/* Prints what is wrong with one of its rows. */
int input_stream_complain_error(input_stream *s, const sluice_error *error);

#endif
