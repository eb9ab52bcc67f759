"""A memory card that was written from an image (scripts/image), looked into from outside, and a machine of QEMU's that boots from it.

The machine is `virt`: the boards' firmware does not run in it. Its GPIO chip is looked at from outside, as a relay's wire would be.
"""

import os
import re
import socket
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from machine import die_with_parent
from qmp import QMP, MachineError
from typing_keys import type_keys

#: A card of 4 GB, as it says on it.
SIZE = 4_000_000_000 >> 20 << 20
#: Its chip of GPIO lines, as the kernel calls it, and its keyboard.
CHIP, KEYBOARD = "9030000.pl061", "0627:0001"


def run(*words, **options):
    """A command's output; what it says of itself is in the error."""
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, words))[:200]} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-2000:]}")
    return done.stdout.decode(errors="replace")


class Card:
    """The card itself, while no machine has it."""

    def __init__(self, path, image=None, size=SIZE):
        self.path = path
        if image:
            run("cp", "--sparse=always", image, path)
            with open(path, "r+b") as file:
                file.truncate(size)

    def partitions(self):
        """Begin and length of each, in bytes."""
        done = subprocess.run(["sfdisk", "-d", self.path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
        return [(int(start) * 512, int(size) * 512) for start, size in re.findall(r"start= *(\d+), size= *(\d+)", done.stdout)]

    # Its first partition

    @property
    def _fat(self):
        return f"{self.path}@@{self.partitions()[0][0]}"

    def put(self, name, content):
        """Writes a file, as somebody with a computer does."""
        if "/" in name:
            subprocess.run(["mmd", "-i", self._fat, f"::{name.rpartition('/')[0]}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with tempfile.NamedTemporaryFile() as file:
            file.write(content if isinstance(content, bytes) else content.encode())
            file.flush()
            run("mcopy", "-n", "-o", "-i", self._fat, file.name, f"::{name}")

    def remove(self, name):
        run("mdel", "-i", self._fat, f"::{name}")

    def text(self, name):
        return run("mtype", "-i", self._fat, f"::{name}")

    def names(self):
        """What is there; what is in folders by its path."""
        return sorted(line.removeprefix("::/") for line in run("mdir", "-/", "-b", "-a", "-i", self._fat, "::").splitlines() if not line.endswith("/"))

    def ours(self):
        """What is there of the station's files."""
        return [name for name in self.names() if name.startswith("scangate")]

    def bytes_of_first(self):
        start, size = self.partitions()[0]
        with open(self.path, "rb") as file:
            file.seek(start)
            return file.read(size)

    # Its file systems

    def stored(self, path):
        """A file of the system's."""
        return run("debugfs", "-R", f"cat {path}", f"{self.path}?offset={self.partitions()[1][0]}")

    def log(self, boot=0):
        """What the system has logged, as far as it was on the card when the power went."""
        with tempfile.TemporaryDirectory() as folder:
            run("debugfs", "-R", f"rdump /var/log/journal {folder}", f"{self.path}?offset={self.partitions()[1][0]}")
            return run("journalctl", "-D", f"{folder}/journal", "-b", str(boot), "-o", "short-monotonic", "--no-hostname")

    def check(self):
        """Both file systems as they are once their journals are replayed. The size of the last one, in bytes."""
        part = Path(f"{self.path}.part")
        for start, size in self.partitions()[1:]:
            run("dd", f"if={self.path}", f"of={part}", "bs=1M", f"skip={start >> 20}", f"count={size >> 20}", "conv=sparse")
            done = subprocess.run(["e2fsck", "-fy", part], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            assert done.returncode in (0, 1), f"the file system is not whole ({done.returncode}):\n{done.stdout}"
            said = run("dumpe2fs", "-h", part)
            blocks, block = (int(re.search(rf"^{name}: +(\d+)$", said, re.M)[1]) for name in ("Block count", "Block size"))
            part.unlink()
        return blocks * block


class Station:
    """A machine that boots from a card, from power-on on. Times are seconds since then."""

    def __init__(self, card, name, shown=None, options=()):
        self.card, self.folder = card, Path(tempfile.mkdtemp(prefix=f"{name}.", dir=card.path.parent))
        self._shown, self._place, self.lines = shown, 0, []
        kernels = re.findall(r"(?m)^((?:vmlinuz|initrd\.img)-\S+)$", "\n".join(card.names()))
        for each in [*kernels, "cmdline.txt"]:
            run("mcopy", "-n", "-o", "-i", card._fat, f"::{each}", self.folder / each)
        kernel, initrd = sorted(kernels, reverse=True)
        line = (self.folder / "cmdline.txt").read_text().strip()
        self._console, self._gpio = self.folder / "console", self.folder / "gpio"
        command = ["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a72", "-accel", "tcg,thread=multi", "-smp", "2", "-m", "1024", "-nodefaults", "-no-user-config",
                   "-display", "none", "-no-reboot", "-chardev", f"socket,id=console,path={self.folder}/tty,server=on,wait=off,logfile={self._console}",
                   "-serial", "chardev:console", "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off", "-device", "virtio-rng-pci",
                   "-device", "qemu-xhci,id=usb", "-device", "usb-kbd,bus=usb.0", "-netdev", "user,id=net", "-device", "virtio-net-pci,netdev=net",
                   "-drive", f"file={card.path},format=raw,if=none,id=card", "-device", "virtio-blk-pci,drive=card",
                   "-trace", "pl061_set_output", "-msg", "timestamp=on", "-D", self._gpio,
                   "-kernel", self.folder / kernel, "-initrd", self.folder / initrd,
                   "-append", f"{line} console=ttyAMA0 systemd.journald.forward_to_console=1 systemd.log_color=0 systemd.show_status=0 {' '.join(options)}".strip()]
        self.began, self.wall = time.monotonic(), time.time()
        self.machine = subprocess.Popen([str(word) for word in command], preexec_fn=die_with_parent, stdin=subprocess.DEVNULL)
        self.qmp = QMP(self.folder / "qmp", self._check, 60)
        self._reading = threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()

    def _check(self):
        if self.machine.poll() is not None:
            raise MachineError(f"QEMU has ended with {self.machine.returncode}")

    def _listen(self):
        """Lines are seen when they are said, whatever else is being done."""
        while self.machine.poll() is None:
            self.read()
            time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.cut_power()

    def now(self):
        return time.monotonic() - self.began

    def worked(self):
        """For how long processors of this machine have worked for it, in seconds: what it would take at most where nothing else runs."""
        fields = Path(f"/proc/{self.machine.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cut_power(self):
        """Now, whatever it is doing."""
        self.machine.kill()
        self.machine.wait()
        self.read()

    def switch_off(self, patience=600):
        """By its button, in order."""
        self.qmp("system_powerdown")
        self.machine.wait(patience)
        self.read()

    # What it says

    def read(self):
        """Takes what was said since: its lines, with the time at which each was seen here."""
        with self._reading:
            if not self._console.exists():
                return
            with open(self._console, "rb") as file:
                file.seek(self._place)
                said = file.read()
            whole = said[:said.rfind(b"\n") + 1]
            self._place += len(whole)
            for line in whole.decode(errors="replace").splitlines():
                self.lines.append((self.now(), line.strip()))
                if self._shown:
                    self._shown(*self.lines[-1])

    def until(self, words, patience=900, since=0):
        """Waits for a line that matches, seen at a time or after it; returns its time, and what has matched."""
        wanted, looked = re.compile(words), 0
        deadline = self.now() + patience
        while True:
            self.read()
            for at, line in self.lines[looked:]:
                if at >= since and (found := wanted.search(line)):
                    return at, found
            looked = len(self.lines)
            assert self.machine.poll() is None, f"the machine has ended; it was to say “{words}”:\n{self.end_of_console()}"
            assert self.now() < deadline, f"“{words}” was not said within {patience} s:\n{self.end_of_console()}"
            time.sleep(0.05)

    def says(self, words):
        """The lines up to now that match."""
        self.read()
        return [line for _, line in self.lines if re.search(words, line)]

    def end_of_console(self):
        return "\n".join(f"{at:7.1f}  {line[:300]}" for at, line in self.lines[-40:])

    # Its scanner, and what hangs on its lines

    def scan(self, code):
        """Has the scanner type it; returns when it began and when it had ended."""
        began = self.now()
        type_keys(self.qmp, code)
        return began, self.now()

    def edges(self, line, since=0):
        """What a line of the chip did: (time, level)."""
        said = self._gpio.read_text(errors="replace") if self._gpio.exists() else ""
        found = re.findall(r"@(\d+\.\d+):pl061_set_output \S+ setting output (\d+) to (\d)", said)
        return [(at, int(level)) for stamp, number, level in found if int(number) == line and (at := float(stamp) - self.wall) >= since]

    def pulse(self, line, since, patience=60):
        """Waits for a line to go high and low again: when it began, and how long it lasted."""
        deadline = self.now() + patience
        while True:
            edges = self.edges(line, since)
            ups, downs = [at for at, level in edges if level], [at for at, level in edges if not level]
            if ups and any(down > ups[0] for down in downs):
                return ups[0], next(down for down in downs if down > ups[0]) - ups[0]
            assert self.now() < deadline, f"line {line} gave no pulse; it did: {edges}"
            time.sleep(0.05)

    # Somebody at its screen

    def sign_in(self, name, password, patience=120):
        """Opens a shell on the serial line."""
        self.tty = socket.socket(socket.AF_UNIX)
        self.tty.connect(f"{self.folder}/tty")
        for wanted, answer in (("login: ", name), ("assword: ", password), ("\\$ ", "LC_ALL=C sudo -s"), ("assword", password), ("# ", "stty -echo; bind 'set enable-bracketed-paste off'; PS1=; export LC_ALL=C")):
            self._until_prompt(wanted, patience)
            self.tty.sendall(answer.encode() + b"\n")
        self.told("true")

    def _until_prompt(self, words, patience):
        deadline, heard = self.now() + patience, b""
        if words == "login: ":
            self.tty.sendall(b"\n")
        while not re.search(words, heard.decode(errors="replace")):
            self.tty.settimeout(max(0.1, deadline - self.now()))
            heard += self.tty.recv(4096)
            assert self.now() < deadline, f"no “{words}”: {heard[-500:]}"

    def told(self, command, patience=120):
        """What a command says there, run as root."""
        mark = f"end-{time.monotonic_ns()}"
        self.tty.sendall(f"{command}; echo '{mark[:4]}''{mark[4:]}'\n".encode())
        heard, deadline = b"", self.now() + patience
        while mark.encode() not in heard:
            self.tty.settimeout(max(0.1, deadline - self.now()))
            heard += self.tty.recv(65536)
        # The shell tells a terminal how it wants what is pasted.
        return re.sub(r"\x1b\[[?\d;]*[a-zA-Z]", "", heard.decode(errors="replace").partition(mark)[0].replace("\r", ""))
