/* The names of a bin file: those of each block are added to a list of the whole file, in the order of the blocks. */
#include "io/bin/bin.h"

/* Whether the names of some row have more bytes than a row of text could have. No name stands twice in a row, so that
 * this takes a long list. */
static bool has_large_row(const sluice_batch *b) {
    const sl_file_names *list = b->list;
    if (list->text_n <= SL_BIN_MAX_ROW_TEXT) return false;
    for (size_t i = 0; i < b->rows; i++) {
        size_t bytes = 0;
        if ((b->start[i + 1] - b->start[i]) * list->longest <= SL_BIN_MAX_ROW_TEXT) continue;
        for (size_t k = b->start[i]; k < b->start[i + 1]; k++) bytes += sl_batch_name(b, k).n;
        if (bytes > SL_BIN_MAX_ROW_TEXT) return true;
    }
    return false;
}

void sl_bin_list_names(sl_block *b, sl_file_names *list) {
    if (!b->numbered) return;
    sluice_batch *const batch = &b->batch;
    if (b->first_name != list->n) {
        sl_bin_fail_block(b, "its names do not follow those before it");
        return;
    }
    const sl_more_names more = {batch->text, batch->name, batch->hash, b->new_names};
    const sl_listing listed = sl_file_names_add(list, &more);
    batch->list = list;
    if (listed != SL_LISTED)
        sl_bin_fail_block(b, listed == SL_LISTED_TWICE ? "a name stands twice among the names of the file" : NULL);
    else if (has_large_row(batch))
        sl_bin_fail_block(b, SL_LARGE_ROW_MESSAGE);
}
