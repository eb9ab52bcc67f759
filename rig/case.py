"""Base of the rig's tests: one guest for each test module, fresh from the saved state."""

import unittest
from pathlib import Path

import payload
from rig import FOLDER, TEST_BEGINS, Rig

#: The program under test; set by the runner.
scangate = Path(".build/debug/scangate")

_rigs = {}


class RigCase(unittest.TestCase):
    """A test with `self.rig`. Tests of one module share the guest and leave its slots empty behind them."""

    needs_scangate = False

    @classmethod
    def setUpClass(cls):
        if cls.needs_scangate and not scangate.exists():
            raise unittest.SkipTest(f"there is no {scangate}")
        module = cls.__module__
        if module not in _rigs:
            _rigs[module] = Rig.restore(payload.of_program(scangate, FOLDER) if cls.needs_scangate else None)
            unittest.addModuleCleanup(lambda: _rigs.pop(module).close())
        cls.rig = _rigs[module]

    def setUp(self):
        self.since = self.rig.mark()
        self.rig.sh(f"echo '{TEST_BEGINS} {self.id()}' > /dev/kmsg")
        self.addCleanup(self.clear)

    def clear(self):
        """Stops what the test started and empties the slots."""
        for process in self.rig.processes:
            process.clear()
        self.rig.processes.clear()
        for slot in list(self.rig.devices):
            self.rig.remove(slot)
