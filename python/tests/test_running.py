"""While it runs: memory, threads, progress, Ctrl-C, precision, layouts."""
import gc
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import orff

PYTHON = Path(orff.__file__).resolve().parents[1]
FIXED = dict(sigma=0.7, lambda_=1e-3, features=40)


def script(text):
    """A Python program of its own; what it prints."""
    start = f"import sys; sys.path.insert(0, {str(PYTHON)!r})\nimport numpy as np, orff, resource\n"
    start += "orff.set_threads(1)\n"
    done = subprocess.run([sys.executable, "-c", start + text], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def resident():
    """Bytes of memory this process holds."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_many_fits_leak_nothing(field):
    X, Y = field[0][:50], field[1][:50]
    parameters = dict(sigma=0.7, lambda_=1e-3, features=30)

    def once():
        model = orff.ORFFRegressor(**parameters).fit(X, Y)
        model.predict(X, return_std=True)
        model.jacobian(X)
        moments = orff.Moments(sigma=0.7, features=30).accumulate(X, Y)
        orff.ORFFRegressor(kernel="div-free", lambda_=1e-3).fit_moments(moments)
        with pytest.raises(ValueError):
            orff.ORFFRegressor(kernel="div-free", **parameters).fit(X, Y[:, :1])

    for _ in range(100):
        once()
    gc.collect()
    before = resident()
    for _ in range(300):
        once()
    gc.collect()
    assert resident() - before < 3e6  # a model alone has 30 kB of posterior: a leak would be 9 MB


PEAK = """
X = np.random.default_rng(0).random(({n}, 10), dtype=np.{kind})
y = X[:, 0].copy()
model = orff.ORFFRegressor(sigma=1.0, lambda_=1e-3, features=8)
{warm}
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
{work}
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024 / X.nbytes)
"""


@pytest.mark.parametrize("kind, work", [
    ("float64", "model.fit(X, y)"),
    ("float64", "model.partial_fit(X, y)"),
    ("float32", "model.fit(X, y)"),
    ("float64", "model.predict(X)"),
])
def test_x_is_not_copied(kind, work):
    text = PEAK.format(n=700000, kind=kind, work=work, warm="model.fit(X[:50000], y[:50000])"
                       if "predict" in work else "orff.ORFFRegressor(**model.get_params()).fit(X[:50000], y[:50000])")
    assert float(script(text)) < 0.5  # y, converted, and a sample of the rows, but not X


def test_one_model_serves_many_threads(field):
    X, Y = field
    model = orff.ORFFRegressor(kernel="div-free", **FIXED).fit(X, Y)
    points = [X + 0.01 * i for i in range(32)]
    want = [(model.predict(x), model.jacobian(x)) for x in points]
    with ThreadPoolExecutor(8) as pool:
        got = list(pool.map(lambda x: (model.predict(x), model.jacobian(x)), points))
    for one, other in zip(want, got):
        assert np.array_equal(one[0], other[0]) and np.array_equal(one[1], other[1])


def test_errors_and_progress_keep_to_their_thread(field):
    X, Y = field
    seen = {}

    def work(name):
        tasks = seen.setdefault(name, [])
        model = orff.ORFFRegressor(progress=lambda task, done, total: tasks.append(threading.get_ident()), **FIXED)
        if name % 2:
            with pytest.raises(ValueError, match="as many inputs"):
                model.set_params(kernel="curl-free").fit(X, Y[:, :1])
        else:
            model.fit(X, Y)
        return threading.get_ident()

    with ThreadPoolExecutor(6) as pool:
        idents = list(pool.map(work, range(12)))
    for name, ident in enumerate(idents):
        assert set(seen[name]) == (set() if name % 2 else {ident})


def test_the_lock_is_released_while_it_works(field):
    X, Y = np.tile(field[0], (300, 1)), np.tile(field[1], (300, 1))
    done, ticks = threading.Event(), 0

    def work():
        orff.ORFFRegressor(sigma=0.7, lambda_=1e-3, features=200).fit(X, Y)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.wait(0.001):
        ticks += 1
    thread.join()
    assert ticks > 5


def test_progress_is_told_and_can_stop(field):
    X, Y = field
    seen = []
    orff.ORFFRegressor(progress=lambda *what: seen.append(what), **FIXED).fit(X, Y)
    assert any(task == "moments" for task, done, total in seen)
    assert all(done >= 0 for task, done, total in seen)
    model = orff.ORFFRegressor(progress=lambda *what: False, **FIXED)
    with pytest.raises(orff.Stopped, match="stopped by the progress callback"):
        model.fit(X, Y)
    assert not model.__sklearn_is_fitted__()

    def fail(task, done, total):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        orff.ORFFRegressor(progress=fail, **FIXED).fit(X.astype("f"), Y)
    orff.ORFFRegressor(**FIXED).fit(X, Y)  # and nothing of it is left


def test_verbose_writes_to_standard_error(field, capfd, monkeypatch):
    import orff._progress as progress

    clock = iter(range(10**6))
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))
    orff.ORFFRegressor(verbose=1, **FIXED).fit(*field)
    out, err = capfd.readouterr()
    assert out == "" and "[orff] moments: " in err


def test_control_c_stops_it():
    text = """
import os, signal
X = np.random.default_rng(0).random((400000, 3)); y = X[:, :2].copy()
told = []
def interrupt(task, done, total):
    told.append(done)
    if len(told) == 3:
        os.kill(os.getpid(), signal.SIGINT)
model = orff.ORFFRegressor(sigma=1.0, lambda_=1e-3, features=300, progress=interrupt)
try:
    model.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", len(told) < 20)
model.set_params(progress=None, features=20).fit(X[:1000], y[:1000])
print(model.score(X[:1000], y[:1000]) > 0.9)
"""
    assert script(text).split() == ["interrupted", "True", "True"]


def test_control_c_is_heard_within_a_factorisation():
    text = """
import os, signal
X = np.random.default_rng(0).random((3100, 3)); y = X[:, :2].copy()
told = []
def interrupt(task, done, total):
    if task == "factorisation":
        told.append(done)
        os.kill(os.getpid(), signal.SIGINT)
try:
    orff.OVKRegressor(sigma=1.0, lambda_=1e-3, progress=interrupt).fit(X, y)
except KeyboardInterrupt:
    print("interrupted", told)
"""
    assert script(text) == "interrupted [0.0]\n"


def test_an_outside_signal_stops_it():
    text = f"""import sys; sys.path.insert(0, {str(PYTHON)!r})
import numpy as np, orff
X = np.random.default_rng(0).random((2000000, 3)); y = X[:, :2].copy()
print("ready", flush=True)
try:
    while True:
        orff.ORFFRegressor(sigma=1.0, lambda_=1e-3, features=300).fit(X, y)
except KeyboardInterrupt:
    print("interrupted")
"""
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            threading.Event().wait(0.5)
            process.send_signal(signal.SIGINT)
            assert process.communicate(timeout=60)[0] == "interrupted\n"
        finally:
            process.kill()  # it would go on for ever


# ---- precision and layouts


def test_single_precision_for_float32(field):
    X, Y = field
    double = orff.ORFFRegressor(**FIXED).fit(X, Y)
    single = orff.ORFFRegressor(**FIXED).fit(X.astype("f"), Y.astype("f"))
    assert not double.model_.describe().single and single.model_.describe().single
    F = single.predict(X.astype("f"))
    assert F.dtype == np.float32 and single.predict(X).dtype == np.float64
    error = np.abs(F - double.predict(X)).max()
    assert 1e-9 < error < 1e-3
    forced = orff.ORFFRegressor(precision="double", **FIXED).fit(X.astype("f"), Y)
    rounded = orff.ORFFRegressor(**FIXED).fit(X.astype("f").astype("d"), Y)
    np.testing.assert_allclose(forced.predict(X), rounded.predict(X), rtol=1e-9, atol=1e-9)
    classes = orff.ORFFClassifier(**FIXED).fit(X.astype("f"), Y[:, 0] > 0)
    assert np.mean(classes.predict(X.astype("f")) == classes.predict(X)) > 0.99
    phi = orff.OperatorFourierFeatures(sigma=1.0, features=20).fit_transform(X.astype("f"))
    assert phi.dtype == np.float32


@pytest.mark.parametrize("n", [1, 9, 10, 11, 95, 100, 101])
def test_a_reader_hands_out_every_row_once_and_a_fair_head(n):
    from orff._arrays import pointer
    from orff._library import ffi
    from orff._reader import RowReader

    X = np.arange(n, dtype="f").reshape(-1, 1)
    reader = RowReader(X, 2 * X, 3 * X[:, 0], head=10)
    x, y, w, rows = np.zeros(4), np.zeros(4), np.zeros(4), ffi.new("size_t *", 1)
    seen = []
    while True:
        assert reader.c.read(reader.c.self, 4, pointer(x), pointer(y), pointer(w), rows) == 0
        if rows[0] == 0:
            break
        assert np.array_equal(y, 2 * x) and np.array_equal(w, 3 * x)
        seen += list(x[: rows[0]])
    assert sorted(seen) == list(range(n))
    assert max(seen[:10]) >= 0.8 * (n - 1)  # the first ten are from everywhere


def test_what_is_automatic_in_float32_is_as_in_float64():
    rng = np.random.default_rng(0)
    X = np.sort(rng.random((30000, 1)).astype("f"), axis=0)
    y = np.sin(20 * X[:, 0]) + 0.3 * rng.normal(size=30000)
    single = orff.ORFFRegressor(features=30).fit(X, y)
    double = orff.ORFFRegressor(features=30).fit(X.astype("d"), y)
    assert np.abs(single.predict(X) - double.predict(X)).mean() < 0.02


@pytest.mark.parametrize("kind", ["d", "f"])
def test_layouts_do_not_matter(kind, field):
    X, Y = field[0].astype(kind), field[1].astype(kind)
    want = orff.ORFFRegressor(**FIXED).fit(X, Y).predict(X)
    wide = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)
    for x in (np.asfortranarray(X), wide[::2, ::3], X[::-1][::-1]):
        model = orff.ORFFRegressor(**FIXED).fit(x, np.asfortranarray(Y))
        assert np.array_equal(model.predict(x), want)
    frozen = X.copy()
    frozen.flags.writeable = False
    assert np.array_equal(orff.ORFFRegressor(**FIXED).fit(frozen, Y).predict(frozen), want)
    assert np.array_equal(orff.ORFFRegressor(**FIXED).fit(X.tolist(), Y).predict(X.astype("d")),
                          orff.ORFFRegressor(**FIXED).fit(X.astype("d"), Y).predict(X.astype("d")))


# ---- checkpoints


@pytest.mark.parametrize("kind", ["d", "f"])
@pytest.mark.parametrize("parameters", [
    dict(kernel="auto", lambda_grid=(1e-6, 1.0, 7)),
    dict(kernel="div-free", scale_outputs=True),
    dict(kernel="helmholtz", mix="auto", lambda_grid=(1e-6, 1.0, 7)),
], ids=str)
def test_a_fit_that_was_stopped_goes_on(kind, parameters, field, tmp_path):
    X, Y = field[0].astype(kind), field[1].astype(kind)
    path = tmp_path / "part"
    given = dict(features=30, **parameters)
    want = orff.ORFFRegressor(**given, checkpoint=tmp_path / "other", checkpoint_rows=20).fit(X, Y)
    seen = []

    def stop(task, done, total):
        seen.append(path.exists())
        return sum(seen) < 5

    with pytest.raises(orff.Stopped):
        orff.ORFFRegressor(**given, checkpoint=path, checkpoint_rows=20, progress=stop).fit(X, Y)
    with pytest.raises(OSError, match="resume it, or remove it"):
        orff.ORFFRegressor(**given, checkpoint=path, checkpoint_rows=20).fit(X, Y)
    kept = path.read_bytes()
    again = orff.ORFFRegressor(**given, checkpoint=str(path), checkpoint_rows=20, resume=True)
    other = X.copy()
    other[0, 0] += 0.5
    with pytest.raises(orff.OrffError, match="made from other data") as refused:
        again.fit(other, Y)
    assert refused.value.status == "MISMATCH" and path.read_bytes() == kept
    assert np.array_equal(again.fit(X, Y).predict(X), want.predict(X))
    assert list(tmp_path.iterdir()) == []


def test_checkpoints_are_for_fit(field, tmp_path):
    X, Y = field
    model = orff.ORFFRegressor(**FIXED, checkpoint=tmp_path / "part")
    model.partial_fit(X, Y)  # keeps its moments instead
    assert model.score(X, Y) > 0.5 and list(tmp_path.iterdir()) == []
    (tmp_path / "part").write_text("mine")
    with pytest.raises(orff.OrffError, match="left alone"):
        model.fit(X, Y)
    assert (tmp_path / "part").read_text() == "mine"
    with pytest.raises(ValueError, match="checkpoint: 3 is not"):
        model.set_params(checkpoint=3).fit(X, Y)
    labels = np.where(X[:, 0] > 0, "a", "b")
    found = orff.ORFFClassifier(**FIXED, checkpoint=tmp_path / "classes", checkpoint_rows=20).fit(X, labels)
    assert np.array_equal(found.predict(X), orff.ORFFClassifier(**FIXED).fit(X, labels).predict(X))
    assert not (tmp_path / "classes").exists()
