/* Powers of G by rounds, as vectors can compute them. */
#include "algo/shared/power.h"
#include "unit/test.h"

TEST(powers_are_those_of_libm) {
    static const double G[] = {0.9999999, 0.99999, 0.999, 0.98, 0.75, 0.7, 0.5, 0.25, 0.03, 1e-6};
    for (size_t i = 0; i < sizeof G / sizeof *G; i++) {
        CHECK_NEAR(log2_of(G[i]), log2(G[i]), -log2(G[i]) * 1e-15);
        for (double k = 0; k < 4e9; k = floor(k * 1.3) + 1) {
            const double expected = pow(G[i], k), found = power(log2_of(G[i]), (uint32_t)k);
            if (expected > 1e-300) CHECK_NEAR(found, expected, expected * 1e-12);
            if (expected < 1e-302) CHECK(found == 0);
        }
    }
    CHECK(power(log2_of(1), 0) == 1 && power(log2_of(1), UINT32_MAX) == 1 && power(log2_of(0.5), 3) == 0.125);
}

int main(void) {
    RUN(powers_are_those_of_libm);
    return DONE;
}
