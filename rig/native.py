"""Tests' view of the namespaces that they run in: the part of `Rig` that needs no device, with lamps and scanners that are pipes and pseudo-terminals."""

import os
import pty
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import tty
from pathlib import Path

import namespaces
import secrets_told
from disk import Disk
from rig import ANOTHER_START, PATIENCE, Brightness, Edge, MachineError, Packet, Pulse

#: The program under test.
PROGRAM = "/run/program/scangate"
#: Where the file system is that bears a power cut, and what it lies in.
STATION, STATION_IMAGE, STATION_SIZE = "/run/station", "/run/station.ext4", 64 << 20
#: Lamps, and a buzzer that is driven as they are.
GREEN, RED, SOUTH_GREEN, SOUTH_RED, BUZZER = LEDS = ["gate:green:pass", "gate:red:deny", "south:green:pass", "south:red:deny", "gate:buzzer"]
SOL_PACKET, PACKET_STATISTICS, PACKET_OUTGOING, ARPHRD_LOOPBACK, ETH_P_ALL = 263, 6, 4, 772, 3
SO_RCVBUFFORCE = 33
#: What tells when this machine stood still.
STANDSTILLS = Path(__file__).resolve().parent / "standstills.py"


class Started:
    """A bash script on its way."""

    def __init__(self, script, **options):
        self.popen = subprocess.Popen(["bash", "-c", script], stdin=subprocess.DEVNULL, start_new_session=True, **options)

    def done(self):
        return self.popen.poll() is not None

    def result(self, timeout):
        """The exit status (128 + signal if it died of one), and its output."""
        try:
            output, _ = self.popen.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(self.popen.pid, signal.SIGKILL)
            self.popen.communicate()
            raise TimeoutError(f"no end within {timeout} s") from None
        status = self.popen.returncode
        return (status if status >= 0 else 128 - status), output or b""


class Process:
    """A running program, its output in a file."""

    def __init__(self, name, command):
        self.name, self.log_path = name, f"/run/rig/{name}.log"
        open(self.log_path, "wb").close()  # there is a log from the beginning
        self.started = Started(f"exec {command} > {self.log_path} 2>&1")
        self.pid = self.started.popen.pid

    def log(self):
        """Everything that it has printed."""
        with open(self.log_path, "rb") as file:
            return file.read().decode(errors="replace")

    def running(self):
        return not self.started.done()

    def stop(self, signal="TERM", timeout=PATIENCE):
        """Sends a signal and waits; returns the exit status (128 + signal if it died of one)."""
        if self.running():
            subprocess.run(["kill", f"-{signal}", str(self.pid)], check=False)
        return self.started.result(timeout)[0]

    def clear(self):
        """Ends it at once, with everything that it has started and left behind."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.started.result(PATIENCE)


class Followed:
    """The whole lines of a file that grows."""

    def __init__(self, path):
        self._path, self._offset, self._lines = path, 0, []

    def lines(self, since=0):
        """Every whole line that there is, from a number on."""
        with open(self._path, "rb") as file:
            file.seek(self._offset)
            new = file.read()
        new = new[:new.rfind(b"\n") + 1]
        self._offset += len(new)
        self._lines += new.decode(errors="replace").split("\n")[:-1]
        return self._lines[since:]


class Lamps:
    """What LEDs were set to, and when it was seen."""

    def __init__(self, leds):
        self._changes = []
        self._pipes = {os.open(f"/sys/class/leds/{led}/brightness", os.O_RDWR): led for led in leds}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            for pipe in select.select(list(self._pipes), [], [])[0]:
                for value in os.read(pipe, 4096).split():
                    self._changes.append((self._pipes[pipe], Brightness(time.monotonic_ns(), int(value))))

    def changes(self, led, since):
        return [change for name, change in list(self._changes) if name == led and change.at >= since]


class Line:
    """A serial scanner: a pseudo-terminal that the station may open."""

    def __init__(self, path):
        self._master, self._kept = pty.openpty()  # the other end stays open, so that the line lives while nobody reads
        tty.setraw(self._kept)
        name = os.ttyname(self._kept)
        shutil.chown(name, namespaces.USER, namespaces.USER)
        if os.path.lexists(path):
            os.unlink(path)
        os.symlink(name, path)

    def send(self, data):
        while data:
            data = data[os.write(self._master, data):]


class Typing:
    """A text that has left the scanner."""

    def whole(self, timeout=PATIENCE):
        return True

    def finish(self, timeout=PATIENCE):
        pass


class Native:
    """One test's namespaces, furnished; its methods are those of `Rig`."""

    def __init__(self, program):
        namespaces.furnish(program, LEDS)
        self.processes, self.devices, self.known, self.heard = [], {}, secrets_told.Known(), secrets_told.Heard()
        self._lines, self._lamps, self._disk, self._standstills = {}, Lamps(LEDS), None, None

    # Programs and files

    def sh(self, script, timeout=60, check=True):
        """Runs a bash script and returns its output."""
        try:
            status, output = self._start(script).result(timeout)
        except TimeoutError:
            raise MachineError(f"no answer within {timeout} s to: {script[:300]}") from None
        text = output.decode(errors="replace")
        if secrets_told.is_ours(script):
            self.heard.take("a command in a terminal", text, spared=secrets_told.TERMINAL)
        if check and status != 0:
            raise MachineError(f"ended with {status}: {script[:300]}\n{text[-3000:]}")
        return text

    def _start(self, script):
        return Started(script, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def ok(self, script, timeout=60):
        """Whether a bash script succeeds."""
        return self._start(script).result(timeout)[0] == 0

    def put(self, content, path):
        """Writes a file as a whole, from text or bytes."""
        with open(f"{path}.new", "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        os.rename(f"{path}.new", path)

    def get(self, path):
        return self.get_from(path, 0)

    def get_from(self, path, offset):
        """What a file has from a byte on."""
        with open(path, "rb") as file:
            file.seek(offset)
            return file.read()

    def follow(self, path):
        """Follows a file, line by line."""
        return Followed(path)

    def spawn(self, name, command, user=None):
        """Starts a program, as root or as the user `gate`; its output goes to /run/rig/NAME.log."""
        if user:
            command = f"setpriv --reuid={user} --regid={user} --init-groups {command}"
        process = Process(name, command)
        self.processes.append(process)
        return process

    def wait_for(self, condition, timeout=PATIENCE):
        """Waits until a shell condition holds."""
        if not self.ok(f"until {{ {condition}\n}} > /dev/null 2>&1; do ((SECONDS <= {timeout})) || exit 1; sleep 0.05; done", timeout + 30):
            raise MachineError(f"not so within {timeout} s: {condition}")

    def until(self, condition, timeout=PATIENCE, what="the condition"):
        """Waits until a Python function returns something true, and returns that.

        What is seen in files is looked at all the time; where commands are asked, which take a processor meanwhile, for a third of it.
        """
        deadline = time.monotonic() + timeout
        while True:
            began = time.monotonic()
            if result := condition():
                return result
            now = time.monotonic()
            if now > deadline:
                raise MachineError(f"{what}: not so within {timeout} s")
            time.sleep(min(max(0.01, 2 * (now - began)), 0.5))

    def kill(self, pid, signal="KILL"):
        self.sh(f"kill -{signal} {pid}")

    def report(self):
        """What the programs of the test printed last."""
        return "\n".join(f"--- {process.name}\n" + "\n".join(process.log().strip().splitlines()[-40:]) for process in self.processes)

    # Time

    def watch_standstills(self):
        """Begins to write down when this machine stands still: its host had no time for it, or everything else of it has."""
        if not self._standstills:
            path = "/run/rig/standstills"
            with open(path, "wb") as file:
                subprocess.Popen([sys.executable, STANDSTILLS], stdin=subprocess.DEVNULL, stdout=file, preexec_fn=namespaces.die_with_parent)
            self._standstills = Followed(path)

    def standstills(self, since=0):
        """When a processor stood still for more than 20 ms, since that is watched: (begin, end)."""
        times = (tuple(map(int, line.split())) for line in self._standstills.lines())
        return [(begin, end) for begin, end in times if end > since]

    # A power cut

    def mount_station(self):
        """Mounts the file system on which a station keeps its state."""
        if self._disk is None:
            self._disk = Disk(STATION_IMAGE, STATION, STATION_SIZE)

    def cut_power(self, *processes):
        """Ends the station's programs without a word, and its file system without its journal: what was not synced is gone.

        It is back when this returns, after another start of the machine.
        """

        def kill():
            for process in processes:
                if process.running():
                    os.killpg(process.pid, signal.SIGKILL)

        def wait():
            for process in processes:
                process.started.result(PATIENCE)

        self._disk.cut(kill, wait)
        self.sh(ANOTHER_START)

    # Packets

    def watch_wire(self):
        """Begins to look at every IP packet. What has no other way goes over the loopback meanwhile, and is seen."""
        wire = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
        wire.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
        wire.setblocking(False)
        self.sh("ip route replace default dev lo")
        return wire

    def packets(self, wire):
        """Ends the watch; everything that was on the wire meanwhile."""
        self.sh("ip route delete default dev lo")
        packets = []
        while True:
            try:
                data, (_, _, kind, hardware, _) = wire.recvfrom(65536)
            except BlockingIOError:
                break
            # What is sent to itself passes twice: out, and in.
            if hardware != ARPHRD_LOOPBACK or kind == PACKET_OUTGOING:
                packets += filter(None, [packet_of(data)])
        _, lost = struct.unpack("II", wire.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
        wire.close()
        if lost:
            raise MachineError(f"packets went unseen: {lost}")
        return packets

    # Scanners: lines that somebody writes to

    def open_line(self, name):
        """Makes a serial scanner anew, at /run/rig/NAME."""
        self._lines[name] = Line(f"/run/rig/{name}")

    def send(self, codes):
        """Presents a code to each of some scanners."""
        for name, code in codes.items():
            self._lines[name].send(f"{code}\r".encode())

    def plug(self, slot, **_):
        """Makes the scanner of a slot, at /run/rig/scanner-SLOT. Which model it is, is nowhere to be seen."""
        self.open_line(f"scanner-{slot}")
        self.devices[slot] = slot

    def remove(self, slot):
        self.devices.pop(slot, None)

    def start_typing(self, slot, text):
        self.type(slot, text)
        return Typing()

    def type(self, slot, text):
        self.send({f"scanner-{slot}": text})

    # Lamps

    def mark(self):
        """The time now, as the changes of lamps are stamped."""
        return time.monotonic_ns()

    def led_changes(self, name, since=0):
        """What an LED was set to, and when that was seen."""
        return self._lamps.changes(name, since)

    def edges(self, led, since=0):
        """Changes of an LED between dark (0) and lit."""
        lit, edges = 0, []
        for change in self.led_changes(led):
            if (change.value > 0) != lit:
                lit = int(change.value > 0)
                edges.append(Edge(change.at, lit))
        return [edge for edge in edges if edge.at >= since]

    def pulses(self, led, since=0):
        """The times that an LED was lit."""
        pulses = []
        for edge in self.edges(led, since):
            if edge.level == 1:
                pulses.append(Pulse(edge.at, None))
            elif pulses:
                pulses[-1] = Pulse(pulses[-1].at, edge.at - pulses[-1].at)
        return pulses


def packet_of(data):
    """An IP packet, without its time; None if it is none."""
    if len(data) >= 20 and data[0] >> 4 == 4:
        family, protocol, head, addresses = socket.AF_INET, data[9], (data[0] & 15) * 4, (data[12:16], data[16:20])
    elif len(data) >= 40 and data[0] >> 4 == 6:
        family, protocol, head, addresses = socket.AF_INET6, data[6], 40, (data[8:24], data[24:40])
    else:
        return None
    source, destination = (socket.inet_ntop(family, address) for address in addresses)
    name = {socket.IPPROTO_TCP: "tcp", socket.IPPROTO_UDP: "udp", socket.IPPROTO_ICMP: "icmp", socket.IPPROTO_ICMPV6: "icmp"}.get(protocol, str(protocol))
    ports = ("", "")
    if name in ("tcp", "udp") and len(data) >= head + 4:
        ports = tuple(map(str, struct.unpack("!HH", data[head:head + 4])))
    return Packet(None, name, source, ports[0], destination, ports[1], len(data))
