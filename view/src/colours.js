// Colour maps that are even to the eye: lines through OKLCH (lightness, chroma, hue) along which lightness changes steadily.
// Sizes run away from the paper's colour, on light paper only so far that dark particles are still seen. What has a sign runs
// from blue to red through the paper's colour.

function toLinear(l, c, h) {
  const a = c * Math.cos(h * Math.PI / 180), b = c * Math.sin(h * Math.PI / 180);
  const x = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const y = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const z = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z, -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
    -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z];
}

// The chroma up to c that a screen has. Found to the last digit: steps would be seen as edges in a smooth map.
function mostChroma(l, c, h) {
  const isShown = (chroma) => toLinear(l, chroma, h).every((v) => v >= -1e-4 && v <= 1.0001);
  if (isShown(c)) return c;
  let low = 0, high = c;
  for (let n = 0; n < 30; n++) {
    const middle = (low + high) / 2;
    if (isShown(middle)) low = middle;
    else high = middle;
  }
  return low;
}

// In 0..255.
export function oklch(l, c, h) {
  return toLinear(l, mostChroma(l, c, h), h).map((v) => {
    const light = Math.max(0, Math.min(1, v));
    return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
  });
}

const between = (from, to, t) => from + (to - from) * t;

// t in 0..1
const MAPS = {
  speed: {
    dark: (t) => oklch(between(0.24, 0.86, t), 0.05 + 0.11 * Math.sin(Math.PI * (0.12 + 0.68 * t)), between(288, 104, t)),
    light: (t) => oklch(between(0.97, 0.5, t), 0.02 + 0.125 * Math.sin(Math.PI * (0.05 + 0.72 * t)), between(120, 285, t)),
  },
  error: {
    dark: (t) => oklch(between(0.23, 0.9, t), 0.03 + 0.13 * Math.sin(Math.PI * (0.1 + 0.75 * t)), between(300, 420, t)),
    light: (t) => oklch(between(0.975, 0.5, t), 0.01 + 0.14 * Math.sin(Math.PI * (0.04 + 0.7 * t)), between(430, 345, t)),
  },
  signed: {
    dark: (t) => signed(t, 0.25, 0.86),
    light: (t) => signed(t, 0.975, 0.42),
  },
};

function signed(t, middle, end) {
  const side = Math.abs(2 * t - 1);
  return oklch(between(middle, end, side), 0.17 * side ** 0.8, t < 0.5 ? between(235, 262, side) : between(45, 25, side));
}

// 256 colours, RGBA.
export function colourTable(name, theme) {
  const table = new Uint8Array(256 * 4);
  for (let i = 0; i < 256; i++) table.set([...MAPS[name][theme](i / 255), 255], 4 * i);
  return table;
}
