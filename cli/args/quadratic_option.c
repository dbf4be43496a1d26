/* --quadratic: which features are crossed. */
#include "args/quadratic_option.h"

#include "output/message.h"

#include <stdio.h>
#include <string.h>

#define KEY "reader.quadratic"

int quadratic_option(const args *a, const char **text) {
    static char all[SLUICE_MAX_QUADRATIC + 1]; /* there is one command line */
    size_t n = 0;
    *text = NULL;
    if (!args_knows(a, "quadratic")) return DONE;
    for (size_t i = 0; i < a->n_given; i++) {
        const char *value = a->given[i].value;
        sluice_error err = {0};
        if (strcmp(a->given[i].option->name, "quadratic") != 0) continue;
        if (strchr(value, '\n')) return wrong_usage(a->command->name, "--quadratic: a name with a line end");
        if (sluice_quadratic_check(value, &err) != SLUICE_OK) return wrong_usage(a->command->name, "--%s", err.message);
        if (n + strlen(value) + 1 > SLUICE_MAX_QUADRATIC)
            return wrong_usage(a->command->name, "--quadratic: more than %d bytes", SLUICE_MAX_QUADRATIC);
        n += (size_t)sprintf(all + n, "%s%s", n ? "\n" : "", value);
    }
    if (!n) return DONE;
    sluice_error err = {0};
    if (sluice_quadratic_check(all, &err) != SLUICE_OK) return wrong_usage(a->command->name, "--%s", err.message);
    *text = all;
    return DONE;
}

int remember_quadratic(const args *a, sluice_model *model) {
    const char *text;
    int rc = quadratic_option(a, &text);
    if (rc || !text) return rc;
    if (sluice_model_set_metadata(model, KEY, text, strlen(text)) == SLUICE_OK) return DONE;
    return complain_error(sluice_model_error(model));
}

int quadratic_contradicts(const args *a, const sluice_model *model) {
    const char *text, *kept = sluice_model_metadata(model, KEY, NULL);
    return quadratic_option(a, &text) == DONE && text && (!kept || strcmp(text, kept) != 0);
}

void quadratic_warn(sluice_reader *reader) {
    const char *missing = sluice_reader_uncrossed(reader);
    if (missing) warning("--%s", missing);
}
