"""Input-output kernel regression by features of the outputs."""
import numpy as np
import pytest

import orff


def words(rng, count, length=30):
    """Objects: sets of labels, as zeros and ones."""
    return (rng.uniform(size=(count, length)) < 0.3).astype(float)


def problem(seed=0, n=600, objects=40):
    rng = np.random.default_rng(seed)
    centres, codes = rng.normal(size=(objects, 3)) * 2.0, words(rng, objects)
    X = rng.normal(size=(n, 3)) * 2.0
    return X, codes[((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)], codes


def test_ridge_is_ridge():
    """The coefficients are those of the normal equations, and f is affine in psi."""
    X, Y, _ = problem()
    model = orff.IOKRegressor(features=40, sigma=2.0, output_features="identity", lambda_=1e-3).fit(X, Y)
    phi = orff.OperatorFourierFeatures(features=40, sigma=2.0, base="gaussian").fit(X).transform(X)
    theta = np.linalg.solve(phi.T @ phi + len(X) * 1e-3 * np.eye(80), phi.T @ (Y - Y.mean(axis=0)))
    np.testing.assert_allclose(model.predict_features(X), phi @ theta + Y.mean(axis=0), atol=1e-9)


def test_chosen_lambda_is_that_of_rows_left_out():
    X, Y, _ = problem(n=60)
    model = orff.IOKRegressor(features=20, sigma=2.0, output_features="identity").fit(X, Y)
    phi = orff.OperatorFourierFeatures(features=20, sigma=2.0, base="gaussian").fit(X).transform(X)
    psi = Y - Y.mean(axis=0)

    def left_out(value):
        total = 0.0
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            G = phi[rest].T @ phi[rest] + len(X) * value * np.eye(40)
            total += ((psi[i] - phi[i] @ np.linalg.solve(G, phi[rest].T @ psi[rest])) ** 2).sum()
        return total

    best = left_out(model.lambda_used_)
    assert best <= left_out(3.2 * model.lambda_used_) and best <= left_out(model.lambda_used_ / 3.2)


@pytest.mark.parametrize("psi", ["fourier", "identity", lambda Y: np.c_[Y, 1.0 - Y]])
def test_finds_the_object(psi):
    X, Y, codes = problem(n=1500)
    model = orff.IOKRegressor(features=300, output_features=psi).fit(X[:1000], Y[:1000])
    seen = (model.predict(X[1000:]) == Y[1000:]).all(axis=1).mean()
    assert seen > 0.5  # of 40 objects; by chance 0.03
    scores = model.scores(X[1000:], codes)
    assert scores.shape == (500, len(codes))
    nearest = ((model._psi(codes)[None] - model.predict_features(X[1000:1010])[:, None]) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(scores[:10].argmax(axis=1), nearest)


def test_new_objects_can_be_candidates():
    """Labels follow from x one by one, so that sets of them that were never seen are found among candidates."""
    rng = np.random.default_rng(3)
    W, X = rng.normal(size=(2, 25)), rng.uniform(-1, 1, (1200, 2))
    Y = (np.sin(2 * X @ W) > 0).astype(float)
    fresh = np.array([not (Y[:800] == y).all(axis=1).any() for y in Y[800:]])
    model = orff.IOKRegressor(features=200, output_features="identity").fit(X[:800], Y[:800])
    right = (model.predict(X[800:], np.unique(Y, axis=0)) == Y[800:]).all(axis=1)
    assert fresh.sum() > 20 and right[fresh].mean() > 0.1  # by chance less than 0.01


def test_thousands_of_outputs():
    """4000 features of y without a 4000 x 4000 matrix: it would take 128 MB."""
    import tracemalloc

    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(800, 4)), rng.normal(size=(800, 5))
    model = orff.IOKRegressor(features=50, output_frequencies=2000)
    tracemalloc.start()
    model.fit(X, Y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert model.theta_.shape == (100, 4000) and peak < 110e6


def test_refused():
    X, Y, _ = problem(n=50)
    with pytest.raises(ValueError, match="expected a function"):
        orff.IOKRegressor(output_features="words").fit(X, Y)
    with pytest.raises(ValueError, match="50 rows"):
        orff.IOKRegressor(output_features=lambda Y: Y[:3]).fit(X, Y)
