"""The graphs of docs/performance.md, drawn from the tables of bench/results: nothing is measured here.

    python3 bench/graphs.py docs/performance.svg
"""
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

RESULTS = Path(__file__).parent / "results"
BLUE, ORANGE, GREEN = "#0072b2", "#d55e00", "#009e73"


def table(name, *head):
    """Rows of the first table whose header begins with these words, as lists of text."""
    lines = (RESULTS / name).read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if cells(line)[:len(head)] == list(head))
    rows = []
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            return rows
        rows.append(cells(line))
    return rows


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def number(text):
    return float(re.match(r"[-+.\de]+", text)[0])


def columns(rows, *which):
    return [[number(row[i]) for row in rows] for i in which]


def draw(panel, rows, seconds, colour, label):
    n, times = columns(rows, 0, seconds)
    panel.loglog(n, times, "o-", color=colour, label=label, markersize=4)


def main(path):
    plt.rcParams.update({"font.size": 10, "svg.hashsalt": "orff", "svg.fonttype": "path"})
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    exact = table("learn.md", "N", "exact, s")
    draw(left, exact, 1, ORANGE, "exact kernel")
    draw(left, table("learn.md", "N", "seconds, double"), 1, BLUE, "200 features, streamed")
    draw(left, [row for row in table("lattice.md", "rows", "settings") if row[1] == "auto"], 6, GREEN, "lattice, all chosen by evidence")
    left.set(title="fit of a divergence-free field", xlabel="rows", ylabel="seconds")
    stream = table("lattice_stream.md", "rows", "waves", "pass, s")
    draw(middle, stream, 3, BLUE, "one pass over the rows")
    draw(middle, stream, 5, GREEN, "fit from its sums")
    middle.set(title="10$^8$ rows, lattice", xlabel="rows", ylabel="processor seconds")
    for panel in (left, middle):
        panel.legend(frameon=False, fontsize=9)
        panel.grid(alpha=0.25)
    peers = table("learn.md", "", "fit, s")
    names = ["scikit-learn", "orff, double", "orff, single"]
    for shift, column, colour, label in ((-0.2, 1, GREEN, "fit 10 000 rows"), (0.2, 3, BLUE, "predict 100 000 rows")):
        right.barh([i + shift for i in range(3)], [number(row[column]) for row in peers[:3]], 0.38, color=colour, label=label)
    right.set(title="2000 features, 20 inputs and outputs", xlabel="seconds", yticks=range(3), yticklabels=names)
    right.invert_yaxis()
    right.legend(frameon=False, fontsize=9)
    for panel in (left, middle, right):
        panel.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main(sys.argv[1])
