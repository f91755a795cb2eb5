/* Any bytes as NPY; see fuzz_table.h. */
#include "fuzz_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const fmt_table_selection selections[] = {{.skip_missing = true}, {.inputs = "1"}};
    fuzz_write(data, size);
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++)
        fuzz_table(FMT_FORMAT_NPY, &selections[i]);
    return 0;
}

#ifndef ORFF_FUZZ
int main(void) {
    static const char *const headers[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }\n",
        "{'descr': '>i2', 'fortran_order': True, 'shape': (4, 2, 3), }\n",
        "{'descr': '|b1', 'fortran_order': False, 'shape': (48,), }\n",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }\n",
    };
    static const char likely[] = "0123456789(),:{}' <>|=fiubTrueFalse";
    for (size_t s = 0; s < sizeof headers / sizeof *headers; s++) {
        uint8_t file[256] = "\x93NUMPY\x01";
        const size_t length = strlen(headers[s]);
        file[8] = (uint8_t)length;
        memcpy(file + 10, headers[s], length);
        fuzz_seed(file, 10 + length + 48, 1200, likely, sizeof likely - 1);
    }
    return 0;
}
#endif
