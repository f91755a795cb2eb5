"""A headless Chromium, driven over its debugging pipe: no library, no port.

    with Browser() as browser:
        page = browser.open("field.html", width=800, height=600)
        page.run("1 + 1")
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome"]
DRIVER = "GL Driver Message (OpenGL, Performance"  # reading pixels is slow, says the software that draws; not the page's doing
PATIENCE = 120  # seconds, for anything; the machine may be busy


def find():
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, *options):
        self.home = tempfile.mkdtemp(prefix="orff-browser-")
        read_there, self.write_end = os.pipe()
        self.read_end, write_there = os.pipe()

        def hand_over():
            # the ends may lie on 3 and 4 already, crosswise
            first, second = os.dup(read_there), os.dup(write_there)
            os.dup2(first, 3)
            os.dup2(second, 4)

        command = [find(), "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run", "--disable-extensions",
                   "--disable-background-networking", "--disable-gpu", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
                   "--disable-dev-shm-usage", f"--user-data-dir={self.home}", *options, "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(3, 4), preexec_fn=hand_over, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.home})
        os.close(read_there)
        os.close(write_there)
        self.number, self.pending, self.events = 0, b"", []

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.read_end)
        os.close(self.write_end)
        shutil.rmtree(self.home, ignore_errors=True)

    def processor_seconds(self):
        """Of all its processes so far."""
        parents, used = {}, {}
        for place in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = place.read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            parents[int(place.parent.name)] = int(fields[1])
            used[int(place.parent.name)] = int(fields[11]) + int(fields[12])

        def is_own(process):
            while process > 1 and process != self.process.pid:
                process = parents.get(process, 0)
            return process == self.process.pid

        return sum(used[process] for process in used if is_own(process)) / os.sysconf("SC_CLK_TCK")

    def receive(self, until):
        """The next message, or None when there is none before that time."""
        while b"\0" not in self.pending:
            if not select.select([self.read_end], [], [], max(0.0, until - time.monotonic()))[0]:
                return None
            block = os.read(self.read_end, 1 << 20)
            if not block:
                raise RuntimeError("the browser has ended")
            self.pending += block
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            answer = self.receive(until)
            if answer is None:
                raise RuntimeError(f"{method}: no answer")
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def open(self, path, fragment="", width=800, height=600, mobile=False, scale=1, before=""):
        return Page(self, pathlib.Path(path).resolve().as_uri() + fragment, width, height, mobile, scale, before)


class Page:
    def __init__(self, browser, address, width, height, mobile, scale, before):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)
        if before:
            self.call("Page.addScriptToEvaluateOnNewDocument", source=before)
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def run(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def wait(self, expression, seconds=PATIENCE):
        until = time.monotonic() + seconds
        while not self.run(expression):
            if time.monotonic() > until:
                raise RuntimeError(f"in vain: {expression}; complaints: {self.complaints()}")
            time.sleep(0.05)

    def picture(self, path=None):
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path:
            pathlib.Path(path).write_bytes(data)
        return data

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def key(self, text, code=None):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=code or text, **({} if code else {"text": text}))
        self.call("Input.dispatchKeyEvent", type="keyUp", key=code or text)

    def complaints(self):
        """What the console and the page have complained of, and requests that left the file."""
        out = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, about = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = about["exceptionDetails"]
                out.append(details.get("exception", {}).get("description", details["text"]))
            elif method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
                out.append(" ".join(str(one.get("value", one.get("description"))) for one in about["args"]))
            elif method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning") and DRIVER not in about["entry"]["text"]:
                out.append(about["entry"]["text"])
            elif method == "Network.requestWillBeSent" and not about["request"]["url"].startswith(("file:", "blob:", "data:")):
                out.append("request: " + about["request"]["url"])
        return out
