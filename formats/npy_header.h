/* The header of an NPY 1.0 file of doubles in C order. */
#ifndef FMT_NPY_HEADER_H
#define FMT_NPY_HEADER_H

#include <stddef.h>
#include <stdint.h>

enum { FMT_NPY_HEADER = 128 }; /* bytes, for any number of rows */

void fmt_npy_make_header(uint64_t rows, size_t columns, char header[FMT_NPY_HEADER]);

#endif
