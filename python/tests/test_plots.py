"""Pictures by matplotlib: what they show is what the model says."""
import shutil
import subprocess

import numpy as np
import pytest

import orff

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


@pytest.fixture
def model(field):
    X, Y = field
    return orff.ORFFRegressor(kernel="div-free", features=100, sigma=0.7).fit(X, Y)


def drawn(ax):
    ax.figure.canvas.draw()
    return ax


def test_colours_are_the_size_of_the_field(model, field):
    ax = drawn(orff.plot_field(model, points=field[0]))
    image = ax.images[0].get_array()
    low, high = model.model_.notes and (field[0].min(axis=0), field[0].max(axis=0))
    x, y = np.linspace(low[0], high[0], image.shape[1]), np.linspace(low[1], high[1], image.shape[0])
    rows, columns = np.nonzero(~np.ma.getmaskarray(image))
    speed = np.linalg.norm(model.predict(np.c_[x[columns], y[rows]]), axis=1)
    np.testing.assert_allclose(image[rows, columns], speed, rtol=1e-6, atol=1e-9)
    assert [child for child in ax.get_children() if isinstance(child, matplotlib.quiver.Quiver)]


def test_axes_given_are_those_returned(model):
    _, axes = pyplot.subplots(1, 3)
    assert orff.plot_field(model, axes[0], streamlines=True) is axes[0]
    assert orff.plot_error(model, axes[1]) is axes[1]
    assert orff.plot_field(model, ax=axes[2], what="curl") is axes[2]
    drawn(axes[0])
    low, high = axes[2].images[0].get_clim()
    assert low == -high


def test_white_is_unknown_and_errors_are_seen(model):
    region = [(-1, 4), (-1, 1)]
    field, error = orff.plot_field(model, region=region), orff.plot_error(model, region=region)
    masked = np.ma.getmaskarray(field.images[0].get_array())
    assert masked[:, -20:].all() and not masked[:, :10].all()
    assert not np.ma.getmaskarray(error.images[0].get_array()).any()
    for signs in ("field", "curl"):
        colours = orff.plot_field(model, what=signs).images[0].get_cmap()(np.linspace(0, 1, 256))[:, :3]
        assert (colours.min(axis=1) < 0.95).all()


def test_far_stations_leave_the_sea_between_them_white():
    rng = np.random.default_rng(2)
    X = 100.0 * rng.integers(0, 2, (80, 2)) + rng.uniform(0, 4, (80, 2))
    model = orff.ORFFRegressor(sigma=5.0, lambda_=1e-4).fit(X, np.c_[np.full(80, 3.0), X[:, 0] / 100])
    masked = np.ma.getmaskarray(orff.plot_field(model).images[0].get_array())
    assert masked[40:80].all() and masked[:, 40:80].all()
    assert not masked[:2, :2].any() and not masked[-2:, -2:].any()


def test_a_map_in_degrees_is_true():
    rng = np.random.default_rng(1)
    X = np.c_[rng.uniform(-20, -10, 120), rng.uniform(70, 80, 120)]
    model = orff.ORFFRegressor(geo="lonlat", sigma=300, lambda_=0.1, features=60).fit(X, rng.normal(size=(120, 2)))
    ax = drawn(orff.plot_field(model, everywhere=True))
    assert ax.get_aspect() == pytest.approx(1 / np.cos(np.radians(X[:, 1].min() / 2 + X[:, 1].max() / 2)))
    assert any(text.get_text().endswith("°W") for text in ax.get_xticklabels())
    assert any(text.get_text().endswith("°N") for text in ax.get_yticklabels())


def test_curves_and_scalars(field):
    X, Y = field
    line = orff.ORFFRegressor(sigma=0.7, features=60).fit(X[:, :1], Y[:, 1])
    ax = drawn(orff.plot_field(line))
    np.testing.assert_allclose(ax.lines[0].get_ydata(), line.predict(ax.lines[0].get_xdata()[:, None]), rtol=1e-9)
    one = orff.ORFFRegressor(sigma=0.7, features=60).fit(X, Y[:, 1])
    assert drawn(orff.plot_field(one)).images
    held = orff.ORFFRegressor(sigma=0.7, features=60).fit(np.c_[X, X[:, :1]], Y[:, 1])
    a, b = (orff.plot_field(held, at={2: value}, everywhere=True).images[0].get_array() for value in (-0.5, 0.5))
    assert np.abs(a - b).max() > 1e-3


def test_calibration_and_residuals(field):
    X, Y = field
    model = orff.ORFFRegressor(kernel="div-free", sigma=0.7, features=60).fit(X[:200], Y[:200])
    ax = drawn(orff.plot_calibration(model, X[200:], Y[200:]))
    for line in ax.lines[1:]:
        assert np.abs(line.get_xdata() - line.get_ydata()).max() < 20
    ax = drawn(orff.plot_residuals(model, X[200:], Y[200:]))
    np.testing.assert_allclose(ax.lines[1].get_ydata(), (Y[200:] - model.predict(X[200:]))[:, 0])


def script_of(program, tmp_path, *arguments):
    """The blocks of numbers in the script that `orff plot` keeps."""
    subprocess.run([program, "plot", *map(str, arguments), "-o", str(tmp_path / "p.svg"), "--keep"], check=True, cwd=tmp_path)
    blocks, name = {}, None
    lines = (tmp_path / "p.svg.gp").read_text().splitlines()
    (tmp_path / "p.svg.gp").unlink()
    for line in lines:
        if line.startswith("$") and line.endswith("<< EOD"):
            name, blocks[line[1:].split()[0]] = line[1:].split()[0], []
        elif line == "EOD":
            name = None
        elif name and line:
            blocks[name].append([float(word) for word in line.split()])
    return {name: np.array(rows) for name, rows in blocks.items()}


@pytest.mark.skipif(not shutil.which("gnuplot"), reason="the program draws by gnuplot")
def test_the_program_has_the_same_numbers(field, program, tmp_path):
    """The spectrum, the output matrix and the curves of a tuning, each by the program and by matplotlib."""
    X, Y = field
    orff.ORFFRegressor(sigma=0.5, features=60, output_matrix=[[1.0, 0.3], [0.3, 2.0]]).fit(X, Y).save(tmp_path / "m.orff")
    model = orff.load(tmp_path / "m.orff")
    ax, found = orff.plot_spectrum(model), script_of(program, tmp_path, "m.orff", "--what", "spectrum")
    for line, name in zip(ax.lines, ("learned", "prior")):
        np.testing.assert_allclose(np.transpose(line.get_data()), found[name], rtol=1e-6)
    matrix = script_of(program, tmp_path, "m.orff", "--what", "matrix")["matrix"]
    np.testing.assert_allclose(np.asarray(orff.plot_matrix(model).images[0].get_array()).ravel(), matrix[:, 2], rtol=1e-5)
    np.savetxt(tmp_path / "d.csv", np.c_[X, Y], delimiter=",", header="x,y,u,v", comments="")
    subprocess.run([program, "tune", "d.csv", "--outputs", "u,v", "--sigma", "0.5", "--sigma", "1", "--features", "40", "--report",
                    "r.csv", "-o", "t.orff"], check=True, cwd=tmp_path, capture_output=True)
    lines, curves = orff.plot_tuning(tmp_path / "r.csv").lines, script_of(program, tmp_path, "r.csv")
    rows = np.concatenate([np.transpose(line.get_data()) for line in lines[:2]])
    np.testing.assert_allclose(rows, curves["curves"], rtol=1e-8)
    np.testing.assert_allclose(np.transpose(lines[2].get_data()), curves["best"], rtol=1e-8)


def test_power_is_that_of_a_transform(field):
    """Of the field on a grid under Hann's window, by numpy."""
    X, Y = field
    model = orff.ORFFRegressor(sigma=0.5, features=60).fit(X, Y)
    low, high, n = X.min(axis=0), X.max(axis=0), 128
    x, y = (low[k] + (high[k] - low[k]) * np.arange(n) / n for k in range(2))
    F = model.predict(np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)).reshape(n, n, 2)
    hann = (1 - np.cos(2 * np.pi * np.arange(n) / n)) * np.sqrt(2 / 3)
    q = [2 * np.pi / (high[k] - low[k]) * np.fft.fftfreq(n, 1 / n) for k in range(2)]
    at = np.hypot(*np.meshgrid(*q, indexing="ij"))
    power = (np.abs(np.fft.fft2(F * np.outer(hann, hann)[:, :, None], axes=(0, 1)) / n ** 2) ** 2).sum(axis=2)
    found = model.model_.power(low, high, [0, 1])
    np.testing.assert_allclose(found["learned"], np.histogram(at, found["edges"], weights=power)[0], rtol=0.03,
                               atol=1e-3 * power.sum())


def test_tuning_and_matrices(field):
    X, Y = field
    tuned = orff.ORFFRegressor(features=40).tune(X, Y, sigma=[0.3, 1.0], lambda_=[1e-6, 1e-2])
    ax = drawn(orff.plot_tuning(tuned))
    assert ax.lines[-1].get_ydata()[0] == pytest.approx(np.sqrt(min(tuned.tune_results_["cv_mse"])))
    assert drawn(orff.plot_tuning(tuned.path(X, Y))).lines
    assert orff.plot_tuning({"base": ["gaussian", "laplace"], "cv_mse": [1.0, 2.0]}).get_xlabel() == "candidates"
    two = orff.ORFFRegressor(kernel="decomposable+decomposable", sigma=[0.3, 1.0], features=40).fit(X, Y)
    assert len(orff.plot_matrix(two)) == 2
    assert orff.plot_matrix(two, pyplot.subplots()[1], part=1).get_title().startswith("part 2")
    with pytest.raises(ValueError, match="no part"):
        orff.plot_matrix(orff.ORFFRegressor(kernel="div-free", sigma=1, features=20).fit(X, Y))
    with pytest.raises(ValueError, match="no scores"):
        orff.plot_tuning(two)
    with pytest.raises(orff.OrffError, match="sum of waves"):
        orff.plot_spectrum(orff.OVKRegressor(sigma=1.0).fit(X[:50], Y[:50]))


def test_what_cannot_be_drawn_says_so(model, field):
    with pytest.raises(ValueError, match="culr.*choose from"):
        orff.plot_field(model, what="culr")
    with pytest.raises(ValueError, match="region"):
        orff.plot_field(model, region=[(1, 0), (0, 1)])
    with pytest.raises(ValueError, match="no input 'depth'"):
        orff.plot_field(model, at={"depth": 3})
    with pytest.raises(ValueError, match="output is 2"):
        orff.plot_field(model, what="outputs", output=2)


def test_links_are_arrows():
    """Of a chain a -> b -> c two arrows are drawn, the stronger link wider, and its own past is no arrow."""
    links = {"strength": np.array([[0.8, 0.1, 0.0], [0.9, 0.2, 0.1], [0.0, 0.3, 0.1]]),
             "probability": np.array([[0.001, 0.5, 0.7], [0.001, 0.4, 0.6], [0.3, 0.01, 0.9]])}
    ax = drawn(orff.plot_links(links, ["a", "b", "c"]))
    arrows = [text.arrow_patch for text in ax.texts if getattr(text, "arrow_patch", None)]
    assert len(arrows) == 2 and arrows[0].get_linewidth() > arrows[1].get_linewidth()
    assert len([text for text in orff.plot_links(links, level=1e-9).texts if getattr(text, "arrow_patch", None)]) == 0
