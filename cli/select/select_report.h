/* The results of `sluice select`. */
#ifndef CLI_SELECT_REPORT_H
#define CLI_SELECT_REPORT_H

#include "args/args.h"
#include "output/report.h"

/* The budgets, and the best of the largest one's features (top 0: all). */
void report_selection(report *r, const sluice_selection *s, size_t top);
/* All chosen features of all budgets as tab-separated text. Returns an exit status after saying what went wrong. */
int write_selection(const sluice_selection *s, const char *path);

/* What a page tells of the run. */
typedef struct select_facts {
    const args *a;
    const sluice_selection *selection;
    const char *learner, *test; /* test: the file measured on; NULL: held-out examples */
    uint64_t examples, test_examples, passes, top, skipped;
} select_facts;

/* select_page.c: writes a page with a chart of the budgets and the features of the largest one. */
int write_select_page(const char *path, const select_facts *facts);

#endif
