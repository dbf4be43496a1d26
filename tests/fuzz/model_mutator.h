/* Mutates model files and bin files with knowledge of their structure (docs/model-format.md, docs/bin-format.md): the
 * result has correct checksums, so that what is wrong with it lies behind them. */
#ifndef MODEL_MUTATOR_H
#define MODEL_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/* Changes the file in place, as `seed` says; returns its new size, at most `room`. What is no such file is returned as
 * it is. */
size_t mutate_model(uint8_t *bytes, size_t n, size_t room, uint64_t seed);
size_t mutate_bin(uint8_t *bytes, size_t n, size_t room, uint64_t seed);

#endif
