"""A current that drifts, measured without end: partial_fit adds what comes, forget takes off what is old.

    python stream.py -o DIR

Every hour brings new measurements of an incompressible flow whose vortices move. Three models follow it: one with a
window of the last hours (partial_fit and forget), one that never forgets (partial_fit alone), and, to compare, a fit to
the rows in the window. The first and the last are the same model, at a different cost. Writes stream.png.
"""
import argparse
import time
from collections import deque
from pathlib import Path

import matplotlib
import numpy as np

import orff

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--quick", action="store_true", help="fewer hours and rows")
parser.add_argument("-o", default=".", metavar="DIR", type=Path, help="where to write")
options = parser.parse_args()
options.o.mkdir(parents=True, exist_ok=True)

HOURS, WINDOW, ROWS = (12, 4, 200) if options.quick else (72, 8, 2000)
NOISE, SPEED = 0.3, 0.01  # m/s; km that the vortices move in an hour
PARAMETERS = dict(kernel="div-free", sigma=0.4, lambda_=1e-3, features=150)


def flow(X, hour):
    """Vortices that move to the right; the stream function is cos(4 (x - SPEED hour)) cos(4 y) / 4."""
    x, y = X[:, 0] - SPEED * hour, X[:, 1]
    return np.c_[np.cos(4 * x) * np.sin(4 * y), -np.sin(4 * x) * np.cos(4 * y)]


def rmse(model, hour):
    return np.sqrt(np.mean((model.predict(PLACES) - flow(PLACES, hour)) ** 2))


def timed(seconds, work):
    start = time.perf_counter()
    result = work()
    seconds.append(time.perf_counter() - start)
    return result


rng = np.random.default_rng(0)
PLACES = np.stack(np.meshgrid(np.linspace(-0.9, 0.9, 30), np.linspace(-0.9, 0.9, 30)), axis=-1).reshape(-1, 2)
sliding, hoarding = orff.ORFFRegressor(**PARAMETERS), orff.ORFFRegressor(**PARAMETERS)
window = deque()
errors, differences, sliding_seconds, fit_seconds = [], [], [], []


def slide(X, Y):
    """What an hour costs with a window: its rows come, those of an old hour go, the model is solved for."""
    sliding.partial_fit(X, Y)
    window.append((X, Y))
    if len(window) > WINDOW:
        sliding.forget(*window.popleft())
    return sliding.predict(PLACES)


for hour in range(HOURS):
    X = rng.uniform(-1, 1, (ROWS, 2))
    Y = flow(X, hour) + NOISE * rng.normal(size=X.shape)
    followed = timed(sliding_seconds, lambda: slide(X, Y))
    hoarding.partial_fit(X, Y)

    rows, values = (np.concatenate(part) for part in zip(*window))
    fitted = timed(fit_seconds, lambda: orff.ORFFRegressor(**PARAMETERS).fit(rows, values).predict(PLACES))
    differences.append(np.abs(followed - fitted).max())
    errors.append((rmse(sliding, hour), rmse(hoarding, hour)))

errors = np.array(errors)
print(f"{HOURS} hours of {ROWS} rows, a window of {WINDOW} hours ({sliding.moments_.rows} rows)")
print(f"last hour, rmse to the true flow: window {errors[-1, 0]:.3f}, never forgetting {errors[-1, 1]:.3f}")
print(f"window against a fit to its rows: differences of at most {max(differences):.1e}")
print(f"an hour takes {1e3 * np.median(sliding_seconds):.0f} ms with partial_fit and forget, "
      f"{1e3 * np.median(fit_seconds):.0f} ms with a fit to the window (medians)")

# ---- the picture: errors, equality, and the flow of the last hour

figure, panels = plt.subplots(1, 3, figsize=(15, 4.8), layout="constrained")
panels[0].plot(errors[:, 1], color="#e69f00", linestyle="--", label="never forgetting")
panels[0].plot(errors[:, 0], color="#0072b2", label=f"window of {WINDOW} hours")
panels[0].set(title="distance to the flow of the hour", xlabel="hour", ylabel="rmse, m/s", ylim=(0, None))
panels[0].legend()
panels[1].semilogy(differences, color="#0072b2", marker=".")
panels[1].set(title="window against a fit to its rows", xlabel="hour", ylabel="largest difference, m/s",
              ylim=(1e-16, 1e-10))
for panel in panels[:2]:
    panel.grid(alpha=0.3)

side = PLACES[:30, 0]
image = panels[2].contourf(side, side, sliding.curl(PLACES).reshape(30, 30), np.linspace(-9, 9, 19), cmap="PuOr_r",
                           extend="both")
figure.colorbar(image, ax=panels[2], label="vorticity, (m/s) / km")
arrows = PLACES.reshape(30, 30, 2)[1::3, 1::3].reshape(-1, 2)
panels[2].quiver(*arrows.T, *sliding.predict(arrows).T, color="black")
panels[2].set(title=f"flow of hour {HOURS - 1}, by the window", xlabel="x, km", ylabel="y, km", aspect="equal")
figure.savefig(options.o / "stream.png", dpi=110)
print(f"written: {options.o / 'stream.png'}")
