// Computing and drawing, a little in each frame.

import { showNumber, showUnits } from "./times.js";
import { FieldGrid } from "./field_grid.js";
import { PlainColours, PlainTrails } from "./paint_2d.js";
import { GlColours, GlTrails } from "./paint_gl.js";
import { drawBackdrop, scaleBar } from "./backdrop.js";
import { drawLegend, LEGEND_HEIGHT } from "./legend.js";
import { readFragment } from "./link.js";
import { $, Stage } from "./stage.js";

const WORK = 9; // milliseconds of computing for each frame
const CYCLE = 3; // seconds from one sample to the next ...
const BLENDS = 45; // ... in so many steps
const AREA = 130; // square pixels for each particle
const MOST_PARTICLES = 9000;

export class Scene extends Stage {
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
      if (grid !== this.grid) {
        if (!this.grid && this.fade && grid.known.every((known) => known < 0.05)) this.say("The data say little anywhere here: press f to see the field");
        this.grid = grid;
      }
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
    pen.clearRect(0, 0, width, LEGEND_HEIGHT);
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
}
