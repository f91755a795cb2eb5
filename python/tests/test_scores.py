"""Scores of predictions, and error bars with and without noise."""
import numpy as np
import pytest

import orff


@pytest.fixture(scope="module", name="rows")
def rows_fixture():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 2))
    Y = np.c_[np.sin(3 * X[:, 0]), X[:, 1] ** 2] + 0.2 * rng.normal(size=(400, 2))
    return X, Y


@pytest.fixture(scope="module", name="model")
def model_fixture(rows):
    X, Y = rows
    return orff.ORFFRegressor(sigma=0.7).fit(X[:250], Y[:250])


def test_a_measurement_has_the_noise_too(rows, model):
    X, _ = rows
    _, field = model.predict(X[250:], return_std=True)
    _, measured = model.predict(X[250:], return_std=True, with_noise=True)
    noise = np.sqrt(measured**2 - field**2)
    assert np.all(measured > field)
    np.testing.assert_allclose(noise, np.broadcast_to(noise[0], noise.shape), rtol=1e-6)
    assert np.all(np.abs(noise[0] - 0.2) < 0.05)


def test_scores_are_those_of_the_predictions(rows, model):
    X, Y = rows[0][250:], rows[1][250:]
    F, s = model.predict(X, return_std=True, with_noise=True)
    found = model.evaluate(X, Y)
    np.testing.assert_allclose(found["rmse"], np.sqrt(np.mean((F - Y) ** 2)))
    np.testing.assert_allclose(found["coverage_95"], np.mean(np.abs(F - Y) <= 1.959963984540054 * s))
    one = found["per_output"][1]
    np.testing.assert_allclose(one["bias"], np.mean(F[:, 1] - Y[:, 1]))
    np.testing.assert_allclose(one["correlation"], np.corrcoef(F[:, 1], Y[:, 1])[0, 1])
    log_density = -0.5 * ((F - Y) / s) ** 2 - np.log(s * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(found["log_score"], -np.mean(log_density))


def test_without_error_bars_there_are_no_intervals(rows):
    X, Y = rows
    found = orff.ORFFRegressor(sigma=0.7, posterior="no").fit(X[:250], Y[:250]).evaluate(X[250:], Y[250:])
    assert {"rmse", "r2", "bias"} <= set(found)
    assert not {"crps", "coverage_95", "log_score"} & set(found)
