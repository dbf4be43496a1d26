/* The meter, and its margins in their order: for what is computed from all of them. */
#ifndef SL_METER_H
#define SL_METER_H

#include <stdbool.h>

#include "eval/class_counts.h"
#include "sluice.h"

typedef struct sl_margins {
    double *value;
    size_t n, room;
    bool sorted;
} sl_margins;

struct sluice_meter {
    sluice_meter_options options;
    sluice_error error;
    uint64_t count[2][2]; /* [label is +1][prediction is +1] */
    double hinge, logistic, brier;
    uint64_t *bin[2];   /* by label */
    sl_margins kept[2]; /* exact AUC instead of bins */
    bool of_many;       /* counts several classes: nothing but these */
    sl_class_counts classes;
};

/* Tells the options' `prediction`, which is not NULL. */
void sl_meter_tell(const sluice_meter *m, double margin, uint32_t truth, uint32_t predicted);

/* class_meter.c. Counts a row that a model of several classes has learned; the margin is that of the class that was
 * predicted. */
sluice_status sl_meter_add_learned_class(sluice_meter *m, const sluice_model *model, double margin, double y);
/* Says that the meter counts several classes. */
sluice_status sl_meter_refuse_two(sluice_meter *m);
/* What sluice_meter_read() fills in. */
void sl_meter_measure_classes(const sluice_meter *m, sluice_measures *r);

/* Before the first of the next calls. */
void sl_meter_sort(sluice_meter *m);
/* How many of either label tie at the next larger margin: those of one bin, or the equal ones among those kept. *next
 * begins as {0, 0}; *margin becomes the largest that ties. False past the last. */
bool sl_meter_next_tied(const sluice_meter *m, size_t next[2], uint64_t tied[2], double *margin);

#endif
