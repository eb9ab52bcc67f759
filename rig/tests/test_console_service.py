"""The installed console and bridge: what becomes of a station is told to machines and to people who are not there, and one pulse is one order."""

import json
import re
import time

from broker import BRIDGE, NAME, PASSWORDS, PORT, Broker
from rig import PATIENCE
from service import GATEWAY, NORTH_PULSE, configuration
from sets import release
from test_station_service import CANNOT_ADMIT, WELL, StationCase

CONSOLE, BRIDGE_UNIT = "scangate-console.service", "scangate-mqtt.service"
UNITS = {CONSOLE: "scangate-console", BRIDGE_UNIT: "scangate-mqtt"}
CONSOLE_PORT, RECEIVER_PORT = 8088, 8099
TOKEN, ALERT_TOKEN = "token-of-the-rig-0123456789abcdef", "token-of-the-receiver-4711abcd"
BASE = "scangate/rig"
#: How long something is wrong before somebody is told, and well before that is, in seconds.
BAD, GOOD = 60, 120

#: Takes alerts over HTTP, one connection after the other, and writes each down as one line of its words.
RECEIVER = r"""
use strict; use IO::Socket::INET;
my $listener = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => $ARGV[0], Listen => 8, ReuseAddr => 1) or die "$!";
$| = 1; print "listens\n";
while (my $client = $listener->accept) {
    my ($head, $length) = ("", 0);
    while (defined(my $line = <$client>)) { $line =~ s/\r?\n$//; last if $line eq ""; $head .= "$line; "; $length = $1 if $line =~ /^content-length: *(\d+)/i }
    my $body = ""; read $client, $body, $length if $length;
    $body =~ s/\n/ | /g;
    print "alert: $head $body\n";
    print {$client} "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    close $client;
}
"""


class ConsoleServiceCase(StationCase):
    """Gateway, console and bridge as their units start them, a broker, and somebody whom alerts are posted to."""

    @staticmethod
    def configured():
        return configuration() + f"""
console:
  listen: 127.0.0.1:{CONSOLE_PORT}
  orders: [maintenance]
  tokens: {{ rig-token: [events, orders, metrics] }}
  alerts: {{ url: "http://127.0.0.1:{RECEIVER_PORT}/gate", token: rig-alerts, on: [reader] }}
mqtt:
  broker: "mqtts://{NAME}:{PORT}"
  caFile: /run/broker/ca.pem
  user: {BRIDGE}
  credential: broker-password
  homeAssistant: true
"""

    @classmethod
    def start(cls):
        rig = super().start()
        for unit in UNITS:
            # As the gateway's own: the processor is emulated.
            rig.sh(f"install -d /etc/systemd/system/{unit}.d")
            rig.put("[Service]\nTimeoutStartSec=150\nWatchdogSec=0\n", f"/etc/systemd/system/{unit}.d/emulated.conf")
        rig.sh("systemctl daemon-reload", timeout=120)
        for folder, name, secret in (("console", "rig-token", TOKEN), ("console", "rig-alerts", ALERT_TOKEN), ("mqtt", "broker-password", PASSWORDS[BRIDGE])):
            rig.known.add("token or password", secret)
            rig.sh(f"install -d -m 700 /etc/scangate/{folder}")
            rig.put(f"{secret}\n", f"/etc/scangate/{folder}/{name}")
            rig.sh(f"chmod 600 /etc/scangate/{folder}/{name}")
        return rig

    def setUp(self):
        super().setUp()
        self.rig.put(RECEIVER, "/run/rig/receiver.pl")
        self.receiver = self.rig.spawn("receiver", f"perl /run/rig/receiver.pl {RECEIVER_PORT}")
        self.receiver.says("listens")
        self.broker = Broker(self.rig)
        self.broker.start()
        self.rig.sh(f"systemctl restart {' '.join(UNITS)}", timeout=160)
        self.addCleanup(self.rig.sh, f"systemctl stop {' '.join(UNITS)}", timeout=160)
        self.broker.until(f"{BASE}/service", "online", 2 * PATIENCE)

    def ask(self, path, method="GET", body="", token=TOKEN):
        """What the console answers: its status, and the rest."""
        asked = (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{CONSOLE_PORT}\r\nConnection: close\r\nContent-Type: application/json\r\n"
                 f"Content-Length: {len(body)}\r\nAuthorization: Bearer {token}\r\n\r\n{body}")
        self.rig.put(asked, "/run/rig/request")
        said = self.rig.sh(f"""perl -MIO::Socket::INET -e '
            $console = IO::Socket::INET->new("127.0.0.1:{CONSOLE_PORT}") or exit 1; open $request, "<", "/run/rig/request" or die "$!";
            print {{$console}} <$request>; $console->flush; print <$console>;'""", check=False)
        self.rig.heard.take("the console's answers", said)
        head, _, body = said.replace("\r\n", "\n").partition("\n\n")
        status = re.match(r"HTTP/1.1 (\d+)", head)
        return int(status[1]) if status else 0, body

    def until_status_is(self, path, status, timeout=PATIENCE):
        self.rig.until(lambda: self.ask(path)[0] == status, timeout, f"{path} that answers {status}")

    def metric(self, pattern):
        """The values of the series that match."""
        status, page = self.ask("/metrics")
        self.assertEqual(status, 200, page)
        return [float(value) for value in re.findall(rf"^{pattern} (\S+)$", page, re.M)]

    def alerts(self):
        found = [line for line in self.receiver.log().splitlines() if line.startswith("alert: ")]
        # It is told the token that it was given, as it should be, and nothing else.
        self.rig.heard.take("an alert", re.sub(r"(?i)authorization: bearer [^; ]+", "", "\n".join(found)))
        return found

    def exposure(self, unit):
        said = self.rig.sh(f"systemd-analyze security --no-pager {unit}")
        found = re.search(r"Overall exposure level for \S+: ([\d.]+)", said)
        self.assertIsNotNone(found, said)
        return float(found[1]), said


class Units(ConsoleServiceCase):
    def test_console_and_bridge_start_and_have_nothing_else(self):
        self.until_status_is("/readyz", 200)
        self.assertEqual(self.ask("/healthz")[0], 200)
        for unit, user in UNITS.items():
            self.assertTrue(self.rig.is_active(unit))
            exposure, said = self.exposure(unit)
            self.assertLessEqual(exposure, 1.5, said)
            pid = self.rig.main_pid(unit)
            self.assertEqual(self.rig.sh(f"stat -c %U /proc/{pid}").strip(), user)
            self.assertEqual(self.rig.sh(f"grep CapEff /proc/{pid}/status").split()[1].strip("0"), "")
            for path in ("/var/lib/scangate", "/etc/scangate/keys", "/etc/scangate/console", "/etc/scangate/mqtt"):
                self.assertFalse(self.rig.ok(f"setpriv --reuid={user} --regid=scangate-console --clear-groups ls {path}"), f"{user} reads {path}")
            said = "\n".join(self.rig.journal(unit, self.since))
            for secret in (TOKEN, ALERT_TOKEN, *PASSWORDS.values()):
                self.assertNotIn(secret, said)
        admitted = r'scangate_scans_total\{[^}]*gate="north"[^}]*verdict="admit"[^}]*\}'
        before, code = sum(self.metric(admitted)), self.code()
        self.rig.type(0, code)
        self.rig.until(lambda: self.broker.heard(f"{BASE}/gates/north/verdict"), what="a verdict at the broker")
        self.whole_pulses("RELAY0", NORTH_PULSE, 1)
        self.assertEqual(sum(self.metric(admitted)), before + 1)
        self.assertNotIn(code, "".join(message.payload for message in self.broker.heard()))


@release
class Reloads(ConsoleServiceCase):
    """One command takes a changed file, whoever reads it."""

    def pids(self):
        return [self.rig.main_pid(unit) for unit in UNITS]

    def test_console_and_bridge_are_started_anew_by_a_file_that_is_right(self):
        self.until_status_is("/readyz", 200)
        path, text = "/etc/scangate/scangate.yaml", self.configured()
        gateway, before = self.rig.main_pid(GATEWAY), self.pids()
        self.addCleanup(self.rig.sh, f"systemctl reload {GATEWAY}", timeout=120)
        self.addCleanup(self.rig.put, text, path)
        self.rig.put(text + "nonsense: [\n", path)
        self.assertFalse(self.rig.ok(f"systemctl reload {GATEWAY}"))
        self.assertEqual(self.pids(), before, "a file with errors changes nothing")
        self.rig.put(text.replace("tokens: { rig-token: [events, orders, metrics] }", "tokens: { rig-token: [events] }"), path)
        self.rig.sh(f"systemctl reload {GATEWAY}", timeout=120)
        # What the token may no longer do, the new console knows.
        self.until_status_is("/metrics", 403, 3 * PATIENCE)
        self.broker.until(f"{BASE}/service", "online", 2 * PATIENCE)
        self.rig.until(lambda: all(new not in (0, old) for new, old in zip(self.pids(), before)), 2 * PATIENCE, "that both are others")
        self.assertEqual(self.rig.main_pid(GATEWAY), gateway)
        # Who was stopped by hand stays so.
        self.rig.sh(f"systemctl stop {BRIDGE_UNIT}", timeout=120)
        self.rig.sh(f"systemctl reload {GATEWAY}", timeout=120)
        self.until_status_is("/readyz", 200, 3 * PATIENCE)
        self.assertFalse(self.rig.is_active(BRIDGE_UNIT))


@release
class Trouble(ConsoleServiceCase):
    def test_scanner_that_is_unplugged_is_told_everywhere_and_that_it_is_back(self):
        reader = f"{BASE}/readers/left/state"
        self.until_status_is("/readyz", 200)
        self.until_status(WELL)
        self.broker.until(reader, {"state": "reading"})
        reading = self.metric(r'scangate_reader_state\{reader="left",state="reading"\}')
        self.assertEqual(reading, [1.0])
        began = time.monotonic()
        self.rig.unplug(0)
        try:
            self.broker.until(reader, {"state": "parked"})
            self.rig.until(lambda: self.metric(r'scangate_reader_state\{reader="left",state="reading"\}') == [0.0], what="the metric of a reader that is gone")
            self.until_status(CANNOT_ADMIT, "gate north", "reader left")
            finding, ended = self.assert_found("readers", "readers.left", "fault or warning", "^It is not plugged in")
            self.assertEqual(ended, CANNOT_ADMIT)
            self.assertIn("scangate devices", finding["cure"])
            self.rig.until(self.alerts, BAD + 2 * PATIENCE, "an alert")
            self.assertGreater(time.monotonic() - began, BAD - 10)
            self.assertIn("Reader left is not plugged in", self.alerts()[0])
            self.assertIn(f"authorization: bearer {ALERT_TOKEN}", self.alerts()[0].lower())
        finally:
            self.rig.replug(0)
        self.rest()
        self.broker.until(reader, {"state": "reading"})
        self.rig.until(lambda: self.metric(r'scangate_reader_state\{reader="left",state="reading"\}') == [1.0], what="the metric of a reader that is back")
        self.until_status(WELL)
        self.rig.until(lambda: len(self.alerts()) >= 2, GOOD + 2 * PATIENCE, "that the alert is over")
        self.assertEqual(len(self.alerts()), 2)
        self.assert_admits()


@release
class Orders(ConsoleServiceCase):
    def test_open_is_one_pulse_that_machines_are_told_and_cannot_give(self):
        self.until_status_is("/readyz", 200)
        status, said = self.ask("/api/v1/orders", "POST", json.dumps({"order": "openOnce", "gate": "north"}))
        self.assertEqual((status, json.loads(said)["refusal"]), (403, "notAllowed"), said)
        self.assertEqual(self.rig.edges("RELAY0", self.since), [])
        before = sum(self.metric(r'scangate_orders_total\{[^}]*order="openOnce"[^}]*\}'))
        booked = self.booked()
        said, ended = self.run_as("open north --why wheelchair")
        self.assertEqual(ended, 0, said)
        self.whole_pulses("RELAY0", NORTH_PULSE, 1)
        self.assertEqual(self.rig.edges("RELAY1", self.since), [], "the other gate")
        self.assertEqual(self.booked(), booked)
        self.rig.until(lambda: sum(self.metric(r'scangate_orders_total\{[^}]*order="openOnce"[^}]*\}')) == before + 1, what="the order among the metrics")
        journaled = [json.loads(line) for line in self.rig.sh("scangate orders --json", timeout=120).splitlines()][-1]
        self.assertEqual({name: journaled[name] for name in ("order", "gate", "why", "outcome", "decided_by", "user")},
                         {"order": "openOnce", "gate": "north", "why": "wheelchair", "outcome": "done", "decided_by": "staff", "user": 0})

    def test_maintenance_by_the_console_outlives_it(self):
        self.until_status_is("/readyz", 200)
        self.addCleanup(self.run_as, "maintenance off south")
        status, said = self.ask("/api/v1/orders", "POST", json.dumps({"order": "maintenance", "gate": "south", "on": True, "why": "arm stuck"}))
        self.assertEqual((status, json.loads(said)["outcome"]), (200, "done"), said)
        self.broker.until(f"{BASE}/gates/south/state", {"state": "maintenance"})
        pid = self.rig.main_pid(CONSOLE)
        self.rig.kill(pid)
        self.restarted(CONSOLE, pid)
        self.until_status_is("/readyz", 200)
        self.broker.until(f"{BASE}/gates/south/state", {"state": "maintenance"})
        self.assertTrue(self.rig.is_active(GATEWAY))
