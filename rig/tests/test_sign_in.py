"""People who sign in to the console's pages, door screens, and who would like to be one of them."""

import html
import json
import re
import threading
import time
import urllib.parse
from collections import Counter

import secrets_told
from console import ADDRESS, PORT, TOKENS, USER
from place import natively
from rig import MachineError
from test_console import ConsoleCase
from test_offline import FOLDER
from test_station import SOCKET
from venue import SCANGATE

SESSION, DEVICE = "__Host-scangate", "__Host-scangate-device"
ORIGIN = f"http://{ADDRESS}:{PORT}"
PASSWORDS = {"anna": "correct horse", "tom": "482915", "olga": "Zäpfchen 12"}


class Browser:
    """Cookies and forms, as a browser has them that runs no script."""

    def __init__(self, console):
        self.console, self.cookies = console, {}

    def ask(self, path, method="GET", form=None, origin=ORIGIN, headers=()):
        headers = [("Accept", "text/html"), *headers]
        if self.cookies:
            headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items())))
        if form is not None:
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
            if origin:
                headers.append(("Origin", origin))
        said = self.console.exchange(self.console_request(path, method, form, headers))
        head, _, body = said.partition(b"\r\n\r\n")
        self.set = re.findall(rb"(?im)^set-cookie: ([^\r\n]*)", head)
        for line in self.set:
            name, _, value = line.decode().partition(";")[0].partition("=")
            self.cookies.pop(name, None)
            if value:
                self.cookies[name] = value
        self.location = next((match.decode().strip() for match in re.findall(rb"(?im)^location: ([^\r\n]*)", head)), None)
        self.head, self.body, self.page = head.decode().lower(), body, body.decode(errors="replace")
        return int(head.split()[1])

    @staticmethod
    def console_request(path, method, form, headers):
        from console import request
        return request(path, method=method, body=None if form is None else urllib.parse.urlencode(form).encode(), headers=headers)

    def token(self, path):
        """The hidden field of a page's form."""
        self.ask(path)
        found = re.search(r'name="form" value="([0-9a-f]+)"', self.page)
        assert found, self.page
        return found[1]

    def sign_in(self, name="anna", password=None, **more):
        return self.ask("/sign-in", "POST", {"user": name, "password": password or PASSWORDS[name], "form": self.token("/sign-in"), **more})


class SignInCase(ConsoleCase):
    MORE = "pages: true"

    def furnish(self):
        for name, role in (("anna", "attendant"), ("tom", "technician"), ("olga", "organiser")):
            self.users(f"add {name} --role {role}", PASSWORDS[name])

    def users(self, words, password=None):
        """`scangate console user …`, as root."""
        self.rig.known.add("password", password)
        self.rig.put(f"{password or ''}\n", "/run/rig/password")
        return self.rig.sh(f"{SCANGATE} console user {words} --access {self.console.access} < /run/rig/password")

    def devices(self, words):
        return self.rig.sh(f"{SCANGATE} console device {words} --access {self.console.access}")

    def add_device(self, name, gate):
        said = self.devices(f"add {name} --gate {gate} --config /run/gate/scangate.yaml")
        code = re.search(r"type: ([0-9A-Z-]{19})", said)[1]
        self.rig.known.add("door screen's code", code)
        return code

    def assert_no_secret_was_told(self):
        super().assert_no_secret_was_told()
        for password in PASSWORDS.values():
            self.assertNotIn(password, self.console.log())


@natively
class SignIn(SignInCase):
    def own_memory(self):
        """What the console has that is in no file, in kB: of all processes of its program the one that has most."""
        told = self.rig.sh("for at in /proc/[0-9]*; do tr '\\0' ' ' < $at/cmdline | grep -q '^[^ ]*scangate console' && grep RssAnon $at/status; done 2> /dev/null; true")
        return max(int(number) for number in re.findall(r"RssAnon:\s+(\d+)", told))

    def test_memory_of_a_password_is_given_back(self):
        self.begin()
        self.assertEqual(Browser(self.console).sign_in(), 303)
        before = self.own_memory()
        for name in PASSWORDS:
            self.assertEqual(Browser(self.console).sign_in(name), 303)
        # Each took 16 MB.
        self.assertLess(self.own_memory(), before + 4_096)
        self.assertLess(before, 16_384)

    def test_bundle_for_whoever_helps_tells_nothing(self):
        """All that a station and its pages know is about: somebody signed in, a ticket was used and one refused, a code was typed."""
        self.begin()
        browser = Browser(self.console)
        self.assertEqual(browser.sign_in(), 303)
        code = next(self.codes)
        self.admits(code=code)
        self.assertEqual(self.present({"left": code})["left"]["verdict"], "refuse")
        self.add_device("entrance", "north")
        self.rig.sh(f"STATE_DIRECTORY={self.STATE} {SCANGATE} doctor --config /run/gate/scangate.yaml --station-socket {SOCKET} --bundle /run/gate/bundle.txt", check=False)
        bundle = self.rig.get("/run/gate/bundle.txt").decode()
        # It is about this station, and searched as everything is (`secrets_told`).
        self.assertIn("north", bundle)
        self.assertIn("console:", bundle)
        self.assertIn("/run/gate/bundle.txt", secrets_told.files("/run"))

    def test_whoever_signs_in_is_known_until_they_sign_out(self):
        self.begin()
        browser = Browser(self.console)
        self.assertEqual(browser.ask("/attendant/north"), 303)
        self.assertEqual(browser.location, "/sign-in?next=%2Fattendant%2Fnorth")
        self.assertEqual(browser.sign_in(next="/attendant/north"), 303)
        self.assertEqual(browser.location, "/attendant/north")
        (cookie,) = [line.decode() for line in browser.set if line.startswith(f"{SESSION}=".encode())]
        for word in ("Path=/", "Secure", "HttpOnly", "SameSite=Strict"):
            self.assertIn(word, cookie.split("; "))
        self.assertRegex(browser.cookies[SESSION], "^[0-9a-f]{64}$")
        self.assertEqual(browser.ask("/attendant/north"), 200)
        self.assertNotIn(browser.cookies[SESSION], self.console.log())
        organiser = Browser(self.console)
        self.assertEqual(organiser.sign_in("olga"), 303)
        self.assertEqual(organiser.ask("/attendant/north"), 403)
        self.assertEqual(organiser.ask("/door/north"), 200)
        old, token = browser.cookies[SESSION], browser.token("/sessions")
        self.assertEqual(browser.ask("/sign-out", "POST", {"form": token}), 303)
        browser.cookies[SESSION] = old
        self.assertEqual(browser.ask("/attendant/north"), 303)
        # The form of a former session is none.
        self.assertEqual(browser.sign_in(), 303)
        self.assertEqual(browser.ask("/sign-out", "POST", {"form": token}), 403)

    def test_what_comes_from_elsewhere_does_nothing(self):
        self.begin()
        browser = Browser(self.console)
        browser.sign_in()
        token = browser.token("/sessions")
        for origin in (None, "null", "https://evil.example", f"http://{ADDRESS}:{PORT + 1}", f"http://localhost:{PORT}"):
            self.assertEqual(browser.ask("/sign-out", "POST", {"form": token}, origin), 403, origin)
        for site in ("cross-site", "same-site"):
            self.assertEqual(browser.ask("/sign-out", "POST", {"form": token}, headers=[("Sec-Fetch-Site", site)]), 403, site)
        other = Browser(self.console)
        other.sign_in("tom")
        self.assertEqual(browser.ask("/sign-out", "POST", {"form": other.token("/sessions")}), 403)
        self.assertEqual(browser.ask("/sessions"), 200)
        for path in ("/", "/sign-in", "/sessions", "/device"):
            browser.ask(path)
            self.assertIn("frame-ancestors 'none'", browser.head, path)
            self.assertNotIn("unsafe", browser.head, path)

    def test_wrong_passwords_wait_and_no_name_is_told_to_exist(self):
        self.begin()
        browser = Browser(self.console)
        pages = []
        for name in ("anna", "nobody"):
            self.assertEqual(browser.sign_in(name, "a guess"), 403)
            pages.append(re.sub("[0-9a-f]{64}", "", browser.page))
            self.assertEqual(browser.sign_in(name, "a guess"), 429)
            wait = int(re.search(r"retry-after: (\d+)", browser.head)[1])
            self.assertLessEqual(wait, 2)
            # The wait is what is tested: nothing tells of its end.
            time.sleep(wait)
        self.assertEqual(*pages)
        self.assertEqual(browser.sign_in(), 303)
        # Who is signed in waits for nobody's guesses at the same address.
        guesser = Browser(self.console)
        guesser.sign_in("tom", "a guess")
        self.assertEqual(guesser.sign_in("tom"), 429)
        self.assertEqual(browser.ask("/attendant/north"), 200)
        self.assertEqual(browser.sign_in(), 303)

    def test_changes_of_users_hold_at_once(self):
        self.begin()
        anna, tom = Browser(self.console), Browser(self.console)
        anna.sign_in()
        tom.sign_in("tom")
        self.users("password anna", "another horse")
        self.assertEqual(anna.ask("/attendant/north"), 303)
        self.assertEqual(tom.ask("/attendant/north"), 200)
        self.users("remove tom")
        self.assertEqual(tom.ask("/attendant/north"), 303)
        self.assertEqual(anna.sign_in("anna", "another horse"), 303)
        self.assertEqual(self.users("list").split(), ["anna", "attendant", "olga", "organiser"])
        for words, password in (("add eve --role attendant", "12345"), ("add eve --role attendant", "123456"), ("add eve --role attendant", "short")):
            with self.assertRaises(MachineError):
                self.users(words, password)
        hashes = self.rig.get(f"{self.console.access}/users").decode()
        self.assertIn("anna:attendant:scrypt$14$8$5$", hashes)
        self.assertEqual(self.rig.sh(f"stat -c '%a %U %G' {self.console.access}/users").strip(), f"640 root {USER}")

    def test_door_screen_is_set_up_once_and_revoked_at_once(self):
        self.begin()
        code = self.add_device("entrance", "north")
        screen = Browser(self.console)
        self.assertEqual(screen.ask("/device", "POST", {"code": code, "form": screen.token("/device")}), 303)
        self.assertEqual(screen.ask("/"), 303)
        self.assertEqual(screen.location, "/door/north")
        self.assertEqual(screen.ask("/door/north"), 200)
        self.assertEqual(screen.ask("/door/south"), 403)
        self.assertIn("entrance  north", self.devices("list"))
        other = Browser(self.console)
        self.assertEqual(other.ask("/device", "POST", {"code": code, "form": other.token("/device")}), 403)
        # It is known to the next console as well.
        self.console.kill()
        self.console.start()
        self.console.until_ready()
        self.assertEqual(screen.ask("/door/south"), 403)
        self.devices("revoke entrance")
        # This machine's own browser, which may see every door.
        self.assertEqual(screen.ask("/door/south"), 200)
        self.assertNotIn(code, self.console.log())
        self.assertNotIn(screen.cookies[DEVICE], self.console.log())


def with_camera(text):
    """The configuration with a camera beside the scanner of `north`, which is not plugged in."""
    text = text.replace("readers:\n", f"readers:\n  desk: {{type: camera, match: {{path: {FOLDER}/no-camera}}, kinds: [qr]}}\n", 1)
    return text.replace("readers: [left]", "readers: [desk, left]", 1)


class PicturesCase(SignInCase):
    PATH = "/technician/picture"
    ORDERS = ("picture", "search")

    def configure(self, text):
        super().configure(with_camera(text))

    def look(self, browser, form, reader="desk"):
        """The words of the page that answers who asks for a picture."""
        self.assertEqual(browser.ask(self.PATH, "POST", {"form": form, "reader": reader}), 200, browser.page)
        self.assertIn("no-store", browser.head)
        self.assertNotIn("<img", browser.page)
        return html.unescape(browser.page)

    def looks(self):
        return [order for order in map(json.loads, self.command("orders --json").splitlines()) if order["order"] == "picture"]


@natively
class Pictures(PicturesCase):
    """Who may see what a camera sees, and who may not, where the camera is not plugged in; with one there is, in the guest."""

    def test_nobody_but_a_technician_asks_for_a_picture(self):
        self.begin()
        tom = Browser(self.console)
        tom.sign_in("tom")
        form = tom.token("/technician")
        self.assertEqual(re.findall(r'name="reader" value="(\w+)"', tom.page), ["desk"])
        self.assertIn("The camera is not plugged in.", self.look(tom, form))
        self.assertIn("This reader is no camera.", self.look(tom, form, "left"))
        for hostile in ("<script>alert(1)</script>", "desk/../left", "desk\r\nSet-Cookie: a=b", "\u202eksed", "%s%n", "desk ", "DESK", "é" * 100):
            self.assertIn("There is no such reader.", self.look(tom, form, hostile), hostile)
            self.assertNotIn("<script>alert", tom.page)
            self.assertEqual(tom.set, [])
        for fields in ({"form": form}, {"form": form, "reader": ""}, {"form": form, "reader": "x" * 300}):
            self.assertEqual(tom.ask(self.PATH, "POST", fields), 400)
        asked = len(self.looks())
        for name in ("anna", "olga"):
            other = Browser(self.console)
            other.sign_in(name)
            for field in (form, other.token("/sessions")):
                self.assertEqual(other.ask(self.PATH, "POST", {"form": field, "reader": "desk"}), 403, name)
            for path in (self.PATH, f"{self.PATH}/{'0' * 32}"):
                self.assertEqual(other.ask(path), 403, name)
        self.assertEqual(Browser(self.console).ask(self.PATH, "POST", {"form": form, "reader": "desk"}), 403)
        for path in ("0" * 32, "1", "../technician", "%2e%2e", "f" * 33):
            self.assertEqual(tom.ask(f"{self.PATH}/{path}"), 404, path)
        self.assertEqual(tom.ask(self.PATH), 303)
        # No token is good for it, whatever its scope.
        for token in TOKENS:
            answer = self.console.ask("/api/v1/orders", token, method="POST", body={"order": "picture", "reader": "desk"})
            self.assertIn(answer.status, (403, 422), token)
            self.assertIn(self.console.ask(f"{self.PATH}/{'0' * 32}", token).status, (303, 401, 403), token)
        self.assertEqual(self.console.json("/api/v1/orders")["orders"], ["search"])
        self.assertEqual(len(self.looks()), asked)
        self.assertEqual({(order["outcome"], order["who"]) for order in self.looks()}, {("refused", "tom")})

    def test_requests_by_the_hundred_hold_nobody_up(self):
        self.begin()
        tom = Browser(self.console)
        tom.sign_in("tom")
        form = tom.token("/technician")
        asked = tom.console_request(self.PATH, "POST", {"form": form, "reader": "desk"}, [
            ("Accept", "text/html"), ("Cookie", "; ".join(f"{name}={value}" for name, value in tom.cookies.items())),
            ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", ORIGIN)])
        answers, ended = Counter(), threading.Event()

        def ask():
            while not ended.is_set():
                try:
                    answers[int(self.console.exchange(asked).split(b" ", 2)[1])] += 1
                except (OSError, IndexError):
                    answers["closed"] += 1

        threads = [threading.Thread(target=ask, daemon=True) for _ in range(8)]
        for thread in threads:
            thread.start()
        self.rig.until(lambda: answers.total() >= 150, what="requests")
        for _ in range(10):
            self.admits()
        self.rig.until(lambda: answers.total() >= 400, what="hundreds of requests")
        ended.set()
        for thread in threads:
            thread.join()
        self.assertGreater(answers[200], 0, answers)
        self.assertLessEqual(len(self.looks()), 200, "they push nothing else out of the journal")
        anna = Browser(self.console)
        self.assertEqual(anna.sign_in(), 303)
        self.assertEqual(anna.ask("/attendant/north"), 200)
        self.assertIn("Wait a little.", self.look(tom, form))


@natively
class NoPictures(PicturesCase):
    ORDERS = ("search",)

    def test_file_that_does_not_name_it_shows_nothing(self):
        self.begin()
        tom = Browser(self.console)
        tom.sign_in("tom")
        form = tom.token("/technician")
        self.assertNotIn(f'action="{self.PATH}"', tom.page)
        self.assertIn("does not name picture in console.orders", html.unescape(tom.page))
        self.assertIn("does not name picture in console.orders", self.look(tom, form))
        self.assertEqual(self.looks(), [])

    def test_gateway_goes_by_its_own_file(self):
        self.ORDERS = ("picture",)
        self.begin()
        tom = Browser(self.console)
        tom.sign_in("tom")
        form = tom.token("/technician")
        self.assertIn("The camera is not plugged in.", self.look(tom, form))
        self.rig.put(self.rig.get(f"{FOLDER}/scangate.yaml").decode().replace("orders: [picture]", "orders: []"), f"{FOLDER}/scangate.yaml")
        self.service_reloads()
        # Whose rights are others now is sent away, and comes again.
        self.rig.until(lambda: "does not name picture in console.orders" in self.look(tom, form), what="the gateway's own word")
        self.assertEqual(self.looks()[-1]["reason"], "notAllowed")
