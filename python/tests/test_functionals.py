"""Functionals as data, beside a dense Gaussian process that has derivatives of its kernel."""
import numpy as np
import pytest

import orff

SIGMA, LAMBDA = 0.8, 1e-3


def kernels(X, Z):
    """k(x, z) of a Gaussian, its derivative by z_0, and the second one by x_0 and z_0."""
    delta = X[:, None] - Z[None]
    k = np.exp(-(delta**2).sum(axis=2) / (2 * SIGMA**2))
    by_z = k * delta[..., 0] / SIGMA**2
    both = k * (1 / SIGMA**2 - delta[..., 0] ** 2 / SIGMA**4)
    return k, by_z, both


def test_derivatives_are_those_of_a_dense_process():
    rng = np.random.default_rng(1)
    X, G, new = rng.uniform(-1, 0, (40, 2)), rng.uniform(0, 1, (12, 2)), rng.uniform(-1, 1, (7, 2))
    y = np.sin(2 * X[:, 0]) + 0.05 * rng.normal(size=40)
    slopes, error = 2 * np.cos(2 * G[:, 0]), 0.1
    data = orff.Functionals(2, 1).gradient(G, slopes, error, output=0, input=0, step=1e-3)
    model = orff.ORFFRegressor(engine="exact", base="gaussian", sigma=SIGMA, lambda_=LAMBDA, center=False, scale_inputs=False,
                               scale_outputs=False).fit(X, y[:, None], functionals=data)
    noise = model.noise_[0]
    v = noise**2 / (40 * LAMBDA)
    A = v * np.block([[kernels(X, X)[0], kernels(X, G)[1]], [kernels(X, G)[1].T, kernels(G, G)[2]]])
    A += np.diag(np.r_[np.full(40, noise**2), np.full(12, error**2)])
    cross = v * np.hstack([kernels(new, X)[0], kernels(new, G)[1]])
    F = cross @ np.linalg.solve(A, np.r_[y, slopes])
    std = np.sqrt(v - (cross * np.linalg.solve(A, cross.T).T).sum(axis=1))
    found, error_bars = model.predict(new, return_std=True)
    np.testing.assert_allclose(found[:, 0], F, atol=1e-4)
    np.testing.assert_allclose(error_bars[:, 0], std, atol=1e-4)


def test_wrong_ones_are_refused():
    data = orff.Functionals(2, 2)
    with pytest.raises(ValueError, match="error is positive"):
        data.add([[0.0, 0.0]], [[1.0, 0.0]], 1.0, 0.0)
    with pytest.raises(ValueError, match="length"):
        data.add([[0.0, 0.0]], [[0.0, 0.0]], 1.0, 1.0)
    with pytest.raises(ValueError, match="shape"):
        data.add([[0.0]], [[0.0, 1.0]], 1.0, 1.0)
    with pytest.raises(ValueError, match="has none with these"):
        data.gradient([[0.0, 0.0]], 1.0, 1.0, output=2, input=0, step=0.1)
    assert len(data) == 0
    with pytest.raises(ValueError, match="orff.Functionals"):
        orff.ORFFRegressor().fit(np.eye(3, 2), np.eye(3, 2), functionals=[1])
    with pytest.raises(ValueError, match="1 outputs over 2 inputs"):
        orff.ORFFRegressor().fit(np.eye(3, 2), np.eye(3, 2),
                                 functionals=orff.Functionals(2, 1).add([[0.0, 0.0]], [[1.0]], 1.0, 1.0))
