"""Images.

Each pixel is an input and each class an output. Random features work with as many inputs as an image has pixels, and the model
gives a probability for each class.
"""
import argparse
from pathlib import Path

import matplotlib
import numpy as np

import orff

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("-o", default=".", metavar="DIR", type=Path, help="where the picture goes")
options = parser.parse_args()

# %%
# ## Shapes
#
# Discs, squares, rings and crosses on 14 x 14 pixels: of different sizes, near the middle, bright on dark or dark on bright, with noise.
NAMES = np.array(["disc", "square", "ring", "cross"])
rng = np.random.default_rng(11)
row, column = np.mgrid[:14, :14]


def draw(name):
    y, x = row - rng.uniform(5.5, 7.5), column - rng.uniform(5.5, 7.5)
    size, far = rng.uniform(3.5, 5), np.hypot(x, y)
    shapes = {"disc": far < size, "square": np.maximum(abs(x), abs(y)) < 0.85 * size, "ring": abs(far - size + 1) < 1,
              "cross": (np.minimum(abs(x), abs(y)) < 1) & (np.maximum(abs(x), abs(y)) < size)}
    return (rng.choice([-1, 1]) * shapes[name] + 0.3 * rng.normal(size=row.shape)).ravel()


def sample(count):
    names = rng.choice(NAMES, count)
    return np.array([draw(name) for name in names]), names


images, names = sample(1500)
others, answers = sample(500)

# %%
# ## Learn
#
# The length scale follows the distances between images (`sigma="median"`); lambda is chosen by cross-validation. A linear model fails:
# the mean image of every class is grey.
model = orff.ORFFClassifier(sigma="median", features=400).fit(images, names)
found = model.predict(others)
linear = np.linalg.lstsq(np.c_[images, np.ones(len(images))], names[:, None] == NAMES, rcond=None)[0]
plain = NAMES[(np.c_[others, np.ones(len(others))] @ linear).argmax(axis=1)]
print(f"right: {100 * np.mean(found == answers):.1f} %; a linear model: {100 * np.mean(plain == answers):.1f} %")

# %%
# ## Look at the mistakes
#
# These are the images that the model got wrong or was least sure of, with their true class and the predicted one.
doubt = np.sort(model.decision_function(others), axis=1)
order = np.lexsort((doubt[:, -1] - doubt[:, -2], found == answers))
figure, panels = plt.subplots(2, 6, figsize=(12, 4.6), layout="constrained")
for panel, i in zip(panels.ravel(), order):
    panel.imshow(others[i].reshape(14, 14), cmap="gray_r")
    panel.set_title(f"{answers[i]}: {found[i]}", color="black" if found[i] == answers[i] else "#d55e00")
    panel.set_axis_off()
figure.savefig(options.o / "images.png", dpi=100)
