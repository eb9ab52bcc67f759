"""What is left of a fleet's evening, read where it lies: journals and events of stations, the stream's files on the servers, the ticket system's book, lamps."""

import sqlite3
import struct

import s2
from fleet_checker import Admission, Entry, Evening
from fleet_station import GATES

STATES = {1: "claimed", 2: "interrupted", 3: "admitted", 4: "left"}
#: Of a record in a server's file: how long it is (and whether it has headers), its place in the stream, its time, and how long its subject is.
RECORD, HEADERS, ERASED, DIGEST = struct.Struct("<IQqH"), 1 << 31, 1 << 63, 8


def collect(world, people):
    """Everything, of servers and stations that have ended in order; `people` have presented tickets (fleet_evening.People)."""
    evening = Evening(people.tickets, lives={name: [life["killed"] for life in station.lives] for name, station in world.stations.items()})
    for station in world.stations.values():
        read_events(evening, station)
    for station in world.stations.values():
        read_journal(evening, station, people)
    evening.unanswered |= people.cut_off
    read_lamps(evening, world)
    read_stream(evening, world)
    evening.last_words, evening.book, evening.waiting = people.last_words, people.book, people.waiting_at_end
    return evening


def read_events(evening, station):
    for event in station.events:
        if event["type"] == "scan":
            ending = event["code"][-4:]
            evening.codes[event["id"]] = ending
            if event["verdict"] == "admit":
                evening.admissions.append(Admission(
                    event["id"], station.name, event["gate"], event["life"], ending, is_alone=event["note"] == "withoutFleet",
                    is_provisional=event["provisional"], is_failed=bool(event["output_fault"]), is_in_events=True))
            elif event["verdict"] == "undecided":
                evening.unknown.add(event["id"])
                evening.unanswered.add(ending)
        elif event["type"] == "attempt":
            evening.codes[event["scan"]] = event["code"][-4:]
            evening.unanswered.add(event["code"][-4:])
        elif event["type"] == "clock":
            evening.doubts_clocks |= event["state"] == "recordsDoubted"
        elif event["type"] == "conflict":
            evening.conflicts[event["code"][-4:]].append(event["detail"] or "")
            evening.codes.setdefault(event["scan"], event["code"][-4:])


def read_journal(evening, station, people):
    """What it has of admissions, and of scans that nobody heard of."""
    journal = sqlite3.connect(f"file:{station.state}/journal.sqlite?mode=ro", uri=True)
    if (word := journal.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
        evening.faults_of_book.append(f"{station.name}: the journal: {word}")
    known = {one.scan: one for one in evening.admissions}
    found = journal.execute("""
        SELECT lower(hex(s.id)), n.text, s.read_at, s.verdict, s.note, s.output_fault FROM scan s JOIN name n ON n.id = s.gate
        UNION ALL
        SELECT lower(hex(a.scan)), n.text, a.read_at, coalesce(c.verdict, 'undecided'), NULL, NULL FROM attempt a JOIN name n ON n.id = a.gate
          LEFT JOIN conclusion c ON c.attempt = a.seq AND NOT c.late WHERE a.scan NOT IN (SELECT id FROM scan)
        UNION ALL
        SELECT lower(hex(o.scan)), n.text, o.read_at, 'admit', NULL, NULL FROM owed o JOIN name n ON n.id = o.gate WHERE o.scan NOT IN (SELECT id FROM scan)
        """).fetchall()
    for scan, gate, read_at, verdict, note, fault in found:
        if scan not in evening.codes and (ending := people.shown(station.name, gate, read_at)):
            evening.codes[scan] = ending
        if verdict != "admit":
            if verdict == "undecided":
                evening.unknown.add(scan)
            continue
        if scan in known:
            known[scan].is_in_journal = True
            continue
        life = max((number for number, life in enumerate(station.lives) if life["began"] <= read_at), default=0)
        one = Admission(scan, station.name, gate, life, evening.codes.get(scan), is_alone=note == "withoutFleet", is_failed=bool(fault), is_in_journal=True)
        known[scan] = one
        evening.admissions.append(one)
    for line in people.conflicts[station.name]:
        ending = line["code"][-4:] if line["code"] else evening.codes.get(line["scan"])
        evening.conflicts[ending].append(line.get("said") or "")
    journal.close()


def read_lamps(evening, world):
    """How often each was lit in which life of its station."""
    for station in world.stations.values():
        for gate in GATES:
            lit = 0
            for change in world.changes(station.name, gate):
                if change.value > 0 and not lit:
                    life = max((number for number, life in enumerate(station.lives) if life["began"] <= change.at), default=0)
                    place = (station.name, gate, life)
                    evening.pulses[place] = evening.pulses.get(place, 0) + 1
                lit = change.value


def read_stream(evening, world):
    """The book as each server has it on its disk; all have the same."""
    books = {name: latest(server.blocks()) for name, server in world.servers.items()}
    first = next(iter(books))
    for name, book in books.items():
        different = {key for key in {*book, *books[first]} if book.get(key) != books[first].get(key)}
        if different:
            evening.faults_of_book.append(f"{name} and {first} have not the same book: {len(different)} keys differ, of {len(book)} and {len(books[first])}")
    for key, (_, value) in books[first].items():
        if key.startswith("w."):  # What a station says of itself is no claim.
            continue
        try:
            evening.entries += entries_of(key, value, set(world.stations))
        except (ValueError, IndexError, struct.error) as error:
            evening.faults_of_book.append(f"the fleet's book has at {key} no claim: {error}")
    # A scan that nobody heard of has a claim: whose presentation was cut off there says on which ticket.
    names = {entry.key: evening.codes[entry.scan] for entry in evening.entries if entry.scan in evening.codes}
    heard = set(evening.codes)
    for entry in evening.entries:
        if entry.scan not in heard:
            evening.unknown.add(entry.scan)
            if entry.key in names:
                evening.codes[entry.scan] = names[entry.key]


def latest(blocks):
    """By key: the newest value that files of a server hold, and its place in the stream."""
    found = {}
    for path in blocks:
        data, offset = s2.plain(path.read_bytes()), 0
        while offset + RECORD.size <= len(data):
            length, place, _, subject_length = RECORD.unpack_from(data, offset)
            has_headers, length = bool(length & HEADERS), length & ~HEADERS
            if length < RECORD.size + DIGEST or offset + length > len(data):
                break
            at, end = offset + RECORD.size, offset + length - DIGEST
            subject, at = data[at:at + subject_length].decode(), at + subject_length
            offset += length
            if place & ERASED or not subject:
                continue
            if has_headers:
                (size,) = struct.unpack_from("<I", data, at)
                at += 4 + size
            key = subject.split(".", 2)[2]
            if key not in found or found[key][0] < place:
                found[key] = (place, data[at:end])
    return found


class Reader:
    """What `WireWriter` has written."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        (value,) = struct.unpack_from(f"<{form}", self.data, self.at)
        self.at += struct.calcsize(f"<{form}")
        return value

    def bytes(self, count):
        if self.at + count > len(self.data):
            raise ValueError("it is too short")
        self.at += count
        return self.data[self.at - count:self.at]

    def text(self):
        return self.bytes(self.take("H")).decode()

    def optional(self, form):
        return self.take(form) if self.take("B") else None


def entries_of(key, value, stations):
    """The entries of a claim. Whether its signature is good the stations say."""
    reader = Reader(value)
    if (version := reader.take("B")) != 1:
        raise ValueError(f"it is of version {version}")
    reader.take("Q")
    if (author := reader.text()) not in stations:
        raise ValueError(f"{author} wrote it")
    reader.optional("I")
    reader.take("I")
    entries = []
    for _ in range(reader.take("H")):
        scan, station, gate = reader.bytes(16).hex(), reader.text(), reader.text()
        state = reader.take("B")
        if state == 4:
            reader.bytes(16)
        flags = reader.take("B")
        reader.optional("q")
        reader.optional("q")
        entries.append(Entry(key, scan, station, gate, STATES[state], bool(flags & 2)))
    return entries
