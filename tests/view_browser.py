"""Pages of orff view in a real browser: they open without a complaint, particles move, the value under the pointer is that of
orff predict, and names that mean harm stay text.

    view_browser.py ORFF [PICTURES]      with a folder: pictures of what was seen
"""
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import time

import browser

ORFF = sys.argv[1]
PICTURES = sys.argv[2] if len(sys.argv) > 2 else None
CLOSE = 1e-5  # of the largest value
failures = []
MAPS = ["crs"] if "PROJ" in subprocess.run([ORFF, "version"], capture_output=True, text=True).stdout else []

EVIL = ['</script><img src=x onerror="window.owned=1">', "<svg onload=window.owned=2>", "\"><script>window.owned=3</script>", "]]>&lt;b&gt;'`${window.owned=4}`"]


def check(true, what):
    if not true:
        failures.append(what)
        print("FAIL:", what, file=sys.stderr)


def orff(*words):
    done = subprocess.run([ORFF, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"orff {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


# ---- models


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def table(path, names, rows):
    lines = [",".join(map(quoted, names))] + [",".join(f"{value:.9g}" for value in row) for row in rows]
    pathlib.Path(path).write_text("\n".join(lines) + "\n")


def swirl(x, y, t=0.0):
    return math.cos(2 * x + t) * math.sin(3 * y), -2 / 3 * math.sin(2 * x + t) * math.cos(3 * y)


def make_models():
    draw = random.Random(7).uniform
    plane = [(x, y, *swirl(x, y)) for x, y in ((draw(-1, 1), draw(-1, 1)) for _ in range(300))]
    table("plane.csv", ["x_km", "y_km", "u_ms", "v_ms"], plane)
    table("evil.csv", EVIL, plane[:80])
    timed = [(x, y, t, *swirl(x, y, t)) for x, y, t in ((draw(-1, 1), draw(-1, 1), draw(0, 3)) for _ in range(250))]
    table("timed.csv", ["x_km", "y_km", "t", "u", "v"], timed)
    earth = [(10 + 8 * x, 50 + 5 * y, *swirl(x, y)) for x, y in ((draw(-1, 1), draw(-1, 1)) for _ in range(400))]
    table("earth.csv", ["lon", "lat", "east", "north"], earth)
    table("one.csv", ["x", "y", "T"], [(x, y, 12 + 3 * swirl(x, y)[0]) for x, y, *_ in plane])
    table("space.csv", ["x", "y", "z", "u", "v", "w"], [(x, y, t, math.sin(t), math.cos(x), math.sin(y)) for x, y, t, *_ in timed])
    fixed = ["--lambda", "1e-4", "-q"]
    orff("fit", "plane.csv", "--outputs", "u_ms,v_ms", "--engine", "features", "--features", 1000, "--sigma", 0.6, *fixed, "-o", "features.orff")
    orff("fit", "plane.csv", "--outputs", "u_ms,v_ms", "--engine", "exact", "--kernel", "helmholtz", "--base", "matern52", "--sigma", 0.8, *fixed, "-o", "exact.orff")
    orff("fit", "earth.csv", "--outputs", "east,north", "--engine", "lattice", "--kernel", "div-free", "--sigma", 300, "--geo", "lonlat", "--lambda", "1e-9", "-q", "-o", "earth.orff")
    orff("fit", "timed.csv", "--outputs", "u,v", "--engine", "exact", "--kernel", "div-free+curl-free", "--covariates", "t", "--sigma", 0.8, *fixed, "-o", "timed.orff")
    orff("fit", "one.csv", "--outputs", "T", "--engine", "lattice", "--sigma", 0.6, *fixed, "-o", "one.orff")
    orff("fit", "space.csv", "--outputs", "u,v,w", "--engine", "exact", "--kernel", "div-free", "--sigma", 1.2, *fixed, "-o", "space.orff")
    orff("fit", "evil.csv", "--inputs", "1,2", "--outputs", "3,4", "--engine", "exact", "--sigma", 0.6, *fixed, "-o", "<img src=x onerror=owned=5>.orff")
    for name in MAPS:
        orff("fit", "earth.csv", "--outputs", "east,north", "--engine", "exact", "--sigma", 300, "--geo", "lonlat", "--crs", "EPSG:32632", "--trend", "quadratic", *fixed, "-o", f"{name}.orff")
    table("far.csv", ["x", "y", "u", "v"], [(100 * (i % 2) + draw(0, 4), 100 * (i // 2 % 2) + draw(0, 4), 3, i % 3) for i in range(80)])
    orff("fit", "far.csv", "--outputs", "u,v", "--engine", "exact", "--sigma", 5, *fixed, "-o", "far.orff")
    orff("view", "far.orff", "-q", "-o", "far.html")
    for name in ["features", "exact", "earth", "timed", "one", "space", *MAPS]:
        data = {"earth": "earth", "timed": "timed", "one": "one", "space": "space", "crs": "earth"}.get(name, "plane") + ".csv"
        orff("view", f"{name}.orff", "--points", data, "-n", 3, "-q", "-o", f"{name}.html")
    orff("view", "<img src=x onerror=owned=5>.orff", "-q", "-o", "evil.html")


def names_of(page):
    return page.run("orff.app.model.inputs.map((one) => one.name)")


def predict(page, model, points, *more):
    table("at.csv", names_of(page), [])
    with open("at.csv", "a") as file:
        for point in points:
            file.write(",".join(map(repr, point)) + "\n")
    orff("predict", model, "at.csv", "--bare", *more, "-q", "-o", "out.csv")
    return [[float(cell) for cell in line.split(",")] for line in pathlib.Path("out.csv").read_text().splitlines()[1:]]


def same(got, expected, close, what):
    size = max(abs(value) for row in expected for value in row)
    worst = max(abs(a - b) for one, other in zip(got, expected) for a, b in zip(one, other))
    check(worst <= close * size, f"{what}: {worst / size:.2g} of the largest")


# ---- what every page must do


def open_page(chromium, name, fragment="#theme=dark", **more):
    page = chromium.open(f"{name}.html", fragment, **more)
    page.wait("window.orff && orff.status().ready")
    return page


PLACES = [(250, 220), (400, 300), (520, 260), (333, 411)]


def hover(page, x, y):
    """Moves the pointer there; the point under it in the units of the data."""
    page.mouse("mouseMoved", x, y)
    page.wait(f"orff.app.pointer && Math.abs(orff.app.pointer.x - {x}) < 0.6 && Math.abs(orff.app.pointer.y - {y}) < 0.6 && !orff.app.asks")
    return page.run("Array.from(orff.app.rawAt(...orff.app.pointer.flat))")


def check_values(page, name):
    points, values, texts = [], [], []
    for x, y in PLACES:
        points.append(hover(page, x, y))
        values.append(page.run(f"orff.valueAt({json.dumps(points[-1])})"))
        texts.append(page.run("document.getElementById('readout').innerText"))
    expected = predict(page, f"{name}.orff", points)
    same(values, expected, CLOSE, f"{name}: values under the pointer")
    check(all(texts) and len(set(texts)) == len(texts), f"{name}: the readout does not follow the pointer")
    check(page.run("orff.status().check") < CLOSE, f"{name}: its own check")
    return points


def check_errors(page, name, points):
    expected = [row[len(row) // 2:] for row in predict(page, f"{name}.orff", points, "--std")]
    same([page.run(f"orff.errorAt({json.dumps(point)})") for point in points], expected, 0.1, f"{name}: error bars")


def check_derived(page, name, points):
    expected = [row[-2:] for row in predict(page, f"{name}.orff", points, "--derive", "divergence,curl")]
    found = [page.run(f"orff.derivedAt({json.dumps(point)})") for point in points]
    size = max(abs(value) for row in expected for value in row)
    for one, (divergence, curl) in zip(found, expected):
        check(abs(one["divergence"] - divergence) < 1e-4 * size, f"{name}: divergence {one['divergence']} beside {divergence}")
        check(abs(one["vorticity"] - curl) < 1e-4 * size, f"{name}: vorticity {one['vorticity']} beside {curl}")


def check_colours(page, name):
    """Smooth fields have no edges: neighbours among the 256 colours are alike."""
    step = page.run("""(() => { const { app } = orff, before = [app.theme, app.quantity]; let most = 0;
      for (const theme of ["light", "dark"]) for (const { id } of app.quantities) {
        app.theme = theme; app.quantity = id;
        const table = app.table;
        for (let i = 4; i < table.length; i++) most = Math.max(most, Math.abs(table[i] - table[i - 4]));
      }
      [app.theme, app.quantity] = before;
      return most; })()""")
    check(step <= 16, f"{name}: neighbouring colours differ by {step} of 255")


# What pages of the models above call their colours. What the kernel makes zero is not among them; what has no unit of a velocity
# is no speed.
COLOURS = {name: ["magnitude", "curl", "divergence"] for name in ["timed", "crs"]} | {"earth": ["magnitude", "curl"]}


def check_names(page, name):
    names = page.run("orff.app.quantities.map((one) => one.name)")[:3]
    expected = COLOURS.get(name, ["speed", "vorticity", "divergence"])
    check(names[:len(expected)] == expected and ("divergence" in names) == ("divergence" in expected), f"{name}: colours of {names}")
    rows = page.run("document.getElementById('readout').innerText")
    if name == "earth":
        check(re.search(r"\d\.\d{3}°N, \d+\.\d{3}°E", rows) and re.search(r"divergence\s+0$", rows), f"{name}: the readout says {rows}")


def check_motion(page, name):
    before, first = page.run("orff.status()"), page.picture()
    page.wait(f"orff.status().steps >= {before['steps'] + 5}")
    after = page.run("orff.status()")
    check(after["particles"] >= 1000 and after["moved"] > 0.3 * after["particles"], f"{name}: particles do not move: {after}")
    check(page.picture() != first, f"{name}: the picture stands still")


def check_quiet(page, name):
    check(not page.complaints(), f"{name}: complaints: {page.complaints()}")


def keep(page, name):
    if PICTURES:
        page.picture(pathlib.Path(PICTURES) / f"{name}.png")


# ---- the pages


def check_vectors(chromium):
    for name in ["features", "exact", "earth", "timed", *MAPS]:
        page = open_page(chromium, name)
        check(page.run("orff.status().painter") == "WebGL2", f"{name}: drawn by {page.run('orff.status().painter')}")
        check_motion(page, name)
        points = check_values(page, name)
        check_errors(page, name, points)
        check_derived(page, name, points)
        check_colours(page, name)
        check_names(page, name)
        keep(page, name)
        check_quiet(page, name)


def check_little_known(chromium):
    """Stations far apart leave the sea between them hatched; nothing drifts there, which is no error."""
    page = open_page(chromium, "far")
    known = [page.run(f"(() => {{ const {{ grid }} = orff.app, i = grid.xs.findIndex((x) => x > {x}), j = grid.ys.findIndex((y) => y > {y});"
                      " return grid.known[j * grid.nx + i]; })()") for x, y in [(2, 2), (102, 2), (50, 50), (50, 2), (2, 50)]]
    check(min(known[:2]) > 0.9 and max(known[2:]) < 0.1, f"known at two stations and at three places far from all: {known}")
    keep(page, "far")
    page = open_page(chromium, "far", "#c=50,50&z=40")
    page.wait("orff.status().steps >= 5")
    check(page.run("orff.status().moved") == 0 and "press f" in page.run("document.getElementById('note').textContent"), "an empty map says nothing")
    check_quiet(page, "far")


def check_fallback(chromium):
    page = open_page(chromium, "exact", "#paint=2d&theme=light")
    check(page.run("orff.status().painter") == "2-D canvas", "no fallback")
    check_motion(page, "2-D canvas")
    keep(page, "plain")
    check_quiet(page, "2-D canvas")
    page = open_page(chromium, "exact", before="HTMLCanvasElement.prototype.getContext = ((old) => function (kind, ...more) {"
                     " return kind.startsWith('webgl') ? null : old.call(this, kind, ...more); })(HTMLCanvasElement.prototype.getContext);")
    check(page.run("orff.status().painter") == "2-D canvas", "no fallback without WebGL2")
    check_quiet(page, "without WebGL2")


def check_scalar(chromium):
    page = open_page(chromium, "one", "#theme=light")
    check_values(page, "one")
    check(page.run("orff.app.contours && orff.app.quantity === 'output0' && !orff.app.moving"), "one output is no map with contours")
    check(page.run("document.getElementById('pause').hidden"), "one output has particles")
    keep(page, "one")
    check_quiet(page, "one")


def check_slices(chromium):
    page = open_page(chromium, "space")
    check_values(page, "space")
    page.key("a")
    page.wait("orff.app.axes.join() === '0,2' && orff.status().ready")
    check_values(page, "space")
    check_motion(page, "space")
    check_quiet(page, "space")


def check_keys_and_time(chromium):
    page = open_page(chromium, "timed")
    t = page.run("orff.app.at[2]")
    page.key(".")
    page.wait(f"orff.app.at[2] > {t} && orff.status().ready")
    page.key("/")
    page.wait(f"orff.app.at[2] > {page.run('orff.app.at[2]')}")
    page.key("/")
    page.wait("orff.app.playing === null && orff.status().ready")
    check_values(page, "timed")
    page.key("c")
    check(page.run("orff.app.quantity") == "vorticity", "c does not change the colours")
    page.key("p")
    check(page.run("orff.app.showPoints && orff.app.points.count === 250"), "p does not show the data")
    scale = page.run("orff.app.px")
    page.key("+")
    page.call("Input.dispatchMouseEvent", type="mouseWheel", x=300, y=300, deltaX=0, deltaY=-200)
    page.wait(f"orff.app.px > 1.5 * {scale}")
    before = page.run("orff.app.cx")
    page.mouse("mousePressed", 400, 300, button="left", buttons=1, clickCount=1)
    page.mouse("mouseMoved", 460, 320, button="left", buttons=1)
    page.mouse("mouseReleased", 460, 320, button="left", buttons=0, clickCount=1)
    check(page.run("orff.app.cx") < before, "dragging does not move the map")
    page.key("s")
    page.wait("orff.app.mode === 'samples' && orff.app.grid.deviations && orff.app.planes !== orff.app.grid.planes")
    check(page.run("orff.app.planes[0].some((value, i) => value !== orff.app.grid.planes[0][i])"), "a sample is the mean")
    check(page.run("orff.app.picture().toDataURL().length") > 20000, "the picture to save is empty")
    check_quiet(page, "keys")
    return page.run("orff.app.constructor && location.href.split('#')[0] && (() => { const s = orff.app.state(); return s; })()")


def check_links(chromium, state):
    fragment = "#" + "&".join(f"{key}={value}" for key, value in state.items() if value != "")
    page = open_page(chromium, "timed", fragment)
    again = page.run("orff.app.state()")
    check(again == state, f"a link leads elsewhere: {state}, {again}")
    check_quiet(page, "links")
    page = open_page(chromium, "timed", "#c=nan,1&z=-3&q=<img src=x onerror=window.owned=1>&t=1e999&a=9,9&theme=%ff&m=__proto__&=&%")
    check(page.run("orff.app.quantity === 'speed' && window.owned === undefined"), "a broken link breaks the page")
    check_quiet(page, "a broken link")


OVERLAPS = """(() => {
  const boxes = ['head', 'tools', 'legend', 'slides'].map((id) => [id, document.getElementById(id)]).filter(([, one]) => !one.hidden)
    .map(([id, one]) => [id, one.getBoundingClientRect()]), out = [];
  for (const [a, x] of boxes) {
    if (x.left < 0 || x.right > innerWidth || x.top < 0 || x.bottom > innerHeight) out.push(a + ' leaves the window');
    for (const [b, y] of boxes) if (a < b && x.left < y.right && y.left < x.right && x.top < y.bottom && y.top < x.bottom) out.push(a + ' over ' + b);
  }
  if (document.documentElement.scrollWidth > innerWidth) out.push('wider than the window');
  return out;
})()"""


def check_phone(chromium):
    page = open_page(chromium, "timed", width=375, height=700, mobile=True, scale=2)
    check(page.run(OVERLAPS) == [], f"on a phone: {page.run(OVERLAPS)}")
    for kind, touches in [("touchStart", [{"x": 180, "y": 330}]), ("touchEnd", [])]:
        page.call("Input.dispatchTouchEvent", type=kind, touchPoints=touches)
    page.wait("!document.getElementById('readout').hidden")
    keep(page, "phone")
    check_quiet(page, "phone")
    for width, height in [(800, 600), (1400, 900), (600, 380)]:
        page = open_page(chromium, "earth", width=width, height=height)
        check(page.run(OVERLAPS) == [], f"{width} x {height}: {page.run(OVERLAPS)}")


def check_hostile(chromium):
    text = pathlib.Path("evil.html").read_text(encoding="ascii", errors="replace")
    block = text.split('id="model">', 1)[1].split("</script>", 1)[0]
    check(not set(block) & set("<>&"), "the model in the page has characters of HTML")
    check([one["name"] for one in json.loads(block)["inputs"]] == EVIL[:2], "names are not what they were")
    page = open_page(chromium, "evil")
    hover(page, 400, 300)
    page.key("?")
    page.wait("document.getElementById('more').open")
    check(page.run("window.owned === undefined"), f"a name has run: {page.run('window.owned')}")
    check(page.run("document.querySelectorAll('img, iframe, object, embed').length") == 0, "a name became markup")
    check(page.run("document.scripts.length") == 2, "a name became a script")
    check(page.run("document.getElementById('title').textContent") == "<img src=x onerror=owned=5>.orff", "the title is another")
    keep(page, "hostile")
    check_quiet(page, "hostile")
    # even markup that came in could do nothing
    page.run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.owned=6\">');"
             "document.body.appendChild(Object.assign(document.createElement('script'), { textContent: 'window.owned = 7' }));"
             "fetch('https://example.org/').then(() => { window.owned = 8; }, () => { window.refused = true; })")
    page.wait("window.refused")
    check(page.run("window.owned === undefined"), f"the policy lets {page.run('window.owned')} run")


def report_speed(chromium):
    """No assertion: other work on the machine decides."""
    page = open_page(chromium, "features")
    first, start, used = page.run("orff.status().frames"), time.monotonic(), chromium.processor_seconds()
    time.sleep(5)
    frames, seconds = page.run("orff.status().frames") - first, time.monotonic() - start
    cost = (chromium.processor_seconds() - used) / max(frames, 1)
    load = pathlib.Path("/proc/loadavg").read_text().split()[0]
    print(f"2000 coefficients, 800 x 600, software rendering: {frames / seconds:.0f} frames a second at a load of {load}; "
          f"{1000 * cost:.0f} ms of processor time for each")


def main():
    make_models()
    with browser.Browser() as chromium:
        check_vectors(chromium)
        check_little_known(chromium)
        check_fallback(chromium)
        check_scalar(chromium)
        check_slices(chromium)
        state = check_keys_and_time(chromium)
        check_links(chromium, state)
        check_phone(chromium)
        check_hostile(chromium)
        report_speed(chromium)
    print(f"{len(failures)} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
