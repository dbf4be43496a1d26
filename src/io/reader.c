/* The reader: inputs -> blocks of bytes -> batches of rows, in order, by several threads.
 *
 * Blocks lie in a ring; block number s is slot s % slots. Every thread does the same: it fetches the next block of
 * bytes (one thread at a time), then parses it while another fetches. The caller of sluice_reader_next() takes the
 * batches in order of their numbers, and where the next one is not ready it fetches and parses itself instead of
 * waiting. So one thread needs no other code than many, and no core idles while there is work. What comes out does not
 * depend on who did what.
 *
 * Compressed inputs: fetching is slow, for it decompresses. So, unless one thread is to do everything, a further thread
 * does that and nothing else, straight into the blocks, and the others parse what it has fetched.
 *
 *     released <= delivered <= taken <= fetched <= released + slots
 *     slots of numbers below `released` are free; `delivered`: the caller has had all numbers below;
 *     `taken`: all below are parsed or being parsed
 *
 * One mutex guards these numbers and the state of the slots; a slot's content belongs to the thread that works on it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "base/system.h"
#include "base/thread_team.h"
#include "io/named/csv.h"
#include "io/format.h"
#include "io/reader.h"
#include "io/parse_kernels.h"

enum {
    MAX_THREADS = 256,
    SMALL_INPUT = 64 << 10, /* not worth a thread */
    MAX_HELD = 128 << 20,   /* bytes in blocks that are not delivered; only very long lines get there */
};

typedef struct slot {
    sl_block block;
    sl_parse *parse; /* NULL: there is nothing to parse */
    bool ready;
} slot;

struct sluice_reader {
    /* set at opening */
    char **paths;
    sl_source_facts *facts;
    size_t inputs;
    const void *memory; /* instead of a path */
    size_t memory_n;
    char *label, *weight; /* as in the rules */
    sl_rules rules;
    const sl_format *format; /* NULL: every input's own */
    const sl_format *hint;   /* for inputs whose ending says nothing */
    uint64_t total;
    int wake[2]; /* a pipe that ends waits for live inputs, or -1 */
    size_t slots, workers;
    pthread_t *worker;
    _Atomic uint64_t consumed;

    /* guarded by lock */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    slot *ring;
    uint64_t fetched, taken, delivered, released;
    size_t held; /* bytes in blocks that are fetched and not released */
    bool fetching, exhausted, closing;
    size_t at;                    /* the input that is being read */
    pthread_t unpacker;           /* fetches compressed inputs, once there was one */
    bool has_unpacker, unpacking; /* unpacking: nobody else is to fetch */

    /* of the thread that is fetching */
    sl_input input;

    /* of the caller's thread */
    sl_block *last;    /* what the caller has now */
    size_t line_input; /* which input `lines` counts in */
    uint64_t lines;
    uint64_t skipped[SL_REASONS];
    const char *format_name; /* of the last batch */
    sluice_status status;    /* SLUICE_END or a failure, for ever */
    sluice_error error;
};

/* ---- fetching --------------------------------------------------------------------------------------------------- */

/* Chooses the format: the one asked for, else by the first bytes, else by the ending. */
static sluice_status choose_format(const sluice_reader *r, sl_input *in, sluice_error *err) {
    static const char model[] = "sluice\x1a\n"; /* how models begin: an easy slip, worth its own words */
    bool is_model = false;
    sluice_status looked = sl_source_begins(in->source, model, sizeof model - 1, &is_model, err);
    if (looked != SLUICE_OK) return looked;
    if (is_model)
        return sl_fail_at(err, SLUICE_E_DATA, in->name, 0, 0, "this is a sluice model, not a stream of examples");
    in->format = r->format;
    for (const sl_format *f = sl_formats; f->name && !in->format; f++) {
        bool yes = false;
        sluice_status status = f->magic ? sl_source_begins(in->source, f->magic, f->magic_n, &yes, err) : SLUICE_OK;
        if (status != SLUICE_OK) return status;
        if (yes) in->format = f;
    }
    if (!in->format) in->format = sl_format_by_ending(in->name, r->hint);
    return SLUICE_OK;
}

static sluice_status open_input(sluice_reader *r, sl_input *in, size_t at, sluice_error *err) {
    const char *path = r->paths[at];
    in->rules = &r->rules;
    in->name = !r->memory && strcmp(path, "-") == 0 ? "<stdin>" : path;
    in->source = r->memory ? sl_source_open_memory(r->memory, r->memory_n, in->name, &r->consumed, err)
                           : sl_source_open(path, in->name, r->wake[0], &r->consumed, err);
    if (!in->source) return err->status;
    return choose_format(r, in, err);
}

static void close_input(sl_input *in) {
    sl_source_close(in->source);
    sl_csv_release(in->header);
    free(in->carry);
    *in = (sl_input){0};
}

/* What one line needed once is not kept for ever. */
static void shrink(sl_block *b) {
    size_t usual = 4 * b->rules->block_bytes;
    if (b->room > usual || b->batch.text_room > 4 * usual) {
        free(b->text);
        b->text = NULL, b->room = 0;
        sl_batch_free_arrays(&b->batch);
        sl_duplicates_free(&b->repeat);
    }
}

/* Fills the block with what comes next; false if nothing did: the input's end was all there was, or we were woken. Only
 * one thread at a time is here, without the lock. */
static bool fetch(sluice_reader *r, sl_block *b, size_t at) {
    sl_input *in = &r->input;
    sl_batch_clear(&b->batch);
    memset(b->skipped, 0, sizeof b->skipped);
    sl_csv_release(b->header);
    b->header = NULL;
    b->n = 0, b->head = 0, b->lines = 0, b->offset = 0;
    b->status = SLUICE_OK;
    b->input = at;
    bool some = true;
    if (!in->source) b->status = open_input(r, in, at, &b->error);
    b->source = in->name;
    b->format_name = in->format ? in->format->name : NULL;
    if (b->status != SLUICE_OK)
        in->ended = true;
    else
        some = in->format->fetch(in, b);
    return some && b->status != SLUICE_END;
}

/* Who asks what there is to do. */
typedef enum role { CALLER, WORKER, UNPACKER } role;

/* Whether there is a block to fetch and a slot for it. The caller's thread must not sit and wait for a live input while
 * rows that have arrived are being parsed by another. */
static bool may_fetch(const sluice_reader *r, role who) {
    if (r->fetching || r->exhausted || r->closing || r->fetched >= r->released + r->slots) return false;
    if (r->held > MAX_HELD && r->fetched > r->released) return false;
    if (r->unpacking != (who == UNPACKER)) return false;
    return who != CALLER || r->fetched == r->delivered || !r->facts[r->at].live;
}

static bool start_thread(sluice_reader *r, pthread_t *thread, void *(*run)(void *)) {
    sigset_t all, old; /* signals are for the program's own threads */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool started = pthread_create(thread, NULL, run, r) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return started;
}

static void *unpacker(void *argument);

/* Whether the unpacker is to fetch from now on: what is left of a compressed input. */
static bool to_be_unpacked(sluice_reader *r, bool packed) {
    if (!packed || r->slots == 1 || r->closing) return false;
    if (!r->has_unpacker) r->has_unpacker = start_thread(r, &r->unpacker, unpacker);
    return r->has_unpacker;
}

/* Fetches a block. Called and left with the lock held. */
static void fetch_one(sluice_reader *r) {
    slot *s = &r->ring[r->fetched % r->slots];
    sl_input *in = &r->input;
    size_t at = r->at;
    r->fetching = true;
    pthread_mutex_unlock(&r->lock);
    bool some = fetch(r, &s->block, at);
    bool failed = s->block.status != SLUICE_OK, ended = in->ended || !some;
    bool packed = !ended && sl_source_is_compressed(in->source);
    s->parse = some && s->block.n ? in->format->parse : NULL;
    if (ended) close_input(in);
    pthread_mutex_lock(&r->lock);
    r->fetching = false;
    if (ended) r->at++;
    if (r->at == r->inputs || failed) r->exhausted = true;
    if (some) r->fetched++, r->held += s->block.n;
    r->unpacking = to_be_unpacked(r, packed);
    pthread_cond_broadcast(&r->changed);
}

/* Parses the next block of those that are fetched. Called and left with the lock held. */
static void parse_one(sluice_reader *r) {
    slot *s = &r->ring[r->taken++ % r->slots];
    pthread_mutex_unlock(&r->lock);
    if (s->parse) s->parse(&s->block);
    pthread_mutex_lock(&r->lock);
    s->ready = true;
    pthread_cond_broadcast(&r->changed);
}

/* Does what is next, or waits until there is something. Called and left with the lock held. */
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

/* The next block when it is ready, NULL at the end. */
static sl_block *next_block(sluice_reader *r) {
    sl_block *b = NULL, *last = r->last;
    size_t freed = last ? last->n : 0;
    if (last) shrink(last); /* the caller is done with it */
    pthread_mutex_lock(&r->lock);
    if (last) {
        r->released = r->delivered;
        r->held -= freed;
        pthread_cond_broadcast(&r->changed);
    }
    for (;;) {
        slot *s = &r->ring[r->delivered % r->slots];
        if (r->delivered < r->fetched && s->ready) {
            s->ready = false;
            r->delivered++;
            b = &s->block;
            break;
        }
        if (r->exhausted && r->delivered == r->fetched) break;
        work(r, CALLER);
    }
    pthread_mutex_unlock(&r->lock);
    r->last = b;
    return b;
}

sluice_status sluice_reader_next(sluice_reader *r, const sluice_batch **batch) {
    *batch = NULL;
    while (r->status == SLUICE_OK) {
        sl_block *b = next_block(r);
        if (!b) return r->status = SLUICE_END;
        if (b->input != r->line_input) r->line_input = b->input, r->lines = 0;
        b->batch.source = b->source;
        b->batch.first_line = r->lines;
        for (size_t i = 0; i < SL_REASONS; i++) r->skipped[i] += b->skipped[i];
        if (b->status != SLUICE_OK) {
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
    bool live = false;
    for (size_t i = 0; i < r->inputs; i++) live |= r->facts[i].live;
    if (live && !sl_pipe(r->wake)) {
        r->wake[0] = r->wake[1] = -1;
        return sl_fail(err, SLUICE_E_IO, "cannot make a pipe");
    }
    r->worker = calloc(n, sizeof *r->worker);
    if (!r->worker) return sl_fail(err, SLUICE_E_MEMORY, "no memory");
    size_t started = 0; /* fewer will do */
    while (started < n && start_thread(r, &r->worker[started], worker)) started++;
    r->workers = started;
    return SLUICE_OK;
}

/* A copy of an option's text; NULL stays NULL. */
static bool keep_text(char **copy, const char *text) {
    *copy = text ? strdup(text) : NULL;
    return *copy || !text;
}

static sluice_status set_up(sluice_reader *r, const sluice_reader_options *given, size_t block_bytes,
                            sluice_error *err) {
    sluice_reader_options o = {.size = sizeof o};
    sluice_status status = sl_sized_read(&o, sizeof o, given, "sluice_reader_options", err);
    if (status != SLUICE_OK) return status;
    if (o.format && !(r->format = sl_format_find(o.format, err))) return SLUICE_E_USAGE;
    if (o.hint && *o.hint && !(r->hint = sl_format_find(o.hint, err))) return SLUICE_E_USAGE;
    if (o.ngrams > SLUICE_MAX_NGRAMS || o.tf > SLUICE_TF_LOG)
        return sl_fail(err, SLUICE_E_USAGE, "n-grams have 1 to %d words, and tf is binary, count or log",
                       SLUICE_MAX_NGRAMS);
    if (!keep_text(&r->label, o.label) || !keep_text(&r->weight, o.weight))
        return sl_fail(err, SLUICE_E_MEMORY, "no memory");
    r->rules = (sl_rules){
        .label = r->label,
        .weight = r->weight,
        .block_bytes = block_bytes,
        .max_line = o.max_line ? o.max_line : SLUICE_MAX_LINE,
        .skip_errors = o.skip_errors != 0,
        .no_header = o.no_header != 0,
        .unlabelled = o.unlabelled != 0,
        .ngrams = o.ngrams ? o.ngrams : 1,
        .tf = o.tf ? o.tf : SLUICE_TF_LOG,
        .kernels = sl_parse_kernels_chosen(),
    };
    size_t threads = o.threads ? o.threads : sl_cores();
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    bool known = true;
    for (size_t i = 0; i < r->inputs; i++) {
        r->total += r->facts[i].size;
        known &= !r->facts[i].live;
    }
    if (known && r->total < SMALL_INPUT && block_bytes == SL_BLOCK_BYTES) threads = 1;
    if (!known) r->total = 0;
    r->slots = threads == 1 ? 1 : 2 * threads;
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

sluice_reader *sl_reader_open_memory(const void *bytes, size_t n, const char *name,
                                     const sluice_reader_options *options, size_t block_bytes, sluice_error *err) {
    sluice_reader *r = new_reader(1, err);
    if (!r) return NULL;
    r->memory = n ? bytes : "";
    r->memory_n = n;
    r->facts[0] = (sl_source_facts){.live = false, .size = n};
    r->paths[0] = strdup(name ? name : "memory");
    sluice_status status =
        r->paths[0] ? set_up(r, options, block_bytes, err) : sl_fail(err, SLUICE_E_MEMORY, "no memory");
    if (status == SLUICE_OK) return r;
    sluice_reader_close(r);
    return NULL;
}

sluice_reader *sluice_reader_open(const char *const *paths, size_t n, const sluice_reader_options *options,
                                  sluice_error *err) {
    return sl_reader_open(paths, n, options, SL_BLOCK_BYTES, err);
}

sluice_reader *sluice_reader_open_memory(const void *bytes, size_t n, const char *name,
                                         const sluice_reader_options *options, sluice_error *err) {
    return sl_reader_open_memory(bytes, n, name, options, SL_BLOCK_BYTES, err);
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
    close_input(&r->input);
    for (size_t i = 0; r->ring && i < r->slots; i++) {
        sl_block *b = &r->ring[i].block;
        free(b->text);
        sl_csv_release(b->header);
        sl_batch_free_arrays(&b->batch);
        sl_duplicates_free(&b->repeat);
    }
    free(r->ring);
    for (size_t i = 0; r->paths && i < r->inputs; i++) free(r->paths[i]);
    free(r->paths);
    free(r->facts);
    free(r->label);
    free(r->weight);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

const sluice_error *sluice_reader_error(const sluice_reader *r) { return &r->error; }

void sluice_reader_progress(const sluice_reader *r, uint64_t *done, uint64_t *total) {
    *done = atomic_load_explicit(&r->consumed, memory_order_relaxed);
    *total = r->total;
}

const char *sluice_reader_format(const sluice_reader *r) { return r->format_name; }

const char *sluice_reader_skipped(const sluice_reader *r, size_t i, uint64_t *count) {
    if (i >= SL_REASONS) return NULL;
    *count = r->skipped[i];
    return sl_reason_names[i];
}
