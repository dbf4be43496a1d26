/* export --to tsv: a table of the weights, one a line, that `import` reads. */
#include "models/export/exported.h"

#include "models/class_numbers.h"
#include "output/message.h"
#include "output/shown_text.h"
#include "output/weights.h"

#include <inttypes.h>

static int check(exported_model *e) {
    (void)e;
    return DONE;
}

static void put_feature(FILE *out, const exported_model *e, const exported_feature *f) {
    if (!e->has_names)
        fprintf(out, "%" PRIu64, f->number);
    else if (is_called_bias(f->name))
        fputs(ESCAPED_BIAS, out);
    else
        put_exact(out, f->name.text, f->name.n);
}

static void put_classes(FILE *out, const exported_model *e, size_t problem) {
    uint32_t class[2];
    if (e->settings->classes == SLUICE_CLASSES_TWO) return;
    exported_problem(e, problem, &class[0], &class[1]);
    for (size_t i = 0; i < 2 && class[i] != SLUICE_NO_CLASS; i++) {
        const sluice_name label = model_class_label(e->model, class[i]);
        fputc('\t', out);
        put_exact(out, label.text, label.n);
    }
}

static void write(FILE *out, const exported_model *e) {
    static const char *const heads[] = {"feature\tweight", "feature\tclass\tweight", "feature\tclass\tagainst\tweight",
                                        "feature\tclass\tweight"};
    char number[32];
    fprintf(out, "%s\n", heads[e->settings->classes]);
    for (size_t i = 0; i < e->problems; i++) {
        if (e->constant[i] == 0) continue;
        sluice_format_double(number, e->constant[i]);
        fputs("bias", out);
        put_classes(out, e, i);
        fprintf(out, "\t%s\n", number);
    }
    for (size_t i = 0; i < e->n; i++)
        for (size_t k = e->feature[i].first; k < e->feature[i].first + e->feature[i].n; k++) {
            put_feature(out, e, &e->feature[i]);
            put_classes(out, e, e->weight[k].problem);
            sluice_format_float(number, e->weight[k].weight);
            fprintf(out, "\t%s\n", number);
        }
}

const export_format export_tsv = {
    .name = "tsv", .what = "a table of weights", .check = check, .write = write, .is_listing = 1};
