/* Loading a model file: what the parts of the loader share. A file may be cut short, damaged or made with ill intent:
 * every number is checked before it is used, and no more memory is allocated than the bytes read so far justify. */
#ifndef SL_LOADER_H
#define SL_LOADER_H

#include "base/error.h"
#include "file/model_format.h"

typedef struct sl_loader {
    sluice_read_function read;
    void *context;
    const char *name; /* the source, in messages */
    sluice_error *err;
    uint64_t format; /* of the file */

    /* the current section */
    unsigned char *bytes; /* head, content, checksum */
    size_t room;
    char tag[SL_TAG + 1];
    bool skippable;
    const unsigned char *at, *end; /* the part of its content that is not read yet */

    sluice_model *model;
    uint64_t features, last_id;      /* read so far; the last id among them */
    bool any_features;               /* other than the bias */
    size_t vectors, numbers, values; /* read so far: numbers of VECT, of MATR, values of VALS */
    size_t vectors_room, numbers_room;
    bool any_classes;        /* there was a CLAS */
    uint64_t class_examples; /* those that the classes have had */
    size_t calibrated_classes, vectors_of_classes;
    struct {
        bool begun; /* there was a PAIR; no more features come */
        sl_keys_walk walk;
        uint32_t slot, missing; /* of the feature that the walk stands at: how many of its pairs were not read yet */
    } pairs;
    bool inner;     /* a model within another one: a problem, or a mirror */
    bool candidate; /* or a candidate of a race */
    bool any_race;  /* there was a RACE */
    struct {
        char *bytes; /* of the one that is being read */
        size_t size;
        size_t n; /* read so far */
    } problems;
    /* from MODL, for when all features are there: adding them changes what the model has */
    uint64_t seen, added, newest[SL_NEWEST], arrivals;
} sl_loader;

#define DAMAGED(l, ...)                                                                                                \
    sl_fail_at((l)->err, SLUICE_E_FORMAT, (l)->name, 0, 0, "the model file is damaged: " __VA_ARGS__)

/* load_section.c: exactly n bytes; `what` they are part of stands in the message when the file ends before that. */
sluice_status sl_load_bytes(sl_loader *l, unsigned char *to, size_t n, const char *what);
/* The next section, complete, its checksum correct and its flags known. */
sluice_status sl_load_section(sl_loader *l);
/* The name of the current section in quotes. */
const char *sl_section_name(const sl_loader *l, char shown[128]);

/* The content of the current section into the model. MODL creates the model. */
sluice_status sl_load_modl(sl_loader *l);
sluice_status sl_load_features(sl_loader *l);           /* FEAT: load_features.c */
sluice_status sl_load_numbers(sl_loader *l);            /* VECT, MATR: load_dense.c */
sluice_status sl_load_rows(sl_loader *l);               /* ROWS: load_pending.c */
sluice_status sl_load_values(sl_loader *l);             /* VALS */
sluice_status sl_load_calibration(sl_loader *l);        /* CALI: load_calibration.c */
sluice_status sl_load_threshold(sl_loader *l);          /* THRE */
sluice_status sl_load_metadata(sl_loader *l);           /* META: metadata_section.c */
sluice_status sl_load_positions(sl_loader *l);          /* POSN: positions_section.c */
sluice_status sl_load_classes(sl_loader *l);            /* CLAS: load_classes.c */
sluice_status sl_load_problems(sl_loader *l);           /* PROB: problem_sections.c */
sluice_status sl_load_mirror(sl_loader *l);             /* MIRR */
sluice_status sl_load_seen(sl_loader *l);               /* SEEN: load_classes.c */
sluice_status sl_load_pairs(sl_loader *l);              /* PAIR: pair_sections.c */
sluice_status sl_load_class_calibrations(sl_loader *l); /* PCAL */
sluice_status sl_load_vectors(sl_loader *l);            /* VECS */

sluice_status sl_load_race(sl_loader *l);      /* RACE: race_sections.c */
sluice_status sl_load_candidate(sl_loader *l); /* CAND */

/* load.c: a model within this one. Only a candidate of a race can have others within itself, and no other race. NULL:
 * the error is the loader's. */
sluice_model *sl_load_inner(const sl_loader *l, const void *bytes, size_t n, bool is_candidate);
/* problem_sections.c: whether the section is a piece of such a model. */
bool sl_is_piece(const sl_loader *l);
/* Takes the next piece of such a model; *model becomes the model that it is the last one of. */
sluice_status sl_load_piece(sl_loader *l, bool is_candidate, sluice_model **model);

/* After the last section: whether the parts fit together. */
sluice_status sl_load_finish_classes(sl_loader *l);
sluice_status sl_load_finish_pairs(sl_loader *l);
sluice_status sl_load_finish_problems(sl_loader *l);
sluice_status sl_load_finish_race(sl_loader *l);
sluice_status sl_load_finish_dense(sl_loader *l);
sluice_status sl_load_finish_pending(sl_loader *l);

/* load_features.c: puts one member of a struct in its place; false: its value is impossible. */
bool sl_load_field(const sl_field *f, char *feature, const unsigned char *from);

/* The next n bytes of the content, n being a base-128 number before them. NULL: they are not there. */
const char *sl_load_counted(sl_loader *l, size_t *n);
/* A base-128 number; false: the content ends within it, or it is beyond 64 bits. */
bool sl_load_varint(sl_loader *l, uint64_t *value);

#endif
