/* Settings of readers that tests need beyond the public options. */
#ifndef SL_READER_H
#define SL_READER_H

#include "sluice.h"

/* sluice_reader_open_memory() with blocks of block_bytes. */
sluice_reader *sl_reader_open_memory(const void *bytes, size_t n, const char *name,
                                     const sluice_reader_options *options, size_t block_bytes, sluice_error *err);
/* sluice_reader_open() likewise. */
sluice_reader *sl_reader_open(const char *const *paths, size_t n, const sluice_reader_options *options,
                              size_t block_bytes, sluice_error *err);

#endif
