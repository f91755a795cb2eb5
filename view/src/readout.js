// What the model says at a place, as rows of name and value. Everything is text.

import { showDegrees, showNumber, showTime, showUnits, showWithError } from "./times.js";

const POINTS = ["N", "NNE", "NE", "ENE", "E", "ESE", "SE", "SSE", "S", "SSW", "SW", "WSW", "W", "WNW", "NW", "NNW"];

function withUnits(text, units) {
  return units ? `${text} ${showUnits(units)}` : text;
}

function placeRows(app, raw) {
  const { model } = app;
  if (app.earth) {
    const [lon, lat] = app.earth.inputs;
    return [["place", `${showDegrees(raw[lat], "N", "S", 3)}, ${showDegrees(raw[lon], "E", "W", 3)}`]];
  }
  return app.axes.map((i) => [app.inputName(i), withUnits(showNumber(raw[i], 5), app.times[i] ? "" : model.inputs[i].units)]
    .map((text, n) => n && app.times[i] ? showTime(app.times[i], raw[i]) : text));
}

// Where a vector points to: degrees from north for a map of the Earth, from the x axis else.
function direction(app, value) {
  const [u, v] = app.model.components(app.axes).map((k) => value[k]);
  if (app.earth) {
    const angle = (Math.atan2(u, v) * 180 / Math.PI + 360) % 360;
    return ["towards", `${POINTS[Math.round(angle / 22.5) % 16]} (${Math.round(angle)}\u00b0)`];
  }
  return ["direction", `${Math.round(Math.atan2(v, u) * 180 / Math.PI)}\u00b0 from ${app.inputName(app.axes[0])}`.replace("-", "\u2212")];
}

// The error of a speed: errors of the components along the vector.
function speedError(value, errors) {
  const speed = Math.hypot(...value);
  if (!errors || !(speed > 0)) return null;
  return Math.sqrt(value.reduce((sum, v, k) => sum + (v / speed * errors[k]) ** 2, 0));
}

export function readoutRows(app, raw) {
  if (app.earth && !app.earth.covers(...app.earth.inputs.map((i) => raw[i]))) return [["place", "beyond the map"]];
  const { model } = app, value = model.value(raw), errors = model.error(raw), rows = placeRows(app, raw);
  const units = model.outputs[0].units;
  if (model.vector) {
    rows.push([model.isFlow ? "speed" : "magnitude", withUnits(showWithError(Math.hypot(...value), speedError(value, errors)), units)], direction(app, value));
  }
  for (let k = 0; k < model.p && k < 12; k++)
    rows.push([app.outputName(k), withUnits(showWithError(value[k], errors ? errors[k] : null), model.outputs[k].units)]);
  if (app.hasSlopes) {
    const derived = model.derived(model.flatten(raw), app.axes);
    for (const name of ["vorticity", "divergence"])
      rows.push([name === "vorticity" ? model.curlName : name, withUnits(showNumber(app.vanishing.has(name) ? 0 : derived[name], 3), model.slope_units)]);
  }
  return rows;
}

export function showRows(list, rows) {
  list.replaceChildren(...rows.flatMap(([name, value]) => {
    const term = document.createElement("dt"), says = document.createElement("dd");
    term.textContent = name;
    says.textContent = value;
    return [term, says];
  }));
}
