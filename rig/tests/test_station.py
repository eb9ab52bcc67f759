"""A station that can be seen: how it is, what happens, and what staff order of it, each order once."""

import json
import re

from place import natively
from relay import Relay
from rig import PATIENCE, MachineError
from test_offline import FOLDER, GATES, PASSAGES, PULSE, QUEUES, REFUSES, VerdictCase
from venue import SCANGATE

SOCKET = f"{FOLDER}/station.sock"
#: How often a service is killed as soon as somebody was told that a gate is out of service.
KILLS = 5
WELL, LOOK, CANNOT_ADMIT = 0, 1, 2
#: What an order ends with.
DONE, REFUSED, UNKNOWN = 0, 1, 76


class StationCase(VerdictCase):
    """A station whose socket is beside its state, and whoever looks at it, as root."""

    OPTIONS = f"--station-socket {SOCKET}"

    def said(self, words, socket=SOCKET):
        """What a command of the station's says, and what it ends with."""
        *lines, status = self.rig.sh(f"{SCANGATE} {words} --station-socket {socket} 2>&1; status=$?; echo; echo $status", timeout=PATIENCE).splitlines()
        return "\n".join(lines).strip(), int(status)

    def order(self, words, status=DONE, reason=None):
        """Gives an order, which must end so; returns what is said of it."""
        said, ended = self.said(words)
        self.assertEqual(ended, status, f"{words}: {said}")
        if reason:
            self.assertIn(f"({reason})", said)
        return said

    def status(self):
        """How the station is, by `status`; the level is what the command ends with."""
        said, ended = self.said("status --json")
        status = json.loads(said)
        self.assertEqual(ended, status["level"], said)
        return status

    def until_status(self, level, *places):
        """Waits until `status` is so, with remarks on all of these; returns the remarks, by place."""
        found = {}

        def is_so():
            status = self.status()
            found.clear()
            found.update({remark["place"]: remark for remark in status["remarks"]})
            return status["level"] == level and set(places) <= set(found)

        try:
            self.rig.until(is_so)
        except MachineError:
            self.fail(f"no status of {level} that speaks of {places}: {found}")
        return found

    def until_states(self, **states):
        """Waits until gates are in these states, as was told last."""
        self.rig.until(
            lambda: self.alive() and states.items() <= {event["gate"]: event["state"] for event in self.of("gate")}.items(), what=f"gates {states}")

    def kill(self):
        """Ends the service at once."""
        self.rig.kill(self.service.pid)
        self.service.started.result(PATIENCE)

    def orders(self):
        """What was told of orders, by all runs of the service."""
        return [event for events in self.streams for event in events() if event["type"] == "order"]

    def opened(self, **counts):
        """Each gate (by its reader) has opened so often since the beginning, and no more often."""
        for reader, count in counts.items():
            self.whole_pulses(PASSAGES[reader], PULSE, count, self.test_begins)


@natively
class Looking(StationCase):
    def test_status_says_what_is_wrong_and_when_it_is_over(self):
        self.serve(north=QUEUES, south=REFUSES)
        status = self.status()
        self.assertEqual((status["running"], status["level"], status["remarks"]), (True, WELL, []), status)
        self.assertEqual({gate["gate"]: (gate["state"], gate["passed"]) for gate in status["gates"]}, dict.fromkeys(GATES.values(), ("ready", 1)))
        self.assertIn("ALL IS WELL", self.order("status"))

        self.venue.cut("refused")
        self.admitted_offline({"left": 1})
        self.assertEqual(self.present({"right": next(self.codes)})["right"]["verdict"], "undecided")
        remarks = self.until_status(CANNOT_ADMIT, "gate south", "ticket system venue")
        levels = {place: remark["level"] for place, remark in remarks.items()}
        self.assertEqual(levels, {"gate south": CANNOT_ADMIT, "ticket system venue": LOOK}, "by its policy one of the gates admits")
        self.assertIn("offline (noConnection)", remarks["ticket system venue"]["words"])
        said, ended = self.said("status")
        self.assertEqual(ended, CANNOT_ADMIT)
        self.assertRegex(said, r"A GATE CANNOT ADMIT(?s:.*)gate south")

        self.venue.mend()
        self.drained()
        self.until_status(WELL)

        self.kill()
        status = self.status()
        self.assertEqual((status["running"], status["level"]), (False, CANNOT_ADMIT), "no service runs")
        self.run_gateway()
        self.until_status(WELL)

    def test_watch_shows_verdicts_over_a_restart(self):
        self.serve(north=REFUSES, south=REFUSES)
        both, south = (self.rig.spawn(name, f"{SCANGATE} watch {words} --station-socket {SOCKET}")
                       for name, words in (("watch", ""), ("watch-south", "--gate south")))

        def until_shown(watch, pattern):
            self.rig.until(lambda: watch.running() and re.search(pattern, watch.log(), re.M), what=f"“{pattern}” in {watch.name}")

        def until_watching(times):
            for watch in (both, south):
                until_shown(watch, rf"(?s)(The service of rig answers.*){{{times}}}")
            self.status()  # by then the service has heard that they listen

        def line(gate, verdict, code):
            return rf"^\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d  {gate} +{verdict} +…{code[-4:]}  .*\d\.\d ms$"

        until_watching(1)
        code = next(self.codes)
        for verdict, shown in (("admit", "admit"), ("refuse", "refuse alreadyUsed")):
            self.assertEqual(self.present({"left": code})["left"]["verdict"], verdict)
            until_shown(both, line("north", shown, code))
        until_shown(both, rf"…{code[-4:]}  .*used \d\d:\d\d, gate north")

        self.kill()
        until_shown(both, "No service runs here|closed the connection")
        self.run_gateway()
        until_watching(2)
        code = next(self.codes)
        self.assertEqual(self.present({"right": code})["right"]["verdict"], "admit")
        for watch in (both, south):
            until_shown(watch, line("south", "admit", code))
        self.assertNotRegex(south.log(), r"(?m)^\S+ \S+  north ")
        self.assertEqual([watch.stop() for watch in (both, south)], [0, 0])


@natively
class Orders(StationCase):
    def assert_told(self, *wanted):
        """The event stream has told of these orders, in this order, and of no others."""
        told = self.orders()
        self.assertEqual([{name: event[name] for name in each} for event, each in zip(told, wanted)], list(wanted))
        self.assertEqual(len(told), len(wanted), told)

    def test_open_is_done_once_though_the_connection_breaks(self):
        """The order was passed on, or its answer was lost: the program asks again by the same number."""
        self.serve(north=REFUSES, south=REFUSES)
        wanted = []
        for reader, when in (("left", "asked"), ("right", "answered")):
            gate = GATES[reader]
            relay = Relay(self.rig, f"relay-{when}", SOCKET, when)
            said, ended = self.said(f"open {gate} --why 'wheelchair {when}'", relay.path)
            self.assertEqual(ended, DONE, said)
            relay.until_broken()
            wanted.append({"order": "openOnce", "gate": gate, "why": f"wheelchair {when}", "user": 0, "outcome": "done", "reason": None, "subject": None})
        self.assert_told(*wanted)
        self.opened(left=2, right=2)  # each has admitted one before
        self.assertEqual({gate["passed"] for gate in self.status()["gates"]}, {1}, "it counts no ticket")
        self.assertEqual(self.order("open nowhere", 64), "scangate: There is no gate nowhere; this station has north, south.")

    def test_open_is_not_repeated_by_the_next_service(self):
        """The service is killed as it was asked, or has answered, before anybody was told."""
        self.serve(north=REFUSES, south=REFUSES)
        for reader, when in (("left", "asked"), ("right", "answered")):
            relay = Relay(self.rig, f"relay-{when}", SOCKET, when, self.service.pid)
            command = self.rig.spawn(f"open-{when}", f"{SCANGATE} open {GATES[reader]} --station-socket {relay.path}")
            relay.until_broken()
            self.service.started.result(PATIENCE)
            self.run_gateway()
            ended, _ = command.started.result(PATIENCE)
            pulses = len(self.rig.pulses(PASSAGES[reader], self.since))
            # What was not written down is new to the next service, unless too much time has gone; what was begun is not done by it.
            possible = {"asked": {(DONE, 1), (REFUSED, 0), (UNKNOWN, 0), (UNKNOWN, 1)}, "answered": {(DONE, 1), (UNKNOWN, 1)}}
            self.assertIn((ended, pulses), possible[when], command.log())
            # Another order is another pulse, when the one before is over.
            self.rig.until(lambda: "(pulsing)" not in self.said(f"open {GATES[reader]}")[0], what="a gate that opens once more")
            self.opened(**{reader: 1 + pulses + 1})

    def test_annulled_admission_admits_again(self):
        self.serve(north=REFUSES, south=REFUSES)
        code = next(self.codes)
        scan = self.present({"left": code})["left"]
        self.assertEqual((scan["verdict"], scan["decided_by"]), ("admit", "server"))
        self.order("annul north --why 'went back for a coat'")
        self.order("annul north", REFUSED, "nothingToAnnul")
        again = self.present({"left": code})["left"]
        self.assertEqual((again["verdict"], again["provisional"]), ("admit", False), again)
        once_more = self.present({"right": code})["right"]
        self.assertEqual((once_more["verdict"], once_more["reason"], once_more["first_used_gate"]), ("refuse", "alreadyUsed", "north"))
        self.told.append(code)
        self.assert_told_once()
        self.opened(left=3, right=1)
        annul = {"order": "annul", "gate": "north", "user": 0}
        self.assert_told(
            annul | {"why": "went back for a coat", "outcome": "done", "scan": scan["id"]}, annul | {"outcome": "refused", "reason": "nothingToAnnul"})

    def test_maintenance_outlives_the_service(self):
        self.serve(north=REFUSES, south=REFUSES)
        self.order("maintenance on north --why 'arm stuck'")
        self.until_states(north="maintenance", south="ready")
        for _ in range(2):
            scan = self.present({"left": next(self.codes)})["left"]
            self.assertEqual((scan["verdict"], scan["reason"], scan["decided_by"]), ("undecided", "outOfService", "station"))
            self.order("open north", REFUSED, "outOfService")
            remarks = self.until_status(LOOK, "gate north")
            self.assertEqual(remarks["gate north"]["cure"], "scangate maintenance off north")
            self.assertEqual({gate["gate"]: gate["maintenance_ordered"] for gate in self.status()["gates"]}, {"north": True, "south": False})
            self.kill()
            self.run_gateway()
            self.until_states(north="maintenance", south="ready")
        self.opened(left=1)
        self.order("maintenance off north")
        self.until_states(north="ready", south="ready")
        self.until_status(WELL)
        self.kill()
        self.run_gateway()
        self.until_states(north="ready", south="ready")
        self.assertEqual(self.present({"left": next(self.codes)})["left"]["verdict"], "admit")

    def test_maintenance_holds_as_soon_as_somebody_was_told(self):
        """Whoever was told that a gate is out of service may have their hands in it: a service that is killed then knows of it when it is back."""
        self.serve(north=REFUSES, south=REFUSES)
        for number in range(KILLS):
            for state, wanted in (("on", "maintenance"), ("off", "ready")):
                relay = Relay(self.rig, f"relay-{state}-{number}", SOCKET, "told", self.service.pid)
                said, ended = self.said(f"maintenance {state} north", relay.path)
                self.assertEqual(ended, DONE, said)
                self.service.started.result(PATIENCE)
                self.run_gateway()
                self.until_states(south="ready")
                self.assertEqual({gate["gate"]: gate["state"] for gate in self.status()["gates"]}["north"], wanted, f"kill {number} after {state}")

    def test_typed_code_goes_the_whole_way(self):
        self.serve(north=REFUSES, south=REFUSES)
        code, piped = next(self.codes), next(self.codes)

        def verdict_on(words, ended, **wanted):
            before = len(self.of("scan"))
            said = self.order(words, ended)
            (scan,) = self.of("scan")[before:]
            wanted |= {"reader": "console", "code": "…" + scan["code"][-4:]}
            self.assertEqual({name: scan[name] for name in wanted}, wanted)
            self.assertIn(scan["code"], said)
            return said

        self.assertIn("✓ ADMIT", verdict_on(f"present north {code}", DONE, gate="north", verdict="admit", decided_by="server"))
        said = verdict_on(f"present south {code}", 1, gate="south", verdict="refuse", reason="alreadyUsed", first_used_gate="north")
        self.assertRegex(said, r"✗ REFUSE\W+alreadyUsed .*gate north")
        self.rig.put(piped, "/run/rig/code")
        verdict_on(f"present south - < /run/rig/code", DONE, gate="south", verdict="admit")
        self.told += [code, piped]
        self.assert_told_once()
        self.venue.cut("refused")
        verdict_on(f"present north {next(self.codes)}", 2, gate="north", verdict="undecided", reason="unreachable")
        self.opened(left=2, right=2)
        orders = self.orders()
        self.assertEqual([(event["order"], event["outcome"]) for event in orders], 4 * [("present", "done")])
        self.assertEqual([event["scan"] for event in orders], [scan["id"] for scan in self.of("scan") if scan["reader"] == "console"])
        self.assertNotIn(code, json.dumps(self.events()), "whole codes are nowhere")
