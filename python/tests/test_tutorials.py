"""The tutorials of examples/tutorials: each runs, says what its page promises, and writes its picture."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import orff

TUTORIALS = Path(__file__).resolve().parents[2] / "examples" / "tutorials"
PACKAGE = Path(orff.__file__).resolve().parents[1]


def numbers(name, directory, after=""):
    """All numbers that a tutorial prints, in order, or those after a word."""
    pytest.importorskip("matplotlib")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([sys.executable, TUTORIALS / f"{name}.py", "-o", directory], capture_output=True, text=True,
                          env=environment, cwd=directory)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Warning" not in done.stderr, done.stderr
    picture = directory / f"{name}.png"
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and picture.stat().st_size > 20000
    return [float(word) for word in re.findall(r"-?\d+(?:\.\d+)?", done.stdout[done.stdout.index(after):])]


def test_all_have_a_test():
    here = Path(__file__).read_text()
    assert all(f'numbers("{script.stem}"' in here for script in TUTORIALS.glob("*.py"))


def test_currents(tmp_path):
    joined, alone, spread, inside = numbers("currents", tmp_path)[:4]
    assert joined < alone < 0.25 * spread and inside >= 85


def test_piv(tmp_path):
    pytest.importorskip("xarray")
    largest, _, differences, _, error, inside, _ = numbers("piv", tmp_path)
    assert error < 0.5 * differences and error < 0.06 * largest and inside >= 85


def test_temperatures(tmp_path):
    *_, found, put_in, in_the_open, under, spread, inside, _, _, _, kept = numbers("temperatures", tmp_path)[-10:]
    assert abs(found - put_in) < 0.03 and in_the_open < 0.1 < under < 0.5 * spread and inside >= 85 and kept < under


def test_outputs(tmp_path):
    alone, _, _, coupled, inside, _, _, spread, _ = numbers("outputs", tmp_path)
    assert coupled < 0.5 * alone < spread and inside >= 85


def test_images(tmp_path):
    right, linear = numbers("images", tmp_path)[:2]
    assert right > 85 > 50 > linear


def test_stream(tmp_path):
    window, everything, difference = numbers("stream", tmp_path)[:3]
    assert window < 0.5 * everything and difference < 1e-5


def test_cluster(tmp_path):
    error, noise, difference = numbers("cluster", tmp_path)[:3]
    assert error < 0.15 * noise and difference < 1e-5


def test_season(tmp_path):
    error, noise, spread, inside = numbers("season", tmp_path, after="rmse")[:4]
    assert error < 0.4 * noise < spread and inside >= 80


def test_magnetic(tmp_path):
    alone, _, _, together, inside, _, spread, _ = numbers("magnetic", tmp_path)
    assert together < 0.9 * alone < spread and inside >= 80
