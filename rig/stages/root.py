"""Small Debians of the host's own release, with systemd and udev: one with the libraries that scangate links, and a bare one."""

import os

from . import cache, host

SYSTEM = ["systemd", "systemd-sysv", "udev", "kmod", "mount", "passwd"]
# A gate PC has these; to install them in a guest takes minutes of its emulated processor, and proves nothing of ours.
CERTIFICATES = ["ca-certificates"]
LIBRARIES = ["libevdev2", "libudev1", "libxkbcommon0", "xkb-data", "libx11-data", "libsqlite3-0", "libstdc++6", "zlib1g"]
# libcrypto's package, whose name says since Debian 13 that its times have 64 bits.
LIBCRYPTO = ["libssl3t64", "libssl3"]

CLEAN = 'rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*'
# The user `gate` is what the service runs as where it is not installed: no right but that of the group `input`.
USER = 'chroot "$1" useradd --system --no-create-home --groups input gate'


def stage(store):
    """Folder with `root.tar`, the system that has what the program under test links."""
    return made(store, "root", [*SYSTEM, *LIBRARIES, host.offered(LIBCRYPTO)], [USER, CLEAN])


def bare_stage(store):
    """Folder with `root.tar`: what a technician finds on a fresh gate PC."""
    return made(store, "bareroot", [*SYSTEM, *CERTIFICATES], [CLEAN])


def made(store, name, packages, setup):
    inputs = [cache.files_hash(__file__), host.release(), *(f"{name} {host.candidate(name)}" for name in [*packages, "libc6"])]
    return store.stage(name, inputs, lambda folder: make(folder, packages, setup))


def make(folder, packages, setup):
    sources = folder / "sources.list"
    sources.write_text(host.archive_sources())
    paths = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("doc", "man", "locale", "info")]
    host.run(
        # Nothing is lost if the machine goes down half-way, so nothing need wait for its disk.
        "eatmydata", "mmdebstrap", "--variant=essential", "--hook-dir=/usr/share/mmdebstrap/hooks/eatmydata", f"--include={','.join(packages)}",
        *paths, *(f"--customize-hook={line}" for line in setup), host.release(), folder / "root.tar", sources,
        env={**os.environ, "LC_ALL": "C.UTF-8"})
