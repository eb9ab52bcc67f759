"""The machine that the station is: where its state lies, and what becomes of it when the power goes."""

import ctypes
import os
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "rig"))

import namespaces  # noqa: E402
from disk import Disk  # noqa: E402

#: What runs a program in namespaces of its own, which end with it and with whoever began it: no mount and no process is left.
COMMAND = ["unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc"]
#: A folder that is memory in these namespaces.
MEMORY = "/run"
#: Most of it is never written.
SIZE = 1 << 30
BOOT_ID = "/proc/sys/kernel/random/boot_id"
CLONE_NEWTIME = 0x80
#: SYNC_FILE_RANGE_WAIT_BEFORE, _WRITE and _WAIT_AFTER.
WRITE_AND_WAIT = 7

_libc = ctypes.CDLL(None, use_errno=True)
_libc.sync_file_range.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]


class Machine:
    """A machine whose power stays: its programs are killed, and nothing that they wrote is lost."""

    #: How often it was started anew.
    boot = 0

    def __init__(self, folder):
        self.state = f"{folder}/state"
        os.mkdir(self.state, 0o700)

    def enter(self):
        """Called in a new process of the station."""

    def kill(self, process):
        process.send_signal(signal.SIGKILL)
        process.wait()


class MachineWithPlug(Machine):
    """A machine whose plug can be pulled. Its disk is a file system of its own, its boot id and monotonic clock are those of its last start."""

    def __init__(self, folder, random):
        self.random = random
        self.disk = Disk(f"{folder}/disk", f"{folder}/machine", SIZE)
        self.boot_id = f"{folder}/boot_id"
        self.start()
        namespaces.mount(self.boot_id, BOOT_ID, flags=namespaces.BIND)
        self.prove()
        super().__init__(self.disk.folder)

    def start(self):
        """Another start of the machine."""
        self.boot += 1
        self.started = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        with open(self.boot_id, "w") as file:
            file.write(f"{uuid.UUID(int=self.random.getrandbits(128), version=4)}\n")

    def enter(self):
        check(_libc.unshare(CLONE_NEWTIME), "a namespace of clocks")
        seconds, nanoseconds = divmod(-self.started, 10**9)
        with open("/proc/self/timens_offsets", "w") as file:
            file.write(f"monotonic {seconds} {nanoseconds}\nboottime {seconds} {nanoseconds}\n")
        space = os.open("/proc/self/ns/time_for_children", os.O_RDONLY)
        check(_libc.setns(space, CLONE_NEWTIME), "a namespace of clocks")
        os.close(space)

    def cut(self, process):
        """Pulls the plug, and puts it back."""

        def kill():
            process.send_signal(signal.SIGKILL)
            self.write_back()

        self.disk.cut(kill, process.wait)
        self.start()

    def write_back(self):
        """Of what was not synced, a kernel may have written some by itself: now and then some of the pages, whichever they are."""
        for name in os.listdir(self.state) if self.random.random() < 0.5 else []:
            path = f"{self.state}/{name}"
            if not os.path.isfile(path):
                continue
            file = os.open(path, os.O_RDONLY)
            for _ in range(3):
                begin = self.random.randrange(max(1, os.fstat(file).st_size)) & ~4095
                _libc.sync_file_range(file, begin, self.random.randint(1, 16) * 4096, WRITE_AND_WAIT)
            os.close(file)

    def prove(self):
        """Sees that a cut takes what was not synced, and that alone: one that takes nothing would prove nothing. And that a process has the machine's clock."""
        for name, is_synced in (("synced", True), ("unsynced", False)):
            with open(f"{self.disk.folder}/{name}", "w") as file:
                file.write(name)
                file.flush()
                if is_synced:
                    os.fsync(file.fileno())
        self.disk.cut(lambda: None, lambda: None)
        left = [name for name in ("synced", "unsynced") if Path(self.disk.folder, name).exists() and Path(self.disk.folder, name).read_text()]
        if left != ["synced"]:
            raise OSError(f"a power cut left {' and '.join(left) or 'nothing'}")
        told = subprocess.run(
            [sys.executable, "-c", f"import time; print(time.monotonic()); print(open('{BOOT_ID}').read())"], preexec_fn=self.enter, check=True,
            stdout=subprocess.PIPE, text=True).stdout.split()
        with open(self.boot_id) as file:
            if float(told[0]) > 60 or told[1] != file.read().strip():
                raise OSError("a process does not have the machine's own clock and boot id")


def check(status, what):
    if status != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def furnish():
    """Makes the folder of a run in these namespaces."""
    namespaces.mount("tmpfs", MEMORY, "tmpfs", data="mode=755")
    os.mkdir(f"{MEMORY}/torture")
    return f"{MEMORY}/torture"


def unavailable(trial):
    """Why no plug can be pulled here; None if one can. `trial` is a command that does it."""
    if os.geteuid() != 0:
        return "that takes root"
    try:
        tried = subprocess.run(
            [*COMMAND, *trial], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=120,
            preexec_fn=namespaces.die_with_parent)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return None if tried.returncode == 0 else " ".join(tried.stdout.split())[-300:] or f"the trial ended with {tried.returncode}"
