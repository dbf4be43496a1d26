/* Writes pages of the manual (man(7)). */
#include "shell/man_page.h"

#include "sluice.h"

#include <ctype.h>
#include <stdio.h>

/* Text as it is: a backslash and a hyphen mean something to man, and so do a dot and an apostrophe that begin a line.
 */
static void put_text(const char *text) {
    int line_begins = 1;
    for (; *text; text++) {
        if (line_begins && (*text == '.' || *text == '\'')) fputs("\\&", stdout);
        line_begins = *text == '\n';
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

/* Lines of a text as paragraphs; those that are indented stay as they are. */
static void put_paragraphs(const char *text) {
    int as_it_is = 0, new_line = 1;
    char line[2] = "";
    for (; *text; text++) {
        if (new_line) {
            const int indented = *text == ' ';
            if (indented != as_it_is)
                puts(indented ? ".PP\n.nf" : ".fi\n.PP");
            else if (!indented)
                puts(".PP");
            as_it_is = indented;
            if (*text == '.' || *text == '\'') fputs("\\&", stdout);
        }
        new_line = *text == '\n';
        line[0] = *text;
        if (new_line)
            putchar('\n');
        else if (*text == '.' || *text == '\'')
            putchar(*text);
        else
            put_text(line);
    }
    if (!new_line) putchar('\n');
    if (as_it_is) puts(".fi");
}

static void put_head(const char *name, const char *summary) {
    printf(".TH SLUICE");
    if (name) putchar('-');
    for (const char *at = name; at && *at; at++) putchar(toupper((unsigned char)*at));
    printf(" 1 \"\" \"sluice %s\" \"sluice\"\n.SH NAME\nsluice%s%s \\- ", sluice_version(), name ? "\\-" : "",
           name ? name : "");
    put_text(summary);
    puts("\n.SH SYNOPSIS");
}

static void put_options(const command *c) {
    puts(".SH OPTIONS");
    const option_info *o;
    for (size_t i = 0; (o = args_option_at(c, i)); i++) {
        puts(".TP");
        if (o->letter) printf("\\fB\\-%c\\fR, ", o->letter);
        fputs("\\fB\\-\\-", stdout);
        put_text(o->name);
        fputs("\\fR", stdout);
        if (o->value) {
            fputs(" \\fI", stdout);
            put_text(o->value);
            fputs("\\fR", stdout);
        }
        putchar('\n');
        put_text(o->help);
        putchar('\n');
    }
}

static void put_exit_status(void) {
    puts(".SH EXIT STATUS\n"
         "0: it is done; 1: it failed, and a message says why; 2: the command line is wrong; 128 + N: it was ended by "
         "signal N, and what was learned is saved.");
}

static void put_command(const command *c) {
    put_head(c->name, c->summary);
    fputs(".B sluice ", stdout);
    put_text(c->name);
    putchar('\n');
    put_text(c->synopsis);
    puts("\n.SH DESCRIPTION");
    put_text(c->summary);
    putchar('\n');
    if (c->notes) put_paragraphs(c->notes);
    put_options(c);
    put_exit_status();
    puts(".SH SEE ALSO\n.BR sluice (1)");
    if (c->more_help)
        printf(".PP\n\\fBsluice %s \\-\\-help\\fR also lists what depends on the learner or the stream.\n", c->name);
}

static void put_overview(const command *const *commands) {
    put_head(NULL, "learns sparse linear classifiers from data streams");
    puts(
        ".B sluice\n.I COMMAND\n[\\fIOPTION\\fR...] [\\fIINPUT\\fR...]\n.SH DESCRIPTION\n"
        "sluice learns sparse linear classifiers one example at a time, in one pass, from streams that may be too long "
        "to store and whose features keep arriving. Inputs are files, plain or compressed (gzip, zstd, bzip2, xz), or "
        "\\- or nothing for standard input.\n.SH COMMANDS");
    for (; *commands; commands++) {
        printf(".TP\n.BR sluice\\-%s (1)\n", (*commands)->name);
        put_text((*commands)->summary);
        putchar('\n');
    }
    puts(".SH EXAMPLES\n.nf\nsluice train \\-f text \\-o spam.model messages.txt\n"
         "sluice predict \\-m spam.model new.txt\nsluice inspect spam.model\n.fi");
    put_exit_status();
}

void print_man_page(const command *c, const command *const *commands) {
    if (c)
        put_command(c);
    else
        put_overview(commands);
}
