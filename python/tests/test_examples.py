"""The scripts in examples/, in their quick form: they run, say what they promise and write their pictures."""
import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


@pytest.fixture
def run(run_script, tmp_path):
    """What an example prints. Its pictures are there afterwards."""
    return lambda name, *more: run_script(EXAMPLES / f"{name}.py", "--quick", "-o", tmp_path, *more)


def numbers(pattern, text):
    """The numbers that a pattern catches in a text."""
    found = re.search(pattern, text)
    assert found, f"{pattern!r} is not in {text!r}"
    return [float(word) for word in found.groups()]


def test_all_have_a_test():
    here = Path(__file__).read_text()
    assert all(f'run("{script.stem}"' in here for script in EXAMPLES.glob("*.py"))


def test_wind(run, tmp_path):
    xarray, np = pytest.importorskip("xarray"), pytest.importorskip("numpy")
    pytest.importorskip("netCDF4")
    rmse, inside = numbers(r"rmse ([\d.]+) m/s.*; (\d+) % of the errors", run("wind"))
    assert rmse < 0.9 and inside >= 80  # the winds have a spread of 3.5 m/s
    with xarray.open_dataset(tmp_path / "wind_grid.nc") as grid:
        assert grid.u.attrs["units"] == "m s-1" and grid["std"].min() > 0
        # trade winds blow from the east, westerlies from the west; between them the vorticity is anticyclonic
        assert grid.u.sel(lat=15, lon=-40, method="nearest") < -4 < 2 < grid.u.sel(lat=50, lon=-40, method="nearest")
        assert -2 < grid.vorticity.sel(lat=30, method="nearest").mean() < -0.2
        by_hand = np.gradient(grid.v, np.deg2rad(grid.lon) * 6371, axis=1) / np.cos(np.deg2rad(grid.lat.data))[:, None]
        by_hand -= np.gradient(grid.u, np.deg2rad(grid.lat) * 6371, axis=0)
        inner = (slice(20, 40), slice(15, 40))
        assert abs(100 * by_hand[inner] - grid.vorticity.data[inner]).mean() < 0.05
    mine = xarray.open_dataset(tmp_path / "wind_ships.nc").rename(u="U10", v="V10")
    mine.to_netcdf(tmp_path / "mine.nc")
    again = run("wind", "--data", str(tmp_path / "mine.nc"), "--u", "U10", "--v", "V10")
    assert numbers(r"rmse ([\d.]+) m/s", again) == [rmse]


def test_coupled(run):
    text = run("coupled")
    blocks = [block.splitlines() for block in text.split("rmse on new points\n")[1:]]
    mixed, quiet, unrelated = ([[float(word) for word in line[28:].split()] for line in block[1:5]] for block in blocks)
    assert all(known < 0.8 * alone for alone, known in zip(mixed[0], mixed[3]))
    assert all(0.9 < known / alone < 1.2 for alone, known in zip(quiet[0], quiet[3]))
    assert all(known > alone for alone, known in zip(unrelated[0], unrelated[3]))


def test_digits(run):
    text = run("digits")
    for name in ("orff, penalty chosen", "scikit-learn, penalty chosen", "orff, penalty given"):
        few, more = numbers(rf"{name}\s+([\d.]+)\s+([\d.]+)\s", text)
        assert more < few < 8.0 and more < 4.5


def test_stream(run):
    text = run("stream")
    window, hoarding = numbers(r"window ([\d.]+), never forgetting ([\d.]+)", text)
    (difference,) = numbers(r"differences of at most ([\d.e+-]+)", text)
    assert window < 0.8 * hoarding and difference < 1e-10
