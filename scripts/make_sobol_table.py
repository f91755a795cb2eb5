#!/usr/bin/env python3
"""Write src/sampling/sobol_table.h from the direction numbers that SciPy carries.

usage: scripts/make_sobol_table.py > src/sampling/sobol_table.h
"""
import os

import numpy
import scipy

DIMENSIONS = 1024

HEAD = """\
/* Primitive polynomials and initial direction numbers of the Sobol sequence in {dims} dimensions: the set
 * new-joe-kuo-6 of S. Joe and F. Y. Kuo, "Constructing Sobol sequences with better two-dimensional
 * projections", SIAM J. Sci. Comput. 30 (2008). Written by scripts/make_sobol_table.py; do not edit.
 *
 * A polynomial of degree s is the number whose bit i is the coefficient of x^i. Its dimension has s odd
 * initial numbers m_1 .. m_s, m_k < 2^k; they follow each other in `initial_numbers`, dimension by dimension.
 * The first dimension (polynomial 1, degree 0) is the van der Corput sequence and has none. */
#ifndef ORFFI_SAMPLING_SOBOL_TABLE_H
#define ORFFI_SAMPLING_SOBOL_TABLE_H

#include <stdint.h>

/* clang-format off */
"""


def array(name, values):
    lines, line = [], "   "
    for value in values:
        word = f" {value},"
        if len(line) + len(word) > 110:
            lines.append(line)
            line = "   "
        line += word
    lines.append(line)
    return f"static const uint16_t {name}[{len(values)}] = {{\n" + "\n".join(lines) + "\n};\n"


def main():
    data = numpy.load(os.path.join(os.path.dirname(scipy.__file__), "stats", "_sobol_direction_numbers.npz"))
    polynomials = [int(p) for p in data["poly"][:DIMENSIONS]]
    numbers = []
    for polynomial, row in zip(polynomials[1:], data["vinit"][1:DIMENSIONS]):
        degree = polynomial.bit_length() - 1
        initial = [int(m) for m in row[:degree]]
        assert all(m % 2 == 1 and m < 2 ** (k + 1) for k, m in enumerate(initial))
        numbers += initial
    print(HEAD.format(dims=DIMENSIONS))
    print(array("polynomials", polynomials))
    print(array("initial_numbers", numbers))
    print("#endif")


if __name__ == "__main__":
    main()
