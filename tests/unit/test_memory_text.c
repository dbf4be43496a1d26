/* Text in memory: all of it, or none. */
#include "cli/output/memory_text.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static char *write_lines(int lines, size_t *n) {
    memory_text m;
    FILE *out = memory_text_open(&m);
    CHECK(out);
    for (int i = 0; i < lines; i++) {
        fprintf(out, "line %d", i);
        fputs(i % 7 ? "" : " with more to it, now and then", out);
        fputc('\n', out);
    }
    return memory_text_close(&m, n);
}

TEST(text_is_what_was_written) {
    size_t n = 1;
    char *text = write_lines(0, &n);
    CHECK_STR(text, "");
    CHECK_EQ(n, 0);
    free(text);
    text = write_lines(2, &n);
    CHECK_STR(text, "line 0 with more to it, now and then\nline 1\n");
    CHECK_EQ(n, strlen(text));
    free(text);
    text = write_lines(50000, NULL);
    CHECK(strstr(text, "\nline 49999\n"));
    free(text);
}

TEST(where_memory_runs_out_there_is_no_text) {
    size_t n;
    char *wanted = write_lines(50000, &n);
    FOR_EACH_FAILED_ALLOCATION {
        char *text = write_lines(50000, &n);
        if (allocation_has_failed)
            CHECK(!text);
        else
            CHECK_STR(text, wanted);
        free(text);
    }
    CHECK(allocations_failed > 4);
    free(wanted);
}

int main(void) {
    RUN(text_is_what_was_written);
    RUN(where_memory_runs_out_there_is_no_text);
    return DONE;
}
