"""Longitude and latitude: the library lays them on a local plane. Here is what Python needs to know of it."""
from __future__ import annotations

from typing import Any, Optional

from ._library import ffi


def plane_notes(info: Any) -> dict[str, Any]:
    """The plane of an orff_model_info as notes have it; nothing where there is none."""
    if not info.on_plane:
        return {}
    centre = {"lon": info.plane.lon, "lat": info.plane.lat}
    return {"geo": {"projection": crs_of(info) or "azimuthal-equidistant", **centre, "units": "km"}}


def crs_of(info: Any) -> Optional[str]:
    """The coordinate system of its plane; None for one at the centre of the data."""
    return ffi.string(info.plane.crs).decode() or None
