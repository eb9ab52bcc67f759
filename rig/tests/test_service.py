"""Faults of the installed service: whatever happens to a process, a pulse ends on time and a gate nobody commands is in its safe state."""

import base64
import re
from collections import Counter

from rig import MS
from service import GATEWAY, HOLDER, CONFIGURATION, NORTH_PULSE, SOUTH_PULSE, ServiceCase, configuration
from sets import release

#: What `scangate-outputs.service` gives the holder, in milliseconds.
HOLDER_WATCHDOG = 2000


class FaultCase(ServiceCase):
    """Lines that are let go fall to the unsafe side: `north` would be released, `south` locked."""

    def setUp(self):
        super().setUp()
        self.rig.set_pull("RELAY0", "up")
        self.rig.set_pull("RELAY1", "down")
        for line in ("RELAY0", "RELAY1"):
            self.rig.watch_level(line)
        self.since = self.rig.mark()

    def level_within(self, line, start, end):
        """The levels that a line had between two times."""
        levels = self.rig.levels(line, start)
        return {edge.level for edge in levels if edge.at <= end}

    def assert_north_pulses_only(self, count):
        """`north` was released for whole pulses and otherwise never, neither by a command nor by a line that was let go."""
        pulses = self.whole_pulses("RELAY0", NORTH_PULSE, count)
        self.assert_levels("RELAY0", [0] + [1, 0] * count)
        return pulses


class GatewayFaults(FaultCase):
    def kill(self, pid):
        self.rig.kill(pid)

    def stop(self, pid):
        self.rig.kill(pid, "STOP")

    def wedge(self, pid):
        """The scanners' thread halts, while the one that tells the holder of a living gateway goes on: the watchdog must see it."""
        self.rig.wedge_thread(pid, "wedges")

    def fault(self, strike, during_pulse):
        pid = self.rig.main_pid(GATEWAY)
        if during_pulse:
            self.begin_pulse(0, "RELAY0")
        strike(pid)
        started = self.restarted(GATEWAY, pid)
        # Until the new one commands the gates they are in their safe states: just before it began it surely did not. A pulse
        # of `north` may still run then; that it is the only one, and whole, is seen below.
        self.assertEqual(self.level_within("RELAY1", started - 500 * MS, started), {1})
        if not during_pulse:
            self.assertEqual(self.level_within("RELAY0", started - 500 * MS, started), {0})
        self.rest()
        self.assert_north_pulses_only(1 if during_pulse else 0)
        self.assert_admits()
        self.assert_admits(1, "RELAY1", SOUTH_PULSE)
        self.assert_north_pulses_only(2 if during_pulse else 1)

    def test_killed_during_a_pulse(self):
        self.fault(self.kill, True)

    @release
    def test_killed_outside_a_pulse(self):
        self.fault(self.kill, False)

    @release
    def test_stopped_during_a_pulse(self):
        self.fault(self.stop, True)

    @release
    def test_stopped_outside_a_pulse(self):
        self.fault(self.stop, False)

    def test_wedged_during_a_pulse(self):
        self.fault(self.wedge, True)

    @release
    def test_wedged_outside_a_pulse(self):
        self.fault(self.wedge, False)


class HolderFaults(FaultCase):
    def test_killed_during_a_pulse(self):
        pid = self.rig.main_pid(HOLDER)
        self.begin_pulse(0, "RELAY0")
        self.rig.kill(pid)
        self.assert_ended_by_successor(self.restarted(HOLDER, pid))

    @release
    def test_killed_outside_a_pulse(self):
        pid = self.rig.main_pid(HOLDER)
        self.rig.kill(pid)
        self.restarted(HOLDER, pid)
        self.rest()
        self.assert_north_pulses_only(0)
        self.assert_admits()
        self.assert_admits(1, "RELAY1", SOUTH_PULSE)

    def test_stopped_during_a_pulse(self):
        """Nobody can end the pulse while the holder hangs; its watchdog bounds that, and its successor ends the pulse in time or at once."""
        pid = self.rig.main_pid(HOLDER)
        self.begin_pulse(0, "RELAY0")
        self.rig.kill(pid, "STOP")
        self.assert_ended_by_successor(self.restarted(HOLDER, pid))

    def assert_ended_by_successor(self, started):
        """The pulse ended on time; or, if the successor came too late for that, before it said that it is ready, which an emulated processor may delay."""
        ready = int(self.rig.unit(HOLDER, "ActiveEnterTimestampMonotonic")) * 1000
        self.rest()
        (pulse,) = self.rig.pulses("RELAY0", self.since)
        end = pulse.at + pulse.length
        if ready <= pulse.at + NORTH_PULSE * MS:
            self.assert_length(pulse, NORTH_PULSE)
        else:
            self.assertGreaterEqual(pulse.length, (NORTH_PULSE - 1) * MS)
            self.assertLessEqual(end, max(ready, pulse.at + (NORTH_PULSE + 100) * MS))
            still = self.rig.stood_still(pulse.at, end)
            self.assertLessEqual(pulse.length, (NORTH_PULSE + 2 * HOLDER_WATCHDOG) * MS + ready - started + still)
        self.assert_levels("RELAY0", [0, 1, 0])
        self.assert_admits()

    @release
    def test_wedged_during_a_pulse(self):
        """The one gate's thread halts, while the holder's others go on."""
        pid = self.rig.main_pid(HOLDER)
        self.begin_pulse(0, "RELAY0")
        self.rig.wedge_thread(pid, "out north")
        self.assert_ended_by_successor(self.restarted(HOLDER, pid))

    @release
    def test_stopped_outside_a_pulse(self):
        pid = self.rig.main_pid(HOLDER)
        self.rig.kill(pid, "STOP")
        started = self.restarted(HOLDER, pid)
        self.assertEqual(self.level_within("RELAY1", self.since, started), {0}, "the level is kept until the successor begins")
        self.rest()
        self.assert_north_pulses_only(0)
        self.assert_admits()


class Devices(ServiceCase):
    """What appears after the services have been started, and goes again."""

    def test_scanner_is_read_when_it_is_plugged_in(self):
        pid = self.rig.main_pid(GATEWAY)
        self.rig.unplug(0)
        self.rig.replug(0)
        self.taken(0)
        self.assert_admits()
        self.assertEqual(self.rig.main_pid(GATEWAY), pid)

    def test_missing_rules_are_named(self):
        rules = "/usr/lib/udev/rules.d/70-scangate.rules"
        retrigger = "udevadm control --reload; udevadm trigger --settle --subsystem-match=input"

        def put_back():
            self.rig.sh(f"mv /run/rules.away {rules}; {retrigger}")
            self.rest()

        self.rig.sh(f"mv {rules} /run/rules.away; udevadm control --reload")
        self.addCleanup(put_back)
        self.rig.unplug(0)
        self.rig.replug(0)
        node = self.rig.devices[0].node
        for user in ("root", "scangate"):
            said = self.rig.sh(f"setpriv --reuid={user} --regid={user} --clear-groups scangate devices 2>&1", check=False)
            shown = re.search(rf"^  {node} .*(?:\n      .*)+", said, re.M)
            self.assertIsNotNone(shown, said)
            self.assertRegex(shown[0], r"rule|permission", f"as {user}: {said}\n" + self.rig.sh(f"ls -l {node}", check=False))

    def test_lamps_and_buzzers_of_every_kind_are_driven(self):
        self.assert_admits()
        self.assert_admits(1, "RELAY1", SOUTH_PULSE)
        self.assertTrue([change for change in self.rig.led_changes("gate:green:pass", self.since) if change.value > 0])
        self.assertTrue(self.rig.edges("LAMP_G", self.since))
        sounding = [change for change in self.rig.pwm_changes(self.since) if change.enabled and change.duty > 0]
        self.assertTrue(sounding)
        self.assertEqual({change.period for change in sounding}, {500_000}, "2000 Hz")
        self.assertEqual(self.rig.sh("ls -d /sys/class/pwm/pwmchip0/pwm*").split(), ["/sys/class/pwm/pwmchip0/pwm0"])
        self.rig.until(lambda: self.rig.tones(self.since)[-1:] and self.rig.tones(self.since)[-1].frequency == 0, what="the buzzer's end")
        self.assertEqual({tone.frequency for tone in self.rig.tones(self.since)}, {1000, 0})
        self.rig.until(lambda: not (last := self.rig.pwm_changes(self.since)[-1]).enabled or last.duty == 0, what="the end of the PWM buzzer")

    def test_maintenance_switch_puts_the_gate_out_of_service(self):
        self.addCleanup(self.rig.set_input, "TAMPER", 0)
        self.rig.set_input("TAMPER", 1)
        self.said("out of service")
        since = self.rig.mark()
        self.rig.type(0, self.code())
        self.assert_admits(1, "RELAY1", SOUTH_PULSE)  # the other gate goes on, which takes longer than an admission here would
        self.assertEqual(self.rig.edges("RELAY0", since), [])
        self.rig.set_input("TAMPER", 0)
        self.said(r"north is ready", since)
        self.assert_admits()


class Administration(ServiceCase):
    def test_reload_with_errors_fails_and_changes_nothing(self):
        self.addCleanup(self.rig.put, configuration(), CONFIGURATION)
        self.rig.put(configuration(700).replace("ticketSystem: venue", "ticketSystem: venues"), CONFIGURATION)
        self.assertFalse(self.rig.ok(f"systemctl reload {GATEWAY}"))
        self.said("venues")
        self.taken(0)
        self.assert_admits(length=NORTH_PULSE)

    def test_reload_applies_what_is_right(self):
        self.addCleanup(self.reload, configuration())
        pid = self.rig.main_pid(GATEWAY)
        self.reload(configuration(700))
        self.taken(0)
        self.assert_admits(length=700)
        self.assertEqual(self.rig.main_pid(GATEWAY), pid)

    def test_exposure(self):
        for unit in (GATEWAY, HOLDER):
            said = self.rig.sh(f"systemd-analyze security --no-pager {unit}")
            exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", said)
            self.assertIsNotNone(exposure, said)
            print(f"        {exposure[0]}")
            self.assertLessEqual(float(exposure[1]), 1.5, said)


@release
class Halls(ServiceCase):
    """`north` is the gate of hall A and `south` that of hall B: a ticket of the other hall opens nothing there, and is not lost."""

    PULSE = 300

    def setUp(self):
        super().setUp()
        self.addCleanup(self.reload, configuration())
        # Entry secrets, of which the ticket system makes one record however often they come.
        self.on_paper, self.counted, self.lost = (next(self.rig.unused_others) for _ in range(3))
        # Nobody is asked what a ticket is for before it is redeemed: where it is not printed, only the answer tells.
        text = configuration(self.PULSE).replace(f"pulse: {SOUTH_PULSE} ms", f"pulse: {self.PULSE} ms")
        for number, gate in enumerate(("north", "south"), start=1):
            text = text.replace(f"  {gate}:\n", f"  {gate}:\n    ticket: {{events: [{number}], unknownEvent: redeem}}\n    holdOff: 0 s\n")
        self.reload(text)
        self.rest()
        self.since = self.rig.mark()
        self.passed = {"north": 0, "south": 0}

    def present(self, slot, text, words):
        """Types on the scanner of a hall; the gateway says so of it, and the relays move for an admission and for nothing else."""
        since, gate = self.rig.mark(), ("north", "south")[slot]
        self.rig.type(slot, text, gap_us=12000)  # a guest that has just reloaded may take its time
        self.said(rf"gate {gate}: {words} +…{text[-4:]}", since)
        self.passed[gate] += words == "admit"
        for line, gate in (("RELAY0", "north"), ("RELAY1", "south")):
            self.whole_pulses(line, self.PULSE, self.passed[gate])

    def printed(self):
        """What a ticket of hall B has on it."""
        return f"https://venue.rig/ticket/view/{base64.b64encode(b'389280').decode()}/{self.on_paper}"

    def recorded(self, *codes):
        """How often the ticket system has recorded each of these."""
        booked = Counter(self.booked())
        return [booked[code] for code in codes]

    def test_ticket_of_the_other_hall_opens_its_own(self):
        """Refused unspent; and where it is redeemed there all the same, admitted at its own, though that answer is lost at first."""
        self.present(0, self.printed(), "refuse wrongEvent")
        self.assertEqual(self.recorded(self.on_paper), [0])
        self.present(1, self.printed(), "admit")
        self.present(0, self.counted, "refuse wrongEvent")
        self.assertEqual(self.recorded(self.on_paper, self.counted), [1, 1])
        self.misbehave("close=after")
        self.present(1, self.counted, "undecided unreachable")
        self.misbehave()
        self.present(1, self.counted, "admit")
        self.assertEqual(self.recorded(self.on_paper, self.counted), [1, 1])

    def test_ticket_of_the_other_hall_opens_its_own_once(self):
        """The same where the answer is lost at the other hall, and no more often than it was paid for."""
        self.present(0, self.printed(), "refuse wrongEvent")
        self.present(0, self.counted, "refuse wrongEvent")
        self.misbehave("close=after")
        self.present(0, self.lost, "undecided unreachable")
        self.misbehave()
        codes = [self.on_paper, self.counted, self.lost]
        for code in codes:
            self.present(1, code, "admit")
        own = self.code()
        self.present(0, own, "admit")
        for code in codes:
            self.present(1, code, "refuse alreadyUsed")
            self.present(0, code, "refuse wrongEvent")
        self.assertEqual(self.recorded(*codes, own), [1, 1, 1, 1])
