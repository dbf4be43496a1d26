/* The ids of a block of the binary format in one to four bytes each, their lengths apart from them: differences of
 * ascending ids, and numbers of names as they are (docs/bin-format.md). Decoded four at a time where the processor can.
 */
#ifndef SL_BIN_IDS_H
#define SL_BIN_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_IDS_AHEAD = 16 }; /* bytes behind the differences that must be readable */

/* Collected while decoding. */
typedef struct sl_id_facts {
    uint32_t sum;   /* of all differences, modulo 2^32 */
    uint32_t any;   /* the bits that are set in any difference */
    uint32_t zeros; /* differences that are 0 */
} sl_id_facts;

/* Decodes n differences, whose lengths are in `control` and whose bytes are at `data`, and writes what they add up to,
 * each with all before it and with the sum that the facts begin with: the id from the beginning of the block, as if it
 * were one row. So there is no branch for row ends at every id; sl_ids_by_row() takes the rows apart. */
typedef void sl_sum_ids(const uint8_t *control, const uint8_t *data, size_t n, uint32_t *id, sl_id_facts *facts);

/* Decodes n numbers as they are. */
typedef void sl_get_numbers(const uint8_t *control, const uint8_t *data, size_t n, uint32_t *number);

/* One version for every processor, others for those with certain instructions (io/parse_kernels.h). */
sl_sum_ids sl_ids_portable;
sl_get_numbers sl_numbers_portable;
#if defined(__x86_64__)
sl_sum_ids sl_ids_ssse3;
sl_get_numbers sl_numbers_ssse3;
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SL_IDS_NEON
sl_sum_ids sl_ids_neon;
sl_get_numbers sl_numbers_neon;
#endif

/* How many bytes the differences of so many control bytes take, four each. */
size_t sl_ids_bytes(const uint8_t *control, size_t groups);

/* Takes from each id of a row what stands before the row, and tells whether all is well: no difference is 0 but the
 * first of a row, no id is 2^31 or more. Row i is id[start[i]] .. id[start[i + 1] - 1]. */
bool sl_ids_by_row(uint32_t *id, const size_t *start, size_t rows, const sl_id_facts *facts);

#endif
