/* Finds the word that a mistyped one was probably meant to be. */
#include "args/nearest.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 63 }; /* longer words are not compared */

static int same_letter(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

/* Levenshtein's distance, one row of the table at a time. */
static size_t edit_distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b), row[LONGEST + 1];
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + !same_letter(a[i - 1], b[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[m];
}

nearest nearest_start(const char *wanted) {
    /* words that share less than about half of the letters are not suggested */
    return (nearest){wanted, NULL, strlen(wanted) / 2 + 1};
}

int nearest_try(nearest *n, const char *word) {
    size_t d = edit_distance(n->wanted, word), length = strlen(n->wanted);
    /* the beginning of a word counts as one wrong letter, however much is missing */
    if (d > 1 && length > 1 && strncasecmp(n->wanted, word, length) == 0) d = 1;
    if (d >= n->distance) return 0;
    n->distance = d;
    n->word = word;
    return 1;
}
