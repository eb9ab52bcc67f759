"""A machine of a fleet's evening: a network of its own on a bridge, what can become of its cable, and processes that are started on it again and again."""

import contextlib
import os
import signal
import subprocess
from pathlib import Path

import namespaces

ROOT = Path("/run/rig/fleet")
AS_GATE = ["setpriv", f"--reuid={namespaces.USER}", f"--regid={namespaces.USER}", "--init-groups"]
#: How long a process may take to end that was told so, in seconds.
PATIENCE = 30


def run(*words, check=True, **options):
    """Runs a command; what it printed."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          **options)
    if check and done.returncode:
        raise RuntimeError(f"{' '.join(map(str, words))[:300]} ended with {done.returncode}: {done.stdout[-2000:]}")
    return done.stdout


class Machine:
    """A network of its own on the bridge, and what can become of its cable."""

    def __init__(self, name, address):
        self.name, self.address, self.wire = name, address, f"v-{name}"
        #: What holds of its cable now: rules of nft, by what they are for.
        self._rules, self._is_slow = {}, False
        run("ip", "netns", "add", name)
        run("ip", "link", "add", self.wire, "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "link", "set", self.wire, "master", "br0", "up")
        for words in (f"addr add {address}/24 dev eth0", "link set eth0 up", "link set lo up"):
            run("ip", "-n", name, *words.split())

    @property
    def inside(self):
        """What runs a command in it."""
        return ["nsenter", f"--net=/run/netns/{self.name}"]

    def unplug(self, is_out=True):
        """The cable is pulled: whoever it is, it sees that; or plugged in again."""
        run("ip", "link", "set", self.wire, "down" if is_out else "up")

    def filter(self, what, *rules):
        """Packets go by these rules from now on, each `in …` or `out …`; none for as before."""
        self._rules.pop(what, None)
        if rules:
            self._rules[what] = rules
        text = ["add table inet cut", "delete table inet cut"]
        if self._rules:
            text += ["add table inet cut", "add chain inet cut in { type filter hook input priority 0; }",
                     "add chain inet cut out { type filter hook output priority 0; }"]
            text += [f"add rule inet cut {rule.partition(' ')[0]} {rule.partition(' ')[2]}" for each in self._rules.values() for rule in each]
        subprocess.run([*self.inside, "nft", "-f", "-"], input="\n".join(text), text=True, check=True, capture_output=True)

    def slow(self, rate=None):
        """Only so much goes through in each direction from now on, and waits for as long as it takes; all of it, for `None`."""
        if self._is_slow:
            run("tc", "qdisc", "del", "dev", self.wire, "root")
            run("tc", "-n", self.name, "qdisc", "del", "dev", "eth0", "root")
        self._is_slow = rate is not None
        if rate:
            shape = f"root tbf rate {rate} burst 1600 latency 3s".split()
            run("tc", "qdisc", "add", "dev", self.wire, *shape)
            run("tc", "-n", self.name, "qdisc", "add", "dev", "eth0", *shape)


class Running:
    """A process that is started again and again; its words go to one file."""

    def __init__(self, name, log):
        self.name, self.log, self.popen, self.is_paused = name, log, None, False

    def start(self, command, **options):
        with open(self.log, "ab") as log:
            self.popen = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                                          preexec_fn=namespaces.die_with_parent, **options)
        self.is_paused = False

    @property
    def runs(self):
        return self.popen is not None and self.popen.poll() is None

    def kill(self):
        if self.popen:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.popen.pid, signal.SIGKILL)
            self.popen.wait()

    def end(self):
        """In order."""
        if self.runs:
            self.go_on()
            self.popen.terminate()
            try:
                self.popen.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()
                raise RuntimeError(f"{self.name} did not end in {PATIENCE} s") from None

    def pause(self):
        os.killpg(self.popen.pid, signal.SIGSTOP)
        self.is_paused = True

    def go_on(self):
        if self.is_paused:
            os.killpg(self.popen.pid, signal.SIGCONT)
            self.is_paused = False
