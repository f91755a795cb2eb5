"""The tutorials of examples/tutorials: each runs, says what its page promises, and writes its picture."""
import re
from pathlib import Path

import pytest

TUTORIALS = Path(__file__).resolve().parents[2] / "examples" / "tutorials"


@pytest.fixture
def numbers(run_script, tmp_path):
    """All numbers that a tutorial prints, in order, or those after a word."""
    def printed(name, after=""):
        text = run_script(TUTORIALS / f"{name}.py", "-o", tmp_path)
        return [float(word) for word in re.findall(r"-?\d+(?:\.\d+)?", text[text.index(after):])]

    return printed


def test_all_have_a_test():
    here = Path(__file__).read_text()
    assert all(f'numbers("{script.stem}"' in here for script in TUTORIALS.glob("*.py"))


def test_currents(numbers):
    joined, alone, spread, inside = numbers("currents")[:4]
    assert joined < alone < 0.25 * spread and inside >= 85


def test_piv(numbers):
    pytest.importorskip("xarray")
    largest, _, differences, _, error, inside, _ = numbers("piv")
    assert error < 0.5 * differences and error < 0.06 * largest and inside >= 85


def test_temperatures(numbers):
    *_, found, put_in, in_the_open, under, spread, inside, _, _, _, kept = numbers("temperatures")[-10:]
    assert abs(found - put_in) < 0.03 and in_the_open < 0.1 < under < 0.5 * spread and inside >= 85 and kept < under


def test_outputs(numbers):
    alone, _, _, coupled, inside, _, _, spread, _ = numbers("outputs")
    assert coupled < 0.5 * alone < spread and inside >= 85


def test_images(numbers):
    right, linear = numbers("images")[:2]
    assert right > 85 > 50 > linear


def test_stream(numbers):
    window, everything, difference = numbers("stream")[:3]
    assert window < 0.5 * everything and difference < 1e-5


def test_cluster(numbers):
    error, noise, difference = numbers("cluster")[:3]
    assert error < 0.15 * noise and difference < 1e-5


def test_season(numbers):
    error, noise, spread, inside = numbers("season", after="rmse")[:4]
    assert error < 0.4 * noise < spread and inside >= 80


def test_magnetic(numbers):
    alone, _, _, together, inside, _, spread, _ = numbers("magnetic")
    assert together < 0.9 * alone < spread and inside >= 80
