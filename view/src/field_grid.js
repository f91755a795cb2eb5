// The field over a part of the map, on a grid as fine as its length scales or the screen ask for: what is drawn. What is read
// off comes from the model itself.

const CELL = 4; // screen pixels between nodes, at the finest
const CELL_OF_NEAREST = 8; // a system of equations for each node takes a tenth of a millisecond
const OF_SCALE = 8; // nodes for each length scale; contours, whose corners are seen, take more
const OF_SCALE_FOR_CONTOURS = 30;
const MOST = 360; // nodes along a side
const AROUND = 0.2; // of the window, on each side: room for dragging

export class FieldGrid {
  // window: {x0, x1, y0, y1, px, py}, flat units and pixels for each of them.
  constructor(model, axes, at, window, coarser = 1) {
    Object.assign(this, { model, axes, at: Float64Array.from(at) });
    const wide = window.x1 - window.x0, tall = window.y1 - window.y0;
    this.x0 = window.x0 - AROUND * wide;
    this.y0 = window.y0 - AROUND * tall;
    this.nx = this.nodes(wide, window.px, model.details[axes[0]], coarser);
    this.ny = this.nodes(tall, window.py, model.details[axes[1]], coarser);
    this.dx = wide * (1 + 2 * AROUND) / (this.nx - 1);
    this.dy = tall * (1 + 2 * AROUND) / (this.ny - 1);
    this.xs = Float64Array.from({ length: this.nx }, (_, i) => this.x0 + i * this.dx);
    this.ys = Float64Array.from({ length: this.ny }, (_, i) => this.y0 + i * this.dy);
  }

  nodes(span, pixels, scale, coarser) {
    const fine = this.model.vector ? OF_SCALE : OF_SCALE_FOR_CONTOURS;
    const cell = Math.max((this.model.kind === "nearest" ? CELL_OF_NEAREST : CELL) / pixels, scale ? Math.min(scale / fine, span / 24) : 0) * coarser;
    return Math.max(24, Math.min(MOST, Math.ceil(span * (1 + 2 * AROUND) / cell) + 1));
  }

  empty() {
    return Array.from({ length: this.model.p }, () => new Float32Array(this.nx * this.ny));
  }

  // Yields after every row of work, so that the page stays alive.
  * fill() {
    this.planes = this.empty();
    if (this.model.values) yield* this.fillFromGrid();
    else {
      this.planes.forEach((plane, k) => plane.fill(this.model.mean[k]));
      for (const term of this.model.sum) yield* term.addRows(this, this.planes);
    }
    yield* this.fillErrors();
  }

  * eachNode(visit) {
    const flat = Float64Array.from(this.at);
    for (let row = 0; row < this.ny; row++) {
      flat[this.axes[1]] = this.ys[row];
      for (let i = 0; i < this.nx; i++) {
        flat[this.axes[0]] = this.xs[i];
        visit(flat, row * this.nx + i);
      }
      yield row;
    }
  }

  * fillFromGrid() {
    const f = new Float64Array(this.model.p);
    yield* this.eachNode((flat, at) => {
      this.model.valueFlat(flat, f);
      for (let k = 0; k < f.length; k++) this.planes[k][at] = f[k];
    });
  }

  // The error bar of all outputs together, and how far it leaves the field known: 1 to 0.
  * fillErrors() {
    const { model } = this;
    this.known = new Float32Array(this.nx * this.ny).fill(1);
    this.errors = new Float32Array(this.nx * this.ny);
    if (!model.errorGrid) return;
    yield* this.eachNode((flat, at) => {
      const raw = model.unflatten(flat), errors = model.errorGrid.at(raw, new Float64Array(model.p));
      this.errors[at] = Math.hypot(...errors);
      this.known[at] = shown(model, raw, errors) * model.errorGrid.inside(raw);
    });
  }

  // What sample i has more, on the same nodes.
  * fillDeviation(i) {
    const planes = this.empty();
    for (const term of this.model.deviations[i]) yield* term.addRows(this, planes);
    return planes;
  }

  // d plane / d x or y at a node, of fourth order inside.
  slope(plane, at, along) {
    const stride = along ? this.nx : 1, n = along ? this.ny : this.nx, step = along ? this.dy : this.dx;
    const place = along ? Math.floor(at / this.nx) : at % this.nx;
    if (place >= 2 && place < n - 2)
      return (8 * (plane[at + stride] - plane[at - stride]) - (plane[at + 2 * stride] - plane[at - 2 * stride])) / (12 * step);
    const low = place > 0 ? at - stride : at, high = place < n - 1 ? at + stride : at;
    return (plane[high] - plane[low]) / (step * (high - low) / stride);
  }

  // A quantity at all nodes. planes: those of the mean, or of a sample.
  quantity(name, planes) {
    const one = /^output(\d+)$/.exec(name), [u, v] = this.model.components(this.axes).map((k) => planes[k]);
    if (one) return planes[Number(one[1])];
    if (name === "error") return this.errors;
    if (name === "speed") return this.speed(planes);
    const sign = name === "vorticity" ? -1 : 1, [first, second] = name === "vorticity" ? [v, u] : [u, v];
    const out = new Float32Array(this.nx * this.ny);
    for (let at = 0; at < out.length; at++) out[at] = this.slope(first, at, false) + sign * this.slope(second, at, true);
    return out;
  }

  speed(planes) {
    const out = new Float32Array(this.nx * this.ny);
    for (const plane of planes) for (let at = 0; at < out.length; at++) out[at] += plane[at] * plane[at];
    return out.map(Math.sqrt);
  }

  // Bilinear, into out: [u, v, known]; false outside.
  velocity(planes, x, y, out) {
    const gx = (x - this.x0) / this.dx, gy = (y - this.y0) / this.dy, i = Math.floor(gx), j = Math.floor(gy);
    if (!(i >= 0 && j >= 0 && i < this.nx - 1 && j < this.ny - 1)) return false;
    const [u, v] = this.model.components(this.axes), s = gx - i, t = gy - j, at = j * this.nx + i;
    const mix = (plane) => (plane[at] * (1 - s) + plane[at + 1] * s) * (1 - t) + (plane[at + this.nx] * (1 - s) + plane[at + this.nx + 1] * s) * t;
    out[0] = mix(planes[u]);
    out[1] = mix(planes[v]);
    out[2] = mix(this.known);
    return true;
  }

  covers(window) {
    const slack = 1e-9 * (window.x1 - window.x0);
    return this.x0 <= window.x0 + slack && this.y0 <= window.y0 + slack && this.xs[this.nx - 1] >= window.x1 - slack && this.ys[this.ny - 1] >= window.y1 - slack;
  }
}

// 1 where the field is known and 0 where it is not, with a soft edge around the limit. A map in degrees ends at the poles.
function shown(model, raw, errors) {
  if (model.degrees && Math.abs(raw[model.axes[1]]) > 90) return 0;
  if (!model.prior) return 1;
  const t = Math.max(0, Math.min(1, (model.doubt(errors) / model.little_known - 0.9) / 0.2));
  return 1 - t * t * (3 - 2 * t);
}

// Between which values all but a twentieth lie: an extreme at the edge must not make the rest pale.
export function usualRange(values, known) {
  const sizes = [];
  for (let i = 0; i < values.length; i++) if (Number.isFinite(values[i]) && (!known || known[i] > 0.5)) sizes.push(values[i]);
  if (!sizes.length) return { low: 0, high: 1 };
  sizes.sort((a, b) => a - b);
  return { low: sizes[Math.floor(sizes.length / 40)], high: sizes[sizes.length - 1 - Math.floor(sizes.length / 40)] };
}
