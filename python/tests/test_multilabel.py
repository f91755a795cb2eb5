"""Several labels at once, in the manner of scikit-learn; and codes of one's own for classes."""
import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics import f1_score

import orff

QUICK = {"features": 60, "sigma": 1.0, "lambda_": 1e-4}


@pytest.fixture(scope="module")
def scenes():
    X = np.random.default_rng(0).normal(size=(600, 3))
    return X, np.c_[X[:, 0] > 0, np.hypot(X[:, 0], X[:, 1]) < 1, X[:, 1] * X[:, 2] > 0].astype(int)


def test_fit_and_predict(scenes):
    X, Y = scenes
    model = orff.ORFFClassifier().fit(X[:400], Y[:400])
    assert model.multilabel_ and model.classes_.tolist() == [0, 1, 2]
    found = model.predict(X[400:])
    assert found.shape == (200, 3) and found.dtype == Y.dtype and set(np.unique(found)) == {0, 1}
    assert f1_score(Y[400:], found, average="macro") > 0.8
    scores = model.decision_function(X[400:])
    assert scores.shape == (200, 3) and ((scores > 0) == found).all()
    assert model.score(X[400:], Y[400:]) > 0.6  # all labels of a row right


def test_each_label_is_a_classifier_of_its_own(scenes):
    """With the identity between the outputs and everything given, signs are what two classes are coded by."""
    X, Y = scenes
    together = orff.ORFFClassifier(**QUICK).fit(X, Y)
    for k in range(3):
        alone = orff.ORFFClassifier(**QUICK).fit(X, Y[:, k])
        assert (alone.predict(X) == together.predict(X)[:, k]).mean() > 0.995


def test_sparse_bool_and_two_labels(scenes):
    X, Y = scenes
    dense = orff.ORFFClassifier(**QUICK).fit(X, Y).predict(X)
    np.testing.assert_array_equal(orff.ORFFClassifier(**QUICK).fit(X, csr_matrix(Y)).predict(X), dense)
    assert orff.ORFFClassifier(**QUICK).fit(X, Y == 1).predict(X).dtype == bool
    two = orff.ORFFClassifier(**QUICK).fit(X, Y[:, :2])
    assert two.decision_function(X).shape == two.predict(X).shape == (600, 2)


def test_a_label_that_no_row_has(scenes):
    X, Y = scenes
    Y = np.c_[Y[:, :2], np.zeros(600, dtype=int)]
    assert not orff.ORFFClassifier(**QUICK).fit(X, Y).predict(X)[:, 2].any()


def test_files(scenes, tmp_path):
    X, Y = scenes
    model = orff.ORFFClassifier(**QUICK).fit(X, Y)
    model.save(tmp_path / "m.orff")
    again = orff.load(tmp_path / "m.orff")
    assert type(again) is orff.ORFFClassifier and again.multilabel_
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.predict(X).dtype == Y.dtype


def test_rows_that_come_in_parts(scenes):
    X, Y = scenes
    whole = orff.ORFFClassifier(**QUICK).partial_fit(X, Y)
    parts = orff.ORFFClassifier(**QUICK).partial_fit(X[:200], Y[:200]).partial_fit(X[200:], Y[200:])
    np.testing.assert_allclose(parts.decision_function(X), whole.decision_function(X), atol=1e-8)
    np.testing.assert_allclose(parts.partial_fit(X[:50], Y[:50]).forget(X[:50], Y[:50]).decision_function(X),
                               whole.decision_function(X), atol=1e-6)
    with pytest.raises(ValueError, match="matrix of labels in some calls"):
        parts.partial_fit(X, Y[:, 0])


def test_fit_anew_with_classes(scenes):
    X, Y = scenes
    model = orff.ORFFClassifier(**QUICK).fit(X, Y).fit(X, Y[:, 0])
    assert not model.multilabel_ and model.predict(X).shape == (600,)


def test_tune_and_stack(scenes):
    X, Y = scenes
    assert orff.ORFFClassifier(features=60).tune(X, Y, sigma=[0.5, 1.5]).score(X, Y) > 0.6
    assert orff.ORFFClassifier(stack=3, epochs=10, features=60).fit(X, Y).predict(X).shape == (600, 3)


def test_refused(scenes):
    X, Y = scenes
    with pytest.raises(ValueError, match="other numbers than 0 and 1"):
        orff.ORFFClassifier(**QUICK).fit(X, 2 * Y)
    with pytest.raises(ValueError, match="logistic loss is for classes"):
        orff.ORFFClassifier(loss="logistic", **QUICK).fit(X, Y)


# ---- codes


@pytest.fixture(scope="module")
def rings():
    X = np.random.default_rng(1).uniform(-2, 2, (500, 2))
    return X, np.array(["in", "mid", "out"])[np.digitize(np.hypot(*X.T), [0.8, 1.6])]


def test_codes_on_a_line(rings, tmp_path):
    X, y = rings
    model = orff.ORFFClassifier(codes=[[0.0], [1.0], [2.0]], **QUICK).fit(X, y)
    assert model.score(X, y) > 0.9 and model.model_.outputs == 1
    assert (model.classes_[model.decision_function(X).argmax(axis=1)] == model.predict(X)).all()
    model.save(tmp_path / "m.orff")
    again = orff.load(tmp_path / "m.orff")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.codes, model.codes)


def test_codes_of_a_simplex_are_the_default(rings):
    from orff._arrays import simplex_codes

    X, y = rings
    given, plain = (orff.ORFFClassifier(codes=codes, **QUICK).fit(X, y) for codes in (simplex_codes(3), None))
    np.testing.assert_allclose(given.decision_function(X), plain.decision_function(X), atol=1e-9)
    parts = orff.ORFFClassifier(codes=simplex_codes(3), **QUICK).partial_fit(X[:200], y[:200]).partial_fit(X[200:], y[200:])
    assert (parts.predict(X) == plain.predict(X)).mean() > 0.99


def test_more_numbers_than_classes(rings):
    """Codes that correct errors: each bit is learned by itself."""
    X, y = rings
    codes = np.array([[1, 1, 1, 1, -1], [1, -1, -1, 1, 1], [-1, -1, 1, -1, 1]], dtype=float)
    assert orff.ORFFClassifier(codes=codes, **QUICK).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize("codes, words", [
    ([[0.0], [1.0]], "codes: expected a matrix with 3 rows"),
    ([[0.0], [1.0], [1.0]], "codes: those of classes 2 and 3 are the same"),
])
def test_refused_codes(rings, codes, words):
    with pytest.raises(ValueError, match=words):
        orff.ORFFClassifier(codes=codes, **QUICK).fit(*rings)
