/* Learns a file, or standard input, of any length with a reader, and prints the error on the way.
 *
 *     stream_a_file [FILE...]      LIBSVM text, CSV, JSON Lines, ..., plain or compressed */
#include "example.h"

int main(int argc, char **argv) {
    sluice_error err;
    sluice_model *model = sluice_model_new("ssol", NULL, 0, NULL, &err);
    need(model, &err);
    sluice_meter *meter = sluice_meter_new(NULL, &err);
    need(meter, &err);
    sluice_reader *reader = sluice_reader_open((const char *const *)argv + 1, (size_t)argc - 1, NULL, &err);
    need(reader, &err);

    /* A batch is some thousands of rows, valid until the next call. Each row is predicted, then learned; the meter
     * counts the predictions, which were made before the label was known. */
    const sluice_batch *batch;
    sluice_status status;
    while ((status = sluice_reader_next(reader, &batch)) == SLUICE_OK)
        check(sluice_model_learn_batch(model, batch, meter), sluice_model_error(model));
    if (status != SLUICE_END) fail(sluice_reader_error(reader)); /* a malformed line, with its place */

    uint64_t examples, mistakes = sluice_meter_mistakes(meter, &examples);
    printf("%llu examples, %llu mistakes\n", (unsigned long long)examples, (unsigned long long)mistakes);
    sluice_reader_close(reader);
    sluice_meter_free(meter);
    sluice_model_free(model);
    return 0;
}
