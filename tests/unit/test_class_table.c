/* The table of classes: what one class is, the order of first sight, which one is greater. */
#include "rows/class_table.h"
#include "unit/test.h"

static sluice_name text(const char *s) { return (sluice_name){s, strlen(s)}; }

TEST(classes_are_numbered_in_the_order_of_first_sight) {
    sl_class_table t = {0};
    CHECK(sl_classes_find(&t, text("ham")) == SL_NO_CLASS);
    CHECK_EQ(sl_classes_add(&t, text("spam")), 0);
    CHECK_EQ(sl_classes_add(&t, text("ham")), 1);
    CHECK_EQ(sl_classes_add(&t, text("spam")), 0);
    CHECK_EQ(t.n, 2);
    CHECK_EQ(sl_classes_find(&t, text("ham")), 1);
    CHECK(sl_classes_find(&t, text("Ham")) == SL_NO_CLASS);
    CHECK(sl_classes_find(&t, text("ha")) == SL_NO_CLASS);
    CHECK_STR(sl_class_text(&t, 0).text, "spam");
    CHECK_EQ(sl_class_text(&t, 1).n, 3);
    sl_classes_free(&t);
}

TEST(numbers_that_are_equal_as_doubles_are_one_class_with_the_text_that_came_first) {
    sl_class_table t = {0};
    CHECK_EQ(sl_classes_add(&t, text("+2.50")), 0);
    CHECK_EQ(sl_classes_find(&t, text("2.5")), 0);
    CHECK_EQ(sl_classes_find(&t, text("25e-1")), 0);
    CHECK_EQ(sl_classes_find_number(&t, 2.5), 0);
    CHECK_STR(sl_class_text(&t, 0).text, "+2.50");
    CHECK(t.entry[0].is_number && t.entry[0].number == 2.5);
    CHECK_EQ(sl_classes_add(&t, text("-0")), 1);
    CHECK_EQ(sl_classes_add(&t, text("0.0")), 1);
    CHECK_EQ(sl_classes_add_number(&t, -0.0), 1);
    CHECK_EQ(sl_classes_add_number(&t, 1), 2);
    CHECK_STR(sl_class_text(&t, 2).text, "1");
    CHECK_EQ(sl_classes_add(&t, text("1.0")), 2);
    CHECK_EQ(sl_classes_add(&t, text("1.0x")), 3); /* a word */
    CHECK_EQ(sl_classes_add(&t, text("0x1")), 4);
    CHECK_EQ(sl_classes_add(&t, text("nan")), 5);
    CHECK_EQ(sl_classes_add(&t, text("-")), 6);
    CHECK(!t.entry[3].is_number && !t.entry[4].is_number && !t.entry[5].is_number && !t.entry[6].is_number);
    CHECK(sl_same_class(text("1"), text("1.0")) && !sl_same_class(text("one"), text("1")));
    sl_classes_free(&t);
}

/* Whether a comes before b. */
static int less(const char *a, const char *b) {
    sl_class_table t = {0};
    sl_classes_add(&t, text(b));
    sl_classes_add(&t, text(a));
    int order = sl_class_compare(&t, 1, 0);
    CHECK_EQ(sl_class_compare(&t, 0, 1) < 0, order > 0);
    sl_classes_free(&t);
    return order < 0;
}

TEST(numbers_are_ordered_by_value_and_come_before_words_which_are_ordered_by_bytes) {
    CHECK(less("2", "10"));
    CHECK(less("-1", "0"));
    CHECK(less("1e3", "1001"));
    CHECK(less("999", "a"));
    CHECK(less("999", ""));
    CHECK(less("false", "true"));
    CHECK(less("ham", "hams"));
    CHECK(less("Zebra", "ant"));
    CHECK(less("z", "\xc3\xa9")); /* bytes, not characters of some language */
    CHECK(!less("spam", "ham"));
}

TEST(a_hundred_thousand_classes_are_found) {
    enum { N = 100000 };
    sl_class_table t = {0}, copy = {0};
    char name[32];
    for (int i = 0; i < N; i++) {
        sprintf(name, i % 2 ? "class %d" : "%d", i);
        CHECK_EQ(sl_classes_add(&t, text(name)), i);
        t.entry[i].count = (uint64_t)i * 3;
    }
    CHECK(sl_classes_copy(&copy, &t));
    sl_classes_free(&t);
    CHECK_EQ(copy.n, N);
    for (int i = 0; i < N; i++) {
        sprintf(name, i % 2 ? "class %d" : "%d.0", i);
        CHECK_EQ(sl_classes_find(&copy, text(name)), i);
        CHECK_EQ(copy.entry[i].count, (uint64_t)i * 3);
    }
    CHECK(sl_classes_memory(&copy) > N * 8 && sl_classes_memory(&copy) < N * 200);
    sl_classes_free(&copy);
}

int main(void) {
    RUN(classes_are_numbered_in_the_order_of_first_sight);
    RUN(numbers_that_are_equal_as_doubles_are_one_class_with_the_text_that_came_first);
    RUN(numbers_are_ordered_by_value_and_come_before_words_which_are_ordered_by_bytes);
    RUN(a_hundred_thousand_classes_are_found);
    return DONE;
}
