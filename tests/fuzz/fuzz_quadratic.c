/* Fuzz target: any bytes as text whose features are crossed, the first one saying in which format and how. What must
 * hold for named rows holds, so no feature comes twice. */
#include "fuzz/named.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    static const char *const formats[] = {"vw", "csv", "jsonl", "vw"};
    static const char *const how[] = {"::",  "ab",     "aa\nb:",       "a,b\n*a*,b*\nb,a",
                                      "*,a", "x\\*,*", "a*b,b*a\n ,*", "a\\\\,a*\n::"};
    const unsigned what = n ? bytes[0] : 0;
    if (n) bytes++, n--;
    check_reading(
        bytes, n,
        (sluice_reader_options){
            .format = formats[what & 3], .max_line = 150, .no_header = what >> 5 & 1, .quadratic = how[what >> 2 & 7]},
        look_at_row);
    return 0;
}
