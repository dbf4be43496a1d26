/* Grids of options that say how rows are read: each point's are read as if they stood on the command line. */
#include "search/reading_grid.h"

#include "args/paths.h"
#include "output/message.h"

#include <stdlib.h>
#include <string.h>

/* An option that is read by reading_from_args(), kept by remember_text_options() and taken over by train_command_line()
 * needs no more than its line here. */
static const char *const readings[] = {"ngrams", "tf", "chars", "min-length", "stop-words"};

const char *reading_at(size_t i) { return i < sizeof readings / sizeof *readings ? readings[i] : NULL; }

const char *find_reading(const char *text) {
    const size_t length = strcspn(text, "=");
    const char *name;
    for (size_t i = 0; (name = reading_at(i)); i++)
        if (strlen(name) == length && memcmp(name, text, length) == 0) return name;
    return NULL;
}

int args_with_readings(const args *a, const char *const *settings, size_t n, args *with) {
    *with = *a;
    with->given = calloc(a->n_given + n + 1, sizeof *with->given);
    if (!with->given) return out_of_memory();
    if (a->n_given) memcpy(with->given, a->given, a->n_given * sizeof *with->given);
    for (size_t i = 0; i < n; i++) {
        const char *name = find_reading(settings[i]);
        const size_t length = name ? strlen(name) : 0;
        if (!name || strcmp(settings[i] + length + 1, "none") == 0) continue;
        with->given[with->n_given++] =
            (struct given_option){args_find_option(a->command, name, length), settings[i] + length + 1};
    }
    return DONE;
}

void args_without_readings(args *with) {
    free(with->given);
    with->given = NULL;
}

int reading_from_args(const args *a, sluice_reader_options *reading) {
    int rc = input_options(a, reading);
    if (!rc) rc = text_options(a, reading);
    reading->words = 1;
    return rc;
}

int check_readings(const args *a, const sluice_search *search) {
    const size_t all = sluice_search_readings(search);
    if (all > 1 && reads_once(a->inputs, a->n_inputs)) {
        size_t n;
        const char *const *first = sluice_search_reading(search, 0, &n);
        return wrong_usage(a->command->name,
                           "--grid %.*s: the inputs are read for every value, and standard input and pipes can be read "
                           "only once; save the input to a file",
                           (int)strcspn(first[0], "="), first[0]);
    }
    for (size_t i = 0; i < all; i++) {
        size_t n;
        sluice_reader_options unused;
        const char *const *settings = sluice_search_reading(search, i, &n);
        args with;
        int rc = args_with_readings(a, settings, n, &with);
        if (!rc) rc = reading_from_args(&with, &unused);
        args_without_readings(&with);
        if (rc) return rc;
    }
    return DONE;
}
