"""Whether a process stays level: its memory, threads and descriptors, while the same thing happens to it over and over.

Run as a program it tries itself on made-up figures: what does not rise must pass, what rises must not.
"""

import os
import random
import socket
import statistics
import sys

#: The smallest block that malloc gives on a 64-bit machine, in bytes: a slope below it is less than one block lost each time.
SMALLEST = 32
#: What a level process moves by, in bytes, however long it runs: of its heap, what buffers and queues hold at the moment; of its size,
#: what malloc keeps in reserve in each of its arenas, eight for a processor, which threads that come and go fill one after another.
#: A short run cannot say less than that.
NOISE = {"heap": 128 << 10, "size": 8 * (os.cpu_count() or 1) * (2 << 20)}
#: The two kinds of memory, in words.
MEMORY = {"heap": "what malloc has given out", "size": "anonymous memory"}
#: By how many threads or descriptors windows may differ: a connection that idles, a thread of the pool that came late.
COUNTS = 2
WINDOWS = 5


def read(pid, place):
    """What a process holds: bytes that malloc has given out, bytes in memory that are of no file, threads, descriptors. `place` is
    where held.c answers in it."""
    with socket.socket(socket.AF_UNIX) as asked:
        asked.connect(f"{place}.{pid}")
        heap = int(asked.makefile().read())
    with open(f"/proc/{pid}/status") as file:
        status = dict(line.split(":", 1) for line in file if ":" in line)
    return {
        "heap": heap,
        "size": int(status["RssAnon"].split()[0]) << 10,
        "threads": int(status["Threads"]),
        "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
    }


def slope(points, period=None):
    """The median of the slopes between all pairs of points: a few wild ones do not move it (Theil and Sen). With a `period` only of
    pairs that are whole periods apart, for what fills and empties as it goes."""
    slopes = []
    step = (points[-1][0] - points[0][0]) / max(1, len(points) - 1)
    for index, (x, y) in enumerate(points):
        for other_x, other_y in points[index + 1 :]:
            if period and abs((other_x - x + period / 2) % period - period / 2) > step / 2:
                continue
            slopes.append((other_y - y) / (other_x - x))
    return statistics.median(slopes) if slopes else 0.0


def windows(points):
    """The medians of equal parts, in their order."""
    size = len(points) / WINDOWS
    parts = [points[round(index * size) : round((index + 1) * size)] for index in range(WINDOWS)]
    return [statistics.median(y for _, y in part) for part in parts if part]


class Series:
    """What one process held at rest, beside how much had happened by then."""

    def __init__(self, process, things):
        """`things` is what happens, as one of many: "scanner"."""
        self.process, self.things, self.samples = process, things, []

    def add(self, done, reading):
        self.samples.append((done, reading))

    def judge(self, warm=0.2, period=None, grown=0):
        """(table row, problems). `warm` is the share in which what is bounded may fill, `period` that of what fills and empties after
        it, and `grown` the bytes for each thing that are meant to stay."""
        last = self.samples[-1][0]
        late = [sample for sample in self.samples if sample[0] >= warm * last]
        problems, row = [], [self.process, self.things]
        if len(late) < 2 * WINDOWS:
            return row, [f"{self.process}, {self.things}s: {len(late)} samples are too few to judge"]
        span = late[-1][0] - late[0][0]
        for what, words in MEMORY.items():
            points = [(done, reading[what]) for done, reading in late]
            rise = slope(points, period)
            bound = max(SMALLEST, NOISE[what] / span) + grown
            row += [" ".join(f"{one / (1 << 20):.2f}" for one in windows(points)), f"{rise:+.1f}", f"{bound:.0f}"]
            if rise > bound:
                problems.append(
                    f"{self.process}: {words} rises by {rise:.0f} bytes with each {self.things}, {rise * span / 1024:.0f} KiB over the "
                    f"last {span}; up to {bound:.0f} bytes would be level")
        for what in ("threads", "descriptors"):
            medians = windows([(done, reading[what]) for done, reading in late])
            more = max(medians[1:]) - medians[0]
            row.append(" ".join(f"{one:g}" for one in medians))
            if more > COUNTS:
                problems.append(
                    f"{self.process}: {what} rise by {more:g} over {span} {self.things}s, one with every {span / more:.0f}; "
                    f"from {medians[0]:g} to {max(medians[1:]):g}, and {COUNTS} more would be level")
        return row, problems


HEAD = ["process", "with each", "heap in MiB, by windows", "bytes each", "bound", "size in MiB", "bytes each", "bound", "threads",
        "descriptors"]


def table(rows):
    rows = [HEAD, *rows]
    width = [max(len(row[column]) for row in rows if len(row) > column) for column in range(len(HEAD))]
    for row in rows:
        print("  " + "  ".join(cell.ljust(space) for cell, space in zip(row, width)).rstrip())


def rehearse():
    """The judge on made-up figures of 10,000 things. Returns what it gets wrong."""
    wrong = []

    def series(memory, threads=lambda done: 20, descriptors=lambda done: 30, reserve=lambda done: 0):
        made, draw = Series("gateway", "thing"), random.Random(1)
        for done in range(100, 10_001, 100):
            spike = draw.choice([0, 0, 0, 0, 0, 0, 0, 0, 0, 3 << 20])
            held = int(memory(done))
            made.add(done, {
                "heap": held + draw.randint(0, 100 << 10) + spike,
                "size": held + int(reserve(done)) + draw.randint(0, 5 << 20), "threads": threads(done),
                "descriptors": descriptors(done) + draw.randint(0, 1)})
        return made

    def expect(name, made, word, **how):
        _, problems = made.judge(**how)
        found = " ".join(problems)
        if bool(problems) != bool(word) or word not in found:
            wrong.append(f"{name}: {found or 'level'}")

    expect("level", series(lambda done: 20 << 20), "")
    expect("fills at first", series(lambda done: min(done, 1900) * 4000), "")
    expect("gives back", series(lambda done: (40 << 20) - done * 1000), "")
    expect("a block each", series(lambda done: done * 48), "malloc")
    expect("reserves without end", series(lambda done: 0, reserve=lambda done: done * NOISE["size"] / 4000), "anonymous")
    expect("fills and empties", series(lambda done: done % 2500 * 4000), "", warm=0.25, period=2500)
    expect("fills, empties, and rises", series(lambda done: done % 2500 * 4000 + done * 48), "malloc", warm=0.25, period=2500)
    expect("a descriptor in a thousand", series(lambda done: 0, descriptors=lambda done: 30 + done // 1000), "descriptors rise")
    expect("a thread in a thousand", series(lambda done: 0, threads=lambda done: 30 + done // 1000), "threads rise")
    return wrong


if __name__ == "__main__":
    sys.exit("\n".join(rehearse()) or 0)
