"""A station that nobody has set up: one scan, and it works; whatever else is scanned, nothing opens and nobody is contacted."""

import random
import time

from kiosk import AS_STATION, CONFIGURATION, KEYS, SOCKET, KioskCase, to_be_activated, to_be_enrolled
from place import in_guest, lasts, natively
from venue import ADDRESS, EVIL, PORT, code_document, code_link, code_with_end
from sets import release

#: How often the power is cut at some moment of an activation, and what chooses the moments.
ROUNDS, SEED = 6, 20250715
#: A code that was never made, for those that name the wrong server: it is not asked for.
STRANGE = "0123ABCD"
ACTIVATE = ("POST", "/api/kiosks/activate")
FETCHED = ("GET", "/api/kiosks/configuration", 200)


class Activation(KioskCase):
    @natively
    def test_station_comes_alive_by_one_scan(self):
        rig = self.rig
        self.begin(to_be_activated())
        self.until_armed()
        self.assertEqual(self.gate(), "notSetUp")
        rig.until(lambda: len([change for change in rig.led_changes("gate:red:deny", self.since) if change.value]) > 1, what="the lamp blinking")

        # Whoever spoke to that server would have an answer. So would whoever looked its name up, or tried an address.
        wire = rig.watch_wire()
        self.assert_refused(code_document(STRANGE, f"{EVIL}:{PORT}"), "untrusted")
        for strange in (code_link(STRANGE, f"https://{EVIL}:{PORT}"), code_document(STRANGE, "203.0.113.9:443")):
            self.assertEqual(self.try_code(strange), "untrusted")
        seen = rig.packets(wire)
        self.assertLessEqual({address for packet in seen for address in (packet.source, packet.destination)}, {ADDRESS}, "nobody but its own server")
        self.assertEqual([asked[:2] for asked in self.venue.kiosk_requests()], [])

        wire = rig.watch_wire()
        code = self.venue.activation_code()
        self.set_up(code)
        self.assertIn((ADDRESS, str(PORT)), {(packet.destination, packet.port) for packet in rig.packets(wire)}, "the wire shows who is contacted")
        self.until_told("control", state="activated")
        self.until_disarmed()
        asked = self.venue.kiosk_requests()
        self.assertEqual([status for *what, status in asked if tuple(what) == ACTIVATE], [200])
        self.assertIn(FETCHED, asked)
        self.assert_shut()
        self.assert_admits()

        since = rig.mark()
        for again in (code, code_document(code)):
            self.assertEqual(self.scan(again)["verdict"], "refuse")
        self.assert_shut(since)
        self.assertEqual(len([asked for asked in self.venue.kiosk_requests() if asked[:2] == ACTIVATE]), 1)
        self.assertEqual(len(self.told("setUp", state="done")), 1)

    @in_guest
    @release
    def test_code_whose_time_is_over(self):
        self.addCleanup(self.rig.set_clock_trust, False)
        self.rig.set_clock_trust(True)
        self.begin(to_be_activated())
        self.until_armed()
        self.assertEqual(self.try_code(code_with_end(STRANGE, minutes=-5)), "expired")
        self.assertEqual([asked for asked in self.venue.kiosk_requests() if asked[:2] == ACTIVATE], [])
        self.assertEqual(self.try_code(STRANGE), "wrong")
        self.set_up(code_with_end(self.venue.activation_code()))
        self.assert_admits()

    @natively
    def test_every_form_of_a_code(self):
        self.begin(to_be_activated())
        self.until_armed()
        self.assertEqual(self.try_code(STRANGE), "wrong")
        for number, form in enumerate((code_document, code_with_end, code_link, str.lower)):
            if number:
                self.command(f"kiosk reset --yes --config {CONFIGURATION}")
                self.until_gate("notSetUp")
                waiting = self.rig.spawn(f"waiting-{number}", f"{AS_STATION} kiosk activate --wait --minutes 5 --config {CONFIGURATION} --station-socket {SOCKET}", user="gate")
                self.until_armed()
            self.set_up(form(self.venue.activation_code()))
            if number:
                self.assertEqual(waiting.started.result(60)[0], 0, waiting.log())
            self.assert_admits()

    @in_guest
    @release
    def test_button_arms_only_what_is_not_set_up(self):
        rig = self.rig
        self.addCleanup(rig.set_input, "DOOR", 0)
        self.begin(to_be_activated(window="0 s"))
        self.until_gate("notSetUp")

        def press(seconds):
            rig.set_input("DOOR", 1)
            rig.sh(f"sleep {seconds}")
            rig.set_input("DOOR", 0)
            rig.sh("sleep 1")

        press(1)
        self.assertEqual(self.told("setUp"), [])
        code = self.venue.activation_code()
        self.assertNotEqual(self.scan(code)["verdict"], "admit")
        self.assertEqual([asked for asked in self.venue.kiosk_requests() if asked[:2] == ACTIVATE], [])
        press(5)
        self.until_armed()
        self.set_up(code)
        before = len(self.told("setUp"))
        press(5)
        self.assert_admits()
        self.assertEqual(len(self.told("setUp")), before, "a working gate is not armed")
        self.until_disarmed()


@natively
class Working(KioskCase):
    """What becomes of a gate that works, whatever its control service says."""

    def setUp(self):
        super().setUp()
        self.begin(to_be_activated())
        self.until_armed()
        self.set_up(self.venue.activation_code())

    def is_taken_out_and_back(self, state):
        self.venue.set_kiosk_state(state)
        self.until_gate("closed", 120)
        since = self.rig.mark()
        self.rig.type(0, next(self.unused))
        self.rig.sh("sleep 3")
        self.assert_shut(since)
        self.assertFalse(self.is_armed())
        self.venue.set_kiosk_state("active")
        self.until_gate("ready", 120)
        self.assert_admits()

    @lasts(90)
    def test_service_takes_the_gate_out_and_back(self):
        self.is_taken_out_and_back("inactive")

    @lasts(90)
    def test_service_maintains_the_gate(self):
        self.is_taken_out_and_back("maintenance")

    def test_token_that_is_refused_changes_nothing(self):
        self.assert_admits()
        self.venue.revoke_tokens()
        self.until_told("control", state="tokenRefused", timeout=180)
        self.assert_admits()
        self.assertEqual((self.gate(), self.is_armed()), ("ready", False))
        # Nor does a start: what is lost is the token, and not the activation.
        self.service.stop()
        self.run_station()
        self.until_gate("ready")
        self.assert_admits()
        self.until_disarmed()
        self.assertNotEqual(self.scan(self.venue.activation_code())["verdict"], "admit")

    def nothing_changes(self, text):
        faults = len(self.told("control", state="fault"))
        self.venue.misbehave(text)
        self.until_told("control", faults, state="fault", timeout=180)
        self.assert_admits()
        self.venue.misbehave()
        asked = len(self.venue.kiosk_requests())
        self.rig.until(lambda: self.alive() and FETCHED in self.venue.kiosk_requests()[asked:], 180, "the configuration fetched again")
        self.assertEqual((self.gate(), self.is_armed()), ("ready", False))

    @lasts(30)
    def test_service_that_sends_a_page_changes_nothing(self):
        self.nothing_changes("html,on=kiosk")

    def test_service_that_is_gone_changes_nothing(self):
        self.nothing_changes("status=503,on=kiosk")

    def test_service_without_an_end_changes_nothing(self):
        self.nothing_changes("json=huge,on=kiosk")


class PowerCuts(KioskCase):
    """Whenever the power goes, the station works afterwards, or it can be activated: never neither."""

    @release
    def test_answer_of_an_activation_is_on_its_way(self):
        self.begin(to_be_activated())
        self.until_armed()
        code = self.venue.activation_code()
        self.venue.misbehave("latency=60s,when=after,on=kiosk")
        self.rig.type(0, code)
        self.rig.until(lambda: any(kiosk["activated"] for kiosk in self.venue.kiosks()), what="the code used up")
        self.cut_power()
        self.assertEqual(self.told("setUp", state="done"), [], "the power went too late to prove anything")
        self.venue.misbehave()
        self.run_station()
        self.until_armed()
        self.assertEqual(self.try_code(code), "used")
        self.set_up(self.venue.activation_code())
        self.assert_admits()

    @natively
    def test_service_without_tokens_needs_another_code_all_the_same(self):
        self.begin(to_be_activated(), "--kiosk-shape", "cueit")
        self.until_armed()
        self.command(f"kiosk register --config {CONFIGURATION}")
        self.venue.misbehave("latency=60s,when=after,on=kiosk")
        self.rig.type(0, self.venue.activation_code())
        self.rig.until(lambda: any(kiosk["activated"] for kiosk in self.venue.kiosks()), what="the code used up")
        self.cut_power()
        self.venue.misbehave()
        self.run_station()
        self.assertTrue(self.assert_works_or_can_be_activated(), "that it is active there proves no code")

    @natively
    def test_station_is_told_to_be_activated(self):
        self.begin(to_be_activated())
        self.until_armed()
        self.assertEqual(self.try_code(self.venue.activation_code()), "done")
        self.cut_power()
        self.run_station()
        self.until_gate("ready")
        self.assert_admits()
        self.until_disarmed()

    @natively
    @lasts(50)
    def test_any_moment_of_an_activation(self):
        moments = random.Random(SEED)
        self.begin(to_be_activated())
        self.until_armed()
        code = self.venue.activation_code()
        began = time.monotonic()
        self.assertEqual(self.try_code(code), "done")
        told = 1.2 * (time.monotonic() - began)
        self.until_gate("ready")
        ready = 1.2 * (time.monotonic() - began)
        # One in each part of the time until it is told, and until the gate is in service.
        spans = [(number, span) for span in (told, ready) for number in range(ROUNDS)]
        for number, span in spans:
            self.service.stop()
            self.forget()
            self.run_station()
            self.until_armed()
            code = self.venue.activation_code()
            moment = (number + moments.random()) * span / ROUNDS
            typing = self.rig.start_typing(0, code)
            time.sleep(moment)
            self.cut_power()
            typing.whole()
            self.run_station()
            fresh = self.assert_works_or_can_be_activated()
            print(f"        cut {1000 * moment:.0f} of {1000 * span:.0f} ms after the scan began: {'armed, and activated by a new code' if fresh else 'works'}")


class Enrolment(KioskCase):
    @release
    def test_ticket_system_comes_by_one_scan(self):
        rig = self.rig
        self.prepare()
        certificates = self.certify()
        said = self.command(f"enrol-code --make-key {KEYS}/organiser.key")
        line = next(line for line in said.splitlines() if line.startswith("key "))
        self.command(f"enrol-code --make-key {KEYS}/stranger.key")
        self.begin(to_be_enrolled(), *certificates, trust=f"# who may set us up\r\n{line}\r\n")
        self.until_armed()
        self.assertEqual(self.gate(), "notSetUp")

        wire = rig.watch_wire()
        self.assert_refused(self.enrolment_code("stranger", f"--server {EVIL}:{PORT}"), "untrusted")
        self.assertEqual(rig.packets(wire), [])

        wire = rig.watch_wire()
        code = self.enrolment_code("organiser")
        readings = len(self.told("device", state="reading"))
        self.set_up(code)
        # The new configuration reads the scanner anew; what is typed before that is lost.
        self.until_told("device", readings, state="reading")
        self.assertEqual({packet.destination for packet in rig.packets(wire)}, {ADDRESS})
        self.assert_shut()
        self.assert_admits()
        since = rig.mark()
        self.assertEqual(self.scan(code)["verdict"], "refuse")
        self.assert_shut(since)

        # What was given is on the disk.
        self.cut_power()
        self.run_station()
        self.until_gate("ready")
        self.assert_admits()

    def enrolment_code(self, key, options=""):
        """A set-up code for gate `north`, signed by a key, with a secret that the venue has made."""
        said = self.command(f"enrol-code --key {KEYS}/{key}.key --secret - {options}", self.venue.enrolment("north"))
        return next(word for word in said.split() if word.startswith("SCANGATE1:"))
