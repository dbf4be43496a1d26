/* The features of a URL from the classes of its bytes (url_bytes.h): the same ones in the same order as url.c finds
 * byte by byte. */
#ifndef SL_QUICK_URL_H
#define SL_QUICK_URL_H

#include "io/named/named_rows.h"
#include "io/url/url_bytes.h"

/* Puts the names that many rows have, such as depth=3, before those of the rows. Once in a part of a block. */
sl_named_status sl_quick_url_begin(sl_named_rows *rows);

/* Adds the features of a URL of 1 to SL_URL_MOST bytes without blanks around it, behind which SL_URL_WINDOW bytes can
 * be read. Memory may run out; sl_named_row() then says so. */
void sl_quick_url(sl_named_rows *rows, sl_read_url *read, const char *url, size_t n);

#endif
