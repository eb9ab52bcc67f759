"""A station from nothing to an admission: in a terminal, and in a page that is attacked."""

import http.client
import os
import pty
import re
import select
import time
import urllib.parse

import native_case
import place
import secrets_told
from rig import PATIENCE, MachineError
from venue import PORT, SCANGATE, Venue

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

    def __init__(self, words, user="gate"):
        """Runs scangate with these words."""
        self.seen = ""
        self.pid, self._master = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "dumb"
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

    def answer(self, text, then):
        """Answers a question, and waits for the next one."""
        since = len(self.seen)
        self.type(text + "\n")
        return self.until(then, since)

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

    def setUp(self):
        super().setUp()
        rig = self.rig
        rig.sh(f"rm -rf {FOLDER}; install -d -o gate -g gate {FOLDER} {FOLDER}/state; chmod 700 {FOLDER}/state")
        rig.put(f"code,kind,status,quantity\n{CODE},sale,paid,1\n", f"{FOLDER}/tickets.csv")
        self.venue = Venue(rig, FOLDER)
        self.addCleanup(self.venue.clear)
        self.venue.start("--import", self.venue.tickets, *self.VENUE)
        self.key = rig.get(self.venue.key).decode().strip()
        self.file = f"{FOLDER}/scangate.yaml"
        rig.open_line("scanner")

    def begin(self, *words, user="gate"):
        terminal = Terminal(["setup", "--config", self.file, "--state", f"{FOLDER}/state", *words], user)
        self.addCleanup(terminal.end)
        return terminal

    def files(self):
        return sorted(os.listdir(FOLDER) + os.listdir(f"{FOLDER}/state"))

    def assert_admits(self, code=CODE):
        """The station that was set up admits a ticket, once."""
        text = self.rig.get(self.file).decode()
        self.assertNotIn(self.key, text)
        events = f"{FOLDER}/events.jsonl"
        service = self.rig.spawn(
            "scangate", f"env STATE_DIRECTORY={FOLDER}/state {SCANGATE} run --config {self.file} --events {events}", user="gate")
        self.rig.until(lambda: os.path.exists(events) and b'"reading"' in self.rig.get(events), what="a reader that reads")
        self.rig.send({"scanner": code})
        self.rig.until(lambda: b'"admit"' in self.rig.get(events), what="an admission")
        service.stop()

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
        terminal.answer("none", "At which address")
        terminal.answer("tickets", "as a browser has it")
        terminal.answer(SYSTEM, "Paste the API key")
        terminal.answer("wrong-key-of-nobody", "At which address")
        terminal.answer(SYSTEM, "Paste the API key")
        terminal.answer(self.key, "What is the gate for?")
        terminal.answer("17000", "one of the numbers")
        terminal.answer("1", "What is the gate called?")
        terminal.answer("a gate", "begins with a letter")
        terminal.answer("north", "Write this to")

    def test_from_nothing_to_an_admission(self):
        terminal = self.begin()
        self.questions(terminal)
        terminal.answer("yes", "The station is set up.")
        self.assertEqual(terminal.status(), 0)
        self.assertIn('prefix: "\\x02"', self.rig.get(self.file).decode())
        self.look_for_the_key(terminal.seen)
        self.assert_admits("\x02" + CODE)

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

    def __init__(self, port):
        self.port, self.cookie, self.heard = port, None, []

    def ask(self, method, path, fields=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
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
        self.until(browser, "At which address")
        browser.answer(answer=SYSTEM)
        self.until(browser, "Paste the API key")
        browser.answer(key=self.key)
        self.until(browser, "What is the gate for?")
        browser.answer(answer="1")
        self.until(browser, "What is the gate called?")
        browser.answer(answer="north")
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
