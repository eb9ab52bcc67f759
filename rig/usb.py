"""USB devices that type or send: each slot is one port of a simulated host controller (dummy_hcd), with its own bus."""

import re
from dataclasses import dataclass, field

import keyboard
from feeds import PATIENCE, Feed
from machine import MachineError

SLOTS = 6
GADGETS = "/sys/kernel/config/usb_gadget"

#: A boot keyboard (HID 1.11, appendix B.1) with key codes up to 0x65.
KEYBOARD = bytes.fromhex("05010906a101050719e029e71500250175019508810295017508810395057501050819012905910295017503910395067508150025650507190029658100c0")


@dataclass
class Device:
    """A USB device in a slot. `nodes` are its nodes on the host, evdev or tty, one for each function; empty while it is unplugged."""
    slot: int
    functions: tuple = ("keyboard",)
    devices: list = field(default_factory=list)
    nodes: list = field(default_factory=list)
    #: What the host writes to the lamps of each keyboard, and who tells of it while it is plugged.
    lamps: dict = field(default_factory=dict)
    watches: list = field(default_factory=list)
    is_plugged: bool = False

    @property
    def node(self):
        return self.nodes[0]

    @property
    def gadget(self):
        return f"{GADGETS}/slot{self.slot}"

    def folders(self):
        """The gadget's folder of each function."""
        return [f"{self.gadget}/functions/{'acm' if kind == 'serial' else 'hid'}.{self.slot}-{index}" for index, kind in enumerate(self.functions)]


class Typing:
    """A text on its way through a device, counted in reports of a keyboard or bytes of a serial port."""

    def __init__(self, started, count, text, told):
        self._started, self._count, self._text, self._told = started, count, text, told

    def whole(self, timeout=PATIENCE):
        """Waits for the end; True if all of it has left the device."""
        status, output = self._started.result(timeout)
        return status == 0 and int(output) == self._count

    def finish(self, timeout=PATIENCE):
        """Waits for the end, which must be the whole text's."""
        status, output = self._started.result(timeout)
        if status != 0 or int(output) != self._count:
            raise MachineError(f"typing {self._text!r} ended after {output.decode(errors='replace').strip()} of {self._count}")

    def is_over(self):
        """Whether it has ended, wholly or not."""
        return self._started.done()

    def is_written(self):
        """Whether a serial port has taken all of it, which need not have left it."""
        return self._told == [self._count]


class Usb:
    """The part of a rig that is plugged."""

    def __init__(self):
        self.devices = {}

    def plug(self, slot, vendor, product, manufacturer="Maker", name="Scanner", serial="", functions=("keyboard",)):
        """Plugs a new USB device into a slot; returns when udev is through with its nodes.

        `vendor` and `product` are four hexadecimal digits. Each function of the device is a "keyboard" or a "serial" port of its own.
        """
        self.remove(slot)
        device = Device(slot, tuple(functions))
        top = device.gadget
        texts = {"manufacturer": manufacturer, "product": name, **({"serialnumber": serial} if serial else {})}
        changes = [("mkdir", top), ("mkdir", f"{top}/strings/0x409"), ("mkdir", f"{top}/configs/c.1")]
        changes += [("write", f"{top}/{key}", f"{value}\n") for key, value in
                    {"idVendor": f"0x{vendor}", "idProduct": f"0x{product}", "bcdUSB": "0x0200", "bcdDevice": "0x0100"}.items()]
        changes += [("write", f"{top}/strings/0x409/{key}", f"{value}\n") for key, value in texts.items()]
        for kind, folder in zip(device.functions, device.folders()):
            changes.append(("mkdir", folder))
            if kind == "keyboard":
                changes += [("write", f"{folder}/{key}", value) for key, value in
                            {"protocol": "1\n", "subclass": "1\n", "report_length": "8\n", "report_desc": KEYBOARD}.items()]
            changes.append(("link", f"{top}/configs/c.1/{folder.rpartition('/')[2]}", folder))
        self.machine.change_files(*changes)
        self.devices[slot] = device
        self.replug(slot)
        return device

    def plug_serial(self, slot, vendor, product, manufacturer="Maker", name="Serial Scanner", serial=""):
        """Plugs a scanner that is a serial port (CDC-ACM) into a slot."""
        return self.plug(slot, vendor, product, manufacturer, name, serial, functions=("serial",))

    def replug(self, *slots):
        """Plugs in again what was unplugged, all at the same time."""
        patterns = []
        for device in map(self.devices.get, slots):
            self.machine.write(f"{device.gadget}/UDC", f"dummy_udc.{device.slot}\n")
            device.is_plugged = True
            device.devices, interface = [], 0
            for index, (kind, folder) in enumerate(zip(device.functions, device.folders())):
                port = f"/sys/devices/platform/dummy_hcd.{device.slot}/usb*/*-1/*:1.{interface}"
                if kind == "serial":
                    device.devices.append(f"/dev/ttyGS{int(self.get(f'{folder}/port_num'))}")
                    patterns.append(f"here {port}/tty/tty*")
                    interface += 2
                else:
                    device.devices.append(f"/dev/hidg{int(self.get(f'{folder}/dev').partition(b':')[2])}")
                    patterns.append(f"here {port}/*/input/input*/event*")
                    interface += 1
                    feed = device.lamps.setdefault(index, Feed(self))
                    device.watches.append(self.machine.ask("lamps", words=device.devices[-1], take=feed.take))
        nodes = iter(self.machine.await_all(patterns, PATIENCE))
        for device in map(self.devices.get, slots):
            device.nodes = [next(nodes) for _ in device.functions]

    def unplug(self, *slots):
        """Pulls devices out, in the middle of a text if need be; returns when their nodes are gone."""
        devices = [self.devices[slot] for slot in slots]
        self.machine.change_files(*(("write", f"{device.gadget}/UDC", "\n") for device in devices))
        for device in devices:
            for watch in device.watches:
                self.machine.unfollow(watch)
            device.watches, device.nodes, device.is_plugged = [], [], False
        self.machine.await_all([f"!matches /sys/devices/platform/dummy_hcd.{slot}/usb*/*-1/*:1.0" for slot in slots], PATIENCE)

    def remove(self, slot):
        """Empties a slot."""
        device = self.devices.get(slot)
        if device is None:
            return
        if device.is_plugged:
            self.unplug(slot)
        top = device.gadget
        folders = device.folders()
        self.machine.change_files(
            *(("unlink", f"{top}/configs/c.1/{folder.rpartition('/')[2]}") for folder in folders),
            *(("rmdir", folder) for folder in [*folders, f"{top}/configs/c.1", f"{top}/strings/0x409", top]))
        del self.devices[slot]

    def start_typing(self, slot, text, layout="us", gap_us=4000, enter=True, function=0):
        """Begins to type; see `type`."""
        device = self.devices[slot].devices[function]
        told = []
        if self.devices[slot].functions[function] == "serial":
            sent = text.encode() + (b"\r" if enter else b"")
            started = self.machine.ask("bytes", sent.hex(" ").encode(), f"{device} {gap_us}", lambda part: told.append(int(part)))
            return Typing(started, len(sent), text, told)
        items = list([text] if isinstance(text, (str, keyboard.Key, keyboard.Held)) else text)
        reports = keyboard.reports(items, layout) + (keyboard.reports([keyboard.Key(keyboard.ENTER)]) if enter else [])
        words = " ".join(f"{modifiers:02x}{code:02x}" for modifiers, code in reports)
        return Typing(self.machine.ask("keys", words.encode(), f"{device} {gap_us}"), len(reports), text, told)

    def type(self, slot, text, layout="us", gap_us=4000, enter=True, function=0):
        """Types `text` (a string, or a list of strings, keys and `keyboard.alt_code`) as a scanner set to `layout` does.

        `gap_us` is the pause after each report: 4 ms is a quick scanner, and what an emulated host can follow. Each report waits until the host has fetched the one before: nothing is lost.
        A serial scanner sends the text in UTF-8, and CR for `enter`; what it sends while nobody reads waits in the port.
        """
        self.start_typing(slot, text, layout, gap_us, enter, function).finish()

    def led_reports(self, slot, function=0, since=0):
        """What the host wrote to the keyboard's lamps: (nanoseconds, bits); 1 is Num, 2 Caps, 4 Scroll."""
        lines = self.devices[slot].lamps[function].lines()
        return [(int(at), int(bits, 16)) for at, bits in map(str.split, lines) if int(at) >= since]

    def port(self, slot):
        """The USB port of a slot as the kernel names it: `1-1`."""
        return self.sh(f"cd /sys/devices/platform/dummy_hcd.{slot}/usb*; echo ${{PWD##*/usb}}-1").strip()

    def property(self, node, name):
        """A udev property of a device node."""
        found = re.search(rf"^{name}=(.*)$", self.sh(f"udevadm info --query=property {node}"), re.M)
        return found[1] if found else None

    def grabbed(self, node):
        """Whether another process holds the node exclusively. Grabs it for an instant if not."""
        return self.machine.do("grab", words=node) == b"no"

    def opened_by(self, node, process):
        """Whether a process has the node open; disturbs nobody."""
        return self.machine.holds(f"opened {process.pid} {node}")
