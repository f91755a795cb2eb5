"""Particles in fitted fields, masks, and scores of vectors and groups."""
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import orff


@pytest.fixture(scope="module", name="model")
def model_fixture():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (300, 2))
    Y = np.c_[-np.sin(X[:, 1]), np.sin(2 * X[:, 0])] + 0.05 * rng.normal(size=X.shape)
    return orff.ORFFRegressor(kernel="div-free", sigma=1.0).fit(X, Y)


STARTS = np.array([[0.5, 0.0], [-0.3, 0.8], [1.0, 1.0]])


@pytest.mark.parametrize("end", [6.0, -4.0])
def test_paths_are_those_of_another_integrator(model, end):
    tracks = model.drift(STARTS, time=end, every=abs(end) / 10)
    for i, start in enumerate(STARTS):
        other = solve_ivp(lambda _, x: model.predict(x[None])[0], (0, end), start, t_eval=tracks.times, rtol=1e-10,
                          atol=1e-12)
        np.testing.assert_allclose(tracks.path[:, i], other.y.T, atol=2e-5)


def test_members_go_with_their_own_samples(model):
    tracks = model.drift(STARTS, time=1e-3, every=1e-3, samples=4, seed=3)
    slopes = (tracks.members[:, 1] - STARTS) / 1e-3
    np.testing.assert_allclose(slopes.transpose(1, 2, 0), model.sample_y(STARTS, n_samples=4, random_state=3), atol=1e-2)
    np.testing.assert_allclose(tracks.mean, tracks.members.mean(axis=0))
    np.testing.assert_allclose(tracks.covariance[-1, 0], np.cov(tracks.members[:, -1, 0].T))
    assert np.all(tracks.left == 4)


def test_masked_particles_end(model):
    tracks = model.drift([[0.5, 0.0], [12.0, 0.0]], time=1.0, distance=1.0)
    assert np.isfinite(tracks.path[:, 0]).all() and np.isnan(tracks.path[:, 1]).all()
    assert np.isnan(model.drift([[0.5, 0.0]], time=1.0, std=1e-9).path).all()
    assert model.distance([[1.9, 0.0], [12.0, 0.0]])[1] > 9.9
    share = model.relative_std([[0.0, 0.0], [100.0, 0.0]])
    assert share[0] < 0.3 and share[1] > 0.9


def test_hours_need_units(model):
    with pytest.raises(Exception, match="units"):
        model.drift(STARTS, hours=3.0)
    with pytest.raises(ValueError, match="hours or time"):
        model.drift(STARTS)


def test_degrees_are_gone_over_in_hours():
    rng = np.random.default_rng(0)
    X = np.array([10.0, 50.0]) + rng.uniform(-1, 1, (60, 2))
    model = orff.ORFFRegressor(geo="lonlat", sigma=500.0, lambda_=1e-10, center=False).fit(X, np.tile([0.0, 2.0], (60, 1)))
    tracks = model.drift([[10.0, 49.8]], hours=10, every=[5.0, 10.0])
    np.testing.assert_allclose(tracks.path[:, 0, 1], 49.8 + 7.2 * np.array([5.0, 10.0]) / 111.195, atol=1e-3)
    assert "m/s" in tracks.assumed


def test_scores_of_vectors_and_groups(model):
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.5, 1.5, (200, 2))
    F = model.predict(X)
    turned = F @ np.array([[np.cos(0.2), np.sin(0.2)], [-np.sin(0.2), np.cos(0.2)]]) * 1.1
    groups = np.where(X[:, 0] > 0, "east", "west")
    found = model.evaluate(X, turned, groups=groups)
    speed = np.hypot(*F.T)
    np.testing.assert_allclose(found["direction_error"], np.degrees(0.2), rtol=1e-6)
    np.testing.assert_allclose(found["speed_bias"], -0.1 * speed.mean(), rtol=1e-6)
    assert set(found["per_group"]) == {"east", "west"}
    east = found["per_group"]["east"]
    np.testing.assert_allclose(east["speed_rmse"], 0.1 * np.sqrt(np.mean(speed[groups == "east"] ** 2)), rtol=1e-6)
    np.testing.assert_allclose(east["rmse"], np.sqrt(np.mean((F - turned)[groups == "east"] ** 2)))


def test_exact_models_are_fields():
    """The estimator of the exact kernel derives and drifts as the engine does."""
    X = np.random.default_rng(5).uniform(-1, 1, (60, 2))
    Y = np.c_[-X[:, 1], X[:, 0]]
    how = dict(kernel="div-free", sigma=2.0, lambda_=1e-8)
    exact, same = orff.OVKRegressor(**how).fit(X, Y), orff.ORFFRegressor(engine="exact", **how).fit(X, Y)
    for name in ("jacobian", "divergence", "curl", "stream_function"):
        np.testing.assert_allclose(getattr(exact, name)(X[:9]), getattr(same, name)(X[:9]), atol=1e-9)
    assert np.abs(exact.divergence(X)).max() < 1e-9 and np.abs(exact.curl([[0.0, 0.0]]) - 2.0).max() < 0.05
    np.testing.assert_allclose(exact.drift(X[:2], time=0.5).path, same.drift(X[:2], time=0.5).path, atol=1e-9)
