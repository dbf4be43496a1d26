/* The Open Inference Protocol but for predicting: health, the server, its models. */
#include "serve/inference/tensor_rows.h"
#include "serve/inference/served_version.h"
#include "serve/plain_answers.h"
#include "serve/serving.h"

#include <stdlib.h>
#include <string.h>

void handle_live(void *context, http_request *r) {
    (void)context;
    text_put(&r->answer, "{\"live\":true}");
    http_answer(r, 200, JSON_TYPE);
}

void handle_ready(void *context, http_request *r) {
    const serving *s = context;
    if (atomic_load(&s->ends)) {
        http_refuse(r, 503, "the server ends");
        return;
    }
    text_put(&r->answer, "{\"live\":true,\"ready\":true}");
    http_answer(r, 200, JSON_TYPE);
}

void handle_server(void *context, http_request *r) {
    (void)context;
    text_put(&r->answer, "{\"name\":\"sluice\",\"version\":\"");
    text_put(&r->answer, sluice_version());
    text_put(&r->answer, "\",\"extensions\":[\"binary_tensor_data\",\"sluice_learn\",\"sluice_label\"]}");
    http_answer(r, 200, JSON_TYPE);
}

static void put_member(text_buffer *to, const char *key, const char *text) {
    text_json_key(to, key);
    text_json_string(to, text, strlen(text));
}

void handle_models(void *context, http_request *r) {
    const serving *server = context;
    text_put(&r->answer, "{\"models\":[");
    for (size_t i = 0; i < server->n_models; i++) {
        const snapshot *s = served_take(server->model[i]);
        text_put(&r->answer, i ? ",{" : "{");
        put_member(&r->answer, "name", served_name(server->model[i]));
        text_json_key(&r->answer, "version");
        text_char(&r->answer, '"');
        text_count(&r->answer, s->version);
        text_put(&r->answer, "\",\"state\":\"READY\"}");
        served_release(s);
    }
    text_put(&r->answer, "]}");
    http_answer(r, 200, JSON_TYPE);
}

static void put_tensor(text_buffer *to, const char *name, const char *type, const char *shape) {
    if (to->text && to->text[to->n - 1] != '[') text_char(to, ',');
    text_char(to, '{');
    put_member(to, "name", name);
    put_member(to, "datatype", type);
    text_json_key(to, "shape");
    text_put(to, shape);
    text_char(to, '}');
}

static void put_outputs(text_buffer *to, const snapshot *s) {
    put_tensor(to, "margin", "FP64", "[-1]");
    put_tensor(to, "label", s->whole_labels ? "INT64" : "BYTES", "[-1]");
    if (sluice_model_has_probability(s->model)) put_tensor(to, "probability", "FP64", "[-1]");
    if (s->many) {
        put_tensor(to, "margins", "FP64", "[-1,-1]");
        if (sluice_model_has_probability(s->model)) put_tensor(to, "probabilities", "FP64", "[-1,-1]");
        put_tensor(to, "classes", s->whole_labels ? "INT64" : "BYTES", "[-1]");
    }
    if (sluice_model_settings(s->model)->classes == SLUICE_CLASSES_OVO) return;
    put_tensor(to, "contribution_indptr", "INT64", "[-1]");
    put_tensor(to, "contribution_features", "BYTES", "[-1]");
    put_tensor(to, "contributions", "FP64", "[-1]");
}

const snapshot *take_version(served_model *m, http_request *r, const char *version) {
    const snapshot *s = served_take(m);
    char now[24];
    snprintf(now, sizeof now, "%llu", (unsigned long long)s->version);
    if (!version || strcmp(version, now) == 0) return s;
    served_release(s);
    http_refuse(r, 404, "version '%.32s' is not served: the model is at version %s; a path without one is for that",
                version, now);
    return NULL;
}

void handle_model(void *context, http_request *r) {
    served_model *m = serving_choose(context, r, r->segment[0]);
    const snapshot *s = m ? take_version(m, r, r->segment[1]) : NULL;
    sluice_model_facts facts = {.size = sizeof facts};
    if (!s) return;
    text_buffer *to = &r->answer;
    sluice_model_quick_facts(s->model, &facts);
    text_char(to, '{');
    put_member(to, "name", served_name(m));
    text_put(to, ",\"versions\":[\"");
    text_count(to, s->version);
    text_put(to, "\"],\"platform\":\"sluice_");
    text_put(to, facts.learner ? facts.learner->name : "model");
    text_put(to, "\",\"inputs\":[");
    for (const struct tensor_input *t = tensor_inputs; t->name; t++) put_tensor(to, t->name, t->type, t->shape);
    text_put(to, "],\"outputs\":[");
    put_outputs(to, s);
    text_put(to, "]}");
    add_count_header(r, "Sluice-Version", s->version);
    served_release(s);
    http_answer(r, 200, JSON_TYPE);
}

void handle_model_ready(void *context, http_request *r) {
    served_model *m = serving_choose(context, r, r->segment[0]);
    const snapshot *s = m ? take_version(m, r, r->segment[1]) : NULL;
    if (!s) return;
    served_release(s);
    text_char(&r->answer, '{');
    put_member(&r->answer, "name", served_name(m));
    text_put(&r->answer, ",\"ready\":true}");
    http_answer(r, 200, JSON_TYPE);
}
