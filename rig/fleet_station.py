"""A station of a fleet's evening: the real program, with scanners that are pseudo-terminals and lamps that are pipes."""

import contextlib
import fcntl
import json
import os
import pty
import shutil
import termios
import time
import tty
from pathlib import Path

import namespaces
from fleet_machine import AS_GATE, ROOT, Machine, Running, run
from native import PROGRAM

#: What moves the civil clock of a process: of ours, for Debian's libfaketime (0.9.10) moves timers of other clocks, too.
MOVED_SOURCE, MOVED = Path(__file__).resolve().parent / "moved_clock.c", ROOT / "moved_clock.so"
#: The gates of each station: one whose ticket system keeps a book, and one whose book is the fleet's alone.
GATES = ("door", "stalls")

CONFIGURATION = """
version: 1
station: {{name: {name}}}
{fleet}
ticketSystems:
  venue:
    type: eventschedule
    url: "http://{venue}:{port}"
    allowPlainHTTP: true
    apiKeyFile: {folder}/venue.key
    rate: {{limit: 10000}}
    list: {{maxAge: 24 h}}
  theatre:
    type: bookings
    url: "http://{venue}:{port}"
    allowPlainHTTP: true
    venue: {{id: {theatre[venue]}, slug: {theatre[slug]}, zone: UTC}}
    staff: {{email: door@theatre.example, password: theatre-door}}
    list: {{refresh: 1 min}}
readers:
  door: {{type: serial, match: {{path: {folder}/door}}}}
  stalls: {{type: serial, match: {{path: {folder}/stalls}}}}
gates:
  door:
    readers: [door]
    ticketSystem: venue
    holdOff: 0 s
    floodLimit: 600
    accept: {{minLength: 24, maxLength: 24, alphabet: alphanumeric}}
    offline: {{policy: {policy}}}
    outputs: {{green: {{led: "{name}-door:green:pass"}}}}
    signals: &signals {{admit: {{green: [30 ms]}}, provisional: {{green: [20 ms]}}}}
  stalls:
    readers: [stalls]
    ticketSystem: theatre
    ticket: {{shows: [{show}], opens: 24 h, closes: 24 h, party: each}}
    holdOff: 0 s
    floodLimit: 600
    offline: {{policy: list}}
    outputs: {{green: {{led: "{name}-stalls:green:pass"}}}}
    signals: {{admit: {{green: [30 ms]}}, provisional: {{green: [20 ms]}}}}
""".replace("&signals ", "")


class Station:
    """A station: its program, its scanners, its lamps, what it tells."""

    def __init__(self, name, address, moves=False, program=PROGRAM):
        self.machine, self.name, self.folder, self.program = Machine(name, address), name, ROOT / name, program
        self.state, self.clock = self.folder / "state", self.folder / "clock"
        self.process = Running(name, self.folder / "log")
        self.folder.mkdir()
        self.state.mkdir(mode=0o700)
        self.move_clock(0)
        self.environment = {**os.environ, "STATE_DIRECTORY": str(self.state)}
        self.environment.pop("NOTIFY_SOCKET", None)
        #: What moves its clock, and how far it is moved.
        self.shift = ["env", f"LD_PRELOAD={MOVED}", f"MOVED_CLOCK={self.clock}"] if moves else []
        self.moves = moves
        self.events, self.reading, self._offset, self._rest = [], set(), 0, b""
        self._lines = {}
        #: When each life began and ended, by this machine's monotonic clock, and whether it was killed.
        self.lives = []
        #: Whether it cannot be expected to answer at once: who presents a ticket there waits for longer.
        shutil.chown(self.folder, namespaces.USER, namespaces.USER)
        shutil.chown(self.state, namespaces.USER, namespaces.USER)

    def tell(self, *words, check=True):
        """What a command of the program prints."""
        return run(*self.machine.inside, *AS_GATE, self.program, *words, env=self.environment, check=check)

    def start(self):
        for gate in GATES:
            self._open(gate)
        self.reading.clear()
        self.lives.append({"began": time.monotonic_ns(), "ended": None, "killed": False})
        self.process.start([*self.machine.inside, *AS_GATE, *self.shift, self.program, "run", "--config", self.folder / "scangate.yaml",
                            "--events", self.folder / "events.jsonl"], env=self.environment)

    def kill(self):
        self.process.kill()
        self.lives[-1].update(ended=time.monotonic_ns(), killed=True)
        self.take()

    def end(self):
        self.process.end()
        self.lives[-1].update(ended=time.monotonic_ns())
        self.take()

    def move_clock(self, seconds):
        with open(self.clock, "r+b" if self.clock.exists() else "wb") as file:  # seen at once by who has it mapped
            file.write(seconds.to_bytes(8, "little", signed=True))

    # Scanners

    def _open(self, gate):
        """A new line each time: who makes one keeps it open, so that a killed program's claim would outlive it."""
        for end in self._lines.pop(gate, ()):
            os.close(end)
        master, kept = pty.openpty()
        tty.setraw(kept)
        os.set_blocking(master, False)
        shutil.chown(os.ttyname(kept), namespaces.USER, namespaces.USER)
        path = self.folder / gate
        path.unlink(missing_ok=True)
        path.symlink_to(os.ttyname(kept))
        self._lines[gate] = (master, kept)

    def present(self, gate, code):
        with contextlib.suppress(BlockingIOError):  # nobody is there to read, and the line is full
            os.write(self._lines[gate][0], code.encode() + b"\r")

    def forget(self, gate):
        """What nobody has read goes: a scanner forgets what it could not send."""
        with contextlib.suppress(OSError, termios.error):
            fcntl.ioctl(self._lines[gate][1], termios.TIOCNXCL)
            termios.tcflush(self._lines[gate][1], termios.TCIFLUSH)

    # What it tells

    def take(self):
        """New events, each with when it was seen and in which life."""
        try:
            with open(self.folder / "events.jsonl", "rb") as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return []
        self._offset += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        new = []
        for line in lines:
            # A killed process may leave half a line, to which its successor adds.
            with contextlib.suppress(ValueError):
                new.append({**json.loads(line), "seen": time.monotonic_ns(), "life": len(self.lives) - 1})
        for event in new:
            if event["type"] == "device":
                (self.reading.add if event["state"] == "reading" else self.reading.discard)(event["reader"])
        self.events += new
        return new

    @property
    def reads(self):
        return self.process.runs and self.reading == set(GATES)

    def last(self, kind, *states):
        """The last event of a kind in this life, and of one of these states."""
        return next((event for event in reversed(self.events) if event["type"] == kind and event["state"] in states and event["life"] == len(self.lives) - 1), None)
