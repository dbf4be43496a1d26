/* Results that go to a file of their own. */
#ifndef CLI_TEXT_FILE_H
#define CLI_TEXT_FILE_H

#include <stdio.h>

/* Writes a file: it appears complete, or not at all. Returns DONE, or FAILED after saying why. */
int write_text_file(const char *path, void (*write)(FILE *out, const void *what), const void *what);

#endif
