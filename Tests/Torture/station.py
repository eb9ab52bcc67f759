"""The station: its gateway, its scanners, and what people were told."""

import fcntl
import json
import os
import pty
import select
import signal
import sqlite3
import subprocess
import termios
import time
from contextlib import closing
from dataclasses import dataclass

CONFIGURATION = """
version: 1
station: {{ name: torture }}
ticketSystems:
  venue:
    type: eventschedule
    url: "http://127.0.0.1:{port}"
    apiKeyFile: {folder}/venue.key
    rate: {{ limit: 10000 }}
    list: {{ maxAge: 24 h }}
  members:
    type: subscriptions
    url: "http://127.0.0.1:{port}/api/v1"
    accessToken: members
    passes: {{ keys: {folder}/pass-keys.txt }}
    interval: 1 min
  theatre:
    type: bookings
    url: "http://127.0.0.1:{port}"
    venue: {{ id: {theatre[venue]}, slug: {theatre[slug]}, zone: UTC }}
    staff: {{ email: door@theatre.example, password: theatre-door }}
    list: {{ refresh: 1 min }}
readers:
  left: {{ type: serial, match: {{ path: {lines[0]} }} }}
  right: {{ type: serial, match: {{ path: {lines[1]} }} }}
  before-a: {{ type: serial, match: {{ path: {lines[2]} }} }}
  before-b: {{ type: serial, match: {{ path: {lines[3]} }} }}
  turnstile: {{ type: serial, match: {{ path: {lines[4]} }} }}
  usher: {{ type: serial, match: {{ path: {lines[5]} }} }}
gates:
  north:
    readers: [left]
    ticketSystem: venue
    deadline: 400 ms
    holdOff: 0 s
    floodLimit: 600
    accept: {{ minLength: 24, maxLength: 24, alphabet: alphanumeric }}
    offline: {{ policy: admitAndQueue, most: 100000, after: 300 ms, durableWithin: 2 s }}
  south:
    readers: [right]
    ticketSystem: venue
    deadline: 400 ms
    holdOff: 0 s
    floodLimit: 600
    # A machine without the network's time does not know the day after a start; these tickets are for any.
    offline: {{ policy: list, after: 300 ms, durableWithin: 2 s, untrustedClock: ignoreDay }}
  # Behind those two doors, two halls: the one asks what a ticket is for, the other learns it by the answer, when it is spent.
  hall-a:
    readers: [before-a]
    ticketSystem: venue
    ticket: {{ events: [1], unknownEvent: lookUp }}
    deadline: 400 ms
    holdOff: 0 s
    floodLimit: 600
    accept: {{ minLength: 24, maxLength: 24, alphabet: alphanumeric }}
    offline: {{ policy: admitAndQueue, most: 100000, after: 300 ms, durableWithin: 2 s }}
  hall-b:
    readers: [before-b]
    ticketSystem: venue
    ticket: {{ events: [2], unknownEvent: redeem }}
    deadline: 400 ms
    holdOff: 0 s
    floodLimit: 600
    offline: {{ policy: list, after: 300 ms, durableWithin: 2 s, untrustedClock: ignoreDay }}
  # Beside them, one for members: who went in is in the station's book alone.
  lounge:
    readers: [turnstile]
    ticketSystem: members
    deadline: 400 ms
    holdOff: 0 s
    floodLimit: 600
    offline: {{ policy: list, after: 300 ms, durableWithin: 2 s }}
  # And a theatre's door: the list on board decides, and who went in is in the station's book alone.
  stalls:
    readers: [usher]
    ticketSystem: theatre
    ticket: {{ shows: [{show}], opens: 24 h, closes: 24 h }}
    deadline: 400 ms
    holdOff: 0 s
    floodLimit: 600
    offline: {{ policy: list, after: 300 ms, durableWithin: 2 s }}
"""

#: Requests whose end is not written down, as far as they may redeem.
OPEN_REQUESTS = """
    SELECT count(*) FROM open_attempt o JOIN attempt a ON a.seq = o.attempt JOIN name n ON n.id = a.system WHERE n.text = 'venue'"""

#: The scanners: two that take all tickets, those of the halls, by the numbers of their events, the members', and the theatre's.
OPEN, HALL, TURNSTILE, STALLS = (0, 1), {1: 2, 2: 3}, 4, 5
SCANNERS = len(OPEN) + len(HALL) + 2


@dataclass
class Life:
    """One life of the gateway: in which start of the machine, since when it read, and its end, by this machine's clocks."""

    boot: int
    reading: float = None
    ended: float = None
    ended_at: float = None
    is_cut: bool = False


class Station:
    def __init__(self, program, folder, machine, system):
        self.program, self.folder, self.machine = program, folder, machine
        self.lives, self.events = [], []
        #: Which tickets were shown in which life.
        self.shown = set()
        self.gateway = None
        self.offset, self.rest, self.reading = 0, b"", set()
        self.scanners, names = [], []
        for _ in range(SCANNERS):
            scanner, line = pty.openpty()
            os.set_blocking(scanner, False)
            # Held open, or the line would count as gone before the gateway opens it.
            self.scanners.append((scanner, line))
            names.append(os.ttyname(line))
        with open(f"{folder}/scangate.yaml", "w") as file:
            file.write(CONFIGURATION.format(port=system.port, folder=folder, lines=names, theatre=system.theatre, show=system.show))
        self.environment = dict(os.environ, STATE_DIRECTORY=machine.state)
        self.environment.pop("NOTIFY_SOCKET", None)
        self.tell("credential", "set", "members", "--file", f"{folder}/venue.token")
        self.tell("credential", "set", "theatre-door", "--file", f"{folder}/staff.password")
        self.tell("tickets", "import", system.list, "--system", "venue", "--config", f"{folder}/scangate.yaml")
        self.tell("tickets", "import", "--from-system", "theatre", "--config", f"{folder}/scangate.yaml")

    def tell(self, *words):
        """What a command of the program prints."""
        return subprocess.run([self.program, *words], env=self.environment, check=True, capture_output=True, text=True).stdout

    # The gateway

    def start(self):
        self.lives.append(Life(self.machine.boot))
        self.reading.clear()
        with open(f"{self.folder}/scangate.log", "ab") as log:
            self.gateway = subprocess.Popen(
                [self.program, "run", "--config", f"{self.folder}/scangate.yaml", "--events", f"{self.folder}/events"],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, process_group=0, preexec_fn=self.machine.enter)

    def await_reading(self):
        if not self.wait(lambda event: len(self.reading) == SCANNERS, 30):
            raise RuntimeError("The gateway did not start; see scangate.log.")
        self.lives[-1].reading = time.monotonic()

    def end(self, is_cut):
        """Ends this life at once: the process alone, or the machine."""
        life = self.lives[-1]
        life.ended, life.ended_at, life.is_cut = time.monotonic(), time.time(), is_cut
        if self.gateway.poll() is not None:
            raise RuntimeError(f"The gateway ended by itself, with {self.gateway.returncode}; see scangate.log.")
        (self.machine.cut if is_cut else self.machine.kill)(self.gateway)
        self.take_events()
        self.drain()

    def stop(self):
        """Ends the last life in order."""
        self.gateway.send_signal(signal.SIGTERM)
        self.gateway.wait()
        self.take_events()

    # What people are told

    def take_events(self):
        """New events; each knows when it was seen, and in which life."""
        if not os.path.exists(f"{self.folder}/events"):
            return []
        with open(f"{self.folder}/events", "rb") as file:
            file.seek(self.offset)
            data = file.read()
        self.offset += len(data)
        *lines, self.rest = (self.rest + data).split(b"\n")
        new = []
        for line in lines:
            # A killed process may leave half a line, to which its successor adds.
            try:
                event = json.loads(line)
            except ValueError:
                continue
            event["seen"], event["life"] = time.monotonic(), len(self.lives) - 1
            if event["type"] == "device" and event["state"] == "reading":
                self.reading.add(event["reader"])
            new.append(event)
        self.events += new
        return new

    def wait(self, condition, timeout):
        """The first new event for which the condition holds; None if there is none in time."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            for event in self.take_events():
                if condition(event):
                    return event
            if self.gateway.poll() is not None:
                return None
            time.sleep(0.002)
        return None

    # What people show

    def present(self, text, slot):
        """Shows a code to a scanner, or what is printed with it."""
        self.shown.add((text[-4:], len(self.lives) - 1))
        try:
            os.write(self.scanners[slot][0], text.encode() + b"\r")
        except BlockingIOError:
            pass  # The gateway is not there to read, and the line is full.

    def drain(self):
        """Takes what the line echoes and what nobody has read: a scanner forgets what it could not send."""
        for scanner, line in self.scanners:
            # The dead gateway had it for itself, which only root may overlook.
            fcntl.ioctl(line, termios.TIOCNXCL)
            termios.tcflush(line, termios.TCIOFLUSH)
            while select.select([scanner], [], [], 0)[0]:
                os.read(scanner, 4096)

    # What it owes

    def has_open_request(self):
        """Whether a request that may redeem is written down and its end is not."""
        try:
            with closing(self.journal()) as journal:
                return journal.execute(OPEN_REQUESTS).fetchone()[0] > 0
        except sqlite3.Error:
            return False

    def journal(self):
        return sqlite3.connect(f"file:{self.machine.state}/journal.sqlite?mode=ro", uri=True)

    def owed(self):
        """How many admissions the ticket system has still to be told of."""
        return json.loads(self.tell("outbox", "status", "--json"))["waiting"]

    def is_away(self):
        """Whether this life of the gateway takes the ticket system for away, be it for tickets or for passes."""
        told = [event for event in self.events if event["life"] == len(self.lives) - 1 and event["type"] == "ticketSystem"]
        return "offline" in {event["ticket_system"]: event["state"] for event in told}.values()
