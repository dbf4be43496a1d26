/* Writes numbers for a person, with commas before every three digits. */
#include "terminal/figures.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Copies a number with commas among the digits before its point. */
static void group(const char *from, char *to) {
    if (*from == '-') *to++ = *from++;
    size_t whole = 0;
    while (isdigit((unsigned char)from[whole])) whole++;
    for (size_t i = 0; i < whole; i++) {
        if (i && (whole - i) % 3 == 0) *to++ = ',';
        *to++ = from[i];
    }
    strcpy(to, from + whole);
}

const char *count_text(uint64_t n, char text[FIGURE_TEXT]) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, n);
    group(digits, text);
    return text;
}

const char *figure_text(double x, int digits, char text[FIGURE_TEXT]) {
    const double most = 1e15; /* beyond it not all digits are known */
    char plain[32];
    if (!(fabs(x) >= 1000 && fabs(x) < most)) {
        snprintf(text, FIGURE_TEXT, "%.*g", digits, x);
        return text;
    }
    const int before = (int)floor(log10(fabs(x))) + 1;
    int n = snprintf(plain, sizeof plain, "%.*f", before < digits ? digits - before : 0, x);
    if (strchr(plain, '.')) {
        while (plain[n - 1] == '0') n--;
        if (plain[n - 1] == '.') n--;
        plain[n] = 0;
    }
    group(plain, text);
    return text;
}
