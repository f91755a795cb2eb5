"""Pictures of what a model chose and learned, as `orff plot` draws them: tuning, output matrices, the spectrum."""
from __future__ import annotations

import csv
import os
from typing import Any, NamedTuple, Optional

import numpy as np

from ._arrays import Array
from ._plots import _axes, _colour_map, _Described, _pyplot, _shares, _units_shown

_COLOURED = 8  # candidates drawn in colour and listed in the key
_MOST = 3.0  # errors up to this multiple of the smallest are drawn
_WRITTEN = 12  # largest number of outputs for numbers in the squares
_NAMED = 40  # and for names
# Colours that colour-blind people can distinguish, each with its own marker.
_INKS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255", "#7f7f7f")
_MARKS = "osv^DXP*"


# ---- tuning


class _Curve(NamedTuple):
    """A candidate: its errors against the varied parameter."""

    label: str
    x: list
    rmse: list

    @property
    def least(self) -> float:
        return min(self.rmse)


def _collect(rows: Any) -> list[_Curve]:
    """From rows (label, x, rmse): a curve for each label, the best first."""
    found: dict[str, _Curve] = {}
    for label, x, rmse in rows:
        curve = found.setdefault(label, _Curve(label, [], []))
        curve.x.append(x)
        curve.rmse.append(rmse)
    return sorted(found.values(), key=lambda curve: curve.least)


def _report_curves(path: Any) -> list[_Curve]:
    """Curves from a report of `orff tune --report`."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or not {"label", "lambda", "cv_rmse"} <= set(rows[0]):
        raise ValueError(f"{path}: not a report of orff tune, which has the columns label, lambda and cv_rmse")
    return _collect((row["label"], float(row["lambda"]), float(row["cv_rmse"])) for row in rows)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


def _varied(results: dict) -> Optional[str]:
    """The horizontal axis: the penalty, else the first number that was varied."""
    numbers = [name for name, values in results.items()
               if name != "cv_mse" and len({str(value) for value in values}) > 1 and all(map(_is_number, values))]
    return "lambda_" if "lambda_" in numbers else numbers[0] if numbers else None


def _tuned_curves(results: dict) -> tuple[list[_Curve], Optional[str]]:
    """Curves from the results of tune."""
    along = _varied(results)
    others = [name for name in results if name not in ("cv_mse", along)]
    rows = []
    for i, mse in enumerate(results["cv_mse"]):
        label = ", ".join(f"{name.rstrip('_')} {results[name][i]}" for name in others)
        rows.append((label, results[along][i] if along else len(rows) + 1, float(np.sqrt(mse))))
    return _collect(rows), along


def _curves(tuned: Any) -> tuple[list[_Curve], Optional[str]]:
    if isinstance(tuned, (str, os.PathLike)):
        return _report_curves(tuned), "lambda"
    if isinstance(tuned, dict) and {"lambda", "cv_mse"} <= set(tuned):
        return _collect(("", x, mse ** 0.5) for x, mse in zip(tuned["lambda"], tuned["cv_mse"])), "lambda"
    results = tuned if isinstance(tuned, dict) else getattr(tuned, "tune_results_", None)
    if not results or "cv_mse" not in results:
        raise ValueError("there are no scores of candidates: give an estimator after tune(), what path() returns, or a report of "
                         "orff tune")
    return _tuned_curves(results)


@_shares
def plot_tuning(tuned: Any, ax: Any = None) -> Any:
    """Draw the cross-validated error of candidates, one line for each, against the penalty lambda.

    If lambda was not varied, the horizontal axis is the first number that was.

    Parameters
    ----------
    tuned : estimator, dict or path
        An estimator after tune(), what path() returns, or a report of `orff tune --report`.
    {ax}

    {axes}

    Examples
    --------
    {imports}
    >>> X = np.random.default_rng(0).uniform(-1, 1, (150, 2)); Y = np.c_[-X[:, 1], X[:, 0]]
    >>> model = orff.ORFFRegressor(kernel="div-free", features=50)
    >>> model = model.tune(X, Y, sigma=[0.5, 2.0], lambda_=[1e-6, 1e-3, 1.0])
    >>> ax = orff.plot_tuning(model)
    >>> len(ax.lines), ax.get_xlabel()
    (3, 'lambda')
    """
    curves, along = _curves(tuned)
    ax = _axes(ax)
    grey = {"color": "#bbbbbb", "linewidth": 1, "marker": "." if all(len(curve.x) == 1 for curve in curves) else ""}
    for i, curve in enumerate(curves[_COLOURED:]):
        ax.plot(curve.x, curve.rmse, label=None if i else f"{len(curves) - _COLOURED} others", **grey)
    for curve, ink, mark in zip(curves, _INKS, _MARKS):
        ax.plot(curve.x, curve.rmse, color=ink, marker=mark, markersize=4, label=curve.label or None)
    best, least = curves[0], curves[0].least
    at = best.x[best.rmse.index(least)]
    ax.plot([at], [least], "o", markersize=11, markerfacecolor="none", markeredgecolor="#111111", markeredgewidth=1.8,
            label=f"best: {least:.4g}" + (f" at {at:.3g}" if along else ""))
    _dress_tuning(ax, curves, along)
    return ax


def _dress_tuning(ax: Any, curves: list[_Curve], along: Optional[str]) -> None:
    places = [x for curve in curves for x in curve.x]
    if along and min(places) > 0:
        ax.set_xscale("log")
    if not along:
        ax.set_xticks([])
    errors = [error for curve in curves for error in curve.rmse]
    least, most = min(errors), max(errors)
    if least > 0:
        ax.set_ylim(0.95 * least, 1.05 * min(most, _MOST * least))
    ax.set(xlabel=along.rstrip("_") if along else "candidates", ylabel="cross-validated RMSE")
    ax.grid(axis="y", color="#dddddd", linewidth=0.5)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(loc="best", fontsize="small", framealpha=0.8)


# ---- output matrices


def _correlation(A: Array) -> Array:
    """The correlation matrix; an output that does not vary has no correlations."""
    root = np.sqrt(np.diag(A))
    size = np.outer(root, root)
    return np.divide(A, size, out=np.zeros_like(A), where=size > 0)


@_shares
def plot_matrix(model: Any, ax: Any = None, *, part: Optional[int] = None) -> Any:
    """Draw how the outputs are coupled: the correlations of the kernel's output matrix, in colours.

    Parameters
    ----------
    model : ORFFRegressor, OVKRegressor or Field
        A fitted model whose kernel has decomposable parts.
    ax : matplotlib.axes.Axes, optional
        Where to draw one matrix; by default a new figure with one for each part.
    part : int, optional
        Which part of a sum; by default all that have a matrix, or the first of them if ax is given.

    Returns
    -------
    matplotlib.axes.Axes or ndarray of them
        An array if several are drawn.

    Examples
    --------
    {imports}
    >>> x = np.linspace(0, 6, 80)[:, None]; Y = np.c_[np.sin(x), 2 * np.sin(x), -np.sin(x)]
    >>> model = orff.OVKRegressor(output_matrix="learn").fit(x, Y + np.random.default_rng(0).normal(0, 0.1, Y.shape))
    >>> ax = orff.plot_matrix(model)
    >>> np.sign(ax.images[0].get_array()[0]).tolist()
    [1.0, 1.0, -1.0]
    """
    drawn = _Described(model)
    matrices = drawn.model.output_matrices()
    if part is not None and part not in matrices:
        raise ValueError(f"part is {part}; those with an output matrix are {', '.join(map(str, matrices)) or 'none'}")
    if not matrices:
        raise ValueError("no part of the model has an output matrix; kernels k(x, z) A have one")
    wanted = [part] if part is not None else list(matrices) if ax is None else list(matrices)[:1]
    axes = np.atleast_1d(_pyplot().subplots(1, len(wanted))[1] if ax is None else ax)
    for i, one in zip(wanted, axes):
        _draw_matrix(drawn, one, _correlation(matrices[i]))
        if len(matrices) > 1:
            scales = np.atleast_1d(drawn.model.parts()[i].sigma)
            one.set_title(f"part {i + 1}, length scale {scales[0]:.3g}")
    return axes[0] if len(wanted) == 1 else axes


def _draw_matrix(drawn: _Described, ax: Any, R: Array) -> None:
    p = len(R)
    image = ax.imshow(R, cmap=_colour_map(True), vmin=-1, vmax=1)
    names = [(entry.get("name") or f"y{k + 1}")[:16] for k, entry in enumerate(drawn.outputs or [{}] * p)]
    ticks = range(p) if p <= _NAMED else []
    ax.set_xticks(ticks, names if p <= _NAMED else [], rotation=45 if max(map(len, names)) > 3 else 0, ha="right"
                  if max(map(len, names)) > 3 else "center")
    ax.set_yticks(ticks, names if p <= _NAMED else [])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    for (i, j), value in np.ndenumerate(R if p <= _WRITTEN else R[:0]):
        ax.text(j, i, f"{value:.2f}", ha="center", va="center", color="white" if abs(value) > 0.6 else "black", size="small")
    ax.figure.colorbar(image, ax=ax, label="correlation")


# ---- the spectrum


@_shares
def plot_spectrum(model: Any, ax: Any = None) -> Any:
    """Draw the power of the learned field against wavenumber, over the region of its data, and that of its kernel.

    Parameters
    ----------
    model : ORFFRegressor or Field
        A model fitted by the engine lattice or features, which are sums of waves.
    {ax}

    {axes}

    Examples
    --------
    {imports}
    >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 2)); wave = np.sin(12 * X[:, 0])
    >>> ax = orff.plot_spectrum(orff.ORFFRegressor(sigma=0.2, engine="lattice").fit(X, wave))
    >>> wavenumber, power = ax.lines[0].get_data()
    >>> bool(8 < wavenumber[power.argmax()] < 16)
    True
    """
    drawn = _Described(model)
    _check_units("inputs", [drawn.inputs[i].get("units") for i in drawn.free if i < len(drawn.inputs)])
    _check_units("outputs", [entry.get("units") for entry in drawn.outputs])
    region = np.array([drawn._range(i) for i in range(drawn.model.inputs)])
    power = drawn.model.power(region[:, 0], region[:, 1], drawn.free)
    ax = _axes(ax)
    edges = power["edges"]
    middle, width = np.sqrt(edges[1:] * edges[:-1]), np.diff(edges)
    for name, how in (("learned", {"marker": "o", "markersize": 4, "color": "#0072b2", "label": "learned field"}),
                      ("prior", {"linestyle": "--", "color": "#111111", "label": "kernel"})):
        if power[name] is not None:
            seen = power[name] > 0
            ax.plot(middle[seen], power[name][seen] / width[seen], **how)
    _dress_spectrum(drawn, ax, edges)
    return ax


def _check_units(side: str, units: list) -> None:
    """Wavenumbers and squares of numbers with different units cannot be added."""
    known = {"degree" if unit.startswith("degree") else unit for unit in units if unit}
    if len(known) > 1:
        raise ValueError(f"{side} have the units {' and '.join(sorted(known))}, but a spectrum needs one unit")


def _dress_spectrum(drawn: _Described, ax: Any, edges: Array) -> None:
    unit = "km" if drawn.model.describe().on_plane else drawn.inputs[drawn.free[0]].get("units") if drawn.inputs else None
    unit = "degree" if unit and unit.startswith("degree") else unit
    output = drawn.outputs[0].get("units") if drawn.outputs else None
    ax.set(xscale="log", yscale="log", xlim=(edges[0], edges[-1]), xlabel="wavenumber" + (f" (rad/{unit})" if unit else ""),
           ylabel="power per wavenumber" + (f" (({_units_shown(output)})²" + (f"/(rad/{unit}))" if unit else ")") if output else ""))
    above = ax.secondary_xaxis("top", functions=(_turned, _turned))
    above.set_xlabel("wavelength" + (f" ({unit})" if unit else ""))
    for axis in (ax.xaxis, above.xaxis):
        _name_tics(axis)
    ax.grid(color="#dddddd", linewidth=0.5)
    ax.legend(loc="lower left", frameon=False)


def _turned(value: Array) -> Array:
    """Converts wavenumbers to wavelengths, and back."""
    with np.errstate(divide="ignore"):
        return 2 * np.pi / np.asarray(value, dtype=float)


def _name_tics(axis: Any) -> None:
    """Labels 1, 2 and 5 times powers of ten in plain numbers, because a spectrum spans few powers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=30))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
