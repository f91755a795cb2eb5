// What there is to see, and the window through which it is seen.

import { shorten, showNumber, showTime } from "./times.js";
import { colourTable } from "./colours.js";
import { FieldGrid, usualRange } from "./field_grid.js";

export const $ = (id) => document.getElementById(id);
const RANGE_NODES = 32; // along each side of the region, for the range of the colours

export class Stage {
  // ---- names

  inputName(i) {
    return shorten(this.model.inputs[i].name || "") || ["x", "y", "z", "t"][i] || `input ${i + 1}`;
  }

  outputName(k) {
    return shorten(this.model.outputs[k].name || "") || (this.model.vector ? ["u", "v", "w"][k] : `output ${k + 1}`);
  }

  showInput(i, value) {
    return this.times[i] ? showTime(this.times[i], value) : showNumber(value, 6);
  }

  // ---- what colours may show: {id, name, units, map}

  listQuantities() {
    const { model } = this, [first] = model.outputs, list = [];
    if (model.vector) list.push({ id: "speed", name: model.isFlow ? "speed" : "magnitude", units: first.units, map: "speed" });
    this.vanishing = this.hasSlopes ? model.vanishing(this.axes) : new Set();
    const addSlope = (id, name) => this.hasSlopes && !this.vanishing.has(id) && list.push({ id, name, units: model.slope_units, map: "signed" });
    addSlope("vorticity", model.p === 3 ? `${model.curlName} through the slice` : model.curlName);
    if (model.p === 2) addSlope("divergence", "divergence");
    model.outputs.forEach((output, k) => list.push({ id: `output${k}`, name: this.outputName(k), units: output.units, map: "value" }));
    if (model.errorGrid) list.push({ id: "error", name: "error bar", units: first.units, map: "error" });
    this.quantities = list;
    $("quantity").replaceChildren(...list.map((one) => new Option(one.name, one.id)));
  }

  get shown() {
    return this.quantities.find((one) => one.id === this.quantity);
  }

  // Colours stay the same while one moves about: their range is that of the whole region, over time too.
  findRanges() {
    const { model } = this, at = Float64Array.from(this.at), all = {}, slides = this.slides;
    const window = { ...this.region(), px: 1e9, py: 1e9 };
    for (const part of slides.length ? [0.1, 0.5, 0.9] : [0.5]) {
      for (const i of slides) at[i] = model.inputs[i].low + part * (model.inputs[i].high - model.inputs[i].low);
      const grid = new FieldGrid(model, this.axes, at, window, 1);
      grid.nx = grid.ny = RANGE_NODES;
      grid.x0 = window.x0;
      grid.y0 = window.y0;
      grid.dx = (window.x1 - window.x0) / (RANGE_NODES - 1);
      grid.dy = (window.y1 - window.y0) / (RANGE_NODES - 1);
      grid.xs = Float64Array.from({ length: RANGE_NODES }, (_, n) => grid.x0 + n * grid.dx);
      grid.ys = Float64Array.from({ length: RANGE_NODES }, (_, n) => grid.y0 + n * grid.dy);
      for (const row of grid.fill()) void row;
      for (const { id } of this.quantities) all[id] = this.widen(all[id], usualRange(grid.quantity(id, grid.planes), id === "error" ? null : grid.known));
    }
    this.ranges = {};
    for (const one of this.quantities) this.ranges[one.id] = this.roundRange(one, all[one.id]);
    if (model.vector) this.usual = Math.max(all.speed.high, 1e-300);
  }

  widen(a, b) {
    return a ? { low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) } : b;
  }

  // Sizes begin at 0; what has a sign is as far on one side as on the other.
  roundRange(one, { low, high }) {
    const size = Math.max(Math.abs(low), Math.abs(high)) || 1;
    if (one.map === "signed" || (one.map === "value" && low < -0.15 * size && high > 0.15 * size)) return { low: -size, high: size, signed: true };
    if (one.map !== "value") return { low: 0, high: high > 0 ? high : 1 };
    return high > low ? { low, high } : { low: low - 0.5, high: low + 0.5 };
  }

  get range() {
    return this.ranges[this.quantity];
  }

  get table() {
    const map = this.range.signed ? "signed" : this.shown.map === "error" ? "error" : "speed";
    return colourTable(map, this.theme);
  }

  // ---- the window

  region() {
    return this.model.bounds(this.axes);
  }

  // What places on the map are on the Earth; null for other maps, and for slices along other inputs.
  get earth() {
    const { earth, axes } = this.model;
    return earth && this.axes.join() === axes.join() ? earth : null;
  }

  // Pixels of a unit of y, in those of x, where lengths are true.
  get stretch() {
    return (this.earth && this.earth.stretch) || 1;
  }

  // In degrees a step east is not as long as a step north: vorticity and divergence would be of something else.
  get hasSlopes() {
    return this.model.vector && (!this.model.earth || Boolean(this.model.plane));
  }

  // Whether a length is the same along both axes of the map.
  get isEven() {
    const [a, b] = this.axes.map((i) => this.model.inputs[i].units);
    return Boolean(this.earth) || this.model.vector || Boolean(a && a === b) || (this.model.length && !this.axes.some((i) => this.model.inputs[i].covariate));
  }

  home() {
    const box = this.region(), { width, height } = this.size, wide = box.x1 - box.x0, tall = box.y1 - box.y0;
    const room = this.room();
    const px = (room.right - room.left) / wide, py = (room.bottom - room.top) / tall;
    this.px = this.isEven ? Math.min(px, py / this.stretch) : px;
    this.py = this.isEven ? this.px * this.stretch : py;
    this.cx = (box.x0 + box.x1) / 2 + ((width / 2) - (room.left + room.right) / 2) / this.px;
    this.cy = (box.y0 + box.y1) / 2 - ((height / 2) - (room.top + room.bottom) / 2) / this.py;
    this.changed();
  }

  // What cards leave free.
  room() {
    const { width, height } = this.size, narrow = width <= 720;
    return { left: narrow ? 10 : 26, right: width - (narrow ? 10 : 26), top: narrow ? 120 : 66, bottom: height - (narrow ? $("foot").offsetHeight + 34 : 40) };
  }

  get window() {
    const { width, height } = this.size, wide = width / this.px, tall = height / this.py;
    return { x0: this.cx - wide / 2, x1: this.cx + wide / 2, y0: this.cy - tall / 2, y1: this.cy + tall / 2, px: this.px, py: this.py };
  }

  pan(dx, dy) {
    this.cx -= dx / this.px;
    this.cy += dy / this.py;
    this.changed();
  }

  zoom(factor, [x, y]) {
    const box = this.region(), least = 0.15 * this.size.width / (box.x1 - box.x0), { window: before } = this;
    const by = Math.max(least / this.px, Math.min(1e7 * least / this.px, factor));
    const at = [before.x0 + x / this.px, before.y1 - y / this.py];
    this.px *= by;
    this.py *= by;
    this.cx = at[0] - (x - this.size.width / 2) / this.px;
    this.cy = at[1] + (y - this.size.height / 2) / this.py;
    this.changed();
  }

  // The window is another: trails begin again, and what is missing is computed.
  changed() {
    this.dirty = true;
    if (this.trails) this.trails.clear();
    this.request();
    this.writeLater();
  }

  degreesAt(x, y) {
    const flat = Float64Array.from(this.at);
    flat[this.axes[0]] = x;
    flat[this.axes[1]] = y;
    const raw = this.model.unflatten(flat);
    return this.axes.map((i) => raw[i]);
  }
}
