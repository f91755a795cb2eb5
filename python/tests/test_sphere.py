"""Fields on a sphere: without divergence there, right at the poles and across the date line, with honest error bars."""
import numpy as np
import pytest

import orff


def up_east_north(places):
    lon, lat = np.radians(places).T
    up = np.c_[np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)]
    east = np.c_[-np.sin(lon), np.cos(lon), 0 * lon]
    return up, east, np.cross(up, east)


def winds(places, turned):
    """Of a potential, or a stream function, that is a sum of waves in space."""
    rng = np.random.default_rng(4)
    up, east, north = up_east_north(places)
    slope = sum(c * np.cos(up @ w + q)[:, None] * w for c, w, q in zip(rng.normal(size=5), 2 * rng.normal(size=(5, 3)), range(5)))
    flow = np.cross(up, slope) if turned else slope
    return np.c_[(flow * east).sum(axis=1), (flow * north).sum(axis=1)]


def draw(rng, n):
    return np.c_[rng.uniform(-180, 180, n), np.degrees(np.arcsin(rng.uniform(-1, 1, n)))]


@pytest.mark.parametrize("kind", ["div-free", "curl-free"])
def test_the_right_kind_is_learned_and_the_other_is_not(kind):
    rng = np.random.default_rng(1)
    places, new = draw(rng, 200), draw(rng, 500)
    truth = winds(new, kind == "div-free")
    seen = winds(places, kind == "div-free") + 0.2 * rng.normal(size=(200, 2))
    errors = {}
    for name in ("div-free", "curl-free", "any"):
        field = orff.SphereField(name, base="gaussian").fit(places, seen)
        F, std = field.predict(new, return_std=True)
        errors[name] = np.sqrt(np.mean((F - truth) ** 2))
        if name == kind:
            assert 0.85 < np.mean(np.abs(F - truth) < 1.96 * std) <= 1.0
    assert errors[kind] < 0.06 * truth.std()
    assert errors[kind] < errors["any"] and errors[kind] < 0.2 * max(errors.values())


def test_there_is_no_divergence_on_the_sphere_nor_a_seam():
    rng = np.random.default_rng(2)
    places = draw(rng, 100)
    field = orff.SphereField(base="gaussian", sigma=0.5, lambda_=1e-3).fit(places, winds(places, True))
    at, h = np.array([[30.0, 50.0]]), 1e-3
    east = field.predict(at + [[h, 0]])[0, 0] - field.predict(at - [[h, 0]])[0, 0]
    outward = [field.predict(at + [[0, s]])[0, 1] * np.cos(np.radians(50 + s)) for s in (-h, h)]
    assert abs(east + outward[1] - outward[0]) < 1e-3 * abs(east) + 1e-7
    np.testing.assert_allclose(field.predict([[180.0, 12.0]]), field.predict([[-180.0, 12.0]]), atol=1e-9)


def test_missing_components_and_wrong_places():
    rng = np.random.default_rng(3)
    places = draw(rng, 60)
    seen = winds(places, True)
    seen[::3, 0] = np.nan
    assert np.isfinite(orff.SphereField(sigma=0.5, lambda_=1e-3).fit(places, seen).predict(places)).all()
    with pytest.raises(ValueError, match="between -90 and 90"):
        orff.SphereField().fit([[0.0, 91.0]], [[0.0, 0.0]])
    with pytest.raises(ValueError, match="kind is"):
        orff.SphereField("both").fit(places, seen)
    assert orff.SphereField("any", sigma=2.0).get_params() == {"kind": "any", "sigma": 2.0}
