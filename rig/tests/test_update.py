"""The package is updated while people pass, and put back again: nobody is lost or counted twice, and no relay moves but for somebody."""

import json
import re
import tempfile
import time
from collections import Counter
from pathlib import Path

import case
from service import BOOK, GATEWAY, HOLDER, ServiceCase, configuration
from sets import release
from stages.host import run

#: How long all of it may take, in seconds: an emulated processor unpacks a package for minutes, where its host has other things to do as well.
PATIENCE = 900
#: By slot: the gate, its line, and how long that is driven, in milliseconds. Long, so that a pulse runs whenever something happens.
GATES = {0: ("north", "RELAY0", 1500), 1: ("south", "RELAY1", 1200)}
#: The sales' own codes, of which each telling makes an entry: one told twice would be seen.
CODES = [f"UPDATE0SALE0OF0THE0R{number:04}" for number in range(1500)]
PACKAGES = "/var/tmp/update"
JOURNAL = "/var/lib/scangate/journal.sqlite"


def later(deb, folder):
    """The same package with the version that follows, as a file in `folder`."""
    tree, fresh = Path(folder, "tree"), Path(folder, "later.deb")
    run("dpkg-deb", "-R", deb, tree)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"^(Version: .*)$", r"\1+later", control.read_text(), flags=re.M))
    run("dpkg-deb", "--root-owner-group", "-Zzstd", "-z1", "-b", tree, fresh)
    return fresh


class Queue:
    """People before a gate, one behind the other. Who presents a code and sees the gate stay shut presents it again."""

    #: So long somebody waits, in seconds, before the second try: the code was not read, or nobody was there to decide.
    PATIENCE = 8
    #: So often at most: nobody stands before a gate that reads, and is never let in.
    TRIES = 4

    def __init__(self, rig, slot, codes):
        self._rig, self._slot, self._codes = rig, slot, codes
        self.gate, self._line, _ = GATES[slot]
        self._since, self._code, self._typing = rig.mark(), None, None
        self.passed, self.tries = [], 0

    def step(self, is_open):
        """Does what somebody would do now, and whether nobody stands here any more. While the queue `is_open` there is always a next one."""
        if self._code and len(self._rig.pulses(self._line, self._since)) > len(self.passed):
            self.passed.append(self._code)
            self._code = None
        if not self._code and is_open:
            self._code, self._left = next(self._codes), self.TRIES
            self._present()
        elif self._code and self._typing.is_over() and time.monotonic() > self._presented + self.PATIENCE:
            self._present()
        return not self._code

    def _present(self):
        assert self._left, f"gate {self.gate} never opened for …{self._code[-4:]}"
        self._left -= 1
        self._typing = self._rig.start_typing(self._slot, self._code)
        self._presented, self.tries = time.monotonic(), self.tries + 1


@release
class Update(ServiceCase):
    @staticmethod
    def configured():
        """Gates that admit on trust while the ticket system is away, and are locked when nobody commands them: each edge of a relay is somebody's."""
        text = configuration(GATES[0][2]).replace("fail: safe", "fail: secure")
        offline = "offline: {policy: admitAndQueue, most: 100, after: 2500 ms, durableWithin: 5 s}"
        return text.replace("stale: 20 s", f"stale: 20 s\n    holdOff: 0 s\n    floodLimit: 600\n    {offline}")

    @classmethod
    def start(cls):
        rig = super().start()
        # Tickets of this module, in a book of their own.
        rig.sh(f"systemctl stop venue; rm {BOOK}*; install -d {PACKAGES}")
        cls.serve_tickets(rig, codes=CODES, kind="sale")
        with tempfile.TemporaryDirectory(prefix="rig.update.") as folder:
            former, new = (case.former, case.deb) if case.former else (case.deb, later(case.deb, folder))
            for name, deb in (("former", former), ("new", new)):
                rig.put(deb.read_bytes(), f"{PACKAGES}/{name}.deb")
        if case.former:
            # With a journal of its own: that of the package under test may be of a form that the former one does not know.
            rig.sh(f"systemctl stop {GATEWAY}; rm -f {JOURNAL}*; dpkg -i {PACKAGES}/former.deb; systemctl restart {HOLDER} {GATEWAY}", timeout=300)
        return rig

    def setUp(self):
        super().setUp()
        self.watch()

    def watch(self):
        """Two queues before the gates. A line that is let go, for however short a time, is seen."""
        for _, line, _ in GATES.values():
            self.rig.set_pull(line, "up")
            self.rig.watch_level(line)
        codes = iter(CODES)
        self.since = self.rig.mark()
        self.queues = [Queue(self.rig, slot, codes) for slot in GATES]

    def people_pass(self, meanwhile=None, then=0):
        """Lets people pass at both gates until what the guest does `meanwhile` is done, and `then` so many more at each."""
        wanted = []

        def passed():
            going_on = meanwhile is not None and not meanwhile.done()
            if not going_on and not wanted:
                wanted.extend(len(queue.passed) + then for queue in self.queues)
            return all([queue.step(going_on or len(queue.passed) < count) for queue, count in zip(self.queues, wanted or [0] * len(self.queues))])

        self.rig.until(passed, PATIENCE, "everybody passed")

    def put_in(self, name):
        """Installs a package as an administrator does, while people pass."""
        before = {unit: self.rig.main_pid(unit) for unit in (GATEWAY, HOLDER)}
        installing = self.rig.machine.start(f"DEBIAN_FRONTEND=noninteractive dpkg -i {PACKAGES}/{name}.deb 2>&1")
        self.people_pass(installing, then=1)
        status, said = installing.result(0)
        said = said.decode(errors="replace")
        self.assertEqual(status, 0, said)
        # A former one says what it says.
        if name == "new" or not case.former:
            self.assertNotRegex(said.replace("dpkg: warning: downgrading", ""), r"(?i)error|warning|failed")
        self.rest()
        for unit, pid in before.items():
            self.assertNotEqual(self.rig.main_pid(unit), pid, f"{unit} was not started again")
            self.assertNotIn("deleted", self.rig.sh(f"readlink /proc/{self.rig.main_pid(unit)}/exe"), f"{unit} runs the program that was replaced")
            self.assertEqual(self.rig.unit(unit, "NRestarts"), "0", f"{unit} fell")
        wanted = self.rig.sh(f"dpkg-deb -f {PACKAGES}/{name}.deb Version")
        self.assertEqual(self.rig.sh("dpkg-query -W -f '${Version}\\n' scangate"), wanted)

    def outbox(self):
        status = json.loads(self.rig.sh("scangate outbox status --json"))
        return status["waiting"], status["conflicts"]

    def lines(self, command):
        return [json.loads(line) for line in self.rig.sh(command, timeout=120).splitlines()]

    def test_nobody_is_lost_by_an_update_or_on_the_way_back(self):
        self.people_pass(then=1)
        self.form = self.form_of_journal()
        self.rig.sh("systemctl stop venue")
        known = sum(len(queue.passed) for queue in self.queues)
        self.people_pass(then=2)
        self.put_in("new")
        owed = sum(len(queue.passed) for queue in self.queues) - known
        self.assertEqual(self.outbox(), (owed, 0), "owed to the ticket system, whichever program has admitted them")
        self.start_venue(self.rig)
        self.people_pass(then=1)
        self.rig.until(lambda: self.outbox() == (0, 0), what="everything told to the ticket system")
        if self.is_known_to_the_former():
            self.put_in("former")
        else:
            self.be_refused_by_the_former()
        self.assert_books_agree()

    def is_known_to_the_former(self):
        """Whether the program of before the update knows the journal as it is after it."""
        return not case.former or self.form == self.form_of_journal()

    def form_of_journal(self):
        return int.from_bytes(self.rig.get_from(JOURNAL, 60)[:4], "big")

    def be_refused_by_the_former(self):
        """It says so and touches nothing; with the newer one people pass again."""
        self.rest()
        form = self.form_of_journal()
        self.rig.sh(f"dpkg -i {PACKAGES}/former.deb", timeout=300, check=False)
        self.said(rf"written by a newer version of this program \({form}; this one knows {self.form}\)\. Install that version")
        self.assertEqual(self.form_of_journal(), form)
        self.rig.sh(f"dpkg -i {PACKAGES}/new.deb; systemctl reset-failed {GATEWAY}; systemctl restart {GATEWAY}", timeout=300)
        self.rest()
        self.people_pass(then=1)

    def assert_books_agree(self):
        """Everybody is in each book once: on the lines, in the station's journal, and in that of the ticket system."""
        self.rest()
        self.rig.until(lambda: self.outbox() == (0, 0), what="everything told to the ticket system")
        for queue, (_, line, length) in zip(self.queues, GATES.values()):
            self.whole_pulses(line, length, len(queue.passed))
            self.assert_levels(line, [0] + [1, 0] * len(queue.passed))
        passed = Counter((queue.gate, code) for queue in self.queues for code in queue.passed)
        scans = self.lines("scangate journal list --json --limit 4000")
        admitted = Counter((scan["gate"], scan["code"]) for scan in scans if scan["verdict"] == "admit")
        self.assertEqual(admitted, Counter((gate, "…" + code[-4:]) for gate, code in passed))
        self.assertEqual([scan for scan in scans if scan["output_fault"]], [])
        booked = Counter(entry["code"] for entry in self.lines(f"scangate venue book --database {BOOK} --json --full"))
        self.assertEqual(booked, Counter(code for _, code in passed))
        persons = [f"{len(queue.passed)} persons at {queue.gate}, who presented {queue.tries} times" for queue in self.queues]
        print(f"        {'; '.join(persons)}. Admitted: {passed.total()} by pulses, {admitted.total()} in the station's journal, {booked.total()} in the ticket system's book, "
              f"none of them twice ({max(admitted.values())}, {max(booked.values())}) and none missing", flush=True)

    def test_program_that_does_not_know_the_journal_says_so(self):
        """A newer journal, by the number of its form in the file's head (SQLite's user_version)."""
        def mark(version):
            self.rig.sh(f"systemctl stop {GATEWAY}; printf '\\0\\0\\0\\{version:03o}' | dd of={JOURNAL} bs=1 seek=60 conv=notrunc status=none")

        known = self.form_of_journal()
        self.addCleanup(self.rig.sh, f"systemctl start {GATEWAY}", timeout=120)
        self.addCleanup(mark, known)
        mark(known + 1)
        self.assertFalse(self.rig.ok(f"systemctl start {GATEWAY}", timeout=120))
        self.said(rf"written by a newer version of this program \({known + 1}; this one knows {known}\)\. Install that version")
        self.assertTrue(self.rig.ok(f"systemctl is-failed {GATEWAY}"), "it is not started again for ever")
        for _, line, _ in GATES.values():
            self.assert_levels(line, [0])
