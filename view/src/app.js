// The page: how it begins, its links, pictures, words and keys.

import { decodeAll } from "./decode.js";
import { showNumber, timeOf } from "./times.js";
import { Model } from "./model.js";
import { Particles } from "./particles.js";
import { layCoast, scaleBar } from "./backdrop.js";
import { drawLegend } from "./legend.js";
import { showRows } from "./readout.js";
import { numbersOf, readFragment, writeFragment } from "./link.js";
import { listenToPointers } from "./gestures.js";
import { Controls } from "./controls.js";
import { $ } from "./stage.js";

const KEYS = [["arrow keys", "move the map"], ["+ \u2212 or wheel", "zoom"], ["0", "the whole region"], ["space", "stop or start the particles"],
  ["c", "colour by the next quantity"], ["r", "fit the colours to the window"], ["s", "posterior samples in turn, or the mean"], ["p", "positions of the data"],
  ["f", "show or hide the field where little is known"], [", .", "step through time or depth"], ["/", "play through it"], ["a", "another slice"], ["t", "light or dark"],
  ["l", "copy a link to this view"], ["e", "save a picture"], ["?", "this help"]];

class App extends Controls {
  constructor(model) {
    super();
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
    return this.isEven ? this.stretch : (box.x1 - box.x0) / (box.y1 - box.y0) * $("map").clientHeight / $("map").clientWidth;
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
      drawLegend(pen, Math.min(width - 24, 316), this.table, this.range, this.shown.name, this.shown.units, style);
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
    const grid = model.kind === "nodes" ? ` \u00b7 grid, to ${showNumber(100 * this.worst, 1)}\u2009%` : "";
    $("about").textContent = `${model.rows.toLocaleString("en")} rows \u00b7 ${model.errorGrid ? what : "prediction"}${grid}`;
  }

  facts() {
    const { model } = this, counts = { harmonics: "waves of a lattice, summed here", waves: "waves (random Fourier features), summed here",
      centres: "the exact kernel at all rows, summed here", nearest: "predicted here from the nearest rows, as the program does", nodes: "a grid computed by the program, and polynomials between its nodes" };
    const rows = [["kernel", model.kernel], ["engine", model.engine], ["rows", model.rows.toLocaleString("en")], ["values", counts[model.kind]],
      ["check", `values here differ from those of orff predict by at most ${showNumber(this.worst, 2)} of the largest, at ${model.probes.x.length / model.d} places`]];
    if (model.errorGrid) rows.push(["error bars", `one standard deviation of the field, without noise; interpolated from a grid of ${model.errorGrid.count.join(" \u00d7 ")} nodes computed by the program`]);
    if (model.deviations.length) rows.push(["samples", `${model.deviations.length}; in between, the page blends two of them into a field that is just as probable`]);
    if (model.points) rows.push(["data", model.points.count < model.points.of ? `${model.points.count} of ${model.points.of} points` : `${model.points.count} points`]);
    if (model.earth) rows.push(["map", model.earth.name]);
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
