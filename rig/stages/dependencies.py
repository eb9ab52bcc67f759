"""What a Debian package needs on top of the bare guest: fetched as its Depends field names it, and kept by that."""

import os
import re
import subprocess
import sys
from pathlib import Path

from . import cache, host


def bare_status(folder):
    """The list of packages of the bare guest."""
    names = dict(line.split() for line in (folder / "current").read_text().splitlines())
    root = folder / names["root"]
    status = root / "status"
    if not status.exists():
        fresh = root / f"status.{os.getpid()}"  # two may make it at once
        with open(fresh, "wb") as file:
            subprocess.run(["tar", "-xOf", root / "bare.tar", "./var/lib/dpkg/status"], stdout=file, check=True)
        fresh.rename(status)
    return status


def lacking(deb, status, folder):
    """The packages, as files, that must be installed in the bare guest together with `deb`."""
    depends = host.run("dpkg-deb", "-f", deb, "Pre-Depends", "Depends")
    wanted = needed(deb, status)
    store = cache.Cache(folder)
    with store.lock():
        made = store.stage("dependencies", [cache.files_hash(__file__), depends, *sorted(f"{name} {version}" for name, version in wanted.items())],
                           lambda into: host.download(wanted, into) if wanted else None)
    return sorted(made.glob("*.deb"))


def needed(deb, status):
    """Names and versions of what apt would install with `deb` where `status` lists what is there."""
    plan = ["apt-get", "-o", f"Dir::State::status={status}", "-o", "APT::Architecture=amd64", "--no-install-recommends", "-s", "install", Path(deb).resolve()]
    try:
        said = host.run(*plan)
    except host.Failed as error:
        print(f"rig: {error}", file=sys.stderr)
        host.update()
        said = host.run(*plan)
    found = dict(re.findall(r"^Inst (\S+) \((\S+) ", said, re.M))
    found.pop(host.run("dpkg-deb", "-f", deb, "Package").strip(), None)
    return found
