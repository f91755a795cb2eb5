"""Posterior samples of the regressors."""
import numpy as np
import pytest

import orff


@pytest.fixture(name="rows")
def rows_fixture():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (150, 2))
    return X, np.c_[-X[:, 1], X[:, 0]] + 0.1 * rng.normal(size=(150, 2))


def test_shape_and_seed(rows):
    """As of scikit-learn's Gaussian process; a seed gives the same functions at any points."""
    X, Y = rows
    model = orff.ORFFRegressor(kernel="div-free", sigma=0.8).fit(X, Y)
    F = model.sample_y(X[:6], 5, random_state=3)
    assert F.shape == (6, 2, 5)
    assert np.allclose(model.sample_y(X[2:4], 5, random_state=3), F[2:4], atol=1e-8)
    assert not np.allclose(model.sample_y(X[:6], 5, random_state=4), F)
    assert model.sample_y(X[:6], random_state=np.random.RandomState(1)).shape == (6, 2, 1)
    assert orff.ORFFRegressor(sigma=0.8).fit(X, Y[:, 0]).sample_y(X[:6], 3).shape == (6, 3)


def test_spread(rows):
    """Mean and spread are those of the prediction."""
    X, Y = rows
    model = orff.ORFFRegressor(kernel="div-free", sigma=0.8).fit(X, Y)
    mean, std = model.predict(X[:3], return_std=True)
    F = model.sample_y(X[:3], 1000)
    assert np.all(np.abs(F.mean(axis=2) - mean) < 6 * std / np.sqrt(1000))
    assert np.all(np.abs(F.std(axis=2) / std - 1) < 6 / np.sqrt(2000))
