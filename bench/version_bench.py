#!/usr/bin/env python3
"""Processor time of two versions of orff on what both can do, side by side: results/versions.md.

    python3 bench/version_bench.py OLD_BUILD NEW_BUILD [ROUNDS]

Both are built alike (`cmake -S . -B BUILD` in the sources of each). Every line runs the same command of each version in turn, in a
process of its own on one thread; the table has the least times of all rounds, which others on the machine disturb least.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
ROWS, TEST = 20000, 10000  # of the arrays for bench_learn, which asks for these test rows
COLUMNS = "--inputs x,y --outputs u,v"
FEATURES = f"{COLUMNS} --base gaussian --sigma 0.7 --features 500 --sampling orthogonal"

# what, the program in the build, its arguments; {w} is the folder of the data, {v} one for what this version writes
LINES = [
    ("phi, 4096 points of 2 inputs, double *", "bench/bench_phi", "1 double 2 9"),
    ("phi, 20 inputs, double *", "bench/bench_phi", "1 double 20 9"),
    ("phi, 20 inputs, single *", "bench/bench_phi", "1 single 20 9"),
    ("fit and predict, d = p = 20, D = 500, double", "bench/bench_learn", f"files {{w}} {ROWS} 500 double 3.63 1e-6 orthogonal"),
    ("fit and predict, d = p = 20, D = 500, single", "bench/bench_learn", f"files {{w}} {ROWS} 500 single 3.63 1e-6 orthogonal"),
    ("curl-free, d = p = 5, 5000 rows, D = 500", "bench/bench_learn", "curl 5000 500 0.5 1e-5"),
    ("d = 20, p = 4, 20 000 rows, D = 500", "bench/bench_learn", "dec 20000 500 3 1e-6"),
    ("300 000 rows as they are read, divergence-free, D = 200", "bench/bench_learn", "stream 300000 200 double"),
    ("exact divergence-free ridge, 1500 rows, and features", "bench/bench_learn", "exact 1500 0.7 1e-4"),
    ("`fit`, 20 000 rows, lambda given", "cli/orff", f"fit {{w}}/rows.csv -o {{v}}/a.orff {FEATURES} --lambda 1e-5"),
    ("`fit`, lambda by cross-validation", "cli/orff", f"fit {{w}}/rows.csv -o {{v}}/b.orff {FEATURES}"),
    ("`fit --kernel div-free`, lambda given", "cli/orff",
     f"fit {{w}}/rows.csv -o {{v}}/c.orff {FEATURES} --lambda 1e-5 --kernel div-free"),
    ("`tune`, three length scales", "cli/orff",
     f"tune {{w}}/few.csv -o {{v}}/d.orff {COLUMNS} --base gaussian --sigma 0.4 --sigma 0.7 --sigma 1.2 --features 200"),
    ("`exact`, 1500 rows", "cli/orff", f"exact {{w}}/few.csv -o {{v}}/e.orff {COLUMNS} --base gaussian --sigma 0.7 --lambda 1e-4"),
    ("`moments`", "cli/orff", f"moments {{w}}/rows.csv -o {{v}}/f.orff {FEATURES}"),
    ("`predict`, 20 000 rows", "cli/orff", "predict {v}/a.orff {w}/rows.csv -o {v}/a.csv"),
    ("`predict --std`, 20 000 rows", "cli/orff", "predict {v}/a.orff {w}/rows.csv --std -o {v}/a.csv"),
    ("`evaluate`, 20 000 rows; now also coverage, CRPS and log score", "cli/orff", "evaluate {v}/a.orff {w}/rows.csv"),
]


def make_data(folder):
    import numpy as np
    random = np.random.default_rng(1)
    X = random.uniform(-1, 1, (ROWS + TEST, 20))
    waves = random.normal(size=(20, 100)) / 3.63
    Y = np.cos(X @ waves) @ random.normal(size=(100, 20)) / 10 + 0.1 * random.normal(size=X.shape)
    X.tofile(folder / "X.bin")
    Y.tofile(folder / "Y.bin")
    x = random.uniform(-2, 2, (ROWS, 2))
    psi = np.exp(-(x**2).sum(1))[:, None]
    y = 2 * psi * np.column_stack([x[:, 1], -x[:, 0]]) + 0.1 * random.normal(size=x.shape)
    for name, rows in (("rows", ROWS), ("few", 1500)):
        np.savetxt(folder / f"{name}.csv", np.column_stack([x, y])[:rows], delimiter=",", header="x,y,u,v", comments="", fmt="%.8g")


def time_of_starts(build, times=50):
    """Processor seconds of starting and ending the program, with those of the system."""
    before = os.times()
    for _ in range(times):
        subprocess.run([build / "cli/orff", "--version"], capture_output=True, env={**os.environ, **ONE_THREAD})
    after = os.times()
    return (after.children_user + after.children_system - before.children_user - before.children_system) / times


def time_of(build, program, arguments):
    """Processor seconds of the user; for bench_phi the least milliseconds of phi, which is all it is run for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([build / program, *arguments.split()], capture_output=True, text=True, env={**os.environ, **ONE_THREAD})
    if done.returncode:
        sys.exit(f"{build / program} {arguments}: {done.stderr.strip()[-300:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if program.endswith("phi"):
        return float(done.stdout.split()[0])
    return after.ru_utime - before.ru_utime


def version(build):
    return subprocess.run([build / "cli/orff", "--version"], capture_output=True, text=True).stdout.splitlines()


def write(text):
    print(text, flush=True)
    out.append(text)


def write_line(what, times):
    old, new = (min(t[i] for t in times) for i in range(2))
    write(f"| {what} | {old:.3g} | {new:.3g} | {new / old:.2f} |")


if len(sys.argv) < 3:
    sys.exit(__doc__)
builds = [Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
out = []
names = [version(build)[0] for build in builds]
machine = subprocess.run([builds[1] / "bench/bench_phi", "machine"], capture_output=True, text=True).stdout.strip()
write(f"""# {names[0]} and {names[1]}

Made by `bench/version_bench.py`: what both versions can do, by the same commands, in turn. Processor seconds of whole processes on one
thread, without those of the system, least of {rounds} rounds; *ratio*: new over old, so that below 1 the new version is quicker.
Lines with \\* have milliseconds by the clock, of phi alone. Machine: {re.sub("; orff.* with", ";", machine)}.

| | {names[0]} | {names[1]} | ratio |
|---|--:|--:|--:|""")
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    own = [folder / "old", folder / "new"]
    for each in own:
        each.mkdir()
    make_data(folder)
    write_line("start and end of the program, with the system's", [[time_of_starts(build) for build in builds]])
    for what, program, arguments in LINES:
        write_line(what, [[time_of(build, program, arguments.format(w=folder, v=mine)) for build, mine in zip(builds, own)]
                          for _ in range(rounds)])
Path(__file__).with_name("results").joinpath("versions.md").write_text("\n".join(out) + "\n")
