"""orff as a user types it: `orff fit DATA --inputs .. --outputs ..`, then `orff predict MODEL POINTS --std`."""
import json
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from peers import Answer


def write(path, names, table):
    np.savetxt(path, table, delimiter=",", header=",".join(names), comments="", fmt="%.12g")


def noise(fitted, outputs):
    """The standard deviation of the noise of each output: one number for each, or one for all."""
    each = [part.get("noise") for part in fitted.get("per_output", [])]
    value = each if each and None not in each else fitted["noise"]
    return np.broadcast_to(np.asarray(value, float), (outputs,))


def choices(fitted):
    """What the fit chose, for the notes of the results."""
    names = ("engine", "kernel", "kernel_error", "base", "sigma", "lambda", "noise", "features", "solver", "iterations", "converged",
             "dof", "cv_rmse", "train_rmse", "warning")
    return {name: fitted[name] for name in names if name in fitted}


def run(program, data, X, Y, Xt, options=()):
    """Fits and predicts by the program: the Answer, whose deviations are those of a new measurement."""
    with tempfile.TemporaryDirectory() as folder:
        rows, points, model, out = (Path(folder) / name for name in ("rows.csv", "points.csv", "m.orff", "out.csv"))
        write(rows, data.inputs + data.outputs, np.column_stack([X, Y]))
        write(points, data.inputs, Xt)
        begin = seconds()
        said = call(program, "fit", rows, "--inputs", ",".join(data.inputs), "--outputs", ",".join(data.outputs),
                    "-o", model, "--json", *options)
        fit = seconds() - begin
        bars = predict(program, model, points, out)
        cpu = seconds() - begin
        with open(out) as file:
            names = file.readline().strip().split(",")
        table = np.loadtxt(out, delimiter=",", skiprows=1, ndmin=2)
    fitted = json.loads(said)
    mean = table[:, [names.index(name) for name in data.outputs]]
    note = {"fit_cpu": fit, **choices(fitted)}
    if not bars:
        return Answer(mean, None, note, cpu)
    std = table[:, [names.index(name + "_std") for name in data.outputs]]
    return Answer(mean, np.sqrt(std**2 + noise(fitted, len(data.outputs)) ** 2), note, cpu)


def predict(program, model, points, out):
    """Predicts, and says whether with error bars: a fit by default may have kept nothing for them."""
    try:
        call(program, "predict", model, points, "--std", "-o", out)
        return True
    except RuntimeError as error:
        if "no error bars" not in str(error):
            raise
    call(program, "predict", model, points, "-o", out)
    return False


def seconds():
    """Processor seconds of the programs run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def call(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"orff {arguments[0]}: {done.stderr.strip()[-300:]}")
    return done.stdout
