"""A Raspberry Pi 3 as QEMU has it: its own USB controller, its GPIO chip, and no way in but a keyboard and out but its serial console.

It has the system of the rig's guest, with the program under test and a script of the test's own beside it (rig/guest/board), all of it in memory: where the
host is busy, the emulated card takes minutes for what a real one reads in a second.
"""

import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import payload
from machine import die_with_parent
from qmp import QMP, MachineError
from stages import host, kernel as kernels
from stages.target import TARGET
from typing_keys import type_keys

GUEST = Path(__file__).resolve().parent / "guest"

#: Without a clock it believes what it is told at its start: servers' certificates have a beginning. Its programs are left one of its four processors: where
#: a busy host halts one that holds a lock of the kernel's, the others would spin. And its keyboard stays awake: udev lets QEMU's fall asleep, and the key that
#: wakes it keeps the driver of the emulated controller busy for ever.
KERNEL_LINE = ("console=ttyAMA0,115200 panic=-1 rdinit=/lib/systemd/systemd rootfstype=ramfs isolcpus=1-3 nowatchdog mitigations=off nokaslr audit=0 "
               "cryptomgr.notests systemd.show_status=0 usbcore.autosuspend=-1 systemd.clock_usec={now}")


class Board:
    """One board, started when it is made; `with Board(…) as board:` ends it."""

    def __init__(self, made, program, files):
        """Of the rig's stages, with a program of ours at /payload/bin, and `files` (name to content) in /board."""
        self.folder = Path(tempfile.mkdtemp(prefix="rig."))
        self.process, self._console = None, self.folder / "console"
        self._console.touch()
        try:
            self._make_system(made["disk"], program, files)
            self._start(made["kernel"])
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _make_system(self, disk, program, files):
        """The guest's disk, and what is run on the board after it, as the kernel unpacks it into its memory. The disk is mounted in a namespace that ends with that."""
        content = self.folder / "content"
        payload.directory(program, content / "payload")
        (content / "board").mkdir()
        for name, text in files.items():
            (content / "board" / name).write_bytes(text.encode() if isinstance(text, str) else text)
        shutil.copy(GUEST / "board", content / "board/run")
        units = content / "etc/systemd/system"
        (units / "multi-user.target.wants").mkdir(parents=True)
        (units / "board.service").write_text("[Service]\nExecStart=/board/run\n")
        (units / "multi-user.target.wants/board.service").symlink_to("../board.service")
        # There is no port for it here, and nobody waits for one.
        (units / "rig-agent.service").symlink_to("/dev/null")
        (self.folder / "mnt").mkdir()
        host.run("unshare", "--mount", "sh", "-euc", """
            mount -o loop,ro "$1" mnt
            (cd mnt && find . -xdev | cpio -o -H newc --quiet) > system
            (cd content && find . | cpio -o -H newc --quiet -R 0:0) >> system""", "sh", disk / "root.ext4", cwd=self.folder)
        shutil.rmtree(content)

    def _start(self, kernel):
        self.release = (kernel / "release").read_text()
        command = [
            TARGET.qemu, "-M", "raspi3b", "-accel", "tcg,thread=multi", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-chardev", f"file,id=console,path={self._console}", "-serial", "chardev:console",
            "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off",
            "-device", "usb-kbd",
            "-kernel", kernel / "vmlinux", "-dtb", kernel / kernels.BOARD, "-initrd", self.folder / "system",
            "-append", KERNEL_LINE.format(now=time.time_ns() // 1000),
        ]
        with open(self.folder / "qemu", "w") as log:
            self.process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, preexec_fn=die_with_parent)
        self.begun = time.monotonic()
        self.qmp = QMP(self.folder / "qmp", self._check, 60)

    def _check(self):
        if self.process.poll() is not None:
            raise MachineError(f"QEMU has ended:\n{self.report()}")

    def type(self, text):
        """Types on the board's keyboard."""
        type_keys(self.qmp, text, 0.25)

    def said(self):
        """What the console has said so far."""
        return self._console.read_text(errors="replace").replace("\r", "")

    def says(self, pattern, timeout, count=1):
        """Waits until the console has said it so many times, whole lines; the last of the matches."""
        deadline = time.monotonic() + timeout
        while len(found := list(re.finditer(pattern, self.said(), re.M))) < count:
            if self.process.poll() is not None:
                raise MachineError(f"the board has ended, before it said “{pattern}”:\n{self.report()}")
            if time.monotonic() > deadline:
                raise MachineError(f"the board did not say “{pattern}” within {timeout} s:\n{self.report()}")
            time.sleep(0.1)
        return found[count - 1]

    def report(self):
        """What QEMU and the console said last."""
        return f"{(self.folder / 'qemu').read_text(errors='replace')}\n{self.said()[-5000:]}"

    def close(self):
        """Pulls the plug."""
        if self.process:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
