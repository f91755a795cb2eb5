#!/usr/bin/env python3
"""Runs every method on every split of every set, and keeps the results.

    python3 bench/data_report/run.py PROGRAM [--data FOLDER] [--results FILE] [--seeds 3] [--sets a,b] [--methods a,b] [--limit 300]

Each method runs in a process of its own, one at a time, on one thread and with a limit of processor seconds and memory, so that
one that crashes or hangs does not end the report. A result is a line of FILE, which is kept with the source: peers need not run
again where only orff has changed. What is there already, did not fail and was not absent is not run again; the lines of orff
count only for the very program that made them, and those of another give way to its own.
"""
import argparse
import csv
import hashlib
import importlib
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

THREADS = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")}
MEMORY = 12 << 30
RESULTS = "bench/results/data-report.csv"
COLUMNS = ["set", "split", "seed", "method", "program", "status", "train", "rows", "held", "error", "errors", "coverage",
           "coverages", "cpu", "wall", "note"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--results", default=RESULTS)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", default="")
    parser.add_argument("--methods", default="")
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--one", nargs=4, metavar=("SET", "SPLIT", "SEED", "METHOD"), help="run this one here and print its line")
    return parser.parse_args()


def main():
    os.environ.update(THREADS)
    given = arguments()
    if given.one:
        print(json.dumps(measure(given, *given.one)))
        return
    import sets
    here, absent = sets.present(given.data)
    for each in absent:
        print(f"skipped: {each.title}: no {each.path} in {given.data}", file=sys.stderr)
    wanted = [s for s in here if not given.sets or s.name in given.sets.split(",")]
    todo = [(s.name, split, seed, method) for seed in range(given.seeds) for s in wanted for split in ("random", "blocks")
            for method in methods(given)]
    run_all(given, todo)


def methods(given):
    import peers
    names = ["orff"] + [p.name for p in peers.PEERS]
    return [n for n in names if not given.methods or n in given.methods.split(",")]


def run_all(given, todo):
    results = Path(given.results)
    program = digest(given.program)
    if any(task[3] == "orff" for task in todo):
        keep_of(results, program)
    done = {key(line) for line in read(results) if not line["status"].startswith(("failed", "absent"))}
    for task in todo:
        mark = program if task[3] == "orff" else ""
        if (*map(str, task), mark) not in done:
            append(results, {**run_one(given, task), "program": mark})


def key(line):
    return tuple(line[name] for name in ("set", "split", "seed", "method", "program"))


def digest(program):
    return hashlib.sha256(Path(program).read_bytes()).hexdigest()[:12]


def read(results):
    if not results.exists():
        return []
    with open(results, newline="") as file:
        return list(csv.DictReader(file))


def keep_of(results, program):
    """Drops what other programs of ours did: a table has one of them in all its lines."""
    lines = read(results)
    kept = [line for line in lines if line["program"] in ("", program)]
    if len(kept) < len(lines):
        results.unlink()
        for line in kept:
            append(results, line)


def append(results, line):
    new = not results.exists()
    with open(results, "a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(line)


def run_one(given, task):
    """The line of one task, from a process of its own; what went wrong is a line too."""
    set_name, split, seed, method = map(str, task)
    command = [sys.executable, "-W", "ignore", __file__, given.program, "--data", given.data, "--one", *map(str, task)]
    begin = time.time()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=6 * given.limit, preexec_fn=lambda: fence(given))
        line = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else {"status": reason(done)}
    except subprocess.TimeoutExpired:
        line = {"status": "too slow"}
    line = {"set": set_name, "split": split, "seed": seed, "method": method, **line}
    print(f"{time.time() - begin:7.1f} s  {set_name:14s}{split:8s}{seed} {method:14s}", line["status"], line.get("error", ""),
          flush=True)
    return line


def fence(given):
    resource.setrlimit(resource.RLIMIT_CPU, (given.limit, given.limit + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def reason(done):
    """A word for a process that ended without a result."""
    if done.returncode in (-24, -9):  # SIGXCPU, and SIGKILL five seconds later
        return "too slow"
    last = (done.stderr.strip().splitlines() or ["no message"])[-1]
    if "SIGXCPU" in last:
        return "too slow"
    if "ModuleNotFoundError" in last or "No such file or directory: 'gmt'" in last:
        return "absent"
    return "failed: " + last[:200]


def measure(given, set_name, split, seed, method):
    """Runs one method on one split, here."""
    import numpy as np
    import peers
    import sets
    data = sets.find(set_name).read(Path(given.data) / sets.find(set_name).path)
    held = sets.held_out(data, split, int(seed))
    X, Y, Xt, Yt = data.X[~held], data.Y[~held], data.X[held], data.Y[held]
    peer = next((p for p in peers.PEERS if p.name == method), None)
    if peer and not peer.applies(*X.shape, Y.shape[1]):
        return {"status": "does not apply"}
    random = np.random.default_rng(int(seed))
    rows = random.permutation(len(X))[: peer.rows if peer else len(X)]
    for module in peer.needs if peer else ():
        importlib.import_module(module)
    before, begin = seconds(), time.time()
    answer = peer.run(X[rows], Y[rows], Xt, random) if peer else ours(given, data, X, Y, Xt)
    cpu = answer.cpu if answer.cpu is not None else seconds() - before
    return {"status": "ok", "train": len(X), "rows": len(rows), "held": len(Xt), "cpu": round(cpu, 3),
            "wall": round(time.time() - begin, 3), "note": json.dumps(answer.note, default=float),
            **judge(answer, Yt, data.Y.std(0))}


def ours(given, data, X, Y, Xt):
    import ours as program
    return program.run(given.program, data, X, Y, Xt)


def seconds():
    """Processor seconds of this process and of those that it ran."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def judge(answer, Yt, spread):
    """rmse of each output over its spread, and the share of measurements within 1.96 standard deviations."""
    import numpy as np
    miss = answer.mean - Yt
    if not np.isfinite(miss).all():
        return {"status": "failed: not finite"}
    errors = np.sqrt(np.mean(miss**2, 0)) / spread
    line = {"error": float(errors.mean()), "errors": json.dumps(errors.round(5).tolist())}
    if answer.std is not None:
        inside = (np.abs(miss) <= 1.96 * answer.std).mean(0)
        line.update(coverage=float(inside.mean()), coverages=json.dumps(inside.round(4).tolist()))
    return line


if __name__ == "__main__":
    main()
