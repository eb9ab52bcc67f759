"""The rig as tests see it: scanners to plug and type on, lines and lamps to watch, a guest to run programs in."""

import shlex
import time
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path

import picture
import secrets_told
import transcript
from feeds import PATIENCE, Feeds
from machine import Machine, MachineError
from outputs import LEDS, LINES, MS, PWM_CHIP, SPEAKER, Brightness, Edge, Outputs, Pulse, PWMState, Tone  # noqa: F401
from stages.target import FOLDER, TARGET
from units import Units
from usb import SLOTS, Device, Typing, Usb  # noqa: F401

#: Kinds of devices that a bare guest gets when a test says so.
KINDS = ["usb", "gpio", "leds", "pwm", "sound", "cameras"]
#: The camera that shows what a test wants, and the one that fails as a test wants; see guest/root/usr/local/bin/devices.
CAMERA, FAULTY_CAMERA = "/dev/video10", "/dev/video20"
FAULTY_DRIVER = "/sys/bus/platform/drivers/vivid"
#: What the camera shows.
FRAME = "/run/rig/frame"

#: What the configuration of a gate in a guest has, at its indentation: codes are of the tests' own, and a server on an emulated processor may be slow.
GATE_IN_GUEST = """accept: {minLength: 8}
    deadline: 10 s
    stale: 20 s"""

#: An IP packet; the ports are texts, and empty where the protocol has none.
Packet = namedtuple("Packet", "at protocol source source_port destination port length")

#: Where the chip set keeps the place of its registers for power management.
CHIP_SET = ("/sys/bus/pci/devices/0000:00:1f.0/config", 0x40)
#: Where the disk is that `mount_station` mounts.
STATION = "/station"
#: Gives the machine another boot id, as a start does.
ANOTHER_START = """cat /proc/sys/kernel/random/uuid > /run/rig/boot_id
    grep -q boot_id /proc/self/mounts || mount --bind /run/rig/boot_id /proc/sys/kernel/random/boot_id"""
#: Where the guest keeps the times at which it stood still, see guest/standstills.c.
STANDSTILLS = "/run/rig/standstills.log"
#: Stands in the guest's journal before the name of each test.
TEST_BEGINS = "rig test:"


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


class Process:
    """A program running in the guest, its output in a file there."""

    def __init__(self, rig, name, command, user=None):
        """`command` is in words as a shell has them, NAME=VALUE before the program's among them; no shell runs."""
        self._rig, self.name = rig, name
        self.log_path = f"/run/rig/{name}.log"
        #: How many lines of it a transcript has told.
        self.lines_told = 0
        words = shlex.split(command)
        if words[0] == "env":
            words.pop(0)
        self.pid, self.started = rig.machine.spawn(words, self.log_path, user)

    def log(self):
        """Everything that it has printed."""
        return self._rig.get(self.log_path).decode(errors="replace")

    def says(self, words):
        """Waits until it has printed these words, and is still there."""
        self._rig.machine.await_all([f"says {self.pid} {self.log_path} {words}"], PATIENCE)
        if words not in self.log():
            raise MachineError(f"{self.name} has ended: {self.log()}")

    def running(self):
        return not self.started.done()

    def stop(self, signal="TERM", timeout=PATIENCE):
        """Sends a signal and waits; returns the exit status (128 + signal if it died of one)."""
        if self.running():
            self._rig.machine.signal(self.pid, signal)
        return self.started.result(timeout)[0]

    def clear(self):
        """Ends it at once, with everything that it has started and left behind."""
        self._rig.machine.signal(-self.pid, "KILL")
        self.started.result(PATIENCE)


def built(folder=FOLDER):
    """The stages that the rig was last built of, by name."""
    return {name: folder / made for name, made in map(str.split, (folder / "current").read_text().splitlines())}


class Rig(Feeds, Usb, Outputs, Units):
    """One guest. `with Rig.restore() as rig:` starts it from the saved state."""

    def __init__(self, machine):
        Feeds.__init__(self, machine)
        for part in (Usb, Outputs, Units):
            part.__init__(self)
        self.processes = []
        self.camera = None
        #: What nobody may be told, whatever a test is about.
        self.known = secrets_told.Known()
        self.heard = secrets_told.Heard()
        #: What a test has done, where anybody wants to see it: by the guest's clock.
        self.noted = []

    @classmethod
    def restore(cls, payload=None, folder=FOLDER):
        """A guest as it was saved, with `payload` (an image made by payload.py) mounted at /payload."""
        made = built(folder)
        return cls.resume(made["kernel"], made["disk"], made["full"], payload)

    @classmethod
    def resume(cls, kernel, disk, state, payload=None):
        """The guest of a saved state, which continues at the very same instant each time."""
        rig = cls(Machine(kernel, disk, state / "root.qcow2", payload or state / "placeholder", incoming=f"exec:zstd -dc '{state}/state.zst'"))
        rig.begin(payload)
        rig.machine.spawn(["standstills"], STANDSTILLS)
        rig._standstills = rig.keep_following(STANDSTILLS)
        rig.follow_outputs()
        return rig

    def begin(self, payload=None):
        """Sets the clock of the wall, which has stood still, and mounts the payload."""
        self.machine.do("settime", words=str(time.time_ns()))
        if payload:
            # What was read of the placeholder when the guest was saved is not what is there now.
            self.sh("mountpoint -q /payload || { blockdev --flushbufs /dev/vdb && mkdir -p /payload && mount -t ext4 -o ro,noatime /dev/vdb /payload; }")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.machine.close()

    def note(self, words):
        """Takes down what is done now, for whoever reads what a test was about (transcript.py)."""
        if transcript.wanted:
            self.noted.append((self.mark(), words))

    # Programs and files

    def sh(self, script, timeout=60, check=True):
        """Runs a bash script in the guest and returns its output."""
        said = self.machine.sh(script, timeout, check)
        if secrets_told.is_ours(script):
            self.heard.take("a command in a terminal", said, spared=secrets_told.TERMINAL)
        return said

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
        return self.machine.get(path, offset=offset)

    def spawn(self, name, command, user=None):
        """Starts a program in the guest, as root or as the user `gate`; its output goes to /run/rig/NAME.log."""
        process = Process(self, name, command, user)
        self.processes.append(process)
        return process

    def wait_for(self, condition, timeout=PATIENCE):
        """Waits in the guest until a shell condition holds; `wait_until` takes less of the guest's time."""
        # To wait by a read of what never comes takes no process.
        if not self.ok(f"exec {{never}}<> <(:); until {{ {condition}\n}} > /dev/null 2>&1; do ((SECONDS <= {timeout})) || exit 1; read -t 0.05 -u $never; done; true", timeout + 30):
            raise MachineError(f"not so within {timeout} s: {condition}")

    def wait_until(self, *conditions, timeout=PATIENCE):
        """Waits in the guest until all conditions hold, those of guest/agent/await.c."""
        self.machine.await_all(conditions, timeout)

    def pause(self, seconds):
        """Lets time pass in the guest: where nothing must happen meanwhile, or what does makes no difference."""
        self.machine.do("pause", words=f"{seconds * 1000:.0f}", timeout=seconds + PATIENCE)

    def pids(self, name):
        """The processes that have this name, of which the kernel keeps 15 characters."""
        return set(map(int, self.machine.do("pids", words=name).split()))

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
        self.sh(f"perl -e '$t = pack(\"Lx4q4l\", {modes}, 0, 0, {wrong}, 0, {unknown}) . \"\\0\" x 200; syscall({TARGET.adjtimex}, $t) >= 0 or die $!'")

    def report(self):
        """What a person wants to see of a failure: the guest's journal and console, and what the programs printed."""
        parts = [self.machine.report()]
        for process in self.processes:
            parts.append(f"--- {process.name}\n" + self.sh(f"tail -n 40 {process.log_path}", check=False).strip())
        journal = self.sh("journalctl --no-pager -q -n 40 -o short-monotonic", check=False).strip()
        parts.append("--- journal\n" + journal[max(journal.rfind(f" {TEST_BEGINS}"), 0):])
        return "\n".join(part for part in parts if part)

    # What a transcript tells of, besides pictures and power cuts

    def start_typing(self, slot, text, *options, **others):
        self.note(f"typed on the scanner in slot {slot}: {transcript.shown(text) if isinstance(text, str) else 'keys'}")
        return Usb.start_typing(self, slot, text, *options, **others)

    # Faults

    def kill(self, pid, signal="KILL"):
        """Sends a signal to a process: KILL ends it without a word, STOP halts it until CONT."""
        self.note(f"process {pid} is sent SIG{signal}")
        if not self.machine.signal(pid, signal):
            raise MachineError(f"there is no process {pid}")

    def wedge_thread(self, pid, name):
        """Halts the one thread of a process that has this name, as `ps -L` shows it, while the others go on; it goes on when what this returns is stopped."""
        wedge = self.spawn(f"wedge-{pid}", f"wedge {pid} {shlex.quote(name)}")
        wedge.says("wedged")
        return wedge

    # Sleep

    def sleep(self, seconds, fall_asleep="echo mem > /sys/power/state", patience=PATIENCE):
        """Sends the guest to sleep, by a bash script, and presses its power key after so many seconds.

        For how long it has slept by its own clocks, in nanoseconds: they count whole seconds.
        """
        before, path, offset = self._asleep(), *CHIP_SET
        registers = "".join(f"\\x{byte:02x}" for byte in self.get_from(path, offset)[:5])
        falling = self.machine.start(fall_asleep)
        deadline = time.monotonic() + patience
        while self.machine.qmp("query-status")["status"] != "suspended":
            if falling.done() and falling.result()[0] != 0:
                raise MachineError(f"{fall_asleep}: {falling.result()[1].decode(errors='replace')}")
            if time.monotonic() > deadline:
                raise MachineError(f"the guest is not asleep after {patience} s")
            time.sleep(0.05)
        time.sleep(seconds)
        self.machine.qmp("system_wakeup")
        falling.result(patience)
        # QEMU's firmware forgets where the registers of power management were, without which the guest never sleeps again.
        self.sh(f"printf '{registers}' | dd of={path} bs=1 seek={offset} conv=notrunc status=none")
        return self._asleep() - before

    def _asleep(self):
        """For how long the guest has slept: its uptime counts sleep, and CLOCK_MONOTONIC does not."""
        return int(float(self.get("/proc/uptime").split()[0]) * 1e9) - self.machine.now()

    # A power cut

    def mount_station(self):
        """Mounts the disk on which a station keeps its state, at /station: the one disk of the guest that bears a power cut."""
        # Another guest of the same saved state has had another disk there.
        self.sh(f"mountpoint -q {STATION} || {{ blockdev --flushbufs /dev/vdc && mkdir -p {STATION} && mount -t ext4 -o noatime /dev/vdc {STATION}; }}")

    def cut_power(self, *processes):
        """Pulls the station's plug: its programs end without a word, and what its disk was not told to sync is gone.

        The rest of the guest is other machines, and goes on. When this returns the disk is back, as the station finds it at its next start, and what
        is started now is told of another start of the machine.
        """
        self.note("the station's power is cut")
        self.sh(f"powercut {STATION} {' '.join(str(-process.pid) for process in processes)}")
        for process in processes:
            process.started.result(PATIENCE)
        self.sh(f"umount {STATION}; {ANOTHER_START}")
        self.mount_station()

    # Packets

    def watch_wire(self):
        """Begins to look at every IP packet, see `packets`."""
        wire = self.spawn(f"wire-{len(self.processes)}", "wire")
        wire.says("ready")
        return wire

    def packets(self, wire):
        """Ends the watch; everything that was on the wire meanwhile."""
        wire.stop()
        lines = [line.split() for line in wire.log().splitlines()]
        if lines[-1:] != [["lost", "0"]]:
            raise MachineError(f"packets went unseen: {lines[-1:]}")
        return [Packet(int(at), protocol, *source.rpartition(".")[::2], *destination.rpartition(".")[::2], int(length)) if protocol in ("tcp", "udp")
                else Packet(int(at), protocol, source, "", destination, "", int(length)) for at, protocol, source, destination, length in lines[1:-1]]

    # Devices

    def load_devices(self, *kinds):
        """Brings the simulated devices of a bare guest into being, loading the kernel's modules; all of them if none are named."""
        # All modules at once are a minute's work for an emulated processor that has half of a slow one.
        self.sh(f"devices load {' '.join(kinds or KINDS)}", timeout=240)
        self._line_numbers = None
        self.follow_outputs()

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
        camera.sensor.says("showing")

    def show(self, *codes):
        """Puts QR codes into the view of the camera side by side in place of what was there; nothing if there are none."""
        camera = self.camera
        self.note("in view of the camera: " + (", ".join(map(transcript.shown, codes)) or "nothing"))
        self.put(picture.Picture.of(*codes, width=camera.width, height=camera.height).frame(camera.format), FRAME)

    def fault(self, control, value=1):
        """Sets a control of the camera that fails, by its name."""
        self.sh(f"camera set {FAULTY_CAMERA} '{control}' {value}")

    def pull_camera(self):
        """Unplugs the camera that fails, in the midst of a frame if need be; returns when its node is gone."""
        self.machine.write(f"{FAULTY_DRIVER}/unbind", "vivid.0\n")
        self.wait_until(f"!matches /sys/class/video4linux/{FAULTY_CAMERA.rpartition('/')[2]}")

    def replug_camera(self):
        """Plugs it in again; returns when udev is through with it."""
        self.machine.write(f"{FAULTY_DRIVER}/bind", "vivid.0\n")
        self.wait_until("here /sys/devices/platform/vivid.0/video4linux/video*")
