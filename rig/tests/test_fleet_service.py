"""A fleet under systemd, as docs/fleet-servers.md has a technician put it in: Debian's nats-server with the drop-in of `install.sh`, and the installed station beside it."""

import re

from machine import MachineError
from rig import PATIENCE
from service import CONFIGURATION, GATEWAY, ServiceCase, configuration
from sets import release

SERVER = "nats-server.service"
PLACE, FILES, CLAIMS = "/root/fleet", "/etc/scangate-fleet", "/var/lib/scangate-fleet"
#: The processor is emulated.
SLOWLY = 180


@release
class FleetService(ServiceCase):
    @classmethod
    def start(cls):
        rig = super().start()
        if not rig.ok("ls /payload/fleet/nats-server_*.deb /payload/fleet/libnats.so.*"):
            return rig
        # What `apt install nats-server libnats3.4` does.
        rig.sh("DEBIAN_FRONTEND=noninteractive dpkg -i /payload/fleet/nats-server_*.deb 2>&1; cp -n /payload/fleet/*.so* /usr/lib/x86_64-linux-gnu/; ldconfig", timeout=SLOWLY)
        rig.sh(f"install -d -m 700 {PLACE}; cd {PLACE}; scangate fleet init --name summer --nodes hall=127.0.0.1 --stations rig,spare summer; sh summer/servers/hall/install.sh 2>&1",
               timeout=SLOWLY)
        rig.until(lambda: rig.is_active(SERVER), SLOWLY, "nats-server runs")
        rig.wait_until("port 127.0.0.1 4222", timeout=SLOWLY)
        rig.sh(f"cd {PLACE}; scangate fleet open summer", timeout=SLOWLY)
        rig.sh(f"cd {PLACE}/summer/stations/rig; scangate credential set fleet --file credential; install -m 644 fleet-ca.pem /etc/scangate/", timeout=SLOWLY)
        rig.put(configuration() + rig.get(f"{PLACE}/summer/stations/rig/fleet.yaml").decode(), CONFIGURATION)
        rig.sh(f"systemctl restart {GATEWAY}", timeout=SLOWLY)
        return rig

    def setUp(self):
        if not self.rig.ok("test -e /usr/sbin/nats-server"):
            self.skipTest("there is no nats-server for this guest's processor")
        super().setUp()
        self.until_together()

    def status(self):
        """What the folder's owner sees of the fleet."""
        return self.rig.sh(f"scangate fleet status {PLACE}/summer; true", timeout=SLOWLY)

    def until_together(self):
        """Waits until the server has the book, and the station its fleet."""
        try:
            self.rig.until(lambda: "all servers are there" in self.status(), SLOWLY, "the server is well")
            self.rig.until(lambda: re.search(r"fleet +summer, together", self.rig.sh("scangate status; true", timeout=PATIENCE)), SLOWLY, "the station has its fleet")
        except MachineError as error:
            self.fail(f"{error}\n{self.status()}\n{self.rig.sh('scangate status; true')}\n" + "\n".join(self.rig.journal(SERVER)[-20:] + self.rig.journal(GATEWAY)[-20:]))

    def test_the_unit_runs_the_server_as_the_drop_in_says(self):
        pid = self.rig.main_pid(SERVER)
        self.assertEqual(self.rig.sh(f"stat -c %U /proc/{pid}; stat -c '%U %a' {CLAIMS} {FILES}/key.pem").splitlines(), ["nats", "nats 700", "root 640"])
        held = self.rig.sh(f"grep -E '^(CapEff|NoNewPrivs)' /proc/{pid}/status").split()
        self.assertEqual((int(held[1], 16), held[3]), (0, "1"))
        # What it has no business with it does not see, or cannot write.
        self.assertFalse(self.rig.ok(f"nsenter -t {pid} -m setpriv --reuid=nats --regid=nats --clear-groups sh -c 'echo x > {FILES}/x || echo x > /var/lib/x'"))

    def test_it_comes_back_by_itself_and_nobody_passes_meanwhile_and_all_is_there(self):
        self.assert_admits()
        claims = self.claims()
        pid = self.rig.main_pid(SERVER)
        self.rig.sh(f"kill -KILL {pid}")
        self.restarted(SERVER, pid, SLOWLY)
        self.until_together()
        self.assertGreaterEqual(self.claims(), claims)
        self.assert_admits()
        self.assertGreater(self.claims(), claims)

    def test_it_stops_in_order_and_begins_again_with_the_book(self):
        self.assert_admits()
        claims, since = self.claims(), self.rig.mark()
        self.rig.sh(f"systemctl stop {SERVER}", timeout=SLOWLY)
        self.assertEqual(self.rig.unit(SERVER, "Result"), "success", "\n".join(self.rig.journal(SERVER, since)))
        self.rig.sh(f"systemctl start {SERVER}", timeout=SLOWLY)
        self.until_together()
        self.assertGreaterEqual(self.claims(), claims)
        self.assert_admits()

    def test_a_station_is_taken_away_while_the_server_stays_up(self):
        pid = self.rig.main_pid(SERVER)
        self.rig.sh(f"scangate fleet revoke spare {PLACE}/summer; sh {PLACE}/summer/servers/hall/install.sh", timeout=SLOWLY)
        self.until_together()
        self.assertEqual(self.rig.main_pid(SERVER), pid)
        self.assert_admits()

    def claims(self):
        """How many the book has."""
        return int(re.search(r"^Claims: (\d+)", self.status(), re.M)[1])
