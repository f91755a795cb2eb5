// Sliders, the readout and switches.

import { showNumber, showTime, showUnits } from "./times.js";
import { usualRange } from "./field_grid.js";
import { readoutRows, showRows } from "./readout.js";
import { Scene } from "./scene.js";
import { $ } from "./stage.js";

const PLAY = 14; // seconds through the range of a slider

export class Controls extends Scene {
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
}
