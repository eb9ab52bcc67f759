"""The page for technicians (docs/fleet-servers.md), followed to the letter: what is typed here is read out of it, and what the program asks for is done.

By hand is what namespaces have not: see `neighbours`; and the station's unit runs without the holder of its outputs. The package of nats-server is the one
that is carried over without the internet.
"""

import json
import os
import re
from pathlib import Path

from events import EventFile
from neighbours import Neighbours
from place import Case, lasts, never_in_guest

TREE = Path(__file__).resolve().parent.parent.parent
PAGE, STATIONS_PAGE = ((TREE / "docs" / name).read_text() for name in ("fleet-servers.md", "fleet.md"))
#: Its blocks of commands, in its order.
BLOCKS = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S)
FOLDER = "summer-fleet"
SERVERS, STATIONS = ("gate1", "gate2", "gate3"), {"north": "gate1", "south": "gate2", "office": "gate3"}
CODE = "FLEET0TICKET0OF0THE0RIG00000{:04}"
LAMPS = {"north": "gate:green:pass", "south": "south:green:pass", "west": "gate:red:deny"}


def configuration(station):
    """A door whose ticket system has never been reached, and who has a code that is like one of its tickets' is let in: once."""
    return f"""version: 1
station: {{name: {station}}}
ticketSystems:
  venue: {{type: eventschedule, url: "https://192.0.2.1", apiKeyFile: /etc/scangate/keys/venue.key}}
readers:
  scanner: {{type: serial, match: {{path: /run/rig/{station}}}}}
gates:
  {station}-door:
    readers: [scanner]
    ticketSystem: venue
    accept: {{minLength: 32, maxLength: 32, alphabet: alphanumeric}}
    holdOff: 0 s
    floodLimit: 600
    offline: {{policy: admitAndQueue, most: 1000}}
    outputs: {{green: {{led: "{LAMPS[station]}"}}}}
    signals: {{admit: {{green: [30 ms]}}, provisional: {{green: [20 ms]}}}}
"""

#: What is said of each ticket then.
CLOSED = "was closed (scangate fleet close): nobody can be let in by it any more"


class PageCase(Case):
    needs_scangate = True

    def setUp(self):
        super().setUp()
        self.events, self.admitted, self.codes = {}, {}, (CODE.format(number) for number in range(1000))
        self.world = Neighbours(SERVERS, self.furnish, also=STATIONS)
        self.addCleanup(self.told)

    def told(self):
        """What everybody has said, where that is wanted."""
        if self._outcome.result.outcome:
            print("\n".join(f"--- {name}: {unit}\n" + "\n".join(self.world[name].log(unit).splitlines()[-40:]) for name in SERVERS for unit in ("nats-server", "scangate")))

    # What the page says

    def block(self, beginning):
        """The one block of the page's commands that begins so."""
        found = [block for block in BLOCKS if block.startswith(beginning)]
        self.assertEqual(len(found), 1, f"blocks of the page that begin with {beginning}")
        return found[0]

    def says(self, command, page=PAGE):
        """A command that the page has in a sentence."""
        self.assertIn(f"`{command}`", page)
        return command

    def furnish(self, root, run):
        """Step 1 without the internet, and what scangate's own package makes."""
        package, = Path.home().glob(".cache/scangate/nats-server-trixie/nats-server_*.deb")
        (root / "root" / package.name).write_bytes(package.read_bytes())
        # Where there is no terminal, nobody answers.
        run("DEBIAN_FRONTEND=noninteractive " + self.says("sudo apt install ./nats-server_*.deb").replace("sudo", "").replace("install", "install -y"))
        run("useradd --system --no-create-home scangate; install -d -m 700 -o scangate -g scangate /var/lib/scangate; install -d /etc/scangate; "
            "install -d -m 750 -g scangate /etc/scangate/keys; echo -n nobody-asks > /etc/scangate/keys/venue.key; "
            "chown scangate /etc/scangate/keys/*; chmod 400 /etc/scangate/keys/*")
        # With its events in a file of its own for each process.
        unit = (TREE / "systemd/scangate.service").read_text()
        unit = re.sub("(?m)^(ExecStart=.*) --holder .*$", r"\1 --events /var/lib/scangate/events-$$.jsonl", unit).replace("/usr/bin/", "/usr/local/bin/")
        (root / "lib/systemd/system/scangate.service").write_text(unit)

    def install(self, name):
        """Step 3."""
        return self.world.follow(self.block("scp -r summer-fleet/servers/gate1").replace("gate1", name))

    def give(self, station):
        """Step 5, but for the configuration."""
        return self.world.follow(self.block("scp summer-fleet/stations/north").replace("north", station))

    def configure(self, station):
        """The rest of it."""
        machine = self.world[station]
        section = (self.world.office / FOLDER / "stations" / station / "fleet.yaml").read_text()
        (machine.root / "etc/scangate/scangate.yaml").write_text(configuration(station) + section)
        self.assertIn("good", machine.sh(self.says("sudo scangate config check")))
        self.restart(station)

    def restart(self, station):
        """Restarts a station, with a scanner that was plugged in anew."""
        machine = self.world[station]
        self.rig.open_line(station)
        os.chmod(f"/run/rig/{station}", 0o666)
        machine.sh(self.says("sudo systemctl restart scangate"))
        path = machine.root / f"var/lib/scangate/events-{machine.pid('scangate')}.jsonl"
        self.rig.until(path.exists, what=f"the events of {station}")
        self.events[station] = EventFile(self.rig, path)
        if self.exchanging:
            self.assert_open({*self.events} - {station, *self.revoked})
        self.rig.until(lambda: any(event["type"] == "device" and event["state"] == "reading" for event in self.events[station]()), what=f"{station} reading")

    def obey(self, words, servers=SERVERS):
        """Exchanges something: does what each of its commands asks for until nothing more is to be done; how many commands that were."""
        self.exchanging = True
        said, count = self.asked(words.replace("FOLDER", FOLDER)), 1
        while self.done(said):
            said, count = self.asked(f"scangate fleet rotate next {FOLDER}"), count + 1
        self.exchanging = False
        return count

    def assert_open(self, stations):
        """A fresh ticket is admitted at each of them, whatever is being exchanged elsewhere."""
        for station in sorted(stations):
            # Who was started anew a moment ago may not have its fleet yet.
            self.until_said(station, next(self.codes), ("admit", None))

    def done(self, said):
        """Does what a change of the folder has asked for; whether it goes on then."""
        goes_on = False
        for step in re.findall(r"^  \d+\. (.*)$", said, re.M):
            if "install.sh" in step:
                for name in SERVERS:
                    self.install(name)
                if "new event's book" in said:  # it is not there yet: the servers alone can be well
                    self.rig.until(lambda: not re.search("AWAY|DOES NOT ANSWER", self.status()[1]), 30, "servers that are back")
                else:
                    self.until_well()
            elif "fleet-ca.pem anew" in step:
                for station in self.events:
                    self.give(station)
                    self.restart(station)
            elif found := re.match(r"Give the station (\S+) its credential anew: (.*)$", step):
                self.world.follow(f"scp {FOLDER}/stations/{found[1]}/credential {found[1]}:")
                commands, restart = found[2].split("; ")
                self.world[found[1]].sh(commands)
                self.assertEqual(restart, self.says("sudo systemctl restart scangate"))
                self.restart(found[1])
                self.assertEqual(self.world[found[1]].sh("ls credential 2>/dev/null || true"), "", "what was sealed is nowhere else")
            elif "station its section" in step:
                for station in [station for station in self.events if station not in self.revoked]:
                    self.configure(station)
            elif "Make the new event's book" in step:
                self.assertIn("is open, on 3 servers", self.world.follow(self.block("scangate fleet open")))
            elif "its credential and its section" in step:
                for station in [station for station in self.events if station not in self.revoked]:
                    self.give(station)
                    self.configure(station)
            elif found := re.match(r"Then give (\S+) what is in", step):
                self.give(found[1])
                self.configure(found[1])
            elif "fleet rotate next" in step:
                goes_on = True
            else:
                self.assertRegex(step, "still counts|has another key|former key as well")
        return goes_on

    # What is asked and seen

    revoked, exchanging = (), False

    def asked(self, line):
        """What a command at the office says, which has done what it was to do."""
        status, said = self.world.ask(line)
        self.assertEqual(status, 0, said)
        return said

    def status(self):
        """What step 6 ends with, and says."""
        return self.world.ask(self.block("scangate fleet status"))

    def until_well(self):
        return self.rig.until(lambda: (status := self.status())[0] == 0 and status[1], 30, "a fleet that is well")

    def present(self, **codes):
        """Presents a code at each of some stations in one instant; what they say of it. A lamp is lit once for each that is admitted."""
        before = {station: len(self.scans(station)) for station in codes}
        self.rig.send(codes)
        self.rig.until(lambda: all(len(self.scans(station)) > before[station] for station in codes), what=f"verdicts on {codes}")
        scans = {station: self.scans(station)[before[station]] for station in codes}
        for station, scan in scans.items():
            self.admitted[station] = self.admitted.get(station, 0) + (scan["verdict"] == "admit")
            self.whole_pulses(LAMPS[station], None, self.admitted[station])
        return {station: (scan["verdict"], scan["reason"]) for station, scan in scans.items()}

    def scans(self, station):
        return [event for event in self.events[station]() if event["type"] == "scan"]

    def assert_once(self, first, second, after_a_fault=False):
        """A ticket is admitted at one station, and refused at the other, which says where and when.

        After a fault each may say for a while that it cannot ask, and then admits nobody.
        """
        code = next(self.codes)
        for station, wanted in ((first, ("admit", None)), (second, ("refuse", "alreadyUsed"))):
            if after_a_fault:
                self.until_said(station, code, wanted)
            else:
                self.assertEqual(self.present(**{station: code}), {station: wanted})
        self.assertEqual(self.scans(second)[-1]["detail"].split(" at 2")[0], f"Admitted at gate {first}-door of station {first}")

    def tell_why(self, station):
        if (scan := self.scans(station)[-1])["reason"] == "outOfService":
            print(f"        {station}: {scan['detail']}", flush=True)

    def until_said(self, station, code, wanted):
        """Presents a code until the station can ask, and says what is wanted."""
        def is_said():
            said = self.present(**{station: code})[station]
            # Out of service is whoever's disk takes longer than a second, where servers and other tests have the same one.
            return said == wanted or self.assertIn(
                said, [("undecided", reason) for reason in ("unreachable", "busy", "outOfService")], self.scans(station)[-1]["detail"]) or self.tell_why(station)

        self.rig.until(is_said, 30, f"{wanted} at {station}")


@never_in_guest
class Steps(PageCase):
    @lasts(240)
    def test_the_page_is_followed_as_it_is_written(self):
        world = self.world
        world.follow(self.block("scangate fleet init"))
        for name in SERVERS:
            self.assertIn(f"is the server {name} of the fleet summer", self.install(name))
        self.assertIn("is open, on 3 servers", world.follow(self.block("scangate fleet open")))
        for station in STATIONS:
            self.give(station)
        for station in ("north", "south"):
            self.configure(station)
        self.assert_the_page_shows(self.until_well())
        for name in SERVERS:
            self.assertNotIn("handshake error", world[name].log("nats-server"))

        self.assert_once("north", "south")
        self.assert_once("south", "north")
        for _ in range(3):  # in the same instant
            said = self.present(north=(code := next(self.codes)), south=code)
            self.assertEqual(sum(verdict == "admit" for verdict, _ in said.values()), 1, said)

        # How many are in is counted over all stations, and when certificates end is seen: of the authority, and as each server shows it.
        self.rig.until(lambda: "as stations have told: 5" in self.status()[1], 40, "five who are in the house")
        self.assertEqual(len(json.loads(self.asked("scangate fleet status --json summer-fleet"))["certificates"]), 4)

        # The server that leads is lost: nobody waits for longer than the gate's deadline, and then it goes on without it.
        lost = re.search(r"(\S+)  leads", self.status()[1])[1]
        world[lost].lose("nats-server")
        self.assert_once("north", "south", after_a_fault=True)
        status, said = self.status()
        self.assertEqual(status, 1, said)
        self.assertRegex(said, rf"no other server may be lost(?s:.*){lost} +(IS AWAY|DOES NOT ANSWER)")
        world[lost].sh("systemctl start nats-server")
        self.until_well()

        # A station without a majority admits nobody, as its file says, while the others go on.
        world["south"].cut()
        code = next(self.codes)
        self.assertEqual(self.present(south=code), {"south": ("undecided", "unreachable")})
        self.until_said("north", code, ("admit", None))
        world["south"].join()
        self.until_well()
        self.until_said("south", code, ("refuse", "alreadyUsed"))

        # What is exchanged, as often as the page says that it goes on.
        for words, times in (("scangate fleet rotate certificates FOLDER", 3), ("scangate fleet rotate credential north FOLDER", 2),
                             ("scangate fleet rotate administrator FOLDER", 2)):
            self.assertEqual(self.obey(self.says(words)), times, words)
            self.assert_once("north", "south")
        self.assert_maintenance()
        self.revoked = ("south",)
        self.obey(self.says("scangate fleet revoke north FOLDER").replace("north", "south"))
        self.assertEqual(self.present(south=next(self.codes)), {"south": ("undecided", "outOfService")})
        world.name("west", "gate3")
        self.obey(self.says("scangate fleet add west FOLDER"))
        self.assert_once("west", "north")
        self.assert_once("north", "west")
        self.assertRegex(self.until_well(), r"south +revoked")

        # The next event, with another key of the fleet.
        self.assertEqual(self.obey(self.says("scangate fleet rotate event fair-2027 FOLDER")), 2)
        self.assert_once("north", "west", after_a_fault=True)
        self.assertIn("event fair-2027", self.until_well())

        # It is over: closed while gates go by it, which the command wants to be told. Nobody passes any more, and each station says why.
        close = self.block("scangate fleet close").strip().replace("fair-2026", "fair-2027")
        status, said = world.ask(close)
        self.assertNotEqual(status, 0, said)
        self.assertIn("--while-used", said)
        self.assert_once("north", "west")
        self.asked(f"{close} --while-used")
        for station in ("north", "west"):
            self.assertEqual(self.present(**{station: next(self.codes)}), {station: ("undecided", "outOfService")})
            self.assertIn(CLOSED, PAGE)
            self.assertIn(CLOSED, self.scans(station)[-1]["detail"])

        # A station's keys alone, as the page for organisers has it.
        self.assertRegex(world["gate3"].sh("scangate fleet key --with fleet.key | scangate credential set fleet"), r"at every station: \w{70}\n")

    def assert_maintenance(self):
        """All gates are out of service until it is ended, one that is started anew meanwhile as well."""
        code = next(self.codes)
        shown = len(self.world["north"].log("scangate"))
        self.assertIn("is in maintenance", self.asked(self.block("scangate fleet maintenance on").strip()))
        for station in ("north", "south"):
            self.until_gate(station, "maintenance", "by Anna")
        self.restart("south")
        self.until_gate("south", "maintenance", "by Anna")
        said = self.present(north=code, south=code)
        self.assertEqual(set(said.values()), {("undecided", "outOfService")})
        for station in said:
            self.assertIn("fire drill", self.scans(station)[-1]["detail"])
        self.assertIn("fire drill", self.world["north"].log("scangate")[shown:])
        status, said = self.status()
        self.assertEqual(status, 1, said)
        self.assertRegex(said, "MAINTENANCE.*by Anna.*fire drill")
        # Cut off, and started anew so: nobody has told it that it has ended.
        self.world["south"].cut()
        self.asked(self.says("scangate fleet maintenance off --by Anna FOLDER").replace("FOLDER", FOLDER))
        self.until_gate("north", "ready", "")
        self.until_said("north", code, ("admit", None))
        self.restart("south")
        self.until_gate("south", "maintenance", "by Anna")
        self.world["south"].join()
        self.until_gate("south", "ready", "")
        self.until_said("south", code, ("refuse", "alreadyUsed"))
        self.until_well()

    def until_gate(self, station, state, words):
        def is_so():
            told = [event for event in self.events[station]() if event["type"] == "gate"]
            return told and told[-1]["state"] == state and words in (told[-1].get("detail") or "")

        self.rig.until(is_so, 30, f"{state} at {station}")

    def assert_the_page_shows(self, said):
        """What it shows of a status is such a status: the same words at the same places."""
        shown = re.search(r"```\n(Fleet summer.*?)```", PAGE, re.S)[1]

        def form(text):
            text = re.sub(r"\d+ s ago", "nothing that was looked at", text)
            text = re.sub("follows|leads  ", "leads  ", text)
            # What stations say of themselves may come a moment later.
            text = re.sub(r" +scangate .*", "", text).split("\n\nIn and not out")[0]
            return sorted(re.sub(r"\d+(\.\d+)?", "N", line).strip() for line in text.splitlines())

        self.assertEqual(form(said), form(shown))
