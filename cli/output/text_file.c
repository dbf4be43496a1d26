/* Writes a text file that appears complete or not at all. */
#include "output/text_file.h"

#include "output/memory_text.h"
#include "output/message.h"
#include "run/signals.h"
#include "sluice.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Only a regular file has a temporary one to be removed; a pipe may wait for its reader, and a signal ends that. */
static int makes_temporary(const char *path) {
    struct stat st;
    return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

int write_text_file(const char *path, void (*write)(FILE *out, const void *what), const void *what) {
    memory_text whole;
    size_t n;
    FILE *out = memory_text_open(&whole);
    if (!out) return out_of_memory();
    write(out, what);
    char *text = memory_text_close(&whole, &n);
    if (!text) return out_of_memory();
    sluice_error err = {0};
    int hold = makes_temporary(path);
    if (hold) signals_hold();
    int rc = sluice_write_file(path, text, n, &err) == SLUICE_OK ? DONE : complain_error(&err);
    if (hold) signals_release();
    free(text);
    return rc;
}
