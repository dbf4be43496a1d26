/* --cost: factors for the importance weights of the examples of a label. */
#include "args/costs.h"

#include "output/memory_text.h"
#include "output/message.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#define KEY "reader.costs"

const char *costs_of_model(const sluice_model *model) { return model ? sluice_model_metadata(model, KEY, NULL) : NULL; }

/* Takes "W=V" in; W becomes a text of its own. The last '=' counts: labels may have some. */
static int take_cost(const args *a, costs *c, char *text) {
    char *equals = strrchr(text, '=');
    sluice_cost *cost = &c->list[c->n];
    if (!equals || equals == text)
        return wrong_usage(a->command->name, "--cost %s: write it as label=factor, such as spam=5", text);
    if (!sluice_parse_number(equals + 1, &cost->factor) || cost->factor < 0 || cost->factor > (double)FLT_MAX)
        return wrong_usage(a->command->name, "--cost %s: '%s' is not a number from 0 on", text, equals + 1);
    *equals = 0;
    cost->label = text;
    c->n++;
    return DONE;
}

/* All that were given, one a line; or what the model has. */
static char *costs_text(const args *a, const sluice_model *model) {
    memory_text text;
    FILE *out = memory_text_open(&text);
    if (!out) return NULL;
    for (size_t i = 0; i < a->n_given; i++)
        if (strcmp(a->given[i].option->name, "cost") == 0) fprintf(out, "%s\n", a->given[i].value);
    if (!args_has(a, "cost") && costs_of_model(model)) fputs(costs_of_model(model), out);
    return memory_text_close(&text, NULL);
}

static int check_given(const args *a) {
    for (size_t i = 0; i < a->n_given; i++)
        if (strcmp(a->given[i].option->name, "cost") == 0 && strchr(a->given[i].value, '\n'))
            return wrong_usage(a->command->name, "--cost: a label with a line end cannot be given");
    return DONE;
}

int costs_from_args(const args *a, const sluice_model *model, costs *c) {
    *c = (costs){.given = args_has(a, "cost")};
    int rc = check_given(a);
    if (rc) return rc;
    size_t lines = 0;
    c->text = costs_text(a, model);
    for (const char *p = c->text; p && *p; p++) lines += *p == '\n';
    c->list = calloc(lines + 1, sizeof *c->list);
    c->rows = calloc(lines + 1, sizeof *c->rows);
    if (!c->text || !c->list || !c->rows) return out_of_memory();
    for (char *line = c->text, *end; !rc && (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        rc = take_cost(a, c, line);
    }
    return rc;
}

void costs_free(costs *c) {
    free(c->list);
    free(c->rows);
    free(c->text);
}

int costs_equal(const costs *a, const costs *b) {
    if (a->n != b->n) return 0;
    for (size_t i = 0; i < a->n; i++)
        if (a->list[i].factor != b->list[i].factor || strcmp(a->list[i].label, b->list[i].label) != 0) return 0;
    return 1;
}

sluice_reader_options costs_reading(const costs *c, const sluice_reader_options *reading) {
    sluice_reader_options with = *reading;
    with.costs = c->list;
    with.n_costs = c->n;
    return with;
}

void costs_count(costs *c, const sluice_reader *reader) {
    for (size_t i = 0; i < c->n; i++) c->rows[i] += sluice_reader_cost_rows(reader, i);
}

void costs_warn(const costs *c) {
    for (size_t i = 0; i < c->n && c->given; i++)
        if (!c->rows[i]) warning("--cost %s: no example has this label", c->list[i].label);
}

char *costs_line(const char *text) {
    char *line = strdup(text);
    for (char *p = line; p && *p; p++)
        if (*p == '\n') *p = p[1] ? ' ' : 0;
    return line;
}

int costs_remember(const costs *c, sluice_model *model) {
    if (!c->given) return DONE; /* the model has them already */
    memory_text text;
    size_t n;
    FILE *out = memory_text_open(&text);
    if (!out) return out_of_memory();
    for (size_t i = 0; i < c->n; i++) {
        char factor[32];
        sluice_format_double(factor, c->list[i].factor);
        fprintf(out, "%s=%s\n", c->list[i].label, factor);
    }
    char *kept = memory_text_close(&text, &n);
    if (!kept) return out_of_memory();
    sluice_status status = sluice_model_set_metadata(model, KEY, kept, n);
    free(kept);
    return status == SLUICE_OK ? DONE : complain_error(sluice_model_error(model));
}
