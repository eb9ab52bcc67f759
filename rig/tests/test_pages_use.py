"""What people do with the pages, in a real browser: staff, each role with its own work, and whoever makes it hard for them.

Natively alone, and only where it is asked for (`make pages`).
"""

import base64
import json
import re
import time
from pathlib import Path

import browser
from browser import FOCUS
from console import ADDRESS, PORT
from place import lasts
from relay_station import RelayStation, View
from rig import PATIENCE
from sets import release
from test_offline import FOLDER, QUEUES, REFUSES
from test_pages import (AT_ONCE, FRAMES, HERE, KIND, LATE, RENEWED, SCRIPT, STANDS, THUMB, USERS, Between, Hostile, PagesCase, in_browser)
from test_report import PROGRAM
from test_sign_in import with_camera
from venue import SCANGATE, URL

#: Where the console asks for reports.
REPORTS = "/run/scangate-report.sock"
STALE = "!!document.querySelector('.stale:not([hidden])')"
#: What is seen of a place that may have to be scrolled: how much of an element is beyond the right end of what is shown.
BEYOND = """((at) => { const shown = at.closest('.scroll').getBoundingClientRect(), box = at.getBoundingClientRect(); return Math.round(box.right - shown.right); })"""
#: Each face that a door may have, with the longest that may stand there.
FACES = ["admit", "provisional", "refuse", "undecided", "several", "annulled", "ready", "starting", "awaited", "maintenance", "closed", "notSetUp", "fault", "cannotOpen", "away",
         "lost", "noGate"]
#: Elements that no template has within what is told.
MADE = "document.querySelectorAll('main :is(script, img, b, iframe, style)').length"
#: The pages of each role.
PAGES = {"ann": ["/", "/attendant/north", "/sessions"], "tom": ["/technician", "/technician/journal"], "olga": ["/organiser"], None: ["/", "/sign-in", "/device", "/door/north"]}


def contrast(ground, text):
    """Of two colours as a browser tells them, by the standard's formula."""
    def luminance(colour):
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((luminance(ground), luminance(text)))
    return (light + 0.05) / (dark + 0.05)


@in_browser
@release
class Gone(PagesCase):
    """A gateway, a console or a browser that is not there."""

    ORDERS = ("maintenance", "annul", "openOnce", "present", "search", "acknowledge")

    def staff(self):
        return [self.page(path, user=user) for path, user in (("/technician", "tom"), ("/organiser", "olga"))]

    def test_staff_see_at_once_that_the_gateway_is_gone(self):
        self.begin()
        attendant = self.page("/attendant/north", user="ann", size="telephone")
        self.until_face(attendant, "ready")
        pages = self.staff()
        self.rig.until(lambda: all("00:0" not in page.text(".stale") for page in pages), what="pages that are live")
        # The stream has begun to beat.
        self.rig.sh("sleep 2")
        self.kill()
        gone = time.monotonic()
        for page in pages:
            page.until(STALE, AT_ONCE, "a page that is greyed")
            self.assertLess(float(page.run("getComputedStyle(document.querySelector('section')).opacity")), 0.6)
        self.assertLess(time.monotonic() - gone, 2)
        self.until_face(attendant, "away", within=AT_ONCE)
        self.assertLess(float(attendant.run("getComputedStyle(document.querySelector('.order')).opacity")), 0.6)
        for page, name in zip([attendant, *pages], ("attendant", "technician", "organiser")):
            self.picture(page, f"{name} gone", whole=False)
        self.run_gateway()
        for page in pages:
            page.until(f"!{STALE}", AT_ONCE + 2, "a page that is fresh again")
        self.until_face(attendant, "ready")
        self.assertEqual(attendant.run("getComputedStyle(document.querySelector('.order')).opacity"), "1")

    def test_staff_see_that_the_console_hangs_or_is_gone(self):
        self.begin()
        pages = self.staff()
        self.rig.sh("sleep 2")
        self.console.signal("STOP")
        for page in pages:
            page.until(STALE, AT_ONCE, "a page that is greyed")
        self.console.signal("CONT")
        for page in pages:
            page.until(f"!{STALE}", RENEWED, "a page that is fresh again")
        self.console.kill()
        for page in pages:
            page.until(STALE, 2, "a page that is greyed")

    def test_browser_whose_process_was_stopped_shows_nothing_old(self):
        """As a machine that sleeps: nothing of it runs, and then it goes on."""
        self.begin()
        page = self.door()
        page.run(FRAMES)
        self.admits()
        self.until_face(page, "admit", within=2)
        group = self.browser.process.pid
        self.rig.sh(f"pkill -STOP -s {group}; sleep {STANDS + 1}; pkill -CONT -s {group}")
        self.nothing_green_after(page)
        self.until_face(page, "ready")
        self.admits()
        self.until_face(page, "admit", within=2)

    def test_tonight_is_remembered_over_a_restart(self):
        self.begin()
        for _ in range(3):
            self.admits()
        page = self.page("/organiser", user="olga")
        words = "document.querySelector('[data-part=throughput]').innerText"
        page.until(f"{words}.includes('4 admitted')", RENEWED)
        self.kill()
        self.run_gateway()
        self.until_states(north="ready", south="ready")
        page.until(f"!{STALE} && {words}.includes('4 admitted') && {words}.includes('1 admitted')", RENEWED, "what was before the restart")
        self.admits()
        page.until(f"{words}.includes('5 admitted')", RENEWED, "what is new beside it")


@in_browser
@release
class Work(PagesCase):
    ORDERS = ("maintenance", "annul", "openOnce", "present", "search", "acknowledge", "outboxRetry", "listRefresh")

    def send(self, *arguments):
        if isinstance(arguments[0], dict):
            return super().send(*arguments)
        page, order, fields = arguments
        form = f"form:has([value={order}])"
        for name, text in fields.items():
            page.fill(f"{form} [name={name}]", text)
        page.loading(lambda: page.click(f"{form} button"))
        return page.text("#outcome")

    def test_attendant_acknowledges_a_conflict(self):
        self.begin(north=QUEUES, south=REFUSES)
        self.venue.cut("dropped")
        refunded = next(self.codes)
        self.venue.refund(refunded)
        self.assertTrue(self.present({"left": refunded})["left"]["provisional"])
        self.venue.mend()
        self.drained()
        self.rig.until(lambda: self.of("conflict"), what="a conflict")
        page = self.page("/attendant/north", user="ann", size="telephone", language="de")
        self.assertIn("Erstattet", page.text("form:has([value=acknowledge])"))
        self.picture(page, "attendant conflict telephone")
        self.assertIn("Erledigt", self.send(page, "acknowledge", {}))
        self.assertEqual(page.run("document.querySelectorAll('form:has([value=acknowledge])').length"), 0)
        self.assertEqual([(each["order"], each["who"], each["outcome"]) for each in self.orders()], [("acknowledge", "ann", "done")])
        organiser = self.page("/organiser", user="olga")
        self.assertIn("None is open", organiser.text("[data-part=conflicts]"))
        self.refused = [refunded]

    def test_second_annulment_has_one_reason_in_the_pages_language(self):
        self.begin()
        for language, words in (("en", "There is no admission here that can be taken back"), ("fr", "Il n’y a ici aucune admission à reprendre")):
            page = self.page("/attendant/north", user="ann", size="telephone", language=language)
            self.admits()
            self.send(page, "annul", {"why": "coat"})
            said = self.send(page, "annul", {"why": "again"})
            self.assertIn(words, said)
            self.assertEqual(page.run("document.querySelectorAll('#outcome p:not(.links)').length"), 1, said)
            self.assertNotIn("Nobody is in", said)
            self.picture(page, f"attendant annulled twice {language}")
            page.close()
            self.pages.remove(page)

    def reports(self):
        maker = self.rig.spawn("report", f"env TZ=UTC {PROGRAM} --journal {self.STATE}/journal.sqlite --socket {REPORTS} --idle 0", user="root")
        self.rig.wait_for(f"[[ -S {REPORTS} ]]")
        self.rig.sh(f"chmod 666 {REPORTS}")
        return maker

    def test_organiser_has_a_report_as_a_file(self):
        self.begin()
        code = next(self.codes)
        self.admits(code=code)
        self.present({"left": code})
        self.reports()
        page = self.page("/organiser", user="olga")
        folder = f"{FOLDER}/downloads"
        self.rig.sh(f"install -d -m 777 {folder}")
        page.browser.ask("Browser.setDownloadBehavior", behavior="allow", browserContextId=page.context, downloadPath=folder)
        found = {}
        for form in ("csv", "pdf"):
            page.run("document.querySelector('#until').value = '2030-01-01T00:00'")
            page.click(f"button[name=form][value={form}]")
            self.rig.wait_for(f"ls {folder}/*.{form}")
            found[form] = base64.b64decode(self.rig.sh(f"base64 -w 0 {folder}/*.{form}"))
        self.assertTrue(found["csv"].startswith(b"\xef\xbb\xbf"), found["csv"][:40])
        self.assertIn("alreadyUsed", found["csv"].decode("utf-8-sig"))
        self.assertTrue(found["pdf"].startswith(b"%PDF-") and b"%%EOF" in found["pdf"][-64:])
        self.assertEqual(page.run("location.pathname"), "/organiser")
        for form, data in found.items():
            self.assertNotIn(code.encode(), data, form)
        # Nobody makes them any more: the page says so, in its language.
        self.rig.sh(f"rm {REPORTS}")
        german = self.page("/organiser", user="olga", language="de")
        german.loading(lambda: german.click("button[name=form][value=csv]"))
        self.assertIn("Hier macht niemand Berichte", german.text("main"))
        # What the refused page is called is not what is asked for.
        self.assertEqual(german.run(MADE), 0)

    def test_journal_is_read_by_pages(self):
        self.begin()
        code = next(self.codes)
        self.admits(code=code)
        for _ in range(58):
            self.present({"left": code})
        self.reports()
        page = self.page("/technician/journal", user="tom")
        rows = "[...document.querySelectorAll('tbody tr')].length"
        self.assertEqual(page.run(rows), 50)
        self.assertNotIn(code, page.html())
        self.assertIn("Already used", page.text("tbody"))
        page.loading(lambda: page.click("a[href*=before]"))
        self.assertEqual(page.run(rows), 11)
        page.loading(lambda: page.click("a[href='/technician']"))
        page.go(f"{HERE}/technician/journal?verdict=admit")
        self.assertEqual(page.run(rows), 3)
        self.assertNotIn("Already used", page.text("tbody"))
        self.picture(page, "technician journal admitted")
        page.resize("telephone")
        self.assertLessEqual(page.run(browser.WIDER), 0)
        self.picture(page, "technician journal telephone")

    def test_door_screen_has_its_code_behind_the_hash(self):
        self.begin()
        said = self.rig.sh(f"{SCANGATE} console device add entrance --gate north --access {self.console.access} --config {FOLDER}/scangate.yaml")
        code = said.split("type: ")[1].split()[0]
        entries = self.page("/device").run("history.length")
        page = self.page(f"/device#{code}")
        self.assertEqual(page.run("document.querySelector('#code').value"), code)
        self.assertEqual(page.run("location.hash"), "")
        # Nor is it an entry of its own, to which somebody may go back.
        self.assertEqual(page.run("history.length"), entries)
        kept = page.ask("Page.getNavigationHistory")["entries"]
        self.assertEqual([each["url"] for each in kept if code in each["url"]], [])
        # No browser sends it to anybody, before somebody taps.
        self.assertEqual([url for url in page.requests if code in url.partition("#")[0]], [])
        page.loading(lambda: page.click("button.main"))
        self.assertEqual(page.run("location.pathname"), "/door/north")
        self.until_face(page, "ready")
        self.assertEqual([url for url in page.requests if code in url.partition("#")[0]], [])
        self.assertNotIn(code, self.console.log())
        page.go(f"{HERE}/door/south")
        self.assertNotIn("Please show", page.text())
        again = self.page(f"/device#{code}")
        again.loading(lambda: again.click("button.main"))
        self.assertEqual(again.run("location.pathname"), "/device")

    def test_newest_hours_are_seen_first_on_a_telephone(self):
        self.begin()
        self.admits()
        page = self.page("/organiser", user="olga", size="telephone")
        shown = f"{BEYOND}(document.querySelector('[data-part=throughput] svg'))"
        self.assertLessEqual(page.run(shown), 4)
        wider = "((at) => at.scrollWidth - at.clientWidth)(document.querySelector('.newest'))"
        self.assertGreater(page.run(wider), 100, "hours before are reached by scrolling")
        bar = "document.querySelector('[data-part=throughput] svg path.bar-admit')"
        self.assertLessEqual(page.run(f"{BEYOND}({bar})"), 0)
        self.assertGreater(page.run(f"{bar}.getBoundingClientRect().right - document.querySelector('.newest').getBoundingClientRect().left"), 0)
        # Whoever has scrolled stays where they are when the page is renewed.
        page.run("document.querySelector('.newest').scrollLeft = -80")
        page.run("document.querySelector('[data-part=throughput]').dataset.mark = 'x'")
        first = page.run("(window.first = document.querySelector('.newest'), true)")
        self.assertTrue(first)
        page.until("window.first !== document.querySelector('.newest')", RENEWED, "a page that was renewed")
        self.assertEqual(page.run("Math.round(document.querySelector('.newest').scrollLeft)"), -80)
        page.run("document.querySelector('.newest').scrollLeft = 0")
        self.picture(page, "organiser newest telephone")


@in_browser
@release
class Anybody(PagesCase):
    """Every page for everybody: without scripts, by keyboard alone, with less motion, in every language."""

    ORDERS = ("maintenance", "annul", "openOnce", "present", "search", "signalTest", "acknowledge")

    def each(self, **how):
        for user, paths in PAGES.items():
            for path in paths:
                page = self.page(path, user=user, **how)
                yield user, path, page
                self.look(page)
                page.close()
                self.pages.remove(page)

    def test_every_page_works_without_scripts(self):
        self.begin()
        self.admits()
        for user, path, page in self.each(script=False, size="telephone"):
            where = f"{path} for {USERS.get(user, 'nobody')}"
            self.assertEqual(page.status.get(HERE + path), 200, where)
            self.assertGreater(len(page.text("main")), 20, where)
            self.assertTrue(page.run("!!document.querySelector('h1')"), where)
            self.assertLessEqual(page.run(browser.WIDER), 0, where)
            if user == "olga":
                self.assertTrue(page.run("document.querySelectorAll('svg.chart').length > 1"), where)

    def test_every_page_is_used_by_keyboard_alone(self):
        self.begin()
        self.admits()
        for user, path, page in self.each(size="telephone"):
            wanted = page.run("[...document.querySelectorAll('main :is(a, button, input:not([type=hidden]), select, summary)')].filter((at) => at.offsetParent).length")
            places = []
            for _ in range(3 * wanted + 12):
                page.key("Tab")
                place = page.run(FOCUS)
                if place is None and places:
                    break
                places.append(place)
            places = [place for place in places if place]
            where = f"{path} for {USERS.get(user, 'nobody')}"
            self.assertGreaterEqual(len(places), wanted, f"{where}: {places}")
            self.assertEqual([place for place in places if not (place["seen"] and place["inside"])], [], where)

    def test_less_motion_is_no_less_safe(self):
        self.begin()
        page = self.door()
        page.media(reduced=True)
        self.admits()
        self.until_face(page, "admit", within=2)
        moving = page.run("document.getAnimations().map((each) => [each.animationName, getComputedStyle(each.effect.target).animationDuration])")
        self.assertTrue(all(name.startswith(("over-", "dark-")) and "0.001s" in length for name, length in moving), moving)
        self.assertEqual(page.run("[...document.querySelectorAll('*')].filter((at) => getComputedStyle(at).transitionDuration !== '0s').length"), 0)
        self.until_face(page, "ready", "awaited", within=STANDS + LATE)

    def test_every_face_fits_every_screen(self):
        """In the language with the longest words; what a camera finds that sees several codes is one of them."""
        self.begin()
        found = []
        words = {"refuse": "Von einem anderen Veranstalter", "undecided": "Das Zertifikat des Ticketsystems ist nicht vertrauenswürdig", "several": "Bitte ein Ticket nach dem anderen", "annulled": "Das Ticket lässt wieder ein",
                 "ready": "Das Ticketsystem antwortet nicht: dieser Durchgang entscheidet allein", "fault": "Das Ticketsystem weist unseren Schlüssel ab"}
        heads = {"admit": "EINLASS", "provisional": "EINLASS", "refuse": "KEIN EINLASS", "undecided": "UNENTSCHIEDEN", "several": "MEHRERE CODES", "annulled": "ZURÜCKGENOMMEN", "ready": "Bitte Ticket zeigen"}
        facts = ["2 von 4 drin", "benutzt 19:42, Durchgang Nordeingang", "Plätze A 11, A 12, A 13", "Ein Abend für Streicher", "Jugend"]
        for size in browser.SIZES:
            page = self.door(size=size, language="de")
            for kind in FACES:
                shown = {"head": heads.get(kind, "Dieser Durchgang kann nicht entscheiden"), "reason": words.get(kind, ""), "code": "…d8vd" if kind in heads else "",
                         "mark": "vorläufig" if kind == "provisional" else ""}
                page.run(f"""((words, facts, kind) => {{
                    for (const [name, text] of Object.entries(words)) {{ const at = document.querySelector(`[data-put=${{name}}]`); at.textContent = text; at.hidden = !text; }}
                    document.querySelectorAll("[data-fact]").forEach((at, index) => {{ at.textContent = facts[index] || ""; at.hidden = !facts[index]; }});
                    document.querySelector("[data-face]").dataset.kind = kind; }})({shown!r}, {facts if kind in heads and kind != "ready" else []!r}, {kind!r})""")
                self.picture(page, f"every {kind} {size}", whole=False)
                wider, taller = page.run(browser.WIDER), page.run("document.documentElement.scrollHeight - innerHeight")
                cut = page.run("((at) => Math.max(0, at.scrollHeight - at.clientHeight))(document.querySelector('[data-face]'))")
                if wider > 0 or taller > 0 or cut > 0:
                    found.append(f"{kind} at {size}: {wider} px too wide, {taller} too tall, {cut} cut off")
                seen = page.run("[...document.querySelectorAll('.shapes svg')].filter((each) => getComputedStyle(each).display !== 'none').length")
                if seen != (0 if kind in ("starting", "awaited") else 1):
                    found.append(f"{kind} at {size} has {seen} shapes")
        self.assertEqual(found, [], "\n".join(found))


@in_browser
@release
class HostileStaff(Hostile or PagesCase):
    """What others call themselves stands on staff's pages, and is text there, too."""

    ORDERS = ("search", "acknowledge", "present")

    def test_names_are_text(self):
        """On every page that has them."""
        self.begin()
        codes = []
        for _ in self.NAMES:
            codes.append(next(self.codes))
            self.admits(code=codes[-1])
        maker = self.rig.spawn("report", f"env TZ=UTC {PROGRAM} --journal {self.STATE}/journal.sqlite --socket {REPORTS} --idle 0", user="root")
        self.rig.wait_for(f"[[ -S {REPORTS} ]]")
        self.rig.sh(f"chmod 666 {REPORTS}")
        attendant = self.page("/attendant/north", user="ann", size="telephone")
        for code in codes:
            attendant.fill("form:has([value=search]) [name=text]", code[-4:])
            attendant.loading(lambda: attendant.key("Enter"))
            self.assertIn("…" + code[-4:], attendant.text("#outcome"))
            self.assertEqual((attendant.run(MADE), attendant.run(browser.WIDER) > 0), (0, False))
        for path, user in (("/technician", "tom"), ("/technician/journal", "tom"), ("/organiser", "olga"), ("/door/north", None)):
            for size in ("telephone", "screen"):
                page = self.page(path, user=user, size=size)
                self.assertEqual((page.run(MADE), page.run(browser.WIDER) > 0), (0, False), f"{path} {size}")
                self.look(page)
        journal = self.page("/technician/journal", user="tom")
        self.assertIn(SCRIPT[:20], journal.text("tbody"))
        self.assertTrue(maker.running())


@in_browser
@release
class Brands(PagesCase):
    """Two ticket systems of one kind, side by side, each as it wants to be shown; and colours that nobody could read."""

    def open_venue(self, sold, *options, **more):
        super().open_venue(sold, *options, "--eventschedule-shape", "planify", **more)

    def configure(self, text):
        self.both = [Between(b'"Planify"', b'"Town Hall"'), Between(b'"primary":"#1F2937"', b'"primary":"#F2E205"')]
        for each in self.both:
            self.addCleanup(each.stop)
        one, other = (each.url for each in self.both)
        text = text.replace(f'"{URL}"', f'"{one}"').replace("\nreaders:", f"""
  other:
    type: eventschedule
    url: "{other}"
    allowPlainHTTP: true
    apiKeyFile: {FOLDER}/venue.key
    rate: {{limit: 10000}}
readers:""", 1)
        north, _, south = text.partition("\n  south:")
        super().configure(f"{north}\n  south:{south.replace('ticketSystem: venue', 'ticketSystem: other')}")

    def primary(self, system):
        (branding,) = [each["branding"] for each in self.status()["ticket_systems"] if each["ticket_system"] == system]
        return branding["primary"]

    @lasts(60)
    def test_two_brands_are_told_apart(self):
        self.begin()
        north = self.door("north")
        north.until("document.querySelectorAll('style').length > 1 || (location.reload(), 0)", 60, "a door in its ticket system's colours")
        colours = "((at) => [getComputedStyle(at).backgroundColor, getComputedStyle(at).color])(document.querySelector('header'))"
        self.assertEqual(north.run(colours), ["rgb(31, 41, 55)", "rgb(255, 255, 255)"])
        self.assertEqual(north.axe(), [])
        self.picture(north, "brand north screen")
        self.rig.until(lambda: all(each.answers for each in self.both), 60, "what both tell of how they want to be shown")
        south = self.door("south")
        # Its own first colour is told, and its white cannot be read on it: 1.3 to 1.
        self.rig.until(lambda: self.primary("other") == "#F2E205", what="a colour on which white cannot be read, told by the station")
        south.until("document.querySelectorAll('style').length > 1 || (location.reload(), 0)", 60, "a door in its ticket system's colours")
        ground, text = south.run(colours)
        self.assertGreaterEqual(contrast(ground, text), 4.5, (ground, text))
        self.assertLess(contrast("rgb(242, 226, 5)", "rgb(255, 255, 255)"), 4.5)
        self.assertEqual(south.axe(), [])
        self.picture(south, "brand south screen")
        page = self.page("/organiser", user="olga")
        self.assertEqual(page.run("document.querySelectorAll('[data-part=houses] article').length"), 2)
        self.assertEqual(page.run("document.querySelectorAll('[data-part=houses] svg.stripe').length"), 2)
        self.assertIn("Town Hall", page.text("[data-part=houses]"))
        self.assertEqual(page.axe(), [])
        self.picture(page, "brands organiser screen")


@in_browser
@release
class Pictures(PagesCase):
    """What a camera sees, on the technician's page. The picture is the test's own: the guest has a camera, and no browser."""

    ORDERS = ("picture", "search")
    TEXTS = json.loads((Path(__file__).resolve().parents[2] / "Sources/Faces/Console/Pages/texts.json").read_text())
    #: The overlay lies on the picture: their left, upper, right and lower ends differ by so many pixels.
    APART = """(() => { const [one, other] = ['.seen img', '.seen svg'].map((at) => document.querySelector(at).getBoundingClientRect());
        return Math.max(...['left', 'top', 'right', 'bottom'].map((side) => Math.abs(one[side] - other[side]))); })()"""
    #: The marked code's own box, in pixels of the picture.
    MARKED = """(() => { const picture = document.querySelector('.seen img'), box = picture.getBoundingClientRect(), at = document.querySelector('.seen polygon').getBoundingClientRect();
        const scale = picture.naturalWidth / box.width; return [at.left - box.left, at.top - box.top, at.right - box.left, at.bottom - box.top].map((place) => place * scale); })()"""
    SHOW = "form[action='/technician/picture'] button"

    def configure(self, text):
        super().configure(with_camera(text))

    def station_socket(self):
        self.relay = RelayStation(f"{FOLDER}/relay.sock", super().station_socket())
        self.addCleanup(self.relay.close)
        return self.relay.path

    def says(self, page, language, family, name):
        self.assertIn(self.TEXTS[family][name][language], page.text("main"))

    def test_picture_and_marks_are_seen_at_every_size(self):
        self.begin()
        code = next(self.codes)
        self.told.append(code)
        self.relay.view = View(code)
        for size in browser.SIZES:
            page = self.page("/technician", user="tom", size=size)
            self.assertEqual(page.run(f"document.querySelectorAll({self.SHOW!r}).length"), 1, "a camera, and no other reader")
            page.tab_to(lambda place: place["tag"] == "button" and place["words"].endswith("desk"))
            page.loading(lambda: page.key("Enter"))
            page.until("document.querySelector('.seen img').complete", what="a picture")
            self.assertEqual(page.run("[document.querySelector('.seen img').naturalWidth, document.querySelector('.seen img').naturalHeight]"), [640, 360])
            self.assertLessEqual(page.run(self.APART), 1, size)
            (left, top), _, (right, bottom), _ = self.relay.view.corners
            for found, wanted in zip(page.run(self.MARKED), (left, top, right, bottom)):
                self.assertLess(abs(found - wanted), 4, size)
            self.assertLessEqual(page.run(browser.WIDER), 0, size)
            self.assertEqual(page.axe(), [], size)
            words = page.text("main")
            for part in (f"…{code[-4:]}", "1280x720 MJPG", "29.9", "41 ms", "Light enough."):
                self.assertIn(part, words)
            self.assertNotIn(code, page.html())
            self.assertIn("desk", page.run("document.querySelector('.seen img').alt"))
            self.picture(page, f"technician picture {size}")
        # Another one, from this page; what was shown is had by nobody once more.
        source = page.run("document.querySelector('.seen img').src")
        self.assertEqual(page.run(f"fetch({source!r}).then((answer) => answer.status)"), 404)
        asked = self.relay.asked
        page.loading(lambda: page.click(self.SHOW))
        self.assertEqual(self.relay.asked, asked + 1)
        self.assertNotEqual(page.run("document.querySelector('.seen img').src"), source)
        page.media(dark=False)
        self.picture(page, "technician picture light")

    def test_it_is_seen_without_scripts(self):
        self.begin()
        code = next(self.codes)
        self.told.append(code)
        self.relay.view = View(code)
        page = self.page("/technician", user="tom", size="telephone", script=False)
        page.loading(lambda: page.click(self.SHOW))
        page.until("document.querySelector('.seen img').complete && document.querySelector('.seen img').naturalWidth === 640", what="a picture")
        self.assertLessEqual(page.run(self.APART), 1)

    def test_what_is_wrong_is_said_in_every_language(self):
        self.begin()
        for language in ("en", "de", "fr", "es"):
            page = self.page("/technician", user="tom", size="telephone", language=language)
            for light in self.TEXTS["light"]:
                for frozen in (False, True):
                    self.relay.view = View(light=light, brightness=5, frozen=frozen)
                    page.loading(lambda: page.click(self.SHOW))
                    self.says(page, language, "light", light)
                    self.says(page, language, "picture", "nothing")
                    self.assertEqual(self.TEXTS["picture"]["frozen"][language] in page.text("main"), frozen)
                    self.assertEqual(page.run(MADE), 1, "the picture")
            self.assertEqual(page.axe(), [])
            self.picture(page, f"technician picture covered {language}")
            # The station itself has no camera that is plugged in.
            self.relay.view = None
            for reader, name in (("desk", "unplugged"), ("left", "noCamera"), ("nobody", "unknown")):
                page.run(f"document.querySelector('form[action=\"/technician/picture\"] [name=reader]').value = '{reader}'")
                page.loading(lambda: page.click(self.SHOW))
                self.says(page, language, "picture", name)
                self.assertEqual(page.run("document.querySelectorAll('.seen').length"), 0)
                if name != "unplugged":
                    page.go(f"{HERE}/technician")
            self.assertEqual(page.axe(), [])
            page.close()
            self.pages.remove(page)

    def test_what_is_no_picture_is_none(self):
        """Whatever a station that was taken over hands over: bytes for an image, and nothing a browser runs."""
        self.begin()
        page = self.page("/technician", user="tom")
        for jpeg in (b"", b"<script>document.title='taken'</script>", b"<svg xmlns='http://www.w3.org/2000/svg' onload=\"document.title='taken'\"/>", b"\xff\xd8" + bytes(range(256)) * 100):
            self.relay.view = View(jpeg=jpeg)
            page.loading(lambda: page.click(self.SHOW))
            source = page.run("document.querySelector('.seen img').src")
            self.assertEqual(page.run("document.querySelector('.seen img').naturalWidth"), 0)
            self.assertEqual(page.run("document.title === 'taken'"), False)
            self.assertIn("/technician/picture/", source)
