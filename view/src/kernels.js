// The kernels that an exact model has, as the library computes them. r = |delta / sigma|.
//
//     k0(r), and  -grad grad^T k0 = L (g1 I - g2 u u^T) L,   L = diag(1/sigma), u = the direction of delta / sigma

function matern(polynomial, slopes, nu) {
  const root = Math.sqrt(2 * nu);
  return {
    far: 36 / root,
    k0: (r) => polynomial(root * r) * Math.exp(-root * r),
    slopes: (r, out) => {
      const x = root * r;
      slopes(x, 2 * nu * Math.exp(-x), out);
    },
  };
}

// slopes fills out[0] = g1 and out[1] = g2. `far`: beyond this r there is nothing left.
const BASES = {
  gaussian: () => ({
    far: 8.5,
    k0: (r) => Math.exp(-0.5 * r * r),
    slopes: (r, out) => {
      out[0] = Math.exp(-0.5 * r * r);
      out[1] = out[0] * r * r;
    },
  }),
  matern12: () => matern(() => 1, () => {}, 0.5),
  matern32: () => matern((x) => 1 + x, (x, e, out) => {
    out[0] = e;
    out[1] = x * e;
  }, 1.5),
  matern52: () => matern((x) => 1 + x + x * x / 3, (x, e, out) => {
    out[0] = e / 3 * (1 + x);
    out[1] = e / 3 * x * x;
  }, 2.5),
  matern72: () => matern((x) => 1 + x + 0.4 * x * x + x * x * x / 15, (x, e, out) => {
    out[0] = e / 5 * (1 + x + x * x / 3);
    out[1] = e / 15 * (1 + x) * x * x;
  }, 3.5),
  "rational-quadratic": (alpha) => ({
    far: Infinity,
    k0: (r) => Math.exp(-alpha * Math.log1p(r * r / (2 * alpha))),
    slopes: (r, out) => {
      const q = 1 + r * r / (2 * alpha);
      out[0] = q ** (-alpha - 1);
      out[1] = (alpha + 1) / alpha * (out[0] / q) * r * r;
    },
  }),
  cauchy: () => BASES["rational-quadratic"](1),
  // A product over the inputs; r is then the sum of |delta_i / sigma_i|.
  laplace: () => ({ far: 40, sum: true, k0: (r) => Math.exp(-r), slopes: () => {} }),
};

export function makeBase(name, shape) {
  if (!BASES[name]) throw new Error(`this page does not know the base ${name}`);
  return BASES[name](shape);
}
