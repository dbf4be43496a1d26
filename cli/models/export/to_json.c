/* export --to json: all that a model predicts with, as one JSON object. */
#include "models/export/exported.h"

#include "models/class_numbers.h"
#include "output/json.h"
#include "output/message.h"

static int check(exported_model *e) {
    (void)e;
    return DONE;
}

static void put_label(json *j, const char *key, const exported_model *e, uint32_t i) {
    const sluice_name label = model_class_label(e->model, i);
    json_bytes(j, key, label.text, label.n);
}

/* What is done to a row before its values meet the weights. */
static void put_settings(json *j, const exported_model *e) {
    static const char *const kinds[] = {"two", "ovr", "ovo", "matrix"};
    static const char *const transforms[] = {"none", "log1p", "binary"};
    static const char *const scales[] = {"none", "running", "maxabs", "idf"};
    const sluice_settings *s = e->settings;
    json_text(j, "learner", e->learner);
    json_text(j, "kind", kinds[s->classes]);
    json_open(j, "classes", '[');
    for (uint32_t i = 0; i < e->classes; i++) put_label(j, NULL, e, i);
    json_close(j, ']');
    if (e->settings->classes == SLUICE_CLASSES_TWO) {
        json_number(j, "threshold", e->threshold);
        json_truth(j, "ties_positive", e->ties_positive);
    }
    json_truth(j, "log_odds", e->log_odds);
    json_float(j, "bias", (float)s->bias);
    json_text(j, "transform", transforms[s->transform]);
    json_text(j, "scale", scales[s->scale]);
    json_text(j, "normalize", s->normalize ? "l2" : "none");
    json_count(j, "hash", s->hash_bits);
}

static void put_problems(json *j, const exported_model *e) {
    json_open(j, "problems", '[');
    for (size_t i = 0; i < e->problems; i++) {
        uint32_t positive, negative;
        exported_problem(e, i, &positive, &negative);
        json_open(j, NULL, '{');
        put_label(j, "class", e, positive);
        if (e->settings->classes == SLUICE_CLASSES_OVO) put_label(j, "against", e, negative);
        json_number(j, "constant", e->constant[i]);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write(FILE *out, const exported_model *e) {
    json j = {.out = out};
    json_open(&j, NULL, '{');
    put_settings(&j, e);
    put_problems(&j, e);
    json_open(&j, "features", '[');
    for (size_t i = 0; i < e->n; i++) {
        const exported_feature *f = &e->feature[i];
        json_open(&j, NULL, '{');
        json_count(&j, e->has_names ? "number" : "id", f->number);
        if (e->has_names) json_bytes(&j, "name", f->name.text, f->name.n);
        json_open(&j, "weights", '[');
        for (size_t k = f->first; k < f->first + f->n; k++) {
            json_open(&j, NULL, '[');
            json_count(&j, NULL, e->weight[k].problem);
            json_float(&j, NULL, e->weight[k].weight);
            json_close(&j, ']');
        }
        json_close(&j, ']');
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    fputc('\n', out);
}

const export_format export_json = {.name = "json", .what = "JSON", .check = check, .write = write, .is_listing = 1};
