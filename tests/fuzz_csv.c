/* Any bytes as CSV; see fuzz_table.h. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const fmt_table_selection selections[] = {{0},
                                                     {.skip_missing = true},
                                                     {.inputs = "2", .outputs = "1", .labels = true},
                                                     {.inputs = "1-2", .skip_missing = true}};
    fuzz_write(data, size);
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++)
        fuzz_table(FMT_FORMAT_CSV, &selections[i]);
    return 0;
}

#ifndef ORFF_FUZZ
int main(void) {
    static const char *const seeds[] = {
        "a,b\n1,2\n-3.5e2,4\n",
        "\"x\"\"y\",z\r\n1,\"2\"\r\n",
        "1;2;3\n4;;6\n",
        "\xef\xbb\xbf# c\na\tb\nNA\tnan\n",
        "# x y [m] u\n 1  2,5 -3\n4 5 6\n",
        "x (m);t;u\nm;UTC;m/s\n1,5;2024-05-01T06:30Z;2,5;\n*;2024-05-02;--;\n",
        "TITLE=\"a\" VARIABLES=\"x mm\", \"y\"\nZONE I=1, F=POINT\n1 2\nZONE\n3 4\n",
        "> a\n1 2\n> b\nh\xf6 4\n",
        "k,v\n\"two\nlines\",12345678901234567890.5e-30\nsetosa,0.1\n",
    };
    static const char likely[] = ",;\t\n\r\"'#.eE+-0123456789 naif:TZ[]()>%*";
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++)
        fuzz_seed(seeds[s], strlen(seeds[s]), 1200, likely, sizeof likely - 1);
    return 0;
}
#endif
