"""Vector autoregression, and output matrices that are learned."""
import numpy as np
import pytest

import orff


def chain(n, seed=0):
    """b follows a, bent; c is by itself."""
    rng = np.random.default_rng(seed)
    y = np.zeros((n, 3))
    for t in range(1, n):
        a, b, c = y[t - 1]
        y[t] = [1.5 * np.sin(1.8 * a), 0.3 * b + 1.2 * np.cos(1.5 * a), 0.6 * c] + [0.2, 0.2, 0.3] * rng.normal(size=3)
    return y


@pytest.fixture(scope="module")
def fitted():
    y = chain(300)
    return orff.ORFFVAR(lags=[1], sigma=2.0).fit(y), y


def test_forecast(fitted):
    model, y = fitted
    mean, std = model.forecast(4, return_std=True, n_samples=100)
    assert mean.shape == std.shape == (4, 3) and np.all(std > 0)
    paths = model.simulate(4, n_samples=100)
    assert paths.shape == (100, 4, 3)
    np.testing.assert_allclose(paths.mean(axis=0), mean)
    np.testing.assert_allclose(model.forecast(4, history=y, n_samples=100), mean)
    one = model.forecast(1, history=y[:-1], n_samples=0)
    assert np.abs(one - y[-1]).max() < 1.5
    with pytest.raises(ValueError, match="history has 2 series"):
        model.forecast(1, history=y[:, :2])


def test_links(fitted):
    model, y = fitted
    found = model.links(y, draws=199)
    assert found["probability"][1, 0] < 0.02 < found["probability"][0, 2]
    assert found["strength"][1, 0] > 3 * found["strength"][0, 1]


def test_file(fitted, tmp_path):
    model, _ = fitted
    model.save(tmp_path / "v.orff")
    again = orff.load(tmp_path / "v.orff")
    assert isinstance(again, orff.ORFFVAR) and again.lags == [1] and list(again.lags_) == [1]
    np.testing.assert_allclose(again.forecast(3), model.forecast(3))
    np.testing.assert_allclose(again.noise_covariance_, model.noise_covariance_)


def test_missing_values():
    y = chain(200)
    y[50, 1] = np.nan
    model = orff.ORFFVAR(lags=[1, 2], sigma=2.0, lambda_=1e-3, changes=True).fit(y)
    assert model.model_.describe().rows == 200 - 2 - 3


def test_learned_matrix():
    rng = np.random.default_rng(1)
    X = np.sort(rng.uniform(0, 30, 250))[:, None]
    f = np.sin(X[:, 0]) + 0.7 * np.cos(2.3 * X[:, 0])
    Y = np.c_[f, 2 * f] + rng.normal(size=(250, 2)) * [0.05, 1.0]
    model = orff.ORFFRegressor(output_matrix="learn", sigma=1.0).fit(X, Y)
    A = model.output_matrix_
    assert A.shape == (2, 2) and A[0, 1] > 0.9 * np.sqrt(A[0, 0] * A[1, 1])
    apart = orff.ORFFRegressor(sigma=1.0).fit(X, Y)

    def error(which):
        return np.sqrt(np.mean((which.predict(X)[:, 1] - 2 * f) ** 2))

    assert error(model) < 0.7 * error(apart)
