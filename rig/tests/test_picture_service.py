"""The installed console shows a technician one picture of a camera, which is what the camera sees and is kept nowhere."""

import html
import json
import re
import subprocess

from picture import QUIET, Picture, modules
from rig import CAMERA, FAULTY_CAMERA, FRAME
from service import GATEWAY, NORTH_PULSE, configuration
from sets import release
from test_camera_service import Cameras
from test_pages_service import CONSOLE, HOST, PORT, PagesServiceCase, Secure

PATH = "/technician/picture"
#: The camera's own picture; what is shown of it has half of that each way.
WIDTH, HEIGHT = 1280, 720
SHOWN = (640, 360)
#: What a JPEG may be off, of 255.
BLUR = 14
#: Two pictures of a camera are at least so many seconds apart.
APART = 1.2
#: Where a picture that is kept would be found.
KEPT = "/var/lib/scangate /var/lib/scangate-console /var/lib/scangate-outputs /var/log /var/tmp /run/scangate /run/scangate-console /run/log/journal /tmp"


class Pictures(PagesServiceCase):
    """Two cameras beside the wedges, and a console that may show what they see."""

    STAFF = (*PagesServiceCase.STAFF, ("tom", "technician"))

    @staticmethod
    def configured(orders="present, annul, picture"):
        readers = f"""readers:
  desk:  {{type: camera, match: {{path: {CAMERA}}}, kinds: [qr]}}
  spare: {{type: camera, match: {{path: {FAULTY_CAMERA}}}, size: 320x180, kinds: [qr]}}"""
        text = configuration().replace("readers:", readers, 1).replace("readers: [left]", "readers: [desk, left]").replace("readers: [right]", "readers: [spare, right]")
        return text + f'console: {{ listen: "0.0.0.0:{PORT}", pages: true, orders: [{orders}] }}\n'

    def setUp(self):
        if self.rig.camera:
            self.rig.resume_camera()
        else:
            self.rig.plug_camera("GREY", WIDTH, HEIGHT, 5)
        super().setUp()
        self.listens()

    def listens(self):
        self.rig.until(lambda: self.rig.is_active(CONSOLE) and self.rig.ok(f": < /dev/tcp/127.0.0.1/{PORT}"), what="a console that listens")

    def reload_both(self, text):
        """Another configuration for the gateway, whose reload starts the console anew."""
        pid = self.rig.main_pid(CONSOLE)
        self.reload(text)
        self.rig.until(lambda: self.rig.main_pid(CONSOLE) not in (0, pid), what="a console that is started anew")
        self.listens()

    assert_shown_code_opens = Cameras.assert_shown_code_opens

    def fields(self, browser):
        """The hidden fields of each form that asks for a picture, by reader."""
        self.assertEqual(browser.ask("/technician"), 200, browser.page)
        forms = [form for form in re.findall(r"<form.*?</form>", browser.page, re.S) if f'action="{PATH}"' in form]
        found = [dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form)) for form in forms]
        return {fields["reader"]: fields for fields in found}

    def ask(self, browser, form, reader):
        """The page that answers who asks for a picture, as text; what it shows is at `browser.source`."""
        self.rig.pause(APART)
        self.assertEqual(browser.ask(PATH, "POST", {"form": form, "reader": reader}), 200, browser.page)
        self.assertIn("no-store", browser.head)
        found = re.search(r'<img src="([^"]+)"', browser.page)
        browser.source = found and found[1]
        return html.unescape(browser.page)

    def decoded(self, jpeg):
        """Width, height and grey pixels of a JPEG, by the library that others have written."""
        data = subprocess.run(["djpeg", "-pnm"], input=jpeg, stdout=subprocess.PIPE, check=True).stdout
        kind, size, most, pixels = data.split(b"\n", 3)
        self.assertEqual((kind, most), (b"P5", b"255"), "it is grey")
        return (*map(int, size.split()), pixels)

    def assert_shows(self, jpeg, code):
        """A JPEG is what the camera sees: the code is in it, module by module."""
        self.assertLessEqual(len(jpeg), 48_000)
        width, height, pixels = self.decoded(jpeg)
        self.assertEqual((width, height), SHOWN)
        shown = Picture.of(code, width=WIDTH, height=HEIGHT)
        off = [abs(pixels[y * width + x] - shown.pixels[2 * y * WIDTH + 2 * x]) for y in range(0, height, 3) for x in range(0, width, 3)]
        self.assertLess(sum(off) / len(off), BLUR)
        rows = modules(code)
        scale = min(WIDTH, HEIGHT) * 3 // 4 // len(rows)
        left, top = (WIDTH - scale * len(rows)) // 2, (HEIGHT - scale * len(rows)) // 2
        read = [[pixels[(top + scale * y + scale // 2) // 2 * width + (left + scale * x + scale // 2) // 2] < 128 for x in range(len(rows))] for y in range(len(rows))]
        self.assertEqual(read, rows, "the code can be read from it")
        edge = scale * QUIET
        return [((left + edge) / 2, (top + edge) / 2), ((left + scale * len(rows) - edge) / 2, (top + scale * len(rows) - edge) / 2)], scale / 2

    def looks(self):
        """Who has asked for a picture of what, and what became of it, as the journal has it."""
        given = map(json.loads, self.rig.sh("scangate orders --json", timeout=120).splitlines())
        return [(order["outcome"], order["who"], order["subject"]) for order in given if order["order"] == "picture"]

    def assert_kept_nowhere(self):
        found = self.rig.sh(f"grep -rlaF -e JFIF -e /9j/4AAQ {KEPT} 2> /dev/null; true").split()
        self.assertEqual(found, [])


@release
class Technician(Pictures):
    def test_one_picture_is_shown_to_a_technician_alone(self):
        tom = self.signed_in("tom")
        before = len(self.looks())
        forms = self.fields(tom)
        self.assertEqual(sorted(forms), ["desk", "spare"], "cameras, and no other reader")
        form = forms["desk"]["form"]
        code = self.code()
        since = self.rig.mark()
        self.rig.show(code)
        self.whole_pulses("RELAY0", NORTH_PULSE, 1, since)

        words = self.ask(tom, form, "desk")
        self.assertIsNotNone(tom.source, words)
        self.assertIn(f"{WIDTH}x{HEIGHT} GREY", words)
        self.assertIn(f"…{code[-4:]}", words)
        self.assertNotIn(code, words)
        self.assertIn("Light enough.", words)
        # It is the same one for ever, which no sensor gives.
        self.assertIn("the camera hangs", words)
        self.assertNotIn("data:", words)
        (points,) = re.findall(r'<polygon points="([^"]+)"/>', words)
        self.assertEqual(re.search(r'<svg viewBox="0 0 (\d+) (\d+)"', words).groups(), tuple(map(str, SHOWN)))
        page = tom.page

        # Whoever else is signed in, or is not, has nothing of it.
        others = [(name, self.signed_in(name)) for name in ("anna", "olga")]
        for name, other in others:
            self.assertEqual(other.ask(tom.source), 403, name)
            self.assertEqual(other.ask(PATH, "POST", {"form": form, "reader": "desk"}), 403, name)
            own = other.token("/sessions")
            self.assertEqual(other.ask(PATH, "POST", {"form": own, "reader": "desk"}), 403, name)
        self.assertEqual(Secure(self.rig).ask(tom.source), 303)

        # Seconds have gone by for those: what nobody fetches is gone.
        self.rig.pause(20)
        self.assertEqual(tom.ask(tom.source), 404)
        words = self.ask(tom, form, "desk")
        self.assertNotEqual(tom.page, page)
        self.assertEqual(tom.ask(tom.source), 200)
        self.assertIn("content-type: image/jpeg", tom.head)
        self.assertIn("cache-control: no-store", tom.head)
        corners, module = self.assert_shows(tom.body, code)
        self.assertEqual(tom.ask(tom.source), 404, "once")
        found = [tuple(map(int, point.split(","))) for point in points.split()]
        self.assertEqual(len(found), 4)
        (left, top), (right, bottom) = corners
        for wanted in ((left, top), (right, top), (left, bottom), (right, bottom)):
            self.assertLess(min(max(abs(x - wanted[0]), abs(y - wanted[1])) for x, y in found), 2 * module, f"{wanted} in {found}")

        # From elsewhere, or without the page's own field, nothing is asked of the gateway.
        self.assertEqual(tom.ask(PATH, "POST", {"form": form, "reader": "desk"}, "https://evil.example"), 403)
        self.assertEqual(tom.ask(PATH, "POST", {"reader": "desk"}), 403)
        self.assertEqual(self.looks()[before:], [("done", "tom", "desk")] * 2)
        self.assert_kept_nowhere()
        self.rig.sh("rm -f /run/rig/bundle; scangate doctor --bundle /run/rig/bundle > /dev/null 2>&1; test -s /run/rig/bundle", timeout=240)
        bundle = self.rig.get("/run/rig/bundle")
        for trace in (b"JFIF", b"/9j/4AAQ", code.encode()):
            self.assertNotIn(trace, bundle)

    def test_why_there_is_no_picture_is_said(self):
        tom = self.signed_in("tom")
        form = self.fields(tom)["desk"]["form"]
        self.assertIn("This reader is no camera.", self.ask(tom, form, "left"))
        hostile = "<script>alert(1)</script>\u202e../../dev/video10"
        words = self.ask(tom, form, hostile)
        self.assertIn("There is no such reader.", words)
        self.assertNotIn("<script>alert", tom.page)
        self.assertEqual(tom.ask(PATH, "POST", {"form": form, "reader": "x" * 300}), 400)
        self.assertEqual(tom.ask(PATH, "POST", {"form": form}), 400)

        # One that has a sensor: it says of each picture that it is another.
        words = self.ask(tom, form, "spare")
        self.assertIsNotNone(tom.source, words)
        self.assertNotIn("the camera hangs", words)
        self.assertEqual(tom.ask(tom.source), 200)
        self.assertEqual(self.decoded(tom.body)[:2], (320, 180), "one that is small stays so")
        self.rig.pull_camera()
        self.said("spare is not plugged in")
        self.assertIn("The camera is not plugged in.", self.ask(tom, form, "spare"))
        since = self.rig.mark()
        self.rig.replug_camera()
        self.said("spare is reading", since)

        # Something before it, and then one that hangs.
        self.rig.put(Picture(WIDTH, HEIGHT, bytes([16]) * (WIDTH * HEIGHT)).frame("GREY"), FRAME)
        self.rig.pause(2)
        words = self.ask(tom, form, "desk")
        self.assertIn("Black: something is before the camera", words)
        self.assertNotIn("the camera hangs", words)
        self.rig.kill(self.rig.camera.sensor.pid, "STOP")
        words = self.ask(tom, form, "desk")
        self.assertIn("The camera gives no picture now.", words)
        self.assertIsNone(tom.source)
        self.rig.kill(self.rig.camera.sensor.pid, "CONT")
        self.assert_kept_nowhere()

    def test_file_that_does_not_name_it_refuses(self):
        self.reload_both(self.configured("present, annul"))
        self.addCleanup(self.reload_both, self.configured())
        tom = self.signed_in("tom")
        self.assertEqual(self.fields(tom), {})
        self.assertIn("does not name picture in console.orders", html.unescape(tom.page))
        self.assertIn("does not name picture in console.orders", self.ask(tom, tom.token("/sessions"), "desk"))
        self.assertIsNone(tom.source)

    def test_console_that_dies_in_the_middle_leaves_the_gate_alone(self):
        tom = self.signed_in("tom")
        form = self.fields(tom)["desk"]["form"]
        pid = self.rig.main_pid(GATEWAY)
        # No picture comes: the gateway waits for one as the console is killed.
        self.rig.kill(self.rig.camera.sensor.pid, "STOP")
        asked = Secure.console_request(PATH, "POST", {"form": form, "reader": "desk"}, [
            ("Accept", "text/html"), ("Cookie", "; ".join(f"{name}={value}" for name, value in tom.cookies.items())),
            ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", f"https://{HOST}:{PORT}")])
        self.rig.put(asked, "/run/rig/request")
        self.rig.spawn("asker", f"sh -c 'openssl s_client -connect 127.0.0.1:{PORT} -quiet < /run/rig/request'")
        self.rig.pause(1.5)
        self.rig.kill(self.rig.main_pid(CONSOLE), "KILL")
        self.rig.kill(self.rig.camera.sensor.pid, "CONT")
        self.assert_shown_code_opens()
        self.assert_admits()
        self.assertEqual(self.rig.main_pid(GATEWAY), pid)
        self.listens()
        self.assert_kept_nowhere()
