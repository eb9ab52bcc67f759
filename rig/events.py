"""The event stream of a service in the guest."""

import json


class EventFile:
    """What a service has written to its event file, in whole lines, as it comes."""

    def __init__(self, rig, path):
        self._feed, self._events = rig.follow(path), []

    def __call__(self):
        self._events += map(json.loads, self._feed.lines(len(self._events)))
        return self._events
