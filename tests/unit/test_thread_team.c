/* Jobs shared out among threads: each is done once in every round, and none is left when a round ends. */
#include "base/thread_team.h"
#include "unit/test.h"

#include <stdatomic.h>

enum { JOBS = 1000, ROUNDS = 200 };
static atomic_int done[JOBS];

static void count(void *context, size_t i) {
    atomic_fetch_add(&done[i], 1);
    atomic_fetch_add((atomic_int *)context, (int)i);
}

static void forget(void) {
    for (size_t i = 0; i < JOBS; i++) atomic_store(&done[i], 0);
}

/* Jobs that were not done `times` times. */
static size_t wrong(size_t jobs, int times) {
    size_t n = 0;
    for (size_t i = 0; i < JOBS; i++) n += atomic_load(&done[i]) != (i < jobs ? times : 0);
    return n;
}

TEST(every_job_is_done_once) {
    for (unsigned threads = 0; threads < 9; threads++) {
        atomic_int sum = 0;
        forget();
        sl_parallel(threads, JOBS, count, &sum);
        CHECK_EQ(wrong(JOBS, 1), 0);
        CHECK_EQ(atomic_load(&sum), JOBS * (JOBS - 1) / 2);
    }
}

TEST(no_jobs_and_more_threads_than_jobs_are_fine) {
    atomic_int sum = 0;
    forget();
    sl_parallel(4, 0, count, &sum);
    CHECK_EQ(wrong(0, 0), 0);
    sl_parallel(1000, 3, count, &sum);
    CHECK_EQ(wrong(3, 1), 0);
    forget();
    sl_parallel(1000, JOBS, count, &sum); /* more than the team has room for */
    CHECK_EQ(wrong(JOBS, 1), 0);
}

/* All jobs are done when a round ends: the sum is that of whole rounds, every time. */
TEST(a_team_does_all_jobs_in_every_round) {
    for (unsigned threads = 0; threads < 5; threads++)
        for (size_t jobs = 1; jobs < 9; jobs += 7) {
            atomic_int sum = 0;
            forget();
            sl_team *t = sl_team_new(threads, jobs, count, &sum);
            CHECK(t);
            if (!t) return;
            for (int round = 1; round <= ROUNDS; round++) {
                sl_team_run(t);
                CHECK_EQ(wrong(jobs, round), 0);
                CHECK_EQ(atomic_load(&sum), round * (int)(jobs * (jobs - 1) / 2));
            }
            sl_team_free(t);
            CHECK_EQ(wrong(jobs, ROUNDS), 0); /* ending it does no job */
        }
}

TEST(a_team_that_never_ran_can_be_freed) {
    atomic_int sum = 0;
    forget();
    sl_team_free(sl_team_new(4, 4, count, &sum));
    CHECK_EQ(wrong(0, 0), 0);
    sl_team_free(NULL);
}

typedef struct nested {
    atomic_int sum;
} nested;

static void outer(void *context, size_t i) {
    (void)i;
    sl_parallel(2, 10, count, &((nested *)context)->sum);
}

TEST(jobs_may_share_out_jobs_of_their_own) {
    nested n = {0};
    forget();
    sl_parallel(3, 8, outer, &n);
    CHECK_EQ(wrong(10, 8), 0);
    CHECK_EQ(atomic_load(&n.sum), 8 * 45);
}

TEST(there_is_at_least_one_core) { CHECK(sl_cores() >= 1); }

int main(void) {
    RUN(every_job_is_done_once);
    RUN(no_jobs_and_more_threads_than_jobs_are_fine);
    RUN(a_team_does_all_jobs_in_every_round);
    RUN(a_team_that_never_ran_can_be_freed);
    RUN(jobs_may_share_out_jobs_of_their_own);
    RUN(there_is_at_least_one_core);
    return DONE;
}
