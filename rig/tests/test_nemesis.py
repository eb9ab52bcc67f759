"""A fleet while everything happens to it: the checker of its evenings finds what is planted; half a minute of an evening; and single losses that may stop nobody."""

import copy
import os
import random
import time
import unittest

import fleet_checker
import fleet_run
import s2
from fleet_checker import Admission, Entry, Evening, Ticket
from fleet_evening import People
from fleet_world import World
from native_case import NativeCase
from place import lasts, never_in_guest

#: Whom half a minute meets.
SEED = 4711


def good():
    """An evening on which all is well: a ticket, a party of two at two stations, one that was killed before its gate opened, two on one ticket by a station that was alone, and a sale whose second person came to another station, which cannot know of it."""
    tickets = [Ticket("AAAA0001", "door", "entry", 1), Ticket("AAAA0002", "stalls", "party", 2), Ticket("AAAA0003", "stalls", "party", 1),
               Ticket("AAAA0004", "stalls", "party", 1), Ticket("AAAA0005", "stalls", "party", 1), Ticket("AAAA0006", "door", "sale", 2)]
    evening = Evening({ticket.ending: ticket for ticket in tickets}, lives={"s1": [True, False], "s2": [False]})
    evening.admissions = [
        Admission("a1", "s1", "door", 0, "0001", is_in_events=True, is_in_journal=True),
        Admission("b1", "s1", "stalls", 0, "0002", is_in_events=True, is_in_journal=True),
        Admission("b2", "s2", "stalls", 0, "0002", is_in_events=True, is_in_journal=True),
        # Its station was killed between its journal and its gate.
        Admission("c1", "s1", "stalls", 0, "0003", is_in_journal=True),
        Admission("d1", "s1", "stalls", 1, "0004", is_in_events=True, is_in_journal=True),
        Admission("d2", "s2", "stalls", 0, "0004", is_alone=True, is_in_events=True, is_in_journal=True),
        Admission("e1", "s2", "stalls", 0, "0005", is_in_events=True, is_in_journal=True),
        Admission("g1", "s1", "door", 0, "0006", is_in_events=True, is_in_journal=True)]
    evening.pulses = {("s1", "door", 0): 2, ("s1", "stalls", 0): 1, ("s1", "stalls", 1): 1, ("s2", "stalls", 0): 3}
    evening.entries = [Entry(f"t.{one.ending}", one.scan, one.station, one.gate, "admitted", one.is_alone) for one in evening.admissions]
    evening.codes = {one.scan: one.ending for one in evening.admissions}
    evening.conflicts["0004"].append("Two were admitted on one ticket: at gate stalls of station s1 at 20:00, and at gate stalls of station s2 at 20:01, which was alone.")
    evening.last_words = {ticket.ending: ("refuse", "alreadyUsed", "s2") for ticket in tickets}
    evening.book, evening.waiting = {"AAAA0001": 1, "AAAA0006": 1}, {"s1": 0, "s2": 0}
    return evening


@never_in_guest
class Checker(unittest.TestCase):
    """What the checker is there for it finds, each planted by itself into an evening on which all is well."""

    def test_planted_faults_are_found(self):
        self.assertEqual(fleet_checker.check(good()), [])
        planted = [name for name in dir(self) if name.startswith("plant_")]
        self.assertGreater(len(planted), 10)
        for name in planted:
            with self.subTest(name):
                evening = copy.deepcopy(good())
                words = getattr(self, name)(evening)
                found = fleet_checker.check(evening)
                self.assertTrue(any(words in line for line in found), f"{words!r} is not in {found}")

    @staticmethod
    def _admit(evening, scan, station, gate, ending, **more):
        """One more passes, of whom everybody knows."""
        evening.admissions.append(Admission(scan, station, gate, 0, ending, is_in_events=True, is_in_journal=True, **more))
        evening.pulses[station, gate, 0] = evening.pulses.get((station, gate, 0), 0) + 1
        evening.entries.append(Entry(f"t.{ending}", scan, station, gate, "admitted", more.get("is_alone", False)))
        evening.codes[scan] = ending

    def plant_double(self, evening):
        self._admit(evening, "a2", "s2", "door", "0001")
        return "0001: 2 passed on a ticket for 1, by the fleet's word"

    def plant_third_of_a_party(self, evening):
        self._admit(evening, "b3", "s2", "stalls", "0002")
        return "0002: 3 passed on a ticket for 2, by the fleet's word"

    def plant_double_of_a_station_of_another_fleet(self, evening):
        """Its claims lie elsewhere, so that neither book knows of the other."""
        evening.admissions.append(Admission("a2", "s2", "door", 0, "0001", is_in_events=True, is_in_journal=True))
        evening.pulses["s2", "door", 0] = 1
        return "0001: 2 passed on a ticket for 1, by the fleet's word"

    def plant_conflict_that_nobody_tells(self, evening):
        evening.conflicts.clear()
        return "0004: 2 passed on a ticket for 1, some of them alone, and 0 of 1 conflicts"

    def plant_conflict_that_names_one_gate(self, evening):
        evening.conflicts["0004"] = ["Two were admitted on one ticket: at gate stalls of station s1 at 20:00, and elsewhere."]
        return "0004: 2 passed on a ticket for 1"

    def plant_lost_admission(self, evening):
        """The journal has forgotten somebody."""
        evening.admissions[0].is_in_journal = False
        return "0001: a1 was let in at s1 door, and its journal does not know of it"

    def plant_admission_that_the_fleet_was_not_told(self, evening):
        evening.entries = [entry for entry in evening.entries if entry.scan != "e1"]
        return "0005: e1 passed at s2 stalls, and the fleet's book has nothing"

    def plant_admission_that_is_for_staff(self, evening):
        next(entry for entry in evening.entries if entry.scan == "e1").state = "interrupted"
        return "and the fleet's book has interrupted"

    def plant_forged_row(self, evening):
        """A row of a journal of which nothing else knows."""
        evening.admissions.append(Admission("f1", "s2", "stalls", 0, "0005", is_in_journal=True))
        return "s2 stalls, life 0: its lamp was lit 3 times, for 4 admissions"

    def plant_entry_of_nobody(self, evening):
        evening.entries.append(Entry("t.0003", "f1", "s1", "stalls", "admitted"))
        return "f1 is admitted in the fleet's book, and s1 knows nothing of it"

    def plant_claim_without_end(self, evening):
        evening.entries.append(Entry("t.0005", "f1", "s1", "stalls", "claimed"))
        return "f1 is still being decided by s1"

    def plant_wrong_refusal(self, evening):
        """Nobody has passed on it, and no station claims it."""
        self._forget(evening, "e1")
        return "0005: refuse alreadyUsed at the end, 0 passed of 1, and no claim"

    def plant_wrong_undecided(self, evening):
        self._forget(evening, "e1")
        evening.last_words["0005"] = ("undecided", "busy", "s2")
        return "0005: undecided busy at the end, 0 passed of 1"

    def plant_refusal_by_a_claim_that_nothing_explains(self, evening):
        self._forget(evening, "e1")
        evening.entries.append(Entry("t.0005", "e0", "s1", "stalls", "interrupted"))
        evening.codes["e0"] = "0005"
        return "0005: refuse alreadyUsed at the end, 0 passed of 1, and interrupted by s1"

    def plant_refusal_of_a_sale_where_its_first_passed(self, evening):
        """That station knows that it is for more."""
        evening.last_words["0006"] = ("refuse", "alreadyUsed", "s1")
        return "0006: refuse alreadyUsed at the end, 1 passed of 2, and no claim"

    def plant_refusal_of_a_sale_that_nobody_passed_on(self, evening):
        self._forget(evening, "g1")
        return "0006: refuse alreadyUsed at the end, 0 passed of 2, and no claim"

    def plant_other_word_on_a_sale_elsewhere(self, evening):
        """Elsewhere it is known to be used, and nothing else."""
        evening.last_words["0006"] = ("undecided", "busy", "s2")
        return "0006: undecided busy at the end, 1 passed of 2"

    def plant_refusal_of_a_party_elsewhere(self, evening):
        """For how many a party is every station knows."""
        self._forget(evening, "b2")
        evening.last_words["0002"] = ("refuse", "alreadyUsed", "s3")
        return "0002: refuse alreadyUsed at the end, 1 passed of 2, and no claim"

    def plant_no_word(self, evening):
        evening.last_words["0005"] = (None, None, "s2")
        return "0005: no word at the end"

    def plant_pulse_for_nobody(self, evening):
        evening.pulses["s2", "door", 0] = 1
        return "s2 door, life 0: its lamp was lit 1 times, for 0 admissions"

    def plant_admission_without_pulse(self, evening):
        evening.pulses["s2", "stalls", 0] = 2
        return "s2 stalls, life 0: its lamp was lit 2 times, for 3 admissions"

    def plant_ticket_system_that_was_not_told(self, evening):
        evening.book.clear()
        return "0001: 1 passed, and the ticket system was not told"

    def plant_provisional_that_its_station_did_not_say(self, evening):
        next(one for one in evening.admissions if one.scan == "d2").is_alone = False
        return "d2 is provisional in the fleet's book"

    def plant_servers_that_differ(self, evening):
        evening.faults_of_book.append("gate2 and gate1 have not the same book")
        return "gate2 and gate1 have not the same book"

    @staticmethod
    def _forget(evening, scan):
        one = next(one for one in evening.admissions if one.scan == scan)
        evening.admissions.remove(one)
        evening.entries = [entry for entry in evening.entries if entry.scan != scan]
        evening.pulses[one.station, one.gate, one.life] -= 1


@never_in_guest
class Compressed(unittest.TestCase):
    """Blocks that a server has compressed are read as the others are."""

    def test_pieces_of_each_kind(self):
        # What is new; 4 from 4 back; as far back again, 9 and 300 long; and one from 2 back.
        pieces = bytes([3 << 2]) + b"abcd" + bytes([0 << 2 | 1, 4, 5 << 2 | 1, 0, 1, 6 << 2 | 1, 0, 40, 0, 64 << 2 & 255 | 2, 2, 0])
        plain = b"abcd" * 2 + (b"abcd" * 99)[:9] + b""
        plain += bytes(plain[-4:][number % 4] for number in range(300))
        plain += bytes(plain[-2:][number % 2] for number in range(1))
        packed = bytes([len(plain) & 127 | 128, len(plain) >> 7]) + pieces
        self.assertEqual(s2.block(packed), plain)
        chunks = b"\xff\x06\x00\x00S2sTwO" + bytes([0, 4 + len(packed), 0, 0]) + b"CRC!" + packed + bytes([1, 7, 0, 0]) + b"CRC!end"
        size = len(plain) + 3 + 8
        self.assertEqual(s2.plain(b"cmp\x01" + bytes([size & 127 | 128, size >> 7]) + chunks + b"digest.8"), plain + b"enddigest.8")
        self.assertEqual(s2.plain(b"not compressed"), b"not compressed")
        for damaged in (b"cmp\x02", b"cmp\x01\x05" + chunks + b"digest.8"):
            with self.assertRaises(ValueError):
                s2.plain(damaged)
        with self.assertRaises(ValueError):
            s2.block(bytes([4, 0 << 2 | 1, 4]))


@never_in_guest
class HalfAMinute(NativeCase):
    """Real servers, real gateways, and a nemesis."""

    @lasts(45)
    def test_books_agree_after_an_evening(self):
        fleet_run.fetch_server()
        outcome = fleet_run.evening(SEED, seconds=12, tickets=40, rate=8, longest=4.0)
        self.assertEqual(outcome.findings, [], "\n".join(outcome.log))
        # Else it would show nothing.
        self.assertGreater(sum(outcome.faults.values()), 5, outcome.faults)
        self.assertGreater(outcome.figures["passed"], 20, outcome.figures)


@never_in_guest
class OneIsLost(NativeCase):
    """Of three servers the loss of any one stops nobody, in whatever way it is lost."""

    def setUp(self):
        super().setUp()
        fleet_run.fetch_server()
        tickets = [Ticket(f"TICKETOFTHEOTHERONE{number:05}", "door", "entry", 1) for number in range(200)]
        self.endings = iter([ticket.ending for ticket in tickets])
        self.world = World(os.environ["NATS_SERVER"], stations=2)
        self.addCleanup(self.world.close)
        self.world.open([(one.code, one.kind, one.quantity) for one in tickets], [], dict.fromkeys(self.world.stations, "alone: refuse"))
        self.people = People(self.world, {ticket.ending: ticket for ticket in tickets}, random.Random(SEED))
        self.assertEqual(self.people.settle(), [])

    def admits(self, station):
        """Whether somebody new is let in."""
        ending = next(self.endings)
        self.people.show(station, ending)
        end = time.monotonic() + 10
        while time.monotonic() < end:
            for _, shown, event in self.people.listen():
                if shown == ending:
                    return bool(event) and event["verdict"] == "admit"
            time.sleep(0.01)
        return False

    def everybody_is_let_in(self, within):
        """All stations let people in, in the end; and from then on everybody."""
        for station in self.world.stations.values():
            end = time.monotonic() + within
            while not self.admits(station):
                self.assertLess(time.monotonic(), end, f"{station.name} lets nobody in: {station.process.log.read_text()[-2000:]}")
                time.sleep(0.5)
        for _ in range(3):
            for station in self.world.stations.values():
                self.assertTrue(self.admits(station), station.name)
                time.sleep(0.1)

    @lasts(25)
    def test_disk_of_the_first_is_full(self):
        self.everybody_is_let_in(5)
        self.world.servers["gate1"].fill()
        for _ in range(4):
            for station in self.world.stations.values():
                self.admits(station)
        time.sleep(6)  # by then stations have asked their servers again how they are
        self.everybody_is_let_in(10)

    @lasts(25)
    def test_first_is_cut_off_from_the_others(self):
        """It answers stations, and can do nothing for them."""
        self.everybody_is_let_in(5)
        self.world.servers["gate1"].machine.filter("routes", *(f"{way} tcp {end} 6222 drop" for way in ("in", "out") for end in ("dport", "sport")))
        time.sleep(6)
        self.everybody_is_let_in(20)
