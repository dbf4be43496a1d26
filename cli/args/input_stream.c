/* Opens files or topics, and says what is wrong with them. */
#include "args/input_stream.h"

#include "output/message.h"

inputs inputs_of(const args *a, const kafka_settings *kafka) {
    return (inputs){a->inputs, a->n_inputs, kafka->brokers ? kafka : NULL, NULL};
}

int input_stream_open(input_stream *s, const inputs *from, const sluice_model *model,
                      const sluice_reader_options *reading) {
    sluice_error err = {0};
    *s = (input_stream){.skips_errors = reading->skip_errors, .held = from->held};
    if (from->held && from->held->kept) return DONE;
    if (from->kafka) return kafka_open(from->kafka, model, reading, &s->kafka, &s->reader);
    s->reader = sluice_reader_open(from->paths, from->n, reading, &err);
    return s->reader ? DONE : complain_error(&err);
}

void input_stream_end(input_stream *s) {
    sluice_reader_close(s->reader);
    s->reader = NULL;
}

void input_stream_close(input_stream *s) {
    input_stream_end(s);
    kafka_close(s->kafka);
    s->kafka = NULL;
}

void input_stream_done(input_stream *s, int ended) {
    if (s->kafka) kafka_rows_done(s->kafka, s->reader, ended);
}

int input_stream_complain(input_stream *s) {
    if (s->kafka) return kafka_complain(s->kafka, s->reader, s->skips_errors);
    const sluice_error *e = sluice_reader_error(s->reader);
    const int malformed_line = e->status == SLUICE_E_DATA && e->line && !e->whole_input && !s->skips_errors;
    return complain_error_with(e, malformed_line ? "; --on-error skip leaves such lines out" : "");
}

int input_stream_complain_error(input_stream *s, const sluice_error *error) {
    return s->kafka ? kafka_complain_error(s->kafka, error) : complain_error(error);
}
