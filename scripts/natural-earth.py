#!/usr/bin/env python3
"""Makes formats/natural-earth/land-50m.bin, the land that --coast natural-earth knows.

    npm pack world-atlas@2.0.2 && tar xzf world-atlas-2.0.2.tgz
    scripts/natural-earth.py package/land-50m.json formats/natural-earth/land-50m.bin

The file holds rings one after another: the number of points, then the points in hundredths of a degree, longitude and latitude,
each as its difference from the one before (the first from 0), modulo a whole turn of longitude. Numbers are little-endian groups of 7
bits, the high bit saying that more follow; differences have their sign in the lowest bit.
"""
import json
import sys

UNIT = 100  # of a degree
TURN = 360 * UNIT


def arcs_of(topology):
    """The arcs in degrees; they are stored as differences on a grid."""
    (sx, sy), (tx, ty) = topology["transform"]["scale"], topology["transform"]["translate"]
    for arc in topology["arcs"]:
        x = y = 0
        points = []
        for dx, dy in arc:
            x, y = x + dx, y + dy
            points.append((x * sx + tx, y * sy + ty))
        yield points


def rings_of(topology):
    arcs = list(arcs_of(topology))
    for geometry in topology["objects"]["land"]["geometries"]:
        polygons = geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry["arcs"]]
        for ring in (ring for polygon in polygons for ring in polygon):
            points = []
            for index in ring:
                arc = arcs[index] if index >= 0 else arcs[~index][::-1]
                points += arc[1:] if points else arc
            yield points


def whole(ring):
    """In units, without points that fall together."""
    points = []
    for lon, lat in ring:
        point = (round(lon * UNIT), round(lat * UNIT))
        if not points or point != points[-1]:
            points.append(point)
    return points


def number(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value):
    return number(2 * value if value >= 0 else -2 * value - 1)


def packed(points):
    out, x, y = number(len(points)), 0, 0
    for lon, lat in points:
        step = (lon - x + TURN // 2) % TURN - TURN // 2
        out += signed(step) + signed(lat - y)
        x, y = x + step, lat
    return out


def main():
    with open(sys.argv[1]) as file:
        rings = [whole(ring) for ring in rings_of(json.load(file))]
    with open(sys.argv[2], "wb") as out:
        out.write(b"".join(packed(ring) for ring in rings if len(ring) > 3))


main()
