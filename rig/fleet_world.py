"""A venue with a fleet: three nats-servers, eight stations and the venue's own servers, each in a network of its own on a bridge; and what can happen to them.

Servers have the files that `scangate fleet init` writes, stations are the real program, with scanners that are pseudo-terminals and lamps that are pipes.
"""

import contextlib
import fcntl
import json
import os
import pty
import shutil
import signal
import subprocess
import termios
import time
import tty
from pathlib import Path

import namespaces
from native import PROGRAM, Lamps

ROOT = Path("/run/rig/fleet")
#: Where the files of a fleet's server and its claims lie on its machine.
SERVER_FILES, CLAIMS = "/etc/scangate-fleet", "/var/lib/scangate-fleet"
#: How large the disk of a server is, and what the event's book may take of it, in MB.
DISK, ROOM = 64, 10
EVENT = "evening"
VENUE, PORT = "10.77.0.100", 8080
#: What moves the civil clock of a process: of ours, for Debian's libfaketime (0.9.10) moves timers of other clocks, too.
MOVED_SOURCE, MOVED = Path(__file__).resolve().parent / "moved_clock.c", ROOT / "moved_clock.so"
#: The gates of each station: one whose ticket system keeps a book, and one whose book is the fleet's alone.
GATES = ("door", "stalls")
AS_GATE = ["setpriv", f"--reuid={namespaces.USER}", f"--regid={namespaces.USER}", "--init-groups"]
#: How long a process may take to end that was told so, in seconds.
PATIENCE = 30

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


def run(*words, check=True, **options):
    """Runs a command; what it printed."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          **options)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))[:300]} ended with {done.returncode}: {done.stdout[-2000:]}")
    return done.stdout


class Machine:
    """A network of its own on the bridge, and what can become of its cable."""

    def __init__(self, name, address):
        self.name, self.address, self.wire = name, address, f"v-{name}"
        #: What holds of its cable now: rules of nft, by what they are for.
        self._rules, self._is_slow = {}, False
        run("ip", "netns", "add", name)
        run("ip", "link", "add", self.wire, "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", self.wire, "master", "br0", "up")
        for words in (f"addr add {address}/24 dev eth0", "link set eth0 up", "link set lo up"):
            run("ip", "-n", name, *words.split())

    @property
    def inside(self):
        """What runs a command in it."""
        return ["nsenter", f"--net=/run/netns/{self.name}"]

    def unplug(self, is_out=True):
        """The cable is pulled: whoever it is, it sees that; or plugged in again."""
        run("ip", "link", "set", self.wire, "down" if is_out else "up")

    def filter(self, what, *rules):
        """Packets go by these rules from now on, each `in …` or `out …`; none for as before."""
        self._rules.pop(what, None)
        if rules:
            self._rules[what] = rules
        text = ["add table inet cut", "delete table inet cut"]
        if self._rules:
            text += ["add table inet cut", "add chain inet cut in { type filter hook input priority 0; }",
                     "add chain inet cut out { type filter hook output priority 0; }"]
            text += [f"add rule inet cut {rule.partition(' ')[0]} {rule.partition(' ')[2]}" for each in self._rules.values() for rule in each]
        subprocess.run([*self.inside, "nft", "-f", "-"], input="\n".join(text), text=True, check=True, capture_output=True)

    def slow(self, rate=None):
        """Only so much goes through in each direction from now on, and waits for as long as it takes; all of it, for `None`."""
        if self._is_slow:
            run("tc", "qdisc", "del", "dev", self.wire, "root")
            run("tc", "-n", self.name, "qdisc", "del", "dev", "eth0", "root")
        self._is_slow = rate is not None
        if rate:
            shape = f"root tbf rate {rate} burst 1600 latency 3s".split()
            run("tc", "qdisc", "add", "dev", self.wire, *shape)
            run("tc", "-n", self.name, "qdisc", "add", "dev", "eth0", *shape)


class Running:
    """A process that is started again and again; its words go to one file."""

    def __init__(self, name, log):
        self.name, self.log, self.popen, self.is_paused = name, log, None, False

    def start(self, command, **options):
        with open(self.log, "ab") as log:
            self.popen = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                          preexec_fn=namespaces.die_with_parent, **options)
        self.is_paused = False

    @property
    def runs(self):
        return self.popen is not None and self.popen.poll() is None

    def kill(self):
        if self.popen:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.popen.pid, signal.SIGKILL)
            self.popen.wait()

    def end(self):
        """In order."""
        if self.runs:
            self.go_on()
            self.popen.terminate()
            try:
                self.popen.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
                raise RuntimeError(f"{self.name} did not end in {PATIENCE} s") from None

    def pause(self):
        os.killpg(self.popen.pid, signal.SIGSTOP)
        self.is_paused = True

    def go_on(self):
        if self.is_paused:
            os.killpg(self.popen.pid, signal.SIGCONT)
            self.is_paused = False


class Server:
    """A server of the fleet."""

    def __init__(self, name, address, program):
        self.machine, self.name, self._program = Machine(name, address), name, program
        self.disk, self.files = ROOT / f"{name}-disk", ROOT / "fleet/servers" / name
        self.process = Running(name, ROOT / f"{name}.log")
        self.disk.mkdir()
        namespaces.mount("tmpfs", self.disk, "tmpfs", data=f"size={DISK}m,mode=700")

    def start(self):
        place = f"mount --bind {self.files} {SERVER_FILES} && mount --bind {self.disk} {CLAIMS} && exec {self._program} -c {SERVER_FILES}/nats-server.conf"
        self.process.start([*self.machine.inside, "unshare", "--mount", "sh", "-c", place])

    def fill(self):
        """Nothing more goes onto its disk."""
        with contextlib.suppress(OSError), open(self.disk / "full", "wb", buffering=0) as file:
            while True:
                file.write(bytes(1 << 16))

    def empty(self):
        (self.disk / "full").unlink(missing_ok=True)

    def wipe(self):
        """Nothing of its claims is left."""
        shutil.rmtree(self.disk / "jetstream", ignore_errors=True)

    def blocks(self):
        """The files in which it has the event's book."""
        return sorted(self.disk.glob(f"jetstream/*/streams/KV_{EVENT}/msgs/*.blk"), key=lambda path: int(path.stem))


class Station:
    """A station: its program, its scanners, its lamps, what it tells."""

    def __init__(self, name, address, moves=False):
        self.machine, self.name, self.folder = Machine(name, address), name, ROOT / name
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
        return run(*self.machine.inside, *AS_GATE, PROGRAM, *words, env=self.environment, check=check)

    def start(self):
        for gate in GATES:
            self._open(gate)
        self.reading.clear()
        self.lives.append({"began": time.monotonic_ns(), "ended": None, "killed": False})
        self.process.start([*self.machine.inside, *AS_GATE, *self.shift, PROGRAM, "run", "--config", self.folder / "scangate.yaml",
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

    def last(self, kind):
        """The last event of a kind in this life."""
        return next((event for event in reversed(self.events) if event["type"] == kind and event["life"] == len(self.lives) - 1), None)


class TicketSystem:
    """The venue's server: tickets in a book of its own, and a theatre's bookings that nobody ticks off."""

    def __init__(self):
        self.machine, self.process = Machine("venue", VENUE), Running("venue", ROOT / "venue.log")
        self.texts = ()
        self.folder = ROOT / "venue"
        self.folder.mkdir()
        shutil.chown(self.folder, namespaces.USER, namespaces.USER)

    def open(self, tickets, parties):
        """Sells: tickets are (code, kind, quantity), parties (code, seats)."""
        (self.folder / "tickets.csv").write_text("code,kind,status,quantity\n" + "".join(f"{code},{kind},paid,{quantity}\n" for code, kind, quantity in tickets))
        self.process.start([*self.machine.inside, *AS_GATE, PROGRAM, "venue", "serve", "--listen", f"0.0.0.0:{PORT}", "--control", self.folder / "sock",
                            "--database", self.folder / "venue.db", "--api-key-file", self.folder / "venue.key", "--no-limits", "--import", self.folder / "tickets.csv",
                            "--seed", "--bookings", "document", "--staff-password-file", self.folder / "staff.password", "--theatre-zone", "UTC"])
        end = time.monotonic() + PATIENCE
        while not (self.folder / "sock").exists():
            if not self.process.runs or time.monotonic() > end:
                raise RuntimeError(f"the venue does not serve: {self.process.log.read_text()[-2000:]}")
            time.sleep(0.05)
        self.theatre = next(show for show in map(json.loads, self.tell("booking", "show", "shows").splitlines()) if show["seeded"] == "night")
        self.show = self.tell("booking", "add-show", "--title", "Evening", "--starts", "1min", "--unseated").strip()
        for code, seats in parties:
            self.tell("booking", "add", "--show", self.show, "--count", seats, "--code", code)

    def tell(self, *words):
        return run(*AS_GATE, PROGRAM, "venue", *words, "--control", self.folder / "sock")

    def misbehave(self, *texts):
        """What it does wrong from now on; nothing if nothing is named."""
        if texts != self.texts:
            self.texts = texts
            self.tell("misbehave", "--clear", *texts)

    def book(self):
        """Every entry that it has recorded, by whole code: how many."""
        found = {}
        for line in self.tell("book", "--json", "--full").splitlines():
            code = json.loads(line)["code"]
            found[code] = found.get(code, 0) + 1
        return found


class World:
    """Everything of one evening. Ends with `close`, and with the process."""

    def __init__(self, nats, servers=3, stations=8):
        shutil.rmtree(ROOT, ignore_errors=True)
        ROOT.mkdir(parents=True)
        Path("/run/netns").mkdir(exist_ok=True)
        with contextlib.suppress(RuntimeError):
            run("ip", "link", "add", "br0", "type", "bridge")
        run("ip", "link", "set", "br0", "up")
        self.servers = {name: Server(name, f"10.77.0.{10 + number}", nats) for number, name in ((n, f"gate{n}") for n in range(1, servers + 1))}
        self.stations = {name: Station(name, f"10.77.0.{20 + number}", moves=number % 3 == 0)
                         for number, name in ((n, f"s{n}") for n in range(1, stations + 1))}
        self.venue = TicketSystem()
        self._places()
        run("cc", "-O2", "-shared", "-fPIC", "-o", MOVED, MOVED_SOURCE)
        self.began, self.lamps = time.monotonic_ns(), self._lamps([self.lamp(name, gate) for name in self.stations for gate in GATES])
        nodes = ",".join(f"{server.name}={server.machine.address}" for server in self.servers.values())
        run(PROGRAM, "fleet", "init", "--name", "summer", "--nodes", nodes, "--stations", ",".join(self.stations), "--event", EVENT, "--room", ROOM, ROOT / "fleet")

    #: Those of an earlier evening of this process are there still.
    _lit = {}

    @classmethod
    def _lamps(cls, names):
        if new := [name for name in names if name not in cls._lit]:
            namespaces.add_leds(new)
            cls._lit.update(dict.fromkeys(new, Lamps(new)))
        return cls._lit

    @staticmethod
    def _places():
        """Where servers look for their files; the disk of this machine has nothing of it."""
        Path(SERVER_FILES).mkdir(exist_ok=True)
        if not Path(CLAIMS).exists():
            namespaces.mount("tmpfs", "/var/lib", "tmpfs", data="mode=755")
            Path(CLAIMS).mkdir()

    @staticmethod
    def lamp(station, gate):
        return f"{station}-{gate}:green:pass"

    def changes(self, station, gate):
        """What a gate's lamp was set to in this evening."""
        lamp = self.lamp(station, gate)
        return self.lamps[lamp].changes(lamp, self.began)

    def open(self, tickets, parties, alone, outsider=None):
        """Everything is started; `alone` says by station what it does without its fleet, as lines of its section. An outsider has no fleet, and nobody knows."""
        for server in self.servers.values():
            server.start()
        self.venue.open(tickets, parties)
        self._open_book()
        for station in self.stations.values():
            self._set_up(station, alone[station.name], station.name == outsider)
        for station in self.stations.values():
            station.start()

    def administrator(self, *words, check=True):
        """What a command about the fleet prints, on some station's machine."""
        return run(*next(iter(self.stations.values())).machine.inside, PROGRAM, "fleet", *words, ROOT / "fleet", check=check)

    def _open_book(self):
        end = time.monotonic() + 60
        while True:
            try:
                return self.administrator("open")
            except RuntimeError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.5)

    def _set_up(self, station, alone, is_outsider):
        files = ROOT / "fleet/stations" / station.name
        authority, key = station.folder / "fleet-ca.pem", station.folder / "venue.key"
        shutil.copy(files / "fleet-ca.pem", authority)
        shutil.copy(self.venue.folder / "venue.key", key)
        shutil.chown(key, namespaces.USER, namespaces.USER)
        section = (files / "fleet.yaml").read_text().replace("/etc/scangate/fleet-ca.pem", str(authority)).replace("alone: refuse", alone)
        (station.folder / "scangate.yaml").write_text(CONFIGURATION.format(
            name=station.name, fleet="" if is_outsider else section, venue=VENUE, port=PORT, folder=station.folder, theatre=self.venue.theatre, show=self.venue.show,
            policy="list" if alone != "alone: refuse" else "admitAndQueue, most: 1000"))
        for name, secret in (("fleet", files / "credential"), ("theatre-door", self.venue.folder / "staff.password")):
            mine = station.folder / f"{name}.secret"
            shutil.copy(secret, mine)
            shutil.chown(mine, namespaces.USER, namespaces.USER)
            station.tell("credential", "set", name, "--file", mine)
            mine.unlink()
        self._bring_lists(station)

    def _bring_lists(self, station):
        config = ("--config", station.folder / "scangate.yaml")
        station.tell("tickets", "import", self.venue.folder / "tickets.csv", "--system", "venue", *config)
        station.tell("tickets", "import", "--from-system", "theatre", *config)

    def take(self):
        """New events of all stations: (station, event)."""
        return [(station, event) for station in self.stations.values() for event in station.take()]

    def close(self):
        for process in [each.process for each in (*self.servers.values(), *self.stations.values())] + [self.venue.process]:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                process.kill()
        for server in self.servers.values():
            shutil.copytree(server.disk, ROOT / "disks" / server.name, dirs_exist_ok=True, ignore=shutil.ignore_patterns("full"))
            run("umount", "--lazy", server.disk, check=False)
        for machine in [each.machine for each in (*self.servers.values(), *self.stations.values(), self.venue)]:
            # The kernel clears a network away when it has time: the cable is gone at once, and its name free for the next one's.
            run("ip", "link", "delete", machine.wire, check=False)
            run("ip", "netns", "delete", machine.name, check=False)
