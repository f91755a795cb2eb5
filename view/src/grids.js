// Numbers on a regular grid of all inputs, the first running fastest, and what lies between: polynomials through the nearest
// nodes along each input.

export class Grid {
  // ends: for each input whether it ends at its low and at its high, so that what lies beyond is unknown.
  constructor(packed, p, degree, ends = []) {
    Object.assign(this, { p, ends, low: packed.low, high: packed.high, count: packed.count, values: packed.values });
    this.d = this.count.length;
    this.nodes = this.count.map((count) => Math.min(count, degree + 1));
    this.weights = this.nodes.map((nodes) => new Float64Array(nodes));
    this.first = new Int32Array(this.d);
    this.strides = [];
    for (let i = 0, stride = 1; i < this.d; stride *= this.count[i++]) this.strides.push(stride);
  }

  // Lagrange's weights of the nodes about x along input i; beyond the ends as at the ends.
  prepare(i, x) {
    const count = this.count[i], nodes = this.nodes[i], weights = this.weights[i];
    if (count === 1) {
      weights[0] = 1;
      this.first[i] = 0;
      return;
    }
    const at = Math.max(0, Math.min(count - 1, (x - this.low[i]) / (this.high[i] - this.low[i]) * (count - 1)));
    const first = Math.max(0, Math.min(count - nodes, Math.floor(at) - ((nodes - 1) >> 1)));
    this.first[i] = first;
    for (let n = 0; n < nodes; n++) {
      let w = 1;
      for (let m = 0; m < nodes; m++) if (m !== n) w *= (at - first - m) / (n - m);
      weights[n] = w;
    }
  }

  // How far inside of the grid a point lies: 1, falling to 0 over the last twelfth before an end.
  inside(x) {
    let least = 1;
    for (let i = 0; i < this.d; i++) {
      if (this.count[i] === 1) continue;
      const t = (x[i] - this.low[i]) / (this.high[i] - this.low[i]);
      if (!this.ends[i]) continue;
      if (t < -1e-9 || t > 1 + 1e-9) return 0;
      if (this.ends[i][0]) least = Math.min(least, 12 * t);
      if (this.ends[i][1]) least = Math.min(least, 12 * (1 - t));
    }
    return Math.max(0, least);
  }

  at(x, out) {
    for (let i = 0; i < this.d; i++) this.prepare(i, x[i]);
    out.fill(0);
    this.addNodes(this.d - 1, 0, 1, out);
    return out;
  }

  addNodes(i, base, weight, out) {
    if (i < 0) {
      for (let k = 0; k < this.p; k++) out[k] += weight * this.values[base * this.p + k];
      return;
    }
    for (let n = 0; n < this.nodes[i]; n++) this.addNodes(i - 1, base + (this.first[i] + n) * this.strides[i], weight * this.weights[i][n], out);
  }
}
