"""The machine falls asleep while people pass: what was open then opens nothing, and who presents after it wakes is judged rightly."""

import json

from machine import MachineError
from rig import MS
from service import BOOK, GATEWAY, SOUTH_PULSE, VENUE, ServiceCase, configuration
from sets import release

LOGIND = "dbus.socket dbus.service systemd-logind.service"
#: For so long the machine sleeps, in seconds; it counts whole ones only.
SLEEP = 3
#: A pulse that outlasts what comes before the sleep, in milliseconds.
LONG_PULSE = 6000
#: How often a pulse that runs looks whether the machine has slept (`sleepLook` in GateOutputs.swift).
LOOK = 250


class Sleep(ServiceCase):
    @staticmethod
    def configured():
        """Both gates are locked when nobody commands them: what opens one is an admission."""
        return configuration(LONG_PULSE).replace("fail: safe", "fail: secure")

    def locks(self):
        """Who keeps the machine awake, and from what, as logind tells it."""
        return self.rig.sh("systemd-inhibit --list --no-legend --no-pager --mode=block")

    def admits_after_sleep(self, slot, line, length, code):
        """What comes before the first look at the clocks may be from before the sleep: the first person may have to present twice, nobody three times."""
        since = self.rig.mark()
        self.rig.type(slot, code)
        try:
            self.rig.until(lambda: self.rig.pulses(line, since), 4, "the gate open")
        except MachineError:
            self.rig.type(slot, code)
        self.whole_pulses(line, length, 1, since)

    def is_asked(self):
        """Whether a request waits for the ticket system: bytes that it has not read."""
        port = f":{int(VENUE.rpartition(':')[2]):04X}"
        rows = [line.split() for line in self.rig.get("/proc/net/tcp").decode().splitlines()[1:]]
        return any(row[1].endswith(port) and row[3] == "01" and not row[4].endswith(":00000000") for row in rows)

    def test_what_was_open_opens_nothing(self):
        """One gate's relay is driven, and the other's ticket is being asked about, which is answered after the waking."""
        rig, code = self.rig, self.code()
        venue = rig.main_pid("venue.service")
        self.begin_pulse(0, "RELAY0")
        rig.kill(venue, "STOP")
        self.addCleanup(rig.kill, venue, "CONT")
        rig.type(1, code)
        rig.until(self.is_asked, what="the request on its way")
        fell = rig.mark()
        slept = rig.sleep(SLEEP)
        self.assertGreater(slept, 1000 * MS, "too short a sleep to prove anything")
        self.assertFalse([edge for edge in rig.edges("RELAY0", self.since) if edge.at < fell and edge.level == 0], "the pulse ended before the sleep")
        rig.kill(venue, "CONT")
        self.said(rf"gate south: undecided stale +…{code[-4:]}")

        # Sleep counts: the pulse is as long as it was to be, for whoever stands before the gate.
        rig.until(lambda: rig.pulses("RELAY0", self.since)[0].length, what="the pulse's end")
        (pulse,) = rig.pulses("RELAY0", self.since)
        due = max(fell, pulse.at + LONG_PULSE * MS - slept)
        self.assertGreaterEqual(pulse.at + pulse.length, due - 50 * MS)
        self.assertLessEqual(pulse.at + pulse.length, due + (LOOK + 200) * MS + rig.stood_still(due, pulse.at + pulse.length))

        # Whoever comes back passes on what was redeemed for nobody, and the next one as ever.
        self.assertEqual(rig.edges("RELAY1", self.since), [])
        self.admits_after_sleep(1, "RELAY1", SOUTH_PULSE, code)
        self.assert_admits(1, "RELAY1", SOUTH_PULSE)
        self.rest()
        booked = [json.loads(line)["code"] for line in rig.sh(f"scangate venue book --database {BOOK} --json --full").splitlines()]
        self.assertEqual(booked.count(code), 1)

    @release
    def test_scanners_and_gates_work_after_a_sleep(self):
        self.rig.sleep(SLEEP)
        self.admits_after_sleep(1, "RELAY1", SOUTH_PULSE, self.code())
        self.assert_admits(0, "RELAY0", LONG_PULSE)

    @release
    def test_machine_is_kept_awake_as_long_as_gates_work(self):
        """By logind, which is masked in the guest, as other tests need none. Root sleeps all the same where it does not ask for locks."""
        rig, politely = self.rig, "systemctl suspend --check-inhibitors=yes 2>&1"
        rig.sh(f"cd /etc/systemd/system && rm -f {LOGIND} && systemctl daemon-reload && systemctl start {LOGIND} && systemctl restart {GATEWAY}", timeout=120)
        rig.until(lambda: "scangate" in self.locks(), what="the lock")
        self.assertRegex(self.locks(), r"scangate +0 +root .* sleep:idle:handle-suspend-key:handle-hibernate-key:handle-lid-switch .* block")
        said = rig.sh(f"{politely}; true")
        self.assertIn('Operation inhibited by "scangate"', said)
        rig.sh(f"systemctl stop {GATEWAY}", timeout=120)
        self.assertNotIn("scangate", self.locks())
        rig.sleep(1, politely)
        rig.sh(f"systemctl start {GATEWAY}", timeout=120)
        self.rest()
        rig.until(lambda: "scangate" in self.locks(), what="the lock again")
