"""Gates whose network goes: what they admit on their own is in the ticket system's book afterwards, each once."""

import json
import time
from collections import Counter

import place
from events import EventFile
from place import in_guest, lasts, natively
from rig import PATIENCE
from sets import release
from venue import AS_GATE, PORT, SCANGATE, URL, Venue

FOLDER = "/run/gate"
#: Short, so that many persons pass.
PULSE = 60
#: How many persons stand at each gate while the network is away; a few are enough where the same is shown on another machine by many.
QUEUE = {"left": 34, "right": 33} if place.NATIVE or place.WHOLE else {"left": 4, "right": 3}
#: A code by its number. It looks like a secret of a sale: only such a one is looked up where nobody knows whether a request was counted.
CODE = "OFFLINE0SALE0OF0THE0RIG00000{:04}"
GATES = {"left": "north", "right": "south"}

if place.NATIVE:
    # What the product has by itself; and a lamp for the relay, which lights once for each admission and for nothing else.
    TIMES, LIMITS = "", ""
    PASSAGES = {"left": "gate:green:pass", "right": "south:green:pass"}
    SIGNALS = "signals: {admit: {green: [30 ms]}, provisional: {green: [20 ms]}}"
    OUTPUTS = {
        "north": 'outputs: {green: {led: "gate:green:pass"}, red: {led: "gate:red:deny"}}\n    ' + SIGNALS,
        "south": 'outputs: {green: {led: "south:green:pass"}, red: {led: "south:red:deny"}}\n    ' + SIGNALS,
    }
else:
    # An emulated processor may be slow to answer, and its disk to sync: an answer is awaited as long as it can be.
    TIMES, LIMITS = "\n    deadline: 10 s\n    stale: 20 s", ", after: 2500 ms, durableWithin: 5 s"
    PASSAGES = {"left": "RELAY0", "right": "RELAY1"}
    OUTPUTS = {
        "north": f"""outputs:
      relay: {{gpio: {{chip: gate, line: RELAY0}}, pulse: {PULSE} ms, gap: 20 ms}}
      green: {{led: "gate:green:pass"}}
      red: {{led: "gate:red:deny"}}""",
        "south": f"""outputs:
      relay: {{gpio: {{chip: gate, line: RELAY1}}, pulse: {PULSE} ms, gap: 20 ms}}
      green: {{gpio: {{chip: gate, line: LAMP_G}}}}
      red: {{gpio: {{chip: gate, line: LAMP_R}}}}""",
    }
QUEUES, LISTS, REFUSES = f"offline: {{policy: admitAndQueue, most: 1000{LIMITS}}}", f"offline: {{policy: list{LIMITS}}}", ""


def configuration(north, south):
    """Two gates with an offline policy each."""
    gate = f"""
    ticketSystem: venue
    holdOff: 0 s
    floodLimit: 600{TIMES}"""
    return f"""
version: 1
station: {{name: rig}}
ticketSystems:
  venue:
    type: eventschedule
    url: "{URL}"
    allowPlainHTTP: true
    apiKeyFile: {FOLDER}/venue.key
    rate: {{limit: 10000}}
    list: {{maxAge: 12 h}}
readers:
  left: {{type: serial, match: {{path: /run/rig/left}}}}
  right: {{type: serial, match: {{path: /run/rig/right}}}}
gates:
  north:
    readers: [left]{gate}
    accept: {{minLength: 32, maxLength: 32, alphabet: alphanumeric}}
    {north}
    {OUTPUTS["north"]}
  south:
    readers: [right]{gate}
    accept: {{minLength: 32, maxLength: 32, alphabet: alphanumeric}}
    {south}
    {OUTPUTS["south"]}
"""


class OfflineCase(place.Case):
    """A venue, and a station with two serial scanners that knows its tickets as they were sold."""

    needs_scangate = True
    #: Where the station keeps its state.
    STATE = f"{FOLDER}/state"
    #: What its service is told besides.
    OPTIONS = ""

    def serve(self, north=QUEUES, south=LISTS, sold=60, quantity=None):
        """Sells tickets and begins to serve; the first two of them are admitted with the network as it should be.

        A sale's own code makes an entry each time that it is told: were one told twice, the book would show it.
        """
        quantity = quantity or {}
        self.codes = iter([CODE.format(number) for number in range(1, sold + 1)])
        rows = [*((CODE.format(number), 1) for number in range(1, sold + 1)), *quantity.items()]
        self.open_venue("code,kind,status,quantity\n" + "".join(f"{code},sale,paid,{number}\n" for code, number in rows))
        self.configure(configuration(north, south))
        self.command(f"tickets import {self.venue.tickets} --system venue --config {FOLDER}/scangate.yaml")
        self.run_gateway()
        for reader in GATES:
            code = next(self.codes)
            self.assertEqual(self.present({reader: code})[reader]["verdict"], "admit")
            self.told.append(code)
        self.drained()
        self.since = self.rig.mark()

    def open_venue(self, sold, *options, **more):
        """A ticket system that has sold what a file's text says; there is no station yet."""
        rig = self.rig
        self.test_begins, self.passages, self.streams, self.told = rig.mark(), Counter(), [], []
        rig.sh(f"rm -rf {FOLDER} {self.STATE}; install -d -o gate -g gate {FOLDER} {self.STATE}; chmod 700 {self.STATE}; {place.ALLOW_OUTPUTS}")
        rig.put(sold, f"{FOLDER}/tickets.csv")
        self.venue = Venue(rig, FOLDER)
        self.addCleanup(self.venue.clear)
        self.venue.start("--import", self.venue.tickets, *options, **more)

    def configure(self, text):
        self.rig.put(text, f"{FOLDER}/scangate.yaml")

    def run_gateway(self):
        number = len(self.streams) + 1
        self.plug(number)
        path = f"{FOLDER}/events-{number}.jsonl"
        self.service = self.rig.spawn(
            f"scangate-{number}", f"env STATE_DIRECTORY={self.STATE} {SCANGATE} run --config {FOLDER}/scangate.yaml --events {path} {self.OPTIONS}",
            user="gate")
        self.rig.until(lambda: self.alive() and self.rig.ok(f"[ -e {path} ]"), what="the service's event file")
        self.events = EventFile(self.rig, path)
        self.streams.append(self.events)

        def read():
            return {event["reader"] for event in self.of("device") if event["state"] == "reading"}

        self.rig.until(lambda: self.alive() and read() == set(GATES), what="both scanners read")

    def plug(self, number):
        """Makes the scanners, for the gateway's run of that number."""
        # New ones each time: who makes them keeps them open, so a reader's claim would outlive it.
        for reader in GATES:
            place.open_line(self.rig, reader, number)

    def send(self, codes):
        """Presents a code to each of some scanners (reader to code)."""
        place.send(self.rig, codes)

    def alive(self):
        self.assertTrue(self.service.running(), "the service has ended")
        return True

    def command(self, words):
        return self.rig.sh(f"STATE_DIRECTORY={self.STATE} {AS_GATE} {SCANGATE} {words}", timeout=120)

    def of(self, kind):
        return [event for event in self.events() if event["type"] == kind]

    def present(self, codes):
        """Presents a code to each of some scanners (reader to code); returns the verdicts on them, when there are all."""
        before = len(self.of("scan"))
        self.send(codes)
        self.rig.until(lambda: self.alive() and len(self.of("scan")) >= before + len(codes), what=f"verdicts on {codes}")
        scans = {scan["reader"]: scan for scan in self.of("scan")[before:]}
        for reader, code in codes.items():
            self.assertEqual((scans[reader]["code"], scans[reader]["gate"]), ("…" + code[-4:], GATES[reader]))
        if place.NATIVE:
            self.seen([reader for reader, scan in scans.items() if scan["verdict"] == "admit"])
        return scans

    def seen(self, admitted):
        """Waits until the lamp of each was lit that admits, once: the next one's is another pulse then."""
        for reader in admitted:
            self.passages[reader] += 1
            self.whole_pulses(PASSAGES[reader], PULSE, self.passages[reader], self.test_begins)

    def admitted_offline(self, queue):
        """Lets so many persons (reader to number) present a ticket each, and all pass on trust; returns the codes."""
        queue, codes = dict(queue), []
        deciders = {"left": "policy", "right": "list"}
        while any(queue.values()):
            turn = {reader: next(self.codes) for reader, left in queue.items() if left}
            for reader, scan in self.present(turn).items():
                self.assertEqual((scan["verdict"], scan["provisional"], scan["decided_by"]), ("admit", True, deciders[reader]), scan)
                queue[reader] -= 1
            codes += turn.values()
        self.told += codes
        return codes

    def drained(self, timeout=300):
        """Waits until the ticket system answers and was told of everything."""
        def is_drained():
            states = self.of("ticketSystem")
            return self.alive() and (not states or (states[-1]["state"], states[-1]["owed"]) == ("online", 0))

        self.rig.until(is_drained, timeout, "everything told to the ticket system")

    def outbox(self):
        return json.loads(self.command("outbox status --json"))

    def cut_off(self):
        """The last characters of codes whose request was sent, and had no answer in time: the network went meanwhile."""
        return {event["code"] for events in self.streams for event in events() if event["type"] == "attempt"}

    def assert_told_once(self, codes=None, strays=()):
        """The book has an entry for each, one, and none besides; nothing waits, and nothing is in dispute.

        A request that was cut off may have been counted, though nobody can say so: then its admission may be listed as `unsettled`,
        and where nobody passed on it (`strays`), there may be an entry all the same. Never are there two.
        """
        self.drained()
        booked, cut_off = Counter(entry["code"] for entry in self.venue.book()), self.cut_off()
        for code in strays:
            self.assertLessEqual(booked.pop(code, 0), 1 if "…" + code[-4:] in cut_off else 0, code)
        self.assertEqual(booked, Counter(self.told if codes is None else codes))
        conflicts = [(event["state"], event["code"]) for events in self.streams for event in events() if event["type"] == "conflict"]
        self.assertLessEqual(set(conflicts), {("unsettled", code) for code in cut_off})
        outbox = self.outbox()
        self.assertEqual((outbox["waiting"], outbox["conflicts"]), (0, len(conflicts)), outbox)

    def passed(self, **numbers):
        """Waits until so many persons have passed at each gate since the network went, and sees that no more do."""
        for reader, relay in PASSAGES.items():
            self.rig.until(lambda: len(self.rig.pulses(relay, self.since)) >= numbers.get(reader, 0), what=f"the pulses on {relay}")
            self.whole_pulses(relay, PULSE, numbers.get(reader, 0), late=1000)  # dozens, while everything else is at work
        admissions = Counter(scan["reader"] for events in self.streams for scan in events() if scan["type"] == "scan" and scan["verdict"] == "admit")
        self.assertEqual({reader: admissions[reader] - 1 for reader in GATES}, {reader: numbers.get(reader, 0) for reader in GATES}, "admitted, after the first")


class VerdictCase(OfflineCase):
    """What each code comes to, and what the ticket systems of both gates are asked for it."""

    def begin(self, text, counting=True):
        """Starts the station; returns when its gates are ready. What its ticket systems are asked from then on is counted, unless it is counted already."""
        self.admitted = Counter()
        self.configure(text)
        self.run_gateway()
        self.until_gates("ready")
        self.since = self.rig.mark()
        if counting:
            self.venue.count()

    def until_gates(self, state, reason=None):
        """Waits until both gates are in a state, as was told last."""
        def are_so():
            states = {event["gate"]: (event["state"], event["reason"]) for event in self.of("gate")}
            return self.alive() and states == dict.fromkeys(GATES.values(), (state, reason))

        self.rig.until(are_so, what=f"both gates {state} {reason or ''}")

    def show(self, reader, code, verdict, reason=None, **wanted):
        """Presents a code, of which the station must say so. The relays have moved for admissions and for nothing else."""
        scan = self.present({reader: code})[reader]
        wanted |= {"verdict": verdict, "reason": reason}
        self.assertEqual({name: scan.get(name) for name in wanted}, wanted, scan)
        self.admitted[reader] += verdict == "admit"
        for each, passage in PASSAGES.items():
            self.whole_pulses(passage, PULSE, self.admitted[each], late=1000)
        return scan

    def assert_asked(self, words, **wanted):
        """So many requests of these kinds have come since the station was ready."""
        counted = self.venue.counted()
        self.assertEqual({kind: counted[kind] for kind in wanted}, wanted, f"{words}: {counted}")


class Network(OfflineCase):
    """However the network goes, who passed meanwhile is told of, once."""

    def goes(self, *ways):
        self.serve(sold=2 + sum(QUEUE.values()))
        for number, way in enumerate(ways):
            self.venue.cut(way)
            # The queue is shared among the ways.
            shares = {reader: count * (number + 1) // len(ways) - count * number // len(ways) for reader, count in QUEUE.items()}
            self.admitted_offline(shares)
            state = self.of("ticketSystem")[-1]
            self.assertEqual(state["state"], "offline")
            # The network may go a second time while somebody's admission is being told.
            self.assertIn(state["reason"], Venue.CUTS[way] | ({"timeOut"} if number else set()))
            # What was told before the next way came, or was not, is the next one's trouble.
            self.venue.mend()
        self.assert_told_once()
        self.passed(**QUEUE)

    @release
    def test_packets_that_vanish(self):
        self.goes("dropped")

    @natively
    def test_connections_that_are_refused_or_find_no_way(self):
        self.goes("refused", "unreachable")

    @natively
    def test_name_that_is_not_found(self):
        self.goes("nameless")

    @natively
    @lasts(60)
    def test_request_that_the_kernel_still_holds_is_not_counted_after_its_telling(self):
        self.serve()
        # An open connection, on which the next request is sent at once.
        for _ in range(2):
            self.told.append(next(self.codes))
            self.present({"left": self.told[-1]})
        self.venue.drop()
        self.admitted_offline({"left": 1})
        self.rig.until(lambda: [event for event in self.of("attempt") if event["state"] == "lost"], what="the request lost")
        self.rig.sh("sleep 30")  # after that, what was lost counts as gone (AttemptPolicy.lateGrace)
        self.venue.mend()
        self.drained()
        # Nothing more is on its way: no connection that we have closed has still bytes to send (FIN_WAIT1).
        self.rig.wait_for(f"! grep -q ':{PORT:04X} 04 ' /proc/net/tcp", 120)
        self.assert_told_once()

    @natively
    def test_gates_without_a_policy_admit_nobody(self):
        self.serve(north=REFUSES, south=REFUSES)
        self.venue.cut("refused")
        for _ in range(3):
            for scan in self.present({"left": next(self.codes), "right": next(self.codes)}).values():
                self.assertEqual((scan["verdict"], scan["reason"], scan["provisional"]), ("undecided", "unreachable", False))
        self.venue.mend()
        self.passed()
        self.assert_told_once()


@natively
class Tickets(OfflineCase):
    def test_sale_admits_as_many_as_were_paid_over_both_gates(self):
        sale = CODE.format(9003)
        self.serve(north=LISTS, south=LISTS, quantity={sale: 3})
        self.venue.cut("refused")
        scans = [self.present({reader: sale})[reader] for reader in ("left", "right", "right", "left", "right")]
        self.assertEqual([(scan["verdict"], scan["reason"], scan["provisional"]) for scan in scans], 3 * [("admit", None, True)] + 2 * [("refuse", "alreadyUsed", False)])
        self.venue.mend()
        self.assert_told_once([*self.told, sale, sale, sale])
        self.passed(left=1, right=2)
        self.assertEqual(self.present({"left": sale})["left"]["reason"], "alreadyUsed")

    def test_refund_meanwhile_is_a_conflict(self):
        self.serve()
        self.venue.cut("dropped")
        refunded, kept = next(self.codes), next(self.codes)
        self.venue.refund(refunded)
        scan = self.present({"left": refunded})["left"]
        self.assertEqual((scan["verdict"], scan["provisional"]), ("admit", True))
        self.assertEqual(self.present({"right": kept})["right"]["provisional"], True)
        self.venue.mend()
        self.drained()
        (conflict,) = self.of("conflict")
        wanted = {"state": "contradicted", "reason": "refunded", "gate": "north", "code": "…" + refunded[-4:], "scan": scan["id"]}
        self.assertEqual({name: conflict[name] for name in wanted}, wanted)
        (listed,) = map(json.loads, self.command("journal conflicts --json").splitlines())
        self.assertEqual({name: listed[name] for name in wanted}, wanted)
        self.assertEqual(listed["admitted_at"], conflict["admitted_at"])
        said = self.command("journal conflicts")
        for word in ("contradicted", "refunded", "north", "…" + refunded[-4:]):
            self.assertIn(word, said)
        self.assertEqual(Counter(entry["code"] for entry in self.venue.book()), Counter([*self.told, kept]))

    def test_key_that_was_revoked_opens_nothing(self):
        self.serve()

        strays = []

        def nobody_passes():
            for _ in range(2):
                strays.append(next(self.codes))
                scan = self.present({"left": strays[-1]})["left"]
                self.assertEqual((scan["verdict"], scan["reason"], scan["provisional"]), ("undecided", "keyRefused", False), scan)

        self.venue.misbehave("status=401,on=all")
        nobody_passes()
        self.venue.cut("dropped")
        nobody_passes()
        self.rig.until(lambda: self.of("ticketSystem")[-1:] and self.of("ticketSystem")[-1]["state"] == "offline", what="the gates offline")
        nobody_passes()
        self.passed()
        # A key that is good again lets the policy be asked again: it was the key.
        self.venue.misbehave()
        self.venue.mend()
        self.drained()
        self.told.append(next(self.codes))
        self.assertEqual(self.present({"left": self.told[-1]})["left"]["verdict"], "admit")
        self.venue.cut("dropped")
        self.admitted_offline({"left": 1})
        self.venue.mend()
        self.assert_told_once(strays=strays)

    def verdict(self, reader, code):
        scan = self.present({reader: code})[reader]
        return scan["verdict"], scan["reason"]

    def test_station_killed_while_it_owes(self):
        self.serve()
        self.venue.cut("dropped")
        codes = self.admitted_offline({"left": 8, "right": 8})
        self.rig.kill(self.service.pid)
        self.service.started.result(PATIENCE)
        self.assertEqual(self.outbox()["waiting"], len(codes))
        self.run_gateway()
        deadline = time.monotonic() + PATIENCE
        for reader, code in zip(GATES, codes):
            # Nobody passes again, neither while the admission is being told nor when that was in vain.
            while ("undecided", "busy") == (verdict := self.verdict(reader, code)):
                self.assertLess(time.monotonic(), deadline, "busy for ever")
            self.assertEqual(verdict, ("refuse", "alreadyUsed"))
        self.venue.mend()
        self.rig.until(lambda: self.of("ticketSystem"), what="word of the ticket system")
        self.assert_told_once()
        self.passed(left=8, right=8)


@natively
class Refunds(OfflineCase):
    """What was refunded at the desk is refused by gates that keep their list current by themselves, also where the network goes afterwards."""

    def desk(self, words):
        """What a command of the organiser's tells, a line each."""
        said = self.command(f"eventschedule {words} --json --config {FOLDER}/scangate.yaml")
        return [json.loads(line) for line in said.splitlines() if line.startswith("{")]

    def refreshes(self):
        return [event for event in self.of("list") if event["state"] == "refreshed"]

    def until_refreshed(self):
        """Waits for one refresh more than there was."""
        count = len(self.refreshes())
        self.rig.until(lambda: self.alive() and len(self.refreshes()) > count, 150, "the list refreshed")

    def refund_between_refreshes(self, shape, scans):
        """`scans` is whether gates can ask a server of this shape; its list of sales and its desk they have."""
        here, refunded, kept, there = (CODE.format(number) for number in range(4))
        rows = [(here, "Ann", "A"), (refunded, "Bo-Erik", "A"), (kept, "Cy", "A"), (there, "Di", "B")]
        self.open_venue(
            "code,kind,status,name,event\n" + "".join(f"{code},sale,paid,{name},Hall {hall}\n" for code, name, hall in rows),
            "--eventschedule-shape", shape)
        text = configuration(LISTS, LISTS).replace("maxAge: 12 h", "maxAge: 12 h, refresh: 1 min")
        self.configure(text)
        halls = {event["name"]: event["id"] for event in self.desk("events list")}
        for gate, name in (("north", "Hall A"), ("south", "Hall B")):
            text = text.replace(f"  {gate}:\n", f"  {gate}:\n    ticket: {{events: [\"{halls[name]}\"]}}\n")
        self.configure(text)
        self.run_gateway()
        self.since = self.rig.mark()
        if scans:
            self.assertEqual(self.present({"left": here})["left"]["verdict"], "admit")
        else:
            self.assertEqual(self.present({"left": here})["left"]["verdict"], "undecided")
        self.until_refreshed()
        # A search looks into codes as well, which are random: only a name can have a hyphen.
        (sale,) = self.desk("tickets search Bo-Erik")
        (told,) = self.desk(f"tickets refund {sale['id']}")
        self.assertEqual(told["status"], "refunded")
        self.until_refreshed()
        self.venue.cut("refused")
        told = {code: self.present({"left": code})["left"] for code in (refunded, kept, there)}
        verdicts = {code: (scan["verdict"], scan["reason"], scan["decided_by"]) for code, scan in told.items()}
        self.assertEqual(verdicts, {refunded: ("refuse", "refunded", "list"), kept: ("admit", None, "list"), there: ("refuse", "wrongEvent", "list")})
        self.assertTrue(told[kept]["provisional"])
        self.assertEqual(self.present({"right": there})["right"]["verdict"], "admit")
        self.passed_at(left=1 + scans, right=1)
        if scans:
            self.venue.mend()
            self.assert_told_once([here, kept, there])

    def passed_at(self, **numbers):
        for reader, count in numbers.items():
            self.whole_pulses(PASSAGES[reader], PULSE, count)

    @lasts(70)
    def test_with_the_documents_server(self):
        self.refund_between_refreshes("document", scans=True)

    @lasts(70)
    def test_with_the_original_server(self):
        """Nobody scans there: gates admit while it is away, by its list."""
        self.refund_between_refreshes("upstream", scans=False)


@in_guest
class Signals(OfflineCase):
    def lit(self, name, since):
        """How long an LED was lit each time, in milliseconds."""
        changes = self.rig.led_changes(f"gate:{name}", since)
        return [(after.at - before.at) / 1e6 for before, after in zip(changes, changes[1:]) if before.value and not after.value]

    def test_offline_and_provisional_are_seen_on_the_leds(self):
        self.serve()
        rig = self.rig

        def green_of_one(provisional):
            rig.sh("sleep 3")  # what was shown before is over
            since = rig.mark()
            code = next(self.codes)
            scan = self.present({"left": code})["left"]
            self.assertEqual((scan["verdict"], scan["provisional"]), ("admit", provisional))
            self.told.append(code)
            rig.until(lambda: self.lit("green:pass", since), what="the green LED lit")
            rig.sh("sleep 2")  # what is still to come of the pattern
            return self.lit("green:pass", since)

        checked = green_of_one(provisional=False)
        self.assertEqual(len(checked), 1, checked)
        self.venue.cut("dropped")
        self.admitted_offline({"left": 2})
        rig.until(lambda: self.of("ticketSystem")[-1]["state"] == "offline", what="the gate offline")
        on_trust = green_of_one(provisional=True)
        self.assertEqual(len(on_trust), 2, on_trust)
        self.assertGreater(on_trust[0], 2 * on_trust[1])
        # At rest: two short flashes, again and again.
        since = rig.mark()
        rig.until(lambda: len(self.lit("red:deny", since)) >= 4, what="the red LED flashing at rest")
        flashes = [change.at for change in rig.led_changes("gate:red:deny", since) if change.value]
        pauses = sorted(after - before for before, after in zip(flashes, flashes[1:]))[:3]
        self.assertGreater(pauses[-1], 4 * pauses[0], "the flashes come in pairs")
        self.assertEqual(self.lit("green:pass", since), [])
        self.venue.mend()
        self.assert_told_once()
        since = rig.mark()
        rig.sh("sleep 8")  # longer than from one pair of flashes to the next
        self.assertEqual(rig.led_changes("gate:red:deny", since), [])
