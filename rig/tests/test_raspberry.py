"""A station on the board that QEMU emulates whole, a Raspberry Pi 3: its own USB controller and its own GPIO chip, whose lines are seen as the kernel traces them."""

import json
import re
import tempfile
import time
import unittest
from pathlib import Path

import case
import certificates
from board import Board
from rig import GATE_IN_GUEST, MS, built
from sets import release
from stages.target import TARGET

CHIP, LINE, PULSE = "pinctrl-bcm2835", 17, 1500
#: How long a busy host may take for what a Pi does in a minute, in seconds.
PATIENCE = 900
#: Keys that were pressed while the emulated processor had no time are lost, as with no real keyboard: what was typed so is typed anew.
ATTEMPTS = 3
TICKET = "TICKET-000"
CONFIGURATION = f"""
version: 1
station: {{name: rig}}
setUp: {{trust: /board/trust.txt, caFile: /board/ca.pem}}
ticketSystems:
  main: {{type: eventschedule, enrol: true, caFile: /board/ca.pem, rate: {{limit: 10000}}}}
readers:
  scanner: {{type: wedge, match: {{vendor: "0627", product: "0001"}}, keymap: us}}
gates:
  north:
    readers: [scanner]
    ticketSystem: main
    {GATE_IN_GUEST}
    outputs:
      relay: {{gpio: {{chip: {CHIP}, line: GPIO{LINE}}}, pulse: {PULSE} ms}}
      green: {{gpio: {{chip: {CHIP}, line: GPIO27}}}}
      red: {{gpio: {{chip: {CHIP}, line: GPIO22}}}}
"""


def on_raspberry(test):
    """Marks what there is only where the guest has that board's kernel: Debian's for arm64, with its usual pages."""
    return test if TARGET.key == "arm64" else None


@on_raspberry
@release
class RaspberryPi3(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not case.scangate.exists():
            raise unittest.SkipTest(f"there is no {case.scangate}")
        with tempfile.TemporaryDirectory() as folder:
            certificates.make(folder, "venue", "venue.rig")
            files = {name: (Path(folder) / name).read_bytes() for name in ("ca.pem", "venue.pem", "venue-key.pem")}
        files |= {"scangate.yaml": CONFIGURATION, "tickets.csv": f"code,kind,status\n{TICKET},entry,paid\n"}
        cls.board = Board(built(), case.scangate, files)
        cls.addClassCleanup(cls.board.close)

    def test_comes_alive_by_one_scan(self):
        board = self.board
        model = board.says(r"^rig: board (.*)$", PATIENCE)[1]
        self.assertIn("Raspberry Pi 3", model)
        base = int(board.says(r"^rig: chip gpiochip\d+: GPIOs (\d+)-\d+, .*pinctrl", PATIENCE)[1])
        code = board.says(r"^rig: code (SCANGATE1:\S+)$", PATIENCE)[1]
        self.until(type="device", state="reading")
        board.says(r"^rig: keyboard grabbed$", PATIENCE)
        self.grabbed = time.monotonic() - board.begun
        self.until(type="setUp", state="armed")
        self.assertEqual(self.levels(base), [])

        readings = len(self.events(type="device", state="reading"))
        self.typed(code, lambda: self.events(type="setUp", state="done"))
        self.set_up = time.monotonic() - board.begun - self.grabbed
        self.until(type="gate", state="ready")
        # By its new configuration it reads the keyboard anew.
        self.wait(lambda: len(self.events(type="device", state="reading")) > readings, "the keyboard being read anew")
        self.typed(TICKET, lambda: self.events(type="scan", verdict="admit"))
        edges = self.wait(lambda: self.levels(base)[1:] and self.levels(base), "a pulse on the relay's line")
        self.assertEqual([level for _, level in edges], [1, 0])
        length = edges[1][0] - edges[0][0]
        self.assertGreaterEqual(length, (PULSE - 4) * MS)
        self.assertEqual(len(self.events(type="scan", verdict="admit")), 1)
        print(*(f"        {words}" for words in re.findall(r"^rig: said (.*)$", board.said(), re.M)), sep="\n")
        print(f"        {model}, {board.release}: keyboard grabbed {self.grabbed:.0f} s after power on; set up {self.set_up:.0f} s after that by a code of {len(code)} characters; "
              f"{TICKET}: GPIO{LINE} for {length / MS:.0f} ms, {time.monotonic() - board.begun:.0f} s after power on", flush=True)

    def typed(self, text, is_taken):
        """Types a code until it is taken for what it is."""
        for attempt in range(ATTEMPTS):
            self.board.type(text)
            deadline = time.monotonic() + PATIENCE / (ATTEMPTS + 1)
            while time.monotonic() < deadline:
                if is_taken():
                    return
                time.sleep(0.2)
        self.fail(f"nothing came of a code of {len(text)} characters that was typed {ATTEMPTS} times:\n{self.board.report()}")

    def events(self, **wanted):
        """What the station has told so far, of these members."""
        told = []
        for line in re.findall(r"^rig: event (\{.*\})$", self.board.said(), re.M):
            try:
                told.append(json.loads(line))
            except ValueError:  # another's line in its midst
                continue
        return [event for event in told if all(event.get(name) == value for name, value in wanted.items())]

    def until(self, **wanted):
        self.wait(lambda: self.events(**wanted), f"the event {wanted}")

    def wait(self, is_so, what):
        deadline = time.monotonic() + PATIENCE
        while not (found := is_so()):
            if self.board.process.poll() is not None or time.monotonic() > deadline:
                self.fail(f"{what} was not seen:\n{self.board.report()}")
            time.sleep(0.2)
        return found

    def levels(self, base):
        """What the relay's line was set to, with the times in nanoseconds, by the kernel's trace."""
        found = re.findall(rf" (\d+)\.(\d+): gpio_value: {base + LINE} set ([01])", self.board.said())
        edges = [(int(seconds) * 1000 * MS + int(fraction) * 1000, int(level)) for seconds, fraction, level in found]
        # The line is put to its resting level when it is taken.
        while edges and edges[0][1] == 0:
            edges.pop(0)
        return edges
