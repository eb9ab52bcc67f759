"""The world around one `scangate run`: its scanners (pseudo-terminals), ticket system, output holder and service manager,
all in one thread of one process, so that one clock (CLOCK_MONOTONIC) stamps everything that goes in and comes out."""

import os
import pty
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path

now = time.monotonic_ns

CONFIGURATION = """\
version: 1
station: {{ name: bench }}
ticketSystems:
  main:
    type: eventschedule
    url: "http://127.0.0.1:{port}"
    apiKeyFile: {folder}/key
    rate: {{ limit: 10000, model: window }}
readers:
  left: {{ type: serial, match: {{ path: {left} }} }}
  right: {{ type: serial, match: {{ path: {right} }} }}
gates:
  north:
    readers: [left]
    ticketSystem: main
    holdOff: 0 ms{policy}
    outputs:
      relay: {{ gpio: {{ chip: bench, line: 0 }}, pulse: 20 ms, gap: 0 ms }}
      green: {{ gpio: {{ chip: bench, line: 1 }} }}
  south:
    readers: [right]
    ticketSystem: main
    outputs:
      relay: {{ gpio: {{ chip: bench, line: 2 }}, pulse: 600 ms }}
      red: {{ gpio: {{ chip: bench, line: 3 }} }}
"""
PULSE = 20_000_000

ADMIT = (
    b'{"data":{"sale_id":%d,"entry_id":%d,"scanned_at":"%s","sale":{"id":%d,"status":"paid","name":"John Doe",'
    b'"email":"john@example.com","event_id":456,"event":{"id":456,"name":"Concert 2025"},'
    b'"tickets":[{"id":789,"ticket_id":101,"quantity":1,"usage_status":"used"}]}}}'
)
REFUSE = b'{"error": "This ticket is not paid"}'
NO_CODE = b'{"error": "The code field is required."}'


def answer(status, body, close=False):
    return (
        b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n%s"
        % (status, len(body), b"Connection: close\r\n" if close else b"", body)
    )


def text(value):
    return struct.pack("<H", len(value)) + value


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def memory(process, kind="Pss"):
    for line in Path(f"/proc/{process.pid}/smaps_rollup").read_text().splitlines():
        if line.startswith(f"{kind}:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("The kernel tells no proportional set size (CONFIG_PROC_PAGE_MONITOR).")


class Holder:
    """The gateway's end of the holder's socket, played: whatever the plan is, every relay works."""

    VERSION = 2
    HELLO, PLAN, PLAY, ADMIT, BEAT, BYE = 1, 2, 3, 4, 5, 6

    def __init__(self, path):
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.listener.bind(path)
        self.listener.listen(4)
        self.peer = None
        self.beat_at = 0

    def accept(self):
        self.peer = self.listener.accept()[0]

    def send(self, packet):
        try:
            self.peer.send(packet)
        except OSError:
            self.peer = None

    def take(self):
        """Answers one packet. Returns its type; `None` where the gateway has gone."""
        try:
            packet = self.peer.recv(65536)
        except ConnectionError:
            packet = b""
        if not packet:
            self.peer.close()
            self.peer = None
            return None
        if packet[0] == self.PLAN:
            self.send(struct.pack("<BH", 1, self.VERSION))
            for gate in (b"north", b"south"):
                self.send(b"\x04" + text(gate) + b"\x00")
        elif packet[0] == self.ADMIT:
            length = struct.unpack_from("<H", packet, 1)[0]
            (number,) = struct.unpack_from("<Q", packet, 3 + length)
            at = now()
            self.send(struct.pack("<BQBqq", 3, number, 0, at, at + PULSE))
        return packet[0]

    def beat(self):
        if self.peer and now() - self.beat_at > 200_000_000:
            self.beat_at = now()
            self.send(b"\x09")


class Station:
    """One running gateway with its world, whose holder is this process unless there is a program for it. `policy` is gate
    north's offline policy, `under` what the gateway is run by, such as a profiler with its options."""

    def __init__(self, program, holder_program=None, policy="", under=()):
        self.folder = tempfile.mkdtemp(prefix="scangate-bench-")
        self.program, self.holder_program, self.under = program, holder_program, under
        self.poll = select.epoll()
        self.read_at = {}
        #: Who else is listened to here: by descriptor, what takes what came and when, and returns the events that it makes.
        self.others = {}
        self.processes = []
        self.gateway = self.real_holder = None

        self.server = socket.create_server(("127.0.0.1", 0))
        self.connections = {}
        self.buffers = {}
        self.entry = 1000
        self.people = 0

        self.scanners, self.slaves = [], []
        for _ in range(2):
            scanner, slave = pty.openpty()
            self.scanners.append(scanner)
            # Held open, or the line would count as gone before the gateway opens it.
            self.slaves.append(slave)
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(f"{self.folder}/notify")
        self.holder = None if holder_program else Holder(f"{self.folder}/outputs.sock")

        Path(self.folder, "key").write_text("bench-key\n")
        os.chmod(f"{self.folder}/key", 0o600)
        left, right = (os.ttyname(slave) for slave in self.slaves)
        Path(self.folder, "scangate.yaml").write_text(
            CONFIGURATION.format(port=self.server.getsockname()[1], folder=self.folder, left=left, right=right,
                                 policy=policy and f"\n    offline: {{ policy: {policy}, after: 300 ms }}")
        )
        for socket_ in [self.server, self.manager] + ([self.holder.listener] if self.holder else []):
            self.poll.register(socket_, select.EPOLLIN)

    # Processes

    def start(self, within=20, more=()):
        """Starts the gateway (and the real holder before it). Returns the nanoseconds from exec to READY=1."""
        log = open(f"{self.folder}/log", "ab")
        if self.holder_program:
            self.start_holder(log)
        environment = dict(os.environ, NOTIFY_SOCKET=f"{self.folder}/notify", STATE_DIRECTORY=f"{self.folder}/state")
        command = [*self.under, self.program, "run", "-c", f"{self.folder}/scangate.yaml", "--holder", f"{self.folder}/outputs.sock", *more]
        began = now()
        self.gateway = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        ready = self.wait(lambda event: event[0] == "ready", within)
        return ready[1] - began

    def start_holder(self, log):
        environment = {name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"}
        command = [self.holder_program, "--socket", f"{self.folder}/outputs.sock", "--state", self.folder]
        command += ["--runtime", self.folder]
        self.real_holder = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = now() + 5_000_000_000
        while not os.path.exists(f"{self.folder}/outputs.sock"):
            if now() > end or self.real_holder.poll() is not None:
                raise SystemExit(f"The holder does not listen.\n{self.log()}")
            time.sleep(0.01)

    def stop(self):
        for process in (self.gateway, self.real_holder):
            if process and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                end = now() + 5_000_000_000
                while process.poll() is None and now() < end:
                    self.events(0.05)
                if process.poll() is None:
                    process.kill()
                process.wait()
        for descriptor in self.scanners + self.slaves:
            os.close(descriptor)
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        return Path(self.folder, "log").read_text(errors="replace")

    # Events

    def events(self, timeout):
        """What came, each with the time when this process woke up for it."""
        found = []
        ready = self.poll.poll(timeout)
        at = now()
        for number, _ in ready:
            if number == self.server.fileno():
                connection = self.server.accept()[0]
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.connections[connection.fileno()] = connection
                self.buffers[connection.fileno()] = b""
                self.poll.register(connection, select.EPOLLIN)
            elif number == self.manager.fileno():
                lines = self.manager.recv(4096).split(b"\n")
                if b"READY=1" in lines:
                    found.append(("ready", at, None))
            elif number in self.connections:
                found += self.receive(number, at)
            elif number in self.others:
                found += self.others[number](at)
            elif self.holder and number == self.holder.listener.fileno():
                self.holder.accept()
                self.poll.register(self.holder.peer, select.EPOLLIN)
            elif self.holder and self.holder.peer and number == self.holder.peer.fileno():
                kind = self.holder.take()
                if kind == Holder.ADMIT:
                    found.append(("admit", at, None))
                elif kind == Holder.PLAY:
                    found.append(("play", at, None))
        if self.holder:
            self.holder.beat()
        return found

    def receive(self, number, at):
        connection = self.connections[number]
        try:
            data = connection.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            del self.connections[number], self.buffers[number]
            self.poll.unregister(connection)
            connection.close()
            return []
        first = at if not self.buffers[number] else None
        self.buffers[number] += data
        if first:
            self.read_at[number] = first
        head, separator, body = self.buffers[number].partition(b"\r\n\r\n")
        if not separator:
            return []
        length = next(
            (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        if len(body) < length:
            return []
        self.buffers[number] = b""
        self.head = head
        if told := self.aside(head, body):
            connection.sendall(told)
            return []
        # The time of the request's first byte.
        return [("request", self.read_at[number], connection)]

    def aside(self, head, body):
        """What answers a request that is no scan; `None` where it is one."""
        # Whether we would decide scans is no scan.
        return answer(b"422 Unprocessable Content", NO_CODE) if b'"code":""' in body else None

    def wait(self, wanted, seconds):
        end = now() + int(seconds * 1e9)
        while now() < end:
            for event in self.events(0.05):
                if wanted(event):
                    return event
            if self.gateway and self.gateway.poll() is not None:
                raise SystemExit(f"The gateway has ended.\n{self.log()}")
        raise SystemExit(f"Nothing came within {seconds} s.\n{self.log()}")

    def idle(self, seconds):
        end = now() + int(seconds * 1e9)
        while now() < end:
            self.events(min(0.05, max(0, (end - now()) / 1e9)))

    # What people do

    def admission(self, close=False):
        self.entry += 1
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime()).encode()
        return answer(b"201 Created", ADMIT % (self.entry, self.entry, stamp, self.entry), close)

    def code(self):
        """A code that nobody has had before."""
        self.people += 1
        return b"%032d" % self.people

    def begin(self, reader):
        """A code's characters, without the end. Waits until they have surely been read."""
        os.write(self.scanners[reader], self.code())
        self.idle(0.003)

    def end(self, reader):
        """The last byte. Returns when it went out."""
        at = now()
        os.write(self.scanners[reader], b"\r")
        return at
