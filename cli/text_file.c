#include "text_file.h"

#include "message.h"

#include <errno.h>
#include <string.h>

int write_text_file(const char *path, void (*write)(FILE *out, const void *what), const void *what) {
    FILE *out = fopen(path, "w");
    if (out) write(out, what);
    int failed = !out || fflush(out) != 0 || ferror(out), why = errno;
    if (out && fclose(out) != 0 && !failed) {
        failed = 1;
        why = errno;
    }
    if (!failed) return DONE;
    complain("%s: cannot write: %s", path, strerror(why));
    return FAILED;
}
