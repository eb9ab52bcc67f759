"""What people see of a station, in a real browser: doors, attendants, and whoever else signs in; with pictures of each page at four sizes.

Natively alone, and only where it is asked for (`make pages`): the browser is large.
"""

import json
import os
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import browser
from browser import Browser, name_of
from console import ADDRESS, PORT
from place import NATIVE
from rig import PATIENCE
from sets import release
from test_console import ConsoleCase
from test_offline import QUEUES, REFUSES
from venue import ADDRESS as VENUE_ADDRESS
from venue import NAME, SCANGATE, URL

HERE = f"http://{ADDRESS}:{PORT}"
#: Where pictures are kept.
PICTURES = Path(os.environ.get("RIG_PICTURES", Path(__file__).resolve().parent.parent.parent / ".rig/pictures"))
PASSWORD = "a long enough password 4711"
USERS = {"ann": "attendant", "tom": "technician", "olga": "organiser"}
#: How long a verdict stands, in seconds; and how much a busy machine may be late.
STANDS, LATE = 6, 1.5
#: Within how many seconds a page says that nobody tells it any more.
AT_ONCE = 4
#: Within how many seconds a page renews what it says of the station.
RENEWED = 15
GREEN = ("admit", "provisional")
#: What a thumb hits, in pixels.
THUMB = 44
SCRIPT = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">"
LONG, SHORT = "Ω" * 10_000, "SHORTNAME"
#: The network between a browser and the console, gone.
CUT = f"table inet pages {{ chain input {{ type filter hook input priority 0; tcp dport {PORT} drop; tcp sport {PORT} drop; }}; }}"
FACE = "document.querySelector('[data-face]')"
KIND = f"({FACE} || {{ dataset: {{}} }}).dataset.kind"
#: Has a page remember what is seen of its face in ten frames after each pause: how long that was, the face's kind, and whether its words and its colour are seen.
FRAMES = """(() => {
  const pauses = window.pauses = [];
  let last = performance.now(), frames = null;
  const look = () => {
    const now = performance.now(), face = document.querySelector("[data-face]");
    if (now - last > 2000) frames = [];
    if (frames) frames.push([now - last, face.dataset.kind, getComputedStyle(face.querySelector(".head")).visibility, getComputedStyle(face).backgroundColor]);
    if (frames && frames.length === 10) [frames] = [null, pauses.push(frames)];
    last = now;
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()"""


def in_browser(test):
    """Marks tests that no guest can run."""
    return test if NATIVE else None


class PagesCase(ConsoleCase):
    """A station with pages, and a browser that looks at them."""

    ORDERS = ("maintenance", "annul", "openOnce", "present", "search")
    MORE = "pages: true"

    def furnish(self):
        self.rig.known.add("password", PASSWORD)
        for name, role in USERS.items():
            self.rig.sh(f"printf '%s\\n' '{PASSWORD}' | {SCANGATE} console user add {name} --role {role} --access {self.console.access}")

    def begin(self, **gates):
        super().begin(**gates)
        self.browser = Browser()
        self.addCleanup(self.browser.close)
        self.pages = []
        self.addCleanup(lambda: [self.look(page) for page in self.pages])

    def page(self, path="/", *, user=None, size="screen", context=None, **how):
        """A page of the console, in the eyes of somebody."""
        page = self.browser.beside(context, size, **how) if context else self.browser.page(size, **how)
        self.pages.append(page)
        if user:
            self.sign_in(page, user, path)
        else:
            page.go(HERE + path)
        return page

    def sign_in(self, page, user, path="/"):
        page.go(f"{HERE}/sign-in?next={urllib.parse.quote(path, safe='')}")
        page.fill("[name=user]", user)
        page.fill("[name=password]", PASSWORD)
        page.loading(lambda: page.key("Enter"))
        if path != page.run("location.pathname"):
            page.go(HERE + path)

    def look(self, page):
        """What a page holds must be clean, and is kept as what the console has answered; and it has done nothing that it must not."""
        shown = page.html().encode()
        self.console.heard.append(shown)
        self.rig.heard.take("what a page shows", shown, self.browser.jars.get(page.context, ()))
        self.assertEqual((page.foreign, page.forbidden, page.errors), ([], [], []))
        self.assertNotEqual(page.run("document.title"), "taken")

    def picture(self, page, *words, whole=True):
        page.picture(PICTURES / f"{name_of(' '.join(words))}.png", whole)

    def door(self, gate="north", **how):
        page = self.page(f"/door/{gate}", **how)
        page.until(f"{KIND} === 'ready'", what="a door that is ready")
        return page

    def nothing_green_after(self, page):
        """In the first frames after a page's pause nothing is seen of an admission; what is no longer painted may be in its script for a moment."""
        frames = page.until("pauses.shift()", what="frames after a pause")
        self.assertGreater(frames[0][0], STANDS * 1000)
        lit = page.run("((at) => { at.hidden = true; document.body.append(at); at.className = 'face'; at.dataset.kind = 'admit'; "
                       "const colour = getComputedStyle(at).backgroundColor; at.remove(); return colour; })(document.createElement('div'))")
        self.assertRegex(lit, "^rgb")
        self.assertEqual([frame for frame in frames if frame[1] in GREEN and (frame[2] == "visible" or frame[3] == lit)], [])

    def until_face(self, page, *kinds, within=PATIENCE):
        return page.until(f"{json.dumps(kinds)}.includes({KIND}) && {KIND}", within, f"a face that is one of {kinds}")


@in_browser
@release
class Planted(PagesCase):
    """Whatever a browser is told is searched: a page, a picture of one, a cookie for somebody else, an event, an address."""

    SECRET = "planted-0123456789abcdef"

    def setUp(self):
        super().setUp()
        self.rig.known.add("token or key", self.SECRET)
        self.browser = Browser()
        self.addCleanup(self.browser.close)

    def assert_found(self, path, place, body=b"", headers=()):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                mine = self.path == "/it"
                self.send_response(200)
                kind = "text/event-stream" if mine and place.endswith("events") else "text/html"
                self.send_header("Content-Type", kind)
                for name, value in headers if mine else ():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body if mine or path == "/it" else path.encode())

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        page = self.browser.page()
        page.go(f"http://127.0.0.1:{server.server_address[1]}/{'it' if path == '/it' else ''}")
        self.rig.until(lambda: place in {hit.place for hit in self.rig.heard.hits(self.rig.known)}, what=f"a secret that is found in {place}")
        # What is on its way to the page comes before the answer to its end.
        page.close()
        self.rig.heard.forget()

    def test_each_way_to_a_browser(self):
        self.assert_found("/it", "what the browser was answered", f"<p>{self.SECRET}</p>".encode())
        self.assert_found("/it", "what the browser was answered", b"<p></p>", [("X-Planted", self.SECRET)])
        self.assert_found(f"<script>fetch('/it?{self.SECRET}')</script>", "an address that the browser asked")
        self.assert_found("<script>new EventSource('/it')</script>", "what the browser was told by events", f"data: {self.SECRET}\n\n".encode())


@in_browser
@release
class Doors(PagesCase):
    def test_scan_is_shown_in_words_and_fades(self):
        self.begin()
        page = self.door()
        self.picture(page, "door idle screen")
        code = next(self.codes)
        self.admits(code=code)
        self.until_face(page, "admit", within=2)
        shown = time.monotonic()
        self.assertIn("ADMIT", page.text("[data-face]"))
        self.picture(page, "door admit screen")
        self.until_face(page, "ready", "awaited", within=STANDS + LATE)
        self.assertGreater(time.monotonic() - shown, STANDS - LATE)
        # Another one cuts it short, and says why and when.
        self.admits()
        self.until_face(page, "admit", within=2)
        self.present({"left": code})
        self.until_face(page, "refuse", within=2)
        words = page.text("[data-face]")
        self.assertRegex(words, r"REFUSE(?s:.*)Already used(?s:.*)used \d\d:\d\d, gate north")
        self.picture(page, "door refuse screen")
        self.assertNotIn(code, words)
        # What happens at another gate is not shown here.
        self.until_face(page, "ready", "awaited", within=STANDS + LATE)
        self.admits("right")
        self.admits("left")
        self.until_face(page, "admit", within=2)
        self.look(page)

    def test_shape_and_words_say_it_without_colour(self):
        self.begin()
        page = self.door()
        shapes = {}
        code = next(self.codes)
        for verdict in ("admit", "refuse"):
            self.present({"left": code})
            self.until_face(page, verdict, within=2)
            shapes[verdict] = page.run("[...document.querySelectorAll('.shapes svg')].filter((each) => getComputedStyle(each).display !== 'none').map((each) => each.getAttribute('class'))")
            page.media(contrast=True, reduced=True)
            self.picture(page, f"door {verdict} contrast")
            page.media()
        self.told.append(code)
        self.assertEqual([len(each) for each in shapes.values()], [1, 1], shapes)
        self.assertNotEqual(*shapes.values())

    def test_provisional_admission_is_marked(self):
        self.begin(north=QUEUES, south=REFUSES)
        page = self.door()
        self.venue.cut("refused")
        self.admitted_offline({"left": 1})
        self.until_face(page, "provisional", within=2)
        self.assertIn("provisional", page.text("[data-face]"))
        self.picture(page, "door provisional screen")
        self.venue.mend()
        self.drained()

    def test_gateway_that_is_gone_leaves_nothing_green(self):
        self.begin()
        page = self.door()
        self.admits()
        self.until_face(page, "admit", within=2)
        self.kill()
        gone = time.monotonic()
        page.until(f"!{json.dumps(GREEN)}.includes({KIND})", AT_ONCE, "a screen that is not green")
        self.assertLess(time.monotonic() - gone, 2)
        self.until_face(page, "away", "lost", within=AT_ONCE)
        self.assertIn("No connection", page.text("[data-face]"))
        self.picture(page, "door away screen")
        self.run_gateway()
        self.until_face(page, "ready")
        self.admits()
        self.until_face(page, "admit", within=2)

    def test_console_that_is_gone_or_hangs_leaves_nothing_green(self):
        self.begin()
        page = self.door()
        self.admits()
        self.until_face(page, "admit", within=2)
        self.console.signal("STOP")
        self.until_face(page, "lost", within=AT_ONCE)
        self.console.signal("CONT")
        self.until_face(page, "ready", "awaited")
        self.admits()
        self.until_face(page, "admit", within=2)
        self.console.kill()
        self.until_face(page, "lost", within=AT_ONCE)
        self.assertIn("No connection", page.text("[data-face]"))
        self.picture(page, "door lost screen")
        # What was let in meanwhile is never shown as if it were now.
        self.admits()
        self.console.start()
        self.console.until_ready()
        self.until_face(page, "ready")
        self.admits()
        self.until_face(page, "admit", within=2)

    def test_browser_that_slept_shows_nothing_old(self):
        self.begin()
        page = self.door()
        page.run(FRAMES)
        self.admits()
        self.until_face(page, "admit", within=2)
        page.freeze()
        self.rig.sh(f"sleep {STANDS + 1}")
        page.resume()
        self.nothing_green_after(page)
        self.until_face(page, "ready")
        # Asleep while somebody was let in.
        page.freeze()
        self.admits()
        self.rig.sh(f"sleep {STANDS + 1}")
        page.resume()
        self.nothing_green_after(page)
        self.until_face(page, "ready")
        self.admits()
        self.until_face(page, "admit", within=2)

    def test_network_that_is_gone_is_said(self):
        self.begin()
        page = self.door()
        self.admits()
        self.until_face(page, "admit", within=2)
        # Packets vanish: nobody is told that the connection is gone.
        self.rig.sh(f"nft -f - <<< '{CUT}'")
        self.until_face(page, "lost", within=AT_ONCE)
        self.rig.sh("nft delete table inet pages")
        self.until_face(page, "ready")

    def test_maintenance_is_shown_and_not_green(self):
        self.begin()
        page = self.door()
        self.order("maintenance on north --why 'arm stuck'")
        self.until_face(page, "maintenance", within=5)
        self.assertIn("Out of service", page.text("[data-face]"))
        self.picture(page, "door maintenance screen")
        self.order("maintenance off north")
        self.until_face(page, "ready", within=5)

    def test_page_without_scripts_is_not_stale(self):
        self.begin()
        page = self.page("/door/north", script=False)
        self.assertIn("Please show your ticket", page.text("[data-face]"))
        self.admits()
        self.rig.until(lambda: "ADMIT" in page.text("[data-face]"), 4, "a page that has loaded itself anew")
        self.rig.until(lambda: "ADMIT" not in page.text("[data-face]"), STANDS + 4, "a page that has loaded itself anew")

    def test_words_are_the_browsers_language(self):
        self.begin()
        for language, words in (("de-AT,en;q=0.5", "Bitte Ticket zeigen"), ("fr", "Présentez votre billet"), ("es-MX", "Muestre su entrada"),
                                ("en-GB", "Please show your ticket"), ("zu", "Please show your ticket")):
            page = self.page("/door/north", language=language)
            page.until_says(words)
            self.assertEqual(page.run("document.documentElement.lang"), language[:2] if language != "zu" else "en")
            page.close()
            self.pages.pop()


@in_browser
@release
class Hostile(PagesCase):
    """What tickets, servers and files say is text."""

    MORE = "pages: true, names: true"
    NAMES = {"markup": SCRIPT, "turned": "Zoë\u202e\u2066morG", "long": SHORT, "mustache": "{{> layout}}{{{form}}}&lt;b&gt;"}

    def open_venue(self, sold, *options, **more):
        header, *rows = sold.splitlines()
        names = list(self.NAMES.values())

        def quoted(text):
            return '"' + text.replace('"', '""') + '"'

        lines = [f"{header},name,email,event"]
        for number, row in enumerate(rows):
            lines.append(f"{row},{quoted(names[number % len(names)])},zoe@holder.example,{quoted(names[number % len(names)])}")
        super(ConsoleCase, self).open_venue("\n".join([*lines, ""]), *options, **more)

    def configure(self, text):
        # No ticket system of ours sells to so long a name: one is made long on its way.
        self.between = Between(SHORT.encode(), LONG.encode())
        self.addCleanup(self.between.stop)
        super().configure(text.replace(f'"{URL}"', f'"{self.between.url}"'))

    def test_names_are_text(self):
        self.begin()
        telephone, screen = self.door(size="telephone"), self.door(size="screen")
        for number in range(len(self.NAMES)):
            self.admits()
            for size, page in (("telephone", telephone), ("screen", screen)):
                self.until_face(page, "admit", within=2)
                self.assertLessEqual(page.run(browser.WIDER), 0, "nothing has to be scrolled sideways")
                self.assertEqual(page.run("document.querySelectorAll('[data-face] :is(script, img, b)').length"), 0)
                self.picture(page, f"hostile {number} {size}")
                self.look(page)
            self.rig.until(lambda: self.until_face(telephone, "ready", "awaited", within=STANDS + 2), what="a face that has faded")

        self.assertGreater(self.between.answers, 0)

    def assert_no_secret_was_told(self):
        pass  # names are told here


class Between:
    """Passes requests on to the venue, and in its answers has one text for another."""

    def __init__(self, old, new):
        self.answers = 0
        between = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                asked = urllib.request.Request(URL.replace(NAME, VENUE_ADDRESS) + self.path, body or None, dict(self.headers), method=self.command)
                try:
                    answer = urllib.request.urlopen(asked, timeout=PATIENCE)
                except urllib.error.HTTPError as error:
                    answer = error
                told = answer.read()
                between.answers += old in told
                told = told.replace(old, new)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer((ADDRESS, 0), Handler)
        self.url = f"http://{ADDRESS}:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@in_browser
@release
class Attendants(PagesCase):
    def attends(self, **how):
        return self.page("/attendant/north", user="ann", size=how.pop("size", "telephone"), **how)

    def form(self, order):
        return f"form:has([value={order}])"

    def send(self, *arguments):
        """Presents codes to scanners, as tests of gates do, or sends a page's form: page, order, fields."""
        if isinstance(arguments[0], dict):
            return super().send(*arguments)
        page, order, fields = arguments
        for name, text in fields.items():
            page.fill(f"{self.form(order)} [name={name}]", text)
        page.loading(lambda: page.click(f"{self.form(order)} button"))
        return page.text("#outcome")

    def test_typed_code_goes_the_whole_way(self):
        """And annulled, the same ticket is admitted again; a door screen beside shows each."""
        self.begin()
        door, page = self.door(), self.attends()
        self.picture(page, "attendant telephone")
        code = next(self.codes)
        said = self.send(page, "present", {"code": code})
        self.assertIn("ADMIT", said)
        self.assertNotIn(code, page.html() + page.run("location.href"))
        self.until_face(door, "admit", within=2)
        self.assertIn("typed", door.text("[data-face]"))
        self.picture(page, "attendant admitted telephone")
        self.assertIn("Already used", self.send(page, "present", {"code": code}))
        self.until_face(door, "refuse", within=2)
        self.assertIn("…" + code[-4:], self.send(page, "search", {"text": code[-4:]}))
        self.picture(page, "attendant search telephone")
        self.assertIn("taken back", self.send(page, "annul", {"why": "went back for a coat"}))
        self.assertIn("Not done", self.send(page, "annul", {"why": "once more"}))
        self.assertIn("ADMIT", self.send(page, "present", {"code": code}))
        self.told.append(code)
        self.assertEqual(self.orders()[0]["who"], "ann")
        self.rig.until(lambda: len(self.of("scan")) >= 5, what="each scan")
        self.assert_told_once()

    def test_what_is_taken_back_is_green_no_longer(self):
        """Not for the rest of its six seconds; not on a screen, not on a telephone, not without scripts. And who presents it again is let in."""
        self.begin()
        door, without, page = self.door(), self.page("/door/north", script=False), self.attends()
        code = next(self.codes)
        self.admits(code=code)
        for each in (door, page):
            self.until_face(each, "admit", within=2)
        self.rig.until(lambda: "ADMIT" in without.text("[data-face]"), 4, "a page that has loaded itself anew")
        page.fill(f"{self.form('annul')} [name=why]", "went back for a coat")
        ordered = time.monotonic()
        page.loading(lambda: page.click(f"{self.form('annul')} button"))
        self.until_face(door, "annulled", within=1)
        self.assertLess(time.monotonic() - ordered, 2)
        self.assertIn("TAKEN BACK", door.text("[data-face]"))
        self.assertIn("…" + code[-4:], door.text("[data-face]"))
        self.until_face(page, "annulled", within=2)
        self.picture(door, "door annulled screen")
        self.picture(page, "attendant annulled telephone")
        self.rig.until(lambda: "ADMIT" not in without.text("[data-face]"), 4, "a page that has loaded itself anew")
        self.present({"left": code})
        self.until_face(door, "admit", within=2)

    def test_keyboard_alone_is_enough(self):
        self.begin()
        page = self.page("/sign-in?next=%2Fattendant%2Fnorth", size="telephone")
        for name, text in (("user", "ann"), ("password", PASSWORD)):
            page.tab_to(lambda place: place["name"] == name)
            page.type(text)
        page.loading(lambda: page.key("Enter"))
        self.assertEqual(page.run("location.pathname"), "/attendant/north")
        code = next(self.codes)
        places = page.tab_to(lambda place: place["name"] == "code")
        page.type(code)
        page.loading(lambda: page.key("Enter"))
        self.assertIn("ADMIT", page.text("#outcome"))
        self.told.append(code)
        places += page.tab_to(lambda place: "Sign out" in place["words"])
        self.assertEqual([place for place in places if place and not (place["seen"] and place["inside"])], [], "where the keyboard is, is seen")
        page.loading(lambda: page.key("Enter"))
        self.assertEqual(page.run("location.pathname"), "/sign-in")
        page.go(f"{HERE}/attendant/north")
        self.assertEqual(page.run("location.pathname"), "/sign-in")

    def test_tapped_twice_is_one_order(self):
        self.begin()
        page = self.attends(touch=True)
        self.admits()
        number = f"document.querySelector('{self.form('openOnce')} [name=id]').value"

        def opens(times):
            page.fill(f"{self.form('openOnce')} [name=why]", "wheelchair")
            shown = page.run(number)
            page.loading(lambda: page.click(f"{self.form('openOnce')} button", times=times))
            page.until("!!document.querySelector('#outcome')")
            return shown

        ids = [opens(2)]
        self.assert_ordered(("openOnce", "north", "done"))
        self.opened(left=3)
        # And once more, as whoever goes back does: what is another order then is another form.
        page.loading(lambda: page.run("history.back()"))
        ids.append(opens(1))
        self.rig.until(lambda: len(self.orders()) == len(set(ids)), what="an order for each form")
        # The gate may say that this is too soon after the first.
        done = [event["outcome"] for event in self.orders()].count("done")
        self.opened(left=2 + done)
        self.assertLessEqual(done, len(set(ids)))
        self.look(page)

    def test_form_that_is_sent_again_is_no_other_order(self):
        """Whoever recorded it, with the cookie and all."""
        self.begin()
        page = self.attends()
        fields = page.run(f"Object.fromEntries(new FormData(document.querySelector('{self.form('openOnce')}')))") | {"why": "wheelchair"}
        cookies = "; ".join(f"{each['name']}={each['value']}" for each in page.ask("Network.getCookies")["cookies"])
        for _ in range(5):
            answer = self.post("/attendant/north", fields, [("Origin", HERE), ("Cookie", cookies)])
            self.assertEqual(answer.status, 303)
        self.assert_ordered(("openOnce", "north", "done"))
        self.opened(left=2)
        for spoil in ({"form": "0" * 64}, {"form": ""}, {"id": ""}, {"order": "outboxHold"}, {"order": "openOnce\n"}):
            self.assertIn(self.post("/attendant/north", fields | spoil, [("Origin", HERE), ("Cookie", cookies)]).status, (303, 400, 403, 422), spoil)
        for headers in ([("Cookie", cookies)], [("Origin", "http://127.0.0.1:1"), ("Cookie", cookies)], [("Origin", "null"), ("Cookie", cookies)], [("Origin", HERE)],
                        [("Origin", HERE), ("Cookie", cookies), ("Sec-Fetch-Site", "cross-site")]):
            self.assertIn(self.post("/attendant/north", fields | {"id": "f" * 32}, headers).status, (303, 400, 401, 403), headers)
        self.assert_ordered(("openOnce", "north", "done"))
        self.opened(left=2)

    def post(self, path, fields, headers):
        body = urllib.parse.urlencode(fields).encode()
        return self.console.ask(path, method="POST", body=body, headers=[("Content-Type", "application/x-www-form-urlencoded"), *headers])

    def test_page_of_another_origin_orders_nothing(self):
        self.begin()
        page = self.attends()
        fields = page.run(f"Object.fromEntries(new FormData(document.querySelector('{self.form('openOnce')}')))") | {"why": "theirs"}
        inputs = "".join(f'<input name="{name}" value="{value}">' for name, value in fields.items())
        for host in (ADDRESS, "localhost"):
            elsewhere = Elsewhere(host, f"""<!doctype html><title>elsewhere</title><form method="post" action="{HERE}/attendant/north">{inputs}<button>go</button></form>
                <iframe src="{HERE}/attendant/north"></iframe><iframe src="{HERE}/door/north"></iframe>""")
            self.addCleanup(elsewhere.stop)
            stranger = self.browser.beside(page.context)
            stranger.allow(HERE)
            stranger.go(elsewhere.url)
            framed = stranger.run("Array.from({ length: frames.length }, (_, at) => { try { return frames[at].document.body.innerText } catch { return 'closed' } })")
            self.assertNotIn("Please show", str(framed))
            stranger.loading(lambda: stranger.click("button"))
            self.assertNotIn("The gate has opened", stranger.text())
            self.assertNotIn(fields["form"], stranger.html())
            # Nor can its script read or send anything.
            stranger.go(elsewhere.url)
            for how in ("{credentials: 'include'}", "{method: 'POST', credentials: 'include', mode: 'no-cors', body: new URLSearchParams(%s)}" % json.dumps(fields)):
                read = stranger.run(f"fetch('{HERE}/attendant/north', {how}).then((answer) => answer.text(), () => '')")
                self.assertEqual(read, "")
            stranger.close()
        self.assert_ordered()
        self.opened(left=1)

    def test_orders_without_scripts(self):
        self.begin()
        page = self.attends(script=False)
        code = next(self.codes)
        page.fill(f"{self.form('present')} [name=code]", code)
        page.loading(lambda: page.key("Enter"))
        self.assertIn("ADMIT", page.text("#outcome"))
        self.told.append(code)
        page.fill(f"{self.form('maintenance')} [name=why]", "arm stuck")
        page.loading(lambda: page.key("Enter"))
        self.until_states(north="maintenance")
        self.assertIn("out of service", page.text("#outcome"))
        page.fill(f"{self.form('maintenance')} [name=why]", "mended")
        page.loading(lambda: page.key("Enter"))
        self.until_states(north="ready")

    def test_gateway_that_is_gone_takes_no_order(self):
        self.begin()
        page = self.attends()
        self.kill()
        self.until_face(page, "away", "lost", within=AT_ONCE)
        said = self.send(page, "openOnce", {"why": "wheelchair"})
        self.assertIn("not", said)
        self.picture(page, "attendant away telephone")
        self.run_gateway()
        self.until_face(page, "ready")
        self.opened(left=1)

    def test_user_who_is_removed_is_signed_out(self):
        self.begin()
        page = self.attends()
        self.rig.sh(f"{SCANGATE} console user remove ann --access {self.console.access}")
        self.rig.until(lambda: page.run(KIND) == "lost", 3 * AT_ONCE, "a page that is told nothing any more")
        page.reload()
        self.assertEqual(page.run("location.pathname"), "/sign-in")


class Elsewhere:
    """A page of somebody else, at another port."""

    def __init__(self, host, text):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                try:
                    self.wfile.write(text.encode())
                except ConnectionError:
                    pass  # whoever asked is on another page by now

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer((host, 0), Handler)
        self.url = f"http://{host}:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@in_browser
@release
class Staff(PagesCase):
    """Technicians and organisers: how everything is, renewed by itself; and what each may."""

    ORDERS = ("maintenance", "annul", "openOnce", "present", "search", "signalTest", "listRefresh", "outboxRetry", "acknowledge")

    def test_technician_sees_what_is_wrong_and_when_it_is_over(self):
        self.begin(north=QUEUES, south=REFUSES)
        page = self.page("/technician", user="tom")
        self.assertIn("All is well", page.text("main"))
        self.assertRegex(page.text("[data-part=readers]"), r"left(?s:.*)right")
        self.venue.cut("refused")
        self.admitted_offline({"left": 1})
        self.present({"right": next(self.codes)})
        page.until_says("Cannot admit", within=RENEWED)
        self.assertIn("no connection", page.text("main"))
        self.picture(page, "technician trouble screen")
        self.venue.mend()
        self.drained()
        page.until("!document.querySelector('[data-part=findings]').innerText.includes('Cannot admit')", RENEWED)

    def test_technician_tries_lamps_of_a_gate_that_is_out_of_service(self):
        self.begin()
        self.order("maintenance on north")
        self.until_states(north="maintenance")
        page = self.page("/technician", user="tom")
        before = len(self.rig.pulses("gate:red:deny"))
        page.loading(lambda: page.click("form:has([value=signalTest]):has([value=refuse]):has([value=north]) button"))
        self.assertIn("Done", page.text("#outcome"))
        self.rig.until(lambda: len(self.rig.pulses("gate:red:deny")) > before, what="a lamp that was lit")
        self.assertEqual(page.run("document.querySelectorAll('form:has([value=signalTest]):has([value=south])').length"), 0)
        self.assertEqual(page.run("document.querySelectorAll('form:has([value=openOnce])').length"), 0)
        self.opened(left=1)

    def test_organiser_sees_people_come(self):
        self.begin()
        code = next(self.codes)
        self.admits(code=code)
        page = self.page("/organiser", user="olga")
        self.present({"left": code})
        for _ in range(3):
            self.admits("right")
        charts = "[...document.querySelectorAll('[data-part=throughput] svg')].map((each) => [each.getAttribute('role'), each.getBoundingClientRect().width > 100])"
        page.until(f"{charts}.length", RENEWED, "a chart")
        self.assertEqual({tuple(each) for each in page.run(charts)}, {("img", True)})
        page.until(f"document.querySelector('[data-part=throughput]').textContent.includes('Already used')", RENEWED)
        self.picture(page, "organiser screen")
        self.assertNotIn(code, page.html())

    def test_pages_are_of_those_who_may(self):
        self.begin()
        for user, forbidden in (("ann", ["/technician", "/technician/journal", "/organiser"]), ("tom", ["/organiser"]), ("olga", ["/technician", "/attendant/north"])):
            page = self.page("/", user=user)
            for path in forbidden:
                page.go(HERE + path)
                self.assertEqual(page.status.get(HERE + path), 403, f"{path} for {user}")
        page = self.page("/")
        for path in ("/technician", "/organiser", "/attendant/north"):
            page.go(HERE + path)
            self.assertEqual(page.run("location.pathname"), "/sign-in")

    def test_gateway_that_is_gone_is_said(self):
        self.begin()
        pages = [self.page(path, user=user) for path, user in (("/technician", "tom"), ("/organiser", "olga"))]
        self.kill()
        for page in pages:
            page.until("(document.querySelector('.stale:not([hidden])') || {}).innerText", 4 * RENEWED, "a page that says that it gets nothing new")
        self.run_gateway()
        for page in pages:
            page.until("!document.querySelector('.stale:not([hidden])')", 2 * RENEWED, "a page that is renewed")


@in_browser
@release
class Looks(PagesCase):
    """Each page, for whom it is, at four sizes; and what the accessibility checker says of it."""

    #: Which pages a role has.
    PAGES = {None: ["/", "/sign-in", "/device", "/door/north", "/door/nowhere"], "ann": ["/", "/attendant/north", "/sessions"],
             "tom": ["/", "/attendant/north", "/technician", "/technician/journal"], "olga": ["/", "/organiser"]}
    #: Pages of people who hold a telephone.
    THUMBED = ("/attendant", "/sign-in")

    def looked_at(self, *users):
        self.begin()
        self.admits()
        found = []
        for user in users:
            for path in self.PAGES[user]:
                page = self.page(path, user=user)
                self.assertIn(page.status.get(HERE + path), (200, 404) if "nowhere" in path else (200,), f"{path} for {user}")
                if path.startswith("/door/north"):
                    self.until_face(page, "ready", "awaited", "admit")
                for size in browser.SIZES:
                    page.resize(size)
                    self.picture(page, USERS.get(user, "nobody"), path.strip("/").replace("/", " ") or "home", size)
                    where = f"{path} for {user} at {size}"
                    if (wider := page.run(browser.WIDER)) > 0:
                        found.append(f"{where} is {wider} px too wide")
                    for dark in (True, False):
                        page.media(dark=dark)
                        found += [f"{where}: {each['id']} ({each['impact']}): {each['help']}: {each['at'][:3]}" for each in page.axe()]
                    page.media()
                    if size == "telephone" and path.startswith(self.THUMBED):
                        found += [f"{where}: too small for a thumb: {each}" for each in page.run(browser.SMALL % THUMB)]
                self.look(page)
        self.assertEqual(found, [], "\n".join(found))

    def test_nobodys_pages(self):
        self.looked_at(None)

    def test_attendants_pages(self):
        self.looked_at("ann")

    def test_technicians_pages(self):
        self.looked_at("tom")

    def test_organisers_pages(self):
        self.looked_at("olga")

    def test_faces(self):
        """A door's faces at four sizes."""
        self.begin(north=QUEUES, south=REFUSES)
        pages = {size: self.door(size=size) for size in browser.SIZES}
        found = []

        def seen(kind):
            for size, page in pages.items():
                self.until_face(page, kind, within=3)
                self.picture(page, "face", kind, size, whole=False)
                taller = page.run("document.documentElement.scrollHeight - innerHeight")
                if page.run(browser.WIDER) > 0 or taller > 0:
                    found.append(f"{kind} at {size} does not fit: {taller} px too tall")
                found.extend(f"{kind} at {size}: {each}" for each in page.axe())

        code = next(self.codes)
        seen("ready")
        for verdict in ("admit", "refuse"):
            self.present({"left": code})
            seen(verdict)
        self.told.append(code)
        self.assertEqual(found, [], "\n".join(map(str, found)))
