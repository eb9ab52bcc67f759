"""Machines beside this one, of a native test: each has a network, files and users of its own, and is reached as another machine is, by `ssh` and `scp`.

What a machine has of its own is written to memory over this machine's files; so whatever is installed here is there too, and packages can be installed for real.
There is no service manager: `systemctl` is a script that knows the units named here, and says so of every other word.
"""

import os
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path

import namespaces
from rig import PATIENCE, MachineError

#: Where their files are; not below /run, where tests look for secrets.
FOLDER = Path("/mnt")
#: What is not to be had in a namespace. sudo: all are root. The others are told by what they print and do.
SUDO = '#!/bin/sh\nexec "$@"\n'
SYSTEMCTL = r"""#!/bin/bash
# systemctl by hand, for UNITS: see rig/neighbours.py
set -eu
units="nats-server scangate"
verb=$1; unit=${2:-}
[ -z "$unit" ] || [[ " $units " == *" ${unit%.service} "* ]] || { echo "systemctl by hand: no unit $unit" >&2; exit 5; }
pid() { cat "/run/$unit.pid" 2>/dev/null || echo 0; }
# Whom nobody has buried runs no more.
runs() { grep -qs '^State:[[:space:]]*[A-WY]' "/proc/$(pid)/status"; }
of() { cat "/lib/systemd/system/$unit.service" /etc/systemd/system/$unit.service.d/*.conf 2>/dev/null | sed -n "s/^$1=//p" | tail -n 1; }
stop() {
  ! runs || kill -"$(of KillSignal | grep . || echo TERM)" "$(pid)"
  for _ in $(seq 200); do runs || break; sleep 0.05; done
  ! runs || kill -KILL "$(pid)"
}
start() {
  ! runs || return 0
  user=$(of User); umask "$(of UMask | grep . || echo 022)"
  folder=$(of StateDirectory)
  [ -z "$folder" ] || install -d -o "$user" -g "$user" -m "$(of StateDirectoryMode | grep . || echo 755)" "/var/lib/$folder"
  setsid setpriv --reuid="$user" --regid="$user" --init-groups env STATE_DIRECTORY="/var/lib/$folder" \
    bash -c 'echo $$ > "$0"; shift; exec '"$(of ExecStart)" "/run/units/$unit" >>"/var/log/$unit.log" 2>&1 </dev/null &
  for _ in $(seq 100); do [ ! -s "/run/units/$unit" ] || break; sleep 0.02; done
  mv "/run/units/$unit" "/run/$unit.pid"
}
install -d -m 1777 /run/units
case $verb in
daemon-reload | enable) ;;
start) start ;;
stop) stop ;;
restart) stop; start ;;
reload) kill -HUP "$(pid)" ;;
reload-or-restart) if runs; then kill -HUP "$(pid)"; else start; fi ;;
*) echo "systemctl by hand: no $verb" >&2; exit 2 ;;
esac
"""
#: The folders of the shell's own, as a technician has them.
HOME = "/root"


class Neighbour:
    """A machine; made by `Neighbours`."""

    def __init__(self, name, address, gateway, below):
        self.name, self.address, self.root = name, address, laid(name, below)
        for folder in ("rig", "program"):
            (self.root / "run" / folder).mkdir()
            namespaces.mount(f"/run/{folder}", self.root / "run" / folder, flags=namespaces.BIND | namespaces.RECURSIVE)
        script(self.root, "systemctl", SYSTEMCTL)
        script(self.root, "scangate", '#!/bin/sh\nexec /run/program/scangate "$@"\n')
        self._keeper = subprocess.Popen(["unshare", "--net", "--uts", "sleep", "infinity"], preexec_fn=namespaces.die_with_parent)
        deadline = time.monotonic() + PATIENCE
        while os.readlink(f"/proc/{self._keeper.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            if time.monotonic() > deadline:
                raise MachineError(f"{name} has no network of its own")
            time.sleep(0.01)
        host(f"ip link add {name} type veth peer name eth0 netns {self._keeper.pid}", f"ip address add {gateway}/32 dev {name}", f"ip link set {name} up",
             f"ip route add {address}/32 dev {name}")
        self.sh(f"hostname {name}; ip link set lo up; ip link set eth0 up; ip address add {address}/32 dev eth0; ip route add {gateway} dev eth0; "
                f"ip route add default via {gateway}")

    def command(self, text):
        """What runs a script there."""
        space = f"/proc/{self._keeper.pid}/ns"
        return ["nsenter", f"--net={space}/net", f"--uts={space}/uts", "env", "-i", f"HOME={HOME}", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
                "PATH=/usr/local/bin:/usr/local/sbin:/usr/bin:/usr/sbin:/bin:/sbin", "chroot", str(self.root), "bash", "-c", f"cd {HOME}; {text}"]

    def sh(self, text, timeout=PATIENCE):
        """Runs a script there, as root; what it printed."""
        return run(self.command(text), f"at {self.name}: {text}", timeout)

    def pid(self, unit):
        """The process of a unit."""
        return int((self.root / f"run/{unit}.pid").read_text())

    def lose(self, *units):
        """Ends units at once, as the power would."""
        for unit in units:
            os.kill(self.pid(unit), signal.SIGKILL)

    def cut(self):
        """Takes it off the network."""
        host(f"ip link set {self.name} down")

    def join(self):
        """Ends that."""
        gateway = host(f"ip -o -4 address show dev {self.name}").split()[3]
        host(f"ip link set {self.name} up", f"ip route replace {self.address}/32 dev {self.name}")
        self.sh(f"ip route replace {gateway.partition('/')[0]} dev eth0; ip route replace default via {gateway.partition('/')[0]}")

    def log(self, unit):
        """What a unit has said."""
        path = self.root / f"var/log/{unit}.log"
        return path.read_text(errors="replace") if path.exists() else ""


def laid(name, below="/"):
    """A machine's files over what lies below: the folder that is its root."""
    place = FOLDER / name
    for folder in ("up", "work", "root"):
        (place / folder).mkdir(parents=True)
    root = place / "root"
    namespaces.mount("overlay", root, "overlay", data=f"lowerdir={below},upperdir={place}/up,workdir={place}/work")
    for folder in ("dev", "proc", "sys"):
        namespaces.mount(f"/{folder}", root / folder, flags=namespaces.BIND | namespaces.RECURSIVE)
    for folder in ("run", "tmp", "root"):
        namespaces.mount("tmpfs", root / folder, "tmpfs", data="mode=1777" if folder == "tmp" else "mode=755")
    return root


class Neighbours:
    """Machines by name, in one network through this one, which is the office: its shell has `ssh` and `scp` that reach them."""

    def __init__(self, names, furnish, gateway="10.0.0.1", also=None):
        """`furnish(root, run)` installs what each has, once for all of them: `run` runs a script in that root. `also`: further names (name to machine)."""
        namespaces.mount("tmpfs", FOLDER, "tmpfs", data="mode=755")
        host("sysctl -q -w net.ipv4.ip_forward=1")
        root = laid("furnished")
        script(root, "sudo", SUDO)
        furnish(root, lambda text: run(["chroot", str(root), "bash", "-c", f"cd {HOME}; {text}"], text))
        host(f"umount -R {root}")
        below = f"{FOLDER}/furnished/up:/"
        self.machines = {name: Neighbour(name, f"10.0.0.{11 + number}", gateway, below) for number, name in enumerate(names)}
        self._names = {**{name: name for name in names}, **(also or {})}
        lines = "".join(f"{machine.address} {name} {' '.join(other for other, of in (also or {}).items() if of == name)}\n" for name, machine in self.machines.items())
        for root in (Path("/"), *(machine.root for machine in self.machines.values())):
            with open(root / "etc/hosts", "a") as file:
                file.write(lines)
        self.office = Path("/run/office")
        self.office.mkdir()

    def __getitem__(self, name):
        return self.machines[self._names[name]]

    def follow(self, block, timeout=120):
        """Follows lines of a page at the office, as they stand; returns what was printed."""
        printed = ""
        for line in block.strip().split("\n"):
            words = shlex.split(line, comments=True)
            if words[:1] == ["ssh"]:
                options, (name, command) = [word for word in words[1:] if word == "-t"], [word for word in words[1:] if word != "-t"]
                assert len(options) <= 1, line
                printed += self[name].sh(command, timeout)
            elif words[:1] == ["scp"]:
                self._copy([word for word in words[1:] if word != "-r"], "-r" in words)
            else:
                ended, said = self.ask(line, timeout)
                printed += said
                if ended:
                    raise MachineError(f"ended with {ended}: {line}\n{said[-3000:]}")
        return printed

    def ask(self, line, timeout=120):
        """What a line at the office ends with, and what it prints."""
        text = f"cd {self.office}\nscangate() {{ /run/program/scangate \"$@\"; }}\n{line}"
        ended = subprocess.run(["bash", "-c", text], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout)
        return ended.returncode, ended.stdout

    def name(self, name, machine):
        """Gives a machine a further name at the office."""
        self._names[name] = machine

    def _copy(self, words, recursive):
        *sources, (name, _, path) = *words[:-1], words[-1].partition(":")
        target = self[name].root / HOME[1:] / path
        found = [each for source in sources for each in (sorted(self.office.glob(source)) if "*" in source else [self.office / source])]
        assert found, words
        for source in found:
            if source.is_dir():
                assert recursive, words
                shutil.copytree(source, target / source.name, dirs_exist_ok=True)
            else:
                shutil.copy2(source, target / source.name if target.is_dir() else target)


def script(root, name, text):
    """Puts a script among a machine's programs."""
    path = root / "usr/local/bin" / name
    path.write_text(text)
    path.chmod(0o755)


def run(command, what, timeout=120):
    """Runs a command; what it printed."""
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=timeout)
    if ended.returncode:
        raise MachineError(f"ended with {ended.returncode}: {what[:300]}\n{ended.stdout[-3000:]}")
    return ended.stdout


def host(*commands):
    """Runs commands in the network that the machines meet in; what the last one printed."""
    for command in commands:
        said = run(shlex.split(command), command)
    return said
