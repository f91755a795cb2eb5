// The map of a model in degrees: a plane in km. forward() gives x, y, the cosine and sine of the angle that turns (east, north)
// into the plane's axes, and whether the place can be drawn.

import { Grid } from "./grids.js";

const DEGREE = Math.PI / 180;
const EARTH_KM = 6371.0088;
const TOO_FAR = -0.2; // cosine of the angle from the centre of a plane beyond which nothing is drawn
const DEGREE_OF_MAPS = 7;
const CLOSE_KM = 1e-7; // to which degrees are found from a place on the map
const MOST_STEPS = 40;

const NOWHERE = { lon: 0, lat: 91 }; // what lies on no map

// Azimuthal and equidistant: it touches the Earth in the middle of the data.
class TangentPlane {
  constructor(data) {
    Object.assign(this, data);
    this.name = "azimuthal equidistant, in km, centred on the data";
  }

  forward(lon, lat) {
    const l = (lon - this.lon) * DEGREE, f = lat * DEGREE, f0 = this.lat * DEGREE;
    const east = Math.cos(f) * Math.sin(l), north = Math.cos(f0) * Math.sin(f) - Math.sin(f0) * Math.cos(f) * Math.cos(l);
    const sine = Math.hypot(east, north), cosine = Math.sin(f0) * Math.sin(f) + Math.cos(f0) * Math.cos(f) * Math.cos(l);
    const stretch = sine > 0 ? Math.atan2(sine, cosine) / sine : 1;
    const angle = sine > 0 ? Math.atan2(Math.cos(f0) * Math.sin(l), Math.cos(f0) * Math.sin(f) * Math.cos(l) - Math.sin(f0) * Math.cos(f)) - Math.atan2(east, north) : 0;
    return { x: EARTH_KM * stretch * east, y: EARTH_KM * stretch * north, cos: Math.cos(angle), sin: Math.sin(angle), drawn: cosine > TOO_FAR };
  }

  inverse(x, y) {
    const far = Math.hypot(x, y), c = far / EARTH_KM, f0 = this.lat * DEGREE;
    if (c > Math.PI) return NOWHERE;
    const east = far > 0 ? x / far : 0, north = far > 0 ? y / far : 0;
    const height = Math.cos(c) * Math.sin(f0) + north * Math.sin(c) * Math.cos(f0);
    const lat = Math.asin(Math.max(-1, Math.min(1, height))) / DEGREE;
    const lon = this.lon + Math.atan2(east * Math.sin(c), Math.cos(f0) * Math.cos(c) - north * Math.sin(f0) * Math.sin(c)) / DEGREE;
    return { lon, lat };
  }

  covers(lon, lat) {
    return lat <= 90;
  }

  // Whether a line from one longitude to the next lies on the map in one piece.
  joins() {
    return true;
  }
}

// A projected system, of which the program has written samples: polynomials between them, and nothing beyond.
class SampledPlane {
  constructor(data) {
    Object.assign(this, { inputs: data.inputs, low: data.low, high: data.high, count: data.count, name: `${data.crs}, in km` });
    this.grid = new Grid(data, 4, DEGREE_OF_MAPS);
    this.here = new Float64Array(4);
    this.there = new Float64Array(4);
    this.step = [0, 1].map((i) => 1e-4 * (this.high[i] - this.low[i]));
    this.last = null; // where degrees were found last: most often the next ones are near
  }

  // Longitudes as the samples count them.
  turn(lon) {
    return lon - 360 * Math.round((lon - (this.low[0] + this.high[0]) / 2) / 360);
  }

  has(i, value) {
    const slack = 1e-9 * (this.high[i] - this.low[i]);
    return value >= this.low[i] - slack && value <= this.high[i] + slack;
  }

  covers(lon, lat) {
    return this.has(0, this.turn(lon)) && this.has(1, lat);
  }

  joins(lon, next) {
    return Math.abs(this.turn(lon) - this.turn(next)) < 180;
  }

  clamp(i, value) {
    return Math.max(this.low[i], Math.min(this.high[i], value));
  }

  forward(lon, lat) {
    if (!this.covers(lon, lat)) return { x: NaN, y: NaN, cos: 1, sin: 0, drawn: false };
    const [x, y, cos, sin] = this.grid.at([this.turn(lon), lat], this.here), size = Math.hypot(cos, sin);
    return { x, y, cos: cos / size, sin: sin / size, drawn: true };
  }

  // d (x, y) / d degree i.
  slope(i, at) {
    const to = at.slice(), by = at[i] + this.step[i] > this.high[i] ? -this.step[i] : this.step[i];
    to[i] += by;
    this.grid.at(at, this.here);
    this.grid.at(to, this.there);
    return [(this.there[0] - this.here[0]) / by, (this.there[1] - this.here[1]) / by];
  }

  // Newton's steps, with a Jacobian that is kept while they come closer fast. null: they lead out of the samples, twice.
  solve(start, x, y) {
    let at = start, J = null, before = Infinity, out = 0;
    for (let n = 0; n < MOST_STEPS; n++) {
      const place = this.grid.at(at, this.here), ex = x - place[0], ey = y - place[1], size = Math.hypot(ex, ey);
      if (size < CLOSE_KM) return at;
      if (!J || size > 0.1 * before) {
        const a = this.slope(0, at), b = this.slope(1, at);
        J = [a[0], b[0], a[1], b[1]];
      }
      before = size;
      const det = J[0] * J[3] - J[1] * J[2];
      const to = [at[0] + (J[3] * ex - J[1] * ey) / det, at[1] + (J[0] * ey - J[2] * ex) / det];
      if (!this.has(0, to[0]) || !this.has(1, to[1])) out++;
      else out = 0;
      if (out > 1 || !Number.isFinite(to[0] + to[1])) return null;
      at = [this.clamp(0, to[0]), this.clamp(1, to[1])];
    }
    return null;
  }

  nearestNode(x, y) {
    const { values } = this.grid, [nx, ny] = this.count;
    let best = 0, least = Infinity;
    for (let n = 0; n < nx * ny; n++) {
      const far = (values[4 * n] - x) ** 2 + (values[4 * n + 1] - y) ** 2;
      if (far < least) [least, best] = [far, n];
    }
    return [this.low[0] + (this.high[0] - this.low[0]) * (best % nx) / (nx - 1), this.low[1] + (this.high[1] - this.low[1]) * Math.floor(best / nx) / (ny - 1)];
  }

  inverse(x, y) {
    this.last = (this.last && this.solve(this.last, x, y)) || this.solve(this.nearestNode(x, y), x, y);
    return this.last ? { lon: this.last[0], lat: this.last[1] } : NOWHERE;
  }
}

// Degrees as they are: the map of a model that was learned in them. A length is true at its middle latitude.
export class Degrees {
  constructor(inputs, axes) {
    const { low, high } = inputs[axes[1]];
    this.inputs = axes;
    this.stretch = 1 / Math.max(0.05, Math.cos((low + high) / 2 * DEGREE));
    this.name = "degrees, as the model was learned; --geo lonlat learns in km";
  }

  forward(lon, lat) {
    return { x: lon, y: lat, cos: 1, sin: 0, drawn: true };
  }

  covers(lon, lat) {
    return Math.abs(lat) <= 90;
  }

  joins(lon, next) {
    return Math.abs(lon - next) < 180;
  }
}

export function makePlane(data) {
  if (!data) return null;
  return data.values ? new SampledPlane(data) : new TangentPlane(data);
}
