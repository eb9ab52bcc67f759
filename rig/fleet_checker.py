"""What must hold of a fleet's evening, whatever happened in it. Pure: what was seen goes in, findings come out.

1. Nobody passes on a ticket beyond what it is for by the fleet's word; whoever was let in besides by a station that was alone is in a conflict that names both gates.
2. Once the faults are over, whose ticket nobody has used and no station claims is let in. A claim that nobody passed on is explained by a fault, and its station said so.
3. Whoever passed is in the fleet's book, as admitted, at that gate of that station; and the book has nobody else. The ticket system, where it keeps a book, was told.
4. No lamp is lit without an admission, and no admission is without its lamp, but the last one of a station that was killed, and those that were told as failed.
5. All servers have the same book, and every word in it is of a station that has a right to it.
"""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Ticket:
    """What is presented; of which ticket system, and for how many."""

    code: str
    gate: str
    kind: str
    quantity: int

    @property
    def ending(self):
        return self.code[-4:]


@dataclass
class Admission:
    """What a station says of somebody whom it let in: by its events, by its journal, or by both."""

    scan: str
    station: str
    gate: str
    life: int
    ending: str = None
    is_alone: bool = False
    is_provisional: bool = False
    #: The relay or lamp was told as failed.
    is_failed: bool = False
    is_in_events: bool = False
    is_in_journal: bool = False


@dataclass
class Entry:
    """A line of the fleet's book: what a station has written of one scan."""

    key: str
    scan: str
    station: str
    gate: str
    state: str
    is_provisional: bool = False


@dataclass
class Evening:
    """What was seen."""

    tickets: dict
    admissions: list = field(default_factory=list)
    #: By (station, gate, life): how often the lamp was lit.
    pulses: dict = field(default_factory=dict)
    #: By station: for each life, whether it was killed.
    lives: dict = field(default_factory=dict)
    #: The fleet's book, and the words of values that are none.
    entries: list = field(default_factory=list)
    faults_of_book: list = field(default_factory=list)
    #: By scan: the ending of its code, as far as anybody knows.
    codes: dict = field(default_factory=dict)
    #: Scans whose station could not say what they came to: undecided, or cut off by its end.
    unknown: set = field(default_factory=set)
    #: By ending: what a station has told of two on one ticket.
    conflicts: dict = field(default_factory=lambda: defaultdict(list))
    #: By ending: the last word at the end, (verdict, reason, station).
    last_words: dict = field(default_factory=dict)
    #: By whole code: how many entries the ticket system has.
    book: dict = field(default_factory=dict)
    #: By ending: whether a request to the ticket system had no answer, or none that says something.
    unanswered: set = field(default_factory=set)
    #: Whether a station has said that the ticket system's clocks are apart: where one was alone, it may look so (docs/fleet.md).
    doubts_clocks: bool = False
    #: By station: how many admissions are still to be told to the ticket system.
    waiting: dict = field(default_factory=dict)


def check(evening):
    """Everything that does not hold, in words; nothing where all does."""
    return list(Checker(evening).findings())


class Checker:
    def __init__(self, evening):
        self.evening = evening
        self.lost = self._without_pulse()
        #: Who passed, by ticket.
        self.passed = defaultdict(list)
        for one in evening.admissions:
            if not one.is_failed and one.scan not in self.lost:
                self.passed[one.ending].append(one)
        self.by_ticket = defaultdict(list)
        names = {}
        for entry in evening.entries:
            if entry.key.startswith("t.") and entry.scan in evening.codes:
                names.setdefault(entry.key, evening.codes[entry.scan])
        for entry in evening.entries:
            if entry.key.startswith("t."):
                self.by_ticket[names.get(entry.key)].append(entry)

    def _without_pulse(self):
        """Admissions of the journal alone, the last ones of a life that was killed, for which no lamp was lit: nobody passed on them."""
        lost, by_gate = set(), defaultdict(list)
        for one in self.evening.admissions:
            if not one.is_failed:
                by_gate[one.station, one.gate, one.life].append(one)
        for place, those in by_gate.items():
            spare = len(those) - self.evening.pulses.get(place, 0)
            untold = [one for one in those if not one.is_in_events]
            if spare > 0 and self._was_killed(place):
                lost.update(one.scan for one in untold[-spare:])
        return lost

    def _was_killed(self, place):
        station, _, life = place
        lives = self.evening.lives.get(station, [])
        return 0 <= life < len(lives) and lives[life]

    def findings(self):
        yield from self.lamps()
        for ending, ticket in self.evening.tickets.items():
            yield from self.quantity(ending, ticket)
            yield from self.refusals(ending, ticket)
            yield from self.ticket_system(ending, ticket)
        yield from self.telling()
        yield from self.evening.faults_of_book
        for station, count in self.evening.waiting.items():
            if count:
                yield f"{station}: {count} admissions were not told to the ticket system in the end"

    def lamps(self):
        admitted = Counter((one.station, one.gate, one.life) for one in self.evening.admissions if not one.is_failed and one.scan not in self.lost)
        for place in sorted({*admitted, *self.evening.pulses}):
            lit = self.evening.pulses.get(place, 0)
            if lit != admitted[place]:
                station, gate, life = place
                yield f"{station} {gate}, life {life}: its lamp was lit {lit} times, for {admitted[place]} admissions"
        for one in self.evening.admissions:
            if one.ending not in self.evening.tickets:
                yield f"{one.station} {one.gate}: {one.scan} is an admission on no ticket"
            if one.is_in_events and not one.is_in_journal:
                yield f"{one.ending}: {one.scan} was let in at {one.station} {one.gate}, and its journal does not know of it"

    def quantity(self, ending, ticket):
        passed = self.passed[ending]
        together = [one for one in passed if not one.is_alone]
        if len(together) > ticket.quantity:
            places = ", ".join(f"{one.station} {one.gate} ({one.scan[:8]})" for one in together)
            yield f"{ending}: {len(together)} passed on a ticket for {ticket.quantity}, by the fleet's word: {places}"
        excess = len(passed) - ticket.quantity
        if excess > 0 and len(together) <= ticket.quantity:
            told = {words for words in self.evening.conflicts.get(ending, ()) if len(re.findall(r"at gate \S+ of station [a-z0-9-]+", words)) > 1}
            if len(told) < excess:
                places = ", ".join(f"{one.station} {one.gate}{' alone' if one.is_alone else ''} ({one.scan[:8]})" for one in passed)
                yield f"{ending}: {len(passed)} passed on a ticket for {ticket.quantity}, some of them alone, and {len(told)} of {excess} conflicts name both gates: {places}"

    def refusals(self, ending, ticket):
        last = self.evening.last_words.get(ending)
        if last is None:
            return
        verdict, reason, station = last
        passed = self.passed[ending]
        if verdict is None:
            yield f"{ending}: no word at the end"
            return
        if len(passed) >= ticket.quantity:
            if verdict == "admit":
                # That one is among those who passed, and quantity() judges it.
                return
            if reason not in ("alreadyUsed", "busy", "interrupted") and not self._is_of_clocks(reason):
                yield f"{ending}: {verdict} {reason} at the end, where all are in"
            return
        # Of a sale only the station where the first one passed knows that it is for more.
        if ticket.kind == "sale" and self._is_of_clocks(reason):
            return
        if ticket.kind == "sale" and reason == "alreadyUsed" and passed and all(one.station != station for one in passed):
            return
        # And not even that one where it let the first one in without the ticket system's word (docs/fleet.md).
        if ticket.kind == "sale" and reason == "alreadyUsed" and any(one.is_provisional or one.is_alone for one in passed):
            return
        scans = {one.scan for one in passed}
        claims = [entry for entry in self.by_ticket[ending] if entry.scan not in scans]
        explained = [entry for entry in claims if entry.scan in self.evening.unknown or entry.scan in self.lost]
        # What the ticket system has recorded and nobody could say so, is a place that is taken, too.
        if len(passed) + len(explained) >= ticket.quantity:
            return
        if ending in self.evening.unanswered and self.evening.book.get(ticket.code, 0) > len(passed) and reason in ("alreadyUsed", "interrupted"):
            return
        words = ", ".join(f"{entry.state} by {entry.station} ({entry.scan[:8]})" for entry in claims) or "no claim"
        yield f"{ending}: {verdict} {reason} at the end, {len(passed)} passed of {ticket.quantity}, and {words}"

    def _is_of_clocks(self, reason):
        return reason == "clockWrong" and self.evening.doubts_clocks

    def ticket_system(self, ending, ticket):
        if ticket.gate != "door":
            return
        there, passed = self.evening.book.get(ticket.code, 0), len(self.passed[ending])
        if passed and not there:
            yield f"{ending}: {passed} passed, and the ticket system was not told"
        if ticket.kind == "entry" and there > 1:
            yield f"{ending}: the ticket system has {there} entries of one ticket"

    def telling(self):
        """Both books of admissions: the stations' and the fleet's."""
        entries = {entry.scan: entry for entry in self.evening.entries if entry.key.startswith("t.")}
        known = {one.scan: one for one in self.evening.admissions}
        for one in self.evening.admissions:
            entry = entries.get(one.scan)
            if one.scan in self.lost or one.is_failed:
                continue
            if entry is None or entry.state != "admitted" or (entry.station, entry.gate) != (one.station, one.gate):
                said = f"{entry.state} at {entry.station} {entry.gate}" if entry else "nothing"
                yield f"{one.ending}: {one.scan[:8]} passed at {one.station} {one.gate}, and the fleet's book has {said}"
            elif entry.is_provisional and one.is_in_events and not one.is_alone:
                # The other way round its claim has come through all the same, and the place was its own.
                yield f"{one.ending}: {one.scan[:8]} is provisional in the fleet's book, and {one.station} did not say so"
        for entry in self.evening.entries:
            if entry.state == "admitted" and entry.scan not in known:
                yield f"{self.evening.codes.get(entry.scan)}: {entry.scan[:8]} is admitted in the fleet's book, and {entry.station} knows nothing of it"
            if entry.state == "claimed":
                yield f"{self.evening.codes.get(entry.scan)}: {entry.scan[:8]} is still being decided by {entry.station}"
