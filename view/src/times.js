// Numbers as people read them, and times that are counted from a date.

const MINUS = "\u2212";

// So many significant digits, without an exponent where it can be helped.
export function showNumber(value, digits = 4) {
  if (!Number.isFinite(value)) return "\u2013";
  if (value === 0) return "0";
  const size = Math.floor(Math.log10(Math.abs(value)));
  let text;
  if (size >= 6 || size < -4) {
    const [front, power] = value.toExponential(Math.max(digits - 1, 0)).split("e");
    text = `${Number(front)}\u00d710${superscript(Number(power))}`;
  } else {
    text = value.toFixed(Math.max(0, Math.min(12, digits - 1 - size)));
    if (text.includes(".")) text = text.replace(/0+$/, "").replace(/\.$/, "");
  }
  return text.replace("-", MINUS);
}

function superscript(whole) {
  const digits = "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079";
  return String(whole).replace("-", "\u207b").replace(/\d/g, (d) => digits[Number(d)]);
}

// A value and its error with as many decimals as the error deserves: two digits of it.
export function showWithError(value, error) {
  if (!(error > 0) || !Number.isFinite(error)) return showNumber(value, 6);
  const decimals = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(error))));
  if (Math.abs(value) >= 1e6 || decimals > 8) return `${showNumber(value)} \u00b1 ${showNumber(error, 2)}`;
  return `${value.toFixed(decimals)} \u00b1 ${error.toFixed(decimals)}`.replace("-", MINUS);
}

// "m s-1", as files have it, with powers raised, and "degC" with its sign.
export function showUnits(units) {
  if (!units) return "";
  return units.replace(/\bdeg(?:ree)?s?(?=[CF]?\b)/g, "\u00b0").replace(/([A-Za-z\u00b0)])\^?([-\u2212]?\d+)(?![\w.])/g, (all, name, power) => name + superscript(Number(power.replace(MINUS, "-"))));
}

const STEPS = { s: 1e3, sec: 1e3, second: 1e3, min: 6e4, minute: 6e4, h: 36e5, hr: 36e5, hour: 36e5, d: 864e5, day: 864e5 };

// {start, step} in milliseconds of units such as "hours since 2020-01-01 00:00"; null for others.
export function timeOf(units) {
  const match = /^\s*([A-Za-z]+?)s?\s+since\s+(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?)?/.exec(units || "");
  if (!match || !STEPS[match[1].toLowerCase()]) return null;
  const [year, month, day, hour, minute, second] = match.slice(2).map((text) => Number(text || 0));
  const start = new Date(Date.UTC(2000, 0, 1, hour, minute, second)).setUTCFullYear(year, month - 1, day); // UTC() takes years before 100 for others
  return { start, step: STEPS[match[1].toLowerCase()] };
}

export function showTime(time, value) {
  const date = new Date(time.start + value * time.step);
  if (Number.isNaN(date.getTime())) return showNumber(value);
  return date.toISOString().slice(0, 16).replace("T", " ") + " UTC";
}

// Degrees with their side: 12.5 W.
export function showDegrees(value, positive, negative, digits) {
  const turned = positive === "E" ? ((((value + 180) % 360) + 360) % 360) - 180 : value;
  const text = Math.abs(turned).toFixed(digits), isPlain = Number(text) === 0 || (positive === "E" && Number(text) === 180);
  return `${text}\u00b0${isPlain ? "" : turned > 0 ? positive : negative}`;
}

// Round numbers 1, 2, 5 times a power of ten, about so many between two ends.
export function niceStep(span, about) {
  const raw = span / Math.max(about, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const part = raw / power;
  return (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10) * power;
}

export function niceTicks(low, high, about) {
  const step = niceStep(high - low, about);
  const ticks = [];
  if (!(step > 0)) return ticks;
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) ticks.push(k * step);
  return ticks;
}

// A name of any length as one that fits into a line.
export function shorten(text, most = 22) {
  const characters = Array.from(text);
  return characters.length <= most ? text : characters.slice(0, most - 1).join("") + "\u2026";
}
