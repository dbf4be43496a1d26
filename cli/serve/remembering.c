/* Remembers rows under their ids, until their labels come. */
#include "serve/remembering.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int can_remember(const serving *s, http_request *r) {
    if (!s->labels)
        http_refuse(r, 400, "nothing is remembered: the server was started without a file for that (--labels FILE)");
    return s->labels != NULL;
}

static sluice_status wrong(sluice_error *err, sluice_status status, const char *message) {
    *err = (sluice_error){.status = status};
    snprintf(err->message, sizeof err->message, "%s", message);
    return status;
}

static sluice_status own_ids(const sluice_batch *batch, sluice_name *ids, size_t rows, sluice_error *err) {
    for (size_t i = 0; i < rows; i++) {
        sluice_row_origin from = {.size = sizeof from};
        const sluice_status status = sluice_batch_origin(batch, i, &from, err);
        if (status != SLUICE_OK) return status;
        ids[i] = from.id;
        if (from.id_kind != SLUICE_ID_NONE && from.id.n) continue;
        wrong(err, SLUICE_E_DATA, "remember=*: the row has no id; id=COLUMN or id=tag says where it stands");
        err->line = from.line;
        return SLUICE_E_DATA;
    }
    return SLUICE_OK;
}

/* ID/1, ID/2, ... in `text`, which has room for them. */
static void numbered_ids(sluice_name id, sluice_name *ids, size_t rows, char *text) {
    for (size_t i = 0; i < rows; i++) {
        memcpy(text, id.text, id.n);
        ids[i] = (sluice_name){text, id.n + (size_t)sprintf(text + id.n, "/%zu", i + 1)};
        text += ids[i].n + 1;
    }
}

sluice_status remember_rows(const serving *s, served_model *m, const snapshot *by, const sluice_batch *batch,
                            sluice_name id, sluice_error *err) {
    const size_t rows = sluice_batch_rows(batch);
    sluice_status status = SLUICE_OK;
    if (!id.n) return wrong(err, SLUICE_E_USAGE, "remember: under which id? it is empty");
    if (id.n > LABEL_ID_MOST) return wrong(err, SLUICE_E_USAGE, "remember: an id has at most 255 bytes");
    const int own = id.n == 1 && *id.text == '*';
    sluice_name one = id, *ids = &one;
    char *text = NULL;
    if (own || rows != 1) {
        ids = malloc((rows + 1) * sizeof *ids);
        text = own ? NULL : malloc(rows * (id.n + 24) + 1);
        if (!ids || (!own && !text)) {
            free(ids);
            free(text);
            return wrong(err, SLUICE_E_MEMORY, "out of memory");
        }
        if (own)
            status = own_ids(batch, ids, rows, err);
        else
            numbered_ids(id, ids, rows, text);
    }
    if (status == SLUICE_OK && rows)
        status = label_store_put(s->labels, served_name(m), batch, ids, rows, by->version, err);
    if (ids != &one) free(ids);
    free(text);
    return status;
}
