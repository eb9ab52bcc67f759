"""Scanners come and go: on USB ports, old and new ones, by Bluetooth, on serial lines that udev tells of, on lines behind a link, and
strangers that are nobody's. No two are the same, so whatever is kept by a path, a name or a serial number shows.

Of those that a reader takes, every third types a code that must be decided, every third is pulled out amid one, and the others come and
go; now and then two are there at once that one reader matches.
"""

import os
import pty
import random
import time
import tty

import station as world

#: Of a hundred: how many come by each way.
SHARES = {"usb": 35, "bluetooth": 20, "line": 15, "stranger": 20, "path": 10}
#: Strangers that are there at once.
CROWD = 5
PATIENCE = 20


class Scanners:
    def __init__(self, station, tickets, seed):
        self.station, self.tickets = station, tickets
        self.random = random.Random(seed)
        self.number, self.port = 10, ""
        self.quota = {}
        self.done, self.decided, self.changed = 0, 0, 0

    def round(self, many):
        """`many` of them come and go; returns when all are gone."""
        self.quota = {way: many * share // 100 for way, share in SHARES.items()}
        self.quota["usb"] += many - sum(self.quota.values())
        lanes = [self.wedge("usb"), self.wedge("bluetooth"), self.line(), self.strangers()]
        lanes += [self.path(one) for one in range(world.PATHS)]
        # What each lane waits for: whether it is that event, and the words for it.
        waiting = {}

        def go_on(lane):
            waiting.pop(lane, None)
            awaited = next(lane, StopIteration)
            if awaited is not StopIteration:
                waiting[lane] = (*awaited, time.monotonic() + PATIENCE)

        for lane in lanes:
            go_on(lane)
        while waiting:
            for event in self.station.take(0.02):
                self.changed += event["type"] == "identityChanged"
                for lane, (is_it, _, _) in list(waiting.items()):
                    if is_it and is_it(event):
                        go_on(lane)
            for lane, (is_it, words, end) in list(waiting.items()):
                if is_it is None:
                    go_on(lane)
                elif time.monotonic() > end:
                    raise SystemExit(f"Within {PATIENCE} s there was not {words}.\n{self.station.tail()}")
            self.station.check_alive()

    # What lanes wait for

    def state(self, reader, state):
        return (lambda event: event["type"] == "device" and event["reader"] == reader and event["state"] == state), f"{reader} {state}"

    def decided_by(self, reader):
        self.decided += 1
        return (lambda event: event["type"] in ("scan", "repeat") and event["reader"] == reader), f"a scan by {reader}"

    def draw(self, way):
        """The number of the next scanner, or none."""
        if self.quota[way] == 0:
            return None
        self.quota[way] -= 1
        self.done += 1
        self.number += 1
        return self.number

    # The ways

    def life(self, reader, send, unplug, may_have_twin=None):
        """What a scanner does from being plugged in until it is gone."""
        yield self.state(reader, "reading")
        fate = self.random.randrange(3)
        if fate == 0:
            send(f"{self.tickets.used()}|")
            yield self.decided_by(reader)
        elif fate == 1:
            send(self.tickets.used()[:10])
        elif may_have_twin:
            may_have_twin()
        unplug()
        yield self.state(reader, "parked")

    def wedge(self, way):
        while number := self.draw(way):
            self.plug_wedge(way, number)
            twin = (lambda: self.twin(way)) if self.random.randrange(4) == 0 else None
            yield from self.life(way, lambda text: self.bed("type", number, text), lambda: self.bed("unplug", number), twin)

    def plug_wedge(self, way, number):
        if way == "bluetooth":
            serial = ":".join(f"{self.random.randrange(256):02x}" for _ in range(6))
            return self.bed("wedge", number, "bluetooth", "1d5f", "0a01", serial, "Soak Ring Scanner")
        # Half of them at the same few ports, where the next one is another device than the one before.
        self.port = self.random.choice([port for port in ("1-2", "1-3", f"1-{number}", f"1-{number}.1") if port != self.port])
        product = self.random.choice(["0901", "0b61", "1009"])
        self.bed("wedge", number, self.port, "0c2e", product, f"SN{number}", f"Scanner Model {number}")

    def twin(self, way):
        if number := self.draw(way):
            self.plug_wedge(way, number)
            self.bed("unplug", number)

    def line(self):
        while number := self.draw("line"):
            self.bed("line", number, "05f9", "4204", f"LN{number}")
            yield from self.life("line", lambda text: self.bed("send", number, text), lambda: self.bed("unplug", number))

    def strangers(self):
        """Nobody tells of them: they are left alone."""
        crowd = []
        while number := self.draw("stranger"):
            place = self.random.choice(["bluetooth", f"1-{number}"])
            if self.random.randrange(3) == 0:
                self.bed("line", number, "2341", "0043", f"XL{number}")
            else:
                vendor, product = self.random.choice(["046d", "413c", "04d9"]), f"{self.random.randrange(0x10000):04x}"
                self.bed("wedge", number, place, vendor, product, f"XW{number}", f"Keyboard {number}")
            crowd.append(number)
            if len(crowd) > CROWD:
                self.bed("unplug", crowd.pop(0))
            yield None, "nothing"
        for number in crowd:
            self.bed("unplug", number)

    def path(self, one):
        """A pseudo-terminal: a real one, at a link that leads to another one each time."""
        reader, link = f"path{one}", f"{self.station.folder}/path{one}"
        while self.draw("path"):
            scanner, line = pty.openpty()
            tty.setraw(line)
            node = os.ttyname(line)
            self.bed("terminal", node)
            os.symlink(node, link)

            # Its first side is closed last, by when the number may be another one's: it is all forgotten before.
            def unplug():
                os.unlink(link)
                self.bed("forget", node)
                os.close(line)
                os.close(scanner)

            yield from self.life(reader, lambda text: os.write(scanner, text.replace("|", "\r").encode()), unplug)

    def bed(self, *words):
        self.station.bed(*words)
