// What lies over the colours: a graticule or ticks, coasts, contours, the places of the data, a bar of a known length.

import { niceStep, niceTicks, showDegrees, showNumber, showUnits } from "./times.js";

// A line in degrees, laid on the plane: points, and null where it cannot be drawn or crosses the cut of the map.
function layLine(plane, points) {
  const out = [];
  let before = null;
  for (const [lon, lat] of points) {
    const place = plane.forward(lon, lat);
    if (before !== null && !plane.joins(before, lon)) out.push(null);
    out.push(place.drawn ? [place.x, place.y] : null);
    before = lon;
  }
  return out;
}

// Polylines in degrees (lon, lat, lon, lat, ...), laid on the plane once.
export function layCoast(model) {
  if (!model.earth) return [];
  return (model.coast || []).map((line) => layLine(model.earth, Array.from({ length: line.length >> 1 }, (_, n) => [line[2 * n], line[2 * n + 1]])));
}

const toScreen = (window, x, y) => [(x - window.x0) * window.px, (window.y1 - y) * window.py];

// Points that are null break the line.
function drawLine(pen, window, line) {
  let down = false;
  pen.beginPath();
  for (const point of line) {
    if (!point) down = false;
    else {
      const [x, y] = toScreen(window, point[0], point[1]);
      if (down) pen.lineTo(x, y);
      else pen.moveTo(x, y);
      down = true;
    }
  }
  pen.stroke();
}

function label(pen, style, text, x, y, align, baseline) {
  if (style.isCovered(x, y)) return;
  pen.textAlign = align;
  pen.textBaseline = baseline;
  pen.lineWidth = 3;
  pen.strokeStyle = style.halo;
  pen.strokeText(text, x, y);
  pen.fillStyle = style.text;
  pen.fillText(text, x, y);
}

// ---- a graticule

function decimals(step) {
  return Math.max(0, Math.min(4, Math.ceil(-Math.log10(step) - 1e-9)));
}

// The degrees that the window shows, by its edges and middle.
function degreesOf(app, window) {
  const box = { west: Infinity, east: -Infinity, south: Infinity, north: -Infinity };
  for (let i = 0; i <= 8; i++)
    for (let j = 0; j <= 8; j++) {
      const [lon, lat] = app.degreesAt(window.x0 + (window.x1 - window.x0) * i / 8, window.y0 + (window.y1 - window.y0) * j / 8);
      if (!app.earth.covers(lon, lat)) continue;
      box.west = Math.min(box.west, lon);
      box.east = Math.max(box.east, lon);
      box.south = Math.min(box.south, lat);
      box.north = Math.max(box.north, lat);
    }
  return box;
}

function drawMeridians(pen, app, window, style, box, lonStep, latStep) {
  const { earth, size } = app;
  const line = (count, place) => layLine(earth, Array.from({ length: count + 1 }, (_, n) => place(n / count)));
  const south = Math.max(-90, box.south - latStep), north = Math.min(90, box.north + latStep);
  pen.strokeStyle = style.line;
  pen.lineWidth = 1;
  const lons = ticksBy(box.west - lonStep, box.east + lonStep, lonStep);
  const lats = ticksBy(south, north, latStep);
  for (const lon of lons) drawLine(pen, window, line(48, (t) => [lon, south + (north - south) * t]));
  for (const lat of lats) drawLine(pen, window, line(64, (t) => [box.west - lonStep + (box.east - box.west + 2 * lonStep) * t, lat]));
  for (const lon of lons) labelCrossing(pen, app, window, style, (lat) => [lon, lat], south, north, true, showDegrees(lon, "E", "W", decimals(lonStep)), size);
  for (const lat of lats) labelCrossing(pen, app, window, style, (lon) => [lon, lat], box.west, box.east, false, showDegrees(lat, "N", "S", decimals(latStep)), size);
}

function ticksBy(low, high, step) {
  const ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high && ticks.length < 400; k++) ticks.push(k * step);
  return ticks;
}

// The label stands where the line meets the top or the left edge.
function labelCrossing(pen, app, window, style, place, low, high, top, text, size) {
  let before = null;
  for (let n = 0; n <= 96; n++) {
    const [lon, lat] = place(low + (high - low) * n / 96), spot = app.earth.forward(lon, lat);
    const now = toScreen(window, spot.x, spot.y), edge = top ? size.height : size.edge;
    const at = top ? 1 : 0;
    if (before && (before[at] - edge) * (now[at] - edge) <= 0 && before[at] !== now[at]) {
      const t = (edge - before[at]) / (now[at] - before[at]), along = before[1 - at] + t * (now[1 - at] - before[1 - at]);
      if (along > 24 && along < (top ? size.width : size.height) - 24)
        label(pen, style, text, top ? along : edge + 6, top ? size.height - 5 : along, top ? "center" : "left", top ? "bottom" : "middle");
      return;
    }
    before = now;
  }
}

function drawGraticule(pen, app, window, style) {
  const box = degreesOf(app, window);
  if (!(box.north > box.south)) return; // none of it is on the map
  const wide = Math.max(2, app.size.width / 130), tall = Math.max(2, app.size.height / 110);
  drawMeridians(pen, app, window, style, box, niceStep(Math.min(360, box.east - box.west), wide), niceStep(box.north - box.south, tall));
}

// ---- ticks

function drawTicks(pen, app, window, style) {
  const { width, height, edge } = app.size;
  pen.strokeStyle = style.line;
  pen.lineWidth = 1;
  const xs = niceTicks(window.x0, window.x1, width / 110), ys = niceTicks(window.y0, window.y1, height / 90);
  for (const x of xs) drawLine(pen, window, [[x, window.y0], [x, window.y1]]);
  for (const y of ys) drawLine(pen, window, [[window.x0, y], [window.x1, y]]);
  for (const x of xs) {
    const [at] = toScreen(window, x, 0);
    if (at > 30 && at < width - 30) label(pen, style, app.showInput(app.axes[0], x), at, height - 5, "center", "bottom");
  }
  for (const y of ys) {
    const [, at] = toScreen(window, 0, y);
    if (at > 30 && at < height - 30) label(pen, style, app.showInput(app.axes[1], y), edge + 6, at, "left", "middle");
  }
}

// ---- contours

// Where a level crosses the sides of a cell: pairs of points in grid coordinates.
function contourSegments(grid, values, level, visit) {
  const { nx, ny } = grid;
  const cross = (a, b) => (level - a) / (b - a);
  for (let j = 0; j < ny - 1; j++)
    for (let i = 0; i < nx - 1; i++) {
      const at = j * nx + i, a = values[at], b = values[at + 1], c = values[at + nx + 1], e = values[at + nx], points = [];
      if ((a < level) !== (b < level)) points.push([i + cross(a, b), j]);
      if ((b < level) !== (c < level)) points.push([i + 1, j + cross(b, c)]);
      if ((e < level) !== (c < level)) points.push([i + cross(e, c), j + 1]);
      if ((a < level) !== (e < level)) points.push([i, j + cross(a, e)]);
      if (points.length >= 2) visit(points[0], points[1], at);
      if (points.length === 4) visit(points[2], points[3], at);
    }
}

export function drawContours(pen, app, window, style) {
  const { grid, colourValues: values, range } = app;
  if (!grid || !values) return;
  const ticks = niceTicks(range.low, range.high, 10), taken = [];
  pen.strokeStyle = style.contour;
  ticks.forEach((level, n) => {
    const spots = [];
    pen.lineWidth = n % 2 ? 0.7 : 1.3;
    pen.beginPath();
    contourSegments(grid, values, level, (from, to, at) => {
      if (app.fade && grid.known[at] < 0.4) return;
      const a = toScreen(window, grid.x0 + from[0] * grid.dx, grid.y0 + from[1] * grid.dy);
      const b = toScreen(window, grid.x0 + to[0] * grid.dx, grid.y0 + to[1] * grid.dy);
      pen.moveTo(a[0], a[1]);
      pen.lineTo(b[0], b[1]);
      if (n % 2 === 0) spots.push(a);
    });
    pen.stroke();
    labelLevel(pen, app, style, spots, level, taken);
    pen.strokeStyle = style.contour;
  });
}

// One label for each line or so: far from the edges and from other labels.
function labelLevel(pen, app, style, spots, level, taken) {
  const { width, height } = app.size;
  for (const [x, y] of spots) {
    if (x < 60 || y < 70 || x > width - 60 || y > height - 90) continue;
    if (taken.some(([a, b]) => Math.hypot(a - x, b - y) < 130)) continue;
    taken.push([x, y]);
    label(pen, style, showNumber(level, 4), x, y, "center", "middle");
  }
}

// ---- points of the data

function drawPoints(pen, app, window, style) {
  const { points, slides } = app;
  pen.fillStyle = style.point;
  pen.strokeStyle = style.halo;
  pen.lineWidth = 1;
  for (let n = 0; n < points.count; n++) {
    const [x, y] = toScreen(window, points.x[n], points.y[n]);
    if (x < -4 || y < -4 || x > app.size.width + 4 || y > app.size.height + 4) continue;
    pen.globalAlpha = slides.length ? app.nearness(n) : 0.9;
    if (pen.globalAlpha < 0.04) continue;
    pen.beginPath();
    pen.arc(x, y, points.count > 3000 ? 1.6 : 2.6, 0, 2 * Math.PI);
    pen.fill();
    if (points.count <= 3000) pen.stroke();
  }
  pen.globalAlpha = 1;
}

// ---- a bar of a known length

export function scaleBar(app, window) {
  const units = app.model.plane ? "km" : app.model.length;
  if (!units || Math.abs(window.px / window.py - 1) > 1e-6) return null;
  const most = 110 / window.px, step = niceStep(most, 1), length = step > most ? step / 2 : step;
  return { pixels: length * window.px, text: `${showNumber(length, 3)}\u2009${showUnits(units)}` };
}

export function drawBackdrop(pen, app, window, style) {
  pen.font = style.font;
  pen.lineJoin = "round";
  if (app.contours) drawContours(pen, app, window, style);
  if (app.earth) drawGraticule(pen, app, window, style);
  else drawTicks(pen, app, window, style);
  pen.strokeStyle = style.coast;
  pen.lineWidth = 1.2;
  for (const line of app.earth ? app.coast : []) drawLine(pen, window, line);
  if (app.showPoints && app.points) drawPoints(pen, app, window, style);
}
