"""A guest booted once, warmed up, and saved as it stands: tests begin there within half a second."""

from pathlib import Path

import machine

from . import cache, host

HERE = Path(__file__).parent.parent


def stage(store, name, kernel, disk, kind):
    """Folder with `root.qcow2` (on top of `root.ext4`) and `state.zst`; `placeholder` stands in for the payload's disk.

    `kind` is `full` or `bare`, see guest/warm-up.
    """
    qemu = host.run("qemu-system-x86_64", "--version")
    inputs = [cache.files_hash(__file__, HERE / "machine.py", HERE / "guest/warm-up"), kernel.name, disk.name, kind, qemu]
    return store.stage(name, inputs, lambda folder: make(folder, kernel, disk, kind))


def make(folder, kernel, disk, kind):
    # The image is referred to by a name beside it, for this folder is about to be renamed.
    host.run("cp", "--sparse=always", disk / "root.ext4", folder / "root.ext4")
    host.run("qemu-img", "create", "-q", "-f", "qcow2", "-b", "root.ext4", "-F", "raw", "root.qcow2", cwd=folder)
    with open(folder / "placeholder", "wb") as file:
        file.truncate(machine.PAYLOAD_SIZE)
    guest = machine.Machine(kernel, disk, folder / "root.qcow2", folder / "placeholder", keep_changes=True, patience=300)
    try:
        guest.put((HERE / "guest/warm-up").read_bytes(), "/run/warm-up")
        guest.sh(f"bash /run/warm-up {kind}", timeout=300)
        guest.save(folder / "state.zst")
    finally:
        guest.close()
