"""The world of one soak: `scangate run` with its output holder, the venue that it asks, steady scanners on pseudo-terminals, and a
test bed for scanners that come and go."""

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tty
from pathlib import Path

import level

HERE = Path(__file__).resolve().parent
#: How many readers look for a line by its path.
PATHS = 8
#: The rate that a configuration can allow at most.
REQUESTS_A_MINUTE = 10_000

CONFIGURATION = """\
version: 1
station: {{ name: soak }}
ticketSystems:
  venue:
    type: eventschedule
    url: "http://127.0.0.1:{port}"
    apiKeyFile: {folder}/venue.key
    rate: {{ limit: 10000, model: window }}
readers:
  left: {{ type: serial, match: {{ path: {left} }}, silence: 20 ms }}
  right: {{ type: serial, match: {{ path: {right} }}, silence: 20 ms }}
  steady: {{ type: wedge, match: {{ serial: STEADY }}, silence: 20 ms }}
  usb: {{ type: wedge, match: {{ vendor: "0c2e" }}, silence: 20 ms }}
  bluetooth: {{ type: wedge, match: {{ name: Soak Ring Scanner }}, silence: 20 ms }}
  line: {{ type: serial, match: {{ vendor: "05f9" }}, silence: 20 ms }}
{paths}
gates:
  north:
    readers: [left, usb, line]
    ticketSystem: venue
    holdOff: 1 s
    queue: 64
    stale: 1 min
    floodLimit: 600
    outputs: {{ green: {{ led: "north:green" }}, red: {{ led: "north:red" }} }}
  south:
    readers: [right, steady, bluetooth, {names}]
    ticketSystem: venue
    holdOff: 1 s
    queue: 64
    stale: 1 min
    floodLimit: 600
    outputs: {{ green: {{ led: "south:green" }}, red: {{ led: "south:red" }} }}
"""


class Station:
    def __init__(self, programs):
        self.programs = Path(programs).resolve()
        self.folder = tempfile.mkdtemp(prefix="scangate-soak-")
        self.processes = {}
        self.lock = threading.Lock()
        self.rest, self.fresh = b"", []
        self.peaks = {}
        self.log = open(f"{self.folder}/log", "ab")
        # Written and read by one process, so that it never ends.
        os.mkfifo(f"{self.folder}/events")
        self.fifo = os.open(f"{self.folder}/events", os.O_RDWR | os.O_NONBLOCK)
        os.mkdir(f"{self.folder}/state", 0o700)
        self.steady = {}
        for name in ("left", "right"):
            scanner, line = pty.openpty()
            tty.setraw(line)
            # Held open, or the line would count as gone before the gateway opens it.
            self.steady[name] = (scanner, line, os.ttyname(line))

    # Processes

    def spawn(self, name, command, **more):
        self.processes[name] = subprocess.Popen([str(word) for word in command], stderr=self.log, **more)
        return self.processes[name]

    def start(self, tickets):
        """`tickets` is the venue's file of them. Whoever reads devices sees those of the test bed and no others."""
        self.build_bed()
        held = self.compile("held", HERE / "held.c", "-pthread")
        self.serve_venue(tickets, held)
        paths = [f"  path{one}: {{ type: serial, match: {{ path: {self.folder}/path{one} }}, silence: 20 ms }}" for one in range(PATHS)]
        self.text = CONFIGURATION.format(
            port=self.port, folder=self.folder, left=self.steady["left"][2], right=self.steady["right"][2], paths="\n".join(paths),
            names=", ".join(f"path{one}" for one in range(PATHS)))
        self.configure(self.text)
        for _, _, node in self.steady.values():
            self.bed("terminal", node)
        self.bed("wedge", 1, "1-1", "1eab", "0003", "STEADY", "Steady Scanner")
        seeing = dict(os.environ, UMOCKDEV_DIR=self.bed_folder, STATE_DIRECTORY=f"{self.folder}/state",
                      LD_PRELOAD=held, SOAK_HELD=f"{self.folder}/held")
        for word in ("NOTIFY_SOCKET", "JOURNAL_STREAM", "RUNTIME_DIRECTORY"):
            seeing.pop(word, None)
        socket = f"{self.folder}/outputs.sock"
        quiet = {"env": seeing, "stdin": subprocess.DEVNULL, "stdout": self.log}
        self.spawn("holder", ["umockdev-wrapper", self.programs / "scangate-outputs", "--socket", socket, "--state", self.folder,
                              "--runtime", self.folder], **quiet)
        self.until(lambda: os.path.exists(socket), "The output holder does not listen")
        self.spawn("gateway", ["umockdev-wrapper", self.programs / "scangate", "run", "-c", f"{self.folder}/scangate.yaml", "--events",
                               f"{self.folder}/events", "--holder", socket], **quiet)
        self.await_readers(30)
        threading.Thread(target=self.watch_peaks, daemon=True).start()

    def build_bed(self):
        """The evdev behind the test bed is the one that the tests have."""
        mock = HERE.parent / "CMockDevices"
        library = self.compile("mock", "-I", mock / "include", mock / "mock.c", HERE / "patience.c", "-ldl")
        bed = self.spawn("bed", ["umockdev-wrapper", sys.executable, HERE / "bed.py", library], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE, text=True, env=dict(os.environ, TMPDIR=self.folder, LD_PRELOAD=library))
        self.bed_folder = bed.stdout.readline().strip()
        if not self.bed_folder:
            raise SystemExit(f"The test bed did not start.\n{self.tail()}")
        for gate in ("north", "south"):
            for lamp in ("green", "red"):
                self.bed("led", f"{gate}:{lamp}")

    def compile(self, name, *parts):
        library = f"{self.folder}/{name}.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, *parts], check=True)
        return library

    def bed(self, *words):
        bed = self.processes["bed"]
        bed.stdin.write("\t".join(map(str, words)) + "\n")
        bed.stdin.flush()
        answer = bed.stdout.readline().strip()
        if answer != "done":
            raise SystemExit(f"The test bed, told {words}: {answer or 'ended'}\n{self.tail()}")

    def serve_venue(self, tickets, library):
        venue = self.spawn("venue", [self.programs / "scangate", "venue", "serve", "--listen", "127.0.0.1:0", "--database",
                                     f"{self.folder}/venue.sqlite", "--import", tickets, "--api-key-file", f"{self.folder}/venue.key",
                                     "--no-limits"], stdout=subprocess.PIPE, text=True, env=dict(os.environ, LD_PRELOAD=library))
        for line in venue.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                return
        raise SystemExit(f"The ticket system did not start.\n{self.tail()}")

    def stop(self):
        """Ends the gateway as a service manager does, then everything else. Returns what was wrong with how it ended."""
        problems = []
        for name in ("gateway", "holder", "venue", "bed"):
            process = self.processes.get(name)
            if not process:
                continue
            if process.poll() is not None:
                problems.append(f"{name} had ended by itself with {process.returncode}")
                continue
            process.send_signal(signal.SIGTERM)
            end = time.monotonic() + 15
            while process.poll() is None and time.monotonic() < end:
                self.take(0.05)
            if process.poll() is None:
                problems.append(f"{name} did not end within 15 s of SIGTERM")
                process.kill()
                process.wait()
        return problems

    def remove(self, is_kept=False):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
                process.wait()
        if not is_kept:
            shutil.rmtree(self.folder, ignore_errors=True)

    def tail(self):
        return "\n".join(Path(self.folder, "log").read_text(errors="replace").splitlines()[-15:])

    def until(self, is_so, words, seconds=30):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                raise SystemExit(f"{words}.\n{self.tail()}")
            time.sleep(0.01)

    # Events

    def take(self, timeout):
        """The events that have come; waits for the first of them."""
        if self.fresh:
            events, self.fresh = self.fresh, []
            return events
        if not select.select([self.fifo], [], [], timeout)[0]:
            return []
        *lines, self.rest = (self.rest + os.read(self.fifo, 1 << 20)).split(b"\n")
        events = [json.loads(line) for line in lines]
        if any(event["type"] == "dropped" for event in events):
            raise SystemExit("The soak was too slow for the gateway's events: what it would say means nothing.")
        return events

    def wait(self, is_it, what, seconds=20):
        """The first event that is meant; those before it are let go, those after it are taken next."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            events = self.take(0.5)
            for index, event in enumerate(events):
                if is_it(event):
                    self.fresh = events[index + 1 :]
                    return event
            self.check_alive()
        raise SystemExit(f"Within {seconds} s there was not {what}.\n{self.tail()}")

    def check_alive(self):
        for name, process in self.processes.items():
            if process.poll() is not None:
                raise SystemExit(f"{name} has ended with {process.returncode}.\n{self.tail()}")

    def await_readers(self, seconds=20, until=None):
        """Waits until the steady ones are read from, and until an event that is meant. Returns that event."""
        missing, found = {"left", "right", "steady"}, []

        def is_enough(event):
            if event["type"] == "device" and event["state"] == "reading":
                missing.discard(event["reader"])
            if until and until(event):
                found.append(event)
                # A station that goes on has its readers.
                if event["state"] != "applied":
                    missing.clear()
            return not missing and (found or not until)

        self.wait(is_enough, "what was awaited of the readers", seconds)
        return found[-1] if found else None

    # What people do

    def present(self, reader, code):
        os.write(self.steady[reader][0], code.encode() + b"\r")

    def scan(self, reader, code, verdict, reason=None):
        """Presents a code and waits for what is to become of it."""
        self.present(reader, code)
        told = self.wait(lambda event: event["type"] == "scan" and event["code"].endswith(code[-4:]), f"a verdict on {code}")
        if (told["verdict"], told["reason"]) != (verdict, reason):
            raise SystemExit(f"{code} at {reader}: {told['verdict']} {told['reason']} ({told['detail']}), not {verdict} {reason}.")

    def configure(self, text):
        Path(self.folder, "new.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
        os.replace(f"{self.folder}/new.yaml", f"{self.folder}/scangate.yaml")

    def reload(self):
        """As `systemctl reload` does. Returns what the gateway says of it."""
        self.processes["gateway"].send_signal(signal.SIGHUP)
        return self.await_readers(until=lambda event: event["type"] == "configuration")

    # What they hold

    def readings(self):
        # One at a time: who asks is a descriptor, too.
        with self.lock:
            return {name: level.read(self.processes[name].pid, f"{self.folder}/held") for name in ("gateway", "holder")}

    def watch_peaks(self):
        """Four times a second, whatever happens: what is held only between two rests shows here."""
        while True:
            try:
                now = self.readings()
            except (OSError, KeyError, ValueError):
                return
            for name, reading in now.items():
                for what, value in reading.items():
                    self.peaks[name, what] = max(value, self.peaks.get((name, what), 0))
            time.sleep(0.25)
