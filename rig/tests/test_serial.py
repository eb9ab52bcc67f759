"""Serial scanners: read as wedges are, and as safe to unplug."""

from test_gate import LEFT, RIGHT, GateCase, ReplugCase
from sets import release

SERIAL = {"vendor": "05e0", "product": "1701", "manufacturer": "Symbol", "name": "Symbol Bar Code Scanner", "serial": "SN0003"}
SERIAL_MATCH = '{vendor: "05e0", product: "1701", serial: SN0003}'


def allow_serial(test):
    """Gives the group that the service runs in what the shipped rules give it where it is installed."""
    test.rig.udev_rule("90-serial", 'SUBSYSTEM=="tty", KERNEL=="ttyACM*", GROUP="input", MODE="0660"\n')
    test.addCleanup(test.rig.udev_rule, "90-serial", None)


class Serial(GateCase):
    def test_cdc_acm_scanner_is_read(self):
        allow_serial(self)
        self.rig.plug_serial(2, **SERIAL)
        self.serve(["Serial-1", "Serial-2"], third=SERIAL_MATCH)
        self.taken(2)
        self.rig.type(2, "Serial-1")
        scan = self.scan_of("Serial-1")
        self.assertEqual((scan["verdict"], scan["reader"], scan["gate"]), ("admit", "third", "north"))
        self.rig.unplug(2)
        self.rig.replug(2)
        self.taken(2)
        self.rig.type(2, "Serial-2")
        self.assertEqual(self.scan_of("Serial-2")["verdict"], "admit")

    @release
    def test_pseudo_terminal_is_read(self):
        other = self.rig.spawn("pty", "pty /run/rig/scanner gate")
        self.rig.wait_until("exists /run/rig/scanner")
        self.serve(["Pty-code-1"], third="{path: /run/rig/scanner}")
        self.rig.wait_until(f"opened {self.service.pid} /run/rig/scanner")
        self.rig.pause(0.7)
        self.rig.machine.write("/run/rig/scanner.in", "Pty-code-1\r")
        self.assertEqual(self.scan_of("Pty-code-1")["verdict"], "admit")
        self.assertTrue(self.alive(other))


class Replugging(ReplugCase):
    """`rig/test -k replugging --rounds 200` is the long run of it; each round unplugs every scanner once."""

    def test_replugging_while_typing_never_makes_a_wrong_code(self):
        allow_serial(self)
        self.rig.plug(0, **LEFT)
        self.rig.plug(1, **RIGHT)
        self.rig.plug_serial(2, **SERIAL)
        self.replug_while_typing({0: "us", 1: "de", 2: None}, third=SERIAL_MATCH)
