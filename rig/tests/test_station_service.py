"""The installed station, seen and led through its socket: what its scanners and rules lack, who may look and order, and one pulse for one order."""

import json

from rig import PATIENCE, MachineError
from service import GATEWAY, NORTH_PULSE, SOUTH_PULSE, ServiceCase
from sets import release

SOCKET = "/run/scangate-station.sock"
WELL, CANNOT_ADMIT = 0, 2
DONE, REFUSED, UNAVAILABLE = 0, 1, 69
RULES = "70-scangate.rules"
SCANGATE = "/usr/bin/scangate"


class StationCase(ServiceCase):
    """A station that root looks at, and others by their groups."""

    @classmethod
    def start(cls):
        rig = super().start()
        # The unit may not ask the kernel how its clock is: systemd's time daemon is asked, by D-Bus. Nothing starts in the guest that is not wanted.
        rig.sh("cd /etc/systemd/system && rm -f dbus.socket dbus.service systemd-timedated.service && systemctl daemon-reload && systemctl start dbus.socket", timeout=120)
        return rig

    def setUp(self):
        super().setUp()
        # As after a word from a time server: else it is a matter of chance who has vouched for the clock by now.
        self.rig.set_clock_trust(True)
        self.addCleanup(self.rig.set_clock_trust, False)
        self.since = self.rig.mark()

    def run_as(self, words, groups=None):
        """What a command says, and what it ends with; as root, or as nobody in these groups."""
        prefix = ""
        if groups is not None:
            numbers = ",".join(self.rig.sh(f"getent group {group} | cut -d: -f3").strip() for group in groups)
            prefix = f"setpriv --reuid=nobody --regid=nogroup {f'--groups={numbers}' if numbers else '--clear-groups'} "
        to = "2> /dev/null" if "--json" in words else "2>&1"
        *lines, status = self.rig.sh(f"{prefix}{SCANGATE} {words} {to}; status=$?; echo; echo $status", timeout=PATIENCE).splitlines()
        return "\n".join(lines).strip(), int(status)

    def until_status(self, level, *places):
        """Waits until `status` is so, with remarks on all of these; returns the remarks, by place. That the guest's disk is small is no news."""
        found = {}

        def is_so():
            said, ended = self.run_as("status --json")
            status = json.loads(said)
            self.assertEqual(ended, status["level"], said)
            found.clear()
            found.update({remark["place"]: remark for remark in status["remarks"] if remark["place"] != "disk"})
            return max((remark["level"] for remark in found.values()), default=WELL) == level and set(places) <= set(found)

        try:
            self.rig.until(is_so)
        except MachineError:
            self.fail(f"no status of {level} that speaks of {places}: {found}")
        return found

    def findings(self):
        """What the doctor has found, by area and place, and what it ends with."""
        said, ended = self.run_as("doctor --json")
        report = json.loads(said)
        self.assertEqual(ended, report["exit"], said)
        return {(finding["area"], finding["place"]): finding for finding in report["findings"]}, ended

    def assert_found(self, area, place, severity, words):
        """The doctor says so of a place, with one of these severities; returns the finding, and what the doctor ends with."""
        found, ended = self.findings()
        self.assertIn((area, place), found)
        finding = found[area, place]
        self.assertIn(finding["severity"], severity.split(" or "), finding)
        self.assertRegex(finding["words"], words)
        return finding, ended


@release
class Devices(StationCase):
    """What status and doctor say of a scanner that cannot be read, and that it can be again."""

    def assert_well(self):
        self.rest()
        self.until_status(WELL)
        self.assert_found("readers", "readers.left", "good", "^The service reads it")
        self.assert_admits()

    def test_scanner_that_is_unplugged(self):
        self.until_status(WELL)
        self.rig.unplug(0)
        try:
            remarks = self.until_status(CANNOT_ADMIT, "gate north", "reader left")
            self.assertEqual(remarks["gate north"]["words"], "no code can be presented: none of its readers reads (left)")
            self.assertEqual((remarks["reader left"]["words"], remarks["reader left"]["cure"]), ("it is not plugged in", "scangate devices"))
            self.assertEqual(set(remarks), {"gate north", "reader left"})
            finding, ended = self.assert_found("readers", "readers.left", "fault", "^It is not plugged in")
            self.assertEqual(ended, CANNOT_ADMIT)
            self.assertIn("scangate devices", finding["cure"])
            said, ended = self.run_as("status")
            self.assertEqual(ended, CANNOT_ADMIT)
            self.assertRegex(said, r"A GATE CANNOT ADMIT(?s:.*)reader left: it is not plugged in")
        finally:
            self.rig.replug(0)
        self.assert_well()

    def test_rule_that_is_taken_away(self):
        rules = f"/usr/lib/udev/rules.d/{RULES}"
        self.rig.sh(f"mv {rules} /run/rules.away; udevadm control --reload")
        try:
            self.rig.unplug(0)
            self.rig.replug(0)
            found, ended = self.findings()
            self.assertEqual(ended, CANNOT_ADMIT)
            rule, reader = found["udev", RULES], found["readers", "readers.left"]
            self.assertEqual((rule["severity"], reader["severity"]), ("warning", "fault"), reader)
            self.assertIn(f"udev has no rule {RULES}", rule["words"])
            self.assertIn("apt-get install --reinstall scangate", rule["cure"])
            for words in ("The service's user scangate may not open", self.rig.devices[0].node, "no udev rule has given it to the service"):
                self.assertIn(words, reader["words"])
            self.until_status(CANNOT_ADMIT, "gate north", "reader left")
        finally:
            self.rig.sh(f"mv /run/rules.away {rules}; udevadm control --reload; udevadm trigger --settle --subsystem-match=input")
        self.assert_well()
        self.assert_found("udev", rules, "good", "udev has it")


class Orders(StationCase):
    """Who gives which, and what comes of it."""

    def assert_opens(self, gate, line, length):
        """An order of root's is one whole pulse."""
        since = self.rig.mark()
        said, ended = self.run_as(f"open {gate} --why wheelchair")
        self.assertEqual(ended, DONE, said)
        self.whole_pulses(line, length, 1, since)
        self.said(rf"ordered openOnce at gate {gate}.*done", since)

    def test_open_is_one_pulse(self):
        booked = self.booked()
        self.assert_opens("north", "RELAY0", NORTH_PULSE)
        self.assertEqual(self.rig.edges("RELAY1", self.since), [], "the other gate")
        self.assertEqual(self.booked(), booked, "it counts no ticket")
        self.assert_admits()
        self.whole_pulses("RELAY0", NORTH_PULSE, 2)

    def test_who_may_look_and_order(self):
        self.assertEqual(self.rig.sh(f"stat -c '%F %U %G %a' {SOCKET}").strip(), "socket scangate scangate-console 660")
        member, others = ["scangate-console"], ([], ["scangate"], ["scangate-outputs", "video"])
        said, ended = self.run_as("status --json", member)
        self.assertTrue(json.loads(said)["running"], said)
        self.assertIn(ended, (0, 1, 2))
        for words in ("open south", "maintenance on south", f"present south {self.code()}"):
            said, ended = self.run_as(words, member)
            self.assertEqual(ended, REFUSED, said)
            self.assertIn("(notAllowed)", said)
        for groups in others:
            for words in ("status", "open south"):
                said, ended = self.run_as(words, groups)
                self.assertEqual(ended, UNAVAILABLE, f"{words} by {groups}: {said}")
                self.assertIn("this user may not speak with the service", said)
        self.assert_admits(1, "RELAY1", SOUTH_PULSE)
        self.whole_pulses("RELAY1", SOUTH_PULSE, 1)  # this one, and none by an order
        told = [line for line in self.rig.journal(GATEWAY, self.since) if " ordered " in line]
        self.assertEqual([": refused." in line for line in told], [True] * 3, told)

    @release
    def test_socket_outlives_restarts(self):
        watch = self.rig.spawn("watch", f"{SCANGATE} watch")
        watch.says("The service of rig answers")
        for number, restart in enumerate((lambda _: self.rig.sh(f"systemctl restart {GATEWAY}", timeout=160), self.rig.kill), start=2):
            pid = self.rig.main_pid(GATEWAY)
            restart(pid)
            self.restarted(GATEWAY, pid)
            self.rest()
            self.rig.until(lambda: watch.running() and watch.log().count("The service of rig answers") >= number, what=f"watch connected {number} times")
            self.assertEqual(self.rig.sh(f"stat -c '%U %G %a' {SOCKET}").strip(), "scangate scangate-console 660")
            self.until_status(WELL)
            self.assert_opens("south", "RELAY1", SOUTH_PULSE)

        # Whoever looks at a station that was stopped does not start it.
        self.addCleanup(self.rest)
        self.addCleanup(self.rig.sh, f"systemctl start {GATEWAY}", timeout=160)
        self.rig.sh(f"systemctl stop {GATEWAY}", timeout=160)
        said, ended = self.run_as("status")
        self.assertEqual(ended, CANNOT_ADMIT, said)
        self.assertIn("No service runs here", said)
        said, ended = self.run_as("open south")
        self.assertEqual(ended, UNAVAILABLE, said)
        self.assertEqual(self.rig.unit(GATEWAY, "ActiveState"), "inactive")
