/* Wraps text for a terminal. */
#include "output/wrap.h"

#include <string.h>

enum { LAST_COLUMN = 79 };

static int word_length(const char *text) {
    const char *end = text + strcspn(text, " \n");
    const char *bracket = text[0] == '[' ? strpbrk(text, "]\n") : NULL;
    if (bracket && bracket > end) end = bracket + strcspn(bracket, " \n");
    return (int)(end - text);
}

void print_wrapped(FILE *out, const char *text, int column, int indent) {
    int line_begins = 1; /* there is no text on this line yet */
    for (; *text; text += strspn(text, " ")) {
        if (*text == '\n') {
            fputc('\n', out);
            column = 0;
            line_begins = 1;
            text++;
            continue;
        }
        int word = word_length(text);
        if (!line_begins && column + 1 + word > LAST_COLUMN) {
            fputc('\n', out);
            column = 0;
            line_begins = 1;
        }
        if (!line_begins)
            column += fprintf(out, " ");
        else if (column < indent)
            column += fprintf(out, "%*s", indent - column, "");
        column += fprintf(out, "%.*s", word, text);
        line_begins = 0;
        text += word;
    }
    fputc('\n', out);
}
