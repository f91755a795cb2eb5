"""Rows in chunks of dask: whatever the chunks and whoever works, the result is that without dask."""
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import orff

dask = pytest.importorskip("dask", reason="dask is not here (Debian: python3-dask)")
da = pytest.importorskip("dask.array", reason="dask.array is not here (Debian: python3-dask)")
import orff.dask  # noqa: E402
from orff.dask import DaskMoments, DaskORFFRegressor  # noqa: E402

PYTHON = Path(orff.__file__).resolve().parents[1]
UNEVEN = (7, 150, 1, 242)
GIVEN = dict(kernel="div-free", sigma=1.0, lambda_=1e-3, features=60)
BOX = dict(sigma_range=(0.8, 1.6), extent=[(-1, 1), (-1, 1)])
KINDS = [orff.Moments(sigma=0.5, features=40, folds=2), orff.Moments(features=40), orff.Moments(sigma="median", features=40),
         orff.LatticeMoments(**BOX), orff.LatticeMoments(sigma=1.0), orff.LatticeMoments(kernel="div-free")]


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


def new(moments):
    return type(moments)(**moments._parameters())


def predictions(moments, X):
    sigma = float(np.sqrt(np.prod(moments.scales[0]))) if isinstance(moments, orff.LatticeMoments) else "auto"
    return orff.ORFFRegressor(kernel="div-free", lambda_=1e-3, sigma=sigma).fit_moments(moments).predict(X)


@pytest.fixture
def chunks(field):
    """The field in chunks that fit neither each other nor anything else, and weights."""
    X, Y = field
    weights = np.linspace(0.5, 1.5, len(X))
    return (da.from_array(X, chunks=(UNEVEN, 1)), da.from_array(Y, chunks=(90, 2)), da.from_array(weights, chunks=33)), weights


@pytest.fixture
def dd():
    """dask.dataframe, which asks for more packages than dask does."""
    try:
        import dask.dataframe
    except ImportError as missing:
        pytest.skip(f"dask's data frames are not here (Debian: python3-dask, python3-pandas): {missing}")
    return dask.dataframe


@pytest.fixture(scope="module")
def cluster():
    """A client of two worker processes."""
    distributed = pytest.importorskip("distributed", reason="distributed is not here (Debian: python3-distributed)")
    with distributed.LocalCluster(n_workers=2, processes=True, threads_per_worker=1, dashboard_address=None,
                                  memory_limit=0) as workers:
        with distributed.Client(workers) as client:
            yield client


# ---- moments


@pytest.mark.parametrize("kind", KINDS, ids=["given", "auto", "median", "lattice", "lattice, extent found", "lattice, auto"])
@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
def test_chunks_are_the_whole(kind, scheduler, field, chunks):
    (X, Y, w), weights = chunks
    whole = new(kind).accumulate(*field, weights)
    with dask.config.set(scheduler=scheduler):
        sums = DaskMoments(new(kind)).accumulate(X, Y, w).moments
    assert sums.rows == whole.rows and type(sums) is type(whole)
    close(sums.weight, whole.weight)
    close(predictions(sums, field[0]), predictions(whole, field[0]))
    if isinstance(kind, orff.Moments):
        for one, other in zip(sums.totals(), whole.totals()):
            close(one, other)


def test_sums_go_on_and_back(field, chunks):
    (X, Y, w), weights = chunks
    sums = DaskMoments(orff.Moments(sigma=0.5, features=40).accumulate(*field))
    sums.accumulate(X, Y, w)
    assert sums.moments.rows == 800 and "800 rows" in repr(sums)
    one = sums.lazy(X, Y, w)
    assert sums.moments.rows == 800 and one.compute().rows == 400
    sums.forget(X, Y, w)
    for a, b in zip(sums.moments.totals(), orff.Moments(sigma=0.5, features=40).accumulate(*field).totals()):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_what_is_sent_is_small():
    """Moments without rows are zeros: a worker is not sent megabytes of them with each graph."""
    moments = orff.Moments(sigma=0.5, features=400).accumulate([[0.0, 0.0]], [0.0])
    assert len(orff.dask._pack(moments)) < len(pickle.dumps(moments)) / 20


def test_rows_that_are_refused_leave_the_sums(field, chunks):
    (X, Y, _), _ = chunks
    sums = DaskMoments(orff.LatticeMoments(**BOX))
    with pytest.raises(orff.OrffError, match="outside of the lattice's extent"):
        sums.accumulate(3 * X, Y)
    assert sums.moments.rows == 0 and sums.moments._place is None
    sums.accumulate(X, Y)
    with pytest.raises(ValueError, match="NaN"):
        sums.accumulate(da.where(X > 0.9, np.nan, X), Y)
    assert sums.moments.rows == 400
    with pytest.raises(ValueError, match="400 rows and y 399"):
        sums.accumulate(X, Y[1:])
    with pytest.raises(ValueError, match="chunks of rows"):
        sums.accumulate(X[X[:, 0] > 0], Y[:100])
    with pytest.raises(ValueError, match="X has 1 dimensions"):
        sums.accumulate(X[:, 0], Y)
    with pytest.raises(TypeError, match="Moments or LatticeMoments"):
        DaskMoments(3)


# ---- the estimator


@pytest.mark.parametrize("parameters", [GIVEN, dict(kernel="div-free", features=60), dict(features=60, lambda_=1e-3)], ids=str)
def test_it_learns_what_partial_fit_learns(parameters, field, chunks):
    (X, Y, w), weights = chunks
    plain = orff.ORFFRegressor(**parameters).partial_fit(*field, weights)
    spread = DaskORFFRegressor(**parameters).fit(X, Y, w)
    F, std, cov = spread.predict(X, return_std=True, return_cov=True)
    assert all(isinstance(one, da.Array) for one in (F, std, cov)) and F.chunks[0] == UNEVEN
    for lazy, found in zip((F, std, cov), plain.predict(field[0], return_std=True, return_cov=True)):
        assert lazy.shape == found.shape and lazy.dtype == found.dtype
        np.testing.assert_allclose(lazy.compute(), found, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(spread.predict(field[0]), plain.predict(field[0]), rtol=1e-8, atol=1e-10)
    assert spread.score(X, Y) > 0.9


def test_parts_are_one_fit(field, chunks):
    (X, Y, _), _ = chunks
    for parameters in (GIVEN, {**GIVEN, "features": "auto", "engine": "lattice", "extent": [(-1, 1), (-1, 1)]}):
        whole = DaskORFFRegressor(**parameters).fit(X, Y)
        parts = DaskORFFRegressor(**parameters).partial_fit(X[:150], Y[:150]).partial_fit(X[150:], Y[150:])
        assert parts.moments_.rows == 400
        close(parts.predict(field[0]), whole.predict(field[0]))
        close(parts.forget(X[150:], Y[150:]).predict(field[0]),
              DaskORFFRegressor(**parameters).fit(X[:150], Y[:150]).predict(field[0]))


def test_a_lattice_is_that_of_its_moments(field, chunks, tmp_path):
    (X, Y, _), _ = chunks
    spread = DaskORFFRegressor(kernel="div-free", engine="lattice", **BOX).fit(X, Y)
    plain = orff.ORFFRegressor(kernel="div-free").fit_moments(orff.LatticeMoments(kernel="div-free", **BOX).accumulate(*field))
    close(spread.predict(X).compute(), plain.predict(field[0]))
    assert spread.sigma_[0] == plain.sigma_[0]
    again = pickle.loads(pickle.dumps(spread))
    close(again.predict(X).compute(), plain.predict(field[0]))
    spread.save(tmp_path / "m.orff")
    close(orff.load(tmp_path / "m.orff").predict(field[0]), plain.predict(field[0]))


@pytest.mark.parametrize("parameters", [dict(sigma=1.0, features=50), dict(sigma=1.0, engine="lattice")], ids=str)
def test_one_dimension_stays_one(parameters, chunks, tmp_path):
    (X, Y, _), _ = chunks
    model = DaskORFFRegressor(**parameters).fit(X, Y[:, 0])
    F, std = model.predict(X, return_std=True)
    assert F.shape == std.shape == F.compute().shape == std.compute().shape == (400,)
    model.save(tmp_path / "m.orff")
    assert orff.load(tmp_path / "m.orff").predict(np.zeros((3, 2))).shape == (3,)


def test_single_precision_is_that_of_the_chunks(field, chunks):
    (X, Y, _), _ = chunks
    model = DaskORFFRegressor(**GIVEN).fit(X.astype(np.float32), Y)
    assert model.moments_._describe().single
    F = model.predict(X.astype(np.float32))
    assert F.dtype == F.compute().dtype == np.float32


def test_what_does_not_go_is_said(field, chunks):
    (X, Y, _), _ = chunks
    model = DaskORFFRegressor(**GIVEN).fit(X, Y)
    before = model.predict(field[0])
    for parameters, words in [(dict(loss="huber"), "squared loss"), (dict(engine="exact"), "exact needs all rows"),
                              (dict(geo="lonlat"), "geo")]:
        with pytest.raises(ValueError, match=words):
            model.set_params(**parameters).fit(X, Y)
        model.set_params(**{name: getattr(DaskORFFRegressor(), name) for name in parameters})
    with pytest.raises(ValueError, match="groups"):
        model.fit(X, Y, groups=Y[:, 0])
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X + np.nan, Y)
    with pytest.raises(ValueError, match="expects 2 inputs"):
        model.predict(X[:, :1])
    close(model.predict(field[0]), before)


# ---- tables


def test_data_frames(field, dd):
    pd = pytest.importorskip("pandas")
    X, Y = field
    table = pd.DataFrame(np.c_[X, Y], columns=["lon", "lat", "u", "v"])
    frame = dd.from_pandas(table, npartitions=5)
    frame = frame[frame.lon < 0.5]  # chunks of sizes that nobody knows
    kept = table[table.lon < 0.5]
    plain = orff.ORFFRegressor(kernel="div-free", features=60).partial_fit(kept[["lon", "lat"]], kept[["u", "v"]])
    model = DaskORFFRegressor(kernel="div-free", features=60).fit(frame[["lon", "lat"]], frame[["u", "v"]])
    assert list(model.feature_names_in_) == ["lon", "lat"] and list(model._output_names) == ["u", "v"]
    F = model.predict(frame[["lon", "lat"]])
    np.testing.assert_allclose(F.compute(), plain.predict(kept[["lon", "lat"]]), rtol=1e-8, atol=1e-10)
    with pytest.raises(ValueError, match="the order matters"):
        model.predict(frame[["lat", "lon"]])
    with pytest.raises(ValueError, match="the order matters"):
        model.partial_fit(frame[["lat", "lon"]], frame[["u", "v"]])
    flat = DaskORFFRegressor(**{**GIVEN, "kernel": "decomposable"}).fit(frame[["lon", "lat"]], frame["u"], frame["v"].abs())
    assert flat.predict(table[["lon", "lat"]]).shape == (400,)


def test_partitions_without_rows(field, dd):
    pd = pytest.importorskip("pandas")
    X, Y = field
    table = pd.DataFrame(np.c_[X, Y], columns=list("abcd")).sort_values("a").reset_index(drop=True)
    frame = dd.from_pandas(table, npartitions=6)
    frame = frame[frame.a > 0.3]
    kept = table[table.a > 0.3]
    for kind in (orff.Moments(features=40), orff.LatticeMoments(sigma=1.0)):
        sums = DaskMoments(new(kind)).accumulate(frame[["a", "b"]], frame[["c", "d"]]).moments
        whole = new(kind).accumulate(kept[["a", "b"]], kept[["c", "d"]])
        assert sums.rows == len(kept)
        points = kept[["a", "b"]]
        close(predictions(sums, points), predictions(whole, points))
    model = DaskORFFRegressor(**GIVEN).fit(frame[["a", "b"]], frame[["c", "d"]])
    assert model.predict(frame[["a", "b"]]).compute().shape == (len(kept), 2)


def test_xarray_around_dask(field, chunks):
    xr = pytest.importorskip("xarray", reason="xarray is not here (Debian: python3-xarray)")
    (X, Y, _), _ = chunks
    model = DaskORFFRegressor(**GIVEN).fit(xr.DataArray(X, dims=("row", "input")), xr.DataArray(Y, dims=("row", "output")))
    F = model.predict(xr.DataArray(X, dims=("row", "input")))
    close(F.compute(), DaskORFFRegressor(**GIVEN).fit(X, Y).predict(field[0]))
    with pytest.raises(ValueError, match="to_dask_dataframe"):
        model.fit(xr.Dataset({"u": (("row", "output"), Y)}), Y)


# ---- who works


def test_a_bar_where_it_is_asked_for(chunks, capsys):
    (X, Y, _), _ = chunks
    with dask.config.set(scheduler="threads"):
        DaskMoments(orff.Moments(sigma=0.5, features=40, verbose=1)).accumulate(X, Y)
    assert "100%" in capsys.readouterr().out


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[3]], ids=["features", "lattice"])
def test_processes(kind, field, chunks, cluster):
    (X, Y, w), weights = chunks
    sums = DaskMoments(new(kind)).accumulate(X, Y, w).moments
    whole = new(kind).accumulate(*field, weights)
    close(predictions(sums, field[0]), predictions(whole, field[0]))
    model = DaskORFFRegressor(**GIVEN, verbose=1).fit(X, Y)
    pids = set(cluster.run(os.getpid).values())
    assert len(pids) == 2 and os.getpid() not in pids
    close(model.predict(X).compute(), model.predict(field[0]))


def deadly(rows, marker):
    """The rows; the first time, the end of the process that asks for them."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return rows
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_worker_that_dies_changes_nothing(field, cluster, tmp_path):
    X, Y = field
    marker = str(tmp_path / "died")
    cut = np.split(np.c_[X, Y], np.arange(40, 400, 40))
    blocks = [dask.delayed(deadly)(part, marker) if i == 5 else dask.delayed(part) for i, part in enumerate(cut)]
    table = da.concatenate([da.from_delayed(block, part.shape, part.dtype) for block, part in zip(blocks, cut)])
    before = set(cluster.run(os.getpid).values())
    sums = DaskMoments(orff.Moments(sigma=0.5, features=40)).accumulate(table[:, :2], table[:, 2:]).moments
    assert os.path.exists(marker)
    cluster.wait_for_workers(2)
    assert set(cluster.run(os.getpid).values()) != before
    whole = orff.Moments(sigma=0.5, features=40).accumulate(X, Y)
    assert sums.rows == 400
    for one, other in zip(sums.totals(), whole.totals()):
        close(one, other)


def test_without_dask_the_package_is_named(tmp_path):
    program = f"import sys; sys.path.insert(0, {str(PYTHON)!r}); sys.modules['dask'] = None\nimport orff\n" \
        "try:\n    import orff.dask\nexcept ImportError as trouble:\n    print(trouble)"
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert "needs the package dask" in told and "python3-dask" in told
    program = f"import sys; sys.path.insert(0, {str(PYTHON)!r}); import orff; print('dask' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout == "False\n"
