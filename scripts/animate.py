#!/usr/bin/env python3
"""The moving picture of the documentation: particles in the January winds over the North Atlantic.

    scripts/animate.py MODEL PICTURE.gif    (a model of orff fit --geo lonlat; matplotlib and Pillow draw)
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import matplotlib  # noqa: E402
import numpy as np  # noqa: E402

matplotlib.use("Agg")
from matplotlib import animation, pyplot  # noqa: E402
from matplotlib.collections import LineCollection  # noqa: E402

import orff  # noqa: E402

PARTICLES, FRAMES, TAIL, LIFE = 420, 36, 7, 36
KM_A_DEGREE = 111.2


def step(model, places, hours):
    """Places after some hours: u and v in m/s, longitude and latitude in degrees."""
    F = model.model_.predict(places)
    degrees = F * 3.6 * hours / KM_A_DEGREE
    degrees[:, 0] /= np.cos(np.radians(places[:, 1]))
    return places + degrees


def paths(model, region, rng):
    """frames x particles x 2, and the frame of birth of each. The last frame leads to the first: a life is the whole film."""
    (west, east), (south, north) = region
    path = np.empty((LIFE, PARTICLES, 2))
    path[0] = np.c_[rng.uniform(west, east, PARTICLES), rng.uniform(south, north, PARTICLES)]
    for i in range(1, LIFE):
        path[i] = step(model, path[i - 1], 6.0)
    return path, rng.integers(0, LIFE, PARTICLES)


def tails(path, born, frame):
    """Segments behind each particle; none across its birth."""
    who, found = np.arange(PARTICLES), []
    age = (frame - born) % LIFE
    for back in range(TAIL):
        old = age - back
        alive = old > 0
        found.append(np.stack([path[old[alive] - 1, who[alive]], path[old[alive], who[alive]]], axis=1))
    return found


def main(source, target):
    model = orff.load(source)
    figure, ax = pyplot.subplots(figsize=(4.7, 4.5), dpi=80)
    orff.plot_field(model, ax, arrows=2, everywhere=True, label="wind speed (m/s)")
    for drawn in list(ax.collections) + [artist for artist in ax.artists]:
        drawn.remove()  # the arrows
    region = ax.get_xlim(), ax.get_ylim()
    path, born = paths(model, region, np.random.default_rng(1))
    lines = [LineCollection([], colors="#111111", linewidths=1.1 - 0.13 * back, alpha=1 - back / TAIL) for back in range(TAIL)]
    for line in lines:
        ax.add_collection(line)
    figure.tight_layout()

    def draw(frame):
        for line, segments in zip(lines, tails(path, born, frame)):
            line.set_segments(segments)
        return lines

    film = animation.FuncAnimation(figure, draw, frames=FRAMES)
    film.save(target, writer=animation.PillowWriter(fps=14))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
