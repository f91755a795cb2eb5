"""Twenty outputs that are learned together: when coupling them helps, and when it does not.

    python coupled.py -o DIR

A decomposable kernel k(x, z) A couples outputs by the matrix A. Rotated to the eigenvectors of A, every output is a
ridge regression of its own, with a penalty that is divided by its eigenvalue: coupling moves penalty from directions
that matter to directions that do not. So it can help where outputs are noisy mixtures of few functions, it has nothing
to give where there is no noise, and a matrix that is wrong does harm. Writes coupled.png.
"""
import argparse
import warnings
from pathlib import Path

import matplotlib
import numpy as np

import orff

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--quick", action="store_true", help="fewer sizes and repetitions")
parser.add_argument("-o", default=".", metavar="DIR", type=Path, help="where to write")
options = parser.parse_args()
options.o.mkdir(parents=True, exist_ok=True)

P, RANK, SIGMA, FEATURES = 20, 2, 0.5, 100
SIZES = [30, 100] if options.quick else [20, 40, 80, 160, 320, 640]
REPETITIONS = 2 if options.quick else 5


# ---- problems: random functions of the plane, spread 1


def random_functions(rng, count):
    """Functions with the length scale SIGMA."""
    omega = rng.normal(size=(300, 2)) / SIGMA
    phase = rng.uniform(0, 2 * np.pi, 300)
    amplitude = rng.normal(size=(300, count)) * np.sqrt(2 / 300)
    return lambda X: np.cos(X @ omega.T + phase) @ amplitude


def mixtures(rng):
    """Outputs that are mixtures of RANK functions, and their covariance."""
    few, W = random_functions(rng, RANK), rng.normal(size=(P, RANK)) / np.sqrt(RANK)
    return lambda X: few(X) @ W.T, W @ W.T


def unrelated(rng):
    """Outputs of which each is a function of its own, and a matrix that says otherwise."""
    return random_functions(rng, P), mixtures(rng)[1]


PROBLEMS = {  # and the penalty: by cross-validation, or small where there is no noise
    f"mixtures of {RANK} functions, noise 0.5": (mixtures, 0.5, "auto"),
    f"mixtures of {RANK} functions, no noise": (mixtures, 0.0, 1e-5),
    "unrelated outputs, noise 0.5": (unrelated, 0.5, "auto"),
}

# ---- ways to couple them: what A is, from the data and from what one may know


def leading(Y):
    """A as the covariance in its RANK leading directions and next to nothing in the others."""
    size, direction = np.linalg.eigh(np.cov(Y.T))
    size[:-RANK] = 1e-3 * size[-1]
    return direction * size @ direction.T


COUPLINGS = {
    "independent outputs": lambda Y, A: np.eye(P),
    "covariance of y": lambda Y, A: np.cov(Y.T),  # also output_matrix="covariance"
    f"its {RANK} leading directions": lambda Y, A: leading(Y),
    "a matrix known beforehand": lambda Y, A: A + 1e-3 * np.eye(P),
}

# ---- errors on points that were not learned from, against the functions without noise

warnings.filterwarnings("ignore", message="at its own rows")  # some of these couplings are wrong on purpose


def errors(problem, noise, penalty, n, seed):
    rng = np.random.default_rng(seed)
    function, A = problem(rng)
    X, X_test = rng.uniform(-1, 1, (n, 2)), rng.uniform(-1, 1, (1000, 2))
    Y = function(X) + noise * rng.normal(size=(n, P))
    found = []
    for coupling in COUPLINGS.values():
        matrix = coupling(Y, A)
        matrix /= np.linalg.norm(matrix, 2)  # so that a given penalty means the same for all
        model = orff.ORFFRegressor(sigma=SIGMA, features=FEATURES, lambda_=penalty, output_matrix=matrix)
        found.append(np.sqrt(np.mean((model.fit(X, Y).predict(X_test) - function(X_test)) ** 2)))
    return found


results = {title: np.array([[errors(*problem, n, seed) for seed in range(REPETITIONS)] for n in SIZES])
           for title, problem in PROBLEMS.items()}  # sizes x repetitions x couplings

for title, error in results.items():
    print(f"\n{title}: rmse on new points\n{'rows':>28s}" + "".join(f"{n:8d}" for n in SIZES))
    for name, means in zip(COUPLINGS, error.mean(axis=1).T):
        print(f"{name:>28s}" + "".join(f"{mean:8.3f}" for mean in means))

# ---- the picture

figure, panels = plt.subplots(1, 3, figsize=(14, 4.8), layout="constrained", sharex=True, sharey=True)
RATIOS = [0.5, 0.7, 1.0, 1.5, 2.0, 3.0]
styles = [("black", "o"), ("#0072b2", "s"), ("#e69f00", "^"), ("#cc79a7", "D")]  # colours that all eyes tell apart
for panel, (title, error) in zip(panels, results.items()):
    ratio = error / error[:, :, :1]  # to independent outputs, within each repetition
    middle = np.median(ratio, axis=1)
    reach = np.stack([middle - ratio.min(axis=1), ratio.max(axis=1) - middle])
    for k, (name, (colour, marker)) in enumerate(zip(COUPLINGS, styles)):
        aside = np.array(SIZES) * 1.06 ** (k - 1.5)  # so that bars do not hide each other
        panel.errorbar(aside, middle[:, k], reach[:, :, k], color=colour, marker=marker, capsize=3, label=name)
    panel.set(title=title, xlabel="rows learned from", xscale="log", xticks=SIZES, yscale="log", yticks=RATIOS)
    panel.set_xticklabels(SIZES)
    panel.set_yticklabels(RATIOS)
    panel.minorticks_off()
    panel.grid(alpha=0.3)
panels[0].set_ylabel("rmse on new points / that of independent outputs")
panels[0].legend(title=f"median of {REPETITIONS} problems; bars: all of them")
figure.savefig(options.o / "coupled.png", dpi=110)
print(f"\nwritten: {options.o / 'coupled.png'}")
