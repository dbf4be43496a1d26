/* The binary format of examples: docs/bin-format.md. What the reading and the writing half share. */
#ifndef SL_BIN_H
#define SL_BIN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "rows/batch.h"
#include "base/bytes.h"
#include "io/block.h"

/* No text begins so, and a conversion of newlines changes it. */
#define SL_BIN_MAGIC "\x89SLB\r\n\x1a\n"
#define SL_BIN_MAGIC_BYTES 8
#define SL_BIN_VERSION 2
#define SL_BIN_VERSION_WORDS                                                                                           \
    3                          /* of a file whose first block has words, so that older readers say that it is newer;   \
                                */
#define SL_BIN_VERSION_NAMES 4 /* likewise of one whose first block has names */

enum {
    SL_BIN_FILE_HEADER = 16,    /* magic, version (u32), 0 (u32) */
    SL_BIN_BLOCK_HEADER = 24,   /* payload bytes, rows, nonzeros, flags (u32 each), checksum (u64) */
    SL_BIN_LISTED_VALUES = 255, /* at most in a row's list of values */
    SL_BIN_NONZEROS = 1 << 16,  /* values at which a block is closed; also the number of rows */
};
/* So that a small compressed file cannot unpack into a large block: only a single long row makes one. */
#define SL_BIN_MAX_ROWS ((uint32_t)1 << 16)
#define SL_MAX_ROW ((size_t)1 << 24) /* features of one example; as many as the longest line of text has room for */
#define SL_BIN_MAX_NONZEROS (SL_BIN_NONZEROS + (uint32_t)SL_MAX_ROW)
#define SL_BIN_MAX_NAMED (SL_BIN_NONZEROS + (uint32_t)SL_ROW_FEATURES) /* where they have names */
#define SL_BIN_MAX_ROW_TEXT SL_ROW_TEXT                                /* of the names of one row */
#define SL_BIN_MAX_TEXT ((size_t)8 << 20)                              /* bytes of names at which a block is closed */
#define SL_BIN_MAX_PAYLOAD ((uint32_t)14 * SL_BIN_MAX_NONZEROS + (uint32_t)16 * SL_BIN_MAX_ROWS)

/* Flags of a block. */
enum {
    SL_BIN_LABELS_FLOAT = 1, /* else one bit each: 1 is +1, 0 is -1 */
    SL_BIN_WEIGHTS = 2,
    SL_BIN_VALUES = 3 << 2, /* one of the four below */
    SL_BIN_VALUES_ONE = 0 << 2,
    SL_BIN_VALUES_U8 = 1 << 2,
    SL_BIN_VALUES_U16 = 2 << 2,
    SL_BIN_VALUES_F32 = 3 << 2,
    SL_BIN_IDS_ANY = 1 << 4,     /* else all ids are below 2^31 and ascend in each row; or there are names */
    SL_BIN_END = 1 << 5,         /* no rows: the payload is the number of rows of the file (u64) */
    SL_BIN_OLD_NAMES = 1 << 6,   /* what names were before version 4; refused */
    SL_BIN_WORDS = 1 << 7,       /* some labels are words: the block's list of them, and which each row has */
    SL_BIN_NAMES = 1 << 8,       /* features have names: ids are numbers of the file's names */
    SL_BIN_VALUE_LISTS = 1 << 9, /* with names and SL_BIN_VALUES_F32: each row's list of values, and positions in it */
    SL_BIN_FLAGS = ((1 << 10) - 1) & ~SL_BIN_OLD_NAMES,
};

/* The version of a file by the flags of its first block. */
static inline uint32_t sl_bin_version(uint32_t flags) {
    return flags & SL_BIN_NAMES ? SL_BIN_VERSION_NAMES : flags & SL_BIN_WORDS ? SL_BIN_VERSION_WORDS : SL_BIN_VERSION;
}

/* The checksum of a block: of its payload, seeded with that of the header's first 16 bytes. */
uint64_t sl_bin_checksum(const void *header, const void *payload, size_t n);

/* Bytes that grow. */
typedef struct sl_bytes {
    uint8_t *data;
    size_t n, room;
} sl_bytes;

/* Whether a label is kept as a text: as a float it would read as another class. Of numbers that floats give back the
 * spelling is lost, so that they are stored as ever. */
bool sl_bin_needs_word(sluice_name word, float label);
/* Whether some label of the batch is. */
bool sl_bin_needs_words(const sluice_batch *b);
/* Makes the file header, which is all of `out`, that of a file whose first block is this batch. */
void sl_bin_set_version(sl_bytes *out, const sluice_batch *first);
/* Appends: the file header; a batch as one block; the end. `names`, empty at first, collects the names of the file.
 * False when there is no memory. */
bool sl_bin_put_header(sl_bytes *out);
bool sl_bin_put_block(sl_bytes *out, const sluice_batch *b, sl_names *names);
bool sl_bin_put_end(sl_bytes *out, uint64_t rows);

/* Notes that a block is damaged, or that there is no memory (why is NULL) for it: it has no rows then. */
void sl_bin_fail_block(sl_block *b, const char *why);
/* For a block that was parsed, in the order of the input: adds its names to the input's list, of which its features are
 * numbers. Fails as parsing does. Blocks of other formats, and those without names, stay as they are. */
void sl_bin_list_names(sl_block *b, sl_file_names *list);

#endif
