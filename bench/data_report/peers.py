"""The methods that the report compares with: one function each.

A peer takes X (n x d), Y (n x p), the points Xt (m x d) and a random generator, and returns an Answer. It sees inputs and
outputs in the user's units, or scaled to unit spread where it is decorated so. PEERS says how many rows each gets
and where it applies. Imports stand inside, so that a package that is missing takes only its own peer away.
"""
import subprocess
import tempfile
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Callable, Optional

import numpy as np


@dataclass
class Answer:
    mean: np.ndarray  # m x p
    std: Optional[np.ndarray] = None  # m x p, of a new measurement
    note: dict = field(default_factory=dict)  # what was chosen
    cpu: Optional[float] = None  # seconds, where it is not simply that of the process


def scaled(peer):
    """Gives the peer inputs and outputs of zero mean and unit spread, and takes its answer back."""
    @wraps(peer)
    def run(X, Y, Xt, random):
        x0, xs, y0, ys = X.mean(0), X.std(0), Y.mean(0), Y.std(0)
        xs[xs == 0], ys[ys == 0] = 1, 1
        answer = peer((X - x0) / xs, (Y - y0) / ys, (Xt - x0) / xs, random)
        answer.mean = answer.mean * ys + y0
        if answer.std is not None:
            answer.std = answer.std * ys
        return answer
    return run


def validation(n, random, most=1000):
    """Rows to learn from and rows to judge a choice by."""
    order = random.permutation(n)
    part = min(most, n // 5)
    return order[part:], order[:part]


def best(candidates, score):
    """The candidate of the smallest score; those that fail or are not finite are passed over."""
    scores = [attempt(score, c) for c in candidates]
    return candidates[int(np.argmin(scores))]


def attempt(score, candidate):
    try:
        value = score(candidate)
    except Exception:
        return np.inf
    return value if np.isfinite(value) else np.inf


def distinct(X, Y):
    """One row for each place, with the mean of its outputs."""
    places, inverse, count = np.unique(X, axis=0, return_inverse=True, return_counts=True)
    total = np.zeros((len(places), Y.shape[1]))
    np.add.at(total, inverse.ravel(), Y)
    return places, total / count[:, None]


# ---- exact kernel ridge, tuned by hand ---------------------------------------------------------------------------------------


def kernel(base, r):
    """k(r) for distances in length scales."""
    if base == "gaussian":
        return np.exp(-0.5 * r * r)
    s = np.sqrt(3) * r
    return (1 + s) * np.exp(-s)


LAMBDAS = 10.0 ** np.arange(-7, 1.01, 0.5)


def ridge_coarse(base, R, Y, sigmas):
    """The best of a grid by leaving out one row at a time: score, sigma, lambda. K = Q diag(l) Q^T serves every lambda."""
    found = (np.inf, None, None)
    for sigma in sigmas:
        l, Q = np.linalg.eigh(kernel(base, R / sigma))
        QY, Q2 = Q.T @ Y, Q * Q
        for lam in LAMBDAS:
            w = 1 / (np.maximum(l, 0) + lam)
            left_out = (Q @ (w[:, None] * QY)) / (Q2 @ w)[:, None]
            found = min(found, (np.mean(left_out**2), sigma, lam))
    return found


def ridge_exact(base, R, Y, sigma, lam):
    """Leave-one-out residuals and their variances in units of the signal's, by one Cholesky factor."""
    from scipy.linalg import lapack
    K = kernel(base, R / sigma)
    K[np.diag_indices_from(K)] += lam
    C, info = lapack.dpotrf(K, lower=1)
    if info:
        raise np.linalg.LinAlgError("not positive definite")
    G = lapack.dpotri(C, lower=1)[0]
    coefficients = lapack.dpotrs(C, Y, lower=1)[0]
    variance = 1 / np.diag(G)
    residual = coefficients * variance[:, None]
    return np.mean(residual**2), C, coefficients, np.sqrt(np.mean(residual**2 / variance[:, None], 0))


def ridge_fine(base, R, Y, sigma, lam):
    """A short descent over factors of sigma and lambda, all rows at once."""
    score = ridge_exact(base, R, Y, sigma, lam)[0]
    for factor_s, factor_l in [(1.4, 1), (0.7, 1), (1, 3), (1, 0.33), (1.4, 3), (0.7, 0.33)]:
        new = attempt(lambda c: ridge_exact(base, R, Y, *c)[0], (sigma * factor_s, lam * factor_l))
        if new < score:
            score, sigma, lam = new, sigma * factor_s, lam * factor_l
    return score, base, sigma, lam


@scaled
def ridge_by_hand(X, Y, Xt, random):
    from scipy.linalg import solve_triangular
    from scipy.spatial.distance import cdist
    R = cdist(X, X)
    few = random.permutation(len(X))[:800]
    sigmas = np.median(R[np.ix_(few, few)]) * 10.0 ** np.linspace(-1.8, 0.8, 9)
    found = []
    for base in ("gaussian", "matern32"):
        _, sigma, lam = ridge_coarse(base, R[np.ix_(few, few)], Y[few], sigmas)
        found.append(ridge_fine(base, R, Y, sigma, lam))
    _, base, sigma, lam = min(found)
    _, C, coefficients, scale = ridge_exact(base, R, Y, sigma, lam)
    mean, std = np.empty((len(Xt), Y.shape[1])), np.empty((len(Xt), Y.shape[1]))
    for i in range(0, len(Xt), 2000):
        k = kernel(base, cdist(Xt[i : i + 2000], X) / sigma)
        v = solve_triangular(C, k.T, lower=True, check_finite=False)
        mean[i : i + 2000] = k @ coefficients
        std[i : i + 2000] = np.sqrt(np.maximum(1 + lam - (v * v).sum(0), lam))[:, None] * scale
    return Answer(mean, std, {"base": base, "sigma": sigma, "lambda": lam})


# ---- scipy -------------------------------------------------------------------------------------------------------------------


@scaled
def rbf_interpolator(X, Y, Xt, random):
    """Thin plates, and |r| for rough data and for neighbours that lie in a plane, which no thin plate allows."""
    from scipy.interpolate import RBFInterpolator
    degree = {"thin_plate_spline": 1, "linear": 0}

    def predict(rows, choice, points):
        kind, smoothing = choice
        return RBFInterpolator(X[rows], Y[rows], neighbors=min(50, len(rows)), kernel=kind, degree=degree[kind],
                               smoothing=smoothing)(points)

    learn, judge = validation(len(X), random)
    choice = best([(kind, s) for kind in degree for s in (0, 1e-4, 1e-3, 1e-2, 0.1, 1, 10)],
                  lambda c: np.mean((predict(learn, c, X[judge]) - Y[judge]) ** 2))
    return Answer(predict(np.arange(len(X)), choice, Xt), None, {"kernel": choice[0], "smoothing": choice[1]})


@scaled
def linear(X, Y, Xt, random):
    from scipy.interpolate import LinearNDInterpolator, NearestNDInterpolator, interp1d
    X, Y = distinct(X, Y)
    if X.shape[1] == 1:
        return Answer(interp1d(X[:, 0], Y, axis=0, bounds_error=False, fill_value=(Y[0], Y[-1]))(Xt[:, 0]))
    mean = LinearNDInterpolator(X, Y)(Xt)
    outside = ~np.isfinite(mean).all(1)
    mean[outside] = NearestNDInterpolator(X, Y)(Xt[outside])
    return Answer(mean)


# ---- scikit-learn ------------------------------------------------------------------------------------------------------------


@scaled
def sklearn_gp(X, Y, Xt, random):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
    prior = ConstantKernel(1.0) * Matern(np.full(X.shape[1], 0.5), (1e-3, 1e3), nu=1.5) + WhiteKernel(0.1, (1e-8, 10))
    model = GaussianProcessRegressor(prior).fit(X, Y)
    mean, std = model.predict(Xt, return_std=True)
    shape = (len(Xt), Y.shape[1])
    std = std if std.ndim == 2 else np.broadcast_to(std[:, None], shape)
    return Answer(mean.reshape(shape), std, {"kernel": str(model.kernel_)})


@scaled
def sampler_ridge(X, Y, Xt, random):
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline

    def model(gamma):
        return make_pipeline(RBFSampler(gamma=gamma, n_components=1000, random_state=0), RidgeCV(10.0 ** np.arange(-6, 3)))

    learn, judge = validation(len(X), random)
    learn = learn[:3000]
    gamma = best(list(10.0 ** np.arange(-2, 3) / X.shape[1]),
                 lambda g: np.mean((model(g).fit(X[learn], Y[learn]).predict(X[judge]) - Y[judge]) ** 2))
    return Answer(model(gamma).fit(X, Y).predict(Xt), None, {"gamma": gamma})


# ---- GPyTorch ----------------------------------------------------------------------------------------------------------------


def torch_fit(X, y, Xt, covariance, steps):
    """One output by Adam on the exact marginal likelihood: mean and standard deviation of a new measurement."""
    import gpytorch
    import torch
    torch.set_num_threads(1)
    X, y, Xt = (torch.tensor(np.ascontiguousarray(a), dtype=torch.float64) for a in (X, y, Xt))

    class Model(gpytorch.models.ExactGP):
        def __init__(self, likelihood):
            super().__init__(X, y, likelihood)
            self.mean_module, self.covar_module = gpytorch.means.ConstantMean(), covariance

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    likelihood = gpytorch.likelihoods.GaussianLikelihood().double()
    model = Model(likelihood).double()
    evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    descent = torch.optim.Adam(model.parameters(), lr=0.15)
    for _ in range(steps):
        descent.zero_grad()
        loss = -evidence(model(X), y)
        loss.backward()
        descent.step()
    model.eval(), likelihood.eval()
    with torch.no_grad(), gpytorch.settings.fast_pred_var():
        new = likelihood(model(Xt))
        return new.mean.numpy(), new.stddev.numpy()


def torch_each(X, Y, Xt, covariance, steps):
    parts = [torch_fit(X, y, Xt, covariance(), steps) for y in Y.T]
    return Answer(*(np.stack(p, 1) for p in zip(*parts)))


@scaled
def gpytorch_exact(X, Y, Xt, random):
    import gpytorch
    with gpytorch.settings.max_cholesky_size(100000):
        return torch_each(X, Y, Xt, lambda: gpytorch.kernels.ScaleKernel(
            gpytorch.kernels.MaternKernel(nu=1.5, ard_num_dims=X.shape[1])), 40)


@scaled
def gpytorch_ski(X, Y, Xt, random):
    import gpytorch
    d = X.shape[1]
    size = {1: 1000, 2: 60, 3: 20}[d]
    both = np.vstack([X, Xt])
    bounds = [(both[:, i].min() - 0.1, both[:, i].max() + 0.1) for i in range(d)]
    return torch_each(X, Y, Xt, lambda: gpytorch.kernels.ScaleKernel(gpytorch.kernels.GridInterpolationKernel(
        gpytorch.kernels.MaternKernel(nu=1.5, ard_num_dims=d), grid_size=size, num_dims=d, grid_bounds=bounds)), 30)


# ---- geography: Verde, GSTools, GMT ------------------------------------------------------------------------------------------


def verde_tuned(X, Y, Xt, random, model, dampings):
    learn, judge = validation(len(X), random)

    def predict(rows, damping, points):
        fitted = model(damping).fit(tuple(X[rows].T), tuple(Y[rows].T))
        return np.stack(fitted.predict(tuple(points.T)), 1)

    damping = best(dampings, lambda c: np.mean((predict(learn, c, X[judge]) - Y[judge]) ** 2))
    return Answer(predict(np.arange(len(X)), damping, Xt), None, {"damping": damping})


@scaled
def verde_spline(X, Y, Xt, random):
    import verde
    parts = range(Y.shape[1])
    return verde_tuned(X, Y, Xt, random, lambda damping: verde.Vector(
        [verde.Chain([("trend", verde.Trend(1)), ("spline", verde.Spline(damping=damping))]) for _ in parts]),
        [None, 1e-6, 1e-4, 1e-2])


def verde_vector(X, Y, Xt, random):
    import verde
    one = np.array([np.ptp(X, axis=0).max()])  # vectors in the plane: both inputs keep one scale, and so do both outputs
    size, centre = Y.std(), Y.mean(0)

    def model(choice):
        damping, poisson = choice
        return verde.Chain([("trend", verde.Vector([verde.Trend(1)] * 2)),
                            ("spline", verde.VectorSpline2D(poisson=poisson, mindist=1e-3, damping=damping))])

    answer = verde_tuned(X / one, (Y - centre) / size, Xt / one, random, model,
                         [(damping, poisson) for damping in (1e-6, 1e-3, 0.1) for poisson in (0.5, 1.0)])
    answer.mean = answer.mean * size + centre
    return answer


@scaled
def gstools_kriging(X, Y, Xt, random):
    """Ordinary kriging with a Matern variogram fitted to each output."""
    import gstools
    d = X.shape[1]
    mean, std = [], []
    for y in Y.T:
        bins, gamma = gstools.vario_estimate(X.T, y, sampling_size=2000, sampling_seed=1)
        model = gstools.Matern(dim=d, nu=1.5)
        model.fit_variogram(bins, gamma, nu=False)
        krige = gstools.krige.Ordinary(model, X.T, y, exact=False)
        value, variance = krige(Xt.T, return_var=True)
        mean.append(value)
        std.append(np.sqrt(np.maximum(variance, 0)))
    return Answer(np.stack(mean, 1), np.stack(std, 1))


def gmt_gpsgridder(X, Y, Xt, random):
    """Coupled elastic Green's functions; the number of eigenvalues and Poisson's ratio are chosen on held-back rows."""
    def predict(rows, choice, points):
        share, poisson = choice
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            np.savetxt(place / "data", np.column_stack([X[rows], Y[rows]]))
            np.savetxt(place / "nodes", points)
            cut = [] if share == 1 else [f"-Cn{int(share * 2 * len(rows))}"]
            subprocess.run(["gmt", "gpsgridder", "data", "-Nnodes", "-Gout", f"-S{poisson}", "-Ff0.01", *cut],
                           cwd=place, check=True, capture_output=True)
            return np.loadtxt(place / "out")[:, 2:4]

    learn, judge = validation(len(X), random)
    choice = best([(share, poisson) for share in (1, 0.25) for poisson in (0.5, 1)],
                  lambda c: np.mean((predict(learn, c, X[judge]) - Y[judge]) ** 2))
    return Answer(predict(np.arange(len(X)), choice, Xt), None, {"share": choice[0], "poisson": choice[1]})


# ---- the table ---------------------------------------------------------------------------------------------------------------


@dataclass
class Peer:
    name: str
    title: str
    run: Callable
    rows: int  # at most; more are sampled
    applies: Callable  # of n, d, p
    needs: tuple = ()  # modules to import before the time is taken


def always(n, d, p):
    return True


PEERS = [
    Peer("ridge", "exact kernel ridge, by hand", ridge_by_hand, 3000, always, ("scipy.linalg", "scipy.spatial")),
    Peer("rbf", "scipy RBFInterpolator", rbf_interpolator, 10**9, always, ("scipy.interpolate",)),
    Peer("linear", "scipy linear griddata", linear, 10**9, lambda n, d, p: d <= 3, ("scipy.interpolate",)),
    Peer("sampler", "scikit-learn RBFSampler + RidgeCV", sampler_ridge, 20000, always, ("sklearn.kernel_approximation",
                                                                                       "sklearn.linear_model")),
    Peer("sklearn-gp", "scikit-learn GaussianProcessRegressor", sklearn_gp, 2000, always, ("sklearn.gaussian_process",)),
    Peer("verde", "Verde, Trend + Spline", verde_spline, 2000, lambda n, d, p: d == 2, ("verde",)),
    Peer("verde-vector", "Verde, Trend + VectorSpline2D", verde_vector, 1000, lambda n, d, p: d == p == 2, ("verde",)),
    Peer("gstools", "GSTools ordinary kriging", gstools_kriging, 2000, lambda n, d, p: d <= 3, ("gstools",)),
    Peer("gmt", "GMT gpsgridder", gmt_gpsgridder, 600, lambda n, d, p: d == p == 2),
    Peer("gpytorch", "GPyTorch exact", gpytorch_exact, 2000, lambda n, d, p: p <= 4, ("gpytorch",)),
    Peer("ski", "GPyTorch SKI", gpytorch_ski, 20000, lambda n, d, p: n > 2000 and d <= 3 and p <= 4, ("gpytorch",)),
]
