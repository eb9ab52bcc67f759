"""Which processor the guest has: this machine's kind where nothing is said, or an arm64 one, that of a Raspberry Pi.

RIG_ARCH in the environment chooses; `--arch NAME` of rig/build and rig/test sets it before anything of the rig is loaded.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Target:
    """A guest's processor, as each tool calls it."""
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
    #: What the rig takes on this machine for it, besides the rest.
    packages: tuple


TARGETS = {each.name: each for each in (
    Target("amd64", "x86_64-linux-gnu", "x86", "qemu-system-x86_64", ("-M", "q35", "-cpu", "max"), "ttyS0",
           "Advanced Micro Devices X86-64", "", 159,
           ("qemu-system-x86", "mmdebstrap", "eatmydata", "gcc", "libc6-dev", "linux-libc-dev")),
    # The processor of a Pi 4, which lacks what came later: an instruction of these would not run on it, nor here. The USB controller is a real one's kind.
    Target("arm64", "aarch64-linux-gnu", "arm64", "qemu-system-aarch64", ("-M", "virt", "-cpu", "cortex-a72", "-device", "qemu-xhci,id=usb"), "ttyAMA0",
           "AArch64", "aarch64-linux-gnu-", 171,
           ("qemu-system-arm", "gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "linux-libc-dev-arm64-cross")),
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
#: Where the rig for it is built.
FOLDER = HERE.parent / ".rig" / (TARGET.name if IS_FOREIGN else "")
