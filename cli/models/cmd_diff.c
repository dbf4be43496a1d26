/* sluice diff: how the weights of two models differ. */
#include "commands.h"
#include "args/model_args.h"
#include "models/weight_list.h"
#include "output/class_text.h"
#include "output/message.h"
#include "output/report.h"
#include "output/weights.h"
#include "terminal/columns.h"
#include "terminal/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option_info options[] = {
    {"top", 0, "N",
     "how many features of each list to show, the largest differences first (default 3; with -v and --json 10)", 0},
    {"json", 0, NULL, "print the differences as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {{.option = "", .role = READS_MODEL}, {.option = NULL}};

/* A feature (of a class) whose weights differ. */
typedef struct difference {
    const listed_weight *key;
    float before, after;
} difference;

typedef struct difference_list {
    difference *entry;
    size_t n;
} difference_list;

enum { TOP = 10, TOP_BRIEF = 3 };
enum { CAME, WENT, CHANGED, LISTS };
static const char *const list_keys[LISTS] = {"came", "went", "changed"};

typedef struct comparing {
    sluice_model *model[2];
    weight_list weights[2];
    difference_list list[LISTS];
    uint64_t same;
    double squares; /* of all differences */
} comparing;

/* ---- what cannot be compared ------------------------------------------------------------------------------------- */

/* The command line is right: what does not go together are the files. */
static int refuse(const args *a, const char *how) {
    complain("%s and %s %s", a->inputs[0], a->inputs[1], how);
    return FAILED;
}

/* Weights of two classes speak for the positive one: it must be the same class in both. */
static int check_two(const args *a, sluice_model *const model[2]) {
    static const char others[] = "do not have the same classes";
    const size_t n[2] = {sluice_model_classes(model[0]), sluice_model_classes(model[1])};
    if (n[0] == 0 && n[1] == 0) return DONE;
    sluice_class c[2] = {{.size = sizeof c[0]}, {.size = sizeof c[1]}};
    for (size_t i = 0; i < 2; i++)
        if (n[i] < 2 || sluice_model_class(model[i], positive_class(model[i]), &c[i]) != SLUICE_OK)
            return refuse(a, others);
    for (uint32_t i = 0; i < 2; i++) {
        sluice_class mine = {.size = sizeof mine};
        sluice_model_class(model[0], i, &mine);
        if (sluice_model_find_class(model[1], mine.text) == SLUICE_NO_CLASS) return refuse(a, others);
    }
    if (sluice_model_find_class(model[1], c[0].text) == (uint32_t)positive_class(model[1])) return DONE;
    return refuse(a, "have different positive classes");
}

static int check_kinds(const args *a, sluice_model *const model[2]) {
    const sluice_settings *one = sluice_model_settings(model[0]), *other = sluice_model_settings(model[1]);
    if (one->classes != other->classes) return refuse(a, "are models of different kinds (--classes)");
    if (one->hash_bits != other->hash_bits)
        return refuse(a, "do not number features in the same way (--hash): none of one is known to be the same in the "
                         "other");
    return one->classes ? DONE : check_two(a, model);
}

/* Gives the classes of the second model the numbers that they have in the first; those that it lacks come behind. One
 * against one the pair of two classes can stand the other way round: then its weights have the other sign. */
static int number_problems(comparing *c) {
    const sluice_model *first = c->model[0], *second = c->model[1];
    const size_t known = sluice_model_classes(first), n = sluice_model_classes(second);
    uint32_t *to = calloc(n + 1, sizeof *to);
    if (!to) return out_of_memory();
    size_t next = known;
    for (size_t i = 0; i < n; i++) {
        sluice_class k = {.size = sizeof k};
        sluice_model_class(second, i, &k);
        to[i] = sluice_model_find_class(first, k.text);
        if (to[i] == SLUICE_NO_CLASS) to[i] = (uint32_t)next++;
    }
    for (size_t i = 0; i < c->weights[1].n; i++) {
        listed_weight *w = &c->weights[1].entry[i];
        sluice_problem p = {.size = sizeof p};
        sluice_model_problem(second, w->problem, &p);
        uint32_t up = to[p.positive], down = p.negative == SLUICE_NO_CLASS ? up : to[p.negative];
        if (p.negative != SLUICE_NO_CLASS && down > up) {
            const uint32_t other = up;
            up = down;
            down = other;
            w->weight = -w->weight;
        }
        w->problem = p.negative == SLUICE_NO_CLASS ? up : (uint32_t)((uint64_t)up * (up - 1) / 2 + down);
    }
    free(to);
    return DONE;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b) {
    const listed_weight *x = a, *y = b;
    const int order = weight_compare_keys(x, y);
    return order ? order : (x->problem > y->problem) - (x->problem < y->problem);
}

static double size_of(const difference *d) { return fabs((double)d->after - d->before); }

static int by_size(const void *a, const void *b) {
    const double x = size_of(a), y = size_of(b);
    if (x != y) return x < y ? 1 : -1;
    return by_key(((const difference *)a)->key, ((const difference *)b)->key);
}

static int compare(comparing *c) {
    const weight_list *a = &c->weights[0], *b = &c->weights[1];
    for (size_t i = 0; i < LISTS; i++)
        if (!(c->list[i].entry = malloc((a->n + b->n + 1) * sizeof *c->list[i].entry))) return out_of_memory();
    for (size_t i = 0; i < 2; i++)
        if (c->weights[i].n) qsort(c->weights[i].entry, c->weights[i].n, sizeof *a->entry, by_key);
    for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
        const listed_weight *x = i < a->n ? &a->entry[i] : NULL, *y = k < b->n ? &b->entry[k] : NULL;
        const int order = !x ? 1 : !y ? -1 : by_key(x, y);
        const difference d = {order <= 0 ? x : y, order <= 0 ? x->weight : 0, order >= 0 ? y->weight : 0};
        i += order <= 0;
        k += order >= 0;
        if (d.before == d.after) {
            c->same++;
            continue;
        }
        difference_list *list = &c->list[order < 0 ? WENT : order > 0 ? CAME : CHANGED];
        list->entry[list->n++] = d;
        c->squares += size_of(&d) * size_of(&d);
    }
    for (size_t i = 0; i < LISTS; i++)
        if (c->list[i].n) qsort(c->list[i].entry, c->list[i].n, sizeof *c->list[i].entry, by_size);
    return DONE;
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

/* Class number i, as number_problems() counts. */
static const sluice_model *model_of_class(const comparing *c, uint32_t i, uint32_t *there) {
    const size_t known = sluice_model_classes(c->model[0]);
    *there = i;
    if (i < known) return c->model[0];
    size_t next = known;
    for (uint32_t k = 0; k < sluice_model_classes(c->model[1]); k++) {
        sluice_class found = {.size = sizeof found};
        sluice_model_class(c->model[1], k, &found);
        if (sluice_model_find_class(c->model[0], found.text) == SLUICE_NO_CLASS && next++ == i) *there = k;
    }
    return c->model[1];
}

/* The classes a < b of a problem, one against one. */
static void classes_of_pair(uint32_t problem, uint32_t *a, uint32_t *b) {
    for (*b = 1; (uint64_t)*b * (*b + 1) / 2 <= problem;) ++*b;
    *a = problem - (uint32_t)((uint64_t)*b * (*b - 1) / 2);
}

static void print_classes(const comparing *c, report *r, uint32_t problem) {
    const unsigned kind = sluice_model_settings(c->model[0])->classes;
    uint32_t positive = problem, negative = SLUICE_NO_CLASS, there;
    char text[CLASS_TEXT];
    if (!kind) return;
    if (kind == SLUICE_CLASSES_OVO) classes_of_pair(problem, &negative, &positive);
    const sluice_model *m = model_of_class(c, positive, &there);
    if (r->as_json)
        json_class(&r->j, "class", m, there);
    else
        printf("  %s", class_text(m, there, text));
    if (negative == SLUICE_NO_CLASS) return;
    m = model_of_class(c, negative, &there);
    if (r->as_json)
        json_class(&r->j, "against", m, there);
    else
        printf(" against %s", class_text(m, there, text));
}

enum { OTHER_COLUMNS = 32 };

static void print_difference(const comparing *c, report *r, size_t list, const difference *d) {
    const sluice_weight key = listed_as_weight(d->key);
    char before[32], after[32];
    if (r->as_json) {
        json_open(&r->j, NULL, '{');
        json_name(&r->j, &key);
        print_classes(c, r, d->key->problem);
        json_float(&r->j, "before", d->before);
        json_float(&r->j, "after", d->after);
        json_close(&r->j, '}');
        return;
    }
    sluice_format_float(before, d->before);
    sluice_format_float(after, d->after);
    printf("  ");
    print_name_in(stdout, &key, 20, result_columns() - OTHER_COLUMNS);
    if (list == CHANGED)
        printf(" %s -> %s", before, after);
    else
        printf(" %s", list == CAME ? after : before);
    print_classes(c, r, d->key->problem);
    putchar('\n');
}

static void print_list(const comparing *c, report *r, size_t which, size_t top) {
    static const char *const titles[LISTS] = {"features that came", "features that went",
                                              "features whose weights changed most"};
    const difference_list *list = &c->list[which];
    if (r->as_json)
        json_open(&r->j, list_keys[which], '[');
    else if (list->n && top)
        printf("%s\n", titles[which]);
    for (size_t i = 0; i < list->n && i < top; i++) print_difference(c, r, which, &list->entry[i]);
    if (r->as_json) json_close(&r->j, ']');
}

static void print_model(report *r, const char *key, const sluice_model *model) {
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(model, &f);
    if (r->is_brief) {
        char text[256];
        snprintf(text, sizeof text, "%s, %s examples, %s nonzeros of %s features", f.learner->name, COUNT(f.examples),
                 COUNT(f.nonzeros), COUNT(f.features_seen));
        report_text(r, key, text);
        return;
    }
    report_open(r, key);
    report_text(r, "learner", f.learner->name);
    report_count(r, "examples", f.examples);
    report_count(r, "features_seen", f.features_seen);
    report_count(r, "nonzeros", f.nonzeros);
    report_close(r);
}

static void print_weights(report *r, const comparing *c) {
    if (r->is_brief) {
        char text[256], distance[FIGURE_TEXT];
        snprintf(text, sizeof text, "%s came, %s went, %s changed, %s are the same; distance %s",
                 COUNT(c->list[CAME].n), COUNT(c->list[WENT].n), COUNT(c->list[CHANGED].n), COUNT(c->same),
                 figure_text(sqrt(c->squares), 4, distance));
        report_text(r, "weights", text);
        return;
    }
    report_open(r, "weights");
    for (size_t i = 0; i < LISTS; i++) report_count(r, list_keys[i], c->list[i].n);
    report_count(r, "same", c->same);
    report_figure(r, "distance", sqrt(c->squares));
    report_close(r);
}

static int print(const args *a, const comparing *c, size_t top) {
    report r = report_start(args_has(a, "json"));
    print_model(&r, "before", c->model[0]);
    print_model(&r, "after", c->model[1]);
    print_weights(&r, c);
    for (size_t i = 0; i < LISTS; i++) print_list(c, &r, i, top);
    return report_end(&r);
}

static int run(const args *a) {
    uint64_t top = args_has(a, "json") || is_verbose() ? TOP : TOP_BRIEF;
    comparing c = {0};
    int rc = args_count(a, "top", 0, SIZE_MAX, &top);
    if (rc) return rc;
    if (a->n_inputs != 2) return wrong_usage(a->command->name, "which two models? sluice diff A B");
    for (size_t i = 0; i < 2 && !rc; i++) rc = model_to_use(a, a->inputs[i], &c.model[i], NULL);
    if (!rc) rc = check_kinds(a, c.model);
    for (size_t i = 0; i < 2 && !rc; i++) rc = weight_list_read(&c.weights[i], c.model[i]);
    if (!rc && sluice_model_settings(c.model[0])->classes) rc = number_problems(&c);
    if (!rc) rc = compare(&c);
    if (!rc) rc = print(a, &c, (size_t)top);
    for (size_t i = 0; i < LISTS; i++) free(c.list[i].entry);
    for (size_t i = 0; i < 2; i++) {
        weight_list_free(&c.weights[i]);
        sluice_model_free(c.model[i]);
    }
    return rc;
}

const command diff_command = {
    .name = "diff",
    .summary = "show how two models differ: features that came, went, changed most",
    .synopsis = "A B [--top N] [--json]",
    .notes =
        "Came: no weight in A, one in B; went: the reverse. Features are the same where they have the same id or "
        "name, weights of several classes where their classes have the same label. The distance is the square root "
        "of the sum of the squares of all differences. The models may be of different learners; an unfinished "
        "batch is learned first.",
    .options = options,
    .files = files,
    .max_inputs = 2,
    .run = run,
};
