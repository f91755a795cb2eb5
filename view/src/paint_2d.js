// The same on a 2-D canvas, where there is no WebGL2.

const COARSE = 2; // device pixels for each that is computed

function catmullRom(t, out) {
  out[0] = ((-0.5 * t + 1) * t - 0.5) * t;
  out[1] = (1.5 * t - 2.5) * t * t + 1;
  out[2] = ((-1.5 * t + 2) * t + 0.5) * t;
  out[3] = (0.5 * t - 0.5) * t * t;
}

export class PlainColours {
  constructor(canvas) {
    Object.assign(this, { canvas, context: canvas.getContext("2d"), small: document.createElement("canvas") });
    this.wx = new Float64Array(4);
    this.wy = new Float64Array(4);
  }

  setTable(table) {
    this.table = table;
  }

  setField(grid, values) {
    Object.assign(this, { grid, values });
  }

  draw(window, range, fade) {
    const { canvas, context, small } = this;
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (!this.grid) return;
    small.width = Math.ceil(canvas.width / COARSE);
    small.height = Math.ceil(canvas.height / COARSE);
    const pen = small.getContext("2d"), image = pen.createImageData(small.width, small.height);
    for (let row = 0; row < small.height; row++) this.drawRow(image, row, window, range, fade);
    pen.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = true;
    context.drawImage(small, 0, 0, canvas.width, canvas.height);
  }

  drawRow(image, row, window, range, fade) {
    const { grid, table, wy } = this, { width, height, data } = image;
    const gy = (window.y1 - (row + 0.5) / height * (window.y1 - window.y0) - grid.y0) / grid.dy, j = Math.floor(gy);
    if (gy < -0.5 || gy > grid.ny - 0.5) return;
    catmullRom(gy - j, wy);
    for (let col = 0; col < width; col++) {
      const gx = (window.x0 + (col + 0.5) / width * (window.x1 - window.x0) - grid.x0) / grid.dx;
      if (gx < -0.5 || gx > grid.nx - 0.5) continue;
      const [value, known] = this.at(gx, j), to = 4 * (row * width + col);
      const t = Math.max(0, Math.min(255, Math.round(255 * (value - range.low) / (range.high - range.low))));
      for (let c = 0; c < 3; c++) data[to + c] = table[4 * t + c];
      data[to + 3] = Math.round(255 * (fade ? Math.max(0, Math.min(1, known)) : 1));
    }
  }

  at(gx, j) {
    const { grid, values, wx, wy } = this, i = Math.floor(gx);
    let value = 0, known = 0;
    catmullRom(gx - i, wx);
    for (let n = 0; n < 4; n++) {
      const y = Math.max(0, Math.min(grid.ny - 1, j + n - 1)) * grid.nx;
      for (let m = 0; m < 4; m++) {
        const at = y + Math.max(0, Math.min(grid.nx - 1, i + m - 1)), weight = wx[m] * wy[n];
        value += weight * values[at];
        known += weight * grid.known[at];
      }
    }
    return [value, known];
  }
}

export class PlainTrails {
  constructor(canvas) {
    Object.assign(this, { canvas, context: canvas.getContext("2d") });
  }

  clear() {
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  // Strokes of about the same strength are drawn together.
  draw(strokes, count, style, seconds) {
    const { context, canvas } = this, levels = 4;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.globalCompositeOperation = "destination-out";
    context.fillStyle = `rgba(0, 0, 0, ${1 - Math.exp(-seconds / style.trail)})`;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.globalCompositeOperation = "source-over";
    context.setTransform(style.ratio, 0, 0, style.ratio, 0, 0);
    context.lineWidth = style.width;
    context.lineCap = "round";
    for (let level = 1; level <= levels; level++) {
      context.strokeStyle = `rgba(${style.ink.map((v) => Math.round(255 * v)).join(", ")}, ${level / levels})`;
      context.beginPath();
      for (let n = 0; n < count; n++) {
        if (Math.ceil(strokes[5 * n + 4] * levels) !== level) continue;
        context.moveTo(strokes[5 * n], strokes[5 * n + 1]);
        context.lineTo(strokes[5 * n + 2], strokes[5 * n + 3]);
      }
      context.stroke();
    }
  }
}
