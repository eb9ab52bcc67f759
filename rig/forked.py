"""Tests in processes that are forked off one which has loaded them all: to start Python and import everything takes longer than most of them compute."""

import gc
import os
import random
import selectors
import signal
import sys
import tempfile
import time
import traceback

import namespaces


class Forked:
    """`work(name)` in namespaces of its own, and what it says."""

    def __init__(self, name, work):
        self.name, self.output, self.began, self.is_over_time = name, b"", time.monotonic(), False
        self.pipe, end = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            become(end, lambda: work(name))
        os.close(end)

    def read(self):
        """Takes what it has said; whether there will be more."""
        said = os.read(self.pipe, 1 << 16)
        self.output += said
        return bool(said)

    def kill(self):
        """Ends it, and everything in its namespaces."""
        self.is_over_time = True
        os.kill(self.pid, signal.SIGKILL)

    def end(self):
        """Its exit status, and all that it has said."""
        os.close(self.pipe)
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return status, self.output.decode(errors="replace").strip()


def become(output, work):
    """What is forked off: says everything into a pipe, enters namespaces, works and ends."""
    status = 1
    try:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        namespaces.go_first()
        # What was drawn or chosen before is everybody's.
        random.seed()
        tempfile.tempdir = None
        status = namespaces.inside(work)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
    finally:
        sys.stdout.flush()
        os._exit(status)


def run(names, jobs, work, limit, tell):
    """Calls `work(name)` for each name in a process of its own, so many at a time, each for `limit` seconds at most.

    `tell(name, status, seconds, output)` hears what became of it; a status of None: it has not ended in time. Not where this process has a second thread:
    what that one holds just then nobody would give back in what is forked.
    """
    # What is here stays as it is: it need not be copied to be looked at.
    gc.collect()
    gc.freeze()
    names, selector = list(reversed(names)), selectors.DefaultSelector()
    while names or selector.get_map():
        while names and len(selector.get_map()) < jobs:
            forked = Forked(names.pop(), work)
            selector.register(forked.pipe, selectors.EVENT_READ, forked)
        for key, _ in selector.select(1):
            forked = key.data
            if not forked.read():
                selector.unregister(forked.pipe)
                status, output = forked.end()
                tell(forked.name, None if forked.is_over_time else status, time.monotonic() - forked.began, output)
        for key in list(selector.get_map().values()):
            if not key.data.is_over_time and time.monotonic() - key.data.began > limit:
                key.data.kill()
