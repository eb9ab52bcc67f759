"""Two halls at one station whose power goes: what the wrong hall has redeemed before opens its own one afterwards."""

import struct

from rig import STATION
from sets import release
from test_gate import FOLDER, GateCase, LEFT, LEFT_MATCH, RIGHT, RIGHT_MATCH, VENUE

PULSE = 60
#: Tickets of hall B, whose event the ticket system numbers 2: printed entries, of which it makes one record, and a sale's own code, of which each scan makes another.
ENTRY, OLDER, SALE = ("HALLB0TICKET0OF0THE0RIG00000" + name for name in ("NEW1", "OLD1", "SALE"))
#: Hall A's, which shows that its gate works.
OWN = "HALLA0TICKET0OF0THE0RIG00000OWN1"
SOLD = f"""code,kind,status,event
{OWN},entry,paid,Hall A
{ENTRY},entry,paid,Hall B
{OLDER},entry,paid,Hall B
{SALE},sale,paid,Hall B
"""
WRONG, USED = ("refuse", "wrongEvent"), ("refuse", "alreadyUsed")


def configuration():
    """Nobody is asked what a ticket is for before it is redeemed: only the answer tells."""
    def gate(name, reader, event, relay):
        return f"""
  {name}:
    readers: [{reader}]
    ticketSystem: venue
    ticket: {{events: [{event}], unknownEvent: redeem}}
    holdOff: 0 s
    deadline: 10 s  # a server on an emulated processor may be slow
    stale: 20 s
    outputs:
      relay: {{gpio: {{chip: gate, line: {relay}}}, pulse: {PULSE} ms, gap: 20 ms}}"""

    return f"""
version: 1
station: {{name: rig}}
ticketSystems:
  venue: {{type: eventschedule, url: "http://{VENUE}", apiKeyFile: {FOLDER}/venue.key, rate: {{limit: 10000}}}}
readers:
  left:  {{type: wedge, match: {LEFT_MATCH}}}
  right: {{type: wedge, match: {RIGHT_MATCH}}}
gates:{gate("hall-a", "left", 1, "RELAY0")}{gate("hall-b", "right", 2, "RELAY1")}
"""


@release
class Halls(GateCase):
    #: On a disk that bears a power cut.
    STATE = f"{STATION}/halls"

    def present(self, slot, code):
        """Types on a hall's scanner; returns verdict and reason, when the relays have moved for an admission and for nothing else."""
        before = len(self.scans())
        self.rig.type(slot, code, gap_us=12000)  # a guest that has just started a program may take its time
        scan = self.scan_count(before + 1)[before]
        self.assertEqual((scan["gate"], scan["code"]), (("hall-a", "hall-b")[slot], "…" + code[-4:]))
        self.passed[slot] += scan["verdict"] == "admit"
        for each, relay in enumerate(("RELAY0", "RELAY1")):
            self.whole_pulses(relay, PULSE, self.passed[each], late=1000)
        return scan["verdict"], scan["reason"]

    def until_durable(self):
        """Waits until what the journal has written so far bears a power cut, by its own word (JournalReach.swift)."""
        def reached():
            data = self.rig.get(f"{self.STATE}/journal.sqlite.reached")
            _, *numbers = max((struct.unpack("<8xQ40x7q", data[at:at + 112]) for at in (0, 512)), key=lambda record: record[0])
            return numbers[1:4], numbers[4:7]

        written = reached()[0]
        self.rig.until(lambda: reached()[1] >= written, what="the journal synced")

    def test_what_the_wrong_hall_has_redeemed_opens_its_own_after_a_power_cut(self):
        rig = self.rig
        rig.mount_station()
        rig.sh(f"rm -rf {self.STATE}; install -d -m 700 -o gate -g gate {self.STATE}; sync -f {STATION}")
        rig.plug(0, **LEFT)
        rig.plug(1, **RIGHT)
        self.serve(text=configuration(), sold=SOLD)
        self.taken(0, 1)
        self.since, self.passed = rig.mark(), [0, 0]
        for code in (OLDER, ENTRY, SALE):
            self.assertEqual(self.present(0, code), WRONG)
        self.assertEqual(self.present(1, OLDER), ("admit", None))
        self.until_durable()
        rig.cut_power(self.service)
        self.run_service()
        self.taken(0, 1)
        self.assertEqual(self.present(0, ENTRY), WRONG)
        for code in (ENTRY, SALE):
            self.assertEqual(self.present(1, code), ("admit", None))
        for code in (OLDER, ENTRY, SALE):
            self.assertEqual(self.present(1, code), USED)
        self.assertEqual(self.present(0, OWN), ("admit", None))
