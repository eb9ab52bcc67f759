"""Base of the tests of the installed service: both units as they are shipped, a ticket system, and scanners at two gates."""

import json
import re

import secrets_told
from case import InstalledCase, RigCase
from rig import GATE_IN_GUEST, MS, PWM_CHIP, SPEAKER
from stages import installed

GATEWAY, HOLDER, SOCKET = "scangate.service", "scangate-outputs.service", "scangate-outputs.socket"
CONFIGURATION = "/etc/scangate/scangate.yaml"
KEY = "/etc/scangate/keys/venue.key"
VENUE = "127.0.0.1:8080"
BOOK = "/run/venue/venue.db"
CONTROL = "/run/venue/control"
#: `north` is open for so long that a holder which fell as it opened is back before it has to be locked.
NORTH_PULSE, SOUTH_PULSE = 3000, 1200
#: More codes than the tests of one module present.
#: Whom all tickets were sold to.
BUYER, MAIL = "Zenobia Quillfeather", "zenobia@buyer.example"
CODES = [f"TICKET-{number:03}" for number in range(200)]
#: Tickets of another event, which is the ticket system's second one: of hall B, where the others are of hall A.
OTHERS = [f"HALL-B-{number:03}" for number in range(20)]

# Models of the list that the shipped rules know: nothing else makes them readers.
LEFT = {"vendor": "0c2e", "product": "0b61", "manufacturer": "Metrologic", "name": "Honeywell Scanner", "serial": "SN0001"}
RIGHT = {"vendor": "05e0", "product": "1200", "manufacturer": "Symbol", "name": "Symbol Scanner", "serial": "SN0002"}


def configuration(north_pulse=NORTH_PULSE):
    """`north` locks when nobody commands it, `south` releases; every kind of output has its place."""
    return f"""
version: 1
station: {{name: rig}}
ticketSystems:
  venue: {{type: eventschedule, url: "http://{VENUE}", apiKeyFile: {KEY}, rate: {{limit: 10000}}}}
readers:
  left:  {{type: wedge, match: {{vendor: "{LEFT['vendor']}", product: "{LEFT['product']}"}}}}
  right: {{type: wedge, match: {{vendor: "{RIGHT['vendor']}", product: "{RIGHT['product']}"}}}}
gates:
  north:
    readers: [left]
    ticketSystem: venue
    {GATE_IN_GUEST}
    outputs:
      relay: {{gpio: {{chip: gate, line: RELAY0}}, pulse: {north_pulse} ms, fail: secure}}
      green: {{led: "gate:green:pass"}}
      red: {{led: "gate:red:deny"}}
      buzzer: {{pwm: {{chip: {PWM_CHIP}, channel: 0, frequency: 2000 Hz}}}}
    inputs:
      switch: {{gpio: {{chip: gate, line: TAMPER}}, use: maintenanceSwitch}}
  south:
    readers: [right]
    ticketSystem: venue
    {GATE_IN_GUEST}
    outputs:
      relay: {{gpio: {{chip: gate, line: RELAY1}}, pulse: {SOUTH_PULSE} ms, fail: safe}}
      green: {{gpio: {{chip: gate, line: LAMP_G}}}}
      red: {{gpio: {{chip: gate, line: LAMP_R}}}}
      buzzer: {{sound: {{name: "{SPEAKER}", frequency: 1000 Hz}}}}
"""


class ServiceCase(InstalledCase):
    """Tests with a running service. It is started before any of its devices exists, and serves all tests of the module."""

    @staticmethod
    def configured():
        """What the service is started by."""
        return configuration()

    @staticmethod
    def state(store, made, payload):
        """Folder of a guest with both services running."""
        return installed.serving(store, made, payload, "serving", [__file__], ServiceCase.begin)

    @classmethod
    def prepare(cls):
        """Makes the state that these tests begin with, unless there is one."""
        cls.made(cls.state)

    @classmethod
    def start(cls):
        rig = cls.resume(ServiceCase.state)
        rig.unused_codes, rig.unused_others = iter(CODES), iter(OTHERS)
        if cls.configured() != configuration():
            rig.put(cls.configured(), CONFIGURATION)
            rig.sh(f"systemctl restart {GATEWAY}", timeout=120)
        rig.plug(0, **LEFT)
        rig.plug(1, **RIGHT)
        return rig

    @staticmethod
    def begin(rig):
        """Starts the services, and then brings their devices into being; no scanner is plugged in."""
        ServiceCase.serve_tickets(rig)
        rig.put(configuration(), CONFIGURATION)
        rig.sh(f"systemctl start {SOCKET} {HOLDER} {GATEWAY}", timeout=120)
        rig.load_devices()

    @staticmethod
    def serve_tickets(rig, *options, codes=CODES, kind="entry"):
        """A ticket system in the guest, with a ticket for each code; its key is where the configuration says. `options` are the server's."""
        rig.sh("install -d /run/venue")
        rows = [(code, "Hall A") for code in codes] + [(code, "Hall B") for code in OTHERS]
        rig.put("code,kind,status,event,name,email\n" + "".join(f"{code},{kind},paid,{event},{BUYER},{MAIL}\n" for code, event in rows), "/run/venue/tickets.csv")
        ServiceCase.start_venue(rig, "--import", "/run/venue/tickets.csv", *options)
        rig.sh(f"install -d -m 750 -g scangate {KEY.rpartition('/')[0]}; install -m 600 -o scangate /run/venue/key {KEY}")

    @staticmethod
    def start_venue(rig, *options):
        """Serves what the ticket system's file has."""
        rig.sh(f"""systemd-run -q --unit=venue scangate venue serve --listen {VENUE} --database {BOOK} \
            --api-key-file /run/venue/key --no-limits --control {CONTROL} {' '.join(options)}""")
        host, port = VENUE.split(":")
        rig.wait_until(f"port {host} {port}", timeout=120)

    def setUp(self):
        super().setUp()
        self.rest()
        self.since = self.rig.mark()

    def clear(self):
        """Ends what the test started, a wedge for one; the service and its scanners stay. What our units have said holds no secret, nor what anybody was told."""
        said = {process.name: process.log() for process in self.rig.processes if process.name.startswith(secrets_told.PRODUCT)}
        for process in self.rig.processes:
            process.clear()
        self.rig.processes.clear()
        self.assert_no_secret_was_told(said)

    def assert_no_secret_was_told(self, said):
        known = self.rig.known
        known.add("key", self.rig.sh(f"cat {KEY} /run/venue/key 2> /dev/null; true"))
        known.add("station's key", self.rig.sh("xxd -p -c 99 /var/lib/scangate/seal-key 2> /dev/null || od -An -v -tx1 /var/lib/scangate/seal-key 2> /dev/null | tr -d ' \\n'; true"))
        known.add("whole code", *CODES, *OTHERS)
        known.add(secrets_told.NAMES, BUYER)
        known.add("mail address", MAIL)
        for entry in self.rig.journal_entries():
            if entry.at >= self.test_begins:
                for unit in entry.units:
                    if unit.startswith("scangate"):
                        said[unit] = said.get(unit, "") + entry.message + "\n"
        super().assert_no_secret_was_told(said)

    def rest(self):
        """Waits until both services run and read, the gates are ready, and the relays are locked."""
        self.taken(0, 1)
        self.rig.until(lambda: self.rig.level("RELAY0") == 0 and self.rig.level("RELAY1") == 0, what="both gates locked")

    def taken(self, *slots):
        """Waits until the gateway has the scanners in these slots, and says that all its readers read and all its gates are ready."""
        nodes = [self.rig.devices[slot].node for slot in slots]

        def is_ready():
            if not all(map(self.rig.is_active, (GATEWAY, HOLDER))):
                return False
            pid = self.rig.main_pid(GATEWAY)
            if not self.rig.machine.holds(*(f"opened {pid} {node}" for node in nodes)):
                return False
            said = "\n".join(self.rig.journal_of(pid))
            readers = dict(re.findall(r"^Reader (\S+) (?:is|has) (\w+)", said, re.M))
            gates = dict(re.findall(r"^Gate (\S+) (is ready|is out of service|cannot decide)", said, re.M))
            return len(readers) >= len(slots) and set(readers.values()) == {"reading"} and set(gates.values()) == {"is ready"}

        self.rig.until(is_ready, what="all readers reading and all gates ready")
        for node in nodes:
            if "event" in node:
                self.assertTrue(self.rig.grabbed(node), f"{node} is not grabbed")

    def code(self):
        """A code that nobody has presented yet."""
        return next(self.rig.unused_codes)

    def begin_pulse(self, slot, line):
        """Presents a code; returns when the pulse has begun."""
        self.rig.type(slot, self.code())
        return self.rig.until(lambda: self.rig.pulses(line, self.since), what=f"a pulse on {line}")[0]

    def assert_admits(self, slot=0, line="RELAY0", length=NORTH_PULSE):
        """The next code gives a whole pulse."""
        since = self.rig.mark()
        self.rig.type(slot, self.code())
        return self.whole_pulses(line, length, 1, since)[0]

    def said(self, pattern, since=None):
        """Waits for a line of the gateway in the journal."""
        since = self.since if since is None else since
        self.rig.until(lambda: any(re.search(pattern, line, re.I) for line in self.rig.journal(GATEWAY, since)), what=f"“{pattern}” in the journal")

    def reload(self, content):
        """Has the gateway take another configuration; returns when it reads by that."""
        since = self.rig.mark()
        self.rig.put(content, CONFIGURATION)
        self.rig.sh(f"systemctl reload {GATEWAY}", timeout=160)
        # The new configuration reads its scanners anew, and insists on a silence of each.
        for words in ("the configuration is reloaded", "reader left is reading", "reader right is reading"):
            self.said(words, since)

    def misbehave(self, *texts):
        """What the ticket system does wrong from now on; nothing if nothing is named."""
        self.control("PUT", "/misbehaviours", "\n".join(texts))

    def booked(self):
        """The codes of what the ticket system has recorded, each as often as it has."""
        return [json.loads(line)["code"] for line in self.control("GET", "/book").splitlines() if line.startswith("{")]

    def control(self, method, path, body=""):
        """What the ticket system answers on its control socket: a program of ours takes an emulated processor seconds to start."""
        request = f"{method} {path} HTTP/1.1\r\nHost: venue\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}"
        self.rig.put(request, "/run/venue/request")
        answer = self.rig.sh(f"""perl -MIO::Socket::UNIX -e '
            $venue = IO::Socket::UNIX->new("{CONTROL}") or die "$!"; open $request, "<", "/run/venue/request" or die "$!";
            print {{$venue}} <$request>; $venue->flush; print <$venue>;'""")
        self.assertRegex(answer, r"^HTTP/1.1 200 ")
        return answer

    def restarted(self, unit, pid, timeout=60):
        """Waits until another process than `pid` runs the unit and is ready; returns when it was started, in nanoseconds of CLOCK_MONOTONIC."""
        def is_another():
            return self.rig.main_pid(unit) not in (pid, 0) and self.rig.is_active(unit)

        self.rig.until(is_another, timeout, f"{unit} restarted")
        return int(self.rig.unit(unit, "ExecMainStartTimestampMonotonic")) * 1000
