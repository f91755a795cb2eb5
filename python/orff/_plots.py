"""Pictures by matplotlib, as `orff plot` draws them: each function draws into axes and returns them."""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, TypeVar

import numpy as np

from . import _notes
from ._arrays import Array
from ._errors import OrffError
from ._xarray import Field

_Function = TypeVar("_Function", bound=Callable)
_NODES = 120  # nodes along the longer side
_LITTLE_KNOWN = 0.7  # largest standard deviation drawn, relative to the prior: the data explain half of the variance
_DERIVED = {"divergence": "divergence", "curl": "curl", "potential": "potential", "stream": "stream_function"}
_VELOCITIES = {"m/s", "cm/s", "mm/s", "km/s", "km/h", "m/h", "ft/s", "kn", "kt", "kts", "knot", "knots", "mph"}
_ROUNDING = 1e-9  # in a slope, relative to the field divided by the width of the map
_SIGNS = {"degC": "°C", "degF": "°F", "degree": "°", "degrees": "°"}


# ---- shared parts of the docstrings: a line "{name}" is replaced by these lines

_SHARED = {
    "data": """model : ORFFRegressor or OVKRegressor
        A fitted model with a posterior.
    X : array-like of shape (n, d)
        Inputs it has not seen.
    y : array-like of shape (n, p) or (n,)
        Their outputs.""",
    "ax": """ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.""",
    "axes": """Returns
    -------
    matplotlib.axes.Axes""",
    "imports": """>>> import matplotlib; matplotlib.use("Agg")
    >>> import numpy as np, orff""",
    "rotation": """>>> X = np.random.default_rng(0).uniform(-1, 1, (150, 2))
    >>> model = orff.ORFFRegressor(kernel="div-free").fit(X, np.c_[-X[:, 1], X[:, 0]])""",
    "first_rows": """>>> X = np.random.default_rng(0).uniform(-1, 1, (150, 2))
    >>> model = orff.ORFFRegressor(kernel="div-free").fit(X[:100], np.c_[-X[:100, 1], X[:100, 0]])""",
}


def _shares(function: _Function) -> _Function:
    for name, text in _SHARED.items():
        function.__doc__ = function.__doc__ and function.__doc__.replace(f"{{{name}}}\n", text + "\n")
    return function


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot
    except ImportError:
        raise ImportError("pictures need the package matplotlib, which is not installed: pip install matplotlib, on Debian "
                          "python3-matplotlib") from None
    return matplotlib.pyplot


# ---- colours: lightness, chroma and hue of OKLCH, in which equal steps look equal


def _linear(lightness: float, chroma: float, hue: float) -> Array:
    a, b = chroma * np.cos(np.radians(hue)), chroma * np.sin(np.radians(hue))
    cone = np.array([lightness + 0.3963377774 * a + 0.2158037573 * b, lightness - 0.1055613458 * a - 0.0638541728 * b,
                     lightness - 0.0894841775 * a - 1.291485548 * b]) ** 3
    return np.array([[4.0767416621, -3.3077115913, 0.2309699292], [-1.2684380046, 2.6097574011, -0.3413193965],
                     [-0.0041960863, -0.7034186147, 1.707614701]]) @ cone


def _screen(lightness: float, chroma: float, hue: float) -> Array:
    """RGB in 0..1, with as much chroma as a screen can show. Exact to the last digit, because steps would show as edges."""
    def is_shown(light: Array) -> bool:
        return bool(light.min() >= -1e-4 and light.max() <= 1.0001)

    low, high = 0.0, chroma
    for _ in range(0 if is_shown(_linear(lightness, chroma, hue)) else 30):
        chroma = (low + high) / 2
        low, high = (chroma, high) if is_shown(_linear(lightness, chroma, hue)) else (low, chroma)
    light = np.clip(_linear(lightness, chroma, hue), 0, 1)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def _colour_map(signs: bool) -> Any:
    """A perceptually uniform colour map without white, which means unknown."""
    from matplotlib.colors import ListedColormap

    def growing(t: float) -> Array:
        return _screen(0.945 - 0.415 * t, 0.06 + 0.04 * np.sin(2.4 * t), 106 + 152 * t)

    def signed(t: float) -> Array:
        side = abs(2 * t - 1)
        return _screen(0.90 - 0.43 * side, 0.165 * side ** 0.9, 240 + 18 * side if t < 0.5 else 45 - 17 * side)

    colours = ListedColormap([(signed if signs else growing)(t) for t in np.linspace(0, 1, 256)])
    colours.set_bad("white")
    return colours


# ---- values and regions


def _units_shown(units: str) -> str:
    """Units in common notation: "m s-1" becomes "m/s"."""
    words = [_SIGNS.get(word, word) for word in units.split()]
    below = [word[:-2] for word in words if word.endswith("-1")]
    above = [word for word in words if not word.endswith("-1")]
    if not below or not all(word.strip("°").isalpha() for word in above + below):
        return " ".join(words)
    return f"{' '.join(above) or '1'}/{below[0] if len(below) == 1 else '(' + ' '.join(below) + ')'}"


class _Described:
    """An estimator, with the descriptions of inputs and outputs in its notes."""

    def __init__(self, model: Any) -> None:
        self.estimator = model.model_ if isinstance(model, Field) else model
        self.model = self.estimator.model_
        if self.model.classes:
            raise ValueError("classes cannot be drawn; a picture needs outputs that are numbers")
        self.notes = _notes.parse(self.model.notes, self.model.inputs, self.model.outputs)
        self.inputs, self.outputs = self.notes.get("inputs", []), self.notes.get("outputs", [])
        covariates = set(self.notes.get("covariates", []))
        self.free = [i for i in range(self.model.inputs) if i not in covariates]

    def _range(self, i: int) -> tuple:
        entry = self.inputs[i] if i < len(self.inputs) else {}
        if "low" not in entry:
            raise ValueError("the model does not say where its data were; give a region")
        return entry["low"], entry["high"]


class _Map(_Described):
    """An estimator over a region of one or two of its inputs; the others are fixed."""

    def __init__(self, model: Any, region: Optional[Sequence], at: Any) -> None:
        super().__init__(model)
        self.axes = self.free[:2]
        self.fixed = np.array([self._middle(i) for i in range(self.model.inputs)])
        for key, value in dict(at or {}).items():
            self.fixed[self._place(key)] = value
        self.region = [tuple(map(float, side)) for side in region] if region is not None else [self._range(i) for i in self.axes]
        if len(self.region) != len(self.axes) or not all(high > low for low, high in self.region):
            raise ValueError(f"region is {region}; give a pair (low, high), low < high, for each of {len(self.axes)} inputs")
        self.degrees = len(self.axes) == 2 and bool(self.model.describe().on_plane)

    def _place(self, key: Any) -> int:
        names = [entry.get("name") for entry in self.inputs]
        if key in names:
            return names.index(key)
        if isinstance(key, int) and 0 <= key < self.model.inputs:
            return key
        raise ValueError(f"at: there is no input {key!r}; there are {', '.join(map(str, names))}")

    def _middle(self, i: int) -> float:
        entry = self.inputs[i] if i < len(self.inputs) else {}
        return 0.5 * (entry.get("low", 0.0) + entry.get("high", 0.0))

    @property
    def aspect(self) -> float:
        """Length of a unit of y relative to a unit of x."""
        return 1 / max(np.cos(np.radians(np.mean(self.region[1]))), 0.05) if self.degrees else 1.0

    def sides(self, most: int, centred: bool = False) -> list[Array]:
        """Positions along each axis, `most` of them along the longer side of the map."""
        extents = [high - low for low, high in self.region]
        true = [extents[0]] + [extents[1] * self.aspect for _ in extents[1:]]
        counts = [max(2, round(most * side / max(true))) for side in true]
        found = []
        for (low, high), count in zip(self.region, counts):
            found.append(low + (high - low) * (np.arange(count) + 0.5) / count if centred else np.linspace(low, high, count))
        return found

    def points(self, *sides: Array) -> Array:
        """Rows with all inputs, x varying fastest."""
        mesh = np.meshgrid(*sides)
        X = np.tile(self.fixed, (mesh[0].size, 1))
        for axis, values in zip(self.axes, mesh):
            X[:, axis] = values.ravel()
        return X

    def predict(self, X: Array) -> Array:
        """n x p."""
        return self.model.predict(X)

    def known(self, X: Array, everywhere: bool) -> Array:
        """Where the data determine the field; everywhere if there are no error bars, or the kernel has no exact form."""
        if not everywhere and self.model.describe().has_posterior:
            try:
                return self.estimator.relative_std(X) <= _LITTLE_KNOWN
            except OrffError as error:
                if error.status != "UNSUPPORTED":
                    raise
        return np.ones(len(X), dtype=bool)

    # ---- texts

    def column(self, entries: list, i: int, otherwise: str) -> str:
        """The name of a column, with units."""
        entry = entries[i] if i < len(entries) else {}
        units = entry.get("units")
        return entry.get("name", otherwise) + (f" ({_units_shown(units)})" if units else "")

    def _suffix(self) -> str:
        units = self.outputs[0].get("units") if self.outputs else None
        return f" ({_units_shown(units)})" if units else ""

    def size_name(self) -> str:
        """The name of a vector's length, as far as names and units determine it."""
        names = " ".join(entry.get("name", "") for entry in self.outputs).lower()
        if "wind" in names or "wnd" in names:
            return "wind speed" + self._suffix()
        return ("speed" if self._suffix()[2:-1] in _VELOCITIES else "magnitude") + self._suffix()

    def error_name(self) -> str:
        return "standard deviation" + self._suffix()

    def dress(self, ax: Any) -> None:
        """Sets range, labels and aspect ratio."""
        ax.set_xlim(*self.region[0])
        if len(self.axes) == 2:
            ax.set_ylim(*self.region[1])
            ax.set_aspect(self.aspect)
        if self.degrees:
            ax.xaxis.set_major_formatter(lambda value, _: _degrees((value + 180) % 360 - 180, "W", "E"))
            ax.yaxis.set_major_formatter(lambda value, _: _degrees(value, "S", "N"))
            return
        ax.set_xlabel(self.column(self.inputs, self.axes[0], "x"))
        if len(self.axes) == 2:
            ax.set_ylabel(self.column(self.inputs, self.axes[1], "y"))


def _degrees(value: float, below: str, above: str) -> str:
    """10°W"""
    size = round(abs(value), 6)
    return f"{size:g}°" + ("" if size in (0.0, 180.0) else below if value < 0 else above)


def _axes(ax: Any) -> Any:
    return _pyplot().subplots()[1] if ax is None else ax


# ---- pictures


@_shares
def plot_field(model: Any, ax: Any = None, *, what: str = "field", output: int = 0, region: Optional[Sequence] = None,
               at: Any = None, arrows: int = 24, streamlines: bool = False, points: Any = None, everywhere: bool = False,
               label: Optional[str] = None) -> Any:
    """Draw a field: arrows over the colour of their length, a scalar in colours, or a curve with its 95 % band.

    The map is white where the data explain less than half of the prior variance, and nowhere else. Arrows are scaled by
    quantiles of their lengths; a reference arrow shows the scale.

    Parameters
    ----------
    model : ORFFRegressor, OVKRegressor or Field
        A fitted model. One input gives a curve; more inputs give a map over the first two that are not covariates.
    {ax}
    what : {"field", "outputs", "divergence", "curl", "potential", "stream", "error"}, default="field"
        What to draw. A field that does not have two outputs is drawn as "outputs".
    output : int, default=0
        Which of the outputs.
    region : sequence of (low, high), optional
        One pair for each axis; by default the region of the data.
    at : dict, optional
        Values of the other inputs, by name or number; by default the middle of their range.
    arrows : int, default=24
        Number of arrows along the longer side.
    streamlines : bool, default=False
        Draw lines along the field instead of arrows.
    points : array-like of shape (n, d), optional
        Positions to mark.
    everywhere : bool, default=False
        Also draw where the data say little.
    label : str, optional
        Label of the colour bar; by default it is derived from names and units.

    {axes}

    Examples
    --------
    {imports}
    {rotation}
    >>> ax = orff.plot_field(model, points=X)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x1', 'x2')
    """
    known = ("field", "outputs", "error", *_DERIVED)
    if what not in known:
        raise ValueError(f"what is {what!r}; choose from {', '.join(known)}")
    drawn, ax = _Map(model, region, at), _axes(ax)
    if not 0 <= output < drawn.model.outputs:
        raise ValueError(f"output is {output}; there are {drawn.model.outputs}")
    if len(drawn.axes) == 1:
        return _draw_curve(drawn, ax, output, points)
    if what == "field" and drawn.model.outputs != 2:
        what = "outputs"
    _draw_colours(drawn, ax, what, output, everywhere, label)
    if what == "field":
        _draw_streams(drawn, ax, arrows, everywhere) if streamlines else _draw_arrows(drawn, ax, arrows, everywhere)
    if points is not None:
        places = np.asarray(points, dtype=float)[:, drawn.axes]
        ax.scatter(*places.T, s=min(9.0, 4e4 / len(places)), color="#c2410c", linewidths=0, zorder=3)
    drawn.dress(ax)
    return ax


@_shares
def plot_error(model: Any, ax: Any = None, **how: Any) -> Any:
    """Draw the standard deviation of the field, everywhere.

    Parameters
    ----------
    model : ORFFRegressor, OVKRegressor or Field
        A fitted model with a posterior.
    {ax}
    **how
        As for plot_field: region, at, points, label.

    {axes}

    Examples
    --------
    {imports}
    {rotation}
    >>> ax = orff.plot_error(model, region=[(-2, 2), (-1, 1)])
    """
    return plot_field(model, ax, what="error", everywhere=True, **how)


def _without_rounding(drawn: _Map, X: Array, values: Array) -> Array:
    """Sets values to zero that the kernel makes zero up to rounding, because the pattern of rounding is meaningless."""
    least = _ROUNDING * np.abs(drawn.predict(X)).max() / (drawn.region[0][1] - drawn.region[0][0])
    return values if np.abs(values).max() > least else np.zeros_like(values)


def _values(drawn: _Map, X: Array, what: str, output: int) -> tuple:
    """The values, their name, and whether they are signed."""
    if what == "error":
        return np.linalg.norm(drawn.model.std(X), axis=1), drawn.error_name(), False
    if what in _DERIVED:
        values = drawn.model.derive(_DERIVED[what], X)
        return (_without_rounding(drawn, X, values), what, True) if what in ("divergence", "curl") else (values, what, False)
    F = drawn.predict(X)
    if what == "field":
        return np.linalg.norm(F, axis=1), drawn.size_name(), False
    return F[:, output], drawn.column(drawn.outputs, output, f"y{output + 1}"), None


def _draw_colours(drawn: _Map, ax: Any, what: str, output: int, everywhere: bool, label: Optional[str]) -> None:
    sides = drawn.sides(_NODES)
    X = drawn.points(*sides)
    values, name, signs = _values(drawn, X, what, output)
    if values.shape != (len(X),):
        raise ValueError(f"{what} is a picture of two inputs and two outputs; there are {drawn.model.outputs} outputs")
    seen = values[drawn.known(X, everywhere)]
    low, high = np.quantile(seen, [0.02, 0.98]) if len(seen) else (0.0, 1.0)
    if signs is None:
        signs = low < 0 < high and min(-low, high) > 0.1 * max(-low, high)
    if signs:
        high = max(abs(low), abs(high)) or 1.0  # all zero: the colour in the middle
        low = -high
    elif what == "field" or (what == "error" and low < 0.5 * high):
        low = 0.0
    masked = np.ma.array(values, mask=~drawn.known(X, everywhere)).reshape(len(sides[1]), len(sides[0]))
    extent = [*drawn.region[0], *drawn.region[1]]
    image = ax.imshow(masked, cmap=_colour_map(bool(signs)), vmin=low, vmax=high, origin="lower", extent=extent,
                      interpolation="bilinear", aspect=drawn.aspect)
    if what in ("potential", "stream") or (what == "outputs" and drawn.model.outputs == 1):
        ax.contour(*sides, masked, levels=10, colors="#111111", linewidths=0.6)
    ax.figure.colorbar(image, ax=ax, label=label or name)


def _vectors(drawn: _Map, sides: list, everywhere: bool) -> tuple:
    X = drawn.points(*sides)
    F = np.where(drawn.known(X, everywhere)[:, None], drawn.predict(X), np.nan)
    shape = len(sides[1]), len(sides[0])
    return F[:, 0].reshape(shape), F[:, 1].reshape(shape)


def _round_below(value: float) -> float:
    """1, 2 or 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(power * max(step for step in (1, 2, 5) if step * power <= value * (1 + 1e-9)))


def _draw_arrows(drawn: _Map, ax: Any, arrows: int, everywhere: bool) -> None:
    """Nine of ten arrows are at most as long as their spacing, and 99 of a hundred at most 2.5 times as long: longer
    ones would cover the heads of the next. Angles are those on the displayed map."""
    sides = drawn.sides(arrows, centred=True)
    u, v = _vectors(drawn, sides, everywhere)
    lengths = np.hypot(u, v)[np.isfinite(u)]
    usual = float(max(np.quantile(lengths, 0.9), np.quantile(lengths, 0.99) / 2.5)) if len(lengths) else 0.0
    if not usual > 0:
        return
    step = sides[0][1] - sides[0][0]
    quiver = ax.quiver(*sides, u, v, angles="uv", pivot="mid", scale_units="x", scale=usual / step, color="#111111",
                       width=0.0022, zorder=2)
    value = _round_below(usual)
    ax.quiverkey(quiver, 0.92, 1.03, value, f"{value:g}{drawn._suffix().replace('(', '').replace(')', '')}", labelpos="W")


def _draw_streams(drawn: _Map, ax: Any, arrows: int, everywhere: bool) -> None:
    """Draws streamlines. matplotlib's follow vectors in the units of the axes."""
    sides = drawn.sides(_NODES // 2)
    u, v = _vectors(drawn, sides, everywhere)
    ax.streamplot(*sides, u, v / drawn.aspect, color="#111111", linewidth=0.7, arrowsize=0.8, density=arrows / 16)


def _draw_curve(drawn: _Map, ax: Any, output: int, points: Any) -> Any:
    x = np.linspace(*drawn.region[0], 400)
    X = drawn.points(x)
    F = drawn.predict(X)[:, output]
    if drawn.model.describe().has_posterior:
        std = drawn.model.std(X)[:, output]
        ax.fill_between(x, F - 1.96 * std, F + 1.96 * std, color="#c6e5f2", linewidth=0, label="95 %")
    ax.plot(x, F, color="#0072b2", label="field")
    if points is not None:
        ax.plot(np.asarray(points, dtype=float)[:, drawn.axes[0]], np.full(len(points), np.nan), ".", color="#c2410c")
    drawn.dress(ax)
    ax.set_ylabel(drawn.column(drawn.outputs, output, f"y{output + 1}"))
    return ax


# ---- errors on data


def _residuals(model: Any, X: Any, y: Any) -> tuple:
    """Measured minus predicted, and standard deviations of measurements: n x p each; and the names of the outputs."""
    estimator = model.model_ if isinstance(model, Field) else model
    F, std = estimator.predict(X, return_std=True, with_noise=True)
    F, std = (np.asarray(part, dtype=float).reshape(len(F), -1) for part in (F, std))
    notes = _notes.parse(estimator.model_.notes, estimator.model_.inputs, estimator.model_.outputs)
    names = [entry.get("name", f"y{k + 1}") for k, entry in enumerate(notes.get("outputs", [{}] * F.shape[1]))]
    return F, np.asarray(y, dtype=float).reshape(F.shape) - F, std, names


@_shares
def plot_calibration(model: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """Draw how often values lie within the intervals of the model. A perfect model is on the diagonal.

    Parameters
    ----------
    {data}
    {ax}

    {axes}

    Examples
    --------
    {imports}
    {first_rows}
    >>> ax = orff.plot_calibration(model, X[100:], np.c_[-X[100:, 1], X[100:, 0]])
    >>> len(ax.lines)
    3
    """
    from scipy.special import erf

    ax = _axes(ax)
    _, residuals, std, names = _residuals(model, X, y)
    ax.plot([0, 100], [0, 100], "--", color="#111111", linewidth=1, label="ideal")
    for k, name in enumerate(names):
        claims = erf(np.abs(residuals[:, k]) / std[:, k] / np.sqrt(2))
        claims = np.sort(claims[np.isfinite(claims)])
        shares = (np.arange(len(claims)) + 0.5) / len(claims)
        ax.plot(100 * np.r_[0, claims, 1], 100 * np.r_[0, shares, 1], label=name)
    ax.set(xlabel="interval of the model (%)", ylabel="values inside (%)", xlim=(0, 100), ylim=(0, 100), aspect="equal")
    ax.legend()
    return ax


@_shares
def plot_residuals(model: Any, X: Any, y: Any, ax: Any = None) -> Any:
    """Draw measured minus predicted against predicted values.

    Parameters
    ----------
    {data}
    {ax}

    {axes}

    Examples
    --------
    {imports}
    {first_rows}
    >>> ax = orff.plot_residuals(model, X[100:], np.c_[-X[100:, 1], X[100:, 0]])
    >>> ax.get_ylabel()
    'measured minus predicted'
    """
    ax = _axes(ax)
    F, residuals, _, names = _residuals(model, X, y)
    ax.axhline(0, linestyle="--", color="#111111", linewidth=1)
    for k, name in enumerate(names):
        ax.plot(F[:, k], residuals[:, k], ".", markersize=3, label=name)
    ax.set(xlabel="predicted", ylabel="measured minus predicted")
    ax.legend()
    return ax


@_shares
def plot_links(links: dict, names: Optional[Sequence[str]] = None, ax: Any = None, *, level: float = 0.05) -> Any:
    """Draw which series drives which: an arrow for each link, whose width is its strength.

    Parameters
    ----------
    links : dict
        The result of ORFFVAR.links: "strength" and "probability" (p, p).
    names : sequence of str, optional
        Names of the series; by default y1, y2, ..
    {ax}
    level : float, default=0.05
        Draw the links whose probability of being due to chance is below this.

    {axes}

    Examples
    --------
    {imports}
    >>> links = {"strength": np.array([[0.5, 0.0], [0.9, 0.1]]), "probability": np.array([[0.01, 0.6], [0.001, 0.4]])}
    >>> ax = orff.plot_links(links, ["a", "b"])
    >>> sorted(text.get_text() for text in ax.texts if text.get_text())
    ['a', 'b']
    """
    ax = _axes(ax)
    strength, probability = np.asarray(links["strength"]), np.asarray(links["probability"])
    p = len(strength)
    angle = np.pi / 2 - 2 * np.pi * np.arange(p) / p
    at = np.c_[np.cos(angle), np.sin(angle)]
    there = (probability < level) & ~np.eye(p, dtype=bool)
    most = strength[there].max() if there.any() else 1.0
    for k, j in zip(*np.nonzero(there)):
        ax.annotate("", at[k], at[j], arrowprops={
            "arrowstyle": "-|>", "linewidth": 0.5 + 3.0 * strength[k, j] / most, "color": "#444444", "shrinkA": 18,
            "shrinkB": 18, "connectionstyle": "arc3,rad=0.12"})
    for k in range(p):
        own = probability[k, k] < level  # driven by its own past: a thicker rim
        ax.text(*at[k], str(names[k]) if names is not None else f"y{k + 1}", ha="center", va="center",
                bbox={"boxstyle": "circle", "facecolor": "white", "edgecolor": "#111111", "linewidth": 2.0 if own else 0.6})
    ax.set(xlim=(-1.4, 1.4), ylim=(-1.4, 1.4), aspect="equal")
    ax.set_axis_off()
    return ax
