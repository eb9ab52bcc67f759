"""The guest booted once, its simulators loaded, and saved as it stands: tests begin there within half a second."""

from pathlib import Path

import machine

from . import cache, host

HERE = Path(__file__).parent.parent


def stage(store, kernel, disk):
    """Folder with `root.qcow2` (on top of `root.ext4`) and `state.zst`; `placeholder` stands in for the payload's disk."""
    qemu = host.run("qemu-system-x86_64", "--version")
    inputs = [cache.files_hash(__file__, HERE / "machine.py", HERE / "guest/warm-up"), kernel.name, disk.name, qemu]
    return store.stage("state", inputs, lambda folder: make(folder, kernel, disk))


def make(folder, kernel, disk):
    # The image is referred to by a name beside it, for this folder is about to be renamed.
    host.run("cp", "--sparse=always", disk / "root.ext4", folder / "root.ext4")
    host.run("qemu-img", "create", "-q", "-f", "qcow2", "-b", "root.ext4", "-F", "raw", "root.qcow2", cwd=folder)
    with open(folder / "placeholder", "wb") as file:
        file.truncate(machine.PAYLOAD_SIZE)
    guest = machine.Machine(kernel, disk, folder / "root.qcow2", folder / "placeholder", keep_changes=True, patience=300)
    try:
        guest.put((HERE / "guest/warm-up").read_bytes(), "/run/warm-up")
        guest.sh("bash /run/warm-up", timeout=300)
        guest.save(folder / "state.zst")
    finally:
        guest.close()
