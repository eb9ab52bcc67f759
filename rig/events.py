"""The event stream of a service in the guest."""

import json


class EventFile:
    """What a service has written to its event file, in whole lines; each call fetches only what is new."""

    def __init__(self, rig, path):
        self._rig, self._path, self._offset, self._events = rig, path, 0, []

    def __call__(self):
        new = self._rig.get_from(self._path, self._offset)
        new = new[:new.rfind(b"\n") + 1]
        self._offset += len(new)
        self._events += map(json.loads, new.splitlines())
        return self._events
