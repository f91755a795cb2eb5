// The model of the page. "Raw" points have the inputs of the data; "flat" ones those that the sum takes: longitude and latitude
// are then km on the plane, and vectors lie along its axes.

import { Grid } from "./grids.js";
import { Degrees, makePlane } from "./projection.js";
import { makeTerms } from "./sums.js";

const DEGREE_OF_VALUES = 7;
const DEGREE_OF_ERRORS = 3;
const NEXT_TO_NONE = 1e-3; // of the other derived field: about what differences on the drawn grid resolve
const VELOCITY = /^(?:(?:[cmk]?m|ft)(?: s-1|\/s)|k?m(?: h-1|\/h)|kn|kts?|knots?|mph)$/i; // some files write M/S

export class Model {
  constructor(data) {
    Object.assign(this, data);
    this.d = data.inputs.length;
    this.p = data.outputs.length;
    this.plane = makePlane(data.plane);
    this.earth = this.plane || (data.degrees ? new Degrees(data.inputs, data.axes) : null);
    const centres = (data.terms || []).find((term) => term.kind === "centres"), z = centres && centres.z;
    this.sum = data.terms ? makeTerms(data.terms, this.d, this.p, data.parts, z) : null;
    this.values = data.nodes ? new Grid(data.nodes, this.p, DEGREE_OF_VALUES) : null;
    this.errorGrid = data.errors ? new Grid(data.errors, this.p, DEGREE_OF_ERRORS, data.inputs.map((_, i) => data.axes.includes(i) && this.endsOf(i, data.errors))) : null;
    this.deviations = (data.samples || []).map((terms) => makeTerms(terms, this.d, this.p, data.parts, z));
  }

  // The Earth ends neither at a pole nor where a map of all of it is cut.
  endsOf(i, { low, high }) {
    const [lon, lat] = this.plane ? this.plane.inputs : [];
    if (i === lon) return Array(2).fill(high[i] - low[i] < 359.9);
    return i === lat ? [low[i] > -90, high[i] < 90] : [true, true];
  }

  // ---- places

  flatten(raw) {
    const flat = Float64Array.from(raw);
    if (!this.plane) return flat;
    const [lon, lat] = this.plane.inputs, place = this.plane.forward(raw[lon], raw[lat]);
    flat[lon] = place.x;
    flat[lat] = place.y;
    return flat;
  }

  // Longitudes come out near to those of the data.
  unflatten(flat) {
    const raw = Float64Array.from(flat);
    if (!this.plane) return raw;
    const [lon, lat] = this.plane.inputs, place = this.plane.inverse(flat[lon], flat[lat]);
    const middle = (this.inputs[lon].low + this.inputs[lon].high) / 2;
    raw[lon] = place.lon - 360 * Math.round((place.lon - middle) / 360);
    raw[lat] = place.lat;
    return raw;
  }

  turnOf(raw) {
    const [lon, lat] = this.plane.inputs;
    return this.plane.forward(raw[lon], raw[lat]);
  }

  // ---- values

  // f on the plane.
  valueFlat(flat, out = new Float64Array(this.p)) {
    if (this.values) return this.valueOfGrid(flat, out);
    out.set(this.mean);
    for (const term of this.sum) term.add(flat, out);
    return out;
  }

  valueOfGrid(flat, out) {
    const raw = this.unflatten(flat);
    this.values.at(raw, out);
    if (!this.plane) return out;
    const turn = this.turnOf(raw), east = out[0], north = out[1];
    out[0] = turn.cos * east - turn.sin * north;
    out[1] = turn.sin * east + turn.cos * north;
    return out;
  }

  // f as orff predict has it: eastward and northward.
  value(raw) {
    if (this.values) return this.values.at(raw, new Float64Array(this.p));
    const f = this.valueFlat(this.flatten(raw));
    if (!this.plane) return f;
    const turn = this.turnOf(raw), [x, y] = f;
    f[0] = turn.cos * x + turn.sin * y;
    f[1] = turn.cos * y - turn.sin * x;
    return f;
  }

  // null where the program has computed none.
  error(raw) {
    return this.errorGrid && this.errorGrid.inside(raw) > 0 ? this.errorGrid.at(raw, new Float64Array(this.p)) : null;
  }

  // d f / d x_i on the plane (p numbers), by differences so small that they are exact to what is shown.
  slope(flat, i) {
    const step = 1e-3 * (this.details[i] || (this.inputs[i].high - this.inputs[i].low) / 20);
    const at = (t) => {
      const x = Float64Array.from(flat);
      x[i] += t * step;
      return this.valueFlat(x);
    };
    const [a, b, c, e] = [at(-2), at(-1), at(1), at(2)];
    return a.map((_, k) => (8 * (c[k] - b[k]) - (e[k] - a[k])) / (12 * step));
  }

  // Outputs along the axes of the map.
  components(axes) {
    return this.p === 3 ? axes : [0, 1];
  }

  // Of a vector field: {vorticity, divergence}; in space the vorticity is its component through the slice.
  derived(flat, axes) {
    const [u, v] = this.components(axes), x = this.slope(flat, axes[0]), y = this.slope(flat, axes[1]);
    let divergence = x[u] + y[v];
    if (this.p === 3) {
      const through = [0, 1, 2].find((i) => !axes.includes(i));
      divergence += this.slope(flat, through)[through];
    }
    return { vorticity: x[v] - y[u], divergence };
  }

  get isFlow() {
    return VELOCITY.test(this.outputs[0].units || "");
  }

  get curlName() {
    return this.isFlow ? "vorticity" : "curl";
  }

  // Of vorticity and divergence, those that the kernel makes zero: what differences then show is their error.
  vanishing(axes) {
    const { x } = this.probes, most = { vorticity: 0, divergence: 0 }, out = new Set();
    for (let n = 0; n < x.length / this.d; n++) {
      const derived = this.derived(this.flatten(x.subarray(n * this.d, (n + 1) * this.d)), axes);
      for (const name of Object.keys(most)) most[name] = Math.max(most[name], Math.abs(derived[name]));
    }
    if (most.divergence < NEXT_TO_NONE * most.vorticity) out.add("divergence");
    if (most.vorticity < NEXT_TO_NONE * most.divergence) out.add("vorticity");
    return out;
  }

  // ---- what is known

  // Error bars relative to those of the prior, the root mean square over the outputs: 0 where the data say everything, 1 where
  // they say nothing. Outputs that the kernel leaves at zero do not count.
  doubt(errors) {
    let sum = 0, counted = 0;
    for (let k = 0; k < this.p; k++) {
      if (!(this.prior[k] > 0)) continue;
      sum += (errors[k] / this.prior[k]) ** 2;
      counted++;
    }
    return counted ? Math.sqrt(sum / counted) : 0;
  }

  // ---- the region on the map: {x0, x1, y0, y1}, flat

  bounds(axes) {
    const [i, j] = axes, a = this.inputs[i], b = this.inputs[j];
    if (!this.plane) return { x0: a.low, x1: a.high, y0: b.low, y1: b.high };
    const box = { x0: Infinity, x1: -Infinity, y0: Infinity, y1: -Infinity };
    for (let n = 0; n <= 24; n++)
      for (let m = 0; m <= 24; m++) {
        const place = this.plane.forward(a.low + (a.high - a.low) * n / 24, b.low + (b.high - b.low) * m / 24);
        box.x0 = Math.min(box.x0, place.x);
        box.x1 = Math.max(box.x1, place.x);
        box.y0 = Math.min(box.y0, place.y);
        box.y1 = Math.max(box.y1, place.y);
      }
    return box;
  }

  // ---- the page beside the program: the largest difference at places that the program has predicted

  check() {
    const { x, values } = this.probes, count = x.length / this.d;
    let size = 0, worst = 0;
    for (let i = 0; i < values.length; i++) size = Math.max(size, Math.abs(values[i]));
    for (let n = 0; n < count; n++) {
      const f = this.value(x.subarray(n * this.d, (n + 1) * this.d));
      for (let k = 0; k < this.p; k++) worst = Math.max(worst, Math.abs(f[k] - values[n * this.p + k]));
    }
    return size > 0 ? worst / size : worst;
  }
}
