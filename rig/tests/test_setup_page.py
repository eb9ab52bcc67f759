"""The page of `scangate setup --web` in a real browser: each step at four sizes, by keyboard alone, without scripts, and before strangers.

Natively alone, and only where it is asked for (`make pages`): the browser is large.
"""

import http.client
import json
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import browser
import test_setup
from browser import Browser, name_of
from place import NATIVE
from rig import PATIENCE
from sets import release
from test_setup import SYSTEM, TEST
from venue import PORT

#: Where pictures are kept.
PICTURES = Path(os.environ.get("RIG_PICTURES", Path(__file__).resolve().parent.parent.parent / ".rig/pictures"))
#: What a thumb hits, in pixels.
THUMB = 44
SCRIPT = "<script>document.title='taken'</script>"
TURNED = "\u202egnp.exe\u2066"
TITLE = "(document.querySelector('h1') || {}).innerText"
#: A lamp that can be tried here.
LAMP = "gate:green:pass"


def in_browser(test):
    """Marks tests that no guest can run."""
    return test if NATIVE else None


class PageCase(test_setup.SetupCase):
    VENUE = ("--eventschedule-shape", "document")

    def setUp(self):
        super().setUp()
        self.system = SYSTEM
        self.browser = Browser()
        self.addCleanup(self.browser.close)

    def open(self, *words):
        """Begins the set-up; its address and code."""
        self.terminal = self.begin("--web", *words)
        seen = self.terminal.until("Ctrl-C ends it")
        self.code = re.search(r"Its code: (\w{8})", seen)[1]
        self.rig.known.add("set-up code", self.code)
        self.address = re.search(r"http://127\.0\.0\.1:\d+", seen)[0]

    def page(self, **how):
        page = self.browser.page(**how)
        page.go(f"{self.address}/")
        return page

    def enter(self, page, code=None):
        page.fill("[name=code]", code or self.code)
        page.loading(lambda: page.key("Enter"))

    def asked(self, page, title):
        page.until(f"({TITLE} || '').includes({json.dumps(title)})", what=f"the question {title!r}")

    def choose(self, page, answer):
        page.click(f"button[value='{answer}']")

    def fill(self, page, text, name="answer"):
        page.run(f"document.querySelector('input[name={name}]').select()")
        page.fill(f"input[name={name}]", text)
        page.key("Enter")

    def walk(self, page, looks=lambda step: None, choose=None, fill=None):
        """All the way up to the last question; what looks on is called at each."""
        choose, fill = choose or self.choose, fill or self.fill

        def at(title):
            self.asked(page, title)
            looks(title)

        at("Scan anything.")
        fill(page, "/run/rig/scanner")
        at("Hold this code")
        self.rig.send({"scanner": TEST})
        at("The scanner is understood")
        choose(page, "ok")
        at("drives the relay")
        choose(page, "none")
        at("green lamp")
        # Where the machine has lamps, one is tried.
        lamp = page.run(f"([...document.querySelectorAll('button')].find((each) => each.innerText.includes('{LAMP}')) || {{}}).value || null")
        if lamp:
            choose(page, lamp)
            at("Light the green lamp now?")
            choose(page, "yes")
            at("Did the green lamp light?")
            choose(page, "yes")
        else:
            choose(page, "none")
        at("red lamp")
        choose(page, "none")
        at("What does the gate let in?")
        choose(page, "1")
        at("At which address")
        fill(page, self.system)
        at("Paste the API key")
        fill(page, self.key, "key")
        at("What is the gate for?")
        choose(page, "1")
        at("What is the gate called?")
        fill(page, "a gate")
        at("What is the gate called?")
        page.until("!!document.querySelector('.fault')", what="what is wrong with the name")
        fill(page, "north")
        at("Another gate?")
        choose(page, "no")
        at("Write this to")

    def look(self, page):
        """A page has done nothing that it must not, and has not shown the key."""
        self.assertEqual((page.foreign, page.forbidden, page.errors), ([], [], []))
        self.assertNotEqual(page.run("document.title"), "taken")
        self.assertNotIn(self.key, page.html())


@in_browser
@release
class Steps(PageCase):
    def test_each_step_at_four_sizes(self):
        self.open()
        page, found, number = self.page(), [], iter(range(100))

        def looks(step):
            count = next(number)
            for size in browser.SIZES:
                page.resize(size)
                page.picture(PICTURES / f"{name_of(f'setup {count:02} {step} {size}')}.png", True)
                where = f"{step} at {size}"
                if (wider := page.run(browser.WIDER)) > 0:
                    found.append(f"{where} is {wider} px too wide")
                for dark in (True, False):
                    page.media(dark=dark)
                    found.extend(f"{where}: {each['id']} ({each['impact']}): {each['help']}: {each['at'][:3]}" for each in page.axe())
                if size == "telephone":
                    found.extend(f"{where}: too small for a thumb: {each}" for each in page.run(browser.SMALL % THUMB))
            page.resize("screen")

        looks("code")
        self.enter(page, "WRONG123")
        self.assertIn("You may try 4 times", page.text())
        looks("wrong code")
        self.enter(page)
        self.walk(page, looks)
        self.choose(page, "yes")
        self.asked(page, "The station is set up.")
        looks("over")
        self.assertEqual(self.terminal.status(), 0)
        # Nobody gives the checker the style once more.
        page.errors[:] = [each for each in page.errors if "preload assets" not in each]
        self.look(page)
        self.look_for_the_key(self.terminal.seen)
        self.assertEqual(found, [], "\n".join(found))
        self.assert_admits()

    def test_keyboard_alone(self):
        self.open()
        page, places = self.page(), []
        places += [page.focus()]
        self.assertEqual(places[0]["name"], "code", "the code's field has the keyboard")
        page.type(self.code)
        page.loading(lambda: page.key("Enter"))

        def choose(page, answer):
            words = page.run(f"document.querySelector(\"button[value='{answer}']\").innerText.trim()")
            places.extend(page.tab_to(lambda place: place["tag"] == "button" and place["words"] == words))
            page.key("Enter")

        def fill(page, text, name="answer"):
            places.extend(page.tab_to(lambda place: place["tag"] == "input" and place["name"] == name))
            page.run("document.activeElement.select()")
            page.type(text)
            page.key("Enter")

        self.walk(page, choose=choose, fill=fill)
        choose(page, "yes")
        self.asked(page, "The station is set up.")
        page.media(dark=False)
        page.resize((640, 480))
        page.picture(PICTURES / "page-setup-end.png")
        self.assertEqual([place for place in places if place and not (place["seen"] and place["inside"])], [], "where the keyboard is, is seen")
        self.assertEqual(self.terminal.status(), 0)
        self.look(page)

    def test_without_scripts(self):
        self.open()
        page = self.page(script=False)
        self.enter(page)
        self.walk(page)
        self.choose(page, "yes")
        self.asked(page, "The station is set up.")
        self.assertEqual(self.terminal.status(), 0)
        self.look(page)
        self.assert_admits()


@in_browser
@release
class Live(PageCase):
    def test_what_is_typed_is_not_lost_to_news(self):
        self.open()
        page = self.page()
        self.enter(page)
        self.asked(page, "Scan anything.")
        # The same person in another tab has the question become another one.
        other = self.browser.beside(page.context)
        other.go(f"{self.address}/")
        page.fill("input[name=answer]", "/run/rig/half")
        loads = page.loads
        self.choose(other, "serial")
        page.until("!document.querySelector('#news').hidden", what="a word about news")
        self.assertEqual((page.run("document.querySelector('input[name=answer]').value"), page.loads), ("/run/rig/half", loads))
        self.assertTrue(page.run("document.querySelector('#news').checkVisibility()"))
        page.picture(PICTURES / "setup-news.png")
        self.assertEqual([each["id"] for each in page.axe()], [])
        page.loading(lambda: page.click("#news a"))
        self.asked(page, "Scan anything.")
        self.assertIn("and serial ports are", page.text())
        # Where nothing is typed it follows by itself.
        self.fill(other, "/run/rig/scanner")
        self.asked(page, "Hold this code")
        self.look(page)

    def test_page_that_asks_for_the_code_says_that_the_terminal_has_ended(self):
        self.open()
        page = self.page()
        page.fill("[name=code]", "half")
        self.terminal.type("\x03")
        self.assertEqual(self.terminal.status(), 130)
        page.until("!document.querySelector('#lost').hidden", what="that the terminal has ended")
        self.assertEqual(page.run("document.querySelector('[name=code]').value"), "half")

    def test_each_language(self):
        self.open()
        pages = {}
        for language, title in {"de": "Diese Station einrichten", "fr": "Configurer cette station", "es": "Configurar esta estación", "it": "Set this station up"}.items():
            pages[language] = page = self.page(language=language)
            self.assertEqual((page.run("document.documentElement.lang"), page.run(TITLE)), ("en" if language == "it" else language, title))
            self.assertEqual([each["id"] for each in page.axe()], [], language)
        page = pages["de"]
        self.enter(page)
        self.asked(page, "Scannen Sie irgendetwas.")
        for size in browser.SIZES:
            page.resize(size)
            page.picture(PICTURES / f"setup-german-{size}.png", True)
            self.assertLessEqual(page.run(browser.WIDER), 0, size)
        self.terminal.type("\x03")
        page.until_says("Das Terminal ist beendet")
        self.look(page)


@in_browser
@release
class Strangers(PageCase):
    def test_second_browser_has_no_way_in(self):
        self.open()
        page, stranger = self.page(), self.page()
        self.enter(page)
        self.asked(page, "Scan anything.")
        self.enter(stranger)
        self.assertIn("not the code", stranger.text(".fault"))
        stranger.go(f"{self.address}/")
        self.assertEqual(stranger.run("!!document.querySelector('[name=code]')"), True)
        for _ in range(4):
            self.enter(stranger, "WRONG123")
        self.assertIn("has ended", stranger.text())
        # Whoever was there is told why, by a page that asks nothing more.
        page.until_says("Too many wrong codes")
        self.assertEqual(page.run("document.querySelectorAll('form').length"), 0)
        page.picture(PICTURES / "setup-too-many-codes.png")
        self.assertEqual(self.terminal.status(), 130)
        self.assertFalse(os.path.exists(self.file))
        self.look(page)

    def test_page_that_is_open_after_the_end_says_so(self):
        before = self.files()
        self.open()
        page = self.page()
        self.enter(page)
        self.asked(page, "Scan anything.")
        self.terminal.type("\x03")
        self.assertEqual(self.terminal.status(), 130)
        page.until_says("The terminal has ended")
        self.assertTrue(page.run("document.querySelector('#lost').checkVisibility()"))
        page.picture(PICTURES / "setup-terminal-has-ended.png")
        self.assertEqual(self.files(), before)

    def test_page_whose_time_is_over_says_so(self):
        self.open("--web-seconds", "15")
        page = self.page()
        self.enter(page)
        page.until_says("time of the page is over")
        self.assertEqual(page.run("document.querySelectorAll('form').length"), 0)
        self.assertEqual(self.terminal.status(), 130)

    def test_form_of_another_origin_does_nothing(self):
        self.open()
        page = self.page()
        self.enter(page)
        self.asked(page, "Scan anything.")
        fields = page.run("Object.fromEntries(new FormData(document.querySelector('form')))") | {"answer": "quit"}
        inputs = "".join(f'<input name="{name}" value="{value}">' for name, value in fields.items())
        for host in ("127.0.0.1", "localhost"):
            elsewhere = Server(host, lambda *_: (200, "text/html; charset=utf-8", f"""<!doctype html><title>elsewhere</title>
                <form method="post" action="{self.address}/answer">{inputs}<button>go</button></form><iframe src="{self.address}/"></iframe>""".encode()))
            self.addCleanup(elsewhere.stop)
            stranger = self.browser.beside(page.context)
            stranger.allow(self.address)
            stranger.go(elsewhere.url)
            stranger.loading(lambda: stranger.click("button"))
            self.assertIn("another origin", stranger.text())
            self.assertNotIn(fields["token"], stranger.html())
            stranger.go(elsewhere.url)
            self.assertEqual(stranger.run(f"fetch('{self.address}/', {{credentials: 'include'}}).then((answer) => answer.text(), () => '')"), "")
        self.asked(page, "Scan anything.")
        self.look(page)

    def test_names_are_text(self):
        """A scanner's and a server's."""
        self.rig.sh("mkdir -p /run/rig")
        evil = Server("127.0.0.1", self.pass_on)
        self.addCleanup(evil.stop)
        self.open()
        page = self.page()
        self.enter(page)
        self.asked(page, "Scan anything.")
        self.fill(page, f"/dev/{SCRIPT}")
        self.asked(page, "Hold this code")
        self.assertIn(SCRIPT, page.text("main"))
        page.picture(PICTURES / "setup-hostile-scanner.png", True)
        self.choose(page, "back")
        self.system = evil.url.rstrip("/")
        self.walk(page, lambda step: self.look(page) if step != "What is the gate for?" else self.sees_a_hostile_server(page))
        self.choose(page, "quit")
        self.asked(page, "The station is not set up.")
        self.assertEqual(self.terminal.status(), 130)
        self.look(page)

    def sees_a_hostile_server(self, page):
        self.assertIn(SCRIPT, page.text("pre"))
        self.assertNotIn("\u202e", page.html())
        page.picture(PICTURES / "setup-hostile-server.png", True)
        self.look(page)

    def pass_on(self, method, path, headers, body):
        """What the venue answers, with another name."""
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=PATIENCE)
        connection.request(method, path, body, {name: value for name, value in headers.items() if name.lower() not in ("connection", "accept-encoding")})
        answer = connection.getresponse()
        said = answer.read()
        if "well-known" in path and answer.status == 200:
            said = json.dumps(json.loads(said) | {"name": SCRIPT + TURNED}).encode()
        return answer.status, answer.getheader("Content-Type") or "application/json", said


class Server:
    """Somebody else's, at another port."""

    def __init__(self, host, answer):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, kind, said = answer(self.command, self.path, self.headers, body or None)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                try:
                    self.wfile.write(said)
                except ConnectionError:
                    pass  # whoever asked is on another page by now

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer((host, 0), Handler)
        self.url = f"http://{host}:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
