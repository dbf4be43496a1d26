/* Prints messages on stderr. */
#include "output/message.h"

#include "output/shown_text.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static unsigned quietness;
static int verbose;

void set_quietness(unsigned times) { quietness = times; }

void set_verbose(int wanted) { verbose = wanted; }

int is_verbose(void) { return verbose; }

int shows_progress(void) { return quietness < 1; }

static int shows_warnings(void) { return quietness < 2; }

/* Escaped as a whole: paths, arguments and bytes of inputs may stand anywhere in a message. */
static void say(const char *kind, const char *format, va_list values) {
    char text[4 * 4096];
    vsnprintf(text, sizeof text, format, values);
    flockfile(stderr); /* threads say something too, of librdkafka for one */
    fprintf(stderr, "sluice: %s", kind);
    put_shown(stderr, text);
    fputc('\n', stderr);
    funlockfile(stderr);
}

void complain(const char *format, ...) {
    va_list values;
    va_start(values, format);
    say("", format, values);
    va_end(values);
}

int wrong_usage(const char *command, const char *format, ...) {
    va_list values;
    va_start(values, format);
    say("", format, values);
    va_end(values);
    if (command)
        fprintf(stderr, "try: sluice %s --help\n", command);
    else
        fputs("try: sluice --help\n", stderr);
    return WRONG_USAGE;
}

void warning(const char *format, ...) {
    va_list values;
    va_start(values, format);
    if (shows_warnings()) say("warning: ", format, values);
    va_end(values);
}

void note(const char *format, ...) {
    va_list values;
    va_start(values, format);
    if (shows_warnings()) say("note: ", format, values);
    va_end(values);
}

void warning_detail(const char *format, ...) {
    va_list values;
    va_start(values, format);
    if (shows_warnings()) say("  ", format, values);
    va_end(values);
}

void tell_progress(const char *format, ...) {
    va_list values;
    va_start(values, format);
    if (shows_progress()) say("", format, values);
    va_end(values);
}

int complain_error(const sluice_error *error) { return complain_error_with(error, ""); }

int complain_error_with(const sluice_error *error, const char *advice) {
    char line[24] = "", column[24] = "";
    if (error->line) snprintf(line, sizeof line, "%" PRIu64 ":", error->line);
    if (error->line && error->column) snprintf(column, sizeof column, "%" PRIu64 ":", error->column);
    complain("%s%s%s%s%s%s%s", error->source, error->source[0] ? ":" : "", line, column,
             error->source[0] || error->line ? " " : "",
             error->message[0] ? error->message : "failed for an unknown reason; please report this", advice);
    return error->status == SLUICE_E_USAGE ? WRONG_USAGE : FAILED;
}

/* A pipe whose other end is closed reports an error at once. */
static int stdout_reader_gone(void) {
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR);
}

int complain_writer(const sluice_writer *writer, const char *path) {
    if (strcmp(path, "-") == 0 && stdout_reader_gone()) return FAILED;
    return complain_error(sluice_writer_error(writer));
}

int out_of_memory(void) {
    complain("out of memory");
    return FAILED;
}

int flush_results(FILE *stream, const char *name) {
    errno = 0;
    if (fflush(stream) == 0 && !ferror(stream)) return DONE;
    /* ferror() without errno: an earlier write failed and its reason is gone */
    if (errno == 0 && !(stream == stdout && stdout_reader_gone()))
        complain("%s: cannot write all results", name);
    else if (errno != 0 && errno != EPIPE)
        complain("%s: cannot write: %s", name, strerror(errno));
    return FAILED;
}
