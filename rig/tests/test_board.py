"""What only a guest with a Raspberry Pi's kind of processor shows of itself: a keyboard behind a USB controller of the kind that boards have, and its kernel's pages."""

import re

from case import RigCase
from rig import PATIENCE
from sets import release
from stages.target import IS_FOREIGN, TARGET
from typing_keys import type_keys

#: What the kernel calls the keys of "Code42".
LEFT_SHIFT, ENTER, CODE42 = 42, 28, [46, 24, 32, 18, 5, 3]


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
        type_keys(self._rig.machine.qmp, text)

    def remove(self):
        self._rig.machine.qmp("device_del", id="scanner")
        self._rig.machine.await_all([f"!exists {self.node}"], PATIENCE)


@on_board
@release
class Board(RigCase):
    def test_pages_are_as_large_as_they_are_called(self):
        self.assertEqual(int(self.rig.sh("getconf PAGE_SIZE")), 16384 if TARGET.key.endswith("-16k") else 4096)

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
