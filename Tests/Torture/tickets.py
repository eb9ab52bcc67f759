"""The tickets and passes of an evening, and the ticket system that has a bad day."""

import base64
import datetime
import json
import os
import re
import signal
import subprocess
from dataclasses import dataclass

MISBEHAVIOURS = [
    "latency=0ms..80ms",
    "close=after,share=8%",
    "close=before,share=5%",
    "reset=midway,share=5%",
    "status=500,when=after,share=4%",
    "status=503,share=4%",
    "json=cut,share=3%",
    "latency=900ms..2s,share=3%",
]
#: How it answers so slowly that a request is open for a while: it notes the admission behind the pause, or before.
SLOW = ["latency=300ms..390ms", "latency=300ms..390ms,when=after"]


#: The halls, by the number that the ticket system gives their events.
HALLS = {1: "a", 2: "b"}
#: How many members there are, and for how many seconds a pass that was let in is not let in again (station.py).
MEMBERS, INTERVAL = 4, 60
#: The characters that tell parties apart.
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Ticket:
    """A code, its kind, how many it is for, and of which event it is. The list on board names the events of some alone."""

    code: str
    kind: str
    quantity: int
    event: int
    is_listed: bool

    @property
    def url(self):
        """What is printed."""
        event = base64.b64encode(str(self.event + 389278).encode()).decode()
        return f"https://tickets.example.org/ticket/view/{event}/{self.code}"

    @property
    def goes_astray(self):
        """Whether hall B redeems it before it knows that it is hall A's."""
        return HALLS[self.event] == "a" and not self.is_listed


@dataclass(frozen=True)
class Party:
    """A booking at the theatre: its code, and for how many it is."""

    code: str
    seats: int


def booked(random, count):
    """Parties by the last four characters of their codes, none of which is a ticket's or a pass's."""
    parties = {}
    for number in range(count):
        ending = f"0{LETTERS[number // 36 % 36]}{LETTERS[number % 36]}P"
        parties[ending] = Party("".join(random.choice(LETTERS) for _ in range(4)) + ending, random.randint(2, 8))
    return parties


def sold(random, count):
    """Tickets by their last four characters, which tell them apart: more events do not show."""
    rights = {}
    for number in range(count):
        kind = random.choice(["entry", "entry", "sale"])
        quantity = random.randint(1, 3) if kind == "sale" else 1
        code = "".join(random.choice("abcdefghijkmnpqrstuvwxyz23456789") for _ in range(20)) + f"{number:04}"
        rights[f"{number:04}"] = Ticket(code, kind, quantity, event=1 + number % 2, is_listed=number % 4 > 1)
    return rights


class TicketSystem:
    """The venue: another machine than the station's, whose power stays."""

    def __init__(self, program, folder, rights, parties):
        self.program, self.folder, self.parties = program, folder, parties
        self.away, self.texts = (), ()
        self.list = f"{folder}/tickets.csv"
        rows = [
            f"{one.code},{one.kind},paid,Guest {ending},{one.quantity},Hall {HALLS[one.event].upper()},{one.event if one.is_listed else ''}"
            for ending, one in rights.items()]
        with open(self.list, "w") as file:
            file.write("\n".join(["code,kind,status,name,quantity,event,event_id", *rows]) + "\n")
        with open(f"{folder}/venue.log", "ab") as log:
            self.process = subprocess.Popen(
                [program, "venue", "serve", "--listen", "127.0.0.1:0", "--database", f"{folder}/venue.sqlite", "--import", self.list,
                 "--api-key-file", f"{folder}/venue.key", "--control", f"{folder}/venue.sock", "--no-limits",
                 "--subscriptions", "real", "--access-token-file", f"{folder}/venue.token",
                 "--seed", "--bookings", "document", "--staff-password-file", f"{folder}/staff.password", "--theatre-zone", "UTC"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True, process_group=0)
        found = next(filter(None, (re.search(r"http://127\.0\.0\.1:(\d+)", line) for line in self.process.stdout)), None)
        if not found:
            raise RuntimeError("The ticket system did not start; see venue.log.")
        self.port = found[1]
        self.members = self.sell_memberships()
        self.theatre, self.show = self.book_parties()

    def tell(self, *words):
        """What a command about the venue prints."""
        return subprocess.run(
            [self.program, "venue", *words, "--control", f"{self.folder}/venue.sock"], check=True, capture_output=True, text=True).stdout

    def book_parties(self):
        """The theatre, and the id of the show that all parties have booked."""
        theatre = next(show for show in map(json.loads, self.tell("booking", "show", "shows").splitlines()) if show["seeded"] == "night")
        show = self.tell("booking", "add-show", "--title", "Evening", "--starts", "1min", "--unseated").strip()
        for party in self.parties.values():
            self.tell("booking", "add", "--show", show, "--count", str(party.seats), "--code", party.code)
        return theatre, show

    def sell_memberships(self):
        """Passes by their last four characters, none of which is a ticket's."""
        def office(*words):
            environment = dict(os.environ, STATE_DIRECTORY=f"{self.folder}/office")
            return subprocess.run([self.program, *words], env=environment, check=True, capture_output=True, text=True).stdout

        with open(f"{self.folder}/pass-keys.txt", "w") as file:
            file.write(office("membership", "pass", "keygen", f"{self.folder}/pass.key"))
        passes = {}
        while len(passes) < MEMBERS:
            member = office("venue", "subscription", "add", "--tier", "premium", "--control", f"{self.folder}/venue.sock").strip()
            text = office("membership", "pass", "issue", member, "--key", f"{self.folder}/pass.key").split()[0]
            if not text[-4:].isdigit():
                passes[text[-4:]] = text
        return passes

    def misbehave(self, *texts):
        # What is told anew begins its draws anew: the first requests would always meet the same.
        if texts == self.texts:
            return
        self.texts = texts
        subprocess.run(
            [self.program, "venue", "misbehave", "--control", f"{self.folder}/venue.sock", "--clear", *texts],
            check=True, stdout=subprocess.DEVNULL)

    def go_away(self, how):
        """From now on it cannot be asked, as `plan.AWAY` has it; or it is only as bad as ever."""
        self.away = how
        if how == "halted":
            self.process.send_signal(signal.SIGSTOP)
        else:
            self.misbehave(*MISBEHAVIOURS, *how)

    def come_back(self):
        if self.away == "halted":
            self.process.send_signal(signal.SIGCONT)
        self.go_away(())

    def book(self):
        """What it has recorded: by ticket, each entry's number and time."""
        book = {}
        for line in subprocess.run(
                [self.program, "venue", "book", "--database", f"{self.folder}/venue.sqlite", "--full", "--json"],
                check=True, capture_output=True, text=True).stdout.splitlines():
            entry = json.loads(line)
            time = datetime.datetime.fromisoformat(entry["scanned_at"].replace("Z", "+00:00")).timestamp()
            book.setdefault(entry["code"][-4:], []).append((str(entry["entry_id"]), time))
        return book
