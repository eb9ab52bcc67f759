"""A small Debian of the host's own release, with systemd, udev and the libraries that scangate links; and what it had before these came."""

import os
import re
import shlex

from . import cache, host

#: What a technician finds on a fresh gate PC. To install the certificates in a guest takes minutes of its emulated processor, and proves nothing of ours.
SYSTEM = ["systemd", "systemd-sysv", "dbus", "udev", "kmod", "mount", "passwd", "ca-certificates"]
LIBRARIES = [[name] for name in ["libevdev2", "libudev1", "libxkbcommon0", "xkb-data", "libx11-data", "libsqlite3-0", "libstdc++6", "zlib1g",
                                  "libqrencode4", "libseccomp2", "libturbojpeg0", "libmosquitto1", "libsodium23", "libpangocairo-1.0-0", "fonts-dejavu-core"]]
# Names that say since Debian 13 that their times have 64 bits.
LIBRARIES += [[f"{name}t64", name] for name in ["libssl3", "libpng16-16", "libv4lconvert0", "libzbar0"]]

# The user `gate` is what the service runs as where it is not installed: no right but that of the group `input`.
USER = 'chroot "$1" useradd --system --no-create-home --groups input gate'
CLEAN = 'rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*'


def stage(store):
    """Folder with `root.tar`, and dpkg's lists of what it has, `root.status`, and had before the libraries came, `bare.status`."""
    system, libraries = host.offered(*([name] for name in [*SYSTEM, "libc6"])), host.offered(*LIBRARIES)
    inputs = [cache.files_hash(__file__), host.release(), *(f"{name} {version}" for name, version in {**system, **libraries}.items())]
    return store.stage("root", inputs, lambda folder: make(folder, list(libraries)))


def make(folder, libraries):
    (folder / "sources.list").write_text(host.archive_sources())
    excluded = [f"/usr/share/{each}/*" for each in ("doc", "man", "locale", "info")]
    # What vendors of chips are called: an emulated processor takes ten seconds to sort them in each time that a package brings a list of its own.
    excluded += [f"{lib}/udev/hwdb.d/20-*" for lib in ("/lib", "/usr/lib")]
    paths = [f"--dpkgopt=path-exclude={each}" for each in excluded]
    into = shlex.quote(str(folder))
    hooks = [
        f"download /var/lib/dpkg/status {into}/bare.status",
        f'APT_CONFIG="$MMDEBSTRAP_APT_CONFIG" apt-get -q -y --no-install-recommends -o DPkg::Chroot-Directory="$1" install {" ".join(libraries)}',
        f"download /var/lib/dpkg/status {into}/root.status",
        USER, CLEAN,
    ]
    host.run(
        # Nothing is lost if the machine goes down half-way, so nothing need wait for its disk.
        "eatmydata", "mmdebstrap", "--variant=essential", *(f"--customize-hook={hook}" for hook in hooks), "--hook-dir=/usr/share/mmdebstrap/hooks/eatmydata",
        f"--include={','.join(SYSTEM)}", *paths, host.release(), folder / "root.tar", folder / "sources.list", env={**os.environ, "LC_ALL": "C.UTF-8"})


def libraries_of(folder):
    """The packages that the system of the folder `folder` has, and the bare one has not."""
    return packages_of((folder / "root.status").read_text()) - packages_of((folder / "bare.status").read_text())


def packages_of(status):
    """The packages that a list of dpkg's has."""
    return set(re.findall(r"^Package: (\S+)$", status, re.M))
