"""Fields from xarray Datasets, and predictions as Datasets."""
import subprocess
import sys

import numpy as np
import pytest

import orff
from orff._arrow import Table

xr = pytest.importorskip("xarray", reason="there is no xarray (python3-xarray): fields of Datasets are not tried")

WIND = {"u": {"units": "m s-1", "standard_name": "eastward_wind", "long_name": "eastward wind", "valid_max": 50.0},
        "v": {"units": "m s-1", "standard_name": "northward_wind"}}


def flow(x, y):
    return -np.sin(2 * y) + 0 * x, np.sin(2 * x) + 0 * y


@pytest.fixture(name="plane")
def plane_fixture():
    """A flow without divergence on a grid in m."""
    x, y = np.linspace(-1, 1, 14), np.linspace(-1, 1, 11)
    u, v = flow(x[None, :], y[:, None])
    noise = 0.01 * np.random.default_rng(0).normal(size=(2, 11, 14))
    return xr.Dataset({"u": (("y", "x"), u + noise[0], WIND["u"]), "v": (("y", "x"), v + noise[1], WIND["v"])},
                      {"x": ("x", x, {"units": "m"}), "y": ("y", y, {"units": "m"})})


def fit(ds, variables=("u", "v"), **more):
    return orff.fit_field(ds, variables, **{**dict(kernel="div-free", sigma=1.0, lambda_=1e-5), **more})


def test_a_grid_is_the_rows_of_its_cells(plane):
    field = fit(plane)
    assert field.coords == ("x", "y") and list(field.model_.feature_names_in_) == ["x", "y"]
    table = plane.to_dataframe().reset_index()
    plain = orff.ORFFRegressor(kernel="div-free", sigma=1.0, lambda_=1e-5).fit(table[["x", "y"]], table[["u", "v"]])
    found = field.predict(std=True)
    F, S = plain.predict(table[["x", "y"]], return_std=True)
    order = found.to_dataframe().reset_index().set_index(["x", "y"]).loc[list(zip(table.x, table.y))]
    np.testing.assert_allclose(order[["u", "v"]], F, atol=1e-9)
    np.testing.assert_allclose(order[["u_std", "v_std"]], S, atol=1e-9)
    assert found.u.dims == ("y", "x") and "div-free" in repr(field)


def test_predictions_have_coordinates_units_and_errors(plane):
    fine = fit(plane).predict({"x": np.linspace(-1, 1, 5), "y": np.linspace(-1, 1, 3)}, std=True, derive=("curl", "jacobian"))
    assert dict(fine.sizes) == {"y": 3, "x": 5} and fine.x.attrs == {"units": "m"}
    assert fine.u.attrs == {"units": "m s-1", "standard_name": "eastward_wind", "long_name": "eastward wind",
                            "ancillary_variables": "u_std"}
    assert fine.u_std.attrs == {"units": "m s-1", "standard_name": "eastward_wind standard_error",
                                "long_name": "standard deviation of eastward wind"}
    assert set(fine.data_vars) >= {"curl", "curl_std", "du_dx", "dv_dy", "dv_dy_std"}
    assert fine.curl.attrs["units"] == "m s-1 m-1" and fine.curl.attrs["ancillary_variables"] == "curl_std"
    x, y = xr.broadcast(fine.x, fine.y)
    np.testing.assert_allclose(fine.curl, (2 * np.cos(2 * x) + 2 * np.cos(2 * y)).transpose("y", "x"), atol=0.5)
    np.testing.assert_allclose(fine.curl, fine.dv_dx - fine.du_dy, atol=1e-9)
    assert 0 < float(fine.curl_std.max()) < 0.2
    bare = fit(plane).predict(plane, derive="stream_function")
    assert set(bare.data_vars) == {"u", "v", "stream_function"} and "ancillary_variables" not in bare.u.attrs
    assert bare.stream_function.attrs["units"] == "m s-1 m"


def test_errors_of_what_is_derived_come_from_samples_where_there_is_no_closed_form(plane):
    exact = fit(plane, engine="exact").predict(std=True, derive="divergence", samples=50)
    features = fit(plane, engine="features", features=200).predict(std=True, derive="curl")
    assert float(exact.divergence_std.max()) < 1e-6 and float(features.curl_std.min()) > 0


def test_missing_cells_are_missing_outputs(plane):
    holes = plane.copy(deep=True)
    holes.u.values[::3, ::2], holes.v.values[1, 1:4], holes.u.values[1, 1:4] = np.nan, np.nan, np.nan
    u, v = holes.u.values.ravel(), holes.v.values.ravel()
    some = ~(np.isnan(u) & np.isnan(v))
    X = np.stack([one.values.ravel() for one in xr.broadcast(holes.u, holes.x, holes.y)[1:]], axis=1)
    plain = orff.ORFFRegressor(kernel="div-free", sigma=1.0, lambda_=1e-5).fit(X[some], np.c_[u, v][some])
    found = fit(holes).predict(plane)
    np.testing.assert_allclose(found.u.values.ravel(), plain.predict(X)[:, 0], atol=1e-9)
    with pytest.raises(ValueError, match="u, v: every cell is missing"):
        fit(plane * np.nan)
    plane["error"] = 0 * plane.u + 0.01
    weighed = fit(plane, errors="error").predict()
    np.testing.assert_allclose(weighed.v, fit(plane).predict().v, atol=1e-6)


def test_places_may_be_a_track_or_miss(plane):
    track = xr.Dataset(coords={"x": ("obs", [0.0, np.nan, 0.5]), "y": ("obs", [0.1, 0.2, 0.3]), "id": ("obs", [7, 8, 9])})
    found = fit(plane).predict(track)
    assert found.u.dims == ("obs",) and np.isnan(found.u.values).tolist() == [False, True, False]
    np.testing.assert_allclose(found.v[2], np.sin(1.0), atol=0.02)
    one = fit(plane).predict({"x": 0.5, "y": [0.0, 0.1]})
    assert one.u.dims == ("y",) and float(one.x) == 0.5
    swapped = fit(plane).predict(plane.transpose("x", "y"))
    assert swapped.u.dims == ("x", "y")
    with pytest.raises(ValueError, match="no coordinate 'y' to predict at; there are x"):
        fit(plane).predict({"x": [0.0]})


def world(times=4):
    """Winds on degrees and times, time first, with a level of its own that is one long."""
    lon, lat = np.linspace(-10, 10, 7), np.linspace(50, 60, 6)
    time = np.datetime64("2024-05-01T06:00", "ns") + np.arange(times) * np.timedelta64(6, "h")
    t, y, x = np.meshgrid(np.arange(times), lat, lon, indexing="ij")
    u, v = 5 + np.sin(y / 4) + 0.3 * t, np.cos(x / 6) - 0.2 * t
    dims = ("time", "level", "lat", "lon")
    return xr.Dataset({"u": (dims, u[:, None], WIND["u"]), "v": (dims, v[:, None], WIND["v"])},
                      {"lon": ("lon", lon, {"units": "degrees_east"}), "lat": ("lat", lat, {"units": "degrees_north"}),
                       "time": time, "level": [10.0]})


def test_degrees_and_times():
    ds = world()
    field = orff.fit_field(ds, ["u", "v"], lambda_=1e-6)
    assert field.coords == ("lon", "lat", "time") and field.model_.geo == "lonlat"
    assert field.origins == {"time": np.datetime64("2024-05-01T06:00")}
    found = field.predict(ds.isel(time=[1, 2]), std=True)
    assert found.u.dims == ("time", "lat", "lon") and found.time.dtype.kind == "M"
    np.testing.assert_allclose(found.u, ds.u.isel(time=[1, 2], level=0), atol=0.2)
    assert (found.time.values == ds.time.values[1:3]).all() and "units" not in found.time.attrs
    hours = field.predict({"lon": [0.0], "lat": [55.0], "time": [6.0, 12.0]})      # since the first: turned back
    assert (hours.time.values == ds.time.values[1:3]).all()
    np.testing.assert_array_equal(hours.u, field.predict(ds.sel(lon=[0.0], time=ds.time[1:3]).interp(lat=[55.0])).u)
    early = field.predict({"lon": [0.0], "lat": [55.0], "time": np.array(["2024-05-01T03:00"], dtype="datetime64[ns]")})
    assert early.time.values[0] == np.datetime64("2024-05-01T03:00")


def test_units_travel_with_the_model(tmp_path, program):
    ds = world()
    field = orff.fit_field(ds, ["u", "v"], kernel="div-free", sigma="600,600,20", lambda_=1e-4)
    assert field.model_.covariates == ["time"]                                      # not of the field's space
    curl = field.predict(ds.isel(time=0), derive="curl").curl
    assert curl.attrs["units"] == "m s-1 km-1" and curl.dims == ("lat", "lon")
    field.model_.save(tmp_path / "model")
    said = subprocess.run([program, "info", tmp_path / "model"], capture_output=True, text=True, check=True).stdout
    assert "hours since 2024-05-01T06:00:00Z" in said
    tracks = field.model_.drift(Table.of(np.array([[0.0, 55.0, 0.0]]), field.coords), hours=3)
    assert np.isfinite(tracks.path).all()


def test_predictions_are_written_and_read(tmp_path):
    ds = world()
    ds.time.encoding["units"] = "minutes since 2024-01-01"
    found = orff.fit_field(ds, ["u", "v"], lambda_=1e-4).predict({"lon": ds.lon, "lat": ds.lat, "time": [0.0, 1.5]}, std=True)
    found.to_netcdf(tmp_path / "field.nc")
    with xr.open_dataset(tmp_path / "field.nc") as again:
        xr.testing.assert_allclose(again, found)
        assert again.time.encoding["units"].startswith("minutes since 2024-01-01")
        assert again.attrs["Conventions"] == "CF-1.8" and again.u.attrs["ancillary_variables"] == "u_std"


def test_parts_of_a_dataset():
    ds = world()
    one = orff.fit_field(ds, ["u", "v"], select={"time": ds.time.values[0]}, lambda_=1e-4)
    assert one.coords == ("lon", "lat") and one.predict(ds.isel(time=0)).u.shape == (6, 7)
    scalar = orff.fit_field(ds, "u", ("lat", "lon"), select={"time": ds.time.values[0]}, lambda_=1e-4)
    assert scalar.model_.geo == "none" and list(scalar.predict().data_vars) == ["u"]
    own = orff.fit_field(ds.isel(time=0), ["u", "v"], estimator=orff.OVKRegressor(sigma=3.0, lambda_=1e-4))
    assert isinstance(own.model_, orff.OVKRegressor) and own.predict().u.shape == (6, 7)


def test_coordinates_of_two_dimensions():
    """A rotated grid: nav_lon and nav_lat on y and x, some of them missing."""
    i, j = np.meshgrid(np.arange(8), np.arange(9))
    lon, lat = 5 + 0.5 * i - 0.1 * j, 40 + 0.4 * j + 0.1 * i
    u, v = flow(lon / 2, lat / 2)
    lon[0, 0] = np.nan
    ds = xr.Dataset({"u": (("y", "x"), u), "v": (("y", "x"), v)},
                    {"nav_lon": (("y", "x"), lon, {"units": "degrees_east"}),
                     "nav_lat": (("y", "x"), lat, {"standard_name": "latitude"})})
    field = orff.fit_field(ds, ["u", "v"], lambda_=1e-6)
    assert field.coords == ("nav_lon", "nav_lat") and field.model_.geo == "lonlat"
    found = field.predict(ds)
    assert found.u.dims == ("y", "x") and found.nav_lon.dims == ("y", "x")
    assert np.isnan(found.u.values).sum() == 1
    np.testing.assert_allclose(found.u.values[1:], u[1:], atol=0.05)


def test_what_is_wrong_is_said(plane):
    with pytest.raises(ValueError, match="there is no variable 'w'; there are u, v"):
        orff.fit_field(plane, ["u", "w"])
    with pytest.raises(ValueError, match="there is no coordinate 'z'; there are x, y"):
        orff.fit_field(plane, ["u", "v"], ("x", "z"))
    with pytest.raises(ValueError, match="dimension 'y' of u, v has no coordinate"):
        orff.fit_field(plane.drop_vars("y"), ["u", "v"])
    with pytest.raises(ValueError, match="longitude comes first"):
        orff.fit_field(world(), ["u", "v"], ("lat", "lon", "time"))
    with pytest.raises(ValueError, match="derive: there is no 'vorticity'; there are jacobian"):
        fit(plane).predict(derive="vorticity")
    with pytest.raises(ValueError, match="sigma: give it to the estimator"):
        orff.fit_field(plane, ["u", "v"], estimator=orff.ORFFRegressor(), sigma=1.0)
    with pytest.raises(ValueError, match="coordinate 'x' contains times, but the model was learned from numbers"):
        fit(plane).predict({"x": np.array(["2020-01-01"], dtype="datetime64[ns]"), "y": [0.0]})
    with pytest.raises(ValueError, match="coordinate 'x' contains <U1; expected numbers or datetime64"):
        fit(plane.assign_coords(x=list("abcdefghijklmn")))


def test_without_xarray_its_name_is_said(monkeypatch, plane):
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ImportError, match="pip install xarray"):
        orff.fit_field(plane, ["u", "v"])
