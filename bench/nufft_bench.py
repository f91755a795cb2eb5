#!/usr/bin/env python3
"""The library's nonuniform transforms beside FINUFFT's, in turn: bench/results/nufft.md.

    python3 -m venv build/finufft && build/finufft/bin/pip install finufft
    build/finufft/bin/python bench/nufft_bench.py BUILD_DIR [quick]

"quick" shows small ones and writes nothing. FINUFFT is no dependency of the library: only this script wants it.
"""
import os
import subprocess
import sys
import time
from pathlib import Path

try:
    import finufft
    import numpy as np
except ImportError:
    sys.exit(__doc__)

# type, d, K (modes -K .. K), tolerance, points, right-hand sides, precision
PLANE = [(kind, 2, 128, 1e-7 if precision == "double" else 1e-6, points, count, precision)
         for points in (10**6, 10**7) for kind in (1, 2) for precision in ("double", "single") for count in (1, 3)]
OTHERS = [(kind, d, K, tolerance, 10**6, count, "double")
          for d, K, tolerance in ((3, 20, 1e-6), (1, 1000, 1e-7)) for kind in (1, 2) for count in (1, 3)]

HEAD = """# Nonuniform Fourier transforms beside FINUFFT

Made by `bench/nufft_bench.py`. Machine: {cpu}, {cores} cores; FINUFFT {version} of PyPI.

- Uniformly random points. Everything is timed: plan, sorting, spreading, Fourier transform. Each library's least time of {rounds}
  rounds in turn (3 for 10^7 points); *s* is seconds on the wall.
- Strengths and fields are real in orff, which is all that it needs; FINUFFT's are complex, so it does twice the arithmetic. Several
  right-hand sides go through FINUFFT's interface for many vectors. Single precision asks for 1e-6, double for what the row says.
- *ratio*: orff over FINUFFT, below 1 is faster. *by processor time*: the same for one core, without what others took from it.
- Others used the machine meanwhile: {load:.1f} processes wanted its {cores} cores on average. Compare ratios, not seconds.

| type | d | modes | tolerance | points | right-hand sides | precision | one core: orff, s | FINUFFT, s | ratio | by processor time | \
{cores} cores: orff, s | FINUFFT, s | ratio |
|--:|--:|--:|--:|--:|--:|:--|--:|--:|--:|--:|--:|--:|--:|
"""


class Ours:
    """A bench_nufft that waits for its turns."""

    def __init__(self, program, case, threads):
        kind, d, K, tolerance, points, count, precision = case
        words = (kind, d, K, tolerance, points, count, precision, threads)
        self.process = subprocess.Popen([program, *map(str, words)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def turn(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return [float(word) for word in self.process.stdout.readline().split()]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


class Theirs:
    def __init__(self, case, threads):
        kind, d, K, tolerance, points, count, precision = case
        real, complex_ = (np.float64, np.complex128) if precision == "double" else (np.float32, np.complex64)
        draw = np.random.default_rng(1)
        places = [draw.uniform(-np.pi, np.pi, points).astype(real) for _ in range(d)]
        modes = (2 * K + 1,) * d
        shape = (points,) if kind == 1 else modes
        data = draw.uniform(-0.5, 0.5, shape if count == 1 else (count, *shape)).astype(complex_)
        call = getattr(finufft, f"nufft{d}d{kind}")
        sizes = (modes,) if kind == 1 else ()
        self.run = lambda: call(*places, data, *sizes, eps=tolerance, nthreads=threads)

    def turn(self):
        start, busy = time.perf_counter(), time.process_time()
        self.run()
        return [time.perf_counter() - start, time.process_time() - busy]


def least(program, case, threads, rounds):
    """[wall, processor] seconds of ours and of theirs; the first round of both warms up."""
    ours, theirs = Ours(program, case, threads), Theirs(case, threads)
    times = np.array([(ours.turn(), theirs.turn()) for _ in range(rounds + 1)])
    ours.end()
    return times[1:].min(axis=0)


def row(program, case, rounds):
    kind, d, K, tolerance, points, count, precision = case
    rounds = rounds if points < 10**7 else min(rounds, 3)
    one = least(program, case, 1, rounds)
    every = least(program, case, os.cpu_count(), rounds)
    words = [str(kind), str(d), f"{2 * K + 1}" + (f"^{d}" if d > 1 else ""), f"{tolerance:.0e}", f"10^{len(str(points)) - 1}",
             str(count), precision, f"{one[0][0]:.3f}", f"{one[1][0]:.3f}", f"{one[0][0] / one[1][0]:.2f}",
             f"{one[0][1] / one[1][1]:.2f}", f"{every[0][0]:.3f}", f"{every[1][0]:.3f}", f"{every[0][0] / every[1][0]:.2f}"]
    return "| " + " | ".join(words) + " |\n"


def cpu():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def main():
    if len(sys.argv) < 2 or not (Path(sys.argv[1]) / "bench" / "bench_nufft").exists():
        sys.exit(__doc__)
    program, quick = Path(sys.argv[1]) / "bench" / "bench_nufft", sys.argv[2:] == ["quick"]
    cases = [case for case in PLANE + OTHERS if not quick or (case[4] < 10**7 and case[5] == 1)]
    rounds = 3 if quick else 5
    rows, loads = [], []
    for case in cases:
        rows.append(row(program, case, rounds))
        loads.append(os.getloadavg()[0])
        print(rows[-1], end="", flush=True)
    if quick:
        return
    head = HEAD.format(cpu=cpu(), cores=os.cpu_count(), version=finufft.__version__, rounds=rounds, load=np.mean(loads))
    (Path(__file__).parent / "results" / "nufft.md").write_text(head + "".join(rows))


if __name__ == "__main__":
    main()
