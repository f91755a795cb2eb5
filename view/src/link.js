// What is seen, in the fragment of the address: names and values, nothing that is ever markup.

export function writeFragment(state) {
  return "#" + Object.entries(state).filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
}

export function readFragment(text) {
  const out = {};
  for (const pair of text.replace(/^#/, "").split("&")) {
    const at = pair.indexOf("=");
    if (at < 1) continue;
    try {
      out[pair.slice(0, at)] = decodeURIComponent(pair.slice(at + 1));
    } catch {
      // a broken link loses what is broken
    }
  }
  return out;
}

export function numbersOf(text, count) {
  if (!text) return null;
  const numbers = text.split(",").map(Number);
  return numbers.length === count && numbers.every(Number.isFinite) ? numbers : null;
}
