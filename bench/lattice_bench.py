#!/usr/bin/env python3
"""The lattice engine at scale, and beside the other engines: bench/results/lattice.md.

    python3 bench/lattice_bench.py BUILD_DIR [most rows, 1e7]
    python3 bench/lattice_bench.py BUILD_DIR --stream [most rows, 1e8]

Wants numpy. Data are made in a temporary directory (320 MB for 10^7 rows, 3.2 GB for 10^8); each fit is one run of the
program. --stream prints one table, of rows that are summed up as they are read.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

WAVES = 40
NOISE = 0.3  # of the field's spread
RULES = ["decomposable", "curl-free", "div-free", "helmholtz"]
BASES = ["gaussian", "matern52", "matern32", "matern12", "laplace", "cauchy-product", "rational-quadratic"]

HEAD = """# The lattice engine

Made by `bench/lattice_bench.py BUILD_DIR`. Machine: {cpu}, {cores} cores, load {load:.1f} at the end. Seconds are those of the whole
program, reading and writing included; *processor* is what all threads took. `--stream` makes lattice_stream.md.

"""


def field(X):
    """A divergence-free field of waves from a tenth of the box to the box."""
    rng = np.random.default_rng(9)
    length = 0.1 * 10 ** rng.uniform(0, 1, WAVES)
    angle, phase, size = rng.uniform(0, 2 * np.pi, WAVES), rng.uniform(0, 2 * np.pi, WAVES), rng.normal(size=WAVES)
    F = np.zeros((len(X), 2))
    for a, w, p, s in zip(angle, 2 * np.pi / length, phase, size):
        across = np.array([-np.sin(a), np.cos(a)])
        F += s * np.cos(w * (X @ np.array([np.cos(a), np.sin(a)])) + p)[:, None] * across
    return F / np.sqrt((size**2).sum() / 4)


def memory_of(pid):
    """Megabytes that a process has now. What wait4 says of a child counts what its parent had before, and pages of the file of
    rows, which is mapped and which the system may take away at any time."""
    try:
        with open(f"/proc/{pid}/status") as status:
            return max((int(line.split()[1]) / 1024 for line in status if line.startswith("RssAnon")), default=0.0)
    except (OSError, ValueError):
        return 0.0


def run(command):
    """Output, seconds, processor seconds, megabytes at the peak."""
    begin, megabytes, ended = time.time(), 0.0, 0
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, stdout=out, stderr=errors)
        while not ended:
            time.sleep(0.005)
            megabytes = max(megabytes, memory_of(child.pid))
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
        seconds, child.returncode = time.time() - begin, os.waitstatus_to_exitcode(status)
        for file in (out, errors):
            file.seek(0)
        if child.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}: {errors.read().decode()}")
        return out.read().decode(), seconds, usage.ru_utime + usage.ru_stime, megabytes


def fit(orff, rows, model, *more):
    text, seconds, processor, megabytes = run([orff, "fit", rows, "-o", model, "--json", *more])
    return json.loads(text), seconds, processor, megabytes


def error_of(orff, model, place, T, truth):
    np.save(place / "points.npy", T)
    run([orff, "predict", model, place / "points.npy", "-o", place / "values.npy", "-q"])
    return np.sqrt(np.mean((np.load(place / "values.npy") - truth) ** 2)) / truth.std()


def scale_table(orff, place, most):
    T = np.random.default_rng(6).uniform(0, 1, (20000, 2))
    lines = ["## 2-D, divergence-free, waves down to a tenth of the box, 30 % noise", "",
             "Error: relative to the field's spread. *auto*: base, length scale, noise; *given*: all of them.", "",
             "| rows | settings | base | frequencies | solver | iterations | seconds | processor | MB | error |",
             "|--:|:--|:--|--:|:--|--:|--:|--:|--:|--:|"]
    rows = 10**4
    while rows <= most:
        X = np.random.default_rng(5).uniform(0, 1, (rows, 2))
        Y = field(X)
        Y += NOISE * Y.std() * np.random.default_rng(7).normal(size=Y.shape)
        np.save(place / "rows.npy", np.c_[X, Y])
        del X, Y
        columns = ["--inputs", "1,2", "--outputs", "3,4", "--kernel", "div-free"]
        ways = [("auto", "auto", [])]
        ways += [("given", base, ["--base", base, "--sigma", "0.1", "--lambda", str(3e-4 * 1e4 / rows)])
                 for base in ("gaussian", "matern52")]
        for name, base, more in ways:
            J, seconds, processor, megabytes = fit(orff, place / "rows.npy", place / "m.orff", *columns, *more)
            error = error_of(orff, place / "m.orff", place, T, field(T))
            found = J["parts"][0]["base"] if base == "auto" else base
            lines.append(f"| {rows:.0e} | {name} | {found} | {J['features']} | {J['solver']} | {J['iterations']} | {seconds:.2f} "
                         f"| {processor:.2f} | {megabytes:.0f} | {100 * error:.2f} % |")
            print(lines[-1], flush=True)
        rows *= 10
    return lines


def write_rows(path, rows):
    """Rows of the field; beyond 10^7 the points come again, with other noise."""
    block = min(rows, 10**7)
    X = np.random.default_rng(5).uniform(0, 1, (block, 2))
    F, random = np.concatenate([field(part) for part in np.array_split(X, 100)]), np.random.default_rng(7)
    spread = F.std()
    file = np.lib.format.open_memmap(path, "w+", np.float64, (rows, 4))
    for first in range(0, rows, block):
        for at in range(0, block, 10**6):
            part = slice(at, min(at + 10**6, block))
            noise = NOISE * spread * random.normal(size=F[part].shape)
            file[first + at:first + part.stop] = np.c_[X[part], F[part] + noise]
    file.flush()


def stream_table(orff, place, most):
    """Moments of a lattice, in one pass with little memory, and fits from them."""
    T = np.random.default_rng(6).uniform(0, 1, (20000, 2))
    lines = ["## Streams: `orff moments --engine lattice --memory 16`, then fits from the moments", "",
             "The same field, Gaussian kernels of length scales from 0.08 to 0.2, two folds. *Fit*: sigma 0.08 and lambda given, the errors on "
             "rows left out included. Both are one run of the program, from file to file.", "",
             "| rows | waves | pass, s | processor | MB | fit, s | processor | MB | error |", "|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    sums, model, passes = place / "m.moments", place / "m.orff", []
    for power in range(5, 1 + int(round(np.log10(most)))):
        rows = 10**power
        write_rows(place / "rows.npy", rows)
        text, seconds, processor, megabytes = run(
            [orff, "moments", place / "rows.npy", "--inputs", "1,2", "--outputs", "3,4", "--engine", "lattice", "--kernel", "div-free",
             "--base", "gaussian", "--sigma-range", "0.08:0.2", "--extent", "1=0:1,2=0:1", "--folds", "2", "--memory", "16", "--json",
             "-o", sums])
        passes.append((rows, processor))
        given = ["--sigma", "0.08", "--lambda", str(3.0 / rows)]
        _, one, one_processor, one_megabytes = run([orff, "fit", "--from-moments", sums, *given, "--json", "-o", model])
        lines.append(f"| {rows:.0e} | {json.loads(text)['waves']} | {seconds:.2f} | {processor:.2f} | {megabytes:.0f} | {one:.2f} "
                     f"| {one_processor:.2f} | {one_megabytes:.0f} | {100 * error_of(orff, model, place, T, field(T)):.2f} % |")
        print(lines[-1], flush=True)
    for (less, before), (more, after) in zip(passes, passes[1:]):
        lines.append(f"{'' if less > passes[0][0] else chr(10)}Slope of the pass's processor time from {less:.0e} to {more:.0e} rows: "
                     f"{np.log(after / before) / np.log(more / less):.2f} (log-log). ")
    found, seconds, processor, _ = run([orff, "fit", "--from-moments", sums, "--json", "-o", model])
    lines.append(f"\nLength scale and noise by the evidence, without the rows: {seconds:.1f} s ({processor:.1f} s of processor time), "
                 f"sigma {json.loads(found)['sigma']:.3g}, error {100 * error_of(orff, model, place, T, field(T)):.2f} %.")
    return lines


def features_table(orff, place):
    """The same accuracy with random frequencies."""
    T = np.random.default_rng(6).uniform(0, 1, (20000, 2))
    X = np.random.default_rng(5).uniform(0, 1, (10**5, 2))
    Y = field(X)
    Y += NOISE * Y.std() * np.random.default_rng(7).normal(size=Y.shape)
    np.save(place / "rows.npy", np.c_[X, Y])
    columns = ["--inputs", "1,2", "--outputs", "3,4", "--kernel", "div-free"]
    lines = ["", "## Random frequencies on 10^5 of these rows", "", "| engine | frequencies | seconds | processor | error |",
             "|:--|--:|--:|--:|--:|"]
    for engine, more in [("lattice", [])] + [("features", ["--features", str(D)]) for D in (250, 500, 1000, 2000)]:
        J, seconds, processor, _ = fit(orff, place / "rows.npy", place / "m.orff", "--engine", engine, *columns, *more)
        error = error_of(orff, place / "m.orff", place, T, field(T))
        lines.append(f"| {engine} | {J['features']} | {seconds:.2f} | {processor:.2f} | {100 * error:.2f} % |")
        print(lines[-1], flush=True)
    return lines


def prediction_line(orff, place):
    side = (np.arange(1000) + 0.5) / 1000
    np.save(place / "points.npy", np.stack(np.meshgrid(side, side), -1).reshape(-1, 2))
    _, seconds, processor, megabytes = run([orff, "predict", place / "m.orff", place / "points.npy", "-o",
                                            place / "values.npy", "-q"])
    return ["", f"A million predictions on a grid of 1000 x 1000 by the lattice model of 10^5 rows, from file to file: {seconds:.2f} s "
            f"({processor:.2f} s of processor time, {megabytes:.0f} MB)."]


def space_table(orff, place):
    rng = np.random.default_rng(4)
    X = rng.uniform(0, 1, (10**6, 3))
    F = np.stack([np.sin(9 * X[:, 0] + 4 * X[:, 2]) * np.cos(7 * X[:, 1]), np.cos(8 * X[:, 0]) * np.sin(6 * X[:, 1] - 5 * X[:, 2])], 1)
    np.save(place / "rows.npy", np.c_[X, F + NOISE * F.std() * rng.normal(size=F.shape)])
    T = X[:20000]
    lines = ["", "## 3-D: x, y, t and two outputs, 10^6 rows", "",
             "| frequencies | solver | iterations | seconds | processor | MB | error |", "|--:|:--|--:|--:|--:|--:|--:|"]
    J, seconds, processor, megabytes = fit(orff, place / "rows.npy", place / "m.orff", "--inputs", "1-3", "--outputs", "4,5")
    error = error_of(orff, place / "m.orff", place, T, F[:20000])
    lines.append(f"| {J['features']} | {J['solver']} | {J['iterations']} | {seconds:.2f} | {processor:.2f} | {megabytes:.0f} "
                 f"| {100 * error:.2f} % |")
    print(lines[-1], flush=True)
    return lines


def distance_table(orff, place):
    lines = ["", "## Distance to the exact engine, 1000 rows in d dimensions, given sigma and lambda", "",
             "Root mean square of the difference at 500 points over the spread of the field. Rough bases have slow tails: their lattice is "
             "band-limited, and says so.", "", "| rule | base | d | lattice | distance |", "|:--|:--|--:|:--|--:|"]
    for d, sigma in ((1, 0.15), (2, 0.5), (3, 1.0)):
        rng = np.random.default_rng(d)
        X, T = rng.uniform(0, 2, (1000, d)), rng.uniform(0, 2, (500, d))
        Y = np.stack([np.sin(3 * X.sum(1) + i) for i in range(d)], 1) + 0.1 * rng.normal(size=(1000, d))
        np.save(place / "rows.npy", np.c_[X, Y])
        np.save(place / "points.npy", T)
        for rule in RULES:
            for base in BASES:
                if (rule in ("div-free", "helmholtz") and d == 1) or (rule != "decomposable" and base in ("matern12", "laplace")):
                    continue
                values, solver = [], ""
                for engine in ("exact", "lattice"):
                    more = ["--shape", "2"] if base == "rational-quadratic" else []
                    more += ["--tolerance", "1e-6"] if engine == "lattice" else []  # and not what the noise would allow
                    J, *_ = fit(orff, place / "rows.npy", place / "m.orff", "--engine", engine, "--inputs", f"1-{d}", "--outputs",
                                f"{d + 1}-{2 * d}", "--kernel", rule, "--base", base, "--sigma", str(sigma), "--lambda", "1e-5",
                                "--posterior", "no", *more)
                    run([orff, "predict", place / "m.orff", place / "points.npy", "-o", place / "values.npy", "-q"])
                    values.append(np.load(place / "values.npy"))
                    solver = J["solver"]
                distance = np.sqrt(np.mean((values[0] - values[1]) ** 2)) / values[0].std()
                lines.append(f"| {rule} | {base} | {d} | {solver} | {distance:.1e} |")
                print(lines[-1], flush=True)
    return lines


def save(name, lines):
    """The table and the machine; the load is what other programs left to this one."""
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    head = HEAD.format(cpu=cpu, cores=os.cpu_count(), load=os.getloadavg()[0])
    (Path(__file__).parent / "results" / name).write_text(head + "\n".join(lines) + "\n")


def main():
    given = [word for word in sys.argv[1:] if word != "--stream"]
    if not given:
        raise SystemExit(__doc__)
    stream, orff = "--stream" in sys.argv, Path(given[0]) / "cli" / "orff"
    most = float(given[1]) if len(given) > 1 else 1e8 if stream else 1e7
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        if stream:
            save("lattice_stream.md", stream_table(orff, place, most))
            return
        lines = scale_table(orff, place, most) + features_table(orff, place)
        fit(orff, place / "rows.npy", place / "m.orff", "--inputs", "1,2", "--outputs", "3,4", "--kernel", "div-free")
        lines += prediction_line(orff, place) + space_table(orff, place) + distance_table(orff, place)
    save("lattice.md", lines)


if __name__ == "__main__":
    main()
