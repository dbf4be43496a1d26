/* Writes command lines that a person can run again. */
#include "args/command_line.h"

#include "output/memory_text.h"
#include "output/shown_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In quotes in which bytes may stand as \xNN: such a word is read back exactly, and does nothing to a terminal. */
static void put_escaped_word(FILE *out, const char *word) {
    char piece[SLUICE_ESCAPED];
    fputs(" $'", out);
    for (size_t n = strlen(word), k; n; word += k, n -= k) {
        k = sluice_escape(word, n, piece);
        if (*word == '\\' || *word == '\'') fputc('\\', out);
        fputs(piece, out);
    }
    fputc('\'', out);
}

/* A word as a shell reads it. */
static void put_word(FILE *out, const char *word) {
    const char *at = word;
    while (isalnum((unsigned char)*at) || (*at && strchr("_-+=.,:/@%^", *at))) at++;
    if (*word && !*at) {
        fprintf(out, " %s", word);
        return;
    }
    if (!shows_as_it_is(word)) {
        put_escaped_word(out, word);
        return;
    }
    fputs(" '", out);
    for (; *word; word++) fputs(*word == '\'' ? "'\\''" : (char[]){*word, 0}, out);
    fputc('\'', out);
}

/* The options that train has too, other than learner and parameters. */
static int is_trains(const option_info *o) {
    static const char *const names[] = {"bias",      "transform",  "scale",      "normalize", "ngrams",    "tf",
                                        "chars",     "min-length", "stop-words", "passes",    "positive",  "classes",
                                        "cost",      "format",     "label",      "weight",    "no-header", "on-error",
                                        "separator", "columns",    "ignore",     "text",      "quadratic"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], o->name) == 0) return 1;
    return 0;
}

/* An option as it was given, by its letter if it has one. */
static void put_given(FILE *out, const struct given_option *given) {
    if (given->option->letter)
        fprintf(out, " -%c", given->option->letter);
    else
        fprintf(out, " --%s", given->option->name);
    if (given->value) put_word(out, given->value);
}

/* "normalize=l2" as an option, unless it is the default. */
static void put_setting(FILE *out, const char *setting) {
    const char *value = setting + strcspn(setting, "=") + 1;
    if (strcmp(value, "none") == 0 || strcmp(setting, "bias=0") == 0) return;
    fprintf(out, " --%.*s", (int)(value - setting - 1), setting);
    put_word(out, value);
}

char *train_command_line(const args *a, const sluice_point *p, const char *output) {
    memory_text text;
    FILE *out = memory_text_open(&text);
    if (!out) return NULL;
    fprintf(out, "sluice train -a %s", p->learner->name);
    for (size_t i = 0; i < p->n_params; i++) {
        fputs(" -P", out);
        put_word(out, p->params[i]);
    }
    for (size_t i = 0; i < p->n_varied; i++) put_setting(out, p->varied[i]);
    for (size_t i = 0; i < a->n_given; i++) {
        if (!is_trains(a->given[i].option)) continue;
        fprintf(out, " --%s", a->given[i].option->name);
        if (a->given[i].value) put_word(out, a->given[i].value);
    }
    fputs(" -o", out);
    put_word(out, output ? output : "MODEL");
    for (size_t i = 0; i < a->n_inputs; i++) put_word(out, a->inputs[i]);
    return memory_text_close(&text, NULL);
}

char *given_command_line(const args *a) {
    memory_text text;
    FILE *out = memory_text_open(&text);
    if (!out) return NULL;
    fprintf(out, "sluice %s", a->command->name);
    for (size_t i = 0; i < a->n_given; i++) put_given(out, &a->given[i]);
    for (size_t i = 0; i < a->n_inputs; i++) put_word(out, a->inputs[i]);
    return memory_text_close(&text, NULL);
}

char *first_command_line(const args *a, const char *options) {
    memory_text text;
    FILE *out = memory_text_open(&text);
    if (!out) return NULL;
    fprintf(out, "sluice train --holdout 0.2%s", options);
    for (size_t i = 0; i < a->n_given; i++)
        if (is_trains(a->given[i].option)) put_given(out, &a->given[i]);
    fputs(" -o MODEL", out);
    for (size_t i = 0; i < a->n_inputs; i++) put_word(out, a->inputs[i]);
    return memory_text_close(&text, NULL);
}
