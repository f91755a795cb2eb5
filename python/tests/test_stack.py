"""Layers that are learned together."""
import numpy as np
import pytest

import orff

QUICK = {"stack": (3,), "features": 40, "stack_features": 20, "epochs": 40, "batch": 32}


@pytest.fixture(scope="module")
def front():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (400, 2))
    s = X[:, 0] + 0.4 * np.sin(2.5 * X[:, 1])
    return X, np.c_[np.tanh(10 * s), 0.5 * np.tanh(10 * s) * X[:, 1]] + 0.01 * rng.normal(size=(400, 2))


def test_beats_one_layer(front):
    X, Y = front
    stack = orff.ORFFStack(stack=2, features=40, stack_features=30, batch=32).fit(X[:300], Y[:300])
    assert stack.widths_ == (2,)
    one = orff.ORFFRegressor(engine="features", features=71).fit(X[:300], Y[:300])  # as many coefficients
    assert stack.score(X[300:], Y[300:]) > one.score(X[300:], Y[300:])
    assert stack.cv_mse_ > 0.0


def test_the_same_as_the_regressor(front):
    stack, regressor = orff.ORFFStack(**QUICK).fit(*front), orff.ORFFRegressor(**QUICK).fit(*front)
    np.testing.assert_allclose(stack.predict(front[0]), regressor.predict(front[0]), rtol=1e-10, atol=1e-12)


def test_single_precision_inputs(front):
    X, Y = (part.astype(np.float32) for part in front)
    model = orff.ORFFRegressor(**QUICK).fit(X, Y)  # computed in double
    assert model.predict(X).dtype == np.float32 and model.score(X, Y) > 0.9


def test_jacobian_and_error_bars(front):
    model = orff.ORFFStack(**QUICK).fit(*front)
    X, step = front[0][:20], 1e-5
    J = model.jacobian(X)
    for i in range(2):
        move = step * np.eye(2)[i]
        np.testing.assert_allclose(J[:, :, i], (model.predict(X + move) - model.predict(X - move)) / (2 * step), atol=1e-5)
    _, std = model.predict(X, return_std=True)
    assert (std > 0).all()


def test_files(front, tmp_path):
    model = orff.ORFFStack(**QUICK).fit(*front)
    model.save(tmp_path / "m.orff")
    again = orff.load(tmp_path / "m.orff")
    assert isinstance(again, orff.ORFFStack) and again.widths_ == (3,)
    np.testing.assert_array_equal(again.predict(front[0]), model.predict(front[0]))
    assert again.fit(*front).widths_ == (3,)


def test_a_regressor_stays_one(front, tmp_path):
    model = orff.ORFFRegressor(**QUICK).fit(*front)
    model.save(tmp_path / "m.orff", compact=True)
    again = orff.load(tmp_path / "m.orff")
    assert type(again) is orff.ORFFRegressor
    np.testing.assert_array_equal(again.predict(front[0]), model.predict(front[0]))


def test_classes(front):
    X, Y = front
    y = np.where(Y[:, 0] > 0, "east", "west")
    assert orff.ORFFClassifier(**QUICK).fit(X, y).score(X, y) > 0.95


def test_tune(front):
    model = orff.ORFFStack(**{**QUICK, "epochs": 5}).tune(*front, stack=[2, (3, 2)])
    assert len(model.tune_results_["cv_mse"]) == 2 and model.widths_ in ((2,), (3, 2))


@pytest.mark.parametrize("given, words", [
    ({"stack": 0}, "stack: expected the widths"),
    ({"stack": "2,x"}, "stack: expected the widths"),
    ({"stack_base": "matern"}, "stack_base: "),
    ({"kernel": "div-free"}, "decomposable parts"),
    ({"rate": -1.0}, "rate: -1 is out of range"),
])
def test_refused(front, given, words):
    with pytest.raises(ValueError, match=words):
        orff.ORFFStack(**{**QUICK, **given}).fit(*front)
