/* Any bytes as fields of grib2json; see fuzz_table.h. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const fmt_table_selection selections[] = {{.skip_missing = true},
                                                     {.inputs = "1,2", .outputs = "3"}};
    fuzz_write(data, size);
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++)
        fuzz_table(FMT_FORMAT_GRIB_JSON, &selections[i]);
    return 0;
}

#ifndef ORFF_FUZZ
int main(void) {
    static const char *const seeds[] = {
        "[{\"header\":{\"nx\":2,\"ny\":2,\"lo1\":0,\"la1\":10,\"dx\":1,\"dy\":1,\"parameterNumberName\":"
        "\"U\","
        "\"parameterUnit\":\"m.s-1\"},\"data\":[1,2,null,4]}]",
        "[{\"data\":[1.5e3,\"NaN\"],\"header\":{\"nx\":1,\"ny\":2,\"lo1\":-5,\"la1\":10,\"la2\":11,\"dx\":1,"
        "\"dy\":1,"
        "\"a\":[{\"b\":[]}]}},{\"header\":{\"nx\":1,\"ny\":2,\"lo1\":-5,\"la1\":10,\"dx\":1,\"dy\":1},"
        "\"data\":[3,4]}]",
    };
    static const char likely[] = "[]{}\",:0123456789.-+enula\\";
    for (size_t s = 0; s < sizeof seeds / sizeof *seeds; s++)
        fuzz_seed(seeds[s], strlen(seeds[s]), 3000, likely, sizeof likely - 1);
    return 0;
}
#endif
