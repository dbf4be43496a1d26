/* Messages as lines of text, and which of them are done; what client brings them does not matter here.
 *
 * The thread that reads adds messages between message_lines_begin() and message_lines_end(); their lines go straight
 * into the caller's memory. A message waits in a ring until the rows up to its line are done. */
#ifndef CLI_MESSAGE_LINES_H
#define CLI_MESSAGE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MESSAGES_AT_ONCE = 16384,        /* in one call at most, */
    MESSAGES_BYTES_AT_ONCE = 4 << 20 /* and in bytes, before the last one */
};

/* Why a message cannot be a line. */
typedef enum message_flaw { FLAW_NONE, FLAW_LINES, FLAW_QUOTES, FLAW_NO_LABEL, FLAW_LABEL } message_flaw;
/* What is wrong with it; NULL: nothing. */
const char *message_flaw_text(message_flaw flaw);

/* A message. */
typedef struct message {
    const char *value; /* NULL: a tombstone */
    size_t n;
    const char *label; /* of a header; NULL: it has none */
    size_t label_n;
    size_t more; /* bytes that it has besides, such as those of its key */
    int64_t offset;
    uint32_t partition; /* whatever number the caller gives it */
    bool marked;        /* message_lines_mark() follows */
    void *kept;         /* the caller's, until it is done */
} message;

/* A message whose rows are not done. */
typedef struct waiting_message {
    int64_t offset;
    uint64_t end; /* bytes of text up to the end of its line */
    void *kept;
    uint32_t partition;
    uint8_t flaw; /* a message_flaw */
    bool marked;
} waiting_message;

/* What is known of a message that can be asked for again. */
typedef struct message_mark {
    int64_t offset, time;
    uint64_t hash;
} message_mark;

typedef struct message_lines {
    /* set once */
    bool csv, labelled;   /* labelled: the label comes from a header */
    char label_separator; /* between it and the line */
    char csv_separator;   /* 0: not known yet */
    const char *header;   /* of csv: the first line; NULL: there is none */
    bool header_is_out;

    /* of the thread that reads */
    char *to; /* the caller's memory */
    size_t room, got;
    size_t messages, bytes; /* added in this call */
    char *rest;             /* of the last line, for which there was no room */
    size_t rest_at, rest_n, rest_room;
    uint64_t written; /* bytes of text, with that rest */
    uint64_t added;   /* messages */
    bool no_memory;

    /* for all threads, with the owner's lock held */
    waiting_message *ring; /* of numbers done ... handed - 1; a power of two of entries */
    size_t ring_room;
    uint64_t done, handed;
    message_mark *marks; /* likewise, of those that are marked */
    size_t marks_room;
    uint64_t marks_done, marks_added;
} message_lines;

/* `header` has to stay. */
void message_lines_set(message_lines *l, const char *format, bool labelled, const char *header, char separator);
void message_lines_free(message_lines *l);

/* The lines of the next messages go there. With the lock held. False: there is no memory. */
bool message_lines_begin(message_lines *l, char *to, size_t n);
/* Whether no more may be added in this call. */
bool message_lines_full(const message_lines *l);
void message_lines_add(message_lines *l, const message *m);
/* Of a message before it is added as one that is marked. */
void message_lines_mark(message_lines *l, const message_mark *mark);
/* Hands over what was added; how many bytes of text there are. With the lock held. */
size_t message_lines_end(message_lines *l);

/* The message of a number in done ... handed - 1. */
static inline const waiting_message *message_lines_at(const message_lines *l, uint64_t number) {
    return &l->ring[number & (l->ring_room - 1)];
}
/* The number of the message of the line that begins at this byte of the text; `handed`: there is none. */
uint64_t message_lines_find(const message_lines *l, uint64_t begin);
/* The next message is done. *mark: of it, or NULL; both hold until the next call. */
const waiting_message *message_lines_done(message_lines *l, const message_mark **mark);
/* Lines before those of messages. */
static inline uint64_t message_lines_before(const message_lines *l) { return l->header ? 1 : 0; }

/* A hash of a message's key and value; NULL: there is none. */
uint64_t message_hash(const void *key, size_t key_n, const void *value, size_t n);

#endif
