"""From a bare Debian to a working gate and back, as docs/installation.md tells a technician to do it."""

import re

import case
from case import InstalledCase
from rig import FOLDER, GATE_IN_GUEST
from service import CONFIGURATION, GATEWAY, HOLDER, KEY, LEFT, NORTH_PULSE, SOCKET, VENUE, ServiceCase
from stages import dependencies
from stages.installed import FILES

GATE = f"""
version: 1
station: {{name: fresh}}
ticketSystems:
  venue: {{type: eventschedule, url: "http://{VENUE}", apiKeyFile: {KEY}, rate: {{limit: 10000}}}}
gates:
  north:
    readers: [READER]
    ticketSystem: venue
    {GATE_IN_GUEST}
    outputs:
      relay: {{gpio: {{chip: gate, line: RELAY0}}, pulse: {NORTH_PULSE} ms}}
      green: {{led: "gate:green:pass"}}
"""
# What a package leaves on purpose: its users, so that their numbers are never another's.
USERS = {"scangate", "scangate-console", "scangate-mqtt", "scangate-outputs"}
#: What of ours systemd starts.
UNITS = [GATEWAY, HOLDER, SOCKET, "scangate-console.service", "scangate-mqtt.service", "scangate-report.socket", "scangate-report.service"]
# Changed by every installation, whatever it installs; and what runs while it goes on.
NOT_OURS = r"^/(proc|sys|dev|run|tmp|payload|var/lib/dpkg|var/log|var/cache|var/lib/systemd|root)(/|$)|^/etc/(passwd|group|shadow|gshadow)-?$|^/etc/\.pwd\.lock$|/ld\.so\.cache$"


class Package(InstalledCase):
    def test_from_bare_debian_to_an_admission_and_away(self):
        rig = self.rig
        self.assertEqual(dependencies.unnamed(case.deb, FOLDER), set(), "the guest has them, but others have not: they are to be named by the package")
        said = (rig.state / "said").read_text()
        self.assertIn("scangate", said)
        self.assertNotRegex(said, r"(?i)error|warning|failed", said)
        self.assertEqual(rig.unit(HOLDER, "ActiveState"), "active")
        for unit in (GATEWAY, "scangate-console.service", "scangate-mqtt.service"):
            self.assertEqual(rig.unit(unit, "ActiveState"), "inactive", "there is no configuration yet")
        self.assertEqual(rig.sh("systemctl --failed --no-legend --plain").strip(), "")

        rig.load_devices("usb", "gpio", "leds")
        scanner = rig.plug(0, **LEFT)
        block = self.proposed(scanner.node)
        rig.unused_codes = iter(["TICKET-000"])
        ServiceCase.serve_tickets(rig)
        (reader,) = re.findall(r"^  (\S+):", block, re.M)
        rig.put(GATE.replace("READER", reader) + block, CONFIGURATION)
        rig.sh(f"scangate config check {CONFIGURATION}")
        rig.sh(f"systemctl start {GATEWAY}", timeout=120)
        ServiceCase.taken(self, 0)
        self.since = rig.mark()
        rig.type(0, "TICKET-000")
        self.whole_pulses("RELAY0", NORTH_PULSE, 1)

        rig.sh("systemctl stop venue")
        said = rig.sh("dpkg --purge scangate 2>&1", timeout=300)
        # Folders that udev ships by their other name, /lib, are no concern of dpkg's nor ours.
        said = re.sub(r"dpkg: warning: while removing scangate, directory '/usr/lib/\S+' not empty so not removed\n", "", said)
        self.assertNotRegex(said, r"(?i)error|warning|failed", said)
        before = set((rig.state / "before").read_text().splitlines())
        left = {path for path in self.files() - before if not re.search(NOT_OURS, path)}
        self.assertEqual(left, set())
        for unit in UNITS:
            self.assertEqual(rig.unit(unit, "LoadState"), "not-found")
        self.assertEqual(rig.sh("ls -d /run/scangate* /var/lib/scangate* /var/lib/systemd/deb-systemd-helper*/*scangate* 2>/dev/null", check=False), "")
        named = rig.sh("grep -rl scangate /etc /usr/lib/udev /usr/lib/systemd 2>/dev/null", check=False).split()
        self.assertEqual({path for path in named if not re.search(NOT_OURS, path)}, set())
        users = rig.sh("getent passwd | cut -d: -f1").split()
        self.assertLessEqual({user for user in users if user.startswith("scangate")}, USERS)

    def proposed(self, node):
        """The block for the configuration that `scangate devices` offers for a scanner."""
        said = self.rig.sh("scangate devices 2>&1")
        self.assertIn(node, said)
        found = re.search(r"^( *)readers:\n(?:\1 +.*\n?)+", said, re.M)
        self.assertIsNotNone(found, said)
        margin = len(found[1])
        return "".join(f"{line[margin:]}\n" for line in found[0].splitlines())

    def files(self):
        return set(self.rig.sh(FILES, timeout=120).splitlines())
