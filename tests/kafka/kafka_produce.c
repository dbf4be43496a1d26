/* kafka_tool produce, transactions: lines of standard input as messages. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kafka/kafka_tool.h"

typedef struct {
    rd_kafka_t *rk;
    const char *topic;
    int partitions;
    int64_t sent, delivered;
    char *line;
    size_t room;
} producer;

static void delivered(rd_kafka_t *rk, const rd_kafka_message_t *message, void *opaque) {
    (void)rk;
    producer *p = opaque;
    if (message->err) die("a message was not delivered: %s", rd_kafka_err2str(message->err));
    p->delivered++;
}

static void producer_open(producer *p, const char *topic, const char *transactional_id) {
    *p = (producer){.topic = topic};
    rd_kafka_conf_t *conf = settings();
    set(conf, "enable.idempotence", "true"); /* keeps the order, and no message twice */
    set(conf, "linger.ms", "5");
    set(conf, "sticky.partitioning.linger.ms",
        "0"); /* else whole batches go to one partition, and small tests to one alone */
    if (given.codec) set(conf, "compression.codec", given.codec);
    if (transactional_id) set(conf, "transactional.id", transactional_id);
    rd_kafka_conf_set_dr_msg_cb(conf, delivered);
    rd_kafka_conf_set_opaque(conf, p);
    p->rk = client(RD_KAFKA_PRODUCER, conf);
    p->partitions = partitions_of(p->rk, topic);
}

static void producer_flush(producer *p) {
    while (rd_kafka_flush(p->rk, 1000) == RD_KAFKA_RESP_ERR__TIMED_OUT) {
    } /* ended by the alarm of -T */
    if (p->sent != p->delivered) die("%lld messages were not delivered", (long long)(p->sent - p->delivered));
}

static void producer_close(producer *p) {
    rd_kafka_destroy(p->rk);
    free(p->line);
}

static int hexadecimal(char c) {
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, c | 0x20) : NULL;
    return found ? (int)(found - digits) : -1;
}

/* \n \r \t \0 \\ and \xHH become the bytes that they name, in place. The new size. */
static size_t unescape(char *text, size_t size) {
    size_t out = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '\\') {
            text[out++] = text[i];
            continue;
        }
        if (++i == size) die("a backslash at the end of a line");
        static const char names[] = "nrt0\\", bytes[] = "\n\r\t\0\\";
        const char *found = text[i] ? strchr(names, text[i]) : NULL;
        if (found) {
            text[out++] = bytes[found - names];
        } else if (text[i] == 'x' && i + 2 < size && hexadecimal(text[i + 1]) >= 0 && hexadecimal(text[i + 2]) >= 0) {
            text[out++] = (char)(16 * hexadecimal(text[i + 1]) + hexadecimal(text[i + 2]));
            i += 2;
        } else {
            die("\\%c is no escape: \\n \\r \\t \\0 \\\\ \\xHH are", text[i]);
        }
    }
    return out;
}

typedef struct {
    char *start;
    size_t size;
} bytes;

/* What is before the next tab of `rest`, which then begins behind it. */
static bytes next_field(bytes *rest) {
    char *tab = memchr(rest->start, '\t', rest->size);
    if (!tab) die("a line has fewer fields than -K and -F name");
    bytes field = {rest->start, (size_t)(tab - rest->start)};
    *rest = (bytes){tab + 1, rest->size - field.size - 1};
    if (given.escaped) field.size = unescape(field.start, field.size);
    return field;
}

/* Sends the next line of standard input; false at its end. */
static bool send_line(producer *p) {
    ssize_t size = getline(&p->line, &p->room, stdin);
    if (size < 0) {
        if (ferror(stdin)) die("standard input: %s", strerror(errno));
        return false;
    }
    if (p->line[size - 1] == '\n') size--;
    bytes rest = {p->line, (size_t)size}, key = {(char *)given.key, given.key ? strlen(given.key) : 0};
    if (given.key_field) key = next_field(&rest);
    rd_kafka_headers_t *headers = given.header_count ? rd_kafka_headers_new((size_t)given.header_count) : NULL;
    for (int i = 0; i < given.header_count; i++) {
        const header *h = &given.headers[i];
        bytes value = h->value ? (bytes){h->value, strlen(h->value)} : next_field(&rest);
        if (rd_kafka_header_add(headers, h->name, -1, value.start, (ssize_t)value.size)) die("header %s", h->name);
    }
    bool null = given.null && rest.size == strlen(given.null) && !memcmp(rest.start, given.null, rest.size);
    if (!null && given.escaped) rest.size = unescape(rest.start, rest.size);
    int32_t partition = given.partition >= 0 ? given.partition
                        : given.round_robin  ? (int32_t)(p->sent % p->partitions)
                                             : RD_KAFKA_PARTITION_UA;
    rd_kafka_vu_t message[] = {
        {RD_KAFKA_VTYPE_TOPIC, .u.cstr = p->topic},
        {RD_KAFKA_VTYPE_PARTITION, .u.i32 = partition},
        {RD_KAFKA_VTYPE_MSGFLAGS, .u.i = RD_KAFKA_MSG_F_COPY},
        {RD_KAFKA_VTYPE_VALUE, .u.mem = {null ? NULL : rest.start, null ? 0 : rest.size}},
        {RD_KAFKA_VTYPE_KEY, .u.mem = {key.start, key.size}},
        {RD_KAFKA_VTYPE_TIMESTAMP, .u.i64 = given.timestamp},
        {RD_KAFKA_VTYPE_HEADERS, .u.headers = NULL},
    };
    enum { PARTS = sizeof message / sizeof *message };
    for (;;) {
        rd_kafka_headers_t *copy =
            headers ? rd_kafka_headers_copy(headers) : NULL; /* librdkafka's if there is no error */
        message[PARTS - 1].u.headers = copy;
        rd_kafka_error_t *failure = rd_kafka_produceva(p->rk, message, copy ? PARTS : PARTS - 1);
        if (!failure) break;
        rd_kafka_resp_err_t error = rd_kafka_error_code(failure);
        rd_kafka_error_destroy(failure);
        if (copy) rd_kafka_headers_destroy(copy);
        if (error != RD_KAFKA_RESP_ERR__QUEUE_FULL) die("%s", rd_kafka_err2str(error));
        rd_kafka_poll(p->rk, 100);
    }
    if (headers) rd_kafka_headers_destroy(headers);
    p->sent++;
    rd_kafka_poll(p->rk, 0);
    return true;
}

void produce(int count, char **arguments) {
    (void)count;
    producer p;
    producer_open(&p, arguments[0], NULL);
    while (send_line(&p)) {
    }
    producer_flush(&p);
    producer_close(&p);
}

static void check(rd_kafka_error_t *error, const char *what) {
    if (error) die("%s: %s", what, rd_kafka_error_string(error));
}

/* One transaction an argument: commit=N, abort=N, or open=N, which is the last and is left as if the producer had died.
 */
void transactions(int count, char **arguments) {
    producer p;
    producer_open(&p, arguments[0], given.id ? given.id : arguments[0]);
    check(rd_kafka_init_transactions(p.rk, -1), "init_transactions"); /* -1: ended by the alarm of -T */
    for (int i = 1; i < count; i++) {
        char *number = strchr(arguments[i], '=');
        if (!number) die("%s: commit=N, abort=N or open=N is expected", arguments[i]);
        *number++ = 0;
        bool commit = !strcmp(arguments[i], "commit"), abort = !strcmp(arguments[i], "abort");
        if (!commit && !abort && strcmp(arguments[i], "open")) die("%s is not commit, abort or open", arguments[i]);
        check(rd_kafka_begin_transaction(p.rk), "begin_transaction");
        for (int64_t left = whole_number(number, 0, INT64_MAX); left; left--) {
            if (!send_line(&p)) die("standard input has %lld lines too few", (long long)left);
        }
        producer_flush(
            &p); /* abort_transaction drops what has not been sent: there would be nothing aborted in the topic */
        if (commit) {
            check(rd_kafka_commit_transaction(p.rk, -1), "commit_transaction");
        } else if (abort) {
            check(rd_kafka_abort_transaction(p.rk, -1), "abort_transaction");
        } else if (i + 1 < count) {
            die("open=N must be the last");
        } else {
            _exit(0);
        }
    }
    if (getline(&p.line, &p.room, stdin) >= 0) die("standard input has more lines than the transactions take");
    producer_close(&p);
}
