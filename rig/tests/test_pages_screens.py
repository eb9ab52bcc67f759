"""Screens that stand for long, and elsewhere than on the station; and what a control service, a camera and the file have to say on pages, in a real browser.

Natively alone, and only where it is asked for (`make pages`).
"""

import os
import re
import socket
import ssl
import threading
import time
from pathlib import PurePosixPath

import browser
import namespaces
from browser import Browser
from console import ADDRESS, PORT, Console, answer_of, request
from place import lasts
from rig import PATIENCE
from sets import release
from test_offline import FOLDER, REFUSES
from test_pages import AT_ONCE, GREEN, LATE, LONG, RENEWED, SCRIPT, STANDS, PagesCase, in_browser
from test_station import SOCKET
from venue import SCANGATE, URL

#: Where this machine is reached by others.
ELSEWHERE = "192.0.2.44"
TURNED = "Ada\u202e\u2066morG"
#: Elements that no template has within what is told.
MADE = "document.querySelectorAll('main :is(script, img, b, iframe, style)').length"
#: What no text on a page may hold as it is.
TURNS = "/[\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/.test(document.documentElement.outerHTML)"

#: A page's own clock, timers and stream, all of which the test drives: `pass(ms)` is time, `say(kind, what)` the console.
DRIVEN = """(() => {
  const timers = [], pause = window.setTimeout.bind(window);
  let now = 1000;
  Object.defineProperty(performance, "now", { value: () => now });
  Date.now = () => 1767225600000 + now;
  window.setInterval = (act, every) => timers.push({ act, every, next: now + every });
  const made = { count: 0, last: null };
  window.EventSource = class extends EventTarget {
    static CLOSED = 2;
    readyState = 1;
    constructor() { super(); made.count += 1; made.last = this; }
    close() { this.readyState = 2; }
  };
  window.driven = {
    made, pause: () => new Promise((go) => pause(go, 0)), now: () => now,
    pass(ms) {
      for (const end = now + ms; now < end;) {
        now = Math.min(end, ...timers.map((timer) => timer.next));
        for (const timer of timers) if (timer.next <= now) { timer.next += timer.every; timer.act(); }
      }
    },
    say(kind, what) { made.last.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(what) })); },
  };
})()"""
#: A day of a door: each second a beat, each 10 s somebody who is let in, each hour a console that says nothing for 10 s. DRIFT is by how much its clock and the
#: page's differ. Tells what was not as it should be.
DAY = """(async () => {
  const wrong = [], face = document.querySelector("[data-face]"), { driven } = window, ready = { kind: "ready", head: "Please" };
  const want = (what, kind) => { if (face.dataset.kind !== kind && wrong.length < 10) wrong.push([what, Math.round(driven.now()), face.dataset.kind]); };
  const say = (kind, what) => driven.say(kind, { ...what, at: Math.round(driven.now() * (1 + DRIFT)) });
  for (let hour = 0; hour < 24; hour += 1) {
    say("face", ready);
    for (let second = 0; second < 3590; second += 1) {
      const turn = second % 10;
      if (turn === 0) { say("face", { kind: "admit", head: "ADMIT", left: 6000, facts: ["1 of 1 in"], notes: ["412 in"], then: ready }); want("let in", "admit"); }
      if (turn === 5) want("still shown", "admit");
      if (turn === 7) want("over", "ready");
      driven.pass(1000);
      say("beat", { clock: "19:42:07" });
    }
    say("face", { kind: "admit", head: "ADMIT", left: 6000 });
    const sources = driven.made.count;
    driven.pass(3300);
    want("nobody tells", "lost");
    driven.pass(6700);
    if (driven.made.count === sources) wrong.push(["asks again", driven.now()]);
    await driven.pause();
  }
  return wrong;
})()"""


@in_browser
@release
class Week(PagesCase):
    def begun(self):
        """A door whose clock, timers and stream are the test's."""
        page = self.browser.page()
        self.pages.append(page)
        page.ask("Page.addScriptToEvaluateOnNewDocument", source=DRIVEN)
        page.go(f"http://{ADDRESS}:{PORT}/door/north")
        return page

    @lasts(90)
    def test_screen_that_is_open_for_a_week_shows_what_is_so_and_does_not_grow(self):
        self.begin()
        page = self.begun()
        sizes = []
        for day in range(8):
            # Both ways, as clocks of machines differ.
            self.assertEqual(page.run(DAY.replace("DRIFT", "1e-4" if day % 2 else "-1e-4")), [], f"day {day}")
            metrics = page.metrics()
            sizes.append((page.heap(), page.run("document.querySelectorAll('*').length"), metrics["JSEventListeners"]))
        self.assertGreater(page.run("driven.now()"), 8 * 24 * 3_590_000)
        (first, *_), (last, *_) = sizes[0], sizes[-1]
        self.assertLess(last, first + 500_000, sizes)
        self.assertEqual(sizes[-1][1], sizes[0][1], sizes)
        self.assertLess(sizes[-1][2], sizes[0][2] + 50, sizes)


@in_browser
@release
class Screens(PagesCase):
    """Door screens that stand elsewhere: over TLS, set up by a code."""

    LISTEN = f"0.0.0.0:{PORT}"
    THERE = f"https://{ELSEWHERE}:{PORT}"

    def begin(self):
        self.rig.sh(f"ip address replace {ELSEWHERE}/32 dev lo")
        self.serve(north=REFUSES, south=REFUSES)
        self.console = Console(self.rig, FOLDER, SOCKET)
        self.addCleanup(self.assert_no_secret_was_told)
        self.console.address = (ELSEWHERE, PORT)
        self.furnish()
        self.console.start()
        self.rig.until(self.is_ready, what="a console that is ready")
        self.browser = Browser("--ignore-certificate-errors")
        self.addCleanup(self.browser.close)
        self.pages = []
        self.addCleanup(lambda: [self.look(page) for page in self.pages])

    def is_ready(self):
        """Whoever has compared the certificate trusts it; here everybody does."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with socket.create_connection(self.console.address, PATIENCE) as plain, context.wrap_socket(plain) as connection:
            connection.sendall(request("/readyz", host=f"{ELSEWHERE}:{PORT}"))
            return answer_of(self.console.read(connection)).status == 200

    def code(self, name="entrance"):
        said = self.rig.sh(f"{SCANGATE} console device add {name} --gate north --access {self.console.access} --config {FOLDER}/scangate.yaml")
        code = re.search(r"type: ([0-9A-Z-]{19})", said)[1]
        self.rig.known.add("door screen's code", code)
        return code

    def screen(self, code=None):
        page = self.browser.page()
        self.pages.append(page)
        page.go(f"{self.THERE}/device{'#' + code if code else ''}")
        if code:
            page.loading(lambda: page.click("button.main"))
        return page

    def test_code_sets_one_screen_up_and_its_end_throws_it_out_at_once(self):
        self.begin()
        stranger = self.screen()
        for path in ("/door/north", "/pages/door/north/events", "/attendant/north", "/"):
            stranger.go(self.THERE + path)
            self.assertNotIn("Please show", stranger.text(), path)
        code = self.code()
        page = self.screen(code)
        self.assertEqual(page.run("location.pathname"), "/door/north")
        self.until_face(page, "ready")
        cookies = {each["name"]: each for each in page.ask("Network.getCookies")["cookies"]}
        screen = cookies["__Host-scangate-device"]
        self.assertEqual([screen[name] for name in ("secure", "httpOnly", "sameSite", "path", "domain")], [True, True, "Strict", "/", ELSEWHERE])
        self.assertEqual(page.run("document.cookie"), "")
        self.assertLess(screen["expires"] - time.time(), 366 * 86_400)
        for path in ("/door/south", "/attendant/north", "/technician", "/organiser", "/sessions"):
            page.go(self.THERE + path)
            self.assertNotIn("Please show", page.text(), path)
            self.assertNotIn("<form method=\"post\" class=\"order\"", page.html(), path)
        page.go(f"{self.THERE}/door/north")
        self.until_face(page, "ready")
        # The code is used: by nobody else, and by nobody twice.
        again = self.screen(code)
        self.assertEqual(again.run("location.pathname"), "/device")
        again.go(f"{self.THERE}/door/north")
        self.assertNotIn("Please show", again.text())
        self.admits()
        self.until_face(page, "admit", within=2)
        self.rig.sh(f"{SCANGATE} console device revoke entrance --access {self.console.access}")
        revoked = time.monotonic()
        page.until(f"!{list(GREEN)!r}.includes(document.querySelector('[data-face]').dataset.kind)", 2, "a screen that is not green")
        self.assertLess(time.monotonic() - revoked, 2)
        self.admits()
        self.rig.sh("sleep 1")
        self.assertEqual(page.run("document.querySelector('[data-face]').dataset.kind"), "lost")
        self.picture(page, "door revoked screen")
        page.reload()
        self.assertNotIn("Please show", page.text())
        self.assertNotEqual(page.run("location.pathname"), "/door/north")
        # What it shows is nobody's any more, whoever has kept it.
        page.ask("Network.setCookie", url=self.THERE, **{name: screen[name] for name in ("name", "value", "path", "secure", "httpOnly")})
        page.go(f"{self.THERE}/door/north")
        self.assertNotIn("Please show", page.text())


class Altering:
    """Between the console and the station's socket: one text of the same length stands for another in what the station says."""

    def __init__(self, front, back, old, new):
        assert len(old) == len(new)
        self.altered = 0
        self._front, self._back, self._old, self._new = front, back, old, new
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(front)
        os.chmod(front, 0o666)
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                client, _ = self._listener.accept()
                station = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                station.connect(self._back)
            except OSError:
                return  # the test is over
            for one, other, comes in ((client, station, False), (station, client, True)):
                threading.Thread(target=self._pass, args=(one, other, comes), daemon=True).start()

    def _pass(self, one, other, comes):
        try:
            while packet := one.recv(1 << 20):
                if comes and self._old in packet:
                    self.altered += 1
                    packet = packet.replace(self._old, self._new)
                other.send(packet)
        except OSError:
            pass
        for each in (one, other):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def stop(self):
        self._listener.close()


@in_browser
@release
class Cameras(PagesCase):
    """No camera is here: what its reader's event says is put into the event of another reader, whose code is too long. Which event a camera's is, `test_camera` shows."""

    def begin(self):
        path = f"{PurePosixPath(SOCKET).parent}/altered.sock"
        self.serve(north=REFUSES, south=REFUSES)
        self.altering = Altering(path, SOCKET, b'"reason":"tooLong"', b'"reason":"several"')
        self.addCleanup(self.altering.stop)
        self.console = Console(self.rig, FOLDER, path)
        self.addCleanup(self.assert_no_secret_was_told)
        self.furnish()
        self.console.start()
        self.console.until_ready()
        self.browser = Browser()
        self.addCleanup(self.browser.close)
        self.pages = []
        self.addCleanup(lambda: [self.look(page) for page in self.pages])

    def test_several_codes_are_said_at_the_gate_of_their_camera(self):
        self.begin()
        north, south, telephone = self.door("north"), self.door("south"), self.page("/attendant/north", user="ann", size="telephone")
        self.admits("right")
        self.until_face(south, "admit", within=2)
        self.rig.send({"left": "x" * 6_000})
        for page in (north, telephone):
            self.until_face(page, "several", within=2)
        began = time.monotonic()
        self.assertRegex(north.text("[data-face]"), r"SEVERAL CODES\s+One ticket at a time")
        self.assertEqual(self.altering.altered, 1)
        self.assertIn(south.run("document.querySelector('[data-face]').dataset.kind"), ("admit", "ready"))
        self.picture(north, "door several screen")
        self.picture(telephone, "attendant several telephone")
        self.until_face(north, "ready", within=STANDS + LATE)
        self.assertGreater(time.monotonic() - began, STANDS - LATE)
        # It keeps nobody from the next verdict.
        self.rig.send({"left": "x" * 6_000})
        self.until_face(north, "several", within=2)
        self.admits()
        self.until_face(north, "admit", within=2)


@in_browser
@release
class Led(PagesCase):
    """A station that a control service leads, and which tells it what staff say."""

    ORDERS = ("status", "present")

    def configure(self, text):
        super().configure(text + f'control: {{type: kiosk, url: "{URL}", allowPlainHTTP: true}}\n')
        self.command(f"kiosk activate {self.venue.activation_code()} --config {FOLDER}/scangate.yaml")
        for member, value in self.SAYS.items():
            self.rig.put(value, "/run/rig/member")
            self.venue._command(f"kiosk set --control {self.venue._control} {self.venue.kiosks()[0]['id']} \"{member}=$(cat /run/rig/member)\"")
        self.command(f"kiosk sync --config {FOLDER}/scangate.yaml")

    SAYS = {"settings.behavior.welcomeMessage": "Good evening", "roomName": "Great hall"}

    def told(self):
        (kiosk,) = self.venue.kiosks()
        return kiosk["status"], kiosk["manual_override"]

    def test_attendant_tells_the_control_service_of_lunch(self):
        self.begin()
        door, page = self.door(), self.page("/attendant/north", user="ann", size="telephone")
        door.until_says("Good evening")
        self.assertIn("Great hall", door.text())
        technician = self.page("/technician", user="tom")
        for status, words in (("lunch", "lunch"), ("brb", "right back"), ("own", None), ("unavailable", None)):
            page.run(f"document.querySelector('form:has([value=status]) select').value = '{status}'")
            page.loading(lambda: page.click("form:has([value=status]) button"))
            self.assertIn("is told", page.text("#outcome"))
            if status == "own":
                self.rig.until(lambda: self.is_own(), what="the station's own status, told to its control service")
            else:
                self.rig.until(lambda: self.is_told(status), what=f"{status}, told to the control service by hand")
            page.go(page.run("location.pathname") and f"http://{ADDRESS}:{PORT}/attendant/north")
            self.assertEqual(page.run("document.querySelector('form:has([value=status]) select').value"), status)
        self.picture(page, "attendant status telephone")
        self.assert_ordered(*[("status", None, "done")] * 4)
        self.assertEqual({order["who"] for order in self.orders()}, {"ann"})
        self.look(technician)
        self.assertEqual(self.admits()["verdict"], "admit")

    def is_told(self, status):
        (kiosk,) = self.venue.kiosks()
        return (kiosk["status"], kiosk["manual_override"]) == (status, True)

    def is_own(self):
        (kiosk,) = self.venue.kiosks()
        return kiosk["manual_override"] is False


@in_browser
@release
class LedShortly(Led or PagesCase):
    """A control service whose sessions last a minute."""

    SAYS = {"security.sessionTimeout": "1"}
    test_attendant_tells_the_control_service_of_lunch = None

    @lasts(120)
    def test_sessions_end_with_the_control_services_time(self):
        """Of those who do nothing: what a page asks for by itself is no use of it. A door on this machine needs none."""
        self.begin()
        self.rig.until(lambda: self.status()["control"]["session_timeout_s"] == 60, what="the time of the control service")
        self.rig.sh("sleep 16")  # the console looks at it every 15 s
        idle, watching, busy, door = (self.page("/attendant/north", user="ann", size="telephone"), self.page("/technician", user="tom"),
                                      self.page("/attendant/north", user="ann", size="telephone"), self.door())
        begun = time.monotonic()
        while time.monotonic() - begun < 75:
            busy.reload()
            self.assertEqual(busy.run("location.pathname"), "/attendant/north")
            self.rig.sh("sleep 5")
        self.assertTrue(watching.run("!!document.querySelector('.stale:not([hidden])')"))
        for page in (idle, watching):
            page.reload()
            self.assertEqual(page.run("location.pathname"), "/sign-in")
        self.until_face(busy, "ready")
        self.until_face(door, "ready")


@in_browser
@release
class LedByStrangers(Led or PagesCase):
    """What a control service says for people is text."""

    SAYS = {"settings.behavior.welcomeMessage": SCRIPT + TURNED, "roomName": LONG}
    test_attendant_tells_the_control_service_of_lunch = None

    def test_words_of_the_control_service_are_text(self):
        self.begin()
        for size in browser.SIZES:
            for path, user in (("/door/north", None), ("/attendant/north", "ann"), ("/technician", "tom")):
                page = self.page(path, user=user, size=size)
                if path != "/technician":
                    page.until_says("ΩΩΩ")
                    page.until_says("<script>")
                self.assertEqual((page.run(MADE), page.run(TURNS), page.run(browser.WIDER) > 0), (0, False, False), f"{path} {size}")
                self.picture(page, f"hostile control {path} {size}")
                self.look(page)
                page.close()
                self.pages.remove(page)


@in_browser
@release
class Devices(PagesCase):
    """A scanner is called what it says itself: here a line whose node has a name as long as a path may be."""

    NODE = f"/run/rig/{SCRIPT}{TURNED}" + ("/" + "Ω" * 120) * 12 + "/line"

    def configure(self, text):
        node = self.NODE.replace("\\", "\\\\").replace('"', '\\"')
        super().configure(text.replace("{path: /run/rig/left}", f'{{path: "{node}"}}'))

    def plug(self, number):
        super().plug(number)
        os.makedirs(os.path.dirname(self.NODE), exist_ok=True)
        open(self.NODE, "w").close()
        namespaces.mount(os.readlink("/run/rig/left"), self.NODE, flags=namespaces.BIND)

    def test_name_of_a_scanner_is_text(self):
        self.begin()
        self.admits()
        for size in browser.SIZES:
            page = self.page("/technician", user="tom", size=size)
            self.assertIn("<script>", page.text("[data-part=readers]"))
            self.assertEqual((page.run(MADE), page.run(TURNS), page.run(browser.WIDER) > 0), (0, False, False), size)
            self.picture(page, f"hostile scanner {size}")
        # As the page is renewed, too.
        page.run("document.querySelector('[data-part=readers]').dataset.mark = 'x', document.querySelector('[data-part=readers]').replaceChildren()")
        page.until("document.querySelector('[data-part=readers]').innerText.includes('<script>')", RENEWED, "a page that was renewed")
        self.assertEqual((page.run(MADE), page.run(TURNS)), (0, False))


@in_browser
@release
class Languages(PagesCase):
    """The file's language stands above the browser's."""

    MORE = "pages: true, language: fr"

    def test_words_are_the_files_language(self):
        self.begin()
        for language in ("de-AT,en;q=0.5", "en-GB", None):
            door = self.page("/door/north", language=language)
            door.until_says("Présentez votre billet")
            self.assertEqual(door.run("document.documentElement.lang"), "fr")
            code = next(self.codes)
            self.admits(code=code)
            self.until_face(door, "admit", within=2)
            self.assertIn("ENTREZ", door.text("[data-face]").upper())
            self.until_face(door, "ready", within=STANDS + LATE)
        page = self.page("/technician", user="tom", language="de")
        self.assertEqual(page.run("document.documentElement.lang"), "fr")
        self.assertNotIn("Durchgang", page.text("main"))
