"""The configuration is replaced by a wrong one and reloaded, over and over: it is refused with words, and the gates go on. Every
fiftieth is a good one that changes something, and the gates go on by it."""

import itertools
import os

GOOD = 50
#: Every so many good ones somebody new comes: the ledger holds each ticket, which is no matter of reloads.
NEW = 10
#: How often somebody presents a code that was used before at the station that has just refused a file.
PEOPLE = 25


class Reloads:
    def __init__(self, station, tickets):
        self.station, self.tickets = station, tickets
        self.text = station.text
        self.bad, self.good = itertools.cycle(self.wrong()), itertools.cycle(self.changed())
        self.done = 0
        with open(f"{station.folder}/damaged.pem", "w") as file:
            file.write("-----BEGIN CERTIFICATE-----\nMIIB\n")

    def wrong(self):
        """What an operator gets wrong: the file, what the gateway says to it, and a word of why."""
        text = self.text
        second = "  second: { type: eventschedule, url: \"http://127.0.0.1:9\", apiKey: nobodys }\nreaders:"

        def instead(old, new):
            assert old in text, old
            return text.replace(old, new, 1)

        north, south = text.split("  south:\n")
        asks = north + "  south:\n" + south.replace("ticketSystem: venue", "ticketSystem: second", 1)
        return [
            (instead("gates:", "gates: ["), "kept", ""),
            (instead("queue: 64", "queue: 64\n    speed: 3"), "kept", "speed"),
            (instead("venue.key", "gone.key"), "kept", "does not exist"),
            (instead("[left, usb", "[left, nobody"), "kept", "nobody"),
            (instead("{ serial: STEADY }", "{ serial: STEADY }, keymap: zz"), "kept", "zz"),
            (instead("north:red", "north:green"), "kept", "already"),
            (instead(self.station.steady["right"][2], self.station.steady["left"][2]), "kept", ""),
            (asks.replace("readers:", second, 1), "kept", "nobodys"),
            (instead("rate: {", f"caFile: {self.station.folder}/damaged.pem\n    rate: {{"), "kept", "damaged.pem"),
            (instead("queue: 64", "queue: 64\n    accept: { pattern: \"(\" }"), "kept", ""),
            (instead("stale: 1 min", "stale: 1"), "kept", "unit"),
            (b"version: 1\nstation: { name: \xff\xfe }\n", "kept", ""),
            (text + "#" * (1 << 20), "kept", ""),
            (None, "kept", ""),
            (text + "journal: { keepDays: 3 }\n", "needsRestart", "journal"),
            (instead("rate: {", "scope: perDay\n    rate: {"), "needsRestart", "scope"),
        ]

    def changed(self):
        """Good files, each other than the one before."""
        text = self.text
        spare = "  spare: { type: wedge, match: { serial: SPARE } }\n  usb:"
        second = "  second: { type: eventschedule, url: \"http://127.0.0.1:9\", apiKeyFile: %s/venue.key }\nreaders:" % self.station.folder
        return [
            text.replace("holdOff: 1 s", "holdOff: 2 s"),
            text.replace("  usb:", spare, 1).replace("[left, usb", "[left, spare, usb"),
            text.replace("{ serial: STEADY }", "{ serial: STEADY }, keymap: de"),
            text.replace("readers:", second, 1),
            text.replace("stale: 1 min", "stale: 1 min\n    offline: { policy: admitAndQueue, after: 900 ms }"),
            text,
        ]

    def round(self, many):
        for _ in range(many):
            self.done += 1
            if self.done % GOOD == 0:
                self.take_over()
            else:
                self.refuse()
            if self.done % PEOPLE == 0:
                for reader in ("left", "right"):
                    self.station.scan(reader, self.tickets.used(), "refuse", "alreadyUsed")

    def refuse(self):
        text, state, word = next(self.bad)
        if text is None:
            os.unlink(f"{self.station.folder}/scangate.yaml")
        else:
            self.station.configure(text)
        told = self.station.reload()
        if told["state"] != state or not told["detail"] or word not in told["detail"]:
            raise SystemExit(f"A wrong file ({state}, {word}) was answered {told['state']}: {told['detail']}")

    def take_over(self):
        self.station.configure(next(self.good))
        told = self.station.reload()
        if told["state"] != "applied":
            raise SystemExit(f"A good file was answered {told['state']}: {told['detail']}")
        if self.done % (GOOD * NEW) == 0:
            for reader in ("left", "right"):
                self.station.scan(reader, self.tickets.new(), "admit")
