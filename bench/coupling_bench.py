"""Output matrices: identity, covariance and learned, where an output is mostly missing, and where outputs have nothing in common.

Three outputs over a square, 600 rows; the third is there in one row of eight and noisier. Errors are those of the third output, or of
all three where nothing couples them, at 400 other points, relative to the size of the field; means over ten draws. Run it with the
Python package on the path.
"""
import numpy as np
import orff

COUPLED = np.array([[1.0, 0.2, 0.9], [0.2, 1.0, -0.3], [0.9, -0.3, 1.1]])
APART = np.diag([1.0, 1.0, 1.1])


def draw(A, seed, waves=1500, scale=0.1):
    rng = np.random.default_rng(seed)
    X, w = rng.uniform(size=(1000, 2)), rng.normal(size=(2, waves)) / scale
    phi = np.c_[np.cos(X @ w), np.sin(X @ w)] / np.sqrt(waves)
    F = phi @ rng.normal(size=(2 * waves, 3)) @ np.linalg.cholesky(A).T
    Y = F[:600] + rng.normal(size=(600, 3)) * [0.1, 0.1, 0.3]
    Y[np.arange(600) % 8 > 0, 2] = np.nan
    return X, F, Y


def error(X, F, Y, matrix, output):
    model = orff.ORFFRegressor(output_matrix=matrix, sigma=0.1, engine="exact").fit(X[:600], Y)
    off = model.predict(X[600:])[:, output] - F[600:, output]
    return np.sqrt((off**2).sum() / (F[600:, output] ** 2).sum())


def main():
    print("| | identity | covariance | learned |\n|---|--:|--:|--:|")
    for name, A, output in (("coupled: the third output", COUPLED, [2]), ("apart: all outputs", APART, [0, 1, 2])):
        found = np.zeros(3)
        for seed in range(10):
            X, F, Y = draw(A, seed)
            whole = ~np.isnan(Y).any(axis=1)
            matrices = ("identity", np.cov(Y[whole].T, bias=True), "learn")
            found += [error(X, F, Y, matrix, output) / 10 for matrix in matrices]
        print(f"| {name} | {found[0]:.3f} | {found[1]:.3f} | {found[2]:.3f} |", flush=True)


if __name__ == "__main__":
    main()
