// The terms of a sum: each adds its value at a point x (d numbers) to f (p numbers), and its values over a grid of the map,
// row by row, to planes (p arrays of nx * ny). A grid is {xs, ys, axes, at}: coordinates along the two inputs of the map, and
// a point that has the other inputs.

import { makeBase } from "./kernels.js";
import { Tree } from "./tree.js";

function * addPointByPoint(term, grid, planes) {
  const x = Float64Array.from(grid.at), f = new Float64Array(term.p), nx = grid.xs.length;
  for (let row = 0; row < grid.ys.length; row++) {
    x[grid.axes[1]] = grid.ys[row];
    for (let i = 0; i < nx; i++) {
      x[grid.axes[0]] = grid.xs[i];
      f.fill(0);
      term.add(x, f);
      for (let k = 0; k < term.p; k++) planes[k][row * nx + i] += f[k];
    }
    yield row;
  }
}

// ---- waves with frequencies of their own

export class Waves {
  constructor(term, d, p) {
    Object.assign(this, { d, p, omega: term.omega, a: term.a, b: term.b, origin: term.origin, count: term.omega.length / d });
  }

  add(x, f) {
    const { d, p, omega, a, b, origin } = this;
    for (let j = 0; j < this.count; j++) {
      let angle = 0;
      for (let i = 0; i < d; i++) angle += omega[j * d + i] * (x[i] - origin[i]);
      const cosine = Math.cos(angle), sine = Math.sin(angle);
      for (let k = 0; k < p; k++) f[k] += a[j * p + k] * cosine + b[j * p + k] * sine;
    }
  }

  // Cosines and sines of what x adds to the angle: count x nx.
  tables(grid) {
    const { d, omega, origin } = this, [i] = grid.axes, nx = grid.xs.length;
    const cosines = new Float64Array(this.count * nx), sines = new Float64Array(this.count * nx);
    for (let j = 0; j < this.count; j++)
      for (let k = 0; k < nx; k++) {
        const angle = omega[j * d + i] * (grid.xs[k] - origin[i]);
        cosines[j * nx + k] = Math.cos(angle);
        sines[j * nx + k] = Math.sin(angle);
      }
    return { cosines, sines };
  }

  // The angle without the map's x.
  angle(j, grid, y) {
    let angle = 0;
    for (let i = 0; i < this.d; i++) {
      if (i === grid.axes[0]) continue;
      angle += this.omega[j * this.d + i] * ((i === grid.axes[1] ? y : grid.at[i]) - this.origin[i]);
    }
    return angle;
  }

  * addRows(grid, planes) {
    const { cosines, sines } = this.tables(grid), nx = grid.xs.length, p = this.p;
    for (let row = 0; row < grid.ys.length; row++) {
      for (let j = 0; j < this.count; j++) {
        const angle = this.angle(j, grid, grid.ys[row]), c = Math.cos(angle), s = Math.sin(angle);
        for (let k = 0; k < p; k++) {
          const a = this.a[j * p + k], b = this.b[j * p + k], re = a * c + b * s, im = b * c - a * s, plane = planes[k];
          for (let i = 0, at = row * nx, from = j * nx; i < nx; i++, at++, from++) plane[at] += re * cosines[from] + im * sines[from];
        }
      }
      yield row;
    }
  }
}

// ---- waves of a lattice: sums go along one input at a time

export class Lattice {
  constructor(term, d, p) {
    Object.assign(this, { d, p, most: term.most, steps: term.steps, origin: term.origin, a: term.a, b: term.b });
    this.inside = term.inside.map((far) => far === null ? Infinity : far);
    this.lowest = this.most.map((most, i) => i + 1 < d ? -most : 0);
    this.widths = this.most.map((most, i) => most - this.lowest[i] + 1);
  }

  has(x) {
    return this.inside.every((far, i) => Math.abs(x[i] - this.origin[i]) <= far);
  }

  // exp(i k step (x - origin)) for all k of input i.
  powers(i, x) {
    const out = { re: new Float64Array(this.widths[i]), im: new Float64Array(this.widths[i]) };
    for (let n = 0; n < this.widths[i]; n++) {
      const angle = (this.lowest[i] + n) * this.steps[i] * (x - this.origin[i]);
      out.re[n] = Math.cos(angle);
      out.im[n] = Math.sin(angle);
    }
    return out;
  }

  // a cos + b sin = Re (a - i b) exp(i angle), for output k.
  coefficients(k) {
    const count = this.a.length / this.p, out = { re: new Float64Array(count), im: new Float64Array(count), widths: this.widths.slice() };
    for (let j = 0; j < count; j++) {
      out.re[j] = this.a[j * this.p + k];
      out.im[j] = -this.b[j * this.p + k];
    }
    return out;
  }

  // The sum over input i, which is the place `at` among those left.
  collapse(c, at, powers) {
    const outer = c.widths.slice(0, at).reduce((x, y) => x * y, 1), width = c.widths[at];
    const inner = c.widths.slice(at + 1).reduce((x, y) => x * y, 1);
    const out = { re: new Float64Array(outer * inner), im: new Float64Array(outer * inner), widths: c.widths.filter((_, i) => i !== at) };
    for (let o = 0; o < outer; o++)
      for (let n = 0; n < width; n++) {
        const re = powers.re[n], im = powers.im[n];
        for (let i = 0, to = o * inner, from = (o * width + n) * inner; i < inner; i++, to++, from++) {
          out.re[to] += c.re[from] * re - c.im[from] * im;
          out.im[to] += c.re[from] * im + c.im[from] * re;
        }
      }
    return out;
  }

  add(x, f) {
    if (!this.has(x)) return;
    const powers = this.widths.map((_, i) => this.powers(i, x[i]));
    this.kept = this.kept || Array.from({ length: this.p }, (_, k) => this.coefficients(k));
    for (let k = 0; k < this.p; k++) {
      let c = this.kept[k];
      for (let i = this.d - 1; i >= 0; i--) c = this.collapse(c, i, powers[i]);
      f[k] += c.re[0];
    }
  }

  // Modes over the map's two inputs alone: x by rows, y by columns.
  over(grid, k) {
    let c = this.coefficients(k);
    const left = [...Array(this.d).keys()];
    for (let i = this.d - 1; i >= 0; i--) {
      if (grid.axes.includes(i)) continue;
      c = this.collapse(c, left.indexOf(i), this.powers(i, grid.at[i]));
      left.splice(left.indexOf(i), 1);
    }
    return { c, swapped: left[0] !== grid.axes[0] };
  }

  * addRows(grid, planes) {
    const [ix, iy] = grid.axes, nx = grid.xs.length;
    const along = Array.from(grid.xs, (x) => this.powers(ix, x));
    const modes = planes.map((_, k) => this.over(grid, k));
    const far = grid.at.some((x, i) => !grid.axes.includes(i) && Math.abs(x - this.origin[i]) > this.inside[i]);
    for (let row = 0; row < grid.ys.length; row++) {
      const out = far || Math.abs(grid.ys[row] - this.origin[iy]) > this.inside[iy];
      const powers = this.powers(iy, grid.ys[row]);
      for (let k = 0; k < this.p && !out; k++) this.addRow(this.collapse(modes[k].c, modes[k].swapped ? 0 : 1, powers), along, grid, planes[k], row * nx);
      yield row;
    }
  }

  addRow(c, along, grid, plane, first) {
    const ix = grid.axes[0];
    for (let i = 0; i < grid.xs.length; i++) {
      if (Math.abs(grid.xs[i] - this.origin[ix]) > this.inside[ix]) continue;
      const { re, im } = along[i];
      let sum = 0;
      for (let n = 0; n < re.length; n++) sum += c.re[n] * re[n] - c.im[n] * im[n];
      plane[first + i] += sum;
    }
  }
}

// ---- centres

export class Centres {
  constructor(term, d, p, parts, z) {
    Object.assign(this, { d, p, z, c: term.c, count: z.length / d });
    this.parts = parts.map((part, m) => this.prepare(part, term.along[m], term.across[m]));
    this.slopes = new Float64Array(2);
    this.u = new Float64Array(p);
  }

  // Inputs of the field's space, or all of them; and the others, which have a factor of their own.
  prepare(part, along, across) {
    const all = [...Array(this.d).keys()], space = part.space || all;
    return {
      base: makeBase(part.base, part.shape), along, across, field: along !== 0 || across !== 0,
      space, rest: all.filter((i) => !space.includes(i)), scale: Array.from(part.sigmas, (sigma) => 1 / sigma),
    };
  }

  norm(part, inputs, x, at) {
    let sum = 0;
    for (let n = 0; n < inputs.length; n++) {
      const v = (x[inputs[n]] - this.z[at + inputs[n]]) * part.scale[inputs[n]];
      sum += part.base.sum ? Math.abs(v) : v * v;
    }
    return part.base.sum ? sum : Math.sqrt(sum);
  }

  add(x, f) {
    for (let m = 0; m < this.parts.length; m++) {
      const part = this.parts[m], first = m * this.count * this.p;
      for (let j = 0; j < this.count; j++) {
        const r = this.norm(part, part.space, x, j * this.d);
        if (r > part.base.far) continue;
        const front = part.rest.length ? part.base.k0(this.norm(part, part.rest, x, j * this.d)) : 1;
        if (part.field) this.addField(part, front, r, x, j, first + j * this.p, f);
        else {
          const k = front * part.base.k0(r);
          for (let a = 0; a < this.p; a++) f[a] += k * this.c[first + j * this.p + a];
        }
      }
    }
  }

  // along C c + across (tr C c - C c), C = L (g1 I - g2 u u^T) L
  addField(part, front, r, x, j, at, f) {
    const { p, u, c, slopes } = this, { space, scale } = part;
    part.base.slopes(r, slopes);
    let dot = 0, trace = 0;
    for (let a = 0; a < p; a++) {
      const i = space[a], l = scale[i];
      u[a] = r > 0 ? (x[i] - this.z[j * this.d + i]) * l / r : 0;
      dot += u[a] * l * c[at + a];
      trace += (slopes[0] - slopes[1] * u[a] * u[a]) * l * l;
    }
    for (let a = 0; a < p; a++) {
      const l = scale[space[a]], pulled = l * (slopes[0] * l * c[at + a] - slopes[1] * u[a] * dot);
      f[a] += front * ((part.along - part.across) * pulled + part.across * trace * c[at + a]);
    }
  }

  * addRows(grid, planes) {
    yield* addPointByPoint(this, grid, planes);
  }
}

// ---- the nearest rows: B = k(x, z) (k(z, z) + noise / weight)^-1 of some of them, for each axis of the outputs

export class Nearest {
  constructor(term, d, p, parts) {
    Object.assign(this, term, { d, p, axes: term.noise.length });
    this.parts = parts.map((part, m) => this.prepare(part, term.amplitude[m], term.z));
    this.scale = Array.from(parts[0].sigmas, (sigma) => 1 / sigma);
    this.tree = new Tree(term.z.map((value, i) => value * this.scale[i % d]), d);
    const k = term.nearest;
    Object.assign(this, { here: new Float64Array(d), rows: new Uint32Array(k), distances: new Float64Array(k), C: new Float64Array(k), A: new Float64Array(k * k), B: new Float64Array(k) });
  }

  // Rows in length scales: those of the space of a field, and others, which have a factor of their own.
  prepare(part, amplitude, z) {
    const all = [...Array(this.d).keys()], space = part.space || all;
    return { base: makeBase(part.base, part.shape), amplitude, space, rest: all.filter((i) => !space.includes(i)),
      sigmas: part.sigmas, z: z.map((value, i) => value / part.sigmas[i % this.d]), x: new Float64Array(this.d) };
  }

  norm(part, inputs, x, first, j) {
    let sum = 0;
    for (let n = 0; n < inputs.length; n++) {
      const v = x[first + inputs[n]] - part.z[j * this.d + inputs[n]];
      sum += part.base.sum ? Math.abs(v) : v * v;
    }
    return part.base.sum ? sum : Math.sqrt(sum);
  }

  // Between row j and a place among x.
  part(part, x, first, j) {
    const front = part.rest.length ? part.base.k0(this.norm(part, part.rest, x, first, j)) : 1;
    return part.amplitude * front * part.base.k0(this.norm(part, part.space, x, first, j));
  }

  // A = k(z, z) + noise / weight, lower half, and its Cholesky factor in its place.
  factor(count, noise) {
    const { A, rows, d } = this;
    for (let i = 0; i < count; i++)
      for (let j = 0; j <= i; j++) {
        let sum = i === j ? noise / (this.weights ? Math.max(this.weights[rows[i]], 2.3e-308) : 1) : 0;
        for (const part of this.parts) sum += this.part(part, part.z, rows[i] * d, rows[j]);
        for (let n = 0; n < j; n++) sum -= A[i * count + n] * A[j * count + n];
        A[i * count + j] = i === j ? Math.sqrt(sum) : sum / A[j * count + j];
      }
  }

  weigh(count, noise) {
    const { A, B, C } = this;
    this.factor(count, noise);
    for (let i = 0; i < count; i++) {
      let sum = C[i];
      for (let n = 0; n < i; n++) sum -= A[i * count + n] * B[n];
      B[i] = sum / A[i * (count + 1)];
    }
    for (let i = count - 1; i >= 0; i--) {
      let sum = B[i];
      for (let n = i + 1; n < count; n++) sum -= A[n * count + i] * B[n];
      B[i] = sum / A[i * (count + 1)];
    }
  }

  add(x, f) {
    const { d, p, here, rows, axes, noise, turn, y, B, C } = this;
    for (let i = 0; i < d; i++) here[i] = x[i] * this.scale[i];
    const count = this.tree.around(here, this.nearest, rows, this.distances);
    C.fill(0);
    for (const part of this.parts) {
      for (let i = 0; i < d; i++) part.x[i] = x[i] / part.sigmas[i];
      for (let i = 0; i < count; i++) C[i] += this.part(part, part.x, 0, rows[i]);
    }
    for (let j = 0; j < axes; j++) {
      if (!j || noise[j] !== noise[j - 1]) this.weigh(count, noise[j]);
      let along = 0;
      for (let i = 0; i < count; i++) along += B[i] * y[rows[i] * axes + j];
      for (let k = 0; k < p; k++) f[k] += turn[k * axes + j] * along;
    }
  }

  * addRows(grid, planes) {
    yield* addPointByPoint(this, grid, planes);
  }
}

// ---- a trend: products of inputs less their centres

export class Trend {
  constructor(term, d, p) {
    Object.assign(this, { p, factors: term.factors, centre: term.centre, c: term.c });
  }

  add(x, f) {
    this.factors.forEach((inputs, n) => {
      const product = inputs.reduce((value, i) => value * (x[i] - this.centre[i]), 1);
      for (let k = 0; k < this.p; k++) f[k] += product * this.c[n * this.p + k];
    });
  }

  * addRows(grid, planes) {
    yield* addPointByPoint(this, grid, planes);
  }
}

// The terms that the program has written; z: the centres of the model, which samples share.
export function makeTerms(terms, d, p, parts, z) {
  return terms.map((term) => {
    if (term.kind === "harmonics") return new Lattice(term, d, p);
    if (term.kind === "waves") return new Waves(term, d, p);
    if (term.kind === "trend") return new Trend(term, d, p);
    if (term.kind === "nearest") return new Nearest(term, d, p, parts);
    return new Centres(term, d, p, parts, term.z || z);
  });
}
