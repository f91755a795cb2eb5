// Particles that drift with the field: where they are, in flat units, and the stroke of each since the last frame.

const LIFE = 4.5; // seconds, about
const RUN = 46; // pixels a second at the usual speed

export class Particles {
  constructor(random = Math.random) {
    Object.assign(this, { random, count: 0, steps: 0, moved: 0 });
    this.velocity = new Float32Array(3);
  }

  resize(count) {
    if (count === this.count) return;
    this.count = count;
    this.x = new Float64Array(count);
    this.y = new Float64Array(count);
    this.age = new Float32Array(count).fill(Infinity);
    this.span = new Float32Array(count);
    this.strokes = new Float32Array(count * 5); // x0 y0 x1 y1 strength, pixels
  }

  // All of them begin again.
  scatter() {
    if (this.age) this.age.fill(Infinity);
  }

  // Somewhere in the window; the first time at a random age, so that they do not blink together.
  place(n, window, first) {
    this.x[n] = window.x0 + this.random() * (window.x1 - window.x0);
    this.y[n] = window.y0 + this.random() * (window.y1 - window.y0);
    this.span[n] = LIFE * (0.5 + this.random());
    this.age[n] = first ? this.random() * this.span[n] : 0;
  }

  // Seconds later. window: {x0, x1, y0, y1, px, py}; usual: the speed that runs RUN pixels a second; everywhere: also where
  // little is known. Returns how many strokes there are.
  move(grid, planes, window, usual, seconds, everywhere) {
    const { velocity, strokes } = this;
    const along = RUN * seconds / (usual * window.px), up = RUN * seconds / (usual * window.py); // flat units for each of speed
    let used = 0;
    this.moved = 0;
    for (let n = 0; n < this.count; n++) {
      this.age[n] += seconds;
      if (!(this.age[n] < this.span[n])) this.place(n, window, this.age[n] === Infinity);
      if (!grid.velocity(planes, this.x[n], this.y[n], velocity) || (velocity[2] < 0.05 && !everywhere)) {
        this.age[n] += 2 * seconds; // it waits where nothing is known: elsewhere they must not crowd
        continue;
      }
      const x = this.x[n], y = this.y[n], u = velocity[0], v = velocity[1], known = everywhere ? 1 : velocity[2];
      // the middle of the step decides: circles stay closed
      if (grid.velocity(planes, x + 0.5 * along * u, y + 0.5 * up * v, velocity)) {
        this.x[n] = x + along * velocity[0];
        this.y[n] = y + up * velocity[1];
      }
      if (this.x[n] < window.x0 || this.x[n] > window.x1 || this.y[n] < window.y0 || this.y[n] > window.y1) this.age[n] = this.span[n];
      const fresh = Math.min(1, this.age[n] / 0.4, (this.span[n] - this.age[n]) / 0.4);
      strokes[used++] = (x - window.x0) * window.px;
      strokes[used++] = (window.y1 - y) * window.py;
      strokes[used++] = (this.x[n] - window.x0) * window.px;
      strokes[used++] = (window.y1 - this.y[n]) * window.py;
      strokes[used++] = Math.max(0, fresh) * known * Math.min(1, 0.08 + 5 * Math.hypot(u, v) / usual);
      if (this.x[n] !== x || this.y[n] !== y) this.moved++;
    }
    this.steps++;
    return used / 5;
  }
}
