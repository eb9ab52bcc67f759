"""One QEMU guest: started cold, or from a saved state; spoken to over a virtio-serial port (see guest/agent.c)."""

import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import Future
from pathlib import Path

from qmp import QMP, MachineError, connected
from stages import host
from stages.target import TARGET

MEMORY_MB = 768
PAYLOAD_SIZE = 1 << 30
STATION_SIZE = 128 << 20
KERNEL_LINE = (f"console={TARGET.console} panic=-1 quiet mitigations=off nokaslr random.trust_cpu=on systemd.show_status=0 audit=0 cryptomgr.notests")

#: What the agent says instead of a status: that this is not the end (guest/agent/agent.c); and of conditions that did not come to hold.
PART, GIVEN_UP = -1, 124


def die_with_parent():
    """Ends this process when the one that has started it ends: no guest outlives its test."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Machine:
    """A running guest. Software emulation only, so that it behaves the same on every host."""

    def __init__(self, kernel, disk, root, payload, incoming=None, keep_changes=False, patience=60):
        self.folder = Path(tempfile.mkdtemp(prefix="rig."))  # short: paths of sockets are limited to 107 bytes
        self.console_path = self.folder / "console"
        snapshot = "off" if keep_changes else "on"
        station = self._make_station()
        command = [
            TARGET.qemu, *TARGET.machine, "-accel", "tcg,thread=multi", "-smp", "1", "-m", str(MEMORY_MB),
            "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
            "-chardev", f"file,id=console,path={self.console_path}", "-serial", "chardev:console",
            "-qmp", f"unix:{self.folder}/qmp,server=on,wait=off",
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=ctl,path={self.folder}/ctl,server=on,wait=off", "-device", "virtserialport,chardev=ctl,name=ctl,nr=1",
            "-drive", f"file={root},format=qcow2,if=none,id=root,snapshot={snapshot},cache=unsafe", "-device", "virtio-blk-pci,drive=root",
            "-drive", f"file={payload},format=raw,if=none,id=payload,snapshot=on,cache=unsafe", "-device", "virtio-blk-pci,drive=payload",
            "-drive", f"file={station},format=raw,if=none,id=station,cache=unsafe", "-device", "virtio-blk-pci,drive=station",
            "-device", "virtio-rng-pci",
            # Who goes on has its kernel in memory; QEMU would put it there anew when the guest wakes from a sleep.
            *(["-incoming", incoming] if incoming else ["-kernel", kernel / "vmlinux", "-initrd", disk / "initrd", "-append", KERNEL_LINE]),
        ]
        with open(self.folder / "qemu", "w") as log:
            self.process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, preexec_fn=die_with_parent,
                # What it translates and looks up, on large pages: a seventh less of its time.
                env={**os.environ, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"})
        self._answers = {}
        self._answers_lock = threading.Lock()
        self._is_gone = False
        self._next_id = 1
        self._news, self.news_count = threading.Condition(), 0
        #: How many requests were made.
        self.asked = 0
        try:
            self.qmp = QMP(self.folder / "qmp", self._check, patience)
            self._agent = connected(self.folder / "ctl", self._check, patience)
            started = self._answers[0] = Future()
            started.take = None
            threading.Thread(target=self._read_answers, daemon=True).start()
            if incoming:
                while self.qmp("query-status")["status"] == "inmigrate":
                    self._check()
                    time.sleep(0.01)
                self.qmp("cont")
                self.now(patience)
            else:
                started.result(patience)
        except BaseException as error:
            report = self.report()
            self.close()
            raise MachineError(f"the guest does not answer: {error!r}\n{report}") from error

    def _make_station(self):
        """A fresh disk with a journal, as stations have: where a power cut must not lose what was promised."""
        path = self.folder / "station"
        with open(path, "wb") as file:
            file.truncate(STATION_SIZE)
        host.run("mke2fs", "-q", "-F", "-t", "ext4", "-E", "root_owner=0:0", path)
        return path

    def _check(self):
        if self.process.poll() is not None:
            raise MachineError(f"QEMU ended with {self.process.returncode}: {(self.folder / 'qemu').read_text(errors='replace')[-2000:]}")

    def save(self, state):
        """Stops the guest, and writes its memory and devices to the file `state`."""
        self.qmp("stop")
        self.qmp("migrate", uri=f"exec:zstd -q -1 -T2 > '{state}'")
        while (status := self.qmp("query-migrate").get("status")) != "completed":
            if status == "failed":
                raise MachineError("the guest's state cannot be saved")
            time.sleep(0.05)

    def go_on(self):
        """Lets the guest run on after `save`."""
        self.qmp("cont")

    def _read_answers(self):
        stream = self._agent.makefile("rb")
        try:
            while head := stream.readline():
                number, status, length = (int(word) for word in head.split())
                output = stream.read(length)
                with self._answers_lock:
                    answer = self._answers.get(number) if status == PART else self._answers.pop(number, None)
                if answer and status == PART:
                    answer.take(output)
                elif answer:
                    answer.set_result((status, output))
                if answer and answer.take:
                    self._tell_news()
        except (OSError, ValueError):
            pass
        with self._answers_lock:
            lost, self._answers, self._is_gone = self._answers, {}, True
        for answer in lost.values():
            answer.set_exception(MachineError("the guest is gone"))
        self._tell_news()

    def _tell_news(self):
        with self._news:
            self.news_count += 1
            self._news.notify_all()

    def wait_for_news(self, seen, timeout):
        """Waits until the guest has told more of what goes on than when `news_count` was `seen`; False if it did not in time."""
        with self._news:
            return self._news.wait_for(lambda: self.news_count != seen, timeout)

    def ask(self, verb, body=b"", words="", take=None):
        """Asks the agent (guest/agent/agent.c); the future gives (status, output as bytes). `take` is called with each part that is told before."""
        answer = Future()
        answer.take = take
        with self._answers_lock:
            if self._is_gone:
                raise MachineError("the guest is gone")
            answer.number = self._next_id
            self._next_id += 1
            self.asked += 1
            self._answers[answer.number] = answer
            self._agent.sendall(f"{answer.number} {verb} {len(body)}{words and f' {words}'}\n".encode() + body)
        return answer

    def do(self, verb, body=b"", words="", timeout=60):
        """Asks the agent for what is done at once; its output as bytes."""
        status, output = self.ask(verb, body, words).result(timeout)
        if status != 0:
            raise MachineError(f"{verb} {words}: {output.decode(errors='replace').strip()}")
        return output

    def start(self, script):
        """Starts a bash script in the guest; the future gives (exit status, output as bytes)."""
        return self.ask("run", script.encode())

    def spawn(self, words, log, user=None):
        """Starts a program, NAME=VALUE before it; returns its process id, and a future that gives (exit status, nothing). Its output goes to the file `log`."""
        pid = Future()
        body = "".join(f"{word}\0" for word in [user or "", *words]).encode()
        ended = self.ask("spawn", body, str(log), lambda part: pid.set_result(int(part)))
        ended.add_done_callback(lambda _: pid.done() or pid.set_exception(MachineError(f"{' '.join(words)} did not start")))
        return pid.result(60), ended

    def signal(self, pid, name):
        """Sends a signal to a process, or to the group of a negative one; whether it was there."""
        return self.ask("signal", words=f"{signal.Signals['SIG' + name].value} {pid}").result(60)[0] == 0

    def follow(self, path, take):
        """Gives `take` what a file has and whatever it gets, as it comes; `unfollow` ends it."""
        return self.ask("follow", words=str(path), take=take)

    def unfollow(self, followed):
        """Ends what `follow` began."""
        self.kill(followed)
        with self._answers_lock:
            self._answers.pop(followed.number, None)

    def sync(self):
        """Returns when everything was taken that the followed files, and who watches something, had to tell when this was called."""
        self.do("sync")

    def await_all(self, conditions, timeout=60):
        """Waits in the guest until all conditions hold (guest/agent/await.c); what they have found, in lines."""
        asked = self.ask("await", "\n".join(conditions).encode(), f"{timeout * 1000:.0f}")
        try:
            status, output = asked.result(timeout + 60)
        except TimeoutError:
            self.kill(asked)
            raise MachineError(f"no answer within {timeout + 60} s to: {conditions}") from None
        if status == GIVEN_UP:
            raise MachineError(f"not so within {timeout} s: {output.decode(errors='replace')}")
        if status != 0:
            raise MachineError(output.decode(errors="replace"))
        return output.decode().splitlines()

    def holds(self, *conditions):
        """Whether all conditions hold now."""
        status, output = self.ask("await", "\n".join(conditions).encode(), "0").result(60)
        if status not in (0, GIVEN_UP):
            raise MachineError(output.decode(errors="replace"))
        return status == 0

    def change_files(self, *changes):
        """Changes files as guest/agent/files.c says; the content of a `write` is its third word, as bytes or text."""
        lines = []
        for verb, path, *more in changes:
            content = [(word.encode() if isinstance(word, str) else word).hex() if verb.endswith("write") else word for word in more]
            lines.append(" ".join([verb, str(path), *content]))
        self.do("files", "\n".join(lines).encode())

    def write(self, path, content):
        """Writes to a file of the kernel's in the guest, in one go."""
        self.change_files(("write", path, content))

    def now(self, timeout=60):
        """The guest's CLOCK_MONOTONIC, in nanoseconds."""
        return int(self.do("now", timeout=timeout))

    def kill(self, started):
        """Ends what `start` and its like began."""
        with self._answers_lock:
            self._agent.sendall(f"{started.number} kill 0\n".encode())

    def sh(self, script, timeout=60, check=True):
        """Runs a bash script in the guest and returns its output."""
        started = self.start(script)
        try:
            status, output = started.result(timeout)
        except TimeoutError:
            self.kill(started)
            raise MachineError(f"no answer within {timeout} s to: {script[:300]}") from None
        text = output.decode(errors="replace")
        if check and status != 0:
            raise MachineError(f"ended with {status}: {script[:300]}\n{text[-3000:]}")
        return text

    def put(self, content, path, timeout=60):
        """Writes a file in the guest, as a whole or not at all."""
        self.do("put", content, str(path), timeout)

    def get(self, path, timeout=60, offset=0):
        """The content of a file in the guest, from a byte on."""
        return self.do("get", words=f"{offset} {path}", timeout=timeout)

    def processor_time(self):
        """For how long the emulator has kept a processor busy, in seconds."""
        try:
            words = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:  # it is gone
            return 0.0
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def halt(self, seconds):
        """Lets the guest stand still, as a host does that has no time for it."""
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def report(self):
        """What QEMU and the guest's console said last."""
        parts = []
        for name in ("qemu", "console"):
            path = self.folder / name
            if path.exists() and (text := path.read_text(errors="replace")[-3000:].strip()):
                parts.append(f"--- {name}\n{text}")
        return "\n".join(parts)

    def close(self):
        """Pulls the plug."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
