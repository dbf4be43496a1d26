/* The index of a feature in Vowpal Wabbit. */
#ifndef CLI_VW_HASH_H
#define CLI_VW_HASH_H

#include "sluice.h"

#define VW_CONSTANT 11650396u /* the index of the constant feature, before it is cut to the bits of the model */

/* The index, before it is cut, that VW with --hash all gives a feature by its name: what stands before the first ^ is
 * the namespace, if something stands on both sides of it, as sluice reads and writes VW text. */
uint64_t vw_index(sluice_name name);
/* Whether VW text can have the name. */
int vw_fits(sluice_name name);
/* VW's hash of bytes, MurmurHash3 for 32 bits. */
uint32_t vw_hash_bytes(const void *bytes, size_t n, uint32_t seed);

#endif
