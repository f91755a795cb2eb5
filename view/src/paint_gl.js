// Painting by WebGL2: the colours of a grid, and trails of particles.

const CORNERS = `#version 300 es
in vec2 corner;
out vec2 place;
void main() {
  place = corner;
  gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0);
}`;

// Catmull-Rom between the nodes: (value, known) are smooth at any zoom.
const COLOURS = `#version 300 es
precision highp float;
precision highp sampler2D;
in vec2 place;
uniform sampler2D field, table;
uniform vec4 window; // grid coordinates of the lower left corner, and what the window spans
uniform vec2 range;
uniform float fade;
out vec4 colour;
vec4 weights(float t) {
  return vec4(((-0.5 * t + 1.0) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1.0, ((-1.5 * t + 2.0) * t + 0.5) * t, (0.5 * t - 0.5) * t * t);
}
void main() {
  ivec2 size = textureSize(field, 0);
  vec2 at = window.xy + place * window.zw;
  if (any(lessThan(at, vec2(-0.5))) || any(greaterThan(at, vec2(size) - 0.5))) { colour = vec4(0.0); return; }
  vec2 base = floor(at);
  vec4 wx = weights(at.x - base.x), wy = weights(at.y - base.y);
  vec2 sum = vec2(0.0);
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++)
      sum += wx[i] * wy[j] * texelFetch(field, clamp(ivec2(base) + ivec2(i - 1, j - 1), ivec2(0), size - 1), 0).rg;
  float t = clamp((sum.r - range.x) / (range.y - range.x), 0.0, 1.0);
  float known = mix(1.0, clamp(sum.g, 0.0, 1.0), fade);
  colour = vec4(texture(table, vec2((t * 255.0 + 0.5) / 256.0, 0.5)).rgb * known, known);
}`;

const EVEN = `#version 300 es
precision highp float;
uniform float less;
out vec4 colour;
void main() {
  colour = vec4(less);
}`;

// Four corners of each stroke: place in pixels, side (-1 or 1), strength.
const STROKE = `#version 300 es
in vec4 corner;
uniform vec2 size;
out float across;
out float power;
void main() {
  across = corner.z;
  power = corner.w;
  gl_Position = vec4(2.0 * corner.x / size.x - 1.0, 1.0 - 2.0 * corner.y / size.y, 0.0, 1.0);
}`;

const INK = `#version 300 es
precision highp float;
in float across;
in float power;
uniform vec3 ink;
uniform float width;
out vec4 colour;
void main() {
  float edge = clamp((1.0 - abs(across)) * (0.5 * width + 0.5), 0.0, 1.0);
  float alpha = power * edge;
  colour = vec4(ink * alpha, alpha);
}`;

function compile(gl, kind, source) {
  const shader = gl.createShader(kind);
  gl.shaderSource(shader, source);
  gl.compileShader(shader);
  if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) || "a shader does not compile");
  return shader;
}

function link(gl, vertex, fragment) {
  const program = gl.createProgram();
  gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, vertex));
  gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, fragment));
  gl.bindAttribLocation(program, 0, "corner");
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program) || "a shader does not link");
  const places = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
    const { name } = gl.getActiveUniform(program, i);
    places[name] = gl.getUniformLocation(program, name);
  }
  return { program, places };
}

function texture(gl) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  for (const [name, value] of [[gl.TEXTURE_MIN_FILTER, gl.NEAREST], [gl.TEXTURE_MAG_FILTER, gl.NEAREST], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
    gl.texParameteri(gl.TEXTURE_2D, name, value);
  return made;
}

function context(canvas) {
  const gl = canvas.getContext("webgl2", { alpha: true, premultipliedAlpha: true, antialias: false, depth: false, preserveDrawingBuffer: true });
  if (!gl) throw new Error("no WebGL2");
  const corners = gl.createBuffer();
  gl.bindBuffer(gl.ARRAY_BUFFER, corners);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  return gl;
}

export class GlColours {
  constructor(canvas) {
    this.canvas = canvas;
    this.gl = context(canvas);
    this.pass = link(this.gl, CORNERS, COLOURS);
    this.field = texture(this.gl);
    this.table = texture(this.gl);
  }

  setTable(table) {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_2D, this.table);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, table);
  }

  setField(grid, values) {
    const { gl } = this, both = new Float32Array(2 * values.length);
    for (let i = 0; i < values.length; i++) {
      both[2 * i] = values[i];
      both[2 * i + 1] = grid.known[i];
    }
    this.grid = grid;
    gl.bindTexture(gl.TEXTURE_2D, this.field);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RG32F, grid.nx, grid.ny, 0, gl.RG, gl.FLOAT, both);
  }

  draw(window, range, fade) {
    const { gl, grid, canvas } = this, { places } = this.pass;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!grid) return;
    gl.useProgram(this.pass.program);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.field);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.table);
    gl.uniform1i(places.field, 0);
    gl.uniform1i(places.table, 1);
    gl.uniform4f(places.window, (window.x0 - grid.x0) / grid.dx, (window.y0 - grid.y0) / grid.dy, (window.x1 - window.x0) / grid.dx, (window.y1 - window.y0) / grid.dy);
    gl.uniform2f(places.range, range.low, range.high);
    gl.uniform1f(places.fade, fade ? 1 : 0);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.activeTexture(gl.TEXTURE0);
  }
}

// The corners of strokes (5 numbers each), half a pixel wider than they are for the soft edge; as one list, since software
// renderers are slow at instances.
function fillCorners(strokes, count, width, out) {
  const half = width / 2, side = half + 0.5;
  for (let n = 0, to = 0; n < 5 * count; n += 5) {
    const x0 = strokes[n], y0 = strokes[n + 1], x1 = strokes[n + 2], y1 = strokes[n + 3], power = strokes[n + 4];
    const far = Math.hypot(x1 - x0, y1 - y0), ux = far > 1e-4 ? (x1 - x0) / far : 1, uy = far > 1e-4 ? (y1 - y0) / far : 0;
    for (let k = 0; k < 4; k++) {
      const across = k & 1 ? 1 : -1, end = k & 2 ? half : -half;
      out[to++] = (k & 2 ? x1 : x0) + ux * end - uy * side * across;
      out[to++] = (k & 2 ? y1 : y0) + uy * end + ux * side * across;
      out[to++] = across;
      out[to++] = power;
    }
  }
}

// Two triangles for each four corners.
function cornerOrder(count) {
  const order = new Uint32Array(6 * count);
  for (let n = 0; n < count; n++) order.set([4 * n, 4 * n + 1, 4 * n + 2, 4 * n + 2, 4 * n + 1, 4 * n + 3], 6 * n);
  return order;
}

// Trails grow paler by the same amount in each second: nothing of them stays.
export class GlTrails {
  constructor(canvas) {
    const gl = context(canvas);
    Object.assign(this, { canvas, gl, even: link(gl, CORNERS, EVEN), stroke: link(gl, STROKE, INK), whole: gl.getParameter(gl.ARRAY_BUFFER_BINDING), buffer: gl.createBuffer(), order: gl.createBuffer(), room: 0, corners: new Float32Array(0) });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.order);
    gl.enable(gl.BLEND);
  }

  clear() {
    this.gl.clearColor(0, 0, 0, 0);
    this.gl.clear(this.gl.COLOR_BUFFER_BIT);
  }

  // strokes: 5 numbers each, in CSS pixels. ink: 0..1.
  draw(strokes, count, style, seconds) {
    const { gl, canvas } = this;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.blendEquation(gl.FUNC_REVERSE_SUBTRACT);
    gl.blendFunc(gl.ONE, gl.ONE);
    gl.useProgram(this.even.program);
    gl.uniform1f(this.even.places.less, seconds / (2 * style.trail));
    gl.bindBuffer(gl.ARRAY_BUFFER, this.whole);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.blendEquation(gl.FUNC_ADD);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.drawStrokes(strokes, count, style);
  }

  makeRoom(count) {
    if (count <= this.room) return;
    this.room = count;
    this.corners = new Float32Array(16 * count);
    this.gl.bufferData(this.gl.ELEMENT_ARRAY_BUFFER, cornerOrder(count), this.gl.STATIC_DRAW);
  }

  drawStrokes(strokes, count, style) {
    const { gl, canvas } = this, { places } = this.stroke;
    this.makeRoom(count);
    fillCorners(strokes, count, style.width, this.corners);
    gl.useProgram(this.stroke.program);
    gl.uniform2f(places.size, canvas.width / style.ratio, canvas.height / style.ratio);
    gl.uniform1f(places.width, style.width);
    gl.uniform3f(places.ink, ...style.ink);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, this.corners.subarray(0, 16 * count), gl.DYNAMIC_DRAW);
    gl.vertexAttribPointer(0, 4, gl.FLOAT, false, 0, 0);
    gl.drawElements(gl.TRIANGLES, 6 * count, gl.UNSIGNED_INT, 0);
  }
}
