"""Packages of Debian for another processor, by a list with their checksums: what the guest is made of is the same until somebody brings the list up to date.

The list is one of scripts/sdk's kind ("part SHA-256 bytes place"), fetched packages are kept where that keeps its own, and the same variables of the
environment name other mirrors: DEBIAN_MIRROR, DEBIAN_SNAPSHOT.
"""

import fcntl
import hashlib
import os
import re
import shutil
import sys
from collections import namedtuple
from pathlib import Path
from urllib.parse import unquote

from . import host
from .target import TARGET

HERE = Path(__file__).resolve().parent.parent
LIST = HERE / f"{TARGET.name}.packages"
MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
SNAPSHOT = os.environ.get("DEBIAN_SNAPSHOT", "http://snapshot.debian.org/archive/debian")
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "scangate/packages"
#: The guest's release, where that has a kernel with larger pages, built by the release's own compiler, and the first release that has a camera for such a kernel.
RELEASE, NEWER, CAMERA = "bookworm", "bookworm-backports", "trixie"

#: What stays free beside what is fetched, in bytes.
SPARE = 200_000_000

Package = namedtuple("Package", "part sum size place")


def name(package):
    """The name of a package's file."""
    return unquote(package.place.rpartition("/")[2])


def binary(package):
    """The name of a package."""
    return name(package).partition("_")[0]


def listed(*parts):
    """The packages of some parts of the list."""
    try:
        lines = LIST.read_text().splitlines()
    except FileNotFoundError:
        raise host.Failed(f"{LIST} is missing: rig/build --arch {TARGET.name} --update writes it") from None
    found = [Package(*line.split()) for line in lines if line and not line.startswith("#")]
    return [package for package in found if package.part in parts]


def fetched(packages):
    """The files of packages, by the name of the package; those that are not there yet are fetched, and none is used whose checksum is another."""
    CACHE.mkdir(parents=True, exist_ok=True)
    lacking = [package for package in packages if not is_whole(CACHE / name(package), package)]
    if lacking:
        print(f"rig: fetching {sum(int(package.size) for package in lacking) // 1_000_000} MB from {MIRROR}", file=sys.stderr, flush=True)
        room(CACHE, sum(int(package.size) for package in lacking), "XDG_CACHE_HOME names another folder")
    with open(CACHE / "rig.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for package in lacking:
            # Another build may have fetched it meanwhile.
            if not is_whole(CACHE / name(package), package):
                fetch(package)
    return {binary(package): CACHE / name(package) for package in packages}


def room(folder, size, remedy):
    """Says it where a folder has not so many bytes free, and some."""
    free = shutil.disk_usage(folder).free
    if free < size + SPARE:
        raise host.Failed(f"{folder} has {free // 1_000_000} MB free, and {(size + SPARE) // 1_000_000} are wanted: make room; {remedy}")


def is_whole(path, package):
    if not path.exists() or path.stat().st_size != int(package.size):
        return False
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == package.sum


def fetch(package):
    """Fetches a package from the mirror, or where that has moved on from the archive of what it has thrown away."""
    # What a killed run left under this name is written over: one build at a time is here.
    part = CACHE / f"{name(package)}.rig.part"
    stamp = re.search(r"^# as of (\S+)", LIST.read_text(), re.M)
    said = []
    try:
        for base in (MIRROR, f"{SNAPSHOT}/{stamp[1]}" if stamp else None):
            if base is None:
                continue
            try:
                # apt's own downloader, which knows this machine's proxies.
                host.run("/usr/lib/apt/apt-helper", "-qq", "-o", "APT::Sandbox::User=root", "download-file", f"{base}/{package.place}", part,
                         f"SHA256:{package.sum}")
            except host.Failed as error:
                said.append(" ".join(str(error).split())[-300:])
                continue
            if is_whole(part, package):
                return part.rename(CACHE / name(package))
            said.append(f"{base}: not what the list says")
    finally:
        part.unlink(missing_ok=True)
    raise host.Failed(f"{name(package)} cannot be had as {LIST.name} has it; nothing was used of it. If the mirror has moved on, bring the list up to date: "
                      f"rig/build --arch {TARGET.name} --update\n" + "\n".join(said))


class Index:
    """A state of apt's own for a release and a processor, which the system's apt knows nothing of. Debian's keys are what it is believed by."""

    def __init__(self, folder, release, architecture, status=None, components="main"):
        self.folder = Path(folder).resolve()
        for each in ("lists/partial", "cache/archives/partial", "parts"):
            (self.folder / each).mkdir(parents=True, exist_ok=True)
        if status is None:
            status = self.folder / "status"
            status.touch()
        (self.folder / "sources.list").write_text(f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {MIRROR} {release} {components}\n")
        (self.folder / "apt.conf").write_text(f"""
            Dir::Etc::SourceList "{self.folder}/sources.list"; Dir::Etc::SourceParts "{self.folder}/parts";
            Dir::State::Lists "{self.folder}/lists"; Dir::State::status "{Path(status).resolve()}"; Dir::Cache "{self.folder}/cache";
            APT::Architecture "{architecture}"; APT::Architectures {{ "{architecture}"; }}; APT::Install-Recommends "false";
            APT::Sandbox::User "root"; Acquire::ForceHash "SHA256"; Acquire::Languages "none";
            """)
        if not list((self.folder / "lists").glob("*_Packages*")):
            self.update()

    def update(self):
        self.run("apt-get", "-qq", "update")

    def run(self, *words):
        return host.run(*words, cwd=self.folder, env={**os.environ, "APT_CONFIG": str(self.folder / "apt.conf")})

    def places(self, part, *words):
        """What apt-get would fetch, as the list has it."""
        said = self.run("apt-get", "-qq", "-y", "--print-uris", *words)
        found = re.findall(rf"^'{re.escape(MIRROR)}/(\S+)' \S+ (\d+) SHA256:(\w+)$", said, re.M)
        return [Package(part, sum, size, place) for place, size, sum in sorted(found)]

    def kernel(self, meta):
        """The kernel that a package without content stands for: its release, and the series of its sources."""
        found = re.search(rf"Depends: linux-image-((\d+\.\d+)\S*{re.escape(meta.removeprefix('linux-image'))})$", self.run("apt-cache", "depends", meta), re.M)
        if not found:
            raise host.Failed(f"{meta} names no kernel")
        return found[1], found[2]


def update(system, libraries, kernels, camera_source, folder):
    """Writes the list anew. `kernels` are parts with the package that stands for each, and the release that it is of."""
    if folder.exists():
        shutil.rmtree(folder)
    indices = {(release, architecture): Index(folder / f"{release}-{architecture}", release, architecture)
               for release in (RELEASE, NEWER) for architecture in (TARGET.name, "amd64")}
    guest = indices[RELEASE, TARGET.name]
    lines = guest.places("system", "install", "?essential", *system)
    lines += [each._replace(part="libraries") for each in guest.places("", "install", "?essential", *system, *libraries)
              if each.place not in {line.place for line in lines}]
    lines += guest.places("early", "download", "busybox-static")
    for part, (meta, release) in kernels.items():
        index = indices[release, TARGET.name]
        name, series = index.kernel(meta)
        abi = re.sub(rf"-{TARGET.name}(-\w+)?$", "", name)
        lines += index.places(part, "download", f"linux-image-{name}", f"linux-headers-{name}", f"linux-headers-{abi}-common", f"linux-source-{series}")
        # Its tools run on this machine.
        lines += indices[release, "amd64"].places(part, "download", f"linux-kbuild-{series if release == RELEASE else abi}")
    lines += guest.places("camera", "download", camera_source)
    lines += Index(folder / "camera", CAMERA, TARGET.name).places("pages-camera", "download", camera_source)
    stamp = host.run("date", "-u", "+%Y%m%dT%H%M%SZ").strip()
    LIST.write_text(
        f"# What the rig's {TARGET.name} guest is made of; `rig/build --arch {TARGET.name} --update` writes it anew. Part, SHA-256, bytes, place on a mirror of Debian.\n"
        f"# as of {stamp}\n" + "".join(f"{' '.join(line)}\n" for line in lines))
    shutil.rmtree(folder)
    print(f"rig: {LIST.name} has {len(lines)} packages now. Build and test with it, then commit it.", file=sys.stderr)
