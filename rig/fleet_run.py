"""One evening of a fleet, or as many as fit into some minutes: its figures, and what was found."""

import json
import os
import random
import shutil
import subprocess
import time
import traceback
from collections import Counter
from contextlib import suppress
from pathlib import Path

import fleet_books
import fleet_checker
import namespaces
import native
from fleet_evening import People, sold
from fleet_nemesis import Nemesis
from fleet_machine import ROOT
from fleet_world import World

#: Where the program of every other station is, where that is another version.
SECOND = Path("/run/second")
#: What a station does without its fleet, drawn for each.
ALONE = ("alone: refuse", "alone: refuse", "alone: list\n  alonePeople: 20\n  aloneFor: 1 min", "alone: trust\n  alonePeople: 5\n  aloneFor: 1 min")

#: On so many evenings at most a fault is planted.
PLANTED = 5


class Outcome:
    """What an evening came to."""

    def __init__(self):
        self.findings, self.figures, self.faults, self.log, self.evening = [], Counter(), Counter(), [], None


def evening(seed, seconds, tickets, rate=10.0, say=None, servers=3, stations=8, longest=8.0, outsider=None, second=None):
    """One evening, whose faults last for so many seconds; `rate` is how many people come a second. An outsider is a station that has no fleet: a planted fault.

    `second` is the program of every other station."""
    chance, outcome, began = random.Random(seed), Outcome(), time.monotonic()

    def tell(words):
        outcome.log.append(f"{time.monotonic() - began:7.2f}  {words}")
        if say:
            say(outcome.log[-1])

    wait_for_day(seconds, tell)
    sale = sold(chance, tickets)
    world = World(os.environ["NATS_SERVER"], servers, stations, second)
    people, nemesis = People(world, sale, chance), Nemesis(world, random.Random(seed + 1), tell, longest)
    try:
        alone = {name: chance.choice(ALONE) for name in world.stations}
        tell("alone: " + ", ".join(f"{name} {words.split()[1]}" for name, words in alone.items()))
        by_gate = {gate: [ticket for ticket in sale.values() if ticket.gate == gate] for gate in ("door", "stalls")}
        world.open([(one.code, one.kind, one.quantity) for one in by_gate["door"]], [(one.code, one.quantity) for one in by_gate["stalls"]], alone, outsider)
        outcome.findings += people.settle()
        tell("all stations read")
        begin = time.monotonic()
        nemesis.next = begin + 0.5
        due = begin
        while (now := time.monotonic()) < begin + seconds:
            nemesis.step(now)
            people.listen()
            if now >= due:
                due = max(due + chance.expovariate(rate), now - 1)
                people.crowd((now - begin) / seconds)
            time.sleep(0.01)
        nemesis.end()
        outcome.findings += people.settle()
        nemesis.heal()
        tell("everything is as before; everybody comes again")
        for words in people.good_end():
            tell(words)
        people.settle_debts()
        done, wrong = people.settle_servers()
        for words in done:
            tell(words)
        outcome.findings += wrong
        time.sleep(2.5)  # what is owed to the fleet is told beside it
        for station in world.stations.values():
            people.conflicts[station.name] = [json.loads(line) for line in station.tell("journal", "conflicts", "--json").splitlines()]
        people.book = world.venue.book()
        for station in world.stations.values():
            try:
                station.end()
            except RuntimeError as error:
                outcome.findings.append(str(error))
        for server in world.servers.values():
            server.process.end()
        outcome.evening = fleet_books.collect(world, people)
        outcome.findings += fleet_checker.check(outcome.evening)
    except Exception:  # What it was doing tells why, and is kept.
        outcome.findings.append(traceback.format_exc())
    finally:
        outcome.figures, outcome.faults = people.told, nemesis.counts
        outcome.figures["passed"] = len(outcome.evening.admissions) if outcome.evening else 0
        outcome.figures["conflicts"] = sum(map(len, people.conflicts.values()))
        for line in outcome.findings:
            tell(f"FOUND {line}")
        (ROOT / "conflicts.json").write_text(json.dumps(people.conflicts))
        (ROOT / "evening.log").write_text("\n".join(outcome.log) + "\n")
        (ROOT / "presented.json").write_text(json.dumps({f"{station} {gate}": those for (station, gate), those in people.presented.items()}))
        world.close()
    return outcome


def wait_for_day(seconds, tell):
    """Returns when an evening that lasts so long is over before midnight: tickets are for one day, by UTC."""
    left = 86400 - time.time() % 86400
    if left < 2 * seconds + 60:
        tell(f"waits {left:.0f} s for midnight: tickets are for one day")
        time.sleep(left + 1)


def minutes(options):
    """As many evenings as fit; the exit status."""
    native.Native(options.scangate)
    second = bring(options.second) if options.second else None
    chance = random.Random(options.seed)
    end, number, figures, faults, findings = time.monotonic() + 60 * options.minutes, 0, Counter(), Counter(), 0
    if (planted := plant(chance.randrange(1 << 32), second)) is None:
        findings += 1
        print("fleet: a station without a fleet was planted, and nothing was found: the checker proves nothing", flush=True)
    else:
        print(f"fleet: a station without a fleet was planted, and found: {planted}", flush=True)
    while not number or time.monotonic() < end - 40:
        number += 1
        seed, seconds = chance.randrange(1 << 32), chance.uniform(30, 120)
        seconds = max(10.0, min(seconds, end - time.monotonic() - 40))
        print(f"fleet: evening {number}, seed {seed}, faults for {seconds:.0f} s", flush=True)
        outcome = evening(seed, seconds, tickets=int(seconds * 3), say=lambda words: print(f"fleet: {words}", flush=True), longest=chance.choice([3.0, 6.0, 15.0]),
                          second=second)
        figures.update(outcome.figures)
        faults.update(outcome.faults)
        findings += len(outcome.findings)
        print(f"fleet: evening {number}: {told(outcome.figures)}", flush=True)
        if outcome.findings:
            print(f"fleet: evening {number}: {len(outcome.findings)} findings; everything is in {keep(options.keep, seed)}", flush=True)
    print(f"fleet: seed {options.seed}, {number} evenings: {told(figures)}")
    print(f"fleet: faults: {told(faults)}")
    print(f"fleet: {findings} findings" if findings else "fleet: the books agree")
    return 1 if findings else 0


def plant(seed, second=None):
    """What is found of an evening on which one station has no fleet, and so admits whom the others have admitted.

    Nobody may happen to come to it with such a ticket, or it is away while they do: then another evening."""
    chance = random.Random(seed)
    for _ in range(PLANTED):
        outcome = evening(chance.randrange(1 << 32), seconds=8, tickets=20, longest=3.0, outsider="s2", second=second)
        if found := next((line for line in outcome.findings if "by the fleet's word" in line), None):
            return found
    return None


def bring(program):
    """Where another version's program is in these namespaces, beside its other programs; both versions are told."""
    SECOND.mkdir()
    namespaces.mount(program.resolve().parent, SECOND, flags=namespaces.BIND | namespaces.RECURSIVE)
    second = SECOND / program.name
    for stations, one in (("even", native.PROGRAM), ("odd", second)):
        said = json.loads(subprocess.run([one, "version", "--json"], stdout=subprocess.PIPE, check=True).stdout)
        print(f"fleet: stations of {stations} number: {said['version']}, commit {said.get('commit', 'unknown')}", flush=True)
    return second


def told(counts):
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def keep(folder, seed):
    """What is in memory would go with these namespaces."""
    place = Path(folder or f"/tmp/scangate-fleet-{os.getpid()}") / str(seed)
    place.parent.mkdir(parents=True, exist_ok=True)
    with suppress(shutil.Error, OSError):
        shutil.copytree(ROOT, place, symlinks=True, dirs_exist_ok=True, ignore=lambda path, names: {name for name in names if name in ("sock", "door", "stalls")})
    return place


def fetch_server():
    """Where nats-server is; for tests."""
    if "NATS_SERVER" not in os.environ:
        script = Path(__file__).resolve().parent.parent / "scripts/nats-server"
        os.environ["NATS_SERVER"] = subprocess.run([script], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
