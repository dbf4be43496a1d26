/* What the examples share: leaving with a message when a call failed. */
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <sluice.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints a failure with its place, if it has one, and leaves. */
static inline void fail(const sluice_error *err) {
    if (err->line)
        fprintf(stderr, "%s:%llu: %s\n", err->source, (unsigned long long)err->line, err->message);
    else
        fprintf(stderr, "%s\n", err->message);
    exit(1);
}

/* For constructors, which return NULL and fill in *err. */
static inline void need(const void *object, const sluice_error *err) {
    if (!object) fail(err);
}

/* For calls that return a status; their message is in `err`. */
static inline void check(sluice_status status, const sluice_error *err) {
    if (status != SLUICE_OK) fail(err);
}

#endif
