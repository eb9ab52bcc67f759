"""A list of tickets goes over the fleet from a station that has the ticket system to one that has not, and decides there; so does which events are today's."""

import json
import os
import time

import fleet_run
from fleet_machine import run
from fleet_world import PORT, VENUE, World
from native_case import NativeCase
from place import lasts, never_in_guest

#: How a program without our words asks a server for its events.
EVENTS = f"""import sys, urllib.request
print(urllib.request.urlopen(urllib.request.Request("http://{VENUE}:{PORT}/api/events", headers={{"X-API-Key": open(sys.argv[1]).read().strip()}})).read().decode())"""
CODES = [f"TICKETOFTHELIST{number:06}QXZ" for number in range(40)]
PATIENCE = 60


class Uplink(World):
    """The first station alone has the ticket system, and imports its list."""

    def _bring_lists(self, station):
        if station.name == "s1":
            super()._bring_lists(station)


class Halls(Uplink):
    """A venue with two halls; the second station's door is bound to the first hall, and the first one's to nothing."""

    def _bring_lists(self, station):
        if station.name == "s1":
            self.events = {event["name"]: event for event in json.loads(run(*station.machine.inside, "python3", "-c", EVENTS, self.venue.folder / "venue.key"))["data"]}
            shows = ["Hall A 20:00", "Hall B 20:00", "Next Week's Play", "Hall A 20:00"]
            (self.venue.folder / "tickets.csv").write_text("code,event_id,event\n" + "".join(f"{code},{self.events[show]['id']},{show}\n" for code, show in zip(CODES, shows)))
            return super()._bring_lists(station)
        file = station.folder / "scangate.yaml"
        file.write_text(file.read_text().replace("    ticketSystem: venue\n", f"    ticketSystem: venue\n    ticket: {{events: {{venue: \"{self.events['Hall A 20:00']['venue_id']}\"}}}}\n"))
        return None


class FleetCase(NativeCase):
    """Two stations; the second one has never had the ticket system."""

    def open(self, world, tickets, alone):
        self.world = world
        self.addCleanup(self.world.close)
        self.world.stations["s2"].machine.filter("uplink", f"out ip daddr {VENUE} reject")
        self.world.open(tickets, [], alone)
        self.until(lambda: all(station.reads for station in self.world.stations.values()), "the stations read")

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            for station in self.world.stations.values():
                station.take()
            self.assertLess(time.monotonic(), end, f"{what}: " + self.world.stations["s2"].process.log.read_text()[-3000:])
            time.sleep(0.05)

    def present(self, name, code):
        """What a station says of a code at its door, once it has its fleet."""
        station = self.world.stations[name]
        while True:
            seen = len(station.events)
            station.present("door", code)
            self.until(lambda: any(event["type"] == "scan" for event in station.events[seen:]), f"{name} decides")
            event = next(event for event in station.events[seen:] if event["type"] == "scan")
            if not (event["detail"] or "").startswith("The fleet"):
                return event
            time.sleep(0.3)

    def says(self, name, words):
        return words in self.world.stations[name].process.log.read_text()


@never_in_guest
class Lists(FleetCase):
    def setUp(self):
        super().setUp()
        fleet_run.fetch_server()
        self.rig.known.add("whole code", *CODES)
        # The second one believes nobody at first.
        self.open(Uplink(os.environ["NATS_SERVER"], servers=1, stations=2), [(code, "entry", 1) for code in CODES],
                  {"s1": "alone: refuse\n  listsFrom: [s1]", "s2": "alone: refuse\n  listsFrom: [s2]"})

    @lasts(20)
    def test_ticket_of_a_list_that_came_over_the_fleet_opens_once(self):
        office, door = self.world.stations["s1"], self.world.stations["s2"]
        self.until(lambda: self.says("s1", "The list of tickets of venue is given to the fleet: 40 tickets."), "the list is given")
        # Who is not named is not believed.
        event = self.present("s2", CODES[0])
        self.assertEqual((event["verdict"], event["reason"]), ("undecided", "outOfService"), event)
        self.assertFalse((door.state / "tickets-venue.fleet.sqlite").exists())
        door.end()
        file = door.folder / "scangate.yaml"
        file.write_text(file.read_text().replace("listsFrom: [s2]", "listsFrom: [s1]"))
        door.start()
        self.until(lambda: door.reads and self.says("s2", "came over the fleet, from the station s1: 40 tickets"), "the list comes")
        event = self.present("s2", CODES[1])
        self.assertEqual((event["verdict"], event["provisional"]), ("admit", True), event)
        # Once, at either.
        for name in ("s2", "s1"):
            event = self.present(name, CODES[1])
            self.assertEqual((event["verdict"], event["reason"]), ("refuse", "alreadyUsed"), f"{name}: {event}")
        event = self.present("s1", CODES[2])
        self.assertEqual((event["verdict"], event["provisional"]), ("admit", False), event)
        event = self.present("s2", CODES[2])
        self.assertEqual((event["verdict"], event["reason"]), ("refuse", "alreadyUsed"), event)
        # What the list does not name may have been sold since, or was told of no list at all.
        self.assertNotEqual(self.present("s2", "NOTICKETOFANYLIST00000QX")["verdict"], "admit")
        # What the servers have of it tells no code.
        for server in self.world.servers.values():
            for path in server.disk.rglob("*.blk"):
                data = path.read_bytes()
                for code in CODES[:3]:
                    self.assertNotIn(code.encode(), data, path)
        told = door.tell("tickets", "status", "--config", file, check=False)
        self.assertIn("venue, over the fleet: 40 tickets", told)
        for station in (office, door):
            self.assertNotIn("is not what", station.process.log.read_text())


@never_in_guest
class Events(FleetCase):
    def setUp(self):
        super().setUp()
        fleet_run.fetch_server()
        self.rig.known.add("whole code", *CODES)
        world = Halls(os.environ["NATS_SERVER"], servers=1, stations=2)
        world.venue.options = ("--eventschedule-shape", "document")
        self.open(world, [], dict.fromkeys(("s1", "s2"), "alone: refuse\n  listsFrom: [s1]"))

    @lasts(45)
    def test_gate_of_a_hall_knows_todays_events_by_the_office(self):
        door, came = self.world.stations["s2"], "The list of events of venue came over the fleet, from the station s1"
        today, elsewhere, later, again = CODES[:4]
        self.until(lambda: self.says("s2", "The list of tickets of venue came over the fleet") and self.says("s2", came), "list and events come")
        self.assertTrue(self.says("s1", "The list of events of venue is given to the fleet."))
        event = self.present("s2", today)
        self.assertEqual((event["verdict"], event["provisional"]), ("admit", True), event)
        for code in (elsewhere, later):
            event = self.present("s2", code)
            self.assertEqual((event["verdict"], event["reason"]), ("refuse", "wrongEvent"), event)
        # The servers have it for whoever has forgotten it.
        door.end()
        door.process.log.write_text("")
        door.start()
        self.until(lambda: door.reads and self.says("s2", came), "the events come again")
        self.assertEqual(self.present("s2", again)["verdict"], "admit")
        # A server of the fleet reads nothing of it.
        for server in self.world.servers.values():
            for path in server.disk.rglob("*.blk"):
                self.assertNotIn(b"Hall A", path.read_bytes(), path)
