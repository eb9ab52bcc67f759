"""Reports of a station that runs: they are its journal, the whole, and nothing of a code; who may not ask has none, and who hangs keeps nobody from theirs."""

import base64
import csv
import io
import json
import socket
from collections import Counter
from pathlib import PurePosixPath

from console import become
from place import natively
from test_offline import FOLDER, QUEUES, REFUSES, OfflineCase
from venue import AS_GATE, SCANGATE

SOCKET = f"{FOLDER}/report.sock"
#: Beside the program under test.
PROGRAM = PurePosixPath(SCANGATE).parent / "scangate-report"
REFUSED, USAGE = 69, 64


@natively
class Reports(OfflineCase):
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
