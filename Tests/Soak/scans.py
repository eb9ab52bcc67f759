"""People present codes at two gates: new ones, used ones, the same again at once, unknown ones, and what is no ticket's code. What
becomes of each is checked."""

import collections
import random
import time

import station as world

#: Of a hundred.
SHARES = {"new": 80, "used": 6, "again": 6, "unknown": 4, "unreadable": 4}
#: Tickets that a ledger holds in memory before it lets go of them, `LedgerKeeper.mostTickets`.
HELD = 20_000
#: Bytes that it takes at most for each of them, with its sale and its record.
TICKET = 4096
#: Codes under way at a gate.
WINDOW = 4
#: Nobody may be asked more often than the configuration says; a little less, because requests count until a minute after their end.
PACE = 0.96 * world.REQUESTS_A_MINUTE / 60
ADMITTED, USED = ("admit", None), ("refuse", "alreadyUsed")
#: Too many unknown codes in a minute are not asked.
UNKNOWN = (("refuse", "notFound"), ("undecided", "rateLimited"))


class Scans:
    def __init__(self, station, tickets, seed):
        self.station, self.tickets = station, tickets
        self.random = random.Random(seed)
        self.done, self.asked, self.began = 0, 0, None
        self.told = collections.Counter()

    def round(self, many):
        """Presents `many` codes and returns when all are decided. A rest's time is not made up for."""
        self.asked, self.began = 0, time.monotonic()
        left = many
        #: By gate: what is to become of the codes that are under way, by their last characters.
        under_way = {"north": {}, "south": {}}
        while left > 0 or any(under_way.values()):
            for reader, gate in (("left", "north"), ("right", "south")):
                while left > 0 and len(under_way[gate]) < WINDOW and self.may_ask():
                    left -= self.present(reader, under_way[gate])
            events = self.station.take(0.02)
            for event in events:
                self.check(event, under_way)
            if not events:
                self.station.check_alive()
            self.check_late(under_way)

    def may_ask(self):
        return self.asked < 20 + (time.monotonic() - self.began) * PACE

    def present(self, reader, under_way):
        """Presents a code, or one twice. Returns how many times."""
        kind = self.random.choices(list(SHARES), SHARES.values())[0]
        if kind in ("new", "again"):
            code, outcomes, self.asked = self.tickets.new(), [ADMITTED], self.asked + 1
        elif kind == "used":
            code, outcomes = self.tickets.used(), [USED]
        elif kind == "unknown":
            code, outcomes, self.asked = self.tickets.unknown(), UNKNOWN, self.asked + 1
        else:
            # The article that somebody holds before the scanner.
            code, outcomes = f"{self.random.randrange(10**12, 10**13)}", [("refuse", "unreadable")]
        if code[-4:] in under_way:
            return 0
        self.station.present(reader, code)
        under_way[code[-4:]] = (outcomes, time.monotonic())
        self.done += 1
        if kind != "again":
            return 1
        self.station.present(reader, code)
        self.done += 1
        return 2

    def check(self, event, under_way):
        if event["type"] == "repeat":
            self.told["repeat"] += 1
            return
        if event["type"] in ("scan", "attempt", "ticketSystem", "discarded", "journal", "conflict"):
            if event["type"] != "scan":
                raise SystemExit(f"On a good day: {event}")
            outcome = (event["verdict"], event["reason"])
            self.told[" ".join(filter(None, outcome))] += 1
            outcomes, _ = under_way[event["gate"]].pop(event["code"][-4:], ([], 0))
            if outcome not in outcomes:
                raise SystemExit(f"A code was to become one of {outcomes}, and became {event}")

    def check_late(self, under_way):
        now = time.monotonic()
        for gate, codes in under_way.items():
            for ending, (outcomes, at) in codes.items():
                if now - at > 20:
                    raise SystemExit(f"The code …{ending} at {gate} was not decided within 20 s.\n{self.station.tail()}")

    def judged(self, count):
        """How memory is judged: from when on, over which period it fills and empties, and what may stay of each."""
        period = HELD * 100 / (SHARES["new"] + SHARES["again"] / 2)
        if count > 2.5 * period:
            return {"warm": max(0.2, 1.1 * period / count), "period": period}
        # It does not fill once and empty twice: what it holds is all that can be said.
        return {"grown": TICKET * HELD / period}
