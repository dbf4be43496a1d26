/* Where the separators of a text are: every byte up to the space (blanks, tabs, line ends, control bytes) and every
 * colon. The first stage of reading text: with the ends of all fields known, their numbers can be converted
 * independently of each other, instead of each waiting for the end of the one before. */
#ifndef SL_SEPARATORS_H
#define SL_SEPARATORS_H

#include <stddef.h>
#include <stdint.h>

enum { SL_WINDOW = 64 };

/* Scans `windows` windows of 64 bytes from text[from] on. Writes the positions of the separators in the text,
 * ascending, and which bytes they are; returns how many there are. There must be room for 64 to a window. */
typedef size_t sl_find_separators(const char *text, size_t from, size_t windows, uint32_t *at, char *kind);

/* One version for every processor, others for those with certain instructions (io/parse_kernels.h). */
sl_find_separators sl_separators_portable;
#if defined(__x86_64__)
sl_find_separators sl_separators_avx2;
sl_find_separators sl_separators_avx512;
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SL_SEPARATORS_NEON
sl_find_separators sl_separators_neon;
#endif

#endif
