"""Moments of a lattice: parts are the whole, any kernel is learned from them, files are those of the program."""
import copy
import pickle
import subprocess

import numpy as np
import pytest

import orff

BOX = dict(sigma_range=(0.8, 1.6), extent=[(-1, 1), (-1, 1)], folds=2)


def close(a, b, tolerance=1e-7):
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def fitted(moments, **parameters):
    return orff.ORFFRegressor(**{**dict(kernel="div-free", sigma=1.0, lambda_=1e-3), **parameters}).fit_moments(moments)


def test_parts_are_the_whole(field):
    X, Y = field
    weights = np.linspace(0.5, 1.5, len(X))
    whole = orff.LatticeMoments(**BOX).accumulate(X, Y, weights)
    first = orff.LatticeMoments(**BOX).accumulate(X[:150], Y[:150], weights[:150])
    rest = first.like().accumulate(X[150:], Y[150:], weights[150:])
    both = first + rest
    assert (both.rows, first.rows, whole.rows) == (400, 150, 400)
    close(both.weight, weights.sum())
    close(fitted(both).predict(X), fitted(whole).predict(X))
    close(fitted(both - rest).predict(X), fitted(first).predict(X))
    for again in (copy.deepcopy(both), pickle.loads(pickle.dumps(both))):
        close(fitted(again).predict(X), fitted(whole).predict(X))
    assert repr(both).startswith("LatticeMoments(400 rows")


@pytest.mark.parametrize("parameters", [
    dict(kernel="curl-free", sigma=1.5), dict(kernel="decomposable", base="matern52"), dict(kernel="div-free", sigma="auto"),
    dict(kernel="div-free", lambda_="auto"), dict(kernel="div-free+decomposable", sigma="1+0.9"),
], ids=str)
def test_one_pass_serves_many_kernels(parameters, field):
    X, Y = field
    moments = orff.LatticeMoments(**BOX).accumulate(X, Y)
    model = fitted(moments, **parameters)
    assert np.isfinite(model.predict(X)).all()
    if parameters["kernel"] != "curl-free":
        assert model.score(X, Y) > 0.95
    if parameters.get("sigma") == "auto":
        assert 0.8 <= model.sigma_[0] <= 1.6


def test_length_scales_can_be_found(field):
    X, Y = field
    moments = orff.LatticeMoments(kernel="div-free").accumulate(X, Y)
    (low, high), _ = moments.scales
    close(high, 4 * low)
    assert fitted(moments, sigma=float(np.sqrt(low * high))).score(X, Y) > 0.95


def test_what_is_wrong_is_said(field):
    X, Y = field
    moments = orff.LatticeMoments(**BOX).accumulate(X, Y)
    with pytest.raises(orff.OrffError, match="0.8 to 1.6"):
        fitted(moments, sigma=5.0)
    with pytest.raises(orff.OrffError, match="outside of the lattice's extent"):
        moments.accumulate(2 * X, Y)
    assert moments.rows == 400
    with pytest.raises(orff.OrffError, match="different lattices"):
        moments + orff.LatticeMoments(**{**BOX, "sigma_range": (0.5, 1.6)}).accumulate(X, Y)
    with pytest.raises(ValueError, match="not both"):
        orff.LatticeMoments(**BOX, sigma=1.0).accumulate(X, Y)
    with pytest.raises(ValueError, match="1 ranges"):
        orff.LatticeMoments(**{**BOX, "extent": [(-1, 1)]}).accumulate(X, Y)
    with pytest.raises(ValueError, match="no rows yet"):
        fitted(orff.LatticeMoments(**BOX))
    with pytest.raises(ValueError, match="1 inputs"):
        moments.accumulate(np.zeros((3, 1)), np.zeros((3, 2)))


def test_files_are_those_of_the_program(field, tmp_path, program):
    X, Y = field
    moments = orff.LatticeMoments(**BOX).accumulate(X[:200], Y[:200])
    moments.save(tmp_path / "a.moments")
    np.save(tmp_path / "rest.npy", np.c_[X[200:], Y[200:]])
    run = lambda *words: subprocess.run([program, *words, "-q"], cwd=tmp_path, check=True)  # noqa: E731
    run("moments", "rest.npy", "--inputs", "1,2", "--outputs", "3,4", "--like", "a.moments", "-o", "b.moments")
    run("merge", "a.moments", "b.moments", "-o", "c.moments")
    both = orff.load(tmp_path / "c.moments")
    assert isinstance(both, orff.LatticeMoments) and both.rows == 400
    close(fitted(both).predict(X), fitted(orff.LatticeMoments(**BOX).accumulate(X, Y)).predict(X))
    run("fit", "--from-moments", "c.moments", "--kernel", "div-free", "--sigma", "1", "--lambda", "1e-3", "-o", "m.orff")
    close(orff.load(tmp_path / "m.orff").predict(X), fitted(both).predict(X))
    orff.save(both, tmp_path / "d.moments")
    assert orff.load(tmp_path / "d.moments").rows == 400
