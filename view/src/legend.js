// The bar of colours with its name, unit and numbers.

import { niceTicks, showNumber, showUnits } from "./times.js";

// pen is scaled to CSS pixels; the legend takes width x LEGEND_HEIGHT.
export const LEGEND_HEIGHT = 52;

export function drawLegend(pen, width, table, range, name, units, style) {
  const left = 14, right = width - 14, top = 22, thick = 10;
  const gradient = pen.createLinearGradient(left, 0, right, 0);
  for (let i = 0; i <= 32; i++) {
    const at = 4 * Math.round(i / 32 * 255);
    gradient.addColorStop(i / 32, `rgb(${table[at]}, ${table[at + 1]}, ${table[at + 2]})`);
  }
  pen.fillStyle = gradient;
  pen.beginPath();
  pen.roundRect(left, top, right - left, thick, 3);
  pen.fill();
  pen.strokeStyle = style.frame;
  pen.lineWidth = 1;
  pen.stroke();
  pen.font = style.bold;
  pen.textBaseline = "alphabetic";
  pen.textAlign = "left";
  pen.fillStyle = style.text;
  pen.fillText(name, left, 14, (right - left) * 0.62);
  const after = Math.min(pen.measureText(name).width, (right - left) * 0.62);
  pen.font = style.font;
  pen.fillStyle = style.soft;
  if (units) pen.fillText(showUnits(units), left + after + 7, 14, right - left - after - 7);
  drawNumbers(pen, left, right, top + thick, range, style);
}

function drawNumbers(pen, left, right, bottom, range, style) {
  const at = (value) => left + (value - range.low) / (range.high - range.low) * (right - left);
  pen.textAlign = "center";
  pen.fillStyle = style.text;
  pen.strokeStyle = style.soft;
  let free = -Infinity;
  for (const tick of niceTicks(range.low, range.high, (right - left) / 56)) {
    const text = showNumber(tick, 3), half = pen.measureText(text).width / 2, x = at(tick);
    pen.beginPath();
    pen.moveTo(x, bottom);
    pen.lineTo(x, bottom + 4);
    pen.stroke();
    if (x - half < free || x + half > right + 12) continue;
    pen.fillText(text, x, bottom + 16);
    free = x + half + 6;
  }
}
