/* The plain hashes against xxHash's and against values of the specification. */
#include "base/hash/hash.h"
#include "test.h"

static void known_values(void) {
    CHECK(sl_plain_xxh64("", 0, 0) == 0xEF46DB3751D8E999u);
    CHECK(sl_plain_xxh3("", 0, 0) == 0x2D06800538D394C2u);
}

/* Every length around the limits of the cases of XXH3 (16, 128, 240, stripes of 64, blocks of 1024), unaligned too. */
static void equal_to_xxhash(void) {
#ifdef SLUICE_PLAIN_HASH
    puts("skipped: there is no xxhash.h to compare with");
#else
    enum { MOST = 4200 };
    static unsigned char bytes[MOST + 8];
    static const uint64_t seeds[] = {0, 1, 0x9E3779B185EBCA87u, UINT64_MAX};
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)((state = state * 6364136223846793005u + 1) >> 56);
    size_t different = 0;
    for (size_t n = 0; n <= MOST; n++)
        for (size_t k = 0; k < sizeof seeds / sizeof seeds[0]; k++) {
            const unsigned char *at = bytes + n % 8;
            different += sl_plain_xxh64(at, n, seeds[k]) != XXH64(at, n, seeds[k]);
            different += sl_plain_xxh3(at, n, seeds[k]) != XXH3_64bits_withSeed(at, n, seeds[k]);
        }
    CHECK(different == 0);
#endif
}

int main(void) {
    RUN(known_values);
    RUN(equal_to_xxhash);
    return DONE;
}
