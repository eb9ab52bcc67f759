"""What happens to a fleet in an evening, drawn by a seed: one fault at a time for each machine, several machines at once; each ends by itself."""

import time
from collections import Counter

from fleet_evening import MISBEHAVIOURS

#: The port by which a station reaches its fleet.
FLEET = "4222"
ALL = {"silence": ("in meta iif eth0 drop", "out meta oif eth0 drop"), "deafness": ("in meta iif eth0 drop",), "dumbness": ("out meta oif eth0 drop",)}


class Nemesis:
    """Begins faults and ends them; tells each by `say`."""

    def __init__(self, world, chance, say, longest=8.0):
        self.world, self.chance, self.say, self.longest = world, chance, say, longest
        #: By machine: what it has, until when, and how that ends.
        self.under_way = {}
        self.counts = Counter()
        #: Servers whose disk was full.
        self.sick = []
        self.next = 0.0
        # Two that begin anew at once would have nobody to take the book from (docs/fleet-servers.md): one in an evening.
        self.fills = chance.choice(list(world.servers))

    def step(self, now):
        for name, (until, what, undo) in list(self.under_way.items()):
            if now >= until:
                del self.under_way[name]
                undo()
                self.say(f"{name}: {what} is over")
        if now >= self.next:
            self.next = now + self.chance.uniform(0.3, 2.0)
            self.begin(now)

    def end(self):
        for name, (_, what, undo) in list(self.under_way.items()):
            undo()
        self.under_way.clear()
        self.say("all faults are over")

    def begin(self, now):
        kind = self.chance.choices(["server", "gateway", "venue", "majority", "split"], [6, 10, 3, 1, 1])[0]
        getattr(self, f"_{kind}")(now)

    def _put(self, now, name, what, undo, longest=None):
        seconds = self.chance.uniform(0.5, longest or self.longest)
        self.under_way[name] = (now + seconds, what, undo)
        self.counts[what.partition(":")[0]] += 1
        self.say(f"{name}: {what}, for {seconds:.1f} s")

    def _free(self, machines):
        free = [one for one in machines.values() if one.name not in self.under_way]
        return self.chance.choice(free) if free else None

    # What happens

    def _cable(self, machine):
        """One of the things that become of a cable: its name, and what ends it."""
        what = self.chance.choice(["unplugged", "silence", "deafness", "dumbness", "loss", "slow", "slow"])
        if what == "unplugged":
            machine.unplug()
            return "cable unplugged", lambda: machine.unplug(False)
        if what == "loss":
            share = self.chance.choice([5, 20, 50])
            machine.filter("loss", *(f"{way} numgen random mod 100 < {share} drop" for way in ("in", "out")))
            return f"cable loses packets: {share} of 100", lambda: machine.filter("loss")
        if what == "slow":
            rate = self.chance.choice(["16kbit", "64kbit", "256kbit"])
            machine.slow(rate)
            return f"cable slow: {rate}", lambda: machine.slow()
        machine.filter("cable", *ALL[what])
        return f"cable cut: {what}", lambda: machine.filter("cable")

    def _server(self, now):
        server = self._free(self.world.servers)
        if not server:
            return
        what = self.chance.choices(["kill", "pause", "cable", "disk", "routes"], [4, 3, 4, 5 if server.name == self.fills else 0, 2])[0]
        if what == "kill":
            server.process.kill()
            self._put(now, server.name, "server killed", server.start)
        elif what == "pause":
            server.process.pause()
            self._put(now, server.name, "server paused", server.process.go_on)
        elif what == "disk":
            server.fill()
            self._put(now, server.name, "server's disk full", lambda: self._make_room(server))
        elif what == "routes":
            server.machine.filter("routes", *(f"{way} tcp {end} 6222 drop" for way in ("in", "out") for end in ("dport", "sport")))
            self._put(now, server.name, "server cut off from the others alone", lambda: server.machine.filter("routes"))
        else:
            words, undo = self._cable(server.machine)
            self._put(now, server.name, f"server's {words}", undo)

    def _make_room(self, server):
        """Its disk has room again. What it has there may be torn, and nats-server would go on by that with a copy unlike the others': it stays down until it is healed."""
        server.process.kill()
        server.empty()
        self.sick.append(server)
        self.under_way[server.name] = (float("inf"), "down, for its disk was full", lambda: None)

    def heal(self):
        """As docs/fleet-servers.md has it: once the others are well, it begins with an empty folder, and takes everything from them."""
        end = time.monotonic() + 60
        while self.sick and time.monotonic() < end and ("a majority is there" not in (said := self.world.administrator("status", check=False)) or "LAGS" in said):
            time.sleep(1)
        for server in self.sick:
            server.wipe()
            server.start()
            self.say(f"{server.name}: started with an empty disk")
        self.sick.clear()

    def _gateway(self, now):
        station = self._free(self.world.stations)
        if not station or not station.process.runs:
            return
        what = self.chance.choices(["kill", "pause", "cable", "fleet", "clock"], [4, 3, 3, 4, 2 if station.moves else 0])[0]
        if what == "kill":
            station.kill()
            self._put(now, station.name, "gateway killed", station.start, min(3, self.longest))
        elif what == "pause":
            station.process.pause()
            # Longer than it may open after its claim, now and then.
            self._put(now, station.name, "gateway paused", station.process.go_on, self.chance.choice([2, self.longest, 2 * self.longest]))
        elif what == "clock":
            seconds = self.chance.choice([-600, -30, -3, 3, 30, 600])
            station.move_clock(seconds)
            self._put(now, station.name, f"gateway's clock moved: {seconds:+d} s", lambda: station.move_clock(0))
        elif what == "fleet":
            station.machine.filter("fleet", f"out tcp dport {FLEET} drop", f"in tcp sport {FLEET} drop")
            self._put(now, station.name, "gateway cut off from the fleet alone", lambda: station.machine.filter("fleet"))
        else:
            words, undo = self._cable(station.machine)
            self._put(now, station.name, f"gateway's {words}", undo)

    def _venue(self, now):
        venue = self.world.venue
        if "venue" in self.under_way:
            return
        if self.chance.random() < 0.5:
            words, undo = self._cable(venue.machine)
            self._put(now, "venue", f"ticket system's {words}", undo)
        else:
            venue.misbehave(*MISBEHAVIOURS)
            self._put(now, "venue", "ticket system misbehaves", venue.misbehave, 2 * self.longest)

    def _majority(self, now):
        """All servers but one, at once."""
        free = [server for server in self.world.servers.values() if server.name not in self.under_way]
        self.chance.shuffle(free)
        for server in free[:2]:
            if self.chance.random() < 0.5:
                server.process.kill()
                self._put(now, server.name, "server killed: majority", server.start)
            else:
                server.process.pause()
                self._put(now, server.name, "server paused: majority", server.process.go_on)

    def _split(self, now):
        """One server and some stations see nothing of the others."""
        if any(name in self.under_way for name in self.world.servers):
            return
        servers, stations = list(self.world.servers.values()), [one for one in self.world.stations.values() if one.name not in self.under_way]
        self.chance.shuffle(servers)
        self.chance.shuffle(stations)
        alone, others = [servers[0], *stations[:len(stations) // 2]], [*servers[1:], *stations[len(stations) // 2:]]
        there = ", ".join(one.machine.address for one in others)
        for one in alone:
            one.machine.filter("split", f"in ip saddr {{ {there} }} drop", f"out ip daddr {{ {there} }} drop")

        def mend():
            for each in alone:
                each.machine.filter("split")

        self._put(now, servers[0].name, f"network split: with {' '.join(one.name for one in alone[1:])}", mend)


