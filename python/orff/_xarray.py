"""Fields from xarray: a Dataset to learn from, a Dataset of predictions."""
from __future__ import annotations

from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _notes
from ._arrays import Array
from ._arrow import Table
from ._coordinates import guess, kind_of, numbers_of, origin_of, times_of, units_of
from ._errors import OrffError, check
from ._estimator import ModelEstimator
from ._library import __version__, ffi, lib, owner
from ._regressor import ORFFRegressor
from ._settings import Settings, name_of

_KEPT = ("units", "standard_name", "long_name")  # attributes of the data that also apply to predictions
_FIELDS = ("jacobian", "divergence", "curl", "potential", "stream_function")
_INTEGRATED = ("potential", "stream_function")


def _xarray() -> Any:
    try:
        import xarray
    except ImportError:
        raise ImportError("fields of Datasets need the package xarray, which is not installed: pip install xarray, on "
                          "Debian python3-xarray") from None
    return xarray


def fit_field(ds: Any, variables: Union[str, Sequence[str]], coords: Optional[Sequence[str]] = None, *,
              geo: Optional[str] = None, select: Optional[dict] = None, errors: Union[str, Sequence[str], None] = None,
              estimator: Any = None, **parameters: Any) -> "Field":
    """Learn a field from variables of an xarray Dataset.

    Every cell is a row. If some variables of a cell are missing, the others are used. Cells without any variable, or without
    a coordinate, are left out. Times become hours since the first time.

    Parameters
    ----------
    ds : xarray.Dataset
        The data, on a grid of any dimensions or along a track; coordinates may have one dimension or more.
    variables : str or sequence of str
        The outputs. Give the components of a vector in the order of the coordinates: eastward, northward.
    coords : sequence of str, optional
        The inputs. The default is longitude and latitude, if there are such coordinates, and the coordinate of every other
        dimension longer than one: x before y, time last.
    geo : {"lonlat", "none"}, optional
        The default is "lonlat" for two variables whose first coordinates are longitude and latitude. The field is then
        learned in km.
    select : dict, optional
        The part of the data to use, as for `ds.sel`: {"time": slice("2020-01-01", "2020-01-07")}.
    errors : str or sequence of str, optional
        Variables with the standard deviation of the error of each cell: one for all outputs, or one for each.
    estimator : ORFFRegressor or OVKRegressor, optional
        The estimator to fit. The default is an ORFFRegressor.
    **parameters
        Parameters of ORFFRegressor, if no estimator is given. Inputs that are not coordinates of the field's space become
        its `covariates`.

    Returns
    -------
    Field

    Examples
    --------
    >>> import numpy as np, orff, xarray as xr
    >>> x, y = np.linspace(-1, 1, 12), np.linspace(-1, 1, 10)
    >>> ds = xr.Dataset({"u": (("y", "x"), -y[:, None] + 0 * x), "v": (("y", "x"), x + 0 * y[:, None])}, {"x": x, "y": y})
    >>> field = orff.fit_field(ds, ["u", "v"], kernel="div-free")
    >>> field.coords
    ('x', 'y')
    >>> fine = field.predict({"x": [0.0, 0.5], "y": [0.1]}, std=True, derive=["curl"])
    >>> sorted(fine.data_vars), dict(fine.sizes)
    (['curl', 'curl_std', 'u', 'u_std', 'v', 'v_std'], {'y': 1, 'x': 2})
    """
    _xarray()
    names = [variables] if isinstance(variables, str) else list(variables)
    _check_there(ds, names, "variable")
    ds = ds.sel(select) if select else ds
    coords = tuple(guess(ds, names) if coords is None else [coords] if isinstance(coords, str) else coords)
    _check_there(ds, coords, "coordinate")
    if estimator is None:
        geo = _guess_geo(ds, names, coords) if geo is None else geo
        estimator = ORFFRegressor(**parameters, **({} if geo is None else {"geo": geo}))
    elif parameters or geo is not None:
        raise ValueError(f"{', '.join(parameters) or 'geo'}: give it to the estimator")
    field = Field(estimator, ds, names, coords)
    field._fit(ds, errors)
    return field


def _check_there(ds: Any, names: Sequence[str], what: str) -> None:
    for name in names:
        if name not in ds:
            there = ds.data_vars if what == "variable" else ds.coords
            raise ValueError(f"there is no {what} {name!r}; there are {', '.join(map(str, there)) or 'none'}")
    if not names:
        raise ValueError(f"which {what}s? None is named, and none can be guessed")


def _guess_geo(ds: Any, names: list, coords: tuple) -> Optional[str]:
    kinds = [kind_of(ds[name]) for name in coords[:2]]
    if len(names) != 2 or sorted(kinds) != ["lat", "lon"]:
        return None
    if kinds[0] == "lat":
        raise ValueError(f"coords are {coords}; longitude comes first, then latitude, as eastward and northward components do")
    return name_of("geo", lib.ORFF_GEO_LONLAT)


class Field:
    """A field learned from an xarray Dataset by `orff.fit_field`.

    Attributes
    ----------
    model_ : ORFFRegressor or OVKRegressor
        The estimator. Its inputs are numbers: times are hours since `origins`.
    variables : tuple of str
        The outputs.
    coords : tuple of str
        The inputs.
    origins : dict
        For each time coordinate, the time from which hours are counted.
    """

    def __init__(self, estimator: ModelEstimator, ds: Any, variables: Sequence[str], coords: tuple) -> None:
        self.model_, self.variables, self.coords = estimator, tuple(variables), coords
        self.origins = {name: origin_of(ds[name]) for name in coords if ds[name].dtype.kind == "M"}
        self._units = {name: units_of(ds[name], self.origins.get(name)) for name in coords}
        self._attrs = {name: {key: ds[name].attrs[key] for key in _KEPT if key in ds[name].attrs}
                       for name in (*variables, *coords)}
        self._encodings = {name: {key: ds[name].encoding[key] for key in ("units", "calendar") if key in ds[name].encoding}
                           for name in self.origins}
        self._dims = tuple(dict.fromkeys(dim for name in variables for dim in ds[name].dims))
        self._places = ds[list(variables)].coords.to_dataset() if set(coords) <= set(ds.coords) else ds[list(coords)]

    def __repr__(self) -> str:
        return f"<orff.Field {', '.join(self.variables)} of {', '.join(map(str, self.coords))}: {self.model_.kernel_}>"

    # ---- learning

    def _fit(self, ds: Any, errors: Any) -> None:
        errors = [errors] if isinstance(errors, str) else list(errors or ())
        _check_there(ds, errors or self.variables, "variable")
        wanted = [*(ds[name] for name in (*self.variables, *errors)), *(ds[name] for name in self.coords)]
        cells = _xarray().broadcast(*wanted)
        count = len(self.variables) + len(errors)
        Y = np.stack([cell.values.ravel().astype(np.float64) for cell in cells[:count]], axis=1)
        X = self._numbers(cells[count:])
        Y, E = Y[:, :len(self.variables)], Y[:, len(self.variables):]
        there = np.isfinite(X).all(axis=1) & ~np.isnan(Y).all(axis=1)
        if not there.any():
            raise ValueError(f"{', '.join(self.variables)}: every cell is missing, or its coordinates are")
        self._name_covariates()
        self.model_.fit(Table.of(X[there], [str(name) for name in self.coords]), Table.of(Y[there], self.variables),
                        **({"errors": E[there]} if errors else {}))
        self._note_units()

    def _numbers(self, cells: Sequence[Any]) -> Array:
        """The inputs of all cells, n x d."""
        return np.stack([numbers_of(cell, self.origins.get(name)).ravel()
                         for name, cell in zip(self.coords, cells)], axis=1)

    def _name_covariates(self) -> None:
        """Names the inputs outside the field's space, if the kernel has one."""
        more = [str(name) for name in self.coords[len(self.variables):]]
        if not more or getattr(self.model_, "covariates", None) is not None:
            return
        names = [str(name) for name in self.coords]
        try:
            Settings({**self.model_._given(), "covariates": more}, len(names), len(self.variables), names=names)
        except OrffError:
            return  # the fit will report the error
        self.model_.set_params(covariates=more)

    def _note_units(self) -> None:
        """Stores units and standard names with the model, as the program does for a file."""
        model, sides = self.model_.model_, {"inputs": self.coords, "outputs": self.variables}
        notes = _notes.parse(model.notes, model.inputs, model.outputs)
        for side, columns in sides.items():
            for entry, name in zip(notes[side], columns):
                about = {"units": self._units.get(name, self._attrs[name].get("units")),
                         "standard_name": self._attrs[name].get("standard_name")}
                entry.update({key: str(value) for key, value in about.items() if value})
        model.set_notes(_notes.dump(notes))

    # ---- prediction

    def predict(self, like: Any = None, std: bool = False, derive: Union[str, Sequence[str]] = (), with_noise: bool = False,
                samples: int = 200) -> Any:
        """The field at the coordinates of a Dataset.

        Parameters
        ----------
        like : xarray.Dataset, xarray.DataArray or dict, optional
            The coordinates to predict at: a grid, or points that share a dimension. A dict contains arrays, which make a
            grid, or numbers. The default is the coordinates of the training data. Times may also be numbers of hours.
        std : bool, default=False
            Also return the standard deviation of every variable, as u_std.
        derive : str or sequence of str, default=()
            Also return derived fields: "jacobian", "divergence", "curl", "potential", "stream_function".
        with_noise : bool, default=False
            Return the standard deviations of a new measurement.
        samples : int, default=200
            Number of samples for the standard deviations of derived fields that have no closed form.

        Returns
        -------
        xarray.Dataset
            With coordinates and units; error variables are named in `ancillary_variables`. NaN where a coordinate is NaN.
        """
        xarray = _xarray()
        places = self._places if like is None else like
        places = xarray.Dataset(coords=places) if isinstance(places, dict) else places
        points, template = self._points_of(places)
        there = np.isfinite(points).all(axis=1)
        table = Table.of(points[there], [str(name) for name in self.coords])
        found = self._values(table, std, with_noise)
        for name in [derive] if isinstance(derive, str) else derive:
            found.update(self._derived(name, table, samples if std else 0))
        ds = xarray.Dataset({name: self._cell(template, there, *cell) for name, cell in found.items()})
        ds = ds.assign_coords(self._coordinates(places))
        ds.attrs.update(Conventions="CF-1.8", source=f"orff {__version__}: {self.model_.kernel_}")
        return ds

    def _points_of(self, places: Any) -> tuple:
        """The points, n x d, and a DataArray with the shape of the cells."""
        for name in self.coords:
            if name not in places.coords and name not in getattr(places, "data_vars", ()):
                raise ValueError(f"there is no coordinate {name!r} to predict at; there are "
                                 f"{', '.join(map(str, places.coords)) or 'none'}")
        cells = _xarray().broadcast(*(places[name] for name in self.coords))
        order = [dim for dim in dict.fromkeys([*_dims_of(places), *self._dims, *cells[0].dims]) if dim in cells[0].dims]
        cells = [cell.transpose(*order) for cell in cells]
        return self._numbers(cells), cells[0]

    def _values(self, table: Table, std: bool, with_noise: bool) -> dict[str, tuple]:
        """Predictions as (numbers, attributes) by name."""
        F, S = self.model_.predict(table, return_std=True, with_noise=with_noise) if std else (self.model_.predict(table), None)
        found = {}
        for k, name in enumerate(self.variables):
            about = {**self._attrs[name], **({"ancillary_variables": f"{name}_std"} if std else {})}
            found[name] = (F[:, k], about)
            if S is not None:
                found[f"{name}_std"] = (S[:, k], _about_std(name, self._attrs[name]))
        return found

    def _derived(self, name: str, table: Table, samples: int) -> dict[str, tuple]:
        """The same for derived fields; with standard deviations if there are samples for them."""
        if name not in _FIELDS:
            raise ValueError(f"derive: there is no {name!r}; there are {', '.join(_FIELDS)}")
        X, model = np.asarray(table), self.model_.model_
        values = model.derive(name, X, **self.model_._how).reshape(len(X), -1)
        S = model.derive_std(name, X, samples, **self.model_._how) if samples else None
        units, found = self._derived_units(name in _INTEGRATED), {}
        for k, one in enumerate(self._names_of(name, values.shape[1])):
            about = {"long_name": f"{one} of {', '.join(self.variables)}", **({"units": units} if units else {})}
            found[one] = (values[:, k], {**about, **({"ancillary_variables": f"{one}_std"} if S is not None else {})})
            if S is not None:
                found[f"{one}_std"] = (S[:, k], _about_std(one, about))
        return found

    def _names_of(self, name: str, width: int) -> list[str]:
        """Names as in the program: curl, curl_1 .. curl_3, du_dx."""
        if name == "jacobian":
            return [f"d{output}_d{one}" for output in self.variables for one in self.coords]
        return [name] if width == 1 else [f"{name}_{k + 1}" for k in range(width)]

    def _derived_units(self, integrated: bool) -> str:
        model, place = self.model_.model_, owner("orff_notes", lib.orff_notes_free)
        check(lib.orff_notes_parse(place, model.notes.encode(), model.inputs, model.outputs, 0))
        room = ffi.new("char[]", 256)
        known = lib.orff_notes_derived_units(place[0], integrated, room, len(room))
        return ffi.string(room).decode() if known else ""

    def _cell(self, template: Any, there: Array, values: Array, attributes: dict) -> Any:
        """A variable; NaN in cells without a point to predict at."""
        whole = np.full(len(there), np.nan)
        whole[there] = values
        return _xarray().Variable(template.dims, whole.reshape(template.shape), attributes)

    def _coordinates(self, places: Any) -> dict[str, Any]:
        """The coordinates of the points, with the training attributes if they have none; hours as times."""
        found = {}
        for name in self.coords:
            one = places[name].reset_coords(drop=True) if name not in places[name].dims else places[name]
            if name in self.origins and one.dtype.kind != "M":
                hours = numbers_of(one, None)
                one = _xarray().Variable(one.dims, times_of(hours, self.origins[name]), encoding=self._encodings[name])
            else:
                one = one.variable.to_base_variable()
            one.attrs = dict(one.attrs or self._attrs[name])
            if one.dtype.kind in "Mm":
                one.attrs.pop("units", None)  # xarray sets them when it writes times
            found[name] = one
        return found


def _dims_of(places: Any) -> tuple:
    """The dimensions in the order of the variables; a Dataset itself has none."""
    variables = getattr(places, "data_vars", None)
    if variables is None:
        return places.dims
    return tuple(dim for variable in variables.values() for dim in variable.dims)


def _about_std(name: str, of: dict) -> dict[str, str]:
    about = {"long_name": f"standard deviation of {of.get('long_name', name)}"}
    if "standard_name" in of:
        about["standard_name"] = f"{of['standard_name']} standard_error"
    return {**about, **({"units": of["units"]} if "units" in of else {})}
