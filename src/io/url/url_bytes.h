/* What the bytes of a URL are: a bit per byte for each class of bytes, 64 bytes at a time, and the URL in lower case.
 */
#ifndef SL_URL_BYTES_H
#define SL_URL_BYTES_H

#include <stddef.h>
#include <stdint.h>

enum {
    SL_URL_WINDOW = 64,
    SL_URL_MOST = 2048, /* bytes of a URL that is read this way */
    SL_URL_WINDOWS = SL_URL_MOST / SL_URL_WINDOW,
    SL_URL_PAD = 128, /* bytes that may be read behind the text in lower case */
};

typedef enum sl_url_class {
    SL_URL_DIGIT, /* the first ones are also counted */
    SL_URL_HYPHEN,
    SL_URL_DOT,
    SL_URL_AT,
    SL_URL_PERCENT,
    SL_URL_UPPER,
    SL_URL_COUNTED,
    SL_URL_WORD = SL_URL_COUNTED, /* ASCII letters and digits, and all bytes above 127 */
    SL_URL_SLASH,
    SL_URL_QUESTION,
    SL_URL_HASH,
    SL_URL_STOP, /* ends the authority: / ? # \ */
    SL_URL_PAIR, /* ends a pair of the query: & ; */
    SL_URL_EQUALS,
    SL_URL_COLON,
    SL_URL_CLASSES,
} sl_url_class;

typedef struct sl_url_bytes {
    size_t n;
    size_t count[SL_URL_COUNTED];
    uint64_t bits[SL_URL_WINDOWS][SL_URL_CLASSES]; /* the first byte's is the lowest; none behind byte n */
    char lower[SL_URL_MOST + SL_URL_PAD];          /* A to Z as a to z */
} sl_url_bytes;

/* Reads a URL of 1 to SL_URL_MOST bytes, behind which SL_URL_WINDOW more can be read. */
typedef void sl_read_url(const char *url, size_t n, sl_url_bytes *out);

/* One version for every processor, others for those with certain instructions (io/parse_kernels.h). */
sl_read_url sl_read_url_portable;
#if defined(__x86_64__)
sl_read_url sl_read_url_avx2;
sl_read_url sl_read_url_avx512;
#endif

#endif
