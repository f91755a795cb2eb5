"""Longitude and latitude: the library lays them on a local plane. Here is what Python needs to know of it."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Array, pointer
from ._errors import check
from ._kernel import Kernel
from ._library import ffi, lib


def geo_inputs(kernel: Kernel) -> Any:
    """The two inputs that are degrees: size_t[2]."""
    covariate = [kernel.space is not None and i not in kernel.space for i in range(kernel.inputs)]
    inputs = ffi.new("size_t[2]")
    check(lib.orff_geo_inputs(kernel.inputs, kernel.outputs, ffi.new("bool[]", covariate), inputs))
    return inputs


def on_plane(kernel: Kernel, X: Array, Y: Array) -> tuple[Array, Array]:
    """Rows as a fit will see them: for scales and output matrices that are taken from the data beforehand."""
    X, Y, plane = np.array(X, dtype=np.float64), np.array(Y, dtype=np.float64), ffi.new("orff_plane *")
    check(lib.orff_plane_around(plane, X.shape[1], geo_inputs(kernel), len(X), pointer(X)))
    check(lib.orff_plane_project(plane, X.shape[1], len(X), pointer(X), pointer(Y)))
    return X, Y


def plane_notes(info: Any) -> dict[str, Any]:
    """The plane of an orff_model_info as notes have it; nothing where there is none."""
    if not info.on_plane:
        return {}
    centre = {"lon": info.plane.lon, "lat": info.plane.lat}
    return {"geo": {"projection": "azimuthal-equidistant", **centre, "units": "km"}}
