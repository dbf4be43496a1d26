/* Positions of models: what is set is there, in copies and files too, and not in merged and predict-only models;
 * impossible ones are refused. */
#include <string.h>

#include "file/model_format.h"
#include "sluice.h"
#include "unit/model_bytes.h"
#include "unit/test.h"

static sluice_position at(const char *topic, int partition, int64_t next) {
    return (sluice_position){.size = sizeof(sluice_position),
                             .cluster = "c",
                             .topic = topic,
                             .topic_id = {1, 2, 3},
                             .partition = partition,
                             .next = next,
                             .end = -1,
                             .messages = 7,
                             .last = next - 1,
                             .last_time = -5,
                             .last_hash = UINT64_MAX};
}

static void set(sluice_model *m, const char *topic, int partition, int64_t next) {
    const sluice_position p = at(topic, partition, next);
    CHECK_EQ(sluice_model_set_position(m, &p), SLUICE_OK);
}

static void check_position(const sluice_model *m, size_t i, const char *topic, int partition, int64_t next) {
    sluice_position p = {.size = sizeof p};
    CHECK_EQ(sluice_model_position(m, i, &p, NULL), SLUICE_OK);
    CHECK_STR(p.cluster, "c");
    CHECK_STR(p.topic, topic);
    CHECK_EQ(p.partition, partition);
    CHECK_EQ(p.next, next);
    CHECK(p.topic_id[2] == 3 && p.end == -1 && p.messages == 7 && p.last == next - 1 && p.last_time == -5 &&
          p.last_hash == UINT64_MAX);
}

TEST(positions_are_ordered_and_replaced) {
    sluice_model *m = small_model("pa", 5);
    set(m, "b", 0, 10);
    set(m, "a", 11, 20);
    set(m, "a", 2, 30);
    set(m, "b", 0, 40);
    CHECK_EQ(sluice_model_positions(m), 3);
    check_position(m, 0, "a", 2, 30);
    check_position(m, 1, "a", 11, 20);
    check_position(m, 2, "b", 0, 40);
    sluice_error err;
    sluice_position p = {.size = sizeof p};
    CHECK_EQ(sluice_model_position(m, 3, &p, &err), SLUICE_E_USAGE);
    sluice_model_drop_positions(m);
    CHECK_EQ(sluice_model_positions(m), 0);
    sluice_model_free(m);
}

TEST(copies_and_files_have_them_and_go_their_own_way) {
    sluice_model *m = small_model("fsol", 5);
    set(m, "t", 0, 10);
    set(m, "t", 1, 20);
    sluice_model *copy = sluice_model_copy(m, NULL);
    file f = file_from(sluice_model_copy(m, NULL));
    set(m, "t", 0, 11);
    check_position(copy, 0, "t", 0, 10);
    sluice_model *loaded = sluice_model_parse(f.bytes, f.n, NULL);
    CHECK(same_bytes(copy, loaded));
    check_position(loaded, 1, "t", 1, 20);
    sluice_model_free(loaded);
    sluice_model_free(copy);
    sluice_model_free(m);
    free(f.bytes);
}

TEST(merged_and_predict_only_models_have_none) {
    sluice_model *m = small_model("fsol", 5), *other = small_model("fsol", 5);
    set(m, "t", 0, 10);
    sluice_model *final = sluice_model_final(m, NULL);
    CHECK_EQ(sluice_model_positions(final), 0);
    CHECK_EQ(sluice_model_merge(m, other), SLUICE_OK);
    CHECK_EQ(sluice_model_positions(m), 0);
    sluice_model_free(final);
    sluice_model_free(other);
    sluice_model_free(m);
}

/* Labels 1 and then a word make the model its own mirror image. */
TEST(a_model_that_turns_into_its_mirror_keeps_them) {
    sluice_model *m = sluice_model_new("pa", NULL, 0, NULL, NULL);
    uint64_t id = 1;
    float value = 1;
    sluice_example one = {&id, &value, 1, 1, 1, NULL, {NULL, 0}};
    sluice_example word = {&id, &value, 1, 0, 1, NULL, {"spam", 4}};
    set(m, "t", 3, 10);
    sluice_batch *b = sluice_batch_new(NULL);
    CHECK_EQ(sluice_batch_add(b, &one, NULL), SLUICE_OK);
    CHECK_EQ(sluice_batch_add(b, &word, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_classes(m), 2);
    CHECK_EQ(sluice_model_positions(m), 1);
    check_position(m, 0, "t", 3, 10);
    sluice_batch_free(b);
    sluice_model_free(m);
}

TEST(impossible_positions_are_refused_and_change_nothing) {
    sluice_model *m = small_model("pa", 5);
    set(m, "t", 0, 10);
    char text[SLUICE_MAX_POSITION_TEXT + 2];
    memset(text, 't', sizeof text - 1);
    text[sizeof text - 1] = 0;
    sluice_position bad[] = {at("", 0, 5),  at(text, 0, 5), at("a b", 0, 5), at("t", -1, 5), at("t", 0, -1),
                             at("t", 0, 5), at("t", 0, 5),  at("t", 0, 5),   at("t", 0, 5)};
    bad[5].last = 5;
    bad[6].end = 4;
    bad[7].end = -2;
    bad[8].cluster = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_EQ(sluice_model_set_position(m, &bad[i]), SLUICE_E_USAGE);
    CHECK_EQ(sluice_model_set_position(m, NULL), SLUICE_E_USAGE);
    CHECK_EQ(sluice_model_positions(m), 1);
    check_position(m, 0, "t", 0, 10);
    for (int i = 1; i < SLUICE_MAX_POSITIONS; i++) set(m, "t", i, 1);
    const sluice_position more = at("t", SLUICE_MAX_POSITIONS, 5);
    CHECK_EQ(sluice_model_set_position(m, &more), SLUICE_E_LIMIT);
    sluice_model *copy = sluice_model_copy(m, NULL);
    CHECK(same_bytes(copy, m));
    sluice_model_free(copy);
    sluice_model_free(m);
}

TEST(damaged_sections_are_refused) {
    sluice_model *m = small_model("pa", 5);
    set(m, "a", 0, 10);
    set(m, "b", 0, 10);
    file whole = file_from(m);
    const size_t begin = section(&whole, "POSN"), n = section_length(&whole, "POSN");
    for (size_t cut = 1; cut < n; cut++) {
        if (cut == n / 2) continue; /* one whole position */
        file f = copy_of(&whole);
        unsigned char *content = malloc(n);
        memcpy(content, f.bytes + begin, cut);
        set_content(&f, "POSN", content, cut);
        refuse(&f, "POSN ends within a position");
        free(content);
    }
    file f = copy_of(&whole);
    f.bytes[begin + 3] = 'c'; /* the topic */
    refuse(&f, "positions are not in order");
    f = copy_of(&whole);
    f.bytes[begin + 3] = 0;
    refuse(&f, "POSN ends within a position");
    f = copy_of(&whole);
    f.bytes[begin + 4 + 16 + 3] = 0x80; /* the partition's sign */
    refuse(&f, "numbers of a position are impossible");
    f = copy_of(&whole);
    f.bytes[begin + 4 + 16 + 4 + 7] = 0x80; /* that of the next offset */
    refuse(&f, "numbers of a position are impossible");
    f = copy_of(&whole);
    set_content(&f, "POSN", "", 0);
    refuse(&f, "POSN is empty");
    f = copy_of(&whole);
    accept(&f, &whole);
    free(whole.bytes);
}

int main(void) {
    RUN(positions_are_ordered_and_replaced);
    RUN(copies_and_files_have_them_and_go_their_own_way);
    RUN(merged_and_predict_only_models_have_none);
    RUN(a_model_that_turns_into_its_mirror_keeps_them);
    RUN(impossible_positions_are_refused_and_change_nothing);
    RUN(damaged_sections_are_refused);
    return DONE;
}
