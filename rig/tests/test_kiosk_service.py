"""The installed service of a station that nobody has set up: from a bare boot to an admission by one scan, as docs/set-up.md tells it."""

import re

from case import InstalledCase
from rig import GATE_IN_GUEST
from service import CONFIGURATION, CONTROL, GATEWAY, HOLDER, KEY, LEFT, NORTH_PULSE, SOCKET, VENUE, ServiceCase
from sets import release

REGISTRATION = "registration-token-of-the-rig"
STATION = f"""
version: 1
station: {{name: fresh}}
control: {{type: kiosk, url: "http://{VENUE}", registration: kiosk}}
ticketSystems:
  venue: {{type: eventschedule, url: "http://{VENUE}", apiKeyFile: {KEY}, rate: {{limit: 10000}}}}
readers:
  left: {{type: wedge, match: {{vendor: "{LEFT['vendor']}", product: "{LEFT['product']}"}}}}
gates:
  north:
    readers: [left]
    ticketSystem: venue
    {GATE_IN_GUEST}
    outputs:
      relay: {{gpio: {{chip: gate, line: RELAY0}}, pulse: {NORTH_PULSE} ms}}
      red: {{led: "gate:red:deny"}}
"""


@release
class Fresh(InstalledCase):
    def test_station_comes_alive_by_one_scan(self):
        rig = self.rig
        rig.sh("install -d /run/venue")
        rig.put(REGISTRATION, "/run/venue/registration")
        rig.sh("chmod 600 /run/venue/registration")
        ServiceCase.serve_tickets(rig, "--kiosk-token-file", "/run/venue/registration")
        rig.put(STATION, CONFIGURATION)
        rig.sh(f"scangate credential set kiosk --file /run/venue/registration && systemctl start {SOCKET} {HOLDER} {GATEWAY}", timeout=120)
        rig.load_devices("usb", "gpio", "leds")
        rig.plug(0, **LEFT)
        self.said("set-up codes are taken")
        self.said("reader left is reading")
        since = rig.mark()
        code = re.search(r"\b[0-9A-F]{8}\b", rig.sh(f"scangate venue activation-code --control {CONTROL}"))[0]
        rig.type(0, code)
        self.said("the station is activated", since)
        self.said("gate north is ready", since)
        self.assertEqual(rig.edges("RELAY0"), [])
        self.admits("TICKET-000")

        # What it has been given outlives its process, and needs no other scan.
        since = rig.mark()
        rig.sh(f"systemctl restart {GATEWAY}", timeout=120)
        self.said("gate north is ready", since)
        self.said("reader left is reading", since)
        self.admits("TICKET-001")
        rig.sh(f"scangate kiosk status --config {CONFIGURATION}")
        said = "\n".join(rig.journal(GATEWAY))
        for secret in (code, REGISTRATION):
            self.assertNotIn(secret, said)

    def said(self, words, since=0):
        """Waits for words of the service in the journal."""
        self.rig.until(lambda: any(words in line.lower() for line in self.rig.journal(GATEWAY, since)), 120, f"“{words}” in the journal")

    def admits(self, ticket):
        since = self.rig.mark()
        self.rig.type(0, ticket)
        self.whole_pulses("RELAY0", NORTH_PULSE, 1, since)
