#!/usr/bin/env python3
"""What `orff plan` expects beside what `orff fit` then takes, for each engine and some sizes: results/plan.md.

    python3 bench/plan_bench.py BUILD_DIR [ROUNDS]

Plan and fit run in turn on one thread, so that what else the machine does slows both; the table has the median of the rounds.
The rows are waves of a third and of a tenth of the range with noise, as plan assumes.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

# engine or None for auto, rows, inputs, outputs, options of fit and plan alike
CASES = [
    (None, 500, 2, 2, ""),
    (None, 3000, 5, 1, ""),
    ("exact", 2000, 3, 3, "--sigma 0.3 --lambda 1e-4 --base gaussian"),
    ("exact", 1000, 2, 2, "--kernel div-free"),
    (None, 5000, 2, 2, ""),
    (None, 30000, 3, 2, ""),
    (None, 60000, 3, 2, ""),
    (None, 200000, 2, 1, ""),
    ("features", 20000, 6, 2, "--sigma 1 --lambda 1e-5 --features 500"),
    ("features", 20000, 6, 2, "--features 300"),
    (None, 30000, 8, 1, ""),
]


def data(folder, n, d, p):
    random = np.random.default_rng(2)
    X = random.uniform(size=(n, d))
    Y = np.column_stack([(np.sin(19 * X + k) + 0.3 * np.cos(60 * X)).sum(1) for k in range(p)])
    names = [f"x{i}" for i in range(d)], [f"y{k}" for k in range(p)]
    path = folder / "rows.csv"
    np.savetxt(path, np.column_stack([X, Y + 0.1 * random.normal(size=Y.shape)]), delimiter=",", fmt="%.8g", comments="",
               header=",".join(names[0] + names[1]))
    return path, ",".join(names[0]), ",".join(names[1])


def call(*arguments):
    """What the program says, and its peak of memory in MB."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen([program, *map(str, arguments), "--json", "--threads", "1"], stdout=subprocess.PIPE, stderr=errors)
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stdout.close()
        if process.returncode:
            errors.seek(0)
            sys.exit(f"orff {' '.join(map(str, arguments))}: {errors.read().decode().strip()[-300:]}")
    return json.loads(text), usage.ru_maxrss / 1e6 * 1024


def write(text):
    print(text, flush=True)
    out.append(text)


if len(sys.argv) < 2:
    sys.exit(__doc__)
build = Path(sys.argv[1])
program = build / "cli/orff"
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
out = []
machine = subprocess.run([build / "bench/bench_phi", "machine"], capture_output=True, text=True).stdout.strip()
write(f"""# What `orff plan` expects, and what `orff fit` takes

Made by `bench/plan_bench.py`: seconds by the clock on one thread, medians of {rounds} rounds of plan and fit in turn, without reading
the rows. Machine: {re.sub("; orff.* with", ";", machine)}; load {os.getloadavg()[0]:.1f} at the start.

| engine | rows | inputs | outputs | options | planned, s | taken, s | planned / taken | planned, MB | taken, MB |
|---|--:|--:|--:|---|--:|--:|--:|--:|--:|""")
with tempfile.TemporaryDirectory() as name:
    for engine, n, d, p, options in CASES:
        rows, inputs, outputs = data(Path(name), n, d, p)
        given = options.split() + (["--engine", engine] if engine else [])
        planned, taken, found = [], [], None
        for _ in range(rounds):
            plan, _ = call("plan", "--n", n, "--dim", d, "--outputs", p, *given)
            planned.append(plan["seconds"])
            fitted, peak = call("fit", rows, "--inputs", inputs, "--outputs", outputs, "-o", Path(name) / "m.orff", *given)
            taken.append(fitted["seconds"])
            found = fitted["engine"]
        ratio = statistics.median(a / b for a, b in zip(planned, taken))
        write(f"| {found} | {n} | {d} | {p} | {'`' + options + '`' if options else ''} | {statistics.median(planned):.2g} "
              f"| {statistics.median(taken):.2g} | {ratio:.2f} | {plan['peak_bytes'] / 1e6:.0f} | {peak:.0f} |")
Path(__file__).with_name("results").joinpath("plan.md").write_text("\n".join(out) + "\n")
