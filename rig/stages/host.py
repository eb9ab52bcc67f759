"""The machine that the rig is built on: its packages and what it knows of the Debian archive."""

import functools
import os
import platform
import re
import shutil
import subprocess
import sys

from .target import TARGET

# What building and running the rig takes, beyond a minimal Debian with Python.
PACKAGES = [
    *TARGET.packages, "qemu-utils", "busybox-static", "cpio", "zstd", "kmod", "e2fsprogs", "make", "xz-utils", "libelf1", "binutils", "debian-archive-keyring",
    "qrencode", "libjpeg-turbo-progs",  # what cameras are shown
    "openssl",  # certificates of venues
    "mosquitto", "mosquitto-clients",  # the broker, brought into the guest
]


# A plain user's path may lack the folders of depmod and mke2fs.
os.environ["PATH"] += ":/usr/sbin:/sbin"


class Unavailable(Exception):
    """The rig cannot run on this machine: its tests are skipped, not failed."""


class Failed(Exception):
    """A step of the build went wrong; the text says which and how."""


def run(*command, **options):
    """Runs a command quietly; its output becomes the error's text when it fails."""
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **options)
    if done.returncode != 0:
        raise Failed(f"{' '.join(str(word) for word in command)[:300]}\nended with {done.returncode}:\n{done.stdout[-4000:]}")
    return done.stdout


def as_root():
    """The words to put before a command that needs root."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        return ["sudo"]
    raise Unavailable("packages must be installed, which takes root or sudo")


def release():
    """Code name of this Debian release: the guest is the same one, so that what was built here runs there."""
    system = platform.freedesktop_os_release() if os.path.exists("/etc/os-release") else {}
    if system.get("ID") != "debian" or "VERSION_CODENAME" not in system or platform.machine() != "x86_64":
        raise Unavailable(f"the rig needs Debian on x86_64, this is {system.get('PRETTY_NAME', platform.system())} on {platform.machine()}")
    return system["VERSION_CODENAME"]


def missing(packages):
    """Those of `packages` that are not installed."""
    listed = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *packages], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    installed = {line.split()[0] for line in listed.splitlines() if line.endswith(" installed")}
    return [package for package in packages if package not in installed]


@functools.cache
def update():
    """Fetches the archive's package lists, once."""
    print("rig: apt-get update", file=sys.stderr, flush=True)
    run(*as_root(), "apt-get", "-o", "DPkg::Lock::Timeout=600", "-q", "update")


def install_packages():
    """Installs what is missing, and says so."""
    lacking = missing(PACKAGES if os.geteuid() == 0 else [*PACKAGES, "fakeroot", "uidmap"])
    if not lacking:
        return
    print(f"rig: installing {' '.join(lacking)}", file=sys.stderr, flush=True)
    install = [*as_root(), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=600", "-q", "-y",
               "--no-install-recommends", "install", *lacking]
    try:
        run(*install)
    except Failed:
        try:
            update()
            run(*install)
        except Failed as error:
            if shutil.which(TARGET.qemu):
                raise
            raise Unavailable(f"QEMU cannot be installed here: {error}") from error


def offered(*packages):
    """The versions that apt would install, by name. Each of `packages` is a list of names, of which apt knows one or the other."""
    # All at once: apt takes a second to read its lists, whatever it is asked.
    names = [name for each in packages for name in each]
    for attempt in range(2):
        found = dict(re.findall(r"^(\S+):\n.*\n\s*Candidate: (\S+)", run("apt-cache", "policy", *names), re.M))
        first = [next((name for name in each if found.get(name, "(none)") != "(none)"), None) for each in packages]
        if None not in first:
            return {name: found[name] for name in first}
        if attempt == 0:
            update()
    raise Failed(f"apt knows no package {' or '.join(packages[first.index(None)])}")


def download(packages, folder):
    """Fetches packages (name to version) into `folder`; returns their files, by name."""
    words = [f"{name}={version}" for name, version in packages.items()]
    try:
        run("apt-get", "-q", "download", *words, cwd=folder)
    except Failed:
        update()
        run("apt-get", "-q", "download", *words, cwd=folder)
    return {name: next(folder.glob(f"{name}_*.deb")) for name in packages}


def archive_sources():
    """The host's own Debian sources, as lines for a sources.list."""
    template = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(REPO_URI) $(RELEASE) $(COMPONENT)"
    lines = run("apt-get", "indextargets", "--format", template, "Created-By: Packages", "Origin: Debian").split("\n")
    suites = re.compile(rf"\s{release()}(-updates|-security)?\s")
    return "".join(f"{line}\n" for line in sorted(set(lines)) if suites.search(line))
