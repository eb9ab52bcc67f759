"""The books of an evening: the gateway's journal, the ticket system's, and what people were told; and what must hold between them.

1. Nobody was admitted beyond what was paid.
2. Every admission that people saw is in the journal.
3. Nobody is refused for an answer that was lost: in the end everybody whose ticket admitted nobody goes in.
4. The ticket system's book and ours agree: what it has more than we admitted is listed as a request without an answer.
5. Every admission that was made while the ticket system was away has been told to it in the end, or is listed as unsettled; none is
   contradicted, for nobody else uses these tickets.
6. Every scan of which an event said that it was stored is in the journal, and so is the scan of every decision.
7. Nobody passes at a hall with a ticket of the other one, and nobody is turned away from their own hall for another event. What the other hall has
   redeemed all the same is ours: its ticket admits as if it had not been there (3).
8. A member is let in once in an interval, and refused for nothing else; each time is in the journal, and what was decided while the ticket system was
   away is confirmed by it afterwards. No power cut costs any of that, but where the disk took longer than a provisional admission waits for it.
9. A party is admitted as often as it has seats and no more, whatever lives its people meet: nobody but the station knows who is in, so each admission is
   durable before the gate opens. Nobody of it is refused for anything else, and the list on board, by which the door decides, outlives every cut. A
   decision that a cut of power broke off counts as somebody who may be in: one of the party is then for staff.

A power cut takes what was not durable, and docs/once.md says what that may cost:

- An admission by the ticket system's word may be known as an `interrupted` request alone (2). Then its ticket is for staff (3), and listed. So
  is one of which a request before the cut was lost, since whether its record is older than the machine's start cannot be told.
- A request that was sent while not even its own row was durable is known to nobody: the ticket system has an entry that the station takes for
  another's (3, 4, 5). Such an entry was made about the time of a cut.
- Where the disk took longer than an admission waits for it (`DISK_WAIT`), somebody may have been let in on such a request; none else.
- Scans of the last half second are lost (6). An admission on an answer that came late has no request of its own: then the ledger's memory
  alone has it, and counts it (2).

All else holds over power cuts, too: what was admitted without the ticket system is durable before the gate opens, above all.
"""

import datetime
import json
import os
from collections import Counter, defaultdict

from tickets import HALLS, INTERVAL

#: How long an admission waits for the disk at most, in milliseconds, by who decided it.
DISK_WAIT = {"server": 50, "ledger": 300, "policy": 2000, "list": 2000}
#: What nobody waits for is synced after half a second; the rest is for a disk and a machine that have much else to do.
DURABLE_AFTER = 2.0
#: What a scan says that the next start has written from its decision.
COMPLETED = "The gateway ended at this moment."
#: By so many seconds more than a decision takes times differ at which two passes were read and decided.
ABOUT = 3
#: When a ticket system may note a request that was open at a cut, in seconds after it: it has whole seconds, and may have paused for 2 s.
ABOUT_A_CUT = (-1.5, 3.5)


class Books:
    def __init__(self, station, system, rights, evening):
        self.station, self.system, self.rights = station, system, rights
        self.last_words, self.problems = evening.last_words, evening.problems
        self.read_journal()
        self.name_tickets()
        self.book = system.book()

    def read_journal(self):
        journal = self.station.journal()
        if (word := journal.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            self.problems.append(f"the journal: {word}")
        self.attempts = rows(journal, """
            SELECT lower(hex(a.id)) id, lower(hex(a.scan)) scan, lower(hex(a.ticket)) ticket, a.session, b.text boot, c.session ending, s.boot ending_boot,
              c.verdict, c.reason, c.fate, c.late, c.may_have_redeemed may, c.entry
            FROM attempt a LEFT JOIN name b ON b.id = a.boot LEFT JOIN conclusion c ON c.attempt = a.seq LEFT JOIN session s ON s.id = c.session
            WHERE a.system = (SELECT id FROM name WHERE text = 'venue')""")
        self.scans = rows(journal, """
            SELECT lower(hex(id)) scan, lower(hex(ticket)) ticket, session, verdict, note, detail, entry FROM scan
            WHERE system = (SELECT id FROM name WHERE text = 'venue')""")
        self.owed = rows(journal, """
            SELECT lower(hex(o.scan)) scan, lower(hex(o.ticket)) ticket, o.session, t.session ending, t.ending told, t.entry
            FROM owed o LEFT JOIN told t ON t.seq = (SELECT max(seq) FROM told WHERE id = o.id)
            WHERE o.system = (SELECT id FROM name WHERE text = 'venue')""")
        #: What the journal has of members: who was let in, and how what was decided without the ticket system ended.
        self.members_in = rows(journal, """
            SELECT lower(hex(a.scan)) scan, 'asked' told FROM attempt a JOIN name n ON n.id = a.system AND n.text = 'members'
              JOIN conclusion c ON c.attempt = a.seq AND NOT c.late AND c.verdict = 'admit'
            UNION SELECT lower(hex(s.id)), 'asked' FROM scan s JOIN name n ON n.id = s.system AND n.text = 'members' WHERE s.verdict = 'admit'
            UNION SELECT lower(hex(o.scan)), t.ending FROM owed o JOIN name n ON n.id = o.system AND n.text = 'members'
              LEFT JOIN told t ON t.seq = (SELECT max(seq) FROM told WHERE id = o.id)""")
        #: What it has of the theatre: which ticket each scan was of, and who was let in.
        theatre = rows(journal, """
            SELECT lower(hex(a.scan)) scan, lower(hex(a.ticket)) ticket, c.verdict FROM attempt a JOIN name n ON n.id = a.system AND n.text = 'theatre'
              LEFT JOIN conclusion c ON c.attempt = a.seq AND NOT c.late
            UNION SELECT lower(hex(s.id)), lower(hex(s.ticket)), s.verdict FROM scan s JOIN name n ON n.id = s.system AND n.text = 'theatre'""")
        self.theatre_tickets = {fact.scan: fact.ticket for fact in theatre if fact.ticket}
        self.theatre_in = {fact.scan for fact in theatre if fact.verdict == "admit"}
        #: Of the theatre's tickets, how often the end of the machine broke a decision off.
        self.theatre_cut = Counter(fact.ticket for fact in rows(journal, """
            SELECT lower(hex(a.ticket)) ticket FROM attempt a JOIN name n ON n.id = a.system AND n.text = 'theatre' JOIN name b ON b.id = a.boot
              JOIN conclusion c ON c.attempt = a.seq AND NOT c.late AND c.verdict IS NULL JOIN session s ON s.id = c.session WHERE s.boot <> b.text"""))
        self.last_session, self.last_boot = journal.execute("SELECT id, boot FROM session ORDER BY id DESC").fetchone()
        journal.close()
        self.provisional = {owed.scan for owed in self.owed}
        #: Requests that redeemed a ticket at the wrong hall.
        self.astray = [attempt for attempt in self.attempts if attempt.reason == "wrongEvent"]
        #: Requests that the end of the machine cut off; where one only told of an admission, nobody stood at the gate.
        self.interrupted = [
            attempt for attempt in self.attempts
            if not attempt.late and not attempt.verdict and attempt.ending_boot != attempt.boot and attempt.scan not in self.provisional]

    def name_tickets(self):
        """Which ticket each fact of the journal is about: it holds no codes, but the scans that people saw tell."""
        scans = [event for event in self.station.events if event["type"] == "scan"]
        self.told = [event for event in scans if event["gate"] not in ("lounge", "stalls")]
        self.members_told = [event for event in scans if event["gate"] == "lounge"]
        self.theatre_told = [event for event in scans if event["gate"] == "stalls"]
        ending_of_scan = {event["id"]: event["code"][-4:] for event in self.told}
        endings = {}
        for fact in self.attempts + [scan for scan in self.scans if scan.ticket] + self.owed:
            if fact.scan in ending_of_scan:
                endings[fact.ticket] = ending_of_scan[fact.scan]
        for fact in self.attempts + self.scans + self.owed:
            fact.ending_of_code = endings.get(fact.ticket) or ending_of_scan.get(fact.scan)

    # What must hold

    def compare(self):
        self.gather()
        self.look_at_scans()
        self.look_at_outbox()
        self.look_at_conflicts()
        self.look_at_halls()
        self.look_at_members()
        self.look_at_theatre()
        for ending, ticket in self.rights.items():
            self.look_at_ticket(ending, ticket.kind, ticket.quantity)
        # A disk that keeps what it synced damages nothing.
        for name in os.listdir(self.station.machine.state):
            if ".damaged-" in name or ".replaced-" in name:
                self.problems.append(f"the journal was set aside: {name}")

    def gather(self):
        """Admissions, requests without an answer, and what nobody knows of, by ticket."""
        self.admitted, self.seen, self.perhaps, self.unanswered, self.unsettled = (defaultdict(set) for _ in range(5))
        entries = set()
        for fact in self.scans + self.attempts:
            if fact.verdict == "admit" and fact.scan not in self.provisional:
                self.admitted[fact.ending_of_code].add(fact.scan)
                entries.add(fact.entry)
        entries.update(attempt.entry for attempt in self.astray)
        for owed in self.owed:
            if owed.told != "withdrawn":
                self.admitted[owed.ending_of_code].add(owed.scan)
            if owed.told == "confirmed":
                entries.add(owed.entry)
            if owed.told == "unsettled":
                self.unsettled[owed.ending_of_code].add(owed.scan)
        for attempt in self.attempts:
            # A telling has no verdict, and where it was answered it is settled.
            if attempt.verdict != "admit" and attempt.may and not attempt.late and (
                    attempt.scan not in self.provisional or attempt.fate != "answered"):
                self.unanswered[attempt.ending_of_code].add(attempt.id)
        for attempt in self.interrupted:
            self.perhaps[attempt.ending_of_code].add(attempt.scan)
        for event in self.told:
            if event["verdict"] == "admit":
                self.seen[event["code"][-4:]].add(event["id"])
        if None in self.admitted:
            self.problems.append(f"{len(self.admitted[None])} admissions of unknown tickets")
        #: Entries on which we admitted nobody, and which a request may have made that a cut has taken from us.
        self.forgotten = {
            ending: sum(number not in entries and self.is_about_a_cut(ending, time) for number, time in made) for ending, made in self.book.items()}
        self.nobodys = sum(
            max(0, len(made) - len(self.admitted[ending]) - len(self.unanswered[ending])) for ending, made in self.book.items())
        self.let_in = {event["id"]: event for event in self.told if event["verdict"] == "admit"}

    def look_at_scans(self):
        written = {scan.scan for scan in self.scans if scan.detail != COMPLETED}
        stored = {event["id"] for event in self.told if event["stored"]}
        durable = {event["id"] for event in self.told if event["stored"] and self.must_be_durable(event)}
        decided = {attempt.scan for attempt in self.attempts if attempt.verdict and not attempt.late} - self.provisional
        for words, lost in [("said to be stored", durable - written), ("decided", decided - {scan.scan for scan in self.scans})]:
            if lost:
                self.problems.append(f"{len(lost)} scans that were {words} are not in the journal")
        #: Scans that a power cut has taken, as it may.
        self.taken = stored - durable - written

    def look_at_outbox(self):
        self.outbox = Counter(owed.told for owed in self.owed)
        for owed in self.owed:
            if owed.told in ("confirmed", "withdrawn", "unsettled") or owed.told == "contradicted" and self.forgotten.get(owed.ending_of_code):
                continue
            self.problems.append(f"{owed.ending_of_code}: an admission without the ticket system ended as {owed.told}")

    def look_at_conflicts(self):
        """What is for staff is listed."""
        listed = [json.loads(line) for line in self.station.tell("journal", "conflicts", "--json").splitlines()]
        self.listed = {line["code"][-4:] for line in listed}
        states = {line["id"]: line["state"] for line in listed}
        for attempt in self.interrupted:
            if states.get(attempt.id) != "interrupted":
                self.problems.append(f"{attempt.ending_of_code}: an interrupted request is listed as {states.get(attempt.id)}")

    def look_at_halls(self):
        """Each hall takes its own."""
        for event in self.told:
            if not event["gate"].startswith("hall-"):
                continue
            is_own = event["gate"] == f"hall-{HALLS[self.rights[event['code'][-4:]].event]}"
            if event["verdict"] == "admit" if not is_own else event["reason"] == "wrongEvent":
                self.problems.append(f"{event['code'][-4:]}: {event['verdict']} {event['reason']} at {event['gate']}")

    def look_at_members(self):
        """Each member goes in once in an interval."""
        known, last = {fact.scan for fact in self.members_in}, {}
        for fact in self.members_in:
            if fact.told not in ("asked", "confirmed", "withdrawn", "unsettled"):
                self.problems.append(f"a member who was let in without the ticket system ended as {fact.told}")
        for event in self.members_told:
            ending, at = event["code"][-4:], datetime.datetime.fromisoformat(event["read_at"].replace("Z", "+00:00")).timestamp()
            # What a killed gateway left of a code in the line is no pass, and asked for nowhere.
            if event["verdict"] == "refuse" and event["reason"] != "tooSoon" and event["decided_by"] != "station":
                self.problems.append(f"{ending}: a member is refused: {event['reason']}")
            if event["verdict"] != "admit" or not self.must_be_durable(event) and event["decided_ms"] >= DISK_WAIT["list"]:
                continue
            if event["id"] not in known:
                self.problems.append(f"{ending}: a member was let in, and that is not in the journal")
            if ending in last and at - last[ending] < INTERVAL - ABOUT:
                self.problems.append(f"{ending}: a member was let in again after {at - last[ending]:.1f} s")
            last[ending] = at

    def look_at_theatre(self):
        """A party is as many as it has seats."""
        told, whose = defaultdict(list), {}
        for event in self.theatre_told:
            told[event["code"][-4:]].append(event)
            if event["verdict"] == "admit" and event["id"] in self.theatre_tickets:
                whose[self.theatre_tickets[event["id"]]] = event["code"][-4:]
        let_in = {event["id"] for event in self.theatre_told if event["verdict"] == "admit"}
        # What was taken back, for the disk was too slow, let nobody in.
        known = self.theatre_in - ({event["id"] for event in self.theatre_told} - let_in)
        for ending, party in self.system.parties.items():
            seen = {event["id"]: event for event in told[ending] if event["verdict"] == "admit"}
            ours = {scan for scan in known if whose.get(self.theatre_tickets.get(scan)) == ending}
            unsure = {scan for scan, event in seen.items() if not self.must_be_durable(event) and event["decided_ms"] >= DISK_WAIT["list"]}
            if lost := seen.keys() - ours - unsure:
                self.problems.append(f"{ending}: {len(lost)} of a party were let in, and that is not in the journal")
            people = seen.keys() | ours
            cut = sum(count for ticket, count in self.theatre_cut.items() if whose.get(ticket) == ending)
            if not party.seats - cut <= len(people) <= party.seats + len(unsure - ours):
                self.problems.append(f"{ending}: {len(people)} admissions of a party of {party.seats}")
            for event in told[ending]:
                is_whole = whose.get(self.theatre_tickets.get(event["id"])) == ending
                usual = (None, "alreadyUsed", "unreachable", "clockWrong", "stale", "busy", "outOfService")
                if event["provisional"] or is_whole and event["reason"] not in (usual + ("interrupted",) if cut else usual):
                    self.problems.append(f"{ending}: a party was told {event['verdict']} {event['reason']}")

    def look_at_ticket(self, ending, kind, quantity):
        ours, perhaps = self.admitted[ending], self.perhaps[ending]
        forgotten = self.forgotten.get(ending, 0)
        unknown = self.seen[ending] - ours - perhaps
        last = self.last_words.get(ending)
        # Each of these is counted by what the ticket is told at the end.
        claimed = {scan for scan in unknown if self.let_in[scan]["decided_by"] == "ledger" and not self.must_be_durable(self.let_in[scan])}
        if last is not None and (last["admitted"] or 0) >= len(ours | claimed):
            ours, unknown = ours | claimed, unknown - claimed
        if lost := [scan for scan in unknown if not self.may_be_unknown(self.let_in[scan])]:
            self.problems.append(f"{ending}: {len(lost)} admissions that people saw are not in the journal")
        if len(ours | self.seen[ending]) > quantity + len(unknown):
            self.problems.append(f"{ending}: {len(ours | self.seen[ending])} admissions of a {kind} for {quantity}")
        is_for_staff = last is not None and last["reason"] == "interrupted"
        if is_for_staff and not forgotten and not self.may_be_for_staff(ending):
            self.problems.append(f"{ending}: for staff, {last['note']}, although no power cut had to do with it")
        if is_for_staff and not forgotten and ending not in self.listed:
            self.problems.append(f"{ending}: for staff, and not listed")
        if len(ours) < quantity and not is_for_staff and not (kind == "entry" and forgotten):
            self.problems.append(f"{ending}: {len(ours)} admissions of a {kind} for {quantity}, and then refused")
        theirs, open = len(self.book.get(ending, [])), len(self.unanswered[ending])
        if kind == "entry" and theirs != 1 and not (is_for_staff and theirs == 0):
            self.problems.append(f"{ending}: {theirs} in the ticket system's book")
        if kind == "sale" and not len(ours) - len(self.unsettled[ending]) <= theirs <= len(ours) + open + forgotten:
            self.problems.append(
                f"{ending}: {theirs} in the ticket system's book, {len(ours)} admitted, {open} without an answer, {forgotten} about a cut")

    # What a power cut may cost

    def last_life(self, event):
        """The life at whose end the power went that had gone on until then since an event; None if the power stayed."""
        life = self.station.lives[event["life"]]
        return next((each for each in self.station.lives[event["life"]:] if each.boot == life.boot and each.is_cut), None)

    def must_be_durable(self, event):
        """Whether no power cut may have taken what was written when an event was seen."""
        last = self.last_life(event)
        if last is None:
            return True
        # What an earlier life left unsynced is synced by the next one.
        syncing_since = last.reading if last is not self.station.lives[event["life"]] else event["seen"]
        return syncing_since is not None and last.ended - max(event["seen"], syncing_since) > DURABLE_AFTER

    def may_be_unknown(self, event):
        return not self.must_be_durable(event) and event["decided_ms"] >= DISK_WAIT[event["decided_by"]]

    def may_be_for_staff(self, ending):
        """Whether a request on a ticket was cut off, or had no answer in time and then the power went."""
        return bool(self.perhaps[ending]) or any(
            attempt.boot != self.last_boot and attempt.may and (attempt.late or not attempt.entry)
            for attempt in self.attempts if attempt.ending_of_code == ending)

    def is_about_a_cut(self, ending, time):
        """Whether a ticket that was shown, or told of, in a life that ended by a cut may have been noted then because of it."""
        is_owed = any(owed.ending_of_code == ending for owed in self.owed)
        return any(
            life.is_cut and ABOUT_A_CUT[0] <= time - life.ended_at <= ABOUT_A_CUT[1] and (is_owed or (ending, number) in self.station.shown)
            for number, life in enumerate(self.station.lives))


class Fact:
    """A row of the journal."""

    def __init__(self, columns, row):
        self.__dict__.update(zip(columns, row))


def rows(journal, query):
    found = journal.execute(query)
    return [Fact([column[0] for column in found.description], row) for row in found]
