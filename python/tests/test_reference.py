"""Agreement with plain NumPy and with the golden numbers."""
import numpy as np
import pytest

import orff

KERNELS = ["decomposable", "curl-free", "div-free", "helmholtz"]
MATRIX = np.array([[2.0, -0.5], [-0.5, 1.0]])


def blocks(kernel, omega, c=0.3):
    """A(w) of each frequency, D x p x p."""
    outer = omega[:, :, None] * omega[:, None, :]
    square = (omega**2).sum(axis=1)[:, None, None] * np.eye(omega.shape[1])
    return {
        "decomposable": np.broadcast_to(MATRIX, outer.shape),
        "curl-free": outer,
        "div-free": square - outer,
        "helmholtz": c * outer + (1 - c) * (square - outer),
    }[kernel]


def approximate_gram(kernel, omega, q, X, Z):
    """K~ from its definition: sum_j q_j cos<w_j, x - z> A(w_j), as (n p) x (m p)."""
    angles = (X[:, None, :] - Z[None, :, :]) @ omega.T
    K = np.einsum("nmj,jab->namb", np.cos(angles) * q, blocks(kernel, omega))
    return K.reshape(len(X) * 2, len(Z) * 2)


def gaussian_gram(kernel, X, Z, sigma, c=0.3):
    """Exact K of the Gaussian base, as (n p) x (m p)."""
    delta = (X[:, None, :] - Z[None, :, :]) / sigma
    square = (delta**2).sum(axis=2)[..., None, None]
    k, outer = np.exp(-square / 2), delta[..., :, None] * delta[..., None, :]
    curl = k * (np.eye(2) - outer) / sigma**2
    div = k * (np.eye(2) * (1 - square) + outer) / sigma**2
    K = {"decomposable": k * MATRIX, "curl-free": curl, "div-free": div, "helmholtz": c * curl + (1 - c) * div}[kernel]
    return K.transpose(0, 2, 1, 3).reshape(len(X) * 2, len(Z) * 2)


def dual_ridge(K, K_test, Y, lam):
    """f = mean + K_test (K + N lambda I)^-1 (y - mean)."""
    mean = Y.mean(axis=0)
    alpha = np.linalg.solve(K + len(Y) * lam * np.eye(len(K)), (Y - mean).ravel())
    return mean + (K_test @ alpha).reshape(-1, Y.shape[1])


def data(n=50, m=7):
    rng = np.random.default_rng(1)
    return rng.normal(size=(n, 2)), rng.normal(size=(n, 2)), rng.normal(size=(m, 2))


def drawn(kernel, X, **more):
    return orff.OperatorFourierFeatures(sigma=0.8, features=40, outputs=2, seed=5, **own(kernel), **more).fit(X)


def own(kernel):
    """A kernel with what is its own: a matrix, a mix."""
    more = {"decomposable": dict(output_matrix=MATRIX), "helmholtz": dict(mix=0.3)}
    return dict(kernel=kernel, **more.get(kernel, {}))


@pytest.mark.parametrize("kernel", KERNELS)
def test_features_are_cosines_and_sines_times_blocks(kernel):
    X, _, Z = data()
    features = drawn(kernel, X)
    omega, q = features.omega_, features.frequency_weights_
    phi = np.hstack([np.cos(X @ omega.T), np.sin(X @ omega.T)]) * np.tile(np.sqrt(q), 2)
    np.testing.assert_allclose(features.transform(X), phi, rtol=1e-10, atol=1e-12)
    want = approximate_gram(kernel, omega, q, X, Z)
    K = features.kernel_matrix(X, Z)
    np.testing.assert_allclose(K.transpose(0, 2, 1, 3).reshape(want.shape), want, rtol=1e-10, atol=1e-10)
    A, B = features.operator(X), features.operator(Z)
    np.testing.assert_allclose(np.einsum("nmp,kmq->npkq", A, B).reshape(want.shape), want, rtol=1e-10, atol=1e-10)
    flat = drawn(kernel, X, map="Phi").transform(X)
    assert np.array_equal(flat, A.reshape(len(X), -1))


@pytest.mark.parametrize("kernel", KERNELS)
def test_ridge_is_the_dense_dual_solution(kernel):
    X, Y, Z = data()
    features = drawn(kernel, X)
    omega, q = features.omega_, features.frequency_weights_
    want = dual_ridge(approximate_gram(kernel, omega, q, X, X), approximate_gram(kernel, omega, q, Z, X), Y, 1e-2)
    model = orff.ORFFRegressor(sigma=0.8, features=40, lambda_=1e-2, seed=5, **own(kernel)).fit(X, Y)
    np.testing.assert_allclose(model.predict(Z), want, rtol=1e-9, atol=1e-10)
    streamed = clone_streamed(model, X, Y)
    np.testing.assert_allclose(streamed.predict(Z), want, rtol=1e-9, atol=1e-10)


def clone_streamed(model, X, Y):
    return type(model)(**model.get_params()).partial_fit(X[:20], Y[:20]).partial_fit(X[20:], Y[20:])


@pytest.mark.parametrize("kernel", KERNELS)
def test_exact_ridge_is_the_dense_solution(kernel):
    X, Y, Z = data()
    want = dual_ridge(gaussian_gram(kernel, X, X, 0.8), gaussian_gram(kernel, Z, X, 0.8), Y, 1e-2)
    model = orff.OVKRegressor(sigma=0.8, lambda_=1e-2, **own(kernel)).fit(X, Y)
    np.testing.assert_allclose(model.predict(Z), want, rtol=1e-9, atol=1e-10)


def test_moments_are_the_sums():
    X, Y, _ = data()
    weights = np.random.default_rng(2).uniform(0, 2, len(X))
    moments = orff.Moments(sigma=0.8, features=40, seed=5).accumulate(X, Y, weights)
    features = orff.OperatorFourierFeatures(sigma=0.8, features=40, seed=5, outputs=2).fit(X)
    phi, totals = features.transform(X), moments.totals()
    weighted = phi * weights[:, None]
    np.testing.assert_allclose(totals.S, phi.T @ weighted, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(totals.R, weighted.T @ Y, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(totals.sum_phi, weighted.sum(axis=0), rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(totals.sum_y, weights @ Y, rtol=1e-10)
    np.testing.assert_allclose(totals.sum_yy, (Y * weights[:, None]).T @ Y, rtol=1e-10)
    assert moments.weight == pytest.approx(weights.sum()) and moments.rows == 50


@pytest.mark.parametrize("kernel", ["curl-free", "div-free", "helmholtz"])
def test_jacobian_is_the_derivative(kernel, field):
    X, Y = field
    model = orff.ORFFRegressor(kernel=kernel, sigma=0.8, features=60, lambda_=1e-3).fit(X, Y)
    J, h = model.jacobian(X[:5]), 1e-5
    for k in range(2):
        step = np.eye(2)[k] * h
        difference = (model.predict(X[:5] + step) - model.predict(X[:5] - step)) / (2 * h)
        np.testing.assert_allclose(J[:, :, k], difference, atol=1e-7)
    np.testing.assert_allclose(model.divergence(X[:5]), J[:, 0, 0] + J[:, 1, 1], atol=1e-10)
    np.testing.assert_allclose(model.curl(X[:5]), J[:, 1, 0] - J[:, 0, 1], atol=1e-10)


def test_potential_and_stream_function_make_the_field(field):
    X, Y = field
    model = orff.ORFFRegressor(kernel="helmholtz", sigma=0.8, features=60, lambda_=1e-3, center=False).fit(X, Y)
    x, h = X[:5], 1e-5
    gradient = [[(f(x + e * h) - f(x - e * h)) / (2 * h) for e in np.eye(2)]
                for f in (model.potential, model.stream_function)]
    (Vx, Vy), (sx, sy) = gradient
    np.testing.assert_allclose(np.c_[Vx - sy, Vy + sx], model.predict(x), atol=1e-7)


def test_error_bars_are_the_gaussian_process(field):
    X, Y = field[0][:40], field[1][:40]
    features = drawn("curl-free", X)
    omega, q = features.omega_, features.frequency_weights_
    model = orff.ORFFRegressor(kernel="curl-free", sigma=0.8, features=40, lambda_=1e-2, seed=5).fit(X, Y)
    x = X[:3] + 0.1
    K, k = approximate_gram("curl-free", omega, q, X, X), approximate_gram("curl-free", omega, q, x, X)
    shift = 40 * 1e-2 * np.eye(80)
    C = approximate_gram("curl-free", omega, q, x, x) - k @ np.linalg.solve(K + shift, k.T)
    C = np.array([C[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] for i in range(3)]) * model.noise_[0] ** 2 / (40 * 1e-2)
    F, std, cov = model.predict(x, return_std=True, return_cov=True)
    np.testing.assert_allclose(cov, C, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(std, np.sqrt(np.diagonal(C, axis1=1, axis2=2)), rtol=1e-7)
    assert np.array_equal(F, model.predict(x))


# ---- golden numbers

RULES = {"dec": "decomposable", "curl": "curl-free", "div": "div-free", "helmholtz": "helmholtz"}


def base_of(entry):
    """The base, its shape and scale of a golden kernel as the parameters have them."""
    p = entry["params"]
    name = entry.get("base", entry.get("kernel"))
    words = {"gaussian": "gaussian", "laplace_l1": "laplace", "cauchy_product": "cauchy-product", "matern": "matern",
             "rq": "rational-quadratic"}
    scale = p.get("ell", p.get("sigma", p.get("s", 1.0 / p["gamma"] if "gamma" in p else None)))
    return dict(base=words[name], shape=p.get("nu", p.get("alpha")), sigma=scale)


def of_rule(entry):
    more = {"dec": dict(output_matrix=entry.get("A", "identity")), "helmholtz": dict(mix=entry.get("c", 0.5))}
    return dict(kernel=RULES[entry["kind"]], **more.get(entry["kind"], {}))


def test_golden_kernels(golden):
    entries = golden("operator_kernels")
    for entry in entries:
        delta = np.array(entry["delta"])
        K = orff.kernel(delta, np.zeros_like(delta), **of_rule(entry), **base_of(entry))
        np.testing.assert_allclose(K, entry["K"], rtol=1e-10, atol=1e-12)
    assert len(entries) >= 80


def test_golden_scalar_kernels(golden):
    entries = golden("scalar_kernels")
    for entry in entries:
        delta = np.array(entry["delta"])
        K = orff.kernel(delta, np.zeros_like(delta), **base_of(entry))
        assert K[0, 0] == pytest.approx(entry["value"], rel=1e-10, abs=1e-14)
    assert len(entries) >= 50


def test_golden_exact_ridge(golden):
    for entry in golden("ridge_exact"):
        model = orff.OVKRegressor(sigma=entry["sigma"], lambda_=entry["lambda"], center=False, **of_rule(entry))
        model.fit(entry["X"], entry["Y"])
        np.testing.assert_allclose(model.predict(entry["X_test"]), entry["pred_test"], rtol=1e-9, atol=1e-10)


def golden_features(entry):
    kind, d = entry["kind"].split("_")[0], len(entry["omegas"][0])
    more = {"helmholtz": dict(mix=entry.get("c", 0.5))}.get(kind, {})
    if kind == "dec":
        more = dict(output_matrix=np.array(entry["B"]) @ np.array(entry["B"]).T)
    return orff.OperatorFourierFeatures(kernel=RULES[kind], sigma=1.0, frequencies=entry["omegas"], **more).fit(
        np.zeros((1, d)))


def test_golden_features(golden):
    for entry in golden("features"):
        features = golden_features(entry)
        x, z = np.array([entry["x"]]), np.array([entry["z"]])
        np.testing.assert_allclose(features.kernel_matrix(x, z)[0, 0], entry["K_approx_xz"], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(features.kernel_matrix(x, x)[0, 0], entry["K_approx_xx"], rtol=1e-10, atol=1e-12)


def test_golden_ridge(golden):
    for entry in golden("ridge_orff"):
        features = golden_features(entry)
        X, Y = np.array(entry["X"]), np.array(entry["Y"])
        design = np.vstack([Phi.T for Phi in features.operator(X)])  # (n p) x M
        M = design.T @ design / len(X) + entry["lambda"] * np.eye(design.shape[1])
        theta = np.linalg.solve(M, design.T @ Y.ravel() / len(X))
        F = np.array([Phi.T @ theta for Phi in features.operator(np.array(entry["X_test"]))])
        np.testing.assert_allclose(F, entry["pred_test_mean_convention"], rtol=1e-9, atol=1e-10)
        parameters = {name: value for name, value in features.get_params().items() if name not in ("map", "outputs")}
        model = orff.ORFFRegressor(lambda_=entry["lambda"], center=False, **parameters).fit(X, Y)
        np.testing.assert_allclose(model.predict(np.array(entry["X_test"])), F, rtol=1e-7, atol=1e-9)


def test_golden_codes(golden):
    from orff._arrays import simplex_codes

    for entry in golden("simplex"):
        np.testing.assert_allclose(simplex_codes(entry["T"]), entry["rows"], rtol=1e-10, atol=1e-12)
