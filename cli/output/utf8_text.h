/* Text from outside: file names, names of features. */
#ifndef CLI_UTF8_H
#define CLI_UTF8_H

#include <stddef.h>

/* How many bytes the UTF-8 character at text takes; 0 if it is none. */
size_t utf8_character(const unsigned char *text, size_t n);

#endif
