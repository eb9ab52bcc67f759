"""A small Debian of the host's own release, with systemd and udev, and the libraries that scangate links."""

import os

from . import cache, host

PACKAGES = [
    "systemd", "systemd-sysv", "udev", "kmod", "mount", "passwd",
    "libevdev2", "libudev1", "libxkbcommon0", "xkb-data", "libx11-data", "libsqlite3-0", "libstdc++6", "zlib1g",
]

# The user `gate` is what the service runs as: no right but that of the group `input`.
SETUP = ['chroot "$1" useradd --system --no-create-home --groups input gate', 'rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*']


def stage(store):
    """Folder with `root.tar`."""
    inputs = [cache.files_hash(__file__), host.release(), *(f"{name} {host.candidate(name)}" for name in [*PACKAGES, "libc6"])]
    return store.stage("root", inputs, make)


def make(folder):
    sources = folder / "sources.list"
    sources.write_text(host.archive_sources())
    paths = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in ("doc", "man", "locale", "info")]
    host.run(
        # Nothing is lost if the machine goes down half-way, so nothing need wait for its disk.
        "eatmydata", "mmdebstrap", "--variant=essential", "--hook-dir=/usr/share/mmdebstrap/hooks/eatmydata", f"--include={','.join(PACKAGES)}",
        *paths, *(f"--customize-hook={line}" for line in SETUP), host.release(), folder / "root.tar", sources,
        env={**os.environ, "LC_ALL": "C.UTF-8"})
