"""Whoever looks at a station through its socket, by the hundred: some read what they are told, the others have hung.

They are a process of their own that takes what nobody else wants of the processors: whoever looks at a station is elsewhere as a rule."""

import os
import re
import select
import signal
import socket
import struct
from pathlib import Path

LIMITS = Path(__file__).resolve().parent.parent / "Sources/Station/StationProtocol/StationLimits.swift"
#: Of the station's protocol, as this tree speaks it.
VERSION = int(re.search(r"let version: UInt16 = (\d+)", LIMITS.read_text())[1])
#: The kinds of packets; StationMessage+Wire.swift.
HELLO, LISTEN = 1, 3
WELCOME, EVENT = 1, 4


def text(value):
    return struct.pack("<H", len(value)) + value


def connect(path, program=b"bench"):
    """A listener at a station's socket who was greeted, and is told events from now on."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.settimeout(10)
    listener.connect(path)
    listener.send(struct.pack("<BH", HELLO, VERSION) + text(program) + b"\x00")
    if (answer := listener.recv(65536))[:1] != bytes([WELCOME]):
        raise SystemExit(f"The station does not welcome a listener: {answer[3:]!r}")
    listener.send(bytes([LISTEN]))
    return listener


def line(packet):
    """The event in a packet, a line of JSON; None if it is none."""
    return packet[11:] if packet[:1] == bytes([EVENT]) else None


class Listeners:
    """So many at a station's socket, of whom so many never read."""

    def __init__(self, path, count, hung):
        told, tells = os.pipe()
        self.told = told
        self.child = os.fork()
        if self.child:
            os.close(tells)
            os.set_blocking(told, False)
            return
        try:
            os.close(told)
            listeners = [connect(path) for _ in range(count)]
            os.write(tells, b"!")
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            self._read(listeners[hung:])
        finally:
            os._exit(0)

    @staticmethod
    def _read(listeners):
        poll = select.epoll()
        by_number = {each.fileno(): each for each in listeners}
        for number in by_number:
            poll.register(number, select.EPOLLIN)
        while True:
            for number, _ in poll.poll():
                if not by_number[number].recv(65536):
                    return

    def are_there(self):
        """Whether all of them listen."""
        try:
            said = os.read(self.told, 1)
        except BlockingIOError:
            return False
        if not said:
            raise SystemExit("The station takes no listeners.")
        return True

    def end(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.told)
