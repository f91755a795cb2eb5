"""Pictures by matplotlib: what they show is what the model says."""
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
