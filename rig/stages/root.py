"""Small Debians of the host's own release, with systemd and udev: a bare one, and the same with the libraries that scangate links."""

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
    """Folder with `bare.tar`, what a technician finds on a fresh gate PC, and `root.tar`, which has besides what the program under test links."""
    libraries = [*LIBRARIES, host.offered(LIBCRYPTO)]
    inputs = [cache.files_hash(__file__), host.release(), *(f"{name} {host.candidate(name)}" for name in [*SYSTEM, *CERTIFICATES, *libraries, "libc6"])]
    return store.stage("root", inputs, lambda folder: make(folder, libraries))


def make(folder, libraries):
    (folder / "sources.list").write_text(host.archive_sources())
    debian(folder, "bare.tar", [*SYSTEM, *CERTIFICATES], "--variant=essential", "--hook-dir=/usr/share/mmdebstrap/hooks/eatmydata", f"--customize-hook={CLEAN}")
    # From there on, which takes a quarter of the time that another one would.
    debian(folder, "root.tar", libraries, "--variant=custom", f"--setup-hook=tar-in '{folder}/bare.tar' /", f"--customize-hook={USER}", f"--customize-hook={CLEAN}")


def debian(folder, name, packages, *options):
    """Makes `name` in `folder`, a system with `packages`."""
    paths = [f"--dpkgopt=path-exclude=/usr/share/{each}/*" for each in ("doc", "man", "locale", "info")]
    host.run(
        # Nothing is lost if the machine goes down half-way, so nothing need wait for its disk.
        "eatmydata", "mmdebstrap", *options, f"--include={','.join(packages)}", *paths, host.release(), folder / name, folder / "sources.list",
        env={**os.environ, "LC_ALL": "C.UTF-8"})
