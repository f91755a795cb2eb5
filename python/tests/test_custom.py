"""Kernels by functions of the user's, against NumPy."""
import gc
import pickle
import threading

import numpy as np
import pytest
from sklearn.base import clone

import orff
from orff import CustomPart

A0 = np.array([[1.0, 0.5], [0.5, 1.0]])


def turned(W):
    """No divergence."""
    return np.stack([-W[:, 1], W[:, 0]], axis=1)[:, :, None]


def blocks(W):
    x, y = W.T
    return np.stack([np.stack([1 + 0.3 * x * x, 0.2 * y * y], 1), np.stack([0.1 * x * y, 0 * x + 2], 1)], 1)


def matrices(W):
    return np.eye(2) + 0.25 * W[:, :, None] * W[:, None, :]


def coupled(delta):
    return np.exp(-2 * (delta**2).sum(1))[:, None, None] * A0


def gaussian(delta):
    return np.exp(-0.5 * (delta**2).sum(1))[:, None, None] * A0


def constant(W):
    return np.broadcast_to(A0, (len(W), 2, 2))


def failing(W):
    raise LookupError("no such frequency")


def interrupted(W):
    raise KeyboardInterrupt


@pytest.fixture
def narrow(field):
    """The swirl on a long and narrow box."""
    X, Y = field
    return X * [1.0, 0.2], Y


def explicit(omega, q, B, X):
    """P_X (n p x M): cosines and sines times B_j."""
    angle = X @ omega.T
    parts = [np.sqrt(q) * np.cos(angle), np.sqrt(q) * np.sin(angle)]
    P = np.concatenate([part[:, None, :, None] * B.transpose(1, 0, 2)[None] for part in parts], axis=2)
    return P.reshape(len(X) * B.shape[1], -1)


def ridge(P, Y, lam):
    M = P.T @ P / len(Y) + lam * np.eye(P.shape[1])
    return (P @ np.linalg.solve(M, P.T @ Y.ravel() / len(Y))).reshape(Y.shape)


@pytest.mark.parametrize("part, block", [
    (CustomPart(B=blocks), blocks),
    (CustomPart(B=turned, columns=1), turned),
    (CustomPart(A=matrices), lambda W: np.linalg.cholesky(matrices(W))),
])
def test_prediction_is_explicit_ridge(field, part, block):
    X, Y = field
    how = {"kernel": part, "sigma": 0.7, "features": 40}
    drawn = orff.OperatorFourierFeatures(outputs=2, **how).fit(X)
    P = explicit(drawn.omega_, drawn.frequency_weights_, block(drawn.omega_), X)
    model = orff.ORFFRegressor(lambda_=1e-3, center=False, **how).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), ridge(P, Y, 1e-3), atol=1e-8)
    np.testing.assert_allclose(drawn.kernel_matrix(X[:3], X[3:5]).transpose(0, 2, 1, 3).reshape(6, 4),
                               explicit(drawn.omega_, drawn.frequency_weights_, block(drawn.omega_), X[:3])
                               @ explicit(drawn.omega_, drawn.frequency_weights_, block(drawn.omega_), X[3:5]).T,
                               atol=1e-10)


@pytest.mark.parametrize("how", [{}, {"scale_inputs": True, "scale_outputs": True}])
@pytest.mark.parametrize("stretchable", [False, True])
def test_no_divergence(narrow, how, stretchable):
    X, Y = narrow
    if stretchable and how:
        how = {"scale_inputs": True}  # outputs of its own spread each are another matter
    model = orff.ORFFRegressor(kernel=CustomPart(B=turned, stretchable=stretchable), features=60, **how).fit(X, Y)
    assert np.abs(model.divergence(X)).max() < 1e-9 * np.abs(model.jacobian(X)).max()
    assert (np.ptp(model.sigma_) > 0) == stretchable


def test_signature(field):
    X, Y = field
    kernel = CustomPart(K0=coupled)
    K = orff.kernel(X[:5], X[5:8], kernel=kernel, outputs=2)
    np.testing.assert_allclose(K[1, 2], coupled(X[1:2] - X[7:8])[0])
    near = orff.kernel(X[:5], X[5:8], kernel=kernel, outputs=2, features=2000)
    np.testing.assert_allclose(near, K, atol=1e-4)
    exact = orff.OVKRegressor(kernel=kernel, lambda_=1e-3, center=False).fit(X[:60], Y[:60])
    gc.collect()  # the functions live with the model
    G = coupled((X[:60, None] - X[None, :60]).reshape(-1, 2)).reshape(60, 60, 2, 2).transpose(0, 2, 1, 3).reshape(120, 120)
    want = (G @ np.linalg.solve(G + 60 * 1e-3 * np.eye(120), Y[:60].ravel())).reshape(60, 2)
    np.testing.assert_allclose(exact.predict(X[:60]), want, atol=1e-8)
    with pytest.raises(orff.OrffError, match="signature"):
        pickle.dumps(exact)
    features = orff.ORFFRegressor(kernel=kernel, lambda_=1e-3, center=False, features=400).fit(X[:60], Y[:60])
    np.testing.assert_allclose(features.predict(X[:60]), want, atol=1e-2)


def test_exact_form(field):
    X, Y = field
    part = CustomPart(A=constant, exact=gaussian)
    K = orff.kernel(X[:4], kernel=part, sigma=1.0, outputs=2)
    np.testing.assert_allclose(K, orff.kernel(X[:4], sigma=1.0, output_matrix=A0), atol=1e-12)
    ours = orff.OVKRegressor(kernel=part, sigma=1.0, lambda_=1e-2).fit(X, Y)
    theirs = orff.OVKRegressor(sigma=1.0, lambda_=1e-2, output_matrix=A0).fit(X, Y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-8)
    with pytest.raises(orff.OrffError, match="exact"):
        orff.kernel(X[:4], kernel=CustomPart(A=constant), sigma=1.0, outputs=2)


def test_lists_of_parts(field):
    X, Y = field
    how = {"sigma": 0.7, "features": 60, "lambda_": 1e-3}
    model = orff.ORFFRegressor(
        kernel=[CustomPart(B=turned, sigma=0.5, weight=2.0, base="matern52"), "decomposable+curl-free"], **how).fit(X, Y)
    assert [part.rule for part in model.model_.parts()] == ["custom-b", "decomposable", "curl-free"]
    assert model.sigma_[:, 0].tolist() == [0.5, 0.7, 0.7] and model.weight_[0] == pytest.approx(2.0)
    assert "matern 2.5" in model.kernel_
    like = orff.ORFFRegressor(kernel=["div-free", "decomposable"], **how).fit(X, Y)
    same = orff.ORFFRegressor(kernel="div-free+decomposable", **how).fit(X, Y)
    np.testing.assert_array_equal(like.predict(X), same.predict(X))
    learned = orff.ORFFRegressor(kernel=[CustomPart(B=turned), "decomposable"], weight="auto", features=60).fit(X, Y)
    assert learned.shares_ is not None


def test_partial_fit(field):
    X, Y = field
    part = CustomPart(B=turned)
    how = {"kernel": part, "sigma": 0.7, "features": 40, "lambda_": 1e-3}
    whole = orff.ORFFRegressor(**how).fit(X, Y)
    halves = orff.ORFFRegressor(**how).partial_fit(X[:200], Y[:200]).partial_fit(X[200:], Y[200:])
    np.testing.assert_allclose(halves.predict(X), whole.predict(X), atol=1e-7)
    automatic = orff.ORFFRegressor(kernel=part, features=40).partial_fit(X, Y)
    assert np.abs(automatic.divergence(X)).max() < 1e-9


def test_files(field, tmp_path):
    X, Y = field
    model = orff.ORFFRegressor(kernel=[CustomPart(B=turned), CustomPart(K0=coupled)], sigma=0.7, features=60,
                               lambda_=1e-3).fit(X, Y)
    model.save(tmp_path / "model.orff")
    loaded = orff.load(tmp_path / "model.orff")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict(X, return_std=True)[1], model.predict(X, return_std=True)[1])
    np.testing.assert_array_equal(loaded.divergence(X), model.divergence(X))
    with pytest.raises(ValueError, match="CustomPart"):
        loaded.fit(X, Y)
    loaded.set_params(kernel=model.kernel).fit(X, Y)


def test_pickle_and_clone(field):
    X, Y = field
    model = orff.ORFFRegressor(kernel=[CustomPart(B=turned), "decomposable"], sigma=0.7, features=60).fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.kernel[0].B is turned
    np.testing.assert_array_equal(again.fit(X, Y).predict(X), model.predict(X))
    np.testing.assert_array_equal(clone(model).fit(X, Y).predict(X), model.predict(X))
    features = orff.OperatorFourierFeatures(kernel=CustomPart(A=matrices), sigma=0.7, features=20, outputs=2).fit(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(features)).transform(X), features.transform(X))


def test_failing_functions(field):
    X, Y = field
    model = orff.ORFFRegressor(kernel=CustomPart(B=failing, columns=1), sigma=1.0, features=40)
    with pytest.raises(orff.OrffError, match=r"B\(w\).*LookupError: no such frequency") as caught:
        model.fit(X, Y)
    assert isinstance(caught.value.__cause__, LookupError) and caught.value.status == "CALLBACK"
    with pytest.raises(orff.OrffError) as caught:
        orff.OperatorFourierFeatures(kernel=CustomPart(A=failing), sigma=1.0, outputs=2).fit(X)
    assert isinstance(caught.value.__cause__, LookupError)
    with pytest.raises(orff.OrffError) as caught:
        orff.kernel(X[0], X[1], kernel=CustomPart(K0=failing), outputs=2)
    assert isinstance(caught.value.__cause__, LookupError)
    with pytest.raises(orff.OrffError) as caught:  # and the next trouble is not blamed on it
        orff.kernel([0.0], [1.0], kernel="div-free", sigma=1.0)
    assert caught.value.__cause__ is None
    with pytest.raises(KeyboardInterrupt):
        orff.ORFFRegressor(kernel=CustomPart(A=interrupted), sigma=1.0).fit(X, Y)


@pytest.mark.parametrize("function, kind, word", [
    (lambda W: np.zeros((len(W), 3, 1)), ValueError, "shape"),
    (lambda W: np.zeros((len(W), 2)), ValueError, "shape"),
    (lambda W: "no", TypeError, "type"),
])
def test_wrong_results(field, function, kind, word):
    X, Y = field
    with pytest.raises(orff.OrffError, match=word) as caught:
        orff.ORFFRegressor(kernel=CustomPart(B=function, columns=1), sigma=1.0).fit(X, Y)
    assert isinstance(caught.value.__cause__, kind)


def test_not_finite(field):
    X, Y = field
    with pytest.raises(orff.OrffError, match="not finite"):
        orff.ORFFRegressor(kernel=CustomPart(A=lambda W: matrices(W) * np.nan), sigma=1.0).fit(X, Y)


def test_wrong_parts(field):
    X, Y = field
    for wrong in ({}, {"B": turned, "A": matrices}, {"B": 3}, {"K0": coupled, "sigma": 1.0}, {"A": matrices, "exact": 1}):
        with pytest.raises(ValueError):
            CustomPart(**wrong)
    for kernel in ([], [3], 3, [CustomPart(B=turned), ""]):
        with pytest.raises(ValueError, match="kernel"):
            orff.ORFFRegressor(kernel=kernel).fit(X, Y)
    with pytest.raises(ValueError, match='kernel: there is no kernel "nonsense"'):
        orff.ORFFRegressor(kernel=[CustomPart(B=turned), "nonsense"]).fit(X, Y)


def test_threads(field):
    X, Y = field
    want = orff.ORFFRegressor(kernel=CustomPart(B=blocks), sigma=0.7, features=40, lambda_=1e-3).fit(X, Y).predict(X)
    found = [None] * 4

    def work(i):
        part = CustomPart(B=blocks) if i % 2 else CustomPart(B=failing, columns=1)
        try:
            found[i] = orff.ORFFRegressor(kernel=part, sigma=0.7, features=40, lambda_=1e-3).fit(X, Y).predict(X)
        except orff.OrffError as trouble:
            found[i] = trouble.__cause__

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(isinstance(found[i], LookupError) for i in (0, 2))
    for i in (1, 3):
        np.testing.assert_allclose(found[i], want, atol=1e-10)


LATE = np.array([0.0, 0.7])


def _late(W):
    """Both outputs show one process, the second 0.7 later."""
    return np.exp(1j * W * LATE)[:, :, None]


def _late_exact(delta):
    moved = delta[:, :, None] - LATE[:, None] + LATE
    return np.exp(-moved ** 2 / (2 * 0.5 ** 2))


def test_complex_blocks():
    part = orff.CustomPart(B=_late, exact=_late_exact)
    by_A = orff.CustomPart(A=lambda W: _late(W) @ _late(W).conj().transpose(0, 2, 1), exact=_late_exact)
    X = np.linspace(-2, 2, 60)[:, None]
    Y = np.c_[np.sin(4 * X[:, 0]), np.sin(4 * (X[:, 0] - 0.7))]
    exact = orff.OVKRegressor(kernel=part, sigma=0.5, lambda_=1e-5, center=False).fit(X, Y)
    K = _late_exact((X - X.T).reshape(-1, 1)).reshape(60, 60, 2, 2).transpose(0, 2, 1, 3).reshape(120, 120)
    dense = K @ np.linalg.solve(K + 60 * 1e-5 * np.eye(120), Y.reshape(-1))
    assert np.allclose(exact.predict(X), dense.reshape(60, 2), atol=1e-8)
    for one in part, by_A:
        features = orff.ORFFRegressor(kernel=one, sigma=0.5, lambda_=1e-5, center=False, sampling="grid",
                                      features=200).fit(X, Y)
        assert np.allclose(features.predict(X), exact.predict(X), atol=1e-3)


def test_uneven_complex_blocks_are_refused():
    with pytest.raises(orff.OrffError, match="conjugate"):
        orff.ORFFRegressor(kernel=orff.CustomPart(B=lambda W: np.stack([np.ones(len(W)), 1j * np.ones(len(W))], 1)[:, :, None]),
                           sigma=1.0, features=20).fit(np.linspace(0, 1, 30)[:, None], np.ones((30, 2)))


def test_delays_are_learned():
    t = np.arange(0, 20, 0.15)
    def process(t):
        return np.sin(1.1 * t) + 0.7 * np.cos(2.3 * t + 1) + 0.5 * np.sin(3.7 * t)
    Y = np.c_[process(t), 0.5 * process(t - 1.3)] + 0.05 * np.random.default_rng(0).standard_normal((len(t), 2))
    model = orff.OVKRegressor(kernel="delayed", base="gaussian").fit(t[:, None], Y)
    assert model.delays_.shape == (2, 1)
    assert abs(model.delays_[1, 0] - 1.3) < 0.05 * 1.3
    given = orff.ORFFRegressor(kernel="delayed", base="gaussian", delays=[[0], [1.3]], features=100).fit(t[:, None], Y)
    assert np.allclose(given.delays_, [[0], [1.3]])
    assert orff.ORFFRegressor(sigma=1.0, features=20).fit(t[:, None], Y).delays_ is None
    both = orff.ORFFRegressor(kernel="decomposable@3+delayed@0.5", delays=[[0], [1.3]], output_matrix=np.eye(2), features=50,
                              lambda_=1e-3).fit(t[:, None], Y)
    assert np.allclose(both.delays_, [[[0], [0]], [[0], [1.3]]])


def test_wavelengths():
    draws = np.random.default_rng(0)
    t = np.sort(draws.uniform(0, 50, 150))
    y = np.sin(2 * np.pi * t / 7.3) + 0.2 * draws.normal(size=150)
    learned = orff.OVKRegressor(kernel="decomposable", wavelength="auto").fit(t[:, None], y)
    assert abs(learned.wavelength_[0, 0] - 7.3) < 0.02 * 7.3
    given = orff.ORFFRegressor(sigma=20.0, wavelength=7.3, features=50, lambda_=1e-3).fit(t[:, None], y)
    assert np.allclose(given.wavelength_, 7.3)
    assert not np.any(orff.ORFFRegressor(sigma=20.0, features=50, lambda_=1e-3).fit(t[:, None], y).wavelength_)
