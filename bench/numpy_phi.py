#!/usr/bin/env python3
"""phi(X) by numpy: numpy_phi.py double|single INPUTS [ROUNDS]

Prints the median time in milliseconds. The arrays are made beforehand and written in place, so what is timed is
the product, the cosines and the sines. Threads of the product: OMP_NUM_THREADS and OPENBLAS_NUM_THREADS.
"""
import statistics
import sys
import time

import numpy as np

POINTS, FREQUENCIES = 4096, 1000


def main():
    real = {"double": np.float64, "single": np.float32}[sys.argv[1]]
    d = int(sys.argv[2])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 9
    random = np.random.default_rng(1)
    X = random.uniform(-1, 1, (POINTS, d)).astype(real)
    omega = (random.standard_normal((FREQUENCIES, d)) / np.sqrt(d)).astype(real)
    angles = np.zeros((POINTS, FREQUENCIES), real)
    phi = np.zeros((POINTS, 2 * FREQUENCIES), real)

    def run():
        np.matmul(X, omega.T, out=angles)
        np.cos(angles, out=phi[:, :FREQUENCIES])
        np.sin(angles, out=phi[:, FREQUENCIES:])

    run()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    print(f"{1e3 * statistics.median(seconds):.3f}")


main()
