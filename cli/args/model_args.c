/* Makes or loads the model that a command line asks for. */
#include "args/model_args.h"

#include "output/message.h"
#include "output/shown_text.h"
#include "args/nearest.h"
#include "args/params.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const class_kinds[] = {"two", "ovr", "ovo", "matrix", NULL}; /* by SLUICE_CLASSES_ */

static const char *const transforms[] = {"none", "log1p", "binary", NULL}; /* by SLUICE_TRANSFORM_ */

static const char *const scales[] = {"none", "running", "maxabs", "idf", NULL}; /* by SLUICE_SCALE_ */

const char *classes_name(unsigned kind) { return class_kinds[kind]; }

const char *transform_name(unsigned transform) { return transforms[transform]; }

const char *scale_name(unsigned scale) { return scales[scale]; }

/* Reads --classes. */
static int class_settings(const args *a, sluice_settings *settings) {
    size_t kind = 0;
    int rc = args_has(a, "classes") ? args_word(a, "classes", class_kinds + 1, &kind) : DONE;
    if (!rc && args_has(a, "classes")) settings->classes = (unsigned)kind + 1;
    if (!rc && settings->classes && args_has(a, "positive"))
        rc = wrong_usage(a->command->name, "--positive is for two classes, and --classes for several");
    return rc;
}

int example_settings(const args *a, sluice_settings *settings) {
    static const char *const norms[] = {"none", "l2", NULL};
    size_t norm = 0, transform = 0, scale = 0;
    *settings = (sluice_settings){.size = sizeof *settings};
    int rc = args_number(a, "bias", &settings->bias);
    if (!rc) rc = args_word(a, "normalize", norms, &norm);
    if (!rc) rc = args_word(a, "transform", transforms, &transform);
    if (!rc) rc = args_word(a, "scale", scales, &scale);
    settings->transform = (unsigned)transform;
    settings->scale = (unsigned)scale;
    settings->normalize = norm ? SLUICE_NORMALIZE_L2 : SLUICE_NORMALIZE_NONE;
    settings->positive = args_value(a, "positive");
    return rc ? rc : class_settings(a, settings);
}

int class_from_args(const args *a, const sluice_model *model, uint32_t *found) {
    const char *label = args_value(a, "class");
    *found = SLUICE_NO_CLASS;
    if (!label) return DONE;
    if (sluice_model_settings(model)->classes == SLUICE_CLASSES_TWO)
        return wrong_usage(a->command->name, "--class is for models of several classes (train --classes)");
    *found = sluice_model_find_class(model, (sluice_name){label, strlen(label)});
    if (*found != SLUICE_NO_CLASS) return DONE;
    return wrong_usage(a->command->name, "--class %s: the model has no such class", label);
}

/* The options that bound memory. */
static int memory_settings(const args *a, sluice_settings *settings) {
    uint64_t bits = 0;
    int rc = args_count(a, "hash", 1, SLUICE_MAX_HASH_BITS, &bits);
    if (!rc) rc = args_count(a, "max-features", 1, SLUICE_MAX_FEATURES, &settings->max_features);
    settings->hash_bits = (unsigned)bits;
    return rc;
}

/* Whether two labels are one class. */
static int same_label(const char *a, const char *b) {
    double x, y;
    if (sluice_parse_number(a, &x) && sluice_parse_number(b, &y)) return x == y;
    return strcmp(a, b) == 0;
}

/* Whether the model has the positive class that is asked for: as it was named, or as it turned out. */
static int has_positive(const sluice_model *model, const char *asked) {
    const char *named = sluice_model_settings(model)->positive;
    sluice_class c = {.size = sizeof c};
    if (named) return same_label(named, asked);
    for (size_t i = 0; sluice_model_class(model, i, &c) == SLUICE_OK; i++)
        if (c.is_positive) return same_label(c.text.text, asked);
    return same_label(asked, "1") && sluice_model_classes(model) == 0;
}

int unknown_learner(const command *c, const char *name) {
    char known[2048] = "";
    size_t length = 0;
    nearest best = nearest_start(name);
    const sluice_learner_info *l;
    for (size_t i = 0; (l = sluice_learner_at(i)) && length < sizeof known; i++) {
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", l->name);
        nearest_try(&best, l->name);
    }
    return wrong_usage(c->name, "unknown learner '%s'%s%s%s; there are: %s", name, best.word ? " (did you mean '" : "",
                       best.word ? best.word : "", best.word ? "'?)" : "", known);
}

int recipe_from_args(const args *a, const char *otherwise, recipe *r) {
    const char *name = args_value(a, "learner");
    *r = (recipe){.learner = sluice_learner_find(name ? name : otherwise)};
    if (!r->learner) return unknown_learner(a->command, name);
    r->params = calloc(a->n_given + 1, sizeof *r->params);
    if (!r->params) return out_of_memory();
    r->n_params = args_values(a, "param", r->params);
    return example_settings(a, &r->settings);
}

void recipe_free(recipe *r) { free(r->params); }

sluice_model *recipe_model(const recipe *r, const char *more, sluice_error *err) {
    const char **params = calloc(r->n_params + 1, sizeof *params);
    if (!params) {
        *err = (sluice_error){.status = SLUICE_E_MEMORY, .message = "out of memory"};
        return NULL;
    }
    for (size_t i = 0; i < r->n_params; i++) params[i] = r->params[i];
    params[r->n_params] = more;
    sluice_model *m = sluice_model_new(r->learner->name, params, r->n_params + (more != NULL), &r->settings, err);
    free(params);
    return m;
}

/* The value that -P, or --sparsity, gives a parameter must be the one the model has. A fresh model made from the same
 * options has read them by the library's own rules. */
static int check_params(const args *a, const recipe *r, const sluice_model *model, const sluice_model_facts *facts,
                        const char *path) {
    sluice_error err = {0};
    recipe same = {facts->learner, r->params, r->n_params, {.size = sizeof same.settings}};
    sluice_model *asked = recipe_model(&same, NULL, &err);
    if (!asked) return complain_error(&err);
    int rc = DONE;
    for (size_t i = 0; i < facts->learner->n_params && !rc; i++) {
        const sluice_param_info *p = &facts->learner->params[i];
        size_t length = strlen(p->name);
        for (size_t k = 0; k < r->n_params && !rc; k++) {
            const char *text = r->params[k];
            if (strncmp(text, p->name, length) != 0 || text[length] != '=') continue;
            double has = sluice_model_param(model, i);
            if (sluice_model_param(asked, i) == has) continue;
            char value[PARAM_TEXT];
            rc = wrong_usage(a->command->name,
                             "-P %s: the model %s has %s=%s, and -i goes on with the model's own parameters", text,
                             path, p->name, param_value_text(p, has, value));
        }
    }
    sluice_model_free(asked);
    return rc;
}

static int contradicts(const args *a, const char *option, const char *path) {
    return wrong_usage(a->command->name,
                       "--%s %s: the model %s was made with another setting, and -i goes on with its own", option,
                       args_value(a, option), path);
}

static int check_resumed(const args *a, const recipe *r, const sluice_model *model, const char *path) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(model, &facts);
    const char *learner = args_value(a, "learner");
    if (learner && strcmp(r->learner->name, facts.learner->name) != 0)
        return wrong_usage(a->command->name, "-a %s: the model %s was learned by %s, and -i goes on with its learner",
                           learner, path, facts.learner->name);
    if (facts.is_final)
        return wrong_usage(
            a->command->name,
            "-i %s: a predict-only model (train --final) cannot go on learning; keep the full one for that", path);
    const sluice_settings *has = sluice_model_settings(model), *asked = &r->settings;
    int rc;
    const char *other_text = contradicting_text_option(a, model, &rc);
    if (rc) return rc;
    /* the model keeps its bias as a float */
    if (args_has(a, "bias") && (float)asked->bias != (float)has->bias) return contradicts(a, "bias", path);
    if (args_has(a, "normalize") && asked->normalize != has->normalize) return contradicts(a, "normalize", path);
    if (args_has(a, "transform") && asked->transform != has->transform) return contradicts(a, "transform", path);
    if (args_has(a, "scale") && asked->scale != has->scale) return contradicts(a, "scale", path);
    if (args_has(a, "hash") && asked->hash_bits != has->hash_bits) return contradicts(a, "hash", path);
    if (args_has(a, "max-features") && asked->max_features != has->max_features)
        return contradicts(a, "max-features", path);
    if (args_has(a, "classes") && asked->classes != has->classes) return contradicts(a, "classes", path);
    if (asked->positive && !has_positive(model, asked->positive)) return contradicts(a, "positive", path);
    if (args_knows(a, "format") && contradicts_format(model, args_value(a, "format")))
        return contradicts(a, "format", path);
    if (other_text) return contradicts(a, other_text, path);
    if (quadratic_contradicts(a, model)) return contradicts(a, "quadratic", path);
    return check_params(a, r, model, &facts, path);
}

sluice_status finish_model(sluice_model **model, sluice_error *err) {
    if (!sluice_model_waiting(*model)) return SLUICE_OK;
    sluice_model *finished = sluice_model_finished(*model, err);
    sluice_model_free(*model);
    *model = finished;
    return finished ? SLUICE_OK : err->status;
}

int model_to_use(const args *a, const char *path, sluice_model **model, uint64_t *waiting) {
    sluice_error err = {0};
    *model = sluice_model_load(path, &err);
    if (!*model) return complain_error(&err);
    sluice_model_set_threads(*model, a->threads);
    if (waiting) *waiting = sluice_model_waiting(*model);
    return finish_model(model, &err) == SLUICE_OK ? DONE : complain_error(&err);
}

/* --sparsity S is -P sparsity=S of auto, and a share strictly between 0 and 1. */
static int read_sparsity(const args *a, recipe *r, char text[64]) {
    double share = 0;
    if (!args_has(a, "sparsity")) return DONE;
    int rc = args_number(a, "sparsity", &share);
    if (rc) return rc;
    if (!(share > 0 && share < 1))
        return wrong_usage(a->command->name, "--sparsity %s: it is a share of the weights, above 0 and below 1",
                           args_value(a, "sparsity"));
    if (strcmp(r->learner->name, sluice_learner_default()) != 0)
        return wrong_usage(a->command->name,
                           "--sparsity is for the learner auto, which chooses strengths; the sparsity of %s comes from "
                           "its parameters (`sluice sweep -a %s --sparsity %s` finds them)",
                           r->learner->name, r->learner->name, args_value(a, "sparsity"));
    for (size_t i = 0; i < r->n_params; i++)
        if (strncmp(r->params[i], "sparsity=", 9) == 0)
            return wrong_usage(a->command->name, "--sparsity and -P %s: give one of them", r->params[i]);
    memcpy(text, "sparsity=", 10);
    sluice_format_double(text + 9, share);
    r->params[r->n_params++] = text;
    return DONE;
}

static int load_or_make(const args *a, sluice_model **model) {
    sluice_error err = {0};
    const char *path = args_knows(a, "resume") ? args_value(a, "resume") : NULL;
    recipe r;
    char sparsity[64];
    *model = NULL;
    int rc = recipe_from_args(a, sluice_learner_default(), &r);
    if (!rc) rc = read_sparsity(a, &r, sparsity);
    if (!rc) rc = memory_settings(a, &r.settings);
    if (!rc) {
        *model = path ? sluice_model_load(path, &err) : recipe_model(&r, NULL, &err);
        if (!*model) rc = complain_error(&err);
    }
    if (!rc) rc = path ? check_resumed(a, &r, *model, path) : remember_text_options(a, *model);
    recipe_free(&r);
    return rc;
}

void print_learner_help(const char *name, const char *otherwise) {
    const sluice_learner_info *l = sluice_learner_find(name ? name : otherwise);
    if (!l) {
        fputs("\nThere is no learner '", stdout);
        put_shown(stdout, name);
        puts("'; `sluice learners` lists them.");
        return;
    }
    printf("\nparameters of %s%s:\n", l->name, name ? "" : ", the default learner (-a LEARNER --help for others)");
    print_params(l->params, l->n_params, 2);
}

int model_from_args(const args *a, sluice_model **model) {
    int rc = load_or_make(a, model);
    if (*model) sluice_model_set_threads(*model, a->threads);
    return rc;
}

const sluice_param_info *learner_param_at(size_t i) {
    const sluice_learner_info *l;
    for (size_t k = 0; (l = sluice_learner_at(k)); i -= l->n_params, k++)
        if (i < l->n_params) return &l->params[i];
    return NULL;
}
