#!/usr/bin/env python3
"""Mocked scanners for another process, by umockdev's test bed and the evdev behind it that Tests/Readers/CMockDevices has. To be started by
umockdev-wrapper; takes a command a line, of words between tabs, and answers each with a line.

    led NAME | wedge N PLACE VENDOR PRODUCT SERIAL NAME | line N VENDOR PRODUCT SERIAL | type N TEXT | send N TEXT | unplug N
    terminal NODE | forget NODE
"""

import ctypes
import os
import sys
import time

SYS = "/sys"
GRAVES = 24
#: Keys of a US keyboard, by what they type.
KEYS = {"\n": 28}
for row, first in (("1234567890", 2), ("qwertyuiop", 16), ("asdfghjkl", 30), ("zxcvbnm", 44)):
    KEYS.update({character: first + index for index, character in enumerate(row)})


def part(path, *lines):
    return "\n".join([f"P: {path}", *lines]) + "\n\n"


class Device:
    """A mocked node, with those above it that go with it."""

    def __init__(self, bed, node, text, path, parents, name="", ids=(0, 0)):
        self.bed, self.node, self.path, self.parents = bed, node, path, parents
        # Before it is there: udev tells of it as soon as it is.
        self.number = bed.answer(node, name, *ids)
        bed.add(text)
        if bed.mock_hold(self.number) != 0:
            raise OSError(f"nothing holds {node}")

    def unplug(self):
        """As it is with real ones: the node goes and hangs up, and udev tells soon after, from the leaf up."""
        os.unlink(f"{self.bed.folder}{self.node}")
        self.bed.mock_hang_up(self.number)
        for path in (self.path, *self.parents):
            self.bed.tell(path, "remove")
        for path in (self.path, *self.parents):
            self.bed.mock_remove((SYS + path).encode())
        self.bed.bury(self.number)

    def write(self, send, what):
        """The node takes some 150 events; then it waits for its reader, not for ever."""
        end = time.monotonic() + 5
        while send() != 0:
            if time.monotonic() > end:
                raise OSError(f"{self.path} takes no {what}")
            time.sleep(0.002)


class Bed:
    def __init__(self, library):
        self.mock = ctypes.CDLL(library)
        if self.mock.mock_begin() != 1:
            sys.exit("umockdev is not there, or this was not started by umockdev-wrapper.")
        self.mock.getenv.restype = ctypes.c_char_p
        self.folder = self.mock.getenv(b"UMOCKDEV_DIR").decode()
        self.devices, self.gone = {}, []

    def __getattr__(self, name):
        return getattr(self.mock, name)

    def add(self, text):
        if self.mock_add(text.encode()) != 0:
            raise OSError(f"the test bed takes no {text.splitlines()[0]}")

    def answer(self, node, name="", vendor=0, product=0):
        number = self.mock_answer(node.encode(), name.encode(), vendor, product, 1)
        if number < 0:
            raise OSError(f"no ioctls for {node}")
        return number

    def tell(self, path, action):
        self.mock_tell((SYS + path).encode(), action.encode())

    def bury(self, number):
        """Its ioctls are answered for a while: umockdev ends a program that has just opened a node, and finds nobody who does."""
        self.gone.append(number)
        if len(self.gone) > GRAVES:
            self.mock_detach(self.gone.pop(0))

    # What the commands do

    def led(self, name):
        self.add(part(f"/devices/platform/{name}/leds/{name}", "E: SUBSYSTEM=leds", "A: max_brightness=1", "A: brightness=0"))

    def wedge(self, number, place, vendor, product, serial, name):
        """On a USB port, or at a place that no bus tells of, as of Bluetooth: another one each time."""
        node = f"/dev/input/event{number}"
        tell = ["E: SUBSYSTEM=input", f"E: DEVNAME={node}", "E: ID_INPUT=1", "E: ID_INPUT_KEYBOARD=1"]
        if place == "bluetooth":
            above, usb = f"/devices/virtual/misc/uhid/0005:{vendor.upper()}:{product.upper()}.{int(number):04X}", None
            text = part(above, "E: SUBSYSTEM=hid", f"E: HID_UNIQ={serial}")
            own = [f"A: uniq={serial}", f"A: id/vendor={vendor}", f"A: id/product={product}"]
        else:
            usb, above, text = self.usb("usb1", place, vendor, product, serial)
            tell += [*self.ids(vendor, product, serial), f"E: DEVLINKS=/dev/input/by-id/usb-{serial}-event-kbd"]
            own = []
        parent = f"{above}/input/input{number}"
        path = f"{parent}/event{number}"
        keys = "1000000000007 ff9f207ac14057ff febeffdfffefffff fffffffffffffffe"
        text += part(parent, "E: SUBSYSTEM=input", f"A: name={name}", f"A: capabilities/key={keys}", *own)
        text += part(path, f"N: input/event{number}", *tell)
        parents = [parent, above] + ([usb] if usb else [])
        self.devices[number] = Device(self, node, text, path, parents, name, (int(vendor, 16), int(product, 16)))

    def line(self, number, vendor, product, serial):
        node = f"ttyACM{number}"
        usb, above, text = self.usb("usb2", f"2-{number}", vendor, product, serial)
        path = f"{above}/tty/{node}"
        text += part(path, f"N: {node}", "E: SUBSYSTEM=tty", f"E: DEVNAME=/dev/{node}", "E: ID_MODEL=Scanner",
                     *self.ids(vendor, product, serial))
        self.devices[number] = Device(self, f"/dev/{node}", text, path, [above, usb])

    def ids(self, vendor, product, serial):
        return f"E: ID_VENDOR_ID={vendor}", f"E: ID_MODEL_ID={product}", f"E: ID_SERIAL_SHORT={serial}"

    def usb(self, bus, place, vendor, product, serial):
        """A device on a port and its interface: their paths, and what makes them."""
        usb = f"/devices/pci0000:00/0000:00:14.0/{bus}/{place}"
        above = f"{usb}/{place}:1.0"
        text = part(usb, "E: SUBSYSTEM=usb", "E: DEVTYPE=usb_device", f"E: DEVNAME=/dev/bus/{bus}/{place}",
                    "E: ID_USB_INTERFACES=:030101:", f"A: idVendor={vendor}", f"A: idProduct={product}", f"A: serial={serial}")
        return usb, above, text + part(above, "E: SUBSYSTEM=usb", "E: DEVTYPE=usb_interface", "A: bInterfaceNumber=00")

    def type(self, number, text):
        device = self.devices[number]
        for character in text.replace("|", "\n"):
            for kind, code, value in ((1, KEYS[character], 1), (0, 0, 0), (1, KEYS[character], 0), (0, 0, 0)):
                device.write(lambda: self.mock_write(device.number, kind, code, value), "key")

    def send(self, number, text):
        device, data = self.devices[number], text.replace("|", "\r").encode()
        device.write(lambda: self.mock_send(device.number, data, len(data)), "byte")

    def terminal(self, node):
        """One that is really there, and is to be taken as any other."""
        self.devices[node] = self.answer(node)

    def forget(self, node):
        self.mock_detach(self.devices.pop(node))

    def unplug(self, number):
        self.devices.pop(number).unplug()


def main():
    bed = Bed(sys.argv[1])
    print(bed.folder, flush=True)
    for line in sys.stdin:
        command, *words = line.rstrip("\n").split("\t")
        try:
            getattr(bed, command)(*words)
            print("done", flush=True)
        except (OSError, KeyError) as error:
            print(f"failed {error!r}", flush=True)


if __name__ == "__main__":
    main()
