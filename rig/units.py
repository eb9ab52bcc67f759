"""Services of the guest: what systemd says of them, by its D-Bus, and what they say in the journal."""

import re
import struct
from collections import namedtuple

from feeds import Feed
from machine import MachineError

MANAGER = "org.freedesktop.systemd1"
#: Which interface has a property; others are asked of systemctl.
INTERFACES = {
    **dict.fromkeys(["ActiveState", "SubState", "LoadState", "ActiveEnterTimestampMonotonic"], f"{MANAGER}.Unit"),
    **dict.fromkeys(["MainPID", "ExecMainStartTimestampMonotonic", "NRestarts"], f"{MANAGER}.Service"),
}
METHOD_CALL, ERROR = 1, 3

#: A message of the journal, which may have several lines; `at` is in nanoseconds of CLOCK_MONOTONIC, `units` are who says it and of whom.
Entry = namedtuple("Entry", "at units pid identifier message")


def _text(value):
    return struct.pack("<I", len(value)) + value.encode() + b"\0"


def _padded(data, to=8):
    return data + b"\0" * (-len(data) % to)


def bus_call(path, interface, member, *arguments):
    """A message that calls a method with texts."""
    fields = b""
    for code, signature, value in ((1, b"o", path), (2, b"s", interface), (3, b"s", member)):
        fields = _padded(fields) + bytes([code, 1]) + signature + b"\0" + _text(value)
    signature = b"s" * len(arguments)
    fields = _padded(fields) + bytes([8, 1]) + b"g\0" + bytes([len(signature)]) + signature + b"\0"
    body = b""
    for argument in arguments:
        body = _padded(body, 4) + _text(argument)
    return _padded(struct.pack("<cBBBIII", b"l", METHOD_CALL, 0, 1, len(body), 1, len(fields)) + fields) + body


def bus_value(message):
    """The value in the answer to a question for a property: a text or a number."""
    body = message[16 + (struct.unpack_from("<I", message, 12)[0] + 7) // 8 * 8:]

    def text(start):
        return body[start + 4:start + 4 + struct.unpack_from("<I", body, start)[0]].decode()

    if message[1] == ERROR:
        raise MachineError(f"systemd says: {text(0)}")
    signature = chr(body[1])
    if signature == "s":
        return text(4)
    layout = {"u": "<I", "i": "<i", "t": "<Q"}[signature]
    return struct.unpack_from(layout, body, struct.calcsize(layout))[0]  # where it begins is a multiple of its size


def unit_path(unit):
    """A unit as an object of the bus."""
    return "/org/freedesktop/systemd1/unit/" + re.sub(r"[^A-Za-z0-9]|^\d", lambda found: f"_{ord(found[0]):02x}", unit)


class Units:
    """The part of a rig that knows its services."""

    def __init__(self):
        self._journal, self._entries, self._journal_read = None, [], 0

    def main_pid(self, unit):
        """The process id of a service's program; 0 while it does not run."""
        return int(self.unit(unit, "MainPID"))

    def unit(self, unit, property):
        """A property of a unit, as systemd shows it."""
        if property not in INTERFACES:
            return self.sh(f"systemctl show -P {property} {unit}").strip()
        call = bus_call(unit_path(unit), "org.freedesktop.DBus.Properties", "Get", INTERFACES[property], property)
        return str(bus_value(self.machine.do("bus", call)))

    def is_active(self, unit):
        """Whether a service runs, and has said that it is ready."""
        return self.unit(unit, "ActiveState") == "active"

    def journal(self, unit, since=0):
        """What a service has said, from a time in nanoseconds of CLOCK_MONOTONIC on."""
        return [f"{entry.identifier}[{entry.pid}]: {entry.message}" for entry in self.journal_entries() if unit in entry.units and entry.at >= since]

    def journal_of(self, pid):
        """What a process of a service has said."""
        return [entry.message for entry in self.journal_entries() if entry.pid == pid]

    def journal_entries(self):
        """Everything in the journal but the kernel's messages."""
        if self._journal is None:
            self._journal = Feed(self)
            self.machine.ask("journal", take=self._journal.take)
        self.catch_up(self._sync_journal)
        for line in self._journal.told(self._journal_read):
            self._journal_read += 1
            at, pid, identifier, *units, message = line.split("\t")
            self._entries.append(Entry(int(at) * 1000, units, int(pid or 0), identifier, bytes.fromhex(message).decode(errors="replace")))
        return self._entries

    def _sync_journal(self):
        self.machine.do("syncjournal")
