"""Cameras of the installed service: the shipped rules and units let it read them, and fence the decoder."""

from rig import CAMERA, FAULTY_CAMERA
from service import GATEWAY, NORTH_PULSE, SOUTH_PULSE, ServiceCase, configuration
from test_camera import AWAY, WORKER
from sets import release


class Cameras(ServiceCase):
    """A camera that shows codes beside the wedge of `north`, and one that fails beside that of `south`."""

    @staticmethod
    def configured():
        readers = f"""readers:
  desk:  {{type: camera, match: {{path: {CAMERA}}}, kinds: [qr]}}
  spare: {{type: camera, match: {{path: {FAULTY_CAMERA}}}, size: 320x180, kinds: [qr]}}"""
        text = configuration().replace("readers:", readers, 1)
        return text.replace("readers: [left]", "readers: [desk, left]").replace("readers: [right]", "readers: [spare, right]")

    def setUp(self):
        if self.rig.camera:
            self.rig.resume_camera()
        else:
            self.rig.plug_camera("GREY")
        super().setUp()

    def assert_shown_code_opens(self):
        """The next code that is shown gives a whole pulse."""
        since = self.rig.mark()
        self.rig.show(self.code())
        self.whole_pulses("RELAY0", NORTH_PULSE, 1, since)

    def workers(self):
        """The decoders of the service, by process id."""
        return self.rig.pids(WORKER) & set(map(int, self.rig.get(f"/sys/fs/cgroup/system.slice/{GATEWAY}/cgroup.procs").split()))

    def test_shown_codes_open_the_gate(self):
        for _ in range(3):
            self.assert_shown_code_opens()
        self.assert_admits()

    @release
    def test_decoders_are_fenced(self):
        self.assert_shown_code_opens()
        workers = self.workers()
        self.assertGreaterEqual(len(workers), 2, "one for each camera")
        for pid in workers:
            wanted = "NoNewPrivs|Seccomp|Threads|CapEff|CapBnd"
            status = dict(line.split(":\t") for line in self.rig.sh(f"grep -E '^({wanted}):' /proc/{pid}/status").splitlines())
            none = "0" * 16
            self.assertEqual(status, {"NoNewPrivs": "1", "Seccomp": "2", "Threads": "1", "CapEff": none, "CapBnd": none})
            opened = self.rig.sh(f"readlink /proc/{pid}/fd/*").split("\n")
            self.assertFalse([name for name in opened if name.startswith(("/dev/video", "/etc", "/var"))], opened)

    @release
    def test_struck_decoders_are_replaced(self):
        pid = self.rig.main_pid(GATEWAY)
        for signal in ("KILL", "STOP"):
            self.assert_shown_code_opens()
            struck = self.workers()
            for worker in struck:
                self.rig.kill(worker, signal)
            self.rig.until(lambda: self.workers() and not self.workers() & struck, what="new decoders")
            self.assert_shown_code_opens()
        self.assertEqual(self.rig.main_pid(GATEWAY), pid)

    def test_camera_comes_and_goes(self):
        pid = self.rig.main_pid(GATEWAY)
        self.rig.pull_camera()
        self.said("spare is not plugged in")
        self.assert_admits(1, "RELAY1", SOUTH_PULSE)
        self.assert_shown_code_opens()
        since = self.rig.mark()
        self.rig.replug_camera()
        self.said("spare is reading", since)
        self.assert_admits(1, "RELAY1", SOUTH_PULSE)
        self.assertEqual(self.rig.main_pid(GATEWAY), pid)

    @release
    def test_code_that_stays_in_view_is_one_scan(self):
        self.assert_shown_code_opens()
        since = self.rig.mark()
        self.rig.pause(AWAY)
        self.assertEqual(self.rig.pulses("RELAY0", since), [])
