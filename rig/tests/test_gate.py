"""The service on real devices: a code is typed on a scanner, an HTTP venue is asked, and the relay opens or stays shut."""

import re

import case
from case import RigCase
from events import EventFile
from rig import GATE_IN_GUEST, MS, PATIENCE

FOLDER = "/run/gate"
VENUE = "127.0.0.1:8080"
#: `north` is open for so long that what a test does during the pulse does not come after it.
NORTH_PULSE, SOUTH_PULSE, GAP = 2500, 300, 200

LEFT = {"vendor": "0c2e", "product": "0901", "manufacturer": "Metrologic", "name": "Honeywell Scanner", "serial": "SN0001"}
RIGHT = {"vendor": "05e0", "product": "1200", "manufacturer": "Symbol", "name": "Symbol Scanner", "serial": "SN0002"}
LEFT_MATCH = '{vendor: "0c2e", product: "0901", serial: SN0001}'
RIGHT_MATCH = '{vendor: "05e0", product: "1200", serial: SN0002}'
#: Which reader is whose slot.
READERS = {0: "left", 1: "right", 2: "third"}


def configuration(left=LEFT_MATCH, right=RIGHT_MATCH, third=None):
    """Two readers at two gates: `left` types on a US keyboard, `right` on a German one. `third`, if given, is a serial scanner beside `left`."""
    return f"""
version: 1
station: {{name: rig}}
ticketSystems:
  venue: {{type: eventschedule, url: "http://{VENUE}", apiKeyFile: {FOLDER}/venue.key, rate: {{limit: 10000}}}}
readers:
  left:  {{type: wedge, match: {left}, keymap: us}}
  right: {{type: wedge, match: {right}, keymap: de}}
  {f"third: {{type: serial, match: {third}}}" if third else ""}
gates:
  north:
    readers: [left{", third" if third else ""}]
    ticketSystem: venue
    {GATE_IN_GUEST}
    outputs:
      relay: {{gpio: {{chip: gate, line: RELAY0}}, pulse: {NORTH_PULSE} ms, gap: {GAP} ms}}
      green: {{led: "gate:green:pass"}}
      red: {{led: "gate:red:deny"}}
      buzzer: {{gpio: {{chip: gate, line: BUZZ}}}}
  south:
    readers: [right]
    ticketSystem: venue
    {GATE_IN_GUEST}
    outputs:
      relay: {{gpio: {{chip: gate, line: RELAY1}}, pulse: {SOUTH_PULSE} ms, gap: {GAP} ms}}
      green: {{gpio: {{chip: gate, line: LAMP_G}}}}
      red: {{gpio: {{chip: gate, line: LAMP_R}}}}
"""


def tickets(paid=(), unpaid=()):
    """A ticket file. Each ticket's holder is called after its code, so that events name the code without showing it."""
    rows = [(code, "paid") for code in paid] + [(code, "unpaid") for code in unpaid]
    return "code,kind,status,name\n" + "".join(f"{code},entry,{status},{holder(code)}\n" for code, status in rows)


def holder(code):
    return "Guest of " + re.sub(r"[^A-Za-z0-9]", ".", code)


def venue_command():
    return (f"/payload/bin/scangate venue serve --listen {VENUE} --database {FOLDER}/venue.db --import {FOLDER}/tickets.csv "
            f"--api-key-file {FOLDER}/venue.key --no-limits --control {FOLDER}/venue.sock")


class GateCase(RigCase):
    """A venue and the service, started by `serve`."""

    needs_scangate = True
    #: Where the service keeps its state.
    STATE = f"{FOLDER}/state"

    def serve(self, paid=(), unpaid=(), text=None, sold=None, **matches):
        """Starts both, the service by the configuration `text` or by that of this module with `matches`; the venue has the tickets of `sold`, a file's text."""
        rig = self.rig
        rig.sh(f"rm -rf {FOLDER}; install -d -o gate -g gate {FOLDER}; chmod a+rw /dev/gpiochip* /sys/class/leds/gate:*/{{brightness,trigger}}")
        rig.put(sold or tickets(paid, unpaid), f"{FOLDER}/tickets.csv")
        rig.put(text or configuration(**matches), f"{FOLDER}/scangate.yaml")
        venue = rig.spawn("venue", venue_command(), user="gate")
        host, port = VENUE.split(":")
        rig.until(lambda: self.alive(venue) and rig.machine.holds(f"port {host} {port}"), 120, "the venue listening")
        self.runs = 0
        self.run_service()

    def run_service(self):
        """Starts the service, for the first time or anew."""
        rig = self.rig
        self.runs += 1
        path = f"{FOLDER}/events-{self.runs}.jsonl"
        self.events, self.begun = EventFile(rig, path), {}
        self.service = rig.spawn(
            f"scangate-{self.runs}", f"env STATE_DIRECTORY={self.STATE} /payload/bin/scangate run --config {FOLDER}/scangate.yaml --events {path}", user="gate")
        rig.until(lambda: self.alive(self.service) and rig.machine.holds(f"exists {path}"), what="the service's event file")

    def alive(self, process):
        self.assertTrue(process.running(), f"{process.name} has ended")
        return True

    def taken(self, *slots):
        """Waits until the service reads the scanners in these slots: it has them, and has seen the silence that it insists on."""
        nodes = [self.rig.devices[slot].node for slot in slots]
        self.rig.wait_until(*(f"opened {self.service.pid} {node}" for node in nodes))
        for slot in slots:
            self.reading(READERS[slot])
        for slot in slots:
            if self.rig.devices[slot].functions == ("keyboard",):
                self.assertTrue(self.rig.grabbed(self.rig.devices[slot].node), f"{READERS[slot]} is not grabbed")

    def states(self, reader):
        """Every state that a reader has had."""
        return [event["state"] for event in self.events() if event["type"] == "device" and event["reader"] == reader]

    def reading(self, reader):
        """Waits until a reader reads that did not when this was asked before: plugged in once more, it must have begun to read once more."""

        def reads():
            states = self.states(reader)
            return states.count("reading") > self.begun.get(reader, 0) and states[-1] == "reading" and states.count("reading")

        self.begun[reader] = self.rig.until(lambda: self.alive(self.service) and reads(), what=f"{reader} reading")

    def scans(self):
        return [event for event in self.events() if event["type"] == "scan"]

    def scan_of(self, code, timeout=PATIENCE):
        """Waits for the service's word on a code."""
        name = holder(code)
        return self.rig.until(
            lambda: self.alive(self.service) and next((scan for scan in self.scans() if scan.get("holder") == name), None), timeout, f"a scan of {code}")

    def scan_count(self, count, timeout=PATIENCE):
        """Waits for so many scans and returns them."""
        return self.rig.until(lambda: self.alive(self.service) and len(self.scans()) >= count and self.scans(), timeout, f"{count} scans")


class Verdicts(GateCase):
    """One service with a scanner at each gate, for all tests of this class."""

    PAID = ["NORTH-zy/42=A", "SOUTH-Zy/42=B", "NORTH-first-2", "NORTH-first-3", "NORTH-before-1", "NORTH-before-2", "NORTH-before-3"]
    UNPAID = ["NORTH-unpaid-1", "SOUTH-unpaid-1", "NORTH-after-1", "NORTH-after-2", "NORTH-after-3"]

    service = None
    has_failed = False

    def setUp(self):
        super().setUp()
        cls = type(self)
        if cls.service is None:
            self.assertFalse(cls.has_failed, "the service did not start, see the first test of this class")
            cls.has_failed = True
            cls.addClassCleanup(RigCase.clear, self)
            cls.addClassCleanup(cls.forget)
            self.rig.plug(0, **LEFT)
            self.rig.plug(1, **RIGHT)
            self.serve(self.PAID, self.UNPAID)
            self.taken(0, 1)
            cls.service, cls.events, cls.begun = self.service, self.events, self.begun
        else:
            self.rest()
        self.since = self.rig.mark()

    def clear(self):
        """Not after each test but after the last."""

    @classmethod
    def forget(cls):
        """Should tests of this class be begun anew, they have another guest."""
        cls.service, cls.has_failed = None, False

    def rest(self):
        """Waits until the lamps of the test before have gone out and stay so."""

        def are_quiet():
            """For a second of the guest's."""
            now = self.rig.machine.now()
            last = [changes[-1] for changes in (
                *(self.rig.edges(line) for line in ("RELAY0", "RELAY1", "LAMP_G", "LAMP_R")),
                *(self.rig.led_changes(name) for name in ("gate:green:pass", "gate:red:deny"))) if changes]
            return all(not value and at < now - 1000 * MS for at, value in last)

        self.rig.until(are_quiet, what="the lamps going out")

    def lost(self):
        """What the kernel has thrown away of what was typed."""
        return [event for event in self.events() if event["type"] == "discarded" and event["reason"] == "overflow"]

    def lit(self, name):
        return [change for change in self.rig.led_changes(name, self.since) if change.value > 0]

    def test_valid_code_on_a_us_scanner_opens_north(self):
        self.rig.type(0, "NORTH-zy/42=A")
        scan = self.scan_of("NORTH-zy/42=A")
        self.assertEqual((scan["verdict"], scan["gate"], scan["reader"]), ("admit", "north", "left"))
        self.whole_pulses("RELAY0", NORTH_PULSE, 1)
        self.assertTrue(self.lit("gate:green:pass"))
        self.assertFalse(self.lit("gate:red:deny"))
        self.assertEqual(self.rig.edges("RELAY1", self.since), [])

    def test_valid_code_on_a_german_scanner_opens_south(self):
        self.rig.type(1, "SOUTH-Zy/42=B", layout="de")
        scan = self.scan_of("SOUTH-Zy/42=B")
        self.assertEqual((scan["verdict"], scan["gate"], scan["reader"]), ("admit", "south", "right"))
        self.whole_pulses("RELAY1", SOUTH_PULSE, 1)
        self.assertTrue(self.rig.edges("LAMP_G", self.since))
        self.assertEqual(self.rig.edges("LAMP_R", self.since), [])
        self.assertEqual(self.rig.edges("RELAY0", self.since), [])

    def test_unpaid_code_shows_red_and_leaves_the_relay(self):
        seen = len(self.scans())
        self.rig.type(0, "NORTH-unpaid-1")
        self.rig.type(1, "SOUTH-unpaid-1", layout="de")
        refused = self.scan_count(seen + 2)[seen:]
        self.assertEqual(sorted((scan["verdict"], scan["reason"], scan["gate"]) for scan in refused), [("refuse", "unpaid", "north"), ("refuse", "unpaid", "south")])
        self.rig.until(lambda: self.lit("gate:red:deny"), what="the red LED")
        self.rig.until(lambda: self.rig.edges("LAMP_R", self.since), what="the red lamp")
        self.rig.pause(0.5)  # time for a relay to move that must not
        self.assertEqual(self.rig.edges("RELAY0", self.since) + self.rig.edges("RELAY1", self.since), [])
        self.assertFalse(self.lit("gate:green:pass"))

    def test_refusal_after_an_admission_leaves_the_pulse_whole(self):
        for number in (1, 2, 3):
            self.since, lost = self.rig.mark(), len(self.lost())
            self.rig.type(0, f"NORTH-before-{number}\nNORTH-after-{number}")
            # Two codes without a pause are more than the kernel keeps of a scanner whose reader has no processor meanwhile: that is told, and is no refusal.
            red = self.rig.until(lambda: self.lit("gate:red:deny") or len(self.lost()) > lost and "lost", what="the red LED")
            if red != "lost":
                break
            self.rig.pause(NORTH_PULSE / 1000 + 1)
        self.assertNotEqual(red, "lost", "no two codes came whole")
        (pulse,) = self.whole_pulses("RELAY0", NORTH_PULSE, 1)
        self.assertGreater(red[0].at, pulse.at)
        self.assertLess(red[0].at, pulse.at + pulse.length, "the refusal came too late to prove anything")

    def test_two_admissions_give_two_pulses(self):
        self.rig.type(0, "NORTH-first-2\nNORTH-first-3")
        first, second = self.whole_pulses("RELAY0", NORTH_PULSE, 2)
        self.assertGreaterEqual(second.at - (first.at + first.length), (GAP - 1) * MS)


class ReplugCase(GateCase):
    def replug_while_typing(self, slots, **matches):
        """Cuts codes by unplugging, in all `slots` (slot to layout, None for a serial scanner) at once; what is typed after that must arrive."""
        rounds = case.rounds
        broken = {(turn, slot): f"Broken-{turn:03}-{slot}-" + "xyz" * 30 for turn in range(rounds) for slot in slots}
        whole = {(turn, slot): f"W-{turn:03}-{slot}-zy" for turn in range(rounds) for slot in slots}
        # What is typed into an unplugging is valid too: had it arrived whole, it would be admitted, not wrong.
        self.serve([*broken.values(), *whole.values()], **matches)
        self.taken(*slots)
        cut = 0
        for turn in range(rounds):
            typing = {slot: self.rig.start_typing(slot, broken[turn, slot], layout, gap_us=25000) for slot, layout in slots.items()}
            self.rig.pause(turn * 7 % 20 / 100)  # another place in the code each time
            self.rig.unplug(*slots)
            arrived = [typing[slot].whole() for slot in slots]
            cut += arrived.count(False)
            self.rig.replug(*slots)
            self.taken(*slots)
            # At an easy pace: the kernel keeps ten keys, and a reader of a guest that has just got three devices may take its time.
            for again in [self.rig.start_typing(slot, whole[turn, slot], layout, gap_us=12000) for slot, layout in slots.items()]:
                again.finish()
            for slot in slots:
                self.assertEqual(self.scan_of(whole[turn, slot])["verdict"], "admit", f"turn {turn}, {arrived}")
        allowed = {holder(code) for code in [*broken.values(), *whole.values()]}
        scans = self.scans()
        # An emulated server may be too slow for an answer in time; which code that was, its last characters tell.
        unanswered = [scan for scan in scans if (scan["verdict"], scan["reason"]) == ("undecided", "unreachable")]
        endings = {code[-4:] for code in [*broken.values(), *whole.values()]}
        self.assertLessEqual({scan["code"].lstrip("…") for scan in unanswered}, endings)
        self.assertLessEqual(len(unanswered), max(1, rounds // 20), "too many went unanswered to prove anything")
        wrong = [scan for scan in scans if scan not in unanswered and (scan["verdict"] != "admit" or scan.get("holder") not in allowed)]
        self.assertEqual(wrong, [])
        changed = self.rig.sh(f"grep -c identityChanged {FOLDER}/events-1.jsonl", check=False)
        self.assertEqual(changed.strip(), "0", "the same scanner came back each time")
        self.assertGreater(cut, rounds, "too few codes were cut by the unplugging to prove anything")


class Matching(GateCase):
    def test_identical_scanners_feed_two_gates(self):
        twin = {**LEFT, "serial": ""}
        for slot in (0, 1):
            self.rig.plug(slot, **twin)
        self.serve(["Twin-0-zy", "Twin-1-zy"], **{name: f'{{vendor: "0c2e", product: "0901", port: "{self.rig.port(slot)}"}}' for slot, name in enumerate(("left", "right"))})
        self.taken(0, 1)
        for slot, layout in enumerate(("us", "de")):
            self.rig.type(slot, f"Twin-{slot}-zy", layout)
        self.assertEqual([self.scan_of(f"Twin-{slot}-zy")["gate"] for slot in (0, 1)], ["north", "south"])
        self.whole_pulses("RELAY0", NORTH_PULSE, 1)
        self.whole_pulses("RELAY1", SOUTH_PULSE, 1)

    def test_keyboard_of_the_operator_is_not_grabbed(self):
        self.rig.plug(0, **LEFT)
        keyboard = self.rig.plug(2, "046d", "c31c", "Logitech", "USB Keyboard")
        self.serve()
        self.taken(0)
        self.assertFalse(self.rig.opened_by(keyboard.node, self.service))
        self.assertFalse(self.rig.grabbed(keyboard.node))
        self.assertTrue(self.rig.grabbed(self.rig.devices[0].node))

    def test_node_whose_permission_comes_late_is_taken(self):
        self.rig.udev_rule("90-late", 'SUBSYSTEM=="input", KERNEL=="event*", ATTRS{idVendor}=="0c2e", GROUP="root", MODE="0600"\n')
        self.addCleanup(self.rig.udev_rule, "90-late", None)
        self.serve(["Late-but-in-time"])
        node = self.rig.plug(0, **LEFT).node
        self.rig.pause(0.5)
        self.alive(self.service)
        self.assertFalse(self.rig.opened_by(node, self.service))
        self.rig.set_mode(node, 0o660, "root:input")
        self.taken(0)
        self.rig.type(0, "Late-but-in-time")
        self.assertEqual(self.scan_of("Late-but-in-time")["verdict"], "admit")
