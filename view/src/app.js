// The page: what is seen, and what moves.

import { decodeAll } from "./decode.js";
import { shorten, showNumber, showTime, showUnits, timeOf } from "./times.js";
import { Model } from "./model.js";
import { colourTable } from "./colours.js";
import { FieldGrid, usualRange } from "./field_grid.js";
import { Particles } from "./particles.js";
import { PlainColours, PlainTrails } from "./paint_2d.js";
import { GlColours, GlTrails } from "./paint_gl.js";
import { drawBackdrop, layCoast, scaleBar } from "./backdrop.js";
import { drawLegend, LEGEND_HEIGHT } from "./legend.js";
import { readoutRows, showRows } from "./readout.js";
import { numbersOf, readFragment, writeFragment } from "./link.js";
import { listenToPointers } from "./gestures.js";

const $ = (id) => document.getElementById(id);
const WORK = 9; // milliseconds of computing for each frame
const CYCLE = 3; // seconds from one sample to the next ...
const BLENDS = 45; // ... in so many steps
const PLAY = 14; // seconds through the range of a slider
const AREA = 130; // square pixels for each particle
const MOST_PARTICLES = 9000;
const RANGE_NODES = 32; // along each side of the region, for the range of the colours

const KEYS = [["arrow keys", "move the map"], ["+ \u2212 or wheel", "zoom"], ["0", "the whole region"], ["space", "stop or move the particles"],
  ["c", "colour: the next quantity"], ["r", "colours for what is in the window"], ["s", "posterior samples in turn, or the mean"], ["p", "places of the data"],
  ["f", "fade where little is known"], [", .", "step through time or depth"], ["/", "play through it"], ["a", "another slice"], ["t", "light or dark"],
  ["l", "copy a link to this view"], ["e", "save a picture"], ["?", "this help"]];

class App {
  constructor(model) {
    const { fragment } = this.start(model);
    this.listQuantities();
    this.makeSlides();
    this.takeFragment(fragment);
    this.findRanges();
    this.makePainters();
    this.setTheme(this.theme);
    this.resize();
    this.listen();
    requestAnimationFrame((now) => this.frame(now));
  }

  start(model) {
    Object.assign(this, {
      model, axes: model.axes.slice(), at: model.inputs.map((input) => (input.low + input.high) / 2), times: model.inputs.map((input) => timeOf(input.units)),
      particles: new Particles(), moving: model.vector && !matchMedia("(prefers-reduced-motion: reduce)").matches, mode: "mean", phase: 0, fade: true, showPoints: false,
      contours: !model.vector, coast: layCoast(model), quantity: model.vector ? "speed" : "output0", theme: matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark",
      size: { width: 1, height: 1, edge: 0 }, ratio: 1, frames: 0, dirty: true, pointer: null, playing: null, worst: model.check(),
    });
    if (model.points) this.layPoints();
    return { fragment: readFragment(location.hash) };
  }

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
    if (model.vector) {
      list.push({ id: "speed", name: "speed", units: first.units, map: "speed" });
      list.push({ id: "vorticity", name: model.p === 3 ? "vorticity through the slice" : "vorticity", units: model.slope_units, map: "signed" });
      if (model.p === 2) list.push({ id: "divergence", name: "divergence", units: model.slope_units, map: "signed" });
    }
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

  // Whether a length is the same along both axes of the map.
  get isEven() {
    const [a, b] = this.axes.map((i) => this.model.inputs[i].units);
    return Boolean(this.model.plane) || this.model.vector || Boolean(a && a === b) || (this.model.length && !this.axes.some((i) => this.model.inputs[i].covariate));
  }

  home() {
    const box = this.region(), { width, height } = this.size, wide = box.x1 - box.x0, tall = box.y1 - box.y0;
    const room = this.room();
    const px = (room.right - room.left) / wide, py = (room.bottom - room.top) / tall;
    this.px = this.isEven ? Math.min(px, py) : px;
    this.py = this.isEven ? this.px : py;
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

  // ---- computing: a grid at a time, a few rows in each frame

  isStale() {
    const { grid, window } = this;
    if (!grid || grid.axes !== this.axes || !grid.covers(window)) return true;
    if (grid.at.some((value, i) => !this.axes.includes(i) && value !== this.at[i])) return true;
    return grid.coarse || grid.zoomed / this.px < 0.6 || grid.zoomed / this.px > 1.7;
  }

  request() {
    if (!this.size.width || !this.isStale()) return;
    if (this.job && this.playing !== null) return;
    const grid = new FieldGrid(this.model, this.axes, this.at, this.window, this.playing !== null ? 1.6 : 1);
    Object.assign(grid, { zoomed: this.px, coarse: this.playing !== null });
    this.job = { grid, steps: this.compute(grid) };
  }

  * compute(grid) {
    yield* grid.fill();
    if (this.mode !== "samples") return;
    grid.pair = Math.floor(this.phase);
    grid.deviations = [yield* grid.fillDeviation(this.sampleAt(grid.pair)), yield* grid.fillDeviation(this.sampleAt(grid.pair + 1))];
  }

  sampleAt(n) {
    return n % this.model.deviations.length;
  }

  work(until) {
    while (this.job && performance.now() < until) {
      if (!this.job.steps.next().done) continue;
      const { grid } = this.job;
      this.job = null;
      if (grid !== this.grid) this.grid = grid;
      this.planes = grid.planes;
      this.dirty = this.recolour = true;
      if (this.mode === "samples") this.blend();
      this.request();
    }
  }

  // ---- samples: mean + cos(a) one + sin(a) next is as probable as each of them, so that they flow into each other

  blend() {
    const { grid } = this;
    if (!grid || !grid.deviations || this.job) return;
    const angle = (this.phase - grid.pair) * Math.PI / 2, [one, next] = grid.deviations, c = Math.cos(angle), s = Math.sin(angle);
    this.planes = grid.planes.map((plane, k) => plane.map((value, i) => value + c * one[k][i] + s * next[k][i]));
    this.dirty = this.recolour = true;
  }

  stepSamples(seconds) {
    const { grid } = this;
    if (this.mode !== "samples" || !grid) return;
    if (!grid.deviations) {
      if (!this.job) this.job = { grid, steps: this.addDeviations(grid) };
      return;
    }
    if (this.job) return;
    const before = Math.floor(this.phase * BLENDS);
    this.phase += seconds / CYCLE;
    if (this.phase >= grid.pair + 1) {
      this.phase = grid.pair + 1;
      this.blend();
      this.job = { grid, steps: this.nextDeviation(grid) };
      return;
    }
    if (Math.floor(this.phase * BLENDS) !== before) this.blend();
  }

  * addDeviations(grid) {
    const pair = Math.floor(this.phase);
    const both = [yield* grid.fillDeviation(this.sampleAt(pair)), yield* grid.fillDeviation(this.sampleAt(pair + 1))];
    grid.pair = pair;
    grid.deviations = both;
  }

  * nextDeviation(grid) {
    const next = yield* grid.fillDeviation(this.sampleAt(grid.pair + 2));
    grid.deviations = [grid.deviations[1], next];
    grid.pair++;
  }

  // ---- drawing

  makePainters() {
    try {
      if (readFragment(location.hash).paint === "2d") throw new Error("asked for");
      this.colours = new GlColours($("colours"));
      this.trails = new GlTrails($("trails"));
      this.painter = "WebGL2";
    } catch (reason) {
      this.reason = String(reason);
      for (const id of ["colours", "trails"]) {
        const fresh = $(id).cloneNode();
        $(id).replaceWith(fresh);
      }
      this.colours = new PlainColours($("colours"));
      this.trails = new PlainTrails($("trails"));
      this.painter = "2-D canvas";
    }
  }

  resize() {
    const first = this.size.width <= 1, { clientWidth: width, clientHeight: height } = $("map");
    this.ratio = Math.min(window.devicePixelRatio || 1, 2);
    this.size = { width, height, edge: 0 };
    for (const id of ["colours", "trails", "over"]) {
      $(id).width = Math.round(width * this.ratio);
      $(id).height = Math.round(height * this.ratio);
    }
    this.particles.resize(Math.min(MOST_PARTICLES, Math.round(width * height / AREA)));
    if (first && this.asked) Object.assign(this, this.asked);
    if (first && !this.asked) this.home();
    else this.changed();
    this.drawLegend();
  }

  get style() {
    const dark = this.theme === "dark", sans = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
    return {
      font: `12px ${sans}`, bold: `600 13px ${sans}`, text: dark ? "#eceef4" : "#1b1e28", soft: dark ? "#a3a9ba" : "#5d6475", frame: dark ? "rgba(255,255,255,.18)" : "rgba(20,24,40,.2)",
      halo: dark ? "rgba(14,15,20,.75)" : "rgba(255,255,255,.8)", line: dark ? "rgba(255,255,255,.13)" : "rgba(20,24,40,.13)", coast: dark ? "rgba(255,255,255,.7)" : "rgba(20,24,40,.75)",
      isCovered: (x, y) => this.cards.some((card) => x > card.left - 12 && x < card.right + 12 && y > card.top - 9 && y < card.bottom + 9),
      contour: dark ? "rgba(255,255,255,.55)" : "rgba(20,24,40,.55)", point: dark ? "#ffb454" : "#c2410c",
    };
  }

  // Bright strokes on dark colours, and the other way round.
  get trailStyle() {
    const dark = this.theme === "dark";
    return { ink: dark ? [0.96, 0.98, 1] : [0.08, 0.1, 0.2], width: 1.15, trail: 0.5, ratio: this.ratio };
  }

  paint() {
    const { window, grid } = this;
    if (grid && this.recolour) {
      this.colourValues = grid.quantity(this.quantity, this.planes);
      this.colours.setField(grid, this.colourValues);
      this.recolour = false;
    }
    this.colours.draw(window, this.range, this.fade && this.quantity !== "error");
    this.cards = ["head", "tools", "legend", "slides"].map((id) => $(id).getBoundingClientRect());
    const pen = $("over").getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.size.width, this.size.height);
    drawBackdrop(pen, this, window, this.style);
    this.drawScale(window);
    this.dirty = false;
  }

  drawScale(window) {
    const bar = scaleBar(this, window);
    $("scale").hidden = !bar;
    if (!bar) return;
    $("scale").firstElementChild.style.width = `${bar.pixels}px`;
    $("scale").lastElementChild.textContent = bar.text;
  }

  drawLegend() {
    const canvas = $("bar"), width = canvas.clientWidth, { shown } = this;
    canvas.width = Math.round(width * this.ratio);
    canvas.height = Math.round(LEGEND_HEIGHT * this.ratio);
    const pen = canvas.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    drawLegend(pen, width, this.table, this.range, shown.name, shown.units, this.style);
    canvas.setAttribute("aria-label", `${shown.name}: ${showNumber(this.range.low, 3)} to ${showNumber(this.range.high, 3)} ${showUnits(shown.units)}`);
  }

  frame(now) {
    const seconds = Math.min(0.05, Math.max(0.001, (now - (this.last || now)) / 1000));
    this.last = now;
    this.frames++;
    this.play(seconds);
    this.stepSamples(seconds);
    this.work(performance.now() + WORK);
    if (this.moving && this.grid && this.planes) {
      const strokes = this.particles.move(this.grid, this.planes, this.window, this.usual, seconds, !this.fade);
      this.trails.draw(this.particles.strokes, strokes, this.trailStyle, seconds);
    }
    if (this.dirty) this.paint();
    if (this.asks) this.answer();
    requestAnimationFrame((next) => this.frame(next));
  }

  // ---- points of the data

  layPoints() {
    const { model } = this, { count, x } = model.points, [i, j] = this.axes;
    this.points = { count, of: model.points.of, x: new Float64Array(count), y: new Float64Array(count) };
    for (let n = 0; n < count; n++) {
      const flat = model.flatten(x.subarray(n * model.d, (n + 1) * model.d));
      this.points.x[n] = flat[i];
      this.points.y[n] = flat[j];
    }
  }

  // Points at other times or depths are pale.
  nearness(n) {
    const { model } = this;
    let far = 0;
    for (const i of this.slides) {
      const reach = model.details[i] || (model.inputs[i].high - model.inputs[i].low) / 10;
      far += ((model.points.x[n * model.d + i] - this.at[i]) / reach) ** 2;
    }
    return 0.95 * Math.exp(-2 * far);
  }

  // ---- sliders for the inputs that are not on the map

  get slides() {
    return this.model.inputs.map((_, i) => i).filter((i) => !this.axes.includes(i) && this.model.inputs[i].high > this.model.inputs[i].low);
  }

  makeSlides() {
    const { slides } = this;
    $("slides").hidden = !slides.length;
    this.rows = new Map();
    $("slides").replaceChildren(...slides.map((i) => this.makeSlide(i)));
    for (const i of slides) this.setSlide(i, this.at[i]);
  }

  makeSlide(i) {
    const row = document.createElement("div"), label = document.createElement("label"), name = document.createElement("span"), value = document.createElement("span");
    const button = document.createElement("button"), input = document.createElement("input"), { low, high } = this.model.inputs[i];
    row.className = "slide";
    name.textContent = this.inputName(i);
    button.textContent = "\u25b6";
    button.setAttribute("aria-label", `Play through ${this.inputName(i)}`);
    Object.assign(input, { type: "range", min: 0, max: 1000, step: 1, id: `slide${i}` });
    label.htmlFor = input.id;
    label.append(name, value);
    row.append(label, button, input);
    input.addEventListener("input", () => {
      this.stopPlaying();
      this.setSlide(i, low + (high - low) * Number(input.value) / 1000);
    });
    button.addEventListener("click", () => this.togglePlay(i));
    this.rows.set(i, { input, value, button });
    return row;
  }

  setSlide(i, to) {
    const { low, high, units } = this.model.inputs[i], row = this.rows.get(i);
    this.at[i] = Math.max(low, Math.min(high, to));
    row.input.value = String(Math.round(1000 * (this.at[i] - low) / (high - low)));
    row.value.textContent = this.times[i] ? showTime(this.times[i], this.at[i]) : `${showNumber(this.at[i], 4)} ${showUnits(units)}`;
    if (this.px) {
      this.dirty = true;
      this.request();
      this.writeLater();
      this.asks = Boolean(this.pointer);
    }
  }

  togglePlay(i) {
    if (this.playing === i) return this.stopPlaying();
    this.stopPlaying();
    this.playing = i;
    this.rows.get(i).button.textContent = "\u275a\u275a";
  }

  stopPlaying() {
    if (this.playing === null) return;
    this.rows.get(this.playing).button.textContent = "\u25b6";
    this.playing = null;
    this.request();
  }

  play(seconds) {
    if (this.playing === null) return;
    const { low, high } = this.model.inputs[this.playing], next = this.at[this.playing] + (high - low) * seconds / PLAY;
    this.setSlide(this.playing, next > high ? low : next);
  }

  // ---- asking

  point([x, y], stays) {
    const { window } = this;
    this.pointer = { x, y, flat: [window.x0 + x / this.px, window.y1 - y / this.py], stays };
    this.asks = true;
  }

  unpoint() {
    this.pointer = null;
    $("readout").hidden = true;
    $("cross").hidden = true;
  }

  rawAt(x, y) {
    const flat = Float64Array.from(this.at);
    flat[this.axes[0]] = x;
    flat[this.axes[1]] = y;
    return this.model.unflatten(flat);
  }

  answer() {
    this.asks = false;
    if (!this.pointer) return;
    const { x, y, flat } = this.pointer, card = $("readout"), { width, height } = this.size;
    showRows(card.firstElementChild, readoutRows(this, this.rawAt(...flat)));
    card.hidden = false;
    $("cross").hidden = !this.pointer.stays;
    $("cross").style.left = `${x}px`;
    $("cross").style.top = `${y}px`;
    card.style.left = `${Math.max(8, x + 18 + card.offsetWidth > width ? x - 18 - card.offsetWidth : x + 18)}px`;
    card.style.top = `${Math.max(8, Math.min(height - card.offsetHeight - 8, y + 18))}px`;
  }

  // ---- switches

  setQuantity(id) {
    if (!this.quantities.some((one) => one.id === id)) return;
    this.quantity = id;
    $("quantity").value = id;
    this.colours.setTable(this.table);
    this.dirty = this.recolour = true;
    this.drawLegend();
    this.writeLater();
  }

  nextQuantity() {
    const at = this.quantities.findIndex((one) => one.id === this.quantity);
    this.setQuantity(this.quantities[(at + 1) % this.quantities.length].id);
  }

  // Colours for what the window shows.
  rescale() {
    const { grid, window, colourValues } = this, seen = [];
    if (!grid || !colourValues) return;
    for (let i = 0; i < colourValues.length; i++) {
      const x = grid.xs[i % grid.nx], y = grid.ys[Math.floor(i / grid.nx)];
      if (x >= window.x0 && x <= window.x1 && y >= window.y0 && y <= window.y1) seen.push(colourValues[i]);
    }
    this.ranges[this.quantity] = this.roundRange(this.shown, usualRange(seen));
    this.setQuantity(this.quantity);
  }

  setTheme(theme) {
    this.theme = theme;
    document.documentElement.dataset.theme = theme;
    this.setQuantity(this.quantity);
    if (this.trails && this.size.width > 1) this.trails.clear();
  }

  setMoving(moving) {
    this.moving = moving && this.model.vector;
    $("pause").setAttribute("aria-pressed", String(this.moving));
    if (!this.moving) this.trails.clear();
  }

  setMode(mode) {
    if (mode === "samples" && !this.model.deviations.length) return this.say("This page has no posterior samples");
    this.mode = mode;
    $("samples").setAttribute("aria-pressed", String(mode === "samples"));
    if (this.job && this.job.grid === this.grid) this.job = null;
    if (mode === "mean" && this.grid) this.planes = this.grid.planes;
    this.dirty = this.recolour = true;
    this.describe();
    this.writeLater();
  }

  setPoints(on) {
    if (on && !this.points) return this.say("This page was written without --points");
    this.showPoints = on;
    $("points").setAttribute("aria-pressed", String(on));
    this.dirty = true;
    this.writeLater();
  }

  setFade(on) {
    this.fade = on;
    $("fade").setAttribute("aria-pressed", String(on));
    this.dirty = true;
    this.writeLater();
  }

  // Another pair of inputs becomes the map, where all three are space.
  nextSlice() {
    const { model } = this;
    if (model.d !== 3 || model.plane || model.inputs.some((input) => input.covariate) || (model.vector && model.p !== 3)) return;
    const slices = [[0, 1], [0, 2], [1, 2]], at = slices.findIndex(([a, b]) => a === this.axes[0] && b === this.axes[1]);
    this.setAxes(slices[(at + 1) % 3]);
    this.home();
  }

  setAxes(axes) {
    this.axes = axes;
    this.grid = this.job = null;
    if (this.model.points) this.layPoints();
    this.makeSlides();
    this.particles.scatter();
  }

  // ---- links and pictures

  state() {
    return {
      c: [this.cx, this.cy].map((value) => Number(value.toPrecision(9))).join(","), z: Number(this.px.toPrecision(6)), q: this.quantity,
      t: this.slides.map((i) => Number(this.at[i].toPrecision(9))).join(","), m: this.mode === "samples" ? "samples" : "", p: this.showPoints ? 1 : "", f: this.fade ? "" : 0,
      a: this.axes.join(",") === this.model.axes.join(",") ? "" : this.axes.join(","), theme: this.theme, paint: this.painter === "WebGL2" ? "" : "2d",
    };
  }

  takeFragment(fragment) {
    const axes = numbersOf(fragment.a, 2), centre = numbersOf(fragment.c, 2), scale = Number(fragment.z);
    if (axes && axes[0] < axes[1] && axes.every((i) => Number.isInteger(i) && i >= 0 && i < this.model.d) && !this.model.plane && this.model.p !== 2) this.setAxes(axes);
    const { slides } = this, times = numbersOf(fragment.t, slides.length);
    if (times) slides.forEach((i, n) => this.setSlide(i, times[n]));
    if (this.quantities.some((one) => one.id === fragment.q)) this.quantity = fragment.q;
    if (fragment.theme === "light" || fragment.theme === "dark") this.theme = fragment.theme;
    if (fragment.m === "samples" && this.model.deviations.length) this.mode = "samples";
    if (fragment.p === "1" && this.points) this.showPoints = true;
    if (fragment.f === "0") this.fade = false;
    if (centre && scale > 0) this.asked = { cx: centre[0], cy: centre[1], px: scale, py: scale * this.evenness() };
  }

  // py / px
  evenness() {
    const box = this.region();
    return this.isEven ? 1 : (box.x1 - box.x0) / (box.y1 - box.y0) * $("map").clientHeight / $("map").clientWidth;
  }

  writeLater() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      if (!this.asked && !this.touched) return;
      history.replaceState(null, "", writeFragment(this.state()));
    }, 300);
  }

  async copyLink() {
    const address = location.href.split("#")[0] + writeFragment(this.state());
    history.replaceState(null, "", writeFragment(this.state()));
    try {
      await navigator.clipboard.writeText(address);
      this.say("The link to this view is copied");
    } catch {
      this.say("The address bar has the link to this view");
    }
  }

  picture() {
    this.dirty = true;
    this.paint();
    const canvas = document.createElement("canvas"), pen = canvas.getContext("2d"), { ratio, style } = this, { width, height } = this.size;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    pen.fillStyle = this.theme === "dark" ? "#14151c" : "#f7f7f4";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    for (const id of ["colours", "trails", "over"]) pen.drawImage($(id), 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawCard(pen, 12, 12, Math.min(width - 24, 340), 34, () => {
      pen.font = style.bold;
      pen.fillStyle = style.text;
      pen.fillText(this.model.title, 14, 22, 312);
    });
    this.drawCard(pen, 12, height - 28 - 74, Math.min(width - 24, 316), 74, () => {
      pen.drawImage($("bar"), 0, 2, Math.min(width - 24, 316), LEGEND_HEIGHT);
      pen.font = style.font;
      pen.fillStyle = style.soft;
      pen.textAlign = "left";
      const bar = scaleBar(this, this.window);
      const says = [bar ? bar.text : "", ...this.slides.map((i) => `${this.inputName(i)} ${this.rows.get(i).value.textContent}`)].filter(Boolean).join("   ");
      if (bar) pen.fillRect(14, 65, bar.pixels, 2);
      pen.fillText(says, 14 + (bar ? bar.pixels + 8 : 0), 69, 288 - (bar ? bar.pixels : 0));
    });
    return canvas;
  }

  drawCard(pen, x, y, width, height, inside) {
    pen.save();
    pen.translate(x, y);
    pen.fillStyle = this.theme === "dark" ? "rgba(22,24,33,.85)" : "rgba(255,255,255,.87)";
    pen.beginPath();
    pen.roundRect(0, 0, width, height, 10);
    pen.fill();
    inside();
    pen.restore();
  }

  save() {
    this.picture().toBlob((blob) => {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(blob);
      link.download = `${this.model.title.replace(/[^\w.-]+/g, "_").replace(/\.orff$/, "") || "field"}.png`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    }, "image/png");
  }

  // ---- words

  say(text) {
    const note = $("note");
    note.textContent = text;
    note.hidden = false;
    clearTimeout(this.saying);
    this.saying = setTimeout(() => {
      note.hidden = true;
    }, 2600);
  }

  describe() {
    const { model } = this, what = this.mode === "samples" ? "posterior samples in turn" : "posterior mean";
    $("title").textContent = model.title;
    document.title = `${model.title} \u2013 orff`;
    $("about").textContent = `${model.rows.toLocaleString("en")} rows \u00b7 ${model.errorGrid ? what : "prediction"}`;
  }

  facts() {
    const { model } = this, counts = { harmonics: "waves of a lattice, added up here", waves: "waves (random Fourier features), added up here",
      centres: "the exact kernel at all rows, added up here", nodes: "a grid that the program has computed, and polynomials between its nodes" };
    const rows = [["kernel", model.kernel], ["engine", model.engine], ["rows", model.rows.toLocaleString("en")], ["values", counts[model.kind]],
      ["check", `differ from those of orff predict by ${showNumber(this.worst, 2)} of the largest, at ${model.probes.x.length / model.d} places`]];
    if (model.errorGrid) rows.push(["error bars", `one standard deviation of the field, noise not included; interpolated on a grid of ${model.errorGrid.count.join(" \u00d7 ")} that the program has computed`]);
    if (model.deviations.length) rows.push(["samples", `${model.deviations.length}; between two of them the page shows others, as probable as they are`]);
    if (model.points) rows.push(["data", model.points.count < model.points.of ? `${model.points.count} of ${model.points.of} points` : `${model.points.count} points`]);
    if (model.plane) rows.push(["map", "azimuthal equidistant, in km, about the middle of the data"]);
    rows.push(["drawn by", this.painter], ["orff", model.version]);
    return rows;
  }

  showHelp() {
    $("more-title").textContent = this.model.title;
    showRows($("facts"), this.facts());
    showRows($("keys"), KEYS);
    $("more").showModal();
  }

  // ---- listening

  listen() {
    const click = (id, action) => $(id).addEventListener("click", action);
    listenToPointers($("map"), this);
    addEventListener("resize", () => this.resize());
    addEventListener("hashchange", () => location.reload()); // a link to another view of this page
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("pointerdown", () => {
      this.touched = true;
    });
    $("quantity").addEventListener("change", (event) => this.setQuantity(event.target.value));
    click("pause", () => this.setMoving(!this.moving));
    click("samples", () => this.setMode(this.mode === "samples" ? "mean" : "samples"));
    click("points", () => this.setPoints(!this.showPoints));
    click("fade", () => this.setFade(!this.fade));
    click("home", () => this.home());
    click("theme", () => this.setTheme(this.theme === "dark" ? "light" : "dark"));
    click("link", () => this.copyLink());
    click("save", () => this.save());
    click("help", () => this.showHelp());
    $("pause").hidden = !this.model.vector;
    $("samples").hidden = !this.model.deviations.length;
    $("points").hidden = !this.points;
    $("fade").hidden = !this.model.errorGrid;
    for (const [id, on] of [["pause", this.moving], ["samples", this.mode === "samples"], ["points", this.showPoints], ["fade", this.fade]]) $(id).setAttribute("aria-pressed", String(on));
    this.describe();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $("more").open) return;
    if (["INPUT", "SELECT"].includes(event.target.tagName) && event.key !== "?") return;
    const { width, height } = this.size, middle = [width / 2, height / 2], [first] = this.slides;
    const step = (sign) => first !== undefined && this.setSlide(first, this.at[first] + sign * (this.model.inputs[first].high - this.model.inputs[first].low) / 50);
    const actions = {
      ArrowLeft: () => this.pan(60, 0), ArrowRight: () => this.pan(-60, 0), ArrowUp: () => this.pan(0, 60), ArrowDown: () => this.pan(0, -60),
      "+": () => this.zoom(1.3, middle), "=": () => this.zoom(1.3, middle), "-": () => this.zoom(1 / 1.3, middle), "0": () => this.home(),
      " ": () => this.setMoving(!this.moving), c: () => this.nextQuantity(), r: () => this.rescale(), s: () => this.setMode(this.mode === "samples" ? "mean" : "samples"),
      p: () => this.setPoints(!this.showPoints), f: () => this.setFade(!this.fade), ",": () => step(-1), ".": () => step(1), "/": () => first !== undefined && this.togglePlay(first),
      a: () => this.nextSlice(), t: () => this.setTheme(this.theme === "dark" ? "light" : "dark"), l: () => this.copyLink(), e: () => this.save(), "?": () => this.showHelp(),
      Escape: () => this.unpoint(),
    };
    if (!actions[event.key] || (event.key === " " && event.target.tagName === "BUTTON")) return;
    event.preventDefault();
    this.touched = true;
    actions[event.key]();
  }
}

// For scripts and tests: window.orff.valueAt([x, y, ...]) is what orff predict gives there.
function begin() {
  const app = new App(new Model(decodeAll(JSON.parse($("model").textContent))));
  window.orff = {
    app, valueAt: (raw) => Array.from(app.model.value(Float64Array.from(raw))), errorAt: (raw) => {
      const errors = app.model.error(Float64Array.from(raw));
      return errors && Array.from(errors);
    },
    derivedAt: (raw) => app.model.derived(app.model.flatten(Float64Array.from(raw)), app.axes),
    status: () => ({ frames: app.frames, steps: app.particles.steps, particles: app.particles.count, moved: app.particles.moved, painter: app.painter, ready: Boolean(app.grid) && !app.job, check: app.worst }),
  };
}

begin();
