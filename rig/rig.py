"""The rig as tests see it: scanners to plug and type on, lines and lamps to watch, a guest to run programs in."""

import re
import shlex
import time
from collections import namedtuple
from dataclasses import dataclass, field
from pathlib import Path

import keyboard
import picture
from machine import Machine, MachineError

FOLDER = Path(__file__).resolve().parent.parent / ".rig"
SLOTS = 6
LINES = ["RELAY0", "RELAY1", "LAMP_G", "LAMP_R", "BUZZ", "DOOR", "PASS", "TAMPER"]
LEDS = ["gate:green:pass", "gate:red:deny"]
PWM_CHIP = "pwm-sim"
SPEAKER = "Gate Speaker"
#: Kinds of devices that a bare guest gets when a test says so.
KINDS = ["usb", "gpio", "leds", "pwm", "sound", "cameras"]
#: The camera that shows what a test wants, and the one that fails as a test wants; see guest/root/usr/local/bin/devices.
CAMERA, FAULTY_CAMERA = "/dev/video10", "/dev/video20"
FAULTY_DRIVER = "/sys/bus/platform/drivers/vivid"
#: What the camera shows.
FRAME = "/run/rig/frame"

#: A change of level: time in nanoseconds of the guest's CLOCK_MONOTONIC, and the level that the line has from then on.
Edge = namedtuple("Edge", "at level")
#: A line's time at level 1; `length` is in nanoseconds, or None while it lasts.
Pulse = namedtuple("Pulse", "at length")
#: What an LED was set to.
Brightness = namedtuple("Brightness", "at value")
#: What a PWM channel was set to: period and duty in nanoseconds.
PWMState = namedtuple("PWMState", "at period duty enabled")
#: An IP packet; the ports are texts, and empty where the protocol has none.
Packet = namedtuple("Packet", "at protocol source source_port destination port length")
#: What a speaker was told to sound, in hertz; 0 is silence.
Tone = namedtuple("Tone", "at frequency")

MS = 1_000_000
#: Where the disk is that `mount_station` mounts.
STATION = "/station"
#: Where the guest keeps the times at which it stood still, see guest/standstills.c.
STANDSTILLS = "/run/rig/standstills.log"
#: How long a test waits for what has to happen, in seconds: long, for the host may be busy, and nothing waits so long when all is well.
PATIENCE = 60
#: Stands in the guest's journal before the name of each test.
TEST_BEGINS = "rig test:"


@dataclass
class Device:
    """A USB device in a slot. `nodes` are its nodes on the host, evdev or tty, one for each function; empty while it is unplugged."""
    slot: int
    functions: tuple = ("keyboard",)
    devices: list = field(default_factory=list)
    nodes: list = field(default_factory=list)

    @property
    def node(self):
        return self.nodes[0]


@dataclass
class Camera:
    """The camera that shows what a test wants, while its sensor runs."""
    format: str
    width: int
    height: int
    #: Frames a second.
    rate: int
    #: The running program, or the one that ran last.
    sensor: object = None
    node: str = CAMERA


class Typing:
    """A text on its way through a device, counted in reports of a keyboard or bytes of a serial port."""

    def __init__(self, rig, started, count, text):
        self._rig, self._started, self._count, self._text = rig, started, count, text

    def whole(self, timeout=PATIENCE):
        """Waits for the end; True if all of it has left the device."""
        status, output = self._started.result(timeout)
        return status == 0 and int(output.split()[-1]) == self._count

    def finish(self, timeout=PATIENCE):
        """Waits for the end, which must be the whole text's."""
        status, output = self._started.result(timeout)
        if status != 0 or int(output.split()[-1]) != self._count:
            raise MachineError(f"typing {self._text!r} ended after {output.decode(errors='replace')} of {self._count}")


class Process:
    """A program running in the guest, its output in a file there."""

    def __init__(self, rig, name, command):
        self._rig, self.name = rig, name
        self.log_path, self._pid_path = f"/run/rig/{name}.log", f"/run/rig/{name}.pid"
        rig.sh(f"rm -f {self._pid_path}")
        self.started = rig.machine.start(f"echo $$ > {self._pid_path}.new; mv {self._pid_path}.new {self._pid_path}; exec {command} > {self.log_path} 2>&1")
        self.pid = int(rig.sh(f"until [ -e {self._pid_path} ]; do sleep 0.02; done; cat {self._pid_path}"))

    def log(self):
        """Everything that it has printed."""
        return self._rig.get(self.log_path).decode(errors="replace")

    def running(self):
        return not self.started.done()

    def stop(self, signal="TERM", timeout=PATIENCE):
        """Sends a signal and waits; returns the exit status (128 + signal if it died of one)."""
        if self.running():
            self._rig.sh(f"kill -{signal} {self.pid}", check=False)
        return self.started.result(timeout)[0]

    def clear(self):
        """Ends it at once, with everything that it has started and left behind."""
        self._rig.sh(f"kill -KILL -- -{self.pid}", check=False)
        self.started.result(PATIENCE)


def built(folder=FOLDER):
    """The stages that the rig was last built of, by name."""
    return {name: folder / made for name, made in map(str.split, (folder / "current").read_text().splitlines())}


class Rig:
    """One guest. `with Rig.restore() as rig:` starts it from the saved state."""

    def __init__(self, machine):
        self.machine = machine
        self.devices = {}
        self.processes = []
        self.camera = None
        self._marks = 0
        self._line_numbers = None

    @classmethod
    def restore(cls, payload=None, bare=False, folder=FOLDER):
        """A guest as it was saved, with `payload` (an image made by payload.py) mounted at /payload.

        A `bare` one is a Debian without the libraries of the program under test, and with no devices yet: see `load_devices`.
        """
        made = built(folder)
        kernel, disk, state = made["kernel"], made["baredisk" if bare else "disk"], made["barestate" if bare else "state"]
        # The copy of a booted guest continues at the very same instant each time; the clock of the wall is set anew.
        machine = Machine(kernel, disk, state / "root.qcow2", payload or state / "placeholder", incoming=f"exec:zstd -dc '{state}/state.zst'")
        rig = cls(machine)
        rig.sh(f"date -s @{time.time():.3f} > /dev/null; setsid standstills > {STANDSTILLS} 2>&1 < /dev/null &")
        if payload:
            # What was read of the placeholder when the guest was saved is not what is there now.
            rig.sh("blockdev --flushbufs /dev/vdb && mkdir -p /payload && mount -t ext4 -o ro,noatime /dev/vdb /payload")
        return rig

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.machine.close()

    # Programs and files

    def sh(self, script, timeout=60, check=True):
        """Runs a bash script in the guest and returns its output."""
        return self.machine.sh(script, timeout, check)

    def ok(self, script, timeout=60):
        """Whether a bash script succeeds in the guest."""
        return self.machine.start(script).result(timeout)[0] == 0

    def put(self, content, path):
        """Writes a file in the guest, from text or bytes."""
        self.machine.put(content.encode() if isinstance(content, str) else content, path)

    def get(self, path):
        return self.machine.get(path)

    def get_from(self, path, offset):
        """What a file in the guest has from a byte on."""
        return self.machine.start(f"tail -c +{offset + 1} '{path}'").result(60)[1]

    def spawn(self, name, command, user=None):
        """Starts a program in the guest, as root or as the user `gate`; its output goes to /run/rig/NAME.log."""
        if user:
            command = f"setpriv --reuid={user} --regid={user} --init-groups {command}"
        process = Process(self, name, command)
        self.processes.append(process)
        return process

    def wait_for(self, condition, timeout=PATIENCE):
        """Waits in the guest until a shell condition holds."""
        if not self.ok(f"until {{ {condition}\n}} > /dev/null 2>&1; do ((SECONDS <= {timeout})) || exit 1; sleep 0.05; done", timeout + 30):
            raise MachineError(f"not so within {timeout} s: {condition}")

    def until(self, condition, timeout=PATIENCE, what="the condition"):
        """Waits until a Python function returns something true, and returns that."""
        deadline = time.monotonic() + timeout
        while not (result := condition()):
            if time.monotonic() > deadline:
                raise MachineError(f"{what}: not so within {timeout} s")
            time.sleep(0.05)
        return result

    def set_mode(self, path, mode, owner=None):
        """Permissions (and "user:group") of a file or device node."""
        self.sh(f"chmod {mode:o} '{path}'" + (f" && chown {owner} '{path}'" if owner else ""))

    def udev_rule(self, name, text):
        """Writes a rule file, or takes it away if `text` is None."""
        path = f"/etc/udev/rules.d/{name}.rules"
        if text is None:
            self.sh(f"rm -f {path}; udevadm control --reload")
        else:
            self.put(text, path)
            self.sh("udevadm control --reload")

    def set_clock_trust(self, trusted):
        """Whether the guest's kernel takes its clock for one that something keeps right, as after a word from a time server (adjtimex)."""
        modes, wrong, unknown = 0x14, (0 if trusted else 16_000_000), (0 if trusted else 0x40)  # ADJ_STATUS, ADJ_MAXERROR; STA_UNSYNC
        self.sh(f"perl -e '$t = pack(\"Lx4q4l\", {modes}, 0, 0, {wrong}, 0, {unknown}) . \"\\0\" x 200; syscall(159, $t) >= 0 or die $!'")

    def report(self):
        """What a person wants to see of a failure: the guest's journal and console, and what the programs printed."""
        parts = [self.machine.report()]
        for process in self.processes:
            parts.append(f"--- {process.name}\n" + self.sh(f"tail -n 40 {process.log_path}", check=False).strip())
        journal = self.sh("journalctl --no-pager -q -n 40 -o short-monotonic", check=False).strip()
        parts.append("--- journal\n" + journal[max(journal.rfind(f" {TEST_BEGINS}"), 0):])
        return "\n".join(part for part in parts if part)

    # Faults

    def kill(self, pid, signal="KILL"):
        """Sends a signal to a process: KILL ends it without a word, STOP halts it until CONT."""
        self.sh(f"kill -{signal} {pid}")

    def wedge_thread(self, pid, name):
        """Halts the one thread of a process that has this name, as `ps -L` shows it, while the others go on; it goes on when what this returns is stopped."""
        wedge = self.spawn(f"wedge-{pid}", f"wedge {pid} {shlex.quote(name)}")
        self.wait_for(f"grep -q wedged {wedge.log_path} || ! [ -d /proc/{wedge.pid} ]")
        if not wedge.running():
            raise MachineError(wedge.log())
        return wedge

    # A power cut

    def mount_station(self):
        """Mounts the disk on which a station keeps its state, at /station: the one disk of the guest that bears a power cut."""
        # Another guest of the same saved state has had another disk there.
        self.sh(f"mountpoint -q {STATION} || {{ blockdev --flushbufs /dev/vdc && mkdir -p {STATION} && mount -t ext4 -o noatime /dev/vdc {STATION}; }}")

    def cut_power(self, *processes):
        """Pulls the station's plug: its programs end without a word, and what its disk was not told to sync is gone.

        The rest of the guest is other machines, and goes on. When this returns the disk is back, as the station finds it at its next start.
        """
        self.sh(f"powercut {STATION} {' '.join(str(-process.pid) for process in processes)}")
        for process in processes:
            process.started.result(PATIENCE)
        self.sh(f"umount {STATION}")
        self.mount_station()

    # Packets

    def watch_wire(self):
        """Begins to look at every IP packet, see `packets`."""
        wire = self.spawn(f"wire-{len(self.processes)}", "wire")
        self.wait_for(f"grep -q ready {wire.log_path} || ! [ -d /proc/{wire.pid} ]")
        if not wire.running():
            raise MachineError(wire.log())
        return wire

    def packets(self, wire):
        """Ends the watch; everything that was on the wire meanwhile."""
        wire.stop()
        lines = [line.split() for line in wire.log().splitlines()]
        if lines[-1:] != [["lost", "0"]]:
            raise MachineError(f"packets went unseen: {lines[-1:]}")
        return [Packet(int(at), protocol, *source.rpartition(".")[::2], *destination.rpartition(".")[::2], int(length)) if protocol in ("tcp", "udp")
                else Packet(int(at), protocol, source, "", destination, "", int(length)) for at, protocol, source, destination, length in lines[1:-1]]

    # Services

    def main_pid(self, unit):
        """The process id of a service's program; 0 while it does not run."""
        return int(self.sh(f"systemctl show -P MainPID {unit}"))

    def unit(self, unit, property):
        """A property of a unit, as systemd shows it."""
        return self.sh(f"systemctl show -P {property} {unit}").strip()

    def journal(self, unit, since=0):
        """What a service has said, from a time in nanoseconds of CLOCK_MONOTONIC on."""
        lines = self.sh(f"journalctl --no-pager -q -o short-monotonic _SYSTEMD_UNIT={unit} + UNIT={unit}").splitlines()
        stamped = (re.match(r"\[\s*(\d+\.\d+)\] \S+ (.*)", line) for line in lines)
        return [found[2] for found in stamped if found and float(found[1]) * 1000 * MS >= since]

    # Devices

    def load_devices(self, *kinds):
        """Brings the simulated devices of a bare guest into being, loading the kernel's modules; all of them if none are named."""
        self.sh(f"devices load {' '.join(kinds or KINDS)}")
        self._line_numbers = None

    # Scanners and keyboards

    def plug(self, slot, vendor, product, manufacturer="Maker", name="Scanner", serial="", functions=("keyboard",)):
        """Plugs a new USB device into a slot; returns when udev is through with its nodes.

        `vendor` and `product` are four hexadecimal digits. Each function of the device is a "keyboard" or a "serial" port of its own.
        """
        words = " ".join(shlex.quote(str(word)) for word in (slot, vendor, product, manufacturer, name, serial, *functions))
        self.sh(f"gadget remove {slot} && gadget make {words}")
        self.devices[slot] = Device(slot, tuple(functions))
        self.replug(slot)
        return self.devices[slot]

    def plug_serial(self, slot, vendor, product, manufacturer="Maker", name="Serial Scanner", serial=""):
        """Plugs a scanner that is a serial port (CDC-ACM) into a slot."""
        return self.plug(slot, vendor, product, manufacturer, name, serial, functions=("serial",))

    def replug(self, *slots):
        """Plugs in again what was unplugged, all at the same time."""
        for slot, output in self._together({slot: f"gadget plug {slot}" for slot in slots}).items():
            lines = [line.split() for line in output.splitlines()]
            self.devices[slot].devices, self.devices[slot].nodes = [line[0] for line in lines], [line[1] for line in lines]

    def unplug(self, *slots):
        """Pulls devices out, in the middle of a text if need be; returns when their nodes are gone."""
        self._together({slot: f"gadget unplug {slot}" for slot in slots})
        for slot in slots:
            self.devices[slot].nodes = []

    def _together(self, scripts):
        """Runs scripts side by side; their outputs by the same keys."""
        started = {key: self.machine.start(script) for key, script in scripts.items()}
        outputs = {}
        for key, each in started.items():
            status, output = each.result(60)
            outputs[key] = output.decode(errors="replace")
            if status != 0:
                raise MachineError(f"ended with {status}: {scripts[key]}\n{outputs[key]}")
        return outputs

    def remove(self, slot):
        """Empties a slot."""
        self.sh(f"gadget remove {slot}")
        self.devices.pop(slot, None)

    def start_typing(self, slot, text, layout="us", gap_us=4000, enter=True, function=0):
        """Begins to type; see `type`."""
        device = self.devices[slot].devices[function]
        if self.devices[slot].functions[function] == "serial":
            sent = text.encode() + (b"\r" if enter else b"")
            started = self.machine.start(f"exec serialg {device} {gap_us} <<< '{sent.hex(' ')}'")
            return Typing(self, started, len(sent), text)
        items = list([text] if isinstance(text, (str, keyboard.Key, keyboard.Held)) else text)
        reports = keyboard.reports(items, layout) + (keyboard.reports([keyboard.Key(keyboard.ENTER)]) if enter else [])
        words = " ".join(f"{modifiers:02x}{code:02x}" for modifiers, code in reports)
        started = self.machine.start(f"exec hidg type {device} {gap_us} <<< '{words}'")
        return Typing(self, started, len(reports), text)

    def type(self, slot, text, layout="us", gap_us=4000, enter=True, function=0):
        """Types `text` (a string, or a list of strings, keys and `keyboard.alt_code`) as a scanner set to `layout` does.

        `gap_us` is the pause after each report: 4 ms is a quick scanner, and what an emulated host can follow. Each report waits until the host has fetched the one before: nothing is lost.
        A serial scanner sends the text in UTF-8, and CR for `enter`; what it sends while nobody reads waits in the port.
        """
        self.start_typing(slot, text, layout, gap_us, enter, function).finish()

    def led_reports(self, slot, function=0, since=0):
        """What the host wrote to the keyboard's lamps: (nanoseconds, bits); 1 is Num, 2 Caps, 4 Scroll."""
        lines = self.sh(f"cat /run/rig/leds.{slot}.{function}", check=False).splitlines()
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
        status, output = self.machine.start(f"keys grab {node}").result(PATIENCE)
        if status == 0:
            return False
        if output.strip() == b"EBUSY":
            return True
        raise MachineError(f"{node}: {output.decode(errors='replace')}")

    def opened_by(self, node, process):
        """Whether a process has the node open; disturbs nobody."""
        return self.ok(f"[[ $(find /proc/{process.pid}/fd -lname {node}) ]]")

    # Cameras

    def plug_camera(self, format="YUYV", width=640, height=480, rate=10):
        """Brings the camera into being, with nothing in view; to programs it is a camera from now on.

        It stays there without a frame when `camera.sensor` is stopped, as a camera does that hangs; `resume_camera` ends that.
        `FAULTY_CAMERA` is there at any time.
        """
        self.camera = Camera(format, width, height, rate)
        self.show()
        self.resume_camera()
        # Without a sensor it was no camera when it was made: whoever waits for one is told now.
        self.sh(f"udevadm trigger --settle --action=add {CAMERA}")
        return self.camera

    def resume_camera(self):
        """Lets the camera's sensor run, from the picture that it showed last."""
        camera = self.camera
        name = f"sensor-{len(self.processes)}"
        camera.sensor = self.spawn(name, f"camfeed {camera.node} {camera.width} {camera.height} {camera.format} {camera.rate} {FRAME}")
        self.wait_for(f"grep -q showing {camera.sensor.log_path} || ! [ -d /proc/{camera.sensor.pid} ]")
        if not camera.sensor.running():
            raise MachineError(camera.sensor.log())

    def show(self, *codes):
        """Puts QR codes into the view of the camera side by side in place of what was there; nothing if there are none."""
        camera = self.camera
        self.put(picture.Picture.of(*codes, width=camera.width, height=camera.height).frame(camera.format), FRAME)

    def fault(self, control, value=1):
        """Sets a control of the camera that fails, by its name."""
        self.sh(f"camera set {FAULTY_CAMERA} '{control}' {value}")

    def pull_camera(self):
        """Unplugs the camera that fails, in the midst of a frame if need be; returns when its node is gone."""
        self.sh(f"echo vivid.0 > {FAULTY_DRIVER}/unbind; nodes gone /sys/class/video4linux/{FAULTY_CAMERA.rpartition('/')[2]}")

    def replug_camera(self):
        """Plugs it in again; returns when udev is through with it."""
        self.sh(f"echo vivid.0 > {FAULTY_DRIVER}/bind; nodes here '/sys/devices/platform/vivid.0/video4linux/video*' > /dev/null")

    # Lines and lamps

    def mark(self):
        """The time now, as the stamps of edges and lamps count it; the kernel's trace carries a line "MARK n" at this place."""
        self._marks += 1
        # /proc/uptime is the same clock in hundredths: cut off, hence never later than what follows.
        uptime = self.sh(f"read -r up _ < /proc/uptime; echo MARK {self._marks} > /sys/kernel/tracing/trace_marker; echo $up")
        return int(uptime.strip().replace(".", "")) * 10 * MS

    def standstills(self, since=0):
        """When the whole guest stood still for more than 20 ms, because its host had no time for it: (begin, end)."""
        times = (tuple(map(int, line.split())) for line in self.sh(f"cat {STANDSTILLS}").splitlines())
        return [(begin, end) for begin, end in times if end > since]

    def stood_still(self, start, end):
        """For how long the guest stood still between two times, in nanoseconds; nothing in it could be on time then."""
        return sum(max(0, min(resumed, end) - max(begin, start)) for begin, resumed in self.standstills(start))

    def _trace(self):
        """Everything that the kernel has traced since the guest was saved."""
        trace = self.sh("cat /sys/kernel/tracing/trace")
        kept, written = re.search(r"entries-in-buffer/entries-written: (\d+)/(\d+)", trace).groups()
        if kept != written:
            raise MachineError(f"the kernel's trace has only the last {kept} of {written} entries: what it tells of levels is wrong")
        return trace

    def edges(self, line, since=0):
        """Changes of level of an output line by name, as the kernel traced them."""
        if self._line_numbers is None:
            base = re.search(r"GPIOs (\d+)-\d+,[^\n]*gpio-sim", self.sh("cat /sys/kernel/debug/gpio"))
            self._line_numbers = {name: int(base[1]) + offset for offset, name in enumerate(LINES)}
        trace = self._trace()
        found = re.findall(rf"(\d+)\.(\d+): gpio_value: {self._line_numbers[line]} set ([01])", trace)
        level, edges = 0, []
        for seconds, micros, value in found:
            if int(value) != level:
                level = int(value)
                edges.append(Edge((int(seconds) * 1_000_000 + int(micros)) * 1000, level))
        return [edge for edge in edges if edge.at >= since]

    def pulses(self, line, since=0):
        """The times that a line was at 1."""
        pulses = []
        for edge in self.edges(line, since):
            if edge.level == 1:
                pulses.append(Pulse(edge.at, None))
            elif pulses:
                pulses[-1] = Pulse(pulses[-1].at, edge.at - pulses[-1].at)
        return pulses

    def set_input(self, line, level):
        """Drives an input line from outside."""
        self.sh(f"echo pull-{'up' if level else 'down'} > /run/rig/gpio-sim/sim_gpio{LINES.index(line)}/pull")

    def set_pull(self, line, direction):
        """Which way a line goes, "up" or "down", while nobody drives it."""
        self.sh(f"echo pull-{direction} > /run/rig/gpio-sim/sim_gpio{LINES.index(line)}/pull")

    def level(self, line):
        """A line's level now."""
        return int(self.sh(f"cat /run/rig/gpio-sim/sim_gpio{LINES.index(line)}/value"))

    def watch_level(self, line):
        """Begins to look at a line's level every 2 ms, see `levels`: unlike `edges` this shows a line that is let go."""
        watch = self.spawn(f"levels-{line}", f"levels /run/rig/gpio-sim/sim_gpio{LINES.index(line)}/value")
        self.wait_for(f"[ -s {watch.log_path} ]")

    def levels(self, line, since=0):
        """Levels that a watched line has had, the first of them the one it had at `since`."""
        edges = [Edge(int(at), int(level)) for at, level in map(str.split, self.sh(f"cat /run/rig/levels-{line}.log").splitlines())]
        before = [edge for edge in edges if edge.at < since]
        return before[-1:] + [edge for edge in edges if edge.at >= since]

    def pwm_changes(self, since=0):
        """What channels of the PWM chip were set to, as the kernel traced it."""
        trace = self._trace()
        found = re.findall(r"(\d+)\.(\d+): pwm_apply: \S+ period=(\d+) duty_cycle=(\d+) polarity=\d+ enabled=([01])", trace)
        changes = [PWMState((int(s) * 1_000_000 + int(us)) * 1000, int(period), int(duty), on == "1") for s, us, period, duty, on in found]
        return [change for change in changes if change.at >= since]

    def tones(self, since=0):
        """What the speaker was told to sound, and when."""
        found = (line.split() for line in self.sh("cat /run/rig/speaker.log").splitlines())
        return [Tone(int(at), int(hertz)) for at, hertz in found if int(at) >= since]

    def led_changes(self, name, since=0):
        """What an LED was set to, and when."""
        found = (line.split() for line in self.sh("cat /run/rig/uled.log").splitlines())
        return [Brightness(int(at), int(value)) for at, led, value in found if led == name and int(at) >= since]
