"""A fleet's evening: people present tickets at all stations, several of them the same one at the same instant, while a nemesis does what it can; and its good end."""

import json
import time
from collections import Counter, defaultdict

from fleet_checker import Ticket
from fleet_station import GATES

LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#: How long somebody waits for a word before they give up, in seconds; what a paused station has to say comes later.
WAITS = 8
#: How long somebody takes to pass, in seconds: the lamp is dark again before the next one comes.
PASSES = 0.08
#: For how long somebody comes again whose ticket is being decided elsewhere, at the end: a claim that was cut off takes 30 s.
PATIENT = 60
#: For how long all of them come, whatever they were told: a station that reads nobody is a finding, and no evening without end.
LONGEST = 300
#: After so many seconds it is told who still comes again then.
SLOW = 15
#: For how long everything may take to be as before, once the faults are over.
SETTLES = 90
#: What a ticket system does wrong now and then.
MISBEHAVIOURS = ("latency=0ms..80ms", "close=after,share=15%", "close=before,share=10%", "reset=midway,share=8%", "status=500,when=after,share=8%",
                 "status=503,share=8%", "latency=900ms..2s,share=6%")


def sold(chance, count):
    """Tickets by the last four characters of their codes, which tell them apart: those of a system with a book, and parties of one without."""
    tickets = {}
    for number in range(count):
        ending = LETTERS[number // 1296 % 36] + LETTERS[number // 36 % 36] + LETTERS[number % 36]
        if number % 2:
            code = "".join(chance.choice(LETTERS) for _ in range(4)) + ending + "P"
            ticket = Ticket(code, "stalls", "party", chance.choice([1, 1, 1, 2, 3]))
        else:
            code = "".join(chance.choice(LETTERS) for _ in range(20)) + ending + "T"
            # A sale's code does not say for how many it is: the second of them goes in where the first did (docs/fleet.md).
            kind = chance.choice(["entry", "entry", "entry", "sale"])
            ticket = Ticket(code, "door", kind, chance.choice([1, 2]) if kind == "sale" else 1)
        tickets[ticket.ending] = ticket
    return tickets


class People:
    """Who stands at which gate, and what they were told."""

    def __init__(self, world, tickets, chance):
        self.world, self.tickets, self.chance = world, tickets, chance
        self.endings = {gate: [ending for ending, ticket in tickets.items() if ticket.gate == gate] for gate in GATES}
        #: By (station, gate): who waits there for a word: (ending, since when).
        self.waiting, self.passing = {}, {}
        self.presented, self.cut_off, self.last_words, self.told = defaultdict(list), set(), {}, Counter()
        self.conflicts, self.waiting_outbox, self.first_at = defaultdict(list), {}, {}
        self.waiting_at_end = {}
        self.words = []

    # One presentation

    def is_free(self, station, gate):
        place = (station.name, gate)
        return station.reads and place not in self.waiting and time.monotonic() > self.passing.get(place, 0)

    def show(self, station, ending):
        ticket = self.tickets[ending]
        self.presented[station.name, ticket.gate].append((time.monotonic_ns(), ending))
        self.waiting[station.name, ticket.gate] = (ending, time.monotonic())
        station.present(ticket.gate, ticket.code)
        self.told["presented"] += 1

    def shown(self, station, gate, at):
        """What was presented last at a gate by then."""
        return next((ending for when, ending in reversed(self.presented[station, gate]) if when <= at), None)

    def listen(self):
        """Takes what stations say; the words on those who wait: (station, ending, event)."""
        words = []
        for station, event in self.world.take():
            if event["type"] != "scan":
                continue
            ending, place = event["code"][-4:], (station.name, event["gate"])
            verdict = event["reason"] if event["verdict"] == "undecided" else event["verdict"]
            self.told[verdict] += 1
            if event["verdict"] == "admit":
                self.first_at.setdefault(ending, station)
                self.told["alone"] += event["note"] == "withoutFleet"
                self.passing[place] = time.monotonic() + PASSES
            if self.waiting.get(place, (None,))[0] == ending:
                del self.waiting[place]
                words.append((station, ending, event))
        for place, (ending, since) in list(self.waiting.items()):
            station = self.world.stations[place[0]]
            if station.process.is_paused:
                # What it has to say comes when it goes on; nobody presents anything before.
                self.waiting[place] = (ending, time.monotonic())
                continue
            if not station.process.runs or time.monotonic() - since > WAITS:
                self.cut_off.add(ending)
                del self.waiting[place]
                if station.process.runs:
                    self.told["no word"] += 1
                words.append((station, ending, None))
        return words

    def crowd(self, progress):
        """Somebody comes, or several with one ticket; a few tickets at a time, so that most have a history."""
        gate = self.chance.choice(GATES)
        endings = self.endings[gate]
        middle = int(progress * len(endings))
        ending = self.chance.choice(endings[max(0, middle - 4):middle + 4])
        free = [station for station in self.world.stations.values() if self.is_free(station, gate)]
        self.chance.shuffle(free)
        for station in free[:self.chance.choice([1, 1, 1, 2, 2, 3])]:
            self.show(station, ending)

    # The good end

    def good_end(self):
        """Everybody presents their ticket until nobody more is let in: at any station, or at the one where somebody was, of a sale of which only that one knows more."""
        todo = {ending: {"at": 0.0, "left": ticket.quantity + 3, "until": None} for ending, ticket in self.tickets.items()
                if any(ending == each for those in self.presented.values() for _, each in those)}
        stations, begin, said = list(self.world.stations.values()), time.monotonic(), {}
        while todo:
            for station, ending, event in self.listen():
                if ending not in todo:
                    continue
                one, now = todo[ending], time.monotonic()
                one["shown"] = False
                if now > begin + SLOW:
                    said[ending] = f"{ending} at {station.name} {self.tickets[ending].kind}: " + (f"{event['verdict']} {event['reason']} {event['detail']}" if event else "no word")
                one["until"] = one["until"] or now + PATIENT
                self.last_words[ending] = (event["verdict"], event["reason"], station.name) if event else (None, None, station.name)
                if event and event["verdict"] == "admit":
                    one["left"], one["until"] = one["left"] - 1, now + PATIENT
                    # Of a sale only this station knows more now, wherever the first one was sent away before.
                    one.pop("tried", None)
                    self.first_at[ending] = station
                    if one["left"] <= 0:
                        del todo[ending]
                elif now > one["until"] or event and event["verdict"] == "refuse":
                    del todo[ending]
                elif event and event["reason"] in ("interrupted", "clockWrong"):
                    # At its own gate somebody may be let in whom others leave to staff; and another station may know more of the clocks.
                    if self.tickets[ending].kind == "sale" and event["reason"] == "clockWrong":
                        del todo[ending]
                        continue
                    one.setdefault("tried", set()).add(station.name)
                    if len(one["tried"]) >= len(stations):
                        del todo[ending]
                else:
                    one["at"] = now + 0.5
            now = time.monotonic()
            if now > begin + LONGEST:
                self.last_words.update(dict.fromkeys(todo, (None, None, None)))
                break
            for ending, one in todo.items():
                if one.get("shown") or one["at"] > now:
                    continue
                gate = self.tickets[ending].gate
                free = [station for station in stations if self.is_free(station, gate) and station.name not in one.get("tried", ())]
                if self.tickets[ending].kind == "sale" and ending in self.first_at:
                    free = [station for station in free if station is self.first_at[ending] or one.get("tried")]
                if free:
                    one["shown"] = True
                    self.show(self.chance.choice(free), ending)
            time.sleep(0.02)
        return [f"after {time.monotonic() - begin:.0f} s: {words}" for words in said.values()]

    def settle(self):
        """Returns when everything is as before the faults; what is not in time is a finding."""
        end = time.monotonic() + SETTLES
        while wrong := self._unsettled():
            self.listen()
            if time.monotonic() > end:
                return [f"not as before within {SETTLES} s after the faults: {'; '.join(wrong)}"]
            time.sleep(0.1)
        return []

    def _unsettled(self):
        wrong = []
        for station in self.world.stations.values():
            if not station.reads:
                is_there = "it runs" if station.process.runs else "it has ended"
                wrong.append(f"{station.name} reads {len(station.reading)} scanners, {is_there}, and said last: {station.process.log.read_text(errors='replace')[-600:]}")
            fleet, system = station.last("fleet", "together", "alone", "unusable"), [event for event in station.events if event["type"] == "ticketSystem" and event["life"] == len(station.lives) - 1]
            if fleet and fleet["state"] == "alone":
                wrong.append(f"{station.name} is alone: {fleet['detail']}")
            states = {event["ticket_system"]: event for event in system}
            wrong += [f"{station.name}: {name} is offline" for name, event in states.items() if event["state"] == "offline"]
        return wrong

    def settle_servers(self):
        """Returns when each server has the whole book; one that does not get it by itself is started again, as docs/fleet-servers.md has it. What was done, and what is wrong."""
        done = []
        for _ in range(2):
            end = time.monotonic() + SETTLES / 2
            while "all servers are there" not in (said := self.world.administrator("status", check=False)) or "HAS NO COPY" in said or "LAGS" in said:
                self.listen()
                if time.monotonic() > end:
                    break
                time.sleep(1)
            else:
                return done, []
            for server in self.world.servers.values():
                line = next((line for line in said.splitlines() if line.split()[:1] == [server.name]), server.name)
                if " leads " not in line and " follows " not in line:
                    done.append(f"started {server.name} again: {' '.join(line.split())}")
                    server.process.kill()
                    server.start()
        return done, [f"a server has not the whole book: {' '.join(said.split())[:600]}"]

    def settle_debts(self):
        """Returns when stations owe nothing to anybody."""
        end = time.monotonic() + SETTLES
        for station in self.world.stations.values():
            while True:
                self.listen()
                waiting = json.loads(station.tell("outbox", "status", "--json"))["waiting"]
                if not waiting or time.monotonic() > end:
                    break
                time.sleep(0.3)
            self.waiting_at_end[station.name] = waiting
