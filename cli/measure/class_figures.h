/* What was measured of several classes: the figures of each, and which were taken for which. */
#ifndef CLI_CLASS_FIGURES_H
#define CLI_CLASS_FIGURES_H

#include "output/report.h"
#include "sluice.h"

typedef struct class_figures {
    size_t n; /* classes of the model; 0: of two classes, and none of this */
    sluice_class_measures *of;
    uint32_t *order;         /* the classes by their labels: numbers by value, then words */
    sluice_confusion *cells; /* by truth, then by prediction */
    size_t n_cells;
} class_figures;

/* Whether a model is of several classes (train --classes). */
int is_of_many(const sluice_model *model);

/* Takes them from a meter whose model this is; free them. Of a model of two classes there are none. Returns an exit
 * status. */
int class_figures_of(const sluice_model *model, sluice_meter *meter, class_figures *f);
void class_figures_free(class_figures *f);

/* The figures of all classes together: of two, or of several (`many`). */
void report_measured(report *r, int many, const sluice_measures *m);
/* Those of each class, and the confusions: all of them as JSON; for a person a table of the classes, of many the worst,
 * and the most frequent confusions. */
void report_class_figures(report *r, const sluice_model *model, const class_figures *f);

/* Whether a cell is a mistake. */
int is_confusion(const sluice_confusion *c);
/* The `most` most frequent mistakes, as places in f->cells; returns how many there are. */
size_t most_confused(const class_figures *f, size_t *places, size_t most);
/* The `most` classes of lowest F1, of those that occur, the lowest first; returns how many there are. */
size_t worst_classes(const class_figures *f, uint32_t *worst, size_t most);
/* The label of a class as a terminal may show it; "(unknown)" and "(none)" for no class. */
const char *truth_text(const sluice_model *model, uint32_t class_index, char text[]);
const char *prediction_text(const sluice_model *model, uint32_t class_index, char text[]);

#endif
