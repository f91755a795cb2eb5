"""Trends of the regressors."""
import numpy as np
import pytest

import orff


@pytest.fixture(name="rows")
def rows_fixture():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 5, (120, 2))
    smooth = 0.3 * np.c_[np.sin(3 * X[:, 0]), np.cos(2 * X[:, 1])]
    return X, 7 + X @ [[3.0, 0.0], [0.0, -2.0]] + smooth + 0.05 * rng.normal(size=(120, 2))


def test_beyond_the_rows(rows):
    X, Y = rows
    model = orff.ORFFRegressor(trend="linear").fit(X, Y)
    F, std = model.predict([[12.0, 2.5]], return_std=True)
    assert np.all(np.abs(F - [[43.0, 2.0]]) < 4 * std + 0.3)
    assert np.all(std < 3.0)
    trend = model.trend_
    assert trend["kind"] == "linear" and trend["centre"].shape == (2,)
    assert [term["inputs"] for term in trend["terms"]] == [[], [0], [1]]
    slope = trend["terms"][1]
    assert np.all(np.abs(slope["coefficients"] - [3.0, 0.0]) < 4 * slope["errors"] + 0.05)
    assert orff.ORFFRegressor().fit(X, Y).trend_ is None


@pytest.mark.parametrize("given", [[1], ["b"], "b", "2"])
def test_inputs(rows, given):
    """By place, counted from 0 as a number and from 1 in a text, or by name."""
    pandas = pytest.importorskip("pandas")
    X, Y = rows
    model = orff.ORFFRegressor(trend=given, sigma=1.0).fit(pandas.DataFrame(X, columns=["a", "b"]), Y)
    assert [term["inputs"] for term in model.trend_["terms"]] == [[], [1]]


def test_files_and_single(rows, tmp_path):
    X, Y = rows
    model = orff.OVKRegressor(trend="quadratic", kernel="div-free").fit(X, Y)
    model.save(tmp_path / "a.orff")
    again = orff.load(tmp_path / "a.orff")
    assert again.get_params()["trend"] == "quadratic"
    for one, other in zip(again.predict(X[:5], return_std=True), model.predict(X[:5], return_std=True)):
        assert np.allclose(one, other)
    single = orff.ORFFRegressor(trend="linear").fit(X.astype(np.float32), Y)  # rows that no stream reads
    assert single.trend_["kind"] == "linear"
    assert np.sqrt(np.mean((single.predict(X) - Y) ** 2)) < 0.5


def test_refused(rows):
    X, Y = rows
    with pytest.raises(ValueError, match="trend"):
        orff.ORFFRegressor(trend="liner").fit(X, Y)
    with pytest.raises(ValueError, match="trend"):
        orff.ORFFClassifier(trend="linear").fit(X, Y[:, 0] > 14)
