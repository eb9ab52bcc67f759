"""A guest booted once, and saved as it stands before it has any device, and again with all of them: tests begin there within half a second."""

import shutil
from pathlib import Path

import feeds
import machine
import usb

from . import cache, host
from .target import TARGET

HERE = Path(__file__).parent.parent
RECIPE = [HERE / name for name in ("machine.py", "feeds.py", "usb.py", "keyboard.py", "guest/warm-up")]


def stage(store, kernel, disk):
    """Folder with the states `bare` and `full`, see guest/warm-up.

    Each is a folder with `root.qcow2` (on top of `root.ext4`) and `state.zst`; `placeholder` stands in for the payload's disk.
    """
    qemu = host.run(TARGET.qemu, "--version")
    inputs = [cache.files_hash(__file__, *RECIPE), kernel.name, disk.name, qemu, *map(str, TARGET.machine)]
    return store.stage("state", inputs, lambda folder: make(folder, kernel, disk))


def make(folder, kernel, disk):
    bare, full = folder / "bare", folder / "full"
    for state in (bare, full):
        state.mkdir()
    # The image is referred to by a name beside it, for this folder is about to be renamed.
    host.run("cp", "--sparse=always", disk / "root.ext4", folder / "root.ext4")
    host.run("qemu-img", "create", "-q", "-f", "qcow2", "-b", "../root.ext4", "-F", "raw", "root.qcow2", cwd=full)
    with open(folder / "placeholder", "wb") as file:
        file.truncate(machine.PAYLOAD_SIZE)
    for state in (bare, full):
        (state / "placeholder").symlink_to("../placeholder")
    guest = machine.Machine(kernel, disk, full / "root.qcow2", full / "placeholder", keep_changes=True, patience=300)
    try:
        guest.put((HERE / "guest/warm-up").read_bytes(), "/run/warm-up")
        guest.sh("bash /run/warm-up bare && bash /run/warm-up finish", timeout=300)
        guest.save(bare / "state.zst")
        # It stands still, and has written everything.
        shutil.copy(full / "root.qcow2", bare)
        guest.go_on()
        guest.sh("bash /run/warm-up full", timeout=300)
        Scanners(guest).use()
        guest.sh("bash /run/warm-up finish", timeout=300)
        guest.save(full / "state.zst")
    finally:
        guest.close()


class Scanners(feeds.Feeds, usb.Usb):
    """Scanners that type once, so that what that takes is in memory."""

    def __init__(self, guest):
        feeds.Feeds.__init__(self, guest)
        usb.Usb.__init__(self)

    def get(self, path):
        return self.machine.get(path)

    def use(self):
        for slot in (0, 1):
            self.plug(slot, "0c2e", "0901", serial=f"SN{slot}")
        self.plug_serial(2, "05e0", "1701")
        for slot in (0, 1):
            self.machine.spawn(["timeout", "1", "keys", "read", self.devices[slot].node], "/run/rig/keys.log")
            self.type(slot, "a")
            self.grabbed(self.devices[slot].node)
        self.unplug(2)
        for slot in (0, 1, 2):
            self.remove(slot)
