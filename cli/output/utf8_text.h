/* UTF-8 in text from outside, such as file names and names of features. */
#ifndef CLI_UTF8_TEXT_H
#define CLI_UTF8_TEXT_H

#include <stddef.h>

/* How many bytes the UTF-8 character at text takes; 0 if it is none. */
size_t utf8_character(const unsigned char *text, size_t n);

#endif
