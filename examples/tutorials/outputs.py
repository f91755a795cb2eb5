"""Several outputs that help each other.

Eight sensors along a mast measure the same weather, each with noise, and some of them fail for days. If the model knows that the
sensors belong together, it can infer much of what a silent sensor would have read from the readings of the others.
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
# ## A mast
#
# Two weeks of data at eight heights, with a row every two hours. All heights follow three slow functions of time, whose shares change
# with height.
rng = np.random.default_rng(2)
day = np.arange(0, 14, 1 / 12)
waves = [(0.7, 0.3), (0.31, 1.1), (0.17, 2.0), (0.23, 0.6), (0.47, 2.5), (0.13, 1.7)]
slow = np.stack([sum(np.sin(2 * np.pi * f * day + phase + 2.1 * k) for f, phase in waves[k::2]) for k in range(3)], axis=1)
height = np.linspace(0, 1, 8)
share = np.stack([1.5 - height, height, 0.8 * np.sin(np.pi * height)])
truth = 10 + slow @ share
measured = truth + 0.3 * rng.normal(size=truth.shape)

# %%
# Sensor 3 is silent for four days, sensor 6 for three, and each sensor misses a tenth of its readings.
measured[rng.random(truth.shape) < 0.1] = np.nan
silent = np.zeros(truth.shape, bool)
silent[(day > 4) & (day < 8), 2] = True
silent[(day > 9) & (day < 12), 5] = True
measured[silent] = np.nan

# %%
# ## Learn, with and without the others
#
# A decomposable kernel is $K(x,z) = k_0(x-z)\,A$. With $A = I$ every output is learned by itself. `learn` finds the matrix $A$ under
# which the data are most probable, so that sensors can fill in for each other.
models = {"each by itself": orff.ORFFRegressor(output_matrix="identity"),
          "coupled": orff.ORFFRegressor(output_matrix="learn")}
told = {}
for name, model in models.items():
    model.fit(day[:, None], measured)
    told[name] = model.predict(day[:, None], return_std=True)
    wrong = (told[name][0] - truth)[silent]
    inside = np.mean(np.abs(wrong) < 1.96 * told[name][1][silent])
    print(f"{name:15s} error while silent {np.sqrt(np.mean(wrong**2)):.2f}; {100 * inside:.0f} % inside the 95 % intervals")
A = models["coupled"].output_matrix_
print(f"correlation of neighbouring sensors in A: {np.mean(A.diagonal(1) / np.sqrt(A.diagonal()[1:] * A.diagonal()[:-1])):.2f}")
print(f"spread of a sensor {truth.std(axis=0).mean():.2f}, noise 0.30")

# %%
# ## Draw
figure, panels = plt.subplots(2, 1, figsize=(10, 6), layout="constrained", sharex=True)
for panel, sensor in zip(panels, (2, 5)):
    panel.plot(day, measured[:, sensor], ".", color="grey", markersize=3, label="measured")
    panel.plot(day, truth[:, sensor], color="black", linewidth=1, label="truth")
    for (name, (mean, std)), colour in zip(told.items(), ("tab:orange", "tab:blue")):
        panel.plot(day, mean[:, sensor], color=colour, label=name)
        panel.fill_between(day, mean[:, sensor] - 1.96 * std[:, sensor], mean[:, sensor] + 1.96 * std[:, sensor], color=colour, alpha=0.2)
    panel.set(ylabel=f"sensor {sensor + 1}, degrees")
panels[0].legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
panels[1].set(xlabel="day")
figure.savefig(options.o / "outputs.png", dpi=100)
