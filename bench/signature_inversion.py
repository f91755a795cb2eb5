"""Why signatures end at three inputs: the spectrum of K0 by quasi-Monte Carlo, for kernels whose spectrum is known.

    C(w) = (2 pi)^-d integral K0(delta) cos<w, delta> d delta          over Sobol points delta of a t law
    K~(delta) = (1/D) sum_j max(C(w_j), 0) / q(w_j) cos<w_j, delta>    D frequencies of a broad law q, Sobol points too

Prints the largest error of K~ over 200 differences in a cube of side 2, what was negative and cut off, and the error of as many
independent frequencies of the right law. Wants numpy and scipy.
"""
import numpy as np
from scipy.special import gammaln
from scipy.stats import chi2, norm, qmc

NU, FREQUENCIES, POINTS = 5.0, 1000, 2**15
KERNELS = {
    "gaussian": lambda r: np.exp(-r * r / 2),
    "matern52": lambda r: (1 + np.sqrt(5) * r + 5 * r * r / 3) * np.exp(-np.sqrt(5) * r),
}


def t_points(count, d, seed):
    u = qmc.Sobol(d + 1, seed=seed).random(count) * (1 - 1e-9) + 5e-10
    return norm.ppf(u[:, :d]) / np.sqrt(chi2.ppf(u[:, d], NU) / NU)[:, None]


def t_density(x):
    d = x.shape[1]
    front = gammaln((NU + d) / 2) - gammaln(NU / 2) - d / 2 * np.log(NU * np.pi)
    return np.exp(front - (NU + d) / 2 * np.log1p((x**2).sum(axis=1) / NU))


def spectrum(K0, w, delta):
    weights = K0(np.linalg.norm(delta, axis=1)) / t_density(delta) / len(delta)
    pieces = [np.cos(part @ delta.T) @ weights for part in np.array_split(w, 20)]
    return np.concatenate(pieces) / (2 * np.pi) ** w.shape[1]


def right_law(name, d, rng):
    z = rng.normal(size=(FREQUENCIES, d))
    return z if name == "gaussian" else z / np.sqrt(rng.chisquare(5, FREQUENCIES) / 5)[:, None]


def compare(name, d):
    K0, rng = KERNELS[name], np.random.default_rng(5)
    w = t_points(FREQUENCIES, d, 0)
    blocks = spectrum(K0, w, t_points(POINTS, d, 99)) / t_density(w) / FREQUENCIES
    at = np.r_[np.zeros((1, d)), rng.uniform(-1, 1, (199, d))]
    truth = K0(np.linalg.norm(at, axis=1))
    error = np.abs(np.cos(at @ w.T) @ np.maximum(blocks, 0) - truth).max()
    known = np.abs(np.cos(at @ right_law(name, d, rng).T).mean(axis=1) - truth).max()
    print(f"| {name}, {d} | {error:.2g} | {-np.minimum(blocks, 0).sum():.2g} | {known:.2g} |", flush=True)


if __name__ == "__main__":
    print("| kernel, d | error by inversion | negative | error of the right law |\n|---|--:|--:|--:|")
    for inputs in (3, 4, 5, 6):
        for kernel in KERNELS:
            compare(kernel, inputs)
