/* What the parts of `sluice sweep` share: options, rows, curves and findings. */
#ifndef CLI_SWEEPING_H
#define CLI_SWEEPING_H

#include "output/report.h"
#include "search/search_args.h"

/* One learner: its points by ascending value of the parameter. */
typedef struct curve {
    const sluice_learner_info *learner;
    const sluice_param_info *param;
    const sluice_point **points;
    size_t n;
} curve;

/* The point of a curve that comes closest to a sparsity that was asked for. */
typedef struct finding {
    const curve *of;
    double wanted;
    const sluice_point *closest; /* NULL: all points failed, or have no weight left */
    int reached;                 /* its nonzeros differ by a tenth at most */
} finding;

typedef struct sweeping {
    const args *a;
    sluice_reader_options reading;
    sluice_settings settings;
    const char *test, *csv, *html;
    uint64_t passes, repeats, dimension, shuffle;
    int shuffle_all; /* the first run too */
    double *wanted;  /* sparsities, by --sparsity */
    size_t n_wanted;

    costs costs;
    int held;             /* the rows are in memory, for repeats and refinements */
    sluice_dataset *data; /* those to learn, then those to test on; or the latter alone */
    size_t n_rows;        /* to learn from, of `data` */
    sluice_batch *test_rows;
    uint64_t examples, positives, test_examples; /* of one pass; those of importance 0 do not count */
    skip_tally skipped, test_skipped;            /* of one pass, too */
    const char *format;                          /* of the last input */

    sluice_search *search;
    sluice_model *stream_classes; /* of rows that are not held */
    const sluice_point **points;  /* all of them */
    curve *curves;                /* one for each learner */
    size_t n_curves;
    finding *findings; /* n_wanted for each learner */
    size_t n_findings;
    double seconds;
} sweeping;

/* The error that points are compared by: on the test file, or else while learning. */
double point_error(const sweeping *w, const sluice_point *p);
/* While learning. */
double progressive_error(const sluice_point *p);
/* The value of the swept parameter, as text and as a number. */
const char *swept_value(const sluice_point *p);
double swept_number(const sluice_point *p);

/* Whether tables and charts show the point: all but steps of the search for sparsities that are not its result. */
int is_shown(const sweeping *w, const sluice_point *p);
/* The dimension that the point's sparsity refers to; 0 where nothing was seen. */
double point_dimension(const sweeping *w, const sluice_point *p);

/* Among the points shown that are at least so sparse and have a weight left the one of the smallest error, then the
 * sparser, then the first; NULL where there is none. *of (may be NULL) becomes its curve. */
const sluice_point *best_at(const sweeping *w, double sparsity, const curve **of);
/* The levels of sparsity to give the best for: those wanted, or some usual ones. */
size_t sweep_levels(const sweeping *w, const double **levels);

/* All that follow return an exit status after saying what is wrong. */

/* sweep_args.c: the learners with the values of their parameters. */
int sweep_search(sweeping *w);

/* sweep_rows.c: the classes of the rows to learn from. */
const sluice_model *sweep_classes(const sweeping *w);
/* Reads what must be held, the test file at least. */
int sweep_read(sweeping *w);
/* Learns and measures all points, then searches for the wanted sparsities. */
int sweep_learn(sweeping *w);

/* sweep_curves.c: the points as curves, and the findings. */
int make_curves(sweeping *w);
void curves_free(sweeping *w);
int make_findings(sweeping *w);

/* sweep_report.c, sweep_json.c, sweep_csv.c, sweep_page.c, sweep_chart.c: the results. */
void report_sweep(report *r, const sweeping *w);
void json_sweep(report *r, const sweeping *w);
int write_csv(const sweeping *w);
int write_page(const sweeping *w);
/* The chart; nothing where there is no point to draw. */
void put_sweep_chart(FILE *out, const sweeping *w);
/* The line and marker of a curve, and its name. */
void put_curve_key(FILE *out, const sweeping *w, const curve *c);

#endif
