"""Rows that come and go: partial_fit, forget, moments."""
import copy
import pickle

import numpy as np
import pytest

import orff

FIXED = dict(sigma=0.7, lambda_=1e-3, features=80)


def close(a, b, tolerance=1e-7):
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("parameters", [
    dict(kernel="decomposable"),
    dict(kernel="div-free", scale_inputs=True, sigma=0.5),
    dict(kernel="curl-free", base="matern52"),
    dict(kernel="div-free+decomposable", sigma="0.7+0.4", weight=[1.0, 0.5]),
    dict(kernel="decomposable", output_matrix="covariance"),
    dict(kernel="decomposable", lambda_="auto"),
    dict(kernel="helmholtz", lambda_="auto", center=False),
], ids=str)
def test_partial_fit_is_one_fit_on_all_rows(parameters, field):
    X, Y = field
    whole = orff.ORFFRegressor(**{**FIXED, **parameters}).fit(X, Y)
    parts = orff.ORFFRegressor(**{**FIXED, **parameters})
    if parameters.get("scale_inputs"):  # the spread of the first rows is that of all
        parts.partial_fit(X, Y, np.ones(len(X))).forget(X, Y)
    for rows in np.array_split(np.arange(len(X)), 5):
        parts.partial_fit(X[rows], Y[rows])
    if parameters.get("lambda_") in (None, 1e-3):
        close(parts.predict(X), whole.predict(X))
    else:  # folds follow a row's numbers, which fit has shifted: lambda is another one of the same path
        assert np.abs(parts.predict(X) - whole.predict(X)).max() < 0.05
    assert parts.moments_.rows == len(X)
    with pytest.raises(AttributeError):
        whole.moments_


def test_automatic_scales_are_those_of_the_first_rows(field):
    X, Y = field
    model = orff.ORFFRegressor(kernel="div-free", features=60).partial_fit(X[:200], Y[:200])
    first = model.sigma_
    model.partial_fit(50 * X[200:], Y[200:])
    close(model.sigma_, first, 1e-12)
    mixture = orff.ORFFRegressor(kernel="auto", features=60).partial_fit(X[:150], Y[:150])
    assert mixture.score(X, Y) > 0.9 and len(mixture.weight_) == len(mixture.shares_) - 1


def test_forget_is_as_if_the_rows_never_came(field):
    X, Y = field
    weights = np.linspace(0.5, 1.5, len(X))
    model = orff.ORFFRegressor(**FIXED).partial_fit(X, Y, weights).forget(X[:150], Y[:150], weights[:150])
    close(model.predict(X), orff.ORFFRegressor(**FIXED).fit(X[150:], Y[150:], weights[150:]).predict(X), 1e-6)
    with pytest.raises(ValueError, match="cannot be subtracted from"):
        model.forget(np.tile(X, (3, 1)), np.tile(Y, (3, 1)))
    with pytest.raises(ValueError, match="fit does not keep"):
        orff.ORFFRegressor(**FIXED).fit(X, Y).forget(X, Y)


def test_classes_stream_too(field):
    X, Y = field
    y = np.array(["a", "b", "c"])[(Y[:, 0] > 0.3) * 1 + (Y[:, 0] > -0.3) * 1]
    whole = orff.ORFFClassifier(**FIXED).fit(X, y)
    parts = orff.ORFFClassifier(**FIXED).partial_fit(X[:5], y[:5], classes=["c", "b", "a"])
    parts.partial_fit(X[5:], y[5:])
    close(parts.decision_function(X), whole.decision_function(X))
    assert np.array_equal(parts.predict(X), whole.predict(X)) and list(parts.classes_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="'d' is not among"):
        parts.partial_fit(X[:1], ["d"])
    parts.forget(X[:100], y[:100])
    close(parts.decision_function(X), orff.ORFFClassifier(**FIXED).fit(X[100:], y[100:]).decision_function(X), 1e-6)


def test_what_moments_cannot_do_is_not_there(field):
    for parameters in (dict(loss="huber"), dict(solver="pcg"), dict(scale_outputs=True)):
        assert not hasattr(orff.ORFFRegressor(**parameters), "partial_fit")
        with pytest.raises(AttributeError, match="partial_fit"):
            orff.ORFFRegressor(**parameters).partial_fit(*field)


def test_partial_fit_after_fit_begins_anew_and_says_so(field):
    X, Y = field
    model = orff.ORFFRegressor(**FIXED).fit(X, Y)
    with pytest.warns(UserWarning, match="starts from nothing"):
        model.partial_fit(X[:100], Y[:100])
    close(model.predict(X), orff.ORFFRegressor(**FIXED).fit(X[:100], Y[:100]).predict(X))


# ---- moments


def some_moments(X, Y, **more):
    return orff.Moments(sigma=0.7, features=40, **more).accumulate(X, Y)


def test_moments_are_a_group(field):
    X, Y = field
    a, b = some_moments(X[:150], Y[:150]), some_moments(X[150:], Y[150:])
    both = a + b
    assert (both.rows, a.rows, b.rows) == (400, 150, 250)
    np.testing.assert_allclose(both.totals().S, some_moments(X, Y).totals().S, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose((both - b).totals().R, a.totals().R, rtol=1e-10, atol=1e-10)
    a += b
    assert a.rows == 400
    a -= b
    assert a.rows == 150 and "150 rows" in repr(a)
    with pytest.raises(ValueError, match="length scale"):
        a + orff.Moments(sigma=0.8, features=40).accumulate(X, Y)
    with pytest.raises(ValueError, match="frequencies"):
        a + orff.Moments(sigma=0.7, features=41).accumulate(X, Y)


def test_moments_copy_pickle_and_travel(field, tmp_path):
    X, Y = field
    moments = some_moments(X, Y, folds=3, seed=4)
    moments.save(tmp_path / "moments")
    for other in (moments.copy(), copy.deepcopy(moments), pickle.loads(pickle.dumps(moments)),
                  orff.Moments.load(tmp_path / "moments"), orff.load(tmp_path / "moments")):
        for mine, theirs in zip(moments.totals(), other.totals()):
            assert np.array_equal(mine, theirs)
        assert (other - moments).rows == 0  # the same folds
        assert other.accumulate(X, Y).rows == 800
    assert moments.rows == 400 and orff.Moments().rows == 0


def test_every_kernel_from_one_pass(field):
    X, Y = field
    moments = some_moments(X, Y)
    scores = {kernel: orff.ORFFRegressor(kernel=kernel).fit_moments(moments).cv_mse_
              for kernel in ("curl-free", "div-free", "decomposable")}
    assert min(scores, key=scores.get) == "div-free"
    model = orff.ORFFRegressor(lambda_=1e-3, kernel="curl-free").fit_moments(moments)
    assert model.moments_.rows == 400 and np.all(model.sigma_ == 0.7)
    more = model.partial_fit(X, Y)
    assert more.moments_.rows == 800 and moments.rows == 400


def test_streamed_estimators_pickle(field):
    X, Y = field
    model = orff.ORFFRegressor(**FIXED).partial_fit(X[:200], Y[:200])
    other = pickle.loads(pickle.dumps(model)).partial_fit(X[200:], Y[200:])
    close(other.predict(X), orff.ORFFRegressor(**FIXED).fit(X, Y).predict(X))
