#!/usr/bin/env python3
"""Writes the tables of docs/data.md, between its two markers, from the results of run.py.

    python3 bench/data_report/table.py PROGRAM [--results FILE] [--page docs/data.md]
"""
import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

import run
import sets
from peers import PEERS

BEGIN, END = "<!-- data-report: begin -->", "<!-- data-report: end -->"
TITLES = {"orff": "**orff**", **{p.name: p.title for p in PEERS}}
EQUAL = 1.02  # errors nearer than this count as equal


class Cell:
    """What one method did on the splits of one kind of one set."""

    def __init__(self, lines):
        self.good = {int(line["seed"]): line for line in lines if line["status"] == "ok"}
        self.status = next((line["status"] for line in lines if line["status"] != "ok"), "")

    def values(self, column):
        return np.array([float(line[column]) for line in self.good.values() if line[column]])

    def only(self, seeds):
        """The same on these splits only."""
        return Cell([line for seed, line in self.good.items() if seed in seeds])

    def against(self, other):
        """This error over the other's, on the splits that both have; infinite where there are none."""
        common = set(self.good) & set(other.good)
        return self.only(common).values("error").mean() / other.only(common).values("error").mean() if common else np.inf


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--results", default=run.RESULTS)
    parser.add_argument("--page", default="docs/data.md")
    given = parser.parse_args()
    cells = gather(run.read(Path(given.results)), run.digest(given.program))
    known = [s for s in sets.SETS if "orff" in cells.get((s.name, "random"), {})]
    if not known:
        print(f"{given.results} has no results of {given.program}: {given.page} stays as it is")
        return
    text = "\n".join([*state(cells, run.digest(given.program)), "", *summary(known, cells), "", *first_split(known, cells), "",
                      "## Every method", "", *details(known, cells)])
    page = Path(given.page)
    before, rest = page.read_text().split(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.split(END)[1]}")
    print(f"{page}: {len(known)} of {len(sets.SETS)} sets")


def gather(lines, program):
    """(set, split) -> method -> Cell. Lines of orff that another program made are left out."""
    found = defaultdict(lambda: defaultdict(list))
    for line in lines:
        if line["program"] in ("", program):
            found[line["set"], line["split"]][line["method"]].append(line)
    return {where: {m: Cell(ls) for m, ls in by_method.items()} for where, by_method in found.items()}


def state(cells, program):
    """How much of the report there is: a peer that was not run cannot have been the best."""
    counts = []
    for method, title in TITLES.items():
        met = [row[method] for row in cells.values() if method in row]
        fits = sum(len(c.good) for c in met)
        lines = [c for c in met if c.status != "does not apply"]
        counts.append(f"{title} {fits} fits on {len([c for c in lines if c.good])} lines" if fits else f"{title} **not run**")
    yield f"Available results, of {2 * len(sets.SETS)} lines with up to 3 splits each: {'; '.join(counts)}. Program {program}."


def summary(known, cells):
    yield "| data | rows | split | splits | error | best peer's | ratio | which | coverage, % | CPU, s | best peer's | quickest as good |"
    yield "|---|--:|---|--:|--:|--:|--:|---|--:|--:|--:|---|"
    for each in known:
        for split in ("random", "blocks"):
            row = cells.get((each.name, split), {})
            if "orff" in row and row["orff"].good:
                yield summary_line(each, split, row)


def summary_line(each, split, row):
    """Errors and seconds of both on the splits that both have; peers that ran on fewer splits than others do not compete."""
    ours = row["orff"]
    shared = {m: len(set(c.good) & set(ours.good)) for m, c in row.items() if m != "orff"}
    peers = {m: row[m] for m, count in shared.items() if count and count == max(shared.values())}
    as_good = {m: c.values("cpu").mean() for m, c in peers.items() if c.against(ours) <= EQUAL}
    quickest = min(as_good, key=as_good.get, default=None)
    name = min(peers, key=lambda m: peers[m].against(ours), default=None)
    common = set(ours.good) & set(peers[name].good) if name else set(ours.good)
    theirs = peers[name].only(common) if name else None
    ours = ours.only(common)
    return "| " + " | ".join([
        each.title, next(iter(ours.good.values()))["train"], split if split == "random" else each.blocks, str(len(common)),
        spread(ours.values("error")), spread(theirs.values("error")) if name else "",
        f"{1 / theirs.against(ours):.3f}" if name else "", TITLES.get(name, ""), percent(ours),
        cpu(ours), cpu(theirs) if name else "",
        f"{TITLES[quickest]}, {as_good[quickest]:.2g} s" if quickest else "none"]) + " |"


def first_split(known, cells):
    """Where any peer that ran on the first split is ahead there, also one that ran on no other."""
    behind, lines = [], 0
    for each in known:
        for split in ("random", "blocks"):
            row = {m: c.only({0}) for m, c in cells.get((each.name, split), {}).items() if 0 in c.good}
            ours = row.pop("orff", None)
            if ours and row:
                lines += 1
                name = min(row, key=lambda m: row[m].against(ours))
                ratio = ours.against(row[name])
                if ratio > EQUAL:
                    behind.append(f"{each.title}, {split if split == 'random' else each.blocks}, {ratio:.2f} ({TITLES[name]})")
    yield f"On the first split, where the most peers ran, the best of all is more than 2 % ahead on {len(behind)} of {lines} lines: {'; '.join(behind)}."


def details(known, cells):
    for each in known:
        yield f"**{each.title}**; blocks are {each.blocks}."
        yield ""
        yield "| method | rows | error, random | coverage, % | CPU, s | error, blocks | coverage, % | CPU, s |"
        yield "|---|--:|--:|--:|--:|--:|--:|--:|"
        for method, title in TITLES.items():
            row = [cells.get((each.name, split), {}).get(method) for split in ("random", "blocks")]
            if any(c and c.status != "does not apply" for c in row):
                yield "| " + " | ".join([title, rows(row), *(text for c in row for text in detail(c))]) + " |"
        yield ""


def detail(cell):
    if cell is None:
        return "", "", ""
    if not cell.good:
        return cell.status.split(":")[0], "", ""
    return spread(cell.values("error")), percent(cell), cpu(cell)


def rows(row):
    """The rows that were learned from; a sample is said to be one."""
    line = next((line for c in row if c for line in c.good.values()), None)
    if line is None:
        return ""
    return line["rows"] if line["rows"] == line["train"] else f"{line['rows']} of {line['train']}"


def spread(values):
    return f"{number(values.mean())} ± {number(values.std(ddof=1))}" if len(values) > 1 else number(values.mean())


def number(value):
    return f"{value:.3f}" if value < 100 else f"{value:.0f}"


def percent(cell):
    values = cell.values("coverage")
    return f"{100 * values.mean():.0f}" if len(values) else ""


def cpu(cell):
    return f"{cell.values('cpu').mean():.2g}" if cell.values("cpu").mean() < 10 else f"{cell.values('cpu').mean():.0f}"


if __name__ == "__main__":
    main()
