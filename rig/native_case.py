"""Base of tests in namespaces of their own: one process for each test, begun by `rig/native-test`."""

import unittest

#: The namespaces of this process; set by the runner.
rig = None


class NativeCase(unittest.TestCase):
    """A test with `self.rig`, which is this process's own."""

    def setUp(self):
        self.rig = rig
        self.since = self.rig.mark()
        self.addCleanup(self.clear)

    def clear(self):
        """Ends what the test started."""
        for process in self.rig.processes:
            process.clear()

    def whole_pulses(self, lamp, length, count, since=None, late=0):
        """Waits until a lamp was lit so many times, and sees that it was no more often. How long a pulse is, is shown on the relay, in the guest."""
        since = self.since if since is None else since

        def over():
            pulses = self.rig.pulses(lamp, since)
            return len(pulses) >= count and all(pulse.length is not None for pulse in pulses)

        self.rig.until(over, what=f"{lamp} lit {count} times")
        self.assertEqual(len(self.rig.pulses(lamp, since)), count, lamp)
