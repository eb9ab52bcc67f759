"""What only a guest with a Raspberry Pi's kind of processor shows: a keyboard behind a USB controller of the kind that boards have, and what programs take there."""

import re
import time

from case import RigCase
from rig import PATIENCE
from service import GATEWAY, HOLDER, ServiceCase
from sets import release
from stages.target import IS_FOREIGN

#: The gateway and its holder together, in KiB.
MEMORY = 35 << 10
#: What the kernel calls the keys of "Code42".
LEFT_SHIFT, ENTER, CODE42 = 42, 28, [46, 24, 32, 18, 5, 3]
#: QEMU's names of keys.
KEYS = {"-": "minus", "\n": "ret", **{each: each for each in "abcdefghijklmnopqrstuvwxyz0123456789"}}


def on_board(test):
    """Marks what there is only in a guest with another processor."""
    return test if IS_FOREIGN else None


class Keyboard:
    """QEMU's own keyboard on the controller, typed on from outside of the guest."""

    def __init__(self, rig):
        self._rig = rig
        rig.sh("modprobe xhci_pci; modprobe usbhid; modprobe hid_generic; modprobe evdev")
        rig.machine.qmp("device_add", driver="usb-kbd", id="scanner", bus="usb.0", serial="SCAN-1")
        (self.node,) = rig.machine.await_all(["here /sys/devices/platform/*.pcie/pci*/*/usb*/*/*:1.0/*/input/input*/event*"], PATIENCE)

    def type(self, text):
        for letter in text + "\n":
            keys = [*(["shift"] if letter.isupper() else []), KEYS[letter.lower()]]
            self._rig.machine.qmp("send-key", keys=[{"type": "qcode", "data": key} for key in keys], **{"hold-time": 40})
            # The keyboard is asked every 8 ms of the guest's time, and forgets what nobody has asked for.
            time.sleep(0.12)

    def remove(self):
        self._rig.machine.qmp("device_del", id="scanner")
        self._rig.machine.await_all([f"!exists {self.node}"], PATIENCE)


@on_board
@release
class Board(RigCase):
    def test_keyboard_on_a_usb_controller(self):
        keyboard = Keyboard(self.rig)
        self.addCleanup(keyboard.remove)
        self.assertEqual(self.rig.property(keyboard.node, "ID_INPUT_KEYBOARD"), "1")
        reader = self.rig.spawn("keys-of-board", f"keys read {keyboard.node}")
        reader.says("ready")
        keyboard.type("Code42")
        self.rig.until(lambda: f" {ENTER} 0\n" in reader.log(), what="the last key up")
        pressed = [int(code) for code in re.findall(r"^\d+ (\d+) 1$", reader.log(), re.M)]
        self.assertEqual(pressed, [LEFT_SHIFT, *CODE42, ENTER])


@on_board
@release
class Service(ServiceCase):
    def test_memory_of_gateway_and_holder(self):
        self.assert_admits()
        taken = 0
        for unit in (GATEWAY, HOLDER):
            rollup = self.rig.get(f"/proc/{self.rig.main_pid(unit)}/smaps_rollup").decode()
            taken += int(re.search(r"^Pss:\s+(\d+) kB", rollup, re.M)[1])
        self.assertLessEqual(taken, MEMORY)
