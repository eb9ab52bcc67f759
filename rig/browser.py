"""A real browser that looks at the console's pages: Chromium without a window, led through its DevTools over a pipe.

A page collects what must not be: whatever it asks of another address, whatever its policy forbade, errors of its scripts.
"""

import base64
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

import native_case
import secrets_told

PACKAGES = ["chromium", "python3-pip", "fonts-dejavu-core", "fonts-noto-core"]
#: A telephone held upright, a tablet, a screen, and a large one.
SIZES = {"telephone": (320, 640), "tablet": (768, 1024), "screen": (1920, 1080), "large": (3840, 2160)}
#: How long the browser may take for one thing, in seconds: another machine's only processor may be at work.
PATIENCE = 30
#: The accessibility checker, as `make pages` fetched it.
AXE = Path(__file__).resolve().parent.parent / ".rig/axe.min.js"
#: What of it counts: the standard's levels A and AA, and what nobody contradicts.
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
#: What its findings may be and be borne.
BORNE = ("minor", "moderate")

#: Where the pages' focus is, and whether it is seen.
FOCUS = """(() => {
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const box = at.getBoundingClientRect(), style = getComputedStyle(at);
  return { tag: at.tagName.toLowerCase(), name: at.name || at.id || "", words: (at.labels && at.labels[0] ? at.labels[0].innerText : at.innerText || "").trim(),
           seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none",
           inside: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth };
})()"""
#: What would have to be scrolled sideways, and what is too small for a thumb.
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SMALL = """[...document.querySelectorAll("button, input:not([type=hidden]), select, a.button")].filter((at) => at.offsetParent).map((at) => {
  const box = at.getBoundingClientRect();
  return [at.name || at.innerText.trim() || at.tagName, Math.round(box.width), Math.round(box.height)];
}).filter(([name, width, height]) => Math.min(width, height) < %d)"""
KEYS = {"Tab": ("Tab", 9, None), "Enter": ("Enter", 13, "\r"), " ": ("Space", 32, " "), "Escape": ("Escape", 27, None)}


class BrowserError(Exception):
    """The browser said no, or nothing."""


class Browser:
    """Chromium's process, with a profile of its own that ends with it."""

    def __init__(self, *flags):
        program = shutil.which("chromium")
        if not program:
            raise BrowserError("there is no chromium; `make pages` installs it")
        self._profile = tempfile.mkdtemp(prefix="browser-")
        ours, theirs = os.pipe(), os.pipe()
        # DevTools' end of the pipes are descriptors 3 and 4, whatever they are here.
        script = f'exec 3<&{ours[0]} 4>&{theirs[1]}; exec "$@"'
        self._log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            ["bash", "-c", script, "browser", program, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self._profile}", "--no-sandbox",
             "--disable-dev-shm-usage", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
             "--disable-sync", "--disable-extensions", "--disable-default-apps", "--hide-scrollbars", "--mute-audio", "--force-color-profile=srgb",
             *flags, "about:blank"],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, pass_fds=(ours[0], theirs[1]), start_new_session=True,
            env={**os.environ, "HOME": self._profile})
        os.close(ours[0])
        os.close(theirs[1])
        self._to, self._from = ours[1], theirs[0]
        self._numbers, self._answers, self._pages, self._sending = itertools.count(1), {}, {}, threading.Lock()
        #: Sessions by the numbers of answers that they asked for, and by what each profile's part is known to the console.
        self._bodies, self.jars = {}, {}
        self._said, self.ended = threading.Condition(), False
        threading.Thread(target=self._read, daemon=True).start()
        self.version = self.ask("Browser.getVersion")["product"]

    def _read(self):
        rest = bytearray()
        while part := os.read(self._from, 1 << 20):
            rest += part
            *whole, rest = rest.split(b"\0")
            with self._said:
                for text in whole:
                    self._take(json.loads(text))
                self._said.notify_all()
        with self._said:
            self.ended = True
            self._said.notify_all()

    def _take(self, said):
        if said.get("id") in self._bodies:
            if page := self._pages.get(self._bodies.pop(said["id"])):
                # None for what has none, a redirection for one; or another page is there by now.
                if "result" in said:
                    page.hear(said["result"])
        elif "id" in said:
            self._answers[said["id"]] = said
        elif page := self._pages.get(said.get("sessionId")):
            page.take(said["method"], said["params"])

    def ask(self, method, session=None, within=PATIENCE, **params):
        """What DevTools answers."""
        number = self.say(method, session, **params)
        with self._said:
            if not self._said.wait_for(lambda: number in self._answers or self.ended, within):
                raise BrowserError(f"{method}: no answer within {within} s")
            if number not in self._answers:
                self._log.seek(0)
                raise BrowserError(f"{method}: the browser has ended:\n{self._log.read().decode(errors='replace')[-2000:]}")
            answer = self._answers.pop(number)
        if "error" in answer:
            raise BrowserError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def say(self, method, session=None, **params):
        """Has DevTools do something, and does not wait for it."""
        number = next(self._numbers)
        self._send(number, method, session, params)
        return number

    def _send(self, number, method, session, params):
        message = {"id": number, "method": method, "params": params, **({"sessionId": session} if session else {})}
        data = json.dumps(message).encode() + b"\0"
        with self._sending:
            while data:
                data = data[os.write(self._to, data):]

    def fetch_body(self, session, request):
        """Has the body of an answer told, when its turn comes; by the thread that reads."""
        number = next(self._numbers)
        self._bodies[number] = session
        self._send(number, "Network.getResponseBody", session, {"requestId": request})

    def wait(self, condition, within, what):
        """Waits until something is so of what was told."""
        with self._said:
            if not self._said.wait_for(lambda: condition() or self.ended, within):
                raise BrowserError(f"{what}: not so within {within} s")

    def page(self, size="screen", **how):
        """A page in a profile's part of its own: it shares no cookie with another."""
        context = self.ask("Target.createBrowserContext")["browserContextId"]
        return self.beside(context, size, **how)

    def beside(self, context, size="screen", **how):
        """A page that shares the cookies of another one, whose `context` that is."""
        target = self.ask("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Page(self, session, target, context)
        page.begin(size, **how)
        return page

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self._to)
        shutil.rmtree(self._profile, ignore_errors=True)


class Page:
    """One page of a browser. What it did that it must not is in `foreign`, `forbidden` and `errors`."""

    def __init__(self, browser, session, target, context):
        self.browser, self.session, self.target, self.context = browser, session, target, context
        self.requests, self.foreign, self.forbidden, self.errors, self.lost = [], [], [], [], []
        self.sizes, self.loads, self.status, self._origins = {}, 0, {}, set()
        # What it is told is searched for secrets.
        self._rig = native_case.rig

    def begin(self, size, script=True, touch=False, dark=True, language=None):
        for domain in ("Page", "Runtime", "Network", "Log", "Audits"):
            self.ask(f"{domain}.enable")
        self.ask("Page.setLifecycleEventsEnabled", enabled=True)
        if language:
            self.ask("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})
        if not script:
            self.ask("Emulation.setScriptExecutionDisabled", value=True)
        if touch:
            self.ask("Emulation.setTouchEmulationEnabled", enabled=True)
        self.media(dark=dark)
        self.resize(size)

    def ask(self, method, within=PATIENCE, **params):
        return self.browser.ask(method, self.session, within, **params)

    def take(self, method, params):
        """What DevTools tells of this page; by the thread that reads."""
        if method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            self.requests.append(url)
            # Not even what is its own: addresses stand in histories and logs.
            self._hear("an address that the browser asked", url, own=False)
            if not url.startswith(("data:", "about:")) and origin_of(url) not in self._origins:
                self.foreign.append(url)
        elif method == "Network.responseReceived":
            self.status[params["response"]["url"]] = params["response"]["status"]
        elif method == "Network.responseReceivedExtraInfo":
            self._hear("what the browser was answered", "".join(f"{name}: {line}\r\n" for name, value in params["headers"].items() for line in value.split("\n")) + "\r\n")
        elif method == "Network.eventSourceMessageReceived":
            self._hear("what the browser was told by events", params["data"])
        elif method == "Network.loadingFinished":
            self.sizes[params["requestId"]] = params["encodedDataLength"]
            self.browser.fetch_body(self.session, params["requestId"])
        elif method == "Network.loadingFailed":
            self.lost.append(params.get("errorText", ""))
            if params.get("blockedReason"):
                self.forbidden.append(f"blocked: {params['blockedReason']}")
        elif method == "Log.entryAdded":
            entry = params["entry"]
            words = f"{entry['text']} {entry.get('url', '')}"
            if "Content Security Policy" in words or entry["source"] == "security":
                self.forbidden.append(words)
            elif entry["level"] == "error" and entry["source"] != "network":
                self.errors.append(words)
        elif method == "Audits.issueAdded":
            issue = params["issue"]
            if issue["code"] in ("ContentSecurityPolicyIssue", "MixedContentIssue", "BlockedByResponseIssue"):
                self.forbidden.append(json.dumps(issue)[:600])
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(each.get("value", each.get("description"))) for each in params["args"]))
        elif method == "Page.loadEventFired":
            self.loads += 1

    def hear(self, body):
        """The whole of an answer, as the browser had it."""
        self._hear("what the browser was answered", base64.b64decode(body["body"]) if body["base64Encoded"] else "\r\n\r\n" + body["body"])

    def _hear(self, place, said, own=True):
        if not self._rig:
            return
        data = said if isinstance(said, bytes) else said.encode(errors="replace")
        jar = self.browser.jars.setdefault(self.context, {self.context})
        if own:
            jar |= secrets_told.learn(self._rig.known, b"", data, jar)
        self._rig.heard.take(place, data, jar if own else ())

    # Where it is, and how it is shown

    def allow(self, origin):
        """What this page may ask for; everything else is foreign."""
        self._origins.add(origin)

    def go(self, url):
        """Loads a page; returns when it is there, however it was answered."""
        self.allow(origin_of(url))
        self.loading(lambda: self.ask("Page.navigate", url=url))
        return self

    def reload(self):
        self.loading(lambda: self.ask("Page.reload"))

    def loading(self, act):
        """Does something that leads to another page, and waits for that."""
        before = self.loads
        act()
        self.browser.wait(lambda: self.loads > before, PATIENCE, "a page that is loaded")

    def resize(self, size):
        width, height = SIZES.get(size, size)
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, dark=True, reduced=False, contrast=False):
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"},
            {"name": "prefers-contrast", "value": "more" if contrast else "no-preference"}])

    def picture(self, path, whole=False):
        """Keeps what is seen as a PNG file; `whole`: also what would have to be scrolled to."""
        for attempt in range(4):
            try:
                shot = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole, within=10 if attempt < 3 else 2 * PATIENCE)
                break
            except BrowserError as error:
                # A page that loads another one at this moment: Chromium refuses, sees nothing of it yet, or never answers.
                if attempt == 3 or not any(words in str(error).lower() for words in ("not attached", "no answer", "0 width")):
                    raise
                time.sleep(0.5)
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    # What it says

    def run(self, script):
        """The value of an expression of JavaScript; a promise is awaited."""
        told = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True, within=3 * PATIENCE)
        if "exceptionDetails" in told:
            details = told["exceptionDetails"]
            raise BrowserError(f"{script[:120]}: {details.get('exception', {}).get('description', details['text'])}")
        return told["result"].get("value")

    def html(self):
        """The whole page as it stands; one that loads at this moment is awaited."""
        return self.until("document.readyState !== 'loading' && document.documentElement?.outerHTML", what="a page that is there")

    def text(self, selector="body"):
        """The words that are seen there."""
        return self.run(f"(document.querySelector({json.dumps(selector)}) || {{}}).innerText || ''")

    def until(self, script, within=PATIENCE, what=None):
        """Waits until an expression is something true; returns that."""
        end = time.monotonic() + within
        while True:
            try:
                if value := self.run(script):
                    return value
            except BrowserError as error:
                # The page is another one at this moment.
                if not re.search("context|navigated", str(error).lower()):
                    raise
            if time.monotonic() > end:
                raise BrowserError(f"{what or script}: not so within {within} s; the page says: {self.text()[:600]!r}")
            time.sleep(0.02)

    def until_says(self, words, selector="body", within=PATIENCE):
        return self.until(f"((document.querySelector({json.dumps(selector)}) || {{}}).innerText || '').includes({json.dumps(words)})", within,
                          f"“{words}” in {selector}")

    # Whoever uses it

    def focus(self):
        """Where the keyboard's focus is: `tag`, `name`, `words`, whether it is `seen` and `inside` what is shown; None for nowhere."""
        return self.run(FOCUS)

    def key(self, name):
        code, number, text = KEYS[name]
        down = {"type": "keyDown" if text else "rawKeyDown", "key": name, "code": code, "windowsVirtualKeyCode": number}
        self.ask("Input.dispatchKeyEvent", **down, **({"text": text} if text else {}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=name, code=code, windowsVirtualKeyCode=number)

    def type(self, text):
        self.ask("Input.insertText", text=text)

    def tab_to(self, condition, most=80):
        """Tabs until the focus is where a function of it says so; each place on the way is seen. Returns the places."""
        places = []
        for _ in range(most):
            self.key("Tab")
            place = self.focus()
            places.append(place)
            if place and condition(place):
                return places
        raise BrowserError(f"the keyboard does not lead there; it leads to {places}")

    def click(self, selector, times=1):
        """Clicks, or taps twice as fast as nobody can."""
        box = self.until(f"""(() => {{ const at = document.querySelector({json.dumps(selector)}); if (!at) return null;
            at.scrollIntoView({{ block: "center" }}); const box = at.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()""",
                         what=f"{selector} to click at")
        for count in range(1, times + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.browser.say("Input.dispatchMouseEvent", self.session, type=kind, x=box[0], y=box[1], button="left", clickCount=count)

    def fill(self, selector, text):
        self.run(f"document.querySelector({json.dumps(selector)}).focus()")
        self.type(text)

    # What becomes of it

    def freeze(self):
        """The browser stops the page, as where its machine sleeps."""
        self.ask("Emulation.setFocusEmulationEnabled", enabled=False)
        self.ask("Page.setWebLifecycleState", state="frozen")

    def resume(self):
        """It goes on, and is seen: a page that was frozen stays hidden without that, paints nothing and has slow timers."""
        self.ask("Emulation.setFocusEmulationEnabled", enabled=True)
        self.ask("Page.setWebLifecycleState", state="active")

    # What is looked at

    def axe(self):
        """What the accessibility checker finds that nobody may bear: rule, impact, and where."""
        if not AXE.exists():
            raise BrowserError(f"there is no {AXE}; `make pages` fetches it")
        self.run(AXE.read_text() + "; true")
        options = {"runOnly": {"type": "tag", "values": AXE_RULES}, "resultTypes": ["violations"]}
        found = self.run(f"axe.run(document, {json.dumps(options)}).then((found) => found.violations.map((each) => "
                         "({ id: each.id, impact: each.impact, help: each.help, at: each.nodes.map((node) => node.html.slice(0, 200)) })))")
        return [each for each in found if each["impact"] not in BORNE]

    def weight(self):
        """The bytes that it has taken from the network."""
        return sum(self.sizes.values())

    def metrics(self):
        self.ask("Performance.enable")
        return {each["name"]: each["value"] for each in self.ask("Performance.getMetrics")["metrics"]}

    def heap(self):
        """Bytes of the page's heap, when what nobody holds is gone."""
        self.ask("HeapProfiler.collectGarbage")
        return self.run("performance.memory.usedJSHeapSize")

    def close(self):
        self.browser.ask("Target.closeTarget", targetId=self.target)


def origin_of(url):
    parts = urllib.parse.urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def name_of(words):
    """A file's name for a picture."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")
