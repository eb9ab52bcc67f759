"""QEMU's machine protocol (QMP): commands to a QEMU that has a control socket, from whoever has started it."""

import json
import socket
import time


class MachineError(Exception):
    """QEMU or the agent in the guest did not do as asked."""


def connected(path, check, patience):
    """A connection to a socket of QEMU's, once it is there; `check` raises where QEMU has ended, and OSError says that it was not there within `patience` seconds."""
    deadline = time.monotonic() + patience
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(str(path))
            return connection
        except OSError:
            connection.close()
            check()
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


class QMP:
    """What sends commands: `qmp("send-key", keys=[…])` gives QEMU's answer, or raises MachineError with its words."""

    def __init__(self, path, check, patience):
        self._check = check
        self._file = connected(path, check, patience).makefile("rwb")
        self._file.readline()
        self("qmp_capabilities")

    def __call__(self, command, **arguments):
        self._file.write(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        self._file.flush()
        while line := self._file.readline():
            answer = json.loads(line)
            if "error" in answer:
                raise MachineError(f"{command}: {answer['error']}")
            if "return" in answer:
                return answer["return"]
        self._check()
        raise MachineError("QEMU closed its control socket")
