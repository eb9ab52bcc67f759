"""Bases of the rig's tests: one guest for each test module, fresh from the saved state."""

import unittest
from pathlib import Path

import payload
import secrets_told
import transcript
from rig import FOLDER, MS, TEST_BEGINS, Rig, built
from stages import cache, installed

#: The program under test; set by the runner.
scangate = Path(".build/programs/scangate")
#: The Debian package under test; set by the runner. None where there is none.
deb = None
#: A package of a former release, to update from; set by the runner. None where the one under test stands for it.
former = None
#: How often scanners are unplugged while they type; set by the runner.
rounds = 20

#: How often guest/standstills.c looks whether the guest runs.
STEP = 40 * MS

_rigs = {}


class RigCase(unittest.TestCase):
    """A test with `self.rig`. Tests of one module share the guest and leave its slots empty behind them."""

    needs_scangate = False

    @classmethod
    def setUpClass(cls):
        if cls.needs_scangate and not scangate.exists():
            raise unittest.SkipTest(f"there is no {scangate}")
        cls.share(lambda: Rig.restore(payload.of_program(scangate, FOLDER) if cls.needs_scangate else None))

    @classmethod
    def share(cls, start):
        """Gives the class the guest of its module, started by `start` if it is the first."""
        module = cls.__module__
        if module not in _rigs:
            _rigs[module] = start()
            unittest.addModuleCleanup(lambda: _rigs.pop(module).close())
        cls.rig = _rigs[module]

    def setUp(self):
        self.test_begins = self.since = self.rig.mark()
        self.rig.machine.write("/dev/kmsg", f"{TEST_BEGINS} {self.id()}\n")
        self.addCleanup(self.clear)
        if transcript.wanted:
            print(f"--- {self.id()}", flush=True)
            # Before that.
            self.addCleanup(lambda: transcript.tell(self.rig, self.test_begins, isinstance(self, InstalledCase)))

    def clear(self):
        """Stops what the test started and empties the slots; whatever the test was about, none of it has told a secret."""
        said = {process.name: process.log() for process in self.rig.processes if process.name.startswith(secrets_told.PRODUCT)}
        for process in self.rig.processes:
            process.clear()
        self.rig.processes.clear()
        for slot in list(self.rig.devices):
            self.rig.remove(slot)
        self.rig.stop_following()
        self.assert_no_secret_was_told(said)

    def assert_no_secret_was_told(self, said):
        """Looks through what was said in this test: `said` is by place, the rest the rig has heard."""
        known, heard = self.rig.known, self.rig.heard
        known.add("key", *self.rig.sh("cat /run/*/*.key /run/venue/key 2> /dev/null; true").split())
        for codes in (getattr(self, "told", ()), getattr(self, "refused", ())):
            if isinstance(codes, (list, tuple, set)):
                known.add("whole code", *(code for code in codes if isinstance(code, str)))
        hits = secrets_told.search(known, said) + heard.hits(known)
        heard.forget()
        if hits:
            self.fail(f"A secret was told: {secrets_told.told(hits)}")

    def longest_standstill(self):
        """The longest time without a break that the guest has stood still in this test, in nanoseconds."""
        return max((resumed - begin for begin, resumed in self.rig.standstills(self.test_begins)), default=0)

    # What every pulse has to be

    def whole_pulses(self, line, length, count, since=None, late=200):
        """Waits for pulses that are over; each must have the configured length, and end at most `late` ms after its time."""
        since = self.since if since is None else since
        if count == 0:
            self.assertEqual(self.rig.pulses(line, since), [])
            return []

        def over():
            pulses = self.rig.pulses(line, since)
            return len(pulses) >= count and all(pulse.length is not None for pulse in pulses) and pulses

        pulses = self.rig.until(over, what=f"{count} pulses on {line}")
        self.assertEqual(len(pulses), count)
        for pulse in pulses:
            self.assert_length(pulse, length, late)
        return pulses

    def assert_length(self, pulse, length, late=200):
        """A pulse of so many milliseconds is never too short, and ends on time unless the guest itself stood still then.

        An emulated processor is slow, and in the guest of a busy machine a program waits for its turn: that is what `late` ms allow.

        In the midst of a pulse that excuses nothing; right at its beginning it does, for a pulse counts from when its program has seen it begin.
        """
        # The trace stamps by the kernel's fast clock; where an emulated processor was halted that was seen 2 ms ahead of the one that
        # programs and timers have. What cuts a pulse cuts more.
        self.assertGreaterEqual(pulse.length, (length - 4) * MS)
        excused = self.rig.stood_still(pulse.at + length * MS, pulse.at + pulse.length)
        excused += sum(resumed - pulse.at for begin, resumed in self.rig.standstills(pulse.at) if begin < pulse.at + STEP)
        self.assertLessEqual(pulse.length, (length + late) * MS + excused)

    def assert_levels(self, line, levels):
        """A watched line has had these levels in the test, and no others. The watch may tell of the last one after the kernel's trace."""
        def seen():
            return [edge.level for edge in self.rig.levels(line, self.since)]

        self.rig.until(lambda: len(seen()) >= len(levels), what=f"{len(levels)} levels on {line}")
        self.assertEqual(seen(), levels)


class InstalledCase(RigCase):
    """A test of the installed service: the shipped units and rules in a Debian that has nothing else of ours. Devices come when a test loads them."""

    @classmethod
    def setUpClass(cls):
        if deb is None or not deb.exists():
            raise unittest.SkipTest(f"there is no {deb}" if deb else "there is no Debian package: scripts/deb makes one")
        cls.share(cls.start)

    @classmethod
    def start(cls):
        return cls.resume(installed.installed)

    @staticmethod
    def made(stage):
        """The parts of the rig, the folder that `stage(store, stages, payload)` gives, and the payload."""
        image, parts, store = payload.of_package(deb, FOLDER), built(), cache.Cache(FOLDER)
        with store.lock():
            return parts, stage(store, parts, image), image

    @classmethod
    def resume(cls, stage):
        """A guest of a state that `stage(store, stages, payload)` gives, made now if there is none yet."""
        made, state, image = cls.made(stage)
        rig = Rig.resume(made["kernel"], made["disk"], state, image)
        rig.state = state
        return rig
