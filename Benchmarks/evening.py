"""What people at one gate wait for, and what the gateway takes while nobody comes."""

import statistics
import sys

from station import memory, now, percentile


class Evening:
    """What was measured of one station: people's times, and its memory while nobody comes: before them, or after them (`is_after`)."""

    def __init__(self, station, people, is_after=False):
        try:
            station.start(within=60)
            station.idle(4)
            self.memory = memory(station.gateway)
            for _ in range(30):
                self.person(station)
            self.times = [self.person(station) for _ in range(people)]
            if is_after:
                station.idle(1)
                self.memory = memory(station.gateway)
                #: Of that what is no file's, so that the kernel cannot take it back.
                self.own = memory(station.gateway, "Anonymous")
        finally:
            station.stop()

    @staticmethod
    def person(station):
        station.begin(0)
        began = station.end(0)
        _, asked, connection = station.wait(lambda event: event[0] == "request", 5)
        station.idle(0.002)
        body = station.admission()
        answered = now()
        connection.sendall(body)
        _, opened, _ = station.wait(lambda event: event[0] == "admit", 5)
        station.idle(0.025)
        return asked - began, opened - answered

    def figures(self):
        return [percentile([one[place] for one in self.times], share) / 1e6 for place in (0, 1) for share in (0.5, 0.99)] + [self.memory]


def in_turns(kinds, turns, measure):
    """Measures each kind so often, one after the other; of several turns the middle one counts, figure by figure."""
    evenings = {kind: [] for kind in kinds}
    for turn in range(turns):
        for kind in list(kinds) if turn % 2 == 0 else reversed(kinds):
            evenings[kind].append(measure(kinds[kind]).figures())
            print(kind, " ".join(f"{figure:.2f}" for figure in evenings[kind][-1]), file=sys.stderr, flush=True)
    return {kind: [statistics.median(column) for column in zip(*told)] for kind, told in evenings.items()}
