"""A camera that is none to the kernel: the unit of examples/ brings its pictures to a loopback device, which the installed service reads.

What a camera's program would give is given by `feed`: pictures in YUV 4:2:0, one after the other on its output.
"""

import tempfile
from pathlib import Path

from picture import Picture
from service import GATEWAY, NORTH_PULSE, SOUTH_PULSE, ServiceCase, configuration
from sets import release
from stages import host
from stages.target import IS_FOREIGN

EXAMPLES = Path(__file__).parents[2] / "examples"
UNIT, OPTIONS = "scangate-camera-loop@.service", "scangate-camera-loop.conf"
LOOP = UNIT.replace("@", "@42")
#: The camera as its reader knows it: the label of the loopback device.
LABEL = "Ribbon camera"
DROP_IN = f"/etc/systemd/system/{UNIT}.d/camera.conf"
FEED, SEEN = "/usr/local/bin/feed", "/run/rig/ribbon"
#: No shell: a program that starts takes an emulated processor longer than a picture may.
FEEDER = r"""#!/usr/bin/perl
$| = 1;
while (1) {
  open my $seen, "<:raw", "%s" or die; local $/; print <$seen> or exit 1; close $seen;
  select undef, undef, undef, 0.15;
}
""" % SEEN
#: Width and height; another one of the same camera.
SIZE, OTHER = (640, 512), (768, 512)


def on_pc(test):
    """Marks what a guest with another processor cannot have: packages are fetched for this machine's."""
    return None if IS_FOREIGN else test


@on_pc
@release
class Loop(ServiceCase):
    """The camera beside the wedge of `north`; the wedge of `south` is there whatever becomes of it."""

    @staticmethod
    def configured():
        readers = f'readers:\n  desk: {{type: camera, match: {{name: "{LABEL}"}}, kinds: [qr]}}'
        return configuration().replace("readers:", readers, 1).replace("readers: [left]", "readers: [desk, left]")

    @classmethod
    def start(cls):
        rig = super().start()
        # As docs/raspberry-pi.md tells, with a camera's program of our own.
        with tempfile.TemporaryDirectory() as folder:
            for name, path in host.download(host.offered(["libv4l2rds0"], ["v4l-utils"]), Path(folder)).items():
                rig.put(path.read_bytes(), f"/run/rig/{name}.deb")
        rig.sh("dpkg -i /run/rig/*.deb 2>&1", timeout=120)
        rig.put((EXAMPLES / UNIT).read_text(), f"/etc/systemd/system/{UNIT}")
        rig.put((EXAMPLES / OPTIONS).read_text(), f"/etc/modprobe.d/{OPTIONS}")
        rig.put(FEEDER, FEED)
        rig.sh(f"chmod 755 {FEED}; modprobe -r v4l2loopback; modprobe v4l2loopback; udevadm settle")
        cls.show_in(rig, SIZE)
        cls.feed(rig, SIZE)
        return rig

    @staticmethod
    def feed(rig, size):
        """Says which pictures the unit takes from now on, in the words of docs/raspberry-pi.md."""
        rig.sh(f"install -d {DROP_IN.rpartition('/')[0]}")
        rig.put(f"[Service]\nEnvironment=CAMERA={FEED}\nEnvironment=FORMAT=width={size[0]},height={size[1]},pixelformat=YU12\n", DROP_IN)
        rig.sh(f"systemctl daemon-reload; systemctl restart {LOOP}", timeout=120)

    @staticmethod
    def show_in(rig, size, *codes):
        """Puts codes into the camera's view, a whole picture at once."""
        picture = Picture.of(*codes, width=size[0], height=size[1])
        rig.put(picture.pixels + b"\x80" * (len(picture.pixels) // 2), f"{SEEN}.new")
        rig.sh(f"chmod 644 {SEEN}.new; mv {SEEN}.new {SEEN}")

    def setUp(self):
        self.pid = self.rig.main_pid(GATEWAY)
        super().setUp()

    def tearDown(self):
        self.show_in(self.rig, SIZE)
        self.assertEqual(self.rig.main_pid(GATEWAY), self.pid, "the gateway fell")

    def assert_shown_code_opens(self, size=SIZE):
        """The next code that is shown gives a whole pulse."""
        since = self.rig.mark()
        self.show_in(self.rig, size, self.code())
        self.whole_pulses("RELAY0", NORTH_PULSE, 1, since)
        self.show_in(self.rig, size)

    def of_loop(self, name):
        """The processes of the unit that have this name."""
        folder = r"/sys/fs/cgroup/system.slice/system-scangate\\x2dcamera\\x2dloop.slice"
        return self.rig.pids(name) & set(map(int, self.rig.sh(f"cat {folder}/{LOOP}/cgroup.procs 2> /dev/null", check=False).split()))

    def reads_again(self, since):
        self.said(r"desk is reading: .*NV12|desk is reading: .*YU12", since)

    def test_shown_codes_open_the_gate(self):
        for _ in range(2):
            self.assert_shown_code_opens()
        (writer,) = self.of_loop("v4l2-ctl")
        wanted = "NoNewPrivs|Seccomp|CapEff|CapBnd"
        status = dict(line.split(":\t") for line in self.rig.sh(f"grep -E '^({wanted}):' /proc/{writer}/status").splitlines())
        self.assertEqual(status, {"NoNewPrivs": "1", "Seccomp": "2", "CapEff": "0" * 16, "CapBnd": "0" * 16})
        self.assertNotEqual(self.rig.sh(f"stat -c %u /proc/{writer}").strip(), "0")

    def test_feeder_dies_and_comes_back(self):
        for name, signal in (("feed", "KILL"), ("v4l2-ctl", "KILL"), ("feed", "TERM")):
            since = self.rig.mark()
            for pid in self.of_loop(name):
                self.rig.kill(pid, signal)
            self.assert_admits(1, "RELAY1", SOUTH_PULSE)
            self.rig.until(lambda: self.of_loop("v4l2-ctl"), what="the unit's next start")
            self.assert_shown_code_opens()
            self.assertTrue([line for line in self.rig.journal(LOOP, since) if "Scheduled restart" in line], name)

    def test_camera_that_nobody_feeds_is_awaited(self):
        self.rig.sh(f"systemctl stop {LOOP}", timeout=60)
        self.said("desk is waiting for .*loopback device that nobody feeds")
        self.assert_admits(1, "RELAY1", SOUTH_PULSE)
        since = self.rig.mark()
        self.rig.sh(f"systemctl start {LOOP}", timeout=60)
        self.reads_again(since)
        self.assert_shown_code_opens()

    def test_pictures_of_another_size_are_read(self):
        self.addCleanup(lambda: (self.show_in(self.rig, SIZE), self.feed(self.rig, SIZE), self.reads_again(self.rig.mark())))
        since = self.rig.mark()
        self.show_in(self.rig, OTHER)
        self.feed(self.rig, OTHER)
        self.said(f"desk is reading: .*{OTHER[0]}x{OTHER[1]}", since)
        self.assert_shown_code_opens(OTHER)
