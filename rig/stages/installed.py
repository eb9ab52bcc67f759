"""A guest with the package under test installed, and one with its services running: made once for a package, and begun with as the plain states are."""

import os
import re
from pathlib import Path

import machine
import rig as rigs

from . import cache, host

HERE = Path(__file__).parent.parent
#: Everything on the root disk, by path.
FILES = "find / -xdev -not -type s 2>/dev/null"


def installed(store, made, payload):
    """Folder of the bare guest with the package of `payload` installed, as a technician without network does it.

    Beside the state: `said`, what dpkg said of the package, and `before`, the files before it was installed.
    """
    inputs = [cache.files_hash(__file__, HERE / "machine.py"), made["bare"].parent.name, Path(payload).name]
    return store.stage("installed", inputs, lambda folder: make(folder, made, made["bare"], payload, install))


def serving(store, made, payload, name, recipe, start):
    """Folder of the installed guest as `start(rig)` leaves it; `recipe` are the files that say how, `name` is its own."""
    base = installed(store, made, payload)
    inputs = [cache.files_hash(__file__, *recipe), base.name]
    return store.stage(name, inputs, lambda folder: make(folder, made, base, payload, lambda rig, _: start(rig)))


def make(folder, made, base, payload, change):
    """Begins with the state `base`, changes it, and saves it anew."""
    # By a name beside it: this folder is about to be renamed.
    host.run("qemu-img", "create", "-q", "-f", "qcow2", "-b", os.path.relpath(base / "root.qcow2", folder), "-F", "qcow2", "root.qcow2", cwd=folder)
    guest = machine.Machine(made["kernel"], made["disk"], folder / "root.qcow2", payload, incoming=f"exec:zstd -dc '{base}/state.zst'", keep_changes=True)
    try:
        rig = rigs.Rig(guest)
        rig.begin(payload)
        change(rig, folder)
        rig.let_go()
        rig.sh("udevadm settle; sync")
        guest.save(folder / "state.zst")
    finally:
        guest.close()


def install(rig, folder):
    """Packages that ours needs stay when it goes: they are put in first, and belong to what there was."""
    rig.sh("others=$(ls /payload/debs/*.deb | grep -v /scangate_); [[ ! $others ]] || DEBIAN_FRONTEND=noninteractive dpkg -i $others 2>&1", timeout=300)
    # The processor is emulated: what a gate PC begins with in a tenth of a second may take half a minute here.
    rig.sh("install -d /etc/systemd/system/scangate.service.d")
    rig.put("[Service]\nTimeoutStartSec=150\n", "/etc/systemd/system/scangate.service.d/emulated.conf")
    (folder / "before").write_text(rig.sh(FILES, timeout=120))
    said = rig.sh("DEBIAN_FRONTEND=noninteractive dpkg -i /payload/debs/scangate_*.deb 2>&1", timeout=300)
    (folder / "said").write_text(said)
    if re.search(r"(?i)error|warning|failed", said):
        raise machine.MachineError(f"the package does not install without a word of complaint:\n{said}")
