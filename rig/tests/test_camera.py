"""Codes that a camera sees: each presentation is one scan, and neither a failing camera nor a failing decoder stops the gate."""

import json

from machine import MachineError
from rig import CAMERA, FAULTY_CAMERA
from test_gate import FOLDER, LEFT, LEFT_MATCH, NORTH_PULSE, VENUE, GateCase
from sets import release

WORKER = "scangate-decode"
#: In seconds: long after a code that has left the view is forgotten, however slow the guest.
AWAY = 4


def configuration(node=CAMERA, camera="size: 640x480, "):
    """One gate with a camera, `desk`, and a wedge, `left`. The hold-off is long: only a camera's own word ends it sooner."""
    return f"""
version: 1
station: {{name: rig}}
ticketSystems:
  venue: {{type: eventschedule, url: "http://{VENUE}", apiKeyFile: {FOLDER}/venue.key, rate: {{limit: 10000}}}}
readers:
  desk: {{type: camera, match: {{path: {node}}}, {camera}kinds: [qr]}}
  left: {{type: wedge, match: {LEFT_MATCH}, keymap: us}}
gates:
  north:
    readers: [desk, left]
    ticketSystem: venue
    accept: {{minLength: 8}}  # codes of the tests' own
    holdOff: 30 s
    deadline: 10 s  # a server on an emulated processor may be slow
    stale: 20 s
    outputs:
      relay: {{gpio: {{chip: gate, line: RELAY0}}, pulse: {NORTH_PULSE} ms}}
      green: {{led: "gate:green:pass"}}
      red: {{led: "gate:red:deny"}}
"""


class CameraCase(GateCase):
    def setUp(self):
        super().setUp()
        # The group that the service runs in, as the shipped rules give it where it is installed.
        self.rig.udev_rule("90-camera", 'SUBSYSTEM=="video4linux", GROUP="input", MODE="0660"\n')
        self.addCleanup(self.rig.udev_rule, "90-camera", None)
        self.rig.sh("udevadm trigger --settle --subsystem-match=video4linux")

    def watch(self, *paid, camera="size: 640x480, "):
        """Starts everything, with nothing in view."""
        self.serve(paid, text=configuration(camera=camera))
        self.reading("desk")

    def admits(self, code, reader="desk"):
        """Waits until a code that was presented has opened the gate."""
        since = self.since
        scan = self.scan_of(code)
        self.assertEqual((scan["verdict"], scan["reader"], scan["gate"]), ("admit", reader, "north"))
        self.whole_pulses("RELAY0", NORTH_PULSE, 1, since)
        self.since = self.rig.mark()
        return scan

    def told(self, type, **fields):
        """Waits for an event."""

        def found():
            events = [event for event in self.events() if event["type"] == type]
            return [event for event in events if all(event[name] == value for name, value in fields.items())]

        return self.rig.until(lambda: self.alive(self.service) and found(), what=f"an event {type} {fields}")

    def passes(self, seconds):
        """Lets time pass in the guest: what is shown stays shown."""
        self.rig.pause(seconds)

    def show_anew(self, *codes):
        """Shows codes after the view was empty for so long that they count as presented anew."""
        self.rig.show()
        self.passes(AWAY)
        self.rig.show(*codes)

    def workers(self):
        """The fenced decoders that run, by process id."""
        return self.rig.pids(WORKER)


class Formats(CameraCase):
    def opens(self, fourcc):
        self.rig.plug_camera(fourcc)
        self.watch("Shown-code-1")
        self.rig.show("Shown-code-1")
        self.assertEqual(self.admits("Shown-code-1")["symbology"][:2], "]Q")

    def test_code_in_yuyv_frames_opens_the_gate(self):
        self.opens("YUYV")

    @release
    def test_code_in_grey_frames_opens_the_gate(self):
        self.opens("GREY")

    @release
    def test_code_in_jpeg_frames_opens_the_gate(self):
        self.opens("MJPG")


class Presentations(CameraCase):
    def test_code_is_one_scan_as_long_as_it_is_shown(self):
        self.rig.plug_camera()
        self.watch("Long-shown")
        self.rig.show("Long-shown")
        self.admits("Long-shown")
        self.passes(20)
        self.assertEqual(len(self.scans()), 1)
        self.show_anew("Long-shown")
        again = self.scan_count(2)[1]
        self.assertEqual((again["verdict"], again["reason"]), ("refuse", "alreadyUsed"))
        self.passes(AWAY)
        self.assertEqual(len(self.scans()), 2)
        self.assertEqual(self.rig.pulses("RELAY0", self.since), [])

    @release
    def test_codes_one_after_the_other_are_each_a_scan(self):
        codes = [f"Next-code-{number}" for number in range(4)]
        self.rig.plug_camera("GREY")
        self.watch(*codes)
        for code in codes:
            self.rig.show(code)
            self.admits(code)
        self.assertEqual(len(self.scans()), len(codes))

    @release
    def test_nearest_of_several_codes_is_read(self):
        self.rig.plug_camera("GREY")
        self.watch("At-the-left", "In-the-middle", "At-the-right", camera="several: nearest, ")
        self.rig.show("At-the-left", "In-the-middle", "At-the-right")
        self.admits("In-the-middle")
        self.passes(AWAY)
        self.assertEqual(len(self.scans()), 1)

    @release
    def test_several_codes_are_refused_where_one_is_to_be_shown(self):
        self.rig.plug_camera("GREY")
        self.watch("One-of-two", "Two-of-two", camera="several: refuse, ")
        self.rig.show("One-of-two", "Two-of-two")
        self.told("discarded", reader="desk", reason="several")
        self.rig.until(lambda: [change for change in self.rig.led_changes("gate:red:deny", self.since) if change.value > 0], what="the red LED")
        self.passes(AWAY)
        self.assertEqual(self.scans(), [])
        self.assertEqual(self.rig.pulses("RELAY0", self.since), [])
        self.show_anew("One-of-two")
        self.admits("One-of-two")

    @release
    def test_typed_and_shown_is_one_person(self):
        self.rig.plug_camera("GREY")
        self.rig.plug(0, **LEFT)
        self.watch("Shown-then-typed", "Typed-then-shown")
        self.taken(0)
        self.rig.show("Shown-then-typed")
        self.admits("Shown-then-typed")
        self.rig.type(0, "Shown-then-typed")
        self.told("repeat", reader="left")
        self.rig.show()
        self.rig.type(0, "Typed-then-shown")
        self.admits("Typed-then-shown", "left")
        self.rig.show("Typed-then-shown")
        self.told("repeat", reader="desk")
        self.assertEqual(len(self.scans()), 2)

    @release
    def test_camera_that_hangs_is_awaited(self):
        camera = self.rig.plug_camera()
        self.watch("Before-it-hung", "When-it-was-back")
        self.rig.show("Before-it-hung")
        self.admits("Before-it-hung")
        camera.sensor.stop()
        self.passes(5)
        self.rig.show("When-it-was-back")
        self.rig.resume_camera()
        self.admits("When-it-was-back")


@release
class Workers(CameraCase):
    def replaced(self, signal):
        """Strikes the decoder while a code is in view: what is shown is not read twice, and the next code opens the gate."""
        self.rig.plug_camera("GREY")
        self.watch("Before-the-fault", "After-the-fault")
        self.rig.show("Before-the-fault")
        self.admits("Before-the-fault")
        struck = self.workers()
        self.assertTrue(struck, "no decoder runs")
        for pid in struck:
            self.rig.kill(pid, signal)
        self.rig.until(lambda: self.alive(self.service) and self.workers() - struck, what="a new decoder")
        self.passes(AWAY)
        self.assertEqual(len(self.scans()), 1)
        self.rig.show("After-the-fault")
        self.admits("After-the-fault")
        self.assertFalse(self.workers() & struck, "a decoder that hung is left behind")

    def test_killed_decoder_is_replaced(self):
        self.replaced("KILL")

    def test_hung_decoder_is_replaced(self):
        self.replaced("STOP")

    def test_decoder_is_fenced(self):
        self.rig.plug_camera("GREY")
        self.watch("Behind-the-fence")
        self.rig.show("Behind-the-fence")
        self.admits("Behind-the-fence")
        (pid, *_) = self.workers()
        status = dict(line.split(":\t") for line in self.rig.sh(f"grep -E '^(NoNewPrivs|Seccomp|Threads):' /proc/{pid}/status").splitlines())
        self.assertEqual(status, {"NoNewPrivs": "1", "Seccomp": "2", "Threads": "1"})
        self.service.stop()
        self.rig.until(lambda: not self.workers(), what="the decoder's end")


class Faults(CameraCase):
    """The camera that fails shows no code: that it is read tells the decoder's time, and that the gate goes on tells a wedge."""

    def begin(self):
        self.rig.plug(0, **LEFT)
        self.codes = iter([f"Typed-code-{number}" for number in range(10)])
        self.serve([f"Typed-code-{number}" for number in range(10)], text=configuration(FAULTY_CAMERA, "size: 320x180, "))
        self.taken(0)
        self.reading("desk")
        self.assert_looks()

    def assert_admits(self):
        code = next(self.codes)
        self.rig.type(0, code)
        self.admits(code, "left")

    def looked(self):
        """Processor time of the decoders that run, in the kernel's ticks, each by its process id."""
        def ticks(pid):
            try:
                words = self.rig.get(f"/proc/{pid}/stat").split()
            except MachineError:  # it has ended meanwhile
                return 0
            return int(words[13]) + int(words[14])

        return {pid: ticks(pid) for pid in self.workers()}

    def assert_looks(self):
        """Waits until the decoder has looked at several more pictures."""
        before = self.looked()
        self.rig.until(lambda: self.alive(self.service) and any(ticks > before.get(pid, 0) + 10 for pid, ticks in self.looked().items()), what="pictures looked at")

    def ceased(self, count):
        """Waits until the camera has ceased to be read, `count` states on."""
        return self.rig.until(lambda: [state for state in self.states("desk")[count:] if state != "reading"], what="the camera's fault")

    @release
    def test_camera_is_unplugged(self):
        self.begin()
        for _ in range(2):
            self.rig.pull_camera()
            self.rig.until(lambda: self.states("desk")[-1] == "parked", what="the camera parked")
            self.assert_admits()
            self.rig.replug_camera()
            self.reading("desk")
            self.assert_looks()
            self.assert_admits()

    def test_camera_disconnects_itself(self):
        self.begin()
        count = len(self.states("desk"))
        self.rig.fault("Disconnect")
        self.ceased(count)
        self.assert_admits()
        self.reading("desk")
        self.assert_looks()

    @release
    def test_camera_fails_while_it_streams(self):
        self.begin()
        for before in ((), ("Inject VIDIOC_REQBUFS Error",), ("Inject VIDIOC_STREAMON Error",), ("Inject VIDIOC_QBUF Error",)):
            for control in (*before, "Inject Fatal Streaming Error"):
                self.rig.fault(control)
            self.assert_admits()
            self.assert_looks()
            self.rig.until(lambda: self.states("desk")[-1] == "reading", what="the camera reading")

    @release
    def test_frames_are_damaged_or_lost(self):
        self.begin()
        for _ in range(5):
            self.rig.fault("Inject V4L2_BUF_FLAG_ERROR")
        self.assert_looks()
        self.rig.fault("Percentage of Dropped Buffers", 100)
        self.addCleanup(self.rig.fault, "Percentage of Dropped Buffers", 0)
        self.assert_admits()
        self.passes(5)
        self.rig.fault("Percentage of Dropped Buffers", 0)
        self.assert_looks()
        self.rig.until(lambda: self.states("desk")[-1] == "reading", what="the camera reading")
        self.assert_admits()


@release
class Commands(CameraCase):
    """What a technician does while the service is stopped."""

    def scangate(self, words):
        return self.rig.sh(f"cd /run/rig; setpriv --reuid=gate --regid=gate --init-groups /payload/bin/scangate {words} 2>&1", timeout=120)

    def test_cameras_are_listed(self):
        self.rig.plug_camera("MJPG")
        said = self.scangate("camera list")
        for words in (CAMERA, "Gate Camera", "MJPG", "640x480", FAULTY_CAMERA):
            self.assertIn(words, said)

    def test_snapshot_is_what_the_camera_sees(self):
        for fourcc in ("YUYV", "GREY", "MJPG"):
            camera = self.rig.plug_camera(fourcc)
            self.rig.show("Snap-" + fourcc)
            self.rig.sh("install -d -o gate /run/rig/pictures")
            self.assertIn("Snap-" + fourcc, self.scangate(f"camera snapshot {CAMERA} --out pictures/{fourcc}.pgm"))
            (line,) = self.scangate(f"decode --json pictures/{fourcc}.pgm").splitlines()
            self.assertEqual([symbol["text"] for symbol in json.loads(line)["symbols"]], ["Snap-" + fourcc])
            camera.sensor.stop()

    def test_empty_view_is_told(self):
        self.rig.plug_camera()
        self.assertIn("No code was read", self.scangate(f"camera snapshot {CAMERA}"))
