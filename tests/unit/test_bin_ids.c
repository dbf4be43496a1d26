/* Ids of one to four bytes: every kernel gives what the definition gives, and rows of differences are taken apart and
 * judged rightly. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "io/bin/bin_ids.h"
#include "io/parse_kernels.h"
#include "unit/test.h"

enum { MAX = 300 };

/* Those of each set of kernels that the machine runs. */
#define EACH_SUM_IDS(f)                                                                                                \
    for (sl_cpu cpu = SL_CPU_PORTABLE; cpu <= SL_CPU_NEON; cpu++)                                                      \
        for (sl_sum_ids *f = sl_parse_kernels_for(cpu) ? sl_parse_kernels_for(cpu)->sum_ids : NULL; f; f = NULL)

static uint64_t state = 1;

static uint64_t draw(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

/* Differences of every length, packed into as many bytes as they take and no more, so that a sanitizer sees what is
 * read beyond those that may be looked at. */
typedef struct packed {
    uint32_t difference[MAX];
    uint8_t control[MAX / 4 + 1], *data;
    size_t bytes;
} packed;

static void pack(packed *p, size_t n) {
    uint8_t out[4 * MAX];
    memset(p->control, 0, sizeof p->control);
    p->bytes = 0;
    for (size_t k = 0; k < n; k++) {
        unsigned length = draw() % 4;
        uint32_t d = draw() % 5 ? (uint32_t)draw() >> (24 - 8 * length) : 0;
        p->difference[k] = d;
        p->control[k / 4] |= (uint8_t)(length << k % 4 * 2);
        sl_put_le(out + p->bytes, d, length + 1);
        p->bytes += length + 1;
    }
    p->data = malloc(p->bytes + SL_IDS_AHEAD);
    memcpy(p->data, out, p->bytes);
    memset(p->data + p->bytes, 0xee, SL_IDS_AHEAD);
}

TEST(all_kernels_add_up_alike) {
    for (size_t round = 0; round < 6000; round++) {
        size_t n = round % (MAX + 1);
        packed p;
        pack(&p, n);
        sl_id_facts begin = {(uint32_t)draw(), 0, 7}, want = begin;
        uint32_t sums[MAX];
        for (size_t k = 0; k < n; k++) {
            want.any |= p.difference[k], want.zeros += p.difference[k] == 0;
            sums[k] = want.sum += p.difference[k];
        }
        EACH_SUM_IDS(sum_ids) {
            sl_id_facts facts = begin;
            uint32_t *id = malloc((n + 1) * sizeof *id); /* no room to write too many either */
            sum_ids(p.control, p.data, n, id, &facts);
            CHECK(memcmp(id, sums, n * sizeof *id) == 0);
            CHECK(memcmp(&facts, &want, sizeof facts) == 0);
            free(id);
        }
        for (sl_cpu cpu = SL_CPU_PORTABLE; cpu <= SL_CPU_NEON; cpu++) {
            const sl_parse_kernels *kernels = sl_parse_kernels_for(cpu);
            uint32_t *number = malloc((n + 1) * sizeof *number);
            if (kernels) kernels->get_numbers(p.control, p.data, n, number);
            CHECK(!kernels || memcmp(number, p.difference, n * sizeof *number) == 0);
            free(number);
        }
        free(p.data);
    }
}

TEST(every_control_byte_is_measured_and_decoded) {
    for (unsigned c = 0; c < 256; c++) {
        uint8_t control = (uint8_t)c, data[16 + SL_IDS_AHEAD];
        for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i + 1);
        uint32_t want[4], id[4], sum = 0;
        size_t at = 0;
        for (unsigned j = 0; j < 4; j++) {
            size_t length = (c >> 2 * j & 3) + 1;
            want[j] = sum += (uint32_t)sl_get_le(data + at, length);
            at += length;
        }
        CHECK_EQ(sl_ids_bytes(&control, 1), at);
        EACH_SUM_IDS(sum_ids) {
            sl_id_facts facts = {0};
            sum_ids(&control, data, 4, id, &facts);
            CHECK(memcmp(id, want, sizeof want) == 0);
        }
    }
}

TEST(the_bytes_of_many_control_bytes) {
    uint8_t control[1000];
    size_t want = 0;
    for (size_t i = 0; i < sizeof control; i++) {
        control[i] = i < 500 ? 0xff : (uint8_t)draw();
        want += sl_ids_bytes(control + i, 1);
        CHECK_EQ(sl_ids_bytes(control, i + 1), want);
    }
}

static uint32_t ids[8];

/* Rows of these lengths with these differences. */
static bool fine(const uint32_t *difference, const size_t *length, size_t rows) {
    size_t start[5] = {0};
    sl_id_facts facts = {0};
    for (size_t i = 0; i < rows; i++) start[i + 1] = start[i] + length[i];
    for (size_t k = 0; k < start[rows]; k++) {
        facts.any |= difference[k], facts.zeros += difference[k] == 0;
        ids[k] = facts.sum += difference[k];
    }
    return sl_ids_by_row(ids, start, rows, &facts);
}

TEST(rows_are_taken_apart) {
    CHECK(fine((uint32_t[]){0, 1, 5, 0, 7, 3}, (size_t[]){3, 0, 2, 1}, 4));
    CHECK(memcmp(ids, (uint32_t[]){0, 1, 6, 0, 7, 3}, 24) == 0);
    CHECK(fine(NULL, (size_t[]){0, 0}, 2));
    CHECK(fine((uint32_t[]){0x7fffffff, 0x7ffffffe, 1, 0x7fffffff}, (size_t[]){1, 2, 1}, 3));
    CHECK(memcmp(ids, (uint32_t[]){0x7fffffff, 0x7ffffffe, 0x7fffffff, 0x7fffffff}, 16) == 0);
}

TEST(what_rows_may_not_have) {
    CHECK(!fine((uint32_t[]){1, 0}, (size_t[]){2}, 1));                            /* an id twice */
    CHECK(!fine((uint32_t[]){0, 0}, (size_t[]){2}, 1));                            /* and that id is 0 */
    CHECK(!fine((uint32_t[]){5, 1, 0, 0}, (size_t[]){1, 2, 1}, 3));                /* one is first, one is not */
    CHECK(!fine((uint32_t[]){0x80000000}, (size_t[]){1}, 1));                      /* too large */
    CHECK(!fine((uint32_t[]){0x7fffffff, 1}, (size_t[]){2}, 1));                   /* by one */
    CHECK(!fine((uint32_t[]){5, 0xffffffff}, (size_t[]){2}, 1));                   /* 4: passes 2^32 */
    CHECK(!fine((uint32_t[]){0x7fffffff, 0x7fffffff, 2, 5}, (size_t[]){3, 1}, 2)); /* 0: does so in two steps */
}

int main(void) {
    RUN(all_kernels_add_up_alike);
    RUN(every_control_byte_is_measured_and_decoded);
    RUN(the_bytes_of_many_control_bytes);
    RUN(rows_are_taken_apart);
    RUN(what_rows_may_not_have);
    return DONE;
}
