"""Where a test runs that needs a network, time and the life of processes, but no device of the kernel.

On this machine in namespaces of its own (`rig/native-test`), or in the guest (`rig/test`). The guest runs those whose point is a device, and one of each
other kind; RIG_WHOLE=1 in the environment makes it run all.
"""

import os

#: Whether tests run on this machine; the runner sets it before it loads them.
NATIVE = os.environ.get("RIG_PLACE") == "native"
#: Whether the guest runs what else is run natively.
WHOLE = os.environ.get("RIG_WHOLE") == "1"

if NATIVE:
    from native_case import NativeCase as Case
    from native import PROGRAM, STATION  # noqa: F401
    #: What lets the user `gate` set outputs: nothing, they are anybody's.
    ALLOW_OUTPUTS = ":"
else:
    from case import RigCase as Case  # noqa: F401
    from rig import STATION  # noqa: F401
    PROGRAM = "/payload/bin/scangate"
    ALLOW_OUTPUTS = "chmod a+rw /dev/gpiochip* /sys/class/leds/gate:*/{brightness,trigger}"


def natively(test):
    """Marks a test, or a class of them, that the guest need not run too."""
    return test if NATIVE or WHOLE else None


def never_in_guest(test):
    """Marks a test, or a class of them, that makes several machines of its own."""
    return test if NATIVE else None


def lasts(seconds):
    """Marks a test that waits for long: it is begun before others."""
    def mark(test):
        test.lasts = seconds
        return test
    return mark


def in_guest(test):
    """Marks a test, or a class of them, that needs a device or a clock that only the guest has."""
    return None if NATIVE else test


def open_line(rig, name, number):
    """Makes a serial scanner that has no device, at /run/rig/NAME: a pseudo-terminal; the number says how often it was made."""
    if NATIVE:
        return rig.open_line(name)
    pty = rig.spawn(f"pty-{name}-{number}", f"pty /run/rig/{name} gate")
    rig.wait_for(f"[[ $(find /proc/{pty.pid}/fd -lname /run/rig/{name}.in) ]]")


def send(rig, codes):
    """Presents a code to each of some such scanners (name to code)."""
    if NATIVE:
        return rig.send(codes)
    rig.sh("; ".join(f"printf '{code}\\r' > /run/rig/{name}.in" for name, code in codes.items()))
