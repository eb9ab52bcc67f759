"""A station from nothing to an admission with real devices: its scanner types on a German keyboard and ends codes in its own way, its relay and its lamps are tried."""

import re
import urllib.parse

import test_setup
from console import answer_of, request
from keyboard import TAB, Key
from place import ALLOW_OUTPUTS, Case, in_guest
from rig import PATIENCE, MachineError
from sets import release
from test_setup import FOLDER, SYSTEM, TEST
from venue import SCANGATE, Venue

#: A ticket whose code a wrong keyboard layout would change.
CODE = "FIRST0RUN0YZ0OF0THE0RIG000000001"
#: Two scanners of one model: what tells them apart is their serial numbers.
MODEL = {"vendor": "05e0", "product": "1200", "manufacturer": "Symbol", "name": "Symbol Scanner"}
#: What a relay has that nobody has said more of.
PULSE = 600
FORMER = "version: 1  # what was there\n"


class Terminal:
    """A person at a terminal in the guest at which `scangate setup` runs, 80 columns wide."""

    made = 0

    def __init__(self, rig, words):
        Terminal.made += 1
        self._rig, name = rig, f"setup-{Terminal.made}"
        self._pipe, self._script, self._pid = (f"/run/rig/{name}.{ending}" for ending in ("in", "sh", "pid"))
        rig.sh(f"mkfifo {self._pipe}; chmod a+rw {self._pipe}; touch {self._pid}; chmod a+rw {self._pid}")
        rig.put(f"stty cols 80 rows 24; echo $$ > {self._pid}; exec {SCANGATE} setup {words}\n", self._script)
        self.process = rig.spawn(name, f"bash -c 'exec script -qef -E always -c \"bash {self._script}\" /dev/null <> {self._pipe}'", user="gate")

    @property
    def seen(self):
        return self.process.log()

    @property
    def pid(self):
        return int(self._rig.get(self._pid))

    def until(self, text, since=0, timeout=PATIENCE):
        try:
            return self._rig.until(lambda: text in (seen := self.seen)[since:] and seen, timeout, text)
        except MachineError as error:
            raise MachineError(f"the terminal did not show {text!r}:\n{self.seen[-3000:]}") from error

    def answer(self, text, then):
        """Answers a question, and waits for the next one."""
        since = len(self.seen)
        self._rig.put(text + "\n", f"{self._script}.typed")
        self._rig.sh(f"cat {self._script}.typed > {self._pipe}; rm {self._script}.typed")
        return self.until(then, since)[since:]

    def kill(self):
        """Ends the set-up without a word."""
        self._rig.kill(self.pid)
        self.process.started.result(PATIENCE)

    def status(self):
        return self.process.started.result(PATIENCE)[0]


class GuestBrowser(test_setup.Browser):
    """What a browser without JavaScript does, in the guest."""

    def __init__(self, rig, port):
        super().__init__(port)
        self._rig = rig

    def ask(self, method, path, fields=None):
        host, headers, body = f"127.0.0.1:{self.port}", [], None
        if fields is not None:
            body = urllib.parse.urlencode(fields).encode()
            headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Origin", f"http://{host}")]
        if self.cookie:
            headers.append(("Cookie", self.cookie))
        self._rig.put(request(path, method, None, body, host, headers), "/run/rig/asked")
        self._rig.sh(f"exec 3<> /dev/tcp/127.0.0.1/{self.port}; cat /run/rig/asked >&3; timeout {PATIENCE} cat <&3 > /run/rig/answered")
        answer = Answer(answer_of(self._rig.get("/run/rig/answered")))
        self.heard.append(answer.text)
        return answer


class Answer:
    """An answer as `http.client` has it."""

    def __init__(self, answer):
        self.status, self._headers, self.text = answer.status, answer.headers, answer.body.decode()

    def getheader(self, name):
        return self._headers.get(name.lower())


@in_guest
@release
class Devices(Case):
    needs_scangate = True

    def setUp(self):
        super().setUp()
        rig = self.rig
        rig.sh(f"rm -rf {FOLDER}; install -d -o gate -g gate {FOLDER} {FOLDER}/state; chmod 700 {FOLDER}/state; {ALLOW_OUTPUTS}")
        rig.put(f"code,kind,status,quantity\n{CODE},sale,paid,1\n", f"{FOLDER}/tickets.csv")
        self.venue = Venue(rig, FOLDER)
        self.addCleanup(self.venue.clear)
        self.venue.start("--import", self.venue.tickets, "--eventschedule-shape", "document")
        self.key = rig.get(self.venue.key).decode().strip()
        self.file = f"{FOLDER}/scangate.yaml"
        rig.plug(0, **MODEL, serial="SN0001")
        rig.plug(1, **MODEL, serial="SN0002")
        self.since = rig.mark()

    def begin(self, words=""):
        return Terminal(self.rig, f"--config {self.file} --state {FOLDER}/state {words}")

    def files(self):
        return self.rig.sh(f"cd {FOLDER}; find scangate* state -type f | sort")

    def scan(self, text, slot=0, pause=4000):
        """As this scanner does: in its layout, with its own end mark."""
        self.rig.type(slot, [text, Key(TAB)], layout="de", gap_us=pause, enter=False)

    def scan_until(self, terminal, text, wait):
        """Scans as people do who see nothing happen: once more. A host that is busy lets a scanner type as slowly as a person."""
        self.rig.wait_until(f"opened {terminal.pid} {self.rig.devices[0].node}")
        for pause in (4000, 1500, 4000, 1500):
            self.scan(text, pause=pause)
            try:
                return wait(20)
            except MachineError:
                continue
        self.scan(text)
        return wait(PATIENCE)

    def is_taken(self, slot):
        return self.rig.grabbed(self.rig.devices[slot].node)

    def choice(self, seen, title):
        return re.search(rf"^ +(\d+) +{re.escape(title)}\s*$", seen.replace("\r", ""), re.M)[1]

    def identify(self, terminal):
        """Scans anything: the scanner is taken, and the other one is not."""
        terminal.until("Scan anything.")
        since = len(terminal.seen)
        self.scan_until(terminal, CODE, lambda timeout: terminal.until("Hold this code", since, timeout))
        self.rig.until(lambda: self.is_taken(0), what="a scanner that is tested is taken")
        self.assertFalse(self.is_taken(1))
        self.assertNotIn(CODE, terminal.seen)

    def try_output(self, terminal, seen, title, question):
        """Chooses an output: nothing moves before that is wanted."""
        before = self.rig.mark()
        seen = terminal.answer(self.choice(seen, title), "now?")
        for line in ("RELAY0", "RELAY1", "LAMP_G", "LAMP_R"):
            self.assertEqual(self.rig.edges(line, before), [], line)
        return terminal.answer("yes", question)

    def ask_system(self, terminal, asked=False):
        if not asked:
            terminal.answer("1", "At which address")
        terminal.answer(SYSTEM, "Paste the API key")
        terminal.answer(self.key, "What is the gate for?")
        terminal.answer("1", "What is the gate called?")

    def assert_admits(self, while_it_runs=None):
        """The station opens its gate for a ticket, once, and is deaf to the scanner that is not its own."""
        events = f"{FOLDER}/events.jsonl"
        service = self.rig.spawn(
            "scangate", f"env STATE_DIRECTORY={FOLDER}/state {SCANGATE} run --config {self.file} --events {events}", user="gate")
        self.rig.wait_until(f"has {events} \"reading\"", timeout=2 * PATIENCE)
        since = self.rig.mark()
        self.assertTrue(self.is_taken(0))
        self.assertFalse(self.is_taken(1))
        self.scan(CODE, slot=1)
        self.scan(CODE)
        self.whole_pulses("RELAY0", PULSE, 1, since)
        self.rig.wait_until(f"has {events} \"admit\"")
        # A second admission would be a second pulse: the ticket is used up.
        self.assertEqual(self.rig.edges("RELAY1", since), [])
        self.assertEqual(len(self.venue.book()), 1)
        if while_it_runs:
            while_it_runs()
        service.stop()

    def test_from_nothing_to_an_admission(self):
        self.rig.put(FORMER, self.file)
        self.rig.sh(f"chown gate {self.file}")
        self.rig.unplug(0)
        terminal = self.begin()
        terminal.until("Scan anything.")
        # Whoever plugs it in only now is heard, too.
        self.rig.replug(0)
        self.identify(terminal)
        since = len(terminal.seen)
        seen = self.scan_until(terminal, TEST, lambda timeout: terminal.until("Every character came right.", since, timeout))
        self.assertIn("the layout de", seen)
        self.assertIn("sends an end mark", seen)
        self.rig.until(lambda: not self.is_taken(0), what="a scanner that is given back")

        seen = terminal.answer("ok", "drives the relay")
        seen = self.try_output(terminal, seen, "line RELAY0 of gate", "Did the right thing move?")
        self.whole_pulses("RELAY0", PULSE, 1)
        since = self.rig.mark()
        seen = terminal.answer("yes", "green lamp")
        self.assertNotIn("RELAY0", seen, "the relay's line is no lamp's")
        self.try_output(terminal, seen, "line LAMP_G of gate", "Did the green lamp light?")
        self.rig.until(lambda: [pulse for pulse in self.rig.pulses("LAMP_G", since) if pulse.length], what="a green lamp that was lit")
        seen = terminal.answer("yes", "red lamp")
        self.try_output(terminal, seen, "LED gate:red:deny", "Did the red lamp light?")
        lit = [change.value for change in self.rig.led_changes("gate:red:deny", since)]
        self.assertTrue(any(lit) and lit[-1] == 0, lit)
        self.assertEqual(self.rig.edges("RELAY0", since), [], "lamps are tried without the relay")

        # What decides is the check, at the end: a server that is gone by then is one that is not there.
        terminal.answer("yes", "What does the gate let in?")
        self.ask_system(terminal)
        terminal.answer("north", "Another gate?")
        self.venue.stop()
        seen = terminal.answer("no", "At which address")
        self.assertRegex(seen, r"(?m)^! ")
        self.assertEqual(self.rig.get(self.file).decode(), FORMER)
        self.venue.start()
        self.ask_system(terminal, asked=True)
        terminal.answer("north", "Another gate?")
        seen = terminal.answer("no", "Write this to")
        self.assertIn(f"{self.file}.before", seen.replace("\r\n", ""))
        self.assertEqual(self.rig.get(self.file).decode(), FORMER)
        terminal.answer("yes", "The station is set up.")
        self.assertEqual(terminal.status(), 0)

        self.assertEqual(self.rig.get(f"{self.file}.before").decode(), FORMER)
        text = self.rig.get(self.file).decode()
        self.assertRegex(text, r"keymap: de\b")
        self.assertIn("SN0001", text)
        for said in (text, terminal.seen):
            self.assertNotIn(self.key, said)
        self.rig.sh(f"! grep -rl --exclude=venue.key --exclude='venue.db*' {self.key} {FOLDER}")
        self.assert_admits(self.assert_service_is_in_the_way)

    def assert_service_is_in_the_way(self):
        """What the running service has is named, and not offered."""
        terminal = self.begin()
        self.rig.until(lambda: "is held by another program" in " ".join(terminal.seen.split()), what="a word about the scanner")
        terminal.answer(self.rig.devices[1].node, "Hold this code")
        seen = terminal.answer("skip", "drives the relay")
        self.assertNotIn("RELAY0", seen)
        self.assertIn("RELAY1", seen)
        terminal.answer("quit", "Nothing was changed.")

    def test_killed_in_the_middle_it_leaves_nothing(self):
        before = self.files()
        terminal = self.begin()
        self.identify(terminal)
        terminal.kill()
        self.assertFalse(self.is_taken(0))
        self.assertEqual(self.files(), before)

        terminal = self.begin()
        self.identify(terminal)
        seen = terminal.answer("skip", "drives the relay")
        seen = terminal.answer(self.choice(seen, "line RELAY0 of gate"), "Pulse the relay now?")
        self.rig.watch_level("RELAY0")
        since = self.rig.mark()
        terminal.answer("yes", "is tried")
        self.rig.until(lambda: self.rig.edges("RELAY0", since), what="a pulse that begins")
        terminal.kill()
        self.rig.until(lambda: self.rig.levels("RELAY0", since)[-1].level == 0 and self.rig.level("RELAY0") == 0, what="a line that is back")
        self.assertEqual(self.files(), before)

        # Nothing of it stands in the way of the next one.
        terminal = self.begin()
        self.identify(terminal)
        seen = terminal.answer("skip", "drives the relay")
        self.try_output(terminal, seen, "line RELAY0 of gate", "Did the right thing move?")
        terminal.answer("quit", "Nothing was changed.")
        self.assertEqual(terminal.status(), 130)
        self.assertEqual(self.files(), before)

    def test_in_the_page(self):
        terminal = self.begin("--web")
        seen = terminal.until("Ctrl-C ends it")
        browser = GuestBrowser(self.rig, int(re.search(r"http://127\.0\.0\.1:(\d+)/", seen)[1]))
        self.assertEqual(browser.sign_in(re.search(r"Its code: (\w{8})", seen)[1]).status, 303)

        def until(text, timeout=PATIENCE):
            return self.rig.until(lambda: text in (page := browser.form()[0]) and page, timeout, f"a page with {text!r}")

        until("Scan anything.")
        self.assertNotIn(CODE, self.scan_until(terminal, CODE, lambda timeout: until("Hold this code", timeout)))
        self.rig.until(lambda: self.is_taken(0), what="a scanner that is tested is taken")
        self.assertIn("the layout de", self.scan_until(terminal, TEST, lambda timeout: until("Every character came right.", timeout)))
        browser.answer(answer="ok")
        page = until("drives the relay")
        browser.answer(answer=re.search(r'value="(\d+)">line RELAY0 of gate', page)[1])
        until("Pulse the relay now?")
        self.assertEqual(self.rig.edges("RELAY0", self.since), [])
        browser.answer(answer="yes")
        until("Did the right thing move?")
        self.whole_pulses("RELAY0", PULSE, 1)
        for answer, then in (("yes", "green lamp"), ("none", "red lamp"), ("none", "What does the gate let in?"), ("1", "At which address"), (SYSTEM, "Paste the API key")):
            browser.answer(answer=answer)
            until(then)
        browser.answer(key=self.key)
        until("What is the gate for?")
        browser.answer(answer="1")
        until("What is the gate called?")
        browser.answer(answer="north")
        until("Another gate?")
        browser.answer(answer="no")
        until("Write this to")
        browser.answer(answer="yes")
        until("The station is set up.")
        self.assertEqual(terminal.status(), 0)
        for said in (terminal.seen, *browser.heard):
            self.assertNotIn(self.key, said)
        self.assert_admits()
