/* A text that grows: answers are written to it. Memory that runs out shows at the end, in `failed`. */
#ifndef CLI_TEXT_BUFFER_H
#define CLI_TEXT_BUFFER_H

#include "output/message.h"

#include <stddef.h>
#include <stdint.h>

typedef struct text_buffer {
    char *text; /* n bytes, then a NUL; NULL as long as nothing was added */
    size_t n, room;
    int failed; /* memory ran out: the text is not complete */
} text_buffer;

/* Room for n more bytes: where to write them, or NULL. text_wrote() says how many it became. */
char *text_reserve(text_buffer *t, size_t n);
void text_wrote(text_buffer *t, size_t n);
void text_add(text_buffer *t, const void *bytes, size_t n);
void text_put(text_buffer *t, const char *text);
/* The same as a terminal may show it: UTF-8 without control characters (sluice_escape). */
void text_shown(text_buffer *t, const char *text);
void text_char(text_buffer *t, char c);
void text_format(text_buffer *t, const char *format, ...) PRINTF_LIKE(2, 3);
void text_count(text_buffer *t, uint64_t n);
/* The shortest digits that read back as this number. */
void text_number(text_buffer *t, double x);
/* The same as JSON has it: what is not finite is null. */
void text_json_number(text_buffer *t, double x);
/* A JSON string of any bytes: what is not UTF-8 becomes U+FFFD. */
void text_json_string(text_buffer *t, const char *bytes, size_t n);
/* The same of a text that may be long: of more than `most` bytes the whole characters that they have, and an ellipsis.
 */
void text_json_short(text_buffer *t, const char *bytes, size_t n, size_t most);
/* How many of n bytes that is. */
size_t text_short(const char *bytes, size_t n, size_t most);
/* ,"key": without the comma behind an opening bracket; then a value has to follow. */
void text_json_key(text_buffer *t, const char *key);
void text_clear(text_buffer *t); /* keeps the memory */
void text_free(text_buffer *t);

#endif
