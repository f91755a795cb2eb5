"""Missing outputs, directions, errors and instruments, beside a dense Gaussian process of the same kernel and noise."""
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import orff

SIGMA, LAMBDA = 0.9, 1e-3
ENGINES = {"exact": {"engine": "exact"}, "lattice": {"engine": "lattice", "tolerance": 1e-8},
           "features": {"engine": "features", "features": 300}}


@pytest.fixture(name="rows")
def rows_fixture():
    """80 rows of a flow without divergence, and places to predict at."""
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, (80, 2))
    Y = np.c_[-np.sin(2 * X[:, 1]), np.sin(2 * X[:, 0])] + 0.05 * rng.normal(size=X.shape)
    return X, Y, rng.uniform(-1, 1, (9, 2))


def regressor(engine="exact", **more):
    return orff.ORFFRegressor(**{**dict(kernel="div-free", sigma=SIGMA, lambda_=LAMBDA, center=False, scale_inputs=False),
                                 **ENGINES[engine], **more})


def covariance_of(engine):
    """K(x, z) as n x m x p x p: the kernel, or that of the features that are drawn."""
    drawn = {"features": 300} if engine == "features" else {}
    return lambda X, Z: orff.kernel(X, Z, kernel="div-free", sigma=SIGMA, outputs=2, **drawn)


def dense(K, X, along, y, noise, new):
    """Means and standard deviations of f at new places, for y = <along, f(x)> with variances of noise; log evidence."""
    A = np.einsum("ia,ijab,jb->ij", along, K(X, X), along) + np.diag(noise)
    cross = np.einsum("ijab,jb->iaj", K(new, X), along)
    F = cross @ np.linalg.solve(A, y)
    prior = np.diagonal(K(new[:1], new[:1])[0, 0])
    std = np.sqrt(prior - np.einsum("iaj,jk,iak->ia", cross, np.linalg.inv(A), cross))
    return F, std, -0.5 * y @ np.linalg.solve(A, y) - 0.5 * np.linalg.slogdet(A)[1]


def split(X, Y):
    """Whole rows as rows along axes."""
    i, k = np.nonzero(~np.isnan(Y))
    return X[i], np.eye(2)[k], Y[i, k]


@pytest.mark.parametrize("engine", ENGINES)
def test_missing_outputs_are_those_of_a_dense_process(rows, engine):
    X, Y, new = rows
    Y[::3, 0], Y[1::4, 1], Y[7] = np.nan, np.nan, np.nan
    model = regressor(engine).fit(X, Y)
    says = len(X) - np.isnan(Y).all(axis=1).sum()
    X1, along, y = split(X, Y)
    noise = np.full(len(y), says * LAMBDA)
    F, std, _ = dense(covariance_of(engine), X1, along, y, noise, new)
    close = 1e-8 if engine == "exact" else 1e-4
    np.testing.assert_allclose(model.predict(new), F, atol=close)
    found = model.predict(new, return_std=True)[1]
    np.testing.assert_allclose(found / found[0, 0], std / std[0, 0], rtol=2e-2 if engine != "exact" else 1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_directions_are_those_of_a_dense_process(rows, engine):
    X, Y, new = rows
    along = orff.directions(np.random.default_rng(1).uniform(0, 360, len(X)), direction_from="north")
    y = (along * Y).sum(axis=1)
    model = regressor(engine).fit(X, y, directions=along)
    F, _, _ = dense(covariance_of(engine), X, along, y, np.full(len(y), len(y) * LAMBDA), new)
    assert model.predict(new).shape == (9, 2)
    np.testing.assert_allclose(model.predict(new), F, atol=1e-8 if engine == "exact" else 1e-4)
    weights = np.r_[np.zeros(10), np.full(70, 2.0)]
    some = regressor(engine).fit(X, y[:, None], weights, directions=along)
    only = regressor(engine).fit(X[10:], y[10:], np.full(70, 2.0), directions=along[10:])
    np.testing.assert_array_equal(some.predict(new), only.predict(new))


def scaled(variance):
    """Variances of the noise of rows as lambda has them: rows of weight 1 / variance, as many as there are."""
    weights = 1.0 / variance
    return len(weights) * LAMBDA / (weights * len(weights) / weights.sum())


def test_errors_are_weighed_as_the_evidence_has_it(rows):
    X, Y, new = rows
    rng = np.random.default_rng(2)
    errors = rng.choice([0.02, 0.6], len(X))
    Y = Y + errors[:, None] * rng.normal(size=Y.shape)
    K, (X1, along, y), t = covariance_of("exact"), split(X, Y), np.repeat(errors**2 / np.mean(errors**2), 2)
    found = regressor().fit(X, Y, errors=errors).predict(new)
    np.testing.assert_array_equal(regressor().fit(X, Y, errors=np.c_[errors, errors]).predict(new), found)

    def off(share):
        variance = scaled((1.0 - share + share * t)[::2]).repeat(2)
        return np.abs(dense(K, X1, along, y, variance, new)[0] - found).max()

    best = minimize_scalar(off, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-10})
    assert best.x > 0.9 and best.fun < 1e-5                              # the noise is that of the errors, nearly all of it
    assert np.abs(regressor().fit(X, Y).predict(new) - found).max() > 0.01


def test_errors_of_each_number(rows):
    X, Y, new = rows
    same = regressor().fit(X, Y, errors=np.full(Y.shape, 0.3))           # of one size: they say nothing
    np.testing.assert_allclose(same.predict(new), regressor().fit(X, Y).predict(new), atol=1e-8)
    errors = np.tile([0.05, 3.0], (len(Y), 1))
    bad = Y.copy()
    bad[:, 1] += 3.0 * np.random.default_rng(3).normal(size=len(Y))
    first = Y.copy()
    first[:, 1] = np.nan
    errors[3, 1], bad[3, 1] = np.nan, np.nan                             # the error of what is missing may be missing
    trusted = regressor(lambda_="auto").fit(X, bad, errors=errors)
    alone = regressor(lambda_="auto").fit(X, first)
    assert np.abs(trusted.predict(new)[:, 0] - alone.predict(new)[:, 0]).max() < 0.1


def test_each_instrument_has_its_noise(rows):
    X, Y, new = rows
    rng = np.random.default_rng(4)
    names = rng.choice(["good", "bad"], len(X))
    Y = Y + np.where(names == "bad", 1.0, 0.0)[:, None] * rng.normal(size=Y.shape)
    K, (X1, along, y) = covariance_of("exact"), split(X, Y)
    found = regressor().fit(X, Y, instruments=names).predict(new)
    for labels in (names.tolist(), [("kind", name) for name in names], names == "bad", names.astype(object)):
        np.testing.assert_array_equal(regressor().fit(X, Y, instruments=labels).predict(new), found)

    def off(log_ratio):
        variance = scaled(np.where(names == "bad", np.exp(log_ratio), 1.0)).repeat(2)
        return np.abs(dense(K, X1, along, y, variance, new)[0] - found).max()

    best = minimize_scalar(off, bounds=(0.0, 12.0), method="bounded", options={"xatol": 1e-10})
    assert best.x > 2.0 and best.fun < 1e-5
    assert np.abs(regressor().fit(X, Y).predict(new) - found).max() > 0.01


@pytest.mark.parametrize("make", [regressor, lambda **more: orff.OVKRegressor(kernel="div-free", sigma=SIGMA, **more)])
def test_rows_may_be_dropped_or_refused(rows, make, tmp_path):
    X, Y, new = rows
    holes = Y.copy()
    holes[::5, 0] = np.nan
    whole = ~np.isnan(holes).any(axis=1)
    groups, weights = np.arange(len(X)) // 8, np.linspace(0, 1, len(X))
    dropped = make(missing_outputs="drop").fit(X, holes, weights, groups)
    without = make().fit(X[whole], Y[whole], weights[whole], groups[whole])
    np.testing.assert_array_equal(dropped.predict(new), without.predict(new))
    assert np.abs(make().fit(X, holes, weights).predict(new) - dropped.predict(new)).max() > 1e-6
    with pytest.raises(ValueError, match="missing in 16 of 80 rows, the first of them row 0"):
        make(missing_outputs="refuse").fit(X, holes)
    with pytest.raises(ValueError, match="missing in 15 of 79 rows, the first of them row 5"):
        make(missing_outputs="refuse").fit(X, holes, weights)
    with pytest.raises(ValueError, match="missing_outputs is 'keep'; expected 'use' or 'drop' or 'refuse'"):
        make(missing_outputs="keep").fit(X, Y)
    with pytest.raises(ValueError, match="missing in every row"):
        make().fit(X, np.full_like(Y, np.nan))
    dropped.save(tmp_path / "model")
    assert orff.load(tmp_path / "model").missing_outputs == "drop"


def test_a_column_without_numbers_is_refused_as_ever(rows):
    X, Y, _ = rows
    y = Y[:, 0].copy()
    y[3] = np.nan
    with pytest.raises(ValueError, match="y contains NaN"):
        regressor(kernel="decomposable").fit(X, y)
    one = regressor(kernel="decomposable").fit(X, y[:, None])             # two dimensions: the row says nothing
    kept = np.arange(len(X)) != 3
    np.testing.assert_array_equal(one.predict(X), regressor(kernel="decomposable").fit(X[kept], y[kept, None]).predict(X))
    for trouble in (np.inf, -np.inf):
        with pytest.raises(ValueError, match="y contains infinity"):
            regressor().fit(X, np.where(np.isnan(y)[:, None], trouble, Y))
    with pytest.raises(ValueError, match="y contains NaN"):
        orff.ORFFClassifier().tune(X, y, sigma=[1.0, 2.0])


@pytest.mark.parametrize("engine", ["exact", "features"])
def test_candidates_are_judged_on_folds_they_have_not_seen(rows, engine):
    X, Y, _ = rows
    Y = np.where(np.arange(160).reshape(80, 2) % 3 == 0, np.nan, Y)
    tracks = np.arange(80) % 7
    tuned = regressor(engine, folds=7).tune(X, Y, groups=tracks, kernel=["curl-free", "div-free"])
    assert tuned.best_params_ == {"kernel": "div-free"}
    again = regressor(engine).fit(X, Y)
    np.testing.assert_allclose(tuned.predict(X), again.predict(X), atol=1e-10)
    curl, div = tuned.tune_results_["cv_mse"]
    assert div < 0.02 < curl
    along = orff.directions(np.arange(80) * 37.0)
    radial = (along * rows[1]).sum(axis=1)
    seen = regressor(engine).tune(X, radial, directions=along, errors=np.full(80, 0.05), kernel=["curl-free", "div-free"])
    assert seen.best_params_ == {"kernel": "div-free"} and seen.tune_results_["cv_mse"][1] < 0.02


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_flows_across_walls(rows, engine):
    X, Y, _ = rows
    points = np.c_[np.full(15, 0.3), np.linspace(-1, 1, 15)]
    normals = np.tile([2.0, 0.0], (15, 1))
    open_, walled = regressor(engine).fit(X, Y), regressor(engine).fit(X, Y, walls=(points, normals))
    assert np.abs(open_.predict(points)[:, 0]).max() > 0.5
    F, _, _ = dense(covariance_of(engine), np.r_[X, X, points], np.r_[np.tile([1, 0], (80, 1)), np.tile([0, 1], (80, 1)), normals],
                    np.r_[Y.T.ravel(), np.zeros(15)], 80 * LAMBDA / np.r_[np.ones(160), np.full(15, 10.0)], points)
    np.testing.assert_allclose(walled.predict(points), F, atol=1e-8 if engine == "exact" else 1e-4)
    for message, walls in [("expected a pair", points), ("got \\(15, 2\\) and \\(15, 1\\)", (points, normals[:, :1])),
                           ("walls: point 3", (points, normals * (np.arange(15) != 3)[:, None]))]:
        with pytest.raises(ValueError, match=message):
            regressor(engine).fit(X, Y, walls=walls)


def test_angles():
    np.testing.assert_allclose(orff.directions([0, 90, 210]), [[1, 0], [0, 1], [-np.sqrt(0.75), -0.5]], atol=1e-12)
    np.testing.assert_allclose(orff.directions([90.0], "north", "toward"), [[-1, 0]], atol=1e-12)
    with pytest.raises(ValueError, match="direction_from is 'south'; expected 'east' or 'north'"):
        orff.directions([0.0], "south")
    with pytest.raises(ValueError, match="that of row 1 is not a number"):
        orff.directions([0.0, np.nan])


def test_what_is_wrong_is_said(rows):
    X, Y, _ = rows
    y, along = Y[:, 0], np.tile([1.0, 0.0], (len(X), 1))
    none = along * (np.arange(len(X)) != 4)[:, None]
    for message, y_, given in [
        (r"got \(80,\); orff.directions\(angles\)", y, {"directions": np.zeros(80)}),
        ("y has one number for each row", Y, {"directions": along}),
        ("directions: that of row 4 is", y, {"directions": none}),
        ("inconsistent numbers of samples", y, {"directions": along[:9]}),
        (r"errors has shape \(80, 3\)", Y, {"errors": np.ones((80, 3))}),
        (r"errors has shape \(\)", Y, {"errors": 1.0}),
        ("errors: that of output 1 of row 2 is -1", Y, {"errors": np.where(Y == Y[2, 1], -1.0, 1.0)}),
        ("instruments: there are 80 of them, but at most 64", Y, {"instruments": range(80)}),
        ("instruments: expected one label for each row", Y, {"instruments": [[1]] * 80}),
        ("inconsistent numbers of samples", Y, {"instruments": "ab"}),
    ]:
        with pytest.raises(ValueError, match=message):
            regressor().fit(X, y_, **given)
    with pytest.raises(orff.OrffError, match="squared"):
        regressor("features", loss="huber").fit(X, Y, instruments=np.arange(80) % 2)
    with pytest.raises(ValueError, match='output_matrix="covariance" is computed from rows with all outputs'):
        regressor(kernel="decomposable", output_matrix="covariance").fit(X, y, directions=along)


def test_what_is_asked_of_the_rows(rows, capsys):
    """The covariance of outputs is that of whole rows; how many rows are not whole is said."""
    X, Y, new = rows
    holes = Y.copy()
    holes[::5, 0], holes[5] = np.nan, np.nan
    whole = ~np.isnan(holes).any(axis=1)
    matrix = np.cov(Y[whole].T, bias=True)
    found = regressor(kernel="decomposable", output_matrix="covariance", verbose=1).fit(X, holes)
    assert "used for the others: 15; rows left out: 1\n" in capsys.readouterr().err
    given = regressor(kernel="decomposable", output_matrix=matrix).fit(X, holes)
    np.testing.assert_allclose(found.predict(new), given.predict(new), atol=1e-8)


def test_degrees_and_names(rows):
    """Directions are turned with the plane; tables and float32 are taken as well."""
    pd = pytest.importorskip("pandas")
    X, Y, _ = rows
    lonlat = pd.DataFrame(X + [10.0, 60.0], columns=["lon", "lat"])
    angles = np.random.default_rng(1).uniform(0, 360, len(X))
    along = orff.directions(angles)
    model = orff.ORFFRegressor(kernel="div-free", geo="lonlat", sigma="median", lambda_=1e-6).fit(
        lonlat, (along * Y).sum(axis=1), directions=along)
    whole = orff.ORFFRegressor(kernel="div-free", geo="lonlat", sigma="median", lambda_=1e-6).fit(lonlat, Y)
    assert np.abs(model.predict(lonlat) - whole.predict(lonlat)).mean() < 0.2
    table = pd.DataFrame(Y, columns=["u", "v"]).mask(np.random.default_rng(0).random(Y.shape) < 0.2)
    named = regressor("features").fit(lonlat.astype(np.float32), table)
    assert list(named.feature_names_in_) == ["lon", "lat"] and named._output_names == ["u", "v"]
    holes = regressor("features").fit(lonlat, table.astype("Float64"))
    np.testing.assert_allclose(named.predict(lonlat), holes.predict(lonlat), atol=0.1)

def test_offsets_of_stations_are_no_part_of_the_field():
    rng = np.random.default_rng(3)
    places, hours = rng.uniform(0, 1, 15), np.linspace(0, 1, 12)
    X = np.array([(x, t) for x in places for t in hours])
    stations = np.repeat([f"s{i:02d}" for i in range(15)], 12)
    off, truth = 0.5 * rng.normal(size=15), np.sin(4 * X[:, 0] + 3 * X[:, 1])
    model = orff.ORFFRegressor().fit(X, truth + np.repeat(off, 12) + 0.1 * rng.normal(size=180), offsets=stations)
    assert abs(model.noise_[0] - 0.1) < 0.02
    found = [one["values"][0] for one in model.offsets_]
    errors = [one["errors"][0] for one in model.offsets_]
    assert len(found) == 15 and np.corrcoef(found, off)[0, 1] > 0.8
    assert np.mean(np.abs(found - off) < 3 * np.array(errors)) > 0.9
    assert orff.ORFFRegressor().fit(X, truth).offsets_ == []


def mixed_rows():
    """Three kinds of rows of one rotation: along directions, whole, and with outputs missing; and their errors."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (240, 2))
    errors = rng.uniform(0.02, 0.1, (240, 2))
    Y = np.c_[-X[:, 1], X[:, 0]] + errors * rng.normal(size=X.shape)
    along = orff.directions(rng.uniform(0, 360, 240))
    parted = np.where(rng.random(Y.shape) < 0.3, np.nan, Y)
    return X, Y, parted, along, (Y * along).sum(1), errors


@pytest.mark.parametrize("known", [False, True])
def test_moments_of_rows_that_are_not_whole(known):
    """Parts by partial_fit, some forgotten again, are what fit makes of all at once; so are moments of a lattice, merged."""
    X, Y, parted, along, y, errors = mixed_rows()
    how = dict(kernel="div-free", sigma=1.0, lambda_=1e-3, center=False)
    one = {"errors": errors[:, 0]} if known else {}
    both = {"errors": errors} if known else {}
    some = lambda given, rows: {name: value[rows] for name, value in given.items()}
    first, last = slice(0, 120), slice(120, 240)
    model = orff.ORFFRegressor(features=100, **how).partial_fit(X[first], y[first], directions=along[first], **some(one, first))
    model.partial_fit(X, Y, **both).partial_fit(X[last], parted[last], **some(both, last)).forget(X, Y, **both)
    monday = orff.LatticeMoments(kernel="div-free", sigma=1.0, extent=[(-1, 1), (-1, 1)])
    monday.accumulate(X[first], y[first], directions=along[first], **some(one, first))
    tuesday = monday.like().accumulate(X[last], parted[last], **some(both, last))
    lattice = orff.ORFFRegressor(**how).fit_moments(monday + tuesday)

    # the same numbers, each along a direction
    there = ~np.isnan(parted[last])
    places = np.r_[X[first], np.repeat(X[last], there.sum(1), axis=0)]
    axes = np.broadcast_to(np.eye(2), (120, 2, 2))[there]
    numbers, vectors = np.r_[y[first], parted[last][there]], np.r_[along[first], axes]
    spread = np.r_[errors[first, 0], errors[last][there]] if known else np.ones(len(numbers))
    c = spread**-2 / (spread**-2).mean()
    N = 120 + there.any(1).sum()
    assert model.moments_.rows == (monday + tuesday).rows == N
    for engine, fitted, near in (("features", model, 1e-8), ("lattice", lattice, 1e-3)):
        whole = orff.ORFFRegressor(engine=engine, **{**how, "lambda_": 1e-3 * N / len(numbers)}, features=100)
        whole.fit(places, numbers, directions=vectors, sample_weight=c)
        assert np.abs(whole.predict(X) - fitted.predict(X)).max() < near
        assert np.sqrt(np.mean((fitted.predict(X) - np.c_[-X[:, 1], X[:, 0]]) ** 2)) < 0.1


def test_errors_of_all_rows_or_none():
    X, Y, parted, along, y, errors = mixed_rows()
    sums = orff.Moments(sigma=1.0, features=20).accumulate(X, Y, errors=errors)
    with pytest.raises(orff.OrffError, match="errors"):
        sums.accumulate(X, Y)
    assert sums.rows == 240
