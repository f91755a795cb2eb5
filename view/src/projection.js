// The map: a plane that touches the Earth (azimuthal, equidistant, in km), or the inputs as they are.

const DEGREE = Math.PI / 180;
export const EARTH_KM = 6371.0088;

// Degrees to km, and the cosine and sine of the angle that turns (east, north) into the plane's axes.
export function planeForward(plane, lon, lat) {
  const l = (lon - plane.lon) * DEGREE, f = lat * DEGREE, f0 = plane.lat * DEGREE;
  const east = Math.cos(f) * Math.sin(l), north = Math.cos(f0) * Math.sin(f) - Math.sin(f0) * Math.cos(f) * Math.cos(l);
  const sine = Math.hypot(east, north), cosine = Math.sin(f0) * Math.sin(f) + Math.cos(f0) * Math.cos(f) * Math.cos(l);
  const stretch = sine > 0 ? Math.atan2(sine, cosine) / sine : 1;
  const angle = sine > 0 ? Math.atan2(Math.cos(f0) * Math.sin(l), Math.cos(f0) * Math.sin(f) * Math.cos(l) - Math.sin(f0) * Math.cos(f)) - Math.atan2(east, north) : 0;
  return { x: EARTH_KM * stretch * east, y: EARTH_KM * stretch * north, cos: Math.cos(angle), sin: Math.sin(angle), far: cosine };
}

export function planeInverse(plane, x, y) {
  const far = Math.hypot(x, y), c = far / EARTH_KM, f0 = plane.lat * DEGREE;
  const east = far > 0 ? x / far : 0, north = far > 0 ? y / far : 0;
  const height = Math.cos(c) * Math.sin(f0) + north * Math.sin(c) * Math.cos(f0);
  const lat = Math.asin(Math.max(-1, Math.min(1, height))) / DEGREE;
  const lon = plane.lon + Math.atan2(east * Math.sin(c), Math.cos(f0) * Math.cos(c) - north * Math.sin(f0) * Math.sin(c)) / DEGREE;
  return { lon, lat };
}
