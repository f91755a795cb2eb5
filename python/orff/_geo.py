"""Longitude and latitude, which the library projects to a local plane: what Python needs to know about it."""
from __future__ import annotations

from typing import Any, Optional

from ._library import ffi


def plane_notes(info: Any) -> dict[str, Any]:
    """The plane of an orff_model_info in the form of notes; empty if there is none."""
    if not info.on_plane:
        return {}
    centre = {"lon": info.plane.lon, "lat": info.plane.lat}
    return {"geo": {"projection": crs_of(info) or "azimuthal-equidistant", **centre, "units": "km"}}


def crs_of(info: Any) -> Optional[str]:
    """The coordinate system of the plane; None if the plane is centred on the data."""
    return ffi.string(info.plane.crs).decode() or None
