"""A small Debian for another processor, unpacked by this machine and configured by itself: no maintainer script runs on this one, nor under an emulator of processes.

What dpkg would know of packages that it has unpacked is written down by hand; then a guest starts with `dpkg --configure -a` as its first process.
"""

import hashlib
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import archive, cache, disk, host
from .target import TARGET

GUEST = Path(__file__).parent.parent / "guest"
#: No page of a manual, and no vendor's name: see stages/root.py.
LEFT_OUT = ["./usr/share/doc/*", "./usr/share/man/*", "./usr/share/locale/*", "./usr/share/info/*", "./lib/udev/hwdb.d/20-*", "./usr/lib/udev/hwdb.d/20-*"]
#: Space for what its packages make of themselves, and how long that may take, in seconds.
FREE_SPACE, PATIENCE = 200 << 20, 900
DONE = "rig: configured"


def stage(store, kernel):
    """Folder with what stages/root.py makes: `root.tar`, `root.status` and `bare.status`."""
    wanted = archive.listed("system", "libraries", "early")
    # Any kernel does for the scripts of packages.
    inputs = [cache.files_hash(__file__, GUEST / "configure", GUEST / "init"), *(each.sum for each in wanted)]
    return store.stage("root", inputs, lambda folder: make(folder, kernel, wanted))


def busybox(folder):
    """The guest's busybox, taken out of its package into a folder."""
    (package,) = archive.fetched(archive.listed("early")).values()
    host.run("dpkg-deb", "-x", package, folder)
    return folder / "bin/busybox"


def make(folder, kernel, wanted):
    if os.geteuid() != 0:
        raise host.Unavailable("the guest's files must have their owners, which takes root")
    packages = [each for each in wanted if each.part != "early"]
    tree = folder / "tree"
    files = archive.fetched(packages)
    unpack(tree, list(files.values()))
    shutil.copy(GUEST / "configure", tree / "configure")
    size = int(host.run("du", "-s", "--block-size=1", tree).split()[0]) * 5 // 4 + FREE_SPACE
    image, out = folder / "root.ext4", folder / "root.tar"
    for path in (image, out):
        with open(path, "wb") as file:
            file.truncate(size)
    host.run("mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal", "-E", "root_owner=0:0", "-d", tree, image)
    shutil.rmtree(tree)
    disk.make_initrd(folder / "early", folder / "initrd", kernel)
    configure(folder, kernel, image, out)
    shutil.rmtree(folder / "early")
    (folder / "initrd").unlink()
    image.unlink()
    status = subprocess.run(["tar", "-xOf", out, "./var/lib/dpkg/status"], stdout=subprocess.PIPE, check=True, text=True).stdout
    (folder / "root.status").write_text(status)
    system = {archive.binary(each) for each in packages if each.part == "system"}
    (folder / "bare.status").write_text("".join(f"{each}\n\n" for each in status.strip().split("\n\n") if name_of(each) in system))


def name_of(paragraph):
    return paragraph.partition("\n")[0].removeprefix("Package: ")


def unpack(tree, files):
    """Lays out the packages in `tree`, with dpkg's data base, as `dpkg --unpack` leaves it."""
    for name in ("bin", "sbin", "lib"):
        (tree / "usr" / name).mkdir(parents=True)
        (tree / name).symlink_to(f"usr/{name}")
    info = tree / "var/lib/dpkg/info"
    info.mkdir(parents=True)
    (info / "format").write_text("1\n")
    with ThreadPoolExecutor(2) as pool:
        paragraphs = list(pool.map(lambda file: unpack_one(tree, info, file), files))
    status = [paragraph + conffiles(tree, info, package) for package, paragraph in paragraphs]
    (info.parent / "status").write_text("".join(f"{each}\n\n" for each in status))
    (info.parent / "available").write_text("")
    triggers(info)


def unpack_one(tree, info, file):
    """One package; its name among dpkg's files, and what dpkg's status says of it."""
    excluded = " ".join(f"--exclude='{each}'" for each in LEFT_OUT)
    host.run("sh", "-c", f"dpkg-deb --fsys-tarfile '{file}' | tar -x -C '{tree}' --keep-directory-symlink --numeric-owner -p {excluded}")
    fields = host.run("dpkg-deb", "-f", file).strip()
    values = dict(line.split(": ", 1) for line in fields.splitlines() if not line.startswith(" ") and ": " in line)
    package = values["Package"] + (f":{TARGET.name}" if values.get("Multi-Arch") == "same" else "")
    names = host.run("sh", "-c", f"dpkg-deb --fsys-tarfile '{file}' | tar -t").splitlines()
    (info / f"{package}.list").write_text("".join(f"{name.rstrip('/').removeprefix('.') or '/.'}\n" for name in names))
    control = info / f"control.{values['Package']}"
    host.run("dpkg-deb", "-e", file, control)
    for each in control.iterdir():
        if each.name != "control":
            each.rename(info / f"{package}.{each.name}")
    shutil.rmtree(control)
    head, _, rest = fields.partition("\n")
    return package, f"{head}\nStatus: install ok unpacked\n{rest}"


def conffiles(tree, info, package):
    """What dpkg's status says of a package's configuration files."""
    named = info / f"{package}.conffiles"
    paths = [path for path in named.read_text().splitlines() if path.startswith("/")] if named.exists() else []
    sums = [f"\n {path} {hashlib.md5((tree / path[1:]).read_bytes()).hexdigest()}" for path in paths if (tree / path[1:]).is_file()]
    return "\nConffiles:" + "".join(sums) if sums else ""


def triggers(info):
    """Who is interested in what, as dpkg notes it when it unpacks a package."""
    folder, files = info.parent / "triggers", []
    folder.mkdir()
    for path in sorted(info.glob("*.triggers")):
        for words in (line.split() for line in path.read_text().splitlines()):
            if len(words) != 2 or not words[0].startswith("interest"):
                continue
            who = path.stem + ("/noawait" if words[0].endswith("-noawait") else "")
            if words[1].startswith("/"):
                files.append(f"{words[1]} {who}\n")
            else:
                with open(folder / words[1], "a") as file:
                    file.write(f"{who}\n")
    (folder / "File").write_text("".join(files))
    (folder / "Unincorp").write_text("")


def configure(folder, kernel, image, out):
    """Runs the packages' scripts in a guest, which then writes all that it has to the file `out` as a tar archive."""
    console = folder / "console"
    command = [TARGET.qemu, *TARGET.machine, "-accel", "tcg,thread=multi", "-smp", "2", "-m", "768", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
               "-chardev", f"file,id=console,path={console}", "-serial", "chardev:console", "-device", "virtio-rng-pci",
               "-drive", f"file={image},format=raw,if=none,id=root,cache=unsafe", "-device", "virtio-blk-pci,drive=root",
               "-drive", f"file={out},format=raw,if=none,id=out,cache=unsafe", "-device", "virtio-blk-pci,drive=out",
               "-kernel", kernel / "vmlinux", "-initrd", folder / "initrd",
               "-append", f"console={TARGET.console} panic=-1 quiet mitigations=off nokaslr audit=0 cryptomgr.notests rig=/configure"]
    process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + PATIENCE
        while process.poll() is None:
            if time.monotonic() > deadline:
                raise host.Failed(f"the guest's packages were not configured within {PATIENCE} s:\n{console.read_text(errors='replace')[-3000:]}")
            time.sleep(0.2)
    finally:
        process.kill()
        process.wait()
    said = console.read_text(errors="replace")
    if DONE not in said:
        raise host.Failed(f"the guest's packages were not configured:\n{said[-4000:]}")
