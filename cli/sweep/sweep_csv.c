/* sweep --csv: all points as CSV. */
#include "output/message.h"
#include "sweep/sweeping.h"
#include "output/text_file.h"

#include <inttypes.h>
#include <math.h>

static void put_figure(FILE *out, double x) {
    char text[32] = "";
    if (!isnan(x)) sluice_format_double(text, x);
    fprintf(out, ",%s", text);
}

static void put_quoted(FILE *out, const char *text) {
    fputs(",\"", out);
    for (; *text; text++) fputs(*text == '"' ? "\"\"" : (char[]){*text, 0}, out);
    fputc('"', out);
}

static void put_test(FILE *out, const sweeping *w, const sluice_point *p) {
    if (!w->test) {
        fputs(",,,,,,", out);
        return;
    }
    fprintf(out, ",%" PRIu64 ",%" PRIu64, p->test->examples, p->test->mistakes);
    put_figure(out, p->mean);
    put_figure(out, p->deviation);
    put_figure(out, p->test->balanced_accuracy);
    put_figure(out, p->test->auc);
}

static void put_point(FILE *out, const sweeping *w, const curve *c, const sluice_point *p) {
    fprintf(out, "%s,%s,%s,%s", c->learner->name, c->param->name, swept_value(p), p->searched ? "true" : "false");
    if (p->failure) {
        fputs(",,,,,,,,,,,,,,", out);
        put_quoted(out, p->failure);
    } else {
        fprintf(out, ",%" PRIu64 ",%" PRIu64, p->examples, p->mistakes);
        put_figure(out, progressive_error(p));
        put_figure(out, p->error_deviation);
        put_figure(out, p->features_seen);
        put_figure(out, p->nonzeros);
        put_figure(out, p->sparsity);
        put_figure(out, p->sparsity_deviation);
        put_test(out, w, p);
        fputc(',', out);
    }
    fputc('\n', out);
}

static void put_points(FILE *out, const void *what) {
    const sweeping *w = what;
    fputs("learner,parameter,value,searched,examples,mistakes,error_rate,error_rate_deviation,features_seen,nonzeros,"
          "sparsity,"
          "sparsity_deviation,test_examples,test_mistakes,test_error_rate,test_error_rate_deviation,"
          "test_balanced_accuracy,test_auc,failed\n",
          out);
    for (size_t i = 0; i < w->n_curves; i++)
        for (size_t k = 0; k < w->curves[i].n; k++) put_point(out, w, &w->curves[i], w->curves[i].points[k]);
}

int write_csv(const sweeping *w) { return write_text_file(w->csv, put_points, w); }
