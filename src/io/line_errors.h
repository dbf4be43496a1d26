/* What is wrong with a line of text: what the parsers of all text formats share. */
#ifndef SL_LINE_ERRORS_H
#define SL_LINE_ERRORS_H

#include "io/block.h"
#include "rows/label_text.h"

/* What is wrong with a line, and where. */
typedef struct sl_trouble {
    sl_reason reason; /* SL_REASONS: there is no memory */
    const char *at;
    bool counted; /* such lines are left out and only counted: no messages are made */
    char message[400];
} sl_trouble;

/* These return false, so that `return sl_bad(...)` reads as one sentence. The format has one %s: the n bytes, quoted.
 */
bool sl_bad(sl_trouble *t, sl_reason reason, const char *at, const char *format, const char *text, size_t n);

/* Reads all of [p, end) as a number. Messages begin with `what`, the bytes quoted, `of`: "value 'x' of id 5 is ...". */
bool sl_number_between(const char *p, const char *end, float *value, sl_reason reason, const char *what, const char *of,
                       sl_trouble *t);
/* Reads all of [p, end) as a label: any text where the rules allow words, else a number. */
/* Whether [p, end) says that there is no label, where that may be. */
static inline bool sl_label_is_missing(const char *p, const char *end, const sl_rules *rules) {
    return rules->missing_labels && (p == end || (end - p == 1 && *p == '?'));
}
bool sl_label_between(const char *p, const char *end, const sl_rules *rules, sl_label *label, sl_trouble *t);
/* An importance weight: a number that is not negative. */
bool sl_weight_between(const char *p, const char *end, float *weight, sl_trouble *t);

bool sl_no_nul(const char *p, const char *end, sl_trouble *t);
bool sl_length_is_fine(const char *line, const char *newline, size_t max_line, sl_trouble *t);

#endif
