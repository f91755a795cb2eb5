#include "formats/npy_header.h"

#include <stdio.h>
#include <string.h>

void fmt_npy_make_header(uint64_t rows, size_t columns, char header[FMT_NPY_HEADER]) {
    char text[FMT_NPY_HEADER];
    const uint16_t one = 1, length = FMT_NPY_HEADER - 10;
    char first;
    memcpy(&first, &one, 1);
    memset(header, ' ', FMT_NPY_HEADER);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)(length & 0xff);
    header[9] = (char)(length >> 8);
    const int used =
        snprintf(text, sizeof text, "{'descr': '%cf8', 'fortran_order': False, 'shape': (%llu, %zu), }",
                 first ? '<' : '>', (unsigned long long)rows, columns);
    memcpy(header + 10, text, (size_t)used);
    header[FMT_NPY_HEADER - 1] = '\n';
}
