/* Writes a text file that appears complete or not at all. */
#include "output/text_file.h"

#include "output/message.h"
#include "run/signals.h"
#include "sluice.h"

#include <stdlib.h>

int write_text_file(const char *path, void (*write)(FILE *out, const void *what), const void *what) {
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);
    if (!out) return out_of_memory();
    write(out, what);
    sluice_error err = {0};
    int rc;
    signals_hold();
    if (fclose(out) != 0)
        rc = out_of_memory();
    else
        rc = sluice_write_file(path, text, n, &err) == SLUICE_OK ? DONE : complain_error(&err);
    signals_release();
    free(text);
    return rc;
}
