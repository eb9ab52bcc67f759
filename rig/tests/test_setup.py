"""A station from nothing to an admission: in a terminal, and in a page that is attacked."""

import http.client
import json
import os
import pty
import re
import select
import signal
import termios
import time
import urllib.parse

import native_case
import place
import secrets_told
from rig import PATIENCE, MachineError
from test_bookings import zone_of
from venue import AS_GATE, PORT, SCANGATE, Venue

FOLDER = "/run/first"
#: What the scanner's test code holds; a document of the code.
TEST = "Scangate-yzYZ-qwaQWA-m0123456789-;:/?=&_.%#"
CODE = "FIRST0RUN0SALE0OF0THE0RIG0000001"
SYSTEM = f"http://127.0.0.1:{PORT}"


def here(test):
    """Marks what needs the program's own terminal, which only tests on this machine have."""
    return test if place.NATIVE else None


class Terminal:
    """A person at a terminal at which scangate runs."""

    def __init__(self, words, user="gate", columns=0, **environment):
        """Runs scangate with these words."""
        self.seen = ""
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "dumb", "LC_ALL": "C.UTF-8", **environment})
            if columns:
                termios.tcsetwinsize(0, (24, columns))
            become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if user else ["env"]
            os.execvp(become[0], [*become, SCANGATE, *words])
        self._status = None

    def read(self):
        while select.select([self._master], [], [], 0)[0]:
            try:
                some = os.read(self._master, 65536)
            except OSError:
                return
            if not some:
                return
            self.seen += some.decode(errors="replace")

    def until(self, text, since=0):
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen[since:]:
            if time.monotonic() > deadline:
                raise MachineError(f"the terminal did not show {text!r}:\n{self.seen[-3000:]}")
            select.select([self._master], [], [], 0.05)
            self.read()
        return self.seen

    def type(self, text):
        os.write(self._master, text.encode())

    def until_asked(self):
        """Waits until a question stands there wholly."""
        deadline = time.monotonic() + PATIENCE
        while not self.seen.endswith(": "):
            if time.monotonic() > deadline:
                raise MachineError(f"the terminal asks nothing:\n{self.seen[-3000:]}")
            select.select([self._master], [], [], 0.05)
            self.read()

    def answer(self, text, then):
        """Answers a question, and waits for the next one."""
        since = len(self.seen)
        self.type(text + "\n")
        return self.until(then, since)

    def shows_what_is_typed(self):
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        self.status()

    def status(self):
        deadline = time.monotonic() + PATIENCE
        while self._status is None:
            self.read()
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.read()
                self._status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > deadline:
                raise MachineError(f"no end:\n{self.seen[-3000:]}")
            else:
                time.sleep(0.02)
        return self._status

    def end(self):
        if self._status is None:
            os.kill(self.pid, 9)
            self.status()
        os.close(self._master)


class SetupCase(place.Case):
    needs_scangate = True
    #: What the venue is besides.
    VENUE = ()

    #: The tickets that were sold.
    SOLD = (CODE,)

    def setUp(self):
        super().setUp()
        rig = self.rig
        rig.sh(f"rm -rf {FOLDER}; install -d -o gate -g gate {FOLDER} {FOLDER}/state; chmod 700 {FOLDER}/state")
        rig.put("code,kind,status,quantity\n" + "".join(f"{code},sale,paid,1\n" for code in self.SOLD), f"{FOLDER}/tickets.csv")
        self.venue = Venue(rig, FOLDER)
        self.addCleanup(self.venue.clear)
        self.venue.start("--import", self.venue.tickets, *self.VENUE)
        self.key = rig.get(self.venue.key).decode().strip()
        self.file = f"{FOLDER}/scangate.yaml"
        rig.open_line("scanner")

    def begin(self, *words, user="gate", **environment):
        terminal = Terminal(["setup", "--config", self.file, "--state", f"{FOLDER}/state", *words], user, **environment)
        self.addCleanup(terminal.end)
        return terminal

    def files(self):
        return sorted(os.listdir(FOLDER) + os.listdir(f"{FOLDER}/state"))

    def assert_admits(self, *presented):
        """The station that was set up admits a ticket, once; or each of some codes at a scanner each."""
        presented = presented or [("scanner", CODE)]
        text = self.rig.get(self.file).decode()
        self.assertNotIn(self.key, text)
        events = f"{FOLDER}/events.jsonl"
        service = self.rig.spawn(
            "scangate", f"env STATE_DIRECTORY={FOLDER}/state {SCANGATE} run --config {self.file} --events {events}", user="gate")
        self.rig.until(
            lambda: os.path.exists(events) and self.rig.get(events).count(b'"reading"') >= len(presented), what="readers that read")
        self.until_ready(events)
        for count, (scanner, code) in enumerate(presented, 1):
            self.rig.send({scanner: code})
            self.rig.until(lambda: self.rig.get(events).count(b'"admit"') >= count, what=f"an admission by {scanner}")
        service.stop()

    def until_ready(self, events):
        """Waits for what a station needs besides before it admits."""

    def look_for_the_key(self, *texts):
        """The key is in nothing that was said, nor in any file but the sealed one, which does not show it."""
        for text in texts:
            self.assertNotIn(self.key, text)
        self.rig.sh(f"! grep -rl --exclude=venue.key --exclude='venue.db*' {self.key} {FOLDER}")


@here
class InTheTerminal(SetupCase):
    VENUE = ("--eventschedule-shape", "document")

    def questions(self, terminal):
        terminal.until("Scan anything.")
        terminal.answer("nonsense", "answer with one of the choices")
        terminal.answer("/run/rig/scanner", "Hold this code")
        terminal.answer("maybe", "or answer skip")
        since = len(terminal.seen)
        self.rig.send({"scanner": "\x02" + TEST})
        terminal.until("Every character came right.", since)
        terminal.until("1 characters before a code", since)
        terminal.answer("ok", "drives the relay")
        terminal.answer("none", "green lamp")
        terminal.answer("none", "red lamp")
        terminal.answer("none", "What does the gate let in?")
        terminal.answer("tickets", "one of the numbers")
        terminal.answer("1", "At which address")
        terminal.answer("tickets", "as a browser has it")
        terminal.answer(SYSTEM, "Paste the API key")
        terminal.answer("wrong-key-of-nobody", "At which address")
        terminal.answer(SYSTEM, "Paste the API key")
        terminal.answer(self.key, "What is the gate for?")
        terminal.answer("17000", "one of the numbers")
        terminal.answer("1", "What is the gate called?")
        terminal.answer("a gate", "begins with a letter")
        terminal.answer("north", "Another gate?")
        terminal.answer("north", "one of the choices")
        terminal.answer("no", "Write this to")

    def test_from_nothing_to_an_admission(self):
        terminal = self.begin()
        self.questions(terminal)
        terminal.answer("yes", "The station is set up.")
        self.assertEqual(terminal.status(), 0)
        self.assertIn('prefix: "\\x02"', self.rig.get(self.file).decode())
        self.look_for_the_key(terminal.seen)
        self.assert_admits(("scanner", "\x02" + CODE))

    def test_what_was_there_is_kept(self):
        self.rig.put("former\n", self.file)
        terminal = self.begin()
        self.questions(terminal)
        terminal.until(".before")
        terminal.answer("yes", "The station is set up.")
        self.assertEqual(terminal.status(), 0)
        self.assertEqual(self.rig.get(f"{self.file}.before"), b"former\n")

    def test_ctrl_c_leaves_nothing_changed(self):
        before = self.files()
        terminal = self.begin()
        self.questions(terminal)
        terminal.type("\x03")
        self.assertEqual(terminal.status(), 130)
        self.assertEqual(self.files(), before)

    #: The answers up to the last question, and what then is asked.
    STEPS = (("/run/rig/scanner", "Hold this code"), ("skip", "drives the relay"), ("none", "green lamp"), ("none", "red lamp"), ("none", "What does the gate let in?"),
             ("1", "At which address"), (SYSTEM, "Paste the API key"), (None, "What is the gate for?"), ("1", "What is the gate called?"), ("north", "Another gate?"), ("no", "Write this to"))

    def walk(self, terminal, count=None):
        terminal.until("Scan anything.")
        for answer, then in self.STEPS[:count]:
            terminal.answer(self.key if answer is None else answer, then)

    def test_ctrl_c_at_each_question(self):
        before = self.files()
        for count in range(len(self.STEPS) + 1):
            with self.subTest(count):
                terminal = self.begin()
                self.walk(terminal, count)
                terminal.type("\x03")
                self.assertEqual(terminal.status(), 130)
                self.assertIn("Nothing was changed.", terminal.seen)
                self.assertTrue(terminal.shows_what_is_typed())
                self.assertEqual(self.files(), before)
                self.look_for_the_key(terminal.seen)

    def test_killed_while_it_writes_it_leaves_a_whole_file(self):
        former, seen = "version: 1  # what was there\n", set()
        for delay in range(0, 36, 3):
            self.rig.sh(f"rm -rf {FOLDER}/state/* {FOLDER}/scangate*")
            self.rig.put(former, self.file)
            self.rig.sh(f"chown gate {self.file}")
            terminal = self.begin()
            self.walk(terminal)
            terminal.type("yes\n")
            time.sleep(delay / 1000)  # whenever: each of these instants is as good
            terminal.kill()
            text = self.rig.get(self.file).decode()
            if text != former:
                seen.add("written")
                self.assertEqual(self.rig.get(f"{self.file}.before").decode(), former)
                # Whole, and its key with it.
                self.rig.sh(f"STATE_DIRECTORY={FOLDER}/state {AS_GATE} {SCANGATE} config check --online {self.file}")
            elif os.path.exists(f"{self.file}.before"):
                self.assertEqual(self.rig.get(f"{self.file}.before").decode(), former)
            self.look_for_the_key(terminal.seen)
        # What is left of one stands in nobody's way.
        terminal = self.begin()
        self.walk(terminal)
        terminal.answer("yes", "The station is set up.")
        self.assertEqual(terminal.status(), 0)

    def test_terminal_of_80_columns(self):
        for locale in ("C.UTF-8", "de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8"):
            with self.subTest(locale):
                terminal = self.begin(columns=80, LC_ALL=locale)
                terminal.until("[1/6]")
                for (answer, _), step in zip(self.STEPS, "12223334556", strict=True):
                    terminal.until_asked()
                    terminal.answer(self.key if answer is None else answer, f"[{step}/6]")
                terminal.until_asked()
                terminal.type("\x03")
                terminal.status()
                wide = [line for line in terminal.seen.replace("\r", "").splitlines() if len(line) > 80 and not line.startswith("    ")]
                self.assertEqual(wide, [])

    def test_who_may_not_write_is_told_before_anything_is_asked(self):
        self.rig.sh(f"chown root:root {FOLDER}")
        terminal = self.begin()
        self.assertNotEqual(terminal.status(), 0)
        self.assertIn("Run this with sudo", terminal.seen)
        self.assertNotIn("Scan anything", terminal.seen)

    def test_answers_of_a_script(self):
        said = self.rig.sh(
            f"setpriv --reuid=gate --regid=gate --init-groups {SCANGATE} setup --yes --config {self.file} --state {FOLDER}/state "
            f"--reader /run/rig/scanner --system {SYSTEM} --gate north < {self.venue.key}")
        self.assertIn("The station is set up.", said)
        self.look_for_the_key(said)
        self.assert_admits()

    def test_a_script_with_a_wrong_key_writes_nothing(self):
        before = self.files()
        self.assertFalse(self.rig.ok(
            f"echo wrong | setpriv --reuid=gate --regid=gate --init-groups {SCANGATE} setup --yes --config {self.file} "
            f"--state {FOLDER}/state --reader /run/rig/scanner --system {SYSTEM}"))
        self.assertEqual(self.files(), before)


class Browser:
    """What a browser without JavaScript does."""

    def __init__(self, port, language="en"):
        self.port, self.cookie, self.heard, self.language = port, None, [], language

    def ask(self, method, path, fields=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        headers.setdefault("Accept-Language", self.language)
        body = None
        if fields is not None:
            body = urllib.parse.urlencode(fields)
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
            headers.setdefault("Origin", f"http://127.0.0.1:{self.port}")
        if self.cookie:
            headers.setdefault("Cookie", self.cookie)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.text = answer.read().decode()
        self.heard.append(str(answer.getheaders()) + answer.text)
        head = "".join(f"{name}: {value}\r\n" for name, value in answer.getheaders())
        said, asked = f"{head}\r\n{answer.text}".encode(), f"Cookie: {headers.get('Cookie', '')}\r\n\r\n".encode()
        native_case.rig.heard.take("the page's answers", said, secrets_told.learn(native_case.rig.known, asked, said))
        connection.close()
        return answer

    def sign_in(self, code):
        answer = self.ask("POST", "/sign-in", {"code": code})
        if answer.status == 303:
            self.cookie = answer.getheader("Set-Cookie").split(";")[0]
        return answer

    def form(self):
        """The page, and what its forms show of themselves."""
        page = self.ask("GET", "/?still").text
        token, question = re.search(r'name="token" value="(\w+)"', page), re.search(r'name="question" value="(\d+)"', page)
        return page, {"token": token and token[1], "question": question and question[1]}

    def answer(self, **answer):
        _, form = self.form()
        return self.ask("POST", "/answer", {**form, **answer})


#: How the first question and the last words are in each language.
LANGUAGES = {
    "de_AT.UTF-8": ("Scannen Sie irgendetwas.", "Nichts wurde geändert."), "fr_FR.UTF-8": ("Scannez n’importe quoi.", "Rien n’a été changé."),
    "es_ES.UTF-8": ("Escanee cualquier cosa.", "No se ha cambiado nada."), "it_IT.UTF-8": ("Scan anything.", "Nothing was changed."),
}


@here
class Languages(SetupCase):
    def test_terminal_speaks_the_language_of_its_environment(self):
        for locale, (first, last) in LANGUAGES.items():
            with self.subTest(locale):
                terminal = self.begin(LC_ALL=locale)
                terminal.until(first)
                terminal.answer("quit", last)
                self.assertEqual(terminal.status(), 130)
        terminal = self.begin(LC_ALL="", LANG="de_DE.UTF-8")
        terminal.until("Scannen Sie")
        terminal.type("\x03")
        terminal.until("Nichts wurde geändert.")
        self.assertEqual(terminal.status(), 130)

    def test_page_speaks_the_language_of_its_browser(self):
        terminal = self.begin("--web")
        seen = terminal.until("Ctrl-C ends it")
        browser = Browser(int(re.search(r"http://127\.0\.0\.1:(\d+)/", seen)[1]), "it, de-CH;q=0.9, en;q=0.8")
        page = browser.ask("GET", "/").text
        self.assertIn('<html lang="de">', page)
        self.assertIn("Diese Station einrichten", page)
        self.assertIn("Sie können es noch 4-mal", browser.sign_in("WRONG123").text)
        browser.sign_in(re.search(r"Its code: (\w{8})", seen)[1])
        # One browser may ask in several languages: each page is wholly in one.
        for language, (first, _) in (("de", LANGUAGES["de_AT.UTF-8"]), ("fr", LANGUAGES["fr_FR.UTF-8"]), ("es", LANGUAGES["es_ES.UTF-8"]), ("x", LANGUAGES["it_IT.UTF-8"])):
            browser.language = language
            page = browser.form()[0]
            self.assertIn(f'<html lang="{"en" if language == "x" else language}">', page)
            self.assertIn(first, page)
        terminal.answer("\x03", "Nothing was changed.")


@here
class OtherSystems(SetupCase):
    """What the other ticket systems need besides address and key, and a second gate."""

    SOLD = (CODE, f"{CODE[:-1]}2")

    def up_to_kind(self, terminal, scanner="scanner"):
        terminal.until("Scan anything.")
        terminal.answer(f"/run/rig/{scanner}", "Hold this code")
        terminal.answer("skip", "drives the relay")
        terminal.answer("none", "green lamp")
        terminal.answer("none", "red lamp")
        return terminal

    def test_two_gates_admit_each_by_its_own_scanner(self):
        self.rig.open_line("second")
        terminal = self.up_to_kind(self.begin())
        terminal.answer("none", "What does the gate let in?")
        terminal.answer("1", "At which address")
        terminal.answer(SYSTEM, "Paste the API key")
        terminal.answer(self.key, "What is the gate for?")
        terminal.answer("1", "What is the gate called?")
        terminal.answer("north", "Another gate?")
        terminal.answer("yes", "Scan anything.")
        terminal.answer("/run/rig/scanner", "is the reader of gate north already")
        self.up_to_kind(terminal, "second")
        terminal.answer("none", "What is the gate for?")
        terminal.answer("1", "What is the gate called?")
        terminal.answer("north", "There is a gate north already.")
        terminal.answer("back", "What is the gate for?")
        terminal.answer("1", "What is the gate called?")
        terminal.answer("south", "Another gate?")
        terminal.answer("no", "Write this to")
        terminal.answer("yes", "The station is set up.")
        self.assertEqual(terminal.status(), 0)
        self.look_for_the_key(terminal.seen)
        text = self.rig.get(self.file).decode()
        self.assertIn("path: \"/run/rig/second\"", text)
        self.assert_admits(("second", self.SOLD[1]), ("scanner", CODE))

    def test_memberships(self):
        token, keys = f"{FOLDER}/venue.token", f"{FOLDER}/pass-keys.txt"
        self.venue.stop()
        self.venue.start("--subscriptions", "real", "--access-token-file", token)
        office = f"STATE_DIRECTORY={FOLDER}/office {AS_GATE} {SCANGATE} membership pass"
        self.rig.put(re.search(r"^key .+$", self.rig.sh(f"{office} keygen {FOLDER}/pass.key"), re.M)[0] + "\n", keys)
        member = re.search(r"^\d{8,20}$", self.venue.subscription("add --tier premium"), re.M)[0]
        code = re.search(r"^SCANPASS1:\S+$", self.rig.sh(f"{office} issue {member} --key {FOLDER}/pass.key"), re.M)[0]
        self.key = self.rig.get(token).decode().strip()
        terminal = self.up_to_kind(self.begin())
        terminal.answer("none", "What does the gate let in?")
        terminal.answer("2", "At which address")
        terminal.answer(f"{SYSTEM}/api/v1", "public keys of passes")
        terminal.answer("pass-keys.txt", "Write the path of a file")
        terminal.answer(keys, "Paste the access token.")
        terminal.answer("wrong-token-of-nobody", "At which address")
        terminal.answer("", "public keys of passes")
        terminal.answer("", "Paste the access token.")
        terminal.answer(self.key, "members of the level premium")
        terminal.answer("1", "What is the gate called?")
        terminal.answer("lounge", "Another gate?")
        terminal.answer("no", "Write this to")
        terminal.answer("yes", "The station is set up.")
        self.assertEqual(terminal.status(), 0)
        for text in (terminal.seen, self.rig.get(self.file).decode()):
            self.assertNotIn(self.key, text)
        self.assert_admits(("scanner", code))

    def test_show_bookings(self):
        password = f"{FOLDER}/staff.password"
        self.venue.stop()
        zone = zone_of(time.time())
        self.rig.sh(f"rm {FOLDER}/venue.db*")
        self.venue.start("--import", self.venue.tickets, "--seed", "--bookings", "real", "--staff-password-file", password, "--theatre-zone", zone)
        theatre = next(show for show in self.venue.shows() if show["seeded"] == "night")
        show = self.venue.booking("add-show --title Night --starts 10min --unseated").strip()
        code = self.venue.booking(f"add --show {show} --count 1 --customer Guest").strip()
        self.key = self.rig.get(password).decode().strip()
        terminal = self.up_to_kind(self.begin())
        terminal.answer("none", "What does the gate let in?")
        terminal.answer("3", "At which address")
        terminal.answer(SYSTEM, "Which venue is it?")
        terminal.answer(theatre["venue"], "called in addresses?")
        terminal.answer(theatre["slug"], "In which time zone")
        terminal.answer(zone, "Which account")
        terminal.answer("door", "Write an e-mail address")
        terminal.answer("door@theatre.example", "Which website")
        terminal.answer("https://lastminutelive.com", "account’s password?")
        terminal.answer("wrong-password-of-nobody", "At which address")
        for then in ("Which venue is it?", "called in addresses?", "In which time zone", "Which account", "Which website", "account’s password?"):
            terminal.answer("", then)
        terminal.answer(self.key, "What is the gate for?")
        terminal.answer("1", "What is the gate called?")
        terminal.answer("stalls", "Another gate?")
        terminal.answer("no", "Write this to")
        terminal.answer("yes", "The station is set up.")
        self.assertEqual(terminal.status(), 0)
        for text in (terminal.seen, self.rig.get(self.file).decode()):
            self.assertNotIn(self.key, text)
        self.until_ready = lambda events: self.rig.until(
            lambda: any(event["type"] == "list" and event["state"] == "refreshed" for event in map(json.loads, self.rig.get(events).decode().splitlines())),
            what="a door list on board")
        self.assert_admits(("scanner", code))


@here
class InThePage(SetupCase):
    def open(self, *words, user="gate"):
        self.terminal = self.begin("--web", *words, user=user)
        seen = self.terminal.until("Ctrl-C ends it")
        self.code = re.search(r"Its code: (\w{8})", seen)[1]
        self.rig.known.add("set-up code", self.code)
        return Browser(int(re.search(r"http://127\.0\.0\.1:(\d+)/", seen)[1]))

    def until(self, browser, text):
        return self.rig.until(lambda: text in (page := browser.form()[0]) and page, what=f"a page with {text!r}")

    def walk(self, browser):
        browser.answer(answer="/run/rig/scanner")
        self.until(browser, "<svg")
        self.rig.send({"scanner": TEST})
        self.until(browser, "Every character came right.")
        browser.answer(answer="ok")
        for slot in ("drives the relay", "green lamp", "red lamp"):
            self.until(browser, slot)
            browser.answer(answer="none")
        self.until(browser, "What does the gate let in?")
        browser.answer(answer="1")
        self.until(browser, "At which address")
        browser.answer(answer=SYSTEM)
        self.until(browser, "Paste the API key")
        browser.answer(key=self.key)
        self.until(browser, "What is the gate for?")
        browser.answer(answer="1")
        self.until(browser, "What is the gate called?")
        browser.answer(answer="north")
        self.until(browser, "Another gate?")
        browser.answer(answer="no")
        self.until(browser, "Write this to")

    def test_from_nothing_to_an_admission(self):
        browser = self.open()
        self.assertEqual(browser.sign_in(self.code).status, 303)
        self.walk(browser)
        browser.answer(answer="yes")
        self.until(browser, "The station is set up.")
        self.assertEqual(self.terminal.status(), 0)
        self.look_for_the_key(self.terminal.seen, *browser.heard)
        for answer in browser.heard:
            self.assertNotIn("<script", answer.replace('<script src="/live.js" defer></script>', ""))
            self.assertNotIn("style=", answer)
        self.assert_admits()

    def test_the_code_is_good_once_and_five_wrong_ones_end_it(self):
        browser, stranger = self.open(), None
        self.assertEqual(browser.sign_in(self.code.lower()).status, 303)
        stranger = Browser(browser.port)
        self.assertEqual(stranger.sign_in(self.code).status, 403)
        self.assertIn('name="code"', stranger.ask("GET", "/").text)
        for number in range(4):
            stranger.sign_in(f"WRONG{number}")
        self.assertEqual(self.terminal.status(), 130)
        self.assertIn("Too many wrong codes", self.terminal.seen)
        self.assertFalse(os.path.exists(self.file))

    def test_another_origin_and_another_host_do_nothing(self):
        browser = self.open()
        self.assertEqual(browser.ask("GET", "/", Host="evil.example").status, 421)
        self.assertEqual(browser.ask("POST", "/sign-in", {"code": self.code}, Origin="http://evil.example").status, 403)
        browser.sign_in(self.code)
        page, form = browser.form()
        for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec_Fetch_Site": "cross-site"}):
            self.assertEqual(browser.ask("POST", "/answer", {**form, "answer": "quit"}, **headers).status, 403)
        for token in ("", "0" * 32):
            self.assertEqual(browser.ask("POST", "/answer", {**form, "token": token, "answer": "quit"}).status, 403)
        self.assertEqual(Browser(browser.port).ask("POST", "/answer", {**form, "answer": "quit"}).status, 403)
        self.assertIn("Scan anything.", browser.form()[0])
        answer = browser.ask("GET", "/")
        self.assertEqual(answer.getheader("X-Frame-Options"), "DENY")
        self.assertIn("frame-ancestors 'none'", answer.getheader("Content-Security-Policy"))

    def test_an_answer_that_is_sent_again_does_nothing(self):
        browser = self.open()
        browser.sign_in(self.code)
        _, form = browser.form()
        browser.ask("POST", "/answer", {**form, "answer": "/run/rig/scanner"})
        self.until(browser, "Hold this code")
        browser.answer(answer="skip")
        self.until(browser, "drives the relay")
        for answer in ("/run/rig/scanner", "quit", "back"):
            self.assertEqual(browser.ask("POST", "/answer", {**form, "answer": answer}).status, 303)
        self.assertIn("drives the relay", browser.form()[0])

    def test_its_time_is_over(self):
        browser = self.open("--web-seconds", "2")
        browser.sign_in(self.code)
        self.assertEqual(self.terminal.status(), 130)
        self.assertIn("time of the page is over", self.terminal.seen)
        self.assertFalse(os.path.exists(self.file))
        with self.assertRaises(OSError):
            browser.ask("GET", "/")

    def test_of_root_nothing_is_left_in_the_pages_process(self):
        self.open(user=None)
        child = self.rig.sh(f"pgrep -P {self.terminal.pid} -f setup-page").strip()
        status = self.rig.get(f"/proc/{child}/status").decode()
        self.assertNotRegex(status, r"Uid:.*\b0\b")
        for capabilities in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
            self.assertRegex(status, rf"{capabilities}:\s+0+\n")
        self.assertRegex(status, r"NoNewPrivs:\s+1")
        opened = {os.readlink(f"/proc/{child}/fd/{number}").split(":")[0] for number in os.listdir(f"/proc/{child}/fd")}
        self.assertLessEqual({name for name in opened if name.startswith("/") and name != "/dev/null"}, {os.readlink(f"/proc/{self.terminal.pid}/fd/2")})

    def test_ctrl_c_ends_both(self):
        browser = self.open()
        before = self.files()
        self.terminal.type("\x03")
        self.assertEqual(self.terminal.status(), 130)
        self.assertEqual(self.files(), before)
        with self.assertRaises(OSError):
            browser.ask("GET", "/")


@here
class Demo(place.Case):
    needs_scangate = True

    def test_the_same_gate_in_a_browser(self):
        terminal = Terminal(["demo", "--web"])
        self.addCleanup(terminal.end)
        seen = terminal.until("/door/demo")
        browser = Browser(int(re.search(r"http://127\.0\.0\.1:(\d+)/door/demo", seen)[1]))
        self.assertEqual(browser.ask("GET", "/door/demo").status, 200)
        code = re.search(r"admit +(\w{24,32})", terminal.until("End with Ctrl-D"))[1]
        connection = http.client.HTTPConnection("127.0.0.1", browser.port, timeout=PATIENCE)
        stream = re.search(r'"(/pages/[^"]*door[^"]*)"', browser.ask("GET", "/door/demo").text)
        self.assertIsNotNone(stream, "the page names no live part")
        connection.request("GET", stream[1])
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        terminal.answer(code, "ADMIT")
        heard = b""
        while b"admit" not in heard:
            heard += answer.readline()
        connection.close()
        self.assertNotIn(code, heard.decode())
        terminal.type("\x04")
        self.assertEqual(terminal.status(), 0)
