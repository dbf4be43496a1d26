/* A model file on its way in: what the parts of the reader share. */
#ifndef SL_LOADER_H
#define SL_LOADER_H

#include "base/error.h"
#include "file/model_format.h"

/* Where the bytes come from, and the section at hand. */
typedef struct sl_loader {
    sluice_read_function read;
    void *context;
    const char *name;
    sluice_error *err;
    unsigned char *bytes; /* head, content, checksum of a section */
    size_t room;
    const unsigned char *at, *end; /* what is still unread of its content */
    char tag[SL_TAG + 1];
    sluice_model *model;
    uint64_t features, last_id, seen, births;
    uint64_t newest[SL_NEWEST], arrivals; /* as the space has them */
    size_t vectors, numbers, values;      /* read so far: of the vector, the matrix, the examples */
    size_t vectors_room, numbers_room;
    bool any_ids;
    uint64_t version;
} sl_loader;

#define DAMAGED(l, ...) sl_fail_at((l)->err, SLUICE_E_FORMAT, (l)->name, 0, 0, __VA_ARGS__)

/* The section MODL, which is at hand, makes the model: learner, parameters, settings, counts. */
sluice_status sl_load_facts(sl_loader *l);

#endif
