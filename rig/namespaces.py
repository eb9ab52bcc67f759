"""A network, processes and file systems of a test's own on this machine; all of it ends with the process that `COMMAND` starts, however that ends."""

import ctypes
import os
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

from stages import host

PACKAGES = ["iproute2", "nftables", "gcc", "libc6-dev", "e2fsprogs", "util-linux", "openssl", "mosquitto", "mosquitto-clients", "prometheus"]
#: What runs a program as the first process of new namespaces, which is killed with this one.
COMMAND = ["unshare", "--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child=KILL", "--mount-proc"]
#: What station and venue run as, as in the guest; it is known in the namespaces only.
USER = "gate"
NO_SUID, NO_DEVICES, NO_PROGRAMS, BIND, RECURSIVE, PRIVATE = 0x2, 0x4, 0x8, 0x1000, 0x4000, 1 << 18
#: What `COMMAND` makes anew (sched.h): mounts, names, queues, processes, network.
NEW = 0x00020000 | 0x04000000 | 0x08000000 | 0x20000000 | 0x40000000

_libc = ctypes.CDLL(None, use_errno=True)


def install_packages(packages=PACKAGES):
    """Installs what is missing, and says so."""
    lacking = host.missing(packages)
    if not lacking:
        return
    print(f"Installing Debian packages that are missing: {' '.join(lacking)}", flush=True)
    install = [*host.as_root(), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=600", "-q", "-y",
               "--no-install-recommends", "install", *lacking]
    try:
        host.run(*install)
    except host.Failed:
        host.update()
        host.run(*install)


def die_with_parent():
    _libc.prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL


def go_first():
    """The product's deadlines are its own: a machine that has much else to do is no slow network."""
    die_with_parent()
    os.setpriority(os.PRIO_PROCESS, 0, -10)


def inside(work):
    """Calls `work` in a process that is the first of new namespaces, as `COMMAND` starts a program, and returns the status that it gives.

    This process must have one thread only, and is of no use afterwards but to end: that ends them all.
    """
    if _libc.unshare(NEW) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"no namespaces: {os.strerror(error)}")
    mount("none", "/", flags=RECURSIVE | PRIVATE)
    first = os.fork()
    if first:
        return os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) & 0xFF
    status = 1
    try:
        die_with_parent()
        mount("none", "/proc", flags=RECURSIVE | PRIVATE)
        mount("proc", "/proc", "proc", NO_SUID | NO_DEVICES | NO_PROGRAMS)
        status = work()
    except BaseException:
        traceback.print_exc(file=sys.stdout)
    finally:
        sys.stdout.flush()
        os._exit(status)


def mount(source, target, kind=None, flags=0, data=None):
    words = [word and os.fsencode(str(word)) for word in (source, target, kind, data)]
    if _libc.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), words[3]) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"mount of {source}: {os.strerror(error)}", str(target))


def furnish(program, leds):
    """Makes the first process's own /run, /etc, terminals and LEDs; the folder of the program is at /run/program.

    Everything else is this machine's and stays untouched: what is written goes to memory.
    """
    mount("tmpfs", "/run", "tmpfs", data="mode=755")
    for folder in ("program", "rig", "tmp", "etc"):
        Path("/run", folder).mkdir()
    os.chmod("/run/tmp", 0o1777)
    os.environ["TMPDIR"] = "/run/tmp"
    mount(Path(program).resolve().parent, "/run/program", flags=BIND | RECURSIVE)
    _furnish_etc()
    # Terminals of its own: a station whose line is gone looks for it by a name that another test's has by then.
    mount("devpts", "/dev/pts", "devpts", data="newinstance,ptmxmode=0666,mode=0620")
    mount("/dev/pts/ptmx", "/dev/ptmx", flags=BIND)
    _furnish_leds(leds)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def _furnish_etc():
    """This machine's /etc, with a user and without a name server that answers."""
    subprocess.run(["cp", "-a", "/etc/.", "/run/etc"], check=True)
    etc = Path("/run/etc")
    users = [line.split(":") for name in ("passwd", "group") for line in (etc / name).read_text().splitlines()]
    taken = {user[2] for user in users if len(user) > 2}
    number = next(number for number in range(61000, 62000) if str(number) not in taken)
    for name, line in (("passwd", f"{USER}:x:{number}:{number}::/:/bin/false"), ("group", f"{USER}:x:{number}:")):
        path = etc / name
        path.write_text("".join(f"{each}\n" for each in path.read_text().splitlines() if not each.startswith(f"{USER}:")) + f"{line}\n")
    for name, text in (("hosts", "127.0.0.1 localhost\n"), ("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
                       ("resolv.conf", "nameserver 192.0.2.53\n")):
        (etc / name).unlink(missing_ok=True)
        (etc / name).write_text(text)
    mount("/run/etc", "/etc", flags=BIND)


def _furnish_leds(leds):
    """LEDs for anybody to set: what is written to one waits in a pipe until it is read."""
    classes = Path("/sys/class")
    if not (classes / "leds").exists():
        # A kernel without the class: a copy of the folder that has one more.
        there = [entry.name for entry in classes.iterdir() if entry.is_dir()]
        Path("/run/class").mkdir()
        mount(classes, "/run/class", flags=BIND | RECURSIVE)
        mount("tmpfs", classes, "tmpfs", data="mode=755")
        for name in there:
            (classes / name).mkdir()
            mount(f"/run/class/{name}", classes / name, flags=BIND | RECURSIVE)
        (classes / "leds").mkdir()
    mount("tmpfs", classes / "leds", "tmpfs", data="mode=755")
    add_leds(leds)


def add_leds(leds):
    """More of them, where there are some."""
    for led in leds:
        folder = Path("/sys/class/leds", led)
        folder.mkdir()
        (folder / "max_brightness").write_text("255\n")
        os.mkfifo(folder / "brightness")
        os.chmod(folder / "brightness", 0o666)


def unavailable(probe):
    """Why tests cannot run natively here; None if they can. `probe` is a command that tries all that they need."""
    if os.geteuid() != 0:
        return "namespaces and nftables take root"
    try:
        install_packages()
    except (host.Failed, host.Unavailable) as error:
        return str(error)
    for tool in ("unshare", "ip", "nft", "setpriv", "mke2fs", "openssl"):
        if not shutil.which(tool):
            return f"there is no {tool}"
    tried = subprocess.run([*COMMAND, *probe], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=120,
                           preexec_fn=die_with_parent)
    return None if tried.returncode == 0 else " ".join(tried.stdout.split())[-600:] or f"the trial ended with {tried.returncode}"
