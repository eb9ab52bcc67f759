"""Base of the tests of setting up by a scan: a venue that activates and enrols, and a station that nobody has set up, on a disk that bears a power cut."""

import tempfile
import time
from pathlib import Path

import certificates
import place
from events import EventFile
from place import STATION
from rig import GATE_IN_GUEST, MS, PATIENCE
from venue import AS_GATE, NAME, PORT, SCANGATE, URL, Venue

FOLDER = "/run/kiosk"
CONFIGURATION, TRUST, STATE = f"{STATION}/scangate.yaml", f"{STATION}/trust.txt", f"{STATION}/state"
#: Where the organiser has his keys; no station has them.
KEYS = f"{FOLDER}/keys"
#: What runs in the place of a station's own user.
#: Where the station is seen and ordered.
SOCKET = f"{FOLDER}/station.sock"
AS_STATION = f"env STATE_DIRECTORY={STATE} {SCANGATE}"
#: What the venue wants to see of a station that registers.
REGISTRATION = "registration-token-of-the-rig"
SCANNER = {"vendor": "0c2e", "product": "0901", "manufacturer": "Metrologic", "name": "Honeywell Scanner", "serial": "SN0001"}
PULSE = 300
#: For how long a set-up code that was tried is not looked at again, whatever it would be then (`SetUpDesk.holdOff`); and a little more.
HOLD_OFF = 3.5
#: What a refusal is counted by, after a long one: docs/signals.md.
BEEPS = {"wrong": 1, "expired": 2, "used": 3, "unknownStation": 4, "offline": 5, "untrusted": 6, "lockedOut": 7, "fault": 8}
#: What is longer is a long beep, in milliseconds; how long the machine may stand still in one that shall prove something; and how often they are listened to.
LONG_BEEP, BEEP_STALL, BEEP_ATTEMPTS = 650, 200, 3
TICKETS = [f"TICKET-{number:03}" for number in range(60)]

if place.NATIVE:
    # A lamp for the relay: it lights for an admission, and for nothing else.
    PASSAGE, BUZZER = "gate:green:pass", "gate:buzzer"
    GATE = f"""
readers:
  scanner: {{type: serial, match: {{path: /run/rig/scanner-0}}}}
gates:
  north:
    readers: [scanner]
    ticketSystem: main
    accept: {{minLength: 8}}  # codes of the tests' own
    holdOff: 0 s  # nothing is slow here: the same code comes again at once
    outputs:
      green: {{led: "{PASSAGE}"}}
      red: {{led: "gate:red:deny"}}
      buzzer: {{led: "{BUZZER}"}}
    signals: {{admit: {{green: [{PULSE} ms], buzzer: [100 ms]}}}}
"""
else:
    PASSAGE, BUZZER = "RELAY0", "BUZZ"
    GATE = f"""
readers:
  scanner: {{type: wedge, match: {{vendor: "{SCANNER['vendor']}", product: "{SCANNER['product']}"}}, keymap: us}}
gates:
  north:
    readers: [scanner]
    ticketSystem: main
    {GATE_IN_GUEST}
    outputs:
      relay: {{gpio: {{chip: gate, line: RELAY0}}, pulse: {PULSE} ms}}
      green: {{led: "gate:green:pass"}}
      red: {{led: "gate:red:deny"}}
      buzzer: {{gpio: {{chip: gate, line: BUZZ}}}}
    inputs:
      setup: {{gpio: {{chip: gate, line: DOOR}}, use: setUpButton}}
"""


def to_be_activated(window="10 min"):
    """A station that knows its ticket system and awaits its activation."""
    return f"""
version: 1
station: {{name: rig}}
setUp: {{window: {window}, trust: {TRUST}}}
control: {{type: kiosk, url: "{URL}", allowPlainHTTP: true, registration: kiosk}}
ticketSystems:
  main: {{type: eventschedule, url: "{URL}", allowPlainHTTP: true, apiKeyFile: {FOLDER}/venue.key, rate: {{limit: 10000}}}}
{GATE}"""


def to_be_enrolled():
    """A station that knows no ticket system yet."""
    return f"""
version: 1
station: {{name: rig}}
setUp: {{trust: {TRUST}, caFile: {FOLDER}/ca.pem}}
ticketSystems:
  main: {{type: eventschedule, enrol: true, caFile: {FOLDER}/ca.pem, rate: {{limit: 10000}}}}
{GATE}"""


def beep_name(beep):
    return "long" if beep.length > LONG_BEEP * MS else "short"


class KioskCase(place.Case):
    """A venue and a station, started by `begin`."""

    needs_scangate = True

    def setUp(self):
        super().setUp()
        self.venue, self.tried = None, {}

    def begin(self, configuration, *options, trust=""):
        """Starts both. Nobody has set the station up yet; `options` are the venue's."""
        rig = self.rig
        if not self.venue:
            self.prepare()
        if place.NATIVE:
            rig.watch_standstills()  # the guest always does
        rig.put("".join(f"{line}\n" for line in ["code,kind,status", *(f"{code},entry,paid" for code in TICKETS)]), self.venue.tickets)
        self.unused = iter(TICKETS)
        self.venue.start("--import", self.venue.tickets, "--kiosk-token-file", f"{FOLDER}/registration", *options)
        rig.put(configuration, CONFIGURATION)
        rig.put(trust, TRUST)
        rig.sh(f"sync -f {STATION}")  # the technician has written them long ago
        self.register()
        rig.plug(0, **SCANNER)
        self.run_station()
        self.since = rig.mark()

    def prepare(self):
        """The place for both, and no trace of those before; `begin` does it where a test has not."""
        rig = self.rig
        rig.mount_station()
        rig.sh(f"""rm -rf {FOLDER} {STATION}/[!l]*; install -d -o gate -g gate {FOLDER} {KEYS} {STATE}; chmod 700 {STATE}
            {place.ALLOW_OUTPUTS}; sync {STATION}""")
        rig.put(REGISTRATION, f"{FOLDER}/registration")
        rig.sh(f"chown gate {FOLDER}/registration; chmod 600 {FOLDER}/registration")
        self.venue, self.runs = Venue(rig, FOLDER), 0
        self.venue.tempt()
        self.addCleanup(self.venue.clear)

    def command(self, words, text=""):
        """A command of the station's own, with something on its standard input; what it says."""
        return self.rig.sh(f"{AS_GATE} {AS_STATION} {words} <<< '{text}'", timeout=120)

    def forget(self):
        """Makes the stopped station as new as it was at first."""
        self.rig.sh(f"rm -rf {STATE}; install -d -m 700 -o gate -g gate {STATE}; sync {STATION}")
        self.register()

    def register(self):
        """Gives the station what its control service wants to see of a new one."""
        self.command("credential set kiosk", REGISTRATION)

    # The station

    def run_station(self):
        """Starts the station, for the first time or anew; returns when its scanner is read."""
        self.runs += 1
        if place.NATIVE and self.runs > 1:
            # The test keeps a pseudo-terminal open, and an earlier station's claim on it with that.
            self.rig.plug(0, **SCANNER)
        path = f"{FOLDER}/events-{self.runs}.jsonl"
        self.service = self.rig.spawn(
            f"scangate-{self.runs}", f"{AS_STATION} run --config {CONFIGURATION} --events {path} --station-socket {SOCKET}", user="gate")
        self.rig.until(lambda: self.alive() and self.rig.ok(f"[ -e {path} ]"), 120, "the service's event file")
        self.events = EventFile(self.rig, path)
        self.until_told("device", state="reading")

    def alive(self):
        self.assertTrue(self.service.running(), "the service has ended")
        return True

    def cut_power(self):
        """Pulls the station's plug; the venue is elsewhere."""
        self.rig.cut_power(self.service)

    def until_read(self):
        """Waits until the scanner is read: one that is let go of for a moment, as the configuration changes, loses what it sends then."""
        self.rig.until(lambda: self.alive() and self.told("device")[-1]["state"] == "reading", what="the scanner read")

    def told(self, type, **wanted):
        """The events of a type with these members, of the run that goes on."""
        return [event for event in self.events() if event["type"] == type and all(event[name] == value for name, value in wanted.items())]

    def until_told(self, type, after=0, timeout=PATIENCE, **wanted):
        """Waits for such an event beyond the first `after` of them; returns it."""
        return self.rig.until(lambda: self.alive() and self.told(type, **wanted)[after:], timeout, f"{type} {wanted} in the events")[0]

    def gate(self):
        """The gate's state, as it was told last."""
        return ([event["state"] for event in self.told("gate")] or [None])[-1]

    def until_gate(self, state, timeout=PATIENCE):
        self.rig.until(lambda: self.alive() and self.gate() == state, timeout, f"the gate {state}")

    def until_armed(self):
        """Waits until set-up codes are taken."""
        self.rig.until(lambda: self.alive() and self.is_armed(), what="the station armed")

    def until_disarmed(self):
        """Waits until it is told that set-up codes are no longer taken: a gate in service takes none any more, which is told after it."""
        self.rig.until(lambda: self.alive() and not self.is_armed(), what="the station disarmed")

    def is_armed(self):
        """Whether set-up codes are taken, as was told last."""
        states = [event["state"] for event in self.told("setUp") if event["state"] in ("armed", "disarmed")]
        return states[-1:] == ["armed"]

    # Codes

    def try_code(self, code):
        """Holds a set-up code to the scanner; returns what became of it: `done`, or why it was refused."""
        tried = [event for event in self.told("setUp") if event["state"] in ("done", "refused")]
        self.until_read()
        self.rig.type(0, code)

        def outcome():
            return self.alive() and [event for event in self.told("setUp") if event["state"] in ("done", "refused")][len(tried):]

        event = self.rig.until(outcome, what="what became of a set-up code")[0]
        self.tried[code] = time.monotonic()
        self.assertEqual((event["gate"], event["reader"]), ("north", "scanner"))
        self.assertNotIn(code, str(event))
        return event["reason"] or event["state"]

    def set_up(self, code):
        """Holds a good set-up code to the scanner; returns when the gate is in service."""
        self.assertEqual(self.try_code(code), "done")
        self.until_gate("ready")

    def scan(self, code):
        """Holds a code to the scanner of a gate that takes it for a ticket; returns the scan."""
        time.sleep(max(0, self.tried.get(code, 0) + HOLD_OFF - time.monotonic()))
        before = len(self.told("scan"))
        self.until_read()
        self.rig.type(0, code)
        return self.until_told("scan", before)

    def assert_admits(self):
        """The next ticket opens the gate, once."""
        since = self.rig.mark()
        self.assertEqual(self.scan(next(self.unused))["verdict"], "admit")
        self.whole_pulses(PASSAGE, PULSE, 1, since)

    def assert_shut(self, since=None):
        """Since a time, or since the test began, the relay has not moved."""
        self.assertEqual(self.rig.edges(PASSAGE, self.since if since is None else since), [])

    def assert_works_or_can_be_activated(self):
        """What holds after every power cut: the gate is in service, or it is by one new code; returns whether it took one."""
        self.rig.until(lambda: self.alive() and (self.gate() == "ready" or self.is_armed()), what="a gate in service, or a station armed")
        if self.gate() != "ready":
            # An activation whose answer was lost may still turn out to be good.
            self.rig.sh("sleep 5")
        fresh = self.gate() != "ready"
        if fresh:
            self.set_up(self.venue.activation_code())
        self.until_gate("ready")
        self.assert_admits()
        return fresh

    # What the person at the scanner is told

    def assert_refused(self, code, reason):
        """A set-up code is refused, and the buzzer counts out why: a long beep, and short ones that are counted.

        Beeps that are wrong while the machine stood still prove nothing, neither way: the code is shown once more then, twice at most; what it comes to then counts.
        """
        for attempt in range(1, BEEP_ATTEMPTS + 1):
            time.sleep(max(0, self.tried.get(code, 0) + HOLD_OFF - time.monotonic()))
            since = self.rig.mark()
            self.assertEqual(self.try_code(code), reason)
            beeps = self.heard(BEEPS[reason] + 2, since)
            found, wanted = [beep_name(beep) for beep in beeps], ["long"] + ["short"] * BEEPS[reason] + ["long"]
            wrong = [beep for beep, name, right in zip(beeps, found, wanted) if name != right]
            if not wrong or attempt == BEEP_ATTEMPTS or not all(map(self.is_void, wrong)):
                self.assertEqual(found, wanted, [round(beep.length / MS) for beep in beeps])
                return
            print(f"        void: beeps of {[round(beep.length / MS) for beep in wrong]} ms, while the machine stood still; once more")

    def is_void(self, beep):
        """Whether the machine stood still in the midst of a beep, or as it began, for so long that it may be what is wrong with it."""
        return any(end - begin >= BEEP_STALL * MS and begin < beep.at + beep.length for begin, end in self.rig.standstills(beep.at))

    def heard(self, count, since):
        """The first beeps since a time; it takes up to the second playing of what is played twice until they are there."""
        def beeps():
            over = [pulse for pulse in self.rig.pulses(BUZZER, since) if pulse.length is not None]
            return over[:count] if len(over) >= count else None

        return self.rig.until(beeps, what="the beeps of a refusal, and the first of their repetition")

    # TLS

    def certify(self):
        """An authority, and the venue's certificate for its name; returns the options by which it serves with it."""
        with tempfile.TemporaryDirectory() as folder:
            certificates.make(folder, "venue", NAME)
            for name in ("ca.pem", "venue.pem", "venue-key.pem"):
                self.rig.put((Path(folder) / name).read_bytes(), f"{FOLDER}/{name}")
        self.rig.sh(f"chown gate {FOLDER}/venue-key.pem; chmod 600 {FOLDER}/venue-key.pem")
        return ["--certificate", f"{FOLDER}/venue.pem", "--private-key", f"{FOLDER}/venue-key.pem", "--public-url", f"https://{NAME}:{PORT}"]
