"""Two stations with one book, at real scanners and relays: one ticket that is presented at both in the same instant opens one of them.

Both gateways run in one guest, each with a scanner, a relay's line and a disk's folder of its own, and a server of the fleet beside them: that these are on
three machines is what test_fleet_steps is about.
"""

from events import EventFile
from place import in_guest
from rig import GATE_IN_GUEST
from sets import release
from test_gate import LEFT, LEFT_MATCH, RIGHT, RIGHT_MATCH, GateCase

FOLDER, FLEET = "/run/gate", "/run/fleet"
SERVER = "127.0.0.1:4222"
PULSE = 300
SLOTS, LINES = {"north": 0, "south": 1}, {"north": "RELAY0", "south": "RELAY1"}
MATCHES = {"north": LEFT_MATCH, "south": RIGHT_MATCH}
#: Short, for an emulated processor takes its time over each key.
CODE = "FLEET{:04}"
#: How often two persons present the same ticket in one instant.
ROUNDS = 3


def configuration(station):
    """A station whose uplink is dead: who has a code that is like one of its tickets' passes once, and again after an exit."""
    gate = f"""
    ticketSystem: venue
    {GATE_IN_GUEST.replace("minLength: 8", "minLength: 9, maxLength: 9, alphabet: alphanumeric")}
    holdOff: 0 s
    floodLimit: 600"""
    return f"""version: 1
station: {{name: {station}}}
ticketSystems:
  venue: {{type: eventschedule, url: "https://192.0.2.1", apiKeyFile: {FOLDER}/venue.key, scope: untilExit}}
readers:
  in: {{type: wedge, match: {MATCHES[station]}}}
  out: {{type: serial, match: {{path: /run/rig/out-{station}}}}}
gates:
  {station}:
    readers: [in]{gate}
    offline: {{policy: admitAndQueue, most: 1000, durableWithin: 5 s}}
    outputs: {{relay: {{gpio: {{chip: gate, line: {LINES[station]}}}, pulse: {PULSE} ms, gap: 200 ms}}}}
  {station}-exit:
    readers: [out]
    direction: out{gate}
"""


@in_guest
@release
class TwoStations(GateCase):
    def setUp(self):
        super().setUp()
        rig = self.rig
        self.codes = (CODE.format(number) for number in range(1000))
        self.stations, self.events_of, self.told = {}, {}, []
        rig.sh(f"rm -rf {FOLDER} {FLEET} /etc/scangate-fleet /var/lib/scangate-fleet; install -d -o gate -g gate {FOLDER}; install -d {FLEET}; "
               "chmod a+rw /dev/gpiochip*")
        rig.put("nobody-asks", f"{FOLDER}/venue.key")
        rig.sh(f"chown gate {FOLDER}/venue.key; chmod 400 {FOLDER}/venue.key; cd {FLEET}; "
               "/payload/bin/scangate fleet init --name summer --nodes hall=127.0.0.1 --stations north,south summer; "
               "install -d /etc/scangate-fleet; cp summer/servers/hall/*.pem summer/servers/hall/*.conf /etc/scangate-fleet", timeout=120)
        rig.spawn("nats", "/payload/bin/nats-server -c /etc/scangate-fleet/nats-server.conf")
        host, port = SERVER.split(":")
        rig.wait_until(f"port {host} {port}", timeout=120)
        rig.sh(f"cd {FLEET}; /payload/bin/scangate fleet open summer", timeout=120)
        for station in SLOTS:
            self.set_up(station)
        rig.plug(0, **LEFT)
        rig.plug(1, **RIGHT)
        for station in SLOTS:
            self.read(station)

    def set_up(self, station):
        """Gives a station its files, and starts it."""
        rig, state, path = self.rig, f"{FOLDER}/{station}", f"{FOLDER}/events-{station}.jsonl"
        rig.sh(f"install -d -o gate -g gate -m 700 {state}; install -m 644 {FLEET}/summer/stations/{station}/fleet-ca.pem {FOLDER}/fleet-ca.pem; "
               f"install -m 400 -o gate {FLEET}/summer/stations/{station}/credential {FOLDER}/credential.key; "
               f"setpriv --reuid=gate --regid=gate --init-groups env STATE_DIRECTORY={state} /payload/bin/scangate credential set fleet --file {FOLDER}/credential.key; "
               f"rm {FOLDER}/credential.key", timeout=120)
        section = rig.get(f"{FLEET}/summer/stations/{station}/fleet.yaml").decode().replace("/etc/scangate/fleet-ca.pem", f"{FOLDER}/fleet-ca.pem")
        rig.put(configuration(station) + section, f"{FOLDER}/{station}.yaml")
        pty = rig.spawn(f"pty-{station}", f"pty /run/rig/out-{station} gate")
        rig.wait_for(f"[[ $(find /proc/{pty.pid}/fd -lname /run/rig/out-{station}.in) ]]")
        service = rig.spawn(
            f"scangate-{station}", f"env STATE_DIRECTORY={state} /payload/bin/scangate run --config {FOLDER}/{station}.yaml --events {path}", user="gate")
        rig.until(lambda: self.alive(service) and rig.machine.holds(f"exists {path}"), what=f"the events of {station}")
        self.stations[station], self.events_of[station] = service, EventFile(rig, path)

    def read(self, station):
        """Waits until a station reads both of its scanners and has its fleet."""
        def reads():
            events = self.events_of[station]()
            states = {event["reader"]: event["state"] for event in events if event["type"] == "device"}
            fleet = [event["state"] for event in events if event["type"] == "fleet"]
            return states.get("in") == states.get("out") == "reading" and fleet[-1:] == ["together"]

        self.rig.until(lambda: self.alive(self.stations[station]) and reads(), 180, f"{station} reading, in its fleet")

    def scans(self, station):
        return [event for event in self.events_of[station]() if event["type"] == "scan"]

    def present(self, **codes):
        """Types a code on each of some stations' scanners in one instant; what the stations say of it."""
        before = {station: len(self.scans(station)) for station in codes}
        typed = [self.rig.start_typing(SLOTS[station], code) for station, code in codes.items()]
        for each in typed:
            each.finish()
        return self.verdicts(before)

    def leave(self, station, code):
        """Somebody goes out at a station."""
        before = {station: len(self.scans(station))}
        self.rig.sh(f"printf '{code}\\r' > /run/rig/out-{station}.in")
        return self.verdicts(before)[station]

    def verdicts(self, before):
        self.rig.until(lambda: all(self.alive(self.stations[station]) and len(self.scans(station)) > count for station, count in before.items()), what="verdicts")
        return {station: self.scans(station)[count] for station, count in before.items()}

    def assert_pulses(self, **counts):
        """Each station's relay has opened so often since the test began, and no more often."""
        for station, count in counts.items():
            self.whole_pulses(LINES[station], PULSE, count)

    def test_one_ticket_in_one_instant_gives_one_pulse_and_an_exit_frees_it_elsewhere(self):
        opened = dict.fromkeys(SLOTS, 0)
        for _ in range(ROUNDS):
            code = next(self.codes)
            said = self.present(north=code, south=code)
            inside = [station for station in SLOTS if said[station]["verdict"] == "admit"]
            self.assertEqual(len(inside), 1, said)
            inside, = inside
            outside, = SLOTS.keys() - {inside}
            opened[inside] += 1
            # Where both decided at once, the other asks to scan again; then it says where and when.
            if said[outside]["verdict"] == "undecided":
                self.assertEqual(said[outside]["reason"], "busy")
                self.assertIn(f"gate {inside} of station {inside} at 2", said[outside]["detail"])
                said = self.present(**{outside: code})
            self.assertEqual((said[outside]["verdict"], said[outside]["reason"]), ("refuse", "alreadyUsed"))
            self.assertRegex(said[outside]["detail"], rf"^Admitted at gate {inside} of station {inside} at \d{{4}}-")
            self.assert_pulses(**opened)

        # Out where it came in, and in elsewhere.
        self.assertEqual(self.leave(inside, code)["verdict"], "admit")
        for _ in range(10):  # until the exit is told
            said = self.present(**{outside: code})[outside]
            if said["verdict"] == "admit":
                break
            self.assertIn(said["reason"], ("alreadyUsed", "busy"))
        self.assertEqual(said["verdict"], "admit", said)
        opened[outside] += 1
        self.assert_pulses(**opened)
        said = self.present(**{inside: code})[inside]
        self.assertEqual((said["verdict"], said["reason"]), ("refuse", "alreadyUsed"))
        self.assert_pulses(**opened)
