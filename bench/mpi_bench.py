#!/usr/bin/env python3
"""orff-mpi on the processors of one machine: bench/results/mpi.md.

    python3 bench/mpi_bench.py BUILD_DIR [quick]

Wants numpy and Open MPI. Data are made in a temporary directory (600 MB). Processor seconds are those of all ranks and
threads, with what they spend waiting for each other; they tell the overhead of dividing the work where others use the
machine too, and seconds by the clock do not.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FEATURES = ["--engine", "features", "--features", "500", "--sigma", "0.5"]
LATTICE = ["--engine", "lattice", "--extent", "1=-1:1,2=-1:1", "--sigma-range", "0.1:1"]
COLUMNS = ["--inputs", "1,2", "--outputs", "3,4"]
GRIDS = [(1, 1), (1, 2), (2, 1), (4, 1)]  # ranks, threads of each

HEAD = """# orff-mpi

Made by `bench/mpi_bench.py BUILD_DIR`. Machine: {cpu}, {cores} cores, {mpi}. **Others used it at the same time** (load {load:.1f} at
the end), so the clock says little; *processor* is what all ranks and threads took, waiting included, the least of {rounds} runs, of one
in the first table.
Rows have two inputs and two outputs, from NPY files.

"""


def environment(threads):
    """Threads of each rank; ranks that wait give way."""
    return dict(os.environ, OMP_NUM_THREADS=str(threads), GOMP_SPINCOUNT="100", OMPI_ALLOW_RUN_AS_ROOT="1",
                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_mpi_yield_when_idle="1",
                OMPI_MCA_hwloc_base_binding_policy="none")


def run(command, threads=1):
    """What it printed, seconds by the clock, processor seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run([str(word) for word in command], env=environment(threads), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr}")
    seconds, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout + done.stderr, seconds, used


def best(command, threads=1):
    """The run of the least processor seconds."""
    return min((run(command, threads) for _ in range(ROUNDS)), key=lambda one: one[2])


def on(ranks):
    """mpirun."""
    return ["mpirun", "--oversubscribe", "-n", ranks]


def make(path, rows):
    """A field in the plane, with noise."""
    random = np.random.RandomState(0)
    X = random.uniform(-1, 1, (rows, 2))
    Y = np.stack([np.sin(3 * X[:, 1]), np.cos(4 * X[:, 0])], axis=1) + 0.1 * random.normal(size=(rows, 2))
    np.save(path, np.concatenate([X, Y], axis=1))
    return path


def strong(build, files):
    """The same rows on more ranks and threads."""
    lines = ["## The same rows, more ranks and threads\n", "| moments | program | ranks x threads | clock | processor | beside orff |",
             "|:--|:--|--:|--:|--:|--:|"]
    for name, rows, options in (("500 features, 5 folds", FEATURE_ROWS, FEATURES), ("lattice", LATTICE_ROWS, LATTICE)):
        data = files[rows]
        plain = {}
        for threads in (1, 2):
            _, seconds, used = plain[threads] = run([build / "cli/orff", "moments", data, *COLUMNS, *options, "-o", "z.moments"], threads)
            lines.append(f"| {name}, {rows:.2g} rows | orff | 1 x {threads} | {seconds:.1f} s | {used:.1f} s | |")
        for ranks, threads in GRIDS:
            _, seconds, used = run([*on(ranks), build / "cli/orff-mpi", "moments", data, *COLUMNS, *options, "-o", "z.moments"], threads)
            lines.append(f"| | orff-mpi | {ranks} x {threads} | {seconds:.1f} s | {used:.1f} s | {100 * (used / plain[threads][2] - 1):+.0f} % |")
    return "\n".join(lines) + "\n\n*beside orff*: processor seconds against orff with as many threads in a process.\n"


def weak(build, files):
    """As many rows for each rank."""
    lines = ["## As many rows for each rank: 500 features, 5 folds\n", "| ranks | rows | clock | processor | of each rank |", "|--:|--:|--:|--:|--:|"]
    for ranks in (1, 2, 4):
        rows = WEAK_ROWS * ranks
        _, seconds, used = best([*on(ranks), build / "cli/orff-mpi", "moments", files[rows], *COLUMNS, *FEATURES, "-o", "z.moments"])
        lines.append(f"| {ranks} | {rows:.2g} | {seconds:.1f} s | {used:.1f} s | {used / ranks:.1f} s |")
    return "\n".join(lines) + "\n"


def reduction(build, files):
    """What is sent, and how long that takes."""
    lines = ["## Adding the sums\n", "| moments | ranks | bytes of a sum | added in | MB/s |", "|:--|--:|--:|--:|--:|"]
    for D in (250, 500, 1000):
        for ranks in (2, 4):
            command = [*on(ranks), build / "cli/orff-mpi", "moments", files[FEW], *COLUMNS, "--features", D, "--sigma", "0.5", "-o", "z.moments"]
            found = [re.search(r"sums \(([\d.e+]+) MB\) added in ([\d.]+) s", run(command)[0]) for _ in range(ROUNDS)]
            megabytes, seconds = float(found[0][1]), min(float(one[2]) for one in found)
            lines.append(f"| {D} features, 5 folds | {ranks} | {megabytes:.0f} MB | {seconds:.2f} s | {megabytes / max(seconds, 0.005):.0f} |")
    return "\n".join(lines) + "\n\nThrough memory, between ranks of one machine. A number is 16 bytes on its way: sums have twice the digits.\n"


def systems(build, _):
    """ScaLAPACK beside LAPACK."""
    lines = ["## Systems in pieces: ScaLAPACK beside LAPACK\n", "| order | ranks | on each | filled in | solved in | LAPACK solves in | theta differs by |",
             "|--:|--:|--:|--:|--:|--:|--:|"]
    for D, rows, ranks in SYSTEMS:
        text = run([*on(ranks), build / "mpi/mpi_check", "ridge", D, rows])[0]
        own = re.search(r"order (\d+) .*filled in ([\d.]+) s, solved in ([\d.]+) s; this rank had ([\d.]+) MB", text)
        other = re.search(r"solved in ([\d.]+) s; theta differs by ([\d.e-]+)", text)
        beside = f"{other[1]} s | {other[2]}" if other else "not run |"
        lines.append(f"| {own[1]} | {ranks} | {own[4]} MB | {own[2]} s ({rows} rows) | {own[3]} s | {beside} |")
    return "\n".join(lines) + "\n\nBy the clock, one thread for each rank, once; one after the other.\n"


def main():
    """The page, on standard output and in results/."""
    build = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        files = {rows: make(f"{rows}.npy", rows) for rows in {FEATURE_ROWS, LATTICE_ROWS, FEW, *(WEAK_ROWS * k for k in (1, 2, 4))}}
        parts = [part(build, files) for part in (strong, weak, reduction, systems)]
        os.chdir(HERE)
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    mpi = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    page = HEAD.format(cpu=cpu[1] if cpu else "unknown", cores=os.cpu_count(), mpi=mpi.replace("mpirun ", ""), load=os.getloadavg()[0],
                       rounds=ROUNDS) + "\n".join(parts)
    print(page)
    if not QUICK:
        (HERE / "results/mpi.md").write_text(page)


HERE = Path(__file__).resolve().parent
QUICK = sys.argv[2:] == ["quick"]
ROUNDS = 1 if QUICK else 2
FEATURE_ROWS, LATTICE_ROWS, WEAK_ROWS, FEW = (40000, 400000, 10000, 1600) if QUICK else (400000, 16000000, 50000, 1600)
SYSTEMS = [(500, 2000, 2)] if QUICK else [(1500, 4000, 1), (1500, 4000, 4), (3000, 6000, 4), (5000, 5000, 4)]

if __name__ == "__main__":
    main()
