#!/usr/bin/env python3
"""Prints "BEGIN END" (nanoseconds of CLOCK_MONOTONIC) of each time in which a processor of this machine should have run what is pinned to it, every 40 ms, and
did not for more than 20 ms: as guest/standstills.c does in the guest. It is no sooner than the programs of its test, which have no better priority.
"""

import ctypes
import os
import signal
import time

STEP, TOLD = 40_000_000, 20_000_000


def watch(processor):
    os.sched_setaffinity(0, {processor})
    ran = time.monotonic_ns()
    while True:
        due = ran + STEP
        time.sleep(max(0, due - time.monotonic_ns()) / 1e9)
        ran = time.monotonic_ns()
        if ran - due > TOLD:
            os.write(1, f"{due} {ran}\n".encode())


if __name__ == "__main__":
    first, *others = sorted(os.sched_getaffinity(0))
    for processor in others:
        if os.fork() == 0:
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            watch(processor)
    watch(first)
