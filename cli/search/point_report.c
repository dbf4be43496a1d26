/* Prints points of a search, and the settings of one. */
#include "search/point_report.h"

#include "output/message.h"
#include "terminal/figures.h"

#include <math.h>

void print_figure(int width, double x) {
    if (isnan(x))
        printf("%*s", width, "");
    else if (fabs(x) < 1000)
        printf("%*.4f", width, x);
    else
        printf("%*s", width, figure_text(x, 6, (char[FIGURE_TEXT]){0}));
}

void report_search_settings(report *r, const args *a, const sluice_point *like, const char *format) {
    sluice_model *model =
        sluice_model_new(like->learner->name, like->params, like->n_params, like->settings, &(sluice_error){0});
    if (model && remember_text_options(a, model) == DONE && remember_input(a, model, format) == DONE)
        report_settings(r, model);
    else
        r->failed = 1;
    sluice_model_free(model);
}

/* Read from a model, which has the defaults of the others. */
void json_point_params(report *r, const sluice_point *p) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model *model = sluice_model_new(p->learner->name, p->params, p->n_params, NULL, &(sluice_error){0});
    if (!model) {
        r->failed = 1;
        return;
    }
    sluice_model_describe(model, &facts);
    report_params(r, model, &facts);
    sluice_model_free(model);
}
