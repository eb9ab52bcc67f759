"""The installed service on a Raspberry Pi's kind of processor. What it says and does is printed: it is what there is to see of a machine that nobody has before him."""

import json
import re

from rig import CAMERA, MS
from service import GATEWAY, HOLDER, NORTH_PULSE, ServiceCase, configuration
from sets import release
from test_board import Keyboard, on_board
from test_camera import WORKER

#: The gateway and its holder together, in KiB.
MEMORY = 35 << 10


@on_board
@release
class Service(ServiceCase):
    """A keyboard behind the USB controller and a camera beside the scanner of `north`."""

    keyboard = None

    @staticmethod
    def configured():
        readers = f"""readers:
  board: {{type: wedge, match: {{vendor: "0627", product: "0001"}}, keymap: us}}
  desk:  {{type: camera, match: {{path: {CAMERA}}}, kinds: [qr]}}"""
        return configuration().replace("readers:", readers, 1).replace("readers: [left]", "readers: [board, desk, left]")

    def setUp(self):
        rig = self.rig
        if rig.camera:
            rig.resume_camera()
        else:
            # No keyboard is a reader but by a rule of the station's own.
            rig.udev_rule("69-scangate-local", 'SUBSYSTEM=="input", ATTRS{idVendor}=="0627", ATTRS{idProduct}=="0001", ENV{SCANGATE_READER}="1"\n')
            rig.plug_camera("GREY")
            Service.keyboard = Keyboard(rig)
        super().setUp()

    def tell(self, *lines):
        print(*(f"        {line}" for line in lines), sep="\n", flush=True)

    def assert_opens(self, how, present):
        """A code that is presented so gives a whole pulse."""
        code, since = self.code(), self.rig.mark()
        present(code)
        (pulse,) = self.whole_pulses("RELAY0", NORTH_PULSE, 1, since)
        self.tell(f"{code}, {how}: RELAY0 for {pulse.length / MS:.1f} ms, {(pulse.at - since) / MS:.0f} ms after that began")

    def test_code_that_is_typed_behind_a_usb_controller(self):
        self.assertTrue(self.rig.grabbed(self.keyboard.node))
        self.assert_opens("typed on a USB keyboard", self.keyboard.type)

    def test_code_that_is_shown_to_a_camera(self):
        self.assert_opens("shown to a camera", self.rig.show)
        (worker,) = self.rig.pids(WORKER) & set(map(int, self.rig.get(f"/sys/fs/cgroup/system.slice/{GATEWAY}/cgroup.procs").split()))
        status = dict(line.split(":\t") for line in self.rig.sh(f"grep -E '^(NoNewPrivs|Seccomp|CapEff):' /proc/{worker}/status").splitlines())
        self.assertEqual(status, {"NoNewPrivs": "1", "Seccomp": "2", "CapEff": "0" * 16})
        self.rig.show()

    def test_memory_of_gateway_and_holder(self):
        self.assert_admits()
        gateway, holder = (self.taken_by(self.rig.main_pid(unit)) for unit in (GATEWAY, HOLDER))
        decoders = [self.taken_by(worker) for worker in self.rig.pids(WORKER)]
        self.tell(f"PSS: gateway {gateway} KiB, holder {holder} KiB, together {gateway + holder} of {MEMORY}; decoders besides: {decoders}")
        self.assertLessEqual(gateway + holder, MEMORY)

    def taken_by(self, process):
        """What a process takes of the memory (PSS), in KiB."""
        return int(re.search(r"^Pss:\s+(\d+) kB", self.rig.get(f"/proc/{process}/smaps_rollup").decode(), re.M)[1])

    def test_package_tells_what_it_is(self):
        version = json.loads(self.rig.sh("scangate version --json"))
        del version["packages"]
        self.tell(*self.rig.sh("uname -srm; getconf PAGE_SIZE; dpkg-query -W scangate").strip().splitlines(), json.dumps(version))
        self.assertEqual(version["architecture"], "arm64")
