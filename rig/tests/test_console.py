"""What shows a station to machines: who is told what, each order once, whatever comes over the network, and no gate that notices."""

import json
import os
import re
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import certificates
import console
import secrets_told
from console import ADDRESS, PORT, TOKENS, Console, Gone, answer_of, request
from place import lasts, natively
from relay import Relay
from rig import PATIENCE, MachineError
from test_offline import FOLDER, GATES, QUEUES, REFUSES
from test_station import CANNOT_ADMIT, SOCKET, WELL, StationCase
from venue import SCANGATE

#: Whom each ticket was sold to, and for what; a browser, a terminal or a log that took them as they are would be turned round.
HOLDER, MAIL, EVENT = "Zoë\u202e\u001b[31mmorG\u2066", "zoe@holder.example", "Strings\u202e\u200f\u001b]0;x\u0007"
#: What may stand in no answer and no line as it is: control characters but line ends and tabs, and marks that turn text round.
UNCLEAN = re.compile("[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
HEALTH, READY, METRICS = "/healthz", "/readyz", "/metrics"
SNAPSHOT, EVENTS, ORDERS = "/api/v1/snapshot", "/api/v1/events", "/api/v1/orders"
#: What asks for each, of those who may ask for something.
WANTS = {METRICS: "metrics", SNAPSHOT: "events", "/api/v1/gates": "events", EVENTS: "events", ORDERS: "orders"}
#: How many connections come at a time, and how many in all: of each three one is closed at once, one sends half a request, and one a whole one.
CROWD, CONNECTIONS = 250, 10_000 if os.environ.get("SCANGATE_WHOLE") == "1" else 3_000
#: How often the console is killed while people come.
KILLS = 20


class ConsoleCase(StationCase):
    """A station that is shown to machines by the file's own words."""

    ORDERS = ("maintenance", "annul", "listRefresh")
    #: What else the console's section has.
    MORE = ""
    LISTEN = f"{ADDRESS}:{PORT}"
    #: By which it is known, where it speaks TLS.
    AUTHORITY = None

    def open_venue(self, sold, *options, **more):
        header, *rows = sold.splitlines()
        # However it is cleaned, these letters of the name stay.
        self.rig.known.add(secrets_told.NAMES, HOLDER, "31mmorG")
        self.rig.known.add("mail address", MAIL)
        super().open_venue("\n".join([f"{header},name,email,event", *(f'{row},"{HOLDER}",{MAIL},"{EVENT}"' for row in rows), ""]), *options, **more)

    def configure(self, text):
        super().configure(text + console.section(self.ORDERS, self.LISTEN, self.MORE))

    def begin(self, **gates):
        """A station whose gates admit, and its console; returns when that knows the station."""
        self.serve(**(gates or {"north": REFUSES, "south": REFUSES}))
        self.console = Console(self.rig, FOLDER, self.station_socket(), self.AUTHORITY)
        self.addCleanup(self.assert_no_secret_was_told)
        self.furnish()
        self.console.start()
        self.console.until_ready()

    def station_socket(self):
        """By which it sees the station."""
        return SOCKET

    def furnish(self):
        """What the console has to find before it is started."""

    def assert_no_secret_was_told(self):
        """Whatever a test was about: no secret and no code was answered to anybody or said in a log, and nothing that turns text round."""
        logs = {process.name: process.log() for process in self.rig.processes if process.name.startswith(("console", "scangate"))}
        answered = b"".join(self.console.heard).decode(errors="replace")
        secrets = [*TOKENS.values(), self.rig.get(self.venue.key).decode().strip(), *self.told, *getattr(self, "refused", ())]
        names = [] if "names: true" in self.MORE else ["Zoë"]
        for where, text in {"the answers": answered, **logs}.items():
            for secret in [*secrets, MAIL, *names]:
                self.assertNotIn(secret, text, where)
            self.assertEqual(UNCLEAN.findall(text), [], where)

    def stream(self, **how):
        stream = self.console.stream(**how)
        self.addCleanup(stream.close)
        return stream

    def until_told(self, stream, count, *types):
        """Waits until so many events of these types have come on a stream; returns them."""
        self.rig.until(lambda: self.alive() and len(stream.events(*types)) >= count, what=f"{count} events of {types} on a stream that has {stream.events()}")
        return stream.events(*types)

    def admits(self, reader="left", code=None):
        """The next code opens the gate; returns the scan."""
        code = code or next(self.codes)
        scan = self.present({reader: code})[reader]
        self.assertEqual(scan["verdict"], "admit", scan)
        self.told.append(code)
        return scan

    def give(self, order, gate=None, token="orders", **more):
        """Gives an order; returns the answer's status, and what it says."""
        answer = self.console.ask(ORDERS, token, method="POST", body={"order": order, **({"gate": gate} if gate else {}), **more})
        return answer.status, json.loads(answer.body)

    def service_reloads(self):
        before = len(self.of("configuration"))
        self.rig.kill(self.service.pid, "HUP")
        self.rig.until(lambda: self.alive() and len(self.of("configuration")) > before, what="a configuration that was loaded")
        self.assertEqual(self.of("configuration")[-1]["state"], "applied")

    def assert_ordered(self, *wanted):
        """The station was given these orders, in this order, each once, and no others but what nobody may give; events and journal say the same."""
        told = [event for event in self.orders() if event["reason"] != "notAllowed"]
        self.assertEqual([(event["order"], event["gate"], event["outcome"]) for event in told], list(wanted))
        journaled = [json.loads(line) for line in self.command("orders --json").splitlines()]
        self.assertEqual([order["id"] for order in journaled if order["reason"] != "notAllowed"], [event["id"] for event in told])


@natively
class Looking(ConsoleCase):
    def test_health_is_told_to_anybody_and_names_nobody(self):
        self.begin()
        health = self.console.ask(HEALTH)
        self.assertEqual(health.status, 200)
        told = json.loads(health.body)
        self.assertLessEqual({"server_connected", "token_valid", "config_current"}, told.keys())
        for path in (HEALTH, READY):
            body = self.console.ask(path).body.decode()
            for name in (*GATES, *GATES.values(), "venue", "rig"):
                self.assertNotRegex(body, rf"\b{name}\b", path)
        asked = len(self.venue.book())
        self.kill()
        self.rig.until(lambda: self.console.ask(READY).status == 503, what="a console that knows that nobody is there")
        self.assertEqual(self.console.ask(HEALTH).status, 503)
        self.run_gateway()
        self.console.until_ready()
        self.rig.until(lambda: self.console.ask(HEALTH).status == 200, what="health")
        self.assertEqual(len(self.venue.book()), asked)

    def test_health_asks_no_server_and_tells_of_gates_that_cannot_decide(self):
        self.begin(north=QUEUES, south=REFUSES)
        self.venue.count()
        for _ in range(20):
            self.assertEqual(self.console.ask(HEALTH).status, 200)
            self.console.json(SNAPSHOT)
        self.assertEqual(self.venue.counted()["all"], 0)
        self.order("maintenance on south")
        self.until_states(south="maintenance")
        self.assertEqual(self.console.ask(HEALTH).status, 200, "one of the gates decides, and staff have the other")
        self.order("maintenance off south")

    def test_snapshot_is_what_status_says(self):
        self.begin()
        self.admits()
        passed = {"north": 2, "south": 1}
        # What was asked a moment ago is told to others who ask.
        self.rig.until(lambda: {gate["gate"]: gate["passed"] for gate in self.console.json(SNAPSHOT)["gates"]} == passed, what="all who passed")
        shown, status = self.console.json(SNAPSHOT), self.status()
        changing = {"at", "uptime_s", "remarks", "disk"}
        for told in (shown, status):
            for system in told["ticket_systems"]:
                # What is another a moment later.
                system.pop("clock_ahead_ms")
                system["list"].pop("age_s")
        self.assertEqual({key: value for key, value in shown.items() if key in status and key not in changing},
                         {key: value for key, value in status.items() if key not in changing})
        self.assertEqual({gate["gate"]: gate["passed"] for gate in self.console.json("/api/v1/gates")["gates"]}, passed)
        self.assertEqual(shown["disk"]["size_bytes"], status["disk"]["size_bytes"])

    def test_counters_are_what_the_events_say(self):
        """What Prometheus reads, of scans of every end: no more of them and no less."""
        self.begin(north=QUEUES, south=REFUSES)
        code = next(self.codes)
        self.admits(code=code)
        for _ in range(3):
            self.present({"right": code})
        self.venue.cut("refused")
        self.admitted_offline({"left": 2})
        self.refused = [next(self.codes)]
        self.present({"right": self.refused[0]})
        self.venue.mend()
        self.drained()
        scans = {}
        for scan in self.of("scan"):
            key = (scan["gate"], scan["verdict"], scan["reason"] or "", scan["decided_by"])
            scans[key] = scans.get(key, 0) + 1
        answer = self.console.ask(METRICS, "metrics")
        self.assertRegex(answer.headers["content-type"], "^text/plain; version=0.0.4")
        series = list(samples(answer.body.decode()))
        self.assertLessEqual(len(series), 2_000)
        counted = {tuple(labels[name] for name in ("gate", "verdict", "reason", "decider")): value
                   for name, labels, value in series if name == "scangate_scans_total" and value}
        self.assertEqual(counted, scans)
        journaled = {}
        for scan in map(json.loads, self.command("journal list --json --limit 1000").splitlines()):
            key = (scan["gate"], scan["verdict"], scan["reason"] or "", scan["decided_by"])
            journaled[key] = journaled.get(key, 0) + 1
        self.assertEqual(journaled, scans)
        self.assertEqual(sum(value for name, _, value in series if name == "scangate_decision_seconds_count"), sum(scans.values()))
        for name in ("reader_state", "gate_state", "ticket_system_up", "outbox_owed", "conflicts_total", "journal_failing", "clock_trusted",
                     "events_dropped_total", "build_info"):
            self.assertIn(f"scangate_{name}", {each for each, _, _ in series})

    def test_streams_tell_over_restarts_of_the_console_and_of_the_service(self):
        """Each event once, in order; and what cannot be told any more is said to be missing."""
        self.begin()
        stream = self.stream()
        first = self.admits()
        (told,) = self.until_told(stream, 1, "scan")
        self.assertEqual({name: told[name] for name in ("id", "gate", "verdict", "code")}, {name: first[name] for name in ("id", "gate", "verdict", "code")})
        self.assertFalse(told["holder"])

        # Whoever was cut off goes on behind what it was told last.
        stream.close()
        missed = [self.admits(reader)["id"] for reader in ("right", "left")]
        again = self.stream(after=stream.id)
        self.assertEqual([event["id"] for event in self.until_told(again, 2, "scan")], missed)
        self.assertEqual(again.events("dropped"), [])

        # The service ends, and another one begins.
        self.kill()
        self.rig.until(lambda: [event["present"] for event in again.events("presence")][-1:] == [False], what="that the service is gone")
        self.run_gateway()
        self.rig.until(lambda: [event["present"] for event in again.events("presence")][-1:] == [True], what="that the service is back")
        later = self.admits()["id"]
        self.assertEqual([event["id"] for event in self.until_told(again, 3, "scan")], [*missed, later])

        # So does the console. What was between is not known, and that is said.
        self.console.kill()
        again.ended.wait(PATIENCE)
        self.admits("right")
        self.console.start()
        self.console.until_ready()
        anew = self.stream(after=again.id)
        self.assertEqual(self.until_told(anew, 1, "dropped")[0]["count"], None)
        last = self.admits()["id"]
        self.assertEqual([event["id"] for event in self.until_told(anew, 1, "scan")], [last])

    @lasts(20)
    def test_stream_on_which_nothing_happens_stays_open(self):
        self.begin()
        stream = self.stream()
        self.rig.until(lambda: stream.comments >= 1, 20, "a heartbeat")
        self.assertFalse(stream.ended.is_set())

    def test_streams_of_one_gate_tell_of_no_other(self):
        self.begin()
        south = self.stream(path=f"{EVENTS}?gate=south")
        self.admits("left")
        scan = self.admits("right")
        self.assertEqual([event["id"] for event in self.until_told(south, 1, "scan")], [scan["id"]])


def samples(text):
    """The series of a page for Prometheus: metric, labels, and value."""
    for line in text.splitlines():
        if line and not line.startswith("#"):
            series, _, value = line.rpartition(" ")
            name, _, labels = series.partition("{")
            yield name, dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels)), float(value)


@natively
class Scraped(ConsoleCase):
    #: How long a real Prometheus reads, and how often, in seconds.
    TIME, INTERVAL = 60, 2
    SERVER = "127.0.0.1:9090"

    def query(self, words):
        """The one value of an expression; None where there is none."""
        with urllib.request.urlopen(f"http://{self.SERVER}/api/v1/query?{urllib.parse.urlencode({'query': words})}", timeout=PATIENCE) as answer:
            found = json.load(answer)["data"]["result"]
        return float(found[0]["value"][1]) if found else None

    def reads(self):
        try:
            return self.query("up")
        except OSError:
            return None

    @lasts(90)
    def test_prometheus_reads_it_for_a_minute(self):
        self.begin()
        page = self.console.ask(METRICS, "metrics").body
        checked = subprocess.run(["promtool", "check", "metrics"], input=page, capture_output=True)
        self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, b"", b""))
        self.rig.put(TOKENS["metrics"], "/run/rig/prometheus-token")
        self.rig.put(f"""\
global: {{ scrape_interval: {self.INTERVAL}s, scrape_timeout: 1s }}
scrape_configs:
  - job_name: station
    authorization: {{ credentials_file: /run/rig/prometheus-token }}
    static_configs: [{{ targets: ["{ADDRESS}:{PORT}"] }}]
""", "/run/rig/prometheus.yml")
        self.rig.spawn("prometheus", f"prometheus --config.file=/run/rig/prometheus.yml --storage.tsdb.path=/run/rig/tsdb --web.listen-address={self.SERVER}")
        self.rig.until(lambda: self.reads() == 1, what="a Prometheus that has read the page")
        end, admitted = time.monotonic() + self.TIME, 2
        while time.monotonic() < end and admitted < 50:
            self.admits(("left", "right")[admitted % 2])
            admitted += 1
            time.sleep(self.TIME / 50)
        admits = 'sum(scangate_scans_total{verdict="admit"})'
        self.rig.until(lambda: self.query(admits) == admitted, what="everybody among the figures")
        self.assertEqual(self.query(f"min_over_time(up[{self.TIME}s])"), 1, "it was read each time")
        self.assertGreaterEqual(self.query(f"count_over_time(up[{self.TIME}s])"), self.TIME / self.INTERVAL / 2)
        self.assertLess(self.query(f"max_over_time(scrape_samples_scraped[{self.TIME}s])"), 2_000)
        self.assertGreater(self.query(f"sum(increase(scangate_passed_total[{self.TIME}s]))"), 0)
        self.assertEqual(self.query("sum(scangate_decision_seconds_count)"), admitted)


@natively
class Rights(ConsoleCase):
    def test_who_is_told_what_by_which_token(self):
        self.begin()
        for path, scope in WANTS.items():
            how = {"method": "POST", "body": {"order": "maintenance", "gate": "nowhere", "on": True}} if path == ORDERS else {}
            for token in (*TOKENS, None, "a-token-that-is-none-0123456789abcdef"):
                if path == EVENTS and token in (scope, "everything"):
                    self.stream(token=token)
                    continue
                status = self.console.ask(path, token, **how).status
                if token in (scope, "everything") or (path == METRICS and token is None):
                    self.assertNotIn(status, (401, 403), f"{path} by {token}")
                elif token in TOKENS:
                    self.assertEqual(status, 403, f"{path} by {token}")
                else:
                    # This machine is somebody, who may see the metrics.
                    self.assertIn(status, (401, 403) if token is None else (401,), f"{path} by {token}")
        self.assertEqual(self.console.ask(METRICS, headers=[("X-Forwarded-For", "127.0.0.1")]).status, 401, "somebody stands between")
        self.assert_ordered()

    def test_tokens_are_not_found_by_trying(self):
        self.begin()
        tried = [self.console.ask(SNAPSHOT, f"guess-{number:04}-0123456789abcdef") for number in range(100)]
        self.assertEqual(tried[0].status, 401)
        self.assertEqual(tried[-1].status, 429)
        self.assertGreater(int(tried[-1].headers["retry-after"]), 0)
        self.assertEqual(self.console.ask(SNAPSHOT, "everything").status, 200, "who knows one is kept out by nobody's guesses")
        self.assertEqual(self.console.ask(HEALTH).status, 200)
        self.admits()

    def test_token_counts_in_its_field_alone(self):
        """Where it stands in an address it stands in logs; and whatever looks like one is none."""
        self.begin()
        token = TOKENS["everything"]
        for path in (f"{HEALTH}?gate={token}", f"{SNAPSHOT}?x={token}"):
            self.assertEqual(self.console.ask(path).status, 400, path.replace(token, "TOKEN"))
        for path in (f"{SNAPSHOT}?token={token}", f"{SNAPSHOT}?access_token={token}", f"{SNAPSHOT}#{token}", f"/{token}", f"/api/v1/{token}"):
            answer = self.console.ask(path)
            self.assertIn(answer.status, (400, 401, 403, 404), path)
        for field in (f"Basic {token}", f"bearer{token}", f"Bearer  {token} x", f"Bearer {token[:-1]}", f"Bearer {token}0", f"Bearer {token.upper()}", "Bearer"):
            self.assertEqual(self.console.ask(SNAPSHOT, headers=[("Authorization", field)]).status, 401, field.replace(token, "TOKEN"))
        for name in ("Cookie", "X-Token", "X-Forwarded-For", "Forwarded"):
            self.assertIn(self.console.ask(SNAPSHOT, headers=[(name, token if "Token" in name else "127.0.0.1")]).status, (401, 403), name)

    def test_file_says_which_orders_it_gives(self):
        """Whatever the token is good for: the gateway goes by its file, and by who asks."""
        self.begin()
        status, said = self.give("maintenance", "north", on=True, why="arm stuck")
        self.assertEqual((status, said["outcome"]), (200, "done"), said)
        self.until_states(north="maintenance", south="ready")
        refused = [self.give("openOnce", "south"), self.give("present", "south", code=next(self.codes)), self.give("outboxHold", on=True),
                   self.give("search", text="Zoë"), self.give("arming", minutes=5), self.give("journalAccept")]
        for status, said in refused:
            self.assertEqual((status, said["outcome"], said["refusal"]), (403, "refused", "notAllowed"), said)
        self.assertEqual(self.give("maintenance", "north", on=False)[1]["outcome"], "done")
        self.assert_ordered(("maintenance", "north", "done"), ("maintenance", "north", "done"))
        self.assertEqual(self.orders()[0]["why"], "arm stuck")
        self.assertIn("orders", self.orders()[0]["who"], "the token's name")
        self.opened(left=1, right=1)

    def test_reload_takes_rights_away(self):
        self.begin()
        self.assertEqual(self.give("maintenance", "north", on=True)[1]["outcome"], "done")
        path = f"{FOLDER}/scangate.yaml"
        self.rig.put(self.rig.get(path).decode().replace("orders: [maintenance, annul, listRefresh]", "orders: []"), path)
        self.service_reloads()
        given = []
        # Whose rights are others now is sent away, and comes again.
        self.rig.until(lambda: given.append(self.give("maintenance", "north", on=False)) or given[-1][0] != 503, what="the station back")
        status, said = given[-1]
        self.assertEqual((status, said.get("refusal")), (403, "notAllowed"), said)
        self.until_states(north="maintenance")


@natively
class Names(ConsoleCase):
    MORE = "names: true"

    def test_holders_are_named_where_the_file_says_so_and_are_cleaned(self):
        self.begin()
        stream = self.stream()
        self.admits()
        (told,) = self.until_told(stream, 1, "scan")
        self.assertIn("Zoë", told["holder"])
        self.assertNotIn("Zoë", self.console.ask(METRICS).body.decode())


@natively
class Orders(ConsoleCase):
    NUMBER = "5b0c11d29a4e7b36" * 2

    def test_order_is_given_once_however_often_it_is_asked_for(self):
        self.begin()
        answers = [self.give("maintenance", "north", on=True, id=self.NUMBER) for _ in range(3)]
        self.assertEqual([(status, said["outcome"]) for status, said in answers], 3 * [(200, "done")])
        self.until_states(north="maintenance")
        # Over another console, and another service, too.
        self.console.kill()
        self.console.start()
        self.console.until_ready()
        self.order("maintenance off north")
        self.until_states(north="ready")
        status, said = self.give("maintenance", "north", on=True, id=self.NUMBER)
        self.assertEqual((status, said["outcome"]), (200, "done"))
        self.until_states(north="ready")
        self.assert_ordered(("maintenance", "north", "done"), ("maintenance", "north", "done"))

    def test_order_is_done_once_though_the_way_to_the_service_breaks(self):
        """It was passed on, or its answer was lost: the console asks again by the same number."""
        self.begin()
        for when in ("asked", "answered"):
            relay = Relay(self.rig, f"relay-{when}", SOCKET, when)
            shown = Console(self.rig, FOLDER, relay.path)
            shown.address = (ADDRESS, PORT)
            self.console.kill()
            shown.heard, shown.runs = self.console.heard, self.console.runs
            shown.start()
            shown.until_ready()
            self.console = shown
            self.admits()
            status, said = self.give("annul", "north", why=when)
            self.assertEqual((status, said["outcome"]), (200, "done"), said)
            relay.until_broken()
            self.told.pop()
        self.assert_ordered(("annul", "north", "done"), ("annul", "north", "done"))

    def test_annulled_admission_admits_again(self):
        self.begin()
        code = next(self.codes)
        self.admits(code=code)
        self.assertEqual(self.give("annul", "north", why="went back for a coat")[1]["outcome"], "done")
        status, said = self.give("annul", "north")
        self.assertEqual((status, said["outcome"], said["refusal"]), (409, "refused", "nothingToAnnul"), said)
        self.told.remove(code)
        self.admits(code=code)
        self.assertEqual(self.present({"right": code})["right"]["reason"], "alreadyUsed")
        self.assert_told_once()

    def test_words_of_whoever_asks_are_cleaned(self):
        self.begin()
        why = "arm\u202e stuck\u001b[2J\r\n\u2066\u0000" + "x" * 300
        self.assertEqual(self.give("maintenance", "north", on=True, why=why)[1]["outcome"], "done")
        (event,) = self.orders()
        self.assertTrue(event["why"].startswith("arm"))
        self.assertEqual(self.give("maintenance", "north", on=True, why="x" * 401)[0], 422)
        self.assertEqual(UNCLEAN.findall(event["why"]), [])

    def test_what_is_no_order_is_refused_and_said_why(self):
        self.begin()
        for body in (b"", b"{", b"[]", b"null", b'{"order":"maintenance"}', b'{"order":"maintenance","gate":7,"on":true}', b'{"order":"maintenance","gate":"north"}',
                     b'{"order":"maintenance","gate":"north","on":"yes"}', b'{"order":"nothing"}', b'{"order":"maintenance","gate":"north","on":true,"id":"x"}',
                     b'{"order":"\xff\xfe"}', b"[" * 5_000, b'{"order":' + b'{"a":' * 2_000 + b"1" + b"}" * 2_000 + b"}", b"x" * 100_000):
            try:
                answer = self.console.ask(ORDERS, "orders", method="POST", body=body, headers=[("Content-Type", "application/json")])
            except Gone:
                # Who still sends when the connection is closed may never see the answer.
                self.assertGreater(len(body), 16_384)
                continue
            self.assertIn(answer.status, (400, 413, 415, 422), body[:60])
        # A page of a stranger can have a browser send this without asking.
        form = self.console.ask(ORDERS, "orders", method="POST", body=b'{"order":"maintenance","gate":"north","on":true}', headers=[("Content-Type", "text/plain")])
        self.assertIn(form.status, (400, 403, 415))
        self.assert_ordered()
        self.assertEqual(self.give("maintenance", "nowhere", on=True)[0], 404)


@natively
class Strangers(ConsoleCase):
    """Whatever comes over the network: the console answers who behaves, and gates do not notice."""

    def assert_answers(self):
        """Whoever behaves is answered, and the gate decides."""
        self.console.alive()
        self.assertEqual(self.console.ask(READY).status, 200)
        self.assertEqual(self.console.json(SNAPSHOT)["running"], True)
        self.admits()

    def test_pages_of_strangers_read_nothing(self):
        """A name of theirs may lead here (DNS rebinding): who is asked for is looked at, in every form."""
        self.begin()
        self.rig.sh(f"echo {ADDRESS} evil.rig >> /etc/hosts")
        for host in ("evil.rig", f"evil.rig:{PORT}", f"{ADDRESS}.evil.rig:{PORT}", f"localhost.evil.rig:{PORT}", f"{ADDRESS}:{PORT}@evil.rig", "", "*", "\u202elocalhost",
                     f"{ADDRESS}:{PORT}0", "0x7f.1:8088", "a" * 3_000):
            for path in (HEALTH, READY, METRICS, SNAPSHOT):
                said = self.console.exchange(request(path, token="everything", host=host or " "))
                self.assertNotRegex(said.partition(b"\r\n")[0], rb" 2\d\d ", f"{path} of {host[:40]!r}")
                self.assertNotIn(b"Access-Control-Allow", said)
        for host in (f"{ADDRESS}:{PORT}", f"localhost:{PORT}"):
            self.assertEqual(self.console.ask(READY, host=host).status, 200, host)
        for data in (b"GET /readyz HTTP/1.1\r\nConnection: close\r\n\r\n",
                     b"GET /readyz HTTP/1.1\r\nHost: %b:%d\r\nHost: evil.rig\r\nConnection: close\r\n\r\n" % (ADDRESS.encode(), PORT),
                     b"GET http://evil.rig/readyz HTTP/1.1\r\nHost: evil.rig\r\nConnection: close\r\n\r\n"):
            self.assertNotRegex(self.console.exchange(data).partition(b"\r\n")[0], rb" 2\d\d ", data)
        # A browser says whose page it is that asks.
        foreign = self.console.ask(ORDERS, "orders", method="POST", body={"order": "maintenance", "gate": "north", "on": True}, headers=[("Origin", "http://evil.rig")])
        self.assertGreaterEqual(foreign.status, 400)
        self.assert_ordered()
        self.assert_answers()

    def test_requests_that_are_none(self):
        self.begin()
        long = b"x" * 200_000
        head = b"Host: %b:%d\r\n" % (ADDRESS.encode(), PORT)
        for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"\x00" * 1_000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                     b"GET /" + long + b" HTTP/1.1\r\n" + head + b"\r\n", b"GET / HTTP/1.1\r\n" + head + b"X: " + long + b"\r\n\r\n",
                     b"GET / HTTP/1.1\r\n" + head + b"".join(b"X-%d: y\r\n" % number for number in range(10_000)) + b"\r\n",
                     b"POST /api/v1/orders HTTP/1.1\r\n" + head + b"Content-Length: -1\r\n\r\n",
                     b"POST /api/v1/orders HTTP/1.1\r\n" + head + b"Content-Length: 99999999999999999999\r\n\r\n",
                     b"POST /api/v1/orders HTTP/1.1\r\n" + head + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\n\r\n",
                     b"POST /api/v1/orders HTTP/1.1\r\n" + head + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n" + long,
                     b"GET /\x00\x1b[2J\xe2\x80\xae HTTP/1.1\r\n" + head + b"\r\n", b"GET /%00%1b%e2%80%ae/../../etc/passwd HTTP/1.1\r\n" + head + b"Connection: close\r\n\r\n",
                     b"GET /healthz HTTP/1.1\r\n" + head + b"Evil: a\rb\r\nConnection: close\r\n\r\n", b"OPTIONS * HTTP/1.1\r\n" + head + b"Connection: close\r\n\r\n",
                     b"TRACE / HTTP/1.1\r\n" + head + b"Connection: close\r\n\r\n", b"CONNECT evil.rig:80 HTTP/1.1\r\n" + head + b"Connection: close\r\n\r\n"):
            with self.console.connect() as connection:
                try:
                    connection.sendall(data)
                    connection.shutdown(socket.SHUT_WR)
                except OSError:
                    pass  # it has had enough
                said = self.console.read(connection)
            self.assertNotRegex(said.partition(b"\r\n")[0], rb" (200|50[0-4]) ", data[:60])
        self.assert_answers()

    def test_pages_that_are_not_there(self):
        self.begin()
        for path in ("/", "/api", "/api/v1", "/api/v2/snapshot", "/api/v1/../../metrics", "/%2e%2e/healthz", "/HEALTHZ", "/favicon.ico"):
            self.assertIn(self.console.ask(path, "everything").status, (301, 308, 400, 404), path)
        for method in ("POST", "PUT", "DELETE", "PATCH"):
            for path in (HEALTH, METRICS, SNAPSHOT):
                self.assertIn(self.console.ask(path, "everything", method=method, body=b"").status, (400, 404, 405), f"{method} {path}")

    @lasts(60)
    def test_thousands_of_connections_many_of_them_half_open(self):
        """In turns, as many at a time as one machine's: some are closed at once, some send half a request and hang, some ask."""
        self.begin()
        sent = request(READY)
        open_ones, answered, refused = [], 0, 0
        for number in range(CONNECTIONS):
            try:
                connection = self.console.connect(5)
                if number % 3 == 1:
                    connection.sendall(sent[:len(sent) // 2])
                elif number % 3 == 2:
                    connection.sendall(sent)
                    if self.console.read(connection):
                        answered += 1
                    else:
                        refused += 1  # there are as many as there may be
                open_ones.append(connection)
            except OSError:
                refused += 1
            if len(open_ones) >= CROWD:
                # The half of those that came first go, without a word.
                for each in open_ones[:CROWD // 2]:
                    each.close()
                del open_ones[:CROWD // 2]
            if number % (CONNECTIONS // 5) == CONNECTIONS // 10:
                self.admits()
        self.assertGreater(answered, CONNECTIONS // 30, f"{answered} were answered, {refused} refused")
        for each in open_ones:
            each.close()
        self.rig.until(lambda: self.is_answered(), what="a console that answers when they are gone")
        self.assert_answers()
        self.assertLess(len(list(Path(f"/proc/{self.console.process.pid}/fd").iterdir())), 100)

    def is_answered(self):
        try:
            return self.console.ask(READY).status == 200
        except (OSError, Gone):
            return False

    @lasts(90)
    def test_whoever_is_slow_is_not_waited_for(self):
        """Half a head, half a body, and nobody who reads what was asked for: each is ended by itself, and others are answered meanwhile."""
        self.begin()
        head = request(ORDERS, "POST", "orders", b"x" * 1_000)
        slow = [self.console.connect(2 * PATIENCE) for _ in range(30)]
        for number, connection in enumerate(slow):
            connection.sendall((b"", head[:20], head[:-500])[number % 3])
        deaf = [self.console.connect(buffer=2_048) for _ in range(20)]
        for number, connection in enumerate(deaf):
            if number % 2:
                connection.sendall(request(EVENTS, token="events", close=False))
            for _ in range(50):
                try:
                    connection.sendall(request(SNAPSHOT, token="events", close=False))
                except OSError:
                    break
        for _ in range(10):
            self.assert_answers()
        for connection in slow:
            self.console.read(connection)  # to its end, which comes
            connection.close()
        for connection in deaf:
            connection.close()
        self.assert_answers()

    def test_stream_that_nobody_reads_costs_nobody_else_anything(self):
        self.begin()
        hung = [self.console.connect(buffer=2_048) for _ in range(100)]
        for connection in hung:
            connection.sendall(request(EVENTS, token="events", close=False))
        stream = self.stream()
        scans = [self.admits(("left", "right")[number % 2])["id"] for number in range(20)]
        self.assertEqual([event["id"] for event in self.until_told(stream, len(scans), "scan")], scans)
        self.assertEqual(stream.events("dropped"), [])
        for connection in hung:
            connection.close()


@natively
class Faults(ConsoleCase):
    """Killed or hung, no gate notices."""

    def test_console_that_is_killed_again_and_again_loses_no_scan(self):
        self.begin()
        for number in range(KILLS):
            stream = self.console.stream()
            self.send({"left": (code := next(self.codes))})
            self.console.kill()
            self.rig.until(lambda: any(scan["code"] == "…" + code[-4:] for scan in self.of("scan")), what="a verdict")
            self.seen(["left"])
            self.told.append(code)
            stream.close()
            self.console.start()
            self.console.until_ready()
        self.assert_told_once()
        self.opened(left=1 + KILLS, right=1)
        self.assertEqual(self.status()["level"], WELL)

    def test_console_that_hangs_is_noticed_by_nobody(self):
        """A loose bound: what it costs to the millisecond, Benchmarks/console measures."""
        self.begin()
        self.stream()
        before = [self.admits(("left", "right")[number % 2])["decided_ms"] for number in range(10)]
        self.console.signal("STOP")
        meanwhile = [self.admits(("left", "right")[number % 2])["decided_ms"] for number in range(30)]
        self.assertLess(sorted(meanwhile)[15], 10 * sorted(before)[5] + 50)
        self.assertEqual(self.status()["level"], WELL)
        self.console.signal("CONT")
        self.rig.until(lambda: self.console.ask(HEALTH).status == 200, what="a console that goes on")
        self.assertEqual(self.console.json(SNAPSHOT)["level"], WELL)
        self.assert_told_once()

    def test_station_that_hangs_is_told_as_what_it_is(self):
        self.begin()
        self.rig.kill(self.service.pid, "STOP")
        try:
            self.rig.until(lambda: self.console.ask(READY).status == 503, what="that nobody answers")
            self.assertIn(self.console.ask(SNAPSHOT, "events").status, (503, 504))
            self.assertIn(self.console.ask(METRICS).status, (200, 503))
        finally:
            self.rig.kill(self.service.pid, "CONT")
        self.console.until_ready()
        self.admits()


class Receiver:
    """Whom alerts are told, over TLS; it answers with a status of the test's choice."""

    def __init__(self, rig, name="127.0.0.1", status=200):
        self.told, self.status, self.paths = [], status, []
        self.folder = Path(tempfile.mkdtemp(prefix="receiver."))
        certificates.make(self.folder, "receiver", "receiver.rig", name)
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                # It is told the token that it was given, as it should be, and nothing else.
                said = "".join(f"{name}: {value}\n" for name, value in self.headers.items() if name.lower() != "authorization")
                rig.heard.take("an alert", f"{self.path}\n{said}\n{text}")
                receiver.told.append(({name.lower(): value for name, value in self.headers.items()}, text))
                receiver.paths.append(self.path)
                self.send_response(receiver.status)
                if receiver.status == 302:
                    self.send_header("Location", f"https://{name}:{receiver.port}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer((name, 0), Handler)
        self.port = self.server.server_address[1]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "receiver.pem", self.folder / "receiver-key.pem")
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def text(self):
        return "\n".join(f"{headers} {text}" for headers, text in self.told)


@natively
class Alerts(ConsoleCase):
    TOKEN = "token-of-the-receiver-4711abcd"

    def setUp(self):
        super().setUp()
        self.receiver = Receiver(self.rig)
        self.MORE = f'alerts: {{ url: "https://127.0.0.1:{self.receiver.port}/gate", token: ntfy-token, caFile: receiver-ca.pem, on: [ticketSystem, reader] }}'

    def furnish(self):
        self.console.entrust("ntfy-token", self.TOKEN)
        self.console.entrust("receiver-ca.pem", (self.receiver.folder / "ca.pem").read_text())

    def until_received(self, count, timeout=3 * PATIENCE):
        self.rig.until(lambda: self.alive() and len(self.receiver.told) >= count, timeout, f"{count} alerts, of which came {self.receiver.told}")
        return self.receiver.told[count - 1]

    @lasts(260)
    def test_ticket_system_that_is_away_is_told_and_that_it_is_back(self):
        """Not before it has been away for a minute, not twice, and not of what is short."""
        self.begin(north=QUEUES, south=REFUSES)
        self.venue.cut("refused")
        began = time.monotonic()
        self.admitted_offline({"left": 1})
        headers, text = self.until_received(1)
        self.assertGreater(time.monotonic() - began, 55)
        self.assertIn("Ticket system venue", text)
        self.assertEqual(headers["authorization"], f"Bearer {self.TOKEN}")
        self.assertEqual(self.receiver.paths, ["/gate"])
        self.venue.mend()
        self.drained()
        began = time.monotonic()
        _, text = self.until_received(2)
        self.assertGreater(time.monotonic() - began, 100)
        self.assertIn("venue", text)
        self.assertEqual(len(self.receiver.told), 2)
        for secret in (*TOKENS.values(), *self.told, MAIL, "Zoë"):
            self.assertNotIn(secret, self.receiver.text)
        self.assertNotIn(self.TOKEN, self.console.log() + b"".join(self.console.heard).decode(errors="replace"))

    @lasts(150)
    def test_redirect_is_not_followed_and_what_was_not_taken_is_told_again(self):
        self.receiver.status = 302
        self.begin(north=QUEUES, south=REFUSES)
        self.venue.cut("refused")
        self.admitted_offline({"left": 1})
        self.until_received(1)
        self.receiver.status = 200
        self.until_received(2)
        self.assertEqual(set(self.receiver.paths), {"/gate"})


@natively
class Secure(ConsoleCase):
    """Over TLS, with a certificate of the venue's own."""

    AUTHORITY = "/run/rig/console-ca.pem"
    MORE = "certificate: certificate.pem, privateKey: key.pem"

    def furnish(self):
        with tempfile.TemporaryDirectory() as folder:
            certificates.make(folder, "station", "station.rig", ADDRESS)
            self.rig.put(Path(folder, "ca.pem").read_bytes(), self.AUTHORITY)
            self.console.entrust("certificate.pem", Path(folder, "station.pem").read_text())
            self.console.entrust("key.pem", Path(folder, "station-key.pem").read_text())

    def test_everything_is_told_by_tls_and_nothing_without(self):
        self.begin()
        stream = self.stream()
        scan = self.admits()
        self.assertEqual([event["id"] for event in self.until_told(stream, 1, "scan")], [scan["id"]])
        self.assertEqual(self.console.ask(METRICS, "metrics").status, 200)
        self.assertEqual(self.give("maintenance", "north", on=True)[1]["outcome"], "done")
        with socket.create_connection(self.console.address, PATIENCE) as plain:
            plain.sendall(request(HEALTH))
            self.assertNotIn(b" 200 ", self.console.read(plain))
        for version in (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1):
            old = ssl.create_default_context(cafile=self.AUTHORITY)
            old.minimum_version = old.maximum_version = version
            old.set_ciphers("ALL:@SECLEVEL=0")
            with socket.create_connection(self.console.address, PATIENCE) as connection, self.assertRaises(OSError):
                old.wrap_socket(connection, server_hostname=ADDRESS)
        said = self.rig.sh(f"{SCANGATE} console fingerprint --config {FOLDER}/scangate.yaml --credentials {self.console.credentials} 2>&1")
        self.assertIn(self.console.fingerprint(), re.sub(r"[:\s]", "", said).lower())

    def test_half_of_a_greeting_holds_up_nobody(self):
        self.begin()
        half = [socket.create_connection(self.console.address, PATIENCE) for _ in range(100)]
        for number, connection in enumerate(half):
            connection.sendall((b"", b"\x16", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")[number % 3])
        for _ in range(5):
            self.assertEqual(self.console.ask(READY).status, 200)
            self.admits()
        for connection in half:
            self.console.read(connection)  # to its end, which comes
            connection.close()


@natively
class Abroad(ConsoleCase):
    """Beyond the machine itself: only by TLS, by a certificate that is made where there is none."""

    LISTEN = f"0.0.0.0:{PORT}"
    ELSEWHERE = "192.0.2.44"

    def test_certificate_is_made_once_and_its_fingerprint_told(self):
        self.rig.sh(f"ip address replace {self.ELSEWHERE}/32 dev lo")
        self.serve(north=REFUSES, south=REFUSES)
        self.console = Console(self.rig, FOLDER, SOCKET)
        self.addCleanup(self.assert_no_secret_was_told)
        self.console.address = (self.ELSEWHERE, PORT)
        self.console.start()
        shown = ssl.get_server_certificate(self.console.address)
        self.rig.put(shown, "/run/rig/console-own.pem")
        print_of_it = self.console.fingerprint()
        said = self.rig.sh(f"STATE_DIRECTORY={FOLDER}/console-state {SCANGATE} console fingerprint --config {FOLDER}/scangate.yaml 2>&1")
        self.assertIn(print_of_it, re.sub(r"[:\s]", "", said).lower())
        kept = self.rig.sh(f"find {FOLDER}/console-state -type f -printf '%m %u\\n'").splitlines()
        self.assertEqual(set(kept), {"600 scangate-console"})
        subprocess.run(["openssl", "verify", "-CAfile", "/run/rig/console-own.pem", "/run/rig/console-own.pem"], check=True, capture_output=True)
        self.console.kill()
        self.console.start()
        self.assertEqual(self.console.fingerprint(), print_of_it, "whoever has accepted it need not do so again")
        # Whoever comes from elsewhere reads metrics by a token alone. The name in the certificate is the machine's: it is known by itself here.
        context = ssl.create_default_context(cafile="/run/rig/console-own.pem")
        context.check_hostname = False

        def ask(path, token=None):
            with socket.create_connection(self.console.address, PATIENCE) as connection, context.wrap_socket(connection) as secure:
                secure.sendall(request(path, token=token, host=f"{self.ELSEWHERE}:{PORT}"))
                return answer_of(self.console.read(secure))

        self.rig.until(lambda: ask(READY).status == 200, what="a console that is ready")
        self.assertEqual(ask(METRICS, "metrics").status, 200)
        self.assertEqual(ask(SNAPSHOT, "events").status, 200)
        self.assertEqual(ask(SNAPSHOT).status, 401)

    def test_file_that_would_show_it_unprotected_is_refused(self):
        self.serve(north=REFUSES, south=REFUSES)
        path = f"{FOLDER}/scangate.yaml"
        text = self.rig.get(path).decode()
        self.rig.put(text.replace("tokens: {", "allowPlainHTTP: true, tokens: {"), path)
        said = self.rig.sh(f"{SCANGATE} config check {path} 2>&1; echo ended with $?")
        self.assertRegex(said, r"plain HTTP(?s:.*)ended with (?!0)")
        self.assertNotIn("0123456789abcdef", said)


@natively
class Absent(ConsoleCase):
    def test_token_that_cannot_be_read_is_named(self):
        """Starting again changes nothing, and the station goes on."""
        for spoil, words in ((lambda path: self.rig.sh(f"rm {path}"), "is not there"), (lambda path: self.rig.put("short\n", path), "short|less than|may not be read"),
                             (lambda path: self.rig.put(TOKENS["events"] + "\u202e\n", path), "holds no token|may not be read")):
            with self.subTest(words):
                self.serve_once()
                spoil(f"{self.console.credentials}/metrics")
                self.rig.sh(f"chown {console.USER} {self.console.credentials}/* && chmod 600 {self.console.credentials}/*")
                with self.assertRaises(MachineError):
                    self.console.start()
                self.assertEqual(self.console.process.started.result(PATIENCE)[0], 78)
                self.assertRegex(self.console.log(), f"(?is)console/metrics.*({words})")
        self.assertEqual(self.status()["level"], WELL)

    def serve_once(self):
        if not hasattr(self, "console"):
            self.serve(north=REFUSES, south=REFUSES)
            self.addCleanup(self.assert_no_secret_was_told)
        self.console = Console(self.rig, FOLDER, SOCKET)

    def test_station_that_is_not_there_is_waited_for(self):
        self.serve(north=REFUSES, south=REFUSES)
        self.kill()
        self.console = Console(self.rig, FOLDER, SOCKET)
        self.addCleanup(self.assert_no_secret_was_told)
        self.console.start()
        self.assertEqual(self.console.ask(READY).status, 503)
        self.assertEqual(self.status()["level"], CANNOT_ADMIT)
        self.run_gateway()
        self.console.until_ready()
        self.admits()
