/* The reader: inputs -> blocks of bytes -> batches of rows, in order, by several threads.
 *
 * Blocks lie in a ring; block number s is slot s % slots. Every thread does the same: it fetches the next block of
 * bytes (one thread at a time), then parses it while another fetches. The caller of sluice_reader_next() takes the
 * batches in order of their numbers; while the next one is not ready it fetches and parses too, instead of waiting. So
 * one thread runs the same code as many, and the rows do not depend on the number of threads.
 *
 * A block of ordinary text becomes one batch. Parsing stops where the rows take much memory (sl_rules.part_rows); the
 * rest of the block is parsed part by part by the caller, when the rows before were taken. Rows that are large by
 * themselves wait for the caller too, so that only one of them is in memory. Where blocks do not become one batch, the
 * next ones are made smaller, so that all threads have work.
 *
 * Compressed inputs: fetching includes decompression and is slow. Unless `threads` is 1, one more thread (the unpacker)
 * fetches them, straight into the blocks, and the others only parse.
 *
 *     released <= delivered <= taken <= fetched <= released + slots
 *     slots of numbers below `released` are free; `delivered`: the caller has had all numbers below;
 *     `taken`: all below are parsed or being parsed
 *
 * One mutex guards these numbers and the state of the slots; a slot's content belongs to the thread that works on it.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system.h"
#include "base/thread_team.h"
#include "io/bin/bin.h"
#include "io/format.h"
#include "io/label_costs.h"
#include "io/named/name_patterns.h"
#include "io/named/quadratic.h"
#include "io/reader.h"

enum {
    MAX_THREADS = 256,
    SMALL_INPUT = 64 << 10, /* not worth a thread */
    MAX_HELD = 32 << 20,    /* bytes in blocks that are not delivered, if they are more than one */
    MIN_TARGET = 16 << 10,  /* smallest block, in bytes of text */
    MANY_THREADS = 8,       /* for more, fewer blocks per thread are held */
};

typedef struct slot {
    sl_block block;
    sl_parse *parse; /* NULL: there is nothing to parse */
    bool ready;
} slot;

/* Where the bytes come from. */
typedef enum kind { PATHS, MEMORY, DESCRIPTOR, FUNCTION } kind;

struct sluice_reader {
    /* set at opening */
    kind kind;
    char **paths; /* or, of other kinds, the one input's name */
    sl_source_facts *facts;
    size_t inputs;
    const void *memory;
    size_t memory_n;
    int fd;
    sluice_read_function read;
    void *context;
    sl_rules rules;
    uint64_t total;
    int wake[2]; /* self-pipe: a byte in it, or its closed end, wakes a thread blocked on a live input; -1 if none */
    size_t slots, workers;
    pthread_t *worker;

    _Atomic uint64_t consumed;
    atomic_bool cancelled;
    atomic_bool woken; /* the next call that would wait is to return */
    atomic_bool byte;  /* a byte for `woken` is in the pipe */

    /* guarded by lock */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    slot *ring;
    uint64_t fetched, taken, delivered, released;
    size_t held;   /* bytes in blocks that are fetched and not released */
    size_t target; /* bytes of the next block */
    bool fetching, exhausted, closing;
    size_t at;                    /* the input that is being read */
    pthread_t unpacker;           /* fetches compressed inputs; started when the first one comes */
    bool has_unpacker, unpacking; /* unpacking: only the unpacker fetches */

    /* of the thread that is fetching */
    sl_input input;

    /* of the caller's thread */
    slot *last;          /* what the caller has now */
    sl_file_names names; /* of the input at `position`, if it is a bin file with names */
    size_t position;     /* the input that what was delivered ends in, */
    uint64_t offset;     /* how far into it, */
    uint64_t lines;      /* and in lines */
    uint64_t skipped[SL_REASONS], unlabelled;
    const char *format_name; /* of the last batch */
    sluice_status status;    /* SLUICE_END or a failure; final */
    sluice_error error;
};

/* ---- fetching --------------------------------------------------------------------------------------------------- */

static sl_source *open_source(sluice_reader *r, size_t at, const char *name, sluice_error *err) {
    switch (r->kind) {
    case MEMORY:
        return sl_source_open_memory(r->memory, r->memory_n, name, &r->consumed, err);
    case DESCRIPTOR:
        return sl_source_open_fd(r->fd, name, r->wake[0], &r->consumed, err);
    case FUNCTION:
        return sl_source_open_function(r->read, r->context, name, &r->consumed, err);
    case PATHS:
        break;
    }
    return sl_source_open(r->paths[at], name, r->wake[0], &r->consumed, err);
}

/* Fills the block with what comes next; false if nothing did: the input's end was all there was, or the wait was ended.
 * Only one thread at a time is here, without the lock. */
static bool fetch(sluice_reader *r, sl_block *b, size_t at) {
    sl_input *in = &r->input;
    b->input = at;
    if (!in->source) {
        in->rules = &r->rules;
        in->is_last = at + 1 == r->inputs;
        in->name = r->kind == PATHS && strcmp(r->paths[at], "-") == 0 ? "<stdin>" : r->paths[at];
        in->source = open_source(r, at, in->name, &b->error);
    }
    if (in->source) return sl_input_fetch(in, b);
    sl_block_clear(b);
    b->source = in->name;
    b->status = b->error.status;
    in->ended = true;
    return true;
}

/* Which thread asks for work. */
typedef enum role { CALLER, WORKER, UNPACKER } role;

static bool is_cancelled(const sluice_reader *r) { return atomic_load_explicit(&r->cancelled, memory_order_acquire); }

/* Whether there is a block to fetch and a slot for it. The caller's thread must not wait for a live input while another
 * thread parses rows that have arrived. */
static bool may_fetch(const sluice_reader *r, role who) {
    if (r->fetching || r->exhausted || r->closing || r->fetched >= r->released + r->slots) return false;
    if (r->held > MAX_HELD && r->fetched > r->released) return false;
    if (r->unpacking != (who == UNPACKER)) return false;
    return who != CALLER || r->fetched == r->delivered || !r->facts[r->at].live;
}

static bool start_thread(sluice_reader *r, pthread_t *thread, void *(*run)(void *)) {
    sigset_t all, old; /* signals go to the program's own threads */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool started = pthread_create(thread, NULL, run, r) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return started;
}

static void *unpacker(void *argument);

/* Whether the unpacker fetches from now on: the rest of a compressed input. */
static bool to_be_unpacked(sluice_reader *r, bool packed) {
    if (!packed || r->slots == 1 || r->closing) return false;
    if (!r->has_unpacker) r->has_unpacker = start_thread(r, &r->unpacker, unpacker);
    return r->has_unpacker;
}

/* Takes a byte of sluice_reader_wake() out of the pipe. That of sluice_reader_cancel() may be taken instead, but then
 * the reader is seen to be cancelled. */
static void take_wake_byte(sluice_reader *r) {
    char byte;
    if (!atomic_exchange(&r->byte, false)) return;
    while (read(r->wake[0], &byte, 1) < 0 && errno == EINTR) {
    }
}

/* Fetches a block. Called and left with the lock held. */
static void fetch_one(sluice_reader *r) {
    if (is_cancelled(r)) { /* as if the inputs ended here: the threads that wait are told */
        r->exhausted = true;
        pthread_cond_broadcast(&r->changed);
        return;
    }
    slot *s = &r->ring[r->fetched % r->slots];
    sl_input *in = &r->input;
    size_t at = r->at;
    r->fetching = true;
    in->target = r->target;
    pthread_mutex_unlock(&r->lock);
    bool some = fetch(r, &s->block, at);
    bool interrupted = !some && !in->ended; /* by a byte in the pipe; what was read is kept in the input */
    if (interrupted) take_wake_byte(r);
    bool failed = some && s->block.status != SLUICE_OK, ended = in->ended || (interrupted && is_cancelled(r));
    bool packed = !ended && sl_source_is_compressed(in->source);
    s->parse = some && s->block.n ? in->format->parse : NULL;
    if (ended) sl_input_close(in);
    pthread_mutex_lock(&r->lock);
    r->fetching = false;
    if (ended) r->at++;
    if (r->at == r->inputs || failed) r->exhausted = true;
    if (some) r->fetched++, r->held += s->block.n;
    r->unpacking = to_be_unpacked(r, packed);
    pthread_cond_broadcast(&r->changed);
}

/* Makes the next blocks so large that the rows of one fit into a batch. */
static void adjust_target(sluice_reader *r, const sl_block *b) {
    const size_t most = r->rules.block_bytes, least = MIN_TARGET < most ? MIN_TARGET : most;
    if (!sl_block_has_more(b)) {
        r->target += r->target / 8 + 1;
    } else if (b->at > b->head) {
        r->target = b->at - b->head;
    }
    if (r->target < least) r->target = least;
    if (r->target > most) r->target = most;
}

/* Parses the next block of those that are fetched. Called and left with the lock held. */
static void parse_one(sluice_reader *r) {
    slot *s = &r->ring[r->taken++ % r->slots];
    pthread_mutex_unlock(&r->lock);
    s->block.limited = true;
    if (s->parse) sl_parse_block(&s->block, s->parse);
    pthread_mutex_lock(&r->lock);
    if (s->parse) adjust_target(r, &s->block);
    s->ready = true;
    pthread_cond_broadcast(&r->changed);
}

/* Does the next piece of work, or waits until there is one. Called and left with the lock held. */
static void work(sluice_reader *r, role who) {
    if (r->taken < r->fetched && who != UNPACKER)
        parse_one(r);
    else if (may_fetch(r, who))
        fetch_one(r);
    else
        pthread_cond_wait(&r->changed, &r->lock);
}

static void *worker(void *argument) {
    sluice_reader *r = argument;
    pthread_mutex_lock(&r->lock);
    while (!r->closing && !(r->exhausted && r->taken == r->fetched)) work(r, WORKER);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

static void *unpacker(void *argument) {
    sluice_reader *r = argument;
    pthread_mutex_lock(&r->lock);
    while (!r->closing && !r->exhausted) work(r, UNPACKER);
    pthread_mutex_unlock(&r->lock);
    return NULL;
}

/* ---- delivering ------------------------------------------------------------------------------------------------- */

/* The next block when it is ready, or that of the last call with its next part; NULL at the end, when cancelled or
 * (*woken) when woken. */
static sl_block *next_block(sluice_reader *r, bool *woken) {
    slot *next = NULL, *last = r->last;
    if (last && sl_block_has_more(&last->block) && !is_cancelled(r)) {
        last->block.limited = false;
        sl_block_begin_part(&last->block);
        sl_parse_block(&last->block, last->parse);
        return &last->block;
    }
    size_t freed = last ? last->block.n : 0;
    if (last) sl_block_shrink(&last->block); /* the caller is done with it */
    pthread_mutex_lock(&r->lock);
    if (last) {
        r->released = r->delivered;
        r->held -= freed;
        pthread_cond_broadcast(&r->changed);
    }
    while (!is_cancelled(r)) {
        slot *s = &r->ring[r->delivered % r->slots];
        if (r->delivered < r->fetched && s->ready) {
            s->ready = false;
            r->delivered++;
            next = s;
            break;
        }
        if (r->exhausted && r->delivered == r->fetched) break;
        if ((*woken = atomic_exchange(&r->woken, false))) break;
        work(r, CALLER);
    }
    pthread_mutex_unlock(&r->lock);
    r->last = next;
    return next ? &next->block : NULL;
}

sluice_status sluice_reader_next(sluice_reader *r, const sluice_batch **batch) {
    static const sluice_batch no_rows;
    *batch = NULL;
    while (r->status == SLUICE_OK) {
        bool woken = false;
        sl_block *b = next_block(r, &woken);
        if (woken) {
            *batch = &no_rows;
            return SLUICE_OK;
        }
        if (!b && is_cancelled(r)) return r->status = sl_fail(&r->error, SLUICE_E_CANCELLED, "reading was cancelled");
        if (!b) {
            const sluice_status status = sl_choice_check(&r->rules, &r->error);
            return r->status = status == SLUICE_OK ? SLUICE_END : status;
        }
        if (b->input != r->position) {
            r->lines = 0;
            sl_file_names_clear(&r->names);
        }
        r->position = b->input;
        sl_bin_list_names(b, &r->names);
        const bool more = sl_block_has_more(b);
        r->offset = more ? b->offset + b->at : b->end;
        b->batch.source = b->source;
        b->batch.first_line = r->lines;
        for (size_t i = 0; i < SL_REASONS; i++) r->skipped[i] += b->skipped[i];
        r->unlabelled += b->batch.n_unlabelled;
        if (b->status != SLUICE_OK && !more) {
            r->error = b->error;
            if (r->error.line) r->error.line += r->lines;
            r->status = b->status;
        }
        r->lines += b->lines;
        r->format_name = b->format_name;
        if (b->batch.rows) {
            *batch = &b->batch;
            return SLUICE_OK;
        }
    }
    return r->status;
}

/* ---- opening and closing ---------------------------------------------------------------------------------------- */

static sluice_status start_workers(sluice_reader *r, size_t n, sluice_error *err) {
    if (n == 0) return SLUICE_OK;
    r->worker = calloc(n, sizeof *r->worker);
    if (!r->worker) return sl_fail(err, SLUICE_E_MEMORY, "no memory");
    size_t started = 0; /* if a thread cannot be started, the others do its share */
    while (started < n && start_thread(r, &r->worker[started], worker)) started++;
    r->workers = started;
    return SLUICE_OK;
}

static sluice_status set_up(sluice_reader *r, const sluice_reader_options *options, size_t block_bytes,
                            sluice_error *err) {
    sluice_status status = sl_rules_set(&r->rules, options, err);
    if (status != SLUICE_OK) return status;
    sl_rules_set_blocks(&r->rules, block_bytes);
    r->target = block_bytes;
    size_t threads = r->rules.threads ? r->rules.threads : sl_cores();
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    bool live = false;
    for (size_t i = 0; i < r->inputs; i++) {
        r->total += r->facts[i].size;
        live |= r->facts[i].live;
    }
    if (!live && r->total < SMALL_INPUT && block_bytes == SL_BLOCK_BYTES) threads = 1;
    if (live) r->total = 0;
    if (live && r->kind != FUNCTION && !sl_pipe(r->wake)) return sl_fail(err, SLUICE_E_IO, "cannot make a pipe");
    r->slots = threads == 1 ? 1 : threads <= MANY_THREADS ? 2 * threads : threads + MANY_THREADS;
    r->ring = calloc(r->slots, sizeof *r->ring);
    if (!r->ring) return sl_fail(err, SLUICE_E_MEMORY, "no memory");
    for (size_t i = 0; i < r->slots; i++) r->ring[i].block.rules = &r->rules;
    return start_workers(r, threads - 1, err);
}

static sluice_reader *new_reader(size_t inputs, sluice_error *err) {
    sluice_reader *r = calloc(1, sizeof *r);
    if (r) {
        r->wake[0] = r->wake[1] = -1;
        pthread_mutex_init(&r->lock, NULL);
        pthread_cond_init(&r->changed, NULL);
        r->paths = calloc(inputs, sizeof *r->paths);
        r->facts = calloc(inputs, sizeof *r->facts);
        r->inputs = inputs;
        if (r->paths && r->facts) return r;
    }
    sl_fail(err, SLUICE_E_MEMORY, "no memory");
    sluice_reader_close(r);
    return NULL;
}

sluice_reader *sl_reader_open(const char *const *paths, size_t n, const sluice_reader_options *options,
                              size_t block_bytes, sluice_error *err) {
    static const char *const standard_input[] = {"-"};
    if (n == 0) paths = standard_input, n = 1;
    sluice_reader *r = new_reader(n, err);
    if (!r) return NULL;
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < n && status == SLUICE_OK; i++) {
        r->paths[i] = strdup(paths[i]);
        status =
            r->paths[i] ? sl_source_check(paths[i], &r->facts[i], err) : sl_fail(err, SLUICE_E_MEMORY, "no memory");
    }
    if (status == SLUICE_OK) status = set_up(r, options, block_bytes, err);
    if (status == SLUICE_OK) return r;
    sluice_reader_close(r);
    return NULL;
}

/* A reader of one input that is no path. */
static sluice_reader *new_single(kind what, const char *name, const char *unnamed, sluice_error *err) {
    sluice_reader *r = new_reader(1, err);
    if (!r) return NULL;
    r->kind = what;
    r->paths[0] = strdup(name ? name : unnamed);
    if (r->paths[0]) return r;
    sl_fail(err, SLUICE_E_MEMORY, "no memory");
    sluice_reader_close(r);
    return NULL;
}

static sluice_reader *ready(sluice_reader *r, const sluice_reader_options *options, size_t block_bytes,
                            sluice_error *err) {
    if (set_up(r, options, block_bytes, err) == SLUICE_OK) return r;
    sluice_reader_close(r);
    return NULL;
}

sluice_reader *sl_reader_open_memory(const void *bytes, size_t n, const char *name,
                                     const sluice_reader_options *options, size_t block_bytes, sluice_error *err) {
    sluice_reader *r = new_single(MEMORY, name, "memory", err);
    if (!r) return NULL;
    r->memory = bytes;
    r->memory_n = n;
    r->facts[0] = (sl_source_facts){.live = false, .size = n};
    return ready(r, options, block_bytes, err);
}

sluice_reader *sluice_reader_open(const char *const *paths, size_t n, const sluice_reader_options *options,
                                  sluice_error *err) {
    return sl_reader_open(paths, n, options, SL_BLOCK_BYTES, err);
}

sluice_reader *sluice_reader_open_memory(const void *bytes, size_t n, const char *name,
                                         const sluice_reader_options *options, sluice_error *err) {
    return sl_reader_open_memory(bytes, n, name, options, SL_BLOCK_BYTES, err);
}

sluice_reader *sluice_reader_open_fd(int fd, const char *name, const sluice_reader_options *options,
                                     sluice_error *err) {
    sluice_reader *r = new_single(DESCRIPTOR, name, "<fd>", err);
    if (!r) return NULL;
    r->fd = fd;
    if (sl_source_check_fd(fd, r->paths[0], &r->facts[0], err) == SLUICE_OK)
        return ready(r, options, SL_BLOCK_BYTES, err);
    sluice_reader_close(r);
    return NULL;
}

sluice_reader *sluice_reader_open_function(sluice_read_function read, void *context, const char *name,
                                           const sluice_reader_options *options, sluice_error *err) {
    sluice_reader *r = new_single(FUNCTION, name, "<function>", err);
    if (!r) return NULL;
    r->read = read;
    r->context = context;
    r->facts[0].live = true;
    return ready(r, options, SL_BLOCK_BYTES, err);
}

/* For signal handlers too: nothing here but an atomic flag and write(), with errno as it was. It cannot block: there
 * are at most two bytes in the pipe, one of sluice_reader_cancel() and one of sluice_reader_wake(). */
static void write_byte(sluice_reader *r) {
    int before = errno;
    ssize_t written;
    do written = r->wake[1] >= 0 ? write(r->wake[1], "", 1) : 0;
    while (written < 0 && errno == EINTR);
    errno = before;
}

void sluice_reader_cancel(sluice_reader *r) {
    if (!atomic_exchange(&r->cancelled, true)) write_byte(r);
}

void sluice_reader_wake(sluice_reader *r) {
    atomic_store(&r->woken, true);
    if (r->wake[1] >= 0 && !atomic_exchange(&r->byte, true)) write_byte(r);
}

void sluice_reader_close(sluice_reader *r) {
    if (!r) return;
    pthread_mutex_lock(&r->lock);
    r->closing = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    if (r->wake[1] >= 0) close(r->wake[1]); /* the other end reads as ended: that wakes */
    for (size_t i = 0; i < r->workers; i++) pthread_join(r->worker[i], NULL);
    if (r->has_unpacker) pthread_join(r->unpacker, NULL);
    if (r->wake[0] >= 0) close(r->wake[0]);
    free(r->worker);
    sl_input_close(&r->input);
    for (size_t i = 0; r->ring && i < r->slots; i++) sl_block_free(&r->ring[i].block);
    free(r->ring);
    for (size_t i = 0; r->paths && i < r->inputs; i++) free(r->paths[i]);
    free(r->paths);
    free(r->facts);
    sl_file_names_clear(&r->names);
    sl_rules_free(&r->rules);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

const sluice_error *sluice_reader_error(const sluice_reader *r) { return &r->error; }

void sluice_reader_progress(const sluice_reader *r, uint64_t *done, uint64_t *total) {
    *done = atomic_load_explicit(&r->consumed, memory_order_relaxed);
    *total = r->total;
}

void sluice_reader_position(const sluice_reader *r, size_t *input, uint64_t *offset) {
    *input = r->position;
    *offset = r->offset;
}

const char *sluice_reader_format(const sluice_reader *r) { return r->format_name; }

uint64_t sluice_reader_unlabelled(const sluice_reader *r) { return r->unlabelled; }

uint64_t sluice_reader_cost_rows(const sluice_reader *r, size_t i) {
    return r->rules.costs ? sl_label_costs_rows(r->rules.costs, i) : 0;
}

const char *sluice_reader_uncrossed(sluice_reader *r) {
    return r->rules.quadratic ? sl_quadratic_missing(r->rules.quadratic) : NULL;
}

const char *sluice_reader_skipped(const sluice_reader *r, size_t i, uint64_t *count) {
    if (i >= SL_REASONS) return NULL;
    *count = r->skipped[i];
    return sl_reason_names[i];
}
