"""What a Debian package needs on top of the guest: fetched as its Depends field names it, and kept by that."""

import re
import sys
from pathlib import Path

from . import archive, cache, host, root
from .target import FOLDER, IS_FOREIGN


def root_folder(folder):
    """What the root stage made for the rig in `folder`."""
    names = dict(line.split() for line in (folder / "current").read_text().splitlines())
    return folder / names["root"]


def lacking(deb, system, folder):
    """The packages, as files, that must be installed in the guest together with `deb`; `system` is what the root stage made."""
    depends = host.run("dpkg-deb", "-f", deb, "Pre-Depends", "Depends")
    wanted = needed(deb, system / "root.status")
    store = cache.Cache(folder)
    with store.lock():
        made = store.stage("dependencies", [cache.files_hash(__file__), depends, *sorted(f"{name} {version}" for name, version in wanted.items())],
                           lambda into: host.download(wanted, into) if wanted else None)
    return sorted(made.glob("*.deb"))


def unnamed(deb, folder):
    """The libraries that the guest has, and that apt would not install with `deb` on a Debian without them."""
    system = root_folder(Path(folder))
    return root.libraries_of(system) - set(needed(deb, system / "bare.status"))


def needed(deb, status):
    """Names and versions of what apt would install with `deb` where `status` lists what is there."""
    if IS_FOREIGN:
        index = archive.Index(FOLDER / "index", archive.RELEASE, archive.TARGET.name, status)
        return inst(index.run("apt-get", "-s", "install", Path(deb).resolve()), deb)
    plan = ["apt-get", "-o", f"Dir::State::status={status}", "-o", "APT::Architecture=amd64", "--no-install-recommends", "-s", "install", Path(deb).resolve()]
    try:
        said = host.run(*plan)
    except host.Failed as error:
        print(f"rig: {error}", file=sys.stderr)
        host.update()
        said = host.run(*plan)
    return inst(said, deb)


def inst(said, deb):
    """Names and versions in what apt says that it would do, without the package itself."""
    found = dict(re.findall(r"^Inst (\S+) \((\S+) ", said, re.M))
    found.pop(host.run("dpkg-deb", "-f", deb, "Package").strip(), None)
    return found
