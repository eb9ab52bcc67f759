"""What the holder is there for: a gateway that drives its relay itself leaves it to chance when it falls. These tests must see that happen."""

from rig import MS, PATIENCE
from test_gate import LEFT, NORTH_PULSE, RIGHT, GateCase
from sets import release


@release
class WithoutHolder(GateCase):
    PULLED_UP = "RELAY0"

    def setUp(self):
        super().setUp()
        self.rig.set_pull(self.PULLED_UP, "up")
        self.addCleanup(self.rig.set_pull, self.PULLED_UP, "down")

    def begin(self, code):
        self.rig.plug(0, **LEFT)
        self.rig.plug(1, **RIGHT)
        self.serve([code])
        self.taken(0)
        self.rig.watch_level(self.PULLED_UP)
        self.assertEqual(self.rig.level(self.PULLED_UP), 0)
        self.since = self.rig.mark()
        self.rig.type(0, code)
        return self.rig.until(lambda: self.rig.pulses(self.PULLED_UP, self.since), what="the pulse")[0]

    def test_killed_during_a_pulse_the_gate_stays_released(self):
        self.begin("Killed-1")
        self.rig.kill(self.service.pid)
        self.service.started.result(PATIENCE)
        self.rig.pause(NORTH_PULSE / 1000 + 1)
        self.assertEqual([edge.level for edge in self.rig.levels(self.PULLED_UP, self.since)], [0, 1])
        self.assertEqual(self.rig.level(self.PULLED_UP), 1, "released, and nobody left who would lock it")

    def test_killed_outside_a_pulse_the_gate_is_released(self):
        self.begin("Killed-2")
        self.whole_pulses(self.PULLED_UP, NORTH_PULSE, 1)
        killed = self.rig.mark()
        self.rig.kill(self.service.pid)
        self.service.started.result(PATIENCE)
        self.rig.until(lambda: self.rig.levels(self.PULLED_UP, killed)[-1].level == 1, what="the line at its pull")
        self.assertEqual(self.rig.edges(self.PULLED_UP, killed), [], "nobody has driven it")

    def test_stopped_during_a_pulse_it_has_no_end(self):
        pulse = self.begin("Stopped-1")
        self.rig.kill(self.service.pid, "STOP")
        self.rig.pause(NORTH_PULSE / 1000 + 3)
        self.assertIsNone(self.rig.pulses(self.PULLED_UP, self.since)[0].length)
        self.assertGreater(self.rig.mark() - pulse.at, (NORTH_PULSE + 2000) * MS)
