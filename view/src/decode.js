// What the program has put into the page: numbers in base64, little-endian.

export function decodeNumbers(packed) {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const width = packed.type === "f32" ? 4 : 8;
  const view = new DataView(bytes.buffer);
  const out = width === 4 ? new Float32Array(bytes.length / 4) : new Float64Array(bytes.length / 8);
  for (let i = 0; i < out.length; i++) out[i] = width === 4 ? view.getFloat32(4 * i, true) : view.getFloat64(8 * i, true);
  return out;
}

// Every {type, data} below an object becomes an array of numbers.
export function decodeAll(value) {
  if (Array.isArray(value)) return value.map(decodeAll);
  if (!value || typeof value !== "object") return value;
  if (typeof value.data === "string" && (value.type === "f32" || value.type === "f64")) return decodeNumbers(value);
  const out = {};
  for (const key of Object.keys(value)) out[key] = decodeAll(value[key]);
  return out;
}
