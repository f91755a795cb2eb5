/* Any bytes as IDX; see fuzz_table.h. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const fmt_table_selection selections[] = {{.skip_missing = true}, {.inputs = "1"}};
    fuzz_write(data, size);
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++)
        fuzz_table(FMT_FORMAT_IDX, &selections[i]);
    return 0;
}

#ifndef ORFF_FUZZ
int main(void) {
    static const uint8_t images[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2,  0,  0,
                                     0, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const uint8_t doubles[] = {0, 0, 14, 1, 0,    0, 0, 2, 0x3f, 0xf0, 0, 0,
                                      0, 0, 0,  0, 0x40, 0, 0, 0, 0,    0,    0, 0};
    static const uint8_t packed[] = {31, 139, 8,   0,  0,   0,  0,   0, 2,  3,  99, 96, 224, 96, 98, 96,
                                     96, 0,   227, 84, 102, 86, 118, 0, 64, 67, 37, 6,  16,  0,  0,  0};
    static const char likely[] = "\0\1\2\3\x08\x09\x0b\x0c\x0d\x0e\xff\x7f\x80";
    fuzz_seed(images, sizeof images, 1500, likely, sizeof likely - 1);
    fuzz_seed(doubles, sizeof doubles, 1500, likely, sizeof likely - 1);
    fuzz_seed(packed, sizeof packed, 1500, likely, sizeof likely - 1);
    return 0;
}
#endif
