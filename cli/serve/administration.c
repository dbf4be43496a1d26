/* POST .../save, .../reload, .../rollback: jobs of the learner thread, answered when they are done. */
#include "serve/plain_answers.h"
#include "serve/serving.h"

#include "sluice.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A request that waits for its job. */
typedef struct errand {
    job job;
    http_request *request;
} errand;

static void answer(job *j) {
    errand *e = j->context;
    http_request *r = e->request;
    if (j->status == SLUICE_OK) {
        text_char(&r->answer, '{');
        text_json_key(&r->answer, "model_name");
        text_json_string(&r->answer, r->model, strlen(r->model));
        put_version(&r->answer, "model_version", j->new_version);
        put_version(&r->answer, "saved_version", j->saved_version);
        text_put(&r->answer, "}\n");
        add_count_header(r, "Sluice-Version", j->new_version);
        add_count_header(r, "Sluice-Saved-Version", j->saved_version);
        http_answer(r, 200, "application/json");
    } else if (j->error.status == SLUICE_E_USAGE) { /* no such checkpoint, no file */
        http_refuse(r, 404, "%s", j->error.message);
    } else {
        refuse_error(r, &j->error);
    }
    free(e);
}

static void run(const serving *s, http_request *r, job_kind kind, uint64_t version) {
    served_model *m = serving_choose(s, r, r->segment[0]);
    if (!m) return;
    const char *never = served_cannot_learn(m);
    if (never && kind != JOB_RELOAD) {
        refuse_to_queue(r, m);
        return;
    }
    errand *e = calloc(1, sizeof *e);
    if (!e) {
        http_refuse(r, 503, "out of memory");
        return;
    }
    *e = (errand){.job = {.kind = kind, .version = version, .done = answer, .context = e}, .request = r};
    http_later(r);
    if (served_enqueue(m, &e->job)) return; /* it may be answered, and gone, already */
    free(e);
    refuse_to_queue(r, m);
}

void handle_save(void *context, http_request *r) { run(context, r, JOB_SAVE, 0); }

void handle_reload(void *context, http_request *r) { run(context, r, JOB_RELOAD, 0); }

/* {"version": N}, N a number or its digits; nothing: the last one. 0 after refusing. */
static int wanted_version(http_request *r, uint64_t *version) {
    sluice_json body;
    sluice_error err = {0};
    uint64_t n = 0;
    if (!query_count(r, "version", 0, UINT64_MAX, &n)) return 0;
    *version = n;
    if (!r->body_n) return 1;
    sluice_json_begin(&body, r->body, r->body_n);
    int found = sluice_json_next(&body) == SLUICE_JSON_OBJECT;
    while (found && sluice_json_next(&body) == SLUICE_JSON_KEY) {
        const int is_version = body.n == 7 && memcmp(body.text, "version", 7) == 0;
        if (!is_version) {
            found = sluice_json_skip(&body);
            continue;
        }
        const sluice_json_token t = sluice_json_next(&body);
        char digits[24] = "";
        if (t == SLUICE_JSON_STRING && body.n < sizeof digits) memcpy(digits, body.text, body.n);
        found = t == SLUICE_JSON_NUMBER ? json_whole(&body, version)
                                        : t == SLUICE_JSON_STRING && parse_count(digits, 0, UINT64_MAX, version);
    }
    found = found && body.token == SLUICE_JSON_OBJECT_END && sluice_json_next(&body) == SLUICE_JSON_END;
    if (found) return 1;
    if (body.token == SLUICE_JSON_WRONG && sluice_json_problem(&body, &err) != SLUICE_OK)
        refuse_error(r, &err);
    else
        http_refuse(r, 400, "give the version to go back to as {\"version\": 1234}, or nothing for the last one");
    return 0;
}

void handle_rollback(void *context, http_request *r) {
    uint64_t version = 0;
    if (wanted_version(r, &version)) run(context, r, JOB_ROLLBACK, version);
}
