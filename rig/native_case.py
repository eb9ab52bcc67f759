"""Base of tests in namespaces of their own: one process for each test, begun by `rig/native-test`."""

import glob
import unittest

import secrets_told

#: The namespaces of this process; set by the runner.
rig = None


class NativeCase(unittest.TestCase):
    """A test with `self.rig`, which is this process's own."""

    def setUp(self):
        self.rig = rig
        self.since = self.rig.mark()
        self.addCleanup(self.clear)

    def clear(self):
        """Ends what the test started; whatever it was about, none of it has told a secret."""
        for process in self.rig.processes:
            process.clear()
        known, spared = self.known(), {secrets_told.NAMES} if self.tells_names() else set()
        if hits := secrets_told.search(known, self.outputs(), spared) + self.rig.heard.hits(known, spared):
            self.fail(f"A secret was told: {secrets_told.told(hits)}")

    def known(self):
        """What this test's world knows and nobody may be told."""
        known = self.rig.known
        for path in (*glob.glob("/run/*/*.key"), *glob.glob("/run/*/*.token"), *glob.glob("/run/*/*.password")):
            with open(path, "rb") as file:
                known.add("key", file.read().decode(errors="replace"))
        for path in glob.glob("/run/*/state/seal-key"):
            with open(path, "rb") as file:
                known.add("station's key", file.read())
        for codes in (getattr(self, "told", ()), getattr(self, "refused", ())):
            if isinstance(codes, (list, tuple, set)):
                known.add("whole code", *(code for code in codes if isinstance(code, str)))
        return known

    def outputs(self):
        """Logs of the product's programs, and all files that it has left: events, journals, reports, bundles, configurations."""
        logs = {process.name: process.log() for process in self.rig.processes if process.name.startswith(secrets_told.PRODUCT)}
        return logs | secrets_told.files("/run")

    def tells_names(self):
        """Whether the file lets holders be named."""
        return "names: true" in getattr(self, "MORE", "")

    def whole_pulses(self, lamp, length, count, since=None, late=0):
        """Waits until a lamp was lit so many times, and sees that it was no more often. How long a pulse is, is shown on the relay, in the guest."""
        since = self.since if since is None else since

        def over():
            pulses = self.rig.pulses(lamp, since)
            return len(pulses) >= count and all(pulse.length is not None for pulse in pulses)

        self.rig.until(over, what=f"{lamp} lit {count} times")
        self.assertEqual(len(self.rig.pulses(lamp, since)), count, lamp)
