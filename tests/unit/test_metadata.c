/* Metadata of models: what is set is there, in copies too; impossible keys and sizes are refused. */
#include <stdlib.h>
#include <string.h>

#include "sluice.h"
#include "unit/test.h"

static sluice_model *model(void) { return sluice_model_new("pa", NULL, 0, NULL, NULL); }

TEST(what_is_set_is_there_by_ascending_key) {
    sluice_model *m = model();
    const char *const keys[] = {"reader.tf", "a", "reader.ngrams", "z", "reader"};
    for (size_t i = 0; i < 5; i++) CHECK_EQ(sluice_model_set_metadata(m, keys[i], keys[i], strlen(keys[i])), SLUICE_OK);
    const char *const sorted[] = {"a", "reader", "reader.ngrams", "reader.tf", "z"};
    for (size_t i = 0; i < 5; i++) {
        const void *bytes;
        size_t n;
        const char *key = sluice_model_metadata_at(m, i, &bytes, &n);
        CHECK(key && strcmp(key, sorted[i]) == 0 && n == strlen(key));
        CHECK(strcmp(bytes, sorted[i]) == 0); /* a NUL stands behind */
    }
    CHECK(!sluice_model_metadata_at(m, 5, &(const void *){0}, &(size_t){0}));
    size_t n = 7;
    CHECK(!sluice_model_metadata(m, "b", &n));
    CHECK_EQ(n, 0);
    sluice_model_free(m);
}

TEST(a_key_is_replaced_and_removed) {
    sluice_model *m = model();
    size_t n;
    CHECK_EQ(sluice_model_set_metadata(m, "k", "one", 3), SLUICE_OK);
    CHECK_EQ(sluice_model_set_metadata(m, "k", "\0two", 4), SLUICE_OK);
    const char *bytes = sluice_model_metadata(m, "k", &n);
    CHECK(bytes && n == 4 && memcmp(bytes, "\0two", 4) == 0);
    CHECK_EQ(sluice_model_set_metadata(m, "k", "", 0), SLUICE_OK); /* empty is not absent */
    CHECK(sluice_model_metadata(m, "k", &n) && n == 0);
    CHECK_EQ(sluice_model_set_metadata(m, "k", NULL, 0), SLUICE_OK);
    CHECK(!sluice_model_metadata(m, "k", NULL));
    CHECK_EQ(sluice_model_set_metadata(m, "k", NULL, 0), SLUICE_OK); /* removing twice is fine */
    sluice_model_free(m);
}

TEST(copies_have_it_and_go_their_own_way) {
    sluice_model *m = model();
    CHECK_EQ(sluice_model_set_metadata(m, "k", "v", 1), SLUICE_OK);
    sluice_model *copies[] = {sluice_model_copy(m, NULL), sluice_model_final(m, NULL), sluice_model_finished(m, NULL)};
    CHECK_EQ(sluice_model_set_metadata(m, "k", "w", 1), SLUICE_OK);
    for (size_t i = 0; i < 3; i++) {
        size_t n;
        const char *bytes = sluice_model_metadata(copies[i], "k", &n);
        CHECK(bytes && n == 1 && *bytes == 'v');
        sluice_model_free(copies[i]);
    }
    sluice_model_free(m);
}

TEST(impossible_keys_and_sizes_are_refused_and_change_nothing) {
    sluice_model *m = model();
    char key[SLUICE_MAX_METADATA_KEY + 2];
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = 0;
    CHECK_EQ(sluice_model_set_metadata(m, key, "v", 1), SLUICE_E_USAGE);
    CHECK_EQ(sluice_model_set_metadata(m, "", "v", 1), SLUICE_E_USAGE);
    CHECK_EQ(sluice_model_set_metadata(m, "a b", "v", 1), SLUICE_E_USAGE);
    CHECK_EQ(sluice_model_set_metadata(m, "a\n", "v", 1), SLUICE_E_USAGE);
    key[sizeof key - 2] = 0;
    CHECK_EQ(sluice_model_set_metadata(m, key, "v", 1), SLUICE_OK);
    char *large = calloc(SLUICE_MAX_METADATA_BYTES + 1, 1);
    CHECK_EQ(sluice_model_set_metadata(m, key, large, SLUICE_MAX_METADATA_BYTES + 1), SLUICE_E_LIMIT);
    CHECK_EQ(sluice_model_error(m)->status, SLUICE_E_LIMIT);
    size_t n;
    CHECK(sluice_model_metadata(m, key, &n) && n == 1);
    CHECK_EQ(sluice_model_set_metadata(m, key, large, SLUICE_MAX_METADATA_BYTES), SLUICE_OK);
    for (int i = 1; i < SLUICE_MAX_METADATA; i++) {
        snprintf(key, sizeof key, "%d", i);
        CHECK_EQ(sluice_model_set_metadata(m, key, "v", 1), SLUICE_OK);
    }
    CHECK_EQ(sluice_model_set_metadata(m, "one-more", "v", 1), SLUICE_E_LIMIT);
    CHECK_EQ(sluice_model_set_metadata(m, "1", "w", 1), SLUICE_OK); /* one that is there can still change */
    free(large);
    sluice_model_free(m);
}

int main(void) {
    RUN(what_is_set_is_there_by_ascending_key);
    RUN(a_key_is_replaced_and_removed);
    RUN(copies_have_it_and_go_their_own_way);
    RUN(impossible_keys_and_sizes_are_refused_and_change_nothing);
    return DONE;
}
