"""A station at a broker: it tells how it is and what was decided, takes the few orders that the file allows, and no gate notices what becomes of the broker."""

import json
import re

import broker as mqtt
from broker import BRIDGE, PASSWORDS, Broker, command
from console import become
from place import lasts, natively
from rig import PATIENCE
from test_offline import FOLDER, GATES, QUEUES, REFUSES
from test_station import SOCKET, StationCase
from venue import SCANGATE

USER = "scangate-mqtt"
BASE = "scangate/rig"
AVAILABLE, SERVICE, RESULTS = f"{BASE}/availability", f"{BASE}/service", f"{BASE}/results"
CREDENTIALS, PASSWORD_FILE = f"{FOLDER}/mqtt", "broker-password"
#: Whom tickets were sold to; and what nobody may be told of them.
HOLDER = "Jürgen Groß"


def state(gate):
    return f"{BASE}/gates/{gate}/state"


def verdict(gate):
    return f"{BASE}/gates/{gate}/verdict"


def order(name):
    return f"{BASE}/commands/{name}"


class BrokerCase(StationCase):
    """A station, a broker, and the bridge between them, with these orders in the file."""

    ORDERS = ("maintenance", "listRefresh")

    def setUp(self):
        super().setUp()
        self.bridges = []
        self.as_user = become(self.rig, USER)
        self.broker = Broker(self.rig)
        self.ca = self.broker.ca

    def configure(self, text):
        super().configure(text + f"""\
mqtt:
  broker: "mqtts://{mqtt.NAME}:{mqtt.PORT}"
  caFile: {self.ca}
  user: {BRIDGE}
  credential: {PASSWORD_FILE}
  prefix: scangate
  homeAssistant: true
  orders: [{", ".join(self.ORDERS)}]
""")

    def run_bridge(self):
        self.rig.sh(f"install -d -m 700 -o {USER} {CREDENTIALS}")
        self.rig.known.add("broker's password", PASSWORDS[BRIDGE])
        self.rig.put(f"{PASSWORDS[BRIDGE]}\n", f"{CREDENTIALS}/{PASSWORD_FILE}")
        self.rig.sh(f"chown {USER} {CREDENTIALS}/{PASSWORD_FILE}; chmod 600 {CREDENTIALS}/{PASSWORD_FILE}")
        self.bridges.append(self.rig.spawn(
            f"bridge-{len(self.bridges) + 1}",
            f"{self.as_user} {SCANGATE} mqtt --config {FOLDER}/scangate.yaml --credentials {CREDENTIALS} --station-socket {SOCKET}"))

    @property
    def bridge(self):
        return self.bridges[-1]

    def begin(self, **gates):
        """A broker, a station whose gates admit, and the bridge; returns when the broker knows of both."""
        self.broker.start()
        self.serve(**(gates or {"north": REFUSES, "south": REFUSES}))
        self.run_bridge()
        self.until_told()

    def until_told(self):
        """Waits until the broker knows that bridge and service are there, and that both gates are ready."""
        for topic in (AVAILABLE, SERVICE):
            self.broker.until(topic, "online")
        for gate in GATES.values():
            self.broker.until(state(gate), {"state": "ready"})

    def result(self, number):
        """Waits for what became of a command."""
        def told():
            return [found for found in (json.loads(message.payload) for message in self.broker.heard(RESULTS)) if found["id"] == number]

        return self.rig.until(lambda: self.alive() and told(), what=f"what became of the command {number}; the bridge:\n{self.bridge.log()}")[0]

    def says(self, pattern):
        """Waits until the bridge has said so."""
        self.rig.until(lambda: self.bridge.running() and re.search(pattern, self.bridge.log()), what=f"“{pattern}” of the bridge:\n{self.bridge.log()}")

    def admits(self, reader="left"):
        """The next code opens the gate; returns it."""
        code = next(self.codes)
        self.assertEqual(self.present({reader: code})[reader]["verdict"], "admit")
        self.told.append(code)
        return code

    def tearDown(self):
        # Whatever a test was about: no secret and no code was said, to whomever.
        said = "".join([*(bridge.log() for bridge in self.bridges), *(message.payload or "" for message in self.broker.heard())])
        for secret in (*PASSWORDS.values(), *getattr(self, "told", ()), HOLDER):
            self.assertNotIn(secret, said)
        super().tearDown()


@natively
class Telling(BrokerCase):
    def test_state_verdicts_and_what_home_assistant_is_told(self):
        self.begin()
        self.broker.until(f"{BASE}/readers/left/state", {"state": "reading"})
        self.broker.until(f"{BASE}/outbox", {"owed": 0, "held": False})
        code = self.admits()
        self.assertEqual(self.present({"left": code})["left"]["verdict"], "refuse")
        self.rig.until(lambda: len(self.broker.heard(verdict("north"))) >= 2, what="both verdicts at the broker")
        told = [json.loads(message.payload) for message in self.broker.heard(verdict("north"))]
        self.assertEqual([(each["verdict"], each["reason"], each["reader"]) for each in told], [("admit", None, "left"), ("refuse", "alreadyUsed", "left")])
        self.assertEqual([each["id"] for each in told], [scan["id"] for scan in self.of("scan")[-2:]])
        for each in told:
            self.assertFalse(each.keys() & {"code", "holder", "event", "tickets", "seats", "detail"}, each)
        self.broker.until(state("north"), {"admit": 2, "refuse": 1})

        kept = self.broker.kept()
        self.assertNotIn(verdict("north"), kept, "nobody who comes later takes an old verdict for a new one")
        entities = {topic: json.loads(payload) for topic, payload in kept.items() if topic.startswith("homeassistant/")}
        self.assertTrue(entities)
        self.assertEqual(len({entity["unique_id"] for entity in entities.values()}), len(entities))
        for topic, entity in entities.items():
            self.assertRegex(topic, r"^homeassistant/(binary_sensor|sensor|switch|button)/[\w-]+/[\w-]+/config$")
            self.assertEqual(entity["device"]["name"], "rig")
            for place in filter(None, [entity.get("state_topic"), *(each["topic"] for each in entity["availability"])]):
                self.assertIn(place, kept, topic)
            self.assertNotRegex(entity.get("command_topic", ""), "openOnce|annul|present")
        self.assertEqual(sum("command_topic" in entity for entity in entities.values()), len(GATES) + 1, "a switch for each gate, and one for lists")

    def test_availability_is_told_whatever_ends(self):
        """By its last will where the bridge is killed; of the service, by the bridge."""
        self.begin()
        self.rig.kill(self.bridge.pid)
        self.broker.until(AVAILABLE, "offline")
        self.run_bridge()
        self.until_told()
        self.kill()
        self.broker.until(SERVICE, "offline")
        self.run_gateway()
        self.until_told()
        self.assertEqual(self.bridge.stop(), 0)
        for topic in (AVAILABLE, SERVICE):
            self.broker.until(topic, "offline")
        self.assertEqual(self.broker.kept(AVAILABLE)[AVAILABLE], "offline")

    def test_trouble_is_told_and_that_it_is_over(self):
        self.begin(north=QUEUES, south=REFUSES)
        system = f"{BASE}/ticket-systems/venue/state"
        self.broker.until(system, {"offline": None})
        self.venue.cut("refused")
        self.admitted_offline({"left": 1})
        self.broker.until(system, {"offline": "noConnection"})
        self.broker.until(f"{BASE}/outbox", {"owed": 1})
        self.venue.mend()
        self.drained()
        self.broker.until(system, {"offline": None})
        self.broker.until(f"{BASE}/outbox", {"owed": 0})


@natively
class Commands(BrokerCase):
    def assert_ordered(self, *numbers_of):
        """The station was given these orders, in this order, each once, and no others."""
        self.assertEqual([(event["order"], event["gate"], event["subject"], event["outcome"]) for event in self.orders()], list(numbers_of))

    def test_maintenance_is_ordered_once(self):
        self.begin()
        given = command("evening-1", gate="north", on=True, why="arm stuck")
        for _ in range(3):
            self.broker.publish(order("maintenance"), given)
        self.assertEqual(self.result("evening-1")["outcome"], "done")
        self.until_states(north="maintenance", south="ready")
        self.broker.until(state("north"), {"state": "maintenance", "maintenance_ordered": True})
        # Also by a bridge that knows nothing of it any more: the station does.
        self.rig.kill(self.bridge.pid)
        self.broker.until(AVAILABLE, "offline")
        self.run_bridge()
        self.broker.until(AVAILABLE, "online")
        self.says("The service of rig answers")
        self.broker.publish(order("maintenance"), {**command("evening-2", gate="north", on=False)})
        self.assertEqual(self.result("evening-2")["outcome"], "done")
        self.until_states(north="ready")
        self.broker.publish(order("maintenance"), given)
        self.broker.publish(order("listRefresh"), command("evening-3", ticket_system="venue"))
        self.assertEqual(self.result("evening-3")["order"], "listRefresh")
        self.until_states(north="ready")
        maintenance = [event for event in self.orders() if event["order"] == "maintenance"]
        self.assertEqual([(event["gate"], event["subject"], event["outcome"]) for event in maintenance], [("north", "on", "done"), ("north", "off", "done")])
        self.assertIn("mqtt", maintenance[0]["who"])
        self.assertEqual(maintenance[0]["why"], "arm stuck")

    def test_what_is_retained_stale_or_never_taken_does_nothing(self):
        self.broker.start()
        self.broker.publish(order("maintenance"), command("kept", gate="north", on=True), retained=True)
        self.serve(north=REFUSES, south=REFUSES)
        self.run_bridge()
        self.until_told()
        self.says("refused: the broker had kept it")
        for number, age in (("old", 6), ("ahead", -60)):
            self.broker.publish(order("maintenance"), command(number, age, gate="north", on=True))
            self.assertEqual((self.result(number)["outcome"], self.result(number)["reason"]), ("refused", "stale"))
        for name in ("openOnce", "open", "annul", "present", "search", "arming", "outboxHold", "signalTest", "maintenance/on"):
            self.broker.publish(order(name), command(f"never-{name.replace('/', '-')}", gate="north", on=True, code=next(self.codes)))
        self.broker.publish(order("maintenance"), command("after", gate="south", on=True))
        self.assertEqual(self.result("after")["outcome"], "done", "what came before it was looked at before it")
        self.until_states(north="ready", south="maintenance")
        self.assert_ordered(("maintenance", "south", "on", "done"))
        self.opened(left=1, right=1)

    def test_bridge_outlives_what_no_command_is(self):
        self.begin()
        for payload in ("", "{", "[]", "\u0000\u001b[2J\u202egate", "{\"id\":\"" + "9" * 3_000, "x" * 100_000, json.dumps(command("a" * 200, gate="north", on=True)),
                        json.dumps(command("big", gate="north", on=True) | {"at": 1e308}), json.dumps(command("gate", gate="nörth\u202e", on=True)),
                        json.dumps(command("truth", gate="north", on="yes"))):
            self.broker.publish(order("maintenance"), payload)
        self.broker.publish(order("maintenance"), command("nowhere", gate="nowhere", on=True))
        self.assertEqual(self.result("nowhere")["outcome"], "refused")
        self.broker.publish(order("maintenance"), command("good", gate="north", on=True))
        self.assertEqual(self.result("good")["outcome"], "done")
        self.assertNotRegex(self.bridge.log(), "[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
        self.assertEqual([event["gate"] for event in self.orders() if event["outcome"] == "done"], ["north"])


@natively
class NoOrders(BrokerCase):
    ORDERS = ()

    def test_file_that_allows_none_takes_none(self):
        self.begin()
        self.broker.publish(order("maintenance"), command("1", gate="north", on=True))
        self.admits()  # by then it would have come
        self.rig.until(lambda: self.broker.heard(verdict("north")), what="the verdict after it")
        self.until_states(north="ready", south="ready")
        self.assertEqual((self.orders(), self.broker.heard(RESULTS)), ([], []))


@natively
class Brokers(BrokerCase):
    @lasts(90)
    def test_broker_that_goes_and_comes_back(self):
        """What it had kept is lost with it; the bridge tells it anew, and no gate has noticed."""
        self.begin()
        self.broker.kill()
        self.says(re.escape(mqtt.NAME))
        for reader in ("left", "right", "left"):
            self.admits(reader)
        seen = len(self.broker.heard())
        self.broker.start()

        def is_told():
            told = {message.topic for message in self.broker.heard(since=seen)}
            return {AVAILABLE, SERVICE, state("north"), state("south"), f"{BASE}/state"} <= told

        self.rig.until(lambda: self.bridge.running() and is_told(), 2 * PATIENCE, "everything told anew")
        self.assertFalse([message for message in self.broker.heard(since=seen) if "/verdict" in message.topic], "nobody is told later what was decided then")
        self.assertEqual(set(self.broker.kept(f"{BASE}/gates/+/state")), {state("north"), state("south")})
        self.broker.until(state("north"), {"state": "ready", "admit": 3})
        self.broker.publish(order("maintenance"), command("back", gate="north", on=True))
        self.assertEqual(self.result("back")["outcome"], "done")

    def test_stranger_at_the_brokers_place_is_told_nothing(self):
        """Its certificate is of an authority that the station does not know."""
        self.ca = "/run/rig/our-ca.pem"
        self.rig.put(self.rig.get(self.broker.ca), self.ca)
        self.broker = Broker(self.rig)
        self.broker.start()
        self.serve(north=REFUSES, south=REFUSES)
        self.run_bridge()
        self.says("(?i)certificate")
        self.admits()
        self.assertEqual([message for message in self.broker.heard() if message.topic.startswith(BASE)], [])
        self.assertNotRegex(self.broker.log(), "New client connected from .* as (?!watcher)")

    def test_wrong_password_is_told_as_what_it_is(self):
        self.broker.start()
        self.serve(north=REFUSES, south=REFUSES)
        right = PASSWORDS[BRIDGE]
        self.addCleanup(PASSWORDS.__setitem__, BRIDGE, right)
        PASSWORDS[BRIDGE] = "another-password-0c4d"
        self.run_bridge()
        self.says("(?i)password|user")
        self.assertTrue(self.bridge.running(), "it tries again: somebody may correct it at the broker")
        self.admits()
