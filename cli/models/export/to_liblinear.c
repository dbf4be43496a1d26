/* export --to liblinear: a model of LIBLINEAR's linear-predict, which has a line of weights for every id up to the
 * largest, of two classes one number a line, of several one for each class. */
#include "models/export/exported.h"

#include "models/class_numbers.h"
#include "output/message.h"

#include <inttypes.h>
#include <stdlib.h>

#define MAX_NUMBERS 500000000u

static int check(exported_model *e) {
    if (e->settings->classes == SLUICE_CLASSES_OVO) {
        complain("a LIBLINEAR model has a vector of weights for each class, not for each pair of them; --to c, onnx, "
                 "json and tsv have room for those of --classes ovo");
        return FAILED;
    }
    if (e->n && e->feature[0].number == 0) {
        complain("LIBLINEAR counts features from 1, and the model has one of id 0");
        return FAILED;
    }
    if (e->problems && e->largest > MAX_NUMBERS / e->problems) {
        complain("a LIBLINEAR model has a line for every id up to the largest, here %" PRIu64
                 ": more than %u numbers; --to c, json and tsv have room for ids of any size",
                 e->largest, MAX_NUMBERS);
        return FAILED;
    }
    return DONE;
}

/* Of two classes the one that a margin above 0 means comes first, and a margin of 0 means the other: where that is the
 * positive one, the model is written with the other sign. */
static void put_labels(FILE *out, const exported_model *e) {
    const int ints = e->labels_are_ints;
    fputs("label", out);
    for (size_t i = 0; i < e->classes; i++) {
        const size_t k = e->settings->classes || e->ties_positive ? i : 1 - i;
        if (ints)
            fprintf(out, " %s", model_class_label(e->model, k).text);
        else
            fprintf(out, " %zu", k + 1);
    }
    fputc('\n', out);
}

static void put_number(FILE *out, double x) {
    char text[32];
    sluice_format_double(text, x);
    fprintf(out, "%s ", text);
}

static void put_line(FILE *out, const exported_model *e, const exported_feature *f) {
    for (size_t i = 0, k = 0; i < e->problems; i++) {
        const int here = f && k < f->n && e->weight[f->first + k].problem == i;
        const double w = here ? (double)e->weight[f->first + k].weight : 0;
        put_number(out, e->ties_positive ? 0 - w : w);
        k += (size_t)here;
    }
    fputc('\n', out);
}

static void write(FILE *out, const exported_model *e) {
    const int has_bias = e->has_constant || e->threshold != 0;
    fprintf(out, "solver_type %s\nnr_class %zu\n",
            e->settings->classes ? "MCSVM_CS"
            : e->log_odds        ? "L2R_LR"
                                 : "L2R_L2LOSS_SVC",
            e->classes);
    put_labels(out, e);
    fprintf(out, "nr_feature %" PRIu64 "\nbias %d\nw\n", e->largest, has_bias ? 1 : -1);
    const exported_feature *f = e->feature, *end = e->feature + e->n;
    for (uint64_t id = 1; id <= e->largest; id++) {
        const int here = f < end && f->number == id;
        put_line(out, e, here ? f : NULL);
        f += here;
    }
    for (size_t i = 0; has_bias && i < e->problems; i++) {
        const double constant = e->constant[i] - e->threshold;
        put_number(out, e->ties_positive ? 0 - constant : constant);
    }
    if (has_bias) fputc('\n', out);
}

const export_format export_liblinear = {.name = "liblinear",
                                        .what = "a LIBLINEAR model",
                                        .check = check,
                                        .write = write,
                                        .numbers_features = 1,
                                        .numbers_classes = 1};
