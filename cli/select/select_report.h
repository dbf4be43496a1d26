/* The results of `sluice select`. */
#ifndef CLI_SELECT_REPORT_H
#define CLI_SELECT_REPORT_H

#include "output/report.h"

/* The budgets, and the best of the largest one's features (top 0: all). */
void report_selection(report *r, const sluice_selection *s, size_t top);
/* All chosen features of all budgets as tab-separated text. Returns an exit status after saying what went wrong. */
int write_selection(const sluice_selection *s, const char *path);

#endif
