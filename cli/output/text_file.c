/* Writes a text file that appears complete or not at all. */
#include "output/text_file.h"

#include "output/memory_text.h"
#include "output/message.h"
#include "run/signals.h"
#include "sluice.h"

#include <stdlib.h>

int write_text_file(const char *path, void (*write)(FILE *out, const void *what), const void *what) {
    memory_text whole;
    size_t n;
    FILE *out = memory_text_open(&whole);
    if (!out) return out_of_memory();
    write(out, what);
    char *text = memory_text_close(&whole, &n);
    if (!text) return out_of_memory();
    sluice_error err = {0};
    signals_hold();
    int rc = sluice_write_file(path, text, n, &err) == SLUICE_OK ? DONE : complain_error(&err);
    signals_release();
    free(text);
    return rc;
}
