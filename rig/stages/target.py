"""Which processor the guest has: this machine's kind where nothing is said, or an arm64 one, that of a Raspberry Pi 4, or that of a 5 with a kernel of larger pages.

RIG_ARCH in the environment chooses; `--arch NAME` of rig/build and rig/test sets it before anything of the rig is loaded.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
#: All that an emulated processor of this machine's kind knows, but a fifth level of pages, which no gate PC has, and wide registers, which cost at
#: each change from one program to another: without both, a guest takes a tenth less of its host's time.
PROCESSOR = "max,la57=off,xsave=off"


@dataclass(frozen=True)
class Target:
    """A guest's processor, as each tool calls it."""
    #: What `--arch` says.
    key: str
    #: As Debian does, and its folders of libraries, and the kernel's Makefile.
    name: str
    multiarch: str
    kernel: str
    #: QEMU's program, the machine and its processor, and the console on it.
    qemu: str
    machine: tuple
    console: str
    #: As readelf does.
    machine_name: str
    #: Before the names of compiler and binutils.
    tools: str
    #: The kernel's number of adjtimex.
    adjtimex: int
    #: The parts of the list of packages that have its kernel and the source of its camera, see stages/archive.py.
    parts: tuple
    #: What the rig takes on this machine for it, besides the rest.
    packages: tuple


def board(key, processor, *parts):
    """A guest with the processor of a board, which lacks what came later: an instruction of these would not run on it, nor here. The USB controller is a real one's kind."""
    return Target(
        key, "arm64", "aarch64-linux-gnu", "arm64", "qemu-system-aarch64", ("-M", "virt", "-cpu", processor, "-device", "qemu-xhci,id=usb"), "ttyAMA0",
        "AArch64", "aarch64-linux-gnu-", 171, parts, ("qemu-system-arm", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "linux-libc-dev-arm64-cross"))


TARGETS = {each.key: each for each in (
    Target("amd64", "amd64", "x86_64-linux-gnu", "x86", "qemu-system-x86_64", ("-M", "q35", "-cpu", PROCESSOR), "ttyS0",
           "Advanced Micro Devices X86-64", "", 159, (), ("qemu-system-x86", "mmdebstrap", "eatmydata", "gcc", "libc6-dev", "linux-libc-dev")),
    # A Pi 3's knows less than a 4's, and nothing that compilers use without being told.
    board("arm64", "cortex-a72", "kernel", "camera"),
    # Pages of 16 KiB, as Raspberry Pi OS has them on a 5.
    board("arm64-16k", "cortex-a76", "pages", "pages-camera"),
)}


def chosen():
    """The name of the guest's processor."""
    name = os.environ.get("RIG_ARCH") or "amd64"
    if name not in TARGETS:
        sys.exit(f"rig: RIG_ARCH is {' or '.join(TARGETS)}, not {name}.")
    return name


TARGET = TARGETS[chosen()]
#: Whether the guest has another processor than this machine.
IS_FOREIGN = TARGET.name != "amd64"
#: Where the rig for it is built, and what guests with the same processor and other kernels share.
FOLDER = HERE.parent / ".rig" / (TARGET.key if IS_FOREIGN else "")
SHARED = HERE.parent / ".rig" / (TARGET.name if IS_FOREIGN else "")
