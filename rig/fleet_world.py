"""A venue with a fleet: three nats-servers, eight stations and the venue's own servers, each in a network of its own on a bridge; and what can happen to them.

Servers have the files that `scangate fleet init` writes, stations are the real program.
"""

import contextlib
import json
import re
import shutil
import time
from pathlib import Path

import namespaces
from fleet_machine import AS_GATE, PATIENCE, ROOT, Machine, Running, run
from fleet_station import CONFIGURATION, GATES, MOVED, MOVED_SOURCE, Station
from native import PROGRAM, Lamps

#: Where the files of a fleet's server and its claims lie on its machine.
SERVER_FILES, CLAIMS = "/etc/scangate-fleet", "/var/lib/scangate-fleet"
#: How large the disk of a server is, and what the event's book may take of it, in MB.
DISK, ROOM = 64, 10
EVENT = "evening"
VENUE, PORT = "10.77.0.100", 8080


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


class TicketSystem:
    """The venue's server: tickets in a book of its own, and a theatre's bookings that nobody ticks off."""

    def __init__(self):
        self.machine, self.process = Machine("venue", VENUE), Running("venue", ROOT / "venue.log")
        self.texts = ()
        #: What else its program is told.
        self.options = ()
        self.folder = ROOT / "venue"
        self.folder.mkdir()
        shutil.chown(self.folder, namespaces.USER, namespaces.USER)

    def open(self, tickets, parties):
        """Sells: tickets are (code, kind, quantity), parties (code, seats)."""
        (self.folder / "tickets.csv").write_text("code,kind,status,quantity\n" + "".join(f"{code},{kind},paid,{quantity}\n" for code, kind, quantity in tickets))
        self.process.start([*self.machine.inside, *AS_GATE, PROGRAM, "venue", "serve", "--listen", f"0.0.0.0:{PORT}", "--control", self.folder / "sock",
                            "--database", self.folder / "venue.db", "--api-key-file", self.folder / "venue.key", "--no-limits", "--import", self.folder / "tickets.csv",
                            "--seed", "--bookings", "document", "--staff-password-file", self.folder / "staff.password", "--theatre-zone", "UTC",
                            *self.options])
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
    """Everything of one evening. Ends with `close`, and with the process.

    `second` is the program of stations of odd number, where that is another one.
    """

    def __init__(self, nats, servers=3, stations=8, second=None):
        shutil.rmtree(ROOT, ignore_errors=True)
        ROOT.mkdir(parents=True)
        Path("/run/netns").mkdir(exist_ok=True)
        with contextlib.suppress(RuntimeError):
            run("ip", "link", "add", "br0", "type", "bridge")
        run("ip", "link", "set", "br0", "up")
        self.servers = {name: Server(name, f"10.77.0.{10 + number}", nats) for number, name in ((n, f"gate{n}") for n in range(1, servers + 1))}
        self.stations = {name: Station(name, f"10.77.0.{20 + number}", moves=number % 3 == 0, program=second if second and number % 2 else PROGRAM)
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
            except RuntimeError as fault:
                if time.monotonic() > end:
                    logs = "".join(f"\n{server.name}, {'runs' if server.process.runs else 'has ended'}: {server.process.log.read_text(errors='replace')[-1500:]}"
                                   for server in self.servers.values())
                    raise RuntimeError(f"{fault}{logs}") from fault
                time.sleep(0.5)

    def _set_up(self, station, alone, is_outsider):
        files = ROOT / "fleet/stations" / station.name
        authority, key = station.folder / "fleet-ca.pem", station.folder / "venue.key"
        shutil.copy(files / "fleet-ca.pem", authority)
        shutil.copy(self.venue.folder / "venue.key", key)
        shutil.chown(key, namespaces.USER, namespaces.USER)
        section = (files / "fleet.yaml").read_text().replace("/etc/scangate/fleet-ca.pem", str(authority)).replace("alone: refuse", alone)
        if station.program != PROGRAM:  # a version without it takes no section with it, and nobody orders anything here
            section = re.sub(r"(?m)^  administrators: .*\n", "", section)
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
