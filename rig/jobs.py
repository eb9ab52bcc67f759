"""Runs groups of tests in several processes side by side, the longest first."""

import io
import json
import multiprocessing
import queue
import sys

from machine import die_with_parent

#: How many seconds a test of a module takes, about, where no run has told: with what comes before it.
ESTIMATES = {"test_service": 12, "test_offline": 90, "test_kiosk": 55, "test_gate": 10, "test_serial": 50, "test_camera": 40, "test_camera_service": 18,
             "test_deb": 90, "test_outputs": 12, "test_devices": 3, "test_kiosk_service": 60, "test_sleep": 40, "test_update": 120, "test_halls": 60,
             "test_memberships": 90, "test_bookings": 90, "test_signed": 60, "test_station": 60,
             "test_station_service": 40, "test_pages_service": 90, "test_picture_service": 120}


class Durations:
    """How long each test took when it ran last."""

    def __init__(self, folder):
        self._path = folder / "durations.json"
        try:
            self._seconds = json.loads(self._path.read_text())
        except (OSError, ValueError):
            self._seconds = {}

    def of(self, test):
        return self._seconds.get(test.id(), ESTIMATES.get(type(test).__module__, 10))

    def store(self, times):
        """Keeps the times of a run: (clock, processor) by name."""
        self._seconds.update({name: round(wall, 1) for name, (wall, _) in times.items()})
        if self._path.parent.is_dir():
            self._path.write_text(json.dumps(self._seconds, indent=0, sort_keys=True))


class Said(io.TextIOBase):
    """What a process prints, handed over in whole pieces: those of two processes do not mix."""

    def __init__(self, hand_over):
        self._hand_over, self._text = hand_over, ""

    def write(self, text):
        self._text += text
        return len(text)

    def flush(self):
        if self._text:
            self._hand_over(self._text)
            self._text = ""


def work(groups, results, run):
    """Runs one group after the other until there is none left."""
    die_with_parent()
    sys.stdout = Said(lambda text: results.put(("said", text)))
    while (group := groups.get()) is not None:
        results.put(("begins", group, multiprocessing.current_process().pid))
        run(group, lambda *what: results.put(("told", *what)))
        sys.stdout.flush()
        results.put(("ends", group, multiprocessing.current_process().pid))


def run(order, run_group, count, tell, died):
    """Calls `run_group(group, tell)` for each group of `order`, in `count` processes; `died(group)` if its process ends before it does."""
    fork = multiprocessing.get_context("fork")
    groups, results = fork.SimpleQueue(), fork.Queue()
    count = max(1, min(count, len(order)))
    for group in [*order, *[None] * count]:
        groups.put(group)
    sys.stdout.flush()
    processes = [fork.Process(target=work, args=(groups, results, run_group)) for _ in range(count)]
    for process in processes:
        process.start()
    at_work = {}
    while any(process.is_alive() for process in processes) or not results.empty():
        try:
            kind, *what = results.get(timeout=0.5)
        except queue.Empty:
            continue
        if kind == "said":
            print(what[0], end="", flush=True)
        elif kind == "told":
            tell(*what)
        elif kind == "begins":
            at_work[what[1]] = what[0]
        elif kind == "ends":
            del at_work[what[1]]
    for group in at_work.values():
        died(group)
    left = []
    while not groups.empty():
        left.append(groups.get())
    for group in filter(None, left):
        died(group)
