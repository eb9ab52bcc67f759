"""Debian's stock kernel, its modules that the rig loads, three that Debian does not build (gpio-sim, uleds, v4l2loopback), one that is built
anew to be slower (dummy_hcd), and one of our own (pwm-sim)."""

import lzma
import re
import shutil
import struct
from pathlib import Path

from . import archive, cache, host
from .target import IS_FOREIGN, TARGET

ARCHITECTURE = TARGET.name
#: A module that Debian has as source alone, in this package.
CAMERA_SOURCE = "v4l2loopback-dkms"
OWN_MODULE = Path(__file__).parent.parent / "guest/module/pwm-sim.c"

# The simulated USB ports look at every device 8000 times a second, idle or not, which takes half of an emulated processor. Keyboards are content
# with less. A kernel that does it otherwise is taken as it is.
FREQUENT = """/* want a 1 msec delay here */
\t\tdum_hcd->timer_pending = 1;
\t\thrtimer_start(&dum_hcd->timer, ns_to_ktime(DUMMY_TIMER_INT_NSECS),"""
SELDOM = FREQUENT.replace("DUMMY_TIMER_INT_NSECS", "2 * NSEC_PER_MSEC")

# What the guest loads, with all that these depend on. crc32c_generic: ext4 needs it without saying so.
MODULES = [
    "virtio_pci", "virtio_blk", "virtio_console", "virtio_rng", "crc32c_generic", "ext4", "autofs4",
    "evdev", "uinput", "uhid", "usbhid", "hid_generic", "dummy_hcd", "libcomposite", "usb_f_hid", "usb_f_acm", "cdc_acm", "configfs",
    "ledtrig-timer", "ledtrig-oneshot", "gpio-sim", "uleds", "pwm-sim",
    "vivid", "v4l2loopback", "uvcvideo",
]
if IS_FOREIGN:
    # A USB controller as boards have it, and a Raspberry Pi 3's.
    MODULES += ["xhci_pci", "dwc2", "phy-generic"]
#: What tells the kernel of a Raspberry Pi 3, and where it is in the kernel's package.
BOARD = "bcm2837-rpi-3-b.dtb"


def packages():
    """The kernel packages and their versions, newest that apt offers."""
    depends = host.run("apt-cache", "depends", f"linux-image-{ARCHITECTURE}")
    found = re.search(rf"Depends: linux-image-((\d+\.\d+)\S*)-{ARCHITECTURE}\b", depends)
    if not found:
        host.update()
        depends = host.run("apt-cache", "depends", f"linux-image-{ARCHITECTURE}")
        found = re.search(rf"Depends: linux-image-((\d+\.\d+)\S*)-{ARCHITECTURE}\b", depends)
    if not found:
        raise host.Failed(f"linux-image-{ARCHITECTURE} names no kernel:\n{depends}")
    abi, series = found[1], found[2]
    image = f"linux-image-{abi}-{ARCHITECTURE}"
    versions = host.offered([image], [CAMERA_SOURCE])
    names = [image, f"linux-headers-{abi}-{ARCHITECTURE}", f"linux-headers-{abi}-common", f"linux-kbuild-{series}", f"linux-source-{series}"]
    return f"{abi}-{ARCHITECTURE}", series, {**dict.fromkeys(names, versions[image]), CAMERA_SOURCE: versions[CAMERA_SOURCE]}


def stage(store):
    """Folder with `vmlinux`, `lib/modules/RELEASE` and `release`, and for an arm64 guest BOARD."""
    if IS_FOREIGN:
        wanted = archive.listed(*TARGET.parts)
        release = next(name for name in map(archive.binary, wanted) if name.startswith("linux-image-")).removeprefix("linux-image-")
        series = next(name for name in map(archive.binary, wanted) if name.startswith("linux-source-")).removeprefix("linux-source-")
        inputs = [cache.files_hash(__file__, OWN_MODULE), *(each.sum for each in wanted)]
        return store.stage("kernel", inputs, lambda folder: make(folder, release, series, lambda _: archive.fetched(wanted)))
    release, series, wanted = packages()
    inputs = [cache.files_hash(__file__, OWN_MODULE), *(f"{name} {version}" for name, version in wanted.items())]
    return store.stage("kernel", inputs, lambda folder: make(folder, release, series, lambda work: host.download(wanted, work)))


def make(folder, release, series, download):
    work = folder / "work"
    work.mkdir()
    debs = download(work)
    image = next(path for name, path in debs.items() if name.startswith("linux-image-"))
    host.run("dpkg-deb", "-x", image, work / "image")
    for name, path in debs.items():
        if name.startswith(("linux-headers-", "linux-kbuild-", CAMERA_SOURCE)):
            host.run("dpkg-deb", "-x", path, work / "headers")
    source = extract_sources(work, debs[f"linux-source-{series}"], series)

    if not (work / "image/lib").exists():  # since Debian 13
        (work / "image/lib").symlink_to("usr/lib")
    packed = (work / f"image/boot/vmlinuz-{release}").read_bytes()
    (folder / "vmlinux").write_bytes(packed if IS_FOREIGN else unpacked(packed))
    for tree in work.glob(f"image/usr/lib/linux-image-*/broadcom/{BOARD}"):
        shutil.copy(tree, folder)
    modules = work / f"image/lib/modules/{release}"
    (modules / "extra").mkdir()
    for module in build_modules(work, source, release):
        for stock in modules.rglob(f"{module.name}*"):
            stock.unlink()
        shutil.copy(module, modules / "extra")
    select_modules(work / "image", folder, release)
    (folder / "release").write_text(release)
    shutil.rmtree(work)


def extract_sources(work, deb, series):
    """Only five files of the kernel's source are needed; the rest of its 1.3 GB stays packed."""
    files = ["drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c", "drivers/leds/uleds.c", "drivers/usb/gadget/udc/dummy_hcd.c"]
    tree = f"linux-source-{series}"
    host.run("sh", "-c", f"dpkg-deb --fsys-tarfile {deb} | tar -xf - ./usr/src/{tree}.tar.xz", cwd=work)
    host.run("tar", "-I", "xz -T0", "--occurrence=1", "-xf", f"usr/src/{tree}.tar.xz", *(f"{tree}/{file}" for file in files), cwd=work)
    return work / tree


def build_modules(work, source, release):
    """gpio-sim with its simulated interrupts, uleds, dummy_hcd, pwm-sim, and v4l2loopback."""
    headers = work / f"headers/usr/src/linux-headers-{release}"
    makefile = headers / "Makefile"  # it includes its other half by an absolute path
    makefile.write_text(re.sub(r"^include /usr/src/", f"include {work}/headers/usr/src/", makefile.read_text(), flags=re.M))
    # What debuggers want to know of modules' types takes another tool; without this nobody asks for it.
    (headers / "vmlinux").unlink(missing_ok=True)
    gpio, leds, usb, pwm = work / "gpio-sim", work / "uleds", work / "dummy-hcd", work / "pwm-sim"
    for folder in (gpio, leds, usb, pwm):
        folder.mkdir()
    shutil.copy(source / "drivers/gpio/gpio-sim.c", gpio / "gpio-sim-main.c")
    shutil.copy(source / "drivers/gpio/gpiolib.h", gpio)
    # The kernel exports no irq_to_desc() to modules; generic_handle_irq() does the same with the number.
    interrupts = (source / "kernel/irq/irq_sim.c").read_text()
    (gpio / "irq_sim.c").write_text(interrupts.replace("handle_simple_irq(irq_to_desc(irqnum));", "generic_handle_irq(irqnum);"))
    (gpio / "Kbuild").write_text("obj-m := gpio-sim.o\ngpio-sim-y := gpio-sim-main.o irq_sim.o\n")
    shutil.copy(source / "drivers/leds/uleds.c", leds)
    (leds / "Kbuild").write_text("obj-m := uleds.o\n")
    (usb / "dummy_hcd.c").write_text((source / "drivers/usb/gadget/udc/dummy_hcd.c").read_text().replace(FREQUENT, SELDOM))
    (usb / "Kbuild").write_text("obj-m := dummy_hcd.o\n")
    shutil.copy(OWN_MODULE, pwm)
    (pwm / "Kbuild").write_text("obj-m := pwm-sim.o\n")
    camera = next((work / "headers/usr/src").glob("v4l2loopback-*"))
    (camera / "Kbuild").write_text("obj-m := v4l2loopback.o\n")
    for folder, module in ((gpio, "gpio-sim.ko"), (leds, "uleds.ko"), (usb, "dummy_hcd.ko"), (pwm, "pwm-sim.ko"), (camera, "v4l2loopback.ko")):
        host.run("make", "-C", headers, f"ARCH={TARGET.kernel}", f"CROSS_COMPILE={TARGET.tools}", f"M={folder}", f"KERNELRELEASE={release}", "modules")
        host.run(f"{TARGET.tools}strip", "-g", folder / module)
        yield folder / module


def select_modules(image, folder, release):
    """Copies the modules of the list and what they depend on."""
    host.run("depmod", "-b", image, release)
    chosen = set()
    for module in MODULES:
        lines = host.run("modprobe", "-d", image, "-S", release, "--show-depends", "--ignore-install", module).splitlines()
        chosen.update(line.split()[1] for line in lines if line.startswith("insmod "))
    for module in sorted(chosen):
        target = folder / Path(module).relative_to(image)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(module, target)
        if target.suffix == ".xz":  # since Debian 13; the guest would unpack it at each start
            host.run("xz", "-d", target)
    modules = folder / f"lib/modules/{release}"
    for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
        shutil.copy(image / f"lib/modules/{release}" / name, modules)
    host.run("depmod", "-b", folder, release)


def unpacked(bzimage):
    """The kernel inside a bzImage, as ELF: QEMU starts it seconds sooner than the packed one (Documentation/x86/boot.rst)."""
    setup_sectors = bzimage[0x1F1] or 4
    offset, length = struct.unpack_from("<II", bzimage, 0x248)
    start = (setup_sectors + 1) * 512 + offset
    return lzma.LZMADecompressor().decompress(bzimage[start:start + length])
