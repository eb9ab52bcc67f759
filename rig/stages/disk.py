"""The guest's root disk and the initial file system that finds it."""

import os
import shutil
from pathlib import Path

from . import cache, host
from .target import IS_FOREIGN

GUEST = Path(__file__).parent.parent / "guest"
FREE_SPACE = 384 << 20
EARLY_MODULES = ["virtio_pci", "virtio_blk", "crc32c_generic", "ext4"]


def stage(store, kernel, tools, root):
    """Folder with `root.ext4` and `initrd`."""
    inputs = [cache.files_hash(__file__, GUEST / "root", GUEST / "init", GUEST / "masked-units"), kernel.name, tools.name, root.name]
    return store.stage("disk", inputs, lambda folder: make(folder, kernel, tools, root))


def make(folder, kernel, tools, root):
    tree = folder / "tree"
    script = folder / "make-root"
    script.write_text("set -eu\n" + root_script(tree, folder / "root.ext4", kernel, tools, root))
    # Owners of files must come out right on the disk; without root they are only remembered.
    host.run(*([] if os.geteuid() == 0 else ["fakeroot"]), "bash", script)
    make_initrd(folder / "early", folder / "initrd", kernel)
    for left in (tree, folder / "early"):
        shutil.rmtree(left)
    script.unlink()


def root_script(tree, image, kernel, tools, root):
    """Shell commands that lay out the root and turn it into an ext4 image."""
    masked = [line for line in (GUEST / "masked-units").read_text().splitlines() if line and not line.startswith("#")]
    return f"""
mkdir -p '{tree}'
cd '{tree}'
tar -xf '{root}/root.tar'
rm -rf lib/modules dev/*
cp -r '{kernel}/lib/modules' usr/lib/
# Nothing starts but what the rig asks for.
rm -f etc/systemd/system/*.wants/* etc/systemd/system/dbus-org* etc/modules-load.d/*
for unit in {' '.join(masked)}; do ln -sf /dev/null "etc/systemd/system/$unit"; done
# None makes a unit that a test needs, and each reload of systemd runs them all.
mkdir -p etc/systemd/system-generators
for generator in usr/lib/systemd/system-generators/*; do ln -s /dev/null "etc/systemd/system-generators/${{generator##*/}}"; done
cp -r --no-preserve=ownership '{GUEST}/root/.' .
mkdir -p etc/systemd/system/multi-user.target.wants
ln -s ../rig-agent.service etc/systemd/system/multi-user.target.wants/
ln -sf multi-user.target usr/lib/systemd/system/default.target
for program in '{tools}'/*; do cp --no-preserve=ownership "$program" usr/local/bin/; done
chown -R 0:0 etc/systemd usr/local/bin usr/lib/modules
: > etc/fstab
echo rig > etc/hostname
# A fixed identity: without one each boot counts as the first and takes seconds longer.
echo 0123456789abcdef0123456789abcdef > etc/machine-id
size=$(( $(du -s --block-size=1 . | cut -f1) + {FREE_SPACE} ))
truncate -s $(( (size >> 20) + 1 ))M '{image}'
mke2fs -q -F -t ext4 -O ^has_journal -E lazy_itable_init=1,root_owner=0:0 -d . '{image}'
"""


def make_initrd(tree, image, kernel):
    """busybox, the modules that reach the root disk, and `init`."""
    release = (kernel / "release").read_text()
    for name in ("bin", "dev", "proc", "sys", "mnt"):
        (tree / name).mkdir(parents=True)
    if IS_FOREIGN:
        from . import unpacked
        shutil.copy(unpacked.busybox(tree.parent / "busybox"), tree / "bin/busybox")
        shutil.rmtree(tree.parent / "busybox")
    else:
        shutil.copy("/bin/busybox", tree / "bin/busybox")
    # Both are of the same release.
    for name in host.run("/bin/busybox", "--list").split():
        if name != "busybox":
            (tree / "bin" / name).symlink_to("busybox")
    shutil.copy(GUEST / "init", tree / "init")
    for module in EARLY_MODULES:
        lines = host.run("modprobe", "-d", kernel, "-S", release, "--show-depends", "--ignore-install", module).splitlines()
        for path in (Path(line.split()[1]) for line in lines if line.startswith("insmod ")):
            target = tree / path.relative_to(kernel)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copy(kernel / f"lib/modules/{release}" / name, tree / f"lib/modules/{release}")
    host.run("depmod", "-b", tree, release)
    host.run("sh", "-c", f"find . | cpio -o -H newc --quiet -R 0:0 > '{image}'", cwd=tree)
