"""Reports of a station that runs: they are its journal, the whole, and nothing of a code; who may not ask has none, and who hangs keeps nobody from theirs."""

import base64
import csv
import io
import json
import re
import socket
import struct
import threading
import time
from collections import Counter
from pathlib import PurePosixPath

from console import become
from place import natively
from rig import PATIENCE
from test_offline import FOLDER, QUEUES, REFUSES, OfflineCase
from venue import AS_GATE, SCANGATE

SOCKET = f"{FOLDER}/report.sock"
#: Beside the program under test.
PROGRAM = PurePosixPath(SCANGATE).parent / "scangate-report"
REFUSED, USAGE = 69, 64


class ReportCase(OfflineCase):
    """A station that has admitted two, and who makes reports of it."""

    OPTIONS = f"--station-socket {FOLDER}/station.sock"

    def setUp(self):
        super().setUp()
        self.serve(north=QUEUES, south=REFUSES)
        self.maker = self.rig.spawn(
            "report", f"env TZ=UTC {PROGRAM} --journal {self.STATE}/journal.sqlite --socket {SOCKET} --idle 0", user="gate")
        self.rig.wait_for(f"[[ -S {SOCKET} ]]")

    def file(self, options):
        """A report's bytes."""
        said = self.rig.sh(f"{SCANGATE} report --socket {SOCKET} {options} 2> /dev/null | base64 -w 0")
        return base64.b64decode(said)

    def table(self, options=""):
        """A report's lines as Python reads them, with the columns' names."""
        return list(csv.DictReader(io.StringIO(self.file(f"--csv - {options}").decode("utf-8-sig"), newline="")))

    def scans(self):
        """What the journal says of scans."""
        return [json.loads(line) for line in self.command("journal export --format json 2> /dev/null").splitlines()]

    def counted(self, lines, table, by):
        """The counts of a table, by a column and what they count."""
        return Counter({(line[by], line["what"]): int(line["count"]) for line in lines if line["table"] == table})


@natively
class Reports(ReportCase):
    def test_report_is_the_journal(self):
        # Some are admitted again, and some while nobody can be asked.
        for code in self.told[:1]:
            self.assertEqual(self.present({"left": code})["left"]["verdict"], "refuse")
        self.venue.cut("refused")
        self.admitted_offline({"left": 3})
        self.present({"right": next(self.codes)})
        self.venue.mend()
        self.drained()

        verdicts = {"admit": "admitted", "refuse": "refused", "undecided": "undecided"}
        scans, lines = self.scans(), self.table()
        for table, by, column in (("gate", "gate", "gate"), ("decided_by", "decided_by", "decided_by")):
            wanted = Counter((scan[by], verdicts[scan["verdict"]]) for scan in scans)
            self.assertEqual(self.counted(lines, table, column), wanted, table)
        self.assertEqual(sum(int(line["count"]) for line in lines if line["table"] == "time"), len(scans))
        self.assertEqual(Counter(line["what"] for line in lines if line["table"] == "provisional"), {"confirmed": 3})
        for code in self.told:
            self.assertNotIn(code[-4:], "".join(line["scan"] for line in lines))
            self.assertNotIn(code, str(lines))

        south = self.table("--gate south")
        self.assertEqual({line["gate"] for line in south if line["table"] in ("time", "gate")}, {"south"})
        none = self.table("--from 2020-01-01 --until 2020-01-02")
        self.assertEqual({line["table"] for line in none}, {"total"})

    def test_pages_are_a_document(self):
        self.rig.sh(f"{SCANGATE} report --socket {SOCKET} --pdf {FOLDER}/report.pdf")
        told = self.rig.sh(f"pdfinfo {FOLDER}/report.pdf; pdftotext {FOLDER}/report.pdf -")
        self.assertRegex(told, r"Page size: .*A4")
        for words in ("Report", "Admissions over time", "By gate", "north", "south"):
            self.assertIn(words, told)
        for code in self.told:
            self.assertNotIn(code, told)

    def test_who_may_not_ask_has_none(self):
        self.rig.sh(f"chmod 666 {SOCKET}; chmod 755 {FOLDER}")
        stranger = become(self.rig, "stranger")
        said = self.rig.sh(f"{stranger} {SCANGATE} report --socket {SOCKET} --csv - 2>&1; echo $?").split("\n")
        self.assertIn(str(REFUSED), said)
        self.assertIn("may not ask for reports", " ".join(said))
        said = self.rig.sh(f"{AS_GATE} {SCANGATE} report --socket {SOCKET} --csv - --zone Nowhere/Land 2>&1; echo $?")
        self.assertIn("no time zone", said)
        self.assertEqual(said.split()[-1], str(USAGE))

    def test_who_hangs_keeps_nobody_from_theirs(self):
        hanging = []
        for _ in range(5):
            one = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            one.connect(SOCKET)
            hanging.append(one)
        hanging[0].send(b"\xff" * 4_000)
        hanging[1].send(b"")
        self.addCleanup(lambda: [one.close() for one in hanging])
        self.assertTrue(self.table())
        self.assertTrue(self.maker.running())
        # And gates go on.
        self.assertEqual(self.present({"left": next(self.codes)})["left"]["verdict"], "admit")


#: What ends of one release speak.
VERSION = 2
LEAST, MOST = -2**63, 2**63 - 1


def words(text):
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<H", len(data)) + data


def question(form=1, begin=None, end=None, gate=None, event=None, zone=None, language=None):
    """The packet of a report's question, whatever is in it."""
    times = b"".join(b"\0" if each is None else struct.pack("<Bq", 1, each) for each in (begin, end))
    return struct.pack("<BB", 2, form) + times + b"".join(b"\0" if each is None else b"\1" + words(each) for each in (gate, event, zone, language))


HELLO = struct.pack("<BH", 1, VERSION) + words("thief")


class Asker:
    """Whoever speaks to the unit in its own words."""

    def __init__(self, *packets, timeout=PATIENCE):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(timeout)
        self.socket.connect(SOCKET)
        for packet in packets:
            self.socket.send(packet)

    def heard(self):
        """Everything that it is told, to the end of the connection."""
        said = b""
        while True:
            try:
                part = self.socket.recv(65_536)
            except ConnectionError:
                part = b""
            if not part:
                self.socket.close()
                return said
            said += part


@natively
class Thieves(ReportCase):
    """Somebody who may ask, as the console may, and has been taken over."""

    def memory(self):
        return int(re.search(r"VmRSS:\s+(\d+)", self.rig.sh(f"cat /proc/{self.maker.pid}/status"))[1])

    def descriptors(self):
        return int(self.rig.sh(f"ls /proc/{self.maker.pid}/fd | wc -l"))

    def assert_serves(self):
        self.assertTrue(self.maker.running(), self.maker.log())
        self.assertTrue(self.table())

    def test_times_that_are_none(self):
        """From the beginning of time to its end and back: an answer each, and nobody has ended."""
        times = (None, LEAST, LEAST + 1, -1, 0, 1, 10**18, MOST - 1, MOST)
        for begin in times:
            for end in times:
                for form in (1, 2):
                    self.assertTrue(Asker(HELLO, question(form, begin, end, zone="Europe/Berlin")).heard(), (begin, end, form))
        self.assert_serves()

    def test_names_that_lead_elsewhere(self):
        paths = ("/etc/passwd", "../../../etc/passwd", "Europe/../../../../etc/shadow", "/var/lib/scangate/seal-key", "posixrules/../../../../proc/self/environ", "a" * 255,
                 "Europe", "", "Europe/Berlin\0", "\u202eEurope", "%2e%2e/etc/passwd", ".", "tzdata.zi")
        for path in paths:
            for field in ("zone", "gate", "event", "language"):
                heard = Asker(HELLO, question(2, **{field: path})).heard()
                self.assertNotIn(b"root:", heard)
                if field in ("zone", "language") and path:
                    self.assertNotIn(b"%PDF", heard, (field, path))
        for bad in (b"\xff\xfe", b"\xed\xa0\x80", b"a\0b"):
            self.assertTrue(Asker(HELLO, question(1, event=bad)).heard() is not None)
        self.assert_serves()

    def test_packets_that_are_none(self):
        whole = question(1, 0, MOST, "north", "Gala", "UTC", "de")
        for packet in (b"", b"\0", b"\xff" * 8_000, whole[:-1], whole + b"\0", *(whole[:at] for at in range(1, len(whole), 3)), question(9), question(0),
                       struct.pack("<BBB", 2, 1, 7), whole[:2] + b"\1" + whole[3:10], b"\3" + b"\xff" * 40, HELLO):
            Asker(HELLO, packet, timeout=5).heard()
        for first in (whole, b"\1\0\0\0\0", struct.pack("<BH", 1, 999) + words("x"), b"\1\2\0\xff\xff"):
            Asker(first, timeout=5).heard()
        self.assert_serves()

    def test_cells_that_would_be_calculated(self):
        begins = ["=", "+", "-", "@", "\t=", "\r=", "\n=", "＝", "x;=", "x;\t@", "x;\"=", ";+"]
        # Somebody writes them as the reason of an order, and as whose order it is.
        order = f"{SCANGATE} maintenance"
        for number, begin in enumerate(begins):
            why = f"{begin}HYPERLINK(\"http://thief.example/{number}\",\"open\")"
            self.rig.put(why, f"/run/rig/why-{number}")
            self.rig.sh(f"{order} {'on' if number % 2 == 0 else 'off'} south --station-socket {FOLDER}/station.sock --why=\"$(cat /run/rig/why-{number})\" 2>&1; true")
        text = self.file("--csv - --from -1h --until 2100-01-01").decode("utf-8-sig")
        orders = [line for line in csv.DictReader(io.StringIO(text, newline="")) if line["table"] == "order"]
        self.assertEqual(len(orders), len(begins))
        # As a spreadsheet reads it whose separator is a comma, a semicolon, or a tab.
        for separator in ",;\t":
            for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
                for cell in row:
                    self.assertNotRegex(cell.lstrip(' "'), r"^[=@＝]|^[+-](?!\d*$)", (separator, row))

    def test_who_takes_nothing_is_let_go_and_others_are_served(self):
        hanging = [Asker(HELLO, question(2)) for _ in range(3)]
        self.addCleanup(lambda: [one.socket.close() for one in hanging])
        self.assert_serves()
        # They are let go of, and what was made for them with them.
        self.rig.until(lambda: self.descriptors() <= 12, 4 * PATIENCE, "connections that were let go")
        self.assert_serves()

    def test_a_thousand_at_once(self):
        before, heard, lost = self.memory(), [], []

        def ask(number):
            try:
                heard.append(Asker(HELLO, question(1 + number % 2)).heard())
            except OSError as error:
                lost.append(error)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(1_000)]
        for thread in threads:
            thread.start()
        # Meanwhile gates go on.
        code = next(self.codes)
        self.assertEqual(self.present({"left": code})["left"]["verdict"], "admit")
        self.told.append(code)
        for thread in threads:
            thread.join(4 * PATIENCE)
        self.assertEqual(len(heard) + len(lost), 1_000)
        served = sum(b"table,time" in each or b"%PDF" in each for each in heard)
        told = sum(b"ry again" in each for each in heard)
        self.assertGreater(served, 0)
        self.assertGreater(told, 0)
        # Whoever was not served was told so, or is cut off with a connection of theirs that was not read.
        self.assertEqual([each[:200] for each in heard if each and b"table,time" not in each and b"%PDF" not in each and b"ry again" not in each], [])
        self.assertLess(self.memory(), max(before + 32_768, 65_536))
        deadline = time.monotonic() + PATIENCE
        while self.descriptors() > 12 and time.monotonic() < deadline:
            self.assert_serves()
        self.assert_serves()
