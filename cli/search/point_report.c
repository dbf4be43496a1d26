#include "search/point_report.h"

#include "output/message.h"

#include <math.h>

void print_figure(int width, double x) {
    if (isnan(x))
        printf("%*s", width, "-");
    else if (fabs(x) < 1000)
        printf("%*.4f", width, x);
    else
        printf("%*.6g", width, x);
}

void report_search_settings(report *r, const args *a, const recipe *like, const char *format) {
    sluice_model *model = recipe_model(like, NULL, &(sluice_error){0});
    if (model && remember_text_options(a, model) == DONE && remember_stream(a, model, format) == DONE)
        report_settings(r, model);
    sluice_model_free(model);
}

/* A model of the point knows what its parameters are. */
void json_point_params(report *r, const point *p) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model *model = recipe_model(&p->recipe, NULL, &(sluice_error){0});
    if (!model) {
        json_null(&r->j, "params");
        return;
    }
    sluice_model_describe(model, &facts);
    report_params(r, model, &facts);
    sluice_model_free(model);
}
