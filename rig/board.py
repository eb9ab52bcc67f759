"""A Raspberry Pi 3 as QEMU has it: its own USB controller, its GPIO chip, its card slot, and no way in but a keyboard and out but its serial console.

It starts from the disk of the rig's guest, with the program under test and a script of the test's own beside it (rig/guest/board).
"""

import json
import re
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import payload
from machine import MachineError, die_with_parent
from stages import disk as disks
from stages import host, kernel as kernels
from stages.target import TARGET

#: A card's size is a power of two.
CARD_SIZE = 2 << 30
#: Without a clock it believes what it is told at its start: servers' certificates have a beginning.
KERNEL_LINE = "console=ttyAMA0,115200 panic=-1 mitigations=off nokaslr audit=0 cryptomgr.notests systemd.show_status=0 systemd.clock_usec={now}"
#: QEMU's names of keys on a US keyboard, those with Shift apart.
KEYS = {"-": "minus", "=": "equal", ";": "semicolon", ".": "dot", "/": "slash", "\n": "ret", **{each: each for each in "abcdefghijklmnopqrstuvwxyz0123456789"}}
SHIFTED = {":": ";", "_": "-", "+": "=", **{each: each.lower() for each in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}}


def type_keys(qmp, text, pause=0.12):
    """Types on QEMU's keyboard, by what sends a command of its machine protocol, and Enter after it.

    The keyboard is asked every 8 ms of the guest's time, and forgets what nobody has asked for: hence the pause, in seconds.
    """
    for letter in text + "\n":
        keys = ["shift", KEYS[SHIFTED[letter]]] if letter in SHIFTED else [KEYS[letter]]
        qmp("send-key", keys=[{"type": "qcode", "data": key} for key in keys], **{"hold-time": 40})
        time.sleep(pause)


class Board:
    """One board, started when it is made; `with Board(…) as board:` ends it."""

    def __init__(self, made, program, files):
        """Of the rig's stages, with a program of ours at /payload/bin, and `files` (name to content) in /board."""
        self.folder = Path(tempfile.mkdtemp(prefix="rig."))
        self.process, self._console = None, self.folder / "console"
        self._console.touch()
        try:
            self._make_card(made["disk"], program, files)
            disks.make_initrd(self.folder / "early", self.folder / "initrd", made["kernel"], "init-board", disks.BOARD_MODULES)
            self._start(made["kernel"])
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _make_card(self, disk, program, files):
        """The guest's disk with what is run on the board, mounted for that in a namespace that ends with it."""
        content, card = self.folder / "content", self.folder / "card"
        payload.directory(program, content / "payload")
        (content / "board").mkdir()
        for name, text in files.items():
            (content / "board" / name).write_bytes(text.encode() if isinstance(text, str) else text)
        shutil.copy(disks.GUEST / "board", content / "board/run")
        host.run("cp", "--sparse=always", disk / "root.ext4", card)
        with open(card, "r+b") as file:
            file.truncate(CARD_SIZE)
        (self.folder / "mnt").mkdir()
        host.run("unshare", "--mount", "sh", "-euc", """
            mount -o loop card mnt
            cp -r --no-preserve=ownership content/. mnt/
            chmod 755 mnt/board/run
            printf '[Service]\\nExecStart=/board/run\\n' > mnt/etc/systemd/system/board.service
            ln -sf ../board.service mnt/etc/systemd/system/multi-user.target.wants/
            # There is no such port here, and nobody to wait for it.
            ln -sf /dev/null mnt/etc/systemd/system/rig-agent.service
            umount mnt""", cwd=self.folder)
        shutil.rmtree(content)

    def _start(self, kernel):
        command = [
            TARGET.qemu, "-M", "raspi3b", "-accel", "tcg,thread=multi", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-chardev", f"file,id=console,path={self._console}", "-serial", "chardev:console",
            "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off",
            "-drive", f"file={self.folder}/card,format=raw,if=sd,cache=unsafe", "-device", "usb-kbd",
            "-kernel", kernel / "vmlinux", "-dtb", kernel / kernels.BOARD, "-initrd", self.folder / "initrd",
            "-append", KERNEL_LINE.format(now=time.time_ns() // 1000),
        ]
        with open(self.folder / "qemu", "w") as log:
            self.process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, preexec_fn=die_with_parent)
        self.begun = time.monotonic()
        deadline = self.begun + 60
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(f"{self.folder}/qmp")
                break
            except OSError:
                connection.close()
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise MachineError(f"QEMU does not answer:\n{self.report()}") from None
                time.sleep(0.05)
        self._qmp = connection.makefile("rwb")
        self._qmp.readline()
        self.qmp("qmp_capabilities")

    def qmp(self, command, **arguments):
        """One command of QEMU's machine protocol."""
        self._qmp.write(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        self._qmp.flush()
        while line := self._qmp.readline():
            answer = json.loads(line)
            if "error" in answer:
                raise MachineError(f"{command}: {answer['error']}")
            if "return" in answer:
                return answer["return"]
        raise MachineError(f"QEMU closed its control socket:\n{self.report()}")

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
