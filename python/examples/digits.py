"""Handwritten digits: ORFFClassifier beside a scikit-learn pipeline with as many features, in the same run.

    python digits.py -o DIR

Half of the 1797 digits of scikit-learn's load_digits is held out, anew in every repetition. Both sides have the same
length of phi and the same length scale, which ORFFClassifier has chosen on the first half; both choose their penalty by
cross-validation: ORFFClassifier by default, scikit-learn with RidgeClassifierCV. Writes digits.png.
"""
import argparse
import time
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.datasets import load_digits
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import RidgeClassifier, RidgeClassifierCV
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

import orff

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--quick", action="store_true", help="fewer features and repetitions")
parser.add_argument("-o", default=".", metavar="DIR", type=Path, help="where to write")
options = parser.parse_args()
options.o.mkdir(parents=True, exist_ok=True)

LENGTHS = [100, 200] if options.quick else [100, 200, 400, 800, 1600]  # of phi: twice the frequencies of orff
REPETITIONS = 2 if options.quick else 5
ALPHAS = np.logspace(-6, 2, 17)  # what RidgeClassifierCV looks at; orff looks at 45 lambdas

X, y = load_digits(return_X_y=True)
X = X / 16.0  # grey from 0 to 1
first, _, first_y, _ = train_test_split(X, y, test_size=0.5, random_state=0)
chosen = orff.ORFFClassifier(features=200, scale_inputs=False).fit(first, first_y)
sigma = float(chosen.sigma_[0])
print(f"{len(X)} digits, {X.shape[1]} pixels; length scale {sigma:.2f}, chosen by cross-validation")


def contenders(length, seed):
    """What is compared, by name: two with the penalty chosen from the data, two with one that is given."""
    def sampler():
        return RBFSampler(gamma=1 / (2 * sigma**2), n_components=length, random_state=seed)

    fixed = dict(sigma=sigma, features=length // 2, seed=seed, scale_inputs=False, posterior=False)
    return {
        "orff, penalty chosen": orff.ORFFClassifier(**fixed),
        "scikit-learn, penalty chosen": make_pipeline(sampler(), RidgeClassifierCV(alphas=ALPHAS)),
        "orff, penalty given": orff.ORFFClassifier(**fixed, lambda_=1e-5),
        "scikit-learn, penalty given": make_pipeline(sampler(), RidgeClassifier(alpha=1e-5 * len(first))),
    }


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


names = list(contenders(2, 0))
found = np.empty((len(LENGTHS), REPETITIONS, len(names), 3))  # error, seconds to fit, seconds to predict
for i, length in enumerate(LENGTHS):
    for seed in range(REPETITIONS):
        train, test, train_y, test_y = train_test_split(X, y, test_size=0.5, random_state=seed)
        for k, model in enumerate(contenders(length, seed).values()):
            fit = seconds(lambda: model.fit(train, train_y))
            predict = seconds(lambda: model.predict(test))
            found[i, seed, k] = 1 - model.score(test, test_y), fit, predict

errors, times = 100 * found[..., 0].mean(axis=1), found[..., 1:].min(axis=1)
print(f"{'errors, % of held-out digits':>30s}   ms to fit   ms to predict, by length of phi {LENGTHS}")
for k, name in enumerate(names):
    columns = [" ".join(f"{number:6.{digits}f}" for number in row) for row, digits in
               ((errors[:, k], 2), (1e3 * times[:, k, 0], 0), (1e3 * times[:, k, 1], 1))]
    print(f"{name:>30s} " + "  | ".join(columns))

# ---- the picture: errors, times, and what was read wrongly

figure, panels = plt.subplots(1, 3, figsize=(15, 4.8), layout="constrained")
styles = [("#0072b2", "o", "-"), ("#e69f00", "s", "-"), ("#0072b2", "o", ":"), ("#e69f00", "s", ":")]
for k, (name, (colour, marker, line)) in enumerate(zip(names, styles)):
    panels[0].plot(LENGTHS, errors[:, k], color=colour, marker=marker, linestyle=line, label=name)
    panels[1].plot(LENGTHS, times[:, k, 0], color=colour, marker=marker, linestyle=line, label=name)
panels[0].set(title="held-out digits read wrongly", ylabel=f"%, mean of {REPETITIONS} splits", ylim=(0, None))
panels[1].set(title="time to learn 898 digits", ylabel=f"seconds, best of {REPETITIONS}", yscale="log")
for panel in panels[:2]:
    panel.set(xlabel="length of phi", xscale="log", xticks=LENGTHS)
    panel.set_xticklabels(LENGTHS)
    panel.minorticks_off()
    panel.grid(alpha=0.3)
panels[0].legend()

best = contenders(LENGTHS[-1], 0)["orff, penalty chosen"].fit(first, first_y)
_, rest, _, rest_y = train_test_split(X, y, test_size=0.5, random_state=0)
wrong = np.flatnonzero(best.predict(rest) != rest_y)[:20]
panels[2].set_title(f"read wrongly by orff, {LENGTHS[-1]} features: is, was read as")
panels[2].axis("off")
for place, at in enumerate(wrong):
    box = panels[2].inset_axes([0.2 * (place % 5), 0.76 - 0.25 * (place // 5), 0.18, 0.18])
    box.imshow(rest[at].reshape(8, 8), cmap="gray_r")
    box.set_title(f"{rest_y[at]}, {best.predict(rest[at:at + 1])[0]}", fontsize=9, pad=2)
    box.set(xticks=[], yticks=[])
figure.savefig(options.o / "digits.png", dpi=110)
print(f"written: {options.o / 'digits.png'}")
